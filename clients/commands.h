/* Commands: the one table of what proofctl can do (commands.def).
 *
 * Dispatch, help, manual page and completion come from it. The words of a command are
 * counted and its options checked before it runs. It either does its work and sets the exit code, or returns an error,
 * which main.c prints and turns into an exit code. */
#pragma once

#include "clients/ask.h"

enum {
	CL_EXIT_OK = 0,         /* done; of a search: answered */
	CL_EXIT_FAILED = 1,     /* it could not be done; of a search: failed or cancelled; of a check: problems found */
	CL_EXIT_USAGE = 2,      /* the command line, the game, the position, ... is invalid */
	CL_EXIT_UNANSWERED = 3, /* the budget ended first */
	CL_EXIT_PARTLY = 3,     /* of a check: no problems found, but something was skipped; of a repair: something was
				   lost; of a backup or dump: something damaged was left out */
	CL_EXIT_SIGNAL = 128    /* plus the signal's number */
};

/* Flushes stdout and prints the error (fail->code must not be PD_OK) on stderr as a line: text, or the object that the
 * protocol has for errors. */
void cl_report(const struct pd_fail *fail, bool json);
/* The exit code of a command that ended with this error: CL_EXIT_USAGE when the user's input is at fault, else
 * CL_EXIT_FAILED. */
int cl_report_exit(int code);

/* Called after each job of a command, with its result. True when the next job may be tried: an error has then been
 * reported, and *exit_code is CL_EXIT_FAILED. False if the error ends the command: there is a single job, or the server
 * is gone, so that the others would also fail. */
bool cl_report_go_on(const struct cl_options *options, int rc, struct pd_fail *fail, int *exit_code);

struct cl_command {
	const char *name;
	const char *usage; /* its words */
	unsigned words_min, words_max;
	cl_bits options;      /* a bit for each option that it takes, without --json and --help */
	const char *synonyms; /* words for which this command is suggested, separated by blanks */
	const char *summary;  /* one phrase */
	const char *help;     /* paragraphs, or "" */
	const char *examples; /* command lines, each with its newline */
	/* options->words[0] is the first word after the command's name; *exit_code is CL_EXIT_OK. NULL: `call`. */
	int (*run)(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
	const struct cl_call *call;
};

/* The command of that index, from 0; NULL after the last. */
const struct cl_command *cl_command_at(unsigned index);
/* PD_E_USAGE when no command has that name; the message suggests the nearest one. */
int cl_command_find(const char *name, const struct cl_command **out, struct pd_fail *fail);
/* All options of a command: its own, --json, --help. */
cl_bits cl_command_options(const struct cl_command *command);

/* Runs a command that consists of calls; an error of one of several jobs is reported, and the others follow. */
int cl_command_call(const struct cl_options *options, const struct cl_call *call, int *exit_code, struct pd_fail *fail);

/* `proofctl help` and `proofctl help COMMAND`, wrapped to the terminal, 80 columns elsewhere. */
void cl_help_all(FILE *file);
void cl_help_command(const struct cl_command *command, FILE *file);
/* `proofctl help terms`: the glossary (GLOSSARY.md), wrapped in the same way. */
void cl_help_terms(FILE *file);
extern const char cl_glossary[]; /* the text of GLOSSARY.md, put into a string by CMakeLists.txt */

#define CL_COMMAND(name, ...) int cl_cmd_##name(const struct cl_options *options, int *exit_code, struct pd_fail *fail);
#define CL_CALL(name, ...)    extern const struct cl_call cl_call_##name;
#include "clients/commands.def"
#undef CL_COMMAND
#undef CL_CALL
