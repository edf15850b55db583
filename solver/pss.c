/* PSS: proof-set search (after Mueller, "Proof-set search", CG 2002), best-first in a graph of positions.
 *
 * Each node has a proof set and a disproof set of leaves, instead of their numbers. At an OR node the proof set is that
 * of the child whose set is the least, the disproof set is the union of the children's; at an AND node the reverse. So
 * a leaf that many paths lead to counts once, where a sum counts it once a path. The numbers of a node are the sizes of
 * its sets. The search expands the leaf to which the least sizes lead.
 *
 * Sets are bounded by the options `proof-set` (P) and `disproof-set` (D): a set keeps the members that were made first,
 * at most P or D, and counts those that it drops; a union adds the counts of its parts. A size is both together. With
 * P = D = 0 the search is PN search in a graph; in a tree it is PN search whatever the bounds.
 * (The published text was read as an abstract: how sets are bounded is not taken from it. That a leaf counts as much as
 * its initial number, 1 without `mobility`, is of this program.)
 *
 * Positions with the same key are one node. Nodes have links to their parents, along which each expansion updates all
 * ancestors whose sets change, so that numbers are those of the whole graph at every expansion. That is possible only
 * where no position comes back: in a game with cycles the engine is `tree`, that is PN search over paths.
 *
 * Memory: one arena, nodes from its start, edges from its end; nothing is freed before the next claim. A node takes
 * 4 (P + D) bytes and the key besides its struct. Facts are those of the whole proof with each detail, because another
 * search may need far more nodes than this one for a position below which many paths meet. */
#include <stdlib.h>
#include <string.h>

#include "solver/engine.h"
#include "solver/frontier.h"
#include "solver/hints.h"
#include "solver/huge_memory.h"

enum {
	PSS_ROOT = 1,
	NODES_MIN = 64 /* besides two expansions */
};

/* Followed by its members, proof set and disproof set, and its exact key. */
struct pss_node {
	uint32_t num[2]; /* sizes of the sets, 1..PN_INF - 1; or a solved pair: both sets are then empty */
	uint32_t dropped[2];
	uint16_t kept[2];
	uint16_t count; /* edges from here; 0: not expanded, over, or known by a fact */
	uint16_t key_size;
	uint32_t edge;    /* the first edge from here; the others follow */
	uint32_t parents; /* the first edge to here, 0: none */
	uint32_t next;    /* in the queue */
	uint8_t k;        /* numbers.h; of a position that is not over */
	bool queued;
	uint64_t stamp; /* of the latest union or proof that has met the node */
};

struct pss_edge {
	uint32_t parent, child;
	uint32_t next;  /* the next edge to the same child, 0: none */
	game_move move; /* in the frame of the parent's key; at the root in its own */
};

/* Node and edge 0 are never used. */
struct pss_arena {
	uint8_t *bytes; /* owned */
	size_t size, stride, key_at;
	uint32_t nodes, edges; /* the first unused; 0 nodes: no search was started */
	uint32_t nodes_max;
	uint32_t *slots; /* owned; a hash table of nodes by key, 2 * nodes_max; 0: empty */
};

/* One search thread's search. Owned by the solver's search_thread; one thread at a time runs it. */
struct pss {
	struct pn_engine engine;          /* first */
	const struct pn_options *options; /* borrowed, as the next three; host and hints may be NULL */
	struct fact_buffer *facts;
	const struct pn_host *host;
	const struct hints *hints;
	struct question question;
	struct pss_arena arena;
	unsigned bound[2];          /* of proof sets, of disproof sets */
	uint32_t first, last;       /* of the queue of nodes to update; 0: it is empty */
	uint32_t *room;             /* owned; the members of a union */
	game_move *moves, *replies; /* owned; moves_max each */
	game_move root_move;        /* the winning move of a root that its mover wins; else PD_NO_MOVE */
	uint64_t stamp;
	uint64_t generated, begun; /* children made, in all and before this claim */
	uint64_t random;           /* state of the generator that shuffles moves */
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
};

static struct pss_node *pss_node(const struct pss *p, uint32_t node)
{
	PD_DEBUG_ASSERT(node && node < p->arena.nodes);
	return (void *)(p->arena.bytes + node * p->arena.stride);
}

static struct pss_edge *pss_edge(const struct pss *p, uint32_t edge)
{
	PD_DEBUG_ASSERT(edge && edge < p->arena.edges);
	return (struct pss_edge *)(void *)(p->arena.bytes + p->arena.size) - edge;
}

