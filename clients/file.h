/* File: a drawing or a graph that a command writes to the file that an option names; "-" is stdout. */
#pragma once

#include "clients/options.h"

/* PD_E_USAGE when the file is stdout, and --json wants that, too. */
int cl_file_check(const struct cl_options *options, enum cl_option option, struct pd_fail *fail);
/* True when the file is stdout, so that nothing else may be printed there. */
bool cl_file_is_stdout(const struct cl_options *options, enum cl_option option);
/* PD_E_IO. */
int cl_file_write(const struct cl_options *options, enum cl_option option, const char *text, struct pd_fail *fail);
