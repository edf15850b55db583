#include "server/api/figures.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/quota_lacks.h"
#include "server/api/session_state.h"
#include "server/cluster/cluster.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_state.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/write/task.h"
#include "store/store.h"

_Static_assert((int)SV_FIGURE_STATES == (int)SV_STATE_COUNT, "all states");
_Static_assert((int)ST_COMMIT_BUCKETS <= (int)SV_COMMIT_BUCKETS_MAX, "there is room for the buckets");

static void figures_of_store(struct st_store *store, struct sv_figures *out)
{
#define BOUND(us) us,
	static const uint32_t bounds[] = {ST_COMMIT_BOUNDS(BOUND)};
#undef BOUND
	struct st_stats s;
	st_stats(store, &s);
	out->store.facts = s.facts;
	out->store.memtable = s.memtable;
	out->store.runs = s.runs;
	out->store.work_bytes = s.work_bytes;
	out->store.facts_bytes = s.facts_bytes;
	out->store.disk_free = s.map_bytes_free;
	out->store.commits = s.commits;
	out->store.commit_failures = s.commit_failures;
	out->store.commit_error = s.commit_error;
	out->store.commit_ns_sum = s.commit_ns_sum;
	out->store.commit_buckets = ST_COMMIT_BUCKETS;
	memcpy(out->store.commit_bucket, s.commit_bucket, sizeof s.commit_bucket);
	memcpy(out->store.commit_bound_us, bounds, sizeof bounds);
}

static void figures_of_job(const struct sv_job *job, struct sv_job_figures *out)
{
	*out = (struct sv_job_figures){
		.job = job->record.id,
		.rate = job->run.snapshot.rate,
		.pn = job->run.snapshot.progress.pn,
		.dn = job->run.snapshot.progress.dn,
		.nodes = job->run.snapshot.progress.level1 + job->run.snapshot.progress.level2,
		.entries = job->run.snapshot.progress.entries,
		.capacity = job->run.snapshot.progress.capacity,
		.facts = job->run.snapshot.progress.facts,
		.memory = job->record.spec.memory,
		.seconds = job->run.snapshot.seconds,
	};
}

/* Under the lock. */
static void figures_of_jobs(const struct sv_core *core, struct sv_figures *out)
{
	const struct sv_job *job;
	for (unsigned i = 0; i < SV_FIGURE_STATES; i++)
		out->jobs[i] = core->index->states[i];
	LIST_FOREACH(job, &core->search_threads->running, run.running) {
		out->jobs_in_trouble += job->run.trouble.code != 0;
		if (out->job_count < SV_JOB_FIGURES_MAX)
			figures_of_job(job, &out->job[out->job_count++]);
	}
	out->threads = core->search_threads->count;
	out->searching = core->search_threads->searching + core->search_threads->helping;
	out->nodes = core->search_threads->nodes;
	out->memory.reserved = core->search_threads->reserved;
	out->tasks = core->writer->task_count;
	out->sessions = core->sessions->connections;
}

/* Under the lock. */
static void figures_of_quota(const struct sv_quota *quota, struct sv_quota_figures *out)
{
#define X(name, text) [SV_HOLD_##name] = text,
	static const char *const lacks[SV_HOLD_COUNT] = {PR_QUOTA_LACKS(X)};
#undef X
	PD_ASSERT(quota->hold < SV_HOLD_COUNT);
	*out = (struct sv_quota_figures){.lack = lacks[quota->hold],
					 .disk = quota->waiting[SV_HOLD_DISK],
					 .memory = quota->waiting[SV_HOLD_MEMORY]};
	snprintf(out->text, sizeof out->text, "%s", quota->text);
}

void sv_quota_figures(struct sv_core *core, struct sv_quota_figures *out)
{
	sv_lock(core);
	figures_of_quota(&core->search_threads->quota, out);
	sv_unlock(core);
}

static void figures_of_cluster(struct sv_cluster *cluster, struct sv_cluster_figures *out)
{
	struct sv_cluster_view v;
	sv_cluster_view(cluster, &v);
	*out = (struct sv_cluster_figures){
		.connected = v.connected,
		.workers = v.workers,
		.threads = v.threads,
		.out = v.out,
		.waiting = v.waiting,
		.tasks = v.tasks,
		.results = v.results,
		.late = v.late,
		.sent_again = v.sent_again,
		.cancelled = v.cancelled,
		.verified = v.verified,
		.refuted = v.refuted,
		.banned = v.banned,
		.nodes = v.nodes,
		.cpu_s = (double)v.cpu_ns / 1e9,
		.coordinator_s = (double)v.busy_ns / 1e9,
		.grain = v.grain,
	};
}

void sv_figures(struct sv_core *core, struct sv_figures *out)
{
	memset(out, 0, sizeof *out);
	sv_lock(core);
	figures_of_jobs(core, out);
	figures_of_quota(&core->search_threads->quota, &out->quota);
	out->memory.bound = core->bound.bytes;
	sv_unlock(core);
	figures_of_store(core->store, out);
	out->has_cluster = core->cluster != NULL;
	if (core->cluster)
		figures_of_cluster(core->cluster, &out->cluster);
	out->sessions_total = core->sessions->count;
	out->requests = &core->sessions->counts;
	out->memory.limit = core->config.memory;
	out->memory.resident = sv_memory_resident();
	out->store.on_disk = core->config.data != NULL;
	out->uptime_s = sv_uptime(core);
	out->stopping = core->stopping;
	out->read_only = core->config.read_only;
	PD_ASSERT(out->memory.limit && out->requests);
}
