/* Table list: the tables that a data directory has, and the classes of a game. */
#pragma once

#include "server/proofs/tables/table_types.h"

/* Calls `each` for each table, in the order of the names of the files, with what its header says; for a file that
 * cannot be read as a table, with game and table NULL and what is wrong. A non-zero return ends the walk and is
 * returned. */
int sv_tables_list(const char *dir,
		   int (*each)(void *ctx, const char *file, const char *game, const struct sv_table_built *table,
			       const char *wrong),
		   void *ctx, struct pd_fail *fail);
/* Whether the directory has a table in a file of that name, whose header has that digest. */
bool sv_table_is_there(const char *dir, const char *file, const uint8_t digest[32]);
/* Calls `each` for each checkpoint of a build, whether a build goes on with it or it was left, with its bytes. */
int sv_tables_unfinished(const char *dir, int (*each)(void *ctx, const char *game, const char *class, uint64_t bytes),
			 void *ctx, struct pd_fail *fail);
/* Calls `each` for each file of a table, with what is wrong with its header, index, blocks or digest, NULL if nothing
 * is. A non-zero return ends the walk and is returned. */
int sv_tables_examine(const char *dir, int (*each)(void *ctx, const char *path, const char *wrong), void *ctx,
		      struct pd_fail *fail);
/* Writes the name of class number n of the game's classes with that many men. 1, 0 after the last, -1 with *fail. */
int sv_table_class_at(const char *game, unsigned men, unsigned n, char out[GAME_CLASS_NAME], struct pd_fail *fail);
