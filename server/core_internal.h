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
 *   desk.c     threads that answer large queries    listing.c  lists of jobs and events
 *   samequestion.c  whether one job answers two submissions    joblog.c  lines on the log
 *   roll.c     the orders of jobs                   retention.c  jobs and tables that go
 *   memory.c   how much there is                    crashes.c  who ended the process
 *   shelf.c    the certificates that are kept
 *
 * Threads: the loop thread calls core.h and owns sessions, exchanges and watches. Workers own their runner. The writer
 * owns batches. Readers answer large queries. What they share is guarded by core->lock; a thread holds it for short
 * stretches and never while it searches, reads or writes the store.
 *
 * A job's `state` is what is on disk: the writer changes it when the commit has returned, so that nobody hears of a
 * state that a crash could take back (D1). What a worker or a request intends travels in a task. A job has at most one
 * change under way: a request that comes meanwhile is put off until it is settled, and then judged by what has become
 * of the job. */
#ifndef SV_CORE_INTERNAL_H
#define SV_CORE_INTERNAL_H

#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "proto/base/claim.h"
#include "proto/base/hash.h"
#include "proto/out.h"
#include "proto/fastpath.h"
#include "proto/rpc.h"
#include "server/core.h"
#include "server/jobs/crashes.h"
#include "server/jobs/search_group.h"
#include "server/jobs/removed_jobs.h"
#include "server/jobs/memory_bound.h"
#include "server/jobs/job_index.h"
#include "solver/solver.h"
#include "store/store.h"

/* X(enumerator, text, it is over) */
#define SV_STATES(X)                                                                                                   \
	X(SV_QUEUED, "queued", false)                                                                                  \
	X(SV_RUNNING, "running", false)                                                                                \
	X(SV_PAUSED, "paused", false)                                                                                  \
	X(SV_SOLVED, "solved", true)                                                                                   \
	X(SV_EXHAUSTED, "exhausted", true)                                                                             \
	X(SV_CANCELLED, "cancelled", true)                                                                             \
	X(SV_FAILED, "failed", true)

enum sv_state {
#define X(name, text, over) name,
	SV_STATES(X)
#undef X
};

/* What a running job is to do next; looked at between two slices. */
enum sv_want { SV_GO_ON, SV_WANT_PAUSE, SV_WANT_CANCEL, SV_WANT_STOP };

struct sv_spec {                     /* as submitted; never changes but for priority and budget */
	char *game, *position, *key; /* owned; key NULL when none */
	uint64_t rules;              /* version of the game's rules that it was submitted under */
	bool rules_known;            /* false: the record does not say */
	struct pd_claim claim;
	enum pn_algorithm algorithm;
	enum pn_detail detail;
	int priority;
	unsigned threads;
	uint64_t memory, seed;
	uint64_t shorten;             /* nodes for shorter wins; 0: none */
	struct pn_options options;    /* its tunables count; the rest stands above */
	uint64_t budget_nodes;        /* 0: none */
	double budget_seconds;        /* 0: none */
	int16_t value_min, value_max; /* the game's scale, to say values in words */
};

/* What a request changes besides the state, once it is on disk. */
struct sv_change {
	int priority;
	uint64_t budget_nodes;
	double budget_seconds;
	bool clear;         /* the last run's end is forgotten: reason, result and time */
	bool finish;        /* the job is over now */
	bool tableless;     /* its table is dropped */
	const char *reason; /* static; NULL: the one there is */
};

struct sv_deferred { /* a call that waits until the change under way is settled */
	struct sv_inflight *pending;
	struct pr_call *call;
	STAILQ_ENTRY(sv_deferred) link;
};

struct sv_waiter { /* a call to be answered when what it asked for is on disk */
	struct sv_inflight *pending;
	struct pr_call *call;
	uint64_t record;   /* the first record of the job that can tell */
	uint64_t troubles; /* that the job has had; only a later one concerns this call */
	bool any_state;    /* whatever state that has; else it must be `wanted`, or the job be over */
	enum sv_state wanted;
	STAILQ_ENTRY(sv_waiter) link;
};

