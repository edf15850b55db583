/* Backup: the method server.backup, and what `proofctl backup` and `proofctl restore` do without a server.
 *
 * The server makes one backup at a time, in a thread of its own, into the directory of `--backup-dir`. The request is
 * answered at once; how far it is is asked for. A server that stops ends the backup at the next look; what was copied
 * stays, and a backup of the same name goes on with it (store/backup.h). */
#pragma once

#include "store/backup.h"

struct pr_out;
struct sv_backup;
struct sv_core;

/* NULL without memory. */
struct sv_backup *sv_backup_new(void);
/* No backup is under way. */
void sv_backup_free(struct sv_backup *backup);
/* The loop thread: begins a backup; PD_E_BUSY while another one is under way, PD_E_STATE without --backup-dir. One of
 * the same name that is under way is success. */
int sv_backup_start(struct sv_core *core, const char *name, struct pd_fail *fail);
/* The loop thread: prints the members of server.backup's result, of the last backup since the start. */
void sv_backup_print(struct sv_core *core, struct pr_out *out);
/* The loop thread: the backup under way, if there is one, is to end soon; and the same, with waiting for its end. */
void sv_backup_interrupt(struct sv_core *core);
void sv_backup_stop(struct sv_core *core);
/* PD_E_USAGE, field "backup-dir", unless it is a directory that can be written to. */
int sv_backup_dir_check(const char *dir, struct pd_fail *fail);

/* Copies the data directory `data`, which a server may have open, to the new backup `path`. Errors as of st_backup. */
struct sv_backup_watch {
	bool (*go_on)(void *ctx, const struct st_backup_sum *so_far); /* may be NULL */
	void *ctx;
};
int sv_backup_directory(const char *data, const char *path, const struct sv_backup_watch *watch,
			struct st_backup_sum *out, struct pd_fail *fail);
struct sv_restore_order {
	const char *backup, *dir;
	const char *knows; /* data directory, or place of backups, that may know of more lies; NULL: none */
};
struct sv_restored {
	struct st_restored from;
	uint64_t retract; /* reasons of workers that lied, as is known by now; the next start retracts them */
};
/* Makes the data directory `dir` of a backup. Workers that have since become known to have lied (by the file `liars`
 * next to the backup, and that of `knows`) are recorded in `dir`, and the next start retracts what they gave.
 * PD_E_USAGE when `dir` exists and is not an empty directory. After an error there is no new directory. */
int sv_restore(const struct sv_restore_order *order, struct sv_restored *out, struct pd_fail *fail);
