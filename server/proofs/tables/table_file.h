/* Table files: the lock of a build, its checkpoint, the finished table (private to this folder). */
#pragma once

#include "server/proofs/tables/table_state.h"

struct st_table_file;

/* Whether checksums and digest of an open table are right; PD_E_CORRUPT for the first block that is damaged. */
int sv_table_sound(struct st_table_file *file, struct pd_fail *fail);
/* Whether the directory has the table, and it is sound; 1, 0 (with *fail, which is PD_E_CORRUPT for a damaged one),
 * or -1 with *fail. */
int sv_table_there(const struct sv_table_work *w, const struct game_class *class, struct sv_table_built *out,
		   struct pd_fail *fail);
/* Takes the lock of a class; PD_E_BUSY. *fd is released by sv_table_unlock. */
int sv_table_lock(const struct sv_table_work *w, int *fd, struct pd_fail *fail);
void sv_table_unlock(const struct sv_table_work *w, int fd);
/* Writes `due`, `left` and `settled`; reads them back, 1: there was a checkpoint, 0: there is none that can be used. */
int sv_table_save(const struct sv_table_work *w, struct pd_fail *fail);
int sv_table_restore(struct sv_table_work *w, struct pd_fail *fail);
/* Removes the checkpoint; whether there was one. */
bool sv_table_forget(const struct sv_table_work *w);
/* Writes the finished table. */
int sv_table_write(struct sv_table_work *w, struct sv_table_built *out, struct pd_fail *fail);
/* Whether the disk has room for checkpoint and table. */
int sv_table_room(const struct sv_table_work *w, struct pd_fail *fail);
/* Opens a table; what the header says must fit the class. */
int sv_table_open(const struct sv_table_work *w, const struct game_class *class, struct st_table_file **out,
		  struct pd_fail *fail);
/* What an open table says of itself. */
void sv_table_tell(const struct st_table_file *file, struct sv_table_built *out);
/* Adds an entry to the counts of a header. */
void sv_table_count(struct pd_table_head *head, uint16_t entry);
/* Computes the digest of an open table. */
int sv_table_digest(struct st_table_file *file, uint8_t out[PD_TABLE_DIGEST], struct pd_fail *fail);
