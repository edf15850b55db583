#include "server/net/web.h"

#include <strings.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/out.h"
#include "server/net/conn_out.h"
#include "server/net/places.h"
#include "server/net/site.h"
#include "server/net/visitor.h"
#include "server/net/web_query.h"
#include "server/net/web_reply.h"
#include "server/net/web_socket.h"

enum { PATH_ROOM = 64, SHOWN_MAX = 100, LOGIN_ROOM = 4096 };

/* --- foreign pages ------------------------------------------------------------------------ */

/* `said`: for the log. */
static void reject_request(struct nt_conn *conn, enum nt_rejection kind, struct nt_piece said, const char *message)
{
	char shown[SHOWN_MAX + 1];
	size_t size = said.size < SHOWN_MAX ? said.size : SHOWN_MAX;
	for (size_t i = 0; i < size; i++)
		shown[i] = (char)(said.at[i] > ' ' && said.at[i] < 0x7f ? said.at[i] : '?');
	shown[size] = 0;
	conn->conns->total.rejected++;
	nt_rejection_log(conn->conns->rejections, kind, shown);
	nt_web_client(conn)->keep = false;
	nt_web_refuse(conn, 403, NULL, message);
}

static bool is_our_name(const struct nt_conn *conn, struct nt_piece host)
{
	const struct nt_config *config = nt_web_client(conn)->web->config;
	struct nt_piece name = nt_host_name(host);
	if (!config)
		return conn->stream.type != UV_TCP || !host.size || nt_host_is_own(host);
	for (unsigned i = 0; i < config->http_name_count; i++)
		if (strlen(config->http_names[i]) == name.size &&
		    !strncasecmp(config->http_names[i], name.at, name.size))
			return true;
	return nt_host_is_own(host);
}

/* Whether the origin of a web page is the host of the request. A proxy has spoken TLS for a public server. */
static bool is_our_origin(const struct nt_conn *conn, const struct nt_head *head)
{
	bool proxied = nt_web_client(conn)->web->rates && head->origin.size > 5 && head->origin.at[4] == 's';
	const char *scheme = conn->tls || proxied ? "https://" : "http://";
	size_t size = strlen(scheme);
	return head->origin.size == size + head->host.size && !strncasecmp(head->origin.at, scheme, size) &&
	       !strncasecmp(head->origin.at + size, head->host.at, head->host.size);
}

/* Whether a browser asks for a page of another origin; following a link to here is allowed. */
static bool is_fetched_from_elsewhere(const struct nt_head *head)
{
	return head->site.at && !nt_piece_is(head->site, "same-origin") && !nt_piece_is(head->site, "none") &&
	       !nt_piece_is(head->mode, "navigate");
}

static bool is_permitted(struct nt_conn *conn, const struct nt_head *head)
{
	const struct nt_web_client *client = nt_web_client(conn);
	bool named = !head->host.at || is_our_name(conn, head->host);
	bool elsewhere = !client->web->rates && !head->origin.at && is_fetched_from_elsewhere(head);
	bool ours = !elsewhere &&
		    (!head->origin.at || client->visit.origin || (head->host.at && is_our_origin(conn, head)));
	if (!named)
		reject_request(conn, NT_REJECTED_HOST, head->host,
			       "use an address, localhost or a name of proofd --http-name");
	else if (!ours)
		reject_request(conn, NT_REJECTED_ORIGIN, elsewhere ? head->site : head->origin,
			       "this server does not answer web pages of other origins");
	return named && ours;
}

/* --- tokens ------------------------------------------------------------------------------- */

/* The token of a request; size 0: none. */
static struct nt_piece find_token(const struct nt_head *head)
{
	static const char scheme[] = "Bearer ";
	struct nt_piece given = head->authorization;
	size_t size = sizeof scheme - 1;
	if (given.size <= size || strncasecmp(given.at, scheme, size) != 0)
		return (struct nt_piece){0};
	return (struct nt_piece){given.at + size, given.size - size};
}

