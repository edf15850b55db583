/* The driver of libproofd: README.md of this folder has what the operations do. It knows the installed header alone;
 * its own JSON it reads and writes with proto/. */
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/libproofd/client.h"
#include "proto/base/buf.h"
#include "proto/doc.h"
#include "proto/out.h"

enum { NAMES_MAX = 16, MANY_MAX = 2000 };

/* What a step has named: calls, or a watch. */
struct named {
	char name[32];
	struct proofd_watch *watch;
	struct proofd_pending *pending[MANY_MAX];
	unsigned count;
};

struct driver {
	struct proofd *server; /* NULL: closed */
	double timeout_s;
	struct named named[NAMES_MAX];
	struct pr_out *out;
	struct proofd_error error;
};

/* Ends the driver: the story, or the library, is wrong in a way that it cannot report. */
static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "driver: %s\n", what);
	exit(1);
}

static struct named *named(struct driver *d, pr_ref step, bool fresh)
{
	const char *name = pr_get_str(step, "as", "");
	struct named *empty = NULL;
	for (unsigned i = 0; i < NAMES_MAX; i++) {
		if (!strcmp(d->named[i].name, name))
			return &d->named[i];
		if (!d->named[i].name[0])
			empty = &d->named[i];
	}
	need(fresh && empty, "an unknown name, or too many");
	snprintf(empty->name, sizeof empty->name, "%s", name);
	return empty;
}

static char *dumped(pr_ref value)
{
	char *text = value ? pr_dump(value, NULL) : NULL;
	need(!value || text, "no memory");
	return text;
}

static void put_value(struct pr_out *out, const char *key, proofd_value value)
{
	char *text = proofd_json(value);
	need(text, "a value cannot be written");
	pr_raw(out, key, text, strlen(text));
	free(text);
}

static void put_error(struct pr_out *out, const struct proofd_error *error)
{
	pr_open_object(out, "error");
	pr_str(out, "slug", error->slug);
	pr_int(out, "code", error->code);
	pr_str(out, "field", error->field[0] ? error->field : NULL);
	pr_str(out, "message", error->message);
	pr_close(out);
}

/* --- operations: 0, or -1 with d->error ---------------------------------------------------- */

static int op_open(struct driver *d, pr_ref step)
{
	double reconnect = pr_get_real(step, "reconnect", 60);
	d->timeout_s = pr_get_real(step, "timeout", 0);
	const struct proofd_options options = {
		.address = pr_get_str(step, "address", NULL),
		.token = pr_get_str(step, "token", NULL),
		.tls_ca = pr_get_str(step, "tls", NULL),
		.timeout_s = d->timeout_s,
		.reconnect_s = reconnect > 0 ? reconnect : -1,
	};
	proofd_close(d->server);
	d->server = NULL;
	if (proofd_open(&options, &d->server, &d->error))
		return -1;
	pr_null(d->out, "result");
	return 0;
}

static int op_close(struct driver *d, pr_ref step)
{
	proofd_close(d->server);
	d->server = NULL;
	pr_null(d->out, "result");
	return 0;
}

static int call_method(struct driver *d, const char *method, const char *params)
{
	struct proofd_reply *reply;
	if (proofd_call(d->server, method, params, &reply, &d->error))
		return -1;
	put_value(d->out, "result", proofd_result(reply));
	proofd_reply_free(reply);
	return 0;
}

static int op_call(struct driver *d, pr_ref step)
{
	char *params = dumped(pr_get(step, "params"));
	int rc = call_method(d, pr_get_str(step, "method", ""), params);
	free(params);
	return rc;
}

static int op_hello(struct driver *d, pr_ref step)
{
	return call_method(d, "server.hello", NULL);
}

static int op_start(struct driver *d, pr_ref step)
{
	struct named *n = named(d, step, true);
	char *params = dumped(pr_get(step, "params"));
	int64_t count = pr_get_int(step, "count", 1);
	need(count <= MANY_MAX, "too many calls");
	int rc = 0;
	for (n->count = 0; n->count < count && !rc; n->count += !rc)
		rc = proofd_start(d->server, pr_get_str(step, "method", ""), params, &n->pending[n->count], &d->error);
	free(params);
	if (!rc)
		pr_null(d->out, "result");
	return rc;
}

