/* Internal: what the files of the core ask of each other (private to server/core).
 *
 *   core.c     open, close, ticks                    jobs.c     job table, states, records
 *   session.c  lines in, replies out                 service.c  one handler a method
 *   worker.c   threads that search                   runner.c   one job's search
 *   crew.c     the workers that search it together
 *   writer.c   the thread that owns the batches       watch.c    progress notifications
 *   query.c    facts of positions                    line.c     best play from facts
 *   games.c    open games, graph files               answer.c   the answer object
 *   check.c    a whole directory                     justify.c  whether its facts follow
 *   taint.c    facts taken back                     quick.c    the frequent query, without an exchange
 *
 * Threads: the loop thread calls core.h and owns sessions, exchanges and watches. Workers own their runner. The writer owns batches.
 * Readers answer large queries. What they share is guarded by core->lock; a thread holds it for short stretches and never while it
 * searches, reads or writes the store.
 *
 * A job's `state` is what is on disk: the writer changes it when the commit has returned, so that nobody hears of a state that a
 * crash could take back (D1). What a worker or a request intends travels in a task. A job has at most one change under way: a request that
 * comes meanwhile is put off until it is settled, and then judged by what has become of the job. */
#ifndef SV_INTERNAL_H
#define SV_INTERNAL_H

#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "proto/base/claim.h"
#include "proto/out.h"
#include "proto/quick.h"
#include "proto/rpc.h"
#include "server/core/core.h"
#include "server/core/crew.h"
#include "solver/solver.h"
#include "store/store.h"

/* X(enumerator, text, it is over) */
#define SV_STATES(X)                                                                                                    \
	X(SV_QUEUED, "queued", false)                                                                                   \
	X(SV_RUNNING, "running", false)                                                                                 \
	X(SV_PAUSED, "paused", false)                                                                                   \
	X(SV_SOLVED, "solved", true)                                                                                    \
	X(SV_EXHAUSTED, "exhausted", true)                                                                              \
	X(SV_CANCELLED, "cancelled", true)                                                                              \
	X(SV_FAILED, "failed", true)

enum sv_state {
#define X(name, text, over) name,
	SV_STATES(X)
#undef X
};

/* What a running job is to do next; looked at between two slices. */
enum sv_want { SV_GO_ON, SV_WANT_PAUSE, SV_WANT_CANCEL, SV_WANT_STOP };

struct sv_spec { /* as submitted; never changes but for priority and budget */
	char *game, *position, *key;   /* owned; key NULL when none */
	struct pd_claim claim;
	enum pn_algorithm algorithm;
	enum pn_detail detail;
	int priority;
	unsigned threads;
	uint64_t memory, seed;
	uint64_t shorten;              /* nodes for shorter wins; 0: none */
	struct pn_options options;     /* its tunables count; the rest stands above */
	uint64_t budget_nodes;         /* 0: none */
	double budget_seconds;         /* 0: none */
	int16_t value_min, value_max;  /* the game's scale, to say values in words */
};

/* What a request changes besides the state, once it is on disk. */
struct sv_change {
	int priority;
	uint64_t budget_nodes;
	double budget_seconds;
	bool clear;                    /* the last run's end is forgotten: reason, result and time */
	bool finish;                   /* the job is over now */
	const char *reason;            /* static; NULL: the one there is */
};

struct sv_put_off { /* a call that waits until the change under way is settled */
	struct sv_pending *pending;
	struct pr_call *call;
	STAILQ_ENTRY(sv_put_off) link;
};

struct sv_waiter { /* a call to be answered when what it asked for is on disk */
	struct sv_pending *pending;
	struct pr_call *call;
	uint64_t record;               /* the first record of the job that can tell */
	uint64_t troubles;             /* that the job has had; only a later one concerns this call */
	bool any_state;                /* whatever state that has; else it must be `wanted`, or the job be over */
	enum sv_state wanted;
	STAILQ_ENTRY(sv_waiter) link;
};

