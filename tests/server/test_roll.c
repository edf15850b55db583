/* The roll against a plain search through all jobs: random jobs come, go, change state, priority and trouble.
 * PROOFD_SEED=N replays a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/jobs/model/crashes.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_spec.h"
#include "server/jobs/model/job_state.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

enum { JOBS = 300, KEYS = 40, STEPS = 6000 };

static uint64_t seed;

static uint64_t pick_number(uint64_t n)
{
	return model_random(&seed, n);
}

static struct sv_job *new_job(uint32_t id)
{
	struct sv_spec spec = {.game = strdup("mnk:3,3,3"), .position = strdup("")};
	const struct sv_record record = sv_record_new(&spec);
	struct sv_job *job = sv_job_new(&record);
	job->record.id = id;
	job->record.spec.priority = (int)pick_number(3) - 1;
	job->record.spec.memory = (1 + pick_number(20)) << 20;
	job->record.ran_before = pick_number(2);
	job->record.crashes = (unsigned)pick_number(3);
	job->record.turn = pick_number(3);
	job->record.state = pick_number(4) ? SV_QUEUED : (enum sv_state)pick_number(SV_FAILED + 1);
	return job;
}

/* How early its turn comes, but for its number. */
static int64_t rank(const struct sv_job *job)
{
	return (int64_t)(job->record.crashes < SV_CRASHES_BEHIND) * 1000 + job->record.spec.priority * 100 +
	       job->record.ran_before * 10 - (int64_t)job->record.turn;
}

/* As judgement.c says it, in words of its own. */
static const struct sv_job *best(struct sv_job *const *jobs, unsigned count, uint64_t room)
{
	const struct sv_job *found = NULL;
	for (unsigned i = 0; i < count; i++) {
		const struct sv_job *j = jobs[i];
		if (j->record.state != SV_QUEUED || j->run.phase != SV_PHASE_REST || j->record.spec.memory > room)
			continue;
		if (!found || rank(j) > rank(found) || (rank(j) == rank(found) && j->record.id < found->record.id))
			found = j;
	}
	return found;
}

static bool at_rest(const void *ctx, const struct sv_job *job)
{
	return job->run.phase == SV_PHASE_REST;
}

/* The jobs before a queued one, in order. */
static void compare_before(struct sv_job *const *jobs, unsigned count, const struct sv_job *job)
{
	enum { ROOM = 7 };
	const struct sv_job *out[ROOM];
	uint32_t before = 0, known = 0, none = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct sv_job *j = jobs[i];
		before += j->record.state == SV_QUEUED &&
			  (rank(j) > rank(job) || (rank(j) == rank(job) && j->record.id < job->record.id));
	}
	ck_assert_uint_eq(sv_index_queued_before(job->entry.group, job, out, ROOM, &known), before);
	ck_assert_uint_eq(known, before < ROOM ? before : ROOM);
	for (uint32_t i = 0; i < known; i++) {
		ck_assert(out[i]->record.state == SV_QUEUED && out[i] != job);
		ck_assert_uint_eq(sv_index_queued_before(job->entry.group, out[i], NULL, 0, &none), i);
	}
}

static void compare_orders(struct sv_job_index *index, struct sv_job *const *jobs, unsigned count)
{
	uint32_t states[SV_FAILED + 1] = {0}, over = 0, seen = 0;
	uint64_t idle = 0, seen_idle = 0;
	struct sv_job *job;
	for (unsigned i = 0; i < count; i++) {
		states[sv_job_shown(jobs[i])]++;
		over += sv_state_over(jobs[i]->record.state);
		idle += jobs[i]->entry.idle_bytes;
		ck_assert_ptr_eq(sv_index_find(index, jobs[i]->record.id), jobs[i]);
	}
	ck_assert(!memcmp(states, index->all.states, sizeof states));
	TAILQ_FOREACH(job, &index->over, entry.over)
		seen += sv_state_over(job->record.state);
	TAILQ_FOREACH(job, &index->idle, entry.idle)
		seen_idle += job->entry.idle_bytes;
	ck_assert_uint_eq(index->over_count, over);
	ck_assert_uint_eq(seen, over);
	ck_assert_uint_eq(index->idle_bytes, idle);
	ck_assert_uint_eq(seen_idle, idle);
	ck_assert_uint_eq(index->all.count, count);
	for (uint64_t room = 0; room < 22; room += 7)
		ck_assert_ptr_eq(sv_index_next(&index->groups.nameless, room << 20, at_rest, NULL),
				 best(jobs, count, room << 20));
	if (count && jobs[0]->record.state == SV_QUEUED)
		compare_before(jobs, count, jobs[0]);
}

