/* Check: a whole data directory, record by record and fact by fact.
 *
 * Every record must decode, and every reason of every fact must be justified: justify.h does that part. */
#include "server/core/internal.h"

#include <stdarg.h>
#include <string.h>

#include "server/core/justify.h"

struct check {
	struct sv_judge judge;
	uint64_t problems;
	void (*problem)(void *ctx, const char *text);
	void (*progress)(void *ctx, const struct sv_check *so_far);
	void *ctx;
};

static void report(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void report(struct check *c, const char *format, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	c->problems++;
	c->problem(c->ctx, text);
}

static void on_fault(void *ctx, const struct sv_fault *f)
{
	const struct pd_reason *r = f->reason;
	char text[GAME_TEXT_MAX];
	if (!f->state) {
		report(ctx, "%s: %s", f->game->name, f->text);
		return;
	}
	f->game->game->rules->print(f->game->game, f->state, text, sizeof text);
	report(ctx, "%s: %.200s: value %s %d within %u plies (effort %u, job %u): %s", f->game->name, text,
	       r->side == PD_LO ? ">=" : "<=", r->bound, r->rank, r->effort, r->job, f->text);
}

static void on_progress(void *ctx, const struct sv_check *so_far)
{
	struct check *c = ctx;
	struct sv_check sum = *so_far;
	sum.problems = c->problems;
	if (c->progress)
		c->progress(c->ctx, &sum);
}

static void record_problem(void *ctx, const char *text)
{
	report(ctx, "%s", text);
}

/* The store sees bytes in a job's record; here they must be what the server reads. */
static int check_job(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct sv_job *job;
	struct pd_fail fail;
	int rc = sv_job_unrecord(id, record, size, &job, &fail);
	if (rc == PD_E_NO_MEMORY)
		return rc;
	if (rc)
		report(ctx, "job %u: %s", id, fail.text);
	else
		sv_job_free(job);
	return PD_OK;
}

static int check_facts(struct check *c, struct pd_fail *fail)
{
	int rc = sv_judge_open(&c->judge, fail);
	if (!rc)
		rc = sv_judge_run(&c->judge, fail);
	if (!rc && c->judge.failed.code)
		report(c, "%s", c->judge.failed.text);
	sv_judge_close(&c->judge);
	return rc;
}

int sv_check_directory(const char *dir, const char *graphs, unsigned threads,
		       void (*problem)(void *ctx, const char *text),
		       void (*progress)(void *ctx, const struct sv_check *so_far), void *ctx, struct sv_check *out,
		       struct pd_fail *fail)
{
	struct check c = {.problem = problem, .progress = progress, .ctx = ctx};
	struct st_store *store;
	int rc = st_open(dir, ST_READ_ONLY, &store, fail);
	if (rc)
		return rc;
	c.judge = (struct sv_judge){.store = store,
				    .graphs = graphs,
				    .threads = threads,
				    .parts = SV_ONE_PLY | SV_LEAVES,
				    .ctx = &c,
				    .fault = on_fault,
				    .progress = on_progress};
	if (st_check(store, record_problem, &c, fail) < 0)
		rc = fail->code;
	if (!rc)
		rc = st_job_each(store, check_job, &c, fail);
	if (!rc)
		rc = check_facts(&c, fail);
	st_close(store);
	*out = c.judge.sum;
	out->problems = c.problems;
	return rc;
}
