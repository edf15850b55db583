/* Backup: a data directory copied while work goes on, and made a directory again.
 *
 * A backup is a directory of archives (archive.h): `work`, `facts`, one for each run, and a manifest, which is written
 * last. It shows one moment of both files (moment.h). Runs never change, so those that an earlier backup in the same
 * place has are linked, not copied, and those that an interrupted backup of the same name has copied are kept, the last
 * one up to its last whole record. Every file is read again and verified, record by record, before the manifest is
 * written. BACKUP.md describes the files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

enum { ST_BACKUP_NAME_MAX = 64 };

struct st_backup_sum {
	uint64_t done, all;    /* records copied or verified so far; those to copy and to verify */
	uint64_t bytes_copied; /* written to new files */
	uint64_t bytes_kept;   /* of files, or parts of files, that were there already */
	uint32_t files, files_kept;
};

struct st_backup_order {
	const char *place; /* an existing directory */
	const char *name;  /* of the backup in it: st_backup_name_check */
	/* Called now and then, from the calling thread; false: stop, with PD_E_SHUTDOWN. What is copied stays, and the
	 * next backup of this name goes on with it. May be NULL. */
	bool (*go_on)(void *ctx, const struct st_backup_sum *so_far);
	void *ctx;
};

/* PD_E_PARAMS, field "name", unless it is 1 to ST_BACKUP_NAME_MAX of A-Z a-z 0-9 . _ -, not beginning with a dot or
 * dash, not ending in ".partial", and not "liars" (BACKUP.md). */
int st_backup_name_check(const char *name, struct pd_fail *fail);
/* Makes PLACE/NAME; until it is complete it is called NAME.partial. Any thread; the store may be open for writing or
 * reading. Nothing outside of the place is opened: no symbolic link is followed in it. PD_E_STATE when a backup of that
 * name is there, PD_E_BUSY while another process makes it, PD_E_CORRUPT when the directory or what was written is
 * damaged. */
int st_backup(struct st_store *store, const struct st_backup_order *order, struct st_backup_sum *out,
	      struct pd_fail *fail);

/* Makes a data directory of a complete backup, in the empty or missing directory `dir`, which is left as it is after a
 * failure: the caller removes it. Everything is verified: the manifest, each file against it, each record, and the
 * directory that was made. */
struct st_restored {
	int64_t made_ms; /* wall clock: the moment that the backup shows */
	uint64_t records, bytes;
};
int st_restore(const char *backup, const char *dir, struct st_restored *out, struct pd_fail *fail);