/* A message for the loop thread. */
enum sv_completion_kind {
	SV_COMPLETION_REPLY,
	SV_COMPLETION_FAST,
	SV_COMPLETION_READ,
	SV_COMPLETION_OPENED,
	SV_COMPLETION_SUBMITTED,
	SV_COMPLETION_RECORDED,
	SV_COMPLETION_REMOVED
};
struct sv_completion {
	enum sv_completion_kind kind;
	bool lent;                    /* part of something larger (a job): not to be freed */
	struct sv_inflight *pending;  /* REPLY, QUICK, READ, OPENED */
	struct pr_call *call;         /* REPLY, OPENED */
	struct game *game;            /* OPENED: to be given back */
	struct pr_exchange *exchange; /* READ: what came of the line; NULL: nothing. Nobody else knows it before this is
					 delivered */
	struct sv_read_request *read_request; /* READ: owned; becomes pending->reading */
	struct pd_buf json;                   /* when fail.code is 0: the result (REPLY), the reply line (QUICK) */
	struct sv_job *job;                   /* SUBMITTED, RECORDED, REMOVED */
	uint64_t number;                      /* of its record; 0: of none, it had trouble */
	uint64_t trouble;                     /* the trouble's number */
	enum sv_state state;                  /* in that record */
	struct pd_fail fail;                  /* code 0: it went well */
	STAILQ_ENTRY(sv_completion) link;
};
STAILQ_HEAD(sv_completions, sv_completion);

struct sv_job {
	uint32_t id;
	struct sv_spec spec;
	enum sv_state state; /* as on disk */
	bool disk_trouble;   /* its checkpoint cannot be written for now; it shows as paused */
	int trouble_code;    /* the error that keeps it from being written */
	char trouble[200];   /* and its text */
	struct pn_progress progress;
	double seconds;                                /* searched, over all restarts */
	double rate;                                   /* nodes a second, lately; 0 when not running */
	int64_t submitted_ms, started_ms, finished_ms; /* 0: not yet */
	unsigned restarts;
	unsigned crashes; /* in a row in which it may have ended the process (core.h) */
	bool stopped;     /* its run is ended by a clean stop */
	char *engines;    /* owned; the versions of this program that worked on it, in order, a space between two; NULL:
			     none yet */
	char reason[200]; /* why paused, exhausted or failed; "" for none */
	char *result;     /* owned; the answer as JSON, NULL while there is none */
	bool table_lost;  /* its table on disk is damaged; it is dropped when the job is resumed */
	/* only in memory */
	bool damaged;            /* its record could not be read, and stays as it is until the job is cancelled */
	enum sv_want want;       /* set by the loop thread, under the lock */
	bool held;               /* a worker has it, until the record that ends its run is on disk */
	bool ending;             /* that record is made */
	bool changing;           /* a request's record is with the writer; no worker takes it meanwhile */
	bool restarted, resumed; /* its run goes on with what one before a restart has done; or any one */
	bool ran;    /* when the core was opened it was running, and it goes before others of its priority */
	bool broken; /* a checkpoint of this run is lost; it ends in broken_state */
	enum sv_state broken_state;              /* SV_FAILED or SV_PAUSED */
	const char *broken_event;                /* what the history says of it; static, NULL: the state */
	uint64_t run;                            /* counts its runs */
	uint64_t run_record;                     /* the first record of the run */
	bool writing;                            /* a checkpoint of it waits for the writer */
	bool checkpoint_now;                     /* the worker is to make one */
	struct sv_search_group *group;           /* of its run; NULL: nobody can join it */
	uint64_t records;                        /* made so far */
	uint64_t troubles;                       /* told to the loop thread so far */
	struct sv_completion trouble_completion; /* tells of the newest; had beforehand, so that telling cannot fail */
	bool trouble_posted;                     /* it waits for the loop thread */
	uint64_t changes;                        /* counts what a watcher may want to hear of */
	STAILQ_HEAD(, sv_waiter) waiters;        /* the loop thread's, as are the next three */
	STAILQ_HEAD(, sv_deferred) deferred;
	bool took_key;   /* its key was another job's before */
	bool submitting; /* handed to the writer, without a number yet */
	/* its places in the roll (roll.h) */
	struct sv_core *core; /* whose roll; NULL: none */
	struct {
		struct sv_job *child[2];
		uint64_t least; /* bytes of memory wanted, by this job or one below */
	} queue;
	TAILQ_ENTRY(sv_job) over, idle;
	uint64_t idle_bytes;        /* of a table that waits for somebody to resume the job */
	LIST_ENTRY(sv_job) running; /* while a worker is in it */
	unsigned workers;           /* that are in it; the end of one run may overlap with the next */
	bool forgotten;             /* it is gone from roll and disk; the last worker that is still in it frees it */
};

