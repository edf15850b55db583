#include "server/proofs/maintenance/retraction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/removed_jobs.h"
#include "server/jobs/model/study.h"
#include "server/jobs/model/tt_entry.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/maintenance/verify.h"

enum {
	FALLEN_FIRST = 1 << 8,
	MARKS_FIRST = 1 << 10,
	ENTRIES_FIRST = 1 << 12,
	NAME_HEAD = 28,         /* bytes of a reason's name before the key */
	ENTRIES_SHARE = 1 << 17 /* table entries per transaction */
};

/* --- marks: the set of reasons that are treated as absent --------------------------------- */

/* A reason is named by 128 bits of game, key and contents under a secret key (proto/base/identity.h). A collision would
 * retract one reason too many, never one too few. An open-addressing hash table that only grows. */
struct marks {
	struct pd_identity identity;
	struct pd_id *slot; /* owned; {0, 0} is free */
	uint64_t capacity;  /* 0 or a power of two */
	uint64_t count;     /* at most half of it */
};

_Static_assert((int)NAME_HEAD + (int)ST_KEY_MAX <= (int)PD_IDENTITY_MAX, "every reason can be named");
static void marks_init(struct marks *m)
{
	*m = (struct marks){0};
	pd_identity_init(&m->identity, pd_random64());
}

static void marks_fini(struct marks *m)
{
	free(m->slot);
	*m = (struct marks){0};
}

/* The name of a reason. Any thread. */
static struct pd_id name_reason(const struct marks *m, uint32_t game, const uint8_t *key, size_t size,
				const struct pd_reason *r)
{
	uint8_t bytes[NAME_HEAD + ST_KEY_MAX], *p = bytes;
	pd_put_le32(p, game);
	pd_put_le16(p + 4, (uint16_t)r->bound);
	pd_put_le16(p + 6, r->side);
	pd_put_le16(p + 8, r->rank);
	pd_put_le16(p + 10, r->move);
	pd_put_le32(p + 12, r->effort);
	pd_put_le32(p + 16, r->job);
	PD_ASSERT(size <= ST_KEY_MAX);
	pd_put_le64(p + 20, r->dominated);
	memcpy(p + NAME_HEAD, key, size);
	struct pd_id id = pd_identity_of(&m->identity, bytes, NAME_HEAD + size);
	id.lo += !id.lo && !id.hi;
	return id;
}

static struct pd_id *find_slot(const struct marks *m, struct pd_id id)
{
	uint64_t i = id.lo;
	PD_ASSERT(m->capacity && !(m->capacity & (m->capacity - 1)) && 2 * m->count <= m->capacity);
	while ((m->slot[i & (m->capacity - 1)].lo || m->slot[i & (m->capacity - 1)].hi) &&
	       !pd_id_equal(m->slot[i & (m->capacity - 1)], id))
		i++;
	return &m->slot[i & (m->capacity - 1)];
}

/* Any thread, while no thread adds marks. */
static bool is_marked(const struct marks *m, struct pd_id id)
{
	return m->capacity && pd_id_equal(*find_slot(m, id), id);
}

/* False without memory. */
static bool add_mark(struct marks *m, struct pd_id id)
{
	if (2 * (m->count + 1) > m->capacity) {
		struct marks larger = {.capacity = m->capacity ? 2 * m->capacity : MARKS_FIRST, .count = m->count};
		larger.identity = m->identity;
		larger.slot = calloc(larger.capacity, sizeof *larger.slot);
		if (!larger.slot)
			return false;
		for (uint64_t i = 0; i < m->capacity; i++)
			if (m->slot[i].lo || m->slot[i].hi)
				*find_slot(&larger, m->slot[i]) = m->slot[i];
		free(m->slot);
		m->slot = larger.slot;
		m->capacity = larger.capacity;
	}
	struct pd_id *slot = find_slot(m, id);
	m->count += !pd_id_equal(*slot, id);
	*slot = id;
	return true;
}

