/* Core: where solver, store and proto meet.
 *
 * A core has a data directory, a queue of jobs, worker threads that search, and one writer thread that owns the store's batches (D3).
 * Around it stands a shell (libuv in the daemon, a plain loop in proofctl) that owns the one thread that calls everything in this
 * header: the loop thread. Requests come in as lines, replies go out through the session's sink, at once or from sv_core_pump.
 * No call in here waits for disk or search (V3), except sv_core_open and sv_core_close.
 *
 *   job states (V4); the arrows are sv_arrow in jobs.c, and sv_job_move is the one place where a state changes:
 *
 *     submit -> queued <-> running -> solved | exhausted | failed
 *                 |  \        |
 *                 |   paused <+          paused, exhausted, failed -> queued (resume); queued -> failed (it cannot begin)
 *                 +-> cancelled <- running, paused, exhausted, failed (cancel)
 *
 *   Apart from that sv_taint (taint.h), while nobody has the directory open, makes jobs what they were when they were submitted: queued. */
#ifndef SV_CORE_H
#define SV_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

struct sv_core;
struct sv_session;

struct sv_config {
	const char *data;       /* data directory; NULL: in memory */
	const char *graphs;     /* directory of andor:NAME graphs, NAME.json each; NULL: none */
	unsigned threads;       /* workers, one job each; 0: none (queries only) */
	double checkpoint_s;    /* seconds between checkpoints, 0.05..3600; default 2 */
	uint64_t memory;        /* bytes that all running jobs together may reserve; 0: three quarters of the machine's */
	int nice;               /* of workers, 0..19; default 19: they give way to everything else */
	bool read_only;         /* open the directory for queries beside a running server: no jobs, no writing */
};

void sv_config_init(struct sv_config *config);

/* Opens the data directory, restores all jobs (those that ran go on by themselves) and starts the threads. `wake` is called from other
 * threads when sv_core_pump has something to do; it must be safe from any thread and must not call back. */
int sv_core_open(const struct sv_config *config, void (*wake)(void *ctx), void *ctx, struct sv_core **out, struct pd_fail *fail);
/* Stops the workers, writes a last checkpoint of every running job (they stay `running` on disk and go on at the next start), joins the
 * threads and closes the store. Takes at most about a second. Sessions must be closed first. */
void sv_core_close(struct sv_core *core);

/* Where a session's lines go. `send` takes a complete reply or notification with its newline (copied by the callee). `backlog` says how many bytes
 * wait unsent: notifications are held back while there are any (newest wins). */
struct sv_sink {
	void *ctx;
	void (*send)(void *ctx, const char *line, size_t size);
	size_t (*backlog)(void *ctx);
};

/* NULL when memory runs out. */
struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink);
/* Nothing is sent any more from the call on; what the session asked for goes on. */
void sv_session_free(struct sv_session *session);
/* One request line, the newline not included. */
void sv_session_line(struct sv_session *session, const char *line, size_t size);
/* Calls of this session that are not answered yet; the shell stops reading above SV_PENDING_MAX. */
unsigned sv_session_pending(const struct sv_session *session);

enum { SV_PENDING_MAX = 64 };

/* Delivers what other threads have finished. */
void sv_core_pump(struct sv_core *core);
/* Ten times a second or so: progress notifications. */
void sv_core_tick(struct sv_core *core);
/* True once server.shutdown was asked for and answered. */
bool sv_core_stopping(const struct sv_core *core);

/* `proofctl check DIR`: every record of the directory decodes and every fact is locally justified (F2). Opens it read-only, needs no core. `problem` is
 * called for each fault, `progress` (may be NULL) now and then. Facts of games that cannot be opened here are counted, not
 * checked. Returns 0 when it could look (see *out), else an error. */
struct sv_check {
	uint64_t facts, reasons, leaves, leaf_nodes, skipped, problems;
};
int sv_check_directory(const char *dir, const char *graphs, unsigned threads, void (*problem)(void *ctx, const char *text),
		       void (*progress)(void *ctx, const struct sv_check *so_far), void *ctx, struct sv_check *out, struct pd_fail *fail);

/* `proofctl export`: the facts of a directory that justify one answer, as a certificate (proto/CERTIFICATE.md). Opens it read-only, needs no core. PD_E_STATE with field
 * "position" when the facts do not answer the claim. */
struct sv_export_order {
	const char *game, *position;
	const char *claim;      /* NULL: the strongest that is known */
	const char *file;       /* to be written */
	bool frontier;          /* leaves stay leaves; else all searches are run again and their proofs are taken in */
	bool (*progress)(void *ctx, uint64_t positions); /* may be NULL; now and then. False: the export is to end */
	void *ctx;
};
struct sv_exported {
	uint64_t positions, reasons, leaves, bytes;
	char claim[24], status[12];
	int lo, hi;             /* what is known of the root's value; the scale's ends where nothing is */
};
int sv_export_directory(const char *dir, const char *graphs, const struct sv_export_order *order, struct sv_exported *out, struct pd_fail *fail);

#endif
