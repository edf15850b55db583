/* Game tables: gives an open game the tables that a data directory has of it (solver/table_theorem.h). */
#pragma once

#include "solver/table_theorem.h"

/* Opens the tables of the game in the data directory `dir` (NULL: none) and attaches them. Files that are damaged, or
 * of other rules, are logged and left out. Called before other threads use the game. PD_E_NO_MEMORY, PD_E_IO. */
int sv_game_tables(const char *dir, struct game *game, struct pd_fail *fail);
/* game_open with the tables of the directory. */
int sv_game_open(const char *dir, const char *name, const struct game_host *host, struct game **out,
		 struct pd_fail *fail);