struct retraction {
	const char *dir;
	const struct sv_retraction_order *order;
	struct st_store *store;
	struct sv_verifier judge;
	struct marks marks;
	struct pd_id *fallen; /* owned; reasons that fell in this round */
	uint64_t fallen_count, fallen_room;
	bool no_memory;
	struct sv_record *jobs; /* by number - 1; owned; id 0: the job was removed */
	uint32_t job_count;     /* the highest job number given */
	struct sv_removed_jobs forgotten;
	bool *chosen_job;     /* by number; owned */
	uint32_t chosen_game; /* its number; 0: no game was chosen */
	bool *concerned;      /* by index in judge.games; owned: the game has chosen reasons */
	uint64_t total;       /* reasons in all games */
	struct sv_retracted sum;
	char what[160]; /* the origin in words */
};

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to note which facts fall");
}

/* --- the choice --------------------------------------------------------------------------- */

static int load_job(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct retraction *t = ctx;
	struct sv_record job;
	if (sv_study_is(record, size)) /* nothing in it is proved */
		return PD_OK;
	int rc = sv_record_read(id, record, size, &job, &t->judge.failed);
	if (rc)
		return rc;
	if (id > t->job_count) /* submitted to a running server meanwhile */
		sv_record_fini(&job);
	else
		t->jobs[id - 1] = job;
	return PD_OK;
}

static int load_jobs(struct retraction *t, struct pd_fail *fail)
{
	t->job_count = st_jobs_given(t->store);
	t->jobs = calloc((size_t)t->job_count + 1, sizeof *t->jobs);
	t->chosen_job = calloc((size_t)t->job_count + 1, sizeof *t->chosen_job);
	if (!t->jobs || !t->chosen_job) {
		t->job_count = 0;
		return no_memory(fail);
	}
	int rc = st_job_each(t->store, load_job, t, fail);
	if (rc && t->judge.failed.code)
		*fail = t->judge.failed;
	return rc ? rc : sv_removed_jobs_read(&t->forgotten, t->store, fail);
}

static int choose_job(struct retraction *t, struct pd_fail *fail)
{
	uint32_t job = t->order->job;
	if (job > t->job_count) /* a removed job is not an error: its facts still exist */
		return pd_fail_set(fail, PD_E_NO_JOB, "job", "there is no job %" PRIu32 "; the directory has %" PRIu32,
				   job, t->job_count);
	t->chosen_job[job] = true;
	snprintf(t->what, sizeof t->what, "job %" PRIu32, job);
	return PD_OK;
}

static int choose_engine(struct retraction *t, struct pd_fail *fail)
{
	const char *engine = t->order->engine, *other = NULL;
	unsigned count = 0;
	for (uint32_t i = 0; i < t->job_count; i++) {
		const struct sv_record *job = &t->jobs[i];
		t->chosen_job[i + 1] =
			job->id ? sv_record_engine_has(job, engine) : sv_removed_jobs_has(&t->forgotten, i + 1, engine);
		count += t->chosen_job[i + 1];
		other = job->engines ? job->engines : other;
	}
	snprintf(t->what, sizeof t->what, "version %.60s", engine);
	if (count)
		return PD_OK;
	return pd_fail_set(fail, PD_E_NOT_FOUND, "engine", "no job here says that version '%.40s' worked on it%s%.80s",
			   engine, other ? "; the last one says " : "", other ? other : "");
}

static int choose_game(struct retraction *t, struct pd_fail *fail)
{
	const struct sv_verified_game *other = NULL;
	for (unsigned i = 0; i < t->judge.game_count; i++) {
		const struct sv_verified_game *g = &t->judge.games[i];
		if (strcmp(g->name, t->order->game) != 0)
			continue;
		other = g;
		if (g->rules_version == t->order->rules_version)
			t->chosen_game = g->id;
	}
	snprintf(t->what, sizeof t->what, "%.80s under rules version %" PRIx64, t->order->game,
		 t->order->rules_version);
	if (t->chosen_game)
		return PD_OK;
	if (other)
		return pd_fail_set(fail, PD_E_NOT_FOUND, "rules",
				   "there are no facts of %.80s under rules version %" PRIx64
				   "; there are under %" PRIx64,
				   other->name, t->order->rules_version, other->rules_version);
	return pd_fail_set(fail, PD_E_GAME, "game",
			   "there are no facts of a game '%.80s' here; names are written in full, like connect4:7x6",
			   t->order->game);
}

