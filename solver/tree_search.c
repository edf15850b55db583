#include "solver/tree_search.h"

#include "solver/huge_memory.h"
#include "solver/tree_proof.h"

_Static_assert(sizeof(struct tree_node) == 16, "four nodes a cache line");

enum {
	DEPTH_UNBOUNDED = 4096, /* path steps where the game says no bound */
	CACHE_EFFORT_MIN = 4    /* nodes; a position that took fewer is solved again faster than it is looked up */
};

void tree_set_options(struct tree *tree, const struct tree_options *options)
{
	const struct game *game = tree->question.game;
	const struct game_rules *rules = game->rules;
	PD_ASSERT(!options->rule == !tree->values);
	tree->options = *options;
	tree->options.knowledge &= question_has_knowledge(game);
	tree->mobility_only = rules->replies && options->mobility && pn_frontier_is_plain(&options->frontier) &&
			      !(options->heuristics && rules->initial_numbers) &&
			      !(options->immediate_win && rules->immediate_win);
}

bool tree_init(struct tree *tree, const struct game *game, uint64_t bytes, const struct tree_options *options)
{
	size_t value = options->rule ? options->rule->size : 0;
	uint64_t capacity = bytes / (sizeof(struct tree_node) + value),
		 least = TREE_NODES_MIN + 2 * (uint64_t)game->moves_max;
	if (capacity < least)
		capacity = least;
	if (capacity > UINT32_MAX)
		capacity = UINT32_MAX;
	*tree = (struct tree){
		.question = question_of(game, 0),
		.options = *options,
		.capacity = (uint32_t)capacity,
		.stride = (game->state_size + 15) & ~(size_t)15,
		.depth_max = game->plies_max ? game->plies_max : DEPTH_UNBOUNDED,
		.random = options->seed,
	};
	PD_ASSERT(game->moves_max < UINT16_MAX);
	size_t steps = (size_t)tree->depth_max + 2;
	tree->nodes = pn_memory_map(capacity * sizeof *tree->nodes);
	tree->values = value ? pn_memory_map(capacity * value) : NULL;
	tree->free_blocks = calloc(game->moves_max + 1, sizeof *tree->free_blocks);
	tree->path = malloc(steps * sizeof *tree->path);
	tree->states = aligned_alloc(16, steps * tree->stride);
	tree->moves = malloc(2 * game->moves_max * sizeof *tree->moves);
	tree->replies = tree->moves ? tree->moves + game->moves_max : NULL;
	tree->ids = game->acyclic ? NULL : malloc(steps * sizeof *tree->ids);
	if (tree->nodes && (tree->values || !value) && tree->free_blocks && tree->path && tree->states && tree->moves &&
	    (tree->ids || game->acyclic)) {
		tree_set_options(tree, options);
		return true;
	}
	tree_fini(tree);
	return false;
}

void tree_fini(struct tree *tree)
{
	pn_memory_unmap(tree->nodes, tree->capacity * sizeof *tree->nodes);
	if (tree->values)
		pn_memory_unmap(tree->values, tree->capacity * tree->options.rule->size);
	free(tree->free_blocks);
	free(tree->path);
	free(tree->states);
	free(tree->ids);
	free(tree->moves);
	*tree = (struct tree){0};
}

/* --- the arena ---------------------------------------------------------------------------- */

uint32_t tree_take_block(struct tree *tree, unsigned count)
{
	PD_DEBUG_ASSERT(count && count <= tree->question.game->moves_max);
	uint32_t block = tree->free_blocks[count];
	if (block) {
		tree->free_blocks[count] = tree->nodes[block].num[0];
	} else if (tree->capacity - tree->bump >= count) {
		block = tree->bump;
		tree->bump += count;
	} else {
		unsigned larger = count + 1, most = tree->question.game->moves_max;
		while (larger <= most && !tree->free_blocks[larger])
			larger++;
		if (larger > most)
			return 0;
		block = tree->free_blocks[larger];
		tree->free_blocks[larger] = tree->nodes[block].num[0];
		uint32_t rest = block + count;
		tree->nodes[rest].num[0] = tree->free_blocks[larger - count];
		tree->free_blocks[larger - count] = rest;
	}
	tree->live += count;
	PD_DEBUG_ASSERT(block > TREE_ROOT && block + count <= tree->bump && tree->live < tree->capacity);
	return block;
}

