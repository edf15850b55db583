/* proofctl: the command line of proofd. Finds the command, runs it, and says what went wrong. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "clients/commands.h"
#include "clients/text.h"
#include "proto/base/buf.h"
#include "proto/out.h"

/* What is wrong with what the user gave us, as against what failed on the way. */
static bool is_bad_input(int code)
{
	switch (code) {
	case PD_E_USAGE:
	case PD_E_PARSE:
	case PD_E_REQUEST:
	case PD_E_METHOD:
	case PD_E_PARAMS:
	case PD_E_GAME:
	case PD_E_POSITION:
	case PD_E_MOVE:
	case PD_E_CLAIM:
	case PD_E_ALGORITHM:
	case PD_E_NO_JOB:
		return true;
	default:
		return false;
	}
}

/* The option or word that stands for a parameter of the protocol. */
static const char *name_of(const char *field)
{
	if (!strcmp(field, "budget") || !strncmp(field, "budget.", 7))
		return strstr(field, "seconds") ? "--seconds" : "--nodes";
	if (!strcmp(field, "options"))
		return "--option";
	if (!strcmp(field, "game"))
		return "GAME";
	if (!strcmp(field, "job"))
		return "JOB";
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++)
		if (!strcmp(field, cl_option_info((enum cl_option)i)->name))
			return NULL;
	return field;
}

static void print_json(const struct pd_fail *fail)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, 1 << 16);
	pr_out_init(&out, &line);
	pr_open_object(&out, NULL);
	pr_open_object(&out, "error");
	pr_int(&out, "code", fail->code);
	pr_str(&out, "message", fail->text);
	pr_open_object(&out, "data");
	pr_str(&out, "slug", pd_error_slug(fail->code));
	pr_str(&out, "field", fail->field[0] ? fail->field : NULL);
	pr_close(&out);
	pr_close(&out);
	pr_close(&out);
	fprintf(stderr, "%s\n", line.failed ? "{}" : line.data);
	pd_buf_fini(&line);
}

static void print_text(const struct pd_fail *fail)
{
	struct cl_ink ink = cl_ink_of(stderr);
	char option[80] = "";
	const char *name = fail->field[0] ? name_of(fail->field) : "";
	if (!name)
		snprintf(option, sizeof option, "--%s", fail->field);
	else
		snprintf(option, sizeof option, "%s", name);
	fprintf(stderr, "%sproofctl:%s ", ink.bad, ink.off);
	if (fail->code != PD_E_USAGE && option[0] && !strstr(fail->text, option))
		fprintf(stderr, "%s: ", option);
	fprintf(stderr, "%s\n", fail->text);
}

static int count_words(const struct cl_command *command, const struct cl_options *options, struct pd_fail *fail)
{
	if (options->word_count < command->words_min)
		return pd_fail_set(fail, PD_E_USAGE, command->usage, "something is missing: proofctl %s %s",
				   command->name, command->usage);
	if (options->word_count > command->words_max)
		return pd_fail_set(fail, PD_E_USAGE, options->words[command->words_max],
				   "'%.80s' is one word too many: proofctl %s %s", options->words[command->words_max],
				   command->name, command->usage);
	return PD_OK;
}

/* Runs the command that the first word names; the others become its words. */
static int dispatch(struct cl_options *options, int *exit_code, struct pd_fail *fail)
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
		return pd_fail_set(fail, PD_E_USAGE, "", "say what to do: `proofctl help` lists the commands");
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
	return rc ? rc : command->run(options, exit_code, fail);
}

/* Looked for before anything else, so that a wrong word in front of it is reported as JSON, too. */
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
	/* A reader that has gone and a limit on the size of files are errors of the write, and do not end a search with
	 * a directory open. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	int rc = cl_options_parse(argc, argv, &options, &fail);
	if (!rc)
		rc = dispatch(&options, &exit_code, &fail);
	if (rc) {
		fail.code = rc;
		fflush(stdout);
		if (wants_json(argc, argv))
			print_json(&fail);
		else
			print_text(&fail);
		exit_code = is_bad_input(rc) ? CL_EXIT_USAGE : CL_EXIT_FAILED;
	}
	cl_options_fini(&options);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "proofctl: the output could not be written: %s\n", strerror(errno));
		exit_code = exit_code ? exit_code : CL_EXIT_FAILED;
	}
	return exit_code;
}
