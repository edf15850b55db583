/* proofctl campaign: many jobs, followed and changed by a tag. */
#include <inttypes.h>
#include <stdlib.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/interrupt.h"
#include "clients/progress.h"
#include "clients/show.h"
#include "proto/base/print.h"
#include "proto/job_states.h"

enum { POLL_MS = 500 };

/* --- reading ------------------------------------------------------------------------------ */

/* "12 queued, 3 solved", the states that occur. */
static void print_counts(char *out, size_t size, pr_ref states)
{
#define X(name, text, over) text,
	static const char *const names[] = {PR_JOB_STATES(X)};
#undef X
	size_t used = 0;
	out[0] = 0;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		int64_t count = pr_get_int(states, names[i], 0);
		if (count && used < size)
			used += (size_t)snprintf(out + used, size - used, "%s%" PRId64 " %s", used ? ", " : "", count,
						 names[i]);
	}
}

static int list_campaigns(const struct cl_options *options, struct cl_link *link, struct pd_fail *fail)
{
	static const struct cl_column columns[] = {
		{"campaign", 32, 0, 0, false}, {"jobs", 8, 0, 0, true}, {"", 60, 20, 0, false}};
	struct cl_table table;
	pr_ref result;
	int rc = cl_ask(link, "campaign.list", &result, fail, PR_OPT(false, PR_S("tag", "")));
	if (rc || cl_given(options, CL_OPT_JSON))
		return rc ? rc : cl_print_json(result, fail);
	pr_ref campaigns = pr_get(result, "campaigns");
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pr_count(campaigns); i++) {
		struct cl_text count;
		char states[200];
		pr_ref campaign = pr_at(campaigns, i);
		print_counts(states, sizeof states, pr_get(campaign, "states"));
		cl_table_cell(&table, pr_get_str(campaign, "name", "?"));
		cl_table_cell(&table, cl_count(&count, pr_get_int(campaign, "jobs", 0)));
		cl_table_cell(&table, states);
	}
	return PD_OK;
}

static void print_csv(pr_ref row)
{
	struct cl_text pn, dn;
	pd_print(stdout, "%" PRId64 ",%s,", pr_get_int(row, "job", 0), pr_get_str(row, "state", ""));
	cl_print_field(stdout, pr_get_str(row, "game", ""));
	pd_print(stdout, ",");
	cl_print_field(stdout, pr_get_str(row, "position", ""));
	pd_print(stdout, ",");
	cl_print_field(stdout, pr_get_str(row, "label", ""));
	pd_print(stdout, ",%s,%s,", pr_get_str(row, "claim", "value"), pr_get_str(row, "text", ""));
	pd_print(stdout, "%" PRId64 ",%.3f,%s,%s\n", pr_get_int(row, "nodes", 0), pr_get_real(row, "cpu", 0),
		 cl_number(&pn, pr_get(row, "pn")), cl_number(&dn, pr_get(row, "dn")));
}

static void print_row(struct cl_table *table, pr_ref row)
{
	struct cl_text text;
	cl_table_cell(table, cl_count(&text, pr_get_int(row, "job", 0)));
	cl_table_ink(table, pr_get_str(row, "state", "?"), cl_state_ink(&table->ink, pr_get_str(row, "state", "?")));
	cl_table_cell(table, pr_get_str(row, "text", ""));
	cl_table_cell(table, cl_short(&text, pr_get_real(row, "nodes", 0)));
	cl_table_cell(table, cl_number(&text, pr_get(row, "pn")));
	cl_table_cell(table, cl_number(&text, pr_get(row, "dn")));
	cl_table_cell(table, pr_get_str(row, "label", pr_get_str(row, "position", "")));
}

