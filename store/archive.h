/* Archive: a file of a backup, with its own checksum (private to store/).
 *
 * The records of one or more tables of a data directory (moment.h), then an end that counts them and has the XXH3-64 of
 * all bytes before it. BACKUP.md describes the bytes. A file without its end is incomplete; writing may go on after its
 * last whole record. */
#pragma once

#include "proto/base/hash.h"
#include "store/record.h"

/* A file being written or read. Begins as {.fd = -1}. */
struct st_archive {
	int fd;               /* owned */
	const char *name;     /* borrowed, for messages */
	uint8_t *room;        /* owned */
	size_t at, end;       /* the part of `room` that is not yet consumed, or not yet written */
	uint64_t bytes;       /* consumed, or produced */
	uint64_t records;     /* likewise */
	XXH3_state_t *digest; /* owned: of the bytes consumed or produced */
};

/* Begins an empty file; takes ownership of the descriptor, even after a failure. */
int st_archive_create(struct st_archive *a, int fd, const char *name, struct pd_fail *fail);
int st_archive_put(struct st_archive *a, uint32_t table, struct st_data key, struct st_data value,
		   struct pd_fail *fail);
/* Writes the end and syncs the file. *digest: XXH3-64 of the whole file. */
int st_archive_finish(struct st_archive *a, uint64_t *digest, struct pd_fail *fail);

/* Reads from the beginning; takes ownership of the descriptor, even after a failure. PD_E_CORRUPT when it is not an
 * archive. */
int st_archive_open(struct st_archive *a, int fd, const char *name, struct pd_fail *fail);
/* Returns 1 and the next record, valid until the next call; 0 at the verified end (*digest as above); -1 on an error:
 * PD_E_CORRUPT when the file is truncated or was changed. */
struct st_archived {
	uint32_t table;
	struct st_data key, value;
};
int st_archive_next(struct st_archive *a, struct st_archived *out, uint64_t *digest, struct pd_fail *fail);
/* For an incomplete file that was read up to the first error: truncates it there and goes on writing. */
int st_archive_resume(struct st_archive *a, struct pd_fail *fail);
/* A second call does nothing. */
void st_archive_close(struct st_archive *a);
