/* Job: one search, in four parts with an owner each.
 *
 * A job's state is what is on disk: the writer changes it when the commit has returned, so that no client sees a state
 * that a crash could undo (D1). What a run or a request intends travels in a task. A job has at most one change under
 * way: a request that arrives meanwhile is deferred until that change is settled, and then judged by the job's new
 * state. */
#pragma once

#include "server/common/completion.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/run_phase.h"

struct sv_call;
struct sv_job;
struct sv_job_client;
struct sv_job_group;
struct sv_job_index;
struct sv_picture_request;
struct sv_search_group;
struct sv_waiter;
struct sv_watch;

#define SV_PAUSED_ON_REQUEST "paused on request" /* the reason when a client paused the job; any other means trouble */

/* What a running job is to do next; checked between two slices. */
enum sv_want { SV_GO_ON, SV_WANT_PAUSE, SV_WANT_CANCEL, SV_WANT_STOP };

/* Tells the loop thread that a task was carried out, or that a checkpoint of the job cannot be written. */
enum sv_job_completion_kind { SV_JOB_SUBMITTED, SV_JOB_RECORDED, SV_JOB_REMOVED };
struct sv_job_completion {
	struct sv_completion base;
	enum sv_job_completion_kind kind;
	bool lent; /* a member of the job, posted repeatedly: not to be freed */
	struct sv_job *job;
	uint64_t number;     /* of the record that was written; 0: none, this reports trouble */
	uint64_t trouble;    /* the trouble's number */
	enum sv_state state; /* in that record */
	struct pd_fail fail; /* code 0: success */
};

TAILQ_HEAD(sv_subs, sv_job);

/* A job waits for another one (queue/dependency.h). */
struct sv_awaited {
	LIST_ENTRY(sv_awaited) link; /* in `awaiting` of the other job */
	struct sv_job *job;          /* the one that waits */
	bool linked;                 /* the other job exists, and its list has this */
};
LIST_HEAD(sv_awaiting, sv_awaited);

/* The job's places in the index (index/job_index.h), and what the queue knows of it. Under the core's lock. */
struct sv_entry {
	struct sv_job_index *index; /* the index that holds it; NULL: none */
	struct sv_job_group *group; /* NULL: it is in no index */
	struct sv_job_group **tags; /* owned; one for each of spec.tags; NULL: none */
	struct sv_job_client *client;
	uint64_t revision;                 /* of what it shows (job_index.h) */
	struct sv_job *parent;             /* NULL: none, or it is gone (queue/dependency.h) */
	const struct sv_job *solved_above; /* the nearest solved ancestor; NULL: none */
	struct sv_subs subs;               /* its sub-jobs */
	TAILQ_ENTRY(sv_job) sub;           /* in `subs` of its parent */
	bool has_news;                     /* new facts since its parent last looked (run/injected_facts.h) */
	bool sub_has_news;                 /* one of its sub-jobs has news */
	struct sv_awaited *waits;          /* owned; one for each of spec.after; NULL: none */
	struct sv_awaiting awaiting;       /* the jobs that wait for this one */
	uint32_t waits_for;                /* the first unsolved job that it waits for; 0: none, or it is not queued */
	TAILQ_ENTRY(sv_job) due;           /* in `due` of the index */
	bool is_due;
	struct {
		struct sv_job *child[2];
		uint64_t least; /* the least memory, in bytes, that this job or one below it wants */
		uint32_t size;  /* number of jobs: this one and those below it */
	} queue;
	TAILQ_ENTRY(sv_job) over, idle;
	uint64_t idle_bytes;    /* of its transposition table, kept in case the job is resumed */
	unsigned memory_holds;  /* times that it was put on hold for lack of memory soon after it was resumed */
	uint64_t hold_until_ns; /* a job on hold is not resumed before this time */
};

/* What a run shows between two checkpoints; without a run, what the record says. */
struct sv_snapshot {
	struct pn_progress progress;
	char leading[32];    /* progress.leading as text; "" for none */
	double seconds, cpu; /* as in the record */
	double rate;         /* nodes a second, recent average; 0: it is not running */
};

