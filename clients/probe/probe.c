/* libproofd-probe (probe.h): open data directories, their games, and what is known of positions. */
#include "clients/probe/probe.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"
#include "proto/graph_file.h"
#include "server/common/game_tables.h"
#include "solver/games/game.h"
#include "solver/known.h"
#include "solver/solver.h"
#include "solver/stored.h"
#include "store/store.h"

enum {
	PB_READERS = 128,
	REFRESH_MS = 1000,
	TRIES = 3 /* attempts to open: a server may write while the two files are read */
};

/* A reader of the pool, on cache lines of its own. */
struct pb_reader {
	_Alignas(64) atomic_bool taken;
	struct st_reader *reader; /* NULL: not opened yet */
	struct pn_known known;    /* room for what it finds */
};

struct proofd_probe_game {
	struct proofd_probe *probe;
	struct game *game;  /* owned */
	atomic_uint number; /* in the store; 0: the store has no facts of the game yet */
	SLIST_ENTRY(proofd_probe_game) link;
};

struct proofd_probe {
	struct st_store *store;
	struct pb_reader reader[PB_READERS];
	char *graphs;        /* NULL: none */
	char *dir;           /* owned */
	uint64_t refresh_ns; /* time between two refreshes; UINT64_MAX: only on request */

	atomic_ullong refreshed_ns; /* when the last refresh began */
	atomic_bool failed;         /* the last refresh failed */
	struct pd_mutex refreshing; /* held during a refresh; guards `fail` */
	struct pd_fail fail;        /* error of the last refresh */

	struct pd_mutex lock; /* guards the list */
	SLIST_HEAD(, proofd_probe_game) games;

	/* Guarded by open_lock. */
	unsigned opens;
	dev_t device;
	ino_t number; /* of work.mdb */
	LIST_ENTRY(proofd_probe) link;
};

/* The open directories of this process. LMDB allows a process one environment for each file, because closing a second
 * one would release the locks of the first. */
static LIST_HEAD(, proofd_probe) open_directories = LIST_HEAD_INITIALIZER(open_directories);
static struct pd_mutex open_lock = PD_MUTEX_INIT(PD_LOCK_PROBE_OPEN);

/* Fills *error, which may be NULL, and returns -1. */
static int copy_failure(struct proofd_error *error, const struct pd_fail *fail)
{
	PD_ASSERT(fail->code);
	if (error) {
		error->code = fail->code;
		snprintf(error->slug, sizeof error->slug, "%s", pd_error_slug(fail->code));
		snprintf(error->field, sizeof error->field, "%s", fail->field);
		snprintf(error->message, sizeof error->message, "%s", fail->text);
	}
	return -1;
}

/* --- opening ------------------------------------------------------------------------------ */

static void directory_free(struct proofd_probe *probe)
{
	while (!SLIST_EMPTY(&probe->games)) {
		struct proofd_probe_game *game = SLIST_FIRST(&probe->games);
		SLIST_REMOVE_HEAD(&probe->games, link);
		game_close(game->game);
		free(game);
	}
	for (unsigned i = 0; i < PB_READERS; i++) {
		PD_ASSERT(!atomic_load(&probe->reader[i].taken)); /* no thread is in a probe */
		st_reader_close(probe->reader[i].reader);
		pd_fact_fini(&probe->reader[i].known.fact);
	}
	st_close(probe->store);
	pd_mutex_fini(&probe->refreshing);
	pd_mutex_fini(&probe->lock);
	free(probe->graphs);
	free(probe->dir);
	free(probe);
}

