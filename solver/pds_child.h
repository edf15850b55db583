/* PDS child: what level 1 knows of a child of the innermost frame's node before it searches there.
 *
 * Sources, in this order: repetitions on the path, the rules, the transposition table (base entry, path-dependent
 * result, twin entry: ghi.h), the solved-position cache, the host's facts, static solves, initial numbers. */
#pragma once

#include "solver/pds.h"

/* Fills in a child with the position `state`; all but its move. */
void pds_child_init(struct pds *pds, struct pds_child *child, const void *state);
/* The place of a position with that identity: its board and order part; without dominance `id` and 0. */
struct dominance_place pds_place(const struct pds *pds, const void *state, struct pd_id id);
/* Takes in what the transposition table and path-dependent results say of a child; false when they say nothing. */
bool pds_child_known(struct pds *pds, struct pds_child *child);

/* Hints (hints.h), for a frame that was just entered: where hints name open children, the others wait (f->hinted). */
void pds_follow_hints(struct pds *pds, struct pds_frame *f);
/* For such a frame: once every child that a hint names is solved or hard, the others stop waiting. */
void pds_check_hints(struct pds *pds, struct pds_frame *f);
