#include "server/net/web_query.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/out.h"
#include "server/net/web_reply.h"

enum { VALUE_ROOM = 20000 /* bytes of a parameter's value: a record of moves is the longest */ };

static int read_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Decodes a value of a query string into VALUE_ROOM bytes; SIZE_MAX when it is malformed or too long, or has a zero. */
static size_t decode_value(struct nt_piece text, char *out)
{
	size_t size = 0;
	for (size_t i = 0; i < text.size; i++) {
		char c = text.at[i];
		if (size == VALUE_ROOM)
			return SIZE_MAX;
		if (c == '+') {
			c = ' ';
		} else if (c == '%') {
			int high = i + 2 < text.size ? read_digit(text.at[i + 1]) : -1,
			    low = high < 0 ? -1 : read_digit(text.at[i + 2]);
			if (low < 0 || (!high && !low))
				return SIZE_MAX;
			c = (char)(high << 4 | low);
			i += 2;
		}
		out[size++] = c;
	}
	return size;
}

const struct nt_query_name nt_query_position[] = {
	{"game", "game"}, {"position", "position"}, {"moves", "moves"}, {"notation", "notation"}, {NULL, NULL}};

static int refuse_name(struct nt_piece name, const struct nt_query_name *names, struct pd_fail *fail)
{
	char known[100] = "", word[41];
	for (size_t i = 0, at = 0; names[i].name; i++)
		at += (size_t)snprintf(known + at, sizeof known - at, "%s%s",
				       !i                  ? ""
				       : names[i + 1].name ? ", "
							   : " and ",
				       names[i].name);
	snprintf(word, sizeof word, "%.*s", (int)name.size, name.at);
	return pd_fail_set(fail, PD_E_PARAMS, word, "unknown parameter '%s'; this takes %s", word,
			   *known ? known : "no parameters");
}

int nt_query_read(struct nt_piece query, const struct nt_query_name *names, struct pr_out *out, struct pd_fail *fail)
{
	char value[VALUE_ROOM];
	unsigned seen = 0;
	while (query.size) {
		struct nt_piece text = nt_piece_cut(&query, '&'), name = nt_piece_cut(&text, '=');
		unsigned i = 0;
		if (!name.size && !text.size)
			continue;
		while (names[i].name && !nt_piece_is(name, names[i].name))
			i++;
		if (!names[i].name)
			return refuse_name(name, names, fail);
		size_t size = decode_value(text, value);
		if (size == SIZE_MAX || (seen & 1u << i))
			return pd_fail_set(fail, PD_E_PARAMS, names[i].name, "'%s' %s", names[i].name,
					   size == SIZE_MAX
						   ? "is too long, or has %00, or a % without two hexadecimal digits"
						   : "is repeated");
		seen |= 1u << i;
		pr_strn(out, names[i].member, value, size);
	}
	return PD_OK;
}

unsigned nt_web_status(int code)
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

/* PD_E_LIMIT without a field is the limit of requests a second. */
unsigned nt_web_query_status(const struct sv_result *result)
{
	if (result->fail->code != PD_E_LIMIT)
		return nt_web_status(result->fail->code);
	return result->unread ? 400 : *result->fail->field ? 413 : 429;
}

/* Changes the names in an error to those that the client wrote: "[1].game" of several positions, "game" of one. */
static void cut_name(char *text, bool one)
{
	const char *name = one ? "positions[0]." : "positions";
	for (char *at; (at = strstr(text, name)) != NULL;)
		memmove(at, at + strlen(name), strlen(at + strlen(name)) + 1);
}

void nt_query_own_names(struct pd_fail *fail, bool one)
{
	cut_name(fail->field, one);
	cut_name(fail->text, one);
}

static void fail_query(struct nt_conn *conn, const struct sv_result *result, bool one)
{
	struct pd_fail fail = *result->fail;
	unsigned status = nt_web_query_status(result);
	if (status == 401)
		nt_web_client(conn)->token_size = 0; /* the token is no longer valid */
	if (!one && (result->unread || !strcmp(fail.field, "positions")))
		pd_fail_set(&fail, fail.code, "",
			    "the body must be an array of 1 to %d objects with game and position%s%.150s",
			    (int)PR_POSITIONS_MAX, result->unread ? ": " : "",
			    result->unread ? result->fail->text : "");
	nt_query_own_names(&fail, one);
	nt_web_fail(conn, status, &fail);
}

/* Answers the request in work with the answers alone: all of them, or the only one. */
static void complete_query(struct nt_conn *conn, const struct sv_result *result, bool one)
{
	const struct sv_answers *answers = &result->answers;
	PD_ASSERT(conn->frame.waits);
	conn->frame.waits = false;
	nt_conn_touch(conn);
	if (!result->json) {
		fail_query(conn, result, one);
		return;
	}
	PD_ASSERT(answers->size > 2); /* with the brackets */
	const struct nt_web_reply reply = {.status = one && answers->code ? nt_web_status(answers->code) : 200,
					   .type = "application/json",
					   .body = result->json + answers->at + one,
					   .size = answers->size - 2 * one};
	if (nt_web_client(conn)->web->rates && reply.status == 200)
		nt_web_cached(conn, &reply, answers->exact ? NT_KEEP_PROVED_S : NT_KEEP_S);
	else
		nt_web_reply(conn, &reply);
}

static void complete_one(void *ctx, const struct sv_result *result)
{
	if (!result->ended)
		complete_query(ctx, result, true);
}

static void complete_several(void *ctx, const struct sv_result *result)
{
	if (!result->ended)
		complete_query(ctx, result, false);
}

static void call_probe(struct nt_conn *conn, struct nt_piece positions, sv_completed *done)
{
	const struct sv_text params = {positions.at, positions.size, "positions"};
	PD_ASSERT(!conn->frame.waits);
	conn->frame.waits = true;
	sv_call_text(conn->session, PR_FACT_PROBE, &params, done, conn);
}

void nt_web_query(struct nt_conn *conn, const struct nt_head *head, struct nt_piece body)
{
	struct pd_buf list;
	struct pr_out out;
	struct pd_fail fail;
	if (nt_piece_is(head->method, "POST")) {
		call_probe(conn, body, complete_several);
		return;
	}
	pd_buf_init(&list, PR_LINE_MAX);
	pr_out_init(&out, &list);
	pr_open_array(&out, NULL);
	pr_open_object(&out, NULL);
	int rc = nt_query_read(head->query, nt_query_position, &out, &fail);
	pr_close(&out);
	pr_close(&out);
	rc = rc ? rc : pr_out_check(&out, &fail);
	if (rc)
		nt_web_fail(conn, rc == PD_E_NO_MEMORY ? 503 : 400, &fail);
	else
		call_probe(conn, (struct nt_piece){list.data, list.size}, complete_one);
	pd_buf_fini(&list);
}
