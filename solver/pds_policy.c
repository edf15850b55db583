#include "solver/pds_policy.h"

#include <math.h>

#include "solver/pds.h"

/* --- steps and budgets -------------------------------------------------------------------- */

bool pds_starving(const struct tt *tt)
{
	return tt_replaced(tt) / 64 > tt->capacity;
}

/* The epsilon in force. A node whose sub-tree the table has lost is searched again each time the search returns to it:
 * the more was lost, the larger the steps, so that it returns less often. As long as nothing is lost it is the
 * policy's own. */
static double pds_current_epsilon(const struct pds *pds)
{
	uint64_t lost = tt_replaced(pds->tt);
	double own = pds->options->epsilon >= 0 ? pds->options->epsilon : pds->policy->epsilon;
	if (!lost || (pds->policy->published && !pds_starving(pds->tt)))
		return own;
	return own + fmin(0.5, 0.01 * (double)lost / (double)pds->tt->capacity);
}

/* A number raised by the step in force: by one, or by a share epsilon of it. */
static uint32_t raise_number(const struct pds *pds, uint32_t num)
{
	double more = ceil(num * (1 + pds_current_epsilon(pds)));
	return more <= num + 1.0 ? num + 1 : more < PN_INF ? (uint32_t)more : PN_INF;
}

double pds_fraction(double x, double a, double b)
{
	PD_ASSERT(b > 0);
	return x / (1 + exp((a - x) / b));
}

/* min(x f(x), cap), at least one expansion. x counts what the table has lost, too: a table that is too small holds few
 * entries, but the search has made many. The cap grows as the table fills. */
static uint64_t limit_level2(const struct pn_options *o, const struct tt *tt, uint64_t children)
{
	double used = (double)tt_used(tt), fill = used / (double)tt->capacity, x = used + (double)tt_replaced(tt);
	if (o->dovetail) /* the entries are those of all searches */
		x /= o->walkers * o->threads;
	double cap = fill < 1 ? o->cap_first / (1 - fill) : o->cap_last;
	if (cap > o->cap_last)
		cap = o->cap_last;
	double y = pds_fraction(x, o->fraction.a, o->fraction.b);
	if (y > cap)
		y = cap;
	return y < (double)(children + 1) ? children + 1 : (uint64_t)y;
}

/* --- PDS ---------------------------------------------------------------------------------- */

/* A search that is resumed starts from the numbers that the root had reached, the smaller one raised by one. */
void pds_root_thresholds(unsigned k, const uint32_t *num, uint32_t t[2])
{
	t[0] = t[1] = 1;
	if (!num || num_solved(num))
		return;
	t[k] = num[k] + (num[k] <= num[1 - k]);
	t[1 - k] = num[1 - k] + (num[k] > num[1 - k]);
}

/* PDS leaves a node when both numbers have reached their thresholds; with `patience` also when one number is many times
 * its threshold, because the published rule would stay below a hopeless move until its other number has grown. The
 * other number may then be smaller than before. A table that loses nearly everything does not keep what was gained
 * meanwhile, and the search could turn in a circle: then the published rule alone counts, by which numbers only grow.
 * (Where positions can come back, pds_must_leave sees to that.) */
static bool reaches_thresholds(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2])
{
	uint64_t times = pds->options->patience;
	if (num[0] >= f->t[0] && num[1] >= f->t[1])
		return true;
	bool patient = pds_starving(pds->tt) && !pds_cyclic(pds);
	return !patient && (num[0] >= times * f->t[0] || num[1] >= times * f->t[1]);
}

/* Section 3 of the paper, for the root: the smaller number is raised, phi when they are equal. */
void pds_raise_thresholds(const struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	unsigned smaller = num[f->k] <= num[1 - f->k] ? f->k : 1u - f->k;
	f->t[smaller] = raise_number(pds, num[smaller]);
	f->t[1 - smaller] = num[1 - smaller];
}

