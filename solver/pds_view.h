/* PDS view: what level 1 shows of itself between two runs. Engine calls (engine.h). */
#pragma once

#include "solver/pds.h"

/* Each node's numbers follow from those of its children, from the innermost frame up. */
void pds_view_root(const struct pn_engine *engine, uint32_t num[2], game_move *leading);
bool pds_view_position(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out);
