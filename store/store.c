/* Store: opening and closing a data directory, statistics.
 *
 * Opening, in this order: the lock, both environments, their formats, the counters, the list of runs, whether the two environments
 * belong together, what a crash left behind, and last the fact log into the delta. */
#include "store/internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "proto/base/log.h"

/* --- opening ---------------------------------------------------------------------------------------------------------- */

/* Takes the writer's lock, or says who has it. */
static int lock_exclusive(struct st_store *store, struct pd_fail *fail)
{
	char path[4096], pid[32] = "";
	if (snprintf(path, sizeof path, "%s/lock", store->dir) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_LIMIT, "data", "the path of the data directory is too long");
	store->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (store->lock_fd < 0)
		return pd_fail_set(fail, pd_error_of_errno(errno), "data", "cannot open %s: %s", path, strerror(errno));
	if (flock(store->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return pd_fail_set(fail, pd_error_of_errno(errno), "data", "cannot lock %s: %s", path,
					   strerror(errno));
		if (!flock(store->lock_fd, LOCK_SH | LOCK_NB))
			return pd_fail_set(fail, PD_E_LOCKED, "data",
					   "%s is being read by a process that may not write there", store->dir);
		ssize_t n = pread(store->lock_fd, pid, sizeof pid - 1, 0);
		pid[n > 0 ? n : 0] = 0;
		pid[strcspn(pid, "\n")] = 0;
		return pd_fail_set(fail, PD_E_LOCKED, "data", "%s is in use by process %s", store->dir,
				   *pid ? pid : "(unknown)");
	}
	/* The number is a courtesy to whoever finds the lock taken; the lock itself is the kernel's, so a full disk does not matter here. */
	int length = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
	if (ftruncate(store->lock_fd, 0) || pwrite(store->lock_fd, pid, (size_t)length, 0) != length)
		pd_log(PD_LOG_WARN, "cannot write %s: %s", path, strerror(errno));
	return PD_OK;
}

/* Where LMDB's own lock files are missing or cannot be written (a copy, a read-only medium, another user's directory), reading is safe only
 * while nobody writes: a shared lock keeps writers out. So reading creates nothing. */
static int lock_shared(struct st_store *store, struct pd_fail *fail)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/lock", store->dir) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_LIMIT, "data", "the path of the data directory is too long");
	store->lock_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (store->lock_fd >= 0 && flock(store->lock_fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		return pd_fail_set(fail, PD_E_LOCKED, "data",
				   "a server writes to %s: to read beside it, this user must be allowed to write "
				   "%s/work.mdb-lock and "
				   "%s/facts.mdb-lock",
				   store->dir, store->dir, store->dir);
	return PD_OK;
}

static int make_directory(const char *dir, struct pd_fail *fail)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return pd_fail_set(fail, pd_error_of_errno(errno), "data", "cannot create %s: %s", dir,
				   strerror(errno));
	return PD_OK;
}

/* The names of new files reach the disk with their directory. */
static int sync_directory(const char *dir, struct pd_fail *fail)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd)) {
		int error = errno;
		if (fd >= 0)
			close(fd);
		return pd_fail_set(fail, pd_error_of_errno(error), "data", "cannot sync %s: %s", dir, strerror(error));
	}
	close(fd);
	return PD_OK;
}

static int open_envs(struct st_store *store, bool unlocked, struct pd_fail *fail)
{
	int rc = st_env_open(&store->work, store->dir, "work.mdb", store->read_only, unlocked, &store->faults, fail);
	if (!rc)
		rc = st_env_open(&store->facts, store->dir, "facts.mdb", store->read_only, unlocked, &store->faults,
				 fail);
	return rc;
}

static bool lock_files_writable(const char *dir)
{
	static const char *const names[] = {"work.mdb-lock", "facts.mdb-lock"};
	char path[4096];
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		if (access(path, R_OK | W_OK))
			return false;
	}
	return true;
}

static int open_files(struct st_store *store, struct pd_fail *fail)
{
	int rc;
	if (!store->read_only) {
		rc = make_directory(store->dir, fail);
		if (!rc)
			rc = lock_exclusive(store, fail);
		if (!rc)
			rc = open_envs(store, false, fail);
		return rc ? rc : sync_directory(store->dir, fail);
	}
	bool unlocked = !lock_files_writable(store->dir);
	rc = unlocked ? lock_shared(store, fail) : PD_OK;
	return rc ? rc : open_envs(store, unlocked, fail);
}

/* The two files lean on each other: one that was restored from an older backup, or lost, would lose facts or give numbers twice. */
static int check_pair(const struct st_store *store, struct pd_fail *fail)
{
	if (store->runs.merged < store->counters.dropped_log)
		return pd_fail_set(fail, PD_E_CORRUPT, store->facts.name,
				   "facts.mdb is older than work.mdb (facts up to block %" PRIu64 " instead of %" PRIu64
				   "): both files of a backup belong together",
				   store->runs.merged, store->counters.dropped_log);
	if (store->runs.merged >= store->counters.next_log)
		return pd_fail_set(fail, PD_E_CORRUPT, store->work.name,
				   "work.mdb is older than facts.mdb (facts up to block %" PRIu64 " instead of %" PRIu64
				   "): both files of a backup belong together",
				   store->counters.next_log - 1, store->runs.merged);
	return PD_OK;
}

