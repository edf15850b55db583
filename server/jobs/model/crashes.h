/* Crashes: which job is to blame when the process ends without warning (killed, out of memory, a fault of its own).
 *
 * Afterwards nobody can tell which running job was the cause. So each job's record counts the crashes in a row that
 * it may have caused:
 *   - That a job runs is on disk before its transposition table is loaded. At a start the count of each job that runs
 *     according to its record goes up by one, unless the record says that it was stopped cleanly; new records are
 *     written before any job runs, so that a job that only waits is not blamed for the next crash.
 *   - A run is cleared when it has searched for a minute, or when a checkpoint has more table entries and facts than
 *     the run began with and memory was not short (common/memory_bound.h). A crash after that counts as the first. So
 *     a job that is killed once a second goes on for ever, as long as it makes progress between two kills; one that
 *     crashes while its table is loaded, always at one position, or whenever memory is used up, does not.
 *   - With two crashes in a row a job is suspect: it waits until no other job is queued, whatever its priority, and
 *     runs while no other suspect does, so that a third crash identifies the cause. With three it has failed, and
 *     says why.
 *   - A run that ends in any other way, including a clean stop of the server, and a resume reset the count. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	SV_CRASHES_BEHIND = 2, /* with this count a job waits until no other is queued */
	SV_CRASHES_FAILED = 3, /* with this count it has failed */
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
