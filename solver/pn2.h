/* PN2: best-first PN search at two levels, without a transposition table.
 *
 * After Breuker, Uiterwijk and van den Herik, "The PN2-search algorithm", Advances in Computer Games 9, 2001, as given
 * by van den Herik and Winands, "Proof-number search and its variants", 2008, section 3. The first level is a tree as
 * of `pn`. Its most-proving leaf is evaluated by a second PN search, in an arena of its own and of bounded size. That
 * search ends solved, or its root's children are put below the leaf with their numbers, and what was below them is
 * deleted; each is searched by a second level of its own when it is selected. Without `keep_children` the leaf takes
 * the root's numbers alone, and is expanded in the plain way when it is selected again.
 *
 * The second level may hold y = min(x f(x), N - x) nodes, f(x) = 1 / (1 + exp((a - x) / b)), with x the nodes of the
 * first tree and N its capacity (published with a = 1,800,000 and b = 240,000 for N = 1,000,000); here at least one
 * node more than a position has moves, and at most cap_last.
 *
 * Facts. What the second level solves becomes a fact at once, as a leaf or with its whole proof, by the detail; the
 * kept children, too. So whatever the first tree solves is a fact one ply above facts; it is written out and its memory
 * re-used as soon as it depends on no ancestor (tree.h, `facts`).
 *
 * Cycles. The second level sees the path from its own root only: what it solves depends on no ancestor, or on that
 * root. A kept child of the latter kind would be solved below its parent alone and has no proof to write out, so it is
 * open again; selected, it is searched on its own. Whether a leaf stands on the path of the first tree is asked before
 * it is evaluated, and every evaluation makes that tree deeper, as a plain expansion does. */
#ifndef PN_PN2_H
#define PN_PN2_H

#include <stdbool.h>
#include <stdint.h>

#include "solver/engine.h"
#include "solver/fact_buffer.h"
#include "solver/solver.h"
#include "solver/tree.h"

struct pn2 {
	const struct pn_options *options; /* borrowed */
	struct tree *below;               /* borrowed; the second level */
	struct fact_buffer *facts;        /* borrowed */
	const struct hints *hints;        /* borrowed; NULL: none */
	struct tree tree;                 /* owned; the first level */
	bool evaluating;                  /* the second level is evaluating the leaf where the first stands */
	uint64_t expansions;              /* leaves of the first level that were evaluated, expanded or repetitions */
	uint64_t start;                   /* nodes of the second level when its search began */
	uint32_t budget;                  /* nodes, of the latest evaluation */
};

/* `bytes` for the first tree's arena; set the borrowed parts in *pn2 before. `below` is made for the same game, and
 * keeps proofs exactly when options->detail is not PN_FRONTIER; `first` are its options. False when memory cannot be
 * had. */
bool pn2_init(struct pn2 *pn2, const struct game *game, uint64_t bytes, const struct tree_options *first);
void pn2_fini(struct pn2 *pn2);

/* Begins the search of a claim at `state`, which must not be terminal. */
void pn2_start(struct pn2 *pn2, const struct question *question, const void *state);
/* Searches on for about *nodes nodes of both levels and lowers *nodes by what was used. */
enum pn_engine_end pn2_run(struct pn2 *pn2, uint64_t *nodes);

/* A position is solved with these numbers by a fact: tree_learn in the first tree. The evaluation that is under way is
 * given up. */
void pn2_learn(struct pn2 *pn2, const uint8_t *key, size_t size, const uint32_t num[2]);

/* The second level's budget in nodes: `used` of `room` nodes of the first tree are taken; `children` a position has at
 * most. */
uint64_t pn2_budget(const struct pn_options *options, uint64_t used, uint64_t room, uint64_t children);

#endif
