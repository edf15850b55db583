/* Transposition table entry: how an entry stands on disk (store/FORMAT.md, tables). */
#ifndef SV_TT_ENTRY_H
#define SV_TT_ENTRY_H

#include "solver/solver.h"
#include "store/store.h"

void sv_entry_pack(const struct pn_entry *entry, struct st_tt_entry *out);
void sv_entry_unpack(const struct st_tt_entry *in, struct pn_entry *e);

#endif
