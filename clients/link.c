/* Link: see link.h. */
#include "clients/link.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clients/tls.h"
#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"
#include "proto/out.h"
#include "proto/rpc.h"

enum {
	NOTES_MAX = 64,                        /* notifications kept for cl_link_next; of more the oldest is dropped */
	CHUNK = 64 << 10,                      /* bytes of one read */
	TICK_MS = 20,                          /* between two ticks of a core in this process: short jobs end at once */
	INPUT_MAX = PR_REPLY_MAX + PR_LINE_MAX /* the longest line there is, and what may come behind it */
};

/* A request under way. */
struct request {
	int64_t id;
	char method[32];    /* for messages */
	bool slow;          /* its reply may take any time */
	struct pr_doc *doc; /* owned: its reply, when it came before it was wanted; else NULL */
};

struct cl_link {
	int fd;                     /* the socket, or the end of the wake pipe that is read */
	int wake_fd;                /* the other end of the pipe; -1 without a core */
	struct sv_core *core;       /* NULL: the server is another process */
	struct sv_session *session; /* of the core */
	uint64_t ticked_ns;         /* when the core had its last tick */
	struct cl_tls *tls;         /* owned; NULL: plain bytes */
	double patience_s;          /* with another process, for the answer to a short question; 0: for ever */
	char address[128];          /* of that process, for messages */
	int64_t last_id;            /* of the last request */
	struct pd_buf in;           /* what has arrived and was not read as a line yet */
	size_t scanned;             /* bytes of `in` known to hold no newline */
	struct request ahead[CL_AHEAD_MAX];
	unsigned ahead_count;
	struct pr_doc *notes[NOTES_MAX];
	unsigned note_count;
};

static int lost(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_UNREACHABLE, "", "the server closed the connection");
}

/* --- opening ------------------------------------------------------------------------------ */

static struct cl_link *link_new(struct pd_fail *fail)
{
	struct cl_link *link = calloc(1, sizeof *link);
	if (!link) {
		pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a connection");
		return NULL;
	}
	link->fd = link->wake_fd = -1;
	pd_buf_init(&link->in, INPUT_MAX);
	return link;
}

