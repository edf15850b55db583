/* Crashes: which job is to blame when the process ends without warning (killed, out of memory, a fault of its own).
 *
 * Nobody can tell afterwards which running job was the cause. So each job's record counts the crashes in a row that it
 * may have caused:
 *   - A record says that its job runs before the job's transposition table is loaded. At a start the count of each such
 *     job increases by one, unless the record says that it was stopped cleanly. The new records are written before any
 *     job runs, so that a waiting job is not blamed for the next crash.
 *   - A run is cleared when it has searched for a minute, or when a checkpoint has more table entries and facts than
 *     the run began with and memory was not short (common/memory_bound.h). A crash after that counts as the first. So
 *     a job that is killed once a second runs on as long as it makes progress; a job that crashes while its table is
 *     loaded, at the same position each time, or when memory is used up, does not.
 *   - With two crashes in a row a job is suspect: it waits until no other job is queued, whatever its priority, and
 *     runs while no other suspect does, so that a third crash identifies the cause. With three it fails.
 *   - A resume, and a run that ends in any other way, including a clean stop of the server, reset the count. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	SV_CRASHES_BEHIND = 2, /* with this count a job waits until no other job is queued */
	SV_CRASHES_FAILED = 3, /* with this count a job fails */
	SV_CLEARED_S = 60      /* a run that has searched this long was not the cause */
};

/* Evidence in favour of a run, at one of its checkpoints. */
struct sv_witness {
	uint64_t searched_ns;   /* by this run */
	uint64_t before, after; /* table entries and facts of the job, when the run began and now */
	bool memory_short;      /* sv_memory_short */
};

/* True when a crash after this checkpoint starts a new count. */
static inline bool sv_run_cleared(const struct sv_witness *w)
{
	return w->searched_ns >= SV_CLEARED_S * UINT64_C(1000000000) || (w->after > w->before && !w->memory_short);
}

/* The count at the next start, from the count in the record of a running job. */
static inline unsigned sv_crashes_next(unsigned noted, bool stopped_cleanly)
{
	if (stopped_cleanly)
		return 0;
	return noted < SV_CRASHES_FAILED ? noted + 1 : SV_CRASHES_FAILED;
}
