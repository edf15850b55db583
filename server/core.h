/* Core: where solver, store and proto meet.
 *
 * A core has a data directory, a queue of jobs, worker threads that search, and one writer thread that owns the store's
 * batches (D3). Around it stands a shell (libuv in the daemon, a plain loop in proofctl) that owns the one thread that
 * calls everything in this header: the loop thread. Requests come in as lines, replies go out through the session's
 * sink, at once or from sv_core_pump. No call in here waits for disk or search (V3), except sv_core_open and
 * sv_core_close.
 *
 *   job states (V4); the arrows are sv_arrow in jobs.c, and sv_job_move is the one place where a state changes:
 *
 *     submit -> queued <-> running -> solved | exhausted | failed
 *                 |  \        |
 *                 |   paused <+          paused, exhausted, failed -> queued (resume); queued -> failed (it cannot
 * begin)
 *                 +-> cancelled <- running, paused, exhausted, failed (cancel)
 *
 *   A job that ends the process. When the process ends without warning (killed, out of memory, a fault of its own),
 * nobody can say afterwards which of the jobs that ran was the cause. So each one's record counts the crashes in a row
 * in which it may have been (crashes.h):
 *   - That a job runs is on disk before its table is loaded. At a start, the count of each job whose record says that
 * it runs goes up by one, unless the record says that it was stopped cleanly.
 *   - A run is cleared when it has searched for a minute, or when a checkpoint of it has more table entries and facts
 * than it began with and memory was not running short then (memory.h). A crash after that begins a new count, with one.
 * So a job that is killed once a second goes on for ever, as long as it gets on between two kills; one that dies while
 * its table is loaded, again and again at one position, or each time when memory is used up, does not.
 *   - With two crashes in a row a job is suspect: it waits until no other job is queued, whatever its priority, and
 * runs while no other suspect does, so that a third crash tells which of them it was. With three it has failed, and
 * says why.
 *   - A run that ends in any other way, a clean stop of the server among them, and a resume set the count back to 0.
 *
 *   Apart from that sv_retract (taint.h), while nobody has the directory open, makes jobs what they were when they were
 * submitted: queued. */
#ifndef SV_CORE_H
#define SV_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/api/sink.h"
#include "server/common/config.h"
#include "server/proofs/check.h"
#include "server/proofs/export_directory.h"

struct sv_core;

/* Opens the data directory, restores all jobs (those that ran go on by themselves) and starts the threads. `wake` is
 * called from other threads when sv_core_pump has something to do; it must be safe from any thread and must not call
 * back. */
int sv_core_open(const struct sv_config *config, void (*wake)(void *ctx), void *ctx, struct sv_core **out,
		 struct pd_fail *fail);
/* Stops the workers, writes a last checkpoint of every running job (they stay `running` on disk and go on at the next
 * start), joins the threads and closes the store. Takes at most about a second. Sessions must be closed first. */
void sv_core_close(struct sv_core *core);

/* Delivers what other threads have finished and carries out what sessions have waiting, for a millisecond or two; calls
 * `wake` when there is more. */
void sv_core_pump(struct sv_core *core);
/* The path of the socket by which the server's owner reaches it, for server.hello; NULL: none. */
void sv_core_socket(struct sv_core *core, const char *path);
/* Ten times a second or so: progress notifications. */
void sv_core_tick(struct sv_core *core);
/* True once server.shutdown was asked for and answered. */
bool sv_core_stopping(const struct sv_core *core);

#endif
