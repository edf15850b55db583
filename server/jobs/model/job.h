/* Job: one search and what is known of it.
 *
 * A job's `state` is what is on disk: the writer changes it when the commit has returned, so that no client sees a
 * state that a crash could undo (D1). What a worker or a request intends travels in a task. A job has at most one
 * change under way: a request that comes meanwhile is deferred until it is settled, and then judged by what has become
 * of the job. */
#ifndef SV_JOB_H
#define SV_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/error.h"
#include "server/common/completion.h"
#include "server/jobs/model/job_spec.h"
#include "server/jobs/model/job_state.h"
#include "server/jobs/model/run_phase.h"
#include "solver/solver.h"

struct sv_call;
struct sv_job;
struct sv_job_client;
struct sv_job_group;
struct sv_job_index;
struct sv_look;
struct sv_search_group;
struct sv_waiter;

#define SV_PAUSED_ON_REQUEST "paused on request" /* a reason; others are trouble */
enum { SV_REASON_MAX = 120 };                    /* bytes of a reason that a task brings along */

/* What a running job is to do next; looked at between two slices. */
enum sv_want { SV_GO_ON, SV_WANT_PAUSE, SV_WANT_CANCEL, SV_WANT_STOP };

/* Why a paused job is to go on by itself (quota.h). */
enum sv_hold { SV_HOLD_NONE, SV_HOLD_DISK, SV_HOLD_MEMORY, SV_HOLD_COUNT };

/* What a request changes besides the state, once it is on disk. */
struct sv_change {
	int priority;
	uint64_t budget_nodes, budget_disk;
	double budget_seconds, budget_cpu;
	bool clear;         /* the last run's end is forgotten: reason, result and time */
	bool finish;        /* the job is over now */
	bool tableless;     /* its transposition table is dropped */
	bool anyway;        /* it is resumed although jobs that it waited for have ended unsolved */
	bool alone;         /* it is resumed although the job that it is under is solved */
	const char *reason; /* static, or the task's; NULL: the one there is */
};

/* What the loop thread is told of a job: a task has been carried out, or the job has met trouble. */
enum sv_job_completion_kind { SV_JOB_SUBMITTED, SV_JOB_RECORDED, SV_JOB_REMOVED };
struct sv_job_completion {
	struct sv_completion base;
	enum sv_job_completion_kind kind;
	bool lent; /* part of the job, which posts it again and again: not to be freed */
	struct sv_job *job;
	uint64_t number;     /* of its record; 0: of none, it had trouble */
	uint64_t trouble;    /* the trouble's number */
	enum sv_state state; /* in that record */
	struct pd_fail fail; /* code 0: it went well */
};

TAILQ_HEAD(sv_subs, sv_job);

/* A job is to wait for another one (dependency.h). */
struct sv_awaited {
	LIST_ENTRY(sv_awaited) link; /* among the awaiting of the other one */
	struct sv_job *job;          /* that is to wait */
	bool linked;                 /* the other one is there */
};
LIST_HEAD(sv_awaiting, sv_awaited);

