#include "tests/support/factbase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "solver/bounded.h"
#include "solver/dominance.h"

void factbase_init(struct factbase *base)
{
	*base = (struct factbase){.capacity = 1 << 10};
	base->items = calloc(base->capacity, sizeof *base->items);
}

void factbase_fini(struct factbase *base)
{
	for (size_t i = 0; i < base->capacity; i++)
		pd_fact_fini(&base->items[i].fact);
	free(base->items);
}

static struct factbase_item *find_slot(const struct factbase *base, const uint8_t *key, size_t size)
{
	size_t i = pd_hash64(key, size) % base->capacity;
	while (base->items[i].fact.count && (base->items[i].size != size || memcmp(base->items[i].key, key, size)))
		i = (i + 1) % base->capacity;
	return &base->items[i];
}

static void grow_base(struct factbase *base)
{
	struct factbase old = *base;
	base->capacity *= 4;
	base->items = calloc(base->capacity, sizeof *base->items);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.items[i].fact.count)
			*find_slot(base, old.items[i].key, old.items[i].size) = old.items[i];
	free(old.items);
}

void factbase_add(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct factbase *base = ctx;
	if (base->count * 2 > base->capacity)
		grow_base(base);
	struct factbase_item *item = find_slot(base, key, size);
	if (!item->fact.count) {
		memcpy(item->key, key, size);
		item->size = (uint16_t)size;
		base->count++;
	}
	if (pd_fact_add(&item->fact, reason) < 0)
		base->conflicts++;
}

bool factbase_get(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct factbase_item *item = find_slot(ctx, key, size);
	if (!pd_fact_copy(out, &item->fact))
		abort();
	return out->count > 0;
}

/* The child after `move` has the bound: by the rules, or by a fact with a smaller rank. */
static bool child_has(const struct factbase *base, const struct game *g, const void *state, game_move move,
		      const struct pd_reason *r)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact = {0};
	int value;
	memcpy(child, state, g->state_size);
	g->rules->play(g, child, move);
	if (g->rules->terminal(g, child, &value))
		return r->side == PD_LO ? value >= r->bound : value <= r->bound;
	size_t size = g->rules->key(g, child, key);
	factbase_get((void *)base, key, size, &fact);
	const struct pd_reason *below = pd_fact_find(&fact, r->side, r->bound);
	bool has = below && (below->rank < r->rank || r->rank == PD_RANK_NONE);
	pd_fact_fini(&fact);
	return has;
}

static bool is_justified(const struct factbase *base, const struct game *g, const void *state,
			 const struct pd_reason *r)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	bool mover_wants = g->rules->first_to_move(g, state) == (r->side == PD_LO);
	if (mover_wants) {
		game_move move = r->move == PD_NO_MOVE ? r->move : game_canon(g, state, r->move, true);
		for (unsigned i = 0; i < count; i++)
			if (moves[i] == move)
				return child_has(base, g, state, move, r);
		return false;
	}
	for (unsigned i = 0; i < count; i++)
		if (!child_has(base, g, state, moves[i], r))
			return false;
	return count > 0;
}

/* A position that the one of the reason dominates has the bound with at most the same rank. */
static bool follows_by_dominance(const struct factbase *base, const struct game *g, const struct factbase_item *item,
				 const struct pd_reason *r)
{
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact = {0};
	bool has = false;
	if (pn_dominated_key(g, item->key, item->size, r, key) &&
	    factbase_get((void *)(uintptr_t)base, key, item->size, &fact)) {
		const struct pd_reason *other = pd_fact_find(&fact, r->side, r->bound);
		has = other && other->rank <= r->rank;
	}
	pd_fact_fini(&fact);
	return has;
}

static bool leaf_proved(struct pn_prover *prover, const struct game *g, const void *state, const struct pd_reason *r)
{
	enum pn_verdict verdict;
	struct pn_goal goal = pn_goal_of(g, r);
	/* An effort leaves out what the search knew already: a leaf of 1,710 nodes took more than 300,000 (lab diff,
	 * graph 31330). */
	uint64_t nodes = 2000000 + 64 * (uint64_t)r->effort;
	if (pn_prover_run(prover, state, &goal, &nodes, &verdict, NULL))
		return false;
	return verdict == (r->side == PD_LO ? PN_PROVED : PN_DISPROVED);
}

unsigned factbase_check(const struct factbase *base, const struct game *g, unsigned *leaves)
{
	unsigned bad = 0;
	struct pn_prover *prover;
	struct pn_host host = {(void *)base, factbase_get};
	if (pn_prover_new(g, &(struct pn_prover_options){.memory = 64 << 20, .host = &host}, &prover, NULL))
		return 1;
	*leaves = 0;
	for (size_t i = 0; i < base->capacity; i++) {
		const struct factbase_item *item = &base->items[i];
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		for (unsigned j = 0; j < item->fact.count; j++) {
			const struct pd_reason *r = &pd_fact_reasons(&item->fact)[j];
			bool ok = !g->rules->unkey(g, item->key, item->size, state);
			bool counted = g->acyclic ||
				       (r->side == PD_LO ? r->bound > g->infinite_value : r->bound < g->infinite_value);
			*leaves += r->effort > 0;
			ok = ok && r->rank > 0 && (r->rank <= PD_RANK_MAX || !counted) &&
			     (r->dominated ? follows_by_dominance(base, g, item, r)
			      : r->effort  ? leaf_proved(prover, g, state, r)
					   : is_justified(base, g, state, r));
			if (!ok && bad++ < 5) {
				char text[GAME_TEXT_MAX];
				g->rules->print(g, state, text, sizeof text);
				printf("%s: %s: side %d bound %d rank %d move %d effort %u is not justified\n", g->name,
				       text, r->side, r->bound, r->rank, r->move, r->effort);
			}
		}
	}
	pn_prover_free(prover);
	return bad;
}

enum pn_state solve_all(struct pn_solver *solver, uint64_t slice, struct factbase *base)
{
	struct pn_entry entries[64];
	enum pn_state state;
	do {
		state = pn_solver_step(solver, slice);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		if (base)
			pn_solver_take_facts(solver, factbase_add, base);
	} while (state == PN_RUNNING || state == PN_COLLECT);
	return state;
}