/* One position's game, opened once and shared. */
struct sv_game {
	struct game *game;
	struct sv_game *next;
	unsigned users;
};

enum sv_task_kind { SV_TASK_SUBMIT, SV_TASK_RECORD, SV_TASK_CHECKPOINT, SV_TASK_REMOVE };

/* What the writer is to make durable. */
struct sv_task {
	enum sv_task_kind kind;
	struct sv_job *job;
	enum sv_state state;                    /* the job's state once this is on disk */
	struct pd_buf record;                   /* the job's record; SUBMIT: made by the writer, who knows the number */
	struct pd_buf event;                    /* empty: none */
	struct st_tt_entry *entries, *snapshot; /* owned */
	size_t entry_count, snapshot_count;
	bool snapshot_start, snapshot_end, drop_table;
	struct sv_change change; /* RECORD: what holds once this is on disk */
	bool ends_run;           /* the last record of a run */
	bool left;               /* REMOVE: there is more to do, in another batch */
	uint64_t idle_bytes;     /* of the job's table, once this is on disk and if it is over */
	struct pd_buf facts;     /* packed: size, key, reason */
	const struct game *game; /* whose facts they are */
	struct pd_id question;   /* what the entries mean */
	uint64_t number;         /* of the record, counted by the job */
	struct pd_fail fail;     /* code 0: committed */
	struct sv_completion
		*completion; /* what the loop thread is told of it; had beforehand, so that telling cannot fail */
	STAILQ_ENTRY(sv_task) link;
};
STAILQ_HEAD(sv_tasks, sv_task);

/* What a reader thread is to do: to answer a call, to read a long line, or to free what came of one. */
struct sv_read_request {
	struct sv_completion *completion; /* the reply to be; names the call. NULL: `exchange` is to be freed */
	struct pr_exchange *exchange;
	uint64_t client; /* the session's number */
	uint64_t turn;   /* smaller ones come first */
	bool gone;       /* the session has closed */
	TAILQ_ENTRY(sv_read_request) link;
};
TAILQ_HEAD(sv_read_requests, sv_read_request);

enum { SV_QUERIES, SV_LINES, SV_PROOFS, SV_READ_QUEUES };
enum { SV_READERS_MAX = 2 }; /* threads at one desk */

/* Where errands wait for the threads that serve there (desk.c). */
struct sv_read_queue {
	struct sv_core *core;
	unsigned number;                       /* SV_QUERIES... */
	unsigned count, count_max;             /* errands waiting */
	bool single;                           /* of one client one at a time */
	struct sv_read_requests read_requests; /* in the order of their turns */
	uint64_t turn;                         /* of the errand taken last */
	uint64_t served[SV_READERS_MAX];       /* the clients whose errands are carried out; 0: none */
	pthread_cond_t come;
};

struct sv_inflight {                  /* an exchange, or a quick query, that is not answered yet */
	struct pr_exchange *exchange; /* NULL for a quick query, and for a long line until the message that it is read
					 is delivered */
	char *line;                   /* of a quick query and of a long line, owned */
	size_t size;
	struct sv_read_request
		*reading; /* owned: what had the long line read will have the exchange freed; NULL for others */
	struct sv_session *session; /* NULL: it has closed */
	unsigned next, unserved;    /* the next call to be carried out, and how many there are still */
	LIST_ENTRY(sv_inflight) link;
	STAILQ_ENTRY(sv_inflight) queue;
};

struct sv_watch {
	struct sv_job *job;
	uint64_t interval_ns, due_ns;
	uint64_t seen; /* job->changes when last told */
	LIST_ENTRY(sv_watch) link;
};

