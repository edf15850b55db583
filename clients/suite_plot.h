/* Suite plot: what the variants of a suite took, as SVG documents that follow the reader's light or dark colours. */
#pragma once

#include "clients/suite_report.h"

/* Writes to the directory, which is made if there is none, for each unit: cactus-UNIT.svg, how many runs each variant
 * answers within a cost, and scatter-UNIT-N.svg for the variants N from 2 on, each question's median against that of
 * the first. PD_E_IO, PD_E_NO_MEMORY. */
int cl_suite_plots(const struct cl_report *report, const char *dir, struct pd_fail *fail);
