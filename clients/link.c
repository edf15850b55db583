#include "clients/link.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <unistd.h>

#include "clients/libproofd/client.h"
#include "clients/libproofd/connection.h"
#include "clients/libproofd/reply.h"
#include "clients/options.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

enum {
	NOTES_MAX = 64, /* notifications kept for cl_link_next; when full, the oldest is dropped */
	TICK_MS = 20    /* between two ticks of a core; small, so that short jobs are reported at once */
};

/* A request in flight, or a free slot. */
struct request {
	int64_t id;                  /* 0: free */
	struct proofd_pending *call; /* owned; NULL: the server is a core, whose answer is in the members below */
	bool done;
	struct pr_doc *doc; /* owned: the result; NULL: the error is in `fail` */
	struct pd_fail fail;
};

struct cl_link {
	struct proofd *server;      /* owned; NULL: the server is a core in this process */
	struct sv_core *core;       /* owned; NULL: the server is another process */
	struct sv_session *session; /* owned: the session of the core */
	int wake[2];                /* a pipe that threads of the core write to; -1: not open */
	uint64_t ticked_ns;         /* when the core had its last tick */
	bool failed;                /* there was no memory for a notification of the core */
	double patience_s;          /* how long a server may take to answer a short question; 0: no limit */
	int64_t last_id;            /* number of the last request */
	struct request ahead[CL_AHEAD_MAX];
	struct pr_doc *notes[NOTES_MAX]; /* owned */
	unsigned note_count;
	struct pr_doc *current; /* owned: what the last result or notification is borrowed from */
};

struct pr_doc *cl_link_keep(struct cl_link *link)
{
	struct pr_doc *doc = link->current;
	link->current = NULL;
	return doc;
}

static void set_current(struct cl_link *link, struct pr_doc *doc)
{
	pr_doc_free(link->current);
	link->current = doc;
}

static struct pr_doc *take_note(struct cl_link *link)
{
	struct pr_doc *note = link->notes[0];
	PD_ASSERT(link->note_count);
	memmove(link->notes, link->notes + 1, --link->note_count * sizeof *link->notes);
	return note;
}

static void keep_note(void *ctx, struct pr_doc *note)
{
	struct cl_link *link = ctx;
	if (link->note_count == NOTES_MAX)
		pr_doc_free(take_note(link));
	link->notes[link->note_count++] = note;
}

/* The request of that number; 0: a free slot. */
static struct request *find_request(struct cl_link *link, int64_t id)
{
	for (unsigned i = 0; i < CL_AHEAD_MAX; i++)
		if (link->ahead[i].id == id)
			return &link->ahead[i];
	return NULL;
}

/* Converts an error of libproofd. Those without a code of the protocol become PD_E_UNREACHABLE. */
static int set_fail(struct pd_fail *fail, const struct proofd_error *error)
{
	return pd_fail_set(fail, error->code ? (enum pd_error)error->code : PD_E_UNREACHABLE, error->field, "%.300s",
			   error->message);
}

/* Converts an error of connecting; its field becomes an option of proofctl. */
static int set_connect_fail(struct pd_fail *fail, const struct cl_where *where, const struct proofd_error *error)
{
	if (!strncmp(error->field, "tls", 3))
		return pd_fail_set(fail, (enum pd_error)error->code, "tls", "--tls%s: %.300s",
				   error->field[3] ? "-ca" : "", error->message);
	if (error->code == PD_E_UNREACHABLE || !strcmp(error->field, "address"))
		return pd_fail_set(fail, (enum pd_error)error->code, where->field, "%.300s", error->message);
	return set_fail(fail, error);
}

int cl_link_connect(const struct cl_where *where, struct cl_link **out, struct pd_fail *fail)
{
	const struct proofd_options options = {
		.address = *where->address ? where->address : ":", /* "" would be libproofd's default */
		.token = where->token,
		.tls = where->tls,
		.tls_ca = where->tls_ca,
		.connect_timeout_s = where->patience_s > 0 ? where->patience_s : INFINITY,
		.reconnect_s = -1,
	};
	struct proofd_error error;
	struct cl_link *link = calloc(1, sizeof *link);
	if (!link)
		return cl_no_memory(fail);
	*link = (struct cl_link){.patience_s = where->patience_s, .wake = {-1, -1}};
	if (proofd_open(&options, &link->server, &error)) {
		cl_link_close(link);
		return set_connect_fail(fail, where, &error);
	}
	link->server->core.take_note = keep_note;
	link->server->core.note_ctx = link;
	*out = link;
	return PD_OK;
}