struct sv_session {
	struct sv_core *core;
	struct sv_sink sink;
	uint64_t number;  /* from 1 on, never used again */
	unsigned pending; /* calls not answered */
	unsigned begun;   /* those of them that are carried out */
	LIST_HEAD(, sv_inflight) inflights;
	STAILQ_HEAD(, sv_inflight) queue; /* those with calls that are not begun, in their order */
	bool ready;                       /* in the core's list of sessions that have something to carry out */
	TAILQ_ENTRY(sv_session) turn;
	uint64_t turns[SV_READ_QUEUES]; /* of its last errand at each desk; under the lock */
	LIST_HEAD(, sv_watch) watches;
	TAILQ_ENTRY(sv_session) link;
};

/* Lines about jobs on the log, as many as a second may have. */
struct sv_job_log {
	uint64_t start_ns;        /* of the second */
	unsigned lines, left_out; /* in it */
};

struct sv_core {
	struct sv_config config; /* strings owned */
	char *data, *graphs, *token, *socket;
	void (*wake)(void *ctx);
	void *wake_ctx;
	struct st_store *store;
	uint64_t identity;        /* the key that searches name positions with; no reply ever says it */
	struct st_reader *reader; /* the loop thread's */
	struct pd_buf fast_line;  /* the loop thread's: room for a quick reply */
	uint64_t start_ns;
	bool stopping;                    /* server.shutdown was answered */
	struct sv_removed_jobs forgotten; /* the writer's */
	struct sv_keys keys;              /* of jobs that have one, those that are being submitted included */
	TAILQ_HEAD(, sv_session) sessions;
	unsigned watch_round;   /* sessions, from the first on, whose watches are still to be looked at since the last
				   tick */
	uint64_t session_count; /* since the start */
	TAILQ_HEAD(, sv_session) ready; /* have calls to be carried out; in turn */
	bool pumping;                   /* sv_core_pump is under way, and wakes the loop itself when there is more */

	pthread_mutex_t
		games_lock; /* guards games. Queries take no lock that a worker holds while it may lose its processor */
	struct sv_game *games;

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t work, write, written;
	struct sv_job **jobs; /* in order of their numbers; owned. roll.h has this and what follows */
	uint32_t job_count, job_capacity;
	uint32_t states[SV_FAILED + 1]; /* how many jobs show each */
	struct sv_job *queue;           /* the root of the queued ones */
	struct sv_over over, idle; /* in order of their ends: those that are over, and those of them with a table */
	uint32_t over_count;
	uint64_t idle_bytes;         /* of all tables of `idle` */
	uint32_t removing;           /* jobs with a task to remove them */
	uint64_t retain_ns;          /* not before then is anything removed again */
	LIST_HEAD(, sv_job) running; /* jobs that a worker is in */
	struct sv_job_log job_log;
	struct sv_tasks tasks;
	unsigned task_count;
	struct sv_completions completions;
	struct sv_read_queue read_queues[SV_READ_QUEUES];
	bool stop_workers, stop_writer, stop_readers;
	unsigned busy;    /* workers that search a job of their own */
	unsigned helping; /* workers that search another's */
	unsigned connections;
	uint64_t reserved;     /* bytes of memory given to running jobs */
	uint64_t nodes;        /* searched since start */
	uint64_t memory_bound; /* bytes that this process may have (memory.h); from its opening on */

	pthread_t *workers, writer, readers[SV_READ_QUEUES * SV_READERS_MAX];
	unsigned worker_count;
	bool has_writer;
	unsigned reader_count;
};

/* --- jobs.c ------------------------------------------------------------------------------- */
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
/* The record as it is stored. `state` is the one that it is to have; `change` (may be NULL) is what else is to hold. */
void sv_job_record(const struct sv_job *job, enum sv_state state, const struct sv_change *change, struct pd_buf *out);
/* `record` NULL: the store says that it is damaged. */
int sv_job_unrecord(uint32_t id, const void *record, size_t size, struct sv_job **out, struct pd_fail *fail);
/* What stands for a job whose record cannot be read: failed, with the reason. NULL without memory. */
struct sv_job *sv_job_unreadable(uint32_t id, const struct pd_fail *why);
/* The search's options, from a record or a request: the defaults, but for what `object` (may be missing) holds.
 * PD_E_PARAMS with field "options", PD_E_NO_MEMORY. */
