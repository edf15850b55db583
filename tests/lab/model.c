/* Model: random sequences of calls against small models; what fails is shrunk to a list without a call too many, and
 * printed with its seed.
 *
 *	lab model [SEQUENCES [SEED [PROTOCOL]]]     20,000 sequences of the store and 2,000 of the protocol unless
 *	                                            told otherwise; `--share`: for a few seconds
 *
 * `1 SEED 1` with the seed of a finding runs it, and shrinks it, again. First of all the shrinker is tried with a model
 * that is wrong on purpose. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lab/model_calls.h"
#include "tests/lab/model_store.h"
#include "tests/support/effort.h"
#include "tests/support/program.h"
#include "tests/support/storedir.h"
#include "tests/support/walk.h"

enum {
	BROKEN_TRIES = 60, /* sequences of which one at least must notice the wrong model */
	BROKEN_CALLS = 8   /* begin, a job, its entries, commit; begin, drop, commit: and one more */
};

/* Whether a wrong model is noticed, and shown in few calls. */
static bool shrinker_works(uint64_t seed)
{
	struct model_sum sum = {0};
	for (unsigned i = 0; i < BROKEN_TRIES; i++) {
		unsigned left = model_store(seed + i, true, &sum);
		if (left)
			return left <= BROKEN_CALLS;
	}
	return false;
}

PROGRAM(model)
{
	bool share = argc > 1 && !strcmp(argv[1], "--share");
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: ./dev lab model [SEQUENCES [SEED [PROTOCOL]]]\n");
		return 0;
	}
	uint64_t sequences = share      ? effort_of(150, 40)
			     : argc > 1 ? strtoull(argv[1], NULL, 10)
					: 20000,
		 seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	uint64_t protocol = share ? effort_of(50, 15) : argc > 3 ? strtoull(argv[3], NULL, 10) : 2000;
	struct model_sum sum = {0};
	if (share)
		seed = walk_seed("lab.model", seed);
	setenv("TMPDIR", storedir_quick(), 0);
	bool works = shrinker_works(seed);
	if (!works)
		printf("FOUND: the shrinker does not show a wrong model in few calls\n");
	for (uint64_t i = 0; i < sequences; i++) {
		model_store(seed + i, false, &sum);
		if (!share && (i + 1) % 1000 == 0) {
			printf("%" PRIu64 " sequences, %" PRIu64 " findings\n", i + 1, sum.findings);
			fflush(stdout);
		}
	}
	printf("store: sequences %" PRIu64 ", calls %" PRIu64 ", compared %" PRIu64 ", opened again %" PRIu64
	       ", crashes %" PRIu64 ", faults %" PRIu64 ", refused calls %" PRIu64 ", rewritten %" PRIu64
	       ", read by another process %" PRIu64 "\nfindings %" PRIu64 "\n",
	       sum.sequences, sum.calls, sum.compared, sum.reopened, sum.crashes, sum.faults, sum.refused,
	       sum.rewritten, sum.read_outside, sum.findings);
	struct calls_sum calls = {0};
	for (uint64_t i = 0; i < protocol; i++)
		model_calls(seed + i, &calls);
	printf("protocol: sequences %" PRIu64 ", requests %" PRIu64 ", batches %" PRIu64 ", refused %" PRIu64
	       ", jobs %" PRIu64 ", opened again %" PRIu64 ", crashes %" PRIu64 "\nfindings %" PRIu64 "\n",
	       calls.sequences, calls.requests, calls.batches, calls.refused, calls.submitted, calls.reopened,
	       calls.crashes, calls.findings);
	return sum.findings || calls.findings || !works;
}