/* The members of a node's proof set (side 0) or disproof set (1) that are kept, in increasing order. */
static uint32_t *pss_members(const struct pss *p, uint32_t node, unsigned side)
{
	return (uint32_t *)(void *)(pss_node(p, node) + 1) + (side ? p->bound[0] : 0);
}

/* --- the arena ---------------------------------------------------------------------------- */

static uint8_t *pss_key(const struct pss *p, uint32_t node)
{
	return (uint8_t *)pss_node(p, node) + p->arena.key_at;
}

/* The slot where a key is, or would be. */
static uint32_t *pss_find_slot(const struct pss *p, const uint8_t *key, size_t size)
{
	const struct pss_arena *a = &p->arena;
	uint64_t slots = 2 * (uint64_t)a->nodes_max;
	uint64_t at = (uint64_t)(((__uint128_t)question_key_id(&p->question, key, size).lo * slots) >> 64);
	while (a->slots[at] &&
	       (pss_node(p, a->slots[at])->key_size != size || memcmp(pss_key(p, a->slots[at]), key, size) != 0))
		at = at + 1 < slots ? at + 1 : 0;
	return &a->slots[at];
}

/* Writes the node's position, in the frame of its key; the root's in its own. */
static void pss_write_state(const struct pss *p, uint32_t node, uint8_t *state)
{
	const struct game *game = p->question.game;
	if (node == PSS_ROOT) {
		memcpy(state, p->root, game->state_size);
		return;
	}
	int failed = game->rules->unkey(game, pss_key(p, node), pss_node(p, node)->key_size, state);
	PD_ASSERT(!failed); /* it is the key of a position that was made here */
}

static bool pss_has_room(const struct pss *p, unsigned count)
{
	const struct pss_arena *a = &p->arena;
	return a->nodes + count <= a->nodes_max && a->edges + (uint64_t)count <= UINT32_MAX &&
	       (a->nodes + (size_t)count) * a->stride + (a->edges + (size_t)count) * sizeof(struct pss_edge) <= a->size;
}

/* --- sets --------------------------------------------------------------------------------- */

/* What is in a set before it is stored. */
struct set {
	const uint32_t *members;
	unsigned count;
	uint64_t dropped, size;
};

/* Stores a set of an open node; returns whether it was another. A size is never 0 or infinite, which would mean that
 * the node is solved, even while some sets still name leaves that are expanded by now. */
static bool pss_store_set(const struct pss *p, uint32_t index, unsigned side, const struct set *set)
{
	struct pss_node *node = pss_node(p, index);
	uint32_t *members = pss_members(p, index, side);
	uint32_t dropped = num_clamp(set->dropped), size = num_clamp(set->size ? set->size : 1);
	PD_DEBUG_ASSERT(set->count <= p->bound[side]);
	if (node->kept[side] == set->count && node->dropped[side] == dropped && node->num[side] == size &&
	    (!set->count || !memcmp(members, set->members, set->count * sizeof *members)))
		return false;
	if (set->count)
		memcpy(members, set->members, set->count * sizeof *members);
	node->kept[side] = (uint16_t)set->count;
	node->dropped[side] = dropped;
	node->num[side] = size;
	return true;
}

/* Sets both sets of an open leaf to itself; num: what it counts. */
static void pss_set_leaf(const struct pss *p, uint32_t index, const uint32_t num[2])
{
	for (unsigned side = 0; side < 2; side++) {
		bool kept = p->bound[side] > 0;
		pss_store_set(p, index, side, &(struct set){&index, kept, kept ? 0 : num[side], num[side]});
	}
}

