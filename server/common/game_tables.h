/* Game tables: gives an open game the tables that a data directory has of it (solver/table_theorem.h). */
#pragma once

#include "solver/table_theorem.h"

/* game_open, with the tables of the game in the data directory `dir` (NULL: none). Files that are damaged, cannot be
 * read, or are of other rules are logged and left out. PD_E_NO_MEMORY, and PD_E_IO when the directory cannot be read;
 * *out is then NULL. */
int sv_game_open(const char *dir, const char *name, const struct game_host *host, struct game **out,
		 struct pd_fail *fail);

enum { SV_MISSING_HINT = 320 };
/* What may be behind a proof that lacks a fact of this position, as the end of a sentence. */
const char *sv_missing_hint(const struct game *game, const void *state, char out[SV_MISSING_HINT]);
