/* proofctl check, repair, dump, load, import-facts, compact: work on whole data directories. */
#include <errno.h>

#include "clients/commands.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "server/proofs/backups/import.h"
#include "server/proofs/backups/load.h"
#include "server/proofs/maintenance/repair.h"
#include "store/compact_files.h"

static void print_problem(void *ctx, const char *text)
{
	struct cl_ink ink = cl_ink_of(stderr);
	cl_progress_end(ctx);
	pd_print(stderr, "%sproblem:%s %s\n", ink.bad, ink.off, text);
}

static void show_check(void *ctx, const struct sv_check *c)
{
	struct cl_text facts, leaves;
	if (cl_progress_is_due(ctx))
		cl_progress_draw(ctx, "%s facts checked, %s leaves searched again", cl_count(&facts, c->facts),
				 cl_count(&leaves, c->leaves));
}

static bool is_check_partial(const struct sv_check *c)
{
	return c->skipped || c->skipped_jobs;
}

static void print_check(const struct sv_check *c, double seconds)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b;
	if (c->problems)
		pd_print(stdout, "%s%s%s\n", ink.bad, cl_counted(&a, c->problems, "problem"), ink.off);
	else if (is_check_partial(c))
		pd_print(stdout, "%sno problems found, but not everything could be checked%s\n", ink.warm, ink.off);
	else
		pd_print(stdout, "%sclean%s\n", ink.good, ink.off);
	cl_row(stdout, "facts", "%s, with %s", cl_count(&a, c->facts), cl_counted(&b, c->reasons, "reason"));
	cl_row(stdout, "leaves", "%s searched again, %s", cl_count(&a, c->leaves),
	       cl_counted(&b, c->leaf_nodes, "node"));
	cl_row(stdout, "jobs", "%s, with %s in their transposition tables", cl_count(&a, c->jobs),
	       cl_counted(&b, c->entries, "solved entry"));
	if (c->tables)
		cl_row(stdout, "tables", "%s, checksums and digests", cl_count(&a, c->tables));
	if (c->experiments)
		cl_row(stdout, "experiments", "%s, suites and runs", cl_count(&a, c->experiments));
	if (c->certificates)
		cl_row(stdout, "certificates", "%s, digests", cl_count(&a, c->certificates));
	if (c->untold)
		cl_row(stdout, "unchecked", "%s of these entries: they depend on the path, or are terminal",
		       cl_count(&a, c->untold));
	if (c->unreached)
		cl_row(stdout, "unreached", "%s could not be checked: no fact and no table leads to them",
		       cl_counted(&a, c->unreached, "entry"));
	if (is_check_partial(c))
		cl_row(stdout, "skipped", "%s and %s of games that cannot be opened: %s",
		       cl_counted(&a, c->skipped, "fact"), cl_counted(&b, c->skipped_jobs, "job"), c->unopened);
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
				&(struct sv_check_order){options->text[CL_OPT_GRAPHS], cl_threads(options),
							 print_problem, show_check, &progress},
				&sum, fail);
	cl_progress_end(&progress);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		rc = cl_print_members(stdout, fail, PR_U("facts", sum.facts), PR_U("reasons", sum.reasons),
				      PR_U("leaves", sum.leaves), PR_U("leaf_nodes", sum.leaf_nodes),
				      PR_U("jobs", sum.jobs), PR_U("studies", sum.studies),
				      PR_U("entries", sum.entries), PR_U("tables", sum.tables),
				      PR_U("experiments", sum.experiments), PR_U("certificates", sum.certificates),
				      PR_U("untold", sum.untold), PR_U("unreached", sum.unreached),
				      PR_U("skipped", sum.skipped), PR_U("skipped_jobs", sum.skipped_jobs),
				      PR_S("unopened", sum.unopened), PR_U("problems", sum.problems));
	else
		print_check(&sum, cl_progress_seconds(&progress));
	*exit_code = sum.problems ? CL_EXIT_FAILED : is_check_partial(&sum) ? CL_EXIT_PARTLY : CL_EXIT_OK;
	return rc;
}

static void print_kept(const char *what, uint64_t kept, uint64_t lost)
{
	struct cl_text a, b;
	cl_row(stdout, what, "%s kept, %s lost", cl_count(&a, kept), cl_count(&b, lost));
}

