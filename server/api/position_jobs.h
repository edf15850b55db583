/* Position jobs: the jobs that are not over, or could be resumed, whose search begins at one of several positions. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"
#include "server/jobs/model/job_state.h"

struct game;
struct sv_core;

/* A position, and the best job that begins there: one that runs, else one that waits, is paused or is exhausted; of
 * several the newest. */
struct sv_begun {
	char *text;    /* owned; as the game prints it */
	uint64_t hash; /* of the text */
	uint32_t job;  /* 0: none */
	enum sv_state state;
	uint32_t pn, dn; /* of the job's root */
	uint64_t nodes;  /* searched by the job, both levels */
};

/* Sets the position from a state. PD_E_NO_MEMORY. */
int sv_begun_set(struct sv_begun *place, const struct game *game, const void *state, struct pd_fail *fail);
/* Finds the jobs, in one pass over those that the server keeps, newest first, at most 100,000; takes the lock in parts.
 * A job matches if its position was submitted by moves, or as the game prints it. */
void sv_begun_find(struct sv_core *core, const struct game *game, struct sv_begun *places, unsigned count);
