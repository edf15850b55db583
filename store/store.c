/* Opening and closing a store.
 *
 * Opening, in this order: the lock, the files of a new directory, both environments, their formats, the counters, the
 * list of runs, whether the two environments belong together, what a crash left, and last the write-ahead log, which is
 * replayed into the memtable. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "store/conflict.h"
#include "store/create.h"
#include "store/cursor.h"
#include "store/flush.h"
#include "store/format.h"
#include "store/gc.h"
#include "store/job_records.h"
#include "store/lock.h"
#include "store/memory_store.h"
#include "store/meta_record.h"
#include "store/pages.h"
#include "store/rewrite.h"
#include "store/run_slots.h"
#include "store/tt_records.h"
#include "store/txn.h"
#include "store/verify_directory.h"
#include "store/wal.h"

/* --- opening ------------------------------------------------------------------------------ */

static int open_envs(struct st_store *store, enum st_opening how, struct pd_fail *fail)
{
	int rc = st_env_open(&store->work.env, store->dir, "work.mdb", how, &store->faults, fail);
	if (!rc)
		rc = st_env_open(&store->facts.env, store->dir, "facts.mdb", how, &store->faults, fail);
	return rc;
}

static bool lock_files_writable(const char *dir)
{
	char work[ST_PATH], facts[ST_PATH];
	return !st_path(work, dir, "work.mdb-lock", "", NULL) && !st_path(facts, dir, "facts.mdb-lock", "", NULL) &&
	       !access(work, R_OK | W_OK) && !access(facts, R_OK | W_OK);
}

/* PD_E_IO unless LMDB has opened the file that is locked. */
static int check_lock(const struct st_store *store, struct pd_fail *fail)
{
	PD_ASSERT(store->lock_fd >= 0);
	struct st_file_id locked;
	if (st_file_id_of_fd(store->lock_fd, &locked) && st_file_id_equal(&locked, &store->work.env.data))
		return PD_OK;
	return pd_fail_set(fail, PD_E_IO, "data", "%s/work.mdb was replaced while it was being opened", store->dir);
}

static int open_to_write(struct st_store *store, struct pd_fail *fail)
{
	char facts[ST_PATH];
	bool fresh = false;
	int rc = st_path(facts, store->dir, "facts.mdb", "", fail);
	if (!rc && mkdir(store->dir, 0700) && errno != EEXIST)
		rc = pd_fail_errno(fail, "data", "create", store->dir);
	if (!rc)
		rc = st_lock_write(store->dir, &store->lock_fd, &fresh, fail);
	if (!rc && fresh)
		rc = st_create(store, fail);
	if (rc)
		return rc;
	store->facts_made = access(facts, F_OK) && errno == ENOENT;
	if (store->facts_made) /* until the first flush the write-ahead log has all facts */
		rc = st_create_facts(store, fail);
	if (!rc)
		rc = open_envs(store, ST_OPEN_WRITE, fail);
	if (!rc)
		rc = check_lock(store, fail);
	return rc ? rc : st_sync_directory(store->dir, fail);
}

int st_retraction_refuse(const char *dir, struct pd_fail *fail)
{
	char path[ST_PATH];
	int rc = st_path(path, dir, "retract", "", fail);
	if (rc || access(path, F_OK))
		return rc;
	return pd_fail_set(fail, PD_E_STATE, "data",
			   "%.200s has facts of workers that lied, which must be retracted first (its file `retract` "
			   "names the workers): the next start of proofd on it does so",
			   dir);
}

static int open_files(struct st_store *store, struct pd_fail *fail)
{
	if (!store->read_only)
		return open_to_write(store, fail);
	int rc = store->retracted_only ? st_retraction_refuse(store->dir, fail) : PD_OK;
	if (rc)
		return rc;
	/* Where LMDB's lock files are missing or cannot be written (a copy, a read-only medium, another user's
	 * directory), reading is safe only while no process writes: a shared lock keeps writers out. So reading creates
	 * nothing. */
	bool unlocked = !lock_files_writable(store->dir);
	rc = unlocked ? st_lock_read(store->dir, &store->lock_fd, fail) : PD_OK;
	return rc ? rc : open_envs(store, unlocked ? ST_OPEN_READ_UNLOCKED : ST_OPEN_READ, fail);
}