static int op_cancel(struct driver *d, pr_ref step)
{
	struct named *n = named(d, step, false);
	for (unsigned i = 0; i < n->count; i++)
		proofd_cancel(n->pending[i]);
	pr_null(d->out, "result");
	return 0;
}

static void put_counts(struct pr_out *out, char slugs[][24], unsigned errors, unsigned results)
{
	pr_open_object(out, "result");
	pr_int(out, "results", results);
	pr_open_object(out, "errors");
	for (unsigned i = 0; i < errors; i++) {
		unsigned same = 0;
		bool seen = false;
		for (unsigned k = 0; k < errors; k++) {
			same += !strcmp(slugs[i], slugs[k]);
			seen = seen || (k < i && !strcmp(slugs[i], slugs[k]));
		}
		if (!seen)
			pr_int(out, slugs[i], same);
	}
	pr_close(out);
	pr_close(out);
}

static int op_finish(struct driver *d, pr_ref step)
{
	static char slugs[MANY_MAX][24];
	struct named *n = named(d, step, false);
	bool all = pr_get_bool(step, "all", false);
	unsigned errors = 0;
	int first = 0;
	for (unsigned i = 0; i < n->count; i++) {
		struct proofd_reply *reply = NULL;
		struct proofd_error error;
		int rc = proofd_finish(n->pending[i], &reply, &error);
		if (rc)
			memcpy(slugs[errors++], error.slug, sizeof error.slug);
		if (!all && !i && rc)
			d->error = error;
		if (!all && !i && !rc)
			put_value(d->out, "result", proofd_result(reply));
		first = i ? first : rc;
		proofd_reply_free(reply);
	}
	if (all)
		put_counts(d->out, slugs, errors, n->count - errors);
	n->name[0] = 0;
	return all ? 0 : first;
}

static int op_many(struct driver *d, pr_ref step)
{
	static struct proofd_pending *pending[MANY_MAX];
	pr_ref calls = pr_get(step, "calls");
	size_t count = pr_count(calls);
	need(count <= MANY_MAX, "too many calls");
	for (size_t i = 0; i < count; i++) {
		char *params = dumped(pr_at(pr_at(calls, i), 1));
		need(!proofd_start(d->server, pr_text(pr_at(pr_at(calls, i), 0), ""), params, &pending[i], &d->error),
		     "a call cannot be started");
		free(params);
	}
	pr_open_array(d->out, "result");
	for (size_t i = 0; i < count; i++) {
		struct proofd_reply *reply;
		struct proofd_error error;
		pr_open_object(d->out, NULL);
		if (proofd_finish(pending[i], &reply, &error)) {
			put_error(d->out, &error);
		} else {
			put_value(d->out, "result", proofd_result(reply));
			proofd_reply_free(reply);
		}
		pr_close(d->out);
	}
	pr_close(d->out);
	return 0;
}

/* Facts as they come; also that the typed ones say the same. */
struct facts {
	struct pd_buf text;
	struct pr_out out;
	size_t next;
	const struct proofd_fact *typed;
};

static int put_fact(void *ctx, size_t index, proofd_value fact)
{
	struct facts *facts = ctx;
	need(index == facts->next++, "facts are out of order");
	put_value(&facts->out, NULL, fact);
	const struct proofd_fact *typed = &facts->typed[index];
	proofd_value error = proofd_get(fact, "error");
	need(typed->code == proofd_int(proofd_get(error, "code"), 0), "typed facts have another code");
	need(error || !strcmp(typed->text, proofd_text(proofd_get(fact, "text"), "?")), "typed facts have other text");
	return 0;
}

