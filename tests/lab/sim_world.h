/* World of the simulation: clients that ask a core at random, and what they may expect.
 *
 * What was promised to anybody is kept in a model that outlives the process: a job that was acknowledged is there after
 * a crash and asks the same, one that was seen solved or cancelled stays so, one whose pause was acknowledged does not
 * run until somebody resumes it, bounds of facts only grow, and both contain the true value. Each request is answered
 * once unless its session has ended. */
#pragma once

#include <stdbool.h>

#include "tests/lab/sim_model.h"

enum sim_end { SIM_CRASH, SIM_CLOSE, SIM_QUIET };

struct sim_epoch {
	const char *data;        /* directory; NULL: in memory */
	enum sim_end end;        /* CRASH: never comes back by itself */
	unsigned turns;          /* of the loop, about */
	bool last;               /* everything is resumed, and has to come to its end */
	struct sim_model *model; /* shared between processes */
};

/* The truth about the games that are asked, by plain minimax; before the simulation begins. */
void sim_world_init(void);
/* One life of a server, within a simulation that has begun. Ends the process when something is wrong. */
void sim_world_run(const struct sim_epoch *epoch);
