#include "server/net/site.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/doc.h"
#include "proto/out.h"
#include "server/net/conn_out.h"
#include "server/net/site_chess.h"
#include "server/net/site_page.h"
#include "server/net/web_query.h"
#include "server/net/web_reply.h"

#define POLICY                                                                                                         \
	"Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "             \
	"form-action 'none'; frame-ancestors 'none'\r\n"

enum {
	PAGE_MAX = 4 << 20,  /* bytes of a page */
	ROBOTS_S = 86400,    /* that caches may keep robots.txt */
	PIECE_MAX = 1 << 18, /* bytes of a certificate in a tick: 2.5 MiB a second */
	HEAD_ROOM = 400
};

static const struct nt_query_name no_names[] = {{NULL, NULL}};
static const struct nt_query_name proof_names[] = {{"proof", "proof"}, {NULL, NULL}};
static const struct nt_query_name fen_names[] = {{"fen", "position"}, {NULL, NULL}};

/* A path of the site. */
struct route {
	const char *path;
	enum pr_method method;
	const struct nt_query_name *names; /* its parameters */
	sv_completed *done;
	const char *more; /* further members of the parameters, as JSON; NULL: none */
	const char *game; /* of a path for one game; NULL: none */
};

/* --- answers ------------------------------------------------------------------------------- */

/* Answers with an error; where the game is that of the path, a position is its parameter `fen`. */
static void answer_error(struct nt_conn *conn, unsigned status, const struct pd_fail *why, bool fen)
{
	struct pd_fail fail = *why;
	nt_query_own_names(&fail, true);
	if (fen && !strcmp(fail.field, "position"))
		strcpy(fail.field, "fen");
	nt_web_fail(conn, status, &fail);
}

/* The same, with the error in an answer of fact.probe. */
static void answer_wrong(struct nt_conn *conn, int code, pr_ref error, bool fen)
{
	struct pd_fail fail;
	pd_fail_set(&fail, (enum pd_error)code, pr_get_str(error, "field", ""), "%s", pr_get_str(error, "message", ""));
	answer_error(conn, nt_web_status(code), &fail, fen);
}

/* Ends the request in work. False if it is over already or the call failed, in which case the error is the answer. */
static bool begin_answer(struct nt_conn *conn, const struct sv_result *result, bool fen)
{
	if (result->ended)
		return false;
	PD_ASSERT(conn->frame.waits);
	conn->frame.waits = false;
	nt_conn_touch(conn);
	if (result->fail)
		answer_error(conn, nt_web_query_status(result), result->fail, fen);
	return result->json != NULL;
}

/* The text of a result as a document; NULL: there was no memory, and the connection ends. */
static struct pr_doc *read_result(struct nt_conn *conn, const char *text, size_t size)
{
	struct pr_doc *doc = NULL;
	struct pd_fail fail;
	conn->broken = conn->broken || pr_doc_parse(text, size, &doc, &fail);
	return doc;
}

static void send_page(struct nt_conn *conn, struct nt_site_page *page, unsigned keep_s)
{
	conn->broken = conn->broken || page->html.failed;
	if (!conn->broken)
		nt_web_cached(conn,
			      &(struct nt_web_reply){200, "text/html; charset=utf-8", POLICY, page->html.data,
						     page->html.size},
			      keep_s);
	pd_buf_fini(&page->html);
}

static void answer_page(struct nt_conn *conn, const struct sv_result *result,
			void (*print)(struct nt_site_page *page, pr_ref result))
{
	const struct nt_config *config = nt_web_client(conn)->web->config;
	struct nt_site_page page = {.host = config->http_name_count ? config->http_names[0] : NULL};
	const struct sv_answers *answers = &result->answers;
	if (!begin_answer(conn, result, false))
		return;
	bool one = answers->size; /* the answer to one position is its page */
	struct pr_doc *doc = one ? read_result(conn, result->json + answers->at + 1, answers->size - 2)
				 : read_result(conn, result->json, result->size);
	if (!doc)
		return;
	pd_buf_init(&page.html, PAGE_MAX);
	if (one && answers->code) {
		answer_wrong(conn, answers->code, pr_get(pr_doc_root(doc), "error"), false);
	} else {
		print(&page, pr_doc_root(doc));
		send_page(conn, &page, answers->exact ? NT_KEEP_PROVED_S : NT_KEEP_S);
	}
	pr_doc_free(doc);
}

