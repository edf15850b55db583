/* The door for browsers: what a client sends to --http. The first byte says whether the server has tokens (bit 0) or is
 * public (bit 1); the rest are requests, /query among them, and a WebSocket when one is asked for. In one piece or byte
 * by byte they get the same answers and hand the session the same lines. Whatever a request says, the session is asked
 * for nothing but fact.probe and the role of a token, or on a public server for methods of the role public; and the log
 * is told printable text.
 *
 * The linker leads what the door calls here (tests/CMakeLists.txt): there is no loop and no core. */
#include <string.h>

#include "proto/base/buf.h"
#include "proto/doc.h"
#include "proto/methods.h"
#include "server/net/visitor.h"
#include "server/net/web.h"
#include "server/net/web_client.h"
#include "server/net/websocket.h"
#include "tests/fuzz/fuzz.h"

enum { SHOWN_MAX = 100, TALK_MAX = 64 << 20 };

static struct nt_conns conns;
static struct nt_config config;
static struct nt_web *webs[2], *web; /* public or not */
static struct nt_conn conn;
static const struct nt_framing *begins; /* of a new connection */
static bool ended;
static struct pd_buf answers, lines; /* what the client got; what the session was asked */

bool __wrap_nt_conns_accept(struct nt_conns *all, const struct nt_socket *socket, const struct nt_framing *framing,
			    void *own);
void __wrap_nt_conn_put(void *ctx, const char *data, size_t size);
void __wrap_nt_conn_end(struct nt_conn *of);
void __wrap_nt_conn_leave(struct nt_conn *of);
void __wrap_nt_conn_touch(struct nt_conn *of);
void __wrap_nt_place_look(struct nt_conn *of);
bool __wrap_nt_pages_answer(struct nt_pages *pages, const char *path, struct nt_page *page);
void __wrap_nt_rejection_log(struct nt_log_limit *limits, enum nt_rejection kind, const char *why);
bool __wrap_sv_session_line(struct sv_session *session, const char *line, size_t size);
void __wrap_sv_call_text(struct sv_session *session, enum pr_method method, const struct sv_text *params,
			 sv_completed *done, void *ctx);
int64_t __wrap_pd_wall_ms(void);
void __wrap_sv_rate_count_in(struct sv_session *session, uint64_t *counted_ns);
bool __wrap_sv_rate_allows(struct sv_session *session);

bool __wrap_nt_conns_accept(struct nt_conns *all, const struct nt_socket *socket, const struct nt_framing *framing,
			    void *own)
{
	FUZZ_CHECK(all == &conns && socket->fd < 0);
	begins = framing;
	conn.frame.own = own;
	return true;
}

void __wrap_nt_conn_put(void *ctx, const char *data, size_t size)
{
	static const char on[] = "HTTP/1.1 100 Continue\r\n\r\n"; /* a body that has come already is not asked for */
	FUZZ_CHECK(ctx == &conn);
	if (size != sizeof on - 1 || memcmp(data, on, size) != 0)
		pd_buf_put(&answers, data, size);
}

void __wrap_nt_conn_end(struct nt_conn *of)
{
	FUZZ_CHECK(of == &conn);
	ended = true;
	conn.state = NT_DRAINING;
}

/* A WebSocket that its client closes: the session is asked nothing from there on. */
void __wrap_nt_conn_leave(struct nt_conn *of)
{
	FUZZ_CHECK(conn.session && nt_web_client(of)->socket);
	conn.session = NULL;
	__wrap_nt_conn_end(of);
}

void __wrap_nt_conn_touch(struct nt_conn *of)
{
	FUZZ_CHECK(of == &conn);
}

void __wrap_nt_place_look(struct nt_conn *of)
{
	FUZZ_CHECK(of == &conn && of->session);
}

bool __wrap_nt_pages_answer(struct nt_pages *pages, const char *path, struct nt_page *page)
{
	FUZZ_CHECK(!pages);
	*page = (struct nt_page){200, "text/plain", {0}};
	pd_buf_init(&page->body, NT_PAGE_MAX);
	pd_buf_puts(&page->body, path);
	return true;
}

void __wrap_nt_rejection_log(struct nt_log_limit *limits, enum nt_rejection kind, const char *why)
{
	FUZZ_CHECK(limits == conns.rejections && (kind == NT_REJECTED_HOST || kind == NT_REJECTED_ORIGIN));
	FUZZ_CHECK(why && strlen(why) <= SHOWN_MAX);
	for (; *why; why++)
		FUZZ_CHECK(*why > ' ' && *why < 0x7f);
}

void __wrap_sv_rate_count_in(struct sv_session *session, uint64_t *counted_ns)
{
	FUZZ_CHECK(session == conn.session && (!counted_ns || counted_ns - web->rates < NT_VISITORS));
}

bool __wrap_sv_rate_allows(struct sv_session *session)
{
	FUZZ_CHECK(session == conn.session);
	return true;
}

int64_t __wrap_pd_wall_ms(void)
{
	return 0;
}

/* What a session is asked, for comparison; whether it answers well depends on the text. */
static bool note_text(struct sv_session *session, const char *text, size_t size)
{
	unsigned sum = 0;
	FUZZ_CHECK(session == conn.session && size < PR_LINE_MAX);
	pd_buf_put(&lines, text, size);
	pd_buf_put(&lines, "\n", 1);
	for (size_t i = 0; i < size; i++)
		sum += (uint8_t)text[i];
	return sum % 4;
}

/* What the session is asked for a request: one call, which the request chooses the values of, and nothing else. Answers
 * at once. */
