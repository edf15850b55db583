/* proofctl experiment: suites that a server runs: started, followed, ended, reported, removed. */
#include "clients/ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/interrupt.h"
#include "clients/progress.h"
#include "clients/table.h"
#include "clients/text.h"
#include "proto/base/print.h"

enum { POLL_MS = 500 };

struct experiment_call {
	const struct cl_options *options;
	struct cl_link *link;
	int64_t number; /* of the experiment that the second word names; 0: none */
	int *exit_code;
};

static void print_state(pr_ref e)
{
	const char *reason = pr_get_str(e, "reason", NULL), *state = pr_get_str(e, "state", "?");
	int64_t number = pr_get_int(e, "experiment", 0), done = pr_get_int(e, "done", 0),
		runs = pr_get_int(e, "runs", 0);
	pd_print(stdout, "experiment %" PRId64 " is %s, %" PRId64 " of %" PRId64 " runs", number, state, done, runs);
	pd_print(stdout, "%s%s\n", reason ? ": " : "", reason ? reason : "");
}

/* Prints what a call returned of one experiment. */
static int print_result(const struct experiment_call *c, int rc, pr_ref result, struct pd_fail *fail)
{
	if (rc || cl_given(c->options, CL_OPT_JSON))
		return rc ? rc : cl_print_json(result, fail);
	print_state(result);
	return PD_OK;
}

static int print_list(const struct experiment_call *c, struct pd_fail *fail)
{
	static const struct cl_column columns[] = {{"experiment", 10, 0, 0, true}, {"state", 8, 0, 0, false},
						   {"runs", 7, 0, 0, true},        {"done", 7, 0, 0, true},
						   {"wrong", 6, 0, 0, true},       {"client", 8, 0, 0, false},
						   {"title", 30, 0, 0, false}};
	static const char *const numbers[] = {"runs", "done", "wrong"};
	struct cl_table table;
	struct cl_text text;
	pr_ref result = NULL;
	int rc = cl_ask_items(c->link, "experiment.list", &result, fail, NULL, 0);
	if (rc || cl_given(c->options, CL_OPT_JSON))
		return rc ? rc : cl_print_json(result, fail);
	pr_ref list = pr_get(result, "experiments"), suites = pr_get(result, "suites");
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pr_count(list); i++) {
		pr_ref e = pr_at(list, i);
		cl_table_cell(&table, cl_count(&text, pr_get_int(e, "experiment", 0)));
		cl_table_cell(&table, pr_get_str(e, "state", ""));
		for (unsigned n = 0; n < sizeof numbers / sizeof *numbers; n++)
			cl_table_cell(&table, cl_count(&text, pr_get_int(e, numbers[n], 0)));
		cl_table_cell(&table, pr_get_str(e, "client", ""));
		cl_table_cell(&table, pr_get_str(e, "title", ""));
	}
	for (size_t i = 0; i < pr_count(suites); i++)
		pd_print(stdout, "%s%s%s", i ? ", " : "suites of the server: ", pr_text(pr_at(suites, i), ""),
			 i + 1 == pr_count(suites) ? "\n" : "");
	return PD_OK;
}

/* Appends a file, and ends its last line. */
static int add_file(const char *name, struct pd_buf *text, struct pd_fail *fail)
{
	FILE *file = fopen(name, "re");
	if (!file)
		return pd_fail_errno(fail, "suite", "read", name);
	int rc = cl_read_all(file, "suite", name, text, fail);
	pd_buf_puts(text, "\n");
	fclose(file);
	return rc;
}

/* A word names a file on this machine, or else a suite of the server. */
static int start_one(const struct experiment_call *c, struct pd_fail *fail)
{
	const struct cl_options *o = c->options;
	struct cl_json params;
	struct pd_buf text;
	pr_ref result = NULL;
	int rc = PD_OK;
	pd_buf_init(&text, SIZE_MAX / 2);
	cl_json_begin(&params);
	cl_put_given(o, PR_EXPERIMENT_START, &params.out);
	pr_open_array(&params.out, "suites");
	for (unsigned i = 1; !rc && i < o->word_count; i++)
		if (!access(o->words[i], R_OK))
			rc = add_file(o->words[i], &text, fail);
		else
			pr_str(&params.out, NULL, o->words[i]);
	pr_close(&params.out);
	if (!rc && text.size)
		pr_strn(&params.out, "text", text.data, text.size);
	if (rc)
		pd_buf_fini(&params.buf);
	else
		rc = cl_json_call(&params, c->link, "experiment.start", &result, fail);
	pd_buf_fini(&text);
	return print_result(c, rc, result, fail);
}

