/* proofctl list, show, explain, pause, resume, cancel, remove, set, history: jobs of a server; group,
 * groups: limits of groups of jobs. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

enum { LIST_DEFAULT = 100, LIMIT_MAX = 1024 };

/* Jobs as they arrive, page by page. */
struct listing {
	bool json;
	struct cl_table table;
	bool failed; /* memory ran out while a job was printed */
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
	struct listing l = {.json = cl_given(options, CL_OPT_JSON)};
	struct cl_link *link;
	int64_t limit = cl_given(options, CL_OPT_LIMIT) ? options->whole[CL_OPT_LIMIT] : LIST_DEFAULT;
	*exit_code = CL_EXIT_OK;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	if (!l.json)
		cl_show_job_head(&l.table, stdout);
	rc = cl_jobs_each(link, options->text[CL_OPT_STATE], limit, list_job, &l, fail);
	if (!rc && l.failed)
		rc = cl_no_memory(fail);
	cl_link_close(link);
	return rc;
}

static void print_state(pr_ref result)
{
	struct cl_ink ink = cl_ink_of(stdout);
	const char *state = pr_get_str(result, "state", "removed"); /* the reply for a removed job has no state */
	pd_print(stdout, "job %" PRId64 "  %s%s%s\n", pr_get_int(result, "job", 0), cl_state_ink(&ink, state), state,
		 ink.off);
}

static void print_job(pr_ref job)
{
	cl_show_job(stdout, job);
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

const struct cl_call cl_call_show = {PR_JOB_GET, .each = true, .gap = true, .print = print_job};
const struct cl_call cl_call_explain = {PR_JOB_EXPLAIN, .each = true, .print = print_explanation};
const struct cl_call cl_call_pause = {PR_JOB_PAUSE, .each = true, .print = print_state};
const struct cl_call cl_call_resume = {PR_JOB_RESUME, .each = true, .print = print_state};
const struct cl_call cl_call_cancel = {PR_JOB_CANCEL, .each = true, .print = print_state};
const struct cl_call cl_call_remove = {PR_JOB_REMOVE, .each = true, .print = print_state};

static int put_settings(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	if (!(options->given & (CL_BIT(PRIORITY) | CL_BIT(NODES) | CL_BIT(SECONDS) | CL_BIT(CPU) | CL_BIT(DISK))))
		return pd_fail_set(fail, PD_E_USAGE, "priority",
				   "give at least one of --priority, --nodes, --seconds, --cpu or --disk");
	return cl_put_job(options, out, fail);
}

const struct cl_call cl_call_set = {PR_JOB_SET, .put = put_settings, .print = print_state};

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

const struct cl_call cl_call_history = {PR_JOB_HISTORY, .put = cl_put_job, .print = print_points};

/* "limit N", "pause" or "resume". */
static int put_group_change(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	const char *what = options->words[1], *text = options->word_count > 2 ? options->words[2] : NULL;
	double limit;
	pr_str(out, "group", options->words[0]);
	if (!strcmp(what, "limit") && text) {
		if (!cl_number_parse(text, &limit) || !(limit >= 0 && limit <= LIMIT_MAX) || limit != (int)limit)
			return pd_fail_set(fail, PD_E_USAGE, "limit", "a limit is an integer from 0 to %d, not '%.40s'",
					   LIMIT_MAX, text);
		pr_int(out, "limit", (int64_t)limit);
	} else if (!text && (!strcmp(what, "pause") || !strcmp(what, "resume"))) {
		pr_bool(out, "paused", !strcmp(what, "pause"));
	} else {
		return pd_fail_set(fail, PD_E_USAGE, "group", "use limit N, pause or resume, not '%.40s%s%.40s'", what,
				   text ? " " : "", text ? text : "");
	}
	return PD_OK;
}

static void print_group(struct cl_table *table, pr_ref group)
{
	struct cl_text text;
	int64_t limit = pr_get_int(group, "limit", 0);
	cl_table_cell(table, pr_get_str(group, "group", "?"));
	cl_table_cell(table, limit ? cl_count(&text, limit) : "-");
	cl_table_cell(table, cl_count(&text, pr_get_int(group, "running", 0)));
	cl_table_cell(table, cl_count(&text, pr_get_int(group, "queued", 0)));
	cl_table_cell(table, cl_count(&text, pr_get_int(group, "jobs", 0)));
	cl_table_cell(table, pr_get_bool(group, "paused", false) ? "paused" : "");
}

/* Prints the groups of a list, or a single group. */
static void print_groups(pr_ref result)
{
	static const struct cl_column columns[] = {
		{"group", 20, 0, 0, false}, {"limit", 6, 0, 0, true}, {"running", 8, 0, 0, true},
		{"queued", 8, 0, 0, true},  {"jobs", 8, 0, 0, true},  {"", 6, 0, 0, false},
	};
	struct cl_table table;
	pr_ref groups = pr_get(result, "groups");
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	if (!groups)
		print_group(&table, result);
	for (size_t i = 0; i < pr_count(groups); i++)
		print_group(&table, pr_at(groups, i));
}

const struct cl_call cl_call_group = {PR_GROUP_SET, .put = put_group_change, .print = print_groups};
const struct cl_call cl_call_groups = {PR_GROUP_LIST, .print = print_groups};