static void complete_games(void *ctx, const struct sv_result *result)
{
	answer_page(ctx, result, nt_site_games);
}

static void complete_position(void *ctx, const struct sv_result *result)
{
	answer_page(ctx, result, nt_site_position);
}

static void complete_results(void *ctx, const struct sv_result *result)
{
	answer_page(ctx, result, nt_site_results);
}

static void complete_result(void *ctx, const struct sv_result *result)
{
	answer_page(ctx, result, nt_site_result);
}

static void complete_board(void *ctx, const struct sv_result *result)
{
	struct nt_conn *conn = ctx;
	if (!begin_answer(conn, result, false))
		return;
	struct pr_doc *doc = read_result(conn, result->json, result->size);
	if (!doc)
		return;
	const char *svg = pr_get_str(pr_doc_root(doc), "svg", NULL);
	if (svg) /* a picture of a position never changes */
		nt_web_cached(conn,
			      &(struct nt_web_reply){200, "image/svg+xml",
						     "Content-Security-Policy: default-src 'none'; "
						     "style-src 'unsafe-inline'\r\n",
						     svg, strlen(svg)},
			      NT_KEEP_PROVED_S);
	else
		nt_web_say(conn, 404, "this game has no picture");
	pr_doc_free(doc);
}

static void complete_chess(void *ctx, const struct sv_result *result)
{
	struct nt_conn *conn = ctx;
	struct pd_buf body;
	struct pr_out out;
	if (!begin_answer(conn, result, true))
		return;
	struct pr_doc *doc = read_result(conn, result->json, result->size);
	if (!doc)
		return;
	pr_ref answers = pr_get(pr_doc_root(doc), "answers");
	pd_buf_init(&body, PAGE_MAX);
	pr_out_init(&out, &body);
	if (result->answers.code) {
		answer_wrong(conn, result->answers.code, pr_get(pr_at(answers, 0), "error"), true);
	} else {
		nt_site_chess(&out, pr_at(answers, 0), pr_at(answers, 1));
		conn->broken = conn->broken || body.failed;
		if (!conn->broken)
			nt_web_cached(conn, &(struct nt_web_reply){200, "application/json", NULL, body.data, body.size},
				      NT_KEEP_S);
	}
	pd_buf_fini(&body);
	pr_doc_free(doc);
}

/* --- certificates -------------------------------------------------------------------------- */

static int decode_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = memchr(digits, c, sizeof digits - 1);
	return at ? (int)(at - digits) : 0;
}

/* Sends bytes that are given in base64, with its padding. */
static void put_base64(struct nt_conn *conn, const char *text, size_t bytes)
{
	char out[3072];
	size_t n = 0;
	for (size_t i = 0; bytes; i += 4) {
		uint32_t bits = 0;
		for (unsigned k = 0; k < 4; k++)
			bits = bits << 6 | (uint32_t)decode_digit(text[i + k]);
		for (unsigned k = 0; k < 3 && bytes; k++, bytes--)
			out[n++] = (char)(bits >> (16 - 8 * k));
		if (n == sizeof out || !bytes) {
			nt_conn_put(conn, out, n);
			n = 0;
		}
	}
}

