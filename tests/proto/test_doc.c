/* Doc: what is read and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "proto/doc.h"
#include "tests/support/suite.h"

static struct pr_doc *parse_document(const char *text)
{
	struct pr_doc *doc;
	struct pd_fail fail;
	ck_assert_msg(!pr_doc_parse(text, strlen(text), &doc, &fail), "%s: %s", text, fail.text);
	return doc;
}

START_TEST(getters_return_the_default_for_what_is_missing_or_of_another_type)
{
	struct pr_doc *doc = parse_document(
		"{\"s\":\"text\",\"i\":-5,\"r\":2.5,\"e\":1e6,\"b\":true,\"n\":null,\"a\":[1,\"x\"],\"o\":{}}");
	pr_ref root = pr_doc_root(doc);
	ck_assert_str_eq(pr_get_str(root, "s", "no"), "text");
	ck_assert_str_eq(pr_get_str(root, "i", "no"), "no");
	ck_assert_int_eq(pr_get_int(root, "i", 9), -5);
	ck_assert_int_eq(pr_get_int(root, "r", 9), 9);
	ck_assert_int_eq(pr_get_int(root, "e", 9), 1000000);
	ck_assert_int_eq(pr_get_int(root, "zz", 9), 9);
	ck_assert_double_eq(pr_get_real(root, "r", 9), 2.5);
	ck_assert_double_eq(pr_get_real(root, "i", 9), -5);
	ck_assert_double_eq(pr_get_real(root, "s", 9), 9);
	ck_assert(pr_get_bool(root, "b", false));
	ck_assert(pr_get_bool(root, "i", true));
	ck_assert(pr_has(root, "n"));
	ck_assert(!pr_has(root, "zz"));
	ck_assert_int_eq(pr_kind_of(pr_get(root, "n")), PR_NULL);
	ck_assert_int_eq(pr_kind_of(pr_get(root, "e")), PR_REAL);
	ck_assert_int_eq(pr_kind_of(pr_get(root, "zz")), PR_MISSING);
	ck_assert_uint_eq(pr_count(pr_get(root, "a")), 2);
	ck_assert_uint_eq(pr_count(root), 8);
	ck_assert_uint_eq(pr_count(pr_get(root, "s")), 0);
	ck_assert_int_eq(pr_number(pr_at(pr_get(root, "a"), 0), 9), 1);
	ck_assert_str_eq(pr_text(pr_at(pr_get(root, "a"), 1), "no"), "x");
	ck_assert_ptr_null(pr_at(pr_get(root, "a"), 2));
	pr_doc_free(doc);
}
END_TEST

START_TEST(a_missing_value_goes_through_every_getter)
{
	const char *key = "x";
	ck_assert_int_eq(pr_kind_of(NULL), PR_MISSING);
	ck_assert_ptr_null(pr_get(NULL, "x"));
	ck_assert_int_eq(pr_get_int(NULL, "x", 3), 3);
	ck_assert_str_eq(pr_text(NULL, "d"), "d");
	ck_assert_uint_eq(pr_count(NULL), 0);
	ck_assert_ptr_null(pr_at(NULL, 0));
	ck_assert_ptr_null(pr_member(NULL, 0, &key));
	ck_assert_ptr_null(pr_dump(NULL, NULL));
	ck_assert_uint_eq(pr_get_size(NULL, "x", 3), 3);
	pr_doc_free(NULL);
}
END_TEST

START_TEST(members_come_in_the_order_written)
{
	struct pr_doc *doc = parse_document("{\"z\":1,\"a\":2,\"m\":3}");
	const char *order[] = {"z", "a", "m"}, *key;
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(pr_number(pr_member(pr_doc_root(doc), i, &key), 0), (int64_t)i + 1);
		ck_assert_str_eq(key, order[i]);
	}
	ck_assert_ptr_null(pr_member(pr_doc_root(doc), 3, &key));
	pr_doc_free(doc);
}
END_TEST

START_TEST(a_dump_reads_back)
{
	const char *text = "{\"a\":[1,2.5,\"\\u00e4\\n\",null,true],\"b\":{}}";
	struct pr_doc *doc = parse_document(text);
	size_t size;
	char *dump = pr_dump(pr_doc_root(doc), &size);
	ck_assert_uint_eq(size, strlen(dump));
	ck_assert_str_eq(dump, "{\"a\":[1,2.5,\"\xc3\xa4\\n\",null,true],\"b\":{}}");
	free(dump);
	pr_doc_free(doc);
	doc = parse_document("\"alone\"");
	dump = pr_dump(pr_doc_root(doc), NULL);
	ck_assert_str_eq(dump, "\"alone\"");
	free(dump);
	pr_doc_free(doc);
}
END_TEST

START_TEST(what_is_not_json_is_refused_with_the_place)
{
	static const char *const bad[] = {"",
					  "{",
					  "[1,]",
					  "{\"a\":1,\"a\":2}",
					  "{} {}",
					  "99999999999999999999",
					  "\"\xff\"",
					  "\"\\u0000\"",
					  "\"\\ud800\"",
					  "nul",
					  "'x'",
					  "[1]\n[",
					  "\"open",
					  "{\"a\"}",
					  "01"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct pr_doc *doc;
		struct pd_fail fail;
		ck_assert_msg(pr_doc_parse(bad[i], strlen(bad[i]), &doc, &fail) == PD_E_PARSE, "%s", bad[i]);
		ck_assert_int_eq(fail.code, PD_E_PARSE);
		ck_assert_msg(strstr(fail.text, "line ") && strstr(fail.text, "byte "), "%s", fail.text);
	}
}
END_TEST

START_TEST(nesting_has_a_limit_and_brackets_in_strings_do_not_count)
{
	char text[4096];
	for (unsigned depth = PR_DEPTH_MAX - 1; depth <= PR_DEPTH_MAX + 1; depth++) {
		struct pr_doc *doc = NULL;
		struct pd_fail fail;
		memset(text, '[', depth);
		strcpy(text + depth, "\"\\\"[[[[[{{{{\"");
		memset(text + strlen(text) + 1, 0, 1);
		size_t size = strlen(text);
		memset(text + size, ']', depth);
		int rc = pr_doc_parse(text, size + depth, &doc, &fail);
		ck_assert_int_eq(rc, depth > PR_DEPTH_MAX ? PD_E_LIMIT : PD_OK);
		if (!rc)
			pr_doc_free(doc);
	}
	memset(text, '[', sizeof text);
	struct pr_doc *doc;
	ck_assert_int_eq(pr_doc_parse(text, sizeof text, &doc, NULL), PD_E_LIMIT);
}
END_TEST

START_TEST(sizes_read)
{
	static const struct {
		const char *text;
		uint64_t size;
	} good[] = {{"0", 0},
		    {"4096", 4096},
		    {"512K", 512u << 10},
		    {"512k", 512u << 10},
		    {"512M", 512u << 20},
		    {"2GiB", UINT64_C(2) << 30},
		    {"2gb", UINT64_C(2) << 30},
		    {"1T", UINT64_C(1) << 40},
		    {"77B", 77},
		    {"9223372036854775800", UINT64_C(9223372036854775800)}};
	static const char *const bad[] = {"",         "M",    "-1",
					  "1.5G",     "1 G",  "1X",
					  "1MM",      "1Mi",  "9223372036854775808",
					  "8388608T", "0x10", "99999999999999999999999",
					  "1Bi"};
	uint64_t size;
	for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
		ck_assert_msg(!pr_size_parse(good[i].text, &size, NULL), "%s", good[i].text);
		ck_assert_uint_eq(size, good[i].size);
	}
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(pr_size_parse(bad[i], &size, NULL) == PD_E_PARAMS, "%s", bad[i]);
	struct pr_doc *doc = parse_document("{\"a\":5,\"b\":\"1K\",\"c\":\"x\",\"d\":-1}");
	ck_assert_uint_eq(pr_get_size(pr_doc_root(doc), "a", 9), 5);
	ck_assert_uint_eq(pr_get_size(pr_doc_root(doc), "b", 9), 1024);
	ck_assert_uint_eq(pr_get_size(pr_doc_root(doc), "c", 9), 9);
	ck_assert_uint_eq(pr_get_size(pr_doc_root(doc), "d", 9), 9);
	pr_doc_free(doc);
}
END_TEST

SUITE(doc)
{
	tcase_add_test(c, getters_return_the_default_for_what_is_missing_or_of_another_type);
	tcase_add_test(c, a_missing_value_goes_through_every_getter);
	tcase_add_test(c, members_come_in_the_order_written);
	tcase_add_test(c, a_dump_reads_back);
	tcase_add_test(c, what_is_not_json_is_refused_with_the_place);
	tcase_add_test(c, nesting_has_a_limit_and_brackets_in_strings_do_not_count);
	tcase_add_test(c, sizes_read);
}
