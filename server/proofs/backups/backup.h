/* Backup: the method server.backup, and what `proofctl backup` and `proofctl restore` do without a server.
 *
 * The server makes one backup at a time, in a separate thread, in the directory `--backup-dir`. The request is answered
 * at once; further requests report the progress. A server that stops interrupts the backup; what was copied stays, and
 * a backup of the same name continues from it (store/backup.h). */
#pragma once

#include "server/common/left_out.h"
#include "store/backup.h"

struct pr_out;
struct sv_backup;
struct sv_core;

/* NULL without memory. */
struct sv_backup *sv_backup_new(void);
/* No backup is under way. */
void sv_backup_free(struct sv_backup *backup);
/* The loop thread: begins a backup. PD_E_BUSY while a backup of another name is under way (of the same name: success),
 * PD_E_STATE without --backup-dir. */
int sv_backup_start(struct sv_core *core, const char *name, struct pd_fail *fail);
/* The loop thread: prints the members of server.backup's result, of the last backup since the start. */
void sv_backup_print(struct sv_core *core, struct pr_out *out);
/* The loop thread: interrupt the current backup, if there is one; sv_backup_stop also waits for its end. */
void sv_backup_interrupt(struct sv_core *core);
void sv_backup_stop(struct sv_core *core);
/* PD_E_USAGE, field "backup-dir", unless it is a directory that can be written to. */
int sv_backup_dir_check(const char *dir, struct pd_fail *fail);

/* Copies the data directory `data`, which a server may have open, to the new backup `path`. Errors as of st_backup. */
struct sv_backup_watch {
	bool (*go_on)(void *ctx, const struct st_backup_sum *so_far); /* may be NULL */
	void *ctx;
};
struct sv_backup_made {
	struct st_backup_sum sum;
	struct sv_left_out left_out; /* damaged tables and experiments, which it does not have */
};
int sv_backup_directory(const char *data, const char *path, const struct sv_backup_watch *watch,
			struct sv_backup_made *out, struct pd_fail *fail);
struct sv_restore_order {
	const char *backup, *dir;
	const char *knows; /* a data directory, or place of backups, that may name more workers that lied; NULL: none */
};
struct sv_restored {
	struct st_restored from;
	uint64_t retract; /* reasons given by workers that are now known to lie; the next start retracts them */
};
/* Makes the data directory `dir` of a backup. Workers that have since become known to have lied (by the file `liars`
 * next to the backup, and that of `knows`) are recorded in `dir`, and the next start retracts what they gave.
 * PD_E_USAGE when `dir` exists and is not an empty directory. Leaves no new directory after an error. */
int sv_restore(const struct sv_restore_order *order, struct sv_restored *out, struct pd_fail *fail);
