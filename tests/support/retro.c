#include "tests/support/retro.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"

/* A result: the distance, and in the highest bit whether First is right. */
#define FIRST_IS_RIGHT UINT32_C(0x80000000)

struct node {
	uint32_t moves; /* index of its first move in `to` */
	int16_t value;  /* when the game is over */
	bool over;
	bool beyond; /* known: it has no moves here */
	bool first_moves;
};

struct retro {
	const struct game *game;
	struct retro_beyond beyond;
	game_move *list;     /* room for the moves of one position */
	uint32_t cap, count; /* positions */
	uint32_t room;       /* for positions, in keys and nodes */
	uint32_t expanded;   /* the first positions, whose moves are known */
	bool full;           /* there were more than cap */
	size_t stride;       /* bytes of a key with its size in front */
	uint8_t *keys;       /* size - 1 and the key, `stride` bytes a position */
	struct node *nodes;  /* one more than positions: the last closes the moves */
	uint32_t *slots;     /* index + 1 by hash of the key, open addressing; 0 is free */
	uint64_t slot_count; /* a power of two, more than twice the positions */
	uint32_t *to;        /* target of each move; NULL once reversed */
	uint64_t move_count, move_room;
	uint32_t *from; /* the moves reversed: sources of the moves into a position */
	uint32_t *into; /* index of a position's first source in `from`; one more than positions */
	unsigned claims;
	uint32_t *results[RETRO_CLAIMS_MAX];
};

static void *require_memory(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* --- positions ---------------------------------------------------------------------------- */

struct retro *retro_new(const struct game *game, uint32_t cap)
{
	struct retro *r = require_memory(calloc(1, sizeof *r));
	r->game = game;
	r->cap = cap < RETRO_NONE - 1 ? cap : RETRO_NONE - 1;
	r->stride = game->key_size_max + (size_t)1;
	r->list = require_memory(malloc(game->moves_max * sizeof *r->list));
	r->slot_count = 1024;
	r->slots = require_memory(calloc(r->slot_count, sizeof *r->slots));
	return r;
}

void retro_depend(struct retro *r, struct retro_beyond beyond)
{
	if (r->count)
		abort();
	r->beyond = beyond;
}

void retro_free(struct retro *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->claims; i++)
		free(r->results[i]);
	free(r->list);
	free(r->keys);
	free(r->nodes);
	free(r->slots);
	free(r->to);
	free(r->from);
	free(r->into);
	free(r);
}

uint32_t retro_positions(const struct retro *r)
{
	return r->count;
}

uint64_t retro_moves(const struct retro *r)
{
	return r->move_count;
}

const uint8_t *retro_key(const struct retro *r, uint32_t index, size_t *size)
{
	const uint8_t *entry = r->keys + index * r->stride;
	*size = entry[0] + (size_t)1;
	return entry + 1;
}

void retro_state(const struct retro *r, uint32_t index, void *state)
{
	size_t size;
	const uint8_t *key = retro_key(r, index, &size);
	if (index >= r->count || r->game->rules->unkey(r->game, key, size, state))
		abort();
}

/* The slot of a key, or the free slot for it. */
static uint32_t *slot_of(const struct retro *r, const uint8_t *key, size_t size)
{
	for (uint64_t i = pd_hash64(key, size);; i++) {
		uint32_t *slot = &r->slots[i & (r->slot_count - 1)];
		size_t other_size;
		if (!*slot)
			return slot;
		const uint8_t *other = retro_key(r, *slot - 1, &other_size);
		if (other_size == size && !memcmp(other, key, size))
			return slot;
	}
}

uint32_t retro_find(const struct retro *r, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	size_t size = r->game->rules->key(r->game, state, key);
	return *slot_of(r, key, size) - 1; /* 0 becomes RETRO_NONE */
}

uint32_t retro_find_key(const struct retro *r, const uint8_t *key, size_t size)
{
	return *slot_of(r, key, size) - 1;
}

bool retro_over(const struct retro *r, uint32_t index)
{
	if (index >= r->count)
		abort();
	return r->nodes[index].over;
}

bool retro_is_beyond(const struct retro *r, uint32_t index)
{
	if (index >= r->count)
		abort();
	return r->nodes[index].beyond;
}

static void more_slots(struct retro *r)
{
	free(r->slots);
	r->slot_count *= 2;
	r->slots = require_memory(calloc(r->slot_count, sizeof *r->slots));
	for (uint32_t i = 0; i < r->count; i++) {
		size_t size;
		const uint8_t *key = retro_key(r, i, &size);
		*slot_of(r, key, size) = i + 1;
	}
}