/* The facts were read before the log. A writer may have moved some in between, and deleted them from the log. */
static int look_again(struct st_store *store, struct pd_fail *fail)
{
	MDB_txn *txn;
	if (store->runs.merged >= store->counters.dropped_log)
		return PD_OK;
	int rc = st_txn_begin(&store->facts.env, true, &txn, fail);
	if (rc)
		return rc;
	rc = st_run_list_get(&store->facts, txn, &store->runs, fail);
	st_txn_abort(&store->facts.env, txn);
	return rc;
}

/* The two files depend on each other: if only one is lost, or restored from an older backup, facts would be lost or
 * numbers given twice. */
static int check_pair(struct st_store *store, struct pd_fail *fail)
{
	if (store->facts_made && store->counters.dropped_log) {
		char path[ST_PATH];
		st_path(path, store->dir, "facts.mdb", "", fail);
		unlink(path);
		return pd_fail_set(fail, PD_E_CORRUPT, store->facts.env.name,
				   "%s is missing, and with it facts up to block %" PRIu64
				   ": both files of a backup belong together",
				   path, store->counters.dropped_log);
	}
	if (store->runs.merged >= store->counters.next_log)
		return pd_fail_set(fail, PD_E_CORRUPT, store->work.env.name,
				   "work.mdb is older than facts.mdb (facts up to block %" PRIu64 " instead of %" PRIu64
				   "): both files of a backup belong together",
				   store->counters.next_log - 1, store->runs.merged);
	int rc = store->read_only ? look_again(store, fail) : PD_OK;
	if (!rc && store->runs.merged < store->counters.dropped_log)
		return pd_fail_set(fail, PD_E_CORRUPT, store->facts.env.name,
				   "facts.mdb is older than work.mdb (facts up to block %" PRIu64 " instead of %" PRIu64
				   "): both files of a backup belong together",
				   store->runs.merged, store->counters.dropped_log);
	return rc;
}

static int load_facts_env(struct st_store *store, struct pd_fail *fail)
{
	MDB_txn *txn;
	int rc = st_txn_begin(&store->facts.env, store->read_only, &txn, fail);
	if (rc)
		return rc;
	rc = st_databases_open_facts(store, txn, fail);
	if (!rc)
		rc = st_run_list_get(&store->facts, txn, &store->runs, fail);
	if (!rc && !store->read_only)
		rc = st_run_recover(store, txn, fail);
	return st_txn_end(&store->facts.env, txn, rc, fail); /* a commit also keeps the handles that were opened */
}

enum { IDENTITY_SIZE = 8 };

