#include "tests/lab/model_calls.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "server/common/config.h"
#include "server/jobs/model/crashes.h"
#include "tests/lab/model_shrink.h"
#include "tests/support/insession.h"
#include "tests/support/walk.h"

enum { STEPS_MAX = 60, JOBS_MAX = 100, KEYS = 4, SHRINK_TRIES = 300, AGAIN = 3, HANG_S = 300, BATCH_MAX = 6 };
enum end { END_DONE = 0, END_FOUND = 3, END_CRASH = 4 };

/* What jobs ask. The last is not answered while the sequence runs. */
static const struct {
	const char *game, *claim;
} questions[] = {{"andor:chain", "value"},    {"andor:scores", "value"}, {"andor:scores", "first>=4"},
		 {"andor:cycle", "value"},    {"andor:draw", "value"},   {"mnk:3,3,3", "value"},
		 {"mnk:3,3,3", "first-wins"}, {"connect4:7x6", "value"}};
enum { QUESTIONS = sizeof questions / sizeof *questions };

enum kind {
	SUBMIT,
	GET,
	PAUSE,
	RESUME,
	CANCEL,
	SET_PRIORITY,
	SET_BUDGET,
	LIST,
	HISTORY,
	QUERY,
	EXPLAIN,
	GROUP,
	BAD,
	WAIT,
	REOPEN,
	CRASH,
	KINDS
};

struct step {
	enum kind kind;
	unsigned a, b, n; /* job or question; key, or which bad request; a number */
	bool exact;       /* a is the job's number; else one of those that are there is drawn by it */
	bool joined;      /* in one batch with the step before it, where it is a call */
};

/* What is known of a job: it is queued, runs, or has come to an end by itself meanwhile; or it stands still. */
enum known { GOING, PAUSED, SOLVED, EXHAUSTED, CANCELLED, FAILED };

struct job {
	bool there;
	unsigned question;
	int key; /* -1: none */
	int priority;
	int64_t budget, nodes;
	unsigned after; /* the job that must be solved before; 0: none */
	unsigned under; /* the job that it serves; 0: none */
	bool grouped;
	bool bounded;     /* it has had a budget since it was last set going */
	unsigned crashes; /* of processes in which it may have run, since the last resume; the server counts no more
			     than these */
	enum known known;
};

struct shared {
	unsigned next;
	struct job job[JOBS_MAX + 1];
	unsigned jobs;
	bool paused;                          /* the group */
	int64_t lo[QUESTIONS], hi[QUESTIONS]; /* the tightest bounds that were told of a position */
	struct calls_sum sum;
	char finding[400];
};

struct run {
	uint64_t seed;
	bool memory;
	const char *dir;
	struct shared *shared;
	struct insession s;
	unsigned id;
	unsigned before; /* jobs before the call or batch in work */
};

static const char *const state_text[] = {"going", "paused", "solved", "exhausted", "cancelled", "failed"};

__attribute__((format(printf, 2, 3))) static bool found(struct run *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (!r->shared->finding[0])
		vsnprintf(r->shared->finding, sizeof r->shared->finding, format, args);
	va_end(args);
	return false;
}

/* --- what a state may be ------------------------------------------------------------------ */

/* The job that it waits for may have ended unsolved, or one above it may be solved. */
static bool may_be_stopped(const struct run *r, const struct job *job)
{
	const struct job *other = &r->shared->job[job->after];
	for (unsigned above = job->under; above; above = r->shared->job[above].under)
		if (r->shared->job[above].known == SOLVED || r->shared->job[above].known == GOING)
			return true;
	return job->after &&
	       (other->known == CANCELLED || other->known == FAILED || other->crashes >= SV_CRASHES_FAILED);
}

