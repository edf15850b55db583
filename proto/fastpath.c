/* Fast path: see fastpath.h. One pass from left to right. The texts hold no escapes, so their ends are the next
 * quotes. */
#include "proto/fastpath.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/fastpath_any.h"
#include "proto/methods.h"
#include "proto/plain.h"

enum { COUNT_MAX = PR_POSITIONS_MAX, DIGITS_MAX = 18 /* such a number fits 63 bits */ };

struct scan {
	const char *p, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && *s->p == ' ')
		s->p++;
}

/* Takes a token and the blanks before it; false, and nothing taken but blanks, when something else stands there. */
static bool take(struct scan *s, const char *token, size_t size)
{
	skip_blanks(s);
	if ((size_t)(s->end - s->p) < size || memcmp(s->p, token, size))
		return false;
	s->p += size;
	return true;
}

#define TAKE(s, token) take(s, token, sizeof(token) - 1)

/* An integer as JSON writes it, of few enough digits. */
static bool take_id(struct scan *s, int64_t *id)
{
	skip_blanks(s);
	bool minus = s->p < s->end && *s->p == '-';
	s->p += minus;
	const char *first = s->p;
	int64_t value = 0;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9' && s->p - first < DIGITS_MAX)
		value = value * 10 + (*s->p++ - '0');
	size_t digits = (size_t)(s->p - first);
	*id = minus ? -value : value;
	return digits && (*first != '0' || digits == 1);
}

/* A text of at most `most` bytes; the scan stands behind its closing quote then. */
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

static bool take_positions(struct scan *s, struct pr_fastpath *out)
{
	const char *text;
	size_t size;
	out->many = true;
	do {
		if (out->count == COUNT_MAX || !take_text(s, PR_FAST_TEXT - 1, &text, &size))
			return false;
		if (!out->count++)
			out->next = text;
	} while (TAKE(s, ","));
	return TAKE(s, "]");
}

static bool read_usual(const char *line, size_t size, struct pr_fastpath *out)
{
	struct scan s = {line, line + size};
	const char *text;
	size_t length;
	if (!TAKE(&s, "{") || !TAKE(&s, "\"jsonrpc\"") || !TAKE(&s, ":") || !TAKE(&s, "\"2.0\"") || !TAKE(&s, ",") ||
	    !TAKE(&s, "\"id\"") || !TAKE(&s, ":") || !take_id(&s, &out->id) || !TAKE(&s, ",") ||
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
	} else if (!TAKE(&s, "\"positions\"") || !TAKE(&s, ":") || !TAKE(&s, "[") || !take_positions(&s, out)) {
		return false;
	}
	PD_ASSERT(out->count && out->count <= COUNT_MAX && out->next);
	out->left = out->count;
	if (!TAKE(&s, "}") || !TAKE(&s, "}"))
		return false;
	skip_blanks(&s);
	out->usual = true;
	return s.p == s.end;
}

bool pr_fastpath_read(const char *line, size_t size, struct pr_fastpath *out)
{
	return read_usual(line, size, out) || pr_fastpath_read_any(line, size, out);
}

/* Copies a text of the line; returns where its closing quote is. */
static const char *copy(const char *p, char *text)
{
	while (*p != '"')
		*text++ = *p++;
	*text = 0;
	return p;
}

/* The text behind that closing quote. */
static const char *behind(const char *p)
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
	const char *p = copy(query->next, text);
	if (--query->left)
		query->next = behind(p);
	return true;
}

void pr_fastpath_record(const struct pr_fastpath *query, char *text)
{
	PD_ASSERT(!query->usual && query->moves == PR_FAST_RECORD);
	copy(query->moves_next, text);
}

bool pr_fastpath_move(struct pr_fastpath *query, char *text)
{
	PD_ASSERT(!query->usual && query->moves == PR_FAST_LIST);
	if (!query->moves_left)
		return false;
	const char *p = copy(query->moves_next, text);
	if (--query->moves_left)
		query->moves_next = behind(p);
	return true;
}

void pr_fastpath_open(const struct pr_fastpath *query, struct pr_out *out)
{
	pr_open_object(out, NULL);
	pr_raw(out, "jsonrpc", "\"2.0\"", 5);
	if (query->usual || !query->id_text)
		pr_int(out, "id", query->id);
	else
		pr_raw(out, "id", query->id_text, query->id_size);
}
