/* PDS leaf: the evaluation of a leaf of level 1 by a level-2 search, in a tree of this thread or by another process
 * (remote.h). */
#pragma once

#include "solver/pds.h"

/* Begins the evaluation of the picked child, whose position stands behind the frame's. */
void pds_leaf_begin(struct pds *pds);
/* Goes on with it in the tree. False when the quota is used up. */
bool pds_leaf_search(struct pds *pds, uint64_t *nodes);
/* Goes on with a remote leaf: searches a few nodes of it, checks whether it is still wanted, or takes its result if it
 * was delivered. PN_ENGINE_WAITING: the search waits. */
enum pn_engine_end pds_leaf_await(struct pds *pds, uint64_t *nodes);

/* Engine calls (engine.h). */
bool pds_leaf_task(const struct pn_engine *engine, struct pn_leaf_task *out);
bool pds_leaf_deliver(struct pn_engine *engine, const struct pn_leaf_result *result);
bool pds_leaf_has_work(const struct pn_engine *engine);
