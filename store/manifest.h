/* Manifest: the list of a backup's files, with their sizes and digests (private to store/).
 *
 * Text; BACKUP.md has its form. It is written last, so a directory with a manifest is a complete backup. */
#pragma once

#include "store/layout.h"

enum { ST_BACKUP_FILES_MAX = ST_RUNS_MAX + 4, ST_BACKUP_FILE_NAME = 24 };

struct st_backup_file {
	char name[ST_BACKUP_FILE_NAME];
	uint64_t bytes, digest; /* XXH3-64 of all bytes */
};

struct st_manifest {
	int64_t made_ms; /* wall clock, since 1970: the moment that the backup shows */
	uint32_t count;
	struct st_backup_file file[ST_BACKUP_FILES_MAX];
};

/* Writes MANIFEST into the directory, durably, together with all names in it. */
int st_manifest_write(int dir, const struct st_manifest *manifest, struct pd_fail *fail);
/* PD_E_NOT_FOUND when there is none, PD_E_CORRUPT when it was changed, PD_E_FORMAT for another version. */
int st_manifest_read(int dir, struct st_manifest *out, struct pd_fail *fail);
/* The same for a text that ends with a zero byte. */
int st_manifest_parse(const char *text, struct st_manifest *out, struct pd_fail *fail);
/* Copies a text of at most 64 KiB between two directories, durably, and describes it in *out. PD_E_NOT_FOUND when there
 * is none. */
int st_backup_text(int from, int to, const char *name, struct st_backup_file *out, struct pd_fail *fail);
/* Reads a file to its end and describes it in *out. PD_E_NOT_FOUND. */
int st_backup_describe(int dir, const char *name, struct st_backup_file *out, struct pd_fail *fail);
/* NULL when the manifest does not name it. */
const struct st_backup_file *st_manifest_find(const struct st_manifest *manifest, const char *name);
