/* Finish hook: runs the operator's program when a job has ended, or is paused because of trouble (--on-finish).
 *
 * The program gets no arguments, but PROOFD_JOB, PROOFD_STATE, PROOFD_GAME, PROOFD_VALUE and PROOFD_REASON in its
 * environment, the job as a line of JSON on stdin, and the server's stderr. At most DM_HOOK_RUNS run at a time, each
 * for at most DM_HOOK_S seconds: then its session is killed. Others wait, up to DM_HOOK_WAITING. Failures are only
 * logged. */
#pragma once

#include <sys/queue.h>
#include <uv.h>

#include "proto/base/error.h"
#include "server/core.h"

enum { DM_HOOK_RUNS = 4, DM_HOOK_S = 60, DM_HOOK_WAITING = 1000 };

struct dm_hook_run;

struct dm_hook {
	uv_loop_t *loop;
	const char *program;                /* borrowed; NULL: none */
	STAILQ_HEAD(, dm_hook_run) waiting; /* in the order of events */
	LIST_HEAD(dm_hook_running, dm_hook_run) running;
	unsigned run_count, waiting_count, dropped; /* dropped: not logged yet */
};

/* PD_E_USAGE with field "on-finish" unless the program is an executable file. */
int dm_hook_init(struct dm_hook *hook, uv_loop_t *loop, const char *program, struct pd_fail *fail);
/* For sv_core_on_finish, with the hook as ctx. Starts the program now or later; never waits. */
void dm_hook_finished(void *ctx, const struct sv_finished *finished);
/* Forgets waiting runs, and leaves running programs alone; the loop has to turn once more. */
void dm_hook_close(struct dm_hook *hook);
