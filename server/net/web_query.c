/* Web query: see web_query.h. */
#include "server/net/web_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/doc.h"
#include "proto/out.h"
#include "server/net/web_reply.h"

enum { VALUE_ROOM = 20000 /* of a parameter: a record of moves is the longest */ };

static const char opening[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fact.probe\",\"params\":{\"positions\":";

/* --- questions ---------------------------------------------------------------------------- */

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Reads a value of a query string into VALUE_ROOM bytes; SIZE_MAX when it cannot be read. */
static size_t decode(struct nt_piece text, char *out)
{
	size_t size = 0;
	for (size_t i = 0; i < text.size; i++) {
		char c = text.at[i];
		if (size == VALUE_ROOM)
			return SIZE_MAX;
		if (c == '+') {
			c = ' ';
		} else if (c == '%') {
			int high = i + 2 < text.size ? digit(text.at[i + 1]) : -1,
			    low = high < 0 ? -1 : digit(text.at[i + 2]);
			if (low < 0)
				return SIZE_MAX;
			c = (char)(high << 4 | low);
			i += 2;
		}
		out[size++] = c;
	}
	return size;
}

/* Prints the members of `params`; PD_E_PARAMS. */
static int read_query(struct nt_piece query, struct pr_out *out, struct pd_fail *fail)
{
	static const char *const names[] = {"game", "position", "moves", "notation"};
	char value[VALUE_ROOM];
	unsigned seen = 0;
	while (query.size) {
		struct nt_piece text = nt_piece_cut(&query, '&'), name = nt_piece_cut(&text, '=');
		unsigned i = 0;
		if (!name.size && !text.size)
			continue;
		while (i < sizeof names / sizeof *names && !nt_piece_is(name, names[i]))
			i++;
		if (i == sizeof names / sizeof *names)
			return pd_fail_set(fail, PD_E_PARAMS, "",
					   "'%.*s' is not known here; /query takes game, position, moves and notation",
					   (int)(name.size < 40 ? name.size : 40), name.at);
		size_t size = decode(text, value);
		if (size == SIZE_MAX || (seen & 1u << i))
			return pd_fail_set(fail, PD_E_PARAMS, names[i], "'%s' %s", names[i],
					   size == SIZE_MAX ? "is too long, or has a % without two hexadecimal digits"
							    : "stands there twice");
		seen |= 1u << i;
		pr_strn(out, names[i], value, size);
	}
	return PD_OK;
}

/* True when the bytes are an array, and nothing stands behind it, as far as brackets and quotation marks tell: what is
 * put around it cannot be ended by it. */
static bool is_array(struct nt_piece text)
{
	size_t depth = 0, i = 0;
	bool inside = false;
	while (i < text.size && strchr(" \t\r\n", text.at[i]) && text.at[i])
		i++;
	if (i == text.size || text.at[i] != '[')
		return false;
	for (; i < text.size; i++) {
		char c = text.at[i];
		if (inside) {
			i += c == '\\';
			inside = c != '"';
		} else if (c == '"') {
			inside = true;
		} else if (c == '[' || c == '{') {
			depth++;
		} else if ((c == ']' || c == '}') && !--depth) {
			break;
		}
	}
	if (i >= text.size)
		return false;
	for (i++; i < text.size; i++)
		if (!text.at[i] || !strchr(" \t\r\n", text.at[i]))
			return false;
	return true;
}

static void ask(struct nt_conn *conn, struct pd_buf *line, enum nt_web_wait wait)
{
	PD_ASSERT(nt_web_client(conn)->wait == NT_WEB_NOTHING && !conn->waits);
	if (line->failed) {
		nt_web_refuse(conn, 503, NULL, "no memory for the request");
		return;
	}
	PD_ASSERT(line->size < PR_LINE_MAX);
	nt_web_client(conn)->wait = wait;
	conn->waits = true;
	sv_session_line(conn->session, line->data, line->size);
}

void nt_web_query(struct nt_conn *conn, const struct nt_head *head, struct nt_piece body)
{
	struct pd_buf line;
	struct pr_out out;
	struct pd_fail fail;
	pd_buf_init(&line, PR_LINE_MAX);
	pd_buf_puts(&line, opening);
	if (!nt_piece_is(head->method, "POST")) {
		pd_buf_puts(&line, "[");
		pr_out_init(&out, &line);
		pr_open_object(&out, NULL);
		int rc = read_query(head->query, &out, &fail);
		pr_close(&out);
		pd_buf_puts(&line, "]}}");
		rc = rc ? rc : pr_out_check(&out, &fail);
		if (rc)
			nt_web_fail(conn, 400, &fail);
		else
			ask(conn, &line, NT_WEB_ANSWER);
	} else if (!is_array(body)) {
		pd_fail_set(&fail, PD_E_PARSE, "", "the body is an array: [{\"game\":...,\"position\":...},...]");
		nt_web_fail(conn, 400, &fail);
	} else {
		pd_buf_put(&line, body.at, body.size);
		pd_buf_puts(&line, "}}");
		ask(conn, &line, NT_WEB_ANSWERS);
	}
	pd_buf_fini(&line);
}

/* --- answers ------------------------------------------------------------------------------ */

static unsigned status_of(int code)
{
	static const struct {
		int code;
		unsigned status;
	} statuses[] = {
		{PD_E_PARSE, 400},     {PD_E_REQUEST, 400}, {PD_E_PARAMS, 400},      {PD_E_GAME, 400},
		{PD_E_POSITION, 400},  {PD_E_MOVE, 400},    {PD_E_UNSUPPORTED, 400}, {PD_E_FORBIDDEN, 401},
		{PD_E_NOT_FOUND, 404}, {PD_E_LIMIT, 429},   {PD_E_NO_MEMORY, 503},   {PD_E_BUSY, 503},
		{PD_E_SHUTDOWN, 503},
	};
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (statuses[i].code == code)
			return statuses[i].status;
	return 500;
}

/* Reads an error reply; the status for it. */
static unsigned read_error(const char *line, size_t size, bool one, struct pd_fail *fail)
{
	static const char list[] = "positions", only[] = "positions[0].";
	struct pr_doc *doc;
	if (pr_doc_parse(line, size, &doc, fail))
		return 503;
	pr_ref error = pr_get(pr_doc_root(doc), "error");
	const char *field = pr_get_str(pr_get(error, "data"), "field", "");
	int code = (int)pr_get_int(error, "code", PD_E_INTERNAL);
	/* What is asked has no name of its own here. */
	if (one && !strncmp(field, only, sizeof only - 1))
		field += sizeof only - 1;
	else if (!strncmp(field, list, sizeof list - 1))
		field += sizeof list - 1;
	pd_fail_set(fail, (enum pd_error)code, field, "%s", pr_get_str(error, "message", ""));
	/* Without an id it never was a call. Of the limits of calls, the one of requests a second has no field. */
	bool called = pr_get_int(pr_doc_root(doc), "id", 0), named = *pr_get_str(pr_get(error, "data"), "field", "");
	unsigned status = code != PD_E_LIMIT ? status_of(code) : !called ? 400 : named ? 413 : 429;
	pr_doc_free(doc);
	return status;
}

unsigned nt_web_query_status(const char *line, size_t size)
{
	struct pd_fail fail;
	return read_error(line, size, true, &fail);
}

void nt_web_query_answer(struct nt_conn *conn, const char *line, size_t size)
{
	static const char before[] = "{\"answers\":", error[] = "{\"error\":{\"code\":";
	struct nt_web_client *client = nt_web_client(conn);
	bool one = client->wait == NT_WEB_ANSWER;
	struct nt_web_reply reply = {200, "application/json", NULL, NULL, 0};
	struct pd_fail fail;
	PD_ASSERT(one || client->wait == NT_WEB_ANSWERS);
	client->wait = NT_WEB_NOTHING;
	conn->waits = false;
	if (!pr_reply_result(line, size, &reply.body, &reply.size)) {
		unsigned status = read_error(line, size, one, &fail);
		if (status == 401)
			client->token_size = 0; /* the token is one no more */
		nt_web_fail(conn, status, &fail);
		return;
	}
	PD_ASSERT(reply.size > sizeof before + 2 && !memcmp(reply.body, before, sizeof before - 1));
	reply.body += sizeof before - 1; /* the array */
	reply.size -= sizeof before;
	if (one) {
		reply.body++;
		reply.size -= 2;
	}
	if (one && reply.size > sizeof error && !memcmp(reply.body, error, sizeof error - 1))
		reply.status = status_of(atoi(reply.body + sizeof error - 1));
	nt_web_reply(conn, &reply);
}
