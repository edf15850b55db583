/* D3, S3: readers in other threads and other processes see facts from their commit on, whole, and lose none while they
 * move from the memtable to runs and from runs to runs. */
#include <fcntl.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "tests/support/child.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

enum {
	POSITIONS = 20000,
	BATCH = 250,
	READERS = 3,
	SECOND_GAME = 3000 /* from this position on there is another game */
};

static const struct st_tuning tuning = {.flush_facts = 900, .step_facts = 300, .compaction_width = 2};

/* A flush takes longer than from one batch to the next. */
static const struct st_tuning slow = {.flush_facts = 900, .step_facts = 150, .compaction_width = 16};

/* Position n: a win for First in 1 + n % 50 plies, and after a second round known to take at most half of that. */
static struct pd_reason reason_of(uint32_t n, bool better)
{
	return (struct pd_reason){.side = PD_LO,
				  .bound = better ? 2 : 1,
				  .rank = (uint16_t)(1 + n % 50),
				  .move = (uint16_t)(n & 0xff),
				  .job = 1};
}

static size_t key_of(uint32_t n, uint8_t *key)
{
	pd_put_le32(key, n * UINT32_C(2654435761)); /* scattered over the runs */
	return 4;
}

static void add_facts(struct st_store *store, uint32_t from, uint32_t to, bool better)
{
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	uint32_t game;
	uint8_t key[8];
	if (st_batch_begin(store, &batch, &fail) ||
	    (from >= SECOND_GAME && st_batch_game(batch, "h", 1, &game, &fail)) ||
	    st_batch_game(batch, "g", 1, &game, &fail))
		abort();
	for (uint32_t n = from; n < to; n++) {
		struct pd_reason r = reason_of(n, better);
		if (st_batch_fact(batch, game, key, key_of(n, key), &r, &fail))
			abort();
	}
	if (st_batch_commit(batch, &fail))
		abort();
}

struct shared {
	struct st_store *store;
	atomic_uint committed, improved; /* positions below these are known, and known better */
	atomic_bool stop;
	atomic_ullong reads, wrong;
};

static void *read_on(void *arg)
{
	struct shared *s = arg;
	struct st_reader *reader;
	struct pd_fail fail;
	uint64_t random = 1, reads = 0;
	if (st_reader_open(s->store, &reader, &fail))
		abort();
	do {
		enum { MANY = 100 };
		uint32_t committed = atomic_load(&s->committed), improved = atomic_load(&s->improved), n[MANY];
		uint8_t key[MANY][8];
		struct pd_fact fact[MANY] = {0};
		struct st_wanted wanted[MANY];
		unsigned count = reads % 2 ? MANY : 1; /* one, then many at once */
		for (unsigned i = 0; i < count; i++) {
			n[i] = (uint32_t)model_random(&random, POSITIONS);
			wanted[i] = (struct st_wanted){key[i], key_of(n[i], key[i]), &fact[i], false};
		}
		int rc = count == 1 ? st_fact_get(reader, 1, key[0], wanted[0].size, fact, &fail)
				    : st_fact_get_many(reader, 1, wanted, count, &fail);
		if (rc < 0)
			atomic_fetch_add(&s->wrong, 1);
		if (count == 1)
			wanted[0].found = rc == 1;
		for (unsigned i = 0; i < count; i++) {
			bool good = wanted[i].found || n[i] >= committed;
			if (wanted[i].found)
				good = good && fact[i].few[0].rank == 1 + n[i] % 50 && fact[i].count == 1 &&
				       fact[i].few[0].bound >= (n[i] < improved ? 2 : 1);
			if (!good)
				atomic_fetch_add(&s->wrong, 1);
		}
		reads++;
	} while (!atomic_load(&s->stop));
	atomic_fetch_add(&s->reads, reads);
	st_reader_close(reader);
	return NULL;
}

struct walked {
	uint32_t facts;
	uint8_t last[4];
	bool order;
};

