/* Transition: the functions that move a job from one state to the next and keep the index of jobs true. Under the lock,
 * for jobs that are in the index. */
#ifndef SV_TRANSITION_H
#define SV_TRANSITION_H

#include "server/jobs/model/job.h"

/* Goes along an arrow of job_state.h, or stays; there must be one. */
void sv_job_move(struct sv_job *job, enum sv_state to);
/* Goes along an arrow of run_phase.h; there must be one. */
void sv_job_enter(struct sv_job *job, enum sv_phase to);
/* The job after a change that is on disk. */
void sv_change_apply(struct sv_job *job, const struct sv_change *change);
/* A checkpoint of the job with that progress is on disk: where its bounds are new, its parent is to take them up
 * (run/injected_facts.h). */
void sv_job_note_bounds(struct sv_job *job, const struct pn_progress *progress);

#endif