/* The job shows a state: it must be one to which the known one leads by itself. */
static bool see_state(struct run *r, unsigned number, const char *state)
{
	struct job *job = &r->shared->job[number];
	if (job->known == GOING && (!strcmp(state, "queued") || !strcmp(state, "running")))
		return true;
	if (job->known == GOING && !strcmp(state, "solved"))
		job->known = SOLVED;
	else if (job->known == GOING && !strcmp(state, "exhausted") && job->bounded)
		job->known = EXHAUSTED;
	else if (job->known == GOING && !strcmp(state, "failed") && job->crashes >= SV_CRASHES_FAILED)
		job->known = FAILED;
	else if (job->known == GOING && !strcmp(state, "paused") && may_be_stopped(r, job))
		job->known = PAUSED;
	return !strcmp(state, state_text[job->known]) ||
	       found(r, "state: job %u is %s, and was %s", number, state, state_text[job->known]);
}

/* --- requests ----------------------------------------------------------------------------- */

static bool is_call(enum kind kind)
{
	return kind <= BAD;
}

/* What takes its time: a call that changes a job is answered when that is durable, and a graph is read by a thread.
 * Calls after it in its batch may overtake it, so it is the last one. */
static bool is_slow(const struct step *s)
{
	return (s->kind >= PAUSE && s->kind <= SET_BUDGET) || s->kind == GROUP ||
	       (s->kind == SUBMIT && !strncmp(questions[s->a % QUESTIONS].game, "andor:", 6));
}

/* The job that a submission waits for; 0: none. */
static unsigned after_of(const struct run *r, const struct step *s)
{
	return s->b >= KEYS && s->a % 3 == 0 && r->before ? 1 + s->a % r->before : 0;
}

/* The job that a submission serves; 0: none. */
static unsigned under_of(const struct run *r, const struct step *s)
{
	return s->b >= KEYS && s->a % 3 == 1 && r->before ? 1 + s->a / 3 % r->before : 0;
}

/* The job that a step means; one of them does not exist. */
static unsigned job_of(const struct run *r, const struct step *s)
{
	if (s->exact)
		return s->a;
	return r->shared->jobs && s->a % 20 ? 1 + s->a % r->shared->jobs : 1000000;
}

static void bad_text(const struct step *s, char *method, char *params)
{
	static const char *const bad[][2] = {{"job.get", "\"job\":\"1\""},
					     {"job.get", ""},
					     {"job.pause", "\"job\":1,\"jop\":2"},
					     {"job.submit", "\"game\":\"mnk:3,3,3\",\"priority\":101"},
					     {"job.submit", "\"game\":\"nothing\""},
					     {"job.submit", "\"game\":\"mnk:3,3,3\",\"claim\":\"first>=9\""},
					     {"job.set", "\"job\":1,\"budget\":7"},
					     {"no.method", ""},
					     {"job.submit", "\"game\":\"mnk:3,3,3\",\"algorithm\":\"none\""},
					     {"job.watch", "\"job\":1,\"interval\":0"}};
	unsigned i = s->b % (sizeof bad / sizeof *bad);
	strcpy(method, bad[i][0]);
	strcpy(params, bad[i][1]);
}

static void request_text(struct run *r, const struct step *s, unsigned id, char *out, size_t size)
{
	static const char *const methods[KINDS] = {"job.submit",  "job.get",    "job.pause",   "job.resume",
						   "job.cancel",  "job.set",    "job.set",     "job.list",
						   "job.history", "fact.query", "job.explain", "group.set"};
	char method[32] = "", params[300] = "", more[120] = "";
	unsigned q = s->a % QUESTIONS;
	if (s->kind == SUBMIT) {
		int n = s->b < KEYS ? snprintf(more, sizeof more, ",\"key\":\"k%u\"", s->b) : 0;
		if (s->n)
			n += snprintf(more + n, sizeof more - (size_t)n, ",\"budget\":{\"nodes\":%u}", s->n);
		if (s->a % 4 == 0)
			n += snprintf(more + n, sizeof more - (size_t)n, ",\"group\":\"g\"");
		if (after_of(r, s))
			n += snprintf(more + n, sizeof more - (size_t)n, ",\"after\":[%u]", after_of(r, s));
		if (under_of(r, s))
			snprintf(more + n, sizeof more - (size_t)n, ",\"under\":%u", under_of(r, s));
		snprintf(params, sizeof params, "\"game\":\"%s\",\"claim\":\"%s\",\"memory\":\"1M\",\"priority\":%d%s",
			 questions[q].game, questions[q].claim, (int)(s->n % 9) - 4, more);
	} else if (s->kind == QUERY) {
		snprintf(params, sizeof params, "\"game\":\"%s\"", questions[q].game);
	} else if (s->kind == GROUP) {
		snprintf(params, sizeof params, "\"group\":\"g\",\"limit\":%u,\"paused\":%s", s->a % 3,
			 s->b % 2 ? "true" : "false");
	} else if (s->kind == BAD) {
		bad_text(s, method, params);
	} else if (s->kind != LIST) {
		if (s->kind == SET_PRIORITY)
			snprintf(more, sizeof more, ",\"priority\":%d", (int)(s->n % 201) - 100);
		if (s->kind == SET_BUDGET)
			snprintf(more, sizeof more, ",\"budget\":{\"nodes\":%u}", s->n);
		snprintf(params, sizeof params, "\"job\":%u%s", job_of(r, s), more);
	}
	snprintf(out, size, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{%s}}", id,
		 s->kind == BAD ? method : methods[s->kind], params);
}

