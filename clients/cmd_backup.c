/* proofctl backup, restore: copies of data directories. */
#include <inttypes.h>
#include <time.h>

#include "clients/commands.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "server/proofs/backups/backup.h"

enum { ASK_MS = 100 /* between two requests for the progress */ };

static void draw_progress(struct cl_progress *progress, uint64_t done, uint64_t all)
{
	if (cl_progress_is_due(progress))
		cl_progress_draw(progress, "%3.0f %% copied and verified",
				 all ? 100.0 * (double)done / (double)all : 0.0);
}

static bool report_progress(void *ctx, const struct st_backup_sum *so_far)
{
	draw_progress(ctx, so_far->done, so_far->all);
	return true;
}

static void print_text(const char *what, const struct st_backup_sum *s, double seconds)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b;
	pd_print(stdout, "%scomplete and verified%s %s\n", ink.good, ink.off, what);
	cl_row(stdout, "copied", "%s in %s", cl_bytes(&a, s->bytes_copied),
	       cl_counted(&b, s->files - s->files_kept, "file"));
	cl_row(stdout, "kept", "%s in %s that already existed", cl_bytes(&a, s->bytes_kept),
	       cl_counted(&b, s->files_kept, "file"));
	cl_row(stdout, "time", "%s", cl_duration(&a, seconds));
}

/* Says what a backup has not; the exit code tells, too. */
static void print_left_out(const char *text, int *exit_code)
{
	if (!*text)
		return;
	pd_print(stderr, "damaged, and left out: %s\n", text);
	*exit_code = CL_EXIT_PARTLY;
}

static int back_up_directory(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_progress progress;
	struct sv_backup_made made;
	const struct st_backup_sum *sum = &made.sum;
	if (!options->word_count)
		return pd_fail_set(fail, PD_E_USAGE, "name",
				   "name the directory of the backup: proofctl backup DIR --data "
				   "DATA");
	cl_progress_begin(&progress);
	int rc = sv_backup_directory(options->text[CL_OPT_DATA], options->words[0],
				     &(struct sv_backup_watch){report_progress, &progress}, &made, fail);
	double seconds = cl_progress_seconds(&progress);
	cl_progress_end(&progress);
	if (rc)
		return rc;
	print_left_out(made.left_out.text, exit_code);
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_U("bytes_copied", sum->bytes_copied),
					PR_U("bytes_kept", sum->bytes_kept), PR_U("files", sum->files),
					PR_U("files_kept", sum->files_kept), PR_R("seconds", seconds, 3),
					PR_OPT(made.left_out.count, PR_S("left_out", made.left_out.text)));
	print_text(options->words[0], sum, seconds);
	return PD_OK;
}

static int print_state(const struct cl_options *options, pr_ref s, int *exit_code, struct pd_fail *fail)
{
	const char *state = pr_get_str(s, "state", "?"), *name = pr_get_str(s, "name", "");
	const struct st_backup_sum sum = {.bytes_copied = (uint64_t)pr_get_int(s, "bytes_copied", 0),
					  .bytes_kept = (uint64_t)pr_get_int(s, "bytes_kept", 0),
					  .files = (uint32_t)pr_get_int(s, "files", 0),
					  .files_kept = (uint32_t)pr_get_int(s, "files_kept", 0)};
	bool failed = !strcmp(state, "failed");
	if (failed)
		*exit_code = CL_EXIT_FAILED;
	else
		print_left_out(pr_get_str(s, "left_out", ""), exit_code);
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_json(s, fail);
	if (failed)
		return pd_fail_set(fail, PD_E_IO, "name", "the backup %s is not complete: %.200s", name,
				   pr_get_str(s, "error", ""));
	if (!strcmp(state, "complete"))
		print_text(name, &sum, pr_get_real(s, "seconds", 0));
	else if (!strcmp(state, "none"))
		puts("the server has made no backup since its start");
	else
		pd_print(stdout, "the backup %s is in progress: %" PRId64 " of %" PRId64 " records\n", name,
			 pr_get_int(s, "done", 0), pr_get_int(s, "all", 0));
	return PD_OK;
}

static int back_up_server(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_progress progress;
	struct cl_link *link;
	pr_ref result;
	const char *name = options->word_count ? options->words[0] : NULL;
	cl_progress_begin(&progress);
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	rc = cl_call_local(options, &link, "server.backup", name, &result, fail);
	while (!rc && name && !strcmp(pr_get_str(result, "state", ""), "running")) {
		draw_progress(&progress, (uint64_t)pr_get_int(result, "done", 0),
			      (uint64_t)pr_get_int(result, "all", 0));
		nanosleep(&(struct timespec){.tv_nsec = ASK_MS * 1000000L}, NULL);
		rc = cl_link_call(link, "server.backup", NULL, &result, fail);
	}
	cl_progress_end(&progress);
	if (!rc)
		rc = print_state(options, result, exit_code, fail);
	cl_link_close(link);
	return rc;
}

int cl_cmd_backup(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	PD_ASSERT(options->word_count <= 1);
	return cl_given(options, CL_OPT_DATA) ? back_up_directory(options, exit_code, fail)
					      : back_up_server(options, exit_code, fail);
}

int cl_cmd_restore(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	const struct sv_restore_order order = {options->words[0], options->words[1], options->text[CL_OPT_DATA]};
	struct sv_restored sum;
	struct cl_progress progress;
	PD_ASSERT(options->word_count == 2);
	cl_progress_begin(&progress);
	int rc = sv_restore(&order, &sum, fail);
	if (rc)
		return rc;
	double seconds = cl_progress_seconds(&progress);
	*exit_code = CL_EXIT_OK;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_I("made", sum.from.made_ms), PR_U("records", sum.from.records),
					PR_U("bytes", sum.from.bytes), PR_U("retract", sum.retract),
					PR_R("seconds", seconds, 3));
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b;
	pd_print(stdout, "%srestored and verified%s %s\n", ink.good, ink.off, options->words[1]);
	cl_row(stdout, "moment", "%s", cl_when(&a, sum.from.made_ms));
	cl_row(stdout, "records", "%s, %s", cl_count(&a, sum.from.records), cl_bytes(&b, sum.from.bytes));
	if (sum.retract)
		cl_row(stdout, "lies",
		       "%s facts came from workers that were found to have lied after the backup: the next "
		       "start of proofd retracts them and what depends on them",
		       cl_count(&a, sum.retract));
	cl_row(stdout, "time", "%s", cl_duration(&a, seconds));
	return PD_OK;
}
