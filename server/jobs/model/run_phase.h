/* Run phase: what is under way with a job in memory, while its state (job_state.h) says what is on disk.
 *
 *	from        to          when                                         by
 *	rest        submitting  its first record goes to the writer          sv_task_post
 *	submitting  rest        that record is on disk                       sv_submitted (api/deferred.c)
 *	rest        changing    a request's record, or its removal, goes     sv_task_post
 *	                        to the writer
 *	changing    rest        that is on disk, or cannot be written        writer.c: apply_task, fail_task
 *	changing    removed     it is gone from the disk                     sv_removed (api/deferred.c)
 *	rest        searching   a search thread takes it                     search_thread.c: take_job
 *	searching   ending      the search has an answer or cannot go on,    runner.c: finish_run;
 *	                        or gives way: how the run ends is settled    scheduler.c: sv_give_way
 *	searching   broken      the search fails, or a checkpoint is lost    runner.c: abandon_run
 *	ending      broken                                                   writer.c: fail_task
 *	searching   closing     the record that ends the run goes to the     sv_task_post
 *	ending      closing     writer
 *	broken      closing     the record says so                           sv_task_post, for search_thread.c: end_run
 *	closing     rest        that record is on disk                       writer.c: apply_task, fail_task
 *	closing     broken      that record cannot be written                writer.c: fail_task
 *	searching   rest        the server stops: the job runs on disk, and  search_thread.c: end_run
 *	ending      rest        goes on at the next start
 *	closing     rest
 *
 * From searching to closing a search thread has the job (sv_job_owned). sv_job_enter (index/job_index.h) is the one
 * function that changes the phase, under the core's lock. */
#pragma once

#include <stdbool.h>

enum sv_phase {
	SV_PHASE_REST, /* a search thread may take it, a request may change it */
	SV_PHASE_SUBMITTING,
	SV_PHASE_CHANGING,
	SV_PHASE_SEARCHING,
	SV_PHASE_ENDING,
	SV_PHASE_CLOSING,
	SV_PHASE_BROKEN,
	SV_PHASE_REMOVED /* the last search thread that is still in it frees it */
};

/* True when the diagram has the arrow. */
bool sv_phase_arrow(enum sv_phase from, enum sv_phase to);
/* A search thread has the job: searching, ending, closing or broken. */
bool sv_phase_owned(enum sv_phase phase);
