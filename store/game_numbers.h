/* Game numbers: which number stands for which game and rules (private to store/).
 *
 * Facts are stored under a game number. A game with other rules is another game. Numbers are given from 1 without gaps;
 * facts.mdb has a copy of the first ones, so that other programs can read it by itself. */
#pragma once

#include <lmdb.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_env;
struct st_game;
struct st_store;

/* games/ID, in both environments: le64 rules version, name. */
int st_game_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const struct st_game *game, struct pd_fail *fail);
/* Reads the games that are not in the list yet. */
int st_games_load(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
/* Whether each game of facts.mdb has the same number and rules in work.mdb, which may know more. PD_E_CORRUPT: facts of
 * one game would be taken for another's. The transaction on facts.mdb is the older one, or as old. */
int st_games_agree(const struct st_store *store, MDB_txn *facts, struct pd_fail *fail);
