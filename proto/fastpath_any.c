/* Fast path, any order: see fastpath_any.h. */
#include "proto/fastpath_any.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/fastpath_scan.h"
#include "proto/methods.h"

enum {
	ID_BYTES = 256, /* of a text that is an id */
	KEY_BYTES = 16  /* no member that is read here has a longer name */
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

struct members {
	struct pr_scan scan;
	unsigned seen;
	struct pr_fastpath *out;
};

static bool take_bool(struct pr_scan *s, bool *out)
{
	*out = PR_SCAN(s, "true");
	return *out || PR_SCAN(s, "false");
}

/* --- members ------------------------------------------------------------------------------ */

static bool take_id(struct members *m)
{
	struct pr_scan *s = &m->scan;
	struct pr_fastpath *out = m->out;
	pr_scan_blanks(s);
	if (PR_SCAN(s, "null")) {
		out->id_text = "null";
		out->id_size = 4;
		return true;
	}
	if (s->p < s->end && *s->p == '"') {
		if (!pr_scan_text(s, ID_BYTES, &out->id_text, &out->id_size))
			return false;
		out->id_text--; /* with its quotes */
		out->id_size += 2;
		return true;
	}
	out->id_text = NULL;
	return pr_scan_integer(s, &out->id);
}

static bool take_moves(struct members *m)
{
	struct pr_scan *s = &m->scan;
	struct pr_fastpath *out = m->out;
	size_t size;
	pr_scan_blanks(s);
	if (s->p < s->end && *s->p == '[') {
		out->moves = PR_FAST_LIST;
		return pr_scan_list(s, 0, PR_MOVES_MAX, PR_FAST_MOVE - 1, &out->moves_next, &out->moves_left);
	}
	if (s->p < s->end && *s->p == '"') {
		out->moves = PR_FAST_RECORD;
		return pr_scan_text(s, PR_FAST_TEXT - 1, &out->moves_next, &size);
	}
	return take_bool(s, &out->each);
}

/* Notes that the member has come; false when it had come before. */
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
	struct pr_scan *s = &m->scan;
	struct pr_fastpath *out = m->out;
	const char *text;
	size_t length;
	if (is_named(key, size, "game")) {
		if (!note_member(m, GAME) || !pr_scan_text(s, PR_FAST_GAME - 1, &text, &length) || !length)
			return false;
		memcpy(out->game, text, length);
		out->game[length] = 0;
		return true;
	}
	if (is_named(key, size, "position"))
		return note_member(m, POSITION) && pr_scan_text(s, PR_FAST_TEXT - 1, &out->next, &length);
	if (is_named(key, size, "positions"))
		return note_member(m, POSITIONS) &&
		       pr_scan_list(s, 1, PR_POSITIONS_MAX, PR_FAST_TEXT - 1, &out->next, &out->count);
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
	struct pr_scan *s = &m->scan;
	const char *key;
	size_t size;
	if (!PR_SCAN(s, "{"))
		return false;
	do {
		if (!pr_scan_text(s, KEY_BYTES, &key, &size) || !PR_SCAN(s, ":") || !each(m, key, size))
			return false;
	} while (PR_SCAN(s, ","));
	return PR_SCAN(s, "}");
}

static bool read_member(struct members *m, const char *key, size_t size)
{
	if (is_named(key, size, "jsonrpc"))
		return note_member(m, JSONRPC) && PR_SCAN(&m->scan, "\"2.0\"");
	if (is_named(key, size, "id"))
		return note_member(m, ID) && take_id(m);
	if (is_named(key, size, "method"))
		return note_member(m, METHOD) && PR_SCAN(&m->scan, "\"fact.query\"");
	return is_named(key, size, "params") && note_member(m, PARAMS) && take_object(m, read_param);
}

/* --- the line ----------------------------------------------------------------------------- */

bool pr_fastpath_read_any(const char *line, size_t size, struct pr_fastpath *out)
{
	const unsigned needed = JSONRPC | ID | METHOD | PARAMS | GAME;
	struct members m = {{line, line + size}, 0, out};
	out->usual = out->each = out->each_move = false;
	out->moves = PR_FAST_NONE;
	if (!take_object(&m, read_member) || (m.seen & needed) != needed)
		return false;
	pr_scan_blanks(&m.scan);
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