static bool is_chosen_giver(const struct retraction *t, uint32_t giver)
{
	for (size_t i = 0; i < t->order->giver_count; i++)
		if (!t->order->givers[i] || t->order->givers[i] == giver)
			return true;
	return false;
}

static void choose_givers(struct retraction *t)
{
	char number[PD_GIVER_TEXT];
	if (is_chosen_giver(t, 0))
		strcpy(t->what, "all workers");
	else if (t->order->giver_count > 1)
		snprintf(t->what, sizeof t->what, "%zu workers", t->order->giver_count);
	else
		snprintf(t->what, sizeof t->what, "worker %s", pd_giver_print(t->order->givers[0], number));
}

static bool is_chosen(const struct retraction *t, uint32_t game, const struct pd_reason *r)
{
	if (t->chosen_game)
		return game == t->chosen_game;
	if (pd_is_giver(r->job))
		return is_chosen_giver(t, r->job);
	return r->job && r->job <= t->job_count && t->chosen_job[r->job];
}

static int choose_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct retraction *t = ctx;
	unsigned place = 0;
	while (place < t->judge.game_count && t->judge.games[place].id != game)
		place++;
	for (uint32_t i = 0; i < fact->count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(fact)[i];
		t->total++;
		if (!is_chosen(t, game, r))
			continue;
		t->sum.chosen++;
		if (place < t->judge.game_count)
			t->concerned[place] = true;
		if (!add_mark(&t->marks, name_reason(&t->marks, game, key, size, r)))
			return PD_E_NO_MEMORY;
	}
	return PD_OK;
}

static int choose_reasons(struct retraction *t, struct pd_fail *fail)
{
	int rc = PD_OK;
	if (t->order->giver_count)
		choose_givers(t);
	else
		rc = t->order->job    ? choose_job(t, fail)
		     : t->order->game ? choose_game(t, fail)
				      : choose_engine(t, fail);
	if (!rc)
		rc = st_fact_walk(t->store, choose_fact, t, fail);
	return rc == PD_E_NO_MEMORY ? no_memory(fail) : rc;
}

/* --- dependents --------------------------------------------------------------------------- */

static bool mark_visible(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	const struct retraction *t = ctx;
	return !is_marked(&t->marks, name_reason(&t->marks, game, key, size, r));
}

static void on_fault(void *ctx, const struct sv_fault *f)
{
	struct retraction *t = ctx;
	if (!f->reason) /* the key is not that of a position, so nothing depends on the fact */
		return;
	if (t->fallen_count == t->fallen_room) {
		uint64_t room = t->fallen_room ? 2 * t->fallen_room : FALLEN_FIRST;
		struct pd_id *fallen = realloc(t->fallen, room * sizeof *fallen);
		if (!fallen) {
			t->no_memory = true;
			return;
		}
		t->fallen = fallen;
		t->fallen_room = room;
	}
	t->fallen[t->fallen_count++] = name_reason(&t->marks, f->game->id, f->key, f->size, f->reason);
}

static void on_progress(void *ctx, const struct sv_check *so_far)
{
	struct retraction *t = ctx;
	struct sv_retracted sum = t->sum;
	sum.fallen += t->fallen_count;
	if (t->order->progress)
		t->order->progress(t->order->ctx, &sum, so_far->reasons);
}

/* Runs one round over one part of the reasons. *fell: whether any of them fell. */
static int judge_part(struct retraction *t, enum sv_part part, bool *fell, struct pd_fail *fail)
{
	PD_ASSERT(part == SV_ONE_PLY || part == SV_LEAVES);
	t->judge.parts = part;
	t->fallen_count = 0;
	int rc = sv_verifier_run(&t->judge, fail);
	if (rc)
		return rc;
	if (t->judge.failed.code) { /* a reason that could not be verified has not fallen */
		*fail = t->judge.failed;
		return fail->code;
	}
	for (uint64_t i = 0; i < t->fallen_count; i++)
		t->no_memory |= !add_mark(&t->marks, t->fallen[i]);
	if (t->no_memory)
		return no_memory(fail);
	*fell = t->fallen_count > 0;
	t->sum.fallen += t->fallen_count;
	t->sum.rounds += *fell;
	t->fallen_count = 0;
	return PD_OK;
}