void __wrap_sv_call_text(struct sv_session *session, enum pr_method method, const struct sv_text *params,
			 sv_completed *done, void *ctx)
{
	static const char answers_text[] = "{\"answers\":[{\"category\":\"draw\"}]}",
			  other_text[] = "{\"bytes\":6,\"size\":3,\"data\":\"YWJj\",\"svg\":\"<svg/>\"}";
	bool login = method == PR_HELLO, probe = method == PR_FACT_PROBE, read = method == PR_PROOF_READ;
	const char *good = probe ? answers_text : other_text;
	struct pr_doc *doc;
	struct pd_fail fail;
	FUZZ_CHECK(ctx == &conn && conn.frame.waits && !nt_web_client(&conn)->socket);
	FUZZ_CHECK(probe ? !strcmp(params->member, "positions") : !params->member);
	FUZZ_CHECK(probe || (web->rates ? pr_method_info(method)->role == PR_ROLE_PUBLIC : login));
	if (!pr_doc_parse(params->at, params->size, &doc, &fail)) { /* else the session says so */
		pr_ref root = pr_doc_root(doc);
		FUZZ_CHECK(!login || (pr_count(root) == 1 && pr_kind_of(pr_get(root, "token")) == PR_STRING));
		pr_doc_free(doc);
	}
	pd_fail_set(&fail, PD_E_PARAMS, "positions[0].game", "parameter 'positions[0].game' is wrong");
	if (note_text(session, params->at, params->size) || read)
		done(ctx,
		     &(struct sv_result){.json = good,
					 .size = strlen(good),
					 .answers = {.at = probe ? sizeof "{\"answers\":" - 1 : 0,
						     .size = probe ? strlen(good) + 1 - sizeof "{\"answers\":}" : 0}});
	else
		done(ctx, &(struct sv_result){.fail = &fail});
}

/* A message of a WebSocket. */
bool __wrap_sv_session_line(struct sv_session *session, const char *line, size_t size)
{
	static const char good[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
			  bad[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}\n";
	FUZZ_CHECK(nt_web_client(&conn)->socket && nt_ws_is_text(line, size));
	bool well = note_text(session, line, size);
	conn.framing->send(&conn, well ? good : bad, (well ? sizeof good : sizeof bad) - 1);
	return true;
}

/* --- a connection --------------------------------------------------------------------------- */

static void open_connection(bool tokens)
{
	static int session;
	memset(&conn, 0, sizeof conn);
	ended = false;
	config.token_file = tokens ? "tokens" : NULL;
	FUZZ_CHECK(nt_web_accept(web, -1, false) && conn.frame.own);
	conn.conns = &conns;
	conn.framing = begins;
	conn.session = (struct sv_session *)&session; /* only compared */
}

static void close_connection(void)
{
	conn.framing->free(&conn);
	pd_buf_fini(&conn.in.buf);
}

/* Some more bytes come, as to conn.c; what is left over is kept, in memory of just that size. */
static void feed(const char *data, size_t size, char **left, size_t *kept)
{
	char *all = malloc(*kept + size);
	size_t at = 0, end = *kept + size;
	FUZZ_CHECK(all);
	if (*kept)
		memcpy(all, *left, *kept);
	memcpy(all + *kept, data, size);
	free(*left);
	while (at < end && !ended && !conn.broken) {
		bool little = true;
		FUZZ_CHECK(conn.frame.scanned <= end - at);
		size_t taken = conn.framing->take(&conn, all + at, end - at, &little);
		while (conn.frame.waits && !conn.broken) /* a certificate comes in pieces */
			conn.framing->late(&conn, 0);
		FUZZ_CHECK(taken <= end - at && !conn.frame.waits);
		if (!taken)
			break;
		at += taken;
	}
	*kept = end - at;
	*left = malloc(*kept + !*kept);
	FUZZ_CHECK(*left);
	memcpy(*left, all + at, *kept);
	free(all);
}

/* All bytes, `step` at a time; gives what was said on both sides. */
static void talk(bool tokens, const char *data, size_t size, size_t step)
{
	char *left = NULL;
	size_t kept = 0;
	pd_buf_init(&answers, TALK_MAX);
	pd_buf_init(&lines, TALK_MAX);
	open_connection(tokens);
	for (size_t at = 0; at < size && !ended && !conn.broken; at += step)
		feed(data + at, step < size - at ? step : size - at, &left, &kept);
	FUZZ_CHECK(!conn.broken && !answers.failed && !lines.failed);
	if (conn.framing->bye && ended)
		conn.framing->bye(&conn); /* with the code */
	close_connection();
	free(left);
}

static bool are_same(const struct pd_buf *a, const struct pd_buf *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

FUZZ(web)
{
	if (!size)
		return 0;
	if (!webs[0]) {
		config.http_names[config.http_name_count++] = "proofs.example";
		config.public.origins[config.public.origin_count++] = "https://other.example";
		webs[0] = nt_web_new(&conns, NULL, &config);
		config.public.on = true;
		webs[1] = nt_web_new(&conns, NULL, &config);
		FUZZ_CHECK(webs[0] && webs[1]);
	}
	web = webs[data[0] >> 1 & 1];
	bool tokens = (data[0] & 1) && !web->rates;
	talk(tokens, (const char *)data + 1, size - 1, size);
	struct pd_buf answers_whole = answers, lines_whole = lines;
	talk(tokens, (const char *)data + 1, size - 1, 1);
	FUZZ_CHECK(are_same(&answers, &answers_whole));
	FUZZ_CHECK(are_same(&lines, &lines_whole));
	pd_buf_fini(&answers);
	pd_buf_fini(&lines);
	pd_buf_fini(&answers_whole);
	pd_buf_fini(&lines_whole);
	return 0;
}
