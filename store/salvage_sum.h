/* What a salvage (salvage.h) has found and lost. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum st_salvaged_list { ST_LIST_LOST, ST_LIST_OLD, ST_LIST_NEWEST };

struct st_salvaged {
	enum st_salvaged_list runs; /* what the list of runs is that facts were taken by */
	bool counted; /* it is known how many jobs and blocks of the log there are; else the last ones may be missing
			 unseen */
	uint64_t identity; /* 0: lost */
	uint32_t games, games_lost;
	uint32_t next_job;                             /* jobs have the numbers below */
	uint64_t reasons, facts_lost, log_blocks_lost; /* of facts: after st_salvage_facts */
	uint64_t conflicts;
};
