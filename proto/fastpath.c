/* Fast path: see fastpath.h. One pass from left to right. The texts hold no escapes, so their ends are the next
 * quotes. */
#include "proto/fastpath.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/fastpath_any.h"
#include "proto/fastpath_scan.h"
#include "proto/members.h"
#include "proto/methods.h"

static bool read_usual(const char *line, size_t size, struct pr_fastpath *out)
{
	struct pr_scan s = {line, line + size};
	const char *text;
	size_t length;
	if (!PR_SCAN(&s, "{") || !PR_SCAN(&s, "\"jsonrpc\"") || !PR_SCAN(&s, ":") || !PR_SCAN(&s, "\"2.0\"") ||
	    !PR_SCAN(&s, ",") || !PR_SCAN(&s, "\"id\"") || !PR_SCAN(&s, ":") || !pr_scan_integer(&s, &out->id) ||
	    !PR_SCAN(&s, ",") || !PR_SCAN(&s, "\"method\"") || !PR_SCAN(&s, ":") || !PR_SCAN(&s, "\"fact.query\"") ||
	    !PR_SCAN(&s, ",") || !PR_SCAN(&s, "\"params\"") || !PR_SCAN(&s, ":") || !PR_SCAN(&s, "{") ||
	    !PR_SCAN(&s, "\"game\"") || !PR_SCAN(&s, ":") || !pr_scan_text(&s, PR_FAST_GAME - 1, &text, &length) ||
	    !length || !PR_SCAN(&s, ","))
		return false;
	memcpy(out->game, text, length);
	out->game[length] = 0;
	out->many = false;
	out->count = 0;
	if (PR_SCAN(&s, "\"position\"")) {
		if (!PR_SCAN(&s, ":") || !pr_scan_text(&s, PR_FAST_TEXT - 1, &out->next, &length))
			return false;
		out->count = 1;
	} else {
		out->many = true;
		if (!PR_SCAN(&s, "\"positions\"") || !PR_SCAN(&s, ":") ||
		    !pr_scan_list(&s, 1, PR_POSITIONS_MAX, PR_FAST_TEXT - 1, &out->next, &out->count))
			return false;
	}
	PD_ASSERT(out->count && out->count <= PR_POSITIONS_MAX && out->next);
	out->left = out->count;
	if (!PR_SCAN(&s, "}") || !PR_SCAN(&s, "}"))
		return false;
	pr_scan_blanks(&s);
	out->usual = true;
	return s.p == s.end;
}

bool pr_fastpath_read(const char *line, size_t size, struct pr_fastpath *out)
{
	return read_usual(line, size, out) || pr_fastpath_read_any(line, size, out);
}

/* Copies a text of the line; returns where its closing quote is. */
static const char *copy_text(const char *p, char *text)
{
	while (*p != '"')
		*text++ = *p++;
	*text = 0;
	return p;
}

/* The text behind that closing quote. */
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
