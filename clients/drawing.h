/* Drawing: an SVG document or a graph that a command writes to the file that an option names; "-" is stdout. */
#pragma once

#include "clients/link.h"
#include "clients/options.h"

/* PD_E_USAGE when the file is stdout and --json is given. */
int cl_drawing_check(const struct cl_options *options, enum cl_option option, struct pd_fail *fail);
/* True when the file is stdout, so that nothing else may be printed there. */
bool cl_drawing_is_stdout(const struct cl_options *options, enum cl_option option);
/* PD_E_IO. */
int cl_drawing_write(const struct cl_options *options, enum cl_option option, const char *text, struct pd_fail *fail);
/* Draws the positions of a line (the result of fact.line) one after the other, and writes them to the file of --svg. */
int cl_drawing_line(const struct cl_options *options, struct cl_link *link, pr_ref line, struct pd_fail *fail);
