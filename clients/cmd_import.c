/* proofctl import-facts, compact: work on whole data directories. */

#include "clients/commands.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "server/proofs/backups/import.h"
#include "store/compact_files.h"

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
					PR_R("seconds", seconds, 3));
	puts("imported");
	cl_row(stdout, "facts", "%s of %s games", cl_count(&a, sum.facts), cl_count(&b, sum.games));
	cl_row(stdout, "new", "%s of %s reasons", cl_count(&a, sum.added), cl_count(&b, sum.reasons));
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