static void complete_login(void *ctx, const struct sv_result *result)
{
	struct nt_conn *conn = ctx;
	if (result->ended)
		return;
	struct nt_web_client *client = nt_web_client(conn);
	client->known = result->json != NULL;
	client->denied = client->known ? 0 : nt_web_query_status(result) == 429 ? 429 : 401;
	conn->frame.waits = false;
	nt_conn_touch(conn);
}

/* Shows the session a token. The request waits for the answer, which is delayed for a wrong one. */
static void log_in(struct nt_conn *conn, struct nt_piece token)
{
	struct nt_web_client *client = nt_web_client(conn);
	struct pd_buf params;
	struct pr_out out;
	PD_ASSERT(!conn->frame.waits && token.size <= NT_WEB_TOKEN_MAX);
	pd_buf_init(&params, LOGIN_ROOM);
	pr_out_init(&out, &params);
	pr_open_object(&out, NULL);
	pr_strn(&out, "token", token.at, token.size);
	pr_close(&out);
	client->shown = true;
	client->token_size = 0;
	conn->frame.waits = true;
	if (params.failed)
		conn->broken = true;
	else
		sv_call_text(conn->session, PR_HELLO, &(struct sv_text){params.data, params.size, NULL}, complete_login,
			     conn);
	if (client->known) { /* the answer has come */
		memcpy(client->token, token.at, token.size);
		client->token_size = token.size;
	}
	pd_buf_fini(&params);
}

static void refuse_token(struct nt_conn *conn, unsigned status)
{
	if (status == 429)
		nt_web_refuse(conn, 429, NULL, "too many requests a second (proofd --rate)");
	else
		nt_web_refuse(conn, 401, "WWW-Authenticate: Bearer\r\nCache-Control: no-store\r\n",
			      "send \"Authorization: Bearer TOKEN\" with a token of proofd --token-file");
}

enum admission { ADMITTED, ANSWERED, WAITS };

/* Whether the session has the role of the request's token. `needed`: there must be one. */
static enum admission admit_request(struct nt_conn *conn, const struct nt_head *head, bool needed)
{
	struct nt_web_client *client = nt_web_client(conn);
	struct nt_piece token = find_token(head);
	if (!client->web->config || !client->web->config->token_file)
		return ADMITTED;
	if (!token.size && !needed && !client->shown)
		return ADMITTED;
	bool same = token.size && token.size == client->token_size && !memcmp(token.at, client->token, token.size);
	/* For a request that makes no call of the session, the token is checked again. */
	if (same && (client->known || nt_piece_is(head->path, "/query") || head->upgrade))
		return ADMITTED;
	unsigned denied = client->denied;
	client->denied = 0;
	if (!denied && token.size && token.size <= NT_WEB_TOKEN_MAX) {
		log_in(conn, token);
		if (conn->frame.waits)
			return WAITS;
		if (client->known)
			return ADMITTED;
		denied = client->denied;
		client->denied = 0;
	}
	refuse_token(conn, denied ? denied : 401);
	return ANSWERED;
}

/* --- paths -------------------------------------------------------------------------------- */

static void serve_page(struct nt_conn *conn, const char *path)
{
	struct nt_page page;
	bool there = nt_pages_answer(nt_web_client(conn)->web->pages, path, &page);
	PD_ASSERT(there);
	if (!page.body.failed)
		nt_web_reply(conn,
			     &(struct nt_web_reply){page.status, page.type, NULL, page.body.data, page.body.size});
	else
		nt_web_say(conn, 500, "no memory for the page");
	pd_buf_fini(&page.body);
}

static enum admission serve_socket(struct nt_conn *conn, const struct nt_head *head)
{
	if (!head->upgrade) {
		nt_web_refuse(conn, 426, "Upgrade: websocket\r\nCache-Control: no-store\r\n",
			      "/rpc is a WebSocket; other programs use TCP (proofd --listen)");
		return ANSWERED;
	}
	enum admission admission = admit_request(conn, head, false);
	if (admission == ADMITTED)
		nt_web_socket_open(conn, head);
	return admission;
}

