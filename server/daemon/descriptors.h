/* Descriptors: how many the daemon needs, and whether it may have them. */
#ifndef DM_DESCRIPTORS_H
#define DM_DESCRIPTORS_H

#include "proto/base/error.h"
#include "server/net/server_config.h"

enum {
	DM_CONNECTIONS = 1000,    /* clients served at one time, where nothing else is asked for */
	DM_OWN_DESCRIPTORS = 96,  /* for data, log, games, backups, programs that are started, and the loop */
	DM_PAGE_DESCRIPTORS = 48, /* for the connections of --monitor */
};

/* Raises the soft limit of descriptors (RLIMIT_NOFILE) to what the configuration needs, so that connections cannot use
 * up the descriptors of everything else. *connections becomes the number of clients to be served: connections_max, or
 * where that is 0 DM_CONNECTIONS, or fewer if no more fit, which the log tells. PD_E_USAGE where the hard limit is too
 * low for connections_max. */
int dm_descriptors_reserve(const struct nt_config *config, unsigned *connections, struct pd_fail *fail);

#endif
