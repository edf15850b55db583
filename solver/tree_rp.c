/* RP-PN: randomized parallel proof-number search (after Saito, Winands and van den Herik, "Randomized parallel
 * proof-number search", Advances in Computer Games 12, 2009): several search threads in one tree under one lock.
 *
 * The first search thread follows the most-proving line. Each other one goes, at every node, to a child picked at
 * random among the open ones whose number exceeds that of the best by at most `distance` (D; how the paper bounds it
 * was not read). With one thread, or with D = 0, it is PN search expansion by expansion.
 *
 * A thread holds the lock while it descends and while it updates numbers. It expands its leaf without the lock, in a
 * tree of its own; meanwhile other threads may have expanded the same leaf, or solved one of its ancestors and freed
 * what was below. So the path is checked afterwards, from the root by its moves; if it is no longer there, the
 * expansion is lost.
 *
 * Each thread has its own path, and the nodes are those of search thread 0. What changes with them (`rp_shared`) is
 * copied into the thread's struct tree when it takes the lock, and back when it gives it up, so that the functions of
 * tree_search.h serve. Claims are told apart by their thresholds: the solver searches no claim twice. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/mutex.h"
#include "solver/group.h"
#include "solver/tree_engine.h"
#include "solver/tree_proof.h"
#include "solver/tree_learn.h"
#include "solver/tree_search.h"

/* What the threads share, under the lock. Made and owned by the engine of search thread 0; search_group.tree. */
struct rp_shared {
	struct pd_mutex lock;
	struct tree *owner; /* has the nodes */
	uint32_t bump;      /* this and the next two: as in struct tree */
	uint64_t live;
	game_move root_move;
	uint64_t random;    /* shuffles moves */
	uint64_t generated; /* by all */
	int threshold;      /* of the claim */
	bool started;       /* its tree is there */
	bool recorded;      /* its solved root has become facts */
};

/* One search thread's part. Owned by the solver's search_thread; one thread at a time runs it. */
struct rp {
	struct tree_engine top; /* first; the nodes of its tree are those of the owner */
	struct tree below;      /* for the expansion of a leaf */
	struct rp_shared *shared;
	struct search_group *group; /* borrowed */
	bool follows;               /* the most-proving line */
	uint64_t random;            /* picks children */
	game_move *moves;           /* owned; along the path: of each step to the next */
	struct tree own;            /* its tree as it was made, whose nodes it does not use; zero for search thread 0 */
};

static void rp_lock_tree(struct rp *rp)
{
	struct tree *tree = &rp->top.tree;
	pd_mutex_lock(&rp->shared->lock);
	tree->bump = rp->shared->bump;
	tree->live = rp->shared->live;
	tree->root_move = rp->shared->root_move;
	tree->depth = 0;
}

static void rp_unlock_tree(struct rp *rp)
{
	const struct tree *tree = &rp->top.tree;
	rp->shared->bump = tree->bump;
	rp->shared->live = tree->live;
	rp->shared->root_move = tree->root_move;
	pd_mutex_unlock(&rp->shared->lock);
}

/* --- the search, under the lock unless it says otherwise ------------------------------------ */

/* An open child of an open node of kind k, at random among those whose number is near the least. */
static uint32_t rp_pick_child(struct rp *rp, const struct tree_node *node, unsigned k)
{
	const struct tree_node *children = &rp->top.tree.nodes[node->child];
	uint64_t most = (uint64_t)node->num[k] + rp->top.options->siblings.distance;
	unsigned near = 0, i = 0;
	for (unsigned j = 0; j < node->count; j++)
		near += !num_solved(children[j].num) && children[j].num[k] <= most;
	PD_ASSERT(near);
	rp->random = rp->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	for (unsigned left = (unsigned)((rp->random >> 33) % near);; i++)
		if (!num_solved(children[i].num) && children[i].num[k] <= most && !left--)
			return node->child + i;
}

static void rp_descend(struct rp *rp)
{
	struct tree *tree = &rp->top.tree;
	const struct tree_node *node;
	bool follows = rp->follows || !rp->top.options->siblings.distance;
	while ((node = tree_here(tree))->count) {
		unsigned k = tree->path[tree->depth].k;
		uint32_t child = follows ? tree_most_proving_child(tree, node, k) : rp_pick_child(rp, node, k);
		PD_ASSERT(tree->depth < tree->depth_max);
		rp->moves[tree->depth] = tree->nodes[child].move;
		tree_step_down(tree, tree->depth, child);
	}
}