static int see(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct walked *w = ctx;
	w->order = w->order && game == 1 && size == 4 && fact->count && (!w->facts || memcmp(w->last, key, 4) < 0);
	memcpy(w->last, key, 4);
	w->facts++;
	return 0;
}

static void *walk_on(void *arg)
{
	struct shared *s = arg;
	struct st_reader *reader;
	struct pd_fail fail;
	if (st_reader_open(s->store, &reader, &fail))
		abort();
	while (!atomic_load(&s->stop)) {
		struct walked w = {.order = true};
		uint32_t committed = atomic_load(&s->committed);
		if (st_fact_each(reader, see, &w, &fail) || !w.order || w.facts < committed)
			atomic_fetch_add(&s->wrong, 1);
		struct st_stats stats;
		st_stats(s->store, &stats);
		st_game_find(s->store, "g", 1);
	}
	st_reader_close(reader);
	return NULL;
}

static void run_threads(const char *dir)
{
	struct shared s = {.store = NULL};
	struct pd_fail fail = {.text = ""};
	pthread_t thread[READERS + 1];
	ck_assert_msg(st_open(dir, 0, &s.store, &fail) == 0, "%s", fail.text);
	st_tune(s.store, &tuning);
	for (unsigned i = 0; i < READERS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, read_on, &s), 0);
	ck_assert_int_eq(pthread_create(&thread[READERS], NULL, walk_on, &s), 0);
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t n = 0; n < effort_of(POSITIONS, 4000); n += BATCH) {
			add_facts(s.store, n, n + BATCH, round);
			atomic_store(round ? &s.improved : &s.committed, n + BATCH);
			for (unsigned i = 0; i < 3; i++)
				ck_assert_msg(st_facts_maintain(s.store, n / BATCH % 8 == 0, &fail) >= 0, "%s",
					      fail.text);
		}
	}
	while (st_facts_maintain(s.store, true, &fail) == 1)
		;
	atomic_store(&s.stop, true);
	for (unsigned i = 0; i <= READERS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(atomic_load(&s.wrong), 0);
	ck_assert_uint_gt(atomic_load(&s.reads), 0);
	st_close(s.store);
}

START_TEST(readers_see_every_fact_while_it_moves)
{
	char dir[256];
	storedir_new(dir, sizeof dir);
	run_threads(_i ? dir : NULL);
	storedir_remove(dir);
}
END_TEST

/* How many of the first `positions` the store knows. */
static uint32_t count_known(struct st_store *store, uint32_t positions)
{
	struct st_reader *reader;
	struct pd_fail fail;
	uint32_t found = 0;
	if (st_reader_open(store, &reader, &fail))
		abort();
	for (uint32_t n = 0; n < positions; n++) {
		uint8_t key[8];
		struct pd_fact fact = {0};
		found += st_fact_get(reader, 1, key, key_of(n, key), &fact, &fail) == 1;
	}
	st_reader_close(reader);
	return found;
}

static void count_problem(void *ctx, const char *text)
{
	fprintf(stderr, "check: %s\n", text);
	++*(unsigned *)ctx;
}

/* A child that reads next to the writer; the pipes keep the two in step. It never has more than `most` facts in its
 * memtable. */
static void reading_child(const char *dir, int from_writer, int to_writer, uint64_t most)
{
	struct st_stats stats;
	struct st_store *store = NULL;
	struct pd_fail fail;
	unsigned problems = 0;
	uint32_t expected;
	bool good = true;
	while (good && read(from_writer, &expected, sizeof expected) == sizeof expected) {
		if (!store)
			good = st_open(dir, ST_READ_ONLY, &store, &fail) == 0;
		else
			good = st_facts_maintain(store, false, &fail) == 0; /* takes in what was added */
		struct st_batch *batch;
		if (good)
			st_stats(store, &stats);
		good = good && stats.memtable <= most;
		good = good && count_known(store, POSITIONS) == expected && st_game_find(store, "g", 1) == 1 &&
		       st_game_find(store, "h", 1) == (expected > SECOND_GAME ? 2 : 0) &&
		       st_check(store, count_problem, &problems, &fail) == 0 &&
		       st_batch_begin(store, &batch, &fail) == PD_E_UNSUPPORTED;
		char answer = good ? 'y' : 'n';
		if (write(to_writer, &answer, 1) != 1)
			break;
	}
	st_close(store);
	_exit(good ? 0 : 1);
}