/* --- replies ------------------------------------------------------------------------------ */

static bool see_job(struct run *r, unsigned number, pr_ref result)
{
	struct job *job = &r->shared->job[number];
	pr_ref nodes = pr_get(result, "nodes"), value = pr_get(result, "value");
	int64_t done = pr_get_int(nodes, "level1", 0) + pr_get_int(nodes, "level2", 0);
	char key[16] = "";
	if (job->key >= 0)
		snprintf(key, sizeof key, "k%d", job->key);
	if (pr_get_int(result, "job", 0) != number ||
	    strcmp(pr_get_str(result, "game", ""), questions[job->question].game) != 0 ||
	    strcmp(pr_get_str(result, "key", ""), key) != 0)
		return found(r, "job: %u is another", number);
	if (pr_get_int(result, "priority", 1000) != job->priority ||
	    pr_get_int(pr_get(result, "budget"), "nodes", 0) != job->budget)
		return found(r, "job: %u has priority %" PRId64 " and budget %" PRId64 ", not %d and %" PRId64, number,
			     pr_get_int(result, "priority", 1000), pr_get_int(pr_get(result, "budget"), "nodes", 0),
			     job->priority, job->budget);
	if (done < job->nodes)
		return found(r, "nodes: of job %u were %" PRId64 " and are %" PRId64, number, job->nodes, done);
	job->nodes = done;
	if (!see_state(r, number, pr_get_str(result, "state", "")))
		return false;
	if (job->known == SOLVED) {
		r->shared->sum.solved++;
		if (!pr_has(result, "result") || pr_get_int(value, "lo", 100) > pr_get_int(value, "hi", -100))
			return found(r, "result: job %u is solved and says nothing", number);
	}
	return true;
}

static unsigned owner_of(const struct run *r, unsigned key)
{
	for (unsigned i = JOBS_MAX; i; i--)
		if (r->shared->job[i].there && r->shared->job[i].key == (int)key)
			return r->shared->job[i].known == CANCELLED ? 0 : i;
	return 0;
}

