#include "server/api/status.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/base/assert.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_state.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"
#include "store/store.h"

enum { JOBS_MAX = 20 };

/* What is under the lock. */
struct figures {
	uint64_t states[SV_STATE_COUNT];
	double rate;
	uint64_t nodes, reserved;
	unsigned active, threads, running, lines, connections;
	char line[JOBS_MAX][SV_STATUS_TEXT];
};

static void describe_run(const struct sv_job *job, char *out)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	snprintf(out, SV_STATUS_TEXT, "job %u (%.60s) %s: %.3g nodes/s, %" PRIu64 " nodes in %.0f s", job->record.id,
		 job->record.spec.game, sv_state_text(sv_job_shown(job)), job->run.snapshot.rate, p->level1 + p->level2,
		 job->run.snapshot.seconds);
}

static void collect_figures(struct sv_core *core, struct figures *out)
{
	const struct sv_job *job;
	*out = (struct figures){0};
	sv_lock(core);
	for (unsigned i = 0; i < SV_STATE_COUNT; i++)
		out->states[i] = sv_index(core)->states[i];
	LIST_FOREACH(job, &sv_search_threads(core)->running, run.running) {
		out->rate += job->run.snapshot.rate;
		out->running++;
		if (out->lines < JOBS_MAX)
			describe_run(job, out->line[out->lines++]);
	}
	out->nodes = sv_search_threads(core)->nodes;
	out->reserved = sv_search_threads(core)->reserved;
	out->active = sv_search_threads(core)->searching + sv_search_threads(core)->helping;
	out->threads = sv_search_threads(core)->count;
	out->connections = sv_sessions(core)->connections;
	sv_unlock(core);
	PD_ASSERT(out->active <= out->threads);
}

void sv_status_line(struct sv_core *core, char *out)
{
	struct figures f;
	struct st_stats s;
	collect_figures(core, &f);
	st_stats(sv_store(core), &s);
	snprintf(out, SV_STATUS_TEXT, "%" PRIu64 " jobs running, %" PRIu64 " queued; %.3g nodes/s; %" PRIu64 " facts",
		 f.states[SV_RUNNING], f.states[SV_QUEUED], f.rate, s.facts);
}

void sv_status_each(struct sv_core *core, void (*say)(void *ctx, const char *line), void *ctx)
{
	struct figures f;
	struct st_stats s;
	char line[SV_STATUS_TEXT], resident[SV_SIZE_TEXT], reserved[SV_SIZE_TEXT], most[SV_SIZE_TEXT];
	char work[SV_SIZE_TEXT], facts[SV_SIZE_TEXT], space[SV_SIZE_TEXT];
	collect_figures(core, &f);
	st_stats(sv_store(core), &s);
	int n = snprintf(line, sizeof line, "jobs:");
	for (unsigned i = 0; i < SV_STATE_COUNT; i++)
		n += snprintf(line + n, sizeof line - (size_t)n, "%s %" PRIu64 " %s", i ? "," : "", f.states[i],
			      sv_state_text((enum sv_state)i));
	PD_ASSERT(n > 0 && (size_t)n < sizeof line);
	say(ctx, line);
	for (unsigned i = 0; i < f.lines; i++)
		say(ctx, f.line[i]);
	if (f.running > f.lines) {
		snprintf(line, sizeof line, "and %u more running jobs", f.running - f.lines);
		say(ctx, line);
	}
	snprintf(line, sizeof line, "search: %u of %u threads, %.3g nodes/s, %" PRIu64 " nodes in %.0f s", f.active,
		 f.threads, f.rate, f.nodes, sv_uptime(core));
	say(ctx, line);
	snprintf(line, sizeof line, "facts: %" PRIu64 ", %" PRIu64 " of them in memory, %u runs", s.facts, s.memtable,
		 (unsigned)s.runs);
	say(ctx, line);
	snprintf(line, sizeof line, "memory: %s resident; running jobs have %s of %s",
		 sv_size_text(sv_memory_resident(), resident), sv_size_text(f.reserved, reserved),
		 sv_size_text(sv_config(core)->memory, most));
	say(ctx, line);
	snprintf(line, sizeof line, "disk: %s work, %s facts, %s free; last commit %.2f ms, longest %.2f ms",
		 sv_size_text(s.work_bytes, work), sv_size_text(s.facts_bytes, facts),
		 sv_size_text(s.map_bytes_free, space), (double)s.commit_ns_last / 1e6, (double)s.commit_ns_max / 1e6);
	say(ctx, line);
	snprintf(line, sizeof line, "connections: %u", f.connections);
	say(ctx, line);
}
