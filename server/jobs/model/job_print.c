#include "server/jobs/model/job_print.h"

#include <stdio.h>
#include <string.h>

#include "server/jobs/model/job.h"
#include "server/jobs/model/spec_fields.h"

enum { SUBS_SHOWN = 1000 };

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

/* Its reason as it is shown; "" for none. What a run has noted for its end is not shown before it is on disk (D1). */
static const char *shown_reason(const struct sv_job *job, char *out, size_t size)
{
	const struct sv_record *r = &job->record;
	return job->run.trouble.code                              ? print_trouble(job, out, size)
	       : sv_state_over(r->state) || r->state == SV_PAUSED ? r->reason
								  : "";
}

void sv_job_print_row(const struct sv_job *job, struct pr_out *out)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	const struct sv_spec *spec = &job->record.spec;
	char trouble[sizeof job->run.trouble.text + 80], value[64];
	const char *reason = shown_reason(job, trouble, sizeof trouble);
	sv_job_value_text(job, value, sizeof value);
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_U("job", job->record.id),
		   PR_S("state", sv_state_text(sv_job_shown(job))), PR_OPT(spec->label, PR_S("label", spec->label)),
		   PR_S("game", spec->game), PR_S("position", spec->position),
		   PR_OPT(!spec->claim.value, PR_S("claim", spec->claim.text)), PR_OPT(value[0], PR_I("lo", p->lo)),
		   PR_OPT(value[0], PR_I("hi", p->hi)), PR_OPT(value[0], PR_S("text", value)),
		   PR_U("nodes", p->level1 + p->level2), PR_R("cpu", job->run.snapshot.cpu, 3));
	if (job->record.started_ms)
		pr_members(out, SV_NUMBER("pn", p->pn), SV_NUMBER("dn", p->dn));
	pr_members(out, PR_OPT(reason[0], PR_S("reason", reason)), PR_CLOSE);
}

void sv_job_print(const struct sv_job *job, uint64_t disk, bool result, struct pr_out *out)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	const struct sv_record *r = &job->record;
	bool over = sv_state_over(r->state);
	char trouble[sizeof job->run.trouble.text + 80], value[64];
	const char *leading = job->run.snapshot.leading;
	const char *reason = shown_reason(job, trouble, sizeof trouble);
	sv_job_value_text(job, value, sizeof value);
	pr_open_object(out, NULL);
	pr_members(out, PR_U("job", r->id), PR_S("state", sv_state_text(sv_job_shown(job))));
	sv_spec_print(&r->spec, out);
	pr_members(out, PR_OPEN_OBJECT("nodes"), PR_U("level1", p->level1), PR_U("level2", p->level2),
		   PR_U("positions", p->positions), PR_CLOSE, PR_R("seconds", job->run.snapshot.seconds, 3),
		   PR_R("cpu", job->run.snapshot.cpu, 3), PR_U("table_bytes", job->run.table_bytes),
		   PR_R("rate", job->run.snapshot.rate, 0), SV_NUMBER("pn", p->pn), SV_NUMBER("dn", p->dn),
		   PR_IF(r->state != SV_SOLVED && leading[0], PR_S("leading", leading)),
		   PR_I("threshold", p->threshold), PR_OPEN_OBJECT("value"), PR_IF(value[0], PR_I("lo", p->lo)),
		   PR_IF(value[0], PR_I("hi", p->hi)), PR_S("text", value[0] ? value : "unknown"), PR_CLOSE,
		   PR_U("entries", p->entries), PR_U("capacity", p->capacity), PR_U("facts", p->facts),
		   PR_U("budget_level2", p->level2_budget), PR_U("disk", disk),
		   PR_IF(r->submitted_ms, PR_I("submitted", r->submitted_ms)),
		   PR_IF(r->started_ms, PR_I("started", r->started_ms)),
		   PR_IF(over && r->finished_ms, PR_I("finished", r->finished_ms)), PR_U("restarts", r->restarts),
		   PR_U("crashes", r->crashes));
	sv_print_engines(out, r->engines);
	pr_str(out, "reason", reason[0] ? reason : NULL);
	if (result)
		print_subs(out, job);
	if (result && over && r->result)
		pr_raw(out, "result", r->result, strlen(r->result));
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