static struct proofd_probe *directory_new(const char *dir, const struct proofd_probe_options *options)
{
	struct proofd_probe *probe = aligned_alloc(_Alignof(struct pb_reader), sizeof *probe);
	uint32_t ms = options && options->refresh_ms ? options->refresh_ms : REFRESH_MS;
	if (!probe)
		return NULL;
	memset(probe, 0, sizeof *probe);
	SLIST_INIT(&probe->games);
	pd_mutex_init(&probe->refreshing, PD_LOCK_PROBE_REFRESH);
	pd_mutex_init(&probe->lock, PD_LOCK_PROBE);
	probe->refresh_ns = ms == UINT32_MAX ? UINT64_MAX : ms * UINT64_C(1000000);
	probe->opens = 1;
	probe->dir = strdup(dir);
	if (options && options->graphs)
		probe->graphs = strdup(options->graphs);
	if (probe->dir && (probe->graphs || !options || !options->graphs))
		return probe;
	directory_free(probe);
	return NULL;
}

/* Under open_lock. */
static int open_store(const char *dir, struct proofd_probe *probe, struct pd_fail *fail)
{
	int rc = PD_E_CORRUPT;
	for (unsigned i = 0; i < TRIES && rc == PD_E_CORRUPT; i++)
		rc = st_open(dir, ST_READ_ONLY, &probe->store, fail);
	atomic_store(&probe->refreshed_ns, pd_now_ns());
	return rc;
}

static int open_directory(const char *dir, const struct proofd_probe_options *options, struct proofd_probe **out,
			  struct pd_fail *fail)
{
	char path[4096];
	struct stat st;
	struct proofd_probe *probe;
	if (snprintf(path, sizeof path, "%s/work.mdb", dir) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_LIMIT, "dir", "the path of the data directory is too long");
	if (stat(path, &st))
		return pd_fail_set(fail, pd_error_of_errno(errno), "dir",
				   "%.200s is not a data directory of proofd: %s", dir, strerror(errno));
	LIST_FOREACH(probe, &open_directories, link)
		if (probe->device == st.st_dev && probe->number == st.st_ino) {
			probe->opens++;
			*out = probe;
			return PD_OK;
		}
	probe = directory_new(dir, options);
	if (!probe)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a directory");
	int rc = open_store(dir, probe, fail);
	if (rc) {
		directory_free(probe);
		return rc;
	}
	probe->device = st.st_dev;
	probe->number = st.st_ino;
	LIST_INSERT_HEAD(&open_directories, probe, link);
	*out = probe;
	return PD_OK;
}

int proofd_probe_open(const char *dir, const struct proofd_probe_options *options, struct proofd_probe **out,
		      struct proofd_error *error)
{
	struct pd_fail fail;
	pd_mutex_lock(&open_lock);
	int rc = open_directory(dir, options, out, &fail);
	pd_mutex_unlock(&open_lock);
	return rc ? copy_failure(error, &fail) : 0;
}

void proofd_probe_close(struct proofd_probe *probe)
{
	if (!probe)
		return;
	pd_mutex_lock(&open_lock);
	PD_ASSERT(probe->opens);
	if (!--probe->opens) {
		LIST_REMOVE(probe, link);
		directory_free(probe);
	}
	pd_mutex_unlock(&open_lock);
}

/* --- refreshing --------------------------------------------------------------------------- */

/* Under `refreshing`. */
static int refresh_facts(struct proofd_probe *probe)
{
	atomic_store(&probe->refreshed_ns, pd_now_ns());
	int rc = st_facts_maintain(probe->store, false, &probe->fail);
	atomic_store(&probe->failed, rc < 0);
	return rc < 0 ? probe->fail.code : PD_OK;
}

int proofd_probe_refresh(struct proofd_probe *probe, struct proofd_error *error)
{
	pd_mutex_lock(&probe->refreshing);
	struct pd_fail fail;
	int rc = refresh_facts(probe);
	if (rc)
		fail = probe->fail;
	pd_mutex_unlock(&probe->refreshing);
	return rc ? copy_failure(error, &fail) : 0;
}

