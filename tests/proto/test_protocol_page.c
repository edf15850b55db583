/* The method table, PROTOCOL.md and rpc.discover say the same. `test_proto write_protocol_page`
 * writes the part of PROTOCOL.md that is made from the table (./dev protocol). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/check.h"
#include "proto/rpc.h"
#include "proto/job_states.h"
#include "proto/discover.h"
#include "tests/support/protocol_page.h"
#include "tests/support/suite.h"
#include "tests/support/shape.h"

#define PAGE TEST_DATA "/../../proto/PROTOCOL.md"

enum { PAGE_MAX = 1 << 18 };

static char *page;

static bool read_page(void)
{
	FILE *file = fopen(PAGE, "r");
	page = calloc(1, PAGE_MAX);
	bool good = file && page && fread(page, 1, PAGE_MAX - 1, file);
	if (file)
		fclose(file);
	return good;
}

static void set_up(void)
{
	ck_assert(read_page());
}

static void tear_down(void)
{
	free(page);
}

START_TEST(the_page_is_what_the_table_says)
{
	struct pd_buf made;
	const char *begin = strstr(page, PROTOCOL_PAGE_BEGIN), *end = strstr(page, PROTOCOL_PAGE_END);
	ck_assert(begin && end && begin < end);
	begin += strlen(PROTOCOL_PAGE_BEGIN);
	pd_buf_init(&made, PAGE_MAX);
	protocol_page_print(&made);
	ck_assert(!made.failed);
	bool same = made.size == (size_t)(end - begin) && !memcmp(made.data, begin, made.size);
	ck_assert_msg(same, "PROTOCOL.md differs from proto/methods.def: run ./dev protocol");
	pd_buf_fini(&made);
}
END_TEST

START_TEST(the_page_states_the_limits)
{
	ck_assert_int_eq(PR_LINE_MAX, 1 << 20);
	ck_assert_ptr_nonnull(strstr(page, "| request line | 1 MiB |"));
	ck_assert_int_eq(PR_BATCH_MAX, 1000);
	ck_assert_ptr_nonnull(strstr(page, "| calls of a batch | 1,000 |"));
	ck_assert_int_eq(PR_POSITIONS_MAX, 10000);
	ck_assert_ptr_nonnull(strstr(page, "| positions of one `fact.query` | 10,000 |"));
	ck_assert_int_eq(PR_DEPTH_MAX, 32);
	ck_assert_ptr_nonnull(strstr(page, "| nesting of a request | 32 levels |"));
	ck_assert_int_eq(PR_REPLY_MAX, 16 << 20);
	ck_assert_ptr_nonnull(strstr(page, "| reply line | 16 MiB |"));
}
END_TEST

START_TEST(the_page_lists_why_a_job_waits)
{
	static const char table[] = "\n| reason | meaning |\n| --- | --- |\n"
#define X(name, text, meaning) "| `" text "` | " meaning " |\n"
		PR_WAIT_REASONS(X)
#undef X
			"\n";
	const char *section = strstr(page, "\n## Why a job waits\n");
	ck_assert_ptr_nonnull(section);
	const char *end = strstr(section + 1, "\n## "), *found = strstr(section, table);
	ck_assert_msg(found && found < end, "its table in PROTOCOL.md differs from proto/job_states.h; it should be%s",
		      table);
}
END_TEST

static pr_ref find_member(pr_ref list, const char *name)
{
	for (size_t i = 0; i < pr_count(list); i++)
		if (!strcmp(pr_get_str(pr_at(list, i), "name", ""), name))
			return pr_at(list, i);
	return NULL;
}

START_TEST(the_discover_document_lists_all)
{
	struct pd_buf out;
	struct pr_doc *doc;
	struct pd_fail fail;
	pd_buf_init(&out, PR_REPLY_MAX);
	static const struct pr_param options[] = {
		{"share", PR_T_REAL, false, 0, 1500, "a share"}, {"shy", PR_T_BOOL}, {0}};
	pr_discover(&out, "1.2.3", options);
	ck_assert_msg(!pr_doc_parse(out.data, out.size, &doc, &fail), "%s", fail.text);
	pr_ref root = pr_doc_root(doc), methods = pr_get(root, "methods");
	ck_assert_str_eq(pr_get_str(root, "openrpc", ""), "1.2.6");
	ck_assert_str_eq(pr_get_str(pr_get(root, "info"), "version", ""), "1.2.3");
	ck_assert_uint_eq(pr_count(methods), PR_METHOD_COUNT);
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)i);
		pr_ref method = find_member(methods, info->name), params = pr_get(method, "params");
		ck_assert_str_eq(pr_get_str(method, "summary", ""), info->summary);
		ck_assert(pr_count(pr_get(pr_get(method, "result"), "schema")) > 0);
		size_t count = 0;
		for (const struct pr_param *p = info->params; p->name; p++, count++) {
			pr_ref param = find_member(params, p->name);
			ck_assert_msg(pr_kind_of(pr_get(param, "schema")) == PR_OBJECT, "%s %s", info->name, p->name);
			ck_assert(pr_get_bool(param, "required", false) == p->required);
			pr_ref schema = pr_get(param, "schema");
			pr_ref object = p->type == PR_T_OBJECTS ? pr_get(schema, "items") : schema;
			for (const struct pr_param *m = p->members; m && m->name; m++)
				ck_assert(pr_has(pr_get(object, "properties"), m->name));
		}
		ck_assert_uint_eq(pr_count(params), count);
	}
	pr_ref open = pr_get(find_member(pr_get(find_member(methods, "job.submit"), "params"), "options"), "schema");
	pr_ref share = pr_get(pr_get(open, "properties"), "share");
	ck_assert_uint_eq(pr_count(pr_get(open, "properties")), 2);
	ck_assert(!pr_get_bool(open, "additionalProperties", true));
	ck_assert(pr_get_real(share, "maximum", 0) == 1.5);
	ck_assert_str_eq(pr_get_str(share, "description", ""), "a share");
	pr_ref errors = pr_get(pr_get(root, "components"), "errors");
#define X(name, number, slug, meaning)                                                                                 \
	if ((number) != 0)                                                                                             \
		ck_assert_int_eq(pr_get_int(pr_get(errors, slug), "code", 0), number);
	PD_ERRORS(X)
#undef X
	pr_doc_free(doc);
	pd_buf_fini(&out);
}
END_TEST

/* Every reference leads to a schema, and every object lists its members. */
static void check_schema(pr_ref schemas, pr_ref schema)
{
	const char *ref = pr_get_str(schema, "$ref", NULL), *key;
	if (ref) {
		ck_assert(!strncmp(ref, "#/components/schemas/", 21));
		ck_assert_msg(pr_has(schemas, ref + 21), "%s", ref);
		return;
	}
	ck_assert_str_eq(pr_get_str(schema, "type", ""), "object");
	ck_assert(!pr_get_bool(schema, "additionalProperties", true));
	pr_ref properties = pr_get(schema, "properties");
	ck_assert_uint_gt(pr_count(properties), 0);
	for (size_t i = 0; i < pr_count(properties); i++) {
		pr_ref property = pr_member(properties, i, &key);
		ck_assert_msg(pr_has(property, "type") || pr_has(property, "oneOf") || pr_has(property, "anyOf") ||
				      pr_has(property, "allOf"),
			      "%s", key);
		ck_assert_str_ne(pr_get_str(property, "description", ""), "");
		if (pr_has(property, "allOf"))
			check_schema(schemas, pr_at(pr_get(property, "allOf"), 0));
		if (pr_has(property, "items") && !pr_has(pr_get(property, "items"), "type"))
			check_schema(schemas, pr_get(property, "items"));
	}
}