static int spread_marks(struct retraction *t, struct pd_fail *fail)
{
	bool fell = t->sum.chosen > 0 && !t->chosen_game; /* when a whole game is chosen, nothing of it is left */
	int rc = PD_OK;
	for (unsigned i = 0; i < t->judge.game_count; i++) {
		struct sv_verified_game *g = &t->judge.games[i];
		g->judged = t->concerned[i];
		if (fell && g->judged && !g->game)
			return pd_fail_set(
				fail, PD_E_GAME, "game",
				"facts of %.80s under rules version %" PRIx64
				" are concerned, but this program cannot open that game: give --graphs if its "
				"graph is missing, or first taint all its facts (--game, --rules)",
				g->name, g->rules_version);
	}
	while (fell && !rc) {
		while (fell && !rc)
			rc = judge_part(t, SV_ONE_PLY, &fell, fail);
		if (!rc)
			rc = judge_part(t, SV_LEAVES, &fell, fail);
	}
	PD_ASSERT(t->sum.chosen + t->sum.fallen <= t->total || t->order->dry_run);
	t->sum.kept = t->total - t->sum.chosen - t->sum.fallen;
	return rc;
}

/* --- tables ------------------------------------------------------------------------------- */

struct sifted_table {
	struct st_tt_entry *entry; /* owned */
	size_t count, room;
	bool no_memory;
};

static bool make_room(struct sifted_table *t)
{
	size_t room = t->room ? 2 * t->room : ENTRIES_FIRST;
	struct st_tt_entry *grown = t->count < t->room ? t->entry : realloc(t->entry, room * sizeof *grown);
	if (!grown) {
		t->no_memory = true;
		return false;
	}
	t->room = t->count < t->room ? t->room : room;
	t->entry = grown;
	return true;
}

static int keep_unsolved(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct sifted_table *t = ctx;
	struct pn_entry e;
	for (size_t i = 0; i < count; i++) {
		sv_entry_unpack(&entries[i], &e);
		if (!e.num[0] || !e.num[1])
			continue;
		if (!make_room(t))
			return PD_E_NO_MEMORY;
		t->entry[t->count++] = entries[i];
	}
	return PD_OK;
}

/* One transaction: the entries of the new snapshot from `from` on. The first one begins the snapshot, the last one
 * completes it; without entries the table is dropped. */
static int write_share(struct st_store *store, uint32_t job, const struct sifted_table *t, size_t from,
		       struct pd_fail *fail)
{
	struct st_batch *batch;
	size_t share = t->count - from < ENTRIES_SHARE ? t->count - from : ENTRIES_SHARE;
	int rc = st_batch_begin(store, &batch, fail);
	if (rc)
		return rc;
	if (!t->count)
		rc = st_batch_tt_drop(batch, job, fail);
	if (!rc && t->count && !from)
		rc = st_batch_snapshot_start(batch, job, fail);
	if (!rc && t->count)
		rc = st_batch_snapshot_put(batch, job, t->entry + from, share, fail);
	if (!rc && t->count && from + share == t->count)
		rc = st_batch_snapshot_end(batch, job, fail);
	return st_batch_end(batch, rc, fail);
}

/* A job's table without its solved entries. An unsolved entry steers the search and proves nothing; a solved one may
 * rest on a fact that is retracted. What is left is written as a new snapshot, in several transactions: until the last
 * one the table is as it was. A table that is damaged, or for which there is no memory, is dropped. */
