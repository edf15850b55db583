#include "solver/claim_oracle.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "solver/huge_memory.h"

/* An entry: 56 bits of the position, 7 bits for the logarithm of the nodes it cost, 1 bit for the answer. */
enum { WORK_SHIFT = 1, WORK_MAX = 127, NAME_SHIFT = 8, SHORT_KEY = 7, LISTS_MORE = 2 };
enum { THREATS_MAX = GAME_PLACES_MAX };

struct oracle_child {
	uint64_t name, bucket;
	uint32_t score; /* moves of the least score are tried first */
	game_move move;
};

int pn_oracle_init(struct pn_oracle *o, const struct game *game, int threshold, bool first, uint64_t bytes,
		   struct pd_fail *fail)
{
	PD_ASSERT(game->acyclic && game->plies_max);
	*o = (struct pn_oracle){.game = game, .threshold = threshold, .first = first, .buckets = 1};
	while (o->buckets * 4 * sizeof *o->table <= bytes)
		o->buckets *= 2;
	o->table = pn_memory_map(o->buckets * 2 * sizeof *o->table);
	return o->table ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a table of positions");
}

void pn_oracle_fini(struct pn_oracle *o)
{
	pn_memory_unmap(o->table, o->buckets * 2 * sizeof *o->table);
	o->table = NULL;
}

int pn_asker_init(struct pn_asker *a, struct pn_oracle *o, struct pd_fail *fail)
{
	const struct game *g = o->game;
	size_t room = (size_t)(g->plies_max + LISTS_MORE) * g->moves_max;
	*a = (struct pn_asker){.oracle = o};
	a->moves = malloc(g->moves_max * sizeof *a->moves);
	a->children = malloc(room * sizeof *a->children);
	return a->moves && a->children ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for questions");
}

void pn_asker_fini(struct pn_asker *a)
{
	free(a->moves);
	free(a->children);
	*a = (struct pn_asker){0};
}

/* --- the table ---------------------------------------------------------------------------- */

/* A key of up to seven bytes is a position's name; of a longer one a hash is. */
static void name_key(const struct pn_oracle *o, const uint8_t *key, size_t size, uint64_t *name, uint64_t *bucket)
{
	struct pd_id id = pd_id_of(key, size, 0);
	*bucket = id.lo & (o->buckets - 1);
	*name = id.hi >> NAME_SHIFT << NAME_SHIFT;
	if (size <= SHORT_KEY) {
		uint8_t bytes[8] = {0};
		memcpy(bytes + 1, key, size);
		*name = pd_get_le64(bytes);
	}
}

static int look_up(const struct pn_oracle *o, uint64_t name, uint64_t bucket)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t e = atomic_load_explicit(&o->table[2 * bucket + i], memory_order_relaxed);
		if (e && !((e ^ name) >> NAME_SHIFT))
			return (int)(e & 1);
	}
	return ORACLE_OPEN;
}

static void store_answer(struct pn_oracle *o, uint64_t name, uint64_t bucket, bool yes, unsigned work)
{
	uint64_t entry = name | (uint64_t)(work + 1 > WORK_MAX ? WORK_MAX : work + 1) << WORK_SHIFT | yes;
	unsigned least = 0, least_work = UINT32_MAX;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t e = atomic_load_explicit(&o->table[2 * bucket + i], memory_order_relaxed);
		unsigned had = (unsigned)(e >> WORK_SHIFT & WORK_MAX);
		if (e && !((e ^ name) >> NAME_SHIFT))
			had = 0;
		if (had < least_work) {
			least_work = had;
			least = i;
		}
	}
	atomic_store_explicit(&o->table[2 * bucket + least], entry, memory_order_relaxed);
}

void pn_oracle_tell(struct pn_oracle *o, const uint8_t *key, size_t size)
{
	uint64_t name, bucket;
	name_key(o, key, size, &name, &bucket);
	store_answer(o, name, bucket, true, WORK_MAX);
}

/* --- the search --------------------------------------------------------------------------- */

