#include "clients/libproofd/core.h"

#include <stdlib.h>

#include "clients/libproofd/fault.h"
#include "clients/libproofd/reply.h"
#include "proto/base/assert.h"
#include "proto/out.h"
#include "proto/rpc.h"

enum { INPUT_MAX = PR_REPLY_MAX + PR_LINE_MAX /* the longest line, and the beginning of the next */ };

static const struct pc_limits usual_limits = {
	.line = PR_LINE_MAX, .reply = PR_REPLY_MAX, .positions = PR_POSITIONS_MAX, .inflight = 64};

int pc_core_init(struct pc_core *core, const char *token, struct proofd_error *error)
{
	*core = (struct pc_core){.limits = usual_limits};
	TAILQ_INIT(&core->queue);
	TAILQ_INIT(&core->sent);
	TAILQ_INIT(&core->again);
	LIST_INIT(&core->watches);
	pd_buf_init(&core->in, INPUT_MAX);
	if (!token)
		return 0;
	core->token = strdup(token);
	return core->token ? 0 : pc_fault_memory(error);
}

/* --- calls -------------------------------------------------------------------------------- */

static struct pc_calls *list_of(struct pc_core *core, enum pc_place place)
{
	return place == PC_QUEUED ? &core->queue : place == PC_SENT ? &core->sent : &core->again;
}

static void count_calls(struct pc_core *core, enum pc_place place, int by)
{
	if (place == PC_QUEUED)
		core->queued += (size_t)by;
	else if (place == PC_SENT)
		core->under_way += (size_t)by;
}

static void leave_list(struct pc_core *core, struct proofd_pending *call)
{
	if (call->place == PC_NOWHERE)
		return;
	TAILQ_REMOVE(list_of(core, call->place), call, link);
	count_calls(core, call->place, -1);
	call->place = PC_NOWHERE;
}

static void enter_list(struct pc_core *core, struct proofd_pending *call, enum pc_place place)
{
	PD_ASSERT(call->place == PC_NOWHERE && place != PC_NOWHERE);
	TAILQ_INSERT_TAIL(list_of(core, place), call, link);
	count_calls(core, place, 1);
	call->place = place;
}

/* Queues a call: calls of the library come before those of the program, which are in the order of their numbers.
 * job.watch and job.unwatch must arrive in the order in which they were called. */
static void queue_call(struct pc_core *core, struct proofd_pending *call)
{
	struct proofd_pending *next;
	TAILQ_FOREACH(next, &core->queue, link)
		if (next->kind == PC_CALL && (call->kind != PC_CALL || next->id > call->id))
			break;
	if (next)
		TAILQ_INSERT_BEFORE(next, call, link);
	else
		TAILQ_INSERT_TAIL(&core->queue, call, link);
	call->place = PC_QUEUED;
	core->queued++;
}

static void call_free(struct proofd_pending *call)
{
	PD_ASSERT(call->place == PC_NOWHERE);
	pc_reply_free(call->reply);
	pd_buf_fini(&call->line);
	free(call);
}

void pc_call_forget(struct pc_core *core, struct proofd_pending *call)
{
	call->wanted = false;
	if (call->place == PC_QUEUED || call->place == PC_AGAIN)
		leave_list(core, call);
	if (call->place == PC_NOWHERE)
		call_free(call);
}

void pc_core_cancel(struct pc_core *core, struct proofd_pending *call)
{
	PD_ASSERT(call->wanted && !call->done);
	call->done = call->failed = true;
	pc_fault(&call->error, "closed", "%s was cancelled", call->method);
	if (call->place != PC_SENT) /* a sent call stays in its list until its reply arrives */
		leave_list(core, call);
}

static bool only_reads(const char *method)
{
	enum pr_method found;
	return pr_method_find(method, &found) && pr_method_info(found)->role <= PR_ROLE_QUERY;
}

static void put_request(struct pd_buf *line, int64_t id, const char *method, const char *params, size_t size)
{
	struct pr_out out;
	pr_out_init(&out, line);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("jsonrpc", "2.0"), PR_I("id", id), PR_S("method", method));
	if (params)
		pr_raw(&out, "params", params, size);
	pr_close(&out);
	pd_buf_puts(line, "\n");
}

static struct proofd_pending *call_new(struct pc_core *core, const struct pc_request *request)
{
	struct proofd_pending *call = calloc(1, sizeof *call);
	if (!call)
		return NULL;
	call->id = ++core->ids;
	call->repeatable = only_reads(request->method) || (request->has_key && !strcmp(request->method, "job.submit"));
	strncpy(call->method, request->method, sizeof call->method - 1);
	pd_buf_init(&call->line, SIZE_MAX / 4);
	put_request(&call->line, call->id, request->method, request->params, request->size);
	if (call->line.failed) {
		call_free(call);
		return NULL;
	}
	return call;
}

