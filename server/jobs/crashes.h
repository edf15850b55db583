/* Crashes: which job is to blame when the process ended without warning (the rule stands in core.h). */
#ifndef SV_CRASHES_H
#define SV_CRASHES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SV_CRASHES_BEHIND = 2, /* from so many on a job waits until no other is queued */
	SV_CRASHES_FAILED = 3, /* with so many it has failed */
	SV_CLEARED_S = 60      /* a run that has searched for so long was not the cause */
};

/* What speaks for a run, at one of its checkpoints. */
struct sv_witness {
	uint64_t searched_ns;   /* by this run */
	uint64_t before, after; /* table entries and facts of the job, when the run began and now */
	bool memory_short;      /* sv_memory_short */
};

/* True when an end without warning after this checkpoint begins a new count. */
bool sv_run_cleared(const struct sv_witness *witness);
/* The count at the next start, from the one that the record of a running job has. */
unsigned sv_crashes_next(unsigned noted, bool stopped_cleanly);

#endif
