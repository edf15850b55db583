#include "server/daemon/descriptors.h"

#include <errno.h>
#include <sys/resource.h>

#include "proto/base/assert.h"
#include "server/net/places.h"

int dm_descriptors_reserve(const struct nt_config *config, unsigned *connections, struct pd_fail *fail)
{
	rlim_t rest = DM_OWN_DESCRIPTORS + NT_ANONYMOUS_MAX + NT_RESERVED + (config->monitor ? DM_PAGE_DESCRIPTORS : 0);
	unsigned wanted = config->connections_max ? config->connections_max : DM_CONNECTIONS;
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return pd_fail_set(fail, PD_E_IO, "", "cannot read RLIMIT_NOFILE: %s", strerror(errno));
	PD_ASSERT(limit.rlim_cur <= limit.rlim_max);
	if (limit.rlim_max <= rest)
		return pd_fail_set(
			fail, PD_E_USAGE, "connections",
			"a server needs %llu descriptors and one for each client; RLIMIT_NOFILE (ulimit -Hn) "
			"allows %llu",
			(unsigned long long)rest, (unsigned long long)limit.rlim_max);
	rlim_t most = limit.rlim_max - rest;
	if (wanted > most && config->connections_max)
		return pd_fail_set(
			fail, PD_E_USAGE, "connections",
			"--connections %u needs %llu descriptors, %llu of them not for clients; RLIMIT_NOFILE "
			"(ulimit -Hn) allows %llu: at most --connections %llu",
			wanted, (unsigned long long)(wanted + rest), (unsigned long long)rest,
			(unsigned long long)limit.rlim_max, (unsigned long long)most);
	if (wanted > most) {
		wanted = (unsigned)most;
		pd_log(PD_LOG_WARN,
		       "at most %u clients are served at a time: RLIMIT_NOFILE (ulimit -Hn) allows %llu "
		       "descriptors",
		       wanted, (unsigned long long)limit.rlim_max);
	}
	if (limit.rlim_cur < wanted + rest) {
		limit.rlim_cur = wanted + rest;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			return pd_fail_set(fail, PD_E_IO, "", "cannot raise RLIMIT_NOFILE to %llu: %s",
					   (unsigned long long)limit.rlim_cur, strerror(errno));
	}
	*connections = wanted;
	return PD_OK;
}