int pc_core_add(struct pc_core *core, const struct pc_request *request, struct proofd_pending **out,
		struct proofd_error *error)
{
	struct proofd_pending *call = call_new(core, request);
	if (!call)
		return pc_fault_memory(error);
	size_t size = call->line.size;
	if (size > core->limits.line) {
		call_free(call);
		return pc_fault_code(error, PD_E_LIMIT, "",
				     "the request has %zu bytes; the server's limits.line is %zu", size,
				     core->limits.line);
	}
	call->wanted = true;
	enter_list(core, call, PC_QUEUED);
	*out = call;
	return 0;
}

/* --- watches ------------------------------------------------------------------------------ */

static void end_watch(struct proofd_watch *watch)
{
	if (watch->listed)
		LIST_REMOVE(watch, link);
	watch->listed = false;
	watch->ended = true;
}

static void fail_watches(struct pc_core *core, const uint32_t *job, const struct proofd_error *error)
{
	struct proofd_watch *watch, *next;
	for (watch = LIST_FIRST(&core->watches); watch; watch = next) {
		next = LIST_NEXT(watch, link);
		if (job && watch->job != *job)
			continue;
		watch->failed = true;
		watch->error = *error;
		end_watch(watch);
	}
}

/* Passes a state of a job to all its watches. */
static void push_state(struct pc_core *core, struct proofd_reply *state)
{
	int64_t job = pr_get_int(state->value, "job", 0);
	bool over = pc_is_over(pr_get_str(state->value, "state", ""));
	struct proofd_watch *watch, *next;
	for (watch = LIST_FIRST(&core->watches); watch; watch = next) {
		next = LIST_NEXT(watch, link);
		if (watch->job != job)
			continue;
		pc_reply_free(watch->state);
		watch->state = pc_reply_share(state);
		if (over)
			end_watch(watch);
	}
}

/* A call of the library's own. */
static int add_own(struct pc_core *core, enum pc_kind kind, uint32_t job, double interval_s, struct proofd_error *error)
{
	char params[96];
	struct pd_buf text;
	struct pr_out out;
	pd_buf_init(&text, sizeof params);
	pr_out_init(&out, &text);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_U("job", job),
		   PR_OPT(kind == PC_WATCH, PR_R("interval", interval_s, 3)), PR_CLOSE);
	const struct pc_request request = {
		.method = kind == PC_WATCH ? "job.watch" : "job.unwatch", .params = text.data, .size = text.size};
	struct proofd_pending *call = text.failed ? NULL : call_new(core, &request);
	pd_buf_fini(&text);
	if (!call)
		return pc_fault_memory(error);
	call->kind = kind;
	call->job = job;
	queue_call(core, call);
	return 0;
}

int pc_core_ask_again(struct pc_core *core, uint32_t job, struct proofd_error *error)
{
	double least = -1;
	const struct proofd_watch *watch;
	LIST_FOREACH(watch, &core->watches, link)
		if (watch->job == job && (least < 0 || watch->interval_s < least))
			least = watch->interval_s;
	return least < 0 ? 0 : add_own(core, PC_WATCH, job, least, error);
}

int pc_core_watch(struct pc_core *core, struct proofd_watch *watch, struct proofd_error *error)
{
	LIST_INSERT_HEAD(&core->watches, watch, link);
	watch->listed = true;
	if (!pc_core_ask_again(core, watch->job, error))
		return 0;
	end_watch(watch);
	return -1;
}

void pc_core_unwatch(struct pc_core *core, struct proofd_watch *watch)
{
	struct proofd_watch *other;
	struct proofd_error ignored;
	if (!watch->listed)
		return;
	end_watch(watch);
	LIST_FOREACH(other, &core->watches, link)
		if (other->job == watch->job)
			return;
	if (core->greeted)
		add_own(core, PC_UNWATCH, watch->job, 0,
			&ignored); /* else the server keeps sending states, which are dropped */
}

/* --- endings of calls --------------------------------------------------------------------- */

/* Ends a call with a reply, of which it takes ownership, or with an error; the other one is NULL. */
static void finish_call(struct pc_core *core, struct proofd_pending *call, struct proofd_reply *reply,
			const struct proofd_error *error)
{
	leave_list(core, call);
	if (call->done) { /* it was cancelled */
		pc_reply_free(reply);
	} else {
		call->done = true;
		call->reply = reply;
		call->failed = error != NULL;
		if (error)
			call->error = *error;
	}
	if (call->kind == PC_WATCH && error)
		fail_watches(core, &call->job, error);
	else if (call->kind == PC_WATCH)
		push_state(core, reply);
	if (!call->wanted)
		call_free(call);
}

