/* PN2: best-first PN search at two levels, without a table.
 *
 * After Breuker, Uiterwijk and van den Herik, "The PN2-search algorithm", Advances in Computer Games 9, 2001, as van
 * den Herik and Winands, "Proof-number search and its variants", 2008, section 3, give it. The first level is a tree as
 * of `pn`. Its most-proving leaf is evaluated by a second PN search, in an arena of its own and of bounded size. That
 * ends solved, or its root's children are put below the leaf with their numbers, and what was below them is forgotten;
 * each is searched by a second level of its own when it is selected. Without `keep_children` the leaf takes the root's
 * numbers alone, and is expanded in the plain way when it is selected again.
 *
 * The second level may hold y = min(x f(x), N - x) nodes, f(x) = 1 / (1 + exp((a - x) / b)), with x the nodes of the
 * first tree and N what that may hold (published with a = 1,800,000 and b = 240,000 for N = 1,000,000); here at least
 * one more than a position has moves, and at most cap_last.
 *
 * Facts. What the second level solves becomes a fact at once, a leaf or with its whole proof as the detail says, the
 * kept children's too; so whatever the first tree solves is a fact one ply above facts, and is written out and given
 * back as soon as it leans on nothing (tree.h, `found`).
 *
 * Cycles. The second level sees the path from its own root only: what it solves leans on nothing, or on that root. A
 * kept child of the latter kind would be true below its parent alone and without a proof to write out, so it is open
 * again; selected, it is searched on its own. Whether a leaf stands on the path of the first tree is asked before it is
 * evaluated, and every evaluation makes that tree deeper, as a plain expansion does. */
#ifndef PN_PN2_H
#define PN_PN2_H

#include <stdbool.h>
#include <stdint.h>

#include "solver/fact_buffer.h"
#include "solver/solver.h"
#include "solver/tree.h"

enum pn2_end {
	PN2_MORE,
	PN2_SOLVED,
	PN2_COLLECT,  /* let the host take facts */
	PN2_FULL,     /* the first tree fills its arena */
	PN2_DEPTH,    /* what is left open would need a deeper tree */
	PN2_NO_MEMORY /* for facts */
};

struct pn2 {
	const struct pn_options *options; /* borrowed */
	struct tree *below;               /* borrowed; the second level */
	struct fact_buffer *facts;        /* borrowed */
	struct tree tree;                 /* owned; the first level */
	bool evaluating;                  /* the second level is at work for the leaf where the first stands */
	uint64_t expansions;              /* leaves of the first level that were evaluated, expanded or held */
	uint64_t start;                   /* nodes of the second level when it began */
	uint32_t budget;                  /* nodes, of the latest evaluation */
};

/* `bytes` for the first tree's arena; the other parts are borrowed. `below` is made for the same game, and keeps proofs
 * exactly when options->detail is not PN_FRONTIER; `first` are its options. False when memory cannot be had. */
bool pn2_init(struct pn2 *pn2, const struct game *game, uint64_t bytes, const struct tree_options *first);
void pn2_fini(struct pn2 *pn2);

/* Begins the search of a claim at `state`, which must not be over. */
void pn2_start(struct pn2 *pn2, const struct question *question, const void *state);
/* Goes on for about `nodes` nodes of both levels; *nodes is lowered by what was used. */
enum pn2_end pn2_run(struct pn2 *pn2, uint64_t *nodes);

/* The second level's budget in nodes: `used` of `room` nodes of the first tree are taken; `children` a position has at
 * most. */
uint64_t pn2_budget(const struct pn_options *options, uint64_t used, uint64_t room, uint64_t children);

#endif
