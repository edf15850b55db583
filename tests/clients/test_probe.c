/* libproofd-probe: what it says of positions, next to a writer in another process, and of damaged directories. */
#include <fcntl.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/probe/probe.h"
#include "tests/support/child.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static const char game_name[] = "mnk:3,3,3", wide_name[] = "mnk:11,11,5";

/* ThreadSanitizer does not follow the library out of a handler of SIGBUS. */
#ifdef __SANITIZE_THREAD__
static const bool damage_too = false;
#else
static const bool damage_too = true;
#endif

/* --- facts -------------------------------------------------------------------------------- */

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static uint32_t begin_batch(struct st_store *store, const struct game *g, struct st_batch **batch)
{
	struct pd_fail fail = {.text = ""};
	uint32_t id = 0;
	need(!st_batch_begin(store, batch, &fail) && !st_batch_game(*batch, g->name, game_version(g), &id, &fail),
	     fail.text);
	return id;
}

static void put_fact(struct st_batch *batch, uint32_t id, const struct game *g, const char *position,
		     const struct pd_reason *reason)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct pd_fail fail = {.text = ""};
	need(!g->rules->parse(g, position, state, &fail), fail.text);
	need(!st_batch_fact(batch, id, key, g->rules->key(g, state, key), reason, &fail), fail.text);
}

static game_move move_in_key(const struct game *g, const char *position, const char *move)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move m = 0;
	struct pd_fail fail = {.text = ""};
	need(!g->rules->parse(g, position, state, &fail) && !g->rules->move_parse(g, state, move, &m, &fail),
	     fail.text);
	return game_canon(g, state, m, false);
}

/* Facts of some moves of a game that has many, none of them in the middle of the board. */
static void make_wide(struct st_store *store)
{
	struct st_batch *batch;
	struct game *g = NULL;
	struct pd_fail fail = {.text = ""};
	need(!game_open(wide_name, NULL, &g, &fail), fail.text);
	uint32_t id = begin_batch(store, g, &batch);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const moves[] = {"a1", "f1", "c3"};
		const struct pd_reason draw = {
			.side = PD_LO, .bound = 0, .rank = (uint16_t)(40 + i), .move = PD_NO_MOVE, .job = 1 + i};
		put_fact(batch, id, g, moves[i], &draw);
	}
	need(!st_batch_commit(batch, &fail), fail.text);
	game_close(g);
}

/* A directory with some facts; closed again, because a process opens one once. */
static void make_directory(char *dir, size_t size)
{
	struct st_store *store;
	struct st_batch *batch;
	struct game *g = NULL;
	struct pd_fail fail = {.text = ""};
	storedir_new(dir, size);
	need(!st_open(dir, 0, &store, &fail) && !game_open(game_name, NULL, &g, &fail), fail.text);
	uint32_t id = begin_batch(store, g, &batch);
	/* a1 was played, and First wins with b2 in the key's frame of a corner opening. */
	const struct pd_reason win = {
		.side = PD_LO, .bound = 1, .rank = 5, .move = move_in_key(g, "a1 b1", "b2"), .effort = 12, .job = 7};
	put_fact(batch, id, g, "a1 b1", &win);
	const struct pd_reason low = {.side = PD_LO, .bound = 0, .rank = 9, .move = PD_NO_MOVE, .job = 1};
	const struct pd_reason high = {.side = PD_HI, .bound = 0, .rank = 8, .move = PD_NO_MOVE, .job = 2};
	put_fact(batch, id, g, "b2 a1", &low);
	put_fact(batch, id, g, "b2 a1", &high);
	need(!st_batch_commit(batch, &fail), fail.text);
	game_close(g);
	make_wide(store);
	st_close(store);
}

struct fixture {
	char dir[256];
	struct proofd_probe *probe;
	struct proofd_probe_game *game;
	struct proofd_error error;
	struct proofd_probed known;
};

static void set_up(struct fixture *f)
{
	make_directory(f->dir, sizeof f->dir);
	ck_assert_msg(!proofd_probe_open(f->dir, NULL, &f->probe, &f->error), "%s", f->error.message);
	ck_assert(!proofd_probe_game(f->probe, game_name, &f->game, &f->error));
}