void pc_core_lost(struct pc_core *core, const char *why)
{
	struct proofd_pending *call;
	struct proofd_error error;
	core->greeted = false;
	core->greeting = 0;
	while ((call = TAILQ_FIRST(&core->again)) || (call = TAILQ_FIRST(&core->sent))) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a freed call has left its list, which the analyzer does
		 * not see */
		if (call->done || !call->wanted) { /* also job.watch and job.unwatch: watches are renewed separately */
			leave_list(core, call);
			if (!call->wanted)
				call_free(call);
		} else if (call->repeatable) {
			leave_list(core, call);
			queue_call(core, call);
		} else {
			pc_fault(&error, "unknown-fate", "%s: %s; it may have been carried out or not", call->method,
				 why);
			finish_call(core, call, NULL, &error);
		}
	}
	PD_ASSERT(!core->under_way);
}

static struct proofd_pending *any_call(struct pc_core *core)
{
	struct proofd_pending *call = TAILQ_FIRST(&core->queue);
	call = call ? call : TAILQ_FIRST(&core->again);
	return call ? call : TAILQ_FIRST(&core->sent);
}

void pc_core_fail(struct pc_core *core, const struct proofd_error *error)
{
	struct proofd_pending *call;
	while ((call = any_call(core)))
		finish_call(core, call, NULL, error); /* NOLINT(clang-analyzer-unix.Malloc): as above */
	fail_watches(core, NULL, error);
}

void pc_core_fini(struct pc_core *core)
{
	struct proofd_watch *watch;
	struct proofd_pending *call;
	while ((watch = LIST_FIRST(&core->watches))) {
		end_watch(watch); /* NOLINT(clang-analyzer-unix.Malloc): as above */
		pc_reply_free(watch->state);
		free(watch);
	}
	while ((call = any_call(core))) {
		leave_list(core, call); /* NOLINT(clang-analyzer-unix.Malloc): as above */
		call_free(call);
	}
	pd_buf_fini(&core->in);
	free(core->token);
}

/* --- the connection ----------------------------------------------------------------------- */

void pc_core_connected(struct pc_core *core)
{
	pd_buf_reset(&core->in);
	core->scanned = 0;
	core->greeted = core->refused = false;
	core->greeting = ++core->ids;
	core->greeting_due = true;
}

static void put_greeting(struct pc_core *core, struct pd_buf *to)
{
	struct pd_buf params;
	struct pr_out out;
	pd_buf_init(&params, PR_LINE_MAX);
	pr_out_init(&out, &params);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_OPT_S("token", core->token), PR_CLOSE);
	to->failed = to->failed || params.failed;
	if (!to->failed)
		put_request(to, core->greeting, "server.hello", params.data, params.size);
	pd_buf_fini(&params);
}

void pc_core_output(struct pc_core *core, struct pd_buf *out)
{
	struct proofd_pending *call;
	if (core->greeting_due)
		put_greeting(core, out);
	core->greeting_due = false;
	while (core->greeted && !out->failed && core->under_way < core->limits.inflight &&
	       (call = TAILQ_FIRST(&core->queue))) {
		leave_list(core, call);
		enter_list(core, call, PC_SENT);
		pd_buf_put(out, call->line.data, call->line.size);
	}
}

/* --- what arrives ------------------------------------------------------------------------- */

static size_t read_limit(pr_ref limits, const char *name, size_t usual)
{
	int64_t value = pr_get_int(limits, name, 0);
	return value > 0 ? (size_t)value : usual;
}

static int take_greeting(struct pc_core *core, pr_ref hello, struct proofd_error *error)
{
	pr_ref limits = pr_get(hello, "limits");
	struct proofd_pending *call, *next;
	struct proofd_watch *watch;
	core->greeting = 0;
	core->greeted = true;
	core->limits = (struct pc_limits){
		.line = read_limit(limits, "line", usual_limits.line),
		.reply = read_limit(limits, "reply", usual_limits.reply),
		.positions = read_limit(limits, "positions", usual_limits.positions),
		.inflight = (unsigned)read_limit(limits, "inflight", usual_limits.inflight),
		.rate = pr_get_int(limits, "rate", 0),
	};
	core->in.limit = core->limits.reply + PR_LINE_MAX;
	for (call = TAILQ_FIRST(&core->queue); call; call = next) {
		next = TAILQ_NEXT(call, link);
		if (call->kind != PC_CALL) {
			leave_list(core, call);
			call_free(call);
		}
	}
	LIST_FOREACH(watch, &core->watches, link) {
		const struct proofd_watch *other = LIST_FIRST(&core->watches);
		while (other->job != watch->job)
			other = LIST_NEXT(other, link);
		if (other == watch && pc_core_ask_again(core, watch->job, error)) /* once for each job */
			return -1;
	}
	return 0;
}

