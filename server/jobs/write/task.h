/* Task: what the writer is to make durable, and the queue that leads to it. */
#ifndef SV_TASK_H
#define SV_TASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "proto/base/hash.h"
#include "server/jobs/model/job.h"
#include "server/jobs/model/job_group.h"
#include "server/jobs/model/job_log.h"
#include "server/jobs/model/removed_jobs.h"
#include "store/store.h"

struct sv_core;

enum sv_task_kind { SV_TASK_SUBMIT, SV_TASK_RECORD, SV_TASK_CHECKPOINT, SV_TASK_REMOVE, SV_TASK_GROUP };

/* What the writer is to make durable. */
struct sv_task {
	enum sv_task_kind kind;
	struct sv_job *job;                     /* GROUP: NULL */
	struct sv_group_change *group;          /* GROUP: the requester's */
	enum sv_state state;                    /* the job's state once this is on disk */
	struct pd_buf record;                   /* the job's record; SUBMIT: made by the writer, who knows the number */
	struct pd_buf event;                    /* empty: none */
	struct st_tt_entry *entries, *snapshot; /* owned */
	size_t entry_count, snapshot_count;
	bool snapshot_start, snapshot_end, drop_table;
	char reason[SV_REASON_MAX];  /* that the change names, if it is made for the task */
	struct sv_change change;     /* RECORD: what holds once this is on disk */
	bool ends_run;               /* the last record of a run */
	bool lied;                   /* its facts contradict others, and a worker of another machine gave one side */
	bool left;                   /* REMOVE: there is more to do, in another batch */
	struct pn_progress progress; /* CHECKPOINT: of the job, with the facts and entries in it and those before */
	uint64_t table_bytes;        /* of the job's table, once this is on disk, of a checkpoint */
	uint64_t idle_bytes;         /* likewise, if the job is over and the table kept */
	struct pd_buf facts;         /* packed: size, key, reason */
	struct sv_core *core;        /* that `game` is given back to */
	const struct game *game;     /* whose facts they are, shared: the run may be left before; NULL: of none */
	struct pd_id question;       /* what the entries mean */
	uint64_t number;             /* of the record, counted by the job */
	struct pd_fail fail;         /* code 0: committed */
	struct sv_job_completion
		*completion; /* what the loop thread is told of it; had beforehand, so that telling cannot fail */
	STAILQ_ENTRY(sv_task) link;
};
STAILQ_HEAD(sv_tasks, sv_task);

/* The writer's part of the core. Under the lock, but for `removed` and `thread`. */
struct sv_writer {
	struct sv_tasks tasks;
	unsigned task_count;
	pthread_cond_t wake, written; /* there are tasks; some of them have been carried out */
	uint32_t removing;            /* jobs with a task to remove them */
	uint64_t retain_ns;           /* not before then is anything removed again */
	struct sv_job_log log;
	struct sv_removed_jobs removed; /* the writer thread's */
	pthread_t thread;
	bool started;
};

/* `attr`: of conditions on the monotonic clock. sv_writer_fini frees the tasks that are left. */
void sv_writer_init(struct sv_writer *writer, const pthread_condattr_t *attr);
void sv_writer_fini(struct sv_writer *writer);
struct sv_task *sv_task_new(enum sv_task_kind kind, struct sv_job *job, enum sv_state state);
void sv_task_free(struct sv_task *task);
/* A checkpoint that keeps its facts only: the job's table is dropped with it. */
void sv_task_drop_table(struct sv_task *task);
/* Under the lock: hands the task to the writer. Callers check first that no buffer of it has failed; the writer refuses
 * such a task. */
void sv_task_post(struct sv_core *core, struct sv_task *task);

#endif
