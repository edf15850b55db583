/* Plain text, which JSON writes unchanged: ASCII without control characters, quotes and backslashes. Eight bytes are
 * tested at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool pr_plain_byte(unsigned char c)
{
	return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

static inline bool pr_plain_eight(uint64_t v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = UINT64_C(0x8080808080808080);
	uint64_t quote = v ^ ones * '"', slash = v ^ ones * '\\';
	/* While no byte is above 127, a subtraction borrows from the next byte only where a byte is not plain, and then
	 * the result is false anyway. */
	return !((v | (v - ones * ' ') | (quote - ones) | (slash - ones)) & high);
}

/* The whole text is plain. */
static inline bool pr_plain(const char *text, size_t size)
{
	uint64_t v;
	uint32_t first, last;
	if (size < 4) {
		while (size && pr_plain_byte((unsigned char)text[size - 1]))
			size--;
		return !size;
	}
	if (size < 8) {
		memcpy(&first, text, sizeof first);
		memcpy(&last, text + size - 4, sizeof last);
		return pr_plain_eight((uint64_t)first << 32 | last);
	}
	for (size_t i = 0; i + 8 < size; i += 8) {
		memcpy(&v, text + i, sizeof v);
		if (!pr_plain_eight(v))
			return false;
	}
	memcpy(&v, text + size - 8, sizeof v);
	return pr_plain_eight(v);
}
