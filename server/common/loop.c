#include "server/common/loop.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"

void sv_completion_post(struct sv_core *core, struct sv_completion *completion)
{
	PD_ASSERT(pd_mutex_held(&core->lock));
	PD_ASSERT(completion->deliver);
	STAILQ_INSERT_TAIL(&core->completions, completion, link);
	if (core->host.wake)
		core->host.wake(core->host.wake_ctx);
}

static struct sv_completion *take_completion(struct sv_core *core)
{
	pd_mutex_lock(&core->lock);
	struct sv_completion *completion = STAILQ_FIRST(&core->completions);
	if (completion)
		STAILQ_REMOVE_HEAD(&core->completions, link);
	pd_mutex_unlock(&core->lock);
	return completion;
}

bool sv_completions_deliver(struct sv_core *core, uint64_t until_ns)
{
	struct sv_completion *completion;
	while ((completion = take_completion(core)) != NULL) {
		completion->deliver(core, completion);
		if (until_ns != UINT64_MAX && pd_now_ns() > until_ns)
			return true;
	}
	return false;
}
