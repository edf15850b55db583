/* Tables on disk: the files of a data directory that hold tables by retrograde analysis (TABLES.md).
 *
 * They are in DIR/tables, one file a class, named GAME.CLASS.table after the game and its class, with an underscore for
 * each character that is neither letter, digit, dot nor dash. A file is complete or absent: it is written under another
 * name, synced, and renamed. Files that are open stay mapped until they are closed, also when they are replaced. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/table_format.h"

#define ST_TABLES       "tables"
#define ST_TABLE_SUFFIX ".table"
#define ST_UNFINISHED   ".build" /* of a table that is being built */
enum { ST_TABLE_NAME = PD_TABLE_GAME + PD_TABLE_CLASS + 16 };

struct st_table_file;

/* The name of a file in DIR/tables. */
void st_table_name(const char *game, const char *class, const char *suffix, char out[ST_TABLE_NAME]);
/* Maps a table. PD_E_NOT_FOUND; PD_E_CORRUPT when header, index or length are wrong; PD_E_IO; PD_E_NO_MEMORY. */
int st_table_open(const char *path, struct st_table_file **out, struct pd_fail *fail);
void st_table_close(struct st_table_file *file);
const struct pd_table_head *st_table_head(const struct st_table_file *file);
uint64_t st_table_bytes(const struct st_table_file *file);
/* Whether a file of that name is where the table belongs: no checksum covers the header, and a changed bit there may
 * make the table of one class that of another. */
bool st_table_named(const struct st_table_file *file, const char *name);
/* Gets an entry; false when its block is damaged, which is logged once a file. `file` is a struct st_table_file. Any
 * thread. */
bool st_table_get(void *file, uint64_t index, uint16_t *entry);
/* Gets all entries of a block; returns how many, 0 when it is damaged. */
unsigned st_table_unpack(struct st_table_file *file, uint64_t block, uint16_t out[PD_TABLE_BLOCK]);
/* Calls `part` with the bytes that the digest covers, in order, in pieces. PD_E_CORRUPT when pages cannot be read. */
int st_table_signed(struct st_table_file *file, void (*part)(void *ctx, const void *bytes, size_t size), void *ctx,
		    struct pd_fail *fail);

/* Calls `each` for each file of DIR/tables that has the suffix, in the order of their names. A non-zero return ends the
 * walk and is returned. No directory: no files. */
int st_tables_each(const char *dir, const char *suffix, int (*each)(void *ctx, const char *path, const char *name),
		   void *ctx, struct pd_fail *fail);