int sv_options_read(pr_ref object, struct pn_options *out, struct pd_fail *fail);
/* What they may be, for rpc.discover; ended by a NULL name. */
const struct pr_param *sv_option_params(void);
/* The *job* object of PROTOCOL.md. `disk`: bytes of the store's files. */
void sv_job_print(const struct sv_job *job, uint64_t disk, bool result, struct pr_out *out);
/* As if it had never run: no progress, no result. Queued, unless it is paused, cancelled or has failed. For the one who
 * has the directory alone: no arrow leads there. */
void sv_job_restart(struct sv_job *job);
/* Whether the job was submitted under other rules than those of the game as it is open now. A record that names none
 * was made under the rules that are built in; of a game from a file nobody can say. */
bool sv_job_rules_differ(const struct sv_spec *spec, const struct game *game);
/* What the entries of a job's table mean: the store keeps it beside them, so that no table is ever read as another
 * question's. */
struct pd_id sv_job_question(const struct sv_spec *spec, const struct game *game, uint64_t identity);
/* Notes that a version works on the job; false without memory. And whether one has. */
bool sv_job_engine_add(struct sv_job *job, const char *version);
bool sv_job_engine_has(const struct sv_job *job, const char *version);
/* An event of a job's history. */
void sv_job_event(const struct sv_job *job, const char *what, struct pd_buf *out);

/* --- joblog.c; under the lock ------------------------------------------------------------- */
void sv_job_log_submitted(struct sv_job_log *log, const struct sv_job *job);
/* The job was in state `from`. */
void sv_job_log_moved(struct sv_job_log *log, const struct sv_job *job, enum sv_state from);
/* Says what was left out, when nothing more was to be said since. */
void sv_job_log_tick(struct sv_job_log *log);
void sv_job_log_end(struct sv_job_log *log);

/* --- samequestion.c ----------------------------------------------------------------------- */
/* NULL when both ask the same, else in what the second differs: "another position". Loop thread. */
const char *sv_spec_differs(struct sv_core *core, const struct sv_spec *known, const struct sv_spec *asked);

/* --- games.c ------------------------------------------------------------------------------ */
/* Opens a game, or shares it. To be given back with sv_game_put. Any thread. */
int sv_game_get(struct sv_core *core, const char *name, struct game **out, struct pd_fail *fail);
void sv_game_put(struct sv_core *core, struct game *game);
/* True when it is open already, or can be opened without reading a file. */
bool sv_game_is_near(struct sv_core *core, const char *name);
void sv_games_fini(struct sv_core *core);
/* Rules from a file: another file under the same name is another game. */
bool sv_game_is_file(const char *name);
/* A version of rules as text. */
enum { SV_RULES_TEXT = 20 };
void sv_rules_text(uint64_t rules, char out[SV_RULES_TEXT]);
/* The text of a graph's file in a directory (NULL: none is configured), to be freed. PD_E_GAME. */
int sv_graph_text(const char *directory, const char *name, char **out, size_t *size, struct pd_fail *fail);
/* game_host.graph over a directory (ctx: its name, may be NULL). */
int sv_graph_read(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail);

/* --- proof.c ------------------------------------------------------------------------------ */
/* Removes the certificates that a data directory keeps: they may rest on facts that are taken back. */
int sv_proofs_drop(const char *dir, struct pd_fail *fail);
int sv_proof_export(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);
int sv_proof_read(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);

/* --- shelf.c: the files of proof.c, readers' threads -------------------------------------- */
enum { SV_CERTIFICATE_BUSY_S = 60 }; /* a certificate that was used so lately may be being read */
/* Notes that the certificate at `path` is used. */
void sv_certificates_touch(const char *path);
/* Makes room: as long as the certificates in `directory` have more than `most` bytes together, the least recently used
 * one goes, but neither `keep` (a file's name, may be NULL) nor one that may be being read. Returns the bytes that are
 * left. */