/* May be called by any thread. If the pipe is full, the bytes in it wake the loop. */
static void wake_loop(void *ctx)
{
	const struct cl_link *link = ctx;
	ssize_t n = write(link->wake[1], "", 1);
	(void)n;
}

static void take_line(void *ctx, const char *line, size_t size)
{
	struct cl_link *link = ctx;
	struct pr_doc *note;
	struct pd_fail fail;
	if (pr_doc_parse(line, size, &note, &fail))
		link->failed = true;
	else
		keep_note(link, note);
}

/* Nothing waits to be sent, because each line is taken at once. */
static size_t count_backlog(void *ctx)
{
	(void)ctx;
	return 0;
}

static void note_failure(void *ctx)
{
	((struct cl_link *)ctx)->failed = true;
}

static void complete_call(void *ctx, const struct sv_result *result)
{
	struct request *request = ctx;
	request->done = true;
	if (result->fail)
		request->fail = *result->fail;
	else if (!result->ended && pr_doc_parse(result->json, result->size, &request->doc, &request->fail))
		request->doc = NULL;
}

static int open_pipe(struct cl_link *link, struct pd_fail *fail)
{
	bool open = !pipe(link->wake);
	for (unsigned i = 0; open && i < 2; i++)
		open = !fcntl(link->wake[i], F_SETFL, O_NONBLOCK) && !fcntl(link->wake[i], F_SETFD, FD_CLOEXEC);
	return open ? PD_OK
		    : pd_fail_set(fail, pd_error_of_errno(errno), "", "cannot open a pipe: %s", strerror(errno));
}

int cl_link_embed(const struct sv_config *config, struct cl_link **out, struct pd_fail *fail)
{
	struct cl_link *link = calloc(1, sizeof *link);
	if (!link)
		return cl_no_memory(fail);
	*link = (struct cl_link){.wake = {-1, -1}};
	int rc = open_pipe(link, fail);
	if (!rc)
		rc = sv_core_open(config, wake_loop, link, &link->core, fail);
	const struct sv_sink sink = {link, take_line, count_backlog, note_failure, true};
	if (!rc && !(link->session = sv_session_new(link->core, &sink)))
		rc = cl_no_memory(fail);
	if (rc)
		cl_link_close(link);
	else
		*out = link;
	return rc;
}

/* Serves the core once, after waiting for at most that many seconds; negative: no such limit. */
static int serve_core(struct cl_link *link, double seconds, struct pd_fail *fail)
{
	char bytes[64];
	struct pollfd on = {link->wake[0], POLLIN, 0};
	int ms = seconds < 0 || seconds * 1e3 >= TICK_MS ? TICK_MS : (int)(seconds * 1e3) + 1;
	if (poll(&on, 1, ms) < 0 && errno != EINTR)
		return pd_fail_set(fail, PD_E_IO, "", "waiting failed: %s", strerror(errno));
	while (read(link->wake[0], bytes, sizeof bytes) > 0)
		;
	sv_core_pump(link->core);
	uint64_t now = pd_now_ns();
	if (now - link->ticked_ns >= (uint64_t)TICK_MS * 1000000) {
		link->ticked_ns = now;
		sv_core_tick(link->core);
	}
	return link->failed ? cl_no_memory(fail) : PD_OK;
}

static void drop_request(struct cl_link *link, struct request *request)
{
	if (request->call)
		pc_call_forget(&link->server->core, request->call);
	pr_doc_free(request->doc);
	*request = (struct request){0};
}

void cl_link_close(struct cl_link *link)
{
	if (!link)
		return;
	if (link->session)
		sv_session_free(link->session);
	for (unsigned i = 0; i < CL_AHEAD_MAX; i++)
		drop_request(link, &link->ahead[i]);
	proofd_close(link->server);
	if (link->core)
		sv_core_close(link->core);
	for (unsigned i = 0; i < 2; i++)
		if (link->wake[i] >= 0)
			close(link->wake[i]);
	while (link->note_count)
		pr_doc_free(link->notes[--link->note_count]);
	pr_doc_free(link->current);
	free(link);
}

static int set_lost(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_UNREACHABLE, "", "the server closed the connection");
}

static int send_to_core(struct cl_link *link, const char *method, const char *params, struct request *request,
			struct pd_fail *fail)
{
	enum pr_method id;
	if (!pr_method_find(method, &id))
		return pd_fail_set(fail, PD_E_METHOD, method, "there is no method '%.60s'; rpc.discover lists all",
				   method);
	params = params ? params : "{}";
	sv_call_text(link->session, id, &(struct sv_text){params, strlen(params), NULL}, complete_call, request);
	return PD_OK;
}

