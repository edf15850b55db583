#include "solver/pds_leaf.h"

#include "solver/pds_policy.h"
#include "solver/pds_result.h"
#include "solver/pds_store.h"
#include "solver/tree_proof.h"
#include "solver/tree_search.h"

enum {
	CUT_OFF = 1 << 20,        /* number for the side that would need a deeper tree */
	SOLVED_POLL_NODES = 2048, /* nodes of a level-2 search between two checks of what other threads have solved */
	SIBLING_NODES_MIN = 200,  /* of a level-2 search before it is compared with the leaf's siblings */
	TASK_SHARE = 10           /* likewise 1/x of a task's nodes, because sending it costs more than a few */
};

/* Level 2 searches the leaf as long as level 1 would come back to it. The search has `budget` nodes, and is compared
 * with the siblings from `from` on. */
static struct pn_leaf_rival pds_rival(const struct pds *pds, uint64_t budget, uint64_t from)
{
	const struct pn_options *o = pds->options;
	const uint32_t second = pds->leaf.second;
	if (pds->policy->published || second >= PN_INF)
		return (struct pn_leaf_rival){0};
	uint64_t limit = (uint64_t)o->sibling_limit * ((uint64_t)second + 1), most = o->budgets * budget;
	return (struct pn_leaf_rival){
		.k = pds->frames[pds->depth].k,
		.second = second,
		.limit = limit < PN_INF ? (uint32_t)limit : 0,
		.from = from > SIBLING_NODES_MIN ? from : SIBLING_NODES_MIN,
		.most = most < o->cap_last ? most : o->cap_last,
	};
}

static void pds_start_tree(struct pds *pds, uint64_t budget, const struct pn_leaf_rival *rival)
{
	struct pds_leaf *leaf = &pds->leaf;
	tree_start(leaf->tree, &pds->question, pds_state(pds, pds->depth + 1), budget);
	tree_set_rival(leaf->tree, rival);
	leaf->start = leaf->tree->generated;
	leaf->in_tree = true;
}

void pds_leaf_begin(struct pds *pds)
{
	struct pds_leaf *leaf = &pds->leaf;
	uint64_t budget = pds->policy->budget(pds->options, pds->tt, pds->question.game->moves_max);
	PD_ASSERT(!leaf->evaluating && budget > 0 && budget <= UINT32_MAX);
	leaf->budget = (uint32_t)budget;
	leaf->evaluating = true;
	if (leaf->remote) {
		uint64_t grain = atomic_load_explicit(&pds->group->grain, memory_order_relaxed);
		PD_ASSERT(!leaf->serial && pds->group->several);
		leaf->serial = atomic_fetch_add_explicit(&pds->group->leaves, 1, memory_order_relaxed) + 1;
		leaf->task_budget = budget > grain ? budget : grain;
		leaf->task_rival = pds_rival(pds, leaf->task_budget, leaf->task_budget / TASK_SHARE);
		leaf->look_budget = atomic_load_explicit(&pds->group->look, memory_order_relaxed);
		leaf->looked = !leaf->look_budget;
		leaf->delivered = false;
	} else {
		const struct pn_leaf_rival rival = pds_rival(pds, budget, 0);
		pds_start_tree(pds, budget, &rival);
	}
	group_enter(pds->group, pds_picked(pds, &pds->frames[pds->depth])->id);
}

/* The evaluation has ended with these numbers after `work` nodes; `move` is in the key's frame. */
static void pds_end_evaluation(struct pds *pds, const uint32_t num[2], uint64_t work, unsigned move)
{
	struct pds_child *c = pds_picked(pds, &pds->frames[pds->depth]);
	pds_progress(pds);
	num_copy(c->num, num);
	c->in_tt = true;
	pds_store(pds, c->id, num, work, move, pds->depth + 1);
	pds_cancel_leaf(pds);
	if (num_solved(num))
		pds_note_solved(pds);
	pds->frames[pds->depth].answered = num_solved(num);
}

/* --- in a tree of this thread --------------------------------------------------------------- */

/* The tree solved the picked child: a fact. Returns the winning move in the key's frame. */
static unsigned pds_record_tree(struct pds *pds, const uint32_t num[2])
{
	const struct question *q = &pds->question;
	const void *state = pds_state(pds, pds->depth + 1);
	struct tree *tree = pds->leaf.tree;
	struct pd_reason reason = question_reason(q, num);
	reason.move = tree->root_move;
	if (pds->options->detail == PN_FRONTIER) {
		reason.effort = tree_effort(tree);
		return pds_record(pds, state, &reason, reason.effort);
	}
	tree_emit(tree, pds->facts);
	return reason.move == PD_NO_MOVE ? PD_NO_MOVE : game_canon(q->game, state, reason.move, false);
}

static void pds_take_tree(struct pds *pds)
{
	const struct question *q = &pds->question;
	const uint32_t *num = tree_numbers(pds->leaf.tree);
	const uint32_t cut[2] = {q->ranked[0] ? CUT_OFF : 1, q->ranked[0] ? 1 : CUT_OFF};
	unsigned move = PD_NO_MOVE;
	if (num_solved(num) && ghi_path_dependent(q, num)) /* it would need a deeper tree */
		num = cut;
	if (num_solved(num) && num_rank(num) > 0)
		move = pds_record_tree(pds, num);
	pds_end_evaluation(pds, num, pds_leaf_nodes(pds) + 1, move);
}