static void pss_set_solved(const struct pss *p, uint32_t index, const uint32_t num[2])
{
	struct pss_node *node = pss_node(p, index);
	PD_ASSERT(num_sound(num) && num_solved(num)); /* P1 */
	num_copy(node->num, num);
	node->kept[0] = node->kept[1] = 0;
	node->dropped[0] = node->dropped[1] = 0;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Sets a set of an expanded node to the union of its open children's. Returns whether it was another. */
static bool pss_unite_children(struct pss *p, uint32_t index, unsigned side)
{
	const struct pss_node *node = pss_node(p, index);
	struct set set = {.members = p->room};
	unsigned count = 0;
	p->stamp++;
	for (unsigned i = 0; i < node->count; i++) {
		uint32_t c = pss_edge(p, node->edge + i)->child;
		const struct pss_node *child = pss_node(p, c);
		const uint32_t *members = pss_members(p, c, side);
		if (num_solved(child->num))
			continue;
		set.dropped += child->dropped[side];
		for (unsigned j = 0; j < child->kept[side]; j++) {
			struct pss_node *member = pss_node(p, members[j]);
			if (member->stamp != p->stamp)
				p->room[count++] = members[j];
			member->stamp = p->stamp;
		}
	}
	qsort(p->room, count, sizeof *p->room, compare_ids);
	set.size = set.dropped;
	for (unsigned i = 0; i < count; i++) {
		uint32_t counts = pss_node(p, p->room[i])->num[side];
		set.size += counts;
		if (i >= p->bound[side])
			set.dropped += counts;
	}
	set.count = count < p->bound[side] ? count : p->bound[side];
	return pss_store_set(p, index, side, &set);
}

/* --- updates ------------------------------------------------------------------------------ */

static void pss_queue_node(struct pss *p, uint32_t index)
{
	struct pss_node *node = pss_node(p, index);
	if (node->queued)
		return;
	node->queued = true;
	node->next = 0;
	if (p->first)
		pss_node(p, p->last)->next = index;
	else
		p->first = index;
	p->last = index;
}

/* The first node of the queue, which leaves it; 0: none. */
static uint32_t pss_take_queued(struct pss *p)
{
	uint32_t index = p->first;
	if (index) {
		p->first = pss_node(p, index)->next;
		pss_node(p, index)->queued = false;
	}
	return index;
}

static void pss_queue_parents(struct pss *p, uint32_t index)
{
	for (uint32_t e = pss_node(p, index)->parents; e; e = pss_edge(p, e)->next)
		pss_queue_node(p, pss_edge(p, e)->parent);
}

static struct num_sum pss_sum_children(const struct pss *p, const struct pss_node *node)
{
	struct num_sum sum;
	num_sum_init(&sum);
	for (unsigned i = 0; i < node->count; i++)
		num_sum_add(&sum, node->k, pss_node(p, pss_edge(p, node->edge + i)->child)->num, i);
	return sum;
}

/* An open leaf counts that much for the mover above, of kind k. */
static void pss_recount_leaf(struct pss *p, uint32_t index, unsigned k, uint32_t number)
{
	uint32_t num[2];
	num_copy(num, pss_node(p, index)->num);
	num[k] = number;
	pss_set_leaf(p, index, num);
	pss_queue_parents(p, index);
}

static bool pss_is_open_leaf(const struct pss_node *node)
{
	return !node->count && !num_solved(node->num);
}

/* The children that hints name have failed: the others begin as others do. Returns whether there are such. */
static bool pss_forget_hints(struct pss *p, const struct pss_node *node)
{
	bool any = false;
	for (unsigned i = 0; i < node->count; i++) {
		uint32_t c = pss_edge(p, node->edge + i)->child;
		if (!pss_is_open_leaf(pss_node(p, c)) || pss_node(p, c)->num[node->k] != HINT_NUMBER)
			continue;
		pss_recount_leaf(p, c, node->k, 1);
		any = true;
	}
	return any;
}

/* An open expanded node follows from its children. Returns whether it changed. */
static bool pss_update_node(struct pss *p, uint32_t index)
{
	struct pss_node *node = pss_node(p, index);
	struct num_sum sum = pss_sum_children(p, node);
	if (p->hints && sum.min == HINT_NUMBER && pss_forget_hints(p, node))
		return false; /* it is queued again */
	uint32_t best = node->edge + sum.best;
	if (!sum.min || sum.min == UINT32_MAX) {
		uint32_t num[2];
		num_sum_backup(&sum, node->k, p->question.ranked, num);
		pss_set_solved(p, index, num);
		if (index == PSS_ROOT && !sum.min)
			p->root_move = pss_edge(p, best)->move;
		return true;
	}
	uint32_t least = pss_edge(p, best)->child;
	const struct pss_node *child = pss_node(p, least);
	struct set set = {pss_members(p, least, node->k), child->kept[node->k], child->dropped[node->k], sum.min};
	bool changed = pss_store_set(p, index, node->k, &set);
	return pss_unite_children(p, index, 1 - node->k) || changed;
}

/* Updates what is queued, and its ancestors, until nothing changes. The order matters not: what each node has follows
 * from its children, and there are no cycles. */
static void pss_update_queued(struct pss *p)
{
	for (uint32_t index; (index = pss_take_queued(p)) != 0;) {
		const struct pss_node *node = pss_node(p, index);
		if (node->count && !num_solved(node->num) && pss_update_node(p, index))
			pss_queue_parents(p, index);
	}
}

/* An open node, not the root, is solved by a fact. */
static void pss_settle_node(struct pss *p, uint32_t index, const uint32_t num[2])
{
	struct pss_node *node = pss_node(p, index);
	PD_ASSERT(index != PSS_ROOT && !num_solved(node->num));
	node->count = 0;
	pss_set_solved(p, index, num);
	pss_queue_parents(p, index);
	pss_update_queued(p);
}

/* --- expansion ---------------------------------------------------------------------------- */

/* The node of a position, made if there is none; there is room. */
static uint32_t pss_take_node(struct pss *p, const uint8_t *state)
{
	const struct question *q = &p->question;
	const struct pn_options *o = p->options;
	uint8_t key[GAME_KEY_MAX];
	size_t size = q->game->rules->key(q->game, state, key);
	uint32_t num[2], *slot = pss_find_slot(p, key, size), index = *slot;
	if (index)
		return index;
	*slot = index = p->arena.nodes++;
	struct pss_node *node = pss_node(p, index);
	*node = (struct pss_node){.key_size = (uint16_t)size};
	memcpy(pss_key(p, index), key, size);
	if (question_terminal(q, state, num)) {
		pss_set_solved(p, index, num);
		return index;
	}
	node->k = (uint8_t)question_kind(q, state);
	if (pn_frontier_is_plain(&o->frontier))
		question_initial_numbers(q, state, false, o->mobility, p->replies, num);
	else
		pn_frontier_set_numbers(q, &o->frontier, false, o->mobility, state, num);
	pss_set_leaf(p, index, num);
	return index;
}

static void pss_link_child(struct pss *p, uint32_t parent, uint32_t child, game_move move)
{
	uint32_t index = p->arena.edges++;
	struct pss_node *node = pss_node(p, child);
	*pss_edge(p, index) = (struct pss_edge){parent, child, node->parents, move};
	node->parents = index;
}

/* The host has a fact that answers for the open leaf; num is then its pair. */
static bool pss_ask_host(const struct pss *p, uint32_t index, uint32_t num[2])
{
	struct pd_fact fact;
	pd_fact_init(&fact);
	bool settled = p->host->fact(p->host->ctx, pss_key(p, index), pss_node(p, index)->key_size, &fact) &&
		       question_settled(&p->question, &fact, num);
	pd_fact_fini(&fact);
	return settled;
}

/* Where hints name children of a node that was just expanded, its other leaves begin with HINT_NUMBER. */
static void pss_follow_hints(struct pss *p, const struct pss_node *node, const uint8_t *state)
{
	struct pd_id here = question_position_id(&p->question, state);
	for (unsigned i = 0; i < node->count && hints_at(p->hints, here); i++) {
		uint32_t c = pss_edge(p, node->edge + i)->child;
		const struct pss_node *child = pss_node(p, c);
		struct pd_id to = question_key_id(&p->question, pss_key(p, c), child->key_size);
		if (pss_is_open_leaf(child) && child->num[node->k] < HINT_NUMBER && !hints_name(p->hints, here, to))
			pss_recount_leaf(p, c, node->k, HINT_NUMBER);
	}
}

/* Expands an open leaf, up to the first child that its mover wins, and updates the graph. False when the arena is
 * full. */
static bool pss_expand(struct pss *p, uint32_t index)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	const struct game *game = p->question.game;
	struct pss_node *node = pss_node(p, index);
	uint32_t num[2];
	PD_ASSERT(pss_is_open_leaf(node));
	if (p->host && index != PSS_ROOT && pss_ask_host(p, index, num)) {
		pss_settle_node(p, index, num);
		return true;
	}
	pss_write_state(p, index, state);
	unsigned count = question_moves(&p->question, state, p->moves), made = 0;
	PD_ASSERT(count && count <= game->moves_max);
	if (!pss_has_room(p, count))
		return false;
	if (p->options->seed)
		question_shuffle_moves(&p->random, p->moves, count);
	node->edge = p->arena.edges;
	for (bool won = false; made < count && !won; made++) {
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, p->moves[made]);
		uint32_t c = pss_take_node(p, child);
		PD_ASSERT(c != index && c != PSS_ROOT); /* positions do not come back */
		pss_link_child(p, index, c, p->moves[made]);
		won = pss_node(p, c)->num[node->k] == 0;
	}
	node->count = (uint16_t)made;
	p->generated += made;
	if (p->hints)
		pss_follow_hints(p, node, state);
	pss_queue_node(p, index);
	pss_update_queued(p);
	return true;
}