static int op_query(struct driver *d, pr_ref step)
{
	pr_ref list = pr_get(step, "positions");
	size_t count = pr_count(list);
	const char **positions = calloc(count + 1, sizeof *positions);
	struct proofd_fact *typed = calloc(count + 1, sizeof *typed);
	struct facts facts = {.next = 0, .typed = typed};
	need(positions && typed, "no memory");
	for (size_t i = 0; i < count; i++)
		positions[i] = pr_text(pr_at(list, i), "");
	const struct proofd_asked asked = {.game = pr_get_str(step, "game", ""),
					   .positions = positions,
					   .count = count,
					   .each_move = pr_get_bool(step, "each_move", false)};
	pd_buf_init(&facts.text, SIZE_MAX / 4);
	pr_out_init(&facts.out, &facts.text);
	pr_open_array(&facts.out, NULL);
	int rc = proofd_query_many(d->server, asked.game, positions, count, typed, &d->error);
	if (!rc)
		rc = proofd_query_each(d->server, &asked, put_fact, &facts, &d->error);
	pr_close(&facts.out);
	need(!facts.text.failed && (rc || facts.next == count), "facts are missing");
	if (!rc)
		pr_raw(d->out, "result", facts.text.data, facts.text.size);
	pd_buf_fini(&facts.text);
	free(typed);
	free(positions);
	return rc;
}

static int op_watch(struct driver *d, pr_ref step)
{
	int rc = proofd_watch(d->server, (uint32_t)pr_get_int(step, "job", 0), pr_get_real(step, "interval", 0.1),
			      &named(d, step, true)->watch, &d->error);
	if (!rc)
		pr_null(d->out, "result");
	return rc;
}

static int op_next(struct driver *d, pr_ref step)
{
	struct proofd_watch *watch = named(d, step, false)->watch;
	pr_ref until = pr_get(step, "until");
	struct proofd_reply *reply;
	int rc;
	while ((rc = proofd_watch_next(watch, &reply, &d->error)) == 1) {
		struct proofd_job job;
		bool wanted = false;
		proofd_job_of(proofd_result(reply), &job);
		for (size_t i = 0; i < pr_count(until); i++)
			wanted = wanted || !strcmp(pr_text(pr_at(until, i), ""), job.state);
		if (wanted)
			put_value(d->out, "result", proofd_result(reply));
		proofd_reply_free(reply);
		if (wanted)
			return 0;
	}
	if (!rc)
		pr_null(d->out, "result");
	return rc;
}

static int op_end(struct driver *d, pr_ref step)
{
	struct named *n = named(d, step, false);
	proofd_watch_end(n->watch);
	n->watch = NULL;
	n->name[0] = 0;
	pr_null(d->out, "result");
	return 0;
}

static int count_progress(void *ctx, proofd_value job)
{
	need(proofd_int(proofd_get(job, "job"), 0) > 0, "progress of no job");
	++*(int *)ctx;
	return 0;
}

static int op_wait(struct driver *d, pr_ref step)
{
	int progress = 0;
	const struct proofd_follow follow = {.interval_s = 0.1, .progress = count_progress, .ctx = &progress};
	struct proofd_reply *reply;
	if (proofd_wait(d->server, (uint32_t)pr_get_int(step, "job", 0), &follow, &reply, &d->error))
		return -1;
	pr_open_object(d->out, "result");
	put_value(d->out, "job", proofd_result(reply));
	pr_int(d->out, "progress", progress);
	pr_close(d->out);
	proofd_reply_free(reply);
	return 0;
}

static int op_solve(struct driver *d, pr_ref step)
{
	pr_ref params = pr_get(step, "params");
	const struct proofd_question question = {.game = pr_get_str(params, "game", NULL),
						 .position = pr_get_str(params, "position", NULL),
						 .claim = pr_get_str(params, "claim", NULL),
						 .memory = pr_get_str(params, "memory", NULL),
						 .more = "{\"seed\": 3}"};
	struct proofd_reply *reply;
	uint32_t job;
	if (proofd_submit(d->server, &question, &job, &d->error) ||
	    proofd_wait(d->server, job, NULL, &reply, &d->error))
		return -1;
	put_value(d->out, "result", proofd_result(reply));
	proofd_reply_free(reply);
	return 0;
}

static int put_job(void *ctx, proofd_value job)
{
	put_value(ctx, NULL, job);
	return 0;
}