static int show_rows(const struct cl_options *options, struct cl_link *link, const char *tag, struct pd_fail *fail)
{
	static const struct cl_column columns[] = {
		{"job", 9, 0, 0, true},        {"state", 9, 0, 0, false}, {"value", 20, 8, 0, false},
		{"nodes", 8, 0, 0, true},      {"pn", 11, 0, 1, true},    {"dn", 11, 0, 1, true},
		{"position", 60, 8, 0, false},
	};
	struct cl_table table;
	int64_t before = 0;
	int rc = PD_OK;
	bool csv = cl_given(options, CL_OPT_CSV), json = cl_given(options, CL_OPT_JSON);
	if (csv)
		pd_print(stdout, "job,state,game,position,label,claim,value,nodes,cpu,pn,dn\n");
	else if (!json)
		cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	do {
		pr_ref result;
		rc = cl_ask(link, "campaign.table", &result, fail, PR_S("tag", tag),
			    PR_OPT(before, PR_I("before", before)));
		pr_ref rows = rc ? NULL : pr_get(result, "rows");
		for (size_t i = 0; !rc && i < pr_count(rows); i++) {
			if (json)
				rc = cl_print_json(pr_at(rows, i), fail);
			else if (csv)
				print_csv(pr_at(rows, i));
			else
				print_row(&table, pr_at(rows, i));
		}
		before = rc ? 0 : pr_get_int(result, "next", 0);
	} while (!rc && before);
	return rc;
}

/* --- following and changing --------------------------------------------------------------- */

static int exit_of(pr_ref states)
{
	if (pr_get_int(states, "failed", 0) || pr_get_int(states, "cancelled", 0))
		return CL_EXIT_FAILED;
	return pr_get_int(states, "exhausted", 0) ? CL_EXIT_UNANSWERED : CL_EXIT_OK;
}

/* Waits until no job of the tag is queued, running or paused. */
static int wait_all(struct cl_link *link, const char *tag, int *exit_code, struct pd_fail *fail)
{
	struct cl_progress progress;
	char counts[200] = "";
	int64_t left = 1, first = -1;
	int signal = 0, rc = PD_OK;
	cl_interrupt_hold();
	cl_progress_begin(&progress);
	while (!rc && left && !signal) {
		pr_ref result;
		rc = cl_ask(link, "campaign.list", &result, fail, PR_S("tag", tag));
		if (rc)
			break;
		pr_ref campaign = pr_at(pr_get(result, "campaigns"), 0), states = pr_get(campaign, "states");
		left = pr_get_int(states, "queued", 0) + pr_get_int(states, "running", 0) +
		       pr_get_int(states, "paused", 0);
		first = first < 0 ? left : first;
		print_counts(counts, sizeof counts, states);
		*exit_code = exit_of(states);
		if (left && cl_progress_is_due(&progress))
			cl_progress_draw(&progress, "%s, %.1f done a second", counts,
					 (double)(first - left) / (cl_progress_seconds(&progress) + 0.001));
		rc = left ? cl_follow_pause(link, POLL_MS / 1000.0, &signal, fail) : PD_OK;
	}
	cl_progress_end(&progress);
	if (!rc)
		pd_print(stdout, "%s: %s\n", tag, counts);
	if (signal)
		*exit_code = CL_EXIT_SIGNAL + signal;
	return rc;
}

static int change_all(const struct cl_options *options, struct cl_link *link, struct pd_fail *fail)
{
	const char *tag = options->words[0], *action = options->words[1];
	int64_t before = 0, changed = 0, unchanged = 0;
	int rc;
	do {
		pr_ref result;
		rc = cl_ask_given(link, options, PR_CAMPAIGN_CHANGE, &result, fail, PR_S("tag", tag),
				  PR_S("action", action), PR_OPT(before, PR_I("before", before)));
		if (rc)
			return rc;
		changed += pr_get_int(result, "changed", 0);
		unchanged += pr_get_int(result, "unchanged", 0);
		before = pr_get_int(result, "next", 0);
	} while (before);
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_I("changed", changed), PR_I("unchanged", unchanged));
	pd_print(stdout, "%" PRId64 " changed, %" PRId64 " unchanged\n", changed, unchanged);
	return PD_OK;
}

int cl_cmd_campaign(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	const char *action = options->word_count > 1 ? options->words[1] : "show";
	*exit_code = CL_EXIT_OK;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	if (!options->word_count)
		rc = list_campaigns(options, link, fail);
	else if (!strcmp(action, "show"))
		rc = show_rows(options, link, options->words[0], fail);
	else if (!strcmp(action, "wait"))
		rc = wait_all(link, options->words[0], exit_code, fail);
	else
		rc = change_all(options, link, fail);
	cl_link_close(link);
	return rc;
}