/* The open leaf to which the least sizes lead. */
static uint32_t pss_descend(const struct pss *p)
{
	uint32_t index = PSS_ROOT;
	for (const struct pss_node *node; (node = pss_node(p, index))->count;) {
		struct num_sum sum = pss_sum_children(p, node);
		PD_ASSERT(sum.min == node->num[node->k]);
		index = pss_edge(p, node->edge + sum.best)->child;
	}
	return index;
}

/* --- the proof ---------------------------------------------------------------------------- */

/* Records what the proof of the root needs: of a node that its mover wins the first child of least rank, else all. */
static void pss_record_proof(struct pss *p)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	PD_ASSERT(!p->first);
	p->stamp++;
	pss_queue_node(p, PSS_ROOT);
	for (uint32_t index; (index = pss_take_queued(p)) != 0;) {
		const struct pss_node *node = pss_node(p, index);
		if (!node->count) /* the game is over, or it is a fact already */
			continue;
		struct num_sum sum = pss_sum_children(p, node);
		struct pd_reason reason = question_reason(&p->question, node->num);
		for (unsigned i = 0; i < node->count; i++) {
			const struct pss_edge *edge = pss_edge(p, node->edge + i);
			if (!sum.min && i != sum.best)
				continue;
			if (!sum.min)
				reason.move = edge->move;
			if (pss_node(p, edge->child)->stamp != p->stamp)
				pss_queue_node(p, edge->child);
			pss_node(p, edge->child)->stamp = p->stamp;
		}
		pss_write_state(p, index, state);
		fact_buffer_put(p->facts, &p->question, state, reason);
	}
}

