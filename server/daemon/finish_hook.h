/* Finish hook: runs a program of the operator's when a job has ended, or waits because of trouble (--on-finish).
 *
 * The program gets no arguments; PROOFD_JOB, PROOFD_STATE, PROOFD_GAME, PROOFD_VALUE and PROOFD_REASON in its
 * environment, the job as a line of JSON on stdin, stderr as the server's, and nothing on stdout. At most DM_HOOK_RUNS
 * run at a time, each for at most DM_HOOK_S seconds: then its session is killed. Others wait for their turn, up to
 * DM_HOOK_WAITING. Whatever goes wrong is logged, and nothing else comes of it. */
#ifndef DM_FINISH_HOOK_H
#define DM_FINISH_HOOK_H

#include <sys/queue.h>
#include <uv.h>

#include "proto/base/error.h"
#include "server/core.h"

enum { DM_HOOK_RUNS = 4, DM_HOOK_S = 60, DM_HOOK_WAITING = 1000 };

struct dm_hook_run;

struct dm_hook {
	uv_loop_t *loop;
	const char *program;                /* borrowed; NULL: there is no hook */
	STAILQ_HEAD(, dm_hook_run) waiting; /* in the order of their events */
	LIST_HEAD(dm_hook_running, dm_hook_run) running;
	unsigned run_count, waiting_count, dropped; /* dropped: and not told of yet */
};

/* PD_E_USAGE with field "on-finish" unless the program is a file that may be run. */
int dm_hook_init(struct dm_hook *hook, uv_loop_t *loop, const char *program, struct pd_fail *fail);
/* For sv_core_on_finish, with the hook as ctx. Starts the program, now or later; never waits. */
void dm_hook_finished(void *ctx, const struct sv_finished *finished);
/* Forgets those that wait, and lets those that run run on by themselves; the loop has to turn once more. */
void dm_hook_close(struct dm_hook *hook);

#endif