static void change(struct sv_job *job)
{
	struct sv_change c = sv_change_none(&job->record);
	enum sv_state to = (enum sv_state)pick_number(SV_FAILED + 1);
	enum sv_phase phase = (enum sv_phase)pick_number(SV_PHASE_BROKEN + 1);
	switch (pick_number(6)) {
	case 0:
		c.priority = (int)pick_number(5) - 2;
		sv_change_apply(job, &c);
		break;
	case 1:
		sv_index_trouble(job, job->run.trouble.code ? NULL : &(struct pd_fail){.code = PD_E_NO_SPACE});
		break;
	case 2:
	case 3:
		if (sv_phase_arrow(job->run.phase, phase))
			sv_job_enter(job, phase);
		break;
	case 4:
		if (job->record.state == SV_EXHAUSTED || job->record.state == SV_FAILED)
			sv_index_idle(job, pick_number(3) * 4096);
		break;
	default:
		if (sv_arrow(job->record.state, to))
			sv_job_move(job, to);
	}
}

START_TEST(every_order_is_what_a_search_through_all_jobs_finds)
{
	struct sv_job_index index;
	struct sv_job *jobs[JOBS];
	unsigned count = 0;
	uint32_t next = 1;
	const char *text = getenv("PROOFD_SEED");
	seed = text ? strtoull(text, NULL, 10) : 11 + (uint64_t)_i;
	sv_index_init(&index);
	for (unsigned step = 0; step < STEPS; step++) {
		if (count < JOBS && pick_number(3) == 0) {
			jobs[count] = new_job(next++);
			ck_assert_int_eq(sv_index_add(&index, jobs[count++]), PD_OK);
		} else if (count && pick_number(5) == 0) {
			unsigned which = (unsigned)pick_number(count);
			sv_index_remove(&index, jobs[which]);
			sv_job_free(jobs[which]);
			jobs[which] = jobs[--count];
		} else if (count) {
			change(jobs[pick_number(count)]);
		}
		if (step % 16 == 0)
			compare_orders(&index, jobs, count);
	}
	ck_assert_ptr_null(sv_index_find(&index, 0));
	ck_assert_ptr_null(sv_index_find(&index, next));
	while (count) {
		sv_index_remove(&index, jobs[--count]);
		sv_job_free(jobs[count]);
	}
	compare_orders(&index, jobs, 0);
	sv_index_fini(&index);
}
END_TEST

START_TEST(a_place_in_the_queue_costs_its_logarithm)
{
	enum { COUNT = 20000, ROOM = 20 };
	static struct sv_job *jobs[COUNT];
	const struct sv_job *out[ROOM];
	struct sv_job_index index;
	seed = 7;
	sv_index_init(&index);
	for (uint32_t i = 0; i < COUNT; i++) {
		jobs[i] = new_job(i + 1);
		jobs[i]->record.state = SV_QUEUED;
		ck_assert_int_eq(sv_index_add(&index, jobs[i]), PD_OK);
	}
	for (uint32_t i = 0; i < COUNT; i += 97) {
		uint32_t known = 0;
		uint64_t before = index.looks;
		sv_index_queued_before(jobs[i]->entry.group, jobs[i], out, ROOM, &known);
		ck_assert_uint_le(index.looks - before, ROOM + 100);
	}
	for (uint32_t i = 0; i < COUNT; i++)
		sv_job_free(jobs[i]);
	sv_index_fini(&index);
}
END_TEST

