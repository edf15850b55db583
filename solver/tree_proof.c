#include "solver/tree_proof.h"

#include "solver/dominance.h"

enum { FOLLOWING_EFFORT_MIN = 1000 /* nodes; the search of a leaf meets many positions that follow by dominance */ };

/* Lists a position, in place of the one of least effort when the list is full; the key's frame is that of the move. */
static void tree_list_solved(struct tree_solved *list, const struct game *game, const void *state,
			     const struct pd_reason *reason)
{
	unsigned at = list->count;
	PD_ASSERT(list->count <= PN_LEAF_SOLVED_MAX && reason->effort >= PN_LEAF_SOLVED_EFFORT);
	if (at == PN_LEAF_SOLVED_MAX) {
		at = 0;
		for (unsigned i = 1; i < list->count; i++)
			if (list->item[i].reason.effort < list->item[at].reason.effort)
				at = i;
		if (list->item[at].reason.effort >= reason->effort)
			return;
	} else {
		list->count++;
	}
	struct pn_leaf_solved *s = &list->item[at];
	s->reason = *reason;
	s->key_size = (uint16_t)game->rules->key(game, state, s->key);
}

void tree_cache_result(struct tree *tree, const struct tree_node *node, const void *state, unsigned move,
		       uint64_t effort, bool fact)
{
	const struct question *q = &tree->question;
	struct pd_reason reason = question_reason(q, node->num);
	reason.move = (uint16_t)(move == PD_NO_MOVE ? move : game_canon(q->game, state, (game_move)move, false));
	cache_put(tree->options.cache, question_position_id(q, state), &reason, effort, fact);
	if (tree->options.cache->dominance)
		dominance_put(tree->options.cache->dominance, q, state, &reason, effort, fact);
	if (tree->options.solved && effort >= PN_LEAF_SOLVED_EFFORT) {
		reason.effort = tree_clamp_effort(effort);
		tree_list_solved(tree->options.solved, q->game, state, &reason);
	}
}

bool tree_follows(struct tree *tree, struct tree_node *node, struct pd_id id)
{
	const struct question *q = &tree->question;
	const void *state = tree_state(tree, tree->depth);
	struct cache *cache = tree->options.cache;
	bool full = tree->options.keep_proofs;
	struct dominance_entry e;
	if (!tree->options.dominating)
		return false;
	struct dominance_place place = dominance_place(q, state);
	if (!dominance_get(cache->dominance, q, &place, full, &e) || tree_beyond_horizon(tree, e.side == PD_LO, e.rank))
		return false;
	tree->asked.hits++;
	question_set_known(q, node->num, e.side == PD_LO, e.rank);
	node->count = 0;
	node->child = full ? 0 : e.effort;
	if (!e.fact || (!full && e.effort < FOLLOWING_EFFORT_MIN))
		return true;
	struct pd_reason reason = dominance_reason(q, state, &e);
	node->child = 0;
	fact_buffer_put(tree->options.dominating, q, state, reason);
	reason.move = e.move;
	cache_put(cache, id, &reason, e.effort, true);
	return true;
}

void tree_emit_immediate_win(const struct question *q, const void *state, const uint32_t num[2], game_move *moves,
			     struct fact_buffer *facts)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	struct pd_reason reason = question_reason(q, num);
	unsigned count = question_moves(q, state, moves);
	for (unsigned i = 0; i < count; i++) {
		uint32_t after[2];
		memcpy(child, state, q->game->state_size);
		q->game->rules->play(q->game, child, moves[i]);
		if (question_terminal(q, child, after) && (after[0] == 0) == (num[0] == 0)) {
			reason.move = moves[i];
			fact_buffer_put(facts, q, state, reason);
			return;
		}
	}
	PD_ASSERT(!"immediate_win of the game announced a win that no move gives");
}

static void tree_emit_node(struct tree *tree, const struct tree_node *node, const void *state, game_move move,
			   struct fact_buffer *facts)
{
	const struct question *q = &tree->question;
	struct pd_reason reason = question_reason(q, node->num);
	reason.move = move;
	fact_buffer_put(facts, q, state, reason);
	if (tree->options.cache)
		tree_cache_result(tree, node, state, move, 1, true);
}