static int load_facts_env(struct st_store *store, struct pd_fail *fail)
{
	MDB_txn *txn;
	int rc = st_txn_begin(&store->facts, store->read_only, &txn, fail);
	if (rc)
		return rc;
	rc = st_tables_open_facts(store, txn, fail);
	if (!rc)
		rc = st_run_list_get(store, txn, &store->runs, fail);
	if (!rc && !store->read_only)
		rc = st_run_recover(store, txn, fail);
	if (rc) {
		mdb_txn_abort(txn);
		return rc;
	}
	return st_txn_commit(&store->facts, txn, fail); /* also what keeps the handles that it opened */
}

static int load_work_env(struct st_store *store, struct pd_fail *fail)
{
	MDB_txn *txn;
	int rc = st_txn_begin(&store->work, store->read_only, &txn, fail);
	if (rc)
		return rc;
	rc = st_tables_open_work(store, txn, fail);
	if (!rc)
		rc = st_counters_get(store, txn, &store->counters, fail);
	if (!rc)
		rc = st_games_load(store, txn, fail);
	if (!rc && !store->read_only)
		rc = st_sweep_recover(store, txn, fail);
	if (rc) {
		mdb_txn_abort(txn);
		return rc;
	}
	return st_txn_commit(&store->work, txn, fail);
}

static int open_directory(struct st_store *store, struct pd_fail *fail)
{
	int dead;
	int rc = open_files(store, fail);
	if (rc)
		return rc;
	if (!store->read_only) {
		mdb_reader_check(store->work.env, &dead);
		mdb_reader_check(store->facts.env, &dead);
	}
	/* Facts first: what a writer beside a reader moves over in between is then found in the runs. */
	rc = load_facts_env(store, fail);
	if (!rc)
		rc = load_work_env(store, fail);
	if (!rc && !store->read_only)
		rc = check_pair(store, fail);
	if (rc)
		return rc;
	atomic_store(&store->runs_live, store->runs.count);
	store->litter = true; /* whether a crash left any shows at the first look */
	return st_log_replay(store, store->runs.merged, &store->followed_log, fail);
}

int st_open(const char *dir, unsigned flags, struct st_store **out, struct pd_fail *fail)
{
	struct st_store *store = calloc(1, sizeof *store);
	if (!store)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a store");
	store->lock_fd = -1;
	store->read_only = flags & ST_READ_ONLY;
	store->batch.store = store;
	store->counters = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	store->tuning = st_tuning_default;
	pthread_mutex_init(&store->lock, NULL);
	int rc = PD_OK;
	if (!st_delta_init(&store->delta))
		rc = PD_E_NO_MEMORY;
	if (!rc && dir)
		rc = (store->dir = strdup(dir)) ? PD_OK : PD_E_NO_MEMORY;
	else if (!rc)
		rc = (store->memory = st_memory_new()) ? PD_OK : PD_E_NO_MEMORY;
	if (rc)
		pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a store");
	else if (dir)
		rc = open_directory(store, fail);
	if (!rc)
		rc = st_reader_open(store, &store->reader, fail);
	if (rc) {
		st_close(store);
		return rc;
	}
	st_stats_renew(store);
	*out = store;
	return PD_OK;
}

void st_close(struct st_store *store)
{
	if (!store)
		return;
	assert(!store->batch.open);
	st_reader_close(store->reader);
	st_flush_fini(store);
	st_stage_fini(&store->batch.stage);
	free(store->batch.conflict);
	st_env_close(&store->facts);
	st_env_close(&store->work);
	st_memory_free(store->memory);
	st_delta_fini(&store->delta);
	for (uint32_t i = 0; i < store->games; i++)
		free(store->game[i].name);
	free(store->game);
	if (store->lock_fd >= 0)
		close(store->lock_fd); /* and with it goes the lock */
	free(store->dir);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

/* --- statistics ------------------------------------------------------------------------------------------------------- */

void st_stats_renew(struct st_store *store)
{
	uint64_t delta = store->delta.active_count + store->delta.frozen_count, facts = delta;
	for (uint32_t i = 0; i < store->runs.count; i++)
		facts += store->runs.run[i].entries;
	pthread_mutex_lock(&store->lock);
	store->stats.facts = facts;
	store->stats.delta = delta;
	store->stats.runs = store->runs.count;
	pthread_mutex_unlock(&store->lock);
}

void st_stats(struct st_store *store, struct st_stats *out)
{
	struct statvfs disk;
	pthread_mutex_lock(&store->lock);
	*out = store->stats;
	pthread_mutex_unlock(&store->lock);
	if (store->memory)
		return;
	out->work_bytes = st_env_bytes(&store->work);
	out->facts_bytes = st_env_bytes(&store->facts);
	if (!statvfs(store->dir, &disk))
		out->map_bytes_free = (uint64_t)disk.f_bavail * disk.f_frsize;
}

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
	if (tuning->merge_width)
		store->tuning.merge_width = tuning->merge_width;
}
