#include "clients/libproofd/client.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clients/libproofd/fault.h"
#include "clients/libproofd/query.h"
#include "clients/libproofd/reply.h"
#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "proto/out.h"
#include "proto/doc.h"

/* --- connecting --------------------------------------------------------------------------- */

static int set_up(struct proofd *server, const struct proofd_options *options, struct proofd_error *error)
{
	if (pc_core_init(&server->core, options->token, error))
		return -1;
	server->ca = options->tls_ca ? strdup(options->tls_ca) : NULL;
	if (options->tls_ca && !server->ca)
		return pc_fault_memory(error);
	server->security = (struct pc_security){options->tls || server->ca, server->ca};
	server->timeout_s = options->timeout_s;
	server->patience_s = options->connect_timeout_s > 0 ? options->connect_timeout_s : 10;
	server->reconnect_s = options->reconnect_s < 0 ? 0 : options->reconnect_s > 0 ? options->reconnect_s : 60;
	if (pc_address_parse(options->address, &server->address, error))
		return -1;
	if (server->address.path && server->security.tls)
		return pc_fault_code(error, PD_E_USAGE, "tls", "a Unix socket needs no TLS");
	return pc_connect(server, 0, error);
}

int proofd_open(const struct proofd_options *options, struct proofd **out, struct proofd_error *error)
{
	static const struct proofd_options none;
	struct proofd *server = calloc(1, sizeof *server);
	if (!server)
		return pc_fault_memory(error);
	if (set_up(server, options ? options : &none, error)) {
		proofd_close(server);
		return -1;
	}
	*out = server;
	return 0;
}

void proofd_close(struct proofd *server)
{
	if (!server)
		return;
	pc_disconnect(server);
	pc_core_fini(&server->core);
	free(server->ca);
	free(server);
}

void proofd_timeout(struct proofd *server, double seconds)
{
	server->timeout_s = seconds;
}

/* --- values of JSON ----------------------------------------------------------------------- */

void proofd_reply_free(struct proofd_reply *reply)
{
	pc_reply_free(reply);
}

proofd_value proofd_result(const struct proofd_reply *reply)
{
	return pc_value(reply->value);
}

char *proofd_json(proofd_value value)
{
	return pr_dump(pc_ref(value), NULL);
}

enum proofd_kind proofd_kind(proofd_value value)
{
	_Static_assert((int)PROOFD_BOOL == PR_BOOL && (int)PROOFD_OBJECT == PR_OBJECT, "the kinds have one order");
	return (enum proofd_kind)pr_kind_of(pc_ref(value));
}

proofd_value proofd_get(proofd_value object, const char *member)
{
	return pc_value(pr_get(pc_ref(object), member));
}

size_t proofd_count(proofd_value array_or_object)
{
	return pr_count(pc_ref(array_or_object));
}

proofd_value proofd_at(proofd_value array, size_t index)
{
	return pc_value(pr_at(pc_ref(array), index));
}

const char *proofd_text(proofd_value value, const char *missing)
{
	return pr_text(pc_ref(value), missing);
}

int64_t proofd_int(proofd_value value, int64_t missing)
{
	return pr_number(pc_ref(value), missing);
}

double proofd_real(proofd_value value, double missing)
{
	return pr_real_of(pc_ref(value), missing);
}

bool proofd_bool(proofd_value value, bool missing)
{
	return pr_bool_of(pc_ref(value), missing);
}

/* --- typed -------------------------------------------------------------------------------- */

static void copy_text(char *out, size_t size, pr_ref object, const char *member)
{
	snprintf(out, size, "%s", pr_get_str(object, member, ""));
}

void proofd_fact_of(proofd_value fact, struct proofd_fact *out)
{
	pr_ref value = pc_ref(fact), error = pr_get(value, "error");
	*out = (struct proofd_fact){.code = (int)pr_get_int(error, "code", 0)};
	copy_text(out->message, sizeof out->message, error, "message");
	if (error)
		return;
	out->lo = (int)pr_get_int(value, "lo", 0);
	out->hi = (int)pr_get_int(value, "hi", 0);
	out->known = strcmp(pr_get_str(value, "source", "none"), "none") != 0;
	out->ranked = pr_kind_of(pr_get(value, "rank")) == PR_INT;
	out->rank = (unsigned)pr_get_int(value, "rank", 0);
	copy_text(out->text, sizeof out->text, value, "text");
	copy_text(out->move, sizeof out->move, value, "move");
	out->effort = (uint64_t)pr_get_int(value, "effort", 0);
	out->job = (uint32_t)pr_get_int(value, "job", 0);
}

/* A number, or "inf". */
static double proof_number(pr_ref object, const char *member)
{
	return pr_kind_of(pr_get(object, member)) == PR_STRING ? INFINITY : pr_get_real(object, member, 0);
}

