/* proofctl workers: the workers on other machines. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/table.h"
#include "proto/base/print.h"

static void print_all(pr_ref all, double now_ms)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b, c, d;
	bool connected = pr_get_bool(all, "connected", false);
	pd_print(stdout, "%s%s%s  %s, for %s\n", connected ? ink.good : ink.bad,
		 connected ? "connected" : "not connected", ink.off, pr_get_str(all, "where", "?"),
		 cl_duration(&a, (now_ms - pr_get_real(all, "since", 0)) / 1000));
	cl_row(stdout, "workers", "%s with %s", cl_count(&a, pr_get_int(all, "workers", 0)),
	       cl_counted(&b, pr_get_int(all, "threads", 0), "thread"));
	cl_row(stdout, "tasks", "%s out, %s leaves wait, %s done, %s sent again",
	       cl_count(&a, pr_get_int(all, "out", 0)), cl_count(&b, pr_get_int(all, "waiting", 0)),
	       cl_count(&c, pr_get_int(all, "results", 0)), cl_count(&d, pr_get_int(all, "sent_again", 0)));
	cl_row(stdout, "trust", "%s solved leaves verified, %s refuted, %s banned",
	       cl_count(&a, pr_get_int(all, "verified", 0)), cl_count(&b, pr_get_int(all, "refuted", 0)),
	       cl_counted(&c, pr_get_int(all, "banned", 0), "worker"));
	cl_row(stdout, "searched", "%s in %s of processor time, now %s per task",
	       cl_short_of(&a, pr_get_real(all, "nodes", 0), "node"), cl_duration(&b, pr_get_real(all, "cpu", 0)),
	       cl_short_of(&c, pr_get_real(all, "grain", 0), "node"));
	if (pr_get_str(all, "other_coordinator", NULL))
		cl_row(stdout, "trouble", "%s" CL_OTHER_COORDINATOR "%s", ink.bad,
		       pr_get_str(all, "other_coordinator", "?"), ink.off);
	putchar('\n');
}

static const char *state_ink(const struct cl_ink *ink, const char *state)
{
	if (!strcmp(state, "there"))
		return ink->good;
	return !strcmp(state, "banned") || !strcmp(state, "refused") ? ink->bad : ink->dim;
}

static void print_one(struct cl_table *table, pr_ref worker, double now_ms)
{
	struct cl_text text;
	const char *state = pr_get_str(worker, "state", "?"), *why = pr_get_str(worker, "why", NULL);
	cl_table_cell(table, pr_get_str(worker, "name", "?"));
	cl_table_ink(table, state, state_ink(&table->ink, state));
	if (why) {
		char line[200];
		snprintf(line, sizeof line, "%s  %s", pr_get_str(worker, "worker", "?"), why);
		cl_table_rest(table, line, table->ink.bad);
		return;
	}
	cl_table_cell(table, cl_count(&text, pr_get_int(worker, "threads", 0)));
	cl_table_cell(table, cl_count(&text, pr_get_int(worker, "in_hand", 0)));
	cl_table_cell(table, cl_short(&text, pr_get_real(worker, "done", 0)));
	cl_table_cell(table, cl_short(&text, pr_get_real(worker, "rate", 0)));
	cl_table_cell(table, cl_duration(&text, (now_ms - pr_get_real(worker, "seen", 0)) / 1000));
	cl_table_cell(table, pr_get_str(worker, "worker", "?"));
}

static void print_text(pr_ref result)
{
	static const struct cl_column columns[] = {
		{"name", 24, 10, 0, false}, {"state", 7, 0, 0, false},   {"threads", 7, 0, 3, true},
		{"has", 5, 0, 2, true},     {"done", 7, 0, 1, true},     {"nodes/s", 7, 0, 1, true},
		{"seen", 12, 0, 4, true},   {"number", 16, 0, 5, false},
	};
	struct cl_table table;
	pr_ref all = pr_get(result, "cluster"), workers = pr_get(result, "workers");
	double now_ms = pr_get_real(result, "now", 0); /* the clock of the server, as for the other times */
	if (!all) {
		puts("this server has no workers on other machines");
		return;
	}
	print_all(all, now_ms);
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pr_count(workers); i++)
		print_one(&table, pr_at(workers, i), now_ms);
	if ((int64_t)pr_count(workers) < pr_get_int(result, "count", 0))
		pd_print(stdout, "%zu of %" PRId64 ": --limit shows more\n", pr_count(workers),
			 pr_get_int(result, "count", 0));
}

static int ask_workers(const struct cl_options *options, struct cl_link *link, bool live, pr_ref *result,
		       struct pd_fail *fail)
{
	(void)live;
	return cl_ask_given(link, options, PR_WORKERS, result, fail);
}

int cl_cmd_workers(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_shown workers = {ask_workers, print_text, NULL, 2};
	if (cl_given(options, CL_OPT_LIMIT) && options->whole[CL_OPT_LIMIT] > PR_WORKERS_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "limit", "--limit: at most %d workers are listed",
				   (int)PR_WORKERS_MAX);
	return cl_follow_shown(options, &workers, exit_code, fail);
}
