#include "server/api/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "proto/base/clock.h"
#include "server/api/figures.h"
#include "server/api/methods.h"
#include "server/common/core_parts.h"
#include "server/common/sample_file.h"
#include "server/jobs/model/job_state.h"

static const uint64_t least_ns = 1000000000; /* the shortest time of a sample, also when the clock is set */

static double processor_seconds(void)
{
	struct rusage u;
	if (getrusage(RUSAGE_SELF, &u))
		return NAN;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Calls of a method with a result from `row` on; row 0 is PD_OK. */
static double count_calls(const struct sv_request_counts *counts, unsigned method, unsigned row)
{
	uint64_t sum = 0;
	for (; row < SV_RESULT_COUNT; row++)
		sum += counts->answered[method][row];
	return (double)sum;
}

static struct sv_series_counters counters_of(const struct sv_figures *f)
{
	struct sv_series_counters c = {.ns = pd_now_ns(),
				       .nodes = (double)f->nodes,
				       .cpu_s = processor_seconds(),
				       .failed = (double)f->requests->refused,
				       .commits = (double)f->store.commits,
				       .commit_ms = (double)f->store.commit_ns_sum / 1e6};
	for (unsigned method = 0; method < PR_METHOD_COUNT; method++) {
		double calls = count_calls(f->requests, method, 0);
		c.calls += calls;
		c.queries += method == PR_FACT_QUERY || method == PR_FACT_PROBE ? calls : 0;
		c.failed += count_calls(f->requests, method, 1);
	}
	return c;
}

/* What happened between two looks, the second of which found `f` and `now`. */
static struct sv_sample sample_of(const struct sv_figures *f, const struct sv_series_counters *before,
				  const struct sv_series_counters *now)
{
	double seconds = (double)(now->ns - before->ns) / 1e9, commits = now->commits - before->commits;
	bool cluster = f->has_cluster, disk = f->on_disk;
#define GROWTH(counter) ((now->counter - before->counter) / seconds)
	return (struct sv_sample){
		.value = {[SV_SERIES_RATE] = GROWTH(nodes),
			  [SV_SERIES_BUSY] = (double)f->searching,
			  [SV_SERIES_CPU] = GROWTH(cpu_s),
			  [SV_SERIES_RUNNING] = (double)f->jobs[SV_RUNNING],
			  [SV_SERIES_QUEUED] = (double)f->jobs[SV_QUEUED],
			  [SV_SERIES_PAUSED] = (double)f->jobs[SV_PAUSED],
			  [SV_SERIES_FACTS] = (double)f->store.facts,
			  [SV_SERIES_WORK_BYTES] = (double)f->store.work_bytes,
			  [SV_SERIES_FACTS_BYTES] = (double)f->store.facts_bytes,
			  [SV_SERIES_DISK_FREE] = disk ? (double)f->store.map_bytes_free : NAN,
			  [SV_SERIES_MEMORY] = (double)f->memory.resident,
			  [SV_SERIES_RESERVED] = (double)f->memory.reserved,
			  [SV_SERIES_CALLS] = GROWTH(calls),
			  [SV_SERIES_QUERIES] = GROWTH(queries),
			  [SV_SERIES_FAILED] = GROWTH(failed),
			  [SV_SERIES_CONNECTIONS] = (double)f->sessions,
			  [SV_SERIES_COMMITS] = commits / seconds,
			  [SV_SERIES_COMMIT_MS] = commits > 0 ? (now->commit_ms - before->commit_ms) / commits : NAN,
			  [SV_SERIES_WORKERS] = cluster ? (double)f->cluster.workers : NAN,
			  [SV_SERIES_WORKER_THREADS] = cluster ? (double)f->cluster.threads : NAN,
			  [SV_SERIES_TASKS_OUT] = cluster ? (double)f->cluster.out : NAN,
			  [SV_SERIES_LEAVES_WAITING] = cluster ? (double)f->cluster.waiting : NAN}};
#undef GROWTH
}

void sv_sampling_tick(struct sv_core *core)
{
	struct sv_series *s = sv_series(core);
	struct sv_series_counters now;
	struct sv_figures figures;
	int64_t minute = pd_wall_ms() / SV_MINUTE_MS;
	bool first = !s->before.ns;
	if (!first && (minute == s->minute || minute < 1 || pd_now_ns() < s->before.ns + least_ns))
		return;
	sv_figures(core, &figures);
	now = counters_of(&figures);
	if (!first) {
		struct sv_sample sample = sample_of(&figures, &s->before, &now);
		sample.number = minute - 1; /* the one that is over */
		if (!sv_series_post(s, &sample))
			return; /* the next tick tries again */
	}
	s->before = now;
	s->minute = minute;
}

static enum pr_series_range range_of(const char *text)
{
	static const char *const texts[] = {
#define X(name, text, minutes, points, mean) text,
		PR_SERIES_RANGES(X)
#undef X
	};
	unsigned range = 0;
	while (range + 1 < PR_RANGE_COUNT && strcmp(texts[range], text) != 0)
		range++;
	return (enum pr_series_range)range;
}

static void put_point(const struct sv_sample *sample, int64_t step_ms, struct pr_out *out)
{
	static const struct {
		const char *name;
		int decimals;
	} members[] = {
#define X(name, text, decimals, doc) {text, decimals},
		PR_SERIES(X)
#undef X
	};
	pr_open_object(out, NULL);
	pr_int(out, "t", sample->number * step_ms);
	for (unsigned i = 0; i < SV_SERIES_VALUES; i++)
		if (isfinite(sample->value[i]))
			pr_real(out, members[i].name, sample->value[i], members[i].decimals);
	pr_close(out);
}

int sv_method_server_series(struct sv_request *r)
{
	enum pr_series_range range = range_of(pr_get_str(r->params, "range", "day"));
	int64_t now_ms = pd_wall_ms() > 0 ? pd_wall_ms() : 0;
	struct sv_series_view *view = calloc(1, sizeof *view);
	int rc = view ? sv_series_read(sv_series(r->core), range, now_ms, view, &r->fail)
		      : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the samples");
	if (!rc) {
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_I("first", view->first_ms), PR_I("last", view->last_ms),
			   PR_I("step", view->step_ms), PR_OPEN_ARRAY("points"));
		for (unsigned i = 0; i < view->count; i++)
			put_point(&view->sample[i], view->step_ms, &r->out);
		pr_members(&r->out, PR_CLOSE, PR_CLOSE);
	}
	free(view);
	return rc;
}