static void serve_file(struct nt_conn *conn, const struct nt_head *head)
{
	const struct nt_asset *asset = nt_asset_find(head->path.at, head->path.size);
	if (asset)
		nt_web_file(conn, asset, head->if_none_match);
	else
		nt_web_say(conn, 404, "page not found");
}

/* Whether the path supports the method; if not, the request has been refused. */
static bool has_method(struct nt_conn *conn, const struct nt_head *head, bool rpc, bool query)
{
	bool head_only = nt_piece_is(head->method, "HEAD"), post = nt_piece_is(head->method, "POST");
	if (nt_piece_is(head->method, "GET") || (head_only && !rpc) || (post && query))
		return true;
	nt_web_refuse(conn, 405,
		      rpc     ? "Allow: GET\r\nCache-Control: no-store\r\n"
		      : query ? "Allow: GET, HEAD, POST\r\nCache-Control: no-store\r\n"
			      : "Allow: GET, HEAD\r\nCache-Control: no-store\r\n",
		      rpc     ? "GET only"
		      : query ? "GET, HEAD and POST only"
			      : "GET and HEAD only");
	return false;
}

/* Answers a request, or calls the session. WAITS: the request is to be taken again. */
static enum admission serve_request(struct nt_conn *conn, const struct nt_head *head, struct nt_piece body)
{
	static const char *const pages[] = {"/metrics", "/readyz", "/healthz"};
	bool pages_only = !nt_web_client(conn)->web->config;
	bool rpc = !pages_only && nt_piece_is(head->path, "/rpc");
	bool query = !pages_only && nt_piece_is(head->path, "/query");
	if (!is_permitted(conn, head) || !has_method(conn, head, rpc, query))
		return ANSWERED;
	if (rpc)
		return serve_socket(conn, head);
	if (query) {
		enum admission admission = admit_request(conn, head, true);
		if (admission == ADMITTED)
			nt_web_query(conn, head, body);
		return admission;
	}
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
		if (!nt_piece_is(head->path, pages[i]))
			continue;
		enum admission admission =
			strcmp(pages[i], "/healthz") != 0 ? admit_request(conn, head, true) : ADMITTED;
		if (admission == ADMITTED)
			serve_page(conn, pages[i]);
		return admission;
	}
	if (pages_only)
		nt_web_say(conn, 404, "page not found");
	else
		serve_file(conn, head);
	return ANSWERED;
}

/* --- a public server ----------------------------------------------------------------------- */

/* What --cors says of the origin of the page that asks. */
static const char *find_origin(const struct nt_public *public, struct nt_piece origin)
{
	for (unsigned i = 0; origin.at && i < public->origin_count; i++)
		if (!strcmp(public->origins[i], "*") || nt_piece_is(origin, public->origins[i]))
			return public->origins[i];
	return NULL;
}

/* Whether the client has the place of a user, or needs none yet, because it has no role; if not, it has been refused.
 * That comes before the request is served: without a place none is. */
static bool has_place(struct nt_conn *conn)
{
	nt_place_look(conn);
	return !conn->place.refused && !conn->broken;
}

/* Counts the request with those of the same visitor; false: it has been refused. */
static bool count_request(struct nt_conn *conn, const struct nt_head *head)
{
	struct nt_web *web = nt_web_client(conn)->web;
	struct in6_addr peer = {0};
	if (conn->stream.type == UV_TCP)
		nt_address_of(&conn->tcp, &peer);
	peer = nt_visitor(&web->config->public, &peer, head->forwarded);
	nt_place_visitor(conn, &peer);
	if (!has_place(conn))
		return false;
	sv_rate_count_in(conn->session, &web->rates[nt_address_hash(&peer) % NT_VISITORS]);
	if (sv_rate_allows(conn->session))
		return true;
	nt_web_refuse(conn, 429, "Retry-After: 1\r\nCache-Control: no-store\r\n", "too many requests a second");
	return false;
}