/* How a run began. */
enum sv_begin { SV_BEGIN_FIRST, SV_BEGIN_RESUMED, SV_BEGIN_RESTARTED };

/* Why a checkpoint cannot be written for now. */
struct sv_trouble {
	int code; /* of the error; 0: none */
	char text[200];
};

/* How a broken run ends. */
struct sv_broken {
	enum sv_state state; /* SV_FAILED, SV_PAUSED or SV_QUEUED */
	const char *event;   /* the event for the history; static, NULL: the name of the state */
};

/* What is under way with the job in memory. Under the core's lock: the search thread that has the job publishes here
 * what its run does (its own data is struct sv_run, run/run.h); requests say what they want; the writer says what is on
 * disk. */
struct sv_job_run {
	enum sv_phase phase; /* sv_job_enter alone changes it */
	enum sv_want want;
	struct sv_snapshot snapshot;
	enum sv_begin begin;
	struct sv_broken broken;
	uint64_t number;               /* counts the job's runs */
	int64_t begin_ms;              /* since 1970; 0: no run is under way */
	uint64_t search_ns;            /* when its search began, after its table was loaded; 0: not yet */
	uint64_t loading_ns;           /* what loading took */
	uint64_t growth;               /* bytes that the search's tables take when they next grow; 0: none */
	bool keeps_size;               /* the tables keep their size for lack of memory */
	uint64_t table_bytes;          /* of its table on disk, after the last checkpoint */
	int64_t checkpoint_ms;         /* when that was on disk, since 1970; 0: none yet */
	uint64_t first_record;         /* of the run */
	uint64_t records;              /* made so far, by the job */
	bool checkpoint_posted;        /* a checkpoint is with the writer */
	bool checkpoint_wanted;        /* the run is to make one now */
	struct sv_trouble trouble;     /* while there is any, the job shows as paused */
	unsigned helpers;              /* search threads that take part, without the one that has the job */
	struct sv_search_group *group; /* NULL: no search thread can join it */
	TAILQ_HEAD(, sv_picture_request) picture_requests; /* only with a group (run/picture_request.h) */
	uint64_t picture_due_ns;                           /* no picture is made before this time */
	LIST_ENTRY(sv_job) running;                        /* while a search thread is in the job */
	unsigned threads; /* search threads in the job; the end of one run may overlap with the next */
	uint64_t changes; /* counts changes that watchers report */
};

/* Calls and watches that concern the job. The loop thread's, except where noted. */
struct sv_calls {
	STAILQ_HEAD(, sv_waiter) waiters; /* api/deferred.h */
	STAILQ_HEAD(, sv_call) deferred;
	LIST_HEAD(, sv_watch) watchers; /* api/watch.h */
	enum sv_state told;             /* the last state that the loop thread has heard of (api/finished.h) */
	bool told_trouble;              /* the loop thread knows that the checkpoint cannot be written */
	struct sv_job *older, *newer;   /* the jobs of the same key before and after it; NULL: none */
	/* under the core's lock */
	uint64_t troubles; /* told so far */
	struct sv_job_completion
		trouble_completion; /* for the newest trouble; a member, so that posting it cannot fail */
	bool trouble_posted;        /* the completion waits for the loop thread */
};

struct sv_job {
	struct sv_record record;
	struct sv_entry entry;
	struct sv_job_run run;
	struct sv_calls calls;
};

struct sv_job *sv_job_new(const struct sv_record *record); /* takes it over; NULL without memory */
void sv_job_free(struct sv_job *job);
/* A record with the progress of the run. A copy, which owns nothing. */
struct sv_record sv_job_next_record(const struct sv_job *job, enum sv_state state);
/* The budget that is used up, as a word: "nodes"; NULL: none. */
const char *sv_job_budget_used(const struct sv_job *job);
/* Whether a search thread has the job: until the record that ends its run is on disk. */
bool sv_job_owned(const struct sv_job *job);
/* Under the lock: whether a change of the job is under way, so that another request must wait. A completion always
 * reports the end of the change. */
bool sv_job_unsettled(const struct sv_job *job);
/* The state that is shown: a job whose checkpoint cannot be written is shown as paused, whatever the disk says. */
enum sv_state sv_job_shown(const struct sv_job *job);
