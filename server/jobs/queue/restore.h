/* Restore: the jobs of a data directory when it is opened, and which of them ended the process (crashes.h). */
#pragma once

#include "proto/base/error.h"

struct sv_core;

/* Before there are threads: reads all jobs into the index. Jobs whose record says that they run are queued again; one
 * that ended the process too often fails, with a task for the writer. */
int sv_jobs_restore(struct sv_core *core, struct pd_fail *fail);