static void tree_free_block(struct tree *tree, uint32_t block, unsigned count)
{
	PD_DEBUG_ASSERT(block > TREE_ROOT && block + count <= tree->bump && tree->live > count);
	tree->nodes[block].num[0] = tree->free_blocks[count];
	tree->free_blocks[count] = block;
	tree->live -= count;
}

/* A block that waits its turn is linked through the numbers of its first node, which are no longer needed. */
uint64_t tree_free_below(struct tree *tree, uint32_t block, unsigned count)
{
	struct tree_node *nodes = tree->nodes;
	uint64_t took = 0;
	uint32_t waiting = 0;
	for (;;) {
		took += count;
		for (unsigned i = 0; i < count; i++) {
			struct tree_node *n = &nodes[block + i];
			if (n->count) {
				uint32_t below = n->child;
				nodes[below].num[0] = waiting;
				nodes[below].num[1] = n->count;
				waiting = below;
			} else {
				took += n->child;
			}
		}
		tree_free_block(tree, block, count);
		if (!waiting)
			return took;
		block = waiting;
		count = nodes[block].num[1];
		waiting = nodes[block].num[0];
	}
}

/* --- solved nodes ------------------------------------------------------------------------- */

/* Keeps of a solved node what its proof needs: all children of one that its mover loses; of one that its mover wins,
 * the winning child. */
static void tree_trim_solved(struct tree *tree, struct tree_node *node, unsigned k, unsigned best)
{
	if (node->num[k])
		return;
	for (unsigned i = 0; i < node->count; i++) {
		struct tree_node *c = &tree->nodes[node->child + i];
		if (i == best || !c->count)
			continue;
		tree_free_below(tree, c->child, c->count);
		c->count = 0;
		c->child = 0;
	}
}

/* The node on the path at `depth` is solved by its children, `best` the one that decides. */
static void tree_solve_node(struct tree *tree, uint32_t depth, unsigned best)
{
	struct tree_node *node = &tree->nodes[tree->path[depth].node];
	unsigned k = tree->path[depth].k;
	bool wins = node->num[k] == 0;
	PD_ASSERT(num_sound(node->num) && num_solved(node->num) && best < node->count); /* P1 */
	unsigned move = wins ? tree->nodes[node->child + best].move : PD_NO_MOVE;
	if (depth == 0)
		tree->root_move = (game_move)move;
	if (tree->options.keep_proofs) {
		tree_trim_solved(tree, node, k, best);
		if (!tree->options.facts || ghi_path_dependent(&tree->question, node->num))
			return;
		tree_emit_from(tree, depth, tree->options.facts);
	}
	uint64_t took = tree_free_below(tree, node->child, node->count);
	node->child = tree_clamp_effort(took);
	node->count = 0;
	if (!tree->options.cache || took < CACHE_EFFORT_MIN || tree->options.keep_proofs ||
	    ghi_path_dependent(&tree->question, node->num))
		return;
	tree_cache_result(tree, node, tree_state(tree, depth), move, took, false);
}

/* The cache knows the answer for the node where the search stands. */
static bool tree_ask_cache(struct tree *tree, struct tree_node *node, struct pd_id id)
{
	struct cache *cache = tree->options.cache;
	const struct question *q = &tree->question;
	struct cache_entry e;
	tree->asked.asks++;
	if (!cache_get(cache, id, &e))
		return false;
	int side = cache_answer(&e, q->threshold);
	if (side < 0 || tree_beyond_horizon(tree, side == PD_LO, e.bounds.rank[side]))
		return false;
	question_set_known(q, node->num, side == PD_LO, e.bounds.rank[side]);
	tree->asked.hits++;
	node->count = 0;
	/* To repeat this search, a fact costs one look-up; what only the cache knows has to be solved again. */
	bool fact = e.mark & (uint32_t)CACHE_FACT << side;
	node->child = tree->options.keep_proofs || fact ? 0 : cache_effort(&e);
	return true;
}

