/* HTTP: see http.h. */
#include "server/net/http.h"

#include <fcntl.h>
#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/net/http_head.h"

enum { CHUNK = 16 << 10, HEADERS_MAX = 512, PATH_ROOM = 64, HOST_ROOM = 128 };

struct client {
	TAILQ_ENTRY(client) link; /* oldest first */
	struct nt_http *http;
	struct lws *wsi; /* libwebsockets' connection; it owns us */
	uint64_t born_ns;
	struct nt_http_page page; /* once `answered` */
	bool answered, local, over;
	bool ended; /* not in the list any more; libwebsockets lets go of it when the loop turns */
	size_t sent;
};

struct nt_http {
	uv_loop_t *loop;
	struct lws_context *context; /* NULL once libwebsockets is gone */
	struct lws_vhost *vhost;
	nt_http_answer *answer;
	void *ctx;
	TAILQ_HEAD(, client) clients;
	unsigned count;  /* of the list */
	unsigned ending; /* clients that have ended and are still there */
	unsigned fresh;  /* clients that came since the last tick */
	uint8_t chunk[LWS_PRE + CHUNK];
};

/* --- answers ------------------------------------------------------------------------------ */

/* A page of a line of text. */
static void say(struct nt_http_page *page, unsigned status, const char *text)
{
	page->status = status;
	page->type = "text/plain; charset=utf-8";
	pd_buf_reset(&page->body);
	pd_buf_puts(&page->body, text);
	pd_buf_puts(&page->body, "\n");
}

static void make_page(struct client *client, const char *path)
{
	struct nt_http_page *page = &client->page;
	struct lws *wsi = client->wsi;
	char host[HOST_ROOM] = "";
	bool get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
	bool head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
	bool named = lws_hdr_total_length(wsi, WSI_TOKEN_HOST) > 0;
	bool whole = !named || lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) >= 0;
	say(page, 404, "there is no such page");
	if (!get && !head)
		say(page, 405, "GET and HEAD only");
	else if (!client->local && (!whole || (named && !nt_host_is_own((struct nt_piece){host, strlen(host)}))))
		say(page, 403, "ask for this page by an address of this machine, like 127.0.0.1");
	else
		client->http->answer(client->http->ctx, path, page);
	if (page->body.failed)
		say(page, 500, "no memory for the page");
	if (head)
		client->sent = page->body.size; /* its size is told, and no more */
}

/* Each of these returns what its callback has to: -1 ends the connection. */
static int begin(struct client *client, const char *path)
{
	static const char shut[] = "close";
	uint8_t room[LWS_PRE + HEADERS_MAX], *start = room + LWS_PRE, *at = start, *end = room + sizeof room;
	struct lws *wsi = client->wsi;
	struct nt_http_page *page = &client->page;
	if (client->answered || client->ended)
		return -1;
	client->answered = true;
	make_page(client, path);
	PD_ASSERT(page->status >= 200 && page->type);
	bool bad = lws_add_http_header_status(wsi, page->status, &at, end) ||
		   lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, (const uint8_t *)page->type,
						(int)strlen(page->type), &at, end) ||
		   lws_add_http_header_content_length(wsi, page->body.size, &at, end) ||
		   lws_add_http_header_by_token(wsi, WSI_TOKEN_CONNECTION, (const uint8_t *)shut, sizeof shut - 1, &at,
						end);
	if (!bad && page->status == 405)
		bad = lws_add_http_header_by_name(wsi, (const uint8_t *)"allow:", (const uint8_t *)"GET, HEAD", 9, &at,
						  end);
	if (bad || page->body.failed || lws_finalize_write_http_header(wsi, start, &at, end))
		return -1;
	lws_callback_on_writable(wsi);
	return 0;
}

static int go_on(struct client *client)
{
	struct nt_http *http = client->http;
	struct pd_buf *body = &client->page.body;
	size_t left = body->size - client->sent, piece = left < CHUNK ? left : CHUNK;
	PD_ASSERT(client->sent <= body->size);
	if (!client->answered || client->over)
		return client->over ? -1 : 0;
	if (piece) {
		memcpy(http->chunk + LWS_PRE, body->data + client->sent, piece);
		if (lws_write(client->wsi, http->chunk + LWS_PRE, piece,
			      piece == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)piece)
			return -1;
		client->sent += piece;
	}
	client->over = client->sent == body->size;
	/* Once more in any case: what the kernel did not take is written before the connection ends. */
	lws_callback_on_writable(client->wsi);
	return 0;
}

/* --- connections -------------------------------------------------------------------------- */

/* It makes room for others. */
static void leave(struct client *client)
{
	struct nt_http *http = client->http;
	PD_ASSERT(http->count && !client->ended);
	TAILQ_REMOVE(&http->clients, client, link);
	http->count--;
	http->ending++;
	client->ended = true;
}