/* Marks every table as dropped; garbage collection deletes the blocks. */
static int drop_tables(struct st_store *store, MDB_txn *txn, uint32_t *dropped, struct pd_fail *fail)
{
	struct st_cursor c = {0};
	*dropped = 0;
	int rc = st_cursor_open(&c, &store->work.env, txn, store->work.dbi[ST_TT], fail);
	if (rc)
		return rc;
	while (!(rc = st_cursor_move(&c, &store->work.env, MDB_NEXT, NULL, 0, fail))) {
		struct st_tt_state state;
		MDB_val value = c.data;
		uint8_t record[ST_TT_STATE], copy[ST_KEY_32];
		if (c.key.mv_size != sizeof copy || !st_unseal(c.key.mv_data, c.key.mv_size, &value) ||
		    !st_tt_state_unpack(value.mv_data, value.mv_size, &state)) {
			rc = st_env_corrupt(&store->work.env, fail, "a record of a table does not decode");
			break;
		}
		if (state.dropped)
			continue;
		memcpy(copy, c.key.mv_data, sizeof copy);
		st_tt_state_drop(&state);
		st_tt_state_pack(record, &state);
		rc = st_put_sealed(st_work_place(&store->work, txn, ST_TT), ST_BYTES(copy), ST_BYTES(record), 0, fail);
		if (rc)
			break;
		++*dropped;
	}
	st_cursor_close(&c, &store->work.env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

static int draw_key(struct st_store *store, MDB_txn *txn, bool damaged, struct pd_fail *fail)
{
	PD_ASSERT(!store->read_only);
	uint8_t record[IDENTITY_SIZE];
	uint32_t dropped;
	store->identity = pd_random64();
	pd_put_le64(record, store->identity);
	int rc = st_put_sealed(st_work_place(&store->work, txn, ST_META), st_meta_key(ST_META_IDENTITY),
			       ST_BYTES(record), 0, fail);
	if (!rc)
		rc = drop_tables(store, txn, &dropped, fail);
	if (!rc && (dropped || damaged))
		pd_log(PD_LOG_WARN,
		       "%s: the identity key %s; the tables of %u jobs are of no use without it and are dropped",
		       store->work.env.name, damaged ? "is damaged" : "was missing", (unsigned)dropped);
	return rc;
}

/* Reads the identity key, or draws one; part of opening. */
static int open_identity(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	uint8_t record[ST_SEAL + IDENTITY_SIZE];
	size_t size;
	int rc = st_get_sealed(st_work_place(&store->work, txn, ST_META), st_meta_key(ST_META_IDENTITY), record,
			       sizeof record, &size, fail);
	if (!rc && size == IDENTITY_SIZE)
		store->identity = pd_get_le64(record);
	if (rc && rc != PD_E_NOT_FOUND && rc != PD_E_CORRUPT)
		return rc;
	if (store->identity)
		return PD_OK;
	if (!store->read_only)
		return draw_key(store, txn, rc != PD_E_NOT_FOUND, fail);
	store->identity = pd_random64(); /* readers do not use tables */
	return PD_OK;
}

static int load_work_env(struct st_store *store, struct pd_fail *fail)
{
	MDB_txn *txn;
	int rc = st_txn_begin(&store->work.env, store->read_only, &txn, fail);
	if (rc)
		return rc;
	rc = st_databases_open_work(store, txn, fail);
	if (!rc)
		rc = st_counters_get(&store->work, txn, &store->counters, fail);
	if (!rc)
		rc = st_games_load(store, txn, fail);
	if (!rc)
		rc = open_identity(store, txn, fail);
	if (!rc && !store->read_only)
		rc = st_snapshot_recover(store, txn, fail);
	return st_txn_end(&store->work.env, txn, rc, fail);
}

/* Checks that both files give the games the same numbers. */
static int check_games(const struct st_store *store, struct pd_fail *fail)
{
	MDB_txn *facts;
	int rc = st_txn_begin(&store->facts.env, true, &facts, fail);
	if (rc)
		return rc;
	rc = st_games_agree(store, facts, fail);
	st_txn_abort(&store->facts.env, facts);
	return rc;
}

static int open_directory(struct st_store *store, struct pd_fail *fail)
{
	int rc = open_files(store, fail);
	if (rc)
		return rc;
	if (!store->read_only) {
		st_env_readers(&store->work.env);
		st_env_readers(&store->facts.env);
		rc = st_pages_check(&store->work.env, 0, fail);
		if (!rc)
			rc = st_pages_check(&store->facts.env, 0, fail);
		if (rc)
			return rc;
	}
	rc = st_formats_check(store, fail);
	if (rc)
		return rc;
	/* Facts first: what a writer flushes in between is then found in the runs. */
	rc = load_facts_env(store, fail);
	if (!rc)
		rc = load_work_env(store, fail);
	if (!rc)
		rc = check_pair(store, fail);
	if (!rc)
		rc = check_games(store, fail);
	if (rc)
		return rc;
	atomic_store(&store->runs_live, store->runs.count);
	store->upkeep.garbage = true; /* a crash may have left some; the first collection finds out */
	return st_wal_replay(store, store->runs.merged, &store->follower.followed_log, fail);
}

/* Adds what can be done about damage of any kind. */
static void add_remedy(const char *dir, struct pd_fail *fail)
{
	size_t length = strlen(fail->text);
	if (!strstr(fail->text, "proofctl repair"))
		snprintf(fail->text + length, sizeof fail->text - length,
			 "; proofctl repair %.100s NEW copies what is sound to a new directory", dir);
}

int st_open(const char *dir, unsigned flags, struct st_store **out, struct pd_fail *fail)
{
	struct st_store *store = calloc(1, sizeof *store);
	if (!store)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a store");
	store->lock_fd = store->work.env.fd = store->facts.env.fd = -1;
	store->read_only = flags & ST_READ_ONLY;
	store->retracted_only = store->read_only && !(flags & ST_UNRETRACTED);
	store->batch.store = store;
	store->counters = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	store->tuning = st_tuning_default;
	pd_mutex_init(&store->lock, PD_LOCK_STORE);
	int rc = PD_OK;
	if (!st_memtable_init(&store->memtable))
		rc = PD_E_NO_MEMORY;
	if (!rc && dir)
		rc = (store->dir = strdup(dir)) ? PD_OK : PD_E_NO_MEMORY;
	else if (!rc)
		rc = (store->memory = st_memory_new()) ? PD_OK : PD_E_NO_MEMORY;
	if (!dir)
		store->identity = pd_random64();
	if (rc)
		pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a store");
	else if (dir)
		rc = open_directory(store, fail);
	if (!rc)
		rc = st_reader_open(store, &store->reader, fail);
	if (rc) {
		if (rc == PD_E_CORRUPT && dir && fail)
			add_remedy(dir, fail);
		st_close(store);
		return rc;
	}
	st_stats_renew(store);
	*out = store;
	return PD_OK;
}

const char *st_directory(const struct st_store *store)
{
	return store->dir;
}

void st_close(struct st_store *store)
{
	if (!store)
		return;
	PD_ASSERT(!store->batch.open);
	PD_ASSERT(!store->batch.txn);
	st_reader_close(store->reader);
	st_flush_fini(store);
	st_stage_fini(&store->batch.stage);
	free(store->batch.conflict);
	st_env_close(&store->facts.env);
	st_env_close(&store->work.env);
	st_memory_free(store->memory);
	st_memtable_fini(&store->memtable);
	for (uint32_t i = 0; i < store->games; i++)
		free(store->game[i].name);
	free(store->game);
	if (store->lock_fd >= 0)
		close(store->lock_fd); /* releases the lock, unless it was duplicated */
	free(store->dir);
	pd_mutex_fini(&store->lock);
	free(store);
}

/* --- reading back ------------------------------------------------------------------------- */

int st_job_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		void *ctx, struct pd_fail *fail)
{
	return store->memory ? st_memory_job_each(store->memory, each, ctx, fail)
			     : st_job_records_each(store, each, ctx, fail);
}

uint32_t st_jobs_given(const struct st_store *store)
{
	PD_ASSERT(store->counters.next_job);
	return store->counters.next_job - 1;
}

int st_event_each(struct st_store *store, uint32_t job, size_t max,
		  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail)
{
	const struct st_memory_range range = {ST_PUT_EVENT, job, max};
	return store->memory ? st_memory_each(store->memory, range, each, ctx, fail)
			     : st_job_records_events(store, job, max, each, ctx, fail);
}

int st_note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
		struct pd_fail *fail)
{
	return store->memory ? PD_OK : st_job_records_note_get(store, each, ctx, fail);
}