uint64_t sv_certificates_trim(const char *directory, uint64_t most, const char *keep);

/* --- retention.c -------------------------------------------------------------------------- */
/* Under the lock, the writer: hands out tasks that remove the oldest jobs and tables beyond what is kept. */
void sv_retain(struct sv_core *core);
/* The loop thread: the job is gone from the disk. Whoever waits for it hears so, and it is forgotten. */
void sv_removed(struct sv_core *core, const struct sv_completion *completion);
/* Under the lock: a worker is out of the job. True when that was the last use of a job that is forgotten: it is freed.
 */
bool sv_job_left(struct sv_job *job);

/* --- writer.c ----------------------------------------------------------------------------- */
struct sv_task *sv_task_new(enum sv_task_kind kind, struct sv_job *job, enum sv_state state);
void sv_task_free(struct sv_task *task);
/* Hands the task over (under the lock). One of which a buffer has failed is refused by the writer, and nobody who can
 * hear of it earlier hands it over. */
void sv_task_post(struct sv_core *core, struct sv_task *task);
/* Tells the loop thread that the run of a job has stopped without a last record, or that it cannot be written for now
 * (under the lock). */
void sv_tell_trouble(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail);
uint64_t sv_disk_bytes(const struct sv_core *core);
void *sv_writer_main(void *core);

/* --- worker.c, runner.c ------------------------------------------------------------------- */
void *sv_worker_main(void *core);
/* Under the lock: the queued job that a free worker is to take, NULL when there is none. */
struct sv_job *sv_next_job(struct sv_core *core);
/* Searches a job until it ends or is told to; called by the worker that holds it. */
void sv_run(struct sv_core *core, struct sv_job *job);
/* An entry of a job's table, as it stands on disk. */
void sv_entry_unpack(const struct st_tt_entry *in, struct pn_entry *out);

/* --- session.c ---------------------------------------------------------------------------- */
/* For the loop thread: answers, and sends the reply line when the exchange is done. */
void sv_reply(struct sv_core *core, struct sv_inflight *pending, struct pr_call *call, const struct pd_buf *json);
void sv_refuse(struct sv_core *core, struct sv_inflight *pending, struct pr_call *call, const struct pd_fail *fail);
/* Under the lock: puts a message where sv_core_pump finds it. */
void sv_completion_post(struct sv_core *core, struct sv_completion *completion);
/* A line that is no quick query, or could not be answered as one. */
void sv_session_general(struct sv_session *session, const char *line, size_t size);
/* Carries out what sessions have waiting, one call of each in turn, until `until_ns`. True when there is more. */
bool sv_sessions_go_on(struct sv_core *core, uint64_t until_ns);
/* PD_E_UNSUPPORTED or PD_E_PARAMS with field "token" when the client may not stop the server; `token` may be NULL. */
int sv_session_may_stop(const struct sv_session *session, const char *token, struct pd_fail *fail);
/* A long line is read. */
void sv_session_read(struct sv_core *core, struct sv_completion *completion);
enum { SV_LIST_MAX = 250 }; /* jobs of one page of job.list: about a millisecond's work */
/* service.c: carries a call out. */
void sv_serve(struct sv_core *core, struct sv_session *session, struct sv_inflight *pending, struct pr_call *call);
/* service.c: the writer has done with a record of the job. */
void sv_recorded(struct sv_core *core, const struct sv_completion *completion);
void sv_submitted(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail);
/* service.c: the game of a call is open now, or cannot be opened. */
void sv_opened(struct sv_core *core, struct sv_completion *completion);
/* service.c: the core closes; whoever still waits for the job hears so. */
void sv_dismiss(struct sv_core *core, struct sv_job *job);
/* service.c: carries out a call that was put off, and frees it. */
void sv_serve_again(struct sv_core *core, struct sv_deferred *call);

/* --- quick.c ------------------------------------------------------------------------------ */
enum {
	SV_INLINE_POSITIONS = 64, /* queries up to this size are answered on the loop thread; those with moves only for
				     one position */
	SV_FAST_REPLY_MAX = 8 << 20 /* bytes; well below what the general way can send */
};
/* False when the line is no quick query, or cannot be answered as one: nothing was sent, and it is for
 * sv_session_general. */
