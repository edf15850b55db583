/* PDS-PN to the letter of Winands, Uiterwijk and van den Herik, "PDS-PN: a new proof-number search algorithm", CG 2002,
 * section 4 and appendix: for comparison with what was published.
 *
 * It differs from `pds` in what follows from the pseudo-code. Children are read from the table at every turn, solved
 * ones too. Terminal positions are recognized when expanded (delayed evaluation). A node's thresholds are stored as its
 * numbers before its loop begins (cycle guard). The table is TwoBig, and table and level 2 share N nodes
 * (`paper-nodes`). One thing is ours: what the table has lost stays in the frame, because with a small table the
 * published loop may go back and forth between two children for ever (P3). */
#include "solver/pds_policy.h"
#include "solver/pds_store.h"

/* The published thresholds are left at both numbers, with no patience. */
static bool paper_reaches_thresholds(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2])
{
	(void)pds;
	return num[0] >= f->t[0] && num[1] >= f->t[1];
}

/* y = min(x f(x), N - x) with a = 0.45 N and b = 0.30 N, x the entries in the table; at least the root's expansion. */
static uint64_t paper_limit_level2(const struct pn_options *o, const struct tt *tt, uint64_t children)
{
	(void)children;
	double used = (double)tt_used(tt), n = o->paper_nodes;
	double x = pds_starving(tt) ? used + (double)tt_replaced(tt) : used;
	double y = pds_fraction(x, 0.45 * n, 0.30 * n);
	if (y > n - used)
		y = n - used;
	return y < 1 ? 1 : (uint64_t)y;
}

static void paper_guard_cycle(struct pds *pds, const struct pds_frame *f, uint32_t depth)
{
	PD_ASSERT(!pds->group->several);
	pds_store(pds, f->id, f->t, pds_nodes(pds) - f->work, PD_NO_MOVE, depth);
}

static bool paper_expand_terminal(struct pds *pds, struct pds_child *child, uint32_t depth)
{
	uint32_t num[2];
	if (!question_terminal(&pds->question, pds_state(pds, depth), num))
		return false;
	pds->counts.expansions++;
	pds_progress(pds);
	num_copy(child->num, num);
	pds_store(pds, child->id, num, 1, PD_NO_MOVE, depth);
	return true;
}

const struct pds_policy pds_policy_paper = {
	.epsilon = 0,
	.running_floor = true,
	.delayed_evaluation = true,
	.published = true,
	.root = pds_root_thresholds,
	.reached = paper_reaches_thresholds,
	.raise = pds_raise_thresholds,
	.child = pds_child_thresholds,
	.open_numbers = pds_open_numbers,
	.budget = paper_limit_level2,
	.guard = paper_guard_cycle,
	.expand_terminal = paper_expand_terminal,
};