START_TEST(ends_are_sorted_after_a_restore)
{
	struct sv_job_index index;
	struct sv_job *job, *jobs[50];
	int64_t last = 0;
	seed = 5;
	sv_index_init(&index);
	for (unsigned i = 0; i < 50; i++) {
		jobs[i] = new_job(i + 1);
		jobs[i]->record.state = SV_SOLVED;
		jobs[i]->record.finished_ms = 1 + (int64_t)pick_number(30);
		ck_assert_int_eq(sv_index_add(&index, jobs[i]), PD_OK);
	}
	ck_assert(sv_index_sort(&index));
	TAILQ_FOREACH(job, &index.over, entry.over) {
		ck_assert_int_ge(job->record.finished_ms, last);
		last = job->record.finished_ms;
	}
	for (unsigned i = 0; i < 50; i++)
		sv_job_free(jobs[i]);
	sv_index_fini(&index);
}
END_TEST

START_TEST(a_key_finds_the_last_job_that_has_it)
{
	struct sv_job_keys keys = {0};
	struct sv_job *jobs[400] = {NULL}, *has;
	uint32_t next = 1;
	char key[16];
	seed = 17 + (uint64_t)_i;
	for (unsigned step = 0; step < 4000; step++) {
		unsigned i = (unsigned)pick_number(400), k = i % KEYS;
		if (!jobs[i]) {
			jobs[i] = new_job(next++);
			snprintf(key, sizeof key, "key %u", k);
			jobs[i]->record.spec.key = strdup(key);
			ck_assert(sv_keys_add(&keys, jobs[i]));
		} else {
			sv_keys_remove(&keys, jobs[i]);
			sv_job_free(jobs[i]);
			jobs[i] = NULL;
		}
		for (k = 0; k < KEYS; k++) {
			has = NULL;
			for (i = k; i < 400; i += KEYS)
				has = jobs[i] && (!has || jobs[i]->record.id > has->record.id) ? jobs[i] : has;
			snprintf(key, sizeof key, "key %u", k);
			ck_assert_ptr_eq(sv_keys_find(&keys, key), has);
		}
	}
	ck_assert_ptr_null(sv_keys_find(&keys, "another"));
	for (unsigned i = 0; i < 400; i++)
		sv_job_free(jobs[i]);
	sv_keys_fini(&keys);
}
END_TEST

START_TEST(a_key_goes_back_to_the_job_before)
{
	struct sv_job_index index;
	struct sv_job *jobs[3];
	seed = 3;
	sv_index_init(&index);
	for (unsigned i = 0; i < 3; i++) {
		jobs[i] = new_job(i + 1);
		jobs[i]->record.spec.key = strdup("mine");
		ck_assert_int_eq(sv_index_add(&index, jobs[i]), PD_OK);
		ck_assert(sv_keys_add(&index.keys, jobs[i]));
	}
	sv_keys_remove(&index.keys, jobs[1]); /* it has lost it already */
	ck_assert_ptr_eq(sv_keys_find(&index.keys, "mine"), jobs[2]);
	sv_index_remove(&index, jobs[1]);
	sv_keys_remove(&index.keys, jobs[2]);
	ck_assert_ptr_eq(sv_keys_find(&index.keys, "mine"), jobs[0]);
	sv_index_remove(&index, jobs[2]);
	sv_keys_remove(&index.keys, jobs[0]);
	ck_assert_ptr_null(sv_keys_find(&index.keys, "mine"));
	for (unsigned i = 0; i < 3; i++)
		sv_job_free(jobs[i]);
	sv_index_fini(&index);
	sv_keys_fini(&index.keys);
}
END_TEST

SUITE(roll)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, every_order_is_what_a_search_through_all_jobs_finds, 0, 4);
	tcase_add_test(c, a_place_in_the_queue_costs_its_logarithm);
	tcase_add_test(c, ends_are_sorted_after_a_restore);
	tcase_add_test(c, a_key_goes_back_to_the_job_before);
	tcase_add_loop_test(c, a_key_finds_the_last_job_that_has_it, 0, 3);
}