struct sv_job {
	uint32_t id;
	struct sv_spec spec;
	enum sv_state state;           /* as on disk */
	bool disk_trouble;             /* its checkpoint cannot be written for now; it shows as paused */
	int trouble_code;              /* the error that keeps it from being written */
	char trouble[200];             /* and its text */
	struct pn_progress progress;
	double seconds;                /* searched, over all restarts */
	double rate;                   /* nodes a second, lately; 0 when not running */
	int64_t submitted_ms, started_ms, finished_ms; /* 0: not yet */
	unsigned restarts;
	char *engines;                 /* owned; the versions of this program that worked on it, in order, a space between two; NULL: none yet */
	char reason[200];              /* why paused, exhausted or failed; "" for none */
	char *result;                  /* owned; the answer as JSON, NULL while there is none */
	/* only in memory */
	enum sv_want want;             /* set by the loop thread, under the lock */
	bool held;                     /* a worker has it, until the record that ends its run is on disk */
	bool ending;                   /* that record is made */
	bool changing;                 /* a request's record is with the writer; no worker takes it meanwhile */
	bool ran;                      /* when the core was opened it was running, and it goes before others of its priority */
	bool broken;                   /* a checkpoint of this run is lost; it ends in broken_state */
	enum sv_state broken_state;    /* SV_FAILED or SV_PAUSED */
	uint64_t run;                  /* counts its runs */
	uint64_t run_record;           /* the first record of the run */
	bool writing;                  /* a checkpoint of it waits for the writer */
	bool checkpoint_now;           /* the worker is to make one */
	struct sv_crew *crew;          /* of its run; NULL: nobody can join it */
	uint64_t records;              /* made so far */
	uint64_t troubles;             /* told to the loop thread so far */
	uint64_t changes;              /* counts what a watcher may want to hear of */
	STAILQ_HEAD(, sv_waiter) waiters; /* the loop thread's, as is the next */
	STAILQ_HEAD(, sv_put_off) put_off;
	STAILQ_ENTRY(sv_job) link;     /* of those being submitted */
};

/* One position's game, opened once and shared. */
struct sv_game {
	struct game *game;
	struct sv_game *next;
	unsigned users;
};

enum sv_task_kind { SV_TASK_SUBMIT, SV_TASK_RECORD, SV_TASK_CHECKPOINT };

/* What the writer is to make durable. */
struct sv_task {
	enum sv_task_kind kind;
	struct sv_job *job;
	enum sv_state state;           /* the job's state once this is on disk */
	struct pd_buf record;          /* the job's record; SUBMIT: made by the writer, who knows the number */
	struct pd_buf event;           /* empty: none */
	struct st_table_entry *entries, *sweep; /* owned */
	size_t entry_count, sweep_count;
	bool sweep_start, sweep_end, drop_table;
	struct sv_change change;       /* RECORD: what holds once this is on disk */
	bool ends_run;                 /* the last record of a run */
	struct pd_buf facts;           /* packed: size, key, reason */
	const struct game *game;       /* whose facts they are */
	uint64_t number;               /* of the record, counted by the job */
	struct pd_fail fail;           /* code 0: committed */
	struct sv_mail *mail;          /* what the loop thread is told of it; had beforehand, so that telling cannot fail */
	STAILQ_ENTRY(sv_task) link;
};
STAILQ_HEAD(sv_tasks, sv_task);

/* A message for the loop thread. */
enum sv_mail_kind { SV_MAIL_REPLY, SV_MAIL_QUICK, SV_MAIL_SUBMITTED, SV_MAIL_RECORDED };
struct sv_mail {
	enum sv_mail_kind kind;
	struct sv_pending *pending;    /* REPLY, QUICK */
	struct pr_call *call;          /* REPLY */
	struct pd_buf json;            /* when fail.code is 0: the result (REPLY), the reply line (QUICK) */
	struct sv_job *job;            /* SUBMITTED, RECORDED */
	uint64_t number;               /* of its record; 0: of none, it had trouble */
	uint64_t trouble;              /* the trouble's number */
	enum sv_state state;           /* in that record */
	struct pd_fail fail;           /* code 0: it went well */
	STAILQ_ENTRY(sv_mail) link;
};
STAILQ_HEAD(sv_mails, sv_mail);

