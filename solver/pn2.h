/* PN2: best-first PN search at two levels, without a transposition table.
 *
 * After Breuker, Uiterwijk and van den Herik, "The PN2-search algorithm", Advances in Computer Games 9, 2001, as given
 * by van den Herik and Winands, "Proof-number search and its variants", 2008, section 3. The first level is a tree like
 * that of `pn`. Its most-proving leaf is evaluated by a second PN search, in an arena of its own and of bounded size.
 * That search ends solved, or its root's children are put below the leaf with their numbers, and what was below them is
 * deleted; each is searched by a second level of its own when it is selected. Without `keep_children` the leaf takes
 * the root's numbers alone, and is expanded without a second level when it is selected again.
 *
 * The second level may hold y = min(x f(x), N - x) nodes, f(x) = 1 / (1 + exp((a - x) / b)), with x the nodes of the
 * first tree and N its capacity (published with a = 1,800,000 and b = 240,000 for N = 1,000,000); here at least one
 * node more than a position has moves, and at most cap_last.
 *
 * Facts. What the second level solves becomes a fact at once, as a leaf or with its whole proof, depending on the
 * detail; so do the kept children. So whatever the first tree solves is a fact one ply above facts; it is written out
 * and its memory reused as soon as it depends on no ancestor (tree.h, `facts`).
 *
 * Cycles. The second level sees the path from its own root only: what it solves depends on no ancestor, or on that
 * root. A kept child that depends on that root would be solved below its parent only and has no proof to write out, so
 * it is made open again, and is searched on its own when it is selected. Whether a leaf is on the path of the first
 * tree is checked before it is evaluated, and every evaluation makes that tree deeper, as a plain expansion does. */
#pragma once

#include "solver/tree_engine.h"

/* One search thread's two trees. Owned by the solver's search_thread; one thread at a time runs it. */
struct pn2 {
	struct tree_engine top; /* first; the first level */
	struct tree below;      /* owned; the second level */
	bool evaluating;        /* the second level is evaluating the leaf that the first has selected */
	uint64_t expansions;    /* leaves that the first level selected, repetitions included */
	uint64_t made;          /* children of leaves that the first level expanded itself */
	uint64_t start;         /* nodes of the second level when its search began */
	uint32_t budget;        /* nodes, of the latest evaluation */
};

/* The second level's budget in nodes. `used` of `room` nodes of the first tree are in use; a position has at most
 * `children` moves. */
uint64_t pn2_budget(const struct pn_options *options, uint64_t used, uint64_t room, uint64_t children);