/* Refreshes when it is time. Returns the error of the last refresh. */
static int keep_up(struct proofd_probe *probe, struct pd_fail *fail)
{
	int rc = PD_OK;
	if (probe->refresh_ns != UINT64_MAX && pd_now_ns() - atomic_load(&probe->refreshed_ns) >= probe->refresh_ns &&
	    pd_mutex_try(&probe->refreshing)) {
		if (pd_now_ns() - atomic_load(&probe->refreshed_ns) >= probe->refresh_ns)
			refresh_facts(probe);
		pd_mutex_unlock(&probe->refreshing);
	}
	if (atomic_load_explicit(&probe->failed, memory_order_relaxed)) {
		pd_mutex_lock(&probe->refreshing);
		if (atomic_load(&probe->failed)) {
			*fail = probe->fail;
			rc = fail->code;
		}
		pd_mutex_unlock(&probe->refreshing);
	}
	return rc;
}

/* --- readers ------------------------------------------------------------------------------ */

/* Readers of the store belong to one thread at a time, so a directory has a pool of them: a thread takes one for a
 * look-up, usually the same each time. It waits only when more than PB_READERS threads look up at once. */
static bool try_reader(struct pb_reader *reader)
{
	return !atomic_load_explicit(&reader->taken, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&reader->taken, true, memory_order_acquire);
}

static void give_reader(struct pb_reader *reader)
{
	PD_ASSERT(atomic_load_explicit(&reader->taken, memory_order_relaxed));
	atomic_store_explicit(&reader->taken, false, memory_order_release);
}

static struct pb_reader *take_reader(struct proofd_probe *probe, struct pd_fail *fail)
{
	/* Each thread starts at an index of its own. */
	uint64_t self = (uint64_t)(uintptr_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15);
	unsigned at = (unsigned)(self >> 57) % PB_READERS;
	struct pb_reader *reader = &probe->reader[at];
	for (unsigned tries = 1; !try_reader(reader); tries++) {
		at = (at + 1) % PB_READERS;
		reader = &probe->reader[at];
		if (tries % PB_READERS == 0)
			sched_yield();
	}
	if (!reader->reader && st_reader_open(probe->store, &reader->reader, fail)) {
		reader->reader = NULL;
		give_reader(reader);
		return NULL;
	}
	return reader;
}

/* --- games -------------------------------------------------------------------------------- */

static int read_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	return pr_graph_load(ctx, name, out, NULL, fail);
}

/* Under the probe's lock. */
static int open_game(struct proofd_probe *probe, const char *name, struct proofd_probe_game **out, struct pd_fail *fail)
{
	const struct game_host host = {probe->graphs, read_graph};
	struct proofd_probe_game *known;
	struct game *game;
	SLIST_FOREACH(known, &probe->games, link)
		if (!strcmp(known->game->name, name)) {
			*out = known;
			return PD_OK;
		}
	int rc = sv_game_open(probe->dir, name, &host, &game, fail);
	if (rc)
		return rc;
	SLIST_FOREACH(known, &probe->games, link)
		if (!strcmp(known->game->name, game->name)) { /* `name` is not the canonical one */
			game_close(game);
			*out = known;
			return PD_OK;
		}
	*out = calloc(1, sizeof **out);
	if (!*out) {
		game_close(game);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game");
	}
	(*out)->probe = probe;
	(*out)->game = game;
	atomic_init(&(*out)->number, 0);
	SLIST_INSERT_HEAD(&probe->games, *out, link);
	return PD_OK;
}

int proofd_probe_game(struct proofd_probe *probe, const char *name, struct proofd_probe_game **out,
		      struct proofd_error *error)
{
	struct pd_fail fail;
	pd_mutex_lock(&probe->lock);
	int rc = open_game(probe, name, out, &fail);
	pd_mutex_unlock(&probe->lock);
	return rc ? copy_failure(error, &fail) : 0;
}

const char *proofd_probe_game_name(const struct proofd_probe_game *game)
{
	return game->game->name;
}

void proofd_probe_game_scale(const struct proofd_probe_game *game, int *min, int *max)
{
	*min = game->game->value_min;
	*max = game->game->value_max;
}

