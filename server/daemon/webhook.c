#include "server/daemon/webhook.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/log.h"

enum {
	PATH_BYTES = 1024,
	REQUEST_BYTES = 2 << 20, /* of a request; twice the largest job */
	STATUS_BYTES = 64,       /* of the first line of an answer */
	ANSWER_BYTES = 64 << 10  /* of an answer that are read */
};

static const unsigned rest_ms[DM_WEBHOOK_TRIES - 1] = {250, 1000, 4000};

/* TRYING -> CLOSING -> RESTING -> TRYING; freed after CLOSING. */
enum post_state { POST_WAITING, POST_TRYING, POST_CLOSING, POST_RESTING };

/* One request, waiting or under way. */
struct dm_post {
	struct dm_webhook *hook; /* NULL once the webhook is closed */
	uint32_t job;
	enum post_state state;
	struct pd_buf request; /* owned */
	uv_tcp_t tcp;          /* open while it is tried */
	uv_timer_t timer;      /* open from the first try on */
	uv_connect_t connect;
	uv_write_t write;
	unsigned tries;
	char line[STATUS_BYTES]; /* the beginning of the answer */
	size_t line_size, received;
	unsigned status; /* of the answer; 0: none yet */
	char why[160];   /* why the last try failed */
	STAILQ_ENTRY(dm_post) link;
	LIST_ENTRY(dm_post) running;
};

static void begin_try(struct dm_post *post);
static void start_waiting(struct dm_webhook *hook);

/* --- URLs --------------------------------------------------------------------------------- */

bool dm_webhook_is_url(const char *value)
{
	return strstr(value, "://") != NULL;
}

static int refuse_url(struct pd_fail *fail, const char *what)
{
	return pd_fail_set(fail, PD_E_USAGE, "on-finish",
			   "--on-finish takes a URL like http://127.0.0.1:8080/finished, but in this one %s", what);
}

/* The port after the host; 80 when there is none, 0 when it is wrong. */
static unsigned read_port(const char *text, size_t size)
{
	unsigned port = 0;
	if (!size)
		return 80;
	if (text[0] != ':' || size < 2 || size > 6)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		port = 10 * port + (unsigned)(text[i] - '0');
	}
	return port <= 65535 ? port : 0;
}

/* The address of a host, without the brackets of version 6. */
static bool read_host(const char *host, bool bracket, unsigned port, struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
	if (bracket)
		return !uv_ip6_addr(host, (int)port, v6) && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	return !uv_ip4_addr(host, (int)port, v4) && ntohl(v4->sin_addr.s_addr) >> 24 == 127;
}

static int read_authority(struct dm_webhook *hook, const char *text, size_t size, struct pd_fail *fail)
{
	char host[64];
	bool bracket = size && text[0] == '[';
	const char *end = bracket ? memchr(text, ']', size) : memchr(text, ':', size);
	size_t length = end ? (size_t)(end - text) + bracket : size, inside = length - 2 * (bracket && end);
	if (!length || (bracket && !end) || inside >= sizeof host)
		return refuse_url(fail, "the host is missing or too long");
	memcpy(host, text + bracket, inside);
	host[inside] = 0;
	unsigned port = read_port(text + length, size - length);
	if (!port)
		return refuse_url(fail, "the port is not a number from 1 to 65535");
	if (!read_host(host, bracket, port, &hook->address))
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "on-finish",
				   "--on-finish takes URLs with a loopback address (127.0.0.1, [::1], localhost), not "
				   "'%.60s': there is no authentication",
				   host);
	snprintf(hook->where, sizeof hook->where, bracket ? "[%s]:%u" : "%s:%u", host, port);
	return PD_OK;
}

int dm_webhook_init(struct dm_webhook *hook, uv_loop_t *loop, const char *url, struct pd_fail *fail)
{
	static const char scheme[] = "http://";
	*hook = (struct dm_webhook){.loop = loop};
	STAILQ_INIT(&hook->waiting);
	LIST_INIT(&hook->running);
	PD_ASSERT(dm_webhook_is_url(url));
	if (strncmp(url, scheme, sizeof scheme - 1) != 0)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "on-finish",
				   "--on-finish takes the path of a program, or a URL that begins with http://, not "
				   "'%.40s'",
				   url);
	const char *authority = url + sizeof scheme - 1;
	size_t size = strcspn(authority, "/?");
	hook->path = authority + size;
	for (const char *c = hook->path; *c; c++)
		if (*c <= ' ' || *c >= 127 || *c == '#')
			return refuse_url(fail, "the path has blanks, a #, or other bytes that must be written as %XX");
	if (strlen(hook->path) > PATH_BYTES)
		return refuse_url(fail, "the path is longer than 1024 bytes");
	return read_authority(hook, authority, size, fail);
}