/* A request that a reader thread answers. */
struct sv_errand {
	struct sv_mail *mail;          /* the reply to be; names the call */
	STAILQ_ENTRY(sv_errand) link;
};
STAILQ_HEAD(sv_errands, sv_errand);

/* Where errands wait for the threads that serve there. */
struct sv_desk {
	struct sv_core *core;
	struct sv_errands errands;
	unsigned count;
	pthread_cond_t come;
};

struct sv_pending { /* an exchange, or a quick query, that is not answered yet */
	struct pr_exchange *exchange;  /* NULL for a quick query */
	char *line;                    /* of a quick query, owned */
	size_t size;
	struct sv_session *session;    /* NULL: it has closed */
	LIST_ENTRY(sv_pending) link;
};

struct sv_watch {
	struct sv_job *job;
	uint64_t interval_ns, due_ns;
	uint64_t seen;                 /* job->changes when last told */
	LIST_ENTRY(sv_watch) link;
};

struct sv_session {
	struct sv_core *core;
	struct sv_sink sink;
	unsigned pending;
	LIST_HEAD(, sv_pending) pendings;
	LIST_HEAD(, sv_watch) watches;
	LIST_ENTRY(sv_session) link;
};

struct sv_core {
	struct sv_config config;       /* strings owned */
	char *data, *graphs;
	void (*wake)(void *ctx);
	void *wake_ctx;
	struct st_store *store;
	struct st_reader *reader;      /* the loop thread's */
	struct pd_buf quick_line;      /* the loop thread's: room for a quick reply */
	uint64_t start_ns;
	bool stopping;                 /* server.shutdown was answered */
	STAILQ_HEAD(, sv_job) submitting; /* handed to the writer, without a number yet */
	LIST_HEAD(, sv_session) sessions;

	pthread_mutex_t games_lock;    /* guards games. Queries take no lock that a worker holds while it may lose its processor */
	struct sv_game *games;

	pthread_mutex_t lock;          /* guards what follows */
	pthread_cond_t work, write, written;
	struct sv_job **jobs;          /* by number - 1; owned */
	uint32_t job_count, job_capacity;
	struct sv_tasks tasks;
	unsigned task_count;
	struct sv_mails mails;
	struct sv_desk queries, proofs; /* quick errands; certificates, which take their time */
	bool stop_workers, stop_writer, stop_readers;
	unsigned busy;                 /* workers that search a job of their own */
	unsigned helping;              /* workers that search another's */
	unsigned connections;
	uint64_t reserved;             /* bytes of memory given to running jobs */
	uint64_t nodes;                /* searched since start */

	pthread_t *workers, writer, readers[3]; /* two at `queries`, one at `proofs` */
	unsigned worker_count;
	bool has_writer;
	unsigned reader_count;
};

/* --- jobs.c ------------------------------------------------------------------------------------------------------------------ */
const char *sv_state_text(enum sv_state state);
bool sv_state_over(enum sv_state state);
bool sv_state_parse(const char *text, enum sv_state *out);
/* True when there is an arrow between the states (core.h). */
bool sv_arrow(enum sv_state from, enum sv_state to);
/* Goes along an arrow, or stays; there must be one. */
void sv_job_move(struct sv_job *job, enum sv_state to);
/* The state that people see: a job whose checkpoint finds no room is paused, whatever the disk still says. */
enum sv_state sv_job_shown(const struct sv_job *job);
/* A change that changes nothing yet, and the job after a change. */
struct sv_change sv_change_none(const struct sv_job *job);
void sv_change_apply(struct sv_job *job, const struct sv_change *change);
struct sv_job *sv_job_new(const struct sv_spec *spec); /* takes the strings over; NULL without memory */
void sv_job_free(struct sv_job *job);
void sv_spec_fini(struct sv_spec *spec);
/* Under the lock: NULL when there is none. */
struct sv_job *sv_job_find(struct sv_core *core, int64_t id);
int sv_job_insert(struct sv_core *core, struct sv_job *job);
/* The record as it is stored. `state` is the one that it is to have; `change` (may be NULL) is what else is to hold. */
void sv_job_record(const struct sv_job *job, enum sv_state state, const struct sv_change *change, struct pd_buf *out);
int sv_job_unrecord(uint32_t id, const void *record, size_t size, struct sv_job **out, struct pd_fail *fail);
/* The search's options, from a record or a request: the defaults, but for what `object` (may be missing) holds. PD_E_PARAMS with field
 * "options", PD_E_NO_MEMORY. */
