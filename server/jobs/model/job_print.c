#include "server/jobs/model/job_print.h"

#include <stdio.h>
#include <string.h>

#include "server/jobs/model/job.h"
#include "server/jobs/model/spec_fields.h"

enum { SUBS_SHOWN = 1000 };

static void print_time(struct pr_out *out, const char *key, int64_t ms)
{
	if (ms)
		pr_int(out, key, ms);
	else
		pr_null(out, key);
}

static void print_value(struct pr_out *out, const struct sv_job *job)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	char text[64];
	sv_job_value_text(job, text, sizeof text);
	pr_open_object(out, "value");
	if (text[0]) {
		pr_int(out, "lo", p->lo);
		pr_int(out, "hi", p->hi);
	} else {
		pr_null(out, "lo");
		pr_null(out, "hi");
	}
	pr_str(out, "text", text[0] ? text : "unknown");
	pr_close(out);
}

/* Why a job without room for its checkpoint is shown as paused, and what was requested meanwhile. */
static const char *print_trouble(const struct sv_job *job, char *out, size_t size)
{
	bool stops = job->run.want == SV_WANT_PAUSE || job->run.want == SV_WANT_CANCEL;
	snprintf(out, size, "%s%s%s",
		 stops ? sv_state_text(job->run.want == SV_WANT_PAUSE ? SV_PAUSED : SV_CANCELLED) : "",
		 stops ? " on request, which is written when there is room: " : "", job->run.trouble.text);
	return out;
}

static void print_subs(struct pr_out *out, const struct sv_job *job)
{
	const struct sv_job *sub;
	unsigned left = SUBS_SHOWN;
	if (TAILQ_EMPTY(&job->entry.subs))
		return;
	pr_open_array(out, "sub_jobs");
	for (sub = TAILQ_FIRST(&job->entry.subs); sub && left; sub = TAILQ_NEXT(sub, entry.sub), left--)
		pr_uint(out, NULL, sub->record.id);
	pr_close(out);
}

void sv_job_print(const struct sv_job *job, uint64_t disk, bool result, struct pr_out *out)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	/* What a run has noted for its end counts once that is on disk (D1). */
	bool over = sv_state_over(job->record.state);
	char trouble[sizeof job->run.trouble.text + 80];
	const char *reason = job->run.trouble.code                    ? print_trouble(job, trouble, sizeof trouble)
			     : over || job->record.state == SV_PAUSED ? job->record.reason
								      : "";
	pr_open_object(out, NULL);
	pr_uint(out, "job", job->record.id);
	pr_str(out, "state", sv_state_text(sv_job_shown(job)));
	sv_spec_print(&job->record.spec, out);
	pr_open_object(out, "nodes");
	pr_uint(out, "level1", p->level1);
	pr_uint(out, "level2", p->level2);
	pr_close(out);
	pr_real(out, "seconds", job->run.snapshot.seconds, 3);
	pr_real(out, "cpu", job->run.snapshot.cpu, 3);
	pr_uint(out, "table_bytes", job->run.table_bytes);
	pr_real(out, "rate", job->run.snapshot.rate, 0);
	sv_print_number(out, "pn", p->pn);
	sv_print_number(out, "dn", p->dn);
	pr_str(out, "leading",
	       job->record.state != SV_SOLVED && job->run.snapshot.leading[0] ? job->run.snapshot.leading : NULL);
	pr_int(out, "threshold", p->threshold);
	print_value(out, job);
	pr_uint(out, "entries", p->entries);
	pr_uint(out, "capacity", p->capacity);
	pr_uint(out, "facts", p->facts);
	pr_uint(out, "budget_level2", p->level2_budget);
	pr_uint(out, "disk", disk);
	print_time(out, "submitted", job->record.submitted_ms);
	print_time(out, "started", job->record.started_ms);
	print_time(out, "finished", over ? job->record.finished_ms : 0);
	pr_uint(out, "restarts", job->record.restarts);
	pr_uint(out, "crashes", job->record.crashes);
	sv_print_engines(out, job->record.engines);
	pr_str(out, "reason", reason[0] ? reason : NULL);
	if (result)
		print_subs(out, job);
	if (result && over && job->record.result)
		pr_raw(out, "result", job->record.result, strlen(job->record.result));
	pr_close(out);
}

void sv_job_value_text(const struct sv_job *job, char *out, size_t room)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	out[0] = 0;
	if (p->lo != INT16_MIN || p->hi != INT16_MAX)
		game_value_text(game_words_named(job->record.spec.game), job->record.spec.scale,
				(struct game_interval){p->lo, p->hi}, out, room);
}