/* The next child of a proof's node that needs a fact of its own, from *next on; NULL when there is none. A node that
 * its mover wins needs only its best child. */
static struct tree_node *tree_next_needed(struct tree *tree, const struct tree_node *node, unsigned k, uint32_t *next)
{
	if (node->num[k] == 0) {
		struct num_sum sum;
		num_sum_init(&sum);
		for (unsigned i = 0; i < node->count; i++)
			if (tree->nodes[node->child + i].num[k] == 0)
				num_sum_add(&sum, k, tree->nodes[node->child + i].num, i);
		if (*next)
			return NULL;
		*next = 1;
		return node->count ? &tree->nodes[node->child + sum.best] : NULL;
	}
	return *next < node->count ? &tree->nodes[node->child + (*next)++] : NULL;
}

/* Records the node on the path at `depth`, unless it is a fact already (what the cache knew is one). */
static void tree_emit_step(struct tree *tree, uint32_t depth, struct fact_buffer *facts)
{
	struct tree_node *node = &tree->nodes[tree->path[depth].node];
	unsigned k = tree->path[depth].k;
	uint32_t none = 0, num[2], effort;
	if (num_rank(node->num) == 0)
		return;
	if (!node->count) { /* already a fact, a repetition, an immediate win, or solved statically */
		const struct question *q = &tree->question;
		const void *state = tree_state(tree, depth);
		bool immediate = question_immediate_win(q, state, num);
		if (node->num[k] == 0 && immediate && num[k] == 0) {
			tree_emit_immediate_win(q, state, num, tree->replies, facts);
		} else if (!immediate && tree->options.knowledge && question_static_solve(q, state, num, &effort)) {
			struct pd_reason reason = question_reason(q, num);
			reason.effort = effort;
			fact_buffer_put(facts, q, state, reason);
		}
		return;
	}
	const struct tree_node *best = node->num[k] == 0 ? tree_next_needed(tree, node, k, &none) : NULL;
	tree_emit_node(tree, node, tree_state(tree, depth), best ? best->move : PD_NO_MOVE, facts);
}

void tree_emit_from(struct tree *tree, uint32_t start, struct fact_buffer *facts)
{
	const struct question *q = &tree->question;
	uint32_t depth = start;
	PD_ASSERT(tree->options.keep_proofs && num_solved(tree->nodes[tree->path[start].node].num));
	tree->path[start].next = 0;
	tree_emit_step(tree, start, facts);
	for (;;) {
		struct tree_step *step = &tree->path[depth];
		struct tree_node *c = tree_next_needed(tree, &tree->nodes[step->node], step->k, &step->next);
		if (c) {
			void *state = tree_copy_on(tree, depth);
			q->game->rules->play(q->game, state, c->move);
			depth++;
			tree->path[depth] =
				(struct tree_step){.node = (uint32_t)(c - tree->nodes), .k = question_kind(q, state)};
			tree_emit_step(tree, depth, facts);
		} else if (depth-- == start) {
			break;
		}
	}
}

void tree_emit(struct tree *tree, struct fact_buffer *facts)
{
	tree_emit_from(tree, 0, facts);
}

void tree_emit_child(struct tree *tree, unsigned index, struct fact_buffer *facts)
{
	const struct question *q = &tree->question;
	uint32_t child = tree->nodes[TREE_ROOT].child + index;
	void *state = tree_state(tree, 1);
	memcpy(state, tree_state(tree, 0), q->game->state_size);
	q->game->rules->play(q->game, state, tree->nodes[child].move);
	tree->path[1] = (struct tree_step){.node = child, .k = question_kind(q, state)};
	tree_emit_from(tree, 1, facts);
}

void tree_record(struct tree *tree, enum pn_detail detail, struct fact_buffer *facts)
{
	const uint32_t *num = tree_numbers(tree);
	PD_ASSERT(num_sound(num) && num_solved(num) && !ghi_path_dependent(&tree->question, num));
	if (detail != PN_FRONTIER) {
		tree_emit(tree, facts);
		return;
	}
	struct pd_reason reason = question_reason(&tree->question, num);
	reason.move = tree->root_move;
	reason.effort = tree_effort(tree);
	fact_buffer_put(facts, &tree->question, tree_state(tree, 0), reason);
}