static void client_free(struct client *client)
{
	if (!client->ended)
		leave(client);
	PD_ASSERT(client->http->ending);
	client->http->ending--;
	pd_buf_fini(&client->page.body);
	free(client);
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
	struct client *client = wsi ? lws_get_opaque_user_data(wsi) : NULL;
	switch (reason) {
	case LWS_CALLBACK_HTTP:
		return client ? begin(client, in) : -1;
	case LWS_CALLBACK_HTTP_WRITEABLE:
		return client ? go_on(client) : -1;
	case LWS_CALLBACK_HTTP_BODY:
	case LWS_CALLBACK_HTTP_BODY_COMPLETION:
		return 0; /* the answer to a request with a body is under way, and says that there is no such thing */
	case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
		return -1;
	case LWS_CALLBACK_WSI_DESTROY:
		if (client) {
			lws_set_opaque_user_data(wsi, NULL);
			client_free(client);
		}
		return 0;
	default:
		return lws_callback_http_dummy(wsi, reason, user, in, size);
	}
}

static void end(struct client *client)
{
	leave(client);
	lws_set_timeout(client->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}

bool nt_http_accept(void *ctx, int fd, bool local)
{
	struct nt_http *http = ctx;
	if (http->fresh == NT_HTTP_NEW_MAX || !http->context)
		return false;
	http->fresh++;
	if (http->count == NT_HTTP_CLIENTS_MAX)
		end(TAILQ_FIRST(&http->clients));
	struct client *client = calloc(1, sizeof *client);
	if (!client)
		return false;
	client->http = http;
	client->local = local;
	client->born_ns = pd_now_ns();
	pd_buf_init(&client->page.body, NT_HTTP_PAGE_MAX);
	client->wsi = lws_adopt_socket_vhost(http->vhost, fd);
	if (!client->wsi) {
		free(client);
		return true;
	}
	lws_set_opaque_user_data(client->wsi, client);
	TAILQ_INSERT_TAIL(&http->clients, client, link);
	http->count++;
	PD_ASSERT(http->count <= NT_HTTP_CLIENTS_MAX);
	return true;
}

void nt_http_tick(struct nt_http *http)
{
	struct client *first;
	uint64_t now = pd_now_ns();
	http->fresh = 0;
	while ((first = TAILQ_FIRST(&http->clients)) && now - first->born_ns > NT_HTTP_LIFE_MS * UINT64_C(1000000))
		end(first);
}

unsigned nt_http_count(const struct nt_http *http)
{
	return http->count;
}

/* --- life --------------------------------------------------------------------------------- */

static void on_log(int level, const char *text)
{
	size_t size = strcspn(text, "\n");
	(void)level; /* clients cause its warnings, so that they are of no interest by default */
	pd_log(PD_LOG_DEBUG, "http: %.*s", (int)(size < 400 ? size : 400), text);
}

int nt_http_open(uv_loop_t *loop, nt_http_answer *answer, void *ctx, struct nt_http **out, struct pd_fail *fail)
{
	static const struct lws_protocols protocols[] = {{"http", on_event, 0, 0, 0, NULL, 0}, {0}};
	struct nt_http *http = calloc(1, sizeof *http);
	if (!http)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the HTTP server");
	void *loops[] = {loop};
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN_SERVER,
		.protocols = protocols,
		.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
			   LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN,
		.foreign_loops = loops,
		.pcontext = &http->context,
		.gid = (gid_t)-1,
		.uid = (uid_t)-1,
		/* Its own descriptors included, and clients that are ending. */
		.fd_limit_per_thread = NT_HTTP_CLIENTS_MAX + 2 * NT_HTTP_NEW_MAX,
		.max_http_header_pool = NT_HTTP_CLIENTS_MAX + NT_HTTP_NEW_MAX,
		.max_http_header_data = 4096,
		.timeout_secs = NT_HTTP_LIFE_MS / 1000,
	};
	http->loop = loop;
	http->answer = answer;
	http->ctx = ctx;
	TAILQ_INIT(&http->clients);
	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	http->context = lws_create_context(&info);
	http->vhost = http->context ? lws_create_vhost(http->context, &info) : NULL;
	*out = http;
	if (http->vhost)
		return PD_OK;
	nt_http_close(http);
	uv_run(loop, UV_RUN_NOWAIT);
	nt_http_free(http);
	*out = NULL;
	return pd_fail_set(fail, PD_E_UNSUPPORTED, "",
			   "libwebsockets cannot run here; it needs its part for libuv (Debian's "
			   "libwebsockets-evlib-uv)");
}

void nt_http_close(struct nt_http *http)
{
	if (http && http->context)
		lws_context_destroy(http->context); /* first step: its handles close when the loop runs */
}

void nt_http_free(struct nt_http *http)
{
	if (!http)
		return;
	if (http->context)
		lws_context_destroy(http->context);
	PD_ASSERT(TAILQ_EMPTY(&http->clients) && !http->ending);
	free(http);
}