/* The host has a fact that answers for the node where the search stands. */
static bool tree_ask_host(struct tree *tree, struct tree_node *node)
{
	const struct question *q = &tree->question;
	const struct pn_host *host = tree->options.host;
	uint8_t key[GAME_KEY_MAX];
	uint32_t num[2];
	struct pd_fact fact;
	size_t size = q->game->rules->key(q->game, tree_state(tree, tree->depth), key);
	pd_fact_init(&fact);
	bool settled = host->fact(host->ctx, key, size, &fact) && question_settled(q, &fact, num);
	pd_fact_fini(&fact);
	if (!settled || tree_beyond_horizon(tree, num[0] == 0, num_rank(num)))
		return false;
	num_copy(node->num, num);
	node->count = 0;
	node->child = 0;
	return true;
}

/* --- expansion ---------------------------------------------------------------------------- */

/* Static solve: the game knows the result of a child of the node where the search stands. */
static bool tree_solve_static(const struct tree *tree, const void *child, struct tree_node *c)
{
	uint32_t effort, num[2];
	if (!question_static_solve(&tree->question, child, num, &effort))
		return false;
	if (tree->horizon.plies && (num[0] == 0) == tree->horizon.proof &&
	    tree->depth + 1 + num_rank(num) > tree->horizon.plies)
		return false;
	num_copy(c->num, num);
	c->child = tree->options.keep_proofs ? 0 : effort;
	return true;
}

static void tree_make_child(struct tree *tree, struct tree_node *c, game_move move)
{
	const struct question *q = &tree->question;
	uint8_t *child = tree_copy_on(tree, tree->depth);
	q->game->rules->play(q->game, child, move);
	c->child = 0;
	c->move = move;
	c->count = 0;
	if (question_terminal(q, child, c->num))
		return;
	if (tree->horizon.plies && tree->depth + 1 >= tree->horizon.plies) {
		num_set_solved(c->num, !tree->horizon.proof, NUM_CUT_OFF);
		return;
	}
	if (tree->options.immediate_win && question_immediate_win(q, child, c->num))
		return;
	if (tree->options.knowledge && tree_solve_static(tree, child, c))
		return;
	tree_set_initial_numbers(tree, child, c->num);
}

/* Mobility initialization of a child that is not terminal and has `replies` moves; k is its parent's type. */
static inline void set_mobility(struct tree_node *c, unsigned k, game_move move, unsigned replies)
{
	*c = (struct tree_node){.move = move};
	c->num[k] = replies;
	c->num[1 - k] = 1;
}

/* Makes the children of the leaf where the search stands, up to the first that its mover wins. False when the arena has
 * no room. */
static bool tree_make_children(struct tree *tree, struct tree_node *node, unsigned k, struct num_sum *sum)
{
	const struct game_rules *rules = tree->question.game->rules;
	const void *state = tree_state(tree, tree->depth);
	unsigned count = question_moves(&tree->question, state, tree->moves);
	if (tree->options.seed)
		question_shuffle_moves(&tree->random, tree->moves, count);
	uint32_t block = tree_take_block(tree, count);
	if (!block)
		return false;
	unsigned made = 0;
	bool counted = tree->mobility_only && (!tree->horizon.plies || tree->depth + 1 < tree->horizon.plies);
	if (counted)
		rules->replies(tree->question.game, state, tree->moves, count, tree->replies);
	num_sum_init(sum);
	while (made < count && sum->min) {
		struct tree_node *c = &tree->nodes[block + made];
		if (counted && tree->replies[made])
			set_mobility(c, k, tree->moves[made], tree->replies[made]);
		else
			tree_make_child(tree, c, tree->moves[made]);
		num_sum_add(sum, k, c->num, made++);
	}
	tree->generated += made;
	if (tree->options.rule)
		for (unsigned i = 0; i < made; i++)
			tree->options.rule->leaf(tree, block + i, tree->depth + 1);
	for (unsigned i = made; i < count; i++) /* siblings of a winning move are not needed */
		tree->nodes[block + i] = (struct tree_node){.num = {1, 1}};
	node->child = block;
	node->count = (uint16_t)count;
	return true;
}