START_TEST(every_result_has_a_full_schema)
{
	struct pd_buf out;
	struct pr_doc *doc;
	struct pd_fail fail;
	static const struct pr_param none[] = {{0}};
	pd_buf_init(&out, PR_REPLY_MAX);
	pr_discover(&out, "1", none);
	ck_assert_msg(!pr_doc_parse(out.data, out.size, &doc, &fail), "%s", fail.text);
	pr_ref methods = pr_get(pr_doc_root(doc), "methods");
	pr_ref schemas = pr_get(pr_get(pr_doc_root(doc), "components"), "schemas");
	for (size_t i = 0; i < pr_count(methods); i++)
		check_schema(schemas, pr_get(pr_get(pr_at(methods, i), "result"), "schema"));
	for (size_t i = 0; i < pr_count(schemas); i++)
		check_schema(schemas, pr_member(schemas, i, NULL));
	/* The document is of the shape that the table gives for it. */
	ck_assert_msg(!shape_check(pr_method_info(PR_DISCOVER)->result, pr_doc_root(doc), &fail), "%s", fail.text);
	pr_doc_free(doc);
	pd_buf_fini(&out);
}
END_TEST

START_TEST(every_example_is_a_good_call)
{
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)i);
		struct pr_doc *doc;
		struct pd_fail fail;
		ck_assert_msg(info->example, "%s has no example", info->name);
		ck_assert_msg(!pr_doc_parse(info->example, strlen(info->example), &doc, &fail), "the example of %s: %s",
			      info->name, fail.text);
		ck_assert_msg(pr_kind_of(pr_doc_root(doc)) == PR_OBJECT, "the example of %s is no object", info->name);
		ck_assert_msg(!pr_check_params(info, pr_doc_root(doc), &fail), "the example of %s: %s", info->name,
			      fail.text);
		pr_doc_free(doc);
	}
}
END_TEST

