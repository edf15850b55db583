/* Backup: copies a data directory while work goes on, and restores it. BACKUP.md describes the procedure and the files.
 *
 * A backup is a directory of archives (archive.h) of one moment (moment.h) and a manifest. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

enum { ST_BACKUP_NAME_MAX = 64 };

#define ST_BACKUP_EXPERIMENTS "experiments"

struct st_backup_sum {
	uint64_t done, all;    /* records copied or verified so far; in total */
	uint64_t bytes_copied; /* written to new files */
	uint64_t bytes_kept;   /* of files, or parts of files, that already existed */
	uint32_t files, files_kept;
};

struct st_backup_order {
	const char *place; /* an existing directory */
	const char *name;  /* of the backup in it; see st_backup_name_check */
	/* Called regularly, in the calling thread; false: stop, with PD_E_SHUTDOWN. The next backup of this name
	 * continues from what was copied. May be NULL. */
	bool (*go_on)(void *ctx, const struct st_backup_sum *so_far);
	void *ctx;
	/* Adds what goes with the data directory to the backup before it is published, and perhaps the file
	 * ST_BACKUP_EXPERIMENTS, which the manifest then lists. May be NULL. */
	int (*more)(void *more_ctx, const char *data, const char *backup, struct pd_fail *fail);
	void *more_ctx;
};

/* PD_E_PARAMS, field "name", unless it is 1 to ST_BACKUP_NAME_MAX of A-Z a-z 0-9 . _ -, not beginning with a dot or
 * dash, not ending in ".partial", and not "liars" (BACKUP.md). */
int st_backup_name_check(const char *name, struct pd_fail *fail);
/* Makes PLACE/NAME, which is called NAME.partial until it is complete. Any thread; the store may be open for writing or
 * reading. Symbolic links in the place are not followed. PD_E_STATE when a backup of that name exists, PD_E_BUSY while
 * another process makes it, PD_E_CORRUPT when the directory or a new file is damaged. */
int st_backup(struct st_store *store, const struct st_backup_order *order, struct st_backup_sum *out,
	      struct pd_fail *fail);

/* Restores a complete backup to the data directory `dir`, which must be empty or missing, and which the caller removes
 * after a failure. Verifies the manifest, each file, each record, and the new directory. */
struct st_restored {
	int64_t made_ms; /* wall clock: the moment that the backup shows */
	uint64_t records, bytes;
	bool experiments; /* the backup has that file, which was verified; it is left to the caller */
};
int st_restore(const char *backup, const char *dir, struct st_restored *out, struct pd_fail *fail);
