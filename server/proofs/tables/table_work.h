/* Table work: the threads of a build, and the tables that it rests on (private to this folder). */
#pragma once

#include "server/proofs/tables/table_state.h"

/* Runs work over all entries in chunks, by all threads. False when it was stopped. */
bool sv_table_run(struct sv_table_work *w, enum sv_table_phase phase,
		  void (*work)(struct sv_table_work *w, uint64_t from, uint64_t to));
/* Opens the game and the class, and reads the tables of the classes that moves lead to, which must exist. */
int sv_table_load_next(struct sv_table_work *w, struct pd_fail *fail);
void sv_table_work_fini(struct sv_table_work *w);
/* The position after a move: *inside is its number in the class of the work, or UINT32_MAX; its entry is then
 * returned. */
uint16_t sv_table_after(const struct sv_table_work *w, const void *child, uint32_t *inside);
