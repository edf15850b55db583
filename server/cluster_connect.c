#include "server/cluster_connect.h"

#include <string.h>

#include "proto/base/assert.h"

static void log_sentence(enum pd_log_level level, const char *sentence)
{
	pd_log(level, "%s", sentence);
}

int sv_cluster_connect(const struct cp_config *config, const char *key, struct sv_cluster_connection *out,
		       struct pd_fail *fail)
{
	struct cp_config logged = *config;
	struct sv_cluster_connection connection = {.sealed = key != NULL};
	PD_ASSERT(config->url && config->program);
	logged.log = log_sentence;
	int rc = key ? cw_seal_read("worker-key", key, &connection.seal, fail) : PD_OK;
	rc = rc ? rc : sv_transport_open(&logged, &connection.transport, fail);
	if (!rc)
		*out = connection;
	explicit_bzero(&connection.seal, sizeof connection.seal);
	return rc;
}

void sv_cluster_disconnect(struct sv_cluster_connection *connection)
{
	sv_transport_close(&connection->transport);
	explicit_bzero(connection, sizeof *connection);
}