int sv_options_read(pr_ref object, struct pn_options *out, struct pd_fail *fail);
/* What they may be, for rpc.discover; ended by a NULL name. */
const struct pr_param *sv_option_params(void);
/* The *job* object of PROTOCOL.md. `disk`: bytes of the store's files. */
void sv_job_print(const struct sv_job *job, uint64_t disk, bool result, struct pr_out *out);
/* As if it had never run: no progress, no result. Queued, unless it is paused, cancelled or has failed. For the one who has the directory alone: no arrow leads there. */
void sv_job_restart(struct sv_job *job);
/* Notes that a version works on the job; false without memory. And whether one has. */
bool sv_job_engine_add(struct sv_job *job, const char *version);
bool sv_job_engine_has(const struct sv_job *job, const char *version);
/* An event of a job's history. */
void sv_job_event(const struct sv_job *job, const char *what, struct pd_buf *out);

/* --- games.c ----------------------------------------------------------------------------------------------------------------- */
/* Opens a game, or shares it. To be given back with sv_game_put. Any thread. */
int sv_game_get(struct sv_core *core, const char *name, struct game **out, struct pd_fail *fail);
void sv_game_put(struct sv_core *core, struct game *game);
void sv_games_fini(struct sv_core *core);
/* The text of a graph's file in a directory (NULL: none is configured), to be freed. PD_E_GAME. */
int sv_graph_text(const char *directory, const char *name, char **out, size_t *size, struct pd_fail *fail);
/* game_host.graph over a directory (ctx: its name, may be NULL). */
int sv_graph_read(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail);

/* --- proof.c ------------------------------------------------------------------------------------------------------------------- */
/* Removes the certificates that a data directory keeps: they may rest on facts that are taken back. */
int sv_proofs_drop(const char *dir, struct pd_fail *fail);
int sv_proof_export(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);
int sv_proof_read(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);

/* --- writer.c ---------------------------------------------------------------------------------------------------------------- */
struct sv_task *sv_task_new(enum sv_task_kind kind, struct sv_job *job, enum sv_state state);
void sv_task_free(struct sv_task *task);
/* Hands the task over (under the lock). */
void sv_task_post(struct sv_core *core, struct sv_task *task);
/* Tells the loop thread that the run of a job has stopped without a last record, or that it cannot be written for now (under the lock). */
void sv_tell_trouble(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail);
uint64_t sv_disk_bytes(const struct sv_core *core);
void *sv_writer_main(void *core);

/* --- worker.c, runner.c ------------------------------------------------------------------------------------------------------ */
void *sv_worker_main(void *core);
/* Under the lock: the queued job that a free worker is to take, NULL when there is none. */
struct sv_job *sv_next_job(struct sv_core *core);
/* Searches a job until it ends or is told to; called by the worker that holds it. */
void sv_run(struct sv_core *core, struct sv_job *job);

