#include "clients/proofcheck/search.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"
#include "proto/base/random.h"

#define NODES_MIN UINT64_C(100000)    /* another move order may multiply a small effort */
#define NODES_MAX (UINT64_C(1) << 40) /* keeps the product below from overflowing */
enum {
	EFFORT_FACTOR = 64,  /* nodes per node of effort: the engine had a transposition table and a cache */
	PATIENCE = 8,        /* a further factor for safety */
	ALIVE_MAX = 8 << 20, /* nodes in memory: 320 MiB */
	STEPS_BETWEEN_STOPS = 64
};
#define INFINITE UINT32_MAX

/* proof, disproof: the least number of leaves that must be shown to have, or not to have, the bound. */
struct node {
	struct node *parent;
	struct node *children; /* owned; NULL: not expanded */
	uint32_t proof, disproof;
	uint16_t count, move;
	bool wants; /* the player who moves here wants the bound */
};

struct search {
	const struct ck_question *q;
	struct node root;
	uint64_t *path;       /* owned: hashes of the positions from the root to the node; NULL in acyclic games */
	uint64_t made, alive; /* nodes created; nodes in memory */
	uint16_t moves[CK_MOVES_MAX];
};

/* True when the player to move wants the bound; undefined for terminal positions. */
static bool mover_wants(const struct search *s, const struct ck_position *p)
{
	return s->q->game->rules->first_moves(s->q->game, p) != s->q->upper;
}

/* Sums saturate below infinity (P2), which is kept for solved nodes. */
static uint32_t add_numbers(uint32_t a, uint32_t b)
{
	if (a == INFINITE || b == INFINITE)
		return INFINITE;
	return a >= INFINITE - 1 - b ? INFINITE - 1 : a + b;
}

/* A collision can only make the search miss a proof, never accept a false one, so 64 bits under a secret seed
 * suffice. */
static uint64_t hash_of(const struct search *s, const struct ck_position *p)
{
	uint8_t key[CK_KEY_MAX];
	return pd_bucket_hash(key, s->q->game->rules->encode(s->q->game, p, key));
}

static bool on_path(const struct search *s, const struct ck_position *p, uint64_t depth)
{
	if (!s->q->game->repeats)
		return false;
	uint64_t hash = hash_of(s, p);
	for (uint64_t i = 0; i < depth; i++)
		if (s->path[i] == hash)
			return true;
	return false;
}

static void set_solved(struct node *n, bool has)
{
	n->proof = has ? 0 : INFINITE;
	n->disproof = has ? INFINITE : 0;
}

/* Sets the initial numbers of a node `depth` plies from the root: mobility initialization. */
static void evaluate_node(struct search *s, struct node *n, const struct ck_position *p, uint64_t depth)
{
	const struct ck_question *q = s->q;
	n->wants = mover_wants(s, p);
	struct ck_view view = ck_look(q->game, q->cert, p);
	PD_ASSERT(depth >= 1 && depth <= q->rank);
	/* The plies so far plus the rank of the record may be at most `rank`; the last argument is the smallest rank
	 * that is too large. */
	if (ck_view_has(q->game, &view, q->upper, q->bound, q->rank - depth + 1) ||
	    (!view.over && ck_has_cards(&q->cert->header) &&
	     ck_theorem_gives(q->game, p, q->upper, q->bound, q->rank - depth))) {
		set_solved(n, true);
	} else if (view.over || depth >= q->rank || on_path(s, p, depth)) {
		set_solved(n, false);
	} else {
		uint32_t count = q->game->rules->moves(q->game, p, s->moves);
		n->proof = n->wants ? 1 : count;
		n->disproof = n->wants ? count : 1;
	}
}

/* Computes the numbers of a node from those of its children. */
static void sum_up(struct node *n)
{
	uint32_t least = INFINITE, sum = 0;
	for (unsigned i = 0; i < n->count; i++) {
		const struct node *c = &n->children[i];
		uint32_t one = n->wants ? c->proof : c->disproof, all = n->wants ? c->disproof : c->proof;
		least = one < least ? one : least;
		sum = add_numbers(sum, all);
	}
	n->proof = n->wants ? least : sum;
	n->disproof = n->wants ? sum : least;
	PD_DEBUG_ASSERT((n->proof == 0) == (n->disproof == INFINITE)); /* P1 */
	PD_DEBUG_ASSERT((n->disproof == 0) == (n->proof == INFINITE));
}

