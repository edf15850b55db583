/* Text for people: every character of Unicode and every conversion, held against printf and a list of controls. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/print.h"
#include "tests/support/suite.h"

static size_t encode_character(uint32_t c, char out[5])
{
	size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	if (size == 1) {
		out[0] = (char)c;
	} else {
		for (size_t i = size - 1; i; i--, c >>= 6)
			out[i] = (char)(0x80 | (c & 0x3f));
		out[0] = (char)(0xf00 >> size | c);
	}
	out[size] = 0;
	return size;
}

START_TEST(every_character)
{
	unsigned controls = 0;
	for (uint32_t c = 1; c < 0x110000; c++) {
		char text[5], shown[PD_SHOWN_MAX], escape[16];
		size_t size = encode_character(c, text), taken = pd_show_character(text, 4, shown);
		bool none = c >= 0xd800 && c < 0xe000; /* surrogates */
		bool control = c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 ||
			       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
		controls += control;
		snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
		if (taken != (none ? 1 : size) || strcmp(shown, none ? "\\xed" : control ? escape : text) != 0)
			ck_abort_msg("U+%04x is shown as %s", (unsigned)c, shown);
	}
	ck_assert_uint_eq(controls, 31 + 33 + 7 + 4);
}
END_TEST

static void are_same(const char *got, const char *wanted)
{
	ck_assert_str_eq(got, wanted);
}

/* The same text as printf makes of it. */
#define SAME(...)                                                                                                      \
	do {                                                                                                           \
		struct pd_buf a, b;                                                                                    \
		pd_buf_init(&a, 1 << 16);                                                                              \
		pd_buf_init(&b, 1 << 16);                                                                              \
		pd_buf_show(&a, __VA_ARGS__);                                                                          \
		pd_buf_printf(&b, __VA_ARGS__);                                                                        \
		are_same(a.data, b.data);                                                                              \
		pd_buf_fini(&a);                                                                                       \
		pd_buf_fini(&b);                                                                                       \
	} while (0)

START_TEST(conversions_are_those_of_printf)
{
	SAME("no conversion\n");
	SAME("100 %% of %s", "it");
	SAME("%d %i %u %x %X %o %c", -1, INT32_MIN, UINT32_MAX, 0xabcU, 0xabcU, 8U, 'c');
	SAME("%5d|%-5d|%05d|%+d|% d|%.3d", 42, 42, 42, 42, 42, 7);
	SAME("%*d|%-*d|%*d|%.*d", 6, 1, 6, 2, -6, 3, 4, 5);
	SAME("%ld %lu %lld %llu %zu %jd %td", INT64_MIN, UINT64_MAX, -5LL, 5ULL, (size_t)7, (intmax_t)-8, (ptrdiff_t)9);
	SAME("%" PRId64 " %" PRIu64 " %016" PRIx64 " %" PRIu32, INT64_MAX, UINT64_MAX, (uint64_t)0xabc, UINT32_MAX);
	SAME("%3c|%-3c|%*c", 'a', 'b', 4, 'c');
	SAME("%hhu %hd", (unsigned char)200, (short)-3);
	SAME("%f %.3f %10.2f %-10.1f| %e %g", 1.5, 2.0 / 3, 3.14159, 2.5, 1e9, 0.1);
	SAME("%.0f", 1.7976931348623157e308);
	SAME("%s|%10s|%-10s|%.2s|%10.2s|%.*s|%*s", "abc", "abc", "abc", "abc", "abc", 1, "abc", 5, "x");
	SAME("%s%s%s", "", "\xc3\xa4", "\xf0\x9f\x98\x80");
	SAME("\t\033[1m%s", "the format is the program's own");
}
END_TEST

static void shows(const char *wanted, const char *format, const char *text)
{
	struct pd_buf buf;
	pd_buf_init(&buf, 1 << 16);
	if (!strcmp(format, "%s"))
		pd_buf_show(&buf, "%s", text);
	else if (!strcmp(format, "%8s"))
		pd_buf_show(&buf, "%8s", text);
	else if (!strcmp(format, "%-8s"))
		pd_buf_show(&buf, "%-8s|", text);
	else
		pd_buf_show(&buf, "%.4s", text);
	ck_assert_str_eq(buf.data, wanted);
	pd_buf_fini(&buf);
}

START_TEST(arguments_are_shown)
{
	shows("a\\u000ab\\u001b[2Jc", "%s", "a\nb\033[2Jc");
	shows("\\u0085\\u202e\\xff\\xc3", "%s", "\xc2\x85\xe2\x80\xae\xff\xc3");
	shows("  \\u0007", "%8s", "\a");
	shows("\\u0007  |", "%-8s", "\a");
	shows("ab", "%.4s", "ab\a");                       /* the escape does not fit */
	shows("ab\xc3\xa4", "%.4s", "ab\xc3\xa4\xc3\xa4"); /* whole characters */
	shows("abc", "%.4s", "abc\xe2\x82\xac");
	shows("abcd", "%.4s", "abcdef");
}
END_TEST

START_TEST(inks_are_known_by_their_address)
{
	struct pd_buf buf;
	char copy[16];
	pd_buf_init(&buf, 1 << 16);
	for (unsigned i = 0; i < PD_INK_COUNT; i++) {
		pd_buf_reset(&buf);
		pd_buf_show(&buf, "%s", pd_ink(i));
		ck_assert_str_eq(buf.data, pd_ink(i));
		snprintf(copy, sizeof copy, "%s", pd_ink(i));
		pd_buf_reset(&buf);
		pd_buf_show(&buf, "%s", copy);
		ck_assert_ptr_eq(strchr(buf.data, '\033'), NULL);
		ck_assert_int_eq(strncmp(buf.data, "\\u001b[", 7), 0);
	}
	pd_buf_fini(&buf);
}
END_TEST

START_TEST(streams_get_the_same)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(pd_print(file, "%s %d\n", "a\nb", 5), 11);
	pd_print_lines(file, "1\n2\t3\n\xff\n");
	fclose(file);
	ck_assert_str_eq(text, "a\\u000ab 5\n1\n2\\u00093\n\\xff\n");
	free(text);
}
END_TEST

SUITE(print)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, every_character);
	tcase_add_test(c, conversions_are_those_of_printf);
	tcase_add_test(c, arguments_are_shown);
	tcase_add_test(c, inks_are_known_by_their_address);
	tcase_add_test(c, streams_get_the_same);
}
