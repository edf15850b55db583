#include "proto/fastpath.h"

#include "proto/members.h"
#include "proto/methods.h"

enum {
	ID_BYTES = 256, /* longest id that is a string */
	KEY_BYTES = 16  /* no member that is read here has a longer name */
};

/* Members that were read; none may occur twice. */
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

/* --- tokens: texts hold no escapes, so their ends are the next quotes --------------------- */

struct scan {
	const char *p, *end; /* p: the next byte to read */
};

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n'))
		s->p++;
}

/* Takes a token and the blanks before it; false when something else follows the blanks, which alone are taken. */
static inline __attribute__((always_inline)) bool take_token(struct scan *s, const char *token, size_t size)
{
	skip_blanks(s);
	if ((size_t)(s->end - s->p) < size || memcmp(s->p, token, size))
		return false;
	s->p += size;
	return true;
}

#define TAKE(s, token) take_token(s, token, sizeof(token) - 1)

/* Takes an integer as JSON writes it, of at most 18 digits, so that it fits in 63 bits. */
static bool take_integer(struct scan *s, int64_t *integer)
{
	skip_blanks(s);
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

/* Takes a plain text of at most `most` bytes and its quotes. */
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

/* Takes texts between brackets, at least `least` and at most `most` of them; *first is the first one. */
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

/* --- the usual shape ---------------------------------------------------------------------- */

static bool read_usual(const char *line, size_t size, struct pr_fastpath *out)
{
	struct scan s = {line, line + size};
	const char *text;
	size_t length;
	if (!TAKE(&s, "{") || !TAKE(&s, "\"jsonrpc\"") || !TAKE(&s, ":") || !TAKE(&s, "\"2.0\"") || !TAKE(&s, ",") ||
	    !TAKE(&s, "\"id\"") || !TAKE(&s, ":") || !take_integer(&s, &out->id) || !TAKE(&s, ",") ||
	    !TAKE(&s, "\"method\"") || !TAKE(&s, ":") || !TAKE(&s, "\"fact.query\"") || !TAKE(&s, ",") ||
	    !TAKE(&s, "\"params\"") || !TAKE(&s, ":") || !TAKE(&s, "{") || !TAKE(&s, "\"game\"") || !TAKE(&s, ":") ||
	    !take_text(&s, PR_FAST_GAME - 1, &text, &length) || !length || !TAKE(&s, ","))
		return false;
	memcpy(out->game, text, length);
	out->game[length] = 0;
	out->many = false;
	out->count = 0;
	if (TAKE(&s, "\"position\"")) {
		if (!TAKE(&s, ":") || !take_text(&s, PR_FAST_TEXT - 1, &out->next, &length))
			return false;
		out->count = 1;
	} else {
		out->many = true;
		if (!TAKE(&s, "\"positions\"") || !TAKE(&s, ":") ||
		    !take_list(&s, 1, PR_POSITIONS_MAX, PR_FAST_TEXT - 1, &out->next, &out->count))
			return false;
	}
	PD_ASSERT(out->count && out->count <= PR_POSITIONS_MAX && out->next);
	out->left = out->count;
	if (!TAKE(&s, "}") || !TAKE(&s, "}"))
		return false;
	skip_blanks(&s);
	out->usual = true;
	return s.p == s.end;
}

/* --- members in any order ----------------------------------------------------------------- */

struct members {
	struct scan scan;
	unsigned seen;
	struct pr_fastpath *out;
};

static bool take_bool(struct scan *s, bool *out)
{
	*out = TAKE(s, "true");
	return *out || TAKE(s, "false");
}

static bool take_id(struct members *m)
{
	struct scan *s = &m->scan;
	struct pr_fastpath *out = m->out;
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
	out->id_text = NULL;
	return take_integer(s, &out->id);
}

static bool take_moves(struct members *m)
{
	struct scan *s = &m->scan;
	struct pr_fastpath *out = m->out;
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

/* Notes that the member was read; false when it had been read before. */
static bool note_member(struct members *m, unsigned member)
{
	bool first = !(m->seen & member);
	m->seen |= member;
	return first;
}

static bool is_named(const char *key, size_t size, const char *name)
{
	return size == strlen(name) && !memcmp(key, name, size);
}

static bool read_param(struct members *m, const char *key, size_t size)
{
	struct scan *s = &m->scan;
	struct pr_fastpath *out = m->out;
	const char *text;
	size_t length;
	if (is_named(key, size, "game")) {
		if (!note_member(m, GAME) || !take_text(s, PR_FAST_GAME - 1, &text, &length) || !length)
			return false;
		memcpy(out->game, text, length);
		out->game[length] = 0;
		return true;
	}
	if (is_named(key, size, "position"))
		return note_member(m, POSITION) && take_text(s, PR_FAST_TEXT - 1, &out->next, &length);
	if (is_named(key, size, "positions"))
		return note_member(m, POSITIONS) &&
		       take_list(s, 1, PR_POSITIONS_MAX, PR_FAST_TEXT - 1, &out->next, &out->count);
	if (is_named(key, size, "moves"))
		return note_member(m, MOVES) && take_moves(m);
	bool each;
	if (!is_named(key, size, "each_move") || !note_member(m, EACH_MOVE) || !take_bool(s, &each))
		return false;
	out->each_move = each;
	return true;
}

static bool take_object(struct members *m, bool (*each)(struct members *m, const char *key, size_t size))
{
	struct scan *s = &m->scan;
	const char *key;
	size_t size;
	if (!TAKE(s, "{"))
		return false;
	do {
		if (!take_text(s, KEY_BYTES, &key, &size) || !TAKE(s, ":") || !each(m, key, size))
			return false;
	} while (TAKE(s, ","));
	return TAKE(s, "}");
}

static bool read_member(struct members *m, const char *key, size_t size)
{
	if (is_named(key, size, "jsonrpc"))
		return note_member(m, JSONRPC) && TAKE(&m->scan, "\"2.0\"");
	if (is_named(key, size, "id"))
		return note_member(m, ID) && take_id(m);
	if (is_named(key, size, "method"))
		return note_member(m, METHOD) && TAKE(&m->scan, "\"fact.query\"");
	return is_named(key, size, "params") && note_member(m, PARAMS) && take_object(m, read_param);
}

static bool read_any(const char *line, size_t size, struct pr_fastpath *out)
{
	const unsigned needed = JSONRPC | ID | METHOD | PARAMS | GAME;
	struct members m = {{line, line + size}, 0, out};
	out->usual = out->each = out->each_move = false;
	out->moves = PR_FAST_NONE;
	if (!take_object(&m, read_member) || (m.seen & needed) != needed)
		return false;
	skip_blanks(&m.scan);
	if (m.scan.p != m.scan.end)
		return false;
	out->many = m.seen & POSITIONS;
	if (out->many && (m.seen & POSITION || out->moves != PR_FAST_NONE))
		return false; /* the general reader says what is wrong */
	if (!out->many)
		out->count = 1;
	if (!(m.seen & (POSITION | POSITIONS)))
		out->next = "\""; /* an empty text */
	out->each |= out->each_move;
	out->left = out->count;
	PD_ASSERT(out->count && out->count <= PR_POSITIONS_MAX && out->next);
	return true;
}

/* --- what was read ------------------------------------------------------------------------ */

bool pr_fastpath_read(const char *line, size_t size, struct pr_fastpath *out)
{
	return read_usual(line, size, out) || read_any(line, size, out);
}

/* Copies a text of the line; returns where its closing quote is. */
static const char *copy_text(const char *p, char *text)
{
	while (*p != '"')
		*text++ = *p++;
	*text = 0;
	return p;
}

/* The next text after that closing quote; its opening quote is skipped. */
static const char *text_behind(const char *p)
{
	p++;
	while (*p != '"')
		p++;
	return p + 1;
}

bool pr_fastpath_next(struct pr_fastpath *query, char *text)
{
	if (!query->left)
		return false;
	PD_ASSERT(query->left <= query->count);
	const char *p = copy_text(query->next, text);
	if (--query->left)
		query->next = text_behind(p);
	return true;
}

void pr_fastpath_record(const struct pr_fastpath *query, char *text)
{
	PD_ASSERT(!query->usual && query->moves == PR_FAST_RECORD);
	copy_text(query->moves_next, text);
}

bool pr_fastpath_move(struct pr_fastpath *query, char *text)
{
	PD_ASSERT(!query->usual && query->moves == PR_FAST_LIST);
	if (!query->moves_left)
		return false;
	const char *p = copy_text(query->moves_next, text);
	if (--query->moves_left)
		query->moves_next = text_behind(p);
	return true;
}

void pr_fastpath_open(const struct pr_fastpath *query, struct pr_out *out)
{
	struct pr_members members;
	pr_open_object(out, NULL);
	pr_members_begin(&members, out);
	PR_MEMBER_STR(&members, "jsonrpc", "2.0");
	if (query->usual || !query->id_text)
		PR_MEMBER_INT(&members, "id", query->id);
	pr_members_flush(&members);
	if (!query->usual && query->id_text)
		pr_raw(out, "id", query->id_text, query->id_size);
}
