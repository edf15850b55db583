/* UTF-8: the length of a character. */
#pragma once

#include <stddef.h>

/* Bytes of the character at `text`, of which `limit` bytes (at least one) may be read; 0: not a character, such as an
 * overlong form, a surrogate or a number beyond Unicode. It stops at the first byte that does not belong to the
 * character, so a limit of 4 is right for text that ends with a zero. */
static inline size_t pd_utf8_length(const char *text, size_t limit)
{
	const unsigned char *p = (const unsigned char *)text;
	if (p[0] < 0x80)
		return 1;
	size_t n = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	if (n > limit)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}