/* The writer flushes when it is idle, as well; or only while facts keep coming, and then no flush has all of them. */
START_TEST(another_process_reads_along_with_the_writer)
{
	char dir[256], answer;
	int down[2], up[2], status;
	bool idle = _i == 0;
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	storedir_new(dir, sizeof dir);
	ck_assert(!pipe(down) && !pipe(up));
	pid_t pid = fork_child();
	if (!pid) {
		close(down[1]);
		close(up[0]);
		reading_child(dir, down[0], up[1], idle ? UINT64_MAX : 3 * (900 + BATCH));
	}
	close(down[0]);
	close(up[1]);
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	st_tune(store, idle ? &tuning : &slow);
	for (uint32_t n = 0; n < effort_of(6000, 2000); n += BATCH) {
		uint32_t expected = n + BATCH;
		add_facts(store, n, expected, false);
		for (unsigned i = 0; i < (idle ? n / BATCH % 5 : 3); i++)
			ck_assert_int_ge(st_facts_maintain(store, idle && n / BATCH % 3 == 0, &fail), 0);
		ck_assert_int_eq(write(down[1], &expected, sizeof expected), sizeof expected);
		ck_assert_int_eq(read(up[0], &answer, 1), 1);
		ck_assert_int_eq(answer, 'y');
	}
	close(down[1]);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	st_close(store);
	storedir_remove(dir);
}
END_TEST

/* Changes all bytes of a key in a file. */
static unsigned spoil_key(const char *dir, const char *name, const uint8_t *key, size_t size)
{
	char path[300];
	struct stat st;
	unsigned found = 0;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	int fd = open(path, O_RDWR);
	ck_assert(fd >= 0 && !fstat(fd, &st));
	uint8_t *bytes = malloc((size_t)st.st_size);
	ck_assert(bytes && pread(fd, bytes, (size_t)st.st_size, 0) == st.st_size);
	for (off_t at = 0; at + (off_t)size <= st.st_size; at++)
		if (!memcmp(bytes + at, key, size)) {
			ck_assert(pwrite(fd, "????", 4, at) == 4);
			found++;
		}
	free(bytes);
	close(fd);
	return found;
}

/* D6: a damaged block of the log stays an error for who follows it, however often that one looks. */
START_TEST(a_damaged_block_of_the_log_is_an_error_each_time)
{
	static const uint8_t key[] = "a key that stands nowhere else";
	char dir[256], byte;
	int down[2], up[2], status;
	struct pd_fail fail = {.text = ""};
	struct st_store *store = NULL;
	struct st_batch *batch;
	uint32_t game;
	storedir_new(dir, sizeof dir);
	ck_assert(!pipe(down) && !pipe(up));
	pid_t pid = fork_child();
	if (!pid) {
		close(down[1]);
		close(up[0]);
		bool good = read(down[0], &byte, 1) == 1 && !st_open(dir, ST_READ_ONLY, &store, &fail) &&
			    !st_facts_maintain(store, false, &fail);
		good = write(up[1], "", 1) == 1 && read(down[0], &byte, 1) == 1 && good;
		for (unsigned i = 0; i < 3 && good; i++)
			good = st_facts_maintain(store, false, &fail) == -1 && fail.code == PD_E_CORRUPT;
		st_close(store);
		_exit(good ? 0 : 1);
	}
	close(down[0]);
	close(up[1]);
	ck_assert_msg(!st_open(dir, 0, &store, &fail), "%s", fail.text);
	add_facts(store, 0, BATCH, false);
	ck_assert(write(down[1], "", 1) == 1 && read(up[0], &byte, 1) == 1);
	struct pd_reason r = reason_of(1, false);
	ck_assert(!st_batch_begin(store, &batch, &fail) && !st_batch_game(batch, "g", 1, &game, &fail) &&
		  !st_batch_fact(batch, game, key, sizeof key, &r, &fail) && !st_batch_commit(batch, &fail));
	add_facts(store, BATCH, 2 * BATCH, false);
	ck_assert_uint_gt(spoil_key(dir, "work.mdb", key, sizeof key), 0);
	ck_assert(write(down[1], "", 1) == 1);
	ck_assert(waitpid(pid, &status, 0) == pid);
	ck_assert_int_eq(status, 0);
	close(down[1]);
	close(up[0]);
	st_close(store);
	storedir_remove(dir);
}
END_TEST