int cl_link_send(struct cl_link *link, const char *method, const char *params, int64_t *id, struct pd_fail *fail)
{
	struct proofd_error error;
	struct request *request = find_request(link, 0);
	PD_ASSERT(*method && request);
	if (link->server && !link->server->transport) /* a new connection would not have the subscriptions */
		return set_lost(fail);
	request->id = *id = ++link->last_id;
	int rc = link->core ? send_to_core(link, method, params, request, fail)
		 : proofd_start(link->server, method, params, &request->call, &error) ? set_fail(fail, &error)
										      : PD_OK;
	if (rc)
		request->id = 0;
	return rc;
}

static bool is_answered(const void *ctx)
{
	const struct request *request = ctx;
	return request->call ? request->call->done : request->done;
}

/* Waits until done(ctx), or the deadline (clients/libproofd/transport.h). */
static int serve_link(struct cl_link *link, bool (*done)(const void *ctx), const void *ctx, uint64_t deadline,
		      struct pd_fail *fail)
{
	int rc = PD_OK;
	if (link->server)
		pc_serve(link->server, done, ctx, deadline);
	while (link->core && !rc && !done(ctx) && !pc_is_past(deadline))
		rc = serve_core(link, pc_left(deadline), fail);
	return rc;
}

/* Calls that may wait for the disk, for a search or for their turn. */
static bool may_take_long(const char *method)
{
	static const char *const slow[] = {"job.submit", "job.pause",  "job.resume",   "job.cancel",   "job.set",
					   "fact.line",  "proof.tree", "proof.export", "proof.verify", "job.tree"};
	for (unsigned i = 0; i < sizeof slow / sizeof *slow; i++)
		if (!strcmp(method, slow[i]))
			return true;
	return false;
}

static int await_reply(struct cl_link *link, const struct request *request, struct pd_fail *fail)
{
	int rc = serve_link(link, is_answered, request, pc_deadline(link->patience_s), fail);
	if (rc || is_answered(request))
		return rc;
	const char *method = request->call->method;
	if (!may_take_long(method))
		return pd_fail_set(
			fail, PD_E_UNREACHABLE, "",
			"the server at %.120s has not answered for %g s; is it stopped? (--timeout 0: no limit)",
			link->server->address.text, link->patience_s);
	pd_print(stderr, "proofctl: still waiting for the server's answer to %s\n", method);
	return serve_link(link, is_answered, request, 0, fail);
}

static int take_outcome(struct cl_link *link, struct request *request, pr_ref *result, struct pd_fail *fail)
{
	struct proofd_reply *reply;
	struct proofd_error error;
	if (request->call) {
		int rc = pc_outcome(request->call, &reply, &error) ? set_fail(fail, &error) : PD_OK;
		request->call = NULL;
		if (!rc)
			set_current(link, pc_reply_take(reply, result));
		return rc;
	}
	if (!request->doc) {
		*fail = request->fail;
		return fail->code;
	}
	set_current(link, request->doc);
	*result = pr_doc_root(request->doc);
	request->doc = NULL;
	return PD_OK;
}

int cl_link_receive(struct cl_link *link, int64_t id, pr_ref *result, struct pd_fail *fail)
{
	struct request *request = find_request(link, id);
	pr_ref ignored;
	PD_ASSERT(id && request);
	int rc = await_reply(link, request, fail);
	if (rc && link->core)
		return rc; /* the slot stays taken, because the core may still answer */
	if (!rc)
		rc = take_outcome(link, request, result ? result : &ignored, fail);
	drop_request(link, request);
	return rc;
}

bool cl_link_replied(struct cl_link *link, int64_t id)
{
	return is_answered(find_request(link, id));
}

int cl_link_call(struct cl_link *link, const char *method, const char *params, pr_ref *result, struct pd_fail *fail)
{
	int64_t id;
	int rc = cl_link_send(link, method, params, &id, fail);
	return rc ? rc : cl_link_receive(link, id, result, fail);
}

/* True if there is a notification, or no more can come. */
static bool has_note(const void *ctx)
{
	const struct cl_link *link = ctx;
	return link->note_count || (link->server && !link->server->transport);
}

int cl_link_next(struct cl_link *link, unsigned wait_ms, pr_ref *params, struct pd_fail *fail)
{
	*params = NULL;
	int rc = wait_ms ? serve_link(link, has_note, link, pc_deadline(wait_ms / 1e3), fail) : PD_OK;
	if (rc)
		return rc;
	if (!link->note_count)
		return has_note(link) ? set_lost(fail) : PD_OK;
	set_current(link, take_note(link));
	*params = pr_get(pr_doc_root(link->current), "params");
	return PD_OK;
}
