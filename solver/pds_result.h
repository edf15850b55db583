/* PDS result: how level 1 leaves a node, and what becomes of its path when a position on it is solved elsewhere. */
#pragma once

#include "solver/pds.h"

/* Gives up the evaluation that is under way, if one is. */
void pds_cancel_leaf(struct pds *pds);
/* Gives up the frames from the innermost up to and including `depth`. */
void pds_release(struct pds *pds, uint32_t depth);
/* The innermost frame's node is left with these numbers, which come from the child `best`. They go to the table; when
 * solved they become a fact. */
void pds_leave(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], uint32_t best);
/* Back to the parent, with the numbers of the node that was left. */
void pds_pop(struct pds *pds, const uint32_t num[2]);
/* Checks whether another thread has solved a position on the path. If so the search goes on above the highest of them,
 * or has ended. */
bool pds_cut_off(struct pds *pds, enum pn_engine_end *end);

/* Engine calls (engine.h). */
void pds_publish(struct pn_engine *engine);
void pds_learn(struct pn_engine *engine, const struct pn_learnt *learnt);
void pds_drop(struct pn_engine *engine);
