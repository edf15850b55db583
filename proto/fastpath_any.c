#include "proto/fastpath_any.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/methods.h"
#include "proto/plain.h"

enum {
	DIGITS_MAX = 18, /* such a number fits 63 bits */
	ID_BYTES = 256,  /* of a text that is an id */
	KEY_BYTES = 16   /* no member that is read here has a longer name */
};

/* Members that were met: none may come twice. */
enum {
	JSONRPC = 1 << 0,
	ID = 1 << 1,
	METHOD = 1 << 2,
	PARAMS = 1 << 3,
	GAME = 1 << 4,
	POSITION = 1 << 5,
	POSITIONS = 1 << 6,
	MOVES = 1 << 7,
	EACH_MOVE = 1 << 8
};

struct scan {
	const char *p, *end;
	unsigned seen;
	struct pr_fastpath *out;
};

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n'))
		s->p++;
}

/* Takes a token and the blanks before it. */
static bool take(struct scan *s, const char *token, size_t size)
{
	skip_blanks(s);
	if ((size_t)(s->end - s->p) < size || memcmp(s->p, token, size))
		return false;
	s->p += size;
	return true;
}

#define TAKE(s, token) take(s, token, sizeof(token) - 1)

/* A plain text of at most `most` bytes; the scan stands behind its closing quote then. */
static bool take_text(struct scan *s, size_t most, const char **text, size_t *size)
{
	if (!TAKE(s, "\""))
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
static bool take_list(struct scan *s, size_t least, size_t most, size_t bytes, const char **first, size_t *count)
{
	const char *text;
	size_t size;
	*count = 0;
	if (!TAKE(s, "["))
		return false;
	if (!least && TAKE(s, "]"))
		return true;
	do {
		if (*count == most || !take_text(s, bytes, &text, &size))
			return false;
		if (!(*count)++)
			*first = text;
	} while (TAKE(s, ","));
	return TAKE(s, "]");
}

static bool take_bool(struct scan *s, bool *out)
{
	*out = TAKE(s, "true");
	return *out || TAKE(s, "false");
}

/* --- members ------------------------------------------------------------------------------ */

static bool take_id(struct scan *s)
{
	struct pr_fastpath *out = s->out;
	skip_blanks(s);
	if (TAKE(s, "null")) {
		out->id_text = "null";
		out->id_size = 4;
		return true;
	}
	if (s->p < s->end && *s->p == '"') {
		if (!take_text(s, ID_BYTES, &out->id_text, &out->id_size))
			return false;
		out->id_text--; /* with its quotes */
		out->id_size += 2;
		return true;
	}
	bool minus = s->p < s->end && *s->p == '-';
	s->p += minus;
	const char *first = s->p;
	int64_t value = 0;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9' && s->p - first < DIGITS_MAX)
		value = value * 10 + (*s->p++ - '0');
	size_t digits = (size_t)(s->p - first);
	out->id = minus ? -value : value;
	out->id_text = NULL;
	return digits && (*first != '0' || digits == 1);
}

static bool take_moves(struct scan *s)
{
	struct pr_fastpath *out = s->out;
	size_t size;
	skip_blanks(s);
	if (s->p < s->end && *s->p == '[') {
		out->moves = PR_FAST_LIST;
		return take_list(s, 0, PR_MOVES_MAX, PR_FAST_MOVE - 1, &out->moves_next, &out->moves_left);
	}
	if (s->p < s->end && *s->p == '"') {
		out->moves = PR_FAST_RECORD;
		return take_text(s, PR_FAST_TEXT - 1, &out->moves_next, &size);
	}
	return take_bool(s, &out->each);
}

/* Notes that the member has come; false when it had come before. */
static bool meet(struct scan *s, unsigned member)
{
	bool first = !(s->seen & member);
	s->seen |= member;
	return first;
}

static bool param(struct scan *s, const char *key, size_t size)
{
	struct pr_fastpath *out = s->out;
	const char *text;
	size_t length;
#define IS(name) (size == sizeof(name) - 1 && !memcmp(key, name, sizeof(name) - 1))
	if (IS("game")) {
		if (!meet(s, GAME) || !take_text(s, PR_FAST_GAME - 1, &text, &length) || !length)
			return false;
		memcpy(out->game, text, length);
		out->game[length] = 0;
		return true;
	}
	if (IS("position"))
		return meet(s, POSITION) && take_text(s, PR_FAST_TEXT - 1, &out->next, &length);
	if (IS("positions"))
		return meet(s, POSITIONS) &&
		       take_list(s, 1, PR_POSITIONS_MAX, PR_FAST_TEXT - 1, &out->next, &out->count);
	if (IS("moves"))
		return meet(s, MOVES) && take_moves(s);
	bool each;
	if (!IS("each_move") || !meet(s, EACH_MOVE) || !take_bool(s, &each))
		return false;
	out->each_move = each;
	return true;
}

static bool take_object(struct scan *s, bool (*member)(struct scan *s, const char *key, size_t size))
{
	const char *key;
	size_t size;
	if (!TAKE(s, "{"))
		return false;
	do {
		if (!take_text(s, KEY_BYTES, &key, &size) || !TAKE(s, ":") || !member(s, key, size))
			return false;
	} while (TAKE(s, ","));
	return TAKE(s, "}");
}

static bool member(struct scan *s, const char *key, size_t size)
{
	if (IS("jsonrpc"))
		return meet(s, JSONRPC) && TAKE(s, "\"2.0\"");
	if (IS("id"))
		return meet(s, ID) && take_id(s);
	if (IS("method"))
		return meet(s, METHOD) && TAKE(s, "\"fact.query\"");
	return IS("params") && meet(s, PARAMS) && take_object(s, param);
#undef IS
}

/* --- the line ----------------------------------------------------------------------------- */

bool pr_fastpath_read_any(const char *line, size_t size, struct pr_fastpath *out)
{
	const unsigned needed = JSONRPC | ID | METHOD | PARAMS | GAME;
	struct scan s = {line, line + size, 0, out};
	out->usual = out->each = out->each_move = false;
	out->moves = PR_FAST_NONE;
	if (!take_object(&s, member) || (s.seen & needed) != needed)
		return false;
	skip_blanks(&s);
	if (s.p != s.end)
		return false;
	out->many = s.seen & POSITIONS;
	if (out->many && (s.seen & POSITION || out->moves != PR_FAST_NONE))
		return false; /* the general reader says what is wrong */
	if (!out->many)
		out->count = 1;
	if (!(s.seen & (POSITION | POSITIONS)))
		out->next = "\""; /* an empty text */
	out->each |= out->each_move;
	out->left = out->count;
	PD_ASSERT(out->count && out->count <= PR_POSITIONS_MAX && out->next);
	return true;
}
