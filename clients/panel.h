/* Panel: a job's progress, live.
 *
 * On a terminal three lines that are drawn over themselves; elsewhere one line when the state changes and one every now
 * and then, so that a log stays readable. */
#ifndef CL_PANEL_H
#define CL_PANEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/doc.h"

struct cl_panel {
	FILE *file;        /* borrowed */
	bool live;         /* a terminal */
	double interval_s; /* between lines when it is none */
	bool sparing;      /* no terminal: no line for a change of state, and none before the first interval is over */
	unsigned lines;    /* that stand there and are to be drawn over */
	uint64_t said_ns;  /* when the last line was printed, at first when the panel was made */
	char state[16];    /* that it told */
};

/* The default interval is 5 seconds; 0 takes it. */
void cl_panel_init(struct cl_panel *panel, FILE *file, double interval_s);
/* Shows the *job* object. */
void cl_panel_update(struct cl_panel *panel, pr_ref job);
/* Leaves what stands there, or wipes it. */
void cl_panel_end(struct cl_panel *panel, bool wipe);

#endif
