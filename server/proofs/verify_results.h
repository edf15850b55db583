/* Results: whether what a job's record says follows from the facts.
 *
 * The bounds on the value that a record gives, in its progress and in its result, have to follow from the fact of the
 * job's position; the status from the bounds and the claim; the number of plies from a reason of the fact. The move has
 * to be legal and to lead to the bound of the one who makes it; the line has to be legal, and where it comes to the end
 * of the game, to end within the bounds. Counters, numbers and times are not looked at: nothing speaks for them. */
#ifndef SV_VERIFY_RESULTS_H
#define SV_VERIFY_RESULTS_H

#include "server/jobs/job.h"
#include "server/jobs/search_group.h"

struct sv_result_check {
	/* filled by the caller */
	const struct game *game;
	struct sv_lookup *lookup; /* of the game's facts */
	struct pn_prover *prover; /* which may lean on all of them */
	void *ctx;
	void (*problem)(void *ctx, uint32_t job, const char *text);
	uint64_t searched; /* nodes; added to */
};

/* PD_E_NO_MEMORY, or what kept the facts from being read. */
int sv_result_check(struct sv_result_check *check, const struct sv_job *job, struct pd_fail *fail);

#endif
