/* PDS hints: moves that level 1 tries first (hints.h). */
#pragma once

#include "solver/pds.h"

/* For a frame that was just entered: where hints name open children, the others wait (f->hinted). */
void pds_follow_hints(struct pds *pds, struct pds_frame *f);
/* For such a frame: when no child that a hint names is open any more, or all have become hard, the others stop waiting.
 */
void pds_check_hints(struct pds *pds, struct pds_frame *f);