static void more_room(struct retro *r)
{
	r->room = r->room ? r->room + r->room / 2 : 1024;
	r->keys = require_memory(realloc(r->keys, r->room * r->stride));
	r->nodes = require_memory(realloc(r->nodes, (r->room + (size_t)1) * sizeof *r->nodes));
}

/* The index of a position, which is added if it is new; RETRO_NONE if there is no room. */
static uint32_t index_of(struct retro *r, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	size_t size = r->game->rules->key(r->game, state, key);
	uint32_t *slot = slot_of(r, key, size);
	if (*slot)
		return *slot - 1;
	if (r->count == r->cap) {
		r->full = true;
		return RETRO_NONE;
	}
	if (r->count == r->room)
		more_room(r);
	uint8_t *entry = r->keys + r->count * r->stride;
	entry[0] = (uint8_t)(size - 1);
	memcpy(entry + 1, key, size);
	*slot = ++r->count;
	if (2 * (uint64_t)r->count >= r->slot_count)
		more_slots(r);
	return r->count - 1;
}

/* --- moves -------------------------------------------------------------------------------- */

static void add_move(struct retro *r, uint32_t to)
{
	if (r->move_count == r->move_room) {
		r->move_room = r->move_room ? r->move_room + r->move_room / 2 : 4096;
		r->to = require_memory(realloc(r->to, r->move_room * sizeof *r->to));
	}
	r->to[r->move_count++] = to;
	if (r->move_count > UINT32_MAX)
		abort();
}

static bool ask_beyond(const struct retro *r, uint32_t index, int threshold, bool *holds, unsigned *distance)
{
	size_t size;
	const uint8_t *key = retro_key(r, index, &size);
	return r->beyond.holds && r->beyond.holds(r->beyond.ctx, key, size, threshold, holds, distance);
}

static void expand_position(struct retro *r, uint32_t index)
{
	const struct game_rules *rules = r->game->rules;
	_Alignas(16) unsigned char state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	struct node node = {.moves = (uint32_t)r->move_count};
	int value = 0;
	bool holds;
	unsigned distance;
	if (ask_beyond(r, index, r->game->value_max, &holds, &distance)) {
		node.beyond = true;
		r->nodes[index] = node;
		r->nodes[index + 1].moves = node.moves;
		return;
	}
	retro_state(r, index, state);
	node.over = rules->terminal(r->game, state, &value);
	node.value = (int16_t)value;
	node.first_moves = !node.over && rules->first_to_move(r->game, state);
	r->nodes[index] = node;
	unsigned n = rules->moves(r->game, state, r->list);
	if (node.over != (n == 0))
		abort();
	for (unsigned i = 0; i < n; i++) {
		memcpy(child, state, r->game->state_size);
		rules->play(r->game, child, r->list[i]);
		uint32_t to = index_of(r, child);
		if (to == RETRO_NONE)
			return;
		add_move(r, to);
	}
	r->nodes[index + 1].moves = (uint32_t)r->move_count;
}

bool retro_add(struct retro *r, const void *state)
{
	if (r->into)
		abort();
	if (!r->full)
		index_of(r, state);
	while (!r->full && r->expanded < r->count)
		expand_position(r, r->expanded++);
	return !r->full;
}

/* The number of moves of a position. */
static uint32_t moves_of(const struct retro *r, uint32_t index)
{
	return r->nodes[index + 1].moves - r->nodes[index].moves;
}

/* Reverses the moves. */
static void reverse_moves(struct retro *r)
{
	r->into = require_memory(calloc(r->count + (size_t)2, sizeof *r->into));
	r->from = require_memory(malloc((r->move_count + 1) * sizeof *r->from));
	uint32_t *end = r->into + 1; /* shifted by one, so that filling leaves the first indices in place */
	for (uint64_t i = 0; i < r->move_count; i++)
		end[r->to[i] + 1]++;
	for (uint32_t i = 1; i <= r->count; i++)
		end[i] += end[i - 1];
	for (uint32_t i = 0; i < r->count; i++)
		for (uint32_t j = r->nodes[i].moves; j < r->nodes[i + 1].moves; j++)
			r->from[end[r->to[j]]++] = i;
	free(r->to);
	r->to = NULL;
}

/* --- claims ------------------------------------------------------------------------------- */

static bool static_solve(uint32_t result)
{
	return (result & ~FIRST_IS_RIGHT) != RETRO_NEVER;
}

static unsigned distance_in(uint32_t result)
{
	return result & ~FIRST_IS_RIGHT;
}