static int sift_table(struct st_store *store, uint32_t job, struct pd_fail *fail)
{
	struct sifted_table t = {.count = 0};
	size_t from = 0;
	int rc = st_tt_each(store, job, keep_unsolved, &t, fail);
	if (rc == PD_E_CORRUPT || t.no_memory) {
		t.count = 0;
		rc = PD_OK;
	}
	PD_ASSERT(t.count <= t.room);
	do {
		if (!rc)
			rc = write_share(store, job, &t, from, fail);
		from += ENTRIES_SHARE;
	} while (!rc && from < t.count);
	free(t.entry);
	return rc;
}

/* --- removal ------------------------------------------------------------------------------ */

static bool is_concerned(const struct retraction *t, const struct sv_record *job)
{
	if (!job->id || (!job->started_ms && !job->result))
		return false; /* it has not started */
	if (t->chosen_job[job->id])
		return true;
	if (t->order->giver_count && job->contradiction == SV_CONTRADICTION_OF_LEAVES)
		return true; /* a lie that it met may never have been stored */
	for (unsigned i = 0; i < t->judge.game_count; i++)
		if (t->concerned[i] && !strcmp(t->judge.games[i].name, job->spec.game) &&
		    (!job->spec.rules.known || job->spec.rules.version == t->judge.games[i].rules_version))
			return true;
	return false;
}

static int put_job(struct retraction *t, struct st_batch *batch, struct sv_record *job, bool event,
		   struct pd_fail *fail)
{
	struct pd_buf record, line;
	char text[240];
	pd_buf_init(&record, ST_JOB_MAX);
	pd_buf_init(&line, ST_EVENT_MAX);
	snprintf(text, sizeof text, "%s: facts of %s were taken back",
		 t->order->giver_count ? "loses its result and solved entries" : "begins again", t->what);
	sv_record_write(job, &record);
	sv_record_event(&job->progress, text, &line);
	int rc = record.failed || line.failed ? no_memory(fail)
					      : st_batch_job_put(batch, job->id, record.data, record.size, fail);
	if (!rc && event)
		rc = st_batch_event(batch, job->id, line.data, line.size, fail);
	pd_buf_fini(&record);
	pd_buf_fini(&line);
	return rc;
}

/* Workers only give leaves. The search itself did nothing wrong, so its counters stay. */
static void restart_job(struct sv_record *job, bool counters)
{
	struct pn_progress had = job->progress;
	double seconds = job->seconds, cpu = job->cpu;
	int64_t started_ms = job->started_ms;
	if (job->contradiction) /* it failed of that, and one of the two facts may be gone now */
		job->state = SV_QUEUED;
	job->contradiction = SV_NO_CONTRADICTION;
	sv_record_restart(job);
	if (!counters)
		return;
	job->progress.level1 = had.level1;
	job->progress.level2 = had.level2;
	job->progress.positions = had.positions;
	job->seconds = seconds;
	job->cpu = cpu;
	job->started_ms = started_ms;
}

static int reset_jobs(struct retraction *t, struct pd_fail *fail)
{
	struct st_batch *batch;
	bool sift = t->order->giver_count > 0;
	int rc = PD_OK;
	for (uint32_t i = 0; i < t->job_count && sift && !rc; i++)
		if (is_concerned(t, &t->jobs[i]))
			rc = sift_table(t->store, i + 1, fail);
	if (!rc)
		rc = st_batch_begin(t->store, &batch, fail);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < t->job_count && !rc; i++) {
		if (!is_concerned(t, &t->jobs[i]))
			continue;
		restart_job(&t->jobs[i], sift);
		rc = sift ? PD_OK : st_batch_tt_drop(batch, i + 1, fail);
		if (!rc)
			rc = put_job(t, batch, &t->jobs[i], true, fail);
	}
	return st_batch_end(batch, rc, fail);
}

/* The fact whose reasons are filtered. */
struct sifted {
	void *retraction;
	uint32_t game;
	const uint8_t *key;
	size_t size;
};

static bool is_unmarked(void *ctx, const struct pd_reason *r)
{
	const struct sifted *s = ctx;
	return mark_visible(s->retraction, s->game, s->key, s->size, r);
}

