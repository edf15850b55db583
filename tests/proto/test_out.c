/* Out: commas, escapes, numbers, overflow. Everything that it prints must be read back by doc. */
#include <math.h>
#include <string.h>

#include "proto/doc.h"
#include "proto/members.h"
#include "proto/out.h"
#include "tests/support/suite.h"

static struct pd_buf buf;
static struct pr_out out;

static void set_up(void)
{
	pd_buf_init(&buf, 1 << 20);
	pr_out_init(&out, &buf);
}

static void tear_down(void)
{
	pd_buf_fini(&buf);
}

static void expect_text(const char *text)
{
	ck_assert(!buf.failed);
	ck_assert_str_eq(buf.data, text);
	struct pr_doc *doc;
	struct pd_fail fail;
	ck_assert_msg(!pr_doc_parse(buf.data, buf.size, &doc, &fail), "%s", fail.text);
	pr_doc_free(doc);
}

START_TEST(commas_stand_where_they_belong)
{
	pr_open_object(&out, NULL);
	pr_open_array(&out, "empty");
	pr_close(&out);
	pr_open_array(&out, "list");
	pr_int(&out, NULL, 1);
	pr_open_object(&out, NULL);
	pr_close(&out);
	pr_open_object(&out, NULL);
	pr_bool(&out, "yes", true);
	pr_bool(&out, "no", false);
	pr_null(&out, "none");
	pr_close(&out);
	pr_raw(&out, NULL, "[1,2]", 5);
	pr_close(&out);
	pr_raw(&out, "raw", "{}", 2);
	pr_str(&out, "no text", NULL);
	pr_close(&out);
	expect_text("{\"empty\":[],\"list\":[1,{},{\"yes\":true,\"no\":false,\"none\":null},[1,2]],\"raw\":{},\"no "
		    "text\":null}");
}
END_TEST

START_TEST(numbers_print_to_the_last_digit)
{
	pr_open_array(&out, NULL);
	pr_int(&out, NULL, 0);
	pr_int(&out, NULL, -7);
	pr_int(&out, NULL, INT64_MAX);
	pr_int(&out, NULL, INT64_MIN);
	pr_real(&out, NULL, 1.25, 3);
	pr_real(&out, NULL, -0.5, 0);
	pr_real(&out, NULL, INFINITY, 1);
	pr_real(&out, NULL, NAN, 1);
	pr_close(&out);
	expect_text("[0,-7,9223372036854775807,-9223372036854775808,1.250,-0,null,null]");
	tear_down();
	set_up();
	pr_uint(&out, NULL, UINT64_MAX);
	ck_assert_str_eq(buf.data, "18446744073709551615");
}
END_TEST

START_TEST(strings_are_escaped)
{
	pr_strn(&out, NULL, "a\"b\\c\n\r\t\b\f\x01\x1f/\x7f\0z", 16);
	ck_assert_str_eq(buf.data, "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001f/\x7f\\u0000z\"");
}
END_TEST

START_TEST(bad_bytes_become_replacement_characters)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		 "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"}, /* two, three and four bytes */
		{"\xff", "?"},
		{"a\xc3", "a?"},
		{"\xc0\xaf", "??"},           /* overlong */
		{"\xe0\x80\xaf", "???"},      /* overlong */
		{"\xed\xa0\x80", "???"},      /* a surrogate */
		{"\xf4\x90\x80\x80", "????"}, /* beyond Unicode */
		{"\xe2\x82x", "??x"},
		{"\x80z", "?z"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		tear_down();
		set_up();
		pr_str(&out, NULL, cases[i].in);
		struct pd_buf want;
		pd_buf_init(&want, 64);
		pd_buf_puts(&want, "\"");
		for (const char *p = cases[i].out; *p; p++)
			pd_buf_put(&want, *p == '?' ? "\xef\xbf\xbd" : p, *p == '?' ? 3 : 1);
		pd_buf_puts(&want, "\"");
		expect_text(want.data);
		pd_buf_fini(&want);
	}
}
END_TEST

START_TEST(every_byte_string_prints_as_valid_json)
{
	uint64_t x = 88172645463325252u;
	for (int i = 0; i < 20000; i++) {
		char bytes[24];
		for (unsigned k = 0; k < sizeof bytes; k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			bytes[k] = (char)(x >> 32 | (x & 1 ? 0x80 : 0));
			if (!bytes[k])
				bytes[k] = 'x'; /* doc refuses NUL in strings */
		}
		tear_down();
		set_up();
		pr_strn(&out, NULL, bytes, (size_t)(x % sizeof bytes));
		struct pr_doc *doc;
		ck_assert_int_eq(pr_doc_parse(buf.data, buf.size, &doc, NULL), PD_OK);
		pr_doc_free(doc);
	}
}
END_TEST

