/* Core: where solver, store and proto meet.
 *
 * A core has a data directory, a queue of jobs, search threads, and one writer thread that owns the store's batches
 * (D3). Its host (libuv in the daemon, a plain loop in proofctl) owns the one thread that calls everything in this
 * header: the loop thread. Requests are calls of a session (sv_call), or lines of calls; calls that are not completed
 * at once are completed by sv_core_pump. No call in here waits for disk or search (V3), except sv_core_open and
 * sv_core_close.
 *
 * Job states: jobs/model/job_state.h. What happens to a job that ends the process: jobs/model/crashes.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/api/call.h"
#include "server/api/figures.h"
#include "server/api/finished.h"
#include "server/api/rate.h"
#include "server/api/session.h"
#include "server/api/status.h"
#include "server/common/config.h"
#include "server/common/plugin_crashes.h"
#include "server/common/plugin_watch.h"
#include "server/common/plugins.h"
#include "server/common/pulse.h"
#include "server/common/tokens.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/certificates/export.h"

struct sv_core;

/* Takes back the facts of workers that lied, if a retraction is pending (maintenance/lies.h), which may take long.
 * Opens the data directory, restores all jobs (those that ran continue by themselves) and starts the threads. `wake` is
 * called from other threads when sv_core_pump has something to do; it must be safe from any thread and must not call
 * back. */
int sv_core_open(const struct sv_config *config, void (*wake)(void *ctx), void *ctx, struct sv_core **out,
		 struct pd_fail *fail);
/* Stops the search threads, writes a last checkpoint of every running job (they stay `running` on disk and continue at
 * the next start), joins the threads and closes the store. Takes at most about a second. Sessions must be closed
 * first. */
void sv_core_close(struct sv_core *core);

/* Delivers what other threads have finished and carries out waiting calls of sessions, for a millisecond or two; calls
 * `wake` when there is more. */
void sv_core_pump(struct sv_core *core);
/* The path of the socket by which the server's owner reaches it, for server.hello; NULL: none. */
void sv_core_socket(struct sv_core *core, const char *path);
/* tell(ctx, ...) is called from sv_core_pump for each job that ends, or is paused by trouble; NULL: for none. */
void sv_core_on_finish(struct sv_core *core, sv_tell_finished *tell, void *ctx);
/* Replaces the tokens. A connection whose token still exists gets the role that the token has now; the other TCP
 * connections lose theirs. False without memory; nothing has then changed. */
bool sv_core_tokens(struct sv_core *core, const struct sv_tokens *tokens);
/* Ten times a second or so: progress notifications. */
void sv_core_tick(struct sv_core *core);
/* For a watchdog, at any interval: what kind of thread is stuck (pulse.h says what that means); NULL: all are well. */
const char *sv_core_stuck(struct sv_core *core);
/* True once server.shutdown was asked for and answered. */
bool sv_core_stopping(const struct sv_core *core);
/* True once a worker on another machine has given a false result (maintenance/lies.h): this core must get no more
 * requests. Once *written, it must be closed and opened again, which retracts what the worker gave. */
bool sv_core_lied(const struct sv_core *core, bool *written);