int st_tt_each(struct st_store *store, uint32_t job,
	       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx, struct pd_fail *fail)
{
	return store->memory ? st_memory_tt_each(store->memory, job, each, ctx, fail)
			     : st_tt_records_each(store, job, each, ctx, fail);
}

int st_tt_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail)
{
	if (!store->memory)
		return st_tt_records_question(store, job, out, fail);
	*out = st_memory_question(store->memory, job);
	return PD_OK;
}

uint64_t st_tt_bytes(struct st_store *store, uint32_t job)
{
	return store->memory ? st_memory_tt_bytes(store->memory, job) : st_tt_records_bytes(store, job);
}

/* --- the store as a whole ----------------------------------------------------------------- */

int st_conflict_keep(struct st_store *store, const void *record, size_t size, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.open);
	return st_conflict_put(store, record, size, fail);
}

uint64_t st_identity(const struct st_store *store)
{
	PD_ASSERT(store->identity);
	return store->identity;
}

int st_meta_keep(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail)
{
	MDB_txn *txn;
	PD_ASSERT(!store->memory && !store->batch.open);
	PD_ASSERT(id < ST_META_COUNT && (st_meta_flags(id) & ST_META_KEPT));
	int rc = st_txn_begin(&store->work.env, false, &txn, fail);
	if (rc)
		return rc;
	rc = st_put_sealed(st_work_place(&store->work, txn, ST_META), st_meta_key(id), (struct st_data){record, size},
			   0, fail);
	return st_txn_end(&store->work.env, txn, rc, fail);
}