/* The game's number in the store; 0 while the store has no facts of it. */
static uint32_t number_of(struct proofd_probe_game *game)
{
	unsigned number = atomic_load_explicit(&game->number, memory_order_relaxed);
	if (!number) {
		number = st_game_find(game->probe->store, game->game->name, game_version(game->game));
		atomic_store_explicit(&game->number, number, memory_order_relaxed);
	}
	return number;
}

/* --- facts -------------------------------------------------------------------------------- */

struct probe_lookup {
	struct pn_lookup base;
	struct st_reader *reader;
	uint32_t number; /* of the game in the store */
};

static int find_fact(struct pn_lookup *base, const uint8_t *key, size_t size, struct pd_fact *out, struct pd_fail *fail)
{
	const struct probe_lookup *lookup = (const struct probe_lookup *)base;
	return st_fact_get(lookup->reader, lookup->number, key, size, out, fail);
}

static int print_known(const struct game *g, const void *state, const struct pn_known *known, struct proofd_probed *out,
		       struct pd_fail *fail)
{
	static const int sources[] = {PROOFD_BY_NONE, PROOFD_BY_RULES, PROOFD_BY_FACT};
	const struct pd_reason *deciding = pn_known_deciding(known);
	int rank = pn_known_rank(known, deciding);
	game_move move = PROOFD_NO_MOVE;
	bool found;
	if (pn_known_move(g, state, known, &move, &found, fail))
		return -1;
	out->lo = known->lo;
	out->hi = known->hi;
	out->source = sources[known->source];
	out->rank = rank == PN_RANK_NONE ? PROOFD_NO_RANK : (unsigned)rank;
	out->move = found ? move : PROOFD_NO_MOVE;
	out->effort = deciding ? deciding->effort : 0;
	out->job = deciding ? deciding->job : 0;
	return known->source != PN_BY_NONE;
}

/* What is known of a position, looking one ply ahead: 1, 0, or -1 with *fail. */
static int known_of(struct proofd_probe_game *game, const void *state, struct proofd_probed *out, struct pd_fail *fail)
{
	struct pb_reader *reader = take_reader(game->probe, fail);
	if (!reader)
		return -1;
	struct probe_lookup lookup = {
		.base = {.game = game->game, .left = INT_MAX, .unique = true},
		.reader = reader->reader,
		.number = number_of(game),
	};
	unsigned count;
	if (lookup.number)
		lookup.base.find = find_fact;
	int rc = pn_known_get(&lookup.base, state, &reader->known, fail) ? -1 : 0;
	if (!rc && !reader->known.over)
		rc = pn_known_below(&lookup.base, state, &reader->known, NULL, &count, fail) ? -1 : 0;
	if (!rc)
		rc = print_known(game->game, state, &reader->known, out, fail);
	give_reader(reader);
	return rc;
}

static int parse_position(const struct proofd_probe_game *game, const char *position, void *state, struct pd_fail *fail)
{
	return game->game->rules->parse(game->game, position, state, fail);
}

int proofd_probe_position(struct proofd_probe_game *game, const char *position, struct proofd_probed *out,
			  struct proofd_error *error)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	int rc = keep_up(game->probe, &fail) || parse_position(game, position, state, &fail)
			 ? -1
			 : known_of(game, state, out, &fail);
	return rc < 0 ? copy_failure(error, &fail) : rc;
}

/* Decodes an exact key; PD_E_POSITION if encoding the position again, into `again`, gives another key. */
static int unpack_key(const struct game *g, const void *key, size_t size, void *state, uint8_t again[GAME_KEY_MAX],
		      struct pd_fail *fail)
{
	if (!size || size > g->key_size_max || g->rules->unkey(g, key, size, state) ||
	    g->rules->key(g, state, again) != size || memcmp(again, key, size) != 0)
		return pd_fail_set(fail, PD_E_POSITION, "key", "these %zu bytes are not a packed position of %s", size,
				   g->name);
	return PD_OK;
}