/* The identity of the position at a step of the path, where positions can come back. Most are never asked for. */
static struct pd_id id_at(struct tree *tree, uint32_t depth)
{
	struct tree_step *step = &tree->path[depth];
	if (!step->named)
		tree->ids[depth] = question_position_id(&tree->question, tree_state(tree, depth));
	step->named = true;
	return tree->ids[depth];
}

/* The leaf where the search stands is solved because its position stands on the path already, or because the path
 * cannot go on. */
static bool tree_set_repetition(struct tree *tree, struct tree_node *node)
{
	const struct tree_step *path = tree->path;
	uint32_t depth = tree->depth;
	for (uint32_t d = depth; d-- > path[depth].since;)
		if (path[d].k == path[depth].k && pd_id_equal(id_at(tree, d), id_at(tree, depth))) {
			ghi_set_repetition(&tree->question, node->num, d);
			return true;
		}
	if (depth < tree->depth_max)
		return false;
	PD_ASSERT(depth == tree->depth_max);
	ghi_set_cut_off(&tree->question, node->num);
	return true;
}

/* The numbers of a node's children. By value, here and below, so that they stay in registers. */
static inline __attribute__((always_inline)) struct num_sum tree_sum_children(const struct tree *tree,
									      const struct tree_node *node, unsigned k)
{
	struct num_sum sum;
	num_sum_init(&sum);
	for (unsigned i = 0; i < node->count; i++)
		num_sum_add(&sum, k, tree->nodes[node->child + i].num, i);
	return sum;
}

/* Whether a hint names that child of the node where the search stands. */
static bool is_named(const struct tree *tree, struct pd_id here, const struct tree_node *c)
{
	const struct question *q = &tree->question;
	uint8_t *child = tree_copy_on(tree, tree->depth);
	q->game->rules->play(q->game, child, c->move);
	return hints_name(tree->options.hints, here, question_position_id(q, child));
}

__attribute__((noinline, cold)) struct num_sum tree_follow_hints(struct tree *tree, const struct tree_node *node,
								 unsigned k)
{
	struct pd_id here = question_position_id(&tree->question, tree_state(tree, tree->depth));
	struct tree_node *children = &tree->nodes[node->child];
	bool open = false;
	struct num_sum sum = tree_sum_children(tree, node, k);
	if (!sum.min || !hints_at(tree->options.hints, here))
		return sum;
	for (unsigned i = 0; i < node->count && !open; i++)
		open = !num_solved(children[i].num) && children[i].num[k] < HINT_NUMBER &&
		       is_named(tree, here, &children[i]);
	for (unsigned i = 0; i < node->count && open; i++)
		if (!num_solved(children[i].num) && children[i].num[k] < HINT_NUMBER &&
		    !is_named(tree, here, &children[i]))
			children[i].num[k] = HINT_NUMBER;
	return tree_sum_children(tree, node, k);
}

/* The children that hints name have failed: the others begin as others do. Returns the children's numbers. */
static __attribute__((noinline, cold)) struct num_sum tree_forget_hints(struct tree *tree, const struct tree_node *node,
									unsigned k)
{
	for (unsigned i = 0; i < node->count; i++) {
		struct tree_node *c = &tree->nodes[node->child + i];
		if (c->num[k] == HINT_NUMBER && !c->count)
			c->num[k] = 1;
	}
	return tree_sum_children(tree, node, k);
}

