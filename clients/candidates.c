#include "clients/candidates.h"

#include <math.h>

#include "clients/ask.h"
#include "clients/show.h"

void cl_candidates_free(struct cl_candidates *c)
{
	free(c->list);
	*c = (struct cl_candidates){0};
}

void cl_candidate_lead(struct cl_candidate *c)
{
	struct cl_advice after = c->advice;
	c->advice.plies += after.plies >= 0;
	c->advice.line[0] = 0;
	cl_advice_append(&c->advice, c->move);
	cl_advice_append(&c->advice, after.line[0] ? after.line : after.move);
}

/* Of two candidates the smaller one is the better one. */
struct rank {
	int group;   /* 0 wins, 1 open, 2 draws, 3 loses */
	double most; /* plies or number */
};

static struct rank rank_of(const struct cl_advice *a, bool first)
{
	int64_t value = first ? a->lo : -a->lo;
	if (!a->exact)
		return (struct rank){1, first ? a->pn : a->dn};
	double plies = a->plies < 0 ? INFINITY : (double)a->plies;
	return value > 0 ? (struct rank){0, plies} : value < 0 ? (struct rank){3, -plies} : (struct rank){2, 0};
}

static bool comes_before(const struct cl_candidate *a, const struct cl_candidate *b, bool first)
{
	struct rank x = rank_of(&a->advice, first), y = rank_of(&b->advice, first);
	return x.group != y.group ? x.group < y.group : x.most < y.most;
}

void cl_candidates_sort(struct cl_candidates *c, bool first)
{
	for (unsigned i = 1; i < c->count; i++) {
		struct cl_candidate moved = c->list[i];
		unsigned j = i;
		for (; j && comes_before(&moved, &c->list[j - 1], first); j--)
			c->list[j] = c->list[j - 1];
		c->list[j] = moved;
	}
}

/* Reads a tree of which each move of the position is followed by one line. */
static void read_tree(pr_ref tree, struct cl_candidates *c)
{
	pr_ref positions = pr_get(tree, "positions");
	for (size_t i = 1; i < pr_count(positions); i++) {
		pr_ref p = pr_at(positions, i);
		if (pr_get_int(p, "depth", 0) > 1) {
			cl_advice_append(&c->list[c->count - 1].advice, pr_get_str(p, "move", ""));
			continue;
		}
		struct cl_candidate *new = &c->list[c->count++];
		bool ended = pr_kind_of(pr_get(p, "first_to_move")) == PR_NULL;
		snprintf(new->move, sizeof new->move, "%s", pr_get_str(p, "move", ""));
		new->advice = (struct cl_advice){.plies = ended ? 0 : -1,
						 .pn = cl_job_number_of(p, "pn"),
						 .dn = cl_job_number_of(p, "dn"),
						 .threshold = pr_get_int(tree, "threshold", 0)};
		cl_advice_bounds(&new->advice, pr_get(p, "value"));
	}
}

int cl_candidates_ask(struct cl_adviser *adviser, const struct cl_order *order, bool first, struct cl_candidates *c,
		      struct pd_fail *fail)
{
	pr_ref tree;
	cl_candidates_free(c);
	int rc = cl_ask(adviser->link, "position.analyze", &tree, fail, PR_S("game", order->game),
			PR_S("position", order->position));
	if (rc)
		return rc;
	c->list = calloc(pr_count(pr_get(tree, "positions")) + 1, sizeof *c->list);
	if (!c->list)
		return cl_no_memory(fail);
	read_tree(tree, c);
	for (unsigned i = 0; i < c->count; i++) {
		struct cl_candidate *m = &c->list[i];
		struct cl_order after = *order;
		after.move = m->move;
		if (!rc && m->advice.exact && m->advice.plies < 0)
			rc = cl_advice_proved(adviser, &after, &m->advice, fail);
		cl_candidate_lead(m);
	}
	cl_candidates_sort(c, first);
	return rc;
}
