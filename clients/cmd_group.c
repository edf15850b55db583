/* proofctl group, groups: limits of groups of jobs. */

#include "clients/commands.h"
#include "clients/table.h"

enum { LIMIT_MAX = 1024 };

/* "limit N", "pause" or "resume". */
static int put_change(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
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

const struct cl_call cl_call_group = {PR_GROUP_SET, .put = put_change, .print = print_groups};
const struct cl_call cl_call_groups = {PR_GROUP_LIST, .print = print_groups};