/* Limits the time that connecting and sending may take. */
static void limit_waiting(int fd, double patience_s)
{
	struct timeval time = {(time_t)patience_s, (suseconds_t)((patience_s - (double)(time_t)patience_s) * 1e6)};
	if (fd >= 0 && patience_s > 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

/* Why there is no connection. */
static const char *reason(int errnum)
{
	return errnum == EINPROGRESS || errnum == EAGAIN ? "it takes no connection, and does not refuse one"
							 : strerror(errnum);
}

static int connect_unix(const char *path, const char *field, double patience_s, struct pd_fail *fail)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof at.sun_path) {
		pd_fail_set(fail, PD_E_USAGE, field, "--%s: a socket's path has at most %zu bytes", field,
			    sizeof at.sun_path - 1);
		return -1;
	}
	memcpy(at.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	limit_waiting(fd, patience_s);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof at))
		return fd;
	pd_fail_set(fail, PD_E_UNREACHABLE, field, "no server answers at %.200s: %s", path, reason(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Splits HOST:PORT; brackets around the host are taken off. */
static bool split(const char *address, char *host, size_t host_size, const char **port)
{
	const char *colon = strrchr(address, ':'), *from = address, *to = colon;
	if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return false;
	if (*from == '[' && to > from && to[-1] == ']') {
		from++;
		to--;
	}
	if (to <= from || (size_t)(to - from) >= host_size)
		return false;
	memcpy(host, from, (size_t)(to - from));
	host[to - from] = 0;
	*port = colon + 1;
	return true;
}

static int connect_tcp(const char *address, const char *field, double patience_s, struct pd_fail *fail)
{
	char host[256];
	const char *port;
	struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	int fd = -1, why = 0;
	if (!split(address, host, sizeof host, &port)) {
		pd_fail_set(fail, PD_E_USAGE, field, "--%s takes HOST:PORT, not '%.80s'", field, address);
		return -1;
	}
	PD_ASSERT(*port);
	int rc = getaddrinfo(host, port, &hints, &list);
	if (rc) {
		pd_fail_set(fail, PD_E_UNREACHABLE, field, "%.200s: %s", address, gai_strerror(rc));
		return -1;
	}
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		limit_waiting(fd, patience_s);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen)) {
			why = errno;
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		pd_fail_set(fail, PD_E_UNREACHABLE, field,
			    "no server answers at %.200s (%s); start one with `proofd --data DIR`", address,
			    reason(why));
	return fd;
}

/* An address written as a URL, with what would be right. */
static int refuse_url(const char *address, const char *field, struct pd_fail *fail)
{
	const char *rest = strstr(address, "://") + 3;
	if (!strncmp(address, "unix:", 5))
		return pd_fail_set(fail, PD_E_USAGE, field, "'%.80s' is a URL; write the path of the socket: %.80s",
				   address, rest);
	return pd_fail_set(fail, PD_E_USAGE, field, "'%.80s' is a URL; write HOST:PORT without the '%.*s': %.*s",
			   address, (int)(rest - address), address, (int)strcspn(rest, "/"), rest);
}

/* The first call. The kernel accepts connections for a process that is stopped: only a reply shows that it runs. */
static int greet(struct cl_link *link, const char *token, struct pd_fail *fail)
{
	struct pd_buf params;
	struct pr_out out;
	struct pr_doc *doc;
	pr_ref hello;
	pd_buf_init(&params, PR_LINE_MAX);
	pr_out_init(&out, &params);
	pr_open_object(&out, NULL);
	if (token)
		pr_str(&out, "token", token);
	pr_close(&out);
	int rc = params.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a request")
			       : cl_link_call(link, "server.hello", token ? params.data : NULL, &doc, &hello, fail);
	pd_buf_fini(&params);
	if (!rc)
		pr_doc_free(doc);
	return rc;
}

int cl_link_connect(const struct cl_where *where, struct cl_link **out, struct pd_fail *fail)
{
	const char *address = where->address, *port;
	char host[256];
	if (strstr(address, "://"))
		return refuse_url(address, where->field, fail);
	bool path = strchr(address, '/') != NULL;
	if (path && where->tls)
		return pd_fail_set(fail, PD_E_USAGE, "tls", "--tls goes with HOST:PORT; a Unix socket needs none");
	int fd = path ? connect_unix(address, where->field, where->patience_s, fail)
		      : connect_tcp(address, where->field, where->patience_s, fail);
	if (fd < 0)
		return fail->code;
	struct cl_link *link = link_new(fail);
	if (!link) {
		close(fd);
		return PD_E_NO_MEMORY;
	}
	link->fd = fd;
	link->patience_s = where->patience_s;
	snprintf(link->address, sizeof link->address, "%.120s", address);
	int rc = PD_OK;
	if (where->tls && split(address, host, sizeof host, &port))
		rc = cl_tls_open(fd, host, where->tls_ca, where->patience_s, &link->tls, fail);
	if (!rc)
		rc = greet(link, where->token, fail);
	if (rc) {
		cl_link_close(link);
		return rc;
	}
	*out = link;
	return PD_OK;
}

/* The core's wake function: any thread. A full pipe wakes as well as a fresh byte. */
static void wake(void *ctx)
{
	const struct cl_link *link = ctx;
	ssize_t n = write(link->wake_fd, "", 1);
	(void)n;
}

static void sink_send(void *ctx, const char *line, size_t size)
{
	struct cl_link *link = ctx;
	pd_buf_put(&link->in, line, size);
}

static size_t sink_backlog(void *ctx)
{
	const struct cl_link *link = ctx;
	return link->in.size;
}

static void sink_hang_up(void *ctx)
{
	struct cl_link *link = ctx;
	link->in.failed = true;
}

static bool open_pipe(struct cl_link *link)
{
	int ends[2];
	PD_ASSERT(link->fd < 0 && link->wake_fd < 0);
	if (pipe(ends))
		return false;
	link->fd = ends[0];
	link->wake_fd = ends[1];
	for (int i = 0; i < 2; i++)
		if (fcntl(ends[i], F_SETFL, O_NONBLOCK) || fcntl(ends[i], F_SETFD, FD_CLOEXEC))
			return false;
	return true;
}

int cl_link_embed(const struct sv_config *config, struct cl_link **out, struct pd_fail *fail)
{
	struct cl_link *link = link_new(fail);
	int rc = PD_OK;
	if (!link)
		return PD_E_NO_MEMORY;
	if (!open_pipe(link))
		rc = pd_fail_set(fail, pd_error_of_errno(errno), "", "a pipe could not be opened: %s", strerror(errno));
	if (!rc)
		rc = sv_core_open(config, wake, link, &link->core, fail);
	if (!rc) {
		struct sv_sink sink = {link, sink_send, sink_backlog, sink_hang_up, true};
		link->session = sv_session_new(link->core, &sink);
		if (!link->session)
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a session");
	}
	if (rc) {
		cl_link_close(link);
		return rc;
	}
	*out = link;
	return PD_OK;
}

void cl_link_close(struct cl_link *link)
{
	if (!link)
		return;
	if (link->session)
		sv_session_free(link->session);
	if (link->core)
		sv_core_close(link->core);
	cl_tls_close(link->tls);
	if (link->fd >= 0)
		close(link->fd);
	if (link->wake_fd >= 0)
		close(link->wake_fd);
	while (link->note_count)
		pr_doc_free(link->notes[--link->note_count]);
	while (link->ahead_count)
		pr_doc_free(link->ahead[--link->ahead_count].doc);
	pd_buf_fini(&link->in);
	free(link);
}

/* --- waiting ------------------------------------------------------------------------------ */

static void serve_core(struct cl_link *link)
{
	char bytes[64];
	PD_ASSERT(link->core && link->session);
	while (read(link->fd, bytes, sizeof bytes) > 0)
		;
	sv_core_pump(link->core);
	uint64_t now = pd_now_ns();
	if (now - link->ticked_ns >= (uint64_t)TICK_MS * 1000000) {
		link->ticked_ns = now;
		sv_core_tick(link->core);
	}
}

static int read_socket(struct cl_link *link, struct pd_fail *fail)
{
	PD_ASSERT(!link->core);
	if (!pd_buf_reserve(&link->in, CHUNK))
		return pd_fail_set(fail, PD_E_LIMIT, "", "the server sent a line that is too long");
	char *at = link->in.data + link->in.size;
	ssize_t n = link->tls ? cl_tls_recv(link->tls, at, CHUNK) : recv(link->fd, at, CHUNK, 0);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return PD_OK;
	if (n <= 0)
		return lost(fail);
	link->in.size += (size_t)n;
	return PD_OK;
}

/* Waits until something may have arrived, for at most wait_ms. */
static int wait_input(struct cl_link *link, unsigned wait_ms, struct pd_fail *fail)
{
	struct pollfd on = {link->fd, POLLIN, 0};
	if (link->core && wait_ms > TICK_MS)
		wait_ms = TICK_MS;
	size_t before = link->in.size;
	int rc = link->tls ? read_socket(link, fail) : PD_OK; /* it may have bytes that poll does not see */
	if (rc || link->in.size > before)
		return rc;
	int n = poll(&on, 1, (int)wait_ms);
	if (n < 0 && errno != EINTR)
		return pd_fail_set(fail, PD_E_IO, "", "waiting failed: %s", strerror(errno));
	if (link->core) {
		serve_core(link);
		return link->in.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a reply")
				       : PD_OK;
	}
	return n > 0 ? read_socket(link, fail) : PD_OK;
}

/* Takes the next whole line out of what has arrived, parsed; *out is NULL when there is none yet. */
static int take_line(struct cl_link *link, struct pr_doc **out, struct pd_fail *fail)
{
	*out = NULL;
	PD_ASSERT(link->scanned <= link->in.size);
	if (link->in.size == link->scanned)
		return PD_OK;
	const char *end = memchr(link->in.data + link->scanned, '\n', link->in.size - link->scanned);
	if (!end) {
		link->scanned = link->in.size;
		return PD_OK;
	}
	size_t size = (size_t)(end - link->in.data);
	struct pd_fail why;
	int rc = pr_doc_parse(link->in.data, size, out, &why);
	pd_buf_eat(&link->in, size + 1);
	link->scanned = 0;
	if (rc)
		return pd_fail_set(fail, (enum pd_error)rc, "", "the server sent a line that is not JSON: %.250s",
				   why.text);
	return PD_OK;
}

/* --- calling ------------------------------------------------------------------------------ */

/* Calls that may wait for the disk, for a search or for their turn. */
static bool takes_time(const char *method)
{
	static const char *const slow[] = {"job.submit", "job.pause",  "job.resume",   "job.cancel",   "job.set",
					   "fact.line",  "proof.tree", "proof.export", "proof.verify", "job.tree"};
	for (unsigned i = 0; i < sizeof slow / sizeof *slow; i++)
		if (!strcmp(method, slow[i]))
			return true;
	return false;
}

static int silent(const struct cl_link *link, const char *what, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_UNREACHABLE, "",
			   "the server at %.120s %s for %g s; is it stopped? (--timeout 0: no limit)", link->address,
			   what, link->patience_s);
}

