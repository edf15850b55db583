/* proofctl: the command line of proofd. Finds the command, checks its words and options, runs it, reports errors. */
#include <errno.h>
#include <signal.h>

#include "clients/commands.h"
#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "proto/base/print.h"
#include "proto/base/standard.h"

static int count_words(const struct cl_command *command, const struct cl_options *options, struct pd_fail *fail)
{
	if (options->word_count < command->words_min)
		return pd_fail_set(fail, PD_E_USAGE, command->usage, "missing argument: proofctl %s %s", command->name,
				   command->usage);
	if (options->word_count > command->words_max)
		return pd_fail_set(fail, PD_E_USAGE, options->words[command->words_max],
				   "unexpected argument '%.80s': proofctl %s %s%s", options->words[command->words_max],
				   command->name, command->usage,
				   strcmp(command->usage, "GAME")
					   ? ""
					   : "; --position takes a position, and --moves the moves that lead to it");
	return PD_OK;
}

/* Runs the command that the first word names, with the other words. */
static int run_command(struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	const struct cl_command *command = NULL;
	*exit_code = CL_EXIT_OK;
	if (cl_given(options, CL_OPT_VERSION)) {
		puts("proofctl " PD_VERSION);
		return PD_OK;
	}
	if (!options->word_count && cl_given(options, CL_OPT_HELP)) {
		cl_help_all(stdout);
		return PD_OK;
	}
	if (!options->word_count)
		return pd_fail_set(fail, PD_E_USAGE, "", "no command given; `proofctl help` lists the commands");
	int rc = cl_command_find(options->words[0], &command, fail);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_HELP)) {
		cl_help_command(command, stdout);
		return PD_OK;
	}
	options->word_count--;
	memmove(options->words, options->words + 1, options->word_count * sizeof *options->words);
	rc = cl_options_allow(options, cl_command_options(command), command->name, fail);
	if (!rc)
		rc = count_words(command, options, fail);
	if (rc)
		return rc;
	PD_ASSERT(options->word_count >= command->words_min && options->word_count <= command->words_max);
	return command->call ? cl_command_call(options, command->call, exit_code, fail)
			     : command->run(options, exit_code, fail);
}

/* Independent of the parser, so that errors of the parser are also reported as JSON. */
static bool wants_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--json"))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct cl_options options;
	struct pd_fail fail = {0};
	int exit_code = CL_EXIT_OK;
	pd_standard_open();
	pd_standard_umask();
	pd_standard_processor("proofctl");
	/* A closed pipe and the limit on file sizes then become errors of the write, and do not end the process while
	 * it has a directory open. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* where it is ignored, the end of a process cannot be awaited */
	signal(SIGXFSZ, SIG_IGN);
	pd_log_threshold(PD_LOG_ERROR);
	int rc = cl_options_parse(argc, argv, &options, &fail);
	if (!rc)
		rc = run_command(&options, &exit_code, &fail);
	if (rc) {
		fail.code = rc;
		cl_report(&fail, wants_json(argc, argv));
		exit_code = cl_report_exit(rc);
	}
	cl_options_fini(&options);
	if (fflush(stdout) || ferror(stdout)) {
		pd_print(stderr, "proofctl: cannot write the output: %s\n", strerror(errno));
		exit_code = exit_code ? exit_code : CL_EXIT_FAILED;
	}
	return exit_code;
}
