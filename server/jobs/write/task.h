/* Task: what the writer is to make durable, and the queue that leads to it. */
#pragma once

#include <pthread.h>

#include "server/jobs/model/job_group.h"
#include "server/jobs/model/job_log.h"
#include "server/jobs/model/removed_jobs.h"
#include "server/jobs/model/study.h"
#include "store/store.h"

struct sv_core;

enum sv_task_kind { SV_TASK_SUBMIT, SV_TASK_RECORD, SV_TASK_CHECKPOINT, SV_TASK_REMOVE, SV_TASK_GROUP, SV_TASK_STUDY };
enum { SV_REASON_MAX = 120 }; /* bytes of a reason that a task brings along */

TAILQ_HEAD(sv_tasks, sv_task);

/* RECORD: what a request or the server itself changes. */
struct sv_task_change {
	struct sv_change change;
	char reason[SV_REASON_MAX]; /* change.reason, unless that is NULL or static */
};

/* CHECKPOINT: what a run has found since the last one. */
struct sv_task_checkpoint {
	struct st_tt_entry *entries, *snapshot; /* owned */
	size_t entry_count, snapshot_count;
	bool snapshot_start, snapshot_end;
	struct pd_id question;   /* what the entries mean */
	struct pd_buf facts;     /* packed: size, key, reason */
	struct sv_core *core;    /* where `game` is returned */
	const struct game *game; /* the game of the facts, shared because the run may end first; NULL: none */
	uint64_t table_bytes;    /* of the job's table, once this is on disk */
	bool leaves;             /* workers of other machines gave some of the facts */
	bool lied;               /* its facts contradict others, perhaps because a worker lied: the job goes on */
};

/* REMOVE. */
struct sv_task_removal {
	bool unfinished; /* there is more to delete, in another batch */
};

/* What the writer is to make durable. It belongs to its poster until sv_task_post, then to the writer. */
struct sv_task {
	enum sv_task_kind kind;
	struct sv_job *job;          /* GROUP, STUDY: NULL */
	enum sv_state state;         /* the job's state once this is on disk */
	bool ends_run;               /* the last record of a run */
	bool drop_table;             /* the job's table is deleted */
	struct pd_buf record;        /* the job's record; SUBMIT: the writer gives it its number */
	struct pd_buf event;         /* empty: none */
	struct pn_progress progress; /* in that record, as are the next two */
	double seconds, cpu;
	uint64_t idle_bytes; /* of the job's table, if the job is over and the table kept */
	uint64_t number;     /* of the record, counted by the job */
	struct pd_fail fail; /* code 0: committed */
	struct sv_job_completion
		*completion; /* for the loop thread; allocated in advance, so that posting it cannot fail */
	TAILQ_ENTRY(sv_task) link;
	union {
		struct sv_task_change change;         /* RECORD */
		struct sv_task_checkpoint checkpoint; /* CHECKPOINT */
		struct sv_task_removal removal;       /* REMOVE */
		struct sv_group_change *group;        /* GROUP; the requester's */
		struct sv_study_change *study;        /* STUDY; likewise */
		struct sv_tasks with;                 /* SUBMIT: more of them, written with this one or not at all */
	};
};

/* The writer's part of the core. Under the lock, except `removed` and `thread`. */
struct sv_writer {
	struct sv_tasks tasks;
	unsigned task_count;
	pthread_cond_t wake, written; /* there are tasks; some of them have been carried out */
	uint32_t removing;            /* jobs with a task to remove them */
	uint64_t removal_failed_ns;   /* when a job or a table could not be removed; 0: never */
	struct sv_job_log log;
	struct sv_removed_jobs removed; /* the writer thread's */
	pthread_t thread;
	bool started;
	bool stop; /* ends the writer once all tasks are carried out */
};

/* sv_writer_fini frees the tasks that are left. */
void sv_writer_init(struct sv_writer *writer);
void sv_writer_fini(struct sv_writer *writer);
struct sv_task *sv_task_new(enum sv_task_kind kind, struct sv_job *job, enum sv_state state);
void sv_task_free(struct sv_task *task);
/* Under the lock: the record that the task is to write, with task->state and, of a RECORD, its change; and an event of
 * the history (NULL: none). False without memory. */
bool sv_task_record(struct sv_task *task, const char *event);
/* Under the lock: a task that records a change, whose reason is copied. NULL without memory. */
struct sv_task *sv_task_change(struct sv_job *job, enum sv_state state, const struct sv_change *change,
			       const char *event);
/* Reduces a checkpoint to its facts, and drops the job's table with it. */
void sv_task_drop_table(struct sv_task *task);
/* Under the lock: hands the task to the writer. Callers check first that no buffer of it has failed; the writer refuses
 * such a task. */
void sv_task_post(struct sv_core *core, struct sv_task *task);
/* Under the lock: makes a task that records a change, and posts it. False when the caller must try again: a change of
 * the job is under way, or there is no memory. */
bool sv_task_post_change(struct sv_core *core, struct sv_job *job, enum sv_state state, const struct sv_change *change,
			 const char *event);
/* Under the lock: tells the loop thread that a run has stopped without a last record, or that the job's record cannot
 * be written. */
void sv_job_report_trouble(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail);
