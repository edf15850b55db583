/* Panel: a job's progress, live.
 *
 * On a terminal a few lines that are redrawn in place: three on 80 columns, more on a narrow one. Elsewhere one line
 * for each change of state and each interval, so that a log stays readable. */
#pragma once

#include <stdio.h>

#include "proto/doc.h"

struct cl_panel {
	FILE *file;        /* borrowed */
	bool live;         /* a terminal */
	double interval_s; /* between lines when `file` is not a terminal */
	bool sparing;      /* without a terminal: no line for a change of state, and none during the first interval */
	unsigned lines;    /* on the screen, to be redrawn */
	uint64_t said_ns;  /* when the last line was printed; before that, when the panel was created */
	char state[16];    /* of the last update */
};

/* An interval of 0 stands for the default, 5 seconds. */
void cl_panel_init(struct cl_panel *panel, FILE *file, double interval_s);
/* Shows the *job* object. */
void cl_panel_update(struct cl_panel *panel, pr_ref job);
/* Leaves the last lines on the screen, or erases them. */
void cl_panel_end(struct cl_panel *panel, bool wipe);