/* The head before the first piece. `bytes`: of the whole file. */
static void begin_file(struct nt_conn *conn, uint64_t bytes)
{
	struct nt_web_client *client = nt_web_client(conn);
	char more[HEAD_ROOM];
	bool keep = client->keep;
	snprintf(more, sizeof more,
		 "Content-Type: application/octet-stream\r\nContent-Length: %llu\r\nCache-Control: public, "
		 "max-age=%d\r\n"
		 "Content-Disposition: attachment; filename=\"%s.cert\"\r\n",
		 (unsigned long long)bytes, (int)NT_KEEP_PROVED_S, client->visit.file);
	client->keep = true; /* the connection goes on while it is sent */
	nt_web_reply(conn, &(struct nt_web_reply){.status = 200, .more = more});
	client->keep = keep;
}

static void end_file(struct nt_conn *conn)
{
	struct nt_web_client *client = nt_web_client(conn);
	*client->visit.file = 0;
	conn->frame.waits = false;
	client->since_ns = conn->in.heard_ns;
	if (!client->keep)
		nt_conn_end(conn);
	nt_conn_touch(conn);
}

static void complete_piece(void *ctx, const struct sv_result *result)
{
	struct nt_conn *conn = ctx;
	if (result->ended)
		return;
	struct nt_web_client *client = nt_web_client(conn);
	struct nt_web_visit *visit = &client->visit;
	struct pr_doc *doc = result->json ? read_result(conn, result->json, result->size) : NULL;
	uint64_t bytes = doc ? (uint64_t)pr_get_int(pr_doc_root(doc), "bytes", 0) : 0;
	size_t size = doc ? (size_t)pr_get_int(pr_doc_root(doc), "size", 0) : 0;
	visit->asked = false;
	if (!visit->at && result->fail) {
		*visit->file = 0;
		begin_answer(conn, result, false);
		return;
	}
	if (result->fail && (result->fail->code == PD_E_BUSY || result->fail->code == PD_E_LIMIT))
		return;                               /* it is asked for again */
	conn->broken = conn->broken || !doc || !size; /* the rest is gone */
	if (!visit->at)
		begin_file(conn, bytes);
	if (!client->bodiless && !conn->broken)
		put_base64(conn, pr_get_str(pr_doc_root(doc), "data", ""), size);
	visit->at += size;
	pr_doc_free(doc);
	if (visit->at >= bytes || client->bodiless || conn->broken)
		end_file(conn);
}

void nt_site_send_more(struct nt_conn *conn)
{
	struct nt_web_visit *visit = &nt_web_client(conn)->visit;
	char params[120];
	nt_web_client(conn)->since_ns = conn->in.heard_ns = pd_now_ns();
	if (visit->asked || nt_conn_queued(conn) > PIECE_MAX || !conn->session)
		return;
	int size = snprintf(params, sizeof params, "{\"proof\":\"%s\",\"offset\":%llu,\"size\":%d}", visit->file,
			    (unsigned long long)visit->at, (int)PIECE_MAX);
	PD_ASSERT(size > 0 && (size_t)size < sizeof params);
	visit->asked = true;
	sv_call_text(conn->session, PR_PROOF_READ, &(struct sv_text){params, (size_t)size, NULL}, complete_piece, conn);
}

static void serve_certificate(struct nt_conn *conn, struct nt_piece query)
{
	struct nt_web_visit *visit = &nt_web_client(conn)->visit;
	struct nt_piece value = query, name = nt_piece_cut(&value, '=');
	bool good = nt_piece_is(name, "proof") && value.size == 32;
	for (size_t i = 0; good && i < value.size; i++)
		good = strchr("0123456789abcdef", value.at[i]) && value.at[i];
	if (!good) {
		struct pd_fail fail;
		pd_fail_set(&fail, PD_E_PARAMS, "proof", "/certificate takes proof=NAME, with a name of /results");
		nt_web_fail(conn, 400, &fail);
		return;
	}
	memcpy(visit->file, value.at, value.size);
	conn->frame.waits = true;
	nt_site_send_more(conn);
}

/* --- requests ------------------------------------------------------------------------------ */

