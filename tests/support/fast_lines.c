#include "tests/support/fast_lines.h"

#include <stdio.h>
#include <string.h>

static unsigned pick(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % below);
}

struct line {
	uint64_t *seed;
	char *text;
	size_t size;
};

static void put(struct line *l, const char *text)
{
	size_t size = strlen(text);
	if (l->size + size > QUICKLINE_MAX / 2)
		return;
	memcpy(l->text + l->size, text, size);
	l->size += size;
}

#define ONE_OF(l, list) (list)[pick((l)->seed, sizeof(list) / sizeof *(list))]

static void token(struct line *l, const char *text)
{
	static const char *const blanks[] = {" ", "  ", "\t", "\r"};
	put(l, text);
	if (!pick(l->seed, 12))
		put(l, ONE_OF(l, blanks));
}

static void member(struct line *l, const char *key, const char *value)
{
	token(l, key);
	token(l, ":");
	token(l, value);
}

static const char *text_of(struct line *l)
{
	static const char *const usual[] = {"\"\"",        "\"1\"",       "\"44\"", "\"1234321\"",
					    "\"4444445\"", "\"1212121\"", "\"b2\"", "\"a1 b2 c3\""};
	static const char *const odd[] = {"\"9\"",        "\"zz top\"", "\"\\u0034\"", "\"4\\n\"",
					  "\"\xc3\xa4\"", "\"\xff\"",   "\"\\\"\"",    "\"a\x01\"",
					  "\"\x7f\"",     "null",       "4",           "true",
					  "[]",           "{}",         "\"",          "\"a\\u0000b\""};
	return pick(l->seed, 15) ? ONE_OF(l, usual) : ONE_OF(l, odd);
}

static void params(struct line *l)
{
	static const char *const games[] = {"\"connect4:4x4\"",  "\"mnk:3,3,3\"", "\"connect4:4x4\"",
					    "\"connect4: 4x4\"", "\"chess\"",     "\"\"",
					    "\"andor:tiny\""};
	token(l, "{");
	member(l, "\"game\"", ONE_OF(l, games));
	token(l, ",");
	if (pick(l->seed, 2)) {
		member(l, "\"position\"", text_of(l));
	} else {
		static const unsigned counts[] = {1, 1, 2, 3, 5, 31, 32, 33, 64, 65, 70};
		token(l, "\"positions\"");
		token(l, ":");
		token(l, "[");
		for (unsigned i = 0, n = ONE_OF(l, counts); i < n; i++) {
			if (i)
				token(l, ",");
			token(l, text_of(l));
		}
		token(l, "]");
	}
	if (!pick(l->seed, 15)) {
		token(l, ",");
		member(l, "\"moves\"", pick(l->seed, 2) ? "true" : "false");
	}
	token(l, "}");
}

static void mutate(struct line *l)
{
	static const char *const scraps[] = {"{",       "}", "[",  "]",      "\"",
					     ":",       ",", "\\", "null",   "1e3",
					     "-",       "0", " ",  "\"id\"", "\"game\":\"connect4:4x4\"",
					     "\xe2\x82"};
	for (unsigned n = 1 + pick(l->seed, 3); n-- && l->size;) {
		size_t at = pick(l->seed, (unsigned)l->size), gone = pick(l->seed, 4);
		const char *scrap = ONE_OF(l, scraps);
		switch (pick(l->seed, 4)) {
		case 0:
			l->text[at] = (char)(pick(l->seed, 255) + 1);
			if (l->text[at] == '\n')
				l->text[at] = ' ';
			break;
		case 1: { /* a scrap */
			size_t more = strlen(scrap);
			memmove(l->text + at + more, l->text + at, l->size - at);
			memcpy(l->text + at, scrap, more);
			l->size += more;
			break;
		}
		case 2: /* some bytes less */
			gone = gone < l->size - at ? gone : l->size - at;
			memmove(l->text + at, l->text + at + gone, l->size - at - gone);
			l->size -= gone;
			break;
		default: /* cut off */
			if (!pick(l->seed, 8))
				l->size = at;
			break;
		}
	}
}

size_t quickline(uint64_t *seed, char *line)
{
	static const char *const ids[] = {
		"1",   "0",     "-5",   "42", "123456789012345678", "9223372036854775807", "-0", "007",
		"1.0", "\"a\"", "null", "1e2"};
	struct line l = {seed, line, 0};
	token(&l, "{");
	member(&l, "\"jsonrpc\"", pick(seed, 40) ? "\"2.0\"" : "\"1.0\"");
	token(&l, ",");
	member(&l, "\"id\"", ids[pick(seed, pick(seed, 4) ? 5 : 12)]);
	token(&l, ",");
	member(&l, "\"method\"", pick(seed, 40) ? "\"fact.query\"" : "\"fact.line\"");
	token(&l, ",");
	token(&l, "\"params\"");
	token(&l, ":");
	params(&l);
	token(&l, "}");
	if (!pick(seed, 3))
		mutate(&l);
	return l.size;
}