static void print_repair(const struct sv_repaired *s, const char *fresh)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a;
	bool whole = sv_repaired_whole(s);
	pd_print(stdout, "%s%s%s %s\n", whole ? ink.good : ink.warm,
		 whole ? "nothing was lost:" : "some records were lost:", ink.off, fresh);
	print_kept("games", s->games, s->games_lost);
	print_kept("facts", s->facts, s->facts_lost);
	print_kept("jobs", s->jobs, s->jobs_lost);
	print_kept("events", s->events, s->events_lost);
	print_kept("tt", s->tables, s->tables_lost);
	if (s->retro.tables || s->retro.left_out.count)
		print_kept("tables", s->retro.tables, s->retro.left_out.count);
	if (s->experiments.experiments || s->experiments.damaged)
		print_kept("experiments", s->experiments.experiments, s->experiments.damaged);
	if (s->certificates || s->certificates_lost)
		print_kept("certificates", s->certificates, s->certificates_lost);
	if (s->log_blocks_lost)
		cl_row(stdout, "log", "%s lost of the write-ahead log, which has the newest facts",
		       cl_counted(&a, s->log_blocks_lost, "block"));
	if (s->contradictions)
		cl_row(stdout, "left out", "facts of %s, because they contradict each other",
		       cl_counted(&a, s->contradictions, "position"));
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
		cl_row(stdout, "again", "%s searched again, with the facts that were saved",
		       cl_counted(&a, s->jobs_again, "job"));
}

int cl_cmd_repair(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct sv_repaired sum;
	PD_ASSERT(options->word_count == 2);
	int rc = sv_repair(options->words[0], options->words[1], &sum, fail);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		rc = cl_print_members(
			stdout, fail, PR_B("whole", sv_repaired_whole(&sum)), PR_U("games", sum.games),
			PR_U("games_lost", sum.games_lost), PR_U("facts", sum.facts),
			PR_U("facts_lost", sum.facts_lost), PR_U("log_blocks_lost", sum.log_blocks_lost),
			PR_U("contradictions", sum.contradictions), PR_B("counted", sum.counted),
			PR_S("runs", sum.runs), PR_U("jobs", sum.jobs), PR_U("jobs_lost", sum.jobs_lost),
			PR_U("jobs_again", sum.jobs_again), PR_U("events", sum.events),
			PR_U("events_lost", sum.events_lost), PR_U("tables", sum.tables),
			PR_U("tables_lost", sum.tables_lost), PR_U("conflicts", sum.conflicts),
			PR_U("retro_tables", sum.retro.tables), PR_U("retro_tables_lost", sum.retro.left_out.count),
			PR_U("experiments", sum.experiments.experiments),
			PR_U("experiments_lost", sum.experiments.damaged), PR_U("certificates", sum.certificates),
			PR_U("certificates_lost", sum.certificates_lost), PR_B("identity", sum.identity));
	else
		print_repair(&sum, options->words[1]);
	*exit_code = sv_repaired_whole(&sum) ? CL_EXIT_OK : CL_EXIT_PARTLY;
	return rc;
}

/* The exit code of a dump, which says what it has not. */
static int print_left_out(const struct sv_left_out *left_out)
{
	if (left_out->count)
		pd_print(stderr, "damaged, and left out: %s\n", left_out->text);
	return left_out->count ? CL_EXIT_PARTLY : CL_EXIT_OK;
}

static int print_dumped(const struct cl_options *options, FILE *file, const char *done, const struct sv_dumped *s,
			double seconds, struct pd_fail *fail)
{
	struct cl_text a, b, c;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(file, fail, PR_U("games", s->games), PR_U("jobs", s->jobs),
					PR_U("events", s->events), PR_U("facts", s->facts),
					PR_U("experiments", s->experiments), PR_R("seconds", seconds, 3),
					PR_OPT(s->left_out.count, PR_S("left_out", s->left_out.text)));
	pd_print(file, "%s\n", done);
	cl_row(file, "facts", "%s of %s", cl_count(&a, s->facts), cl_counted(&b, s->games, "game"));
	cl_row(file, "jobs", "%s, with %s", cl_count(&a, s->jobs), cl_counted(&b, s->events, "event"));
	if (s->experiments)
		cl_row(file, "experiments", "%s", cl_count(&a, s->experiments));
	cl_row(file, "time", "%s", cl_duration(&c, seconds));
	return PD_OK;
}

