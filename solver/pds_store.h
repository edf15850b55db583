/* PDS store: what level 1 keeps of a position, and what it looks up: table, cache, facts. */
#pragma once

#include "solver/pds.h"

/* True when the table has the claim of a position solved on every path, by this search or by one that shares. */
bool pds_find_solved(const struct pds *pds, struct pd_id id, struct pn_entry *e);
/* Whether the host has a fact that answers the claim; `num` is then the solved pair. */
bool pds_host_fact(struct pds *pds, const void *state, uint32_t num[2]);
/* Stores an entry in the table; `move` is in the key's frame. */
void pds_store(struct pds *pds, struct pd_id id, const uint32_t num[2], uint64_t work, unsigned move, uint32_t depth);
/* Records a fact about `state`, in the cache as well, where it took `effort` nodes. The reason's move is in the state's
 * own frame; returns it in the key's. */
unsigned pds_record(struct pds *pds, const void *state, const struct pd_reason *reason, uint64_t effort);
/* A position was solved: other threads may be searching below it. */
void pds_note_solved(struct pds *pds);