/* The rule's value of the node where the search stands. Returns whether it changed. */
static bool tree_update_value(struct tree *tree)
{
	const struct tree_rule *rule = tree->options.rule;
	const struct tree_step *step = &tree->path[tree->depth];
	if (!num_solved(tree->nodes[step->node].num))
		return rule->inner(tree, step->node, step->k);
	rule->leaf(tree, step->node, tree->depth);
	return true;
}

/* Sets `num` to the numbers of the node where the search stands, given those of its children. Returns the index of the
 * child that decides it. */
static inline __attribute__((always_inline)) unsigned tree_backup(struct tree *tree, const struct tree_rule *rule,
								  struct num_sum *sum, unsigned k, uint32_t num[2])
{
	if (rule && rule->backup)
		return rule->backup(tree, tree->path[tree->depth].node, k, num);
	ghi_backup(&tree->question, sum, k, tree->depth, num);
	return sum->best;
}

bool tree_expand(struct tree *tree)
{
	struct tree_node *node = &tree->nodes[tree->path[tree->depth].node];
	unsigned k = tree->path[tree->depth].k;
	bool ask = tree->options.cache && tree->depth;
	struct pd_id id = {0};
	if (tree->ids && tree_set_repetition(tree, node))
		return true;
	if (ask) { /* the children are made while memory fetches the bucket */
		id = tree->ids ? id_at(tree, tree->depth)
			       : question_position_id(&tree->question, tree_state(tree, tree->depth));
		__builtin_prefetch(cache_bucket(tree->options.cache, id));
	}
	struct num_sum sum;
	if (!tree_make_children(tree, node, k, &sum))
		return false;
	if (tree->options.hints)
		sum = tree_follow_hints(tree, node, k);
	uint32_t block = node->child;
	unsigned count = node->count;
	if ((ask &&
	     (tree_ask_cache(tree, node, id) || (tree->options.cache->dominance && tree_follows(tree, node, id)))) ||
	    (tree->options.host && tree->depth && tree_ask_host(tree, node))) {
		tree_free_block(tree, block, count);
		return true;
	}
	unsigned best = tree_backup(tree, tree->options.rule, &sum, k, node->num);
	if (tree->options.rule)
		tree_update_value(tree);
	if (!num_solved(node->num))
		return true;
	if (tree->depth == 0 && node->num[k] == 0)
		tree->root_move = tree->nodes[block + best].move;
	if (!tree->options.keep_proofs) {
		uint64_t took = tree_free_below(tree, block, count);
		node->child = tree_clamp_effort(took);
		node->count = 0;
	} else if (tree->options.facts) {
		tree_solve_node(tree, tree->depth, best);
	}
	return true;
}

bool tree_repetition(struct tree *tree)
{
	return tree->ids && tree_set_repetition(tree, tree_here(tree));
}

bool tree_known(struct tree *tree)
{
	return tree->options.host && tree->depth && tree_ask_host(tree, tree_here(tree));
}

game_move tree_leading(const struct tree *tree)
{
	const struct tree_node *root = &tree->nodes[TREE_ROOT];
	struct num_sum sum = tree_sum_children(tree, root, tree->path[0].k);
	return tree->root_move != PD_NO_MOVE || sum.min == UINT32_MAX ? tree->root_move
								      : tree->nodes[root->child + sum.best].move;
}

/* --- the search --------------------------------------------------------------------------- */

void tree_start(struct tree *tree, const struct question *question, const void *state, uint64_t budget)
{
	PD_ASSERT(budget > 0);
	tree->question = *question;
	tree->bump = TREE_ROOT + 1;
	memset(tree->free_blocks, 0, (question->game->moves_max + 1) * sizeof *tree->free_blocks);
	tree->live = 1;
	tree->budget = budget;
	tree->rival = (struct pn_leaf_rival){.limit = UINT32_MAX};
	tree->depth = 0;
	tree->root_move = PD_NO_MOVE;
	tree->horizon.plies = 0;
	memcpy(tree->states, state, question->game->state_size);
	tree->path[0] = (struct tree_step){.node = TREE_ROOT, .k = question_kind(question, state)};
	struct tree_node *root = &tree->nodes[TREE_ROOT];
	*root = (struct tree_node){.num = {1, 1}, .move = PD_NO_MOVE};
	if (!question_terminal(question, state, root->num))
		tree_set_initial_numbers(tree, state, root->num);
}

