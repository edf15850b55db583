/* Store: opening and closing a data directory, what it says about itself, games, statistics.
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

#include "proto/base/bytes.h"
#include "proto/base/log.h"

enum {
	FORMAT_SIZE = 16,
	COUNTERS_SIZE = 24,
	GAME_HEAD = 8,
	BYTE_ORDER_MARK = 0x01020304
};

/* The first eight bytes of meta/"format". */
static const char format_work[] = "proofd-w", format_facts[] = "proofd-f";

/* --- formats ---------------------------------------------------------------------------------------------------------------- */

static void format_pack(uint8_t *p, const char *magic)
{
	uint32_t mark = BYTE_ORDER_MARK;
	memcpy(p, magic, 8);
	pd_put_le32(p + 8, ST_FORMAT_VERSION);
	memcpy(p + 12, &mark, sizeof mark); /* in the machine's own order, which is LMDB's */
}

static int format_check(const struct st_env *env, const MDB_val *record, const char *magic, struct pd_fail *fail)
{
	const uint8_t *p = record->mv_data;
	uint32_t mark;
	if (record->mv_size < FORMAT_SIZE || memcmp(p, magic, 8))
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is not a file of proofd's", env->name);
	uint32_t version = pd_get_le32(p + 8);
	if (version != ST_FORMAT_VERSION)
		return pd_fail_set(fail, PD_E_FORMAT, env->name,
				   "%s has format version %" PRIu32 ", and this program reads and writes version %d only", env->name,
				   version, ST_FORMAT_VERSION);
	memcpy(&mark, p + 12, sizeof mark);
	if (mark != BYTE_ORDER_MARK)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s was written on a machine with another byte order", env->name);
	return PD_OK;
}

static int open_dbi(const struct st_env *env, MDB_txn *txn, const char *name, unsigned flags, MDB_dbi *out, struct pd_fail *fail)
{
	int rc = mdb_dbi_open(txn, name, flags, out);
	if (rc == MDB_NOTFOUND)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s has no table named %s", env->name, name);
	return rc ? st_env_fail(env, rc, "open a table", fail) : PD_OK;
}

/* Opens meta and looks at the format, or writes it into a file that is new. */
static int open_meta(struct st_store *store, const struct st_env *env, MDB_txn *txn, const char *magic, unsigned *flags, MDB_dbi *meta,
		     struct pd_fail *fail)
{
	MDB_stat stat_of;
	MDB_val record;
	mdb_env_stat(env->env, &stat_of);
	bool fresh = stat_of.ms_entries == 0;
	if (fresh && store->read_only)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is empty: no server has used it yet", env->name);
	*flags = fresh ? MDB_CREATE : 0;
	int rc = mdb_dbi_open(txn, "meta", *flags, meta);
	if (rc == MDB_NOTFOUND || rc == MDB_INCOMPATIBLE)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is a file of LMDB's, but not of proofd's", env->name);
	if (rc)
		return st_env_fail(env, rc, "open a table", fail);
	if (fresh) {
		uint8_t format[FORMAT_SIZE];
		format_pack(format, magic);
		return st_put(env, txn, *meta, "format", 6, format, sizeof format, 0, fail);
	}
	rc = st_get(env, txn, *meta, "format", 6, &record, fail);
	if (rc == PD_E_NOT_FOUND)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s does not say what format it has", env->name);
	return rc ? rc : format_check(env, &record, magic, fail);
}

static int open_tables_work(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	static const char *const names[] = {
#define X(id, name) name,
		ST_WORK_DBIS(X)
#undef X
	};
	unsigned flags;
	int rc = open_meta(store, &store->work, txn, format_work, &flags, &store->dbi[ST_META], fail);
	for (unsigned i = ST_META + 1; !rc && i < ST_WORK_COUNT; i++)
		rc = open_dbi(&store->work, txn, names[i], flags, &store->dbi[i], fail);
	return rc;
}

static int open_tables_facts(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	unsigned flags;
	int rc = open_meta(store, &store->facts, txn, format_facts, &flags, &store->facts_meta, fail);
	if (!rc)
		rc = open_dbi(&store->facts, txn, "games", flags, &store->facts_games, fail);
	for (unsigned i = 0; !rc && i < ST_RUN_SLOTS; i++) {
		char name[16];
		snprintf(name, sizeof name, "run.%u", i);
		rc = open_dbi(&store->facts, txn, name, flags, &store->run[i], fail);
	}
	return rc;
}