/* Whether the path to the leaf at `depth` is still there, and the leaf is open and not expanded. */
static bool rp_path_holds(const struct rp *rp, uint32_t depth)
{
	const struct tree *tree = &rp->top.tree;
	for (uint32_t d = 0; d < depth; d++) {
		const struct tree_node *node = &tree->nodes[tree->path[d].node];
		uint32_t child = tree->path[d + 1].node;
		if (num_solved(node->num) || child < node->child || child >= node->child + node->count ||
		    tree->nodes[child].move != rp->moves[d])
			return false;
	}
	const struct tree_node *leaf = &tree->nodes[tree->path[depth].node];
	return !num_solved(leaf->num) && !leaf->count;
}

/* Gives the leaf where the search stands the result of its expansion. False when the arena is full. */
static bool rp_take_expansion(struct rp *rp)
{
	struct tree *tree = &rp->top.tree;
	const struct tree_node *root = &rp->below.nodes[TREE_ROOT];
	struct tree_node *leaf = tree_here(tree);
	if (root->count) {
		uint64_t generated = tree->generated; /* `below` has counted them */
		bool room = tree_put_children(tree, &rp->below);
		tree->generated = generated;
		return room;
	}
	PD_ASSERT(num_solved(root->num) && !rp->below.options.keep_proofs);
	num_copy(leaf->num, root->num);
	leaf->child = root->child;
	if (!tree->depth)
		tree->root_move = rp->below.root_move;
	tree_ascend(tree);
	return true;
}

/* Descends to a leaf and begins its expansion. False when the root is solved, or the leaf is, without an expansion. */
static bool rp_select_leaf(struct rp *rp)
{
	struct tree *tree = &rp->top.tree;
	if (num_solved(tree_numbers(tree)))
		return false;
	question_limit_sums(&tree->question, rp->shared->generated);
	rp_descend(rp);
	if (tree_repetition(tree) || tree_known(tree)) {
		tree_ascend(tree);
		return false;
	}
	tree_start(&rp->below, &tree->question, tree_state(tree, tree->depth), UINT64_MAX);
	rp->below.random = rp->shared->random;
	return true;
}

/* Expands one leaf. Called without the lock. */
static enum pn_engine_end rp_expand_leaf(struct rp *rp)
{
	struct tree *tree = &rp->top.tree;
	uint64_t before = rp->below.generated;
	bool full = false;
	rp_lock_tree(rp);
	if (rp_select_leaf(rp)) {
		uint32_t depth = tree->depth;
		rp_unlock_tree(rp);
		bool made = tree_expand(&rp->below);
		PD_ASSERT(made); /* it has room for one */
		rp_lock_tree(rp);
		rp->shared->random = rp->below.random;
		rp->shared->generated += rp->below.generated - before;
		tree->depth = depth;
		full = rp_path_holds(rp, depth) && !rp_take_expansion(rp);
	}
	enum pn_engine_end end = full ? PN_ENGINE_FULL : PN_ENGINE_MORE;
	if (num_solved(tree_numbers(tree)))
		end = ghi_path_dependent(&tree->question, tree_numbers(tree)) ? PN_ENGINE_DEPTH : PN_ENGINE_SOLVED;
	if (end == PN_ENGINE_SOLVED && !rp->shared->recorded) {
		tree_record(tree, rp->top.options->detail, rp->top.facts);
		rp->shared->recorded = true;
	}
	rp_unlock_tree(rp);
	return end;
}

static enum pn_engine_end rp_run(struct pn_engine *engine, uint64_t *nodes)
{
	struct rp *rp = (void *)engine;
	enum pn_engine_end end = PN_ENGINE_MORE;
	while (end == PN_ENGINE_MORE && *nodes && !group_halted(rp->group)) {
		uint64_t before = rp->below.generated;
		end = rp_expand_leaf(rp);
		uint64_t used = rp->below.generated - before;
		*nodes = used < *nodes ? *nodes - used : 0;
	}
	return end;
}

/* --- the engine ----------------------------------------------------------------------------- */

static void rp_destroy(struct pn_engine *engine)
{
	struct rp *rp = (void *)engine;
	struct tree *tree = &rp->top.tree;
	if (rp->own.nodes) { /* search thread 0, whose engine ends first, frees the others */
		*tree = rp->own;
	} else if (rp->shared) {
		pd_mutex_fini(&rp->shared->lock);
		free(rp->shared);
		rp->group->tree = NULL;
	}
	tree_fini(tree);
	tree_fini(&rp->below);
	free(rp->moves);
	free(rp);
}