void tree_limit(struct tree *tree, unsigned plies, bool proof)
{
	PD_ASSERT(plies && tree->live == 1 && !tree_seeks_smallest(tree));
	tree->horizon.plies = plies;
	tree->horizon.proof = proof;
}

/* Whether no position before the move can occur again after it. */
static inline bool is_irreversible(const struct tree *tree, uint32_t depth, game_move move)
{
	const struct game *game = tree->question.game;
	return game->rules->irreversible && game->rules->irreversible(game, tree_state(tree, depth), move);
}

/* Inlined once for `rule` NULL: a test of it at each step costs two in a hundred instructions. The same below. */
static inline __attribute__((always_inline)) void tree_descend_by(struct tree *tree, const struct tree_rule *rule)
{
	const struct question *q = &tree->question;
	uint32_t depth = tree->depth;
	struct tree_node *node = &tree->nodes[tree->path[depth].node];
	while (node->count) {
		unsigned k = tree->path[depth].k;
		uint32_t child =
			rule ? rule->select(tree, tree->path[depth].node, k) : tree_most_proving_child(tree, node, k);
		PD_ASSERT(child < node->child + node->count && depth < tree->depth_max);
		node = &tree->nodes[child];
		__builtin_prefetch(&tree->nodes[node->child]); /* the next step's, or none */
		uint32_t since = is_irreversible(tree, depth, node->move) ? depth + 1 : tree->path[depth].since;
		void *state = tree_copy_on(tree, depth++);
		q->game->rules->play(q->game, state, node->move);
		tree->path[depth] = (struct tree_step){.node = child, .k = question_kind(q, state), .since = since};
	}
	tree->depth = depth;
}

static __attribute__((noinline)) void tree_descend_by_rule(struct tree *tree)
{
	tree->descents++;
	tree_descend_by(tree, tree->options.rule);
}

void tree_descend(struct tree *tree)
{
	if (tree->options.rule)
		tree_descend_by_rule(tree);
	else
		tree_descend_by(tree, NULL);
}

/* The node where the search stands takes its numbers from its children. False when they are as they were. */
static inline __attribute__((always_inline)) bool tree_update_node(struct tree *tree, const struct tree_rule *rule)
{
	struct tree_node *node = tree_here(tree);
	unsigned k = tree->path[tree->depth].k;
	struct num_sum sum = tree_sum_children(tree, node, k);
	if (tree->options.hints && sum.min == HINT_NUMBER)
		sum = tree_forget_hints(tree, node, k);
	uint32_t num[2];
	unsigned best = tree_backup(tree, rule, &sum, k, num);
	PD_DEBUG_ASSERT(num_sound(num));
	bool same = num[0] == node->num[0] && num[1] == node->num[1];
	if (same && !rule)
		return false;
	num_copy(node->num, num);
	if (rule)
		same &= !tree_update_value(tree);
	if (!same && num_solved(num))
		tree_solve_node(tree, tree->depth, best);
	return !same;
}

static inline __attribute__((always_inline)) void tree_ascend_by(struct tree *tree, const struct tree_rule *rule)
{
	bool changed = true;
	while (changed && tree->depth) {
		tree->depth--;
		changed = tree_update_node(tree, rule);
	}
}

static __attribute__((noinline)) void tree_ascend_by_rule(struct tree *tree)
{
	tree_ascend_by(tree, tree->options.rule);
}

void tree_ascend(struct tree *tree)
{
	if (tree->options.rule)
		tree_ascend_by_rule(tree);
	else
		tree_ascend_by(tree, NULL);
}

