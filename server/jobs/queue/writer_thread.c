#include "server/jobs/queue/writer_thread.h"

#include "server/common/core_parts.h"
#include "server/common/pulse.h"
#include "server/jobs/queue/quota.h"
#include "server/jobs/queue/retention.h"
#include "server/jobs/queue/settle.h"
#include "server/jobs/write/writer.h"

/* True when jobs are left to be settled at once. */
static bool tend_queue(struct sv_core *core)
{
	bool more = false;
	sv_lock(core);
	sv_pulse_beat(core);
	if (!sv_writer(core)->stop) {
		more = sv_settle_due(core);
		sv_retention_apply(core);
	}
	sv_unlock(core);
	return more;
}

void *sv_writer_thread(void *arg)
{
	struct sv_core *core = arg;
	struct sv_writing writing = {.kept = STAILQ_HEAD_INITIALIZER(writing.kept)};
	sv_lock(core);
	sv_pulse_join(core, "writer");
	sv_unlock(core);
	while (sv_writer_commit(core, &writing, tend_queue(core))) {
		sv_quota_measure(core);
		sv_writer_move_facts(core, &writing);
	}
	return NULL;
}