/* Positions without moves get their result, all others the value of infinite play. */
static void begin_results(const struct retro *r, int threshold, uint32_t *result)
{
	uint32_t open = RETRO_NEVER | (r->game->infinite_value >= threshold ? FIRST_IS_RIGHT : 0);
	for (uint32_t i = 0; i < r->count; i++) {
		bool holds = false;
		unsigned distance = RETRO_NEVER;
		result[i] = open;
		if (r->nodes[i].over)
			result[i] = r->nodes[i].value >= threshold ? FIRST_IS_RIGHT : 0;
		else if (r->nodes[i].beyond && !ask_beyond(r, i, threshold, &holds, &distance))
			abort();
		else if (distance != RETRO_NEVER)
			result[i] = distance | (holds ? FIRST_IS_RIGHT : 0);
	}
}

/* Writes the positions without moves that are decided for a side, nearest first; returns their number. */
static uint32_t ends_of(const struct retro *r, uint32_t mark, const uint32_t *result, uint32_t *out)
{
	uint32_t far = 0, sum = 0;
	for (uint32_t i = 0; i < r->count; i++)
		if (static_solve(result[i]) && (result[i] & FIRST_IS_RIGHT) == mark && distance_in(result[i]) > far)
			far = distance_in(result[i]);
	uint32_t *at = require_memory(calloc(far + (size_t)2, sizeof *at));
	for (uint32_t i = 0; i < r->count; i++)
		if (static_solve(result[i]) && (result[i] & FIRST_IS_RIGHT) == mark)
			at[distance_in(result[i]) + 1]++;
	for (uint32_t i = 0; i <= far; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < r->count; i++)
		if (static_solve(result[i]) && (result[i] & FIRST_IS_RIGHT) == mark) {
			out[at[distance_in(result[i])]++] = i;
			sum++;
		}
	free(at);
	return sum;
}

struct attraction {
	uint32_t *ends;  /* positions without moves, of one side after the other */
	uint32_t *queue; /* decided positions, in the order of distances */
	uint16_t *left;  /* moves of the other side that lead elsewhere */
};

/* Decides for a side all positions from which it can force an end in its favour. */
static void attract_positions(const struct retro *r, bool first, uint32_t *result, struct attraction *a,
			      const uint32_t *ends, uint32_t end_count)
{
	uint32_t mark = first ? FIRST_IS_RIGHT : 0, begin_results = 0, end = 0, taken = 0;
	for (uint32_t i = 0; i < r->count; i++)
		a->left[i] = (uint16_t)moves_of(r, i);
	while (begin_results < end || taken < end_count) {
		bool from_ends = taken < end_count &&
				 (begin_results == end ||
				  distance_in(result[ends[taken]]) <= distance_in(result[a->queue[begin_results]]));
		uint32_t index = from_ends ? ends[taken++] : a->queue[begin_results++];
		uint32_t distance = distance_in(result[index]) + 1;
		for (uint32_t i = r->into[index]; i < r->into[index + 1]; i++) {
			uint32_t before = r->from[i];
			bool escapes = r->nodes[before].first_moves != first && --a->left[before] > 0;
			if (escapes || static_solve(result[before]))
				continue;
			result[before] = mark | distance;
			a->queue[end++] = before;
		}
	}
}

unsigned retro_solve(struct retro *r, int threshold)
{
	if (r->full || r->claims == RETRO_CLAIMS_MAX)
		abort();
	if (!r->into)
		reverse_moves(r);
	uint32_t *result = require_memory(malloc((r->count + (size_t)1) * sizeof *result));
	struct attraction a = {require_memory(malloc((r->count + (size_t)1) * sizeof *a.ends)),
			       require_memory(malloc((r->count + (size_t)1) * sizeof *a.queue)),
			       require_memory(malloc((r->count + (size_t)1) * sizeof *a.left))};
	begin_results(r, threshold, result);
	uint32_t first = ends_of(r, FIRST_IS_RIGHT, result, a.ends);
	uint32_t second = ends_of(r, 0, result, a.ends + first);
	attract_positions(r, true, result, &a, a.ends, first);
	attract_positions(r, false, result, &a, a.ends + first, second);
	free(a.ends);
	free(a.queue);
	free(a.left);
	for (uint32_t i = 0; i < r->count; i++)
		if (r->game->acyclic && !static_solve(result[i]))
			abort();
	r->results[r->claims] = result;
	return r->claims++;
}

bool retro_holds_at(const struct retro *r, unsigned claim, uint32_t index, unsigned *distance)
{
	if (claim >= r->claims || index >= r->count)
		abort();
	uint32_t result = r->results[claim][index];
	if (distance)
		*distance = result & ~FIRST_IS_RIGHT;
	return result & FIRST_IS_RIGHT;
}

bool retro_holds(const struct retro *r, unsigned claim, const void *state, unsigned *distance)
{
	return retro_holds_at(r, claim, retro_find(r, state), distance);
}