static bool see_submit(struct run *r, const struct step *s, bool ok, pr_ref result)
{
	unsigned q = s->a % QUESTIONS, owner = s->b < KEYS ? owner_of(r, s->b) : 0,
		 number = (unsigned)pr_get_int(result, "job", 0);
	unsigned after = after_of(r, s);
	const struct job *other = &r->shared->job[after];
	if (after && (other->known == CANCELLED || !ok))
		return (!ok && !strcmp(pr_get_str(pr_get(result, "data"), "field", ""), "after") &&
			may_be_stopped(r, &(struct job){.after = after})) ||
		       found(r, "after: job %u, which is %s", after, state_text[other->known]);
	unsigned under = under_of(r, s);
	const struct job *above = &r->shared->job[under];
	const char *field = pr_get_str(pr_get(result, "data"), "field", "");
	if (under && strcmp(questions[above->question].game, questions[q].game) != 0)
		return (!ok && !strcmp(field, "game")) || found(r, "under: job %u is about another game", under);
	if (under && (above->known == CANCELLED || above->known == SOLVED || !ok))
		return (!ok && !strcmp(field, "under") && above->known != EXHAUSTED && above->known != FAILED) ||
		       found(r, "under: job %u, which is %s", under, state_text[above->known]);
	if (owner && r->shared->job[owner].question != q)
		return (!ok && !strcmp(pr_get_str(pr_get(result, "data"), "field", ""), "key")) ||
		       found(r, "key: of job %u was given to another question", owner);
	if (!ok)
		return found(r, "submit: refused: %.200s", pr_get_str(result, "message", ""));
	if (owner)
		return number == owner || found(r, "key: the same question made job %u of job %u", number, owner);
	/* Jobs of one batch may have their numbers in any order. */
	if (number <= r->before || number > r->before + BATCH_MAX || number > JOBS_MAX || r->shared->job[number].there)
		return found(r, "submit: the job has number %u, and %u came before", number, r->before);
	r->shared->jobs++;
	r->shared->sum.submitted++;
	r->shared->job[number] = (struct job){.there = true,
					      .question = q,
					      .key = s->b < KEYS ? (int)s->b : -1,
					      .priority = (int)(s->n % 9) - 4,
					      .budget = s->n,
					      .bounded = s->n > 0,
					      .after = after,
					      .under = under,
					      .grouped = s->a % 4 == 0,
					      .known = GOING};
	return true;
}

static bool see_query(struct run *r, const struct step *s, pr_ref result)
{
	unsigned q = s->a % QUESTIONS;
	for (unsigned i = 0; i < q; i++)
		if (!strcmp(questions[i].game, questions[q].game))
			q = i;
	pr_ref fact = pr_at(pr_get(result, "facts"), 0);
	int64_t lo = pr_get_int(fact, "lo", -1000), hi = pr_get_int(fact, "hi", 1000);
	if (lo < r->shared->lo[q] || hi > r->shared->hi[q] || lo > hi)
		return found(r, "fact: of %s was %" PRId64 " to %" PRId64 " and is %" PRId64 " to %" PRId64,
			     questions[q].game, r->shared->lo[q], r->shared->hi[q], lo, hi);
	r->shared->lo[q] = lo;
	r->shared->hi[q] = hi;
	return true;
}

/* A refusal for the job's state: right when it stands still where the call has no arrow, or may have come to rest there
 * by itself. */
static bool may_refuse(const struct job *job, enum kind kind)
{
	switch (job->known) {
	case GOING: /* it may have been solved or exhausted meanwhile */
		return true;
	case PAUSED:
		return kind == PAUSE || (kind == RESUME && job->budget);
	case EXHAUSTED:
	case FAILED:
		return kind == PAUSE || (kind == RESUME && job->budget);
	default:
		return true;
	}
}

static bool may_do(const struct job *job, enum kind kind)
{
	if (job->known == SOLVED || job->known == CANCELLED)
		return false;
	return kind != PAUSE || job->known == GOING;
}

static bool see_change(struct run *r, const struct step *s, unsigned number, bool ok, pr_ref result)
{
	struct job *job = &r->shared->job[number];
	const char *state = pr_get_str(result, "state", "");
	if (!ok)
		return (pr_get_int(result, "code", 0) == PD_E_STATE && may_refuse(job, s->kind)) ||
		       found(r, "change: call %d of job %u, which is %s, is refused: %.200s", s->kind, number,
			     state_text[job->known], pr_get_str(result, "message", ""));
	if (!may_do(job, s->kind))
		return found(r, "change: call %d of job %u, which is %s, is carried out: it is %s", s->kind, number,
			     state_text[job->known], state);
	if (s->kind == SET_PRIORITY)
		job->priority = (int)(s->n % 201) - 100;
	else if (s->kind == SET_BUDGET)
		job->budget = s->n;
	if (s->kind == RESUME) {
		job->known = GOING;
		job->crashes = 0;
	} else if (s->kind == PAUSE && !strcmp(state, "paused"))
		job->known = PAUSED;
	else if (s->kind == CANCEL && !strcmp(state, "cancelled"))
		job->known = CANCELLED;
	job->bounded = job->budget || (job->bounded && s->kind != RESUME);
	return see_state(r, number, state);
}