int proofd_probe_key(struct proofd_probe_game *game, const void *key, size_t size, struct proofd_probed *out,
		     struct proofd_error *error)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t again[GAME_KEY_MAX];
	struct pd_fail fail;
	int rc = keep_up(game->probe, &fail) || unpack_key(game->game, key, size, state, again, &fail)
			 ? -1
			 : known_of(game, state, out, &fail);
	return rc < 0 ? copy_failure(error, &fail) : rc;
}

int proofd_probe_pack(struct proofd_probe_game *game, const char *position, void *key, struct proofd_error *error)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (parse_position(game, position, state, &fail))
		return copy_failure(error, &fail);
	size_t size = game->game->rules->key(game->game, state, key);
	PD_ASSERT(size && size <= PROOFD_PROBE_KEY_MAX);
	return (int)size;
}

/* --- many positions ----------------------------------------------------------------------- */

/* Positions looked up in one read transaction, which lasts about 50 us. */
enum { SHARE = 32, SHARE_BYTES = 16384 };

struct share {
	struct st_wanted wanted[SHARE];
	unsigned whose[SHARE]; /* the index in the share of the position that is looked up */
	struct pn_known known[SHARE];
	uint8_t key[SHARE][GAME_KEY_MAX];
	_Alignas(16) uint8_t states[SHARE_BYTES]; /* `stride` bytes each */
	size_t stride;
};

/* What is asked about many positions, and where the answers go: one every `step` bytes, beginning at `out`. */
struct many {
	struct proofd_probe_game *game;
	/* Makes position i and its key; returns the key's size, or 0 with *fail. */
	size_t (*make)(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail);
	const char *const *text;
	const struct proofd_packed *packed;
	const void *before; /* the position that the moves lead from */
	const game_move *move;
	size_t count, step;
	void *out;
};

static size_t make_of_text(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail)
{
	const struct game *g = many->game->game;
	return parse_position(many->game, many->text[i], state, fail) ? 0 : g->rules->key(g, state, key);
}

static size_t make_of_key(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail)
{
	const struct proofd_packed *packed = &many->packed[i];
	return unpack_key(many->game->game, packed->key, packed->size, state, key, fail) ? 0 : packed->size;
}

static size_t make_by_move(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail)
{
	const struct game *g = many->game->game;
	(void)fail;
	memcpy(state, many->before, g->state_size);
	g->rules->play(g, state, many->move[i]);
	return g->rules->key(g, state, key);
}

static struct proofd_probed *out_of(const struct many *many, size_t i)
{
	return (struct proofd_probed *)(void *)((uint8_t *)many->out + i * many->step);
}

/* Looks up the first `count` entries of share->wanted. */
static int share_look_up(const struct many *many, unsigned count, struct share *share, struct pd_fail *fail)
{
	uint32_t number = number_of(many->game);
	if (!number || !count)
		return PD_OK;
	struct pb_reader *reader = take_reader(many->game->probe, fail);
	if (!reader)
		return -1;
	int rc = st_fact_get_many(reader->reader, number, share->wanted, count, fail);
	give_reader(reader);
	for (unsigned i = 0; i < count && !rc; i++) {
		const struct st_wanted *wanted = &share->wanted[i];
		if (!wanted->found)
			continue;
		rc = pn_fact_sound(many->game->game, wanted->key, wanted->size, wanted->fact, fail);
		if (!rc)
			pn_known_found(&share->known[share->whose[i]]);
	}
	return rc;
}

