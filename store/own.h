/* Own: to whom the files of a data directory belong, and who may read them.
 *
 * A data directory is for its owner alone: 0700, and 0600 its files. One that has the mode 0750 (`proofd --data-group`)
 * is for its group to read as well: its files are 0640, and LMDB's lock files 0660, because a reader registers there.
 * That holds whatever the umask is. What root writes into a directory belongs to the owner of the directory. */
#pragma once

#include "proto/base/error.h"

enum st_own { ST_OWN_DATA, ST_OWN_LOCK /* one of LMDB's lock files */ };

/* Gives a file that was just made in DIR, with mode 0600, its owner, group and mode. Where the file system or the
 * group does not allow that, the file stays private. */
void st_own_file(int fd, const char *dir, enum st_own what);
/* Gives DIR, which was just made, and its files the owner of another directory, and its group where the group may read
 * that one. */
int st_own_like(const char *dir, const char *other, struct pd_fail *fail);
