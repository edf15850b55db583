/* proofctl dump, load: a data directory as text, and back. */
#include <errno.h>

#include "clients/commands.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "server/proofs/backups/load.h"

static int print_sum(const struct cl_options *options, FILE *file, const char *done, const struct sv_dumped *s,
		     double seconds, struct pd_fail *fail)
{
	struct cl_text a, b, c;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(file, fail, PR_U("games", s->games), PR_U("jobs", s->jobs),
					PR_U("events", s->events), PR_U("facts", s->facts),
					PR_R("seconds", seconds, 3));
	pd_print(file, "%s\n", done);
	cl_row(file, "facts", "%s of %s games", cl_count(&a, s->facts), cl_count(&b, s->games));
	cl_row(file, "jobs", "%s, with %s events", cl_count(&a, s->jobs), cl_count(&b, s->events));
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
	*exit_code = CL_EXIT_OK;
	return rc ? rc : print_sum(options, stderr, "written", &sum, cl_progress_seconds(&progress), fail);
}

static void on_progress(void *ctx, uint64_t facts)
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
		.progress = on_progress,
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
		  : print_sum(options, stdout, order.unverified ? "loaded, not verified" : "loaded and verified", &sum,
			      cl_progress_seconds(&progress), fail);
}