/* There was no reply within patience_s: an error of a short call, of others a line on stderr, once. */
static int out_of_patience(const struct cl_link *link, const struct request *request, bool *said, struct pd_fail *fail)
{
	if (!request->slow)
		return silent(link, "does not answer", fail);
	if (!*said)
		pd_print(stderr, "proofctl: still waiting for the server's answer to %s\n", request->method);
	*said = true;
	return PD_OK;
}

/* Waits until the socket takes bytes. Meanwhile replies are read: a server with many of them unread takes nothing. */
static int wait_output(struct cl_link *link, struct pd_fail *fail)
{
	struct pollfd on = {link->fd, POLLOUT | POLLIN, 0};
	int n = poll(&on, 1,
		     link->patience_s > 0 && link->patience_s < INT32_MAX / 1000 ? (int)(1000 * link->patience_s) : -1);
	if (n < 0 && errno != EINTR)
		return pd_fail_set(fail, PD_E_IO, "", "waiting failed: %s", strerror(errno));
	if (n == 0)
		return silent(link, "takes nothing", fail);
	return n > 0 && on.revents & POLLIN ? read_socket(link, fail) : PD_OK;
}

static int send_line(struct cl_link *link, const char *line, size_t size, struct pd_fail *fail)
{
	PD_ASSERT(size && line[size - 1] == '\n');
	if (link->core) {
		sv_session_line(link->session, line, size - 1);
		return PD_OK;
	}
	while (size) {
		ssize_t n = link->tls ? cl_tls_send(link->tls, line, size)
				      : send(link->fd, line, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN && !link->tls) {
			int rc = wait_output(link, fail);
			if (rc)
				return rc;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return silent(link, "takes nothing", fail);
		if (n <= 0)
			return lost(fail);
		line += n;
		size -= (size_t)n;
	}
	return PD_OK;
}

static int send_request(struct cl_link *link, const char *method, const char *params, struct pd_fail *fail)
{
	struct pd_buf line;
	pd_buf_init(&line, INPUT_MAX);
	pd_buf_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\"", ++link->last_id, method);
	if (params) {
		pd_buf_puts(&line, ",\"params\":");
		pd_buf_puts(&line, params);
	}
	pd_buf_puts(&line, "}\n");
	int rc = line.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a request")
			     : send_line(link, line.data, line.size, fail);
	pd_buf_fini(&line);
	return rc;
}

