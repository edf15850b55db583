#include "solver/leaf_proof.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/identity.h"
#include "solver/fact_buffer.h"
#include "solver/plain_search.h"
#include "solver/stored.h"
#include "solver/tree_proof.h"
#include "solver/tree_search.h"

enum {
	SEEN_FIRST = 1 << 8,
	STACK_FIRST = 64,
	SEARCH_NODES = 2000, /* of one search for a lost position */
	SEARCH_ARENA = 64 << 10,
	FOUND_BYTES = 256 << 10 /* what such searches found */
};

/* A position that was demanded, and the fewest plies within which it was. */
struct seen {
	struct pd_id id; /* {0, 0}: free */
	uint32_t left;
};

struct pn_proof_walk {
	const struct game *game; /* borrowed */
	bool knowledge;
	struct pd_identity identity;
	struct pd_reason reason; /* the demand; its rank is that of the leaf */
	struct seen *seen;       /* owned; a power of two */
	uint32_t seen_room, seen_count;
	uint8_t *stack; /* owned; demands that are not met, each a state and its plies */
	uint32_t stack_room, stack_count;
	game_move *moves; /* owned */
	uint64_t looked, most;
	game_move first; /* of the winner, if he is to move at the leaf */
};

struct pn_proof_walk *pn_proof_walk_new(const struct game *game, bool knowledge, uint64_t identity)
{
	struct pn_proof_walk *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->game = game;
	w->knowledge = knowledge;
	pd_identity_init(&w->identity, identity);
	w->seen_room = SEEN_FIRST;
	w->seen = calloc(w->seen_room, sizeof *w->seen);
	w->moves = malloc(game->moves_max * sizeof *w->moves);
	if (!w->seen || !w->moves) {
		pn_proof_walk_free(w);
		return NULL;
	}
	return w;
}

void pn_proof_walk_free(struct pn_proof_walk *w)
{
	if (!w)
		return;
	free(w->seen);
	free(w->stack);
	free(w->moves);
	free(w);
}

/* --- what was demanded -------------------------------------------------------------------- */

static struct seen *find_seen(const struct pn_proof_walk *w, struct pd_id id)
{
	uint32_t at = (uint32_t)id.lo & (w->seen_room - 1);
	while ((w->seen[at].id.lo || w->seen[at].id.hi) && !pd_id_equal(w->seen[at].id, id))
		at = (at + 1) & (w->seen_room - 1);
	return &w->seen[at];
}

static bool grow_seen(struct pn_proof_walk *w)
{
	struct seen *old = w->seen;
	uint32_t room = w->seen_room;
	struct seen *more = calloc(2 * (size_t)room, sizeof *more);
	if (!more)
		return false;
	w->seen = more;
	w->seen_room = 2 * room;
	for (uint32_t i = 0; i < room; i++)
		if (old[i].id.lo || old[i].id.hi)
			*find_seen(w, old[i].id) = old[i];
	free(old);
	return true;
}

/* Notes a demand; *met: it was demanded before, within as few plies. False: no memory. */
static bool note_demand(struct pn_proof_walk *w, const void *state, uint32_t left, bool *met)
{
	uint8_t key[GAME_KEY_MAX];
	struct pd_id id = pd_identity_of(&w->identity, key, w->game->rules->key(w->game, state, key));
	if (2 * w->seen_count >= w->seen_room && !grow_seen(w))
		return false;
	struct seen *s = find_seen(w, id);
	bool there = s->id.lo || s->id.hi;
	*met = there && s->left <= left;
	if (*met)
		return true;
	w->seen_count += !there;
	*s = (struct seen){id, left};
	return true;
}

/* --- the walk ----------------------------------------------------------------------------- */

static size_t stack_step(const struct pn_proof_walk *w)
{
	return ((size_t)w->game->state_size + 31) & ~(size_t)15; /* the plies are behind the state */
}

