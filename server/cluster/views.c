/* What people see of a cluster (cluster.h). */
#include "proto/base/mutex.h"
#include "server/cluster/cluster.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "server/cluster/state.h"

const char *sv_worker_state_text(enum sv_worker_state state)
{
	static const char *const texts[] = {[SV_WORKER_THERE] = "there",
					    [SV_WORKER_SILENT] = "silent",
					    [SV_WORKER_GONE] = "gone",
					    [SV_WORKER_REFUSED] = "refused",
					    [SV_WORKER_BANNED] = "banned"};
	PD_ASSERT((unsigned)state < sizeof texts / sizeof *texts);
	return texts[state];
}

void sv_cluster_view(struct sv_cluster *cluster, struct sv_cluster_view *out)
{
	pd_mutex_lock(&cluster->board.lock);
	*out = cluster->board.view;
	pd_mutex_unlock(&cluster->board.lock);
}

bool sv_cluster_other(struct sv_cluster *cluster, char out[SV_COORDINATOR_TEXT])
{
	uint64_t other = 0;
	if (cluster) {
		pd_mutex_lock(&cluster->board.lock);
		other = cluster->board.view.other;
		pd_mutex_unlock(&cluster->board.lock);
	}
	snprintf(out, SV_COORDINATOR_TEXT, "%016llx", (unsigned long long)other);
	return other;
}

unsigned sv_cluster_workers(struct sv_cluster *cluster, struct sv_worker_view *out, unsigned max)
{
	return sc_board_list(&cluster->board, out, max);
}