struct position {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

static bool has_reached(const struct pn_oracle *o, int value)
{
	return (value >= o->threshold) == o->first;
}

/* What the rules say of a position at once: whether it is over or won by one move. */
static int judge_at_once(const struct pn_oracle *o, const void *state)
{
	const struct game *g = o->game;
	int value;
	if (g->rules->terminal(g, state, &value) ||
	    (g->rules->immediate_win && g->rules->immediate_win(g, state, &value)))
		return has_reached(o, value);
	return ORACLE_OPEN;
}

/* How soon a move is tried: first those that make most threats, or leave the other side the fewest good replies. */
static uint32_t score_child(const struct pn_oracle *o, const void *child, bool first_moved)
{
	const struct game *g = o->game;
	uint32_t num[2] = {1, 1};
	if (g->rules->threats)
		return THREATS_MAX - g->rules->threats(g, child);
	if (g->rules->initial_numbers)
		g->rules->initial_numbers(g, child, o->threshold, num);
	return num[first_moved];
}

/* Lists the children that the table does not know. Returns the answer if one of the others decides, else OPEN. */
static int list_children(struct pn_asker *a, const void *state, struct oracle_child *out, unsigned *count)
{
	const struct pn_oracle *o = a->oracle;
	const struct game *g = o->game;
	struct position child;
	uint8_t key[GAME_KEY_MAX];
	bool first = g->rules->first_to_move(g, state);
	int wanted = first == o->first;
	unsigned moves = (g->rules->unique_moves ? g->rules->unique_moves : g->rules->moves)(g, state, a->moves), n = 0;
	for (unsigned i = 0; i < moves; i++) {
		memcpy(child.state, state, g->state_size);
		g->rules->play(g, child.state, a->moves[i]);
		int answer = judge_at_once(o, child.state);
		if (answer == wanted)
			return wanted;
		if (answer != ORACLE_OPEN)
			continue;
		struct oracle_child *c = &out[n++];
		c->move = a->moves[i];
		name_key(o, key, g->rules->key(g, child.state, key), &c->name, &c->bucket);
		__builtin_prefetch(&o->table[2 * c->bucket]);
		c->score = score_child(o, child.state, first);
	}
	*count = 0;
	for (unsigned i = 0; i < n; i++) {
		int answer = look_up(o, out[i].name, out[i].bucket);
		if (answer == wanted)
			return wanted;
		if (answer == ORACLE_OPEN)
			out[(*count)++] = out[i];
	}
	return ORACLE_OPEN;
}

static unsigned log2_of(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* The position is neither over nor won at once, and not in the table. */
static int search_position(struct pn_asker *a, const void *state, uint64_t name, uint64_t bucket,
			   struct oracle_child *room)
{
	struct pn_oracle *o = a->oracle;
	const struct game *g = o->game;
	bool first = g->rules->first_to_move(g, state);
	int wanted = first == o->first;
	uint64_t before = a->nodes++;
	struct game_theorem theorem;
	struct position child;
	unsigned count = 0;
	if (a->nodes > a->end || atomic_load_explicit(&o->stop, memory_order_relaxed))
		return ORACLE_OPEN;
	int answer = g->rules->theorem && g->rules->theorem(g, state, o->threshold, &theorem, NULL)
			     ? theorem.proved == o->first
			     : list_children(a, state, room, &count);
	bool open = answer == ORACLE_OPEN;
	for (unsigned i = 0; open && i < count; i++) {
		unsigned best = i;
		for (unsigned j = i + 1; j < count; j++)
			best = room[j].score < room[best].score ? j : best;
		struct oracle_child c = room[best];
		room[best] = room[i];
		room[i] = c;
		memcpy(child.state, state, g->state_size);
		g->rules->play(g, child.state, c.move);
		int result = i ? look_up(o, c.name, c.bucket) : ORACLE_OPEN;
		if (result == ORACLE_OPEN)
			result = search_position(a, child.state, c.name, c.bucket, room + count);
		if (result == ORACLE_OPEN)
			return ORACLE_OPEN;
		if (result == wanted) {
			answer = wanted;
			open = false;
		}
	}
	if (answer == ORACLE_OPEN)
		answer = !wanted;
	store_answer(o, name, bucket, answer, log2_of(a->nodes - before));
	return answer;
}

int pn_oracle_ask(struct pn_asker *a, const void *state, uint64_t nodes)
{
	struct pn_oracle *o = a->oracle;
	const struct game *g = o->game;
	uint8_t key[GAME_KEY_MAX];
	uint64_t name, bucket;
	int answer = judge_at_once(o, state);
	a->asked++;
	if (answer != ORACLE_OPEN)
		return answer;
	name_key(o, key, g->rules->key(g, state, key), &name, &bucket);
	answer = look_up(o, name, bucket);
	a->end = a->nodes + nodes < a->nodes ? UINT64_MAX : a->nodes + nodes;
	return answer == ORACLE_OPEN ? search_position(a, state, name, bucket, a->children) : answer;
}
