/* Jobs that others concern: what the index knows of them against a search through all jobs, and what it costs, in jobs
 * visited. PROOFD_SEED=N replays a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/config.h"
#include "server/common/core_state.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_spec.h"
#include "server/jobs/queue/writer_thread.h"
#include "tests/support/insession.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

enum { JOBS = 80, STEPS = 4000, DEPTH = 5000 };

static uint64_t seed;

static uint64_t pick_number(uint64_t n)
{
	return model_random(&seed, n);
}

static struct sv_job *new_job(uint32_t id, uint32_t under, unsigned after_count, const uint32_t *after)
{
	struct sv_spec spec = {.game = strdup("mnk:3,3,3"), .position = strdup(""), .under = under};
	spec.after = after_count ? calloc(after_count, sizeof *after) : NULL;
	spec.after_count = after_count;
	if (after_count)
		memcpy(spec.after, after, after_count * sizeof *after);
	const struct sv_record record = sv_record_new(&spec);
	struct sv_job *job = sv_job_new(&record);
	job->record.id = id;
	return job;
}

/* --- against a search through all jobs ---------------------------------------------------- */

static struct sv_job *random_job(const struct sv_job_index *index, uint32_t id)
{
	uint32_t after[4];
	unsigned count = 0;
	while (count < 4 && index->all.count && pick_number(3))
		after[count++] = index->all.jobs[pick_number(index->all.count)]->record.id;
	return new_job(
		id, index->all.count && pick_number(4) ? index->all.jobs[pick_number(index->all.count)]->record.id : 0,
		count, after);
}

static const struct sv_job *solved_above(const struct sv_job *job)
{
	const struct sv_job *above = job->entry.parent;
	while (above && above->record.state != SV_SOLVED)
		above = above->entry.parent;
	return above;
}

/* A job that waits although the one that it waits for is solved, gone, or never will be. */
static bool waits_in_vain(const struct sv_job *job)
{
	const struct sv_job *other = sv_index_find(job->entry.index, job->entry.waits_for);
	return job->entry.waits_for &&
	       (!other || other->record.state == SV_SOLVED || (!job->record.anyway && sv_dependency_broken(job)));
}

static void compare_index(const struct sv_job_index *index)
{
	unsigned due = 0, listed = 0;
	const struct sv_job *job;
	for (uint32_t i = 0; i < index->all.count; i++) {
		job = index->all.jobs[i];
		bool concerned = job->record.state == SV_QUEUED &&
				 (waits_in_vain(job) || (!job->record.alone && solved_above(job) != NULL));
		if (job->entry.solved_above != solved_above(job) || (concerned && !job->entry.is_due) ||
		    (job->entry.is_due && job->record.state != SV_QUEUED))
			ck_abort_msg("job %u: seed %llu", job->record.id, (unsigned long long)seed);
		due += job->entry.is_due;
	}
	TAILQ_FOREACH(job, &index->due, entry.due)
		listed += job->entry.is_due;
	ck_assert_uint_eq(due, listed);
}

/* As writer_thread.c would, with the pauses on disk at once. */
static void settle_index(struct sv_job_index *index)
{
	for (uint32_t i = 0; i < index->all.count; i++) {
		struct sv_job *job = index->all.jobs[i];
		if (!job->entry.is_due)
			continue;
		if ((job->entry.solved_above && !job->record.alone) ||
		    (job->entry.waits_for && !job->record.anyway && sv_dependency_broken(job))) {
			sv_job_move(job, SV_PAUSED);
		} else {
			sv_index_before(job);
			sv_index_after(job);
			sv_index_due(job, false);
		}
	}
	ck_assert(TAILQ_EMPTY(&index->due));
}

START_TEST(what_others_do_is_known_of_every_job)
{
	struct sv_job_index index;
	const char *text = getenv("PROOFD_SEED");
	uint32_t next = 1;
	seed = text ? strtoull(text, NULL, 10) : 31 + (uint64_t)_i;
	sv_index_init(&index);
	for (unsigned step = 0; step < STEPS; step++) {
		struct sv_job *job = index.all.count ? index.all.jobs[pick_number(index.all.count)] : NULL;
		enum sv_state to = (enum sv_state)pick_number(SV_STATE_COUNT);
		if (!job || (index.all.count < JOBS && !pick_number(3))) {
			ck_assert_int_eq(sv_index_add(&index, random_job(&index, next++)), PD_OK);
		} else if (!pick_number(8)) {
			sv_index_remove(&index, job);
			sv_job_free(job);
		} else if (sv_arrow(job->record.state, to)) {
			job->record.alone |= job->record.state != SV_QUEUED && to == SV_QUEUED && pick_number(2);
			job->record.anyway |= job->record.state != SV_QUEUED && to == SV_QUEUED && pick_number(2);
			sv_job_move(job, to);
		}
		compare_index(&index);
		if (!pick_number(5)) {
			settle_index(&index);
			compare_index(&index);
		}
	}
	while (index.all.count) {
		struct sv_job *job = index.all.jobs[pick_number(index.all.count)];
		sv_index_remove(&index, job);
		sv_job_free(job);
		compare_index(&index);
	}
	sv_index_fini(&index);
}
END_TEST

