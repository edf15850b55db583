#include "server/core_cluster.h"

#include "proto/base/clock.h"
#include "server/cluster/cluster.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/proofs/maintenance/lies.h"

static int game_get(void *ctx, const char *name, struct game **out, struct pd_fail *fail)
{
	return sv_game_get(ctx, name, out, fail);
}

static void game_put(void *ctx, const struct game *game)
{
	sv_game_put(ctx, game);
}

int sv_core_cluster_open(struct sv_core *core, struct pd_fail *fail)
{
	const struct sv_cluster_host host = {core, sv_lied, sv_lies_banned, game_get, game_put};
	if (!core->config.cluster || core->config.read_only || !core->config.threads)
		return PD_OK;
	if (core->config.data)
		sv_liars_banned(core->config.data, &core->lies->banned);
	return sv_cluster_open(core->config.cluster, &host, &core->cluster, fail);
}

void sv_core_cluster_close(struct sv_core *core)
{
	if (!core->cluster)
		return;
	sv_cluster_close(core->cluster);
	core->cluster = NULL;
	if (atomic_load(&core->lies->by_writer))
		sv_cluster_note_lie(core->config.cluster, pd_now_ns());
}
