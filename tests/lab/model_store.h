/* Model of the store: a random sequence of calls of store.h, on disk or in memory, against plain arrays. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct model_sum {
	uint64_t sequences, calls, compared, crashes, reopened, faults, rewritten, refused, read_outside, findings;
};

/* Runs the sequence of this seed. When it fails: shrinks it, prints it, and returns how many calls it still has; else
 * 0. `broken`: the model is wrong on purpose (it forgets that a table was dropped), which the sequence should find. */
unsigned model_store(uint64_t seed, bool broken, struct model_sum *sum);
