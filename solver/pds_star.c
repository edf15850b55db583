/* PN* (Seo, Iida and Uiterwijk, "The PN*-search algorithm: application to tsume-shogi", Artificial Intelligence 129,
 * 2001) and C* (Seo 1995; after both, not to the letter): depth-first searches with a threshold on the proof number
 * alone, as policies of the PDS loop (pds.h).
 *
 * The root's threshold t begins at 1 and grows to max(t + 1, pn). A node with threshold t is left when pn > t. An OR
 * node searches its first child with pn <= t, with the threshold t. An AND node searches its first open child: PN* with
 * that child's own pn as threshold, so that it is deepened by one step; C* with what the other children leave of t.
 * A disproof is found by exhaustion only. The numbers of unexpanded children are 1. */
#include "proto/base/assert.h"
#include "solver/pds.h"
#include "solver/pds_alike.h"
#include "solver/pds_policy.h"

static void star_set_root(unsigned k, const uint32_t *num, uint32_t t[2])
{
	(void)k;
	t[0] = num && !num_solved(num) ? num[0] : 1;
	t[1] = PN_INF;
}

static bool star_reaches_threshold(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2])
{
	(void)pds;
	return num[0] > f->t[0];
}

static void star_raise_threshold(const struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	(void)pds;
	f->t[0] = num_clamp((uint64_t)f->t[0] + 1);
	if (num[0] > f->t[0])
		f->t[0] = num[0];
}

/* The first open child that the threshold lets in. */
static uint32_t star_select_child(const struct pds *pds, const struct pds_frame *f)
{
	const struct pds_child *children = pds->children + f->first;
	struct pds_chains chains = {0};
	uint32_t i = 0;
	while (num_solved(children[i].num) || (f->alike && pds_waits(&chains, &children[i])) ||
	       (f->k == 0 && children[i].num[0] > f->t[0])) {
		i++;
		PD_ASSERT(i < f->count); /* or the node's pn would be above the threshold */
	}
	return i;
}

static void pn_star_set_child(const struct pds *pds, const struct pds_frame *f, const struct pds_choice *choice,
			      uint32_t t[2])
{
	(void)pds;
	t[0] = f->k ? choice->child->num[0] : f->t[0];
	t[1] = PN_INF;
}

static void c_star_set_child(const struct pds *pds, const struct pds_frame *f, const struct pds_choice *choice,
			     uint32_t t[2])
{
	uint64_t others = choice->others;
	uint32_t own = choice->child->num[0];
	(void)pds;
	t[0] = !f->k ? f->t[0] : f->t[0] > others + own ? f->t[0] - (uint32_t)others : own;
	t[1] = PN_INF;
}

/* The node was searched up to its threshold. */
static void star_set_open_numbers(const struct pds *pds, const struct pds_frame *f, uint32_t num[2])
{
	(void)pds;
	num[0] = num_clamp((uint64_t)f->t[0] + 1);
	num[1] = 1;
}

const struct pds_policy pds_policy_pn_star = {
	.root = star_set_root,
	.reached = star_reaches_threshold,
	.raise = star_raise_threshold,
	.select = star_select_child,
	.child = pn_star_set_child,
	.open_numbers = star_set_open_numbers,
};

const struct pds_policy pds_policy_c_star = {
	.root = star_set_root,
	.reached = star_reaches_threshold,
	.raise = star_raise_threshold,
	.select = star_select_child,
	.child = c_star_set_child,
	.open_numbers = star_set_open_numbers,
};
