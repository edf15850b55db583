/* Fast path, scan: the tokens of a line whose texts hold no escapes, so that their ends are the next quotes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "proto/plain.h"

struct pr_scan {
	const char *p, *end; /* p: the next byte to read */
};

static inline void pr_scan_blanks(struct pr_scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n'))
		s->p++;
}

/* Takes a token and the blanks before it; false, and nothing taken but blanks, when something else stands there. */
static inline __attribute__((always_inline)) bool pr_scan_token(struct pr_scan *s, const char *token, size_t size)
{
	pr_scan_blanks(s);
	if ((size_t)(s->end - s->p) < size || memcmp(s->p, token, size))
		return false;
	s->p += size;
	return true;
}

#define PR_SCAN(s, token) pr_scan_token(s, token, sizeof(token) - 1)

/* An integer as JSON writes it, of at most 18 digits, so that it fits 63 bits. */
static inline bool pr_scan_integer(struct pr_scan *s, int64_t *integer)
{
	pr_scan_blanks(s);
	bool minus = s->p < s->end && *s->p == '-';
	s->p += minus;
	const char *first = s->p;
	int64_t value = 0;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9' && s->p - first < 18)
		value = value * 10 + (*s->p++ - '0');
	size_t digits = (size_t)(s->p - first);
	*integer = minus ? -value : value;
	return digits && (*first != '0' || digits == 1);
}

/* A plain text of at most `most` bytes; the scan stands behind its closing quote then. */
static inline bool pr_scan_text(struct pr_scan *s, size_t most, const char **text, size_t *size)
{
	if (!PR_SCAN(s, "\""))
		return false;
	const char *p = s->p, *end = (size_t)(s->end - p) > most ? p + most + 1 : s->end;
	uint64_t v;
	for (; end - p >= 8; p += 8) {
		memcpy(&v, p, sizeof v);
		if (!pr_plain_eight(v))
			break;
	}
	while (p < end && pr_plain_byte((unsigned char)*p))
		p++;
	if (p == end || *p != '"')
		return false;
	*text = s->p;
	*size = (size_t)(p - s->p);
	s->p = p + 1;
	return true;
}

/* Texts between brackets, at least `least` and at most `most` of them; *first is the first one. */
static inline bool pr_scan_list(struct pr_scan *s, size_t least, size_t most, size_t bytes, const char **first,
				size_t *count)
{
	const char *text;
	size_t size;
	*count = 0;
	if (!PR_SCAN(s, "["))
		return false;
	if (!least && PR_SCAN(s, "]"))
		return true;
	do {
		if (*count == most || !pr_scan_text(s, bytes, &text, &size))
			return false;
		if (!(*count)++)
			*first = text;
	} while (PR_SCAN(s, ","));
	return PR_SCAN(s, "]");
}