/* --- the engine --------------------------------------------------------------------------- */

static void pss_destroy(struct pn_engine *engine)
{
	struct pss *p = (void *)engine;
	pn_memory_unmap(p->arena.bytes, p->arena.size);
	pn_memory_unmap(p->arena.slots, 2 * (size_t)p->arena.nodes_max * sizeof *p->arena.slots);
	free(p->room);
	free(p->moves);
	free(p);
}

/* Divides the memory: two slots and at least one edge a node. */
static bool pss_make_arena(struct pss *p, const struct game *game, uint64_t bytes)
{
	struct pss_arena *a = &p->arena;
	a->key_at = sizeof(struct pss_node) + ((size_t)p->bound[0] + p->bound[1]) * sizeof(uint32_t);
	a->stride = (a->key_at + game->key_size_max + 7) & ~(size_t)7;
	size_t slots = 2 * sizeof *a->slots;
	uint64_t nodes = bytes / (a->stride + sizeof(struct pss_edge) + slots),
		 least = NODES_MIN + 2 * (uint64_t)game->moves_max;
	if (nodes < least)
		nodes = least;
	a->nodes_max = nodes < UINT32_MAX / 2 ? (uint32_t)nodes : UINT32_MAX / 2;
	a->size = ((size_t)a->nodes_max * (a->stride + sizeof(struct pss_edge)) + 15) & ~(size_t)15;
	a->bytes = pn_memory_map(a->size);
	a->slots = pn_memory_map(a->nodes_max * slots);
	return a->bytes && a->slots;
}

static struct pn_engine *pss_create(const struct pn_engine_setup *setup)
{
	const struct game *game = setup->game;
	if (!game->acyclic)
		return pn_engine_tree.create(setup);
	struct pss *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->engine.type = &pn_engine_pss;
	p->options = setup->options;
	p->facts = setup->facts;
	p->hints = setup->hints;
	p->question = question_of(game, 0);
	p->bound[0] = setup->options->sums.proof_set;
	p->bound[1] = setup->options->sums.disproof_set;
	p->random = setup->options->seed;
	size_t most = p->bound[0] > p->bound[1] ? p->bound[0] : p->bound[1];
	p->room = malloc((most + 1) * game->moves_max * sizeof *p->room);
	p->moves = malloc(2 * game->moves_max * sizeof *p->moves);
	if (!p->room || !p->moves || !pss_make_arena(p, game, setup->level1_bytes)) {
		pss_destroy(&p->engine);
		return NULL;
	}
	p->replies = p->moves + game->moves_max;
	return &p->engine;
}