static void keep_note(struct cl_link *link, struct pr_doc *note)
{
	PD_ASSERT(link->note_count <= NOTES_MAX);
	if (link->note_count == NOTES_MAX) {
		pr_doc_free(link->notes[0]);
		memmove(link->notes, link->notes + 1, --link->note_count * sizeof *link->notes);
	}
	link->notes[link->note_count++] = note;
}

/* An error reply as an error of ours. */
static int refused(pr_ref error, struct pd_fail *fail)
{
	pr_ref data = pr_get(error, "data");
	int64_t code = pr_get_int(error, "code", PD_E_INTERNAL);
	if (!code || code < INT32_MIN || code > INT32_MAX)
		code = PD_E_INTERNAL;
	return pd_fail_set(fail, (enum pd_error)code, pr_get_str(data, "field", ""), "%.300s",
			   pr_get_str(error, "message", "the server refused"));
}

static struct request *request_of(struct cl_link *link, int64_t id)
{
	for (unsigned i = 0; i < link->ahead_count; i++)
		if (link->ahead[i].id == id)
			return &link->ahead[i];
	return NULL;
}

int cl_link_send(struct cl_link *link, const char *method, const char *params, int64_t *id, struct pd_fail *fail)
{
	PD_ASSERT(*method && link->ahead_count < CL_AHEAD_MAX);
	int rc = send_request(link, method, params, fail);
	if (rc)
		return rc;
	struct request *r = &link->ahead[link->ahead_count++];
	*r = (struct request){.id = link->last_id, .slow = takes_time(method)};
	snprintf(r->method, sizeof r->method, "%s", method);
	*id = r->id;
	return PD_OK;
}

