/* Memory bound: how much memory this process may use, and whether it is running short.
 *
 * What jobs may announce is bounded by the least of: the machine's memory; the limits of every control group on the
 * way from the process's own up to the root (v2 memory.max and memory.high, v1 memory.limit_in_bytes); RLIMIT_DATA;
 * and what RLIMIT_AS leaves of the address space. A process that exceeds the first two is killed, and the job that
 * caused it cannot be identified afterwards. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct sv_bound {
	uint64_t bytes;
	const char *by;          /* what bounds it, in words */
	uint64_t without_groups; /* what it would be without control groups */
};

/* The present bound: what is already mapped counts against RLIMIT_AS. */
struct sv_bound sv_memory_bound(void);
/* The least limit of the groups that `groups` names (a file like /proc/self/cgroup), looked up below `root` (like
 * /sys/fs/cgroup). UINT64_MAX when there is none, 0 when it cannot be read now, for lack of descriptors or memory. */
uint64_t sv_memory_groups(const char *groups, const char *root);
/* That of this process. */
uint64_t sv_memory_own_groups(void);
/* What all running jobs together get: three quarters of the bound, or `wanted` unless that is 0. PD_E_PARAMS with field
 * "memory" and the range when it is not a valid amount. */
int sv_memory_share(const struct sv_bound *bound, uint64_t wanted, uint64_t *out, struct pd_fail *fail);
/* Whether a job can have `bytes`, where all jobs together get `most`. PD_E_PARAMS with field "memory" and the range.
 */
int sv_memory_job(uint64_t bytes, uint64_t most, struct pd_fail *fail);
/* The process has a quarter of `bound`, or less than an eighth of the machine's memory is left: if it is killed now,
 * memory may be why. */
bool sv_memory_short(uint64_t bound);
/* The resident memory of this process in bytes; the part of it that is neither shared nor backed by a file. */
uint64_t sv_memory_resident(void);
uint64_t sv_memory_own(void);
/* The part of `bound`, in bytes, that searches let the process use: 15/16, or less where that would not leave 16 MiB
 * for checkpoints, commits and queries, but at least three quarters. */
uint64_t sv_memory_quota(uint64_t bound);
/* Returns to the system the freed memory that the allocator has kept, if the allocator can. */
void sv_memory_trim(void);

enum { SV_SIZE_TEXT = 24 };
/* "112M": a size as options take it, rounded down. Returns `out`. */
const char *sv_size_text(uint64_t bytes, char out[SV_SIZE_TEXT]);

#define SV_JOB_MEMORY_MIN (UINT64_C(1) << 20)
