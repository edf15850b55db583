/* Log file: where the log of the daemon goes, and in which form. */
#ifndef DM_LOG_FILE_H
#define DM_LOG_FILE_H

#include "proto/base/error.h"
#include "proto/base/log.h"

enum dm_log_form { DM_LOG_DEFAULT, DM_LOG_AS_TEXT, DM_LOG_AS_JSON, DM_LOG_AS_JOURNAL };

/* Begins the log, before there are threads. path: borrowed; NULL: stderr. By default it is text, or for the journal
 * when JOURNAL_STREAM names what stderr is. PD_E_USAGE with field "log-file" when the file cannot be written. */
int dm_log_begin(enum pd_log_level level, enum dm_log_form form, const char *path, struct pd_fail *fail);
/* Opens the file again, under its name: a rotation may have moved the old one. When that fails the log stays where it
 * is. */
int dm_log_reopen(const char *path, struct pd_fail *fail);
/* The last words of a process that fails: on stderr, and where the log goes. */
void dm_log_failure(const struct pd_fail *failure, enum dm_log_form form, const char *path);

#endif