static bool pss_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct pss *p = (void *)engine;
	p->question = *question;
	p->arena.nodes = p->arena.edges = 1;
	memset(p->arena.slots, 0, 2 * (size_t)p->arena.nodes_max * sizeof *p->arena.slots);
	memcpy(p->root, state, question->game->state_size);
	p->root_move = PD_NO_MOVE;
	p->begun = p->generated;
	uint32_t root = pss_take_node(p, state);
	PD_ASSERT(root == PSS_ROOT && !num_solved(pss_node(p, root)->num));
	return true;
}

static enum pn_engine_end pss_run(struct pn_engine *engine, uint64_t *nodes)
{
	struct pss *p = (void *)engine;
	uint64_t start = p->generated;
	bool full = false;
	while (!num_solved(pss_node(p, PSS_ROOT)->num) && p->generated - start < *nodes && !full)
		full = !pss_expand(p, pss_descend(p));
	uint64_t used = p->generated - start;
	*nodes = used < *nodes ? *nodes - used : 0;
	if (!num_solved(pss_node(p, PSS_ROOT)->num))
		return full ? PN_ENGINE_FULL : PN_ENGINE_MORE;
	pss_record_proof(p);
	return PN_ENGINE_SOLVED;
}

static void pss_numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct pss *p = (const void *)engine;
	num[0] = num[1] = 1;
	*leading = PD_NO_MOVE;
	if (!p->arena.nodes)
		return;
	const struct pss_node *root = pss_node(p, PSS_ROOT);
	struct num_sum sum = pss_sum_children(p, root);
	num_copy(num, root->num);
	*leading = sum.min == UINT32_MAX ? PD_NO_MOVE : pss_edge(p, root->edge + sum.best)->move;
}

static game_move pss_move(const struct pn_engine *engine)
{
	return ((const struct pss *)(const void *)engine)->root_move;
}

static void pss_report(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct pss *p = (const void *)engine;
	*out = (struct pn_engine_progress){.level2 = p->generated, .positions = p->generated, .in_tree = true};
}

static void pss_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct pss *p = (void *)engine;
	p->host = learnt->host; /* from here on expansions ask it */
	if (!learnt->started)
		return;
	uint32_t index = *pss_find_slot(p, learnt->key, learnt->size);
	if (index && index != PSS_ROOT && !num_solved(pss_node(p, index)->num))
		pss_settle_node(p, index, learnt->num);
}

static void pss_drop(struct pn_engine *engine)
{
	(void)engine; /* the next start forgets the graph */
}

/* The nodes below a position are those of other positions as well, so only the root and leaves have an effort. */
static bool pss_view(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out)
{
	const struct pss *p = (const void *)engine;
	const struct game *game = p->question.game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	*out = (struct pn_view){{1, 1}};
	if (!p->arena.nodes)
		return false;
	memcpy(state, p->root, game->state_size);
	for (unsigned i = 0; i < path->count; i++)
		game->rules->play(game, state, path->moves[i]);
	size_t size = game->rules->key(game, state, key);
	uint32_t index = *pss_find_slot(p, key, size), num[2];
	if (!index)
		return false;
	const struct pss_node *node = pss_node(p, index);
	num_copy(out->num, node->num);
	if (node->count && !num_solved(node->num)) {
		struct num_sum sum = pss_sum_children(p, node);
		num_sum_backup(&sum, node->k, p->question.ranked, num);
		out->follows = num[0] == node->num[0] && num[1] == node->num[1];
	}
	out->inside = index == PSS_ROOT;
	out->before = index == PSS_ROOT ? p->generated - p->begun + 1 : node->count ? PN_EFFORT_UNKNOWN : 1;
	return true;
}

static struct tree *pss_idle_tree(struct pn_engine *engine)
{
	(void)engine;
	return NULL; /* it has none, so `shorten` does nothing */
}

const struct pn_engine_type pn_engine_pss = {
	.plain = true,
	.create = pss_create,
	.destroy = pss_destroy,
	.start = pss_start,
	.run = pss_run,
	.numbers = pss_numbers,
	.move = pss_move,
	.progress = pss_report,
	.learn = pss_learn,
	.drop = pss_drop,
	.view = pss_view,
	.tree = pss_idle_tree,
};
