#include "server/jobs/write/job_completion.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/common/core_state.h"
#include "server/common/loop.h"
#include "proto/base/mutex.h"
#include "server/jobs/model/job_hooks.h"

/* Copies the message, and gives it back: a lent one can be posted again from then on. */
static struct sv_job_completion receive_completion(struct sv_core *core, struct sv_job_completion *completion)
{
	pd_mutex_lock(&core->lock);
	struct sv_job_completion out = *completion;
	PD_ASSERT(out.job && (!out.lent || out.job->calls.trouble_posted));
	if (out.lent)
		out.job->calls.trouble_posted = false;
	pd_mutex_unlock(&core->lock);
	if (!out.lent)
		free(completion);
	return out;
}

void sv_job_completion_deliver(struct sv_core *core, struct sv_completion *base)
{
	const struct sv_job_completion completion = receive_completion(core, (struct sv_job_completion *)base);
	switch (completion.kind) {
	case SV_JOB_SUBMITTED:
		core->hooks->submitted(core, completion.job, completion.fail.code ? &completion.fail : NULL);
		break;
	case SV_JOB_RECORDED:
		core->hooks->recorded(core, &completion);
		break;
	case SV_JOB_REMOVED:
		core->hooks->removed(core, completion.job);
		break;
	}
}

void sv_job_report_trouble(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail)
{
	PD_ASSERT(pd_mutex_held(&core->lock));
	PD_ASSERT(fail->code);
	struct sv_job_completion *completion = &job->calls.trouble_completion;
	completion->base.deliver = sv_job_completion_deliver;
	completion->kind = SV_JOB_RECORDED;
	completion->lent = true;
	completion->job = job;
	completion->trouble = ++job->calls.troubles;
	completion->state = job->record.state;
	completion->fail = *fail;
	if (!job->calls.trouble_posted) /* else the one that waits tells of this trouble, too */
		sv_completion_post(core, &completion->base);
	job->calls.trouble_posted = true;
}
