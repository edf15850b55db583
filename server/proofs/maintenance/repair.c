#include "server/proofs/maintenance/repair.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/study.h"
#include "server/proofs/certificates/certificate_digest.h"
#include "server/proofs/maintenance/fresh_directory.h"
#include "server/proofs/maintenance/lies.h"
#include "store/files.h"
#include "store/salvage.h"

enum {
	FACTS_BATCH = 20000,
	WEIGHT_BATCH = 100000 /* table entries and events of a batch */
};

/* A reason on its way into a batch. */
struct batched {
	uint32_t game;
	uint32_t size;
	uint8_t key[ST_KEY_MAX];
	struct pd_reason reason;
};

struct repair {
	struct st_salvage *from;
	struct st_store *to;
	struct st_batch *batch;  /* NULL: none is open */
	uint64_t weight;         /* its table entries and events */
	uint32_t *game;          /* owned: number of each game in the new directory */
	struct batched *batched; /* owned: FACTS_BATCH */
	uint32_t batched_count;
	struct batched *bad; /* owned: positions with facts that contradict each other */
	uint32_t bad_count;
	bool whole; /* no fact was lost */
	struct sv_repaired *sum;
	struct pd_fail *fail;

	uint32_t job; /* the one being repaired, as in the members below */
	struct sv_record best;
	struct pd_buf record; /* of it, as it was found */
	int64_t revision;     /* of a study; 0: none was found */
	bool no_memory, question_put;
	struct pd_id question;
};

bool sv_repaired_whole(const struct sv_repaired *sum)
{
	return sum->counted && !sum->games_lost && !sum->facts_lost && !sum->log_blocks_lost && !sum->contradictions &&
	       !sum->jobs_lost && !sum->events_lost && !sum->tables_lost && !sum->retro.left_out.count &&
	       !sum->experiments.damaged && !sum->certificates_lost && !strcmp(sum->runs, "newest");
}

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to repair a directory");
}

static int begin_batch(struct repair *r)
{
	r->weight = 0;
	return r->batch ? PD_OK : st_batch_begin(r->to, &r->batch, r->fail);
}

static int commit_batch(struct repair *r)
{
	struct st_batch *batch = r->batch;
	r->batch = NULL;
	return batch ? st_batch_commit(batch, r->fail) : PD_OK;
}

static void drop_batch(struct repair *r)
{
	if (r->batch)
		st_batch_abort(r->batch);
	r->batch = NULL;
}

/* Commits the batch and begins another when it is large. */
static int turn_batch(struct repair *r, uint64_t weight)
{
	r->weight += weight;
	if (r->weight < WEIGHT_BATCH)
		return PD_OK;
	int rc = commit_batch(r);
	return rc ? rc : begin_batch(r);
}

/* Puts the games first and in their order, so that they keep their numbers when none is lost. */
static int put_games(struct repair *r)
{
	uint32_t games = st_salvage_sum(r->from)->games;
	r->game = calloc(games + 1, sizeof *r->game);
	int rc = r->game ? begin_batch(r) : no_memory(r->fail);
	for (uint32_t i = 0; !rc && i < games; i++) {
		uint64_t rules;
		const char *name = st_salvage_game(r->from, i, &rules);
		rc = st_batch_game(r->batch, name, rules, &r->game[i], r->fail);
	}
	return rc ? rc : commit_batch(r);
}

static bool is_bad(const struct repair *r, uint32_t game, const uint8_t *key, size_t size)
{
	for (uint32_t i = 0; i < r->bad_count; i++)
		if (r->bad[i].game == game && r->bad[i].size == size && !memcmp(r->bad[i].key, key, size))
			return true;
	return false;
}

static int add_bad(struct repair *r, const struct batched *p)
{
	PD_ASSERT(p);
	struct batched *grown = realloc(r->bad, (r->bad_count + 1) * sizeof *grown);
	if (!grown)
		return no_memory(r->fail);
	r->bad = grown;
	r->bad[r->bad_count++] = *p;
	return PD_OK;
}

/* Puts the buffered reasons into a batch. A contradiction aborts the batch; the next attempt leaves its position
 * out. */
