/* Log file: where the daemon's log goes, and in which form. */
#pragma once

#include "proto/base/error.h"
#include "proto/base/log.h"

enum dm_log_form { DM_LOG_DEFAULT, DM_LOG_AS_TEXT, DM_LOG_AS_JSON, DM_LOG_AS_JOURNAL };

/* Begins the log, before there are threads. path: borrowed; NULL: stderr. The default form is the journal's when
 * JOURNAL_STREAM names stderr, else text. PD_E_USAGE with field "log-file" when the file cannot be written. */
int dm_log_begin(enum pd_log_level level, enum dm_log_form form, const char *path, struct pd_fail *fail);
/* Opens the file again, after a rotation. On failure the log continues in the old one. */
int dm_log_reopen(const char *path, struct pd_fail *fail);
/* Reports the failure that ends the process, on stderr and in the log. */
void dm_log_failure(const struct pd_fail *failure, enum dm_log_form form, const char *path);
