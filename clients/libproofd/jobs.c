/* Jobs: submitting, waiting, watching, lists, certificates. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/libproofd/connection.h"
#include "clients/libproofd/deadline.h"
#include "clients/libproofd/fault.h"
#include "clients/libproofd/reply.h"
#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "proto/out.h"
#include "proto/rpc.h"

/* Parameters that are being written. */
struct params {
	struct pd_buf text;
	struct pr_out out;
};

static void params_init(struct params *p)
{
	pd_buf_init(&p->text, SIZE_MAX / 4);
	pr_out_init(&p->out, &p->text);
	pr_open_object(&p->out, NULL);
}

/* Closes them, makes the call and frees them. */
static int params_call(struct params *p, struct proofd *server, const char *method, bool has_key,
		       struct proofd_reply **out, struct proofd_error *error)
{
	pr_close(&p->out);
	const struct pc_request request = {method, p->text.data, p->text.size, has_key};
	struct pd_fail fail;
	int rc = p->text.failed                 ? pc_fault_memory(error)
		 : pr_out_check(&p->out, &fail) ? pc_fault_fail(error, &fail)
						: pc_call(server, &request, out, error);
	pd_buf_fini(&p->text);
	return rc;
}

/* --- submitting --------------------------------------------------------------------------- */

/* Puts the parameters given as JSON, except those that are members of the question: an error. */
static int put_more(struct pr_out *out, const char *more, struct proofd_error *error)
{
	static const char *const members[] = {"game", "position", "claim", "memory", "key"};
	struct pr_doc *doc;
	struct pd_fail fail;
	if (pr_doc_parse(more, strlen(more), &doc, &fail))
		return pc_fault_code(error, (enum pd_error)fail.code, "more", "more: %s", fail.text);
	pr_ref root = pr_doc_root(doc);
	int rc = pr_kind_of(root) == PR_OBJECT
			 ? 0
			 : pc_fault_code(error, PD_E_PARAMS, "more", "more must be a JSON object");
	for (unsigned i = 0; !rc && i < sizeof members / sizeof *members; i++)
		if (pr_has(root, members[i]))
			rc = pc_fault_code(error, PD_E_PARAMS, members[i],
					   "%s is a member of the question, not of more", members[i]);
	for (size_t i = 0; !rc && i < pr_count(root); i++) {
		const char *name;
		size_t size;
		pr_ref value = pr_member(root, i, &name);
		char *text = pr_dump(value, &size);
		if (text)
			pr_raw(out, name, text, size);
		else
			rc = pc_fault_memory(error);
		free(text);
	}
	pr_doc_free(doc);
	return rc;
}

static void put_text(struct pr_out *out, const char *name, const char *text)
{
	if (text)
		pr_str(out, name, text);
}

int proofd_submit(struct proofd *server, const struct proofd_question *question, uint32_t *job,
		  struct proofd_error *error)
{
	struct proofd_error local;
	struct proofd_reply *reply;
	struct params p;
	char key[40];
	error = error ? error : &local;
	snprintf(key, sizeof key, "%016" PRIx64 "%016" PRIx64, pd_random64(), pd_random64());
	params_init(&p);
	pr_str(&p.out, "game", question->game);
	put_text(&p.out, "position", question->position);
	put_text(&p.out, "claim", question->claim);
	put_text(&p.out, "memory", question->memory);
	pr_str(&p.out, "key", question->key ? question->key : key);
	if (question->more && put_more(&p.out, question->more, error)) {
		pd_buf_fini(&p.text);
		return -1;
	}
	if (params_call(&p, server, "job.submit", true, &reply, error))
		return -1;
	*job = (uint32_t)proofd_int(proofd_get(proofd_result(reply), "job"), 0);
	proofd_reply_free(reply);
	return *job ? 0 : pc_fault(error, "protocol", "the reply has no job number");
}

/* --- watching ----------------------------------------------------------------------------- */

int proofd_watch(struct proofd *server, uint32_t job, double interval_s, struct proofd_watch **out,
		 struct proofd_error *error)
{
	struct proofd_error local;
	struct proofd_watch *watch = calloc(1, sizeof *watch);
	error = error ? error : &local;
	if (!watch)
		return pc_fault_memory(error);
	watch->server = server;
	watch->job = job;
	watch->interval_s = interval_s > 0 ? interval_s : 1;
	if (pc_core_watch(&server->core, watch, error)) {
		free(watch);
		return -1;
	}
	*out = watch;
	return 0;
}

static bool is_ready(const void *ctx)
{
	const struct proofd_watch *watch = ctx;
	return watch->state || watch->ended;
}

/* The next state until the deadline. 1, 0 or -1. */
static int next_state(struct proofd_watch *watch, uint64_t deadline, struct proofd_reply **out,
		      struct proofd_error *error)
{
	struct proofd *server = watch->server;
	while (!is_ready(watch)) {
		pc_serve(server, is_ready, watch, pc_earlier(deadline, pc_deadline(PC_SILENCE_S)));
		if (is_ready(watch))
			break;
		if (pc_is_past(deadline))
			return pc_fault(error, "timeout", "job.watch: no state of job %u within %g seconds",
					(unsigned)watch->job, server->timeout_s);
		if (pc_core_ask_again(&server->core, watch->job, error))
			return -1;
	}
	if (watch->state) {
		*out = watch->state;
		watch->state = NULL;
		return 1;
	}
	if (watch->failed) {
		*error = watch->error;
		return -1;
	}
	return 0;
}