static int sift_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	struct sifted whose = {ctx, game, key, size};
	pd_fact_keep(fact, is_unmarked, &whose);
	return PD_OK;
}

/* Clears the versions that worked on the chosen jobs, because nothing of their work is left. */
static int forget_engines(struct retraction *t, struct pd_fail *fail)
{
	struct st_batch *batch;
	int rc = st_batch_begin(t->store, &batch, fail);
	if (rc)
		return rc;
	if (t->order->engine && t->forgotten.count) {
		sv_removed_jobs_drop(&t->forgotten, t->order->engine);
		rc = sv_removed_jobs_write(&t->forgotten, batch, fail);
	}
	for (uint32_t i = 0; i < t->job_count && !rc; i++) {
		if (!t->chosen_job[i + 1] || !t->jobs[i].id)
			continue;
		free(t->jobs[i].engines);
		t->jobs[i].engines = NULL;
		rc = put_job(t, batch, &t->jobs[i], false, fail);
	}
	return st_batch_end(batch, rc, fail);
}

static int remove_fallen(struct retraction *t, struct pd_fail *fail)
{
	for (uint32_t i = 0; i < t->job_count; i++)
		t->sum.jobs += is_concerned(t, &t->jobs[i]);
	if (t->order->dry_run)
		return PD_OK;
	int rc = reset_jobs(t, fail);
	if (!rc && t->marks.count)
		rc = st_facts_rewrite(t->store, sift_fact, t, fail);
	if (!rc)
		rc = st_conflicts_settle(t->store, fail);
	return rc ? rc : forget_engines(t, fail);
}

/* --- all of it ---------------------------------------------------------------------------- */

static int open_existing(const char *dir, bool dry_run, struct st_store **out, struct pd_fail *fail)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/work.mdb", dir) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_LIMIT, "data", "the path of the data directory is too long");
	if (access(path, F_OK))
		return pd_fail_set(fail, PD_E_NOT_FOUND, "data", "%.200s is not a data directory: it has no work.mdb",
				   dir);
	return st_open(dir, dry_run ? ST_READ_ONLY | ST_UNRETRACTED : 0, out, fail);
}

static int run_retraction(struct retraction *t, struct pd_fail *fail)
{
	int rc = load_jobs(t, fail);
	if (rc)
		return rc;
	t->concerned = calloc(t->judge.game_count + 1, sizeof *t->concerned);
	if (!t->concerned)
		return no_memory(fail);
	if (choose_reasons(t, fail) || spread_marks(t, fail) ||
	    (!t->order->dry_run && sv_certificates_drop(t->dir, fail)))
		return fail->code;
	return remove_fallen(t, fail);
}

int sv_retract(const char *dir, const struct sv_retraction_order *order, struct sv_retracted *out, struct pd_fail *fail)
{
	struct retraction t = {.order = order, .dir = dir};
	if ((order->job != 0) + (order->game != NULL) + (order->engine != NULL) + (order->giver_count != 0) != 1)
		return pd_fail_set(fail, PD_E_PARAMS, "job",
				   "say what is tainted: one of a job, a game with a version of its rules, a "
				   "version of the program, or workers");
	int rc = open_existing(dir, order->dry_run, &t.store, fail);
	if (rc)
		return rc;
	marks_init(&t.marks);
	t.judge = (struct sv_verifier){.store = t.store,
				       .graphs = order->graphs,
				       .threads = order->threads,
				       .leaf_nodes = order->leaf_nodes,
				       .ctx = &t,
				       .visible = mark_visible,
				       .fault = on_fault,
				       .progress = on_progress};
	rc = sv_verifier_open(&t.judge, fail);
	if (!rc)
		rc = run_retraction(&t, fail);
	sv_verifier_close(&t.judge);
	for (uint32_t i = 0; i < t.job_count; i++)
		sv_record_fini(&t.jobs[i]);
	free(t.jobs);
	sv_removed_jobs_fini(&t.forgotten);
	free(t.chosen_job);
	free(t.concerned);
	free(t.fallen);
	marks_fini(&t.marks);
	st_close(t.store);
	*out = t.sum;
	return rc;
}
