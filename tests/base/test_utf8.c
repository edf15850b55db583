/* The length of a character of UTF-8, held against one that decodes it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/utf8.h"
#include "tests/support/suite.h"

/* As RFC 3629 describes it: the number that the bytes stand for is written in as few bytes as can be. */
static size_t decoded(const unsigned char *p, size_t limit)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t size = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
	uint32_t code = size == 1 ? p[0] : p[0] & (0x7fu >> size);
	if (!size || size > limit)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		code = code << 6 | (p[i] & 0x3fu);
	}
	return code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : size;
}

START_TEST(every_beginning_of_three_bytes)
{
	static const unsigned char fourth[] = {0x00, 0x7f, 0x80, 0xa5, 0xbf, 0xc0, 0xff};
	unsigned char p[4];
	uint64_t characters = 0;
	for (uint32_t three = 0; three < 1u << 24; three++) {
		p[0] = (unsigned char)(three >> 16);
		p[1] = (unsigned char)(three >> 8);
		p[2] = (unsigned char)three;
		for (size_t i = 0; i < sizeof fourth; i++) {
			p[3] = fourth[i];
			size_t size = pd_utf8_length((const char *)p, 4);
			characters += size == 4;
			if (size != decoded(p, 4))
				ck_abort_msg("%06x %02x: %zu", three, p[3], size);
		}
	}
	ck_assert_uint_eq(characters, UINT64_C(0x100000) / 64 * 3);
}
END_TEST

/* No more is read than may be: the sanitizers watch. */
START_TEST(one_that_is_cut_off_is_none)
{
	static const char *const whole[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(strlen(whole[i]), i + 1);
		for (size_t limit = 1; limit <= i + 1; limit++) {
			char *cut = malloc(limit);
			memcpy(cut, whole[i], limit);
			ck_assert_uint_eq(pd_utf8_length(cut, limit), limit == i + 1 ? limit : 0);
			free(cut);
		}
		char *text = calloc(1, i + 1); /* a zero ends it */
		memcpy(text, whole[i], i);
		ck_assert_uint_eq(pd_utf8_length(text, 4), i ? 0 : 1);
		free(text);
	}
}
END_TEST

SUITE(utf8)
{
	tcase_add_test(c, every_beginning_of_three_bytes);
	tcase_add_test(c, one_that_is_cut_off_is_none);
}
