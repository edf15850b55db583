/* Quota lacks: what running jobs are paused for; `lack` of server.stats.
 *
 * X(enumerator without its prefix, text) */
#pragma once

#define PR_QUOTA_LACKS(X)                                                                                              \
	X(NONE, "none")                                                                                                \
	X(DISK, "disk")                                                                                                \
	X(MEMORY, "memory")
