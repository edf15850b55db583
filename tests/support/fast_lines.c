#include "tests/support/fast_lines.h"

#include <stdio.h>
#include <string.h>

static unsigned pick_number(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % below);
}

struct line {
	uint64_t *seed;
	char *text;
	size_t size;
};

static void put_text(struct line *l, const char *text)
{
	size_t size = strlen(text);
	if (l->size + size > QUICKLINE_MAX / 2)
		return;
	memcpy(l->text + l->size, text, size);
	l->size += size;
}

#define ONE_OF(l, list) (list)[pick_number((l)->seed, sizeof(list) / sizeof *(list))]

static void put_token(struct line *l, const char *text)
{
	static const char *const blanks[] = {" ", "  ", "\t", "\r"};
	put_text(l, text);
	if (!pick_number(l->seed, 12))
		put_text(l, ONE_OF(l, blanks));
}

static void put_member(struct line *l, const char *key, const char *value)
{
	put_token(l, key);
	put_token(l, ":");
	put_token(l, value);
}

static const char *text_of(struct line *l)
{
	static const char *const usual[] = {"\"\"",        "\"1\"",       "\"44\"", "\"1234321\"",
					    "\"4444445\"", "\"1212121\"", "\"b2\"", "\"a1 b2 c3\""};
	static const char *const odd[] = {"\"9\"",        "\"zz top\"", "\"\\u0034\"", "\"4\\n\"",
					  "\"\xc3\xa4\"", "\"\xff\"",   "\"\\\"\"",    "\"a\x01\"",
					  "\"\x7f\"",     "null",       "4",           "true",
					  "[]",           "{}",         "\"",          "\"a\\u0000b\""};
	return pick_number(l->seed, 15) ? ONE_OF(l, usual) : ONE_OF(l, odd);
}

static void put_list(struct line *l, unsigned count, const char *(*item)(struct line *l))
{
	put_token(l, "[");
	for (unsigned i = 0; i < count; i++) {
		if (i)
			put_token(l, ",");
		put_token(l, item(l));
	}
	put_token(l, "]");
}

static const char *move_of(struct line *l)
{
	static const char *const moves[] = {"\"1\"", "\"2\"", "\"4\"", "\"b2\"", "\"a1\"", "\"c3\"", "\"\"", "\"zz\""};
	return pick_number(l->seed, 10) ? ONE_OF(l, moves) : text_of(l);
}

static void put_game(struct line *l)
{
	static const char *const games[] = {"\"connect4:4x4\"",  "\"mnk:3,3,3\"", "\"connect4:4x4\"",
					    "\"connect4: 4x4\"", "\"chess\"",     "\"\"",
					    "\"andor:tiny\""};
	put_member(l, "\"game\"", pick_number(l->seed, 3) ? games[pick_number(l->seed, 3)] : ONE_OF(l, games));
}

static void put_positions(struct line *l)
{
	static const unsigned counts[] = {1, 1, 2, 3, 5, 31, 32, 33, 64, 65, 70};
	if (pick_number(l->seed, 2)) {
		put_member(l, "\"position\"", text_of(l));
		return;
	}
	put_token(l, "\"positions\"");
	put_token(l, ":");
	put_list(l, ONE_OF(l, counts), text_of);
}

static void put_moves(struct line *l)
{
	static const char *const values[] = {"true", "false", "true", "\"12\"", "\"b2 a1\"", "\"\"", "null", "1"};
	put_token(l, "\"moves\"");
	put_token(l, ":");
	if (pick_number(l->seed, 3))
		put_token(l, ONE_OF(l, values));
	else
		put_list(l, pick_number(l->seed, 4), move_of);
}

static void put_other(struct line *l)
{
	static const char *const others[] = {"\"each_move\"", "\"each_move\"", "\"each_move\"", "\"notation\"",
					     "\"other\""};
	static const char *const values[] = {"true", "false", "true", "\"\"", "0"};
	put_member(l, ONE_OF(l, others), ONE_OF(l, values));
}