/* `result` is the error when `ok` is false. */
static bool see_reply(struct run *r, const struct step *s, unsigned number, bool ok, pr_ref result)
{
	r->shared->sum.requests++;
	r->shared->sum.refused += !ok;
	if (s->kind == SUBMIT)
		return see_submit(r, s, ok, result);
	if (s->kind == GROUP) {
		r->shared->paused = s->b % 2;
		return (ok && pr_get_bool(result, "paused", !r->shared->paused) == r->shared->paused &&
			pr_get_int(result, "limit", 0) == s->a % 3) ||
		       found(r, "group: its settings are others");
	}
	if (s->kind == BAD)
		return !ok || found(r, "bad: request %u is carried out", s->b);
	if (s->kind == LIST || s->kind == QUERY) {
		if (!ok)
			return found(r, "query: refused: %.200s", pr_get_str(result, "message", ""));
		pr_ref jobs = pr_get(result, "jobs");
		/* What is submitted in the same batch is listed when it is on disk. */
		if (s->kind == LIST && (pr_count(jobs) < r->before || pr_count(jobs) > r->before + BATCH_MAX))
			return found(r, "list: %zu jobs instead of %u", pr_count(jobs), r->shared->jobs);
		return s->kind == LIST || see_query(r, s, result);
	}
	if (number > r->shared->jobs)
		return (!ok && pr_get_int(result, "code", 0) == PD_E_NO_JOB) ||
		       found(r, "job: one that is not there is found");
	if (s->kind == GET)
		return ok ? see_job(r, number, result) : found(r, "job: %u is not found", number);
	if (s->kind == EXPLAIN)
		return ok && pr_get_str(result, "text", "")[0] ? see_state(r, number, pr_get_str(result, "state", ""))
							       : found(r, "explain: of job %u nothing is said", number);
	if (s->kind == HISTORY)
		return ok ? pr_count(pr_get(result, "points")) > 0 || found(r, "history: of job %u is empty", number)
			  : found(r, "history: of job %u is refused", number);
	return see_change(r, s, number, ok, result);
}

static struct pr_doc *next_reply(struct run *r)
{
	for (;;) {
		char *line = insession_line(&r->s);
		struct pr_doc *doc;
		struct pd_fail fail;
		if (pr_doc_parse(line, strlen(line), &doc, &fail))
			abort();
		free(line);
		if (pr_kind_of(pr_doc_root(doc)) == PR_ARRAY || pr_has(pr_doc_root(doc), "id"))
			return doc;
		pr_doc_free(doc); /* a notification */
	}
}

/* Steps [0, count) in one line: alone, or as a batch. */
static bool call_steps(struct run *r, const struct step *steps, unsigned count)
{
	char line[BATCH_MAX * 512] = "[", one[500];
	unsigned first = r->id + 1, number[BATCH_MAX];
	r->before = r->shared->jobs;
	for (unsigned i = 0; i < count; i++) {
		number[i] = job_of(r, &steps[i]);
		request_text(r, &steps[i], ++r->id, one, sizeof one);
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i ? "," : "", one);
	}
	strcat(line, "]");
	insession_send(&r->s, count > 1 ? line : one);
	struct pr_doc *doc = next_reply(r);
	pr_ref root = pr_doc_root(doc);
	bool good = (pr_kind_of(root) == PR_ARRAY) == (count > 1) && (count == 1 || pr_count(root) == count);
	if (!good)
		found(r, "reply: not one for each request");
	r->shared->sum.batches += count > 1;
	for (unsigned i = 0; i < count && good; i++) {
		pr_ref reply = count > 1 ? pr_at(root, i) : root;
		bool ok = pr_has(reply, "result");
		if (pr_get_int(reply, "id", 0) != first + i || ok == pr_has(reply, "error"))
			good = found(r, "reply: of request %u is not where it belongs", first + i);
		else
			good = see_reply(r, &steps[i], number[i], ok, pr_get(reply, ok ? "result" : "error"));
	}
	for (unsigned i = r->before + 1; i <= r->shared->jobs && good; i++)
		good = r->shared->job[i].there || found(r, "submit: there is no job %u", i);
	pr_doc_free(doc);
	return good;
}

