/* Job index: the jobs of a core, and the orders in which they are looked up.
 *
 *   by number              a sorted array without the numbers of removed jobs              lookup O(log n)
 *   by key                 a red-black tree (tsearch)                                      O(log n)
 *   queued, best first     a treap for each group (model/job_group.h) that knows the
 *                          least memory below each job, so that jobs that do not fit now
 *                          cost nothing                                                    O(log n)
 *   by state, by client    counters
 *   due: queued, and       a list (queue/writer_thread.h)
 *   concerned by others                                                                    O(1) each
 *   over                   a list in order of their ends, and a list of those with a
 *                          transposition table on disk                                     O(1)
 *
 * Under the core's lock, except the keys, which belong to the loop thread. What a job shows (state, priority, trouble)
 * changes only through sv_job_move, sv_change_apply and sv_index_trouble, which keep the orders true. */
#pragma once

#include "server/jobs/model/job_group.h"
#include "server/jobs/model/job_state.h"

struct sv_job;

TAILQ_HEAD(sv_over, sv_job);
TAILQ_HEAD(sv_due, sv_job);

struct sv_job_keys {
	void *root; /* tsearch(3) */
};

struct pd_mutex;

struct sv_job_index {
	struct pd_mutex *lock; /* that guards all this except the keys; NULL: none, in tests */
	struct sv_job **jobs;  /* in order of their numbers; owned */
	uint32_t count, capacity;
	uint32_t states[SV_STATE_COUNT]; /* how many jobs show each */
	struct sv_job_groups groups;     /* with the queued ones */
	struct sv_job_clients clients;
	struct sv_due due;         /* queued jobs that others concern, for the writer thread */
	uint64_t looks;            /* how often a job was visited because of another one */
	uint64_t turns;            /* the last turn that was drawn */
	struct sv_over over, idle; /* in order of their ends: those that are over, and those of them with a table */
	uint32_t over_count;
	uint64_t idle_bytes;     /* of all tables of `idle` */
	struct sv_job_keys keys; /* of jobs that have one, those that are being submitted included; the loop thread's */
};

void sv_index_init(struct sv_job_index *index);
/* Frees what the index owns; the jobs are the caller's. */
void sv_index_fini(struct sv_job_index *index);
/* NULL: there is none. */
struct sv_job *sv_index_find(const struct sv_job_index *index, int64_t id);
/* A job with its number joins. PD_E_NO_MEMORY. */
int sv_index_add(struct sv_job_index *index, struct sv_job *job);
/* It leaves all orders except the keys. */
void sv_index_remove(struct sv_job_index *index, struct sv_job *job);
/* The place in index->jobs of the first job with at least that number; index->count when there is none. */
uint32_t sv_index_place(const struct sv_job_index *index, int64_t id);
/* After a restore: orders those that are over by their ends, not by their numbers. False without memory. */
bool sv_index_sort(struct sv_job_index *index);
/* The calling thread may change the job: it holds the lock, or the job is in no index yet. */
bool sv_index_locked(const struct sv_job *job);
/* Around a change of a job's state or priority. */
void sv_index_before(struct sv_job *job);
void sv_index_after(struct sv_job *job);
/* The job's checkpoint cannot be written for now; NULL: it can again. */
void sv_index_trouble(struct sv_job *job, const struct pd_fail *fail);
/* The finished job has a transposition table of that many bytes on disk, kept in case it is resumed; 0: none. */
void sv_index_idle(struct sv_job *job, uint64_t bytes);
/* The writer thread is to settle the queued job; or has done so. */
void sv_index_due(struct sv_job *job, bool due);
/* The first queued job of a group that needs at most `room` bytes of memory and passes the test. */
typedef bool sv_job_test(const void *ctx, const struct sv_job *job);
struct sv_job *sv_index_next(const struct sv_job_group *group, uint64_t room, sv_job_test *test, const void *ctx);
/* The job is suspected of ending the process (model/crashes.h). */
bool sv_job_suspect(const struct sv_job *job);
/* Whether one queued job goes before another. */
bool sv_index_precedes(const struct sv_job *a, const struct sv_job *b);
/* How many queued jobs of a group go before a queued job. Adds them to `out`, which holds in order the first `room` of
 * all groups asked so far; *known are there. */
uint32_t sv_index_queued_before(const struct sv_job_group *group, const struct sv_job *job, const struct sv_job **out,
				uint32_t room, uint32_t *known);
/* The first queued job of a group, whether it is ready or not. */
struct sv_job *sv_index_head(const struct sv_job_group *group);

void sv_keys_fini(struct sv_job_keys *keys);
/* A later job with the same key takes the place of an earlier one. False without memory. */
bool sv_keys_add(struct sv_job_keys *keys, struct sv_job *job);
struct sv_job *sv_keys_find(const struct sv_job_keys *keys, const char *key);
/* The job is gone. If its key led to it, the key leads again to the previous job of that key. */
void sv_keys_remove(struct sv_job_keys *keys, struct sv_job *job);
