/* Where memory is short: what becomes of requests while a table is loaded, who goes on first, and which tables keep
 * their size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/common/memory_bound.h"
#include "server/jobs/index/search_threads.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define LARGE "\"game\":\"connect4:7x6\",\"algorithm\":\"pds\""

static const uint64_t mega = 1 << 20;

/* Makes a call that succeeds; the number `job` of its result. */
static unsigned call_method(struct insession *s, const char *method, const char *params)
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, method, params, &ok, &result);
	ck_assert_msg(ok, "%s %s: %s", method, params, pr_get_str(result, "message", "?"));
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	return job;
}

static void call_on(struct insession *s, const char *method, unsigned job, const char *more)
{
	char params[64];
	snprintf(params, sizeof params, "\"job\":%u%s", job, more);
	call_method(s, method, params);
}

static void until_state(struct insession *s, unsigned job, const char *wanted)
{
	char state[16];
	do
		insession_state(s, job, state);
	while (strcmp(state, wanted));
}

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Under the lock: nothing is put on hold, and no job goes on by itself, until `due_ns` is set to 0. */
static void stop_quota(struct sv_core *core)
{
	core->search_threads->quota.due_ns = UINT64_MAX;
	core->search_threads->quota.hold = SV_HOLD_NONE;
	core->search_threads->quota.leave = NULL;
}

/* A bound of which the searches may take that much more than the process has now, and which leaves a sixteenth and
 * `more` below that. */
static uint64_t bound_with(uint64_t more)
{
	uint64_t own = sv_memory_own(), bound = own;
	while (sv_memory_quota(bound) < own + bound / 16 + more)
		bound += mega / 4;
	return bound;
}

/* --- requests while a table is loaded ----------------------------------------------------- */

/* A job that is paused, with a table on disk. */
static unsigned job_with_table(struct insession *s)
{
	unsigned id = call_method(s, "job.submit", LARGE ",\"memory\":\"4M\"");
	uint64_t bytes = 0;
	while (!bytes) {
		rest();
		sv_core_pump(s->core);
		pd_mutex_lock(&s->core->lock);
		bytes = sv_index_find(s->core->index, id)->run.table_bytes;
		pd_mutex_unlock(&s->core->lock);
	}
	call_on(s, "job.pause", id, "");
	return id;
}

/* Resumes a job and sends a request as soon as a worker has it. True when it came before the table was found to have no
 * room; the reply is in *doc. */
static bool meet_loading(struct insession *s, unsigned id, const char *method, enum sv_want wanted, struct pr_doc **doc,
			 pr_ref *reply)
{
	char line[128];
	struct pd_fail fail;
	struct sv_core *core = s->core;
	struct sv_job *job;
	bool begun = false, met;
	pd_mutex_lock(&core->lock);
	job = sv_index_find(core->index, id);
	uint64_t bound = core->bound.bytes;
	core->bound.bytes = 1 << 16; /* less than what the process has */
	pd_mutex_unlock(&core->lock);
	call_on(s, "job.resume", id, "");
	while (!begun) {
		pd_mutex_lock(&core->lock);
		stop_quota(core); /* again: a look may have been under way */
		begun = job->record.state != SV_QUEUED || job->run.phase != SV_PHASE_REST;
		pthread_cond_broadcast(&core->search_threads->work);
		pd_mutex_unlock(&core->lock);
	}
	snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":\"it\",\"method\":\"%s\",\"params\":{\"job\":%u}}",
		 method, id);
	insession_send(s, line);
	pd_mutex_lock(&core->lock);
	met = job->run.phase == SV_PHASE_SEARCHING && job->run.want == wanted;
	pd_mutex_unlock(&core->lock);
	for (;;) {
		char *said = insession_line(s);
		ck_assert(!pr_doc_parse(said, strlen(said), doc, &fail));
		free(said);
		*reply = pr_doc_root(*doc);
		if (!strcmp(pr_get_str(*reply, "id", ""), "it"))
			break;
		pr_doc_free(*doc);
	}
	pd_mutex_lock(&core->lock);
	core->bound.bytes = bound;
	pd_mutex_unlock(&core->lock);
	return met;
}

