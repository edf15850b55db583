/* UTF-8: the length of a character. */
#pragma once

#include <stddef.h>

/* Bytes of the character at `text`, of which `limit` bytes may be read (one at least); 0: it is none. Overlong forms,
 * surrogates and numbers beyond Unicode are none. It reads no byte behind one that does not belong to the character, so
 * that text which ends with a zero needs no other limit than 4. */
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
