/* Answer: the object that ends a job, the same for the daemon and for `proofctl solve --json` (PROTOCOL.md). */
#ifndef SV_ANSWER_H
#define SV_ANSWER_H

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "server/jobs/job.h"
#include "solver/solver.h"

struct st_reader;
struct sv_core;

/* The answer object of PROTOCOL.md, made by a worker at the end of a job. */
int sv_answer_make(struct sv_core *core, struct st_reader *reader, const struct sv_job *job, const struct game *game,
		   const void *state, const struct pn_answer *answer, const struct pn_progress *progress,
		   struct pd_buf *out, struct pd_fail *fail);

#endif