/* Another program, with LMDB, XXH3 and FORMAT.md only. Looks for a key in one run: its packed fact, or NULL; *sound
 * becomes false when the run does not prove what it says. */
static const uint8_t *probe_run(MDB_txn *txn, MDB_dbi run, uint64_t id, const uint8_t *k, size_t size,
				size_t *fact_size, bool *sound)
{
	uint8_t above[64], now[64];
	MDB_cursor *cursor;
	MDB_val upper = {size + 1, above}, block;
	memcpy(above, k, size);
	above[size] = 0;
	int rc = mdb_cursor_open(txn, run, &cursor);
	if (!rc) {
		rc = mdb_cursor_get(cursor, &upper, &block, MDB_SET_RANGE);
		mdb_cursor_close(cursor);
	}
	const uint8_t *p = block.mv_data, *end = p + block.mv_size, *found = NULL;
	*sound = !rc && pd_get_le64(p) == (XXH3_64bits(p + 8, block.mv_size - 8) ^
					   XXH3_64bits_withSeed(upper.mv_data, upper.mv_size, id));
	if (!*sound)
		return NULL;
	unsigned left = pd_get_le16(p + 10);
	uint64_t now_size = 0;
	p = pd_get_varint(p + 12, end, &now_size);
	*sound = now_size <= size + 8 && memcmp(p, k, now_size < size ? now_size : size) <= 0;
	memcpy(now, p, now_size);
	p += now_size;
	for (; left && *sound && !found; left--) {
		uint8_t head = *p++;
		uint64_t rest = head & 15, value = (head >> 4 & 7) + 2, shared;
		if (!rest)
			p = pd_get_varint(p, end, &rest);
		if (value == 2)
			p = pd_get_varint(p, end, &value);
		shared = now_size - rest;
		if (head & 128)
			p = pd_get_varint(p, end, &shared);
		memcpy(now + shared, p, rest);
		now_size = shared + rest;
		if (now_size == size && !memcmp(now, k, size))
			found = p + rest;
		*fact_size = value;
		p += rest + value;
	}
	return found;
}

