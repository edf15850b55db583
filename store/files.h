/* Files of a data directory: paths, owners and modes, writing and syncing.
 *
 * A data directory has mode 0700 and its files 0600, whatever the umask is. The group may read a directory of mode 0750
 * (`proofd --data-group`): its files have mode 0640, and LMDB's lock files 0660, because readers register there. What
 * root writes into a directory belongs to the owner of the directory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "proto/base/error.h"

enum { ST_PATH = 4096 };

/* DIR/NAME, followed by SUFFIX. PD_E_LIMIT when it is too long. */
int st_path(char out[ST_PATH], const char *dir, const char *name, const char *suffix, struct pd_fail *fail);
/* Syncs the names in a directory. */
int st_sync_directory(const char *dir, struct pd_fail *fail);
/* Bytes that are free on the disk of a directory; UINT64_MAX where that is unknown, and for NULL. */
uint64_t st_disk_free(const char *dir);
/* Opens a regular file for reading; NULL with errno, EINVAL where there is something else. It never waits, as fopen
 * does for a FIFO. */
FILE *st_open_regular(const char *path);
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

/* Gives a new file in DIR, of mode 0600, its owner, group and mode. If the file system or the group does not allow
 * that, the file stays private. */
void st_own_file(int fd, const char *dir, enum st_own what);
/* Gives a new directory DIR and its files the owner of another directory, and its group if the group may read that
 * one. */
int st_own_like(const char *dir, const char *other, struct pd_fail *fail);