START_TEST(methods_are_found_by_name)
{
	enum pr_method method;
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++) {
		ck_assert(pr_method_find(pr_method_info((enum pr_method)i)->name, &method));
		ck_assert_uint_eq(method, i);
		ck_assert_ptr_nonnull(pr_method_info(method)->result);
		ck_assert_ptr_nonnull(pr_method_info(method)->params);
	}
	ck_assert(!pr_method_find("", &method));
	ck_assert(!pr_method_find("job", &method));
}
END_TEST

/* Replaces that part of the page; the process ends with 0. */
static int write_page(void)
{
	struct pd_buf made;
	bool read = read_page();
	const char *begin = read ? strstr(page, PROTOCOL_PAGE_BEGIN) : NULL;
	const char *end = read ? strstr(page, PROTOCOL_PAGE_END) : NULL;
	if (!begin || !end) {
		fputs("PROTOCOL.md lacks the lines between which the methods stand\n", stderr);
		return 1;
	}
	pd_buf_init(&made, PAGE_MAX);
	pd_buf_put(&made, page, (size_t)(begin - page));
	pd_buf_puts(&made, PROTOCOL_PAGE_BEGIN);
	protocol_page_print(&made);
	pd_buf_puts(&made, end);
	FILE *file = made.failed ? NULL : fopen(PAGE, "w");
	bool good = file && fwrite(made.data, 1, made.size, file) == made.size;
	good = file && !fclose(file) && good;
	pd_buf_fini(&made);
	tear_down();
	return good ? 0 : 1;
}

PROGRAM(write_protocol_page)
{
	return write_page();
}

SUITE(protocol_page)
{
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, the_page_is_what_the_table_says);
	tcase_add_test(c, every_result_has_a_full_schema);
	tcase_add_test(c, the_page_states_the_limits);
	tcase_add_test(c, the_page_lists_why_a_job_waits);
	tcase_add_test(c, the_discover_document_lists_all);
	tcase_add_test(c, every_example_is_a_good_call);
	tcase_add_test(c, methods_are_found_by_name);
}
