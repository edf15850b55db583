#include "server/jobs/queue/writer_thread.h"

#include "server/common/core_state.h"
#include "server/common/pulse.h"
#include "server/jobs/queue/quota.h"
#include "server/jobs/queue/retention.h"
#include "server/jobs/queue/settle.h"
#include "server/jobs/write/writer.h"

/* True when jobs are left to be settled at once. */
static bool tend_queue(struct sv_core *core)
{
	bool more = false;
	pd_mutex_lock(&core->lock);
	sv_pulse_beat(core);
	if (!core->stop_writer) {
		more = sv_settle_due(core);
		sv_retention_apply(core);
	}
	pd_mutex_unlock(&core->lock);
	return more;
}

void *sv_writer_thread(void *arg)
{
	struct sv_core *core = arg;
	struct sv_writing writing = {.kept = STAILQ_HEAD_INITIALIZER(writing.kept)};
	pd_mutex_lock(&core->lock);
	sv_pulse_join(core, "writer");
	pd_mutex_unlock(&core->lock);
	while (sv_writer_commit(core, &writing, tend_queue(core))) {
		sv_quota_measure(core);
		sv_writer_move_facts(core, &writing);
	}
	return NULL;
}