int proofd_watch_next(struct proofd_watch *watch, struct proofd_reply **out, struct proofd_error *error)
{
	struct proofd_error local;
	return next_state(watch, pc_deadline(watch->server->timeout_s), out, error ? error : &local);
}

void proofd_watch_end(struct proofd_watch *watch)
{
	if (!watch)
		return;
	pc_core_unwatch(&watch->server->core, watch);
	PD_ASSERT(!watch->listed);
	proofd_reply_free(watch->state);
	free(watch);
}

int proofd_wait(struct proofd *server, uint32_t job, const struct proofd_follow *follow, struct proofd_reply **out,
		struct proofd_error *error)
{
	static const struct proofd_follow quiet;
	struct proofd_error local;
	struct proofd_watch *watch = NULL;
	struct proofd_reply *state = NULL, *last = NULL;
	uint64_t deadline = pc_deadline(server->timeout_s);
	bool ended = false;
	error = error ? error : &local;
	follow = follow ? follow : &quiet;
	if (proofd_watch(server, job, follow->interval_s, &watch, error))
		return -1;
	int rc = 1;
	while (rc == 1 && !ended) {
		rc = next_state(watch, deadline, &state, error);
		if (rc != 1)
			break;
		proofd_reply_free(last);
		last = state;
		/* The last state is returned instead. */
		if (!watch->ended && follow->progress)
			ended = follow->progress(follow->ctx, proofd_result(state)) != 0;
	}
	proofd_watch_end(watch);
	if (!rc && !last)
		rc = pc_fault(error, "unreachable", "the watch of job %u ended without a state", (unsigned)job);
	if (rc < 0 || ended || !out) {
		proofd_reply_free(last);
		last = NULL;
	}
	if (rc >= 0 && out)
		*out = last;
	return rc < 0 ? -1 : 0;
}

/* --- lists and certificates --------------------------------------------------------------- */

int proofd_jobs(struct proofd *server, const char *state, int (*each)(void *ctx, proofd_value job), void *ctx,
		struct proofd_error *error)
{
	struct proofd_error local;
	int64_t before = 0;
	bool ended = false;
	error = error ? error : &local;
	do {
		struct proofd_reply *page;
		struct params p;
		params_init(&p);
		put_text(&p.out, "state", state);
		if (before)
			pr_int(&p.out, "before", before);
		if (params_call(&p, server, "job.list", false, &page, error))
			return -1;
		proofd_value jobs = proofd_get(proofd_result(page), "jobs");
		for (size_t i = 0; i < proofd_count(jobs) && !ended; i++)
			ended = each(ctx, proofd_at(jobs, i)) != 0;
		before = proofd_int(proofd_get(proofd_result(page), "next"), 0);
		proofd_reply_free(page);
	} while (before && !ended);
	return 0;
}

/* One piece of a certificate; *size: its bytes. */
static int read_piece(struct proofd *server, const char *proof, int64_t offset, uint8_t **out, size_t *size,
		      struct proofd_error *error)
{
	struct proofd_reply *reply;
	struct params p;
	params_init(&p);
	pr_str(&p.out, "proof", proof);
	pr_int(&p.out, "offset", offset);
	if (params_call(&p, server, "proof.read", false, &reply, error))
		return -1;
	const char *data = proofd_text(proofd_get(proofd_result(reply), "data"), "");
	int rc = 0;
	int64_t n = 0;
	*out = malloc(strlen(data) + 1);
	if (!*out)
		rc = pc_fault_memory(error);
	else if ((n = pc_decode_base64(data, *out)) <= 0)
		rc = pc_fault(error, "protocol", "a piece of a certificate does not decode");
	*size = (size_t)n;
	proofd_reply_free(reply);
	if (rc)
		free(*out);
	return rc;
}

int proofd_certificate(struct proofd *server, const char *params,
		       int (*write)(void *ctx, const void *bytes, size_t size), void *ctx, struct proofd_error *error)
{
	struct proofd_error local;
	struct proofd_reply *made;
	error = error ? error : &local;
	if (proofd_call(server, "proof.export", params, &made, error))
		return -1;
	const char *proof = proofd_text(proofd_get(proofd_result(made), "proof"), "");
	int64_t bytes = proofd_int(proofd_get(proofd_result(made), "bytes"), 0);
	bool ended = false;
	int rc = 0;
	for (int64_t offset = 0; !rc && offset < bytes && !ended;) {
		uint8_t *piece;
		size_t size;
		rc = read_piece(server, proof, offset, &piece, &size, error);
		if (rc)
			break;
		ended = write(ctx, piece, size) != 0;
		offset += (int64_t)size;
		free(piece);
	}
	proofd_reply_free(made);
	return rc;
}