static void tear_down(struct fixture *f)
{
	proofd_probe_close(f->probe);
	storedir_remove(f->dir);
}

START_TEST(test_positions_by_text)
{
	struct fixture f;
	char text[32];
	set_up(&f);
	/* The mirror image has the same fact, and its move is the mirror image. */
	static const char *const same[][2] = {{"a1 b1", "b2"}, {"a3 a2", "b2"}, {"c1 b1", "b2"}, {"c3 b3", "b2"}};
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(proofd_probe_position(f.game, same[i][0], &f.known, &f.error), 1);
		ck_assert_int_eq(f.known.lo, 1);
		ck_assert_int_eq(f.known.hi, 1);
		ck_assert_uint_eq(f.known.source, PROOFD_BY_FACT);
		ck_assert_uint_eq(f.known.rank, 5);
		ck_assert_uint_eq(f.known.effort, 12);
		ck_assert_uint_eq(f.known.job, 7);
		ck_assert_int_eq(proofd_probe_move_text(f.game, same[i][0], f.known.move, text, sizeof text, &f.error),
				 2);
		ck_assert_str_eq(text, same[i][1]);
	}
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 a1", &f.known, &f.error), 1);
	ck_assert(!f.known.lo && !f.known.hi && f.known.rank == 9 && f.known.move == PROOFD_NO_MOVE &&
		  f.known.job == 1);
	ck_assert_int_eq(proofd_probe_position(f.game, "", &f.known, &f.error), 0);
	ck_assert(f.known.lo == -1 && f.known.hi == 1 && f.known.source == PROOFD_BY_NONE);
	ck_assert(f.known.rank == PROOFD_NO_RANK && f.known.move == PROOFD_NO_MOVE);
	ck_assert_int_eq(proofd_probe_position(f.game, "a1 a2 b1 b2 c1", &f.known, &f.error), 1);
	ck_assert(f.known.lo == 1 && f.known.hi == 1 && f.known.source == PROOFD_BY_RULES && !f.known.rank);
	tear_down(&f);
}
END_TEST

START_TEST(test_positions_by_key)
{
	struct fixture f;
	uint8_t key[PROOFD_PROBE_KEY_MAX], mirrored[PROOFD_PROBE_KEY_MAX];
	set_up(&f);
	int size = proofd_probe_pack(f.game, "a1 b1", key, &f.error);
	ck_assert_int_gt(size, 0);
	ck_assert_int_eq(proofd_probe_pack(f.game, "c3 c2", mirrored, &f.error), size);
	ck_assert(!memcmp(key, mirrored, (size_t)size));
	ck_assert_int_eq(proofd_probe_key(f.game, key, (size_t)size, &f.known, &f.error), 1);
	ck_assert(f.known.lo == 1 && f.known.rank == 5 && f.known.move != PROOFD_NO_MOVE);
	size = proofd_probe_pack(f.game, "a1 a2 b1 b2 c1", key, &f.error);
	ck_assert_int_eq(proofd_probe_key(f.game, key, (size_t)size, &f.known, &f.error), 1);
	ck_assert_uint_eq(f.known.source, PROOFD_BY_RULES);
	memset(key, 0xff, sizeof key);
	for (size_t bytes = 0; bytes <= sizeof key; bytes += 1 + bytes / 4) {
		ck_assert_int_eq(proofd_probe_key(f.game, key, bytes, &f.known, &f.error), -1);
		ck_assert_str_eq(f.error.slug, "bad-position");
		ck_assert_str_eq(f.error.field, "key");
	}
	tear_down(&f);
}
END_TEST