static uint32_t *plies_of(const struct pn_proof_walk *w, uint8_t *item)
{
	return (uint32_t *)(void *)(item + stack_step(w) - 16);
}

/* Room for one more demand on the stack, not counted yet; NULL: no memory. */
static uint8_t *stack_top(struct pn_proof_walk *w)
{
	if (w->stack_count == w->stack_room) {
		uint32_t room = w->stack_room ? 2 * w->stack_room : STACK_FIRST;
		uint8_t *more = aligned_alloc(16, room * stack_step(w));
		if (!more)
			return NULL;
		if (w->stack_count)
			memcpy(more, w->stack, w->stack_count * stack_step(w));
		free(w->stack);
		w->stack = more;
		w->stack_room = room;
	}
	return w->stack + w->stack_count * stack_step(w);
}

static bool has_bound(const struct pn_proof_walk *w, int value)
{
	return w->reason.side == PD_LO ? value >= w->reason.bound : value <= w->reason.bound;
}

/* Whether the game knows that the bound is reached within `left` plies. Tables do not count: the other process may have
 * none, and both must walk through the same positions. */
static bool is_known(const struct pn_proof_walk *w, const void *state, uint32_t left)
{
	const struct game *g = w->game;
	struct pd_reason within = w->reason;
	struct game_theorem theorem;
	struct game_static d;
	within.rank = (uint16_t)left;
	if (pn_plain_theorem(g, state, &within, &theorem, NULL) && theorem.number != GAME_TABLE)
		return true;
	return g->rules->static_solve && g->rules->static_solve(g, state, &d) && has_bound(w, d.value) &&
	       d.plies <= left;
}

/* Looks at a demand. *stays: it is not broken, but not met yet. */
static enum pn_proof_end look_at(struct pn_proof_walk *w, uint8_t *item, bool *stays)
{
	const struct game *g = w->game;
	uint32_t left = *plies_of(w, item);
	bool met;
	int value;
	*stays = false;
	if (++w->looked > w->most)
		return PN_PROOF_TOO_LONG;
	if (g->rules->terminal(g, item, &value))
		return has_bound(w, value) ? PN_PROOF_HOLDS : PN_PROOF_FAILS;
	if (!left)
		return PN_PROOF_FAILS;
	if (!note_demand(w, item, left, &met))
		return PN_PROOF_NO_MEMORY;
	if (met)
		return PN_PROOF_HOLDS;
	if (g->rules->immediate_win && g->rules->immediate_win(g, item, &value))
		return has_bound(w, value) ? PN_PROOF_HOLDS : PN_PROOF_FAILS;
	*stays = !w->knowledge || !is_known(w, item, left);
	return PN_PROOF_HOLDS;
}

/* Demands the position after a move. */
static enum pn_proof_end demand_after(struct pn_proof_walk *w, const void *state, uint32_t left, game_move move)
{
	uint8_t *item = stack_top(w);
	bool stays;
	if (!item)
		return PN_PROOF_NO_MEMORY;
	memcpy(item, state, w->game->state_size);
	w->game->rules->play(w->game, item, move);
	*plies_of(w, item) = left == PD_RANK_NONE ? left : left - 1;
	enum pn_proof_end end = look_at(w, item, &stays);
	w->stack_count += stays;
	return end;
}

/* Names the winner's move by its index, when the legal moves are in w->moves. PN_PROOF_HOLDS: it is there. */
typedef enum pn_proof_end name_move(void *ctx, const void *state, uint32_t left, unsigned count, unsigned *index);