void proofd_job_of(proofd_value job, struct proofd_job *out)
{
	pr_ref value = pc_ref(job), bounds = pr_get(value, "value"), nodes = pr_get(value, "nodes");
	*out = (struct proofd_job){.job = (uint32_t)pr_get_int(value, "job", 0)};
	copy_text(out->state, sizeof out->state, value, "state");
	out->over = pc_is_over(out->state);
	out->lo = (int)pr_get_int(bounds, "lo", 0);
	out->hi = (int)pr_get_int(bounds, "hi", 0);
	copy_text(out->text, sizeof out->text, bounds, "text");
	out->pn = proof_number(value, "pn");
	out->dn = proof_number(value, "dn");
	out->nodes = pr_get_real(nodes, "level1", 0) + pr_get_real(nodes, "level2", 0);
	out->seconds = pr_get_real(value, "seconds", 0);
	out->rate = pr_get_real(value, "rate", 0);
	out->facts = (uint64_t)pr_get_int(value, "facts", 0);
	copy_text(out->reason, sizeof out->reason, value, "reason");
}

/* --- calls -------------------------------------------------------------------------------- */

/* Parameters from the program, as one line of JSON. */
struct given {
	char *text; /* owned; NULL: none */
	size_t size;
	bool has_key;
};

/* Reads a JSON object; the caller frees *doc after success. `name`: what the program calls it. */
static int parse_object(const char *text, const char *name, struct pr_doc **doc, struct proofd_error *error)
{
	struct pd_fail fail;
	if (pr_doc_parse(text, strlen(text), doc, &fail))
		return pc_fault_code(error, (enum pd_error)fail.code, name, "%s: %s", name, fail.text);
	if (pr_kind_of(pr_doc_root(*doc)) == PR_OBJECT)
		return 0;
	pr_doc_free(*doc);
	return pc_fault_code(error, PD_E_PARAMS, name, "%s must be a JSON object", name);
}

static int read_params(const char *params, struct given *out, struct proofd_error *error)
{
	struct pr_doc *doc;
	*out = (struct given){NULL, 0, false};
	if (!params)
		return 0;
	if (parse_object(params, "params", &doc, error))
		return -1;
	out->has_key = pr_kind_of(pr_get(pr_doc_root(doc), "key")) == PR_STRING;
	out->text = pr_dump(pr_doc_root(doc), &out->size);
	pr_doc_free(doc);
	return out->text ? 0 : pc_fault_memory(error);
}

static int begin_given(struct proofd *server, const char *method, const char *params, struct proofd_pending **out,
		       struct proofd_error *error)
{
	struct given given;
	if (read_params(params, &given, error))
		return -1;
	const struct pc_request request = {method, given.text, given.size, given.has_key};
	int rc = pc_begin(server, &request, out, error);
	free(given.text);
	return rc;
}

int proofd_call(struct proofd *server, const char *method, const char *params, struct proofd_reply **out,
		struct proofd_error *error)
{
	struct proofd_pending *call;
	return begin_given(server, method, params, &call, error) ? -1 : pc_finish(call, out, error);
}

static bool has_room(const void *ctx)
{
	const struct proofd *server = ctx;
	return server->core.queued <= server->core.limits.inflight;
}

int proofd_start(struct proofd *server, const char *method, const char *params, struct proofd_pending **out,
		 struct proofd_error *error)
{
	struct proofd_pending *call;
	if (begin_given(server, method, params, &call, error))
		return -1;
	pc_serve(server, has_room, server, pc_deadline(server->timeout_s));
	if (!has_room(server)) {
		pc_fault(error, "timeout", "%s: the server accepted no more requests within %g seconds", call->method,
			 server->timeout_s);
		pc_call_forget(&server->core, call);
		return -1;
	}
	pc_push(server);
	*out = call;
	return 0;
}

int proofd_finish(struct proofd_pending *pending, struct proofd_reply **out, struct proofd_error *error)
{
	return pc_finish(pending, out, error);
}

void proofd_cancel(struct proofd_pending *pending)
{
	if (!pending->done)
		pc_core_cancel(&pending->server->core, pending);
}

/* Parameters of the library's own calls, being written. */
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

/* Closes the parameters, makes the call and frees the parameters. */
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

/* A call whose parameters are items of proto/out.h. */
#define call_members(server, method, out, error, ...) call_items(server, method, out, error, PR_ITEMS(__VA_ARGS__))
static int call_items(struct proofd *server, const char *method, struct proofd_reply **out, struct proofd_error *error,
		      const struct pr_item *items, size_t count)
{
	struct params p;
	params_init(&p);
	pr_put_items(&p.out, items, count);
	return params_call(&p, server, method, false, out, error);
}