START_TEST(test_moves)
{
	struct fixture f;
	struct proofd_probed_move moves[9];
	char text[8];
	set_up(&f);
	ck_assert_int_eq(proofd_probe_moves(f.game, "a1", moves, 9, &f.error), 8);
	unsigned known = 0;
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(proofd_probe_move_text(f.game, "a1", moves[i].move, text, sizeof text, &f.error), 2);
		bool next = !strcmp(text, "b1") || !strcmp(text, "a2");
		ck_assert_uint_eq(moves[i].after.source, next ? PROOFD_BY_FACT : PROOFD_BY_NONE);
		known += next;
	}
	ck_assert_uint_eq(known, 2);
	ck_assert_int_eq(proofd_probe_moves(f.game, "a1", moves, 3, &f.error), 8);
	ck_assert_int_eq(proofd_probe_moves(f.game, "a1 a2 b1 b2 c1", moves, 9, &f.error), 0);
	tear_down(&f);
}
END_TEST

/* More moves than are looked up at once, and answers between those that are not there. */
START_TEST(test_many_moves)
{
	struct fixture f;
	struct proofd_probe_game *game;
	static struct proofd_probed_move moves[128];
	set_up(&f);
	ck_assert(!proofd_probe_game(f.probe, wide_name, &game, &f.error));
	int count = proofd_probe_moves(game, "", moves, 128, &f.error);
	ck_assert_int_eq(count, 121);
	unsigned known = 0;
	for (int i = 0; i < count; i++) {
		char text[8];
		ck_assert_int_ge(proofd_probe_move_text(game, "", moves[i].move, text, sizeof text, &f.error), 2);
		ck_assert_int_ge(proofd_probe_position(game, text, &f.known, &f.error), 0);
		ck_assert(!memcmp(&f.known, &moves[i].after, sizeof f.known));
		known += moves[i].after.source == PROOFD_BY_FACT;
	}
	ck_assert_uint_eq(known, 3 * 4); /* each has four images */
	ck_assert_int_eq(proofd_probe_moves(game, "", NULL, 0, &f.error), 121);
	tear_down(&f);
}
END_TEST

/* --- many at once ------------------------------------------------------------------------- */

enum { MANY = 150 };

/* Nothing known, a fact, the end of the game, and a mirror image among them. */
static const char *const some[] = {"", "a1 b1", "a1 a2 b1 b2 c1", "b2 a1", "c3 b3", "a1", "b2 a1 c3"};
enum { SOME = sizeof some / sizeof *some };

START_TEST(test_many_positions)
{
	struct fixture f;
	static struct proofd_probed by_text[MANY], by_key[MANY];
	static uint8_t bytes[MANY][PROOFD_PROBE_KEY_MAX];
	const char *texts[MANY];
	struct proofd_packed keys[MANY];
	set_up(&f);
	for (unsigned i = 0; i < MANY; i++) {
		texts[i] = some[(i * 5 + i / 32) % SOME];
		int size = proofd_probe_pack(f.game, texts[i], bytes[i], &f.error);
		ck_assert_int_gt(size, 0);
		keys[i] = (struct proofd_packed){bytes[i], (size_t)size};
	}
	for (size_t count = 0; count <= MANY; count += 1 + count / 3) {
		memset(by_text, 0xaa, sizeof by_text);
		memset(by_key, 0xaa, sizeof by_key);
		ck_assert_int_eq(proofd_probe_positions(f.game, texts, count, by_text, &f.error), 0);
		ck_assert_int_eq(proofd_probe_keys(f.game, keys, count, by_key, &f.error), 0);
		for (size_t i = 0; i < count; i++) {
			ck_assert_int_ge(proofd_probe_position(f.game, texts[i], &f.known, &f.error), 0);
			ck_assert(!memcmp(&by_text[i], &f.known, sizeof f.known));
			ck_assert_int_ge(proofd_probe_key(f.game, keys[i].key, keys[i].size, &f.known, &f.error), 0);
			ck_assert(!memcmp(&by_key[i], &f.known, sizeof f.known));
		}
	}
	/* One that is none, wherever it stands. */
	for (unsigned i = 0; i < MANY; i += 29) {
		const char *text = texts[i];
		texts[i] = "b2 b2";
		keys[i].size--;
		ck_assert_int_eq(proofd_probe_positions(f.game, texts, MANY, by_text, &f.error), -1);
		ck_assert_str_eq(f.error.slug, "bad-position");
		ck_assert_str_eq(f.error.field, "position");
		ck_assert_int_eq(proofd_probe_keys(f.game, keys, MANY, by_key, &f.error), -1);
		ck_assert_str_eq(f.error.slug, "bad-position");
		ck_assert_str_eq(f.error.field, "key");
		texts[i] = text;
		keys[i].size++;
	}
	tear_down(&f);
}
END_TEST

