/* proofctl group, groups: limits of groups of jobs. */
#include <inttypes.h>
#include <string.h>

#include "clients/ask.h"
#include "clients/commands.h"
#include "clients/table.h"
#include "clients/text.h"

enum { LIMIT_MAX = 1024 };

/* What to set; -1: as it is. */
struct change {
	const char *group; /* NULL: nothing, the groups are listed */
	int limit, paused;
};

/* "limit N", "pause" or "resume". */
static int read_words(const struct cl_options *options, struct change *out, struct pd_fail *fail)
{
	const char *what = options->words[1], *text = options->word_count > 2 ? options->words[2] : NULL;
	double limit;
	*out = (struct change){options->words[0], -1, -1};
	if (!strcmp(what, "limit") && text) {
		if (!cl_number_parse(text, &limit) || !(limit >= 0 && limit <= LIMIT_MAX) || limit != (int)limit)
			return pd_fail_set(fail, PD_E_USAGE, "limit", "a limit is an integer from 0 to %d, not '%.40s'",
					   LIMIT_MAX, text);
		out->limit = (int)limit;
	} else if (!text && (!strcmp(what, "pause") || !strcmp(what, "resume"))) {
		out->paused = !strcmp(what, "pause");
	} else {
		return pd_fail_set(fail, PD_E_USAGE, "group",
				   "say what to do with the group: limit N, pause or resume, not '%.40s%s%.40s'", what,
				   text ? " " : "", text ? text : "");
	}
	return PD_OK;
}

static void head(struct cl_table *table)
{
	static const struct cl_column columns[] = {
		{"group", 20, 0, 0, false}, {"limit", 6, 0, 0, true}, {"running", 8, 0, 0, true},
		{"queued", 8, 0, 0, true},  {"jobs", 8, 0, 0, true},  {"", 6, 0, 0, false},
	};
	cl_table_init(table, stdout, columns, sizeof columns / sizeof *columns);
	cl_table_head(table);
}

static void row(struct cl_table *table, pr_ref group)
{
	struct cl_text text;
	int64_t limit = pr_get_int(group, "limit", 0);
	cl_table_cell(table, pr_get_str(group, "group", "?"), "", "");
	cl_table_cell(table, limit ? cl_count(&text, limit) : "-", "", "");
	cl_table_cell(table, cl_count(&text, pr_get_int(group, "running", 0)), "", "");
	cl_table_cell(table, cl_count(&text, pr_get_int(group, "queued", 0)), "", "");
	cl_table_cell(table, cl_count(&text, pr_get_int(group, "jobs", 0)), "", "");
	cl_table_cell(table, pr_get_bool(group, "paused", false) ? "paused" : "", "", "");
}

/* Prints the groups of the result, or the one that it is. */
static int call(const struct cl_options *options, const struct change *change, struct pd_fail *fail)
{
	struct cl_params params;
	struct cl_link *link;
	struct cl_table table;
	struct pr_doc *doc;
	pr_ref result;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_params_begin(&params);
	if (change->group)
		pr_str(&params.out, "group", change->group);
	if (change->limit >= 0)
		pr_int(&params.out, "limit", change->limit);
	if (change->paused >= 0)
		pr_bool(&params.out, "paused", change->paused > 0);
	rc = cl_params_call(&params, link, change->group ? "group.set" : "group.list", &doc, &result, fail);
	cl_link_close(link);
	if (rc)
		return rc;
	pr_ref groups = pr_get(result, "groups");
	if (cl_given(options, CL_OPT_JSON)) {
		rc = cl_print_json(result, fail);
	} else {
		head(&table);
		if (change->group)
			row(&table, result);
		for (size_t i = 0; i < pr_count(groups); i++)
			row(&table, pr_at(groups, i));
	}
	pr_doc_free(doc);
	return rc;
}

int cl_cmd_group(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct change change;
	int rc = read_words(options, &change, fail);
	*exit_code = CL_EXIT_OK;
	return rc ? rc : call(options, &change, fail);
}

int cl_cmd_groups(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	const struct change none = {NULL, -1, -1};
	*exit_code = CL_EXIT_OK;
	return call(options, &none, fail);
}