/* Members that gather print what the printer prints of each, whatever the texts hold and however many there are. */
START_TEST(members_print_as_one_by_one)
{
	static const char *const texts[] = {
		"", "fact", "draw", "a text of more than sixteen bytes", "a \"quote\"", "Züge", "\xff\xfe"};
	enum { TEXTS = sizeof texts / sizeof texts[0], LONG = 300 };
	uint64_t x = 17;
	char longest[LONG + 1];
	memset(longest, 'l', LONG);
	longest[LONG] = 0;
	for (unsigned n = 0; n < 2000; n++) {
		struct pr_members members;
		struct pd_buf wanted;
		struct pr_out one;
		tear_down();
		set_up();
		pd_buf_init(&wanted, 1 << 20);
		pr_out_init(&one, &wanted);
		pr_open_object(&out, NULL);
		pr_open_object(&one, NULL);
		pr_members_begin(&members, &out);
		for (unsigned k = n % 40; k; k--) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			unsigned bits = (unsigned)(x >> 8 & 63);
			const char *text = x & 0x300000 ? texts[(x >> 24) % TEXTS] : longest;
			switch (x & 3) {
			case 0:
				PR_MEMBER_UINT(&members, "unsigned", x >> bits);
				pr_uint(&one, "unsigned", x >> bits);
				break;
			case 1:
				PR_MEMBER_INT(&members, "signed", (int64_t)x >> bits);
				pr_int(&one, "signed", (int64_t)x >> bits);
				break;
			case 2:
				PR_MEMBER_STR(&members, "text", text);
				pr_str(&one, "text", text);
				break;
			default:
				PR_MEMBER_NULL(&members, "none");
				pr_null(&one, "none");
				if (x & 4)
					pr_members_flush(&members);
			}
		}
		pr_members_flush(&members);
		pr_close(&out);
		pr_close(&one);
		ck_assert(!buf.failed && !wanted.failed);
		ck_assert_str_eq(buf.data, wanted.data);
		pd_buf_fini(&wanted);
	}
}
END_TEST

START_TEST(members_print_the_numbers_at_the_ends)
{
	struct pr_members members;
	pr_open_object(&out, NULL);
	pr_members_begin(&members, &out);
	PR_MEMBER_INT(&members, "least", INT64_MIN);
	PR_MEMBER_INT(&members, "most", INT64_MAX);
	PR_MEMBER_UINT(&members, "none", 0);
	PR_MEMBER_UINT(&members, "nine", 9);
	PR_MEMBER_UINT(&members, "ten", 10);
	PR_MEMBER_UINT(&members, "all", UINT64_MAX);
	PR_MEMBER_UINT(&members, "twenty", UINT64_C(10000000000000000000));
	pr_members_flush(&members);
	pr_close(&out);
	ck_assert_str_eq(buf.data, "{\"least\":-9223372036854775808,\"most\":9223372036854775807,\"none\":0,"
				   "\"nine\":9,\"ten\":10,\"all\":18446744073709551615,"
				   "\"twenty\":10000000000000000000}");
}
END_TEST

START_TEST(members_in_an_array_are_asserted)
{
	struct pr_members members;
	pr_open_array(&out, NULL);
	pr_members_begin(&members, &out);
	PR_MEMBER_UINT(&members, "key", 1);
	pr_members_flush(&members);
}
END_TEST

START_TEST(a_full_buffer_says_so)
{
	tear_down();
	pd_buf_init(&buf, 20);
	pr_out_init(&out, &buf);
	pr_open_object(&out, NULL);
	pr_str(&out, "key", "much too long for it");
	pr_int(&out, "more", 1);
	pr_close(&out);
	ck_assert(buf.failed);
	ck_assert_uint_le(buf.size, 20);
}
END_TEST

START_TEST(misnesting_is_asserted)
{
	pr_close(&out);
}
END_TEST

START_TEST(a_key_in_an_array_is_asserted)
{
	pr_open_array(&out, NULL);
	pr_int(&out, "key", 1);
}
END_TEST

SUITE(out)
{
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, commas_stand_where_they_belong);
	tcase_add_test(c, numbers_print_to_the_last_digit);
	tcase_add_test(c, strings_are_escaped);
	tcase_add_test(c, bad_bytes_become_replacement_characters);
	tcase_add_test(c, every_byte_string_prints_as_valid_json);
	tcase_add_test(c, members_print_as_one_by_one);
	tcase_add_test(c, members_print_the_numbers_at_the_ends);
	tcase_add_test(c, a_full_buffer_says_so);
	tcase_add_test_raise_signal(c, misnesting_is_asserted, 6);
	tcase_add_test_raise_signal(c, a_key_in_an_array_is_asserted, 6);
	tcase_add_test_raise_signal(c, members_in_an_array_are_asserted, 6);
}