/* Makes what the threads share, or takes part in it. False when memory runs out. */
static bool rp_share(struct rp *rp)
{
	struct tree *tree = &rp->top.tree;
	if (rp->group->tree) {
		rp->shared = rp->group->tree;
		rp->own = *tree;
		tree->nodes = rp->shared->owner->nodes;
		tree->free_blocks = rp->shared->owner->free_blocks;
		tree->capacity = rp->shared->owner->capacity;
		return true;
	}
	rp->shared = calloc(1, sizeof *rp->shared);
	if (!rp->shared)
		return false;
	pd_mutex_init(&rp->shared->lock, PD_LOCK_SEARCH_TREE);
	rp->shared->owner = tree;
	rp->shared->random = tree->random;
	rp->group->tree = rp->shared;
	return true;
}

static struct pn_engine *rp_create(const struct pn_engine_setup *setup)
{
	const struct pn_options *o = setup->options;
	struct tree_options below = {
		.keep_proofs = o->detail != PN_FRONTIER,
		.mobility = o->mobility,
		.frontier = o->frontier,
		.seed = o->seed,
	};
	struct tree_options top = below;
	bool owner = !setup->group->tree;
	top.hints = setup->hints;
	struct rp *rp = calloc(1, sizeof *rp);
	if (!rp)
		return NULL;
	rp->top = (struct tree_engine){.engine = {&pn_engine_rp}, .options = o, .facts = setup->facts};
	rp->group = setup->group;
	rp->follows = owner;
	rp->random = o->seed + setup->personality * UINT64_C(0x9e3779b97f4a7c15);
	if (tree_init(&rp->below, setup->game, 0, &below) &&
	    tree_init(&rp->top.tree, setup->game, owner ? setup->level1_bytes : 0, &top) &&
	    (rp->moves = malloc((rp->top.tree.depth_max + 1) * sizeof *rp->moves)) && rp_share(rp))
		return &rp->top.engine;
	rp_destroy(&rp->top.engine);
	return NULL;
}

static bool rp_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct rp *rp = (void *)engine;
	struct rp_shared *shared = rp->shared;
	struct tree *tree = &rp->top.tree;
	rp_lock_tree(rp);
	if (!shared->started || shared->threshold != question->threshold) {
		tree_start(tree, question, state, UINT64_MAX);
		shared->threshold = question->threshold;
		shared->started = true;
		shared->recorded = false;
	}
	tree->question = *question;
	tree->path[0] = (struct tree_step){.node = TREE_ROOT, .k = question_kind(question, state)};
	memcpy(tree->states, state, question->game->state_size);
	rp_unlock_tree(rp);
	return true;
}

static void rp_numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct rp *rp = (const void *)engine;
	pd_mutex_lock(&rp->shared->lock);
	tree_engine_numbers(engine, num, leading);
	pd_mutex_unlock(&rp->shared->lock);
}

static void rp_report(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct rp *rp = (const void *)engine;
	uint64_t made = rp->below.generated + rp->top.tree.generated; /* the latter by searches for shorter wins */
	*out = (struct pn_engine_progress){.level2 = made, .positions = made, .in_tree = true};
}

/* Other threads see its tree, and the next claim forgets it. */
static void rp_do_nothing(struct pn_engine *engine)
{
	(void)engine;
}

static void rp_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct rp *rp = (void *)engine;
	rp->top.tree.options.host = learnt->host; /* from here on expansions ask it */
	if (!learnt->started)
		return;
	rp_lock_tree(rp);
	tree_learn(&rp->top.tree, learnt->key, learnt->size, learnt->num);
	rp_unlock_tree(rp);
}

static bool rp_view(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out)
{
	struct rp *rp = (struct rp *)(void *)engine;
	if (!rp->shared->started)
		return false;
	rp_lock_tree(rp);
	bool there = tree_engine_view(engine, path, out);
	rp_unlock_tree(rp);
	return there;
}

/* The answer is known: a search for a shorter win, by search thread 0 alone, may have the nodes. */
static struct tree *rp_idle_tree(struct pn_engine *engine)
{
	struct rp *rp = (void *)engine;
	rp->shared->started = false;
	return &rp->top.tree;
}

const struct pn_engine_type pn_engine_rp = {
	.plain = true,
	.create = rp_create,
	.destroy = rp_destroy,
	.start = rp_start,
	.run = rp_run,
	.numbers = rp_numbers,
	.move = tree_engine_move,
	.progress = rp_report,
	.publish = rp_do_nothing,
	.learn = rp_learn,
	.drop = rp_do_nothing,
	.view = rp_view,
	.tree = rp_idle_tree,
};
