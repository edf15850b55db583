/* Report: errors as the user sees them, and the exit codes that they stand for.
 *
 * An error is one line on stderr: text, or with --json the object that the protocol has for errors. */
#pragma once

#include "clients/options.h"

enum {
	CL_EXIT_OK = 0,         /* done; of a search: answered */
	CL_EXIT_FAILED = 1,     /* it could not be done; of a search: failed or cancelled; of a check: problems found */
	CL_EXIT_USAGE = 2,      /* the command line, the game, the position, ... is invalid */
	CL_EXIT_UNANSWERED = 3, /* the budget ended first */
	CL_EXIT_PARTLY = 3,     /* of a check: no problems found, but something was skipped; of a repair: something was
				   lost */
	CL_EXIT_SIGNAL = 128    /* plus the signal's number */
};

/* Flushes stdout and prints the error (fail->code must not be PD_OK). */
void cl_report(const struct pd_fail *fail, bool json);
/* The exit code of a command that ended with this error: CL_EXIT_USAGE when the user's input is at fault, else
 * CL_EXIT_FAILED. */
int cl_report_exit(int code);

/* Of a command with several jobs, after one of them: true when the next one may be tried. An error is then reported,
 * and *exit_code is CL_EXIT_FAILED. False if the error ends the command: it has a single job, or without a server the
 * others would fail, too. */
bool cl_report_go_on(const struct cl_options *options, int rc, struct pd_fail *fail, int *exit_code);
