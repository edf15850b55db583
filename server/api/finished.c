#include "server/api/finished.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "server/api/request.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/jobs/model/job.h"
#include "server/jobs/model/job_print.h"

enum { JSON_MAX = 1 << 20 };

/* Under the lock: whether this is to be reported, and the state to report. */
static bool is_finish(struct sv_job *job, const struct sv_job_completion *completion, enum sv_state *state)
{
	bool trouble = completion->fail.code && !completion->number && job->run.trouble.code;
	if (trouble) {
		bool known = job->calls.told_trouble;
		job->calls.told_trouble = true;
		*state = SV_PAUSED;
		return !known;
	}
	if (completion->fail.code || !completion->number)
		return false;
	bool same = completion->state == job->calls.told;
	*state = job->calls.told = completion->state;
	job->calls.told_trouble = false;
	if (same)
		return false;
	return *state == SV_SOLVED || *state == SV_EXHAUSTED || *state == SV_FAILED ||
	       (*state == SV_PAUSED && strcmp(job->record.reason, SV_PAUSED_ON_REQUEST) != 0);
}

void sv_finished_look(struct sv_core *core, const struct sv_job_completion *completion)
{
	struct sv_job *job = completion->job;
	struct pd_buf json;
	struct pr_out out;
	enum sv_state state;
	char value[64], game[256], reason[sizeof job->record.reason];
	pd_buf_init(&json, JSON_MAX);
	pr_out_init(&out, &json);
	uint64_t disk = core->host.finished ? sv_disk_bytes(core) : 0;
	sv_lock(core);
	bool tell = is_finish(job, completion, &state) && core->host.finished;
	if (tell) {
		sv_job_print(job, disk, true, &out);
		sv_job_value_text(job, value, sizeof value);
		snprintf(game, sizeof game, "%s", job->record.spec.game);
		snprintf(reason, sizeof reason, "%s",
			 job->run.trouble.code ? job->run.trouble.text : job->record.reason);
	}
	sv_unlock(core);
	if (tell && json.failed)
		pd_log(PD_LOG_WARN, "job %u: no memory to report its end", job->record.id);
	else if (tell)
		core->host.finished(core->host.finished_ctx,
				    &(struct sv_finished){job->record.id, sv_state_text(state), game, value, reason,
							  json.data, json.size});
	PD_ASSERT(!tell || json.failed || json.size);
	pd_buf_fini(&json);
}