static const struct route routes[] = {
	{"/", PR_GAME_LIST, no_names, complete_games, NULL, NULL},
	{"/position", PR_FACT_PROBE, nt_query_position, complete_position, NULL, NULL},
	{"/board.svg", PR_POSITION_SHOW, nt_query_position, complete_board, ",\"svg\":true}", NULL},
	{"/results", PR_PROOF_LIST, no_names, complete_results, NULL, NULL},
	{"/result", PR_PROOF_CITE, proof_names, complete_result, NULL, NULL},
	{"/standard", PR_FACT_PROBE, fen_names, complete_chess, NULL, "chess-mate"},
	{"/antichess", PR_FACT_PROBE, fen_names, complete_chess, NULL, "antichess"},
	{"/atomic", PR_FACT_PROBE, fen_names, complete_chess, NULL, "chess-variant:atomic"},
};

/* Prints the parameters of the route's call, without the final bracket of an object that `more` completes. */
static int print_params(const struct route *route, struct nt_piece query, struct pd_buf *params, struct pd_fail *fail)
{
	struct pr_out out;
	pr_out_init(&out, params);
	pr_open_object(&out, NULL);
	int rc = nt_query_read(query, route->names, &out, fail);
	if (route->game)
		pr_str(&out, "game", route->game);
	pr_close(&out);
	rc = rc ? rc : pr_out_check(&out, fail);
	if (rc || params->failed)
		return rc ? rc : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the request");
	if (route->more) {
		params->size--;
		pd_buf_puts(params, route->more + (params->size == 1)); /* no comma in an empty object */
	}
	return PD_OK;
}

static void call_route(struct nt_conn *conn, const struct route *route, struct nt_piece query)
{
	struct pd_buf one, params;
	struct pd_fail fail;
	pd_buf_init(&one, PR_LINE_MAX / 3);
	pd_buf_init(&params, PR_LINE_MAX);
	int rc = print_params(route, query, &one, &fail);
	if (!rc && route->game) /* own notation, and SAN */
		pd_buf_printf(&params, "[%s,%.*s,\"notation\":\"san\"}]", one.data, (int)one.size - 1, one.data);
	else if (!rc && route->method == PR_FACT_PROBE)
		pd_buf_printf(&params, "[%s]", one.data);
	else if (!rc)
		pd_buf_put(&params, one.data, one.size);
	if (!rc && params.failed)
		rc = pd_fail_set(&fail, PD_E_LIMIT, "", "the request is too long");
	if (rc) {
		nt_web_fail(conn, rc == PD_E_NO_MEMORY ? 503 : 400, &fail);
	} else {
		conn->frame.waits = true;
		const char *member = route->method == PR_FACT_PROBE ? "positions" : NULL;
		sv_call_text(conn->session, route->method, &(struct sv_text){params.data, params.size, member},
			     route->done, conn);
	}
	pd_buf_fini(&one);
	pd_buf_fini(&params);
}

bool nt_site_serve(struct nt_conn *conn, const struct nt_head *head)
{
	static const char robots[] = "User-agent: *\nDisallow: /query\nDisallow: /rpc\nDisallow: /certificate\n"
				     "Disallow: /standard\nDisallow: /antichess\nDisallow: /atomic\nCrawl-delay: 1\n";
	PD_ASSERT(!conn->frame.waits);
	if (nt_piece_is(head->path, "/robots.txt")) {
		nt_web_cached(conn,
			      &(struct nt_web_reply){200, "text/plain; charset=utf-8", NULL, robots, sizeof robots - 1},
			      ROBOTS_S);
		return true;
	}
	if (nt_piece_is(head->path, "/certificate")) {
		serve_certificate(conn, head->query);
		return true;
	}
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
		if (nt_piece_is(head->path, routes[i].path)) {
			call_route(conn, &routes[i], head->query);
			return true;
		}
	return false;
}
