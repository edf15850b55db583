#include "server/api/figures.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/job_states.h"
#include "server/api/session_state.h"
#include "server/cluster/cluster.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/index/search_threads.h"
#include "server/jobs/write/task.h"

_Static_assert((int)SV_FIGURE_STATES == (int)SV_STATE_COUNT, "all states");

static void figures_of_job(const struct sv_job *job, struct sv_job_figures *out)
{
	const struct pn_progress *progress = &job->run.snapshot.progress;
	*out = (struct sv_job_figures){.job = job->record.id,
				       .pn = progress->pn,
				       .dn = progress->dn,
				       .state = sv_state_text(sv_job_shown(job)),
				       .rate = job->run.snapshot.rate,
				       .nodes = progress->level1 + progress->level2,
				       .seconds = job->run.snapshot.seconds,
				       .entries = progress->entries,
				       .capacity = progress->capacity,
				       .facts = progress->facts,
				       .memory = job->record.spec.memory};
	snprintf(out->game, sizeof out->game, "%s", job->record.spec.game);
}

/* Under the lock. */
static void figures_of_jobs(const struct sv_core *core, struct sv_figures *out)
{
	const struct sv_search_threads *threads = core->search_threads;
	const struct sv_job *job;
	for (unsigned i = 0; i < SV_FIGURE_STATES; i++)
		out->jobs[i] = core->index->all.states[i];
	LIST_FOREACH(job, &threads->running, run.running) {
		out->running++;
		out->rate += job->run.snapshot.rate;
		out->jobs_in_trouble += job->run.trouble.code != 0;
		if (out->job_count < SV_JOB_FIGURES_MAX)
			figures_of_job(job, &out->job[out->job_count++]);
	}
	out->threads = threads->count;
	out->searching = threads->searching + threads->helping;
	out->nodes = threads->nodes;
	out->memory.reserved = threads->reserved;
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
	out->lack = lacks[quota->hold];
	out->disk = quota->waiting[SV_HOLD_DISK];
	out->memory = quota->waiting[SV_HOLD_MEMORY];
	snprintf(out->text, sizeof out->text, "%s", quota->text);
}

void sv_figures(struct sv_core *core, struct sv_figures *out)
{
	memset(out, 0, sizeof *out);
	sv_lock(core);
	figures_of_jobs(core, out);
	figures_of_quota(&core->search_threads->quota, &out->quota);
	out->memory.bound = core->bound.bytes;
	sv_unlock(core);
	st_stats(core->store, &out->store);
	out->has_cluster = core->cluster != NULL;
	if (core->cluster)
		sv_cluster_view(core->cluster, &out->cluster);
	out->requests = &core->sessions->counts;
	out->memory.limit = core->config.memory;
	out->memory.resident = sv_memory_resident();
	out->on_disk = core->config.data != NULL;
	out->uptime_s = sv_uptime(core);
	out->stopping = core->stopping;
	out->read_only = core->config.read_only;
	PD_ASSERT(out->memory.limit && out->searching <= out->threads);
}