static int put_batched(struct repair *r)
{
	int rc = PD_E_CONFLICT;
	while (rc == PD_E_CONFLICT) {
		const struct batched *p = NULL;
		rc = begin_batch(r);
		for (uint32_t i = 0; !rc && i < r->batched_count; i++) {
			p = &r->batched[i];
			if (!r->bad_count || !is_bad(r, p->game, p->key, p->size))
				rc = st_batch_fact(r->batch, p->game, p->key, p->size, &p->reason, r->fail);
		}
		if (!rc)
			rc = commit_batch(r);
		drop_batch(r);
		if (rc == PD_E_CONFLICT && add_bad(r, p))
			rc = PD_E_NO_MEMORY;
	}
	r->batched_count = 0;
	return rc || st_facts_maintain(r->to, false, r->fail) < 0 ? r->fail->code : PD_OK;
}

static int on_reason(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct repair *r = ctx;
	if (!size || size > ST_KEY_MAX)
		return PD_OK;
	PD_ASSERT(r->batched_count < FACTS_BATCH);
	struct batched *p = &r->batched[r->batched_count++];
	*p = (struct batched){.game = r->game[game], .size = (uint32_t)size, .reason = *reason};
	memcpy(p->key, key, size);
	return r->batched_count == FACTS_BATCH ? put_batched(r) : PD_OK;
}

static bool keep_none(void *ctx, const struct pd_reason *reason)
{
	(void)ctx;
	(void)reason;
	return false;
}

static int leave_out_bad(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	const struct repair *r = ctx;
	if (is_bad(r, game, key, size))
		pd_fact_keep(fact, keep_none, NULL);
	return 0;
}

static int count_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct repair *r = ctx;
	(void)game, (void)key, (void)size, (void)fact;
	r->sum->facts++;
	return 0;
}

static int settle_facts(struct repair *r)
{
	if ((r->bad_count && st_facts_rewrite(r->to, leave_out_bad, r, r->fail)) ||
	    st_facts_maintain_all(r->to, true, r->fail))
		return r->fail->code;
	return st_fact_walk(r->to, count_fact, r, r->fail);
}

static int put_facts(struct repair *r)
{
	static const char *const lists[] = {"lost", "old", "newest"};
	const struct st_salvaged *s = st_salvage_sum(r->from);
	r->batched = malloc(FACTS_BATCH * sizeof *r->batched);
	if (!r->batched)
		return no_memory(r->fail);
	if (put_games(r) || st_salvage_facts(r->from, on_reason, r, r->fail) || (r->batched_count && put_batched(r)) ||
	    settle_facts(r))
		return r->fail->code;
	r->sum->counted = s->counted;
	r->sum->games = s->games;
	r->sum->games_lost = s->games_lost;
	r->sum->facts_lost = s->facts_lost;
	r->sum->log_blocks_lost = s->log_blocks_lost;
	r->sum->contradictions = r->bad_count;
	r->sum->runs = lists[s->runs];
	r->sum->identity = s->identity != 0;
	r->whole = sv_repaired_whole(r->sum); /* no job has been counted yet */
	return PD_OK;
}

static uint64_t nodes_of(const struct sv_record *job)
{
	return job->progress.level1 + job->progress.level2;
}

/* Of two versions of a record, the one with more progress is the newer. */
static bool is_further(const struct sv_record *a, const struct sv_record *b)
{
	if (a->restarts != b->restarts)
		return a->restarts > b->restarts;
	if (nodes_of(a) != nodes_of(b))
		return nodes_of(a) > nodes_of(b);
	return sv_state_over(a->state) && !sv_state_over(b->state);
}

/* Of a study the version with the highest revision is kept. */
static void on_study(struct repair *r, const void *record, size_t size)
{
	struct sv_study study;
	struct pd_fail fail;
	int rc = sv_study_read(r->job, record, size, &study, &fail);
	r->no_memory |= rc == PD_E_NO_MEMORY;
	if (rc)
		return;
	if (study.revision > r->revision) {
		r->revision = study.revision;
		r->record.size = 0;
		pd_buf_put(&r->record, record, size);
	}
	sv_study_fini(&study);
}