/* --- one try ------------------------------------------------------------------------------ */

static void post_free(struct dm_post *post)
{
	if (!post)
		return;
	pd_buf_fini(&post->request);
	free(post);
}

static void on_timer_closed(uv_handle_t *timer)
{
	post_free(timer->data);
}

static bool is_delivered(const struct dm_post *post)
{
	return post->status >= 200 && post->status < 300;
}

/* Whether another try may help. */
static bool may_retry(const struct dm_post *post)
{
	bool refused = post->status >= 300 && post->status < 500 && post->status != 408 && post->status != 429;
	return !refused && post->tries < DM_WEBHOOK_TRIES;
}

/* It is delivered or given up. */
static void end_post(struct dm_post *post)
{
	struct dm_webhook *hook = post->hook;
	PD_ASSERT(hook->run_count > 0);
	if (!is_delivered(post))
		pd_log(PD_LOG_WARN, "job %u: could not report to %s (--on-finish) in %u %s: %s", post->job, hook->where,
		       post->tries, post->tries == 1 ? "try" : "tries", post->why);
	LIST_REMOVE(post, running);
	hook->run_count--;
	uv_close((uv_handle_t *)&post->timer, on_timer_closed);
	start_waiting(hook);
}

static void on_timer(uv_timer_t *timer);

static void on_connection_closed(uv_handle_t *tcp)
{
	struct dm_post *post = tcp->data;
	PD_ASSERT(post->state == POST_CLOSING);
	if (!post->hook) { /* closed meanwhile */
		uv_close((uv_handle_t *)&post->timer, on_timer_closed);
	} else if (is_delivered(post) || !may_retry(post)) {
		end_post(post);
	} else {
		post->state = POST_RESTING;
		uv_timer_start(&post->timer, on_timer, rest_ms[post->tries - 1], 0);
	}
}

/* Ends a try; `why` counts unless an answer has come. */
static void end_try(struct dm_post *post, const char *why)
{
	PD_ASSERT(post->state == POST_TRYING);
	if (post->status)
		snprintf(post->why, sizeof post->why, "it answered with status %u", post->status);
	else
		snprintf(post->why, sizeof post->why, "%s", why);
	post->state = POST_CLOSING;
	uv_timer_stop(&post->timer);
	uv_close((uv_handle_t *)&post->tcp, on_connection_closed);
}

static void on_timer(uv_timer_t *timer)
{
	struct dm_post *post = timer->data;
	char why[64];
	if (post->state == POST_RESTING) {
		begin_try(post);
		return;
	}
	snprintf(why, sizeof why, "no answer within %d s", DM_WEBHOOK_S);
	end_try(post, why);
}

/* The status of "HTTP/1.1 204 No Content"; 0 when it is not that. */
static unsigned read_status(const char *line, size_t size)
{
	unsigned status = 0;
	if (size < 12 || memcmp(line, "HTTP/1.", 7) != 0 || line[7] < '0' || line[7] > '9' || line[8] != ' ')
		return 0;
	for (unsigned i = 9; i < 12; i++) {
		if (line[i] < '0' || line[i] > '9')
			return 0;
		status = 10 * status + (unsigned)(line[i] - '0');
	}
	return size > 12 && line[12] >= '0' && line[12] <= '9' ? 0 : status;
}

/* Takes bytes of the answer. After the status they are discarded, so that the receiver can close in order. */
static void take_answer(struct dm_post *post, const char *data, size_t size)
{
	size_t room = sizeof post->line - post->line_size, part = size < room ? size : room;
	memcpy(post->line + post->line_size, data, part);
	post->line_size += part;
	post->received += size;
	if (!post->status && (memchr(post->line, '\n', post->line_size) || post->line_size == sizeof post->line)) {
		post->status = read_status(post->line, post->line_size);
		if (!post->status)
			end_try(post, "its answer is not HTTP/1.x");
	}
	if (post->state == POST_TRYING && post->received > ANSWER_BYTES)
		end_try(post, "its answer is too long");
}

static void on_room(uv_handle_t *tcp, size_t wanted, uv_buf_t *buf)
{
	struct dm_post *post = tcp->data;
	(void)wanted;
	*buf = uv_buf_init(post->hook->scratch, sizeof post->hook->scratch);
}

static void on_answer(uv_stream_t *tcp, ssize_t size, const uv_buf_t *buf)
{
	struct dm_post *post = tcp->data;
	if (post->state != POST_TRYING)
		return;
	if (size > 0)
		take_answer(post, buf->base, (size_t)size);
	else if (size == UV_EOF)
		end_try(post, "it closed the connection without an answer");
	else if (size < 0)
		end_try(post, uv_strerror((int)size));
}

