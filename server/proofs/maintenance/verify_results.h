/* Verify results: the check that a job's record follows from the facts.
 *
 * The bounds in the record's progress and result must follow from the fact of the job's position; the status from the
 * bounds and the claim; the number of plies from a reason of the fact. The move must be legal and keep the mover's
 * bound. The line must be legal and, where it ends in a terminal position, end within the bounds. Counters, proof
 * numbers and times cannot be checked. */
#pragma once

#include "server/jobs/model/job_record.h"
#include "server/jobs/run/search_group.h"

struct sv_result_check {
	/* filled by the caller */
	const struct game *game;
	struct sv_lookup *lookup; /* of the game's facts */
	struct pn_prover *prover; /* may use all facts */
	void *ctx;
	void (*problem)(void *ctx, uint32_t job, const char *text);
	uint64_t searched; /* nodes; increased by each check */
};

/* Reports faults through `problem`. PD_E_NO_MEMORY, or the error of a failed read. */
int sv_result_check(struct sv_result_check *check, const struct sv_record *job, struct pd_fail *fail);