/* --- counters ---------------------------------------------------------------------------------------------------------------- */

int st_counters_put(struct st_store *store, MDB_txn *txn, const struct st_counters *counters, struct pd_fail *fail)
{
	uint8_t p[COUNTERS_SIZE];
	pd_put_le32(p, counters->next_job);
	pd_put_le32(p + 4, counters->next_game);
	pd_put_le64(p + 8, counters->next_log);
	pd_put_le64(p + 16, counters->dropped_log);
	return st_put_sealed(&store->work, txn, store->dbi[ST_META], "counters", 8, p, sizeof p, 0, fail);
}

static int counters_get(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	MDB_val record;
	store->counters = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	int rc = st_get_sealed(&store->work, txn, store->dbi[ST_META], "counters", 8, &record, fail);
	if (rc == PD_E_NOT_FOUND)
		return PD_OK; /* nothing has been counted yet */
	if (rc)
		return rc;
	const uint8_t *p = record.mv_data;
	if (record.mv_size != COUNTERS_SIZE)
		return pd_fail_set(fail, PD_E_CORRUPT, store->work.name, "the counters have %zu bytes instead of %d", record.mv_size,
				   COUNTERS_SIZE);
	store->counters.next_job = pd_get_le32(p);
	store->counters.next_game = pd_get_le32(p + 4);
	store->counters.next_log = pd_get_le64(p + 8);
	store->counters.dropped_log = pd_get_le64(p + 16);
	return PD_OK;
}

/* --- games -------------------------------------------------------------------------------------------------------------------- */

int st_game_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const struct st_game *game, struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[GAME_HEAD + ST_NAME_MAX];
	size_t length = strlen(game->name);
	pd_put_be32(key, game->id);
	pd_put_le64(record, game->rules_version);
	memcpy(record + GAME_HEAD, game->name, length);
	return st_put_sealed(env, txn, dbi, key, sizeof key, record, GAME_HEAD + length, 0, fail);
}

/* Adds to the list in memory; the name is copied. Under the lock, or before there are threads. */
static bool game_add(struct st_store *store, uint32_t id, const char *name, size_t length, uint64_t rules_version)
{
	if (store->games == store->games_capacity) {
		uint32_t capacity = store->games_capacity ? 2 * store->games_capacity : 8;
		struct st_game *grown = realloc(store->game, capacity * sizeof *grown);
		if (!grown)
			return false;
		store->game = grown;
		store->games_capacity = capacity;
	}
	char *copy = malloc(length + 1);
	if (!copy)
		return false;
	memcpy(copy, name, length);
	copy[length] = 0;
	store->game[store->games++] = (struct st_game){.id = id, .rules_version = rules_version, .name = copy};
	return true;
}

