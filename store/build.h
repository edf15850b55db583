/* Build: writes a run block by block, in steps of one transaction each (private to store/).
 *
 * Records arrive in key order. The upper fence of a block is its key in LMDB, so a block is written when the first
 * record after it is known; each step except the last ends with the key that the next one begins with. The run is
 * invisible until the run list names it; a crash before that leaves blocks that the next start deletes. */
#pragma once

#include "store/run_list.h"
#include "store/runblock.h"

/* A run being built, between two steps. */
struct st_build {
	struct st_run run;
	uint16_t fence_size; /* the last block's upper fence */
	uint8_t fence[ST_DB_KEY_MAX];
};

/* One step of building a run. */
struct st_builder {
	const struct st_facts *facts;
	MDB_txn *txn;
	struct st_build build; /* as it will be after the commit */
	struct st_run_block block;
};

void st_build_init(struct st_build *build, uint32_t slot);
/* st_builder_close must follow in any case. */
int st_builder_open(struct st_builder *b, const struct st_facts *facts, MDB_txn *txn, const struct st_build *build,
		    struct pd_fail *fail);
void st_builder_close(struct st_builder *b);
/* Keys increase within a step and from one step to the next. */
int st_builder_add(struct st_builder *b, const uint8_t *key, size_t size, const void *value, size_t value_size,
		   struct pd_fail *fail);
/* Ends a step: writes what is left. `next` is the first key of the next step; NULL: the run is complete. */
int st_builder_cut(struct st_builder *b, const uint8_t *next, size_t size, struct pd_fail *fail);
