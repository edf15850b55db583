#include "server/common/core_parts.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/core_state.h"

void sv_lock(struct sv_core *core)
{
	pd_mutex_lock(&core->lock);
}

void sv_unlock(struct sv_core *core)
{
	pd_mutex_unlock(&core->lock);
}

bool sv_locked(const struct sv_core *core)
{
	return pd_mutex_held(&core->lock);
}

void sv_lock_wait(struct sv_core *core, pthread_cond_t *cond)
{
	pd_mutex_wait(&core->lock, cond);
}

bool sv_lock_wait_until(struct sv_core *core, pthread_cond_t *cond, uint64_t until_ns)
{
	return pd_mutex_wait_until(&core->lock, cond, until_ns);
}

void sv_wake(struct sv_core *core)
{
	if (core->host.wake)
		core->host.wake(core->host.wake_ctx);
}

void sv_completion_post(struct sv_core *core, struct sv_completion *completion)
{
	PD_ASSERT(pd_mutex_held(&core->lock));
	PD_ASSERT(completion->deliver);
	STAILQ_INSERT_TAIL(&core->completions, completion, link);
	sv_wake(core);
}

static struct sv_completion *take_completion(struct sv_core *core)
{
	sv_lock(core);
	struct sv_completion *completion = STAILQ_FIRST(&core->completions);
	if (completion)
		STAILQ_REMOVE_HEAD(&core->completions, link);
	sv_unlock(core);
	return completion;
}

bool sv_completions_deliver(struct sv_core *core, uint64_t until_ns)
{
	struct sv_completion *completion;
	while ((completion = take_completion(core)) != NULL) {
		completion->deliver(core, completion);
		if (until_ns != UINT64_MAX && pd_now_ns() > until_ns)
			return true;
	}
	return false;
}

const struct sv_config *sv_config(const struct sv_core *core)
{
	return &core->config;
}

struct st_store *sv_store(const struct sv_core *core)
{
	return core->store;
}

uint64_t sv_identity(const struct sv_core *core)
{
	return core->identity;
}

double sv_uptime(const struct sv_core *core)
{
	return (double)(pd_now_ns() - core->start_ns) / 1e9;
}

const struct sv_job_hooks *sv_job_hooks(const struct sv_core *core)
{
	return core->hooks;
}

struct sv_cluster *sv_cluster(const struct sv_core *core)
{
	return core->cluster;
}

struct sv_experiments *sv_experiments(const struct sv_core *core)
{
	return core->experiments;
}

struct sv_series *sv_series(const struct sv_core *core)
{
	return core->series;
}

struct sv_job_index *sv_index(const struct sv_core *core)
{
	return core->index;
}

struct sv_writer *sv_writer(const struct sv_core *core)
{
	return core->writer;
}

struct sv_search_threads *sv_search_threads(const struct sv_core *core)
{
	return core->search_threads;
}

struct sv_known_files *sv_known_files(const struct sv_core *core)
{
	return core->known_files;
}

struct sv_table_jobs *sv_table_jobs(const struct sv_core *core)
{
	return core->table_jobs;
}

struct sv_bound *sv_bound(struct sv_core *core)
{
	return &core->bound;
}

bool sv_closing(const struct sv_core *core)
{
	return core->closing;
}

struct sv_sessions *sv_sessions(const struct sv_core *core)
{
	return core->sessions;
}

struct st_reader *sv_loop_reader(const struct sv_core *core)
{
	return core->reader;
}
