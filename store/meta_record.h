/* The records of the databases `meta` of work.mdb and facts.mdb (private to store/).
 *
 * The table is the only list of them: copies (moment.c), checks (verify_directory.c) and repair (salvage_index.c) use
 * it. FORMAT.md has their bytes. To add a record: a row, its case in meta_decode.c, and the file that writes and
 * reads it. */
#pragma once

#include "store/record.h"

enum st_meta_flag {
	ST_META_WORK = 1,   /* in work.mdb */
	ST_META_FACTS = 2,  /* in facts.mdb */
	ST_META_NEEDED = 4, /* exists from the creation of the file on */
	ST_META_COPIED = 8, /* copied to backups and compacted files; a new file writes the other records itself */
	ST_META_KEPT = 16,  /* repair copies the newest version; the new directory writes the other records itself */
	ST_META_PLAIN = 32  /* not sealed */
};

/* X(id, key, flags) */
#define ST_META_RECORDS(X)                                                                                             \
	X(FORMAT, "format", ST_META_WORK | ST_META_FACTS | ST_META_NEEDED | ST_META_PLAIN)                             \
	X(TXN, "txn", ST_META_WORK | ST_META_FACTS)                                                                    \
	X(COUNTERS, "counters", ST_META_WORK | ST_META_NEEDED | ST_META_COPIED)                                        \
	X(IDENTITY, "identity", ST_META_WORK | ST_META_COPIED | ST_META_KEPT)                                          \
	X(REMOVED_JOBS, "forgotten", ST_META_WORK | ST_META_COPIED | ST_META_KEPT)                                     \
	X(RUNS, "runs", ST_META_FACTS | ST_META_NEEDED | ST_META_COPIED)

enum st_meta_id {
#define X(id, key, flags) ST_META_##id,
	ST_META_RECORDS(X)
#undef X
		ST_META_COUNT
};

struct st_data st_meta_key(enum st_meta_id id);
/* Flags of the table. */
unsigned st_meta_flags(enum st_meta_id id);
/* The record of this key in a file (ST_META_WORK or ST_META_FACTS); ST_META_COUNT when the table has none. */
enum st_meta_id st_meta_find(enum st_meta_flag file, const void *key, size_t size);
