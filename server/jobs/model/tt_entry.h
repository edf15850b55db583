/* Transposition table entry: how an entry stands on disk (store/FORMAT.md, tables). */
#pragma once

#include "solver/solver.h"
#include "store/store.h"

void sv_entry_pack(const struct pn_entry *entry, struct st_tt_entry *out);
void sv_entry_unpack(const struct st_tt_entry *in, struct pn_entry *e);