static int count_readers(const char *line, void *ctx)
{
	unsigned *reading = ctx;
	unsigned pid;
	size_t thread;
	char txn[32];
	/* "pid thread txnid", and "-" for the last while nothing is read. */
	if (sscanf(line, "%u %zx %31s", &pid, &thread, txn) == 3 && strcmp(txn, "-") != 0)
		++*reading;
	return 0;
}

/* In another process: how many views of a file are held. */
static unsigned views_of(const char *dir, const char *name)
{
	int status;
	pid_t pid = fork_child();
	if (!pid) {
		char path[300];
		MDB_env *env;
		unsigned reading = 0;
		snprintf(path, sizeof path, "%s/%s", dir, name);
		if (mdb_env_create(&env) || mdb_env_set_mapsize(env, 1 << 30) ||
		    mdb_env_open(env, path, MDB_RDONLY | MDB_NOSUBDIR, 0644) ||
		    mdb_reader_list(env, count_readers, &reading) < 0)
			reading = 99;
		_exit((int)reading);
	}
	ck_assert(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return (unsigned)WEXITSTATUS(status);
}

/* The server could not use old pages again, and its files would grow. */
START_TEST(test_no_view_is_held_between_calls)
{
	struct fixture f;
	static struct proofd_probed known[MANY];
	static struct proofd_probed_move moves[9];
	const char *texts[MANY];
	set_up(&f);
	for (unsigned i = 0; i < MANY; i++)
		texts[i] = some[i % SOME];
	for (unsigned round = 0; round < 4; round++) {
		if (round == 0)
			ck_assert_int_eq(proofd_probe_position(f.game, "a1 b1", &f.known, &f.error), 1);
		else if (round == 1)
			ck_assert_int_eq(proofd_probe_moves(f.game, "a1", moves, 9, &f.error), 8);
		else if (round == 2)
			ck_assert_int_eq(proofd_probe_positions(f.game, texts, MANY, known, &f.error), 0);
		texts[77] = "b2 b2";
		if (round == 3)
			ck_assert_int_eq(proofd_probe_positions(f.game, texts, MANY, known, &f.error), -1);
		ck_assert_uint_eq(views_of(f.dir, "facts.mdb"), 0);
		ck_assert_uint_eq(views_of(f.dir, "work.mdb"), 0);
		texts[77] = "a1";
	}
	tear_down(&f);
}
END_TEST

START_TEST(test_errors)
{
	struct fixture f;
	struct proofd_probe_game *game;
	struct proofd_probe *probe = NULL;
	struct proofd_probed_move move;
	char text[8];
	set_up(&f);
	ck_assert_int_eq(proofd_probe_open("/nonexistent", NULL, &probe, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "not-found");
	ck_assert_ptr_null(probe);
	ck_assert_int_eq(proofd_probe_game(f.probe, "nonsense", &game, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "bad-game");
	ck_assert_str_eq(f.error.field, "game");
	ck_assert_int_eq(proofd_probe_game(f.probe, "andor:nothing", &game, NULL), -1);
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 b2", &f.known, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "bad-position");
	ck_assert_str_eq(f.error.field, "position");
	ck_assert_int_eq(proofd_probe_pack(f.game, "z9", text, &f.error), -1);
	ck_assert_int_eq(proofd_probe_moves(f.game, "z9", &move, 1, &f.error), -1);
	ck_assert_int_eq(proofd_probe_move_text(f.game, "", PROOFD_NO_MOVE, text, sizeof text, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "bad-move");
	/* A game that the directory knows nothing of. */
	ck_assert(!proofd_probe_game(f.probe, "connect4:4x4", &game, &f.error));
	ck_assert_int_eq(proofd_probe_position(game, "", &f.known, &f.error), 0);
	ck_assert_str_eq(proofd_probe_game_name(game), "connect4:4x4");
	/* The same directory, and the same game, again. */
	struct proofd_probe_game *again;
	ck_assert(!proofd_probe_open(f.dir, NULL, &probe, &f.error) && probe == f.probe);
	ck_assert(!proofd_probe_game(probe, "connect4:4x4", &again, &f.error) && again == game);
	proofd_probe_close(probe);
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 a1", &f.known, &f.error), 1);
	tear_down(&f);
}
END_TEST

/* --- next to a writer --------------------------------------------------------------------- */

enum { POSITIONS = 4000, BATCH = 100, READERS = 3 };

/* Position n of nim: a text with a fact of its own. */
static const char nim_name[] = "nim:63,63,63";

static void nim_text(uint32_t n, char *out, size_t size)
{
	/* Heaps in rising order, so that no two have one key. */
	snprintf(out, size, "%u,%u,%u x", 1 + n % 16, 20 + n / 16 % 16, 40 + n / 256 % 16);
}

static struct pd_reason nim_reason(uint32_t n)
{
	return (struct pd_reason){
		.side = PD_HI, .bound = -1, .rank = (uint16_t)(1 + n % 100), .move = PD_NO_MOVE, .job = 1 + n};
}

/* The writer: a byte makes a batch, which is answered by a byte. */
static void write_on(const char *dir, int in, int out)
{
	static const struct st_tuning tuning = {.flush_facts = 300, .step_facts = 100, .compaction_width = 2};
	struct st_store *store;
	struct game *g = NULL;
	struct pd_fail fail = {.text = ""};
	char byte;
	need(!st_open(dir, 0, &store, &fail) && !game_open(nim_name, NULL, &g, &fail), fail.text);
	st_tune(store, &tuning);
	for (uint32_t n = 0; read(in, &byte, 1) == 1;) {
		struct st_batch *batch;
		uint32_t id = begin_batch(store, g, &batch);
		for (unsigned i = 0; i < BATCH; i++, n++) {
			char text[64];
			struct pd_reason reason = nim_reason(n);
			nim_text(n, text, sizeof text);
			put_fact(batch, id, g, text, &reason);
		}
		need(!st_batch_commit(batch, &fail), fail.text);
		need(write(out, "", 1) == 1, "no one reads");
		for (unsigned i = 0; i < 4; i++)
			need(st_facts_maintain(store, false, &fail) >= 0, fail.text);
	}
	game_close(g);
	st_close(store);
}

struct shared {
	struct proofd_probe_game *game;
	uint64_t seed;
	atomic_uint reader; /* the next one's number */
	atomic_uint committed;
	atomic_bool stop;
	atomic_ullong probes[3], wrong;
};

enum { TOGETHER = 100 };

/* Probes `count` positions in one of three ways; false with what went wrong on stderr. */
static bool probe_some(struct proofd_probe_game *game, uint64_t way, const uint32_t *n, size_t count,
		       struct proofd_probed *known)
{
	static _Thread_local char text[TOGETHER][64];
	static _Thread_local uint8_t bytes[TOGETHER][PROOFD_PROBE_KEY_MAX];
	const char *texts[TOGETHER];
	struct proofd_packed keys[TOGETHER];
	struct proofd_error error;
	int rc = 0;
	for (size_t i = 0; i < count && rc >= 0; i++) {
		nim_text(n[i], text[i], sizeof *text);
		texts[i] = text[i];
		if (way == 0)
			rc = proofd_probe_position(game, texts[i], &known[i], &error);
		else if (way == 1)
			rc = proofd_probe_pack(game, texts[i], bytes[i], &error);
		keys[i] = (struct proofd_packed){bytes[i], (size_t)rc};
	}
	if (way == 1 && rc >= 0)
		rc = proofd_probe_keys(game, keys, count, known, &error);
	else if (way == 2)
		rc = proofd_probe_positions(game, texts, count, known, &error);
	if (rc < 0)
		fprintf(stderr, "%s\n", error.message);
	return rc >= 0;
}

static bool says(const struct proofd_probed *known, uint32_t n)
{
	return known->hi == -1 && known->rank == 1 + n % 100 && known->job == 1 + n;
}

static void *probe_on(void *arg)
{
	struct shared *s = arg;
	uint64_t random = s->seed + atomic_fetch_add(&s->reader, 1);
	do {
		uint32_t committed = atomic_load(&s->committed), n[TOGETHER];
		struct proofd_probed known[TOGETHER];
		uint64_t way = model_random(&random, 3);
		size_t count = 1 + (size_t)model_random(&random, TOGETHER);
		for (size_t i = 0; i < count; i++)
			n[i] = (uint32_t)model_random(&random, POSITIONS);
		bool good = probe_some(s->game, way, n, count, known);
		for (size_t i = 0; i < count && good; i++)
			good = known[i].source == PROOFD_BY_FACT ? says(&known[i], n[i]) : n[i] >= committed;
		atomic_fetch_add(&s->wrong, !good);
		atomic_fetch_add(&s->probes[way], 1);
	} while (!atomic_load(&s->stop));
	return NULL;
}

START_TEST(test_next_to_a_writer)
{
	char dir[256], byte;
	int to[2], from[2], status;
	struct proofd_probe *probe;
	struct proofd_error error;
	pthread_t thread[READERS];
	make_directory(dir, sizeof dir);
	ck_assert(!pipe(to) && !pipe(from));
	pid_t writer = fork_child();
	ck_assert_int_ge(writer, 0);
	if (!writer) {
		close(to[1]);
		close(from[0]);
		write_on(dir, to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	const struct proofd_probe_options options = {.refresh_ms = 5};
	ck_assert_msg(!proofd_probe_open(dir, &options, &probe, &error), "%s", error.message);
	struct shared s = {.seed = walk_seed("test_next_to_a_writer", 1)};
	ck_assert(!proofd_probe_game(probe, nim_name, &s.game, &error));
	for (unsigned i = 0; i < READERS; i++)
		ck_assert(!pthread_create(&thread[i], NULL, probe_on, &s));
	unsigned batches = effort_of(POSITIONS / BATCH, 8);
	for (unsigned i = 0; i < batches; i++) {
		ck_assert(write(to[1], "", 1) == 1 && read(from[0], &byte, 1) == 1);
		ck_assert_msg(!proofd_probe_refresh(probe, &error), "%s", error.message);
		atomic_store(&s.committed, (i + 1) * BATCH); /* from now on each of these is known */
	}
	atomic_store(&s.stop, true);
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(atomic_load(&s.wrong), 0);
	for (unsigned way = 0; way < 3; way++)
		ck_assert_uint_gt(atomic_load(&s.probes[way]), 0);
	close(to[1]);
	ck_assert(waitpid(writer, &status, 0) == writer && !status);
	ck_assert(!proofd_probe_refresh(probe, &error));
	for (uint32_t n = 0; n < batches * BATCH; n++) {
		struct proofd_probed known;
		char text[64];
		nim_text(n, text, sizeof text);
		ck_assert_int_eq(proofd_probe_position(s.game, text, &known, &error), 1);
		ck_assert_uint_eq(known.job, 1 + n);
	}
	proofd_probe_close(probe);
	storedir_remove(dir);
}
END_TEST

/* While facts are to be taken back nothing is told. */
START_TEST(test_a_pending_retraction)
{
	char path[300];
	struct fixture f;
	set_up(&f);
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 a1", &f.known, &f.error), 1);
	snprintf(path, sizeof path, "%s/retract", f.dir);
	FILE *file = fopen(path, "w");
	ck_assert(file && fputs("89abcdef\n", file) > 0 && !fclose(file));
	ck_assert_int_eq(proofd_probe_refresh(f.probe, &f.error), -1);
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 a1", &f.known, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "wrong-state");
	ck_assert_ptr_nonnull(strstr(f.error.message, "retract"));
	proofd_probe_close(f.probe);
	ck_assert_int_eq(proofd_probe_open(f.dir, NULL, &f.probe, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "wrong-state");
	ck_assert(!unlink(path));
	ck_assert(!proofd_probe_open(f.dir, NULL, &f.probe, &f.error));
	ck_assert(!proofd_probe_game(f.probe, game_name, &f.game, &f.error));
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 a1", &f.known, &f.error), 1);
	tear_down(&f);
}
END_TEST

/* --- damage ------------------------------------------------------------------------------- */

/* Flips a byte of each kind of page, or cuts the file. */
static void damage_file(const char *dir, const char *name, unsigned how)
{
	char path[300];
	struct stat st;
	uint64_t random = 77 + how;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	int fd = open(path, O_RDWR);
	ck_assert(fd >= 0 && !fstat(fd, &st));
	if (how % 8 == 7) {
		ck_assert(!ftruncate(fd, st.st_size / (2 + how % 5)));
	} else {
		for (unsigned i = 0; i < 1 + how % 40; i++) {
			off_t at = (off_t)model_random(&random, (uint64_t)st.st_size);
			uint8_t byte = (uint8_t)model_random(&random, 256);
			ck_assert(pwrite(fd, &byte, 1, at) == 1);
		}
	}
	close(fd);
}

START_TEST(test_damage_is_an_error)
{
	char sound[256], dir[256];
	unsigned answers = 0, errors = 0, rounds = effort_of(200, 20);
	make_directory(sound, sizeof sound);
	for (unsigned how = 0; how < rounds; how++) {
		struct proofd_probe *probe;
		struct proofd_probe_game *game;
		struct proofd_probed known;
		struct proofd_error error = {.slug = ""};
		storedir_copy(sound, dir, sizeof dir);
		damage_file(dir, how & 1 ? "facts.mdb" : "work.mdb", how);
		if (proofd_probe_open(dir, NULL, &probe, &error)) {
			errors++;
		} else {
			ck_assert(!proofd_probe_game(probe, game_name, &game, &error));
			static const char *const position = "a1 b1";
			int rc = how & 2 ? proofd_probe_positions(game, &position, 1, &known, &error)
					 : proofd_probe_position(game, position, &known, &error);
			rc = rc < 0 ? rc : known.source == PROOFD_BY_FACT;
			ck_assert_int_ne(rc, 0); /* the fact is there */
			ck_assert(rc < 0 || (known.lo == 1 && known.rank == 5));
			answers += rc > 0;
			errors += rc < 0;
			proofd_probe_close(probe);
		}
		ck_assert_msg(strcmp(error.slug, "internal") != 0, "%u: %s", how, error.message);
		storedir_remove(dir);
	}
	ck_assert_uint_eq(answers + errors, rounds);
	ck_assert_uint_gt(errors, 0);
	storedir_remove(sound);
}
END_TEST

START_TEST(test_files_that_were_replaced)
{
	struct fixture f;
	char path[300], other[300];
	set_up(&f);
	snprintf(path, sizeof path, "%s/facts.mdb", f.dir);
	snprintf(other, sizeof other, "%s/facts.old", f.dir);
	ck_assert(!rename(path, other));
	ck_assert_int_eq(proofd_probe_refresh(f.probe, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "io");
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 a1", &f.known, &f.error), -1);
	ck_assert_str_eq(f.error.slug, "io");
	ck_assert(!rename(other, path));
	ck_assert(!proofd_probe_refresh(f.probe, &f.error));
	ck_assert_int_eq(proofd_probe_position(f.game, "b2 a1", &f.known, &f.error), 1);
	tear_down(&f);
}
END_TEST

SUITE(probe)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, test_positions_by_text);
	tcase_add_test(c, test_positions_by_key);
	tcase_add_test(c, test_moves);
	tcase_add_test(c, test_many_moves);
	tcase_add_test(c, test_many_positions);
	tcase_add_test(c, test_no_view_is_held_between_calls);
	tcase_add_test(c, test_errors);
	tcase_add_test(c, test_next_to_a_writer);
	tcase_add_test(c, test_a_pending_retraction);
	if (damage_too)
		tcase_add_test(c, test_damage_is_an_error);
	tcase_add_test(c, test_files_that_were_replaced);
}
