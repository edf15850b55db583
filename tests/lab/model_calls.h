/* Model of the protocol: a random sequence of requests to a core in this process, with and without a directory, against
 * a small model of jobs, keys and facts. */
#pragma once

#include <stdint.h>

struct calls_sum {
	uint64_t sequences, requests, batches, refused, submitted, solved, crashes, reopened, findings;
};

/* Runs the sequence of this seed. When it fails it is shrunk and printed. */
void model_calls(uint64_t seed, struct calls_sum *sum);
