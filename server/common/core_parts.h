/* Core parts: the core's lock and its parts, for files that do not need the whole struct (core_state.h).
 *
 * A part is defined in the header of the file that owns it, which also says which thread or lock guards the part. */
#pragma once

#include <pthread.h>
#include <time.h>

#include "server/common/config.h"

struct st_reader;
struct st_store;
struct sv_bound;
struct sv_cluster;
struct sv_completion;
struct sv_core;
struct sv_experiments;
struct sv_job_hooks;
struct sv_job_index;
struct sv_known_files;
struct sv_search_threads;
struct sv_series;
struct sv_sessions;
struct sv_table_jobs;
struct sv_writer;

/* The core's lock: held for short stretches, never during a search or a call that reads or writes the store. */
void sv_lock(struct sv_core *core);
void sv_unlock(struct sv_core *core);
/* Whether the calling thread holds it. */
bool sv_locked(const struct sv_core *core);
/* Waits for a condition; the lock is released meanwhile. */
void sv_lock_wait(struct sv_core *core, pthread_cond_t *cond);
/* The same until a time of the condition's clock; false when the time is up. */
bool sv_lock_wait_until(struct sv_core *core, pthread_cond_t *cond, uint64_t until_ns);
/* Any thread: asks the host to call sv_core_pump. */
void sv_wake(struct sv_core *core);

/* Under the lock: queues it and wakes the loop. */
void sv_completion_post(struct sv_core *core, struct sv_completion *completion);
/* The loop thread: delivers in order, at least one, until the clock passes `until_ns` (UINT64_MAX: all). True when
 * there are more. */
bool sv_completions_deliver(struct sv_core *core, uint64_t until_ns);

/* Constant while the core is open. */
const struct sv_config *sv_config(const struct sv_core *core);
struct st_store *sv_store(const struct sv_core *core);
/* The key that searches name positions with; no reply ever contains it. */
uint64_t sv_identity(const struct sv_core *core);
/* Seconds since it was opened. */
double sv_uptime(const struct sv_core *core);
const struct sv_job_hooks *sv_job_hooks(const struct sv_core *core);
struct sv_cluster *sv_cluster(const struct sv_core *core); /* NULL: everything is searched here */

struct sv_experiments *sv_experiments(const struct sv_core *core); /* NULL: clients run none */
struct sv_series *sv_series(const struct sv_core *core);           /* a lock of its own */

/* Under the lock, unless their headers say otherwise. */
struct sv_job_index *sv_index(const struct sv_core *core);
struct sv_writer *sv_writer(const struct sv_core *core);
struct sv_search_threads *sv_search_threads(const struct sv_core *core);
struct sv_known_files *sv_known_files(const struct sv_core *core);
struct sv_table_jobs *sv_table_jobs(const struct sv_core *core);
struct sv_bound *sv_bound(struct sv_core *core); /* its `bytes` follow the control group */
/* The core is about to close, and readers end what they are doing. Set by the loop thread, under the lock. */
bool sv_closing(const struct sv_core *core);

/* The loop thread's. */
struct sv_sessions *sv_sessions(const struct sv_core *core);
struct st_reader *sv_loop_reader(const struct sv_core *core);
