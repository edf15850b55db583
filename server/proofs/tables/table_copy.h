/* Table copy: the tables of a data directory or of a backup go with its facts: backup, restore, repair. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"
#include "server/common/left_out.h"

struct sv_tables_copied {
	uint32_t tables;
	struct sv_left_out left_out; /* the damaged ones, by the names of their files */
};

/* Copies FROM/tables to TO/tables, in place of what is there, and verifies checksums and digests before and after.
 * Without tables no folder is made. `out` NULL: a damaged table is PD_E_CORRUPT, which names it; else it is
 * left out. */
int sv_tables_copy(const char *from, const char *to, struct sv_tables_copied *out, struct pd_fail *fail);
/* Copies the file `path` to a folder, which is made if it is not there, and syncs it. PD_E_CORRUPT when it cannot be
 * read: then there is no copy. PD_E_IO with that field. */
int sv_copy_file(const char *path, const char *folder, const char *field, struct pd_fail *fail);