static void on_record(void *ctx, const void *record, size_t size)
{
	struct repair *r = ctx;
	struct sv_record job;
	struct pd_fail fail;
	if (sv_study_is(record, size)) {
		on_study(r, record, size);
		return;
	}
	int rc = sv_record_read(r->job, record, size, &job, &fail);
	r->no_memory |= rc == PD_E_NO_MEMORY;
	if (rc)
		return;
	if (r->best.id && !is_further(&job, &r->best)) {
		sv_record_fini(&job);
		return;
	}
	sv_record_fini(&r->best);
	r->best = job;
	r->record.size = 0;
	pd_buf_put(&r->record, record, size);
}

/* True when the record states something that only facts can justify. */
static bool has_claims(const struct sv_record *job)
{
	return job->result || job->progress.lo != INT16_MIN || job->progress.hi != INT16_MAX || job->state == SV_SOLVED;
}

static int put_record(struct repair *r, bool sure)
{
	struct pd_buf event;
	bool again = !r->whole || (!sure && has_claims(&r->best));
	int rc = PD_OK;
	if (again) {
		sv_record_restart(&r->best);
		r->record.size = 0;
		sv_record_write(&r->best, &r->record);
		r->sum->jobs_again++;
	}
	pd_buf_init(&event, ST_EVENT_MAX);
	if (again)
		sv_record_event(&r->best.progress, "repaired", &event);
	if (r->record.failed || event.failed)
		rc = no_memory(r->fail);
	if (!rc)
		rc = st_batch_job_put(r->batch, r->job, r->record.data, r->record.size, r->fail);
	if (!rc && again)
		rc = st_batch_event(r->batch, r->job, event.data, event.size, r->fail);
	pd_buf_fini(&event);
	return rc;
}

static int on_event(void *ctx, const void *record, size_t size)
{
	struct repair *r = ctx;
	int rc = st_batch_event(r->batch, r->job, record, size, r->fail);
	r->sum->events++;
	return rc ? rc : turn_batch(r, 1);
}

static int on_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct repair *r = ctx;
	PD_ASSERT(r->batch && r->job);
	int rc = r->question_put ? PD_OK : st_batch_tt_question(r->batch, r->job, r->question, r->fail);
	r->question_put = true;
	if (!rc)
		rc = st_batch_tt(r->batch, r->job, entries, count, r->fail);
	return rc ? rc : turn_batch(r, count);
}

/* Tables depend on facts: when facts are missing, the solved entries are unfounded. */
static int put_table(struct repair *r)
{
	int rc = PD_OK, found = -1;
	r->question_put = false;
	if (r->whole)
		found = st_salvage_tt(r->from, r->job, &r->question, on_entries, r, &rc);
	if (rc && rc != r->fail->code)
		pd_fail_set(r->fail, (enum pd_error)rc, "data", "a block of the table of job %u cannot be read again",
			    r->job);
	r->sum->tables += found > 0;
	r->sum->tables_lost += found < 0;
	return rc;
}

static int put_job(struct repair *r)
{
	uint32_t number;
	uint64_t lost = 0;
	int rc = st_batch_job_new(r->batch, &number, r->fail);
	PD_ASSERT(rc || number == r->job);
	r->best = (struct sv_record){0};
	r->record.size = 0;
	r->revision = 0;
	enum st_job_trace trace = st_salvage_job(r->from, r->job, on_record, r);
	if (!rc && r->no_memory)
		rc = no_memory(r->fail);
	if (!rc && r->revision && !r->best.id) {
		rc = r->record.failed ? no_memory(r->fail)
				      : st_batch_job_put(r->batch, r->job, r->record.data, r->record.size, r->fail);
		r->sum->jobs++;
	} else if (!rc && r->best.id) {
		rc = st_salvage_events(r->from, r->job, on_event, r, &lost);
		if (!rc)
			rc = put_record(r, trace == ST_JOB_SURE);
		if (!rc && r->best.state != SV_SOLVED && r->best.state != SV_CANCELLED)
			rc = put_table(r);
		r->sum->jobs++;
		r->sum->events_lost += lost;
	} else if (!rc && trace == ST_JOB_NONE) {
		bool left;
		rc = st_batch_job_remove(r->batch, r->job, 1, &left, r->fail);
	} else if (!rc) {
		r->sum->jobs_lost++;
	}
	sv_record_fini(&r->best);
	return rc ? rc : turn_batch(r, 10);
}

