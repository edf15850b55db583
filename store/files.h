/* Files of a data directory: their paths, whose they are, and getting them to the disk.
 *
 * A data directory is for its owner alone: 0700, and 0600 its files. One that has the mode 0750 (`proofd --data-group`)
 * is for its group to read as well: its files are 0640, and LMDB's lock files 0660, because a reader registers there.
 * That holds whatever the umask is. What root writes into a directory belongs to the owner of the directory. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "proto/base/error.h"

enum { ST_PATH = 4096 };

/* DIR/NAME, followed by SUFFIX. PD_E_LIMIT when it is too long. */
int st_path(char out[ST_PATH], const char *dir, const char *name, const char *suffix, struct pd_fail *fail);
/* Syncs the names in a directory. */
int st_sync_directory(const char *dir, struct pd_fail *fail);
/* Writes everything; false with errno. */
bool st_write_all(int fd, const void *data, size_t size);
/* Removes a directory that holds only files. */
void st_remove_directory(const char *path);

/* Identity of a file, independent of its name. */
struct st_file_id {
	dev_t device;
	ino_t number;
};
bool st_file_id_of(const char *path, struct st_file_id *out);
bool st_file_id_of_fd(int fd, struct st_file_id *out);
bool st_file_id_equal(const struct st_file_id *a, const struct st_file_id *b);

enum st_own { ST_OWN_DATA, ST_OWN_LOCK /* one of LMDB's lock files */ };

/* Gives a file that was just made in DIR, with mode 0600, its owner, group and mode. Where the file system or the
 * group does not allow that, the file stays private. */
void st_own_file(int fd, const char *dir, enum st_own what);
/* Gives DIR, which was just made, and its files the owner of another directory, and its group where the group may read
 * that one. */
int st_own_like(const char *dir, const char *other, struct pd_fail *fail);