int st_games_load(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	MDB_cursor *cursor;
	MDB_val key, record;
	uint8_t from[ST_KEY_32];
	int rc = mdb_cursor_open(txn, store->dbi[ST_GAMES], &cursor);
	if (rc)
		return st_env_fail(&store->work, rc, "read the games", fail);
	pd_put_be32(from, store->games + 1); /* they are numbered from 1 without gaps */
	key = (MDB_val){sizeof from, from};
	for (MDB_cursor_op op = MDB_SET_RANGE; !(rc = st_cursor(&store->work, cursor, &key, &record, op, fail)); op = MDB_NEXT) {
		if (key.mv_size != ST_KEY_32 || !st_unseal(key.mv_data, key.mv_size, &record) || record.mv_size <= GAME_HEAD ||
		    record.mv_size > GAME_HEAD + ST_NAME_MAX) {
			rc = pd_fail_set(fail, PD_E_CORRUPT, store->work.name, "the record of a game does not decode");
			break;
		}
		const uint8_t *p = record.mv_data;
		pthread_mutex_lock(&store->lock);
		bool added = game_add(store, pd_get_be32(key.mv_data), (const char *)p + GAME_HEAD, record.mv_size - GAME_HEAD,
				      pd_get_le64(p));
		if (added)
			store->games_committed = store->games;
		pthread_mutex_unlock(&store->lock);
		if (!added) {
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the games");
			break;
		}
	}
	mdb_cursor_close(cursor);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

static uint32_t game_find(const struct st_store *store, uint32_t games, const char *name, uint64_t rules_version)
{
	for (uint32_t i = 0; i < games; i++)
		if (store->game[i].rules_version == rules_version && !strcmp(store->game[i].name, name))
			return store->game[i].id;
	return 0;
}

uint32_t st_game_find(struct st_store *store, const char *name, uint64_t rules_version)
{
	pthread_mutex_lock(&store->lock);
	uint32_t id = game_find(store, store->games_committed, name, rules_version);
	pthread_mutex_unlock(&store->lock);
	return id;
}

void st_game_each(struct st_store *store, void (*each)(void *ctx, uint32_t id, const char *name, uint64_t rules_version), void *ctx)
{
	for (uint32_t i = 0;; i++) {
		char name[ST_NAME_MAX + 1];
		pthread_mutex_lock(&store->lock);
		bool there = i < store->games_committed;
		struct st_game game = {0};
		if (there) {
			game = store->game[i];
			snprintf(name, sizeof name, "%s", game.name);
		}
		pthread_mutex_unlock(&store->lock);
		if (!there)
			return;
		each(ctx, game.id, name, game.rules_version); /* without the lock: it may ask the store */
	}
}

int st_batch_game(struct st_batch *batch, const char *name, uint64_t rules_version, uint32_t *id, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	size_t length = strlen(name);
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (!length || length > ST_NAME_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "game", "the name of a game has 1 to %d bytes, not %zu", ST_NAME_MAX, length);
	uint32_t known = game_find(store, store->games, name, rules_version); /* the writer alone changes the list */
	if (known) {
		*id = known;
		return PD_OK;
	}
	pthread_mutex_lock(&store->lock);
	bool added = game_add(store, batch->counters.next_game, name, length, rules_version);
	pthread_mutex_unlock(&store->lock);
	if (!added)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for another game");
	batch->games_new++;
	if (!store->memory) {
		rc = st_game_put(&store->work, batch->txn, store->dbi[ST_GAMES], &store->game[store->games - 1], &batch->scratch);
		if (rc)
			return st_batch_result(batch, rc, fail);
	}
	*id = batch->counters.next_game++;
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------------------------------------------- */

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
			return pd_fail_set(fail, pd_error_of_errno(errno), "data", "cannot lock %s: %s", path, strerror(errno));
		ssize_t n = pread(store->lock_fd, pid, sizeof pid - 1, 0);
		pid[n > 0 ? n : 0] = 0;
		pid[strcspn(pid, "\n")] = 0;
		return pd_fail_set(fail, PD_E_LOCKED, "data", "%s is in use by process %s", store->dir, *pid ? pid : "(unknown)");
	}
	/* The number is a courtesy to whoever finds the lock taken; the lock itself is the kernel's, so a full disk does not matter here. */
	int length = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
	if (ftruncate(store->lock_fd, 0) || pwrite(store->lock_fd, pid, (size_t)length, 0) != length)
		pd_log(PD_LOG_WARN, "cannot write %s: %s", path, strerror(errno));
	return PD_OK;
}

/* Where LMDB's own lock files cannot be written (a read-only medium, another user's directory), reading is safe only while nobody
 * writes: a shared lock keeps writers out. */
static int lock_shared(struct st_store *store, struct pd_fail *fail)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/lock", store->dir) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_LIMIT, "data", "the path of the data directory is too long");
	store->lock_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (store->lock_fd >= 0 && flock(store->lock_fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		return pd_fail_set(fail, PD_E_LOCKED, "data",
				   "a server writes to %s: to read beside it, this user must be allowed to write %s/work.mdb-lock and "
				   "%s/facts.mdb-lock",
				   store->dir, store->dir, store->dir);
	return PD_OK;
}

static int make_directory(const char *dir, struct pd_fail *fail)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return pd_fail_set(fail, pd_error_of_errno(errno), "data", "cannot create %s: %s", dir, strerror(errno));
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
		rc = st_env_open(&store->facts, store->dir, "facts.mdb", store->read_only, unlocked, &store->faults, fail);
	return rc;
}

static bool lock_files_writable(const char *dir)
{
	static const char *const names[] = {"work.mdb-lock", "facts.mdb-lock"};
	char path[4096];
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		if (access(path, W_OK) && (errno != ENOENT || access(dir, W_OK)))
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
	rc = open_tables_facts(store, txn, fail);
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
	rc = open_tables_work(store, txn, fail);
	if (!rc)
		rc = counters_get(store, txn, fail);
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

/* --- statistics ------------------------------------------------------------------------------------------------------------------ */

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