/* Members in a random order, each present with some probability, rarely twice. */
static void put_members(struct line *l, void (*const *each)(struct line *l), const unsigned *percent, unsigned count)
{
	unsigned order[8], some = 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned at = pick_number(l->seed, i + 1);
		order[i] = order[at];
		order[at] = i;
	}
	put_token(l, "{");
	for (unsigned i = 0; i < count; i++)
		for (unsigned n = pick_number(l->seed, 50) ? 1 : 2; n > 0; n--) {
			if (pick_number(l->seed, 100) >= percent[order[i]])
				continue;
			if (some++)
				put_token(l, ",");
			each[order[i]](l);
		}
	put_token(l, "}");
}

/* The members in their usual order. */
static void put_usual_params(struct line *l)
{
	put_token(l, "{");
	put_game(l);
	put_token(l, ",");
	put_positions(l);
	if (!pick_number(l->seed, 15)) {
		put_token(l, ",");
		put_moves(l);
	}
	put_token(l, "}");
}

static void put_params(struct line *l)
{
	static void (*const each[])(struct line * l) = {put_game, put_positions, put_moves, put_other};
	static const unsigned percent[] = {98, 85, 40, 20};
	put_token(l, "\"params\"");
	put_token(l, ":");
	put_members(l, each, percent, 4);
}

static void put_jsonrpc(struct line *l)
{
	put_member(l, "\"jsonrpc\"", pick_number(l->seed, 40) ? "\"2.0\"" : "\"1.0\"");
}

static void put_id(struct line *l)
{
	static const char *const ids[] = {"1",
					  "0",
					  "-5",
					  "42",
					  "123456789012345678",
					  "9223372036854775807",
					  "-0",
					  "007",
					  "1.0",
					  "\"a\"",
					  "null",
					  "1e2",
					  "\"\"",
					  "\"request 17, /again/\"",
					  "\"\\u0041\"",
					  "\"\xc3\xa4\"",
					  "\"\x7f\"",
					  "true",
					  "[1]"};
	put_member(l, "\"id\"", pick_number(l->seed, 3) ? ids[pick_number(l->seed, 5)] : ONE_OF(l, ids));
}

static void put_method(struct line *l)
{
	put_member(l, "\"method\"", pick_number(l->seed, 40) ? "\"fact.query\"" : "\"fact.line\"");
}

static void put_unknown(struct line *l)
{
	put_member(l, "\"more\"", "{\"a\":[1]}");
}

static void mutate_bytes(struct line *l)
{
	static const char *const scraps[] = {"{",       "}", "[",  "]",      "\"",
					     ":",       ",", "\\", "null",   "1e3",
					     "-",       "0", " ",  "\"id\"", "\"game\":\"connect4:4x4\"",
					     "\xe2\x82"};
	for (unsigned n = 1 + pick_number(l->seed, 3); n-- && l->size;) {
		size_t at = pick_number(l->seed, (unsigned)l->size), gone = pick_number(l->seed, 4);
		const char *scrap = ONE_OF(l, scraps);
		switch (pick_number(l->seed, 4)) {
		case 0:
			l->text[at] = (char)(pick_number(l->seed, 255) + 1);
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
			if (!pick_number(l->seed, 8))
				l->size = at;
			break;
		}
	}
}

size_t quickline(uint64_t *seed, char *line)
{
	static void (*const each[])(struct line * l) = {put_jsonrpc, put_id, put_method, put_params, put_unknown};
	static const unsigned percent[] = {98, 97, 98, 98, 3};
	struct line l = {seed, line, 0};
	if (pick_number(seed, 2)) {
		put_members(&l, each, percent, 5);
	} else {
		put_token(&l, "{");
		put_jsonrpc(&l);
		put_token(&l, ",");
		put_id(&l);
		put_token(&l, ",");
		put_method(&l);
		put_token(&l, ",");
		put_token(&l, "\"params\"");
		put_token(&l, ":");
		put_usual_params(&l);
		put_token(&l, "}");
	}
	if (!pick_number(seed, 3))
		mutate_bytes(&l);
	return l.size;
}
