/* Fresh directory: a new data directory that is made under a temporary name and renamed when it is complete. */
#pragma once

#include "proto/base/error.h"

/* The name of a new directory, without slashes at its end, and the temporary one, with `suffix`; both have room for
 * PATH_MAX. PD_E_USAGE with field "NEW" when anything but an empty directory has the first name, or anything the
 * second. */
int sv_fresh_name(const char *dir, const char *suffix, char *name, char *path, struct pd_fail *fail);
/* Renames the directory `path` to `name` and syncs the parent directory. A directory made by root is given to the owner
 * of `like`, from which it was made; NULL: it stays root's. */
int sv_fresh_publish(const char *path, const char *name, const char *like, struct pd_fail *fail);
/* Removes the directory with its files; it has no sub-directories but those of tables and experiments. Failures are
 * ignored. */
void sv_fresh_remove(const char *path);
