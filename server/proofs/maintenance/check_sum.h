/* Check sum: the counters of a check of a data directory (check.h) and of the verifier that it runs (verify.h). */
#pragma once

#include <stdint.h>

struct sv_check {
	uint64_t facts, reasons, leaves; /* leaves: reasons whose search was run again */
	uint64_t leaf_nodes;             /* nodes of those searches */
	uint64_t problems;
	uint64_t jobs, entries;         /* jobs, and solved entries of their transposition tables */
	uint64_t studies;               /* whose moves were played */
	uint64_t skipped, skipped_jobs; /* facts and jobs of games that cannot be opened here */
	uint64_t tables;                /* by retrograde analysis, whose checksums and digests were verified */
	uint64_t experiments;           /* whose suite and runs were read */
	uint64_t certificates;          /* that are kept and were read */
	uint64_t untold;                /* solved entries that cannot be checked (verify_entries.h) */
	uint64_t unreached;             /* likewise, because no fact and no table leads to them */
	char unopened[400];             /* the names of those games, separated by commas */
};
