/* The writer's lock on a data directory (private to store/).
 *
 * The writer holds an exclusive flock on work.mdb itself, through a descriptor of its own, so every program that could
 * write there encounters the lock. (LMDB locks its lock files with fcntl and does not interfere with flock.) The file
 * `lock` holds the writer's process number, for people.
 *
 * A new directory is locked on work.mdb.new, which is renamed to work.mdb when it is complete (create.c). */
#pragma once

#include <stdbool.h>

#include "proto/base/error.h"

/* Takes the writer's lock, for as long as *fd stays open. *fresh: there is no work.mdb, and the lock is on an empty
 * work.mdb.new. PD_E_LOCKED names the process that holds it. */
int st_lock_write(const char *dir, int *fd, bool *fresh, struct pd_fail *fail);
/* Excludes writers while LMDB's lock files cannot be used. *fd is -1 when there is nothing to lock. */
int st_lock_read(const char *dir, int *fd, struct pd_fail *fail);
/* Whether a process writes there. */
bool st_lock_owned(const char *dir);
/* Reserves disk space for LMDB's lock file, which is written through a map: a full disk would end the process. To be
 * called before LMDB opens the file. */
int st_lock_file_reserve(const char *dir, const char *name, unsigned readers, struct pd_fail *fail);
