/* Metrics: see metrics.h. The functions that write samples are named in metrics.def. */
#include "server/net/metrics.h"

#include <dirent.h>
#include <sys/resource.h>

#include "proto/base/assert.h"

struct writer {
	struct pd_buf *out;
	const char *name; /* of the metric whose samples are written */
};

static void write_integer(const struct writer *w, uint64_t value)
{
	pd_buf_printf(w->out, "%s %llu\n", w->name, (unsigned long long)value);
}

static void write_real(const struct writer *w, double value)
{
	pd_buf_printf(w->out, "%s %.15g\n", w->name, value);
}

/* One label, whose value needs no escapes. */
static void write_labelled(const struct writer *w, const char *label, const char *text, uint64_t value)
{
	PD_ASSERT(!strpbrk(text, "\\\"\n"));
	pd_buf_printf(w->out, "%s{%s=\"%s\"} %llu\n", w->name, label, text, (unsigned long long)value);
}

static void write_build_info(const struct writer *w)
{
	write_labelled(w, "version", PD_VERSION, 1);
}

static void write_jobs_by_state(const struct writer *w, const struct nt_view *v)
{
	static const char *const states[] = {
#define X(id, text, over) text,
		PR_JOB_STATES(X)
#undef X
	};
	for (unsigned i = 0; i < SV_FIGURE_STATES; i++)
		write_labelled(w, "state", states[i], v->core->jobs[i]);
}

static void write_quota_lack(const struct writer *w, const struct nt_view *v)
{
	PD_ASSERT(v->core->quota.lack);
	write_labelled(w, "quota", "disk", !strcmp(v->core->quota.lack, "disk"));
	write_labelled(w, "quota", "memory", !strcmp(v->core->quota.lack, "memory"));
}

static void write_jobs_on_hold(const struct writer *w, const struct nt_view *v)
{
	write_labelled(w, "quota", "disk", v->core->quota.disk);
	write_labelled(w, "quota", "memory", v->core->quota.memory);
}

static void write_job_integer(const struct writer *w, uint32_t job, uint64_t value)
{
	pd_buf_printf(w->out, "%s{job=\"%u\"} %llu\n", w->name, (unsigned)job, (unsigned long long)value);
}

static void write_job_real(const struct writer *w, uint32_t job, double value)
{
	pd_buf_printf(w->out, "%s{job=\"%u\"} %.15g\n", w->name, (unsigned)job, value);
}

static void write_job_proof_number(const struct writer *w, uint32_t job, uint32_t value)
{
	if (value == UINT32_MAX)
		pd_buf_printf(w->out, "%s{job=\"%u\"} +Inf\n", w->name, (unsigned)job);
	else
		write_job_integer(w, job, value);
}

/* A member of struct sv_job_figures, of each running job. */
#define WRITE_JOBS(member)                                                                                             \
	for (unsigned i = 0; i < v->core->job_count; i++)                                                              \
	_Generic(v->core->job[i].member, uint64_t                                                                      \
		 : write_job_integer, double                                                                           \
		 : write_job_real, uint32_t                                                                            \
		 : write_job_proof_number)(w, v->core->job[i].job, v->core->job[i].member)

static void write_disk_bytes(const struct writer *w, const struct nt_view *v)
{
	if (!v->core->on_disk)
		return;
	write_labelled(w, "file", "work", v->core->store.work_bytes);
	write_labelled(w, "file", "facts", v->core->store.facts_bytes);
}

static void write_disk_free(const struct writer *w, const struct nt_view *v)
{
	if (v->core->on_disk)
		write_integer(w, v->core->store.map_bytes_free);
}

/* Writes nothing without workers on other machines. */
static void write_cluster_integer(const struct writer *w, const struct nt_view *v, uint64_t value)
{
	if (v->core->has_cluster)
		write_integer(w, value);
}

static void write_cluster_seconds(const struct writer *w, const struct nt_view *v, double value)
{
	if (v->core->has_cluster)
		write_real(w, value);
}

static void write_commit_seconds(const struct writer *w, const struct nt_view *v)
{
#define BOUND(us) us,
	static const uint32_t bounds_us[] = {ST_COMMIT_BOUNDS(BOUND)};
#undef BOUND
	const struct st_stats *s = &v->core->store;
	unsigned long long sum = 0;
	for (unsigned i = 0; i < ST_COMMIT_BUCKETS; i++) {
		sum += s->commit_bucket[i];
		if (i + 1 < ST_COMMIT_BUCKETS)
			pd_buf_printf(w->out, "%s_bucket{le=\"%g\"} %llu\n", w->name, bounds_us[i] / 1e6, sum);
	}
	pd_buf_printf(w->out, "%s_bucket{le=\"+Inf\"} %llu\n", w->name, sum);
	pd_buf_printf(w->out, "%s_sum %.15g\n", w->name, (double)s->commit_ns_sum / 1e9);
	pd_buf_printf(w->out, "%s_count %llu\n", w->name, sum);
}

static void write_connections_ended(const struct writer *w, const struct nt_view *v)
{
	write_labelled(w, "reason", "protocol", v->conns->total.rejected);
	write_labelled(w, "reason", "full", v->conns->total.refused);
	write_labelled(w, "reason", "stalled", v->conns->total.stalled);
	write_labelled(w, "reason", "buffers", v->conns->total.relieved);
	write_labelled(w, "reason", "idle", v->conns->total.idle);
	write_labelled(w, "reason", "anonymous", v->conns->total.pushed);
}

static void write_requests(const struct writer *w, const struct nt_view *v)
{
	for (unsigned method = 0; method < PR_METHOD_COUNT; method++)
		for (unsigned row = 0; row < SV_RESULT_COUNT; row++) {
			uint64_t count = v->core->requests->answered[method][row];
			if (count)
				pd_buf_printf(w->out, "%s{method=\"%s\",result=\"%s\"} %llu\n", w->name,
					      pr_method_info((enum pr_method)method)->name,
					      pd_error_slug(sv_result_code(row)), (unsigned long long)count);
		}
}

static void write_cpu_seconds(const struct writer *w)
{
	struct rusage usage;
	if (!getrusage(RUSAGE_SELF, &usage))
		write_real(w, (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}

static void write_open_descriptors(const struct writer *w)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t count = 0;
	if (!dir)
		return;
	for (const struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	closedir(dir);
	write_integer(w, count ? count - 1 : 0); /* without the descriptor of the directory itself */
}

static void write_max_descriptors(const struct writer *w)
{
	struct rlimit limit;
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		write_integer(w, limit.rlim_cur);
}

static void write_heading(struct writer *w, const char *name, const char *type, const char *help)
{
	w->name = name;
	pd_buf_printf(w->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void nt_metrics_write(const struct nt_view *v, struct pd_buf *out)
{
	struct writer writer = {.out = out}, *w = &writer;
	PD_ASSERT(v->core && v->conns);
#define METRIC(name, type, labels, help, write)                                                                        \
	write_heading(w, #name, #type, help);                                                                          \
	write;
#include "server/net/metrics.def"
#undef METRIC
}

void nt_metrics_describe(struct pd_buf *out)
{
#define METRIC(name, type, labels, help, write)                                                                        \
	pd_buf_printf(out, "| `%s` | %s | %s | %s |\n", #name, #type, labels, help);
#include "server/net/metrics.def"
#undef METRIC
}