/* A line that is no notification: the reply to a request that is under way. Another id belongs to no call of ours; an
 * error without id is the server's last message (too many connections), so `wanted` gets it, unless it is NULL. */
static void keep_reply(struct cl_link *link, struct request *wanted, struct pr_doc *doc)
{
	pr_ref root = pr_doc_root(doc);
	bool nameless = pr_has(root, "error") && pr_kind_of(pr_get(root, "id")) != PR_INT;
	struct request *r = nameless ? wanted : request_of(link, pr_get_int(root, "id", -1));
	if (r && !r->doc)
		r->doc = doc;
	else
		pr_doc_free(doc);
}

/* Reads until the reply is there. */
static int await(struct cl_link *link, struct request *wanted, struct pd_fail *fail)
{
	struct pr_doc *doc;
	bool said = false;
	uint64_t begin = pd_now_ns();
	int rc = PD_OK;
	while (!rc && !wanted->doc) {
		rc = take_line(link, &doc, fail);
		if (!rc && !doc)
			rc = wait_input(link, TICK_MS, fail);
		if (!rc && !doc && link->patience_s > 0 && (double)(pd_now_ns() - begin) > link->patience_s * 1e9)
			rc = out_of_patience(link, wanted, &said, fail);
		if (rc || !doc)
			continue;
		if (pr_has(pr_doc_root(doc), "method"))
			keep_note(link, doc);
		else
			keep_reply(link, wanted, doc);
	}
	return rc;
}

int cl_link_receive(struct cl_link *link, int64_t id, struct pr_doc **out, pr_ref *result, struct pd_fail *fail)
{
	struct request *r = request_of(link, id);
	PD_ASSERT(r != NULL);
	int rc = await(link, r, fail);
	struct pr_doc *doc = r->doc;
	*r = link->ahead[--link->ahead_count];
	if (rc)
		return rc;
	pr_ref root = pr_doc_root(doc), error = pr_get(root, "error");
	if (error) {
		rc = refused(error, fail);
		pr_doc_free(doc);
		return rc;
	}
	*out = doc;
	*result = pr_get(root, "result");
	return PD_OK;
}

bool cl_link_replied(struct cl_link *link, int64_t id)
{
	const struct request *r = request_of(link, id);
	PD_ASSERT(r != NULL);
	return r->doc != NULL;
}

int cl_link_call(struct cl_link *link, const char *method, const char *params, struct pr_doc **out, pr_ref *result,
		 struct pd_fail *fail)
{
	int64_t id;
	int rc = cl_link_send(link, method, params, &id, fail);
	return rc ? rc : cl_link_receive(link, id, out, result, fail);
}

int cl_link_next(struct cl_link *link, unsigned wait_ms, struct pr_doc **out, pr_ref *params, struct pd_fail *fail)
{
	uint64_t until = pd_now_ns() + (uint64_t)wait_ms * 1000000;
	*out = NULL;
	*params = NULL;
	if (link->note_count) {
		*out = link->notes[0];
		memmove(link->notes, link->notes + 1, --link->note_count * sizeof *link->notes);
	}
	while (!*out) {
		struct pr_doc *doc;
		int rc = take_line(link, &doc, fail);
		if (rc)
			return rc;
		if (doc && pr_has(pr_doc_root(doc), "method")) {
			*out = doc;
			break;
		}
		if (doc)
			keep_reply(link, NULL, doc);
		uint64_t now = pd_now_ns();
		if (now >= until)
			return PD_OK;
		if (!doc && (rc = wait_input(link, (unsigned)((until - now) / 1000000) + 1, fail)))
			return rc;
	}
	*params = pr_get(pr_doc_root(*out), "params");
	return PD_OK;
}