static int exit_of(const char *state)
{
	return !strcmp(state, "done") ? CL_EXIT_OK : !strcmp(state, "failed") ? CL_EXIT_FAILED : CL_EXIT_UNANSWERED;
}

static int watch_one(const struct experiment_call *c, struct pd_fail *fail)
{
	struct cl_progress progress;
	pr_ref result = NULL;
	int signal = 0, rc;
	cl_interrupt_hold();
	cl_progress_begin(&progress);
	for (;;) {
		rc = cl_ask(c->link, "experiment.read", &result, fail, PR_I("experiment", c->number));
		const char *state = rc ? "failed" : pr_get_str(result, "state", "");
		*c->exit_code = exit_of(state);
		if (rc || (strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0))
			break;
		if (cl_progress_is_due(&progress))
			cl_progress_draw(&progress, "%s, %" PRId64 " of %" PRId64 " runs, %" PRId64 " wrong", state,
					 pr_get_int(result, "done", 0), pr_get_int(result, "runs", 0),
					 pr_get_int(result, "wrong", 0));
		rc = cl_follow_pause(c->link, POLL_MS / 1000.0, &signal, fail);
		if (rc || signal)
			break;
	}
	cl_progress_end(&progress);
	if (signal)
		*c->exit_code = CL_EXIT_SIGNAL + signal;
	return signal ? PD_OK : print_result(c, rc, result, fail);
}

static int report_one(const struct experiment_call *c, struct pd_fail *fail)
{
	const char *form = cl_given(c->options, CL_OPT_JSON)  ? "json"
			   : cl_given(c->options, CL_OPT_CSV) ? "csv"
							      : "text";
	pr_ref result = NULL;
	int rc = cl_ask(c->link, "experiment.report", &result, fail, PR_I("experiment", c->number), PR_S("form", form));
	if (!rc)
		pd_print_lines(stdout, pr_get_str(result, "text", ""));
	return rc;
}

static int change_one(const struct experiment_call *c, struct pd_fail *fail)
{
	char method[32];
	pr_ref result = NULL;
	snprintf(method, sizeof method, "experiment.%.16s", c->options->words[0]);
	int rc = cl_ask(c->link, method, &result, fail, PR_I("experiment", c->number));
	return print_result(c, rc, result, fail);
}

static int remove_one(const struct experiment_call *c, struct pd_fail *fail)
{
	return cl_ask(c->link, "experiment.remove", NULL, fail, PR_I("experiment", c->number));
}

int cl_cmd_experiment(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct {
		const char *name;
		int (*run)(const struct experiment_call *c, struct pd_fail *fail);
		unsigned most; /* words after the verb; 1: the number of an experiment */
	} verbs[] = {{"list", print_list, 0},  {"start", start_one, 16},  {"watch", watch_one, 1},
		     {"stop", change_one, 1},  {"resume", change_one, 1}, {"report", report_one, 1},
		     {"remove", remove_one, 1}};
	struct experiment_call c = {.options = options, .exit_code = exit_code};
	unsigned i = 0, words = options->word_count - 1;
	*exit_code = CL_EXIT_OK;
	while (i < sizeof verbs / sizeof *verbs && strcmp(verbs[i].name, options->words[0]) != 0)
		i++;
	if (i == sizeof verbs / sizeof *verbs)
		return pd_fail_set(fail, PD_E_USAGE, "experiment",
				   "use list, start, watch, stop, resume, report or remove, not '%.40s'",
				   options->words[0]);
	if (words > verbs[i].most || (verbs[i].most && !words))
		return pd_fail_set(fail, PD_E_USAGE, "experiment", "experiment %s needs %s", verbs[i].name,
				   !verbs[i].most       ? "no other word"
				   : verbs[i].most == 1 ? "the number of an experiment"
							: "1 to 16 files or names of suites");
	int rc = verbs[i].most == 1 ? cl_job_number(options->words[1], &c.number, fail) : PD_OK;
	if (rc)
		return pd_fail_set(fail, rc, "experiment",
				   "the number of an experiment is an integer of at least 1, not '%.40s'; `proofctl "
				   "experiment list` lists them",
				   options->words[1]);
	rc = cl_open(options, &c.link, fail);
	rc = rc ? rc : verbs[i].run(&c, fail);
	cl_link_close(c.link);
	return rc;
}