/* --- a run -------------------------------------------------------------------------------- */

static void open_core(struct run *r)
{
	struct sv_config config;
	sv_config_init(&config);
	config.nice = 0;
	config.data = r->memory ? NULL : r->dir;
	config.threads = 1 + (unsigned)(r->seed % 2);
	config.checkpoint_s = 0.05;
	config.graphs = TEST_GRAPHS;
	config.identity = 1;
	config.run_min_s = 0; /* running jobs give way as soon as they can */
	config.slice_s = 0.02;
	insession_open_as(&r->s, &config);
}

static bool get_all(struct run *r)
{
	for (unsigned i = 1; i <= r->shared->jobs; i++)
		if (!call_steps(r, &(struct step){.kind = GET, .a = i, .exact = true}, 1))
			return false;
	return call_steps(r, &(struct step){.kind = LIST}, 1);
}

static bool await_job(struct run *r, const struct step *s)
{
	unsigned number = job_of(r, s);
	char state[16];
	if (number > r->shared->jobs)
		return true;
	/* One that goes on for ever may have all workers. */
	for (unsigned i = 1; i <= r->shared->jobs; i++)
		if (r->shared->job[i].known == GOING && r->shared->job[i].question == QUESTIONS - 1 &&
		    !r->shared->job[i].budget)
			return true;
	if (r->shared->job[number].after || (r->shared->job[number].grouped && r->shared->paused))
		return true;
	r->s.next_id = r->id;
	insession_wait(&r->s, number, state);
	r->id = r->s.next_id;
	return see_state(r, number, state);
}

static bool take_step(struct run *r, const struct step *s, unsigned number)
{
	if (s->kind == WAIT)
		return await_job(r, s);
	if (r->memory)
		return true;
	if (s->kind == CRASH) {
		for (unsigned i = 1; i <= r->shared->jobs; i++) {
			r->shared->job[i].nodes = 0; /* what was searched since the last checkpoint is gone */
			r->shared->job[i].crashes += r->shared->job[i].known == GOING;
		}
		r->shared->sum.crashes++;
		r->shared->next = number + 1;
		_exit(END_CRASH);
	}
	r->shared->sum.reopened++;
	insession_close(&r->s);
	open_core(r);
	return get_all(r);
}

static void do_steps(struct run *r, const struct step *steps, unsigned count)
{
	bool good = true;
	signal(SIGALRM, SIG_DFL);
	alarm(HANG_S);
	pd_log_threshold(PD_LOG_ERROR);
	open_core(r);
	r->id = 100000 * (r->shared->next + 1); /* no number twice */
	good = get_all(r);
	for (unsigned i = r->shared->next, n; good && i < count; i += n) {
		n = 1;
		while (is_call(steps[i].kind) && !is_slow(&steps[i + n - 1]) && i + n < count && n < BATCH_MAX &&
		       steps[i + n].joined && is_call(steps[i + n].kind))
			n++;
		good = is_call(steps[i].kind) ? call_steps(r, &steps[i], n) : take_step(r, &steps[i], i);
	}
	good = good && get_all(r);
	if (good)
		insession_close(&r->s);
	_exit(good ? END_DONE : END_FOUND);
}

