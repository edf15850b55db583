/* Transition: the functions that move a job between states and phases, and keep the index true. Under the lock, for
 * jobs in the index. */
#pragma once

#include "server/jobs/model/job.h"

/* Along an arrow of job_state.h, or stays; asserts that there is one. */
void sv_job_move(struct sv_job *job, enum sv_state to);
/* Along an arrow of run_phase.h; asserts that there is one. */
void sv_job_enter(struct sv_job *job, enum sv_phase to);
/* Makes a change that is on disk. */
void sv_change_apply(struct sv_job *job, const struct sv_change *change);
/* Before the record takes the progress of a checkpoint that is on disk: new bounds are news for the parent's run
 * (run/injected_facts.h). */
void sv_job_note_bounds(struct sv_job *job, const struct pn_progress *progress);
