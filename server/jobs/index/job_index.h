/* Job index: the jobs of a core, and the orders in which they are looked up.
 *
 *   by number              a sorted array without the numbers of removed jobs (model/job_set.h); one for all
 *                          jobs, each group and each tag                                   lookup O(log n)
 *   by key                 a red-black tree (tsearch)                                      O(log n)
 *   queued, best first     a treap for each group (model/job_group.h) that knows the
 *                          least memory below each job, so that jobs that do not fit now
 *                          cost nothing                                                    O(log n)
 *   by state, by client    counters
 *   due                    a list of queued jobs to settle (queue/writer_thread.h)              O(1) each
 *   over                   a list in order of their ends, and a list of those with a
 *                          transposition table on disk                                     O(1)
 *
 * Under the core's lock, except the keys, which belong to the loop thread. What a job shows (state, priority, trouble)
 * changes only through sv_job_move, sv_change_apply and sv_index_trouble, which keep the orders correct. */
#pragma once

#include "server/jobs/model/job.h"
#include "server/jobs/model/job_group.h"
#include "server/jobs/model/study.h"

TAILQ_HEAD(sv_over, sv_job);
TAILQ_HEAD(sv_due, sv_job);

struct sv_job_keys {
	void *root; /* tsearch(3) */
};

struct pd_mutex;

struct sv_job_index {
	struct pd_mutex *lock; /* guards everything except the keys; NULL: none (tests) */
	struct sv_job_set all;
	struct sv_job_groups groups; /* each with its queued jobs */
	struct sv_job_groups tags;   /* each with its jobs; nothing else of a group is in use */
	struct sv_job_clients clients;
	struct sv_studies studies;
	struct sv_due due;         /* queued jobs that the writer thread is to settle */
	uint64_t looks;            /* number of visits to a job on behalf of another one */
	uint64_t turns;            /* the last turn that was drawn */
	uint64_t revision;         /* counts changes of what jobs show; entry.revision is that of a job's last one */
	struct sv_over over, idle; /* jobs that are over; those of them with a table; by time of end */
	uint32_t over_count;
	uint64_t idle_bytes;     /* of all tables of the jobs in `idle` */
	struct sv_job_keys keys; /* of all jobs with a key, including those being submitted; the loop thread's */
};

void sv_index_init(struct sv_job_index *index);
/* Frees what the index owns; the jobs are the caller's. */
void sv_index_fini(struct sv_job_index *index);
/* NULL: not found. */
struct sv_job *sv_index_find(const struct sv_job_index *index, int64_t id);
/* Called when a submission begins: pins its group and tags, so that they count towards the maximum, until
 * sv_index_unpin unpins them. False without memory. */
bool sv_index_pin(struct sv_job_index *index, const struct sv_spec *spec);
void sv_index_unpin(struct sv_job_index *index, const struct sv_spec *spec);
/* Adds a job whose number is set. PD_E_NO_MEMORY. */
int sv_index_add(struct sv_job_index *index, struct sv_job *job);
/* Removes a job from all orders except the keys. */
void sv_index_remove(struct sv_job_index *index, struct sv_job *job);
/* After a restore: sorts the jobs that are over by their ends. False without memory. */
bool sv_index_sort(struct sv_job_index *index);
/* Called before and after a change of a job's state or priority. */
void sv_index_before(struct sv_job *job);
void sv_index_after(struct sv_job *job);
/* Notes why the job's checkpoint cannot be written; NULL: it can be written again. */
void sv_index_trouble(struct sv_job *job, const struct pd_fail *fail);
/* Notes the bytes of a finished job's transposition table, which is kept in case it is resumed; 0: no table. */
void sv_index_idle(struct sv_job *job, uint64_t bytes);
/* Marks a queued job for the writer thread, or removes the mark. */
void sv_index_due(struct sv_job *job, bool due);
/* The first queued job of a group that needs at most `room` bytes of memory and passes the test; NULL: none. */
typedef bool sv_job_test(const void *ctx, const struct sv_job *job);
struct sv_job *sv_index_next(const struct sv_job_group *group, uint64_t room, sv_job_test *test, const void *ctx);
/* The job is suspected of ending the process (model/crashes.h). */
bool sv_job_suspect(const struct sv_job *job);
/* Whether one queued job goes before another. */
bool sv_index_precedes(const struct sv_job *a, const struct sv_job *b);
/* Counts the queued jobs of a group that go before a queued job. Merges them into `out`, which holds the first *known
 * jobs (at most `room`) of all groups counted so far, in order. */
uint32_t sv_index_queued_before(const struct sv_job_group *group, const struct sv_job *job, const struct sv_job **out,
				uint32_t room, uint32_t *known);
/* The first queued job of a group, whether it is ready or not. */
struct sv_job *sv_index_head(const struct sv_job_group *group);

/* Move a job along an arrow of job_state.h (or leave it where it is), and along one of run_phase.h; assert that the
 * arrow exists. */
void sv_job_move(struct sv_job *job, enum sv_state to);
void sv_job_enter(struct sv_job *job, enum sv_phase to);
/* Applies a change that is on disk. */
void sv_change_apply(struct sv_job *job, const struct sv_change *change);
/* Called before the record takes over the progress of a checkpoint: new bounds are news for the parent's run
 * (run/injected_facts.h). */
void sv_job_note_bounds(struct sv_job *job, const struct pn_progress *progress);

void sv_keys_fini(struct sv_job_keys *keys);
/* A later job replaces an earlier one with the same key. False without memory. */
bool sv_keys_add(struct sv_job_keys *keys, struct sv_job *job);
struct sv_job *sv_keys_find(const struct sv_job_keys *keys, const char *key);
/* Removes a job; its key then leads to the previous job with that key, if there is one. */
void sv_keys_remove(struct sv_job_keys *keys, struct sv_job *job);
