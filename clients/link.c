#include "clients/link.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/embedded.h"
#include "clients/libproofd/connection.h"
#include "clients/libproofd/deadline.h"
#include "clients/libproofd/reply.h"
#include "clients/options.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

enum { NOTES_MAX = 64 /* notifications kept for cl_link_next; of more the oldest is dropped */ };

/* A request in flight. */
struct request {
	int64_t id;
	char method[32];             /* for messages */
	struct proofd_pending *call; /* owned; NULL: the server is the core in this process */
	struct cl_answer *answer;    /* of that core */
};

struct cl_link {
	struct proofd *server;    /* owned; NULL: the server is the core in this process */
	struct cl_embedded *core; /* owned; NULL: the server is another process */
	double patience_s;        /* how long a server may take to answer a short question; 0: no limit */
	int64_t last_id;          /* of the last request */
	struct request ahead[CL_AHEAD_MAX];
	unsigned ahead_count;
	struct pr_doc *notes[NOTES_MAX];
	unsigned note_count;
};

/* --- what arrives ------------------------------------------------------------------------- */

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

static struct request *find_request(struct cl_link *link, int64_t id)
{
	for (unsigned i = 0; i < link->ahead_count; i++)
		if (link->ahead[i].id == id)
			return &link->ahead[i];
	return NULL;
}

/* --- opening ------------------------------------------------------------------------------ */

static struct cl_link *create_link(struct pd_fail *fail)
{
	struct cl_link *link = calloc(1, sizeof *link);
	if (!link)
		cl_no_memory(fail);
	return link;
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
	struct cl_link *link = create_link(fail);
	if (!link)
		return PD_E_NO_MEMORY;
	link->patience_s = where->patience_s;
	if (proofd_open(&options, &link->server, &error)) {
		cl_link_close(link);
		return set_connect_fail(fail, where, &error);
	}
	link->server->core.take_note = keep_note;
	link->server->core.note_ctx = link;
	*out = link;
	return PD_OK;
}

int cl_link_embed(const struct sv_config *config, struct cl_link **out, struct pd_fail *fail)
{
	struct cl_link *link = create_link(fail);
	if (!link)
		return PD_E_NO_MEMORY;
	int rc = cl_embedded_open(config, keep_note, link, &link->core, fail);
	if (rc)
		cl_link_close(link);
	else
		*out = link;
	return rc;
}

static void drop_request(struct cl_link *link, struct request *request)
{
	if (request->call)
		pc_call_forget(&link->server->core, request->call);
	if (request->answer)
		cl_answer_drop(request->answer);
	*request = link->ahead[--link->ahead_count];
}

void cl_link_close(struct cl_link *link)
{
	if (!link)
		return;
	while (link->ahead_count)
		drop_request(link, link->ahead);
	proofd_close(link->server);
	cl_embedded_close(link->core);
	while (link->note_count)
		pr_doc_free(link->notes[--link->note_count]);
	free(link);
}

/* --- calling ------------------------------------------------------------------------------ */

static int set_lost(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_UNREACHABLE, "", "the server closed the connection");
}

int cl_link_send(struct cl_link *link, const char *method, const char *params, int64_t *id, struct pd_fail *fail)
{
	struct proofd_error error;
	PD_ASSERT(*method && link->ahead_count < CL_AHEAD_MAX);
	if (link->server && !link->server->transport) /* subscriptions would be missing from a new connection */
		return set_lost(fail);
	struct request *request = &link->ahead[link->ahead_count++];
	*request = (struct request){.id = ++link->last_id};
	*id = request->id;
	snprintf(request->method, sizeof request->method, "%s", method);
	int rc = link->core ? cl_embedded_call(link->core, method, params, &request->answer, fail)
		 : proofd_start(link->server, method, params, &request->call, &error) ? set_fail(fail, &error)
										      : PD_OK;
	if (rc)
		link->ahead_count--;
	return rc;
}

static bool is_answered(const void *ctx)
{
	const struct request *request = ctx;
	return request->call ? request->call->done : request->answer->done;
}

/* Waits until done(ctx), or the deadline (deadline.h). */
static int serve_link(struct cl_link *link, bool (*done)(const void *ctx), const void *ctx, uint64_t deadline,
		      struct pd_fail *fail)
{
	int rc = PD_OK;
	if (link->server)
		pc_serve(link->server, done, ctx, deadline);
	while (link->core && !rc && !done(ctx) && !pc_is_past(deadline))
		rc = cl_embedded_serve(link->core, pc_left(deadline), fail);
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
	if (!may_take_long(request->method))
		return pd_fail_set(
			fail, PD_E_UNREACHABLE, "",
			"the server at %.120s has not answered for %g s; is it stopped? (--timeout 0: no limit)",
			link->server->address.text, link->patience_s);
	pd_print(stderr, "proofctl: still waiting for the server's answer to %s\n", request->method);
	return serve_link(link, is_answered, request, 0, fail);
}

/* Takes the outcome of a call to a server, and frees the call. */
static int take_outcome(struct request *request, struct pr_doc **out, pr_ref *result, struct pd_fail *fail)
{
	struct proofd_reply *reply;
	struct proofd_error error;
	int rc = pc_outcome(request->call, &reply, &error) ? set_fail(fail, &error) : PD_OK;
	request->call = NULL;
	if (!rc)
		*out = pc_reply_take(reply, result);
	return rc;
}

/* The same for the core in this process. */
static int take_answer(struct request *request, struct pr_doc **out, pr_ref *result, struct pd_fail *fail)
{
	struct cl_answer *answer = request->answer;
	if (!answer->doc) {
		*fail = answer->fail;
		return fail->code;
	}
	*out = answer->doc;
	*result = pr_doc_root(answer->doc);
	answer->doc = NULL;
	return PD_OK;
}

int cl_link_receive(struct cl_link *link, int64_t id, struct pr_doc **out, pr_ref *result, struct pd_fail *fail)
{
	struct request *request = find_request(link, id);
	PD_ASSERT(request != NULL);
	int rc = await_reply(link, request, fail);
	if (!rc)
		rc = request->call ? take_outcome(request, out, result, fail) : take_answer(request, out, result, fail);
	drop_request(link, request);
	return rc;
}

bool cl_link_replied(struct cl_link *link, int64_t id)
{
	return is_answered(find_request(link, id));
}

int cl_link_call(struct cl_link *link, const char *method, const char *params, struct pr_doc **out, pr_ref *result,
		 struct pd_fail *fail)
{
	int64_t id;
	int rc = cl_link_send(link, method, params, &id, fail);
	return rc ? rc : cl_link_receive(link, id, out, result, fail);
}

/* True if there is a notification, or none can come any longer. */
static bool has_note(const void *ctx)
{
	const struct cl_link *link = ctx;
	return link->note_count || (link->server && !link->server->transport);
}

int cl_link_next(struct cl_link *link, unsigned wait_ms, struct pr_doc **out, pr_ref *params, struct pd_fail *fail)
{
	*out = NULL;
	*params = NULL;
	int rc = wait_ms ? serve_link(link, has_note, link, pc_deadline(wait_ms / 1e3), fail) : PD_OK;
	if (rc)
		return rc;
	if (!link->note_count)
		return has_note(link) ? set_lost(fail) : PD_OK;
	*out = take_note(link);
	*params = pr_get(pr_doc_root(*out), "params");
	return PD_OK;
}
