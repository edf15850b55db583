/* Suite show: the command `proofctl suite report`, which prints a report (suite_report.h) as text, JSON or CSV. */
#pragma once

#include "clients/options.h"

/* PD_E_USAGE, and errors of the files. */
int cl_suite_report(const struct cl_options *options, struct pd_fail *fail);
