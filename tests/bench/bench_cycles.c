/* Random graphs with cycles, by every algorithm, against the fixpoint: bench cycles COUNT [SEED]. Ends with 1 when
 * anything was wrong. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/cyclic.h"
#include "tests/support/program.h"

PROGRAM(cycles)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000,
		 seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct cyclic_sum sum = {0};
	for (uint64_t i = 0; i < count; i++)
		cyclic_run(seed + i, &sum);
	printf("%llu graphs, %llu runs, %llu nodes, %llu facts compared and justified (%llu of them leaves), %llu "
	       "unanswered, %llu wrong\n",
	       (unsigned long long)sum.graphs, (unsigned long long)sum.runs, (unsigned long long)sum.nodes,
	       (unsigned long long)sum.facts, (unsigned long long)sum.leaves, (unsigned long long)sum.unanswered,
	       (unsigned long long)sum.wrong);
	return sum.wrong || sum.unanswered;
}
