#include "server/common/config.h"

#include "server/common/plugin_watch.h"

void sv_config_init(struct sv_config *config)
{
	*config = (struct sv_config){.threads = 1,
				     .checkpoint_s = 2,
				     .slice_s = 3600,
				     .run_min_s = 10,
				     .nice = 19,
				     .check_s = SV_CHECK_S,
				     .experiment_memory = UINT64_C(1) << 30,
				     .plugin_timeout_s = SV_PLUGIN_TIMEOUT_S};
}