/* Meets the last demand by further ones. */
static enum pn_proof_end meet_demand(struct pn_proof_walk *w, name_move *name, void *ctx)
{
	const struct game *g = w->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t *item = w->stack + --w->stack_count * stack_step(w);
	uint32_t left = *plies_of(w, item);
	enum pn_proof_end end = PN_PROOF_HOLDS;
	unsigned index = 0;
	memcpy(state, item, g->state_size);
	unsigned count = g->rules->moves(g, state, w->moves);
	PD_ASSERT(count && count <= g->moves_max);
	if (g->rules->first_to_move(g, state) == (w->reason.side == PD_LO)) {
		end = name(ctx, state, left, count, &index);
		if (w->looked == 1 && end == PN_PROOF_HOLDS)
			w->first = w->moves[index];
		return end == PN_PROOF_HOLDS ? demand_after(w, state, left, w->moves[index]) : end;
	}
	for (unsigned i = 0; i < count && end == PN_PROOF_HOLDS; i++)
		end = demand_after(w, state, left, w->moves[i]);
	return end;
}

static enum pn_proof_end walk_proof(struct pn_proof_walk *w, const void *state, name_move *name, void *ctx)
{
	const struct pd_reason *r = &w->reason;
	bool met;
	int value;
	w->looked = w->stack_count = w->seen_count = 0;
	memset(w->seen, 0, w->seen_room * sizeof *w->seen);
	if (pn_reason_wrong(w->game, r) /* it has a rank unless infinite play serves it */ ||
	    w->game->rules->terminal(w->game, state, &value))
		return PN_PROOF_FAILS;
	uint8_t *item = stack_top(w);
	if (!item || !note_demand(w, state, r->rank, &met))
		return PN_PROOF_NO_MEMORY;
	memcpy(item, state, w->game->state_size);
	*plies_of(w, item) = r->rank;
	enum pn_proof_end end = PN_PROOF_HOLDS;
	for (w->looked = w->stack_count = 1; end == PN_PROOF_HOLDS && w->stack_count;)
		end = meet_demand(w, name, ctx);
	return end;
}

/* --- checking ----------------------------------------------------------------------------- */

struct reading {
	const uint8_t *at, *end;
};

static enum pn_proof_end read_move(void *ctx, const void *state, uint32_t left, unsigned count, unsigned *index)
{
	struct reading *r = ctx;
	uint64_t value = 0;
	(void)state, (void)left;
	const uint8_t *next = pd_get_varint(r->at, r->end, &value);
	if (!next || value >= count)
		return PN_PROOF_FAILS;
	r->at = next;
	*index = (unsigned)value;
	return PN_PROOF_HOLDS;
}

enum pn_proof_end pn_proof_check(struct pn_proof_walk *w, const void *state, const struct pd_reason *reason,
				 const uint8_t *bytes, size_t size, struct pn_proof_found *found)
{
	struct reading r = {bytes + 1, bytes + size};
	w->reason = *reason;
	w->most = PN_PROOF_POSITIONS;
	w->looked = 0;
	w->first = PD_NO_MOVE;
	enum pn_proof_end end = size > PN_PROOF_BYTES              ? PN_PROOF_TOO_LONG
				: !size || *bytes != PN_PROOF_FORM ? PN_PROOF_FAILS
								   : walk_proof(w, state, read_move, &r);
	found->looked = w->looked;
	found->move = w->first == PD_NO_MOVE ? w->first : game_canon(w->game, state, w->first, false);
	return end == PN_PROOF_HOLDS && r.at != r.end ? PN_PROOF_FAILS : end;
}

/* --- writing ------------------------------------------------------------------------------ */

struct pn_proof_writer {
	struct pn_proof_walk *walk; /* owned */
	struct tree tree;
	struct cache found;        /* by searches for lost positions */
	const struct cache *cache; /* borrowed */
	struct fact_buffer facts;
	struct question question;
	uint8_t *at, *end;
};

struct pn_proof_writer *pn_proof_writer_new(const struct game *game, bool knowledge, uint64_t identity,
					    const struct cache *cache)
{
	struct pn_proof_writer *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	const struct tree_options options = {.keep_proofs = true,
					     .mobility = true,
					     .heuristics = true,
					     .immediate_win = true,
					     .knowledge = knowledge,
					     .cache = &p->found};
	uint64_t arena = SEARCH_ARENA + 4 * (uint64_t)game->moves_max * sizeof(struct tree_node);
	fact_buffer_init(&p->facts);
	p->cache = cache;
	p->walk = pn_proof_walk_new(game, knowledge, identity);
	if (!p->walk || !cache_init(&p->found, FOUND_BYTES) || !tree_init(&p->tree, game, arena, &options)) {
		pn_proof_writer_free(p);
		return NULL;
	}
	return p;
}

