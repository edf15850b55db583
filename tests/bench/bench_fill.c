/* Fills a data directory with facts, for measurements that need many of them at once.
 *
 * Usage: bench fill DIRECTORY GAME FACTS POSITIONS [SEED]. The positions are those of seeded random games, 6 to 27
 * plies after the start, no two with one key; their texts (the moves one after the other, as Connect Four has them) go
 * into the file POSITIONS, a line each. What the facts say is drawn from the key, in the proportions in which searches
 * leave it: a rank, a move where the mover has one, an effort now and then, two reasons in one of ten. They are not
 * true, but do not contradict each other or the rules one ply down (solver/one_ply.h): First wins everywhere, and where
 * Second has an immediate win there is no fact. All end in one run, as in a server that has been idle for a while. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "solver/games/game.h"
#include "store/store.h"
#include "tests/support/program.h"

enum { PLIES_MIN = 6, PLIES_MAX = 27, COMMIT = 20000 };

static void is_ok(int rc, const struct pd_fail *fail)
{
	if (rc) {
		fprintf(stderr, "bench fill: %s\n", fail->text);
		exit(2);
	}
}

static uint64_t seed;

static unsigned pick_number(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((seed >> 33) % below);
}

/* A position on the way of a random game, and its text; false when the game was over too early, or Second has an
 * immediate win. */
static bool walk_game(const struct game *g, void *state, char *text, size_t size)
{
	game_move moves[GAME_MOVES_MAX];
	size_t n = 0;
	int value;
	unsigned plies = PLIES_MIN + pick_number(PLIES_MAX - PLIES_MIN + 1);
	g->rules->start(g, state);
	while (plies-- && n + 16 < size) {
		game_move move = moves[pick_number(g->rules->moves(g, state, moves))];
		n += g->rules->move_print(g, state, move, text + n, size - n);
		g->rules->play(g, state, move);
		if (g->rules->terminal(g, state, &value))
			return false;
	}
	return g->rules->first_to_move(g, state) || !g->rules->immediate_win ||
	       !g->rules->immediate_win(g, state, &value);
}

static bool is_new(uint64_t *set, uint64_t mask, uint64_t hash)
{
	hash += hash == 0;
	for (uint64_t i = hash;; i++) {
		if (set[i & mask] == hash)
			return false;
		if (!set[i & mask]) {
			set[i & mask] = hash;
			return true;
		}
	}
}

static void put_fact(struct st_batch *batch, uint32_t id, const struct game *g, const void *state, const uint8_t *key,
		     size_t size, uint64_t hash)
{
	game_move moves[GAME_MOVES_MAX];
	struct pd_fail fail;
	unsigned count = g->rules->moves(g, state, moves), kind = (unsigned)(hash % 100);
	bool first = g->rules->first_to_move(g, state);
	for (unsigned bound = kind < 90; bound <= 1; bound++) {
		struct pd_reason reason = {.bound = (int16_t)bound,
					   .side = PD_LO,
					   .rank = (uint16_t)(1 + bound + (hash >> 8) % 24),
					   .move = first ? game_canon(g, state, moves[(hash >> 16) % count], false)
							 : PD_NO_MOVE,
					   .effort = hash >> 24 & 1 ? (uint32_t)(hash >> 32) % 5000 : 0,
					   .job = 1 + (uint32_t)(hash >> 40) % 3};
		is_ok(st_batch_fact(batch, id, key, size, &reason, &fail), &fail);
	}
}

PROGRAM(fill)
{
	struct game *g;
	struct st_store *store;
	struct st_batch *batch = NULL;
	struct pd_fail fail;
	uint32_t id = 0;
	if (argc < 5) {
		fprintf(stderr, "usage: bench fill DIRECTORY GAME FACTS POSITIONS [SEED]\n");
		return 2;
	}
	uint64_t wanted = strtoull(argv[3], NULL, 10), capacity = 16;
	seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
	while (capacity < 2 * wanted)
		capacity *= 2;
	uint64_t *set = calloc(capacity, sizeof *set);
	FILE *out = fopen(argv[4], "w");
	if (!set || !out) {
		perror(argv[4]);
		return 2;
	}
	is_ok(game_open(argv[2], NULL, &g, &fail), &fail);
	is_ok(st_open(argv[1], 0, &store, &fail), &fail);
	for (uint64_t n = 0; n < wanted;) {
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		uint8_t key[GAME_KEY_MAX];
		char text[GAME_TEXT_MAX];
		if (!walk_game(g, state, text, sizeof text))
			continue;
		size_t size = g->rules->key(g, state, key);
		uint64_t hash = pd_hash64(key, size);
		if (!is_new(set, capacity - 1, hash))
			continue;
		if (!batch) {
			is_ok(st_batch_begin(store, &batch, &fail), &fail);
			is_ok(st_batch_game(batch, g->name, g->rules_version, &id, &fail), &fail);
		}
		put_fact(batch, id, g, state, key, size, hash);
		fprintf(out, "%s\n", text);
		if (++n % COMMIT == 0 || n == wanted) {
			is_ok(st_batch_commit(batch, &fail), &fail);
			batch = NULL;
		}
	}
	int more;
	while ((more = st_facts_maintain(store, true, &fail)) == 1)
		;
	is_ok(more < 0, &fail);
	st_close(store);
	game_close(g);
	free(set);
	return fclose(out) ? 2 : 0;
}