/* An error shows when the answer is read, which may come before the whole request is sent. */
static void on_written(uv_write_t *write, int status)
{
	(void)write;
	(void)status;
}

static void on_connected(uv_connect_t *connect, int status)
{
	struct dm_post *post = connect->data;
	uv_buf_t buf = uv_buf_init(post->request.data, (unsigned)post->request.size);
	if (post->state != POST_TRYING)
		return;
	if (!status)
		status = uv_read_start((uv_stream_t *)&post->tcp, on_room, on_answer);
	if (!status)
		status = uv_write(&post->write, (uv_stream_t *)&post->tcp, &buf, 1, on_written);
	if (status)
		end_try(post, uv_strerror(status));
}

static void begin_try(struct dm_post *post)
{
	struct dm_webhook *hook = post->hook;
	PD_ASSERT(post->tries < DM_WEBHOOK_TRIES);
	post->state = POST_TRYING;
	post->tries++;
	post->status = 0;
	post->line_size = post->received = 0;
	uv_tcp_init(hook->loop, &post->tcp); /* cannot fail: there is no socket yet */
	post->tcp.data = post->connect.data = post;
	uv_timer_start(&post->timer, on_timer, DM_WEBHOOK_S * 1000, 0);
	int rc = uv_tcp_connect(&post->connect, &post->tcp, (const struct sockaddr *)&hook->address, on_connected);
	if (rc)
		end_try(post, uv_strerror(rc));
}

/* --- all of them -------------------------------------------------------------------------- */

static void start_waiting(struct dm_webhook *hook)
{
	while (hook->run_count < DM_WEBHOOK_POSTS && !STAILQ_EMPTY(&hook->waiting)) {
		struct dm_post *post = STAILQ_FIRST(&hook->waiting);
		STAILQ_REMOVE_HEAD(&hook->waiting, link);
		hook->waiting_count--;
		LIST_INSERT_HEAD(&hook->running, post, running);
		hook->run_count++;
		uv_timer_init(hook->loop, &post->timer);
		post->timer.data = post;
		begin_try(post);
	}
	if (hook->dropped && !hook->waiting_count) {
		pd_log(PD_LOG_WARN, "%u jobs were not reported (--on-finish): too many ended at once", hook->dropped);
		hook->dropped = 0;
	}
}

static struct dm_post *post_new(struct dm_webhook *hook, const struct sv_finished *f)
{
	struct dm_post *post = calloc(1, sizeof *post);
	if (!post)
		return NULL;
	post->hook = hook;
	post->job = f->job;
	pd_buf_init(&post->request, REQUEST_BYTES);
	pd_buf_printf(&post->request,
		      "POST %s%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: proofd/%s\r\nContent-Type: application/json\r\n"
		      "Content-Length: %zu\r\nConnection: close\r\n\r\n",
		      hook->path[0] == '/' ? "" : "/", hook->path, hook->where, PD_VERSION, f->json_size + 1);
	pd_buf_put(&post->request, f->json, f->json_size);
	pd_buf_puts(&post->request, "\n");
	if (!post->request.failed)
		return post;
	post_free(post);
	return NULL;
}

void dm_webhook_finished(void *ctx, const struct sv_finished *finished)
{
	struct dm_webhook *hook = ctx;
	struct dm_post *post = hook->waiting_count < DM_WEBHOOK_WAITING ? post_new(hook, finished) : NULL;
	if (!post) {
		hook->dropped++;
		return;
	}
	STAILQ_INSERT_TAIL(&hook->waiting, post, link);
	hook->waiting_count++;
	start_waiting(hook);
}

void dm_webhook_close(struct dm_webhook *hook)
{
	struct dm_post *post;
	unsigned left = hook->waiting_count + hook->dropped;
	LIST_FOREACH(post, &hook->running, running)
		left += !is_delivered(post);
	if (left)
		pd_log(PD_LOG_WARN, "the last %u job%s not reported (--on-finish): the server stops", left,
		       left == 1 ? " was" : "s were");
	while ((post = STAILQ_FIRST(&hook->waiting))) {
		STAILQ_REMOVE_HEAD(&hook->waiting, link);
		post_free(post);
	}
	while ((post = LIST_FIRST(&hook->running))) {
		LIST_REMOVE(post, running);
		if (post->state == POST_TRYING)
			end_try(post, "the server stops");
		else if (post->state == POST_RESTING)
			uv_close((uv_handle_t *)&post->timer, on_timer_closed);
		post->hook = NULL;
	}
	hook->run_count = hook->waiting_count = hook->dropped = 0;
}