/* What was acknowledged holds: the job does not go on by itself. */
START_TEST(a_pause_while_the_table_finds_no_room_is_kept)
{
	struct insession s;
	struct pr_doc *doc;
	pr_ref reply;
	char dir[64], state[16];
	unsigned met = 0;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	unsigned id = job_with_table(&s);
	for (unsigned i = 0; i < 200 && met < 3; i++) {
		met += meet_loading(&s, id, "job.pause", SV_WANT_PAUSE, &doc, &reply);
		ck_assert_str_eq(pr_get_str(pr_get(reply, "result"), "state", "?"), "paused");
		pr_doc_free(doc);
		pd_mutex_lock(&s.core->lock);
		const struct sv_job *job = sv_index_find(s.core->index, id);
		ck_assert_int_eq(job->record.on_hold, SV_HOLD_NONE);
		ck_assert_str_eq(job->record.reason, SV_PAUSED_ON_REQUEST);
		pd_mutex_unlock(&s.core->lock);
		insession_state(&s, id, state);
		ck_assert_str_eq(state, "paused");
	}
	ck_assert_uint_eq(met, 3);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_cancellation_while_the_table_finds_no_room_is_kept)
{
	struct insession s;
	struct pr_doc *doc;
	pr_ref reply;
	char dir[64], state[16];
	bool met = false;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	for (unsigned i = 0; i < 50 && !met; i++) {
		unsigned id = job_with_table(&s);
		met = meet_loading(&s, id, "job.cancel", SV_WANT_CANCEL, &doc, &reply);
		ck_assert_str_eq(pr_get_str(pr_get(reply, "result"), "state", "?"), "cancelled");
		pr_doc_free(doc);
		insession_state(&s, id, state);
		ck_assert_str_eq(state, "cancelled");
		ck_assert_uint_eq(st_tt_bytes(s.core->store, id), 0);
		pd_mutex_lock(&s.core->lock);
		const struct sv_job *job = sv_index_find(s.core->index, id);
		ck_assert(job->record.on_hold == SV_HOLD_NONE && !*job->record.reason && job->record.finished_ms);
		s.core->search_threads->quota.due_ns = 0;
		pd_mutex_unlock(&s.core->lock);
	}
	ck_assert(met);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* Nothing was asked for: it is on hold, and goes on. */
START_TEST(a_job_whose_table_finds_no_room_goes_on_when_there_is_some)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	unsigned id = job_with_table(&s);
	pd_mutex_lock(&s.core->lock);
	uint64_t bound = s.core->bound.bytes;
	s.core->bound.bytes = 1 << 16;
	pd_mutex_unlock(&s.core->lock);
	call_on(&s, "job.resume", id, "");
	for (enum sv_hold hold = SV_HOLD_NONE; hold != SV_HOLD_MEMORY;) {
		rest();
		sv_core_pump(s.core);
		pd_mutex_lock(&s.core->lock);
		stop_quota(s.core);
		pthread_cond_broadcast(&s.core->search_threads->work);
		hold = sv_index_find(s.core->index, id)->record.on_hold;
		pd_mutex_unlock(&s.core->lock);
	}
	until_state(&s, id, "paused");
	call_on(&s, "job.set", id, ",\"priority\":3"); /* changes nothing of that */
	pd_mutex_lock(&s.core->lock);
	ck_assert_int_eq(sv_index_find(s.core->index, id)->record.on_hold, SV_HOLD_MEMORY);
	s.core->bound.bytes = bound;
	s.core->search_threads->quota.due_ns = 0;
	pd_mutex_unlock(&s.core->lock);
	until_state(&s, id, "running");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* --- who goes on -------------------------------------------------------------------------- */

/* MiB that one job wants, and that are free: enough for the facts that the other finds while this test does not run. */
enum { WANTED = 512, FREE = 192 };

/* The bound again, as far from what the process has. */
static void keep_free(struct insession *s)
{
	pd_mutex_lock(&s->core->lock);
	s->core->bound.bytes = bound_with(FREE * mega);
	pd_mutex_unlock(&s->core->lock);
}

/* It wants more than is free. The other runs for days; it would be the first to leave if that had a higher priority. */
START_TEST(a_job_on_hold_goes_on_before_those_of_lower_priority_end)
{
	struct insession s;
	char state[16];
	insession_open(&s, NULL, 2, 0.05);
	unsigned runs = call_method(&s, "job.submit", LARGE ",\"memory\":\"2M\"");
	until_state(&s, runs, "running");
	pd_mutex_lock(&s.core->lock);
	s.core->search_threads->quota.due_ns = UINT64_MAX;
	pd_mutex_unlock(&s.core->lock);
	unsigned waits = call_method(&s, "job.submit", LARGE ",\"memory\":\"512M\"");
	call_on(&s, "job.pause", waits, "");
	pd_mutex_lock(&s.core->lock);
	sv_index_find(s.core->index, waits)->record.on_hold = SV_HOLD_MEMORY;
	s.core->bound.bytes = bound_with(FREE * mega);
	ck_assert_uint_lt(s.core->bound.bytes / 16 + FREE * mega, WANTED * mega);
	s.core->search_threads->quota.on_hold = true;
	s.core->search_threads->quota.due_ns = 0;
	pd_mutex_unlock(&s.core->lock);
	for (unsigned i = 0; i < 1500; i++) { /* several looks; and one a second may go on */
		rest();
		keep_free(&s);
		insession_state(&s, waits, state);
		ck_assert_str_eq(state, "paused");
	}
	insession_assert_state(&s, runs, "running");
	call_on(&s, "job.set", waits, ",\"priority\":5");
	do {
		keep_free(&s);
		insession_state(&s, waits, state);
	} while (strcmp(state, "running"));
	insession_close(&s);
}
END_TEST

/* --- tables ------------------------------------------------------------------------------- */

/* What a call about a job answers; to be freed with pr_doc_free. */
static struct pr_doc *ask_about(struct insession *s, const char *method, unsigned id, pr_ref *result)
{
	char params[32];
	bool ok;
	snprintf(params, sizeof params, "\"job\":%u", id);
	struct pr_doc *doc = insession_call(s, method, params, &ok, result);
	ck_assert(ok);
	return doc;
}

/* Whether job.explain says that its table keeps its size. */
static bool is_told(struct insession *s, unsigned id)
{
	pr_ref result;
	struct pr_doc *doc = ask_about(s, "job.explain", id, &result);
	bool told = strstr(pr_get_str(result, "text", ""), "its table keeps its size for now") != NULL;
	pr_doc_free(doc);
	return told;
}

/* Under the lock: a bound that leaves less than the next step of a table takes. */
static void tighten(struct sv_core *core)
{
	uint64_t own = sv_memory_own(), bound = own;
	while (sv_memory_quota(bound) < own + mega / 8)
		bound += mega / 8;
	core->bound.bytes = bound;
}

/* Waits until the job's tables may grow, or keep their size, and it is told so. The bound that keeps them follows what
 * the process has: checkpoints take memory and give it back. */
static void until_growth(struct insession *s, unsigned id, bool some)
{
	for (bool is = !some, told = some; is != some || told == some;) {
		rest();
		sv_core_pump(s->core);
		pd_mutex_lock(&s->core->lock);
		stop_quota(s->core);
		if (!some)
			tighten(s->core);
		is = sv_index_find(s->core->index, id)->run.growth > 0;
		pd_mutex_unlock(&s->core->lock);
		told = is_told(s, id);
	}
}

START_TEST(tables_keep_their_size_where_growing_finds_no_room)
{
	struct insession s;
	insession_open(&s, NULL, (unsigned)_i, 0.05);
	unsigned id = call_method(&s, "job.submit", LARGE ",\"memory\":\"512M\"");
	uint64_t bound = s.core->bound.bytes;
	until_growth(&s, id, true);
	for (unsigned i = 0; i < 2; i++) {
		until_growth(&s, id, false);
		pd_mutex_lock(&s.core->lock);
		s.core->bound.bytes = bound;
		pd_mutex_unlock(&s.core->lock);
		until_growth(&s, id, true);
	}
	call_on(&s, "job.cancel", id, "");
	insession_close(&s);
}
END_TEST

static void assert_source(struct insession *s, unsigned id, const char *source)
{
	pr_ref result;
	struct pr_doc *doc = ask_about(s, "job.tree", id, &result);
	ck_assert_str_eq(pr_get_str(result, "source", "?"), source);
	pr_doc_free(doc);
}

START_TEST(a_stored_table_is_read_for_a_tree_only_where_there_is_room)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	unsigned id = job_with_table(&s);
	assert_source(&s, id, "table");
	pd_mutex_lock(&s.core->lock);
	uint64_t bound = s.core->bound.bytes;
	s.core->bound.bytes = 1 << 16;
	pd_mutex_unlock(&s.core->lock);
	assert_source(&s, id, "facts");
	pd_mutex_lock(&s.core->lock);
	s.core->bound.bytes = bound;
	pd_mutex_unlock(&s.core->lock);
	assert_source(&s, id, "table");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

SUITE(quota)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_pause_while_the_table_finds_no_room_is_kept);
	tcase_add_test(c, a_cancellation_while_the_table_finds_no_room_is_kept);
	tcase_add_test(c, a_job_whose_table_finds_no_room_goes_on_when_there_is_some);
	tcase_add_test(c, a_job_on_hold_goes_on_before_those_of_lower_priority_end);
	tcase_add_loop_test(c, tables_keep_their_size_where_growing_finds_no_room, 1, 3);
	tcase_add_test(c, a_stored_table_is_read_for_a_tree_only_where_there_is_room);
}
