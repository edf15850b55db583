/* proofctl repair: copies the sound records of a damaged data directory to a new one. */

#include "clients/commands.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "server/proofs/maintenance/repair.h"

static void print_row(const char *what, uint64_t kept, uint64_t lost)
{
	struct cl_text a, b;
	cl_row(stdout, what, "%s kept, %s lost", cl_count(&a, kept), cl_count(&b, lost));
}

static void print_text(const struct sv_repaired *s, const char *fresh)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a;
	bool whole = sv_repaired_whole(s);
	pd_print(stdout, "%s%s%s %s\n", whole ? ink.good : ink.warm,
		 whole ? "nothing was lost:" : "some records were lost:", ink.off, fresh);
	print_row("games", s->games, s->games_lost);
	print_row("facts", s->facts, s->facts_lost);
	print_row("jobs", s->jobs, s->jobs_lost);
	print_row("events", s->events, s->events_lost);
	print_row("tt", s->tables, s->tables_lost);
	if (s->log_blocks_lost)
		cl_row(stdout, "log", "%s blocks of the write-ahead log, with the newest facts, are lost",
		       cl_count(&a, s->log_blocks_lost));
	if (s->contradictions)
		cl_row(stdout, "left out", "facts of %s positions, because they contradict each other",
		       cl_count(&a, s->contradictions));
	if (s->conflicts)
		cl_row(stdout, "conflicts", "%s, recorded before the damage", cl_count(&a, s->conflicts));
	if (!s->counted)
		cl_row(stdout, "counters", "lost: the latest jobs and facts may be missing");
	if (!strcmp(s->runs, "old"))
		cl_row(stdout, "runs",
		       "from an older list: newer facts are lost, and retracted facts may have come back");
	if (!strcmp(s->runs, "lost"))
		cl_row(stdout, "runs",
		       "lost with their list: facts come from the log only, and retracted facts may have come back");
	if (s->jobs_again)
		cl_row(stdout, "again", "%s jobs are searched again, with the facts that were saved",
		       cl_count(&a, s->jobs_again));
}

int cl_cmd_repair(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct sv_repaired sum;
	PD_ASSERT(options->word_count == 2);
	int rc = sv_repair(options->words[0], options->words[1], &sum, fail);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		rc = cl_print_members(stdout, fail, PR_B("whole", sv_repaired_whole(&sum)), PR_U("games", sum.games),
				      PR_U("games_lost", sum.games_lost), PR_U("facts", sum.facts),
				      PR_U("facts_lost", sum.facts_lost), PR_U("log_blocks_lost", sum.log_blocks_lost),
				      PR_U("contradictions", sum.contradictions), PR_B("counted", sum.counted),
				      PR_S("runs", sum.runs), PR_U("jobs", sum.jobs), PR_U("jobs_lost", sum.jobs_lost),
				      PR_U("jobs_again", sum.jobs_again), PR_U("events", sum.events),
				      PR_U("events_lost", sum.events_lost), PR_U("tables", sum.tables),
				      PR_U("tables_lost", sum.tables_lost), PR_U("conflicts", sum.conflicts),
				      PR_B("identity", sum.identity));
	else
		print_text(&sum, options->words[1]);
	*exit_code = sv_repaired_whole(&sum) ? CL_EXIT_OK : CL_EXIT_PARTLY;
	return rc;
}