/* Answers `count` positions, beginning with number `from`. */
static int share_answer(const struct many *many, size_t from, unsigned count, struct share *share, struct pd_fail *fail)
{
	const struct game *g = many->game->game;
	unsigned wanted = 0;
	int rc = 0;
	if (keep_up(many->game->probe, fail))
		return -1;
	for (unsigned i = 0; i < count; i++) {
		void *state = share->states + i * share->stride;
		size_t size = many->make(many, from + i, state, share->key[wanted], fail);
		if (!size)
			return -1;
		PD_ASSERT(size <= GAME_KEY_MAX);
		if (pn_known_by_rules(g, state, &share->known[i]))
			continue;
		share->whose[wanted] = i;
		share->wanted[wanted] = (struct st_wanted){share->key[wanted], size, &share->known[i].fact, false};
		wanted++;
	}
	if (share_look_up(many, wanted, share, fail))
		return -1;
	for (unsigned i = 0; i < count; i++)
		if (pn_known_by_tables(g, share->states + i * share->stride, &share->known[i], fail))
			return -1;
	for (unsigned i = 0; i < count && rc >= 0; i++)
		rc = print_known(g, share->states + i * share->stride, &share->known[i], out_of(many, from + i), fail);
	return rc < 0 ? rc : 0;
}

static int answer_many(const struct many *many, struct proofd_error *error)
{
	struct share share;
	struct pd_fail fail;
	int rc = PD_OK;
	share.stride = (many->game->game->state_size + 15u) & ~(size_t)15;
	const size_t most = SHARE_BYTES / share.stride < SHARE ? SHARE_BYTES / share.stride : SHARE;
	PD_ASSERT(most);
	for (unsigned i = 0; i < most; i++)
		pd_fact_init(&share.known[i].fact);
	size_t from = 0;
	do { /* also for no positions: a failed refresh is an error of every call */
		size_t left = many->count - from;
		rc = share_answer(many, from, (unsigned)(left < most ? left : most), &share, &fail);
		from += most;
	} while (from < many->count && !rc);
	for (unsigned i = 0; i < most; i++)
		pd_fact_fini(&share.known[i].fact);
	return rc ? copy_failure(error, &fail) : 0;
}

int proofd_probe_positions(struct proofd_probe_game *game, const char *const *positions, size_t count,
			   struct proofd_probed *out, struct proofd_error *error)
{
	const struct many many = {
		.game = game, .make = make_of_text, .text = positions, .count = count, .step = sizeof *out, .out = out};
	return answer_many(&many, error);
}

int proofd_probe_keys(struct proofd_probe_game *game, const struct proofd_packed *keys, size_t count,
		      struct proofd_probed *out, struct proofd_error *error)
{
	const struct many many = {
		.game = game, .make = make_of_key, .packed = keys, .count = count, .step = sizeof *out, .out = out};
	return answer_many(&many, error);
}

/* --- moves -------------------------------------------------------------------------------- */

int proofd_probe_moves(struct proofd_probe_game *game, const char *position, struct proofd_probed_move *out,
		       size_t room, struct proofd_error *error)
{
	const struct game *g = game->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct pd_fail fail;
	if (parse_position(game, position, state, &fail))
		return copy_failure(error, &fail);
	size_t count = g->rules->moves(g, state, moves);
	const struct many many = {.game = game,
				  .make = make_by_move,
				  .before = state,
				  .move = moves,
				  .count = count < room ? count : room,
				  .step = sizeof *out,
				  .out = room ? &out->after : NULL};
	if (answer_many(&many, error))
		return -1;
	for (size_t i = 0; i < many.count; i++)
		out[i].move = moves[i];
	return (int)count;
}

int proofd_probe_move_text(struct proofd_probe_game *game, const char *position, uint32_t move, char *out, size_t size,
			   struct proofd_error *error)
{
	const struct game *g = game->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct pd_fail fail;
	if (parse_position(game, position, state, &fail))
		return copy_failure(error, &fail);
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++)
		if (moves[i] == move)
			return (int)g->rules->move_print(g, state, moves[i], out, size);
	pd_fail_set(&fail, PD_E_MOVE, "move", "%u is not a legal move in this position", (unsigned)move);
	return copy_failure(error, &fail);
}
