/* Answer: the object that ends a job, the same for the daemon and for `proofctl solve --json` (PROTOCOL.md). */
#ifndef SV_ANSWER_H
#define SV_ANSWER_H

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "server/jobs/job_hooks.h"

struct st_reader;
struct sv_core;

/* The answer object of PROTOCOL.md, made by a worker at the end of a job. */
int sv_answer_make(struct sv_core *core, struct st_reader *reader, const struct sv_ended *ended, struct pd_buf *out,
		   struct pd_fail *fail);

#endif
