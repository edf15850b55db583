/* proofctl taint: retracts facts that are no longer trusted, and all that depends on them. */

#include "clients/commands.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "server/proofs/maintenance/lies.h"
#include "server/proofs/maintenance/retraction.h"

static void on_progress(void *ctx, const struct sv_retracted *t, uint64_t judged)
{
	struct cl_text a, b, c;
	if (cl_progress_is_due(ctx))
		cl_progress_draw(ctx, "%s reasons chosen, %s dependent, %s checked", cl_count(&a, t->chosen),
				 cl_count(&b, t->fallen), cl_count(&c, judged));
}

static int read_rules(const char *text, uint64_t *out, struct pd_fail *fail)
{
	if (!*text || strlen(text) > 16 || strspn(text, "0123456789abcdefABCDEF") != strlen(text))
		return pd_fail_set(fail, PD_E_USAGE, "rules",
				   "--rules takes a rules version in hexadecimal, as `proofctl games GAME --json` "
				   "shows it, not '%.40s'",
				   text);
	*out = strtoull(text, NULL, 16);
	return PD_OK;
}

/* 0: all workers. */
static int read_worker(const char *text, uint32_t *out, struct pd_fail *fail)
{
	*out = strcmp(text, "all") ? pd_giver_parse(text) : 0;
	if (*out || !strcmp(text, "all"))
		return PD_OK;
	return pd_fail_set(
		fail, PD_E_USAGE, "worker",
		"--worker takes a worker's number, sixteen hexadecimal digits as `proofctl workers` shows them "
		"or the eight that facts have, or all; not '%.40s'",
		text);
}

static int read_order(const struct cl_options *o, struct sv_retraction_order *order, uint32_t *giver,
		      struct pd_fail *fail)
{
	bool job = cl_given(o, CL_OPT_JOB), game = cl_given(o, CL_OPT_GAME), engine = cl_given(o, CL_OPT_ENGINE),
	     worker = cl_given(o, CL_OPT_WORKER);
	if (!cl_given(o, CL_OPT_DATA))
		return pd_fail_set(fail, PD_E_USAGE, "data",
				   "name the data directory: --data DIR; no server may have it open");
	if (job + game + engine + worker != 1)
		return pd_fail_set(fail, PD_E_USAGE, job ? "job" : "game",
				   "select facts by one of --job N, --game NAME --rules V, --engine VERSION, "
				   "--worker NUMBER");
	if (game != cl_given(o, CL_OPT_RULES))
		return pd_fail_set(fail, PD_E_USAGE, "rules", "--game and --rules go together: --game NAME --rules V");
	*order = (struct sv_retraction_order){
		.job = job ? (uint32_t)o->whole[CL_OPT_JOB] : 0,
		.game = o->text[CL_OPT_GAME],
		.engine = o->text[CL_OPT_ENGINE],
		.givers = giver,
		.giver_count = worker ? 1 : 0,
		.dry_run = cl_given(o, CL_OPT_DRY_RUN),
		.threads = cl_threads(o),
		.leaf_nodes = cl_given(o, CL_OPT_NODES) ? (uint64_t)o->whole[CL_OPT_NODES] : 0,
		.graphs = o->text[CL_OPT_GRAPHS],
	};
	if (worker)
		return read_worker(o->text[CL_OPT_WORKER], giver, fail);
	return game ? read_rules(o->text[CL_OPT_RULES], &order->rules_version, fail) : PD_OK;
}

static void print_text(const struct sv_retracted *t, bool dry_run, double seconds)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b;
	pd_print(stdout, "%s%s%s\n", ink.bold, dry_run ? "nothing was changed; a real run would report:" : "retracted",
		 ink.off);
	cl_row(stdout, "chosen", "%s", cl_counted(&a, t->chosen, "reason"));
	cl_row(stdout, "fallen", "%s that depended on them, in %s rounds", cl_count(&a, t->fallen),
	       cl_count(&b, t->rounds));
	cl_row(stdout, "kept", "%s", cl_count(&a, t->kept));
	cl_row(stdout, "jobs", "%s are searched again", cl_count(&a, t->jobs));
	cl_row(stdout, "time", "%s", cl_duration(&a, seconds));
}

int cl_cmd_taint(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_progress progress;
	struct sv_retraction_order order;
	struct sv_retracted sum;
	uint32_t giver = 0;
	int rc = read_order(options, &order, &giver, fail);
	if (rc)
		return rc;
	PD_ASSERT(order.threads > 0 && !!order.job + !!order.game + !!order.engine + !!order.giver_count == 1);
	order.progress = on_progress;
	order.ctx = &progress;
	cl_progress_begin(&progress);
	rc = cl_plugins_load(options, options->text[CL_OPT_DATA], fail);
	if (rc)
		return rc;
	rc = sv_retract(options->text[CL_OPT_DATA], &order, &sum, fail);
	cl_progress_end(&progress);
	if (!rc && giver && !order.dry_run) { /* so that a restored backup does not bring its facts back */
		struct sv_liars liars = {.giver = {giver}, .count = 1};
		rc = sv_liars_keep(options->text[CL_OPT_DATA], &liars, fail);
	}
	if (rc)
		return rc;
	*exit_code = CL_EXIT_OK;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_U("chosen", sum.chosen), PR_U("fallen", sum.fallen),
					PR_U("rounds", sum.rounds), PR_U("kept", sum.kept), PR_U("jobs", sum.jobs),
					PR_B("dry_run", order.dry_run));
	print_text(&sum, order.dry_run, cl_progress_seconds(&progress));
	return PD_OK;
}
