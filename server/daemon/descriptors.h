/* Descriptors: how many file descriptors the daemon needs, and whether it may have them. */
#pragma once

#include "proto/base/error.h"
#include "server/net/server_config.h"

enum {
	DM_CONNECTIONS = 1000,    /* default of --connections */
	DM_OWN_DESCRIPTORS = 96,  /* for data, log, games, backups, child processes and the loop */
	DM_PAGE_DESCRIPTORS = 48, /* for the connections of --monitor */
};

/* Raises the soft limit of descriptors (RLIMIT_NOFILE) to what the configuration needs, so that connections cannot use
 * up the descriptors of everything else. *connections becomes the number of clients to serve: connections_max, or if
 * that is 0, DM_CONNECTIONS or as many as fit, which is logged. PD_E_USAGE when the hard limit is too low. */
int dm_descriptors_reserve(const struct nt_config *config, unsigned *connections, struct pd_fail *fail);
