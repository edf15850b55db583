/* Table copy: the tables of a data directory or of a backup go with its facts: backup, restore, repair. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct sv_tables_copied {
	uint32_t tables, damaged; /* damaged: left out */
};

/* Copies FROM/tables to TO/tables, in place of what is there, and verifies checksums and digests before and after.
 * Without tables no folder is made. `out` NULL: a damaged table is PD_E_CORRUPT, which names it; else it is
 * left out. */
int sv_tables_copy(const char *from, const char *to, struct sv_tables_copied *out, struct pd_fail *fail);
