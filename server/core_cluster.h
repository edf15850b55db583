/* The core's cluster: how a core has one opened, and what it does for it (cluster/cluster.h). */
#pragma once

#include "proto/base/error.h"

struct sv_core;

/* Opens the cluster that the configuration names; none: does nothing. Before jobs are restored and threads started. */
int sv_core_cluster_open(struct sv_core *core, struct pd_fail *fail);
/* When no job runs any more. */
void sv_core_cluster_close(struct sv_core *core);