static int put_jobs(struct repair *r)
{
	uint32_t past = st_salvage_sum(r->from)->next_job;
	pd_buf_init(&r->record, SIZE_MAX);
	int rc = begin_batch(r);
	for (r->job = 1; !rc && r->job < past; r->job++)
		rc = put_job(r);
	if (!rc)
		rc = commit_batch(r);
	drop_batch(r);
	pd_buf_fini(&r->record);
	return rc;
}

static int on_conflict(void *ctx, const void *record, size_t size)
{
	struct repair *r = ctx;
	r->sum->conflicts++;
	return st_conflict_keep(r->to, record, size, r->fail);
}

static int keep_meta(void *ctx, unsigned id, const void *record, size_t size)
{
	struct repair *r = ctx;
	return st_meta_keep(r->to, id, record, size, r->fail);
}

static int fill_directory(struct repair *r)
{
	int rc = st_salvage_meta(r->from, keep_meta, r);
	if (!rc)
		rc = put_facts(r) || put_jobs(r) ? r->fail->code : PD_OK;
	drop_batch(r);
	return rc ? rc : st_salvage_conflicts(r->from, on_conflict, r);
}

static int make_directory(struct st_salvage *from, const char *path, struct sv_repaired *out, struct pd_fail *fail)
{
	struct repair r = {.from = from, .sum = out, .fail = fail};
	int rc = st_open(path, 0, &r.to, fail);
	if (!rc)
		rc = fill_directory(&r);
	st_close(r.to);
	free(r.game);
	free(r.batched);
	free(r.bad);
	return rc;
}

/* Copies the lists of workers that lied, and of those whose facts are still to be retracted. If the latter is damaged,
 * the facts of all workers are to be retracted. */
static int take_lies(const char *dir, const char *path, struct pd_fail *fail)
{
	struct sv_liars liars;
	int rc = sv_liars_read(dir, &liars, fail);
	if (rc == PD_E_CORRUPT) {
		liars.count = 0;
		sv_liars_add(&liars, 0);
		rc = PD_OK;
	}
	if (!rc && liars.count)
		rc = sv_liars_write(path, &liars, fail);
	rc = rc ? rc : sv_liars_banned(dir, &liars, fail);
	return rc || !liars.count ? rc : sv_liars_keep(path, &liars, fail);
}

struct certificates {
	const char *folder; /* the new one */
	struct sv_repaired *sum;
};

static int take_certificate(void *ctx, const char *path, enum sv_damage damage, struct pd_fail *fail)
{
	const struct certificates *c = ctx;
	int rc = damage == SV_DAMAGED ? PD_E_CORRUPT : sv_copy_file(path, c->folder, "proofs", fail);
	if (rc && rc != PD_E_CORRUPT)
		return rc;
	c->sum->certificates += !rc;
	c->sum->certificates_lost += rc != 0;
	return PD_OK;
}

static int take_certificates(const char *dir, const char *path, struct sv_repaired *out, struct pd_fail *fail)
{
	char folder[ST_PATH];
	const struct certificates c = {folder, out};
	int rc = st_path(folder, path, "proofs", "", fail);
	rc = rc ? rc : sv_certificates_examine(dir, take_certificate, (void *)(uintptr_t)&c, fail);
	if (rc || !out->certificates)
		return rc;
	rc = st_own_like(folder, dir, fail);
	return rc ? rc : st_sync_directory(folder, fail);
}

int sv_repair(const char *dir, const char *fresh, struct sv_repaired *out, struct pd_fail *fail)
{
	char name[PATH_MAX], path[PATH_MAX];
	struct st_salvage *from;
	*out = (struct sv_repaired){.runs = "lost"};
	if (sv_fresh_name(fresh, ".repairing", name, path, fail) || st_salvage_open(dir, "{\"v\":", &from, fail))
		return fail->code;
	int rc = make_directory(from, path, out, fail);
	st_salvage_close(from);
	if (!rc && !take_lies(dir, path, fail) && !sv_tables_copy(dir, path, &out->retro, fail) &&
	    !sv_experiments_copy(dir, path, &out->experiments, fail) && !take_certificates(dir, path, out, fail) &&
	    !sv_fresh_publish(path, name, dir, fail))
		return PD_OK;
	sv_fresh_remove(path);
	return rc ? rc : fail->code;
}