struct sv_job {
	uint32_t id;
	struct sv_spec spec;
	enum sv_state state; /* as on disk */
	bool disk_trouble;   /* its checkpoint cannot be written for now; it shows as paused */
	int trouble_code;    /* the error that keeps it from being written */
	char trouble[200];   /* and its text */
	struct pn_progress progress;
	struct pn_progress kept;                       /* as of its last checkpoint on disk */
	char leading[32];                              /* progress.leading as text; "" for none */
	double seconds;                                /* searched, over all restarts */
	double cpu;                                    /* seconds of processor time of its searches, likewise */
	uint64_t table_bytes;                          /* of its table on disk, after its last checkpoint */
	double rate;                                   /* nodes a second, lately; 0 when not running */
	int64_t submitted_ms, started_ms, finished_ms; /* 0: not yet */
	unsigned restarts;
	unsigned crashes;     /* in a row in which it may have ended the process (crashes.h) */
	bool stopped_cleanly; /* its run was ended by a clean stop of the server */
	char *engines;    /* owned; the versions of this program that worked on it, in order, a space between two; NULL:
			     none yet */
	char reason[200]; /* why paused, exhausted or failed; "" for none */
	char *result;     /* owned; the answer as JSON, NULL while there is none */
	uint64_t turn;    /* of equal priority the least goes first (scheduler.h) */
	enum sv_hold on_hold; /* it is paused until there is room again */
	bool anyway;          /* it does not wait for jobs that have ended unsolved (dependency.h) */
	bool alone;           /* it goes on although the job that it is under is solved (sub_job.h) */
	bool table_lost;      /* its transposition table on disk is damaged; dropped when the job is resumed */
	/* only in memory */
	bool damaged;               /* its record could not be read, and stays as it is until the job is cancelled */
	enum sv_want want;          /* set by the loop thread, under the lock */
	enum sv_phase phase;        /* what is under way with it; sv_job_enter alone changes it */
	bool resumed;               /* its run goes on with what an earlier one has done */
	bool restarted;             /* and that one ended with a restart of the server */
	bool ran_before;            /* it ran before a restart, and not since: it goes before others of its priority */
	enum sv_state broken_state; /* of a broken run: how it ends, SV_FAILED, SV_PAUSED or SV_QUEUED */
	const char *broken_event;   /* what the history says of it; static, NULL: the state */
	unsigned memory_holds;      /* times that it was put on hold for want of memory soon after it went on */
	uint64_t hold_until_ns;     /* it does not go on before, when it is on hold */
	uint64_t run;               /* counts its runs */
	int64_t run_ms;             /* when this one began, since 1970; 0: none is under way */
	uint64_t search_ns;         /* when its search began, after its table was loaded; 0: not yet */
	uint64_t loading_ns;        /* what loading took */
	uint64_t growth;            /* bytes that the tables of its search take at once when they grow next; 0: none */
	bool keeps_size;            /* they would grow, and keep their size for want of memory */
	int64_t checkpoint_ms;      /* when its last checkpoint was on disk, since 1970; 0: none yet */
	uint64_t run_record;        /* the first record of the run */
	bool checkpoint_posted;     /* a checkpoint is with the writer */
	bool checkpoint_wanted;     /* the worker is to make one now */
	struct sv_search_group *group; /* of its run; NULL: no worker can join it */
	TAILQ_HEAD(, sv_look)
	looks;                /* pictures of its search that are asked for, while it has a group (picture_request.h) */
	uint64_t look_due_ns; /* none is made before */
	uint64_t records;     /* made so far */
	uint64_t troubles;    /* told to the loop thread so far */
	struct sv_job_completion
		trouble_completion;       /* tells of the newest; had beforehand, so that telling cannot fail */
	bool trouble_posted;              /* it waits for the loop thread */
	uint64_t changes;                 /* counts what a watcher may want to hear of */
	STAILQ_HEAD(, sv_waiter) waiters; /* calls (api/deferred.h); the loop thread's, as are the next two */
	STAILQ_HEAD(, sv_call) deferred;
	enum sv_state told; /* that the loop thread has heard of; its own, as is the next one (api/finished.h) */
	bool told_trouble;  /* it has heard that its checkpoint cannot be written */
	struct sv_job *older, *newer; /* the jobs of the same key before and after it; the loop thread's; NULL: none */
	LIST_HEAD(, sv_watch) watchers; /* the loop thread's (api/watch.h) */
	/* its places in the index (job_index.h) */
	struct sv_job_index *index;        /* that it is in; NULL: none */
	struct sv_job_group *in_group;     /* NULL: it is in no index */
	struct sv_job_client *client;      /* likewise */
	struct sv_job *parent;             /* the job that it is under; NULL: none, or it is gone (sub_job.h) */
	const struct sv_job *solved_above; /* the nearest solved one of those that it is under; NULL: none */
	struct sv_subs subs;               /* the jobs under it */
	TAILQ_ENTRY(sv_job) sub;           /* among those of its parent */
	bool tell;                         /* they say more since its parent looked */
	bool sub_tell;                     /* so do those of a job under it */
	struct sv_awaited *waits;          /* owned; one for each of spec.after; NULL: none */
	struct sv_awaiting awaiting;       /* of jobs that are to wait for this one */
	uint32_t waits_for;      /* the first job to be solved before (dependency.h); 0: none, or it is not queued */
	TAILQ_ENTRY(sv_job) due; /* in the index's list */
	bool is_due;
	struct {
		struct sv_job *child[2];
		uint64_t least; /* bytes of memory wanted, by this job or one below */
		uint32_t size;  /* jobs, this one and those below */
	} queue;
	TAILQ_ENTRY(sv_job) over, idle;
	uint64_t idle_bytes;        /* of its transposition table, kept in case the job is resumed */
	LIST_ENTRY(sv_job) running; /* while a worker is in it */
	unsigned workers;           /* that are in it; the end of one run may overlap with the next */
};

struct sv_job *sv_job_new(const struct sv_spec *spec); /* takes the strings over; NULL without memory */
void sv_job_free(struct sv_job *job);
/* Which budget is used up, in words: "nodes"; NULL: none. */
const char *sv_job_budget_used(const struct sv_job *job);
/* A worker has it, until the record that ends its run is on disk. */
bool sv_job_owned(const struct sv_job *job);
/* Under the lock: a change of it is under way, so that another request is to wait until that is settled. The end of the
 * change is always told with a completion. */
bool sv_job_unsettled(const struct sv_job *job);
/* The state that people see: a job whose checkpoint finds no room is paused, whatever the disk still says. */
enum sv_state sv_job_shown(const struct sv_job *job);
/* A change that changes nothing yet. */
struct sv_change sv_change_none(const struct sv_job *job);
/* As if it had never run: no progress, no result. Queued, unless it is paused, cancelled or has failed. For the one who
 * has the directory alone: no arrow leads there. */
void sv_job_restart(struct sv_job *job);
/* Notes that a version works on the job; false without memory. And whether one has. */
bool sv_job_engine_add(struct sv_job *job, const char *version);
bool sv_job_engine_has(const struct sv_job *job, const char *version);

#endif