static void begin_visit(struct nt_conn *conn, const struct nt_head *head)
{
	struct nt_web_client *client = nt_web_client(conn);
	struct nt_piece match = head->if_none_match;
	client->visit = (struct nt_web_visit){.origin = find_origin(&client->web->config->public, head->origin)};
	if (match.at && match.size < sizeof client->visit.match)
		memcpy(client->visit.match, match.at, match.size);
}

/* Answers a request of a visitor (--public), who needs no token, or hands it to the session. */
static void serve_visitor(struct nt_conn *conn, const struct nt_head *head, struct nt_piece body)
{
	bool rpc = nt_piece_is(head->path, "/rpc"), query = nt_piece_is(head->path, "/query");
	begin_visit(conn, head);
	if (!is_permitted(conn, head) || !count_request(conn, head))
		return;
	if (nt_piece_is(head->method, "OPTIONS")) {
		nt_web_reply(conn, &(struct nt_web_reply){.status = 204,
							  .more = "Access-Control-Allow-Methods: GET, HEAD, POST\r\n"
								  "Access-Control-Allow-Headers: Content-Type\r\n"
								  "Access-Control-Max-Age: 86400\r\n"});
		return;
	}
	if (!has_method(conn, head, rpc, query))
		return;
	if (rpc) {
		serve_socket(conn, head);
		return;
	}
	sv_rate_count_in(conn->session, NULL); /* it has been counted */
	if (query)
		nt_web_query(conn, head, body);
	else if (nt_piece_is(head->path, "/healthz"))
		serve_page(conn, "/healthz");
	else if (!nt_site_serve(conn, head))
		serve_file(conn, head);
}

/* --- requests ----------------------------------------------------------------------------- */

/* Skips all that was read. */
static size_t refuse_request(struct nt_conn *conn, unsigned status, const char *why, size_t size)
{
	nt_web_client(conn)->keep = false;
	nt_web_refuse(conn, status, NULL, why);
	return size;
}

static size_t wait_for_rest(struct nt_conn *conn)
{
	struct nt_web_client *client = nt_web_client(conn);
	if (!client->partial)
		client->since_ns = conn->in.heard_ns;
	client->partial = true;
	return 0;
}

