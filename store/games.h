/* Games: which number stands for which game and rules.
 *
 * Facts are stored under a game number. A game with other rules is another game. Numbers are given from 1 without gaps.
 * The list is small: it is read at start and kept in memory under the store's lock. facts.mdb has a copy of the first
 * games, so that other programs can read it by itself. */
#pragma once

#include "proto/base/error.h"
#include "store/store_types.h"

/* The number under which facts of a game under these rules are kept; 0 when the store has none. Any thread. */
uint32_t st_game_find(struct st_store *store, const char *name, uint64_t rules_version);
/* Calls `each` for every registered game. Any thread. */
void st_game_each(struct st_store *store,
		  void (*each)(void *ctx, uint32_t id, const char *name, uint64_t rules_version), void *ctx);
/* Gives the game a number, or returns the one that it already has. */
int st_batch_game(struct st_batch *batch, const char *name, uint64_t rules_version, uint32_t *id, struct pd_fail *fail);

/* --- within store/ ------------------------------------------------------------------------- */

struct MDB_txn;
/* Reads the games that are not in the list yet. */
int st_games_load(struct st_store *store, struct MDB_txn *work, struct pd_fail *fail);
/* Copies all games to facts.mdb. */
int st_games_publish(const struct st_store *store, struct MDB_txn *facts, struct pd_fail *fail);
/* Whether each game of facts.mdb has the same number and rules in work.mdb, which may know more. PD_E_CORRUPT: facts of
 * one game would be taken for another's. The transaction on facts.mdb is not newer than that on work.mdb. */
int st_games_agree(const struct st_store *store, struct MDB_txn *facts, struct pd_fail *fail);