/* The child's own numbers, one of them raised: the proof-like and disproof-like rule of the paper (Nagai). */
void pds_child_thresholds(const struct pds *pds, const struct pds_frame *f, const struct pds_choice *choice,
			  uint32_t t[2])
{
	unsigned k = f->k;
	const uint32_t *num = choice->child->num; /* num[1 - k] is its phi */
	num_copy(t, num);
	bool raise_phi = f->t[1 - k] > choice->num[1 - k] && (num[1 - k] <= num[k] || f->t[k] <= choice->num[k]);
	unsigned raised = raise_phi ? 1 - k : k;
	t[raised] = raise_number(pds, num[raised]);
}

static uint32_t num_make_finite(uint32_t num)
{
	return num < PN_INF ? num : PN_INF - 1;
}

/* The node was searched up to its thresholds. */
void pds_open_numbers(const struct pds *pds, const struct pds_frame *f, uint32_t num[2])
{
	(void)pds;
	num[0] = num_make_finite(f->t[0]);
	num[1] = num_make_finite(f->t[1]);
}

const struct pds_policy pds_policy_pds = {
	.epsilon = 0,
	.running_floor = true,
	.root = pds_root_thresholds,
	.reached = reaches_thresholds,
	.raise = pds_raise_thresholds,
	.child = pds_child_thresholds,
	.open_numbers = pds_open_numbers,
	.budget = limit_level2,
};

/* --- df-pn -------------------------------------------------------------------------------- */

void pds_dfpn_set_root_thresholds(unsigned k, const uint32_t *num, uint32_t t[2])
{
	(void)k;
	(void)num;
	t[0] = t[1] = PN_INF;
}

bool pds_dfpn_reaches_thresholds(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2])
{
	(void)pds;
	return num[0] >= f->t[0] || num[1] >= f->t[1];
}

/* df-pn leaves at either threshold, so both have to be out of reach. */
void pds_dfpn_raise_thresholds(const struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	for (unsigned i = 0; i < 2; i++)
		if (f->t[i] <= num[i])
			f->t[i] = raise_number(pds, num[i]);
}

/* As long as the child stays the best, and within what its siblings leave of the node's own allowance, less the costs
 * of the move. */
void pds_dfpn_set_child_thresholds(const struct pds *pds, const struct pds_frame *f, const struct pds_choice *choice,
				   uint32_t t[2])
{
	unsigned k = f->k;
	const struct pds_child *c = choice->child;
	uint32_t costly[2];
	const uint32_t *num = pds_read_child(c, c->num, costly);
	uint32_t own = num[1 - k], second = choice->second;
	uint64_t others = choice->others;
	uint32_t runner_up = second < PN_INF ? raise_number(pds, second) : PN_INF;
	t[k] = runner_up < f->t[k] ? runner_up : f->t[k];
	if (t[k] <= num[k]) /* a better child was passed over for its virtual proof numbers */
		t[k] = raise_number(pds, num[k]);
	t[1 - k] = f->t[1 - k] > others + own ? f->t[1 - k] - (uint32_t)others : own + 1;
	for (unsigned i = 0; i < 2; i++) {
		t[i] -= t[i] < PN_INF ? c->cost[i] : 0;
		if (t[i] <= c->num[i]) /* where numbers are saturated */
			t[i] = raise_number(pds, c->num[i]);
	}
}

/* The thresholds may be infinite; the node is then stored as a little harder than before. */
void pds_dfpn_open_numbers(const struct pds *pds, const struct pds_frame *f, uint32_t num[2])
{
	struct pn_entry e;
	bool there = tt_get(pds->tt, f->id, &e) && !num_solved(e.num);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t harder = raise_number(pds, there ? e.num[i] : 1);
		num[i] = num_make_finite(harder < f->t[i] ? harder : f->t[i]);
	}
}

const struct pds_policy pds_policy_dfpn = {
	.epsilon = 0.25,
	.game_numbers = true,
	PDS_DFPN_THRESHOLDS,
	.budget = limit_level2,
};