/* Frees the sub-tree below a node without recursion, last children first; `count` is the number of children left. */
static void free_below(struct search *s, struct node *top)
{
	for (struct node *n = top; n->children || n != top;) {
		PD_ASSERT(!n->count || n->children);
		while (n->count && !n->children[n->count - 1].children) {
			n->count--;
			s->alive--;
		}
		if (n->count) {
			n = &n->children[n->count - 1];
			continue;
		}
		free(n->children);
		n->children = NULL;
		if (n == top)
			break;
		n = n->parent;
	}
}

/* Descends from the root to the most-proving leaf, playing the moves; fills in the path. */
static struct node *descend_to_leaf(struct search *s, struct ck_position *p, uint64_t *depth)
{
	struct node *n = &s->root;
	for (*depth = 0;; ++*depth) {
		if (s->path)
			s->path[*depth] = hash_of(s, p);
		if (!n->children)
			return n;
		struct node *best = n->children;
		for (unsigned i = 1; i < n->count; i++) {
			struct node *c = &n->children[i];
			if (n->wants ? c->proof < best->proof : c->disproof < best->disproof)
				best = c;
		}
		s->q->game->rules->play(s->q->game, p, best->move);
		n = best;
	}
}

static int by_code(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static bool expand_leaf(struct search *s, struct node *n, const struct ck_position *p, uint64_t depth)
{
	const struct ck_game *game = s->q->game;
	unsigned count = game->rules->moves(game, p, s->moves);
	PD_ASSERT(!n->children && count >= 1 && count <= CK_MOVES_MAX && depth < s->q->rank);
	qsort(s->moves, count, sizeof *s->moves, by_code);
	n->children = calloc(count, sizeof *n->children);
	if (!n->children)
		return false;
	n->count = (uint16_t)count;
	s->made += count;
	s->alive += count;
	for (unsigned i = 0; i < count; i++) {
		n->children[i].parent = n;
		n->children[i].move = s->moves[i];
	}
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next = *p;
		game->rules->play(game, &next, n->children[i].move);
		evaluate_node(s, &n->children[i], &next, depth + 1);
	}
	return true;
}

static bool is_solved(const struct node *n)
{
	return !n->proof || !n->disproof;
}

/* Expands the most-proving leaf and updates the numbers up to the root. */
static bool search_step(struct search *s)
{
	struct ck_position p = *s->q->position;
	uint64_t depth;
	struct node *n = descend_to_leaf(s, &p, &depth);
	if (!expand_leaf(s, n, &p, depth))
		return false;
	for (; n; n = n->parent) {
		sum_up(n);
		if (is_solved(n))
			free_below(s, n);
	}
	return true;
}

uint64_t ck_search_limit(uint64_t effort)
{
	uint64_t limit = effort > NODES_MAX / EFFORT_FACTOR ? NODES_MAX : effort * EFFORT_FACTOR;
	return PATIENCE * (limit < NODES_MIN ? NODES_MIN : limit);
}

static enum ck_answer run_search(struct search *s)
{
	const struct ck_question *q = s->q;
	for (uint64_t i = 0; !is_solved(&s->root); i++) {
		if (i % STEPS_BETWEEN_STOPS == 0 && q->stop && q->stop(q->ctx))
			return CK_STOPPED;
		if (s->made >= q->nodes || s->alive >= ALIVE_MAX)
			return CK_GAVE_UP;
		if (!search_step(s))
			return CK_NO_MEMORY;
	}
	PD_ASSERT(!s->root.proof != !s->root.disproof);
	return s->root.proof ? CK_REFUTED : CK_FOUND;
}

enum ck_answer ck_search(const struct ck_question *q, uint64_t *nodes)
{
	struct search *s = calloc(1, sizeof *s);
	enum ck_answer answer = CK_NO_MEMORY;
	*nodes = 0;
	if (!s)
		return answer;
	PD_ASSERT(q->rank >= 1);
	s->q = q;
	s->root = (struct node){.proof = 1, .disproof = 1, .wants = mover_wants(s, q->position)};
	s->path = q->game->repeats ? malloc((q->rank + 1) * sizeof *s->path) : NULL;
	answer = s->path || !q->game->repeats ? run_search(s) : CK_NO_MEMORY;
	*nodes = s->made;
	free_below(s, &s->root);
	PD_ASSERT(s->alive == 0);
	free(s->path);
	free(s);
	return answer;
}
