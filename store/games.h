/* Games: their numbers in a store. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"
#include "store/store_types.h"

/* The number under which facts of a game under these rules are kept; 0 when the store has none. Any thread. */
uint32_t st_game_find(struct st_store *store, const char *name, uint64_t rules_version);
/* Calls `each` for every registered game. Any thread. */
void st_game_each(struct st_store *store,
		  void (*each)(void *ctx, uint32_t id, const char *name, uint64_t rules_version), void *ctx);
/* Gives the game a number (again the same when it has one already). */
int st_batch_game(struct st_batch *batch, const char *name, uint64_t rules_version, uint32_t *id, struct pd_fail *fail);

/* Keeps the record of a contradiction that another store had. No batch is open. */
int st_conflict_keep(struct st_store *store, const void *record, size_t size, struct pd_fail *fail);
/* Writes a record that st_salvage_meta has found. It takes effect when the directory is opened again. No batch is
 * open. */
int st_meta_keep(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail);
