/* Answer: the result object of a job (PROTOCOL.md), the same for the daemon and for `proofctl solve --json`. */
#pragma once

#include "server/jobs/model/job_hooks.h"

struct st_reader;
struct sv_core;

/* Prints the answer object, on the job's search thread at the end of the job. If the line of best play cannot be made
 * (facts that cannot be read), that error is returned, and the object is complete except for the line. */
int sv_answer_make(struct sv_core *core, struct st_reader *reader, const struct sv_ended *ended, struct pd_buf *buf,
		   struct pd_fail *fail);