int st_facts_maintain(struct st_store *store, bool idle, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.open);
	if (store->memory)
		return 0;
	return store->retracted_only && st_retraction_refuse(store->dir, fail) ? -1
									       : st_schedule_step(store, idle, fail);
}

int st_facts_maintain_all(struct st_store *store, bool idle, struct pd_fail *fail)
{
	int more = 1;
	while (more > 0)
		more = st_facts_maintain(store, idle, fail);
	return more < 0 ? fail->code : PD_OK;
}

int st_facts_rewrite(struct st_store *store, st_fact_filter *filter, void *ctx, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.open);
	if (store->read_only)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "data", "the data directory was opened for reading only");
	int rc = st_rewrite(store, filter, ctx, fail);
	st_stats_renew(store);
	return rc;
}

struct check {
	void (*problem)(void *ctx, const char *text);
	void *ctx;
	int64_t problems;
};

static int report_conflict(void *ctx, const void *data, size_t size)
{
	struct check *c = ctx;
	char text[400];
	st_conflict_describe(data, size, text, sizeof text);
	c->problem(c->ctx, text);
	c->problems++;
	return 0;
}

int64_t st_check(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx, struct pd_fail *fail)
{
	if (!store->memory)
		return st_verify_directory(store, problem, ctx, fail);
	struct check c = {problem, ctx, 0};
	const struct st_memory_range conflicts = {ST_PUT_EVENT, 0, SIZE_MAX};
	return st_memory_each(store->memory, conflicts, report_conflict, &c, fail) ? -1 : c.problems;
}

/* A file cannot outgrow its map either. */
static void limit_to_map(uint64_t *bytes_free, const struct st_env *env, uint64_t file_bytes)
{
	uint64_t left = env->map_bytes > file_bytes ? env->map_bytes - file_bytes : 0;
	*bytes_free = left < *bytes_free ? left : *bytes_free;
}

void st_stats(struct st_store *store, struct st_stats *out)
{
	struct statvfs disk;
	pd_mutex_lock(&store->lock);
	*out = store->stats;
	pd_mutex_unlock(&store->lock);
	if (store->memory)
		return;
	out->work_bytes = st_env_bytes(&store->work.env);
	out->facts_bytes = st_env_bytes(&store->facts.env);
	if (!statvfs(store->dir, &disk))
		out->map_bytes_free = (uint64_t)disk.f_bavail * disk.f_frsize;
	limit_to_map(&out->map_bytes_free, &store->work.env, out->work_bytes);
	limit_to_map(&out->map_bytes_free, &store->facts.env, out->facts_bytes);
}

/* --- tests and tuning ---------------------------------------------------------------------- */

void st_fault(struct st_store *store, enum st_fault kind, unsigned n)
{
	atomic_store(kind == ST_FAULT_PUT ? &store->faults.put : &store->faults.commit, n);
}

void st_tune(struct st_store *store, const struct st_tuning *tuning)
{
	if (tuning->flush_facts)
		store->tuning.flush_facts = tuning->flush_facts;
	if (tuning->flush_bytes)
		store->tuning.flush_bytes = tuning->flush_bytes;
	if (tuning->step_facts)
		store->tuning.step_facts = tuning->step_facts;
	if (tuning->compaction_width)
		store->tuning.compaction_width = tuning->compaction_width;
}
