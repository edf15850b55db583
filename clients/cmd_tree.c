/* proofctl tree, analyze: the top of a job's search as a table, once or live. The job is named, or found by a
 * position. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/show.h"
#include "proto/base/print.h"

enum {
	ROWS = 40,       /* positions shown without --limit */
	ROWS_MIN = 5,    /* positions shown on a small terminal */
	ROWS_AROUND = 7, /* lines of a terminal that show no positions */
	MOVE_BYTES = 96
};

static int64_t choose_rows(bool live)
{
	unsigned lines = cl_height(stdout);
	if (!live || lines >= ROWS + ROWS_AROUND)
		return ROWS;
	return lines > ROWS_MIN + ROWS_AROUND ? lines - ROWS_AROUND : ROWS_MIN;
}

static const char *source_text(const char *source)
{
	if (!strcmp(source, "search"))
		return "as of now";
	return !strcmp(source, "table") ? "from its stored table" : "facts alone: there is no table to read";
}

static void show_head(pr_ref tree)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text nodes, time;
	pr_ref line = pr_get(tree, "line");
	const char *state = pr_get_str(tree, "state", "?"), *position = pr_get_str(tree, "position", "");
	char text[512];
	if (!pr_get_int(tree, "job", 0)) {
		pd_print(stdout, "no job searches this position of %s\n", pr_get_str(tree, "game", "?"));
		return;
	}
	pd_print(stdout, "job %" PRId64 "  %s%s%s  ", pr_get_int(tree, "job", 0), cl_state_ink(&ink, state), state,
		 ink.off);
	snprintf(text, sizeof text, "%s, first>=%" PRId64 ": %s in %s, %s", pr_get_str(tree, "game", "?"),
		 pr_get_int(tree, "threshold", 0), cl_short_of(&nodes, cl_job_nodes(tree), "node"),
		 cl_duration(&time, pr_get_real(tree, "seconds", 0)), source_text(pr_get_str(tree, "source", "facts")));
	cl_wrap(stdout, text, 16, 2, cl_limit(stdout));
	if (pr_count(line)) {
		fputs("after     ", stdout);
		cl_show_moves(stdout, line, 10);
	}
	if (*position) {
		fputs("position  ", stdout);
		cl_wrap(stdout, position, 10, 10, cl_limit(stdout));
	}
}

/* The effort shown as 100 %: that of the first position, or of all its children together if that is more. */
static double effort_of_all(pr_ref positions)
{
	double sum = 0, first = pr_get_real(pr_at(positions, 0), "effort", 0);
	for (size_t i = 1; i < pr_count(positions); i++)
		if (pr_get_int(pr_at(positions, i), "depth", 0) == 1)
			sum += pr_get_real(pr_at(positions, i), "effort", 0);
	return sum > first ? sum : first;
}

static void show_row(struct cl_table *table, pr_ref p, double all)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text text;
	char move[MOVE_BYTES], known[32];
	int depth = (int)pr_get_int(p, "depth", 0);
	double effort = pr_get_real(p, "effort", -1);
	const char *status = pr_get_str(p, "status", "?"), *value = pr_get_str(pr_get(p, "value"), "text", NULL);
	bool open = !strcmp(status, "open"), here = pr_get_int(p, "threads", 0) > 0;
	const char *colour = open ? "" : !strcmp(status, "proved") ? ink.good : ink.bad;
	snprintf(move, sizeof move, "%*s%.60s%s", 2 * depth, "", pr_get_str(p, "move", "(root)"),
		 !strcmp(pr_get_str(p, "numbers", ""), "cycle") ? " (again)" : "");
	cl_table_ink(table, move, here ? ink.bold : "");
	cl_table_cell(table, effort >= 0 ? cl_short(&text, effort) : "-");
	if (effort >= 0 && all > 0)
		snprintf(text.at, sizeof text.at, "%.1f %%", 100 * effort / all);
	else
		snprintf(text.at, sizeof text.at, "-");
	cl_table_cell(table, text.at);
	cl_table_cell(table, cl_number(&text, pr_get(p, "pn")));
	cl_table_cell(table, cl_number(&text, pr_get(p, "dn")));
	cl_table_ink(table, value ? value : status, colour);
	snprintf(known, sizeof known, "%" PRId64 "/%" PRId64, pr_get_int(p, "known", 0), pr_get_int(p, "moves", 0));
	cl_table_cell(table, known);
	const char *worker = pr_get_str(p, "worker", NULL);
	cl_table_cell(table, worker ? worker : here ? cl_count(&text, pr_get_int(p, "threads", 0)) : "");
}

static void show_tree(pr_ref tree)
{
	static const struct cl_column columns[] = {
		{"move", 24, 10, 0, false}, {"effort", 7, 0, 0, true},  {"share", 7, 0, 4, true},
		{"pn", 11, 0, 1, true},     {"dn", 11, 0, 2, true},     {"status", 19, 9, 0, false},
		{"known", 7, 0, 3, true},   {"threads", 7, 0, 5, true},
	};
	struct cl_table table;
	pr_ref positions = pr_get(tree, "positions");
	double all = effort_of_all(positions);
	show_head(tree);
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pr_count(positions); i++)
		show_row(&table, pr_at(positions, i), all);
	if (!pr_get_bool(tree, "whole", true))
		fputs("there are more positions: --limit N, --depth N, --moves LIST\n", stdout);
}

static int ask_tree(const struct cl_options *options, struct cl_link *link, bool live, pr_ref *tree,
		    struct pd_fail *fail)
{
	int64_t job = 0, rows = cl_given(options, CL_OPT_LIMIT) ? 0 : choose_rows(live);
	int rc = cl_job_number(options->words[0], &job, fail);
	return rc ? rc
		  : cl_ask_given(link, options, PR_JOB_TREE, tree, fail, PR_I("job", job), PR_OPT_I("nodes_max", rows));
}

int cl_cmd_tree(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_shown tree = {ask_tree, show_tree, cl_job_over, 1};
	int64_t job;
	int rc = cl_job_number(options->words[0], &job, fail);
	if (!rc && cl_given(options, CL_OPT_LIMIT) && options->whole[CL_OPT_LIMIT] > PR_TREE_MAX)
		rc = pd_fail_set(fail, PD_E_USAGE, "limit", "--limit: a tree has at most %d positions",
				 (int)PR_TREE_MAX);
	return rc ? rc : cl_follow_shown(options, &tree, exit_code, fail);
}

static int ask_analysis(const struct cl_options *options, struct cl_link *link, bool live, pr_ref *tree,
			struct pd_fail *fail)
{
	(void)live;
	return cl_ask_given(link, options, PR_POSITION_ANALYZE, tree, fail, PR_S("game", options->words[0]));
}

int cl_cmd_analyze(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_shown analysis = {ask_analysis, show_tree, NULL, 1};
	return cl_follow_shown(options, &analysis, exit_code, fail);
}
