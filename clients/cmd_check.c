/* proofctl check: checks every record and every proof of a data directory. */

#include "clients/commands.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/print.h"

static void on_problem(void *ctx, const char *text)
{
	struct cl_ink ink = cl_ink_of(stderr);
	cl_progress_end(ctx);
	pd_print(stderr, "%sproblem:%s %s\n", ink.bad, ink.off, text);
}

static void on_progress(void *ctx, const struct sv_check *c)
{
	struct cl_text facts, leaves;
	if (cl_progress_is_due(ctx))
		cl_progress_draw(ctx, "%s facts checked, %s leaves searched again", cl_count(&facts, c->facts),
				 cl_count(&leaves, c->leaves));
}

static bool is_partly(const struct sv_check *c)
{
	return c->skipped || c->skipped_jobs;
}

static void print_text(const struct sv_check *c, double seconds)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b;
	if (c->problems)
		pd_print(stdout, "%s%s problems%s\n", ink.bad, cl_count(&a, c->problems), ink.off);
	else if (is_partly(c))
		pd_print(stdout, "%sno problems found, but not everything could be checked%s\n", ink.warm, ink.off);
	else
		pd_print(stdout, "%sclean%s\n", ink.good, ink.off);
	cl_row(stdout, "facts", "%s, with %s reasons", cl_count(&a, c->facts), cl_count(&b, c->reasons));
	cl_row(stdout, "leaves", "%s searched again, %s nodes", cl_count(&a, c->leaves), cl_count(&b, c->leaf_nodes));
	cl_row(stdout, "jobs", "%s, with %s solved entries in their transposition tables", cl_count(&a, c->jobs),
	       cl_count(&b, c->entries));
	if (c->untold)
		cl_row(stdout, "unchecked", "%s of these entries: they depend on the path, or are terminal",
		       cl_count(&a, c->untold));
	if (is_partly(c))
		cl_row(stdout, "skipped", "%s facts and %s jobs of games that cannot be opened: %s",
		       cl_count(&a, c->skipped), cl_count(&b, c->skipped_jobs), c->unopened);
	cl_row(stdout, "time", "%s", cl_duration(&a, seconds));
}

int cl_cmd_check(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_progress progress;
	struct sv_check sum = {0};
	cl_progress_begin(&progress);
	int rc = cl_plugins_load(options, options->words[0], fail);
	if (rc)
		return rc;
	rc = sv_check_directory(options->words[0],
				&(struct sv_check_order){options->text[CL_OPT_GRAPHS], cl_threads(options), on_problem,
							 on_progress, &progress},
				&sum, fail);
	cl_progress_end(&progress);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		rc = cl_print_members(stdout, fail, PR_U("facts", sum.facts), PR_U("reasons", sum.reasons),
				      PR_U("leaves", sum.leaves), PR_U("leaf_nodes", sum.leaf_nodes),
				      PR_U("jobs", sum.jobs), PR_U("entries", sum.entries), PR_U("untold", sum.untold),
				      PR_U("skipped", sum.skipped), PR_U("skipped_jobs", sum.skipped_jobs),
				      PR_S("unopened", sum.unopened), PR_U("problems", sum.problems));
	else
		print_text(&sum, cl_progress_seconds(&progress));
	*exit_code = sum.problems ? CL_EXIT_FAILED : is_partly(&sum) ? CL_EXIT_PARTLY : CL_EXIT_OK;
	return rc;
}