/* Reads a complete head. Returns what take_request has to return; SIZE_MAX: the request goes on. */
static size_t read_request_head(struct nt_conn *conn, const char *data, size_t size)
{
	struct nt_web_client *client = nt_web_client(conn);
	struct nt_head head;
	size_t head_size = nt_head_size(data, size, &conn->frame.scanned);
	client->keep = client->bodiless = false;
	if (head_size == 2) { /* an empty line before a request */
		conn->frame.scanned = 0;
		return 2;
	}
	if (head_size == SIZE_MAX)
		return refuse_request(conn, 400, "lines of a request must end with CR LF", size);
	if (head_size > NT_HEAD_MAX || (!head_size && size > NT_HEAD_MAX))
		return refuse_request(conn, 431, "the head of a request may have at most 16 KiB", size);
	if (!head_size && size == 1 && data[0] == '\r') /* half of such a line */
		return 0;
	if (!head_size)
		return wait_for_rest(conn);
	nt_head_read(data, head_size, &head);
	if (head.status)
		return refuse_request(conn, head.status, head.why, size);
	if (head.body > NT_WEB_BODY_MAX)
		return refuse_request(conn, 413, "the body of a request may have at most 1,047,552 bytes", size);
	client->head_size = head_size;
	client->need = head_size + (client->web->config ? (size_t)head.body : 0); /* no page takes a body */
	if (size < client->need && head.expects)
		nt_conn_put(conn, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	return SIZE_MAX;
}

static size_t take_request(struct nt_conn *conn, char *data, size_t size, bool *little)
{
	struct nt_web_client *client = nt_web_client(conn);
	struct nt_head head;
	size_t done = client->need ? SIZE_MAX : read_request_head(conn, data, size);
	if (done != SIZE_MAX)
		return done;
	if (size < client->need)
		return wait_for_rest(conn);
	nt_head_read(data, client->head_size, &head);
	PD_ASSERT(!head.status && !conn->frame.waits);
	conn->frame.asked = true;
	client->keep = head.keep && client->web->config;
	client->bodiless = nt_piece_is(head.method, "HEAD");
	*little = false;
	conn->in.served = true;
	struct nt_piece body = {data + client->head_size, client->need - client->head_size};
	if (client->web->rates)
		serve_visitor(conn, &head, body);
	else if (!has_place(conn))
		return size;
	else if (serve_request(conn, &head, body) == WAITS)
		return 0;
	done = client->need;
	client->need = client->head_size = conn->frame.scanned = 0;
	client->partial = client->known = false;
	return done;
}

/* --- the framing -------------------------------------------------------------------------- */

static void answer_plain(struct nt_conn *conn, const char *data, size_t size)
{
	(void)data, (void)size;
	conn->conns->total.rejected++;
	nt_rejection_log(conn->conns->rejections, NT_REJECTED_PLAIN, NULL);
	nt_web_client(conn)->keep = false;
	nt_web_refuse(conn, 400, NULL, "this port requires TLS: https://");
}

/* A connection that was already answered just ends. */
static void refuse_client(struct nt_conn *conn, const struct pd_fail *fail)
{
	struct nt_web_client *client = nt_web_client(conn);
	client->keep = false;
	if (!client->answered && !conn->frame.waits)
		nt_web_fail(conn, 503, fail);
}

static bool is_late(struct nt_conn *conn, uint64_t now)
{
	struct nt_web_client *client = nt_web_client(conn);
	if (*client->visit.file)
		nt_site_send_more(conn);
	uint64_t limit = client->partial || !client->answered ? NT_WEB_REQUEST_MS : NT_WEB_KEEP_MS;
	if (!conn->in.reading || (conn->out.unsent && !client->partial)) /* it is not waiting for the client */
		client->since_ns = now;
	if (now < client->since_ns || now - client->since_ns <= limit * 1000000)
		return false;
	if (!client->partial)
		return true;
	client->keep = client->bodiless = false;
	nt_web_refuse(conn, 408, NULL, "the request was not complete in time");
	return false;
}

static void free_client(struct nt_conn *conn)
{
	PD_ASSERT(!nt_web_client(conn)->message.data);
	free(conn->frame.own);
}

/* Whether a connection for pages only has lived too long, whatever the client does. */
static bool is_expired(struct nt_conn *conn, uint64_t now)
{
	uint64_t born_ns = nt_web_client(conn)->born_ns;
	return now > born_ns && now - born_ns > NT_WEB_PAGES_MS * UINT64_C(1000000);
}

static const struct nt_framing pages_framing = {
	.take = take_request,
	.plain = answer_plain,
	.late = is_expired,
	.free = free_client,
};

static const struct nt_framing framing = {
	.asks_first = true,
	.token_ms = NT_WEB_KEEP_MS,
	.take = take_request,
	.plain = answer_plain,
	.refuse = refuse_client,
	.late = is_late,
	.free = free_client,
	.send = nt_web_socket_send,
};

bool nt_web_accept(void *ctx, int fd, bool local)
{
	struct nt_web *web = ctx;
	struct nt_web_client *client = calloc(1, sizeof *client);
	if (!client)
		return false;
	client->web = web;
	client->born_ns = client->since_ns = pd_now_ns();
	if (nt_conns_accept(web->conns, &(struct nt_socket){fd, local}, web->config ? &framing : &pages_framing,
			    client))
		return true;
	free(client);
	return false;
}

struct nt_web *nt_web_new(struct nt_conns *conns, struct nt_pages *pages, const struct nt_config *config)
{
	struct nt_web *web = calloc(1, sizeof *web);
	if (!web)
		return NULL;
	*web = (struct nt_web){.conns = conns, .pages = pages, .config = config};
	if (config && config->public.on && !(web->rates = calloc(NT_VISITORS, sizeof *web->rates))) {
		free(web);
		return NULL;
	}
	return web;
}

void nt_web_free(struct nt_web *web)
{
	if (web)
		free(web->rates);
	free(web);
}
