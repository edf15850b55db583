#include <netinet/in.h>
#include <stdio.h>

#include "proto/base/assert.h"
#include "server/daemon/reports.h"

enum {
	PATH_BYTES = 1024,
	STATUS_BYTES = 64,      /* of the first line of an answer */
	ANSWER_BYTES = 64 << 10 /* maximum bytes of an answer */
};

static const unsigned rest_ms[DM_WEBHOOK_TRIES - 1] = {250, 1000, 4000};

/* One request. TRYING -> CLOSING -> RESTING -> TRYING; freed after CLOSING. */
struct post {
	struct dm_report base;
	enum { POST_WAITING, POST_TRYING, POST_CLOSING, POST_RESTING } state;
	uv_tcp_t tcp;     /* open while it is tried */
	uv_timer_t timer; /* open from the first try on */
	uv_connect_t connect;
	uv_write_t write;
	unsigned tries;
	char line[STATUS_BYTES + 1]; /* the beginning of the answer */
	size_t line_size, received;
	unsigned status; /* of the answer; 0: none yet */
	char why[160];   /* why the last try failed */
};

static void begin_try(struct post *post);

static int refuse_url(struct pd_fail *fail, const char *what)
{
	return pd_fail_set(fail, PD_E_USAGE, "on-finish",
			   "--on-finish takes a URL like http://127.0.0.1:8080/finished, but in this one %s", what);
}

/* The port after the host; 80 when there is none, 0 when it is wrong. */
static unsigned read_port(const char *text, size_t size)
{
	if (!size)
		return 80;
	if (text[0] != ':' || size < 2 || size > 6 || strspn(text + 1, "0123456789") < size - 1)
		return 0;
	unsigned long port = strtoul(text + 1, NULL, 10);
	return port <= 65535 ? (unsigned)port : 0;
}

/* The address of a host; an IPv6 address comes without its brackets. */
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

static int read_authority(struct dm_reports *reports, const char *text, size_t size, struct pd_fail *fail)
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
	if (!read_host(host, bracket, port, &reports->address))
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "on-finish",
				   "--on-finish takes URLs with a loopback address (127.0.0.1, [::1], localhost), not "
				   "'%.60s': there is no authentication",
				   host);
	snprintf(reports->where, sizeof reports->where, bracket ? "[%s]:%u" : "%s:%u", host, port);
	return PD_OK;
}

static void on_timer_closed(uv_handle_t *timer)
{
	dm_report_free(timer->data);
}

static bool is_delivered(const struct post *post)
{
	return post->status >= 200 && post->status < 300;
}

/* Whether another try may help. */
static bool may_retry(const struct post *post)
{
	bool refused = post->status >= 300 && post->status < 500 && post->status != 408 && post->status != 429;
	return !refused && post->tries < DM_WEBHOOK_TRIES;
}

/* The report is delivered or given up. */
static void end_post(struct post *post)
{
	if (!is_delivered(post))
		pd_log(PD_LOG_WARN, "job %u: could not report to %s (--on-finish) in %u %s: %s", post->base.job,
		       post->base.reports->where, post->tries, post->tries == 1 ? "try" : "tries", post->why);
	uv_close((uv_handle_t *)&post->timer, on_timer_closed);
	dm_report_end(&post->base);
}

static void on_timer(uv_timer_t *timer);

static void on_connection_closed(uv_handle_t *tcp)
{
	struct post *post = tcp->data;
	PD_ASSERT(post->state == POST_CLOSING);
	if (!post->base.reports) { /* closed meanwhile */
		uv_close((uv_handle_t *)&post->timer, on_timer_closed);
	} else if (is_delivered(post) || !may_retry(post)) {
		end_post(post);
	} else {
		post->state = POST_RESTING;
		uv_timer_start(&post->timer, on_timer, rest_ms[post->tries - 1], 0);
	}
}

/* Ends a try; `why` counts unless an answer has come. */
static void end_try(struct post *post, const char *why)
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
	struct post *post = timer->data;
	char why[64];
	if (post->state == POST_RESTING) {
		begin_try(post);
		return;
	}
	snprintf(why, sizeof why, "no answer within %d s", DM_WEBHOOK_S);
	end_try(post, why);
}

/* The status in a line like "HTTP/1.1 204 No Content"; 0 when it is not such a line. */
static unsigned read_status(const char *line)
{
	static const char digits[] = "0123456789";
	bool good = !strncmp(line, "HTTP/1.", 7) && strspn(line + 7, digits) == 1 && line[8] == ' ' &&
		    strspn(line + 9, digits) == 3;
	return good ? (unsigned)strtoul(line + 9, NULL, 10) : 0;
}