void pn_proof_writer_free(struct pn_proof_writer *p)
{
	if (!p)
		return;
	tree_fini(&p->tree);
	cache_fini(&p->found);
	fact_buffer_fini(&p->facts);
	pn_proof_walk_free(p->walk);
	free(p);
}

/* The move that a cache has for the winner; PD_NO_MOVE: none within the plies. */
static game_move ask_cache(const struct pn_proof_writer *p, const struct cache *cache, const void *state, uint32_t left)
{
	const struct game *g = p->walk->game;
	struct cache_entry e;
	enum pd_side side = p->walk->reason.side;
	game_move move;
	if (!cache->buckets || !cache_get(cache, question_position_id(&p->question, state), &e) ||
	    cache_answer(&e, p->question.threshold) != (int)side || e.bounds.rank[side] > left ||
	    e.bounds.move[side] == PD_NO_MOVE)
		return PD_NO_MOVE;
	return game_legal_from_key(g, state, e.bounds.move[side], &move) ? move : PD_NO_MOVE;
}

static void drop_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	(void)ctx, (void)key, (void)size, (void)reason;
}

/* Searches a position that the cache has lost; what its proof needs is then in `found`. */
static void search_again(struct pn_proof_writer *p, const void *state, uint32_t left)
{
	uint64_t nodes = SEARCH_NODES;
	tree_start(&p->tree, &p->question, state, UINT64_MAX);
	if (left != PD_RANK_NONE)
		tree_limit(&p->tree, left, p->walk->reason.side == PD_LO);
	if (tree_run(&p->tree, &nodes) == TREE_SOLVED && !ghi_path_dependent(&p->question, tree_numbers(&p->tree)))
		tree_emit(&p->tree, &p->facts);
	fact_buffer_take(&p->facts, drop_fact, NULL);
	p->walk->looked += SEARCH_NODES - nodes;
}

static enum pn_proof_end write_move(void *ctx, const void *state, uint32_t left, unsigned count, unsigned *index)
{
	struct pn_proof_writer *p = ctx;
	game_move move = ask_cache(p, &p->found, state, left);
	if (move == PD_NO_MOVE)
		move = ask_cache(p, p->cache, state, left);
	if (move == PD_NO_MOVE) {
		search_again(p, state, left);
		move = ask_cache(p, &p->found, state, left);
	}
	for (*index = 0; *index < count && p->walk->moves[*index] != move; ++*index)
		;
	if (*index == count)
		return PN_PROOF_FAILS;
	if (p->end - p->at < 3) /* there are fewer than 2^21 moves */
		return PN_PROOF_TOO_LONG;
	p->at = pd_put_varint(p->at, *index);
	return PN_PROOF_HOLDS;
}

enum pn_proof_end pn_proof_write(struct pn_proof_writer *p, const void *state, const struct pd_reason *reason,
				 uint64_t positions, uint8_t *bytes, size_t *size)
{
	const struct game *g = p->walk->game;
	p->question = question_of(g, reason->side == PD_LO ? reason->bound : reason->bound + g->value_step);
	p->question.identity = &p->walk->identity;
	p->walk->reason = *reason;
	p->walk->most = positions < PN_PROOF_POSITIONS ? positions : PN_PROOF_POSITIONS;
	*bytes = PN_PROOF_FORM;
	p->at = bytes + 1;
	p->end = bytes + PN_PROOF_BYTES;
	enum pn_proof_end end = walk_proof(p->walk, state, write_move, p);
	*size = (size_t)(p->at - bytes);
	return end;
}
