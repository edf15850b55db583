/* Circle: positions that hold each other (CYCLES.md).
 *
 * In games with cycles a side may hold a position by leading back to an ancestor. What was held that way is pending
 * (pending.h): a proposal. Here proposals become facts: where each is justified one ply down, by facts and by the
 * others (F2). Nothing else that the search took for granted matters. */
#ifndef PN_GHI_H
#define PN_GHI_H

#include "solver/pds.h"

/* The innermost frame's node, `id`, is solved for the side that infinite play serves, and leans on nothing: what is
 * pending below it becomes facts, if with the node it can be told one ply down from each. False if it cannot. `move` is
 * the node's, in its own frame; PD_NO_MOVE: all. The node itself is left to the caller. */
bool ghi_close_cycle(struct pds *pds, struct pd_id id, const uint32_t num[2], game_move move);

/* All that is pending is looked at together: the greatest set whose members hold each other becomes facts, whatever
 * paths they were found on. */
void ghi_settle(struct pds *pds);

#endif