int cl_cmd_dump(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct sv_dumped sum;
	struct cl_progress progress;
	PD_ASSERT(options->word_count == 1);
	cl_progress_begin(&progress);
	int rc = cl_plugins_load(options, options->words[0], fail);
	if (!rc)
		rc = sv_dump(options->words[0], options->text[CL_OPT_GRAPHS], stdout, &sum, fail);
	*exit_code = rc ? CL_EXIT_FAILED : print_left_out(&sum.left_out);
	return rc ? rc : print_dumped(options, stderr, "written", &sum, cl_progress_seconds(&progress), fail);
}

static void show_facts(void *ctx, uint64_t facts)
{
	struct cl_text a;
	if (cl_progress_is_due(ctx))
		cl_progress_draw(ctx, "%s facts read", cl_count(&a, facts));
}

int cl_cmd_load(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct sv_dumped sum;
	const char *file = options->words[0];
	struct cl_progress progress;
	PD_ASSERT(options->word_count == 2);
	const struct sv_load_order order = {
		.graphs = options->text[CL_OPT_GRAPHS],
		.unverified = cl_given(options, CL_OPT_NO_VERIFY),
		.threads = cl_threads(options),
		.progress = show_facts,
		.ctx = &progress,
	};
	cl_progress_begin(&progress);
	int rc = cl_plugins_load(options, NULL, fail);
	if (rc)
		return rc;
	FILE *in = strcmp(file, "-") ? fopen(file, "re") : stdin;
	if (!in)
		return pd_fail_set(fail, PD_E_USAGE, "FILE", "cannot open %.200s: %s", file, strerror(errno));
	rc = sv_load(in, options->words[1], &order, &sum, fail);
	if (in != stdin)
		fclose(in);
	cl_progress_end(&progress);
	*exit_code = CL_EXIT_OK;
	return rc ? rc
		  : print_dumped(options, stdout, order.unverified ? "loaded, not verified" : "loaded and verified",
				 &sum, cl_progress_seconds(&progress), fail);
}

int cl_cmd_import_facts(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct sv_imported sum;
	struct cl_text a, b;
	struct cl_progress progress;
	PD_ASSERT(options->word_count == 2);
	const struct sv_import_order order = {
		.graphs = options->text[CL_OPT_GRAPHS],
		.unverified = cl_given(options, CL_OPT_NO_VERIFY),
		.threads = cl_threads(options),
	};
	cl_progress_begin(&progress);
	int rc = cl_plugins_load(options, options->words[1], fail);
	if (!rc)
		rc = sv_import_facts(options->words[0], options->words[1], &order, &sum, fail);
	if (rc)
		return rc;
	double seconds = cl_progress_seconds(&progress);
	*exit_code = CL_EXIT_OK;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_U("games", sum.games), PR_U("facts", sum.facts),
					PR_U("reasons", sum.reasons), PR_U("added", sum.added),
					PR_U("retro_tables_lacking", sum.tables), PR_R("seconds", seconds, 3));
	if (sum.tables)
		pd_print(stderr,
			 "proofctl: the facts may rest on tables of FROM that INTO lacks (%u, such as %s): build them "
			 "there, or copy FROM/tables\n",
			 sum.tables, sum.table);
	puts("imported");
	cl_row(stdout, "facts", "%s of %s", cl_count(&a, sum.facts), cl_counted(&b, sum.games, "game"));
	cl_row(stdout, "new", "%s of %s", cl_count(&a, sum.added), cl_counted(&b, sum.reasons, "reason"));
	cl_row(stdout, "time", "%s", cl_duration(&a, seconds));
	return PD_OK;
}

int cl_cmd_compact(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct st_compacted sum;
	struct cl_text a, b;
	struct cl_progress progress;
	PD_ASSERT(options->word_count == 1);
	cl_progress_begin(&progress);
	int rc = st_compact_files(options->words[0], NULL, NULL, &sum, fail);
	if (rc)
		return rc;
	double seconds = cl_progress_seconds(&progress);
	*exit_code = CL_EXIT_OK;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_U("bytes_before", sum.bytes_before),
					PR_U("bytes_after", sum.bytes_after), PR_R("seconds", seconds, 3));
	puts("compacted");
	cl_row(stdout, "size", "%s, before %s", cl_bytes(&a, sum.bytes_after), cl_bytes(&b, sum.bytes_before));
	cl_row(stdout, "time", "%s", cl_duration(&a, seconds));
	return PD_OK;
}
