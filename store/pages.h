/* Pages: LMDB's own structures, looked at before LMDB believes them (private to store/).
 *
 * LMDB has no checksums. A damaged head may send it anywhere; and in a write transaction a damaged page may make it
 * overwrite its own memory, and a damaged list of free pages the data. So the file is read with plain reads, never
 * through the map, and held to what LMDB writes. This is the layout of LMDB 0.9 on machines of 64 bits. */
#ifndef ST_PAGES_H
#define ST_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_env;

/* What a meta page says that is of use without the rest. */
struct st_head {
	uint32_t page;     /* bytes of one */
	uint64_t root, id; /* of the table of names; number of the transaction */
};
enum { ST_HEAD_BYTES = 16 + 136 /* of a meta page, from its beginning */ };
/* False when the bytes are not the meta page of that number, 0 or 1. */
bool st_head_get(const uint8_t *bytes, uint64_t number, struct st_head *out);

/* The two meta pages of the file at `path`. A file that is missing or empty is fine: LMDB makes it. */
int st_head_check(const char *path, const char *name, struct pd_fail *fail);
/* The pages that hold structure: each is what it has to be, and no page of the file is used twice, or is free and used.
 * The leaves of a database without overflow pages are only counted: their records have checksums. For the one that
 * writes, before it does, with `id` 0; or for a read transaction with its number, which does nothing if a writer has
 * gone on too far. */
int st_pages_check(const struct st_env *env, uint64_t id, struct pd_fail *fail);

#endif
