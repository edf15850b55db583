/* Replies of the simulated server: each is checked against what was asked and what the model knows. */
#include "tests/lab/sim_world_state.h"

#include <inttypes.h>

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/doc.h"
#include "server/common/config.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/core.h"
#include "store/store.h"
#include "tests/lab/sim_threads.h"

static struct asked *find_asked(struct client *c, uint64_t id)
{
	for (unsigned i = 0; id && i < ASKED; i++)
		if (c->asked[i].id == id)
			return &c->asked[i];
	return NULL;
}

struct sim_job *sim_job_of(uint32_t id)
{
	if (!id || id >= SIM_JOBS)
		sim_finding("job %u is out of the model", id);
	return &w.model->job[id];
}

static void check_value(unsigned question, int lo, int hi, const char *where)
{
	int value = questions[question].value;
	if (lo > value || hi < value)
		sim_finding("%s says %d to %d of %s, whose value is %d", where, lo, hi, questions[question].game,
			    value);
}

/* A job as a client is shown it; at_once: as it is now, while the reply of a batch may have waited for others. */
static void see_job(pr_ref job, bool at_once)
{
	uint32_t id = (uint32_t)pr_get_int(job, "job", 0);
	struct sim_job *known = sim_job_of(id);
	const char *state = pr_get_str(job, "state", ""), *reason = pr_get_str(job, "reason", "");
	pr_ref result = pr_get(job, "result");
	sim_note(state, strlen(state));
	/* Crashes are dealt at random, so some job is in three of them in a row. */
	if (!strcmp(state, "failed") && strstr(reason, "ended three times in a row"))
		known->crashed = true;
	else if (!strcmp(state, "failed"))
		sim_finding("job %u has failed: %s", id, reason);
	if (strstr(reason, "damaged"))
		sim_finding("job %u: %s", id, reason);
	if (!known->known)
		return;
	if (strcmp(pr_get_str(job, "game", ""), questions[known->question].game))
		sim_finding("job %u asks of %s, it was submitted about %s", id, pr_get_str(job, "game", ""),
			    questions[known->question].game);
	int over = !strcmp(state, "solved") ? 1 : !strcmp(state, "cancelled") ? 2 : 0;
	if (known->over && known->over != over && (at_once || over))
		sim_finding("job %u is %s, and was seen %s", id, state, known->over == 1 ? "solved" : "cancelled");
	if (over == 1 && !known->over)
		w.model->solved++;
	known->over = over ? over : known->over;
	if (known->paused && (!strcmp(state, "running") || !strcmp(state, "queued")) && at_once)
		sim_finding("job %u is %s; its pause was acknowledged, and it was not resumed", id, state);
	if (known->set && at_once && pr_get_int(job, "priority", -1000) != known->priority)
		sim_finding("job %u has priority %d; %d was acknowledged", id, (int)pr_get_int(job, "priority", -1000),
			    known->priority);
	if (pr_has(job, "result")) {
		pr_ref value = pr_get(result, "value");
		int lo = (int)pr_get_int(value, "lo", -99), hi = (int)pr_get_int(value, "hi", 99);
		check_value(known->question, lo, hi, "the result of a job");
		if (over == 1 && lo != hi)
			sim_finding("job %u is solved, and its value is %d to %d", id, lo, hi);
		if (over == 1)
			w.model->fact[known->question].solved = true;
	}
}

static void see_fact(pr_ref fact, unsigned question, bool at_once)
{
	int lo = (int)pr_get_int(fact, "lo", -99), hi = (int)pr_get_int(fact, "hi", 99);
	check_value(question, lo, hi, "a fact");
	if (!at_once) /* it may have been read before what others heard already */
		return;
	if (w.model->fact[question].lo > lo || w.model->fact[question].hi < hi)
		sim_finding("the fact about %s was %d to %d, and is %d to %d", questions[question].game,
			    w.model->fact[question].lo, w.model->fact[question].hi, lo, hi);
	if (w.model->fact[question].solved && lo != hi)
		sim_finding("%s is solved, and the fact about it is %d to %d", questions[question].game, lo, hi);
	w.model->fact[question].lo = lo;
	w.model->fact[question].hi = hi;
}