static struct proofd_pending *sent_of(struct pc_core *core, int64_t id)
{
	struct proofd_pending *call;
	TAILQ_FOREACH(call, &core->sent, link)
		if (call->id == id)
			return call;
	return NULL;
}

/* The reply to a call. Takes `doc`. */
static int take_answer(struct pc_core *core, struct proofd_pending *call, struct pr_doc *doc,
		       struct proofd_error *error)
{
	pr_ref refused = pr_get(pr_doc_root(doc), "error");
	if (!call) {
		pr_doc_free(doc);
		return 0;
	}
	if (refused) {
		struct proofd_error why;
		pc_fault_reply(&why, refused);
		pr_doc_free(doc);
		if (why.code == PD_E_SHUTDOWN && call->repeatable && call->wanted && !call->done) {
			leave_list(core, call);
			enter_list(core, call, PC_AGAIN);
		} else {
			finish_call(core, call, NULL, &why);
		}
		return 0;
	}
	struct proofd_reply *reply = pc_reply_new(doc, pr_get(pr_doc_root(doc), "result"));
	if (!reply)
		return pc_fault_memory(error);
	finish_call(core, call, reply, NULL);
	return 0;
}

static int set_strange(const char *line, size_t size, struct proofd_error *error)
{
	return pc_fault(error, "protocol", "the peer does not speak the protocol: '%.*s'", (int)(size < 60 ? size : 60),
			line);
}

static int take_notification(struct pc_core *core, struct pr_doc *doc, struct proofd_error *error)
{
	pr_ref root = pr_doc_root(doc);
	if (core->take_note) {
		core->take_note(core->note_ctx, doc);
		return 0;
	}
	if (strcmp(pr_get_str(root, "method", ""), "job.progress") != 0) {
		pr_doc_free(doc);
		return 0;
	}
	struct proofd_reply *state = pc_reply_new(doc, pr_get(root, "params"));
	if (!state)
		return pc_fault_memory(error);
	push_state(core, state);
	pc_reply_free(state);
	return 0;
}

static int read_line(struct pc_core *core, const char *line, size_t size, struct proofd_error *error)
{
	struct pr_doc *doc;
	struct pd_fail fail;
	int rc = pr_doc_parse(line, size, &doc, &fail);
	if (rc)
		return rc == PD_E_NO_MEMORY ? pc_fault_memory(error) : set_strange(line, size, error);
	pr_ref root = pr_doc_root(doc), refused = pr_get(root, "error"), id = pr_get(root, "id");
	if (pr_has(root, "method"))
		return take_notification(core, doc, error);
	if (!id || (!refused && !pr_has(root, "result"))) {
		pr_doc_free(doc);
		return set_strange(line, size, error);
	}
	int64_t number = pr_number(id, 0);
	if (number && number != core->greeting)
		return take_answer(core, sent_of(core, number), doc, error);
	if (refused) {
		core->refused = true;
		pc_fault_reply(&core->refusal, refused);
	} else if (number) {
		rc = take_greeting(core, pr_get(root, "result"), error);
	}
	pr_doc_free(doc);
	return rc;
}

int pc_core_read(struct pc_core *core, struct proofd_error *error)
{
	size_t begin = 0;
	int rc = 0;
	PD_ASSERT(core->scanned <= core->in.size);
	while (!rc && core->scanned < core->in.size) {
		const char *data = core->in.data;
		const char *end = memchr(data + core->scanned, '\n', core->in.size - core->scanned);
		if (!end) {
			core->scanned = core->in.size;
			break;
		}
		size_t size = (size_t)(end - data) - begin;
		core->scanned = begin + size + 1;
		rc = read_line(core, data + begin, size, error);
		begin = core->scanned;
	}
	if (begin) {
		pd_buf_eat(&core->in, begin);
		core->scanned -= begin;
	}
	if (!rc && core->in.size > core->limits.reply + PR_LINE_MAX / 2)
		rc = pc_fault(error, "protocol", "the server sent a line of more than %zu bytes", core->limits.reply);
	return rc;
}