/* Takes bytes of the answer. After the status they are discarded, so that the receiver can close in order. */
static void take_answer(struct post *post, const char *data, size_t size)
{
	size_t room = STATUS_BYTES - post->line_size, part = size < room ? size : room;
	memcpy(post->line + post->line_size, data, part);
	post->line_size += part;
	post->line[post->line_size] = 0;
	post->received += size;
	if (!post->status && (memchr(post->line, '\n', post->line_size) || post->line_size == STATUS_BYTES)) {
		post->status = read_status(post->line);
		if (!post->status)
			end_try(post, "its answer is not HTTP/1.x");
	}
	if (post->state == POST_TRYING && post->received > ANSWER_BYTES)
		end_try(post, "its answer is too long");
}

static void on_room(uv_handle_t *tcp, size_t wanted, uv_buf_t *buf)
{
	struct post *post = tcp->data;
	(void)wanted;
	*buf = uv_buf_init(post->base.reports->scratch, sizeof post->base.reports->scratch);
}

static void on_answer(uv_stream_t *tcp, ssize_t size, const uv_buf_t *buf)
{
	struct post *post = tcp->data;
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
	struct post *post = connect->data;
	uv_buf_t buf = uv_buf_init(post->base.text.data, (unsigned)post->base.text.size);
	if (post->state != POST_TRYING)
		return;
	if (!status)
		status = uv_read_start((uv_stream_t *)&post->tcp, on_room, on_answer);
	if (!status)
		status = uv_write(&post->write, (uv_stream_t *)&post->tcp, &buf, 1, on_written);
	if (status)
		end_try(post, uv_strerror(status));
}

static void begin_try(struct post *post)
{
	struct dm_reports *reports = post->base.reports;
	PD_ASSERT(post->tries < DM_WEBHOOK_TRIES);
	post->state = POST_TRYING;
	post->tries++;
	post->status = 0;
	post->line_size = post->received = 0;
	uv_tcp_init(reports->loop, &post->tcp); /* cannot fail: there is no socket yet */
	post->tcp.data = post->connect.data = post;
	uv_timer_start(&post->timer, on_timer, DM_WEBHOOK_S * 1000, 0);
	int rc = uv_tcp_connect(&post->connect, &post->tcp, (const struct sockaddr *)&reports->address, on_connected);
	if (rc)
		end_try(post, uv_strerror(rc));
}

static bool prepare_post(struct dm_report *report, const struct sv_finished *f)
{
	const struct dm_reports *to = report->reports;
	pd_buf_printf(&report->text,
		      "POST %s%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: proofd/%s\r\nContent-Type: application/json\r\n"
		      "Content-Length: %zu\r\nConnection: close\r\n\r\n",
		      to->target[0] == '/' ? "" : "/", to->target, to->where, PD_VERSION, f->json_size + 1);
	return true;
}

static void start_post(struct dm_report *report)
{
	struct post *post = (struct post *)report;
	uv_timer_init(report->reports->loop, &post->timer);
	post->timer.data = post;
	begin_try(post);
}

static bool abandon_post(struct dm_report *report)
{
	struct post *post = (struct post *)report;
	bool delivered = is_delivered(post);
	if (post->state == POST_TRYING)
		end_try(post, "the server stops");
	else if (post->state == POST_RESTING)
		uv_close((uv_handle_t *)&post->timer, on_timer_closed);
	return delivered;
}

static int read_url(struct dm_reports *reports, const char *url, struct pd_fail *fail)
{

	static const char scheme[] = "http://";
	if (strncmp(url, scheme, sizeof scheme - 1) != 0)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "on-finish",
				   "--on-finish takes the path of a program, or a URL that begins with http://, not "
				   "'%.40s'",
				   url);
	const char *authority = url + sizeof scheme - 1;
	size_t size = strcspn(authority, "/?");

	reports->target = authority + size;
	for (const char *c = reports->target; *c; c++)
		if (*c <= ' ' || *c >= 127 || *c == '#')
			return refuse_url(fail, "the path has blanks, a #, or other bytes that must be written as %XX");
	if (strlen(reports->target) > PATH_BYTES)
		return refuse_url(fail, "the path is longer than 1024 bytes");
	return read_authority(reports, authority, size, fail);
}

const struct dm_reporter dm_webhook = {sizeof(struct post), read_url, prepare_post, start_post, abandon_post, NULL};