bool tree_put_children(struct tree *tree, const struct tree *below)
{
	const struct tree_node *root = &below->nodes[TREE_ROOT];
	struct tree_node *node = tree_here(tree);
	PD_ASSERT(root->count && !node->count && tree->question.game == below->question.game);
	uint32_t block = tree_take_block(tree, root->count);
	if (!block)
		return false;
	for (unsigned i = 0; i < root->count; i++) {
		const struct tree_node *from = &below->nodes[root->child + i];
		struct tree_node *to = &tree->nodes[block + i];
		*to = (struct tree_node){.num = {from->num[0], from->num[1]}, .move = from->move};
		if (num_solved(to->num) && ghi_path_dependent(&tree->question, to->num))
			to->num[0] = to->num[1] = 1;
		else if (num_solved(to->num) && !from->count)
			to->child = from->child;
	}
	tree->generated += root->count;
	node->child = block;
	node->count = root->count;
	if (tree->options.hints)
		tree_follow_hints(tree, node, tree->path[tree->depth].k);
	if (tree_update_node(tree, tree->options.rule))
		tree_ascend(tree);
	return true;
}

void tree_set_rival(struct tree *tree, const struct pn_leaf_rival *rival)
{
	PD_ASSERT(tree->live == 1 && rival->k < 2);
	tree->rival = *rival;
	tree->rival.limit = rival->limit ? rival->limit : UINT32_MAX;
	tree->rival.from += tree->generated;
}

/* Doubles the budget while the root is still the best of its siblings. */
static bool tree_extend_budget(struct tree *tree)
{
	const struct pn_leaf_rival *rival = &tree->rival;
	if (tree_numbers(tree)[rival->k] > rival->second || tree->budget > rival->most / 2)
		return false;
	tree->budget *= 2;
	return true;
}

enum tree_end tree_run(struct tree *tree, uint64_t *nodes)
{
	const struct tree_node *root = &tree->nodes[TREE_ROOT];
	const struct pn_leaf_rival *rival = &tree->rival;
	uint64_t start = tree->generated, stop = start + *nodes;
	PD_ASSERT(tree->bump > TREE_ROOT && tree->depth <= tree->depth_max); /* it was started */
	enum tree_end end = TREE_MORE;
	while (!num_solved(root->num)) {
		if (tree->live > tree->budget && !tree_extend_budget(tree)) {
			end = TREE_BUDGET;
			break;
		}
		if (root->num[rival->k] > rival->limit && tree->generated >= rival->from) {
			end = TREE_BUDGET;
			break;
		}
		if (tree->generated >= stop)
			break;
		question_limit_sums(&tree->question, tree->generated);
		tree_descend(tree);
		const struct tree_node *leaf = &tree->nodes[tree->path[tree->depth].node];
		uint32_t before[2] = {leaf->num[0], leaf->num[1]};
		if (!tree_expand(tree)) {
			end = TREE_FULL;
			break;
		}
		if (tree->options.rule || before[0] != leaf->num[0] || before[1] != leaf->num[1])
			tree_ascend(tree);
	}
	if (num_solved(root->num))
		end = ghi_path_dependent(&tree->question, root->num) ? TREE_DEPTH : TREE_SOLVED;
	uint64_t used = tree->generated - start;
	*nodes = used < *nodes ? *nodes - used : 0;
	return end;
}

void tree_step_down(struct tree *tree, uint32_t depth, uint32_t child)
{
	const struct question *q = &tree->question;
	game_move move = tree->nodes[child].move;
	uint32_t since = is_irreversible(tree, depth, move) ? depth + 1 : tree->path[depth].since;
	void *state = tree_copy_on(tree, depth);
	q->game->rules->play(q->game, state, move);
	tree->path[depth + 1] = (struct tree_step){.node = child, .k = question_kind(q, state), .since = since};
	tree->depth = depth + 1;
}
