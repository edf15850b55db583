/* Child: what level 1 knows of a child of the innermost frame's node, before it searches there.
 *
 * Some of it is true of the position: what the rules say, what the table, the cache and the facts hold. Some is true on
 * this path only: the child stands on the path already, or was held on this very path, or on another one and is pending
 * (CYCLES.md). */
#ifndef PN_PDS_CHILD_H
#define PN_PDS_CHILD_H

#include "solver/pds.h"

/* Fills in a child, whose position is `state`, from the rules, the path, the table, the cache and the facts, in that
 * order. Not its move. */
void pds_child_init(struct pds *pds, struct pds_child *child, const void *state);
/* What the table and what is pending say of a child. */
bool pds_child_known(struct pds *pds, struct pds_child *child);

#endif