/* --- queries ------------------------------------------------------------------------------ */

int proofd_query_each(struct proofd *server, const struct proofd_asked *asked,
		      int (*each)(void *ctx, size_t index, proofd_value fact), void *ctx, struct proofd_error *error)
{
	return pc_query_each(server, asked, each, ctx, error);
}

static int put_fact(void *ctx, size_t index, proofd_value fact)
{
	proofd_fact_of(fact, (struct proofd_fact *)ctx + index);
	return 0;
}

int proofd_query_many(struct proofd *server, const char *game, const char *const *positions, size_t count,
		      struct proofd_fact *out, struct proofd_error *error)
{
	const struct proofd_asked asked = {.game = game, .positions = positions, .count = count};
	return proofd_query_each(server, &asked, put_fact, out, error);
}

int proofd_query(struct proofd *server, const char *game, const char *position, struct proofd_fact *out,
		 struct proofd_error *error)
{
	struct proofd_reply *reply;
	if (call_members(server, "fact.query", &reply, error, PR_S("game", game), PR_S("position", position)))
		return -1;
	proofd_value facts = proofd_get(proofd_result(reply), "facts");
	int rc = 0;
	if (proofd_count(facts) == 1)
		proofd_fact_of(proofd_at(facts, 0), out);
	else
		rc = pc_fault(error, "protocol", "the server gives %zu facts for a position", proofd_count(facts));
	proofd_reply_free(reply);
	return rc;
}

/* --- submitting --------------------------------------------------------------------------- */

/* Puts the parameters given as JSON. Members of the question among them are an error. */
static int put_more(struct pr_out *out, const char *more, struct proofd_error *error)
{
	static const char *const members[] = {"game", "position", "claim", "memory", "key"};
	struct pr_doc *doc;
	int rc = parse_object(more, "more", &doc, error);
	if (rc)
		return rc;
	pr_ref root = pr_doc_root(doc);
	for (unsigned i = 0; !rc && i < sizeof members / sizeof *members; i++)
		if (pr_has(root, members[i]))
			rc = pc_fault_code(error, PD_E_PARAMS, members[i],
					   "%s is a member of the question, not of more", members[i]);
	for (size_t i = 0; !rc && i < pr_count(root); i++) {
		const char *name;
		pr_ref value = pr_member(root, i, &name);
		pr_members(out, PR_J(name, value));
	}
	pr_doc_free(doc);
	return rc;
}

int proofd_submit(struct proofd *server, const struct proofd_question *question, uint32_t *job,
		  struct proofd_error *error)
{
	struct proofd_reply *reply;
	struct params p;
	char key[40];
	snprintf(key, sizeof key, "%016" PRIx64 "%016" PRIx64, pd_random64(), pd_random64());
	params_init(&p);
	pr_members(&p.out, PR_S("game", question->game), PR_OPT_S("position", question->position),
		   PR_OPT_S("claim", question->claim), PR_OPT_S("memory", question->memory),
		   PR_S("key", question->key ? question->key : key));
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
	struct proofd_watch *watch = calloc(1, sizeof *watch);
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

/* Waits for the next state until the deadline. Returns what proofd_watch_next does. */
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
	return watch->failed ? pc_fault_copy(error, &watch->error) : 0;
}

int proofd_watch_next(struct proofd_watch *watch, struct proofd_reply **out, struct proofd_error *error)
{
	return next_state(watch, pc_deadline(watch->server->timeout_s), out, error);
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
	struct proofd_watch *watch = NULL;
	struct proofd_reply *state = NULL, *last = NULL;
	uint64_t deadline = pc_deadline(server->timeout_s);
	bool ended = false;
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
		/* the last state is not shown here, because it is returned */
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
	int64_t before = 0;
	bool ended = false;
	do {
		struct proofd_reply *page;
		if (call_members(server, "job.list", &page, error, PR_OPT_S("state", state),
				 PR_OPT_I("before", before)))
			return -1;
		proofd_value jobs = proofd_get(proofd_result(page), "jobs");
		for (size_t i = 0; i < proofd_count(jobs) && !ended; i++)
			ended = each(ctx, proofd_at(jobs, i)) != 0;
		before = proofd_int(proofd_get(proofd_result(page), "next"), 0);
		proofd_reply_free(page);
	} while (before && !ended);
	return 0;
}

/* Reads one piece of a certificate; *size is its number of bytes. */
static int read_piece(struct proofd *server, const char *proof, int64_t offset, uint8_t **out, size_t *size,
		      struct proofd_error *error)
{
	struct proofd_reply *reply;
	if (call_members(server, "proof.read", &reply, error, PR_S("proof", proof), PR_I("offset", offset)))
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
	struct proofd_reply *made;
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