/* --- session.c --------------------------------------------------------------------------------------------------------------- */
/* For the loop thread: answers, and sends the reply line when the exchange is done. */
void sv_reply(struct sv_core *core, struct sv_pending *pending, struct pr_call *call, const struct pd_buf *json);
void sv_refuse(struct sv_core *core, struct sv_pending *pending, struct pr_call *call, const struct pd_fail *fail);
/* Under the lock: puts a message where sv_core_pump finds it. */
void sv_mail_post(struct sv_core *core, struct sv_mail *mail);
/* A line that is no quick query, or could not be answered as one. */
void sv_session_general(struct sv_session *session, const char *line, size_t size);
/* service.c: carries a call out. */
void sv_serve(struct sv_core *core, struct sv_session *session, struct sv_pending *pending, struct pr_call *call);
/* service.c: leaves a call (or a quick query, without one) with the threads of a desk; PD_E_BUSY when too many wait there, PD_E_NO_MEMORY. */
int sv_errand_send(struct sv_core *core, struct sv_desk *desk, enum sv_mail_kind kind, struct sv_pending *pending, struct pr_call *call,
		   struct pd_fail *fail);
/* service.c: the writer has done with a record of the job. */
void sv_recorded(struct sv_core *core, const struct sv_mail *mail);
void sv_submitted(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail);
/* service.c: the core closes; whoever still waits for the job hears so. */
void sv_dismiss(struct sv_core *core, struct sv_job *job);

/* --- quick.c ----------------------------------------------------------------------------------------------------------------- */
enum {
	SV_INLINE_POSITIONS = 64,    /* queries up to this size are answered on the loop thread */
	SV_QUICK_REPLY_MAX = 8 << 20 /* bytes; well below what the general way can send */
};
/* False when the line is no quick query, or cannot be answered as one: nothing was sent, and it is for sv_session_general. */
bool sv_quick(struct sv_session *session, const char *line, size_t size);
/* A reader has done with a large one. */
void sv_quick_done(struct sv_mail *mail);

/* --- watch.c ----------------------------------------------------------------------------------------------------------------- */
int sv_watch_add(struct sv_session *session, struct sv_job *job, double interval_s);
void sv_watch_remove(struct sv_session *session, const struct sv_job *job);
void sv_watch_tick(struct sv_core *core);

/* --- query.c, line.c, answer.c ------------------------------------------------------------------------------------------------ */
/* fact.query and fact.line, from any thread with its own reader. The result goes to `out`. */
int sv_query(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *out, struct pd_fail *fail);
/* The same for a quick query; `line` gets the whole reply line. After a failure what it holds is worth nothing. */
int sv_query_quick(struct sv_core *core, struct st_reader *reader, struct pr_quick *query, struct pd_buf *line);
int sv_query_line(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *out, struct pd_fail *fail);
int sv_position_show(struct sv_core *core, pr_ref params, struct pd_buf *out, struct pd_fail *fail);
void *sv_reader_main(void *core);
/* `draw`, `first wins`, ... for bounds on a scale from min to max; `size` bytes of room. */
void sv_value_text(int min, int max, int lo, int hi, char *out, size_t size);

/* Best play from a position as far as facts go: at most `limit` moves. *complete when it reaches the end of the game. Regenerates what the
 * frontier left out, within bounds for a leaf and for the line; gives up early when the core stops. */
struct sv_line {
	game_move *moves; /* owned */
	unsigned count;
	bool complete;
};
int sv_line_make(struct sv_core *core, struct st_reader *reader, const struct game *game, const void *state, unsigned limit,
		 struct sv_line *out, struct pd_fail *fail);
void sv_line_print(const struct game *game, const void *state, const struct sv_line *line, const char *key, struct pr_out *out);

/* The answer object of PROTOCOL.md, made by a worker at the end of a job. */
int sv_answer_make(struct sv_core *core, struct st_reader *reader, const struct sv_job *job, const struct game *game, const void *state,
		   const struct pn_answer *answer, const struct pn_progress *progress, struct pd_buf *out, struct pd_fail *fail);

/* What is known of a position: by the rules or by its fact. */
enum sv_source { SV_BY_NONE, SV_BY_RULES, SV_BY_FACT };
struct sv_known {
	enum sv_source source;
	int lo, hi;
	struct pd_fact fact; /* when SV_BY_FACT */
};
int sv_known_get(struct st_reader *reader, uint32_t game_id, const struct game *game, const void *state, struct sv_known *out,
		 struct pd_fail *fail);

#endif
