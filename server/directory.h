/* Directory: a look at a data directory before it is opened for writing.
 *
 * A directory that does not exist, that is empty, or that holds at least one file of proofd may be opened, even if it
 * is damaged, because opening reports the damage. A directory with other files only is foreign; creating a store among
 * them would be a mistake in the command line. Hidden files, `lock` and `lost+found` do not count. */
#pragma once

#include "proto/base/error.h"

/* 0 when `dir` may be opened or created as a data directory. PD_E_USAGE with field "data" when it is foreign. What
 * cannot be read passes: opening it reports the error. */
int sv_directory_check(const char *dir, struct pd_fail *fail);
/* Makes the directory if it does not exist: for its owner alone (0700), or for a group to read as well (0750); NULL:
 * for none. One that exists is left unchanged; the log warns of permissions that are wider, or narrower than `group`
 * needs. PD_E_USAGE with field "data-group" when there is no such group, or this user cannot give files to it. */
int sv_directory_make(const char *dir, const char *group, struct pd_fail *fail);
