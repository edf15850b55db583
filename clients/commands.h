/* Commands: the one table of what proofctl can do.
 *
 * Dispatch, `proofctl help` and the test of the completion file come from it. A command gets its options checked and
 * its words counted, and either does its work and sets the exit code, or returns an error, which main.c prints and
 * turns into an exit code. */
#ifndef CL_COMMANDS_H
#define CL_COMMANDS_H

#include <stdio.h>

#include "clients/options.h"

enum {
	CL_EXIT_OK = 0,         /* done; of a search: answered */
	CL_EXIT_FAILED = 1,     /* it could not be done; of a search: failed or cancelled; of a check: problems found */
	CL_EXIT_USAGE = 2,      /* the command line, the game, the position, ... is wrong */
	CL_EXIT_UNANSWERED = 3, /* the budget ended first */
	CL_EXIT_PARTLY = 3,     /* of a check: nothing wrong was found, but not all could be looked at; of a repair:
				   something was lost */
	CL_EXIT_SIGNAL = 128    /* plus the signal's number */
};

struct cl_command {
	const char *name;
	const char *usage;   /* its words */
	const char *summary; /* one phrase */
	const char *help;    /* paragraphs, or "" */
	uint64_t options;    /* a bit for each that it takes, those of every command left out */
	unsigned words_min, words_max;
	/* words[0] is the first word after the command's name. */
	int (*run)(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
};

/* `index` from 0; NULL behind the last. */
const struct cl_command *cl_command_at(unsigned index);
/* PD_E_USAGE, and the message says what is nearest. */
int cl_command_find(const char *name, const struct cl_command **out, struct pd_fail *fail);
/* All options of a command: its own, --json, --help. */
uint64_t cl_command_options(const struct cl_command *command);

void cl_help_all(FILE *file);
void cl_help_command(const struct cl_command *command, FILE *file);

int cl_cmd_solve(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_submit(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_watch(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_wait(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_list(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_show(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_pause(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_resume(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_cancel(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_remove(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_set(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_history(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_query(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_line(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_games(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_position(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_perft(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_stats(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_shutdown(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_call(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_check(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_repair(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_taint(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_export(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
int cl_cmd_help(const struct cl_options *options, int *exit_code, struct pd_fail *fail);

#endif