static int op_jobs(struct driver *d, pr_ref step)
{
	struct pd_buf text;
	struct pr_out out;
	pd_buf_init(&text, SIZE_MAX / 4);
	pr_out_init(&out, &text);
	pr_open_array(&out, NULL);
	int rc = proofd_jobs(d->server, pr_get_str(step, "state", NULL), put_job, &out, &d->error);
	pr_close(&out);
	if (!rc)
		pr_raw(d->out, "result", text.data, text.size);
	pd_buf_fini(&text);
	return rc;
}

static int keep(void *ctx, const void *bytes, size_t size)
{
	pd_buf_put(ctx, bytes, size);
	return 0;
}

static int op_certificate(struct driver *d, pr_ref step)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char hex[2 * SHA256_DIGEST_LENGTH + 1];
	struct pd_buf content;
	char *params = dumped(pr_get(step, "params"));
	pd_buf_init(&content, SIZE_MAX / 4);
	int rc = proofd_certificate(d->server, params, keep, &content, &d->error);
	free(params);
	if (!rc) {
		SHA256((const unsigned char *)content.data, content.size, digest);
		for (unsigned i = 0; i < sizeof digest; i++)
			snprintf(hex + 2 * i, 3, "%02x", digest[i]);
		pr_open_object(d->out, "result");
		pr_uint(d->out, "bytes", content.size);
		pr_str(d->out, "sha256", hex);
		pr_close(d->out);
	}
	pd_buf_fini(&content);
	return rc;
}

static int op_hold(struct driver *d, pr_ref step)
{
	FILE *fifo = fopen(pr_get_str(step, "fifo", ""), "r");
	need(fifo, "there is no pipe");
	while (fgetc(fifo) != EOF)
		;
	fclose(fifo);
	pr_null(d->out, "result");
	return 0;
}

static const struct {
	const char *op;
	int (*act)(struct driver *d, pr_ref step);
} operations[] = {
	{"open", op_open},   {"close", op_close}, {"call", op_call},     {"raw", op_call},
	{"start", op_start}, {"many", op_many},   {"finish", op_finish}, {"cancel", op_cancel},
	{"query", op_query}, {"watch", op_watch}, {"next", op_next},     {"end", op_end},
	{"wait", op_wait},   {"solve", op_solve}, {"jobs", op_jobs},     {"certificate", op_certificate},
	{"hello", op_hello}, {"hold", op_hold},
};

static int act(struct driver *d, pr_ref step)
{
	const char *op = pr_get_str(step, "op", "");
	bool open = !strcmp(op, "open");
	if (!d->server && !open) {
		d->error = (struct proofd_error){.code = 0, .slug = "closed", .message = "the client is closed"};
		return -1;
	}
	if (!open)
		proofd_timeout(d->server, pr_get_real(step, "timeout", d->timeout_s));
	for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
		if (!strcmp(op, operations[i].op))
			return operations[i].act(d, step);
	need(false, "an unknown operation");
	return -1;
}

/* Carries out a step, and answers with a line. */
static void carry_out_step(struct driver *d, const char *line, size_t size)
{
	struct pr_doc *doc;
	struct pd_fail fail;
	struct pd_buf text;
	struct pr_out out;
	need(!pr_doc_parse(line, size, &doc, &fail), "a step is not JSON");
	pd_buf_init(&text, SIZE_MAX / 4);
	pr_out_init(&out, &text);
	pr_open_object(&out, NULL);
	d->out = &out;
	if (act(d, pr_doc_root(doc)))
		put_error(&out, &d->error);
	pr_close(&out);
	pr_doc_free(doc);
	need(!text.failed, "no memory");
	puts(text.data);
	fflush(stdout);
	pd_buf_fini(&text);
}

int main(void)
{
	static struct driver d;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	while ((n = getline(&line, &room, stdin)) > 0)
		carry_out_step(&d, line, (size_t)n);
	free(line);
	for (unsigned i = 0; i < NAMES_MAX; i++)
		if (d.server && d.named[i].watch)
			proofd_watch_end(d.named[i].watch);
	proofd_close(d.server);
	return 0;
}
