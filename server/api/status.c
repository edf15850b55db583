#include "server/api/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "proto/base/assert.h"
#include "server/api/figures.h"
#include "server/common/memory_bound.h"
#include "server/jobs/model/job_state.h"

enum { JOBS_MAX = 20 };

void sv_status_line(struct sv_core *core, char *out)
{
	struct sv_figures f;
	sv_figures(core, &f);
	snprintf(out, SV_STATUS_TEXT, "%" PRIu64 " jobs running, %" PRIu64 " queued; %.3g nodes/s; %" PRIu64 " facts",
		 f.jobs[SV_RUNNING], f.jobs[SV_QUEUED], f.rate, f.store.facts);
}

/* The receiver of the lines. */
struct listener {
	void (*say)(void *ctx, const char *line);
	void *ctx;
};

__attribute__((format(printf, 2, 3))) static void say_line(const struct listener *to, const char *format, ...)
{
	char line[SV_STATUS_TEXT];
	va_list ap;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	to->say(to->ctx, line);
}

static void say_jobs(const struct listener *to, const struct sv_figures *f)
{
	char line[SV_STATUS_TEXT];
	int n = 0;
	for (unsigned i = 0; i < SV_STATE_COUNT; i++)
		n += snprintf(line + n, sizeof line - (size_t)n, "%s %" PRIu64 " %s", i ? "," : "", f->jobs[i],
			      sv_state_text((enum sv_state)i));
	PD_ASSERT(n > 0 && (size_t)n < sizeof line);
	say_line(to, "jobs:%s", line);
	for (unsigned i = 0; i < f->job_count && i < JOBS_MAX; i++) {
		const struct sv_job_figures *job = &f->job[i];
		say_line(to, "job %u (%s) %s: %.3g nodes/s, %" PRIu64 " nodes in %.0f s", job->job, job->game,
			 job->state, job->rate, job->nodes, job->seconds);
	}
	if (f->running > JOBS_MAX)
		say_line(to, "and %" PRIu64 " more running jobs", f->running - JOBS_MAX);
}

void sv_status_each(struct sv_core *core, void (*say)(void *ctx, const char *line), void *ctx)
{
	const struct listener to = {say, ctx};
	struct sv_figures f;
	char a[SV_SIZE_TEXT], b[SV_SIZE_TEXT], c[SV_SIZE_TEXT];
	sv_figures(core, &f);
	say_jobs(&to, &f);
	say_line(&to, "search: %" PRIu64 " of %" PRIu64 " threads, %.3g nodes/s, %" PRIu64 " nodes in %.0f s",
		 f.searching, f.threads, f.rate, f.nodes, f.uptime_s);
	say_line(&to, "facts: %" PRIu64 ", %" PRIu64 " of them in memory, %" PRIu64 " runs", f.store.facts,
		 f.store.memtable, f.store.runs);
	say_line(&to, "memory: %s resident; running jobs have %s of %s", sv_size_text(f.memory.resident, a),
		 sv_size_text(f.memory.reserved, b), sv_size_text(f.memory.limit, c));
	say_line(&to, "disk: %s work, %s facts, %s free; last commit %.2f ms, longest %.2f ms",
		 sv_size_text(f.store.work_bytes, a), sv_size_text(f.store.facts_bytes, b),
		 sv_size_text(f.store.map_bytes_free, c), (double)f.store.commit_ns_last / 1e6,
		 (double)f.store.commit_ns_max / 1e6);
	say_line(&to, "connections: %" PRIu64, f.sessions);
}
