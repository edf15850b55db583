/* Program rules: rules for the checker from a program, `proofcheck --program NAME=COMMAND` (proto/program.h). */
#pragma once

#include <stdbool.h>

#include "clients/proofcheck/plugin.h"

/* Adds the game; the texts are borrowed until the process ends. When the program fails later, this process prints why
 * and ends with the status of a certificate that is neither verified nor rejected (2). PD_E_USAGE with field
 * "program". */
int ck_program_load(const char *text, bool json, struct ck_source *out, struct pd_fail *fail);
