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

struct sv_core;
struct sv_session;

enum { SV_THREADS_MAX = 1024 };

struct sv_config {
	const char *data;    /* data directory; NULL: in memory */
	const char *graphs;  /* directory of andor:NAME graphs, NAME.json each; NULL: none */
	unsigned threads;    /* workers, at most SV_THREADS_MAX; 0: none (queries only) */
	double checkpoint_s; /* seconds between checkpoints, 0.05..3600; default 2 */
	uint64_t memory; /* bytes that all running jobs together may reserve; 0: three quarters of what memory.h finds;
			    more is refused */
	int nice;        /* of workers, 0..19; default 19: they give way to everything else */
	unsigned keep_jobs;   /* jobs that are over and are kept; the oldest ones beyond that are forgotten, their facts
				 stay; 0: all */
	uint64_t idle_tables; /* bytes of tables of jobs that are exhausted or failed, to be resumed; 0: no bound */
	uint64_t proofs_max;  /* bytes of certificates that are kept; 0: no bound */
	uint64_t identity; /* in memory: the key that searches name positions with, for who wants the same run again; 0:
			    * a secret one is drawn. A data directory has its own */
	bool read_only;    /* open the directory for queries beside a running server: no jobs, no writing */
	const char *token; /* who knows it may stop the server from anywhere; NULL: only its owner may (sv_sink) */
};

void sv_config_init(struct sv_config *config);

/* Opens the data directory, restores all jobs (those that ran go on by themselves) and starts the threads. `wake` is
 * called from other threads when sv_core_pump has something to do; it must be safe from any thread and must not call
 * back. */
int sv_core_open(const struct sv_config *config, void (*wake)(void *ctx), void *ctx, struct sv_core **out,
		 struct pd_fail *fail);
/* Stops the workers, writes a last checkpoint of every running job (they stay `running` on disk and go on at the next
 * start), joins the threads and closes the store. Takes at most about a second. Sessions must be closed first. */
void sv_core_close(struct sv_core *core);

/* Where a session's lines go. `send` takes a complete reply or notification with its newline (copied by the callee).
 * `backlog` says how many bytes wait unsent: notifications are held back while there are any (newest wins). `hang_up`:
 * there was no memory for a reply, so the connection must close (V1). None of them may close the session before it
 * returns. */
struct sv_sink {
	void *ctx;
	void (*send)(void *ctx, const char *line, size_t size);
	size_t (*backlog)(void *ctx);
	void (*hang_up)(void *ctx);
	bool owner; /* it comes by a way that only the owner of this process can go: it may stop the server */
};

/* NULL when memory runs out. */
struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink);
/* Nothing is sent any more from the call on. What was begun for it goes on, but for queries that wait for a thread;
 * what was not begun is dropped. */
void sv_session_free(struct sv_session *session);
/* One request line, the newline not included. Its calls are carried out in their order: the first at once, the others
 * of a batch by sv_core_pump, which goes from session to session. A long line is read by another thread first. True
 * when it was so little work (a quick query, answered) that the clock need not be asked after each. */
bool sv_session_line(struct sv_session *session, const char *line, size_t size);
/* Calls of this session that are not answered yet; the shell stops reading above SV_INFLIGHT_MAX. */
unsigned sv_session_inflight(const struct sv_session *session);
/* True while some of them are not even begun: the shell takes no more lines of this client meanwhile. */
bool sv_session_waiting(const struct sv_session *session);
/* True when it waits for nothing: no calls, no watches. */
bool sv_session_idle(const struct sv_session *session);

enum { SV_INFLIGHT_MAX = 64 };

/* Delivers what other threads have finished and carries out what sessions have waiting, for a millisecond or two; calls
 * `wake` when there is more. */
void sv_core_pump(struct sv_core *core);
/* The path of the socket by which the server's owner reaches it, for server.hello; NULL: none. */
void sv_core_socket(struct sv_core *core, const char *path);
/* Ten times a second or so: progress notifications. */
void sv_core_tick(struct sv_core *core);
/* True once server.shutdown was asked for and answered. */
bool sv_core_stopping(const struct sv_core *core);

/* `proofctl check DIR`: every record of the directory decodes, every fact is locally justified (F2), and what jobs say
 * follows from the facts: their bounds and results, and the solved entries of their tables. Opens it read-only, beside
 * a running server as well, and needs no core. `problem` is called for each fault, `progress` (may be NULL) now and
 * then. What belongs to games that cannot be opened here is counted, not checked. Returns 0 when it could look (see
 * *out), else an error. */
struct sv_check {
	uint64_t facts, reasons, leaves, leaf_nodes, problems;
	uint64_t jobs, entries; /* jobs, and solved entries of their tables */
	uint64_t skipped,
		skipped_jobs; /* facts and jobs that were not looked at, because their game cannot be opened */
	uint64_t untold;    /* entries of which nothing can be told: they hold on one path only, or are ends of games */
	char unopened[400]; /* the names of those games, a comma between two */
};
int sv_check_directory(const char *dir, const char *graphs, unsigned threads,
		       void (*problem)(void *ctx, const char *text),
		       void (*progress)(void *ctx, const struct sv_check *so_far), void *ctx, struct sv_check *out,
		       struct pd_fail *fail);

/* `proofctl export`: the facts of a directory that justify one answer, as a certificate (proto/CERTIFICATE.md). Opens
 * it read-only, needs no core. PD_E_STATE with field "position" when the facts do not answer the claim, with field
 * "game" when the game has other rules than are meant. */
struct sv_export_order {
	const char *game, *position;
	const char *claim; /* NULL: the strongest that is known */
	const uint64_t
		*rules; /* the version of the rules that is meant; NULL: the one that the game has when it is opened */
	const char *file; /* to be written */
	bool frontier;    /* leaves stay leaves; else all searches are run again and their proofs are taken in */
	bool (*progress)(void *ctx, uint64_t positions); /* may be NULL; now and then. False: the export is to end */
	void *ctx;
};
struct sv_exported {
	uint64_t positions, reasons, leaves, bytes;
	char claim[24], status[12];
	int lo, hi; /* what is known of the root's value; the scale's ends where nothing is */
};
int sv_export_directory(const char *dir, const char *graphs, const struct sv_export_order *order,
			struct sv_exported *out, struct pd_fail *fail);

#endif