static bool has_finding(struct run *r, const struct step *steps, unsigned count)
{
	char dir[64];
	memset(r->shared, 0, sizeof *r->shared);
	for (unsigned q = 0; q < QUESTIONS; q++) {
		r->shared->lo[q] = -1000;
		r->shared->hi[q] = 1000;
	}
	fflush(stdout);
	scratch_dir(dir);
	r->dir = dir;
	int status = 0;
	do {
		pid_t pid = fork();
		if (pid < 0)
			abort();
		if (!pid)
			do_steps(r, steps, count);
		if (waitpid(pid, &status, 0) != pid)
			abort();
	} while (WIFEXITED(status) && WEXITSTATUS(status) == END_CRASH);
	if (WIFSIGNALED(status))
		found(r, "died: by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != END_DONE)
		found(r, "died: with status %d", WEXITSTATUS(status));
	scratch_remove_all(dir);
	return r->shared->finding[0] != 0;
}

/* --- drawing, shrinking, printing --------------------------------------------------------- */

static unsigned draw_steps(uint64_t seed, struct step *steps)
{
	static const uint8_t kinds[] = {SUBMIT, SUBMIT, SUBMIT,       GET,        GET,   PAUSE,   PAUSE,  RESUME,
					RESUME, CANCEL, SET_PRIORITY, SET_BUDGET, LIST,  HISTORY, QUERY,  QUERY,
					BAD,    WAIT,   WAIT,         REOPEN,     CRASH, SUBMIT,  SUBMIT, GET,
					PAUSE,  RESUME, EXPLAIN,      EXPLAIN,    GROUP, GROUP};
	static const unsigned budgets[] = {0, 0, 1, 5, 50, 2000};
	uint64_t random = seed ^ UINT64_C(0xca115);
	unsigned count = 10 + walk_below(&random, STEPS_MAX - 10);
	for (unsigned i = 0; i < count; i++)
		steps[i] = (struct step){.kind = (enum kind)kinds[walk_below(&random, sizeof kinds)],
					 .a = walk_below(&random, 1000),
					 .b = walk_below(&random, 2 * KEYS + 2),
					 .n = budgets[walk_below(&random, sizeof budgets / sizeof *budgets)],
					 .joined = walk_below(&random, 4) == 0};
	return count;
}

struct wanted {
	struct run *run;
	size_t size; /* of the finding's kind */
	char finding[400];
};

/* Threads are part of it, so a list is given several tries. */
static bool same_finding(void *ctx, const void *steps, unsigned count)
{
	struct wanted *w = ctx;
	for (unsigned i = 0; i < AGAIN; i++)
		if (has_finding(w->run, steps, count) && !strncmp(w->run->shared->finding, w->finding, w->size))
			return true;
	return false;
}

static void print_step(struct run *r, const struct step *s)
{
	static const char *const text[KINDS] = {[WAIT] = "wait until it stands still",
						[REOPEN] = "close, open",
						[CRASH] = "_exit(), open in another process"};
	char line[500];
	if (is_call(s->kind))
		request_text(r, s, 0, line, sizeof line);
	else
		snprintf(line, sizeof line, "%s", text[s->kind]);
	printf("\t%s%s", s->joined ? "with the one before: " : "", line);
	printf(is_call(s->kind) && (s->kind == SUBMIT || s->kind >= LIST)
		       ? "\n"
		       : "   /* job: %u of those that are there */\n",
	       s->a);
}

static void print_report(struct run *r, struct step *steps, unsigned count)
{
	struct wanted wanted = {.run = r, .size = strcspn(r->shared->finding, ":") + 1};
	memcpy(wanted.finding, r->shared->finding, sizeof wanted.finding);
	printf("FOUND: protocol, seed %" PRIu64 " %s: %s\n", r->seed, r->memory ? "in memory" : "on disk",
	       wanted.finding);
	unsigned left = shrink(steps, sizeof *steps, count, SHRINK_TRIES, same_finding, &wanted);
	printf("  %u of %u steps are left:\n", left, count);
	for (unsigned i = 0; i < left; i++)
		print_step(r, &steps[i]);
	fflush(stdout);
}

void model_calls(uint64_t seed, struct calls_sum *sum)
{
	struct step steps[STEPS_MAX];
	struct run r = {.seed = seed, .memory = seed % 3 == 0};
	r.shared = mmap(NULL, sizeof *r.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.shared == MAP_FAILED)
		abort();
	unsigned count = draw_steps(seed, steps);
	bool bad = has_finding(&r, steps, count);
	const struct calls_sum *one = &r.shared->sum;
	sum->sequences++;
	sum->requests += one->requests;
	sum->batches += one->batches;
	sum->refused += one->refused;
	sum->submitted += one->submitted;
	sum->solved += one->solved;
	sum->crashes += one->crashes;
	sum->reopened += one->reopened;
	sum->findings += bad;
	if (bad)
		print_report(&r, steps, count);
	munmap(r.shared, sizeof *r.shared);
}