bool pds_leaf_search(struct pds *pds, uint64_t *nodes)
{
	enum pn_engine_end end;
	bool several = pds_in_company(pds);
	uint64_t quota = several && *nodes > SOLVED_POLL_NODES ? SOLVED_POLL_NODES : *nodes, left = quota;
	bool more = tree_run(pds->leaf.tree, &left) == TREE_MORE;
	*nodes -= quota - left;
	if (!more)
		pds_take_tree(pds);
	else if (several && pds_cut_off(pds, &end) && end != PN_ENGINE_MORE)
		pds->solved_seen--; /* the next turn sees it again */
	return *nodes > 0;
}

/* --- by another process --------------------------------------------------------------------- */

bool pds_leaf_task(const struct pn_engine *engine, struct pn_leaf_task *out)
{
	const struct pds *pds = (const void *)engine;
	const struct question *q = &pds->question;
	if (!pds->started || !pds->leaf.evaluating || !pds->leaf.looked || pds->leaf.delivered)
		return false;
	PD_ASSERT(pds->leaf.serial);
	out->serial = pds->leaf.serial;
	out->budget = pds->leaf.task_budget;
	out->rival = pds->leaf.task_rival;
	out->threshold = (int16_t)q->threshold;
	out->key_size = (uint16_t)q->game->rules->key(q->game, pds_state(pds, pds->depth + 1), out->key);
	return true;
}

/* Whether a search of the leaf can have had that result. */
static bool pds_result_possible(const struct pds *pds, const struct pn_leaf_result *r)
{
	const struct question *q = &pds->question;
	if (!r->solved)
		return r->num[0] && r->num[0] <= PN_LEAF_NUMBER_MAX && r->num[1] && r->num[1] <= PN_LEAF_NUMBER_MAX;
	if (!r->effort)
		return false;
	if (!q->ranked[!r->proved])
		return r->rank == PD_RANK_NONE;
	/* The ranks of its ancestors are larger, and must be ranks, too. A theorem's rank may exceed the plies left. */
	uint32_t left = pds->depth_max - (pds->depth + 1), room = PD_RANK_MAX - pds->depth_max;
	uint32_t most = !q->game->plies_max ? PN_LEAF_RANK_MAX : left > room ? left : room;
	return r->rank && r->rank <= most;
}

bool pds_leaf_deliver(struct pn_engine *engine, const struct pn_leaf_result *result)
{
	struct pds *pds = (void *)engine;
	struct pds_leaf *leaf = &pds->leaf;
	if (!pds->started || !leaf->evaluating || !leaf->looked || leaf->delivered || result->serial != leaf->serial ||
	    !pds_result_possible(pds, result))
		return false;
	leaf->result = *result;
	leaf->nodes += result->nodes;
	leaf->delivered = true;
	return true;
}

bool pds_leaf_has_work(const struct pn_engine *engine)
{
	const struct pds *pds = (const void *)engine;
	return !pds->started || !pds->leaf.evaluating || !pds->leaf.looked || pds->leaf.delivered ||
	       group_solved(pds->group) != pds->solved_seen;
}

/* Another process solved the leaf: a fact. Returns the winning move in the key's frame. */
static unsigned pds_record_result(struct pds *pds, const uint32_t num[2])
{
	const struct question *q = &pds->question;
	const struct pn_leaf_result *r = &pds->leaf.result;
	const void *state = pds_state(pds, pds->depth + 1);
	struct pd_reason reason = question_reason(q, num);
	bool mover_wins = r->proved == (question_kind(q, state) == 0);
	game_move move;
	reason.effort = r->effort;
	reason.job = r->giver;
	if (mover_wins && r->move != PD_NO_MOVE && game_legal_from_key(q->game, state, r->move, &move))
		reason.move = move;
	return pds_record(pds, state, &reason, reason.effort);
}

/* Most leaves of some games are solved, or fall behind their siblings, within a few hundred nodes. Sending those would
 * cost more than their search. */
static void pds_look(struct pds *pds, uint64_t *nodes)
{
	struct pds_leaf *leaf = &pds->leaf;
	const struct pn_leaf_rival *task = &leaf->task_rival;
	const struct pn_leaf_rival rival = {task->k, task->second, task->limit, SIBLING_NODES_MIN, 0};
	uint64_t all = UINT32_MAX;
	bool looking = atomic_exchange(&pds->group->looking, true);
	PD_ASSERT(!looking); /* one thread of the system runs all remote threads */
	pds_start_tree(pds, leaf->look_budget, &rival);
	enum tree_end end = tree_run(leaf->tree, &all);
	PD_ASSERT(end != TREE_MORE);
	uint64_t used = pds_leaf_nodes(pds);
	*nodes = used < *nodes ? *nodes - used : 0;
	leaf->looked = true;
	atomic_store(&pds->group->looking, false);
	const uint32_t *num = tree_numbers(leaf->tree);
	if (num_solved(num) || num[rival.k] > leaf->tree->rival.limit) {
		pds_take_tree(pds);
		return;
	}
	leaf->nodes += used;
	leaf->in_tree = false;
}

enum pn_engine_end pds_leaf_await(struct pds *pds, uint64_t *nodes)
{
	const struct pn_leaf_result *r = &pds->leaf.result;
	enum pn_engine_end end;
	PD_ASSERT(pds->leaf.serial);
	if (pds_cut_off(pds, &end))
		return end;
	if (!pds->leaf.looked) {
		pds_look(pds, nodes);
		return PN_ENGINE_MORE;
	}
	if (!pds->leaf.delivered)
		return PN_ENGINE_WAITING;
	uint32_t num[2] = {r->num[0], r->num[1]};
	unsigned move = PD_NO_MOVE;
	if (r->solved) {
		question_set_known(&pds->question, num, r->proved, r->rank);
		move = pds_record_result(pds, num);
	}
	pds_end_evaluation(pds, num, r->nodes + 1, move);
	pds->leaf.delivered = false;
	return PN_ENGINE_MORE;
}