/* Returns how many of the positions it finds in the runs; they must be right. */
static uint32_t probe_outside(const char *dir)
{
	char path[300], name[16];
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi meta, games, run[24];
	MDB_val key = {4, "runs"}, list;
	uint32_t found = 0;
	snprintf(path, sizeof path, "%s/facts.mdb", dir);
	if (mdb_env_create(&env) || mdb_env_set_maxdbs(env, 26) || mdb_env_set_mapsize(env, 1 << 30) ||
	    mdb_env_open(env, path, MDB_RDONLY | MDB_NOSUBDIR | MDB_NORDAHEAD, 0644) ||
	    mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) || mdb_dbi_open(txn, "meta", 0, &meta) ||
	    mdb_dbi_open(txn, "games", 0, &games))
		return UINT32_MAX;
	for (unsigned i = 0; i < 24; i++) {
		snprintf(name, sizeof name, "run.%u", i);
		if (mdb_dbi_open(txn, name, 0, &run[i]))
			return UINT32_MAX;
	}
	if (mdb_get(txn, meta, &key, &list))
		return UINT32_MAX;
	const uint8_t *runs = (const uint8_t *)list.mv_data + 4; /* behind the seal */
	for (uint32_t n = 0; n < POSITIONS; n++) {
		uint8_t k[8] = {0, 0, 0, 1};
		size_t k_size = 4 + key_of(n, k + 4);
		for (uint32_t i = 0; i < pd_get_le32(runs + 8); i++) {
			const uint8_t *r = runs + 12 + 28 * i;
			size_t size;
			bool sound;
			const uint8_t *v =
				probe_run(txn, run[pd_get_le32(r)], pd_get_le64(r + 4), k, k_size, &size, &sound);
			if (!sound)
				return UINT32_MAX;
			if (!v)
				continue;
			/* lo, a move and a job follow, bound 1; rank; move; job 1. */
			size_t move_size = (n & 0xff) < 0x80 ? 1 : 2;
			if (size != 3 + move_size || v[0] != (2 | 8 | 2 << 4) || v[1] != 1 + n % 50 ||
			    v[2 + move_size] != 1)
				return UINT32_MAX;
			found++;
			break;
		}
	}
	mdb_txn_abort(txn);
	mdb_env_close(env);
	return found;
}

START_TEST(another_program_probes_by_the_book)
{
	char dir[256];
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	int status;
	storedir_new(dir, sizeof dir);
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	st_tune(store, &tuning);
	add_facts(store, 0, 2000, false);
	while (st_facts_maintain(store, true, &fail) == 1)
		;
	add_facts(store, 2000, 3000, false);
	while (st_facts_maintain(store, false, &fail) == 1)
		;
	add_facts(store, 3000, 3100, false); /* in the log only */
	pid_t pid = fork_child();
	if (!pid)
		_exit(probe_outside(dir) == 3000 ? 0 : 1);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	st_close(store);
	storedir_remove(dir);
}
END_TEST

/* A directory that the reader may not write to, while no one else does. */
START_TEST(a_directory_can_be_read_without_the_right_to_write)
{
	char dir[256];
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	int status;
	storedir_new(dir, sizeof dir);
	chmod(dir, 0755);
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	add_facts(store, 0, 10, false);
	static const char *const names[] = {"work.mdb", "facts.mdb", "work.mdb-lock", "facts.mdb-lock"};
	for (unsigned i = 0; i < 4; i++) { /* as its owner may do */
		char path[300];
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		ck_assert_int_eq(chmod(path, 0644), 0);
	}
	for (unsigned round = 0; round < 2; round++) {
		pid_t pid = fork_child();
		if (!pid) {
			struct st_store *other = NULL;
			if (setgid(65534) || setuid(65534))
				_exit(77); /* not allowed to become somebody else: nothing to test */
			int rc = st_open(dir, ST_READ_ONLY, &other, &fail);
			if (round == 0) /* while a writer has it: refused, because nothing would protect the reader */
				_exit(rc == PD_E_LOCKED ? 0 : 1);
			_exit(rc || count_known(other, 20) != 10);
		}
		waitpid(pid, &status, 0);
		ck_assert(WIFEXITED(status));
		ck_assert(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
		st_close(store);
		store = NULL;
	}
	storedir_remove(dir);
}
END_TEST

SUITE(readers)
{
	tcase_set_timeout(c, 110);
	tcase_add_loop_test(c, readers_see_every_fact_while_it_moves, 0, 2);
	tcase_add_loop_test(c, another_process_reads_along_with_the_writer, 0, 2);
	tcase_add_test(c, a_damaged_block_of_the_log_is_an_error_each_time);
	tcase_add_test(c, another_program_probes_by_the_book);
	tcase_add_test(c, a_directory_can_be_read_without_the_right_to_write);
}