bool sv_fast_query(struct sv_session *session, const char *line, size_t size);
/* A reader has done with a large one. */
void sv_fast_query_done(struct sv_completion *completion);

/* --- desk.c ------------------------------------------------------------------------------- */
void sv_read_queues_init(struct sv_core *core, const pthread_condattr_t *attr);
void sv_read_queues_fini(struct sv_core *core);
/* Starts the threads at the desks; false when one cannot be had. */
bool sv_read_queues_start(struct sv_core *core);
/* Leaves a call (or a line, without one) with the threads of a desk; PD_E_BUSY when too many wait there,
 * PD_E_NO_MEMORY. */
int sv_read_request_send(struct sv_core *core, unsigned read_queue, enum sv_completion_kind kind,
			 struct sv_inflight *pending, struct pr_call *call, struct pd_fail *fail);
/* Frees an exchange and the errand that read it: a long line's by a thread, for it takes long as well. Both may be
 * NULL. */
void sv_read_request_free_exchange(struct sv_core *core, struct sv_read_request *read_request,
				   struct pr_exchange *exchange);
/* Nobody waits any more for what a closed session asked. */
void sv_read_queues_forget(struct sv_core *core, const struct sv_session *session);

/* --- listing.c ---------------------------------------------------------------------------- */
/* job.list and job.history; the latter, which reads from disk, from a reader thread. */
int sv_job_list(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);
int sv_job_history(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);

/* --- watch.c ------------------------------------------------------------------------------ */
int sv_watch_add(struct sv_session *session, struct sv_job *job, double interval_s);
void sv_watch_remove(struct sv_session *session, const struct sv_job *job);
/* The job is forgotten: those that watch it are told its end, if they were not yet, and watch it no more. */
void sv_watch_end(struct sv_core *core, struct sv_job *job);
/* A tick: all watches are to be looked at. */
void sv_watch_tick(struct sv_core *core);
/* Looks at them, session by session, until `until_ns`. True when there are more. */
bool sv_watch_go_on(struct sv_core *core, uint64_t until_ns);

/* --- query.c, line.c, answer.c ------------------------------------------------------------ */
/* fact.query and fact.line, from any thread with its own reader. The result goes to `out`. */
int sv_query(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *out, struct pd_fail *fail);
/* The same for a quick query; `line` gets the whole reply line. After a failure what it holds is worth nothing. */
int sv_query_fast(struct sv_core *core, struct st_reader *reader, struct pr_fastpath *query, struct pd_buf *line);
int sv_query_line(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *out,
		  struct pd_fail *fail);
int sv_position_show(struct sv_core *core, pr_ref params, struct pd_buf *out, struct pd_fail *fail);

/* Best play from a position as far as facts go: at most `limit` moves. *complete when it reaches the end of the game.
 * Regenerates what the frontier left out, within bounds for a leaf and for the line; gives up early when the core
 * stops. */
struct sv_line {
	game_move *moves; /* owned */
	unsigned count;
	bool complete;
};
int sv_line_make(struct sv_core *core, struct st_reader *reader, const struct game *game, const void *state,
		 unsigned limit, struct sv_line *out, struct pd_fail *fail);
void sv_line_print(const struct game *game, const void *state, const struct sv_line *line, const char *key,
		   struct pr_out *out);

/* The answer object of PROTOCOL.md, made by a worker at the end of a job. */
int sv_answer_make(struct sv_core *core, struct st_reader *reader, const struct sv_job *job, const struct game *game,
		   const void *state, const struct pn_answer *answer, const struct pn_progress *progress,
		   struct pd_buf *out, struct pd_fail *fail);

/* What is known of a position: by the rules or by its fact. */
enum sv_source { SV_BY_NONE, SV_BY_RULES, SV_BY_FACT };
struct sv_known {
	enum sv_source source;
	int lo, hi;
	struct pd_fact fact; /* when SV_BY_FACT; made before it is asked for */
};
int sv_known_get(struct st_reader *reader, uint32_t game_id, const struct game *game, const void *state,
		 struct sv_known *out, struct pd_fail *fail);

#endif
