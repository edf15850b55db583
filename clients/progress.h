/* Progress of a long command, on stderr: on a terminal a line that is redrawn in place, elsewhere nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cl_progress {
	bool live; /* stderr is a terminal */
	uint64_t begin_ns;
	uint64_t said_ns; /* when the line was last drawn; 0: never */
};

void cl_progress_begin(struct cl_progress *progress);
/* Seconds since the beginning. */
double cl_progress_seconds(const struct cl_progress *progress);
/* True when the line is to be drawn: 0.1 s after the last time. */
bool cl_progress_is_due(struct cl_progress *progress);
/* Draws the line, and the time since the beginning. */
void cl_progress_draw(struct cl_progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Wipes it. */
void cl_progress_end(struct cl_progress *progress);
