/* Shorter wins: once the answer is known, a search in a tree for the same bound in fewer plies. */
#include "proto/base/assert.h"
#include "solver/bounded.h"
#include "solver/solver_internal.h"
#include "solver/tree.h"

/* The one bound of the root that has a length; NULL when there is none, or when there are two (a drawn game's length is
 * of no interest). */
static const struct pd_reason *win_of(const struct pn_solver *s)
{
	const struct pd_reason *lo = pd_fact_find(&s->root_fact, PD_LO, s->lo);
	const struct pd_reason *hi = pd_fact_find(&s->root_fact, PD_HI, s->hi);
	const struct pd_reason *win = lo && hi ? NULL : lo ? lo : hi;
	return win && win->rank > 1 && win->rank <= PD_RANK_MAX ? win : NULL;
}

/* Begins a search for a win that is at least one ply shorter. */
static void begin(struct pn_solver *s, struct tree *tree, const struct pd_reason *win)
{
	struct pn_goal goal = pn_goal_of(s->game, win);
	PD_ASSERT(win->rank > 1);
	s->question = pn_root_question(s, goal.threshold);
	tree_start(tree, &s->question, s->root, UINT64_MAX);
	tree_limit(tree, win->rank - 1u, goal.proof);
	s->shortening = true;
}

enum pn_state pn_shorten(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	const struct pd_reason *win = win_of(s);
	struct tree *tree = w->engine->type->tree(w->engine);
	PD_ASSERT(s->shorten > 0 && pn_root_answered(s));
	if (!tree || !win) {
		s->shorten = 0;
		return PN_GATHER;
	}
	if (!s->shortening)
		begin(s, tree, win);
	uint64_t quota = *nodes < s->shorten ? *nodes : s->shorten, left = quota, before = tree->generated;
	enum tree_end end = tree_run(tree, &left);
	uint64_t used = tree->generated - before; /* the last expansion may go beyond the quota */
	*nodes -= quota - left;
	s->shorten -= used < s->shorten ? used : s->shorten;
	if (end == TREE_MORE && s->shorten)
		return PN_RUNNING;
	const uint32_t *num = tree_numbers(tree);
	s->shortening = false;
	w->solved = end == TREE_SOLVED && (num[0] == 0) == (win->side == PD_LO);
	if (!w->solved) {
		s->shorten = 0;
		return PN_GATHER;
	}
	tree_record(tree, s->options.detail, &w->facts);
	w->solved_num[0] = num[0];
	w->solved_num[1] = num[1];
	w->solved_move = tree->root_move;
	return PN_GATHER;
}
