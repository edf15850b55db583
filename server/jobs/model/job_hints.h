/* Job hints: lines of moves from a job's position whose last move the search tries before the others (option `first` of
 * job.submit; solver/hints.h). A line is its moves as the game writes them, separated by blanks. */
#pragma once

#include "server/jobs/model/job_spec.h"

/* Of a submission: reads the lines from `state` on, in any notation of the game, the moves separated by blanks or
 * commas, and rewrites them as the game does. PD_E_MOVE with field "first[N]", N from 0, for an illegal move,
 * PD_E_PARAMS with field "first" for too many bytes, PD_E_NO_MEMORY. */
int sv_hints_check(const struct game *game, const void *state, struct sv_spec *spec, struct pd_fail *fail);

/* The lines as a solver takes them. */
struct sv_hints {
	struct pn_line *lines; /* owned */
	game_move *moves;      /* owned; of all lines */
	unsigned count;
};

/* Reads them from `state` on. PD_E_CORRUPT when a record's line cannot be played, PD_E_NO_MEMORY. Always followed by
 * sv_hints_fini. */
int sv_hints_read(const struct game *game, const void *state, const struct sv_spec *spec, struct sv_hints *out,
		  struct pd_fail *fail);
void sv_hints_fini(struct sv_hints *first);