/* --- cost --------------------------------------------------------------------------------- */

static void solve_job(struct sv_job *job)
{
	sv_job_move(job, SV_RUNNING);
	sv_job_move(job, SV_SOLVED);
}

/* Each job of the chain is under the one before, and waits for it where `waits`. */
static void fill_index(struct sv_job_index *index, struct sv_job **jobs, bool waits)
{
	sv_index_init(index);
	for (uint32_t i = 0; i < DEPTH; i++) {
		jobs[i] = new_job(i + 1, i, waits && i, &i);
		ck_assert_int_eq(sv_index_add(index, jobs[i]), PD_OK);
	}
	ck_assert_uint_eq(index->looks, 0);
}

static void empty(struct sv_job_index *index, struct sv_job **jobs)
{
	for (uint32_t i = 0; i < DEPTH; i++)
		sv_index_remove(index, jobs[i]);
	for (uint32_t i = 0; i < DEPTH; i++)
		sv_job_free(jobs[i]);
	sv_index_fini(index);
}

START_TEST(a_chain_costs_its_length)
{
	static struct sv_job *jobs[DEPTH];
	struct sv_job_index index;
	fill_index(&index, jobs, false);
	solve_job(jobs[0]);
	ck_assert_uint_eq(index.looks, DEPTH - 1);
	ck_assert_ptr_eq(jobs[DEPTH - 1]->entry.solved_above, jobs[0]);
	for (uint32_t i = 1; i < DEPTH; i++)
		sv_index_due(jobs[i], false);
	empty(&index, jobs);
	fill_index(&index, jobs, false); /* solved from its end on, as searches do it, and removed from its beginning */
	for (uint32_t i = DEPTH; i--;)
		solve_job(jobs[i]);
	empty(&index, jobs);
	ck_assert_uint_le(index.looks, 2 * DEPTH);
}
END_TEST

START_TEST(a_chain_of_waiting_jobs_costs_its_length)
{
	static struct sv_job *jobs[DEPTH];
	struct sv_job_index index;
	fill_index(&index, jobs, true);
	for (uint32_t i = 0; i < DEPTH; i++) {
		sv_index_due(jobs[i], false);
		jobs[i]->record.alone = true;
	}
	uint64_t before = index.looks;
	for (uint32_t i = DEPTH; i--;) { /* each is waited for by one */
		if (i)
			sv_job_move(jobs[i], SV_CANCELLED);
	}
	ck_assert_uint_le(index.looks - before, DEPTH);
	empty(&index, jobs);
}
END_TEST

/* --- a core ------------------------------------------------------------------------------- */

static uint64_t looks(struct insession *s)
{
	pd_mutex_lock(&s->core->lock);
	uint64_t n = s->core->index->looks;
	pd_mutex_unlock(&s->core->lock);
	return n;
}

/* More jobs than the writer looks at in one turn: those under a solved one are paused, those that waited for it run. */
START_TEST(all_that_are_concerned_are_reached)
{
	enum { COUNT = 2 * SV_SETTLE_MAX + 50, WAITING = 20 };
	struct insession s;
	struct sv_config config;
	char params[256];
	unsigned under[COUNT], waiting[WAITING];
	sv_config_init(&config);
	config.nice = 0;
	config.threads = 1;
	config.identity = 1;
	insession_open_as(&s, &config);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"held\",\"paused\":true"), 0);
	static const char question[] = "\"game\":\"mnk:3,3,3\",\"claim\":\"first-wins\",\"memory\":\"1M\"";
	snprintf(params, sizeof params, "%s,\"group\":\"held\"", question);
	unsigned root = insession_submit(&s, params);
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(params, sizeof params, "%s,\"group\":\"held\",\"under\":%u", question,
			 i ? under[i - 1] : root);
		under[i] = insession_submit(&s, params);
	}
	for (unsigned i = 0; i < WAITING; i++) {
		snprintf(params, sizeof params, "%s,\"after\":[%u]", question, root);
		waiting[i] = insession_submit(&s, params);
	}
	ck_assert_uint_le(looks(&s), 4 * COUNT); /* the jobs that wait, when they come */
	uint64_t before = looks(&s);
	pd_mutex_lock(&s.core->lock);
	struct sv_job *job = sv_index_find(s.core->index, root);
	sv_job_move(job, SV_RUNNING);
	sv_job_move(job, SV_SOLVED);
	pd_mutex_unlock(&s.core->lock);
	for (unsigned i = 0; i < COUNT; i++)
		insession_wait_state(&s, under[i], "paused");
	for (unsigned i = 0; i < WAITING; i++)
		insession_wait_state(&s, waiting[i], "solved");
	ck_assert_uint_le(looks(&s) - before, 8 * COUNT);
	insession_close(&s);
}
END_TEST

SUITE(settle)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, what_others_do_is_known_of_every_job, 0, 6);
	tcase_add_test(c, a_chain_costs_its_length);
	tcase_add_test(c, a_chain_of_waiting_jobs_costs_its_length);
	tcase_add_test(c, all_that_are_concerned_are_reached);
}
