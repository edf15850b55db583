#include "tests/support/oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"

/* The question of an entry: the value, or the claim of a threshold. */
enum { ASK_VALUE = INT32_MIN };

struct entry {
	uint8_t *key; /* owned; NULL: the slot is free */
	uint32_t size;
	int32_t ask;
	int32_t value; /* or 1 when the claim holds, 0 when not */
	uint32_t rank;
};

struct oracle {
	const struct game *game;
	struct entry *slots; /* open addressing, a power of two */
	uint64_t slot_count, used;
};

static void *require_memory(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

struct oracle *oracle_new(const struct game *game)
{
	struct oracle *o = require_memory(calloc(1, sizeof *o));
	if (!game->acyclic)
		abort();
	o->game = game;
	o->slot_count = 1024;
	o->slots = require_memory(calloc(o->slot_count, sizeof *o->slots));
	return o;
}

void oracle_free(struct oracle *oracle)
{
	if (!oracle)
		return;
	for (uint64_t i = 0; i < oracle->slot_count; i++)
		free(oracle->slots[i].key);
	free(oracle->slots);
	free(oracle);
}

uint64_t oracle_positions(const struct oracle *oracle)
{
	return oracle->used;
}

/* The slot of a key and a question, or the free slot for it. */
static struct entry *slot_of(struct oracle *o, const uint8_t *key, uint32_t size, int32_t ask)
{
	uint64_t i = pd_hash64(key, size) + (uint64_t)(int64_t)ask * UINT64_C(0x9e3779b97f4a7c15);
	for (;; i++) {
		struct entry *e = &o->slots[i & (o->slot_count - 1)];
		if (!e->key || (e->ask == ask && e->size == size && !memcmp(e->key, key, size)))
			return e;
	}
}

static void grow_oracle(struct oracle *o)
{
	struct entry *old = o->slots;
	uint64_t count = o->slot_count;
	o->slot_count *= 2;
	o->slots = require_memory(calloc(o->slot_count, sizeof *o->slots));
	for (uint64_t i = 0; i < count; i++)
		if (old[i].key)
			*slot_of(o, old[i].key, old[i].size, old[i].ask) = old[i];
	free(old);
}

static void remember_value(struct oracle *o, const uint8_t *key, uint32_t size, int32_t ask, int32_t value,
			   uint32_t rank)
{
	if (2 * (o->used + 1) > o->slot_count)
		grow_oracle(o);
	struct entry *e = slot_of(o, key, size, ask);
	assert(!e->key);
	*e = (struct entry){
		.key = require_memory(malloc(size ? size : 1)), .size = size, .ask = ask, .value = value, .rank = rank};
	memcpy(e->key, key, size);
	o->used++;
}

/* A copy of the legal moves, to be freed: recursion must not take GAME_MOVES_MAX of stack at every ply. */
static game_move *moves_of(const struct game *game, const void *state, unsigned *count)
{
	game_move *moves = require_memory(malloc((game->moves_max ? game->moves_max : 1) * sizeof *moves));
	*count = game->rules->moves(game, state, moves);
	return moves;
}

int oracle_value(struct oracle *o, const void *state)
{
	const struct game_rules *rules = o->game->rules;
	int value;
	if (rules->terminal(o->game, state, &value))
		return value;
	uint8_t key[GAME_KEY_MAX];
	uint32_t size = (uint32_t)rules->key(o->game, state, key);
	struct entry *known = slot_of(o, key, size, ASK_VALUE);
	if (known->key)
		return known->value;
	bool first = rules->first_to_move(o->game, state);
	int best = first ? INT32_MIN : INT32_MAX;
	unsigned count;
	game_move *moves = moves_of(o->game, state, &count);
	for (unsigned i = 0; i < count; i++) {
		_Alignas(16) unsigned char child[GAME_STATE_MAX];
		memcpy(child, state, o->game->state_size);
		rules->play(o->game, child, moves[i]);
		int v = oracle_value(o, child);
		if (first ? v > best : v < best)
			best = v;
	}
	free(moves);
	remember_value(o, key, size, ASK_VALUE, best, 0);
	return best;
}

bool oracle_claim(struct oracle *o, const void *state, int threshold, unsigned *rank)
{
	const struct game_rules *rules = o->game->rules;
	unsigned ignored;
	int value;
	rank = rank ? rank : &ignored;
	*rank = 0;
	if (rules->terminal(o->game, state, &value))
		return value >= threshold;
	uint8_t key[GAME_KEY_MAX];
	uint32_t size = (uint32_t)rules->key(o->game, state, key);
	struct entry *known = slot_of(o, key, size, threshold);
	if (known->key) {
		*rank = known->rank;
		return known->value;
	}
	/* If the mover wants `first`, one child that agrees suffices and the quickest counts; else the slowest. */
	bool first = rules->first_to_move(o->game, state), agreed = false;
	unsigned quickest = UINT32_MAX, slowest = 0, count;
	game_move *moves = moves_of(o->game, state, &count);
	for (unsigned i = 0; i < count; i++) {
		_Alignas(16) unsigned char child[GAME_STATE_MAX];
		unsigned plies;
		memcpy(child, state, o->game->state_size);
		rules->play(o->game, child, moves[i]);
		bool holds = oracle_claim(o, child, threshold, &plies);
		if (holds == first) {
			agreed = true;
			quickest = plies < quickest ? plies : quickest;
		} else {
			slowest = plies > slowest ? plies : slowest;
		}
	}
	free(moves);
	*rank = 1 + (agreed ? quickest : slowest);
	remember_value(o, key, size, threshold, agreed == first, *rank);
	return agreed == first;
}
