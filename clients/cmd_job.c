/* proofctl submit, list, show, explain, pause, resume, cancel, remove, set, history: jobs of a server. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ask.h"
#include "clients/commands.h"
#include "clients/report.h"
#include "clients/show.h"
#include "clients/table.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

enum { LIST_DEFAULT = 100 };

static bool wants_json(const struct cl_options *options)
{
	return cl_given(options, CL_OPT_JSON);
}

static void print_number(pr_ref result)
{
	pd_print(stdout, "%" PRId64 "\n", pr_get_int(result, "job", 0));
}

int cl_cmd_submit(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_call submit = {PR_JOB_SUBMIT, false, cl_put_game, print_number};
	return cl_call_print(options, &submit, exit_code, fail);
}

/* Jobs as they arrive, page by page. */
struct listing {
	bool json;
	struct cl_table table;
	bool failed; /* there was no memory to print one */
};

static bool list_job(void *ctx, pr_ref job)
{
	struct listing *l = ctx;
	char *text = l->json ? pr_dump(job, NULL) : NULL;
	PD_ASSERT(!l->failed);
	l->failed = l->json && !text;
	if (text)
		pd_print(stdout, "%s\n", text);
	else if (!l->json)
		cl_show_job_row(&l->table, job);
	free(text);
	return !l->failed;
}

int cl_cmd_list(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct listing l = {.json = wants_json(options)};
	struct cl_link *link;
	int64_t limit = cl_given(options, CL_OPT_LIMIT) ? options->whole[CL_OPT_LIMIT] : LIST_DEFAULT;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	if (!l.json)
		cl_show_job_head(&l.table, stdout);
	rc = cl_jobs_each(link, options->text[CL_OPT_STATE], limit, list_job, &l, fail);
	if (!rc && l.failed)
		rc = cl_no_memory(fail);
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}

/* Calls a method for each job and prints each result. */
static int call_each(const struct cl_options *options, const char *method, void (*print)(pr_ref result), int *exit_code,
		     struct pd_fail *fail)
{
	struct cl_link *link;
	struct pr_doc *doc;
	pr_ref result;
	int64_t job;
	int rc = cl_job_numbers(options, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	*exit_code = CL_EXIT_OK;
	for (unsigned i = 0; !rc && i < options->word_count; i++) {
		rc = cl_job_number(options->words[i], &job, fail);
		if (!rc)
			rc = cl_job_call(link, method, job, &doc, &result, fail);
		if (rc) {
			rc = cl_report_go_on(options, rc, fail, exit_code) ? PD_OK : rc;
			continue;
		}
		if (wants_json(options))
			rc = cl_print_json(result, fail);
		else
			print(result);
		pr_doc_free(doc);
	}
	cl_link_close(link);
	return rc;
}

static void print_state(pr_ref result)
{
	struct cl_ink ink = cl_ink_of(stdout);
	const char *state = pr_get_str(result, "state", "removed"); /* a removed job has none */
	pd_print(stdout, "job %" PRId64 "  %s%s%s\n", pr_get_int(result, "job", 0), cl_state_ink(&ink, state), state,
		 ink.off);
}

static void print_job(pr_ref job)
{
	cl_show_job(stdout, job);
}

static void print_paragraph(pr_ref job)
{
	print_job(job);
	putchar('\n');
}

int cl_cmd_show(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return call_each(options, "job.get", options->word_count > 1 ? print_paragraph : print_job, exit_code, fail);
}

static void print_explanation(pr_ref result)
{
	struct cl_text text;
	const char *state = pr_get_str(result, "state", "?");
	int64_t since = pr_get_int(result, "since", 0), checkpoint = pr_get_int(result, "checkpoint", 0);
	int column = pd_print(stdout, "job %" PRId64 "  %s  ", pr_get_int(result, "job", 0), state);
	cl_wrap(stdout, pr_get_str(result, "text", ""), (unsigned)column, 2, cl_limit(stdout));
	if (since)
		pd_print(stdout, "  since %s\n", cl_when(&text, since));
	if (checkpoint)
		pd_print(stdout, "  last checkpoint %s\n", cl_when(&text, checkpoint));
}

int cl_cmd_explain(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return call_each(options, "job.explain", print_explanation, exit_code, fail);
}

int cl_cmd_pause(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return call_each(options, "job.pause", print_state, exit_code, fail);
}

int cl_cmd_resume(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return call_each(options, "job.resume", print_state, exit_code, fail);
}

int cl_cmd_cancel(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return call_each(options, "job.cancel", print_state, exit_code, fail);
}

int cl_cmd_remove(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return call_each(options, "job.remove", print_state, exit_code, fail);
}

static int put_settings(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	if (!(options->given & (CL_BIT(PRIORITY) | CL_BIT(NODES) | CL_BIT(SECONDS) | CL_BIT(CPU) | CL_BIT(DISK))))
		return pd_fail_set(fail, PD_E_USAGE, "priority",
				   "give at least one of --priority, --nodes, --seconds, --cpu or --disk");
	return cl_put_job(options, out, fail);
}

int cl_cmd_set(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_call set = {PR_JOB_SET, false, put_settings, print_state};
	return cl_call_print(options, &set, exit_code, fail);
}

static void print_points(pr_ref result)
{
	static const struct cl_column columns[] = {
		{"time", 19, 0, 0, false}, {"event", 11, 0, 0, false}, {"nodes", 10, 0, 0, true},
		{"pn", 11, 0, 1, true},    {"dn", 11, 0, 2, true},     {"entries", 10, 0, 4, true},
		{"facts", 10, 0, 3, true},
	};
	struct cl_table table;
	pr_ref points = pr_get(result, "points");
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pr_count(points); i++) {
		struct cl_text text;
		pr_ref p = pr_at(points, i);
		cl_table_cell(&table, cl_when(&text, pr_get_int(p, "t", 0)));
		cl_table_cell(&table, pr_get_str(p, "event", "?"));
		cl_table_cell(&table, cl_short(&text, pr_get_real(p, "nodes", 0)));
		cl_table_cell(&table, cl_number(&text, pr_get(p, "pn")));
		cl_table_cell(&table, cl_number(&text, pr_get(p, "dn")));
		cl_table_cell(&table, cl_short(&text, pr_get_real(p, "entries", 0)));
		cl_table_cell(&table, cl_short(&text, pr_get_real(p, "facts", 0)));
	}
}

int cl_cmd_history(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_call history = {PR_JOB_HISTORY, false, cl_put_job, print_points};
	return cl_call_print(options, &history, exit_code, fail);
}