static void see_submitted(const struct asked *a, pr_ref result)
{
	uint32_t id = (uint32_t)pr_get_int(result, "job", 0);
	struct sim_job *job = sim_job_of(id);
	if (job->known && job->question != a->question)
		sim_finding("job %u was told for %s and for %s", id, questions[job->question].game,
			    questions[a->question].game);
	if (job->known && a->key < 0)
		sim_finding("job %u was told for two submissions without a key", id);
	if (!job->known)
		w.model->jobs++;
	job->known = true;
	job->question = a->question;
	if (a->key < 0)
		return;
	uint32_t before = w.model->key[a->key];
	if (id < before) /* it was said long ago, and had to wait for its batch */
		return;
	if (before && before != id && !sim_job_of(before)->cancels && !sim_job_of(before)->crashed)
		sim_finding("the key %d gave job %u, and now job %u", a->key, before, id);
	w.model->key[a->key] = id;
}

static void see_result(struct client *c, const struct asked *a, pr_ref result)
{
	struct sim_job *job = a->job ? sim_job_of(a->job) : NULL;
	pr_ref facts = pr_get(result, "facts");
	switch (a->kind) {
	case SUBMIT:
		see_submitted(a, result);
		break;
	case GET:
	case WATCH:
		see_job(result, a->alone);
		job->looked_at = true;
		break;
	case LIST:
		for (size_t i = 0; i < pr_count(pr_get(result, "jobs")); i++)
			see_job(pr_at(pr_get(result, "jobs"), i), a->alone);
		break;
	case PAUSE:
		if (!strcmp(pr_get_str(result, "state", ""), "paused") && job->resumes == a->before)
			job->paused = true;
		break;
	case CANCEL:
		if (strcmp(pr_get_str(result, "state", ""), "cancelled"))
			sim_finding("job %u was cancelled, and is %s", a->job, pr_get_str(result, "state", ""));
		job->over = 2;
		break;
	case SET:
		if (job->sets == a->before) {
			job->set = true;
			job->priority = a->priority;
		}
		break;
	case FACT:
	case FACTS:
		for (size_t i = 0; i < pr_count(facts); i++)
			see_fact(pr_at(facts, i), a->question, c->in_call && a->alone && a->kind == FACT);
		break;
	case BEST_LINE: {
		pr_ref value = pr_get(result, "value");
		check_value(a->question, (int)pr_get_int(value, "lo", -99), (int)pr_get_int(value, "hi", 99), "a line");
		break;
	}
	default:
		break;
	}
}

static void see_error(const struct asked *a, pr_ref error)
{
	int code = (int)pr_get_int(error, "code", 0);
	const char *text = pr_get_str(error, "message", "");
	w.model->refused++;
	sim_note(&code, sizeof code);
	if (code == PD_E_INTERNAL || code == PD_E_CORRUPT || code == PD_E_CONFLICT || code == PD_E_PARSE ||
	    code == PD_E_REQUEST || code == PD_E_METHOD)
		sim_finding("%s is answered: %s", kinds[a->kind].method, text);
	if (code == PD_E_NO_JOB && a->job && a->known)
		sim_finding("job %u was acknowledged, and is not there", a->job);
}

static void see_reply(struct client *c, pr_ref reply, uint64_t *line)
{
	uint64_t id = (uint64_t)pr_get_int(reply, "id", 0);
	struct asked *a = find_asked(c, id);
	if (!a)
		sim_finding("request %" PRIu64 " was answered twice, or never made: %s", id,
			    pr_get_str(pr_get(reply, "error"), "message", ""));
	*line = a->line;
	sim_note(&id, sizeof id);
	w.model->replies++;
	if (pr_has(reply, "result"))
		see_result(c, a, pr_get(reply, "result"));
	else
		see_error(a, pr_get(reply, "error"));
	a->id = 0;
	c->open--;
}

void sim_reply_take(void *ctx, const char *line, size_t size)
{
	struct client *c = ctx;
	struct pr_doc *doc;
	struct pd_fail fail;
	uint64_t of = 0;
	if (!c->session)
		sim_finding("a line came for a session that has ended");
	if (!size || line[size - 1] != '\n' || pr_doc_parse(line, size, &doc, &fail))
		sim_finding("a line that is no JSON: %.300s", line);
	pr_ref root = pr_doc_root(doc);
	if (pr_kind_of(root) == PR_ARRAY) {
		for (size_t i = 0; i < pr_count(root); i++)
			see_reply(c, pr_at(root, i), &of);
		for (unsigned i = 0; i < ASKED; i++)
			if (c->asked[i].id && c->asked[i].line == of)
				sim_finding("request %" PRIu64 " is not answered with its batch", c->asked[i].id);
	} else if (pr_has(root, "method")) {
		if (c->backlog)
			sim_finding("a notification came to a client that has not read what came before");
		see_job(pr_get(root, "params"), true);
	} else {
		see_reply(c, root, &of);
	}
	pr_doc_free(doc);
}
