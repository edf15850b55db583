/* proofctl compress: finds a small proof of what a certificate claims (server/proofs/certificates/compress.h). */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"
#include "server/proofs/certificates/compress.h"

enum { LINE_S = 30 /* between two lines of progress when stderr is not a terminal */ };

static const uint64_t memory_default = (uint64_t)1 << 30;

struct report {
	struct cl_progress progress;
	uint64_t line_ns; /* when a line of progress was last printed, without a terminal */
	double seconds;   /* budget; 0: none */
	bool spent;       /* the budget ended first */
	int signal;       /* number of the signal that ended the command; 0: none */
};

static bool on_progress(void *ctx, const struct sv_compress_progress *p)
{
	struct report *r = ctx;
	struct cl_text positions, cards, nodes, time;
	char what[200];
	uint64_t now = pd_now_ns();
	double seconds = cl_progress_seconds(&r->progress);
	snprintf(what, sizeof what, "%s: %.1f %%, %s positions, %s strategies, %s nodes", p->again ? "again" : "proof",
		 100 * p->share, cl_count(&positions, (int64_t)p->positions), cl_count(&cards, (int64_t)p->cards),
		 cl_short(&nodes, (double)p->nodes));
	if (r->progress.live && cl_progress_is_due(&r->progress)) {
		cl_progress_draw(&r->progress, "%s", what);
	} else if (!r->progress.live && now - r->line_ns >= (uint64_t)LINE_S * 1000000000) {
		pd_print(stderr, "proofctl: %s, %s\n", what, cl_duration(&time, seconds));
		r->line_ns = now;
	}
	if (!r->signal)
		r->signal = cl_interrupt_take();
	r->spent = r->seconds > 0 && seconds >= r->seconds;
	return !r->signal && !r->spent;
}

static void print_text(const struct sv_compressed *d, const struct report *report, const char *file)
{
	struct cl_text a, b, c;
	pd_print(stdout, "%s is %s\n", d->claim, d->status);
	cl_row(stdout, "file", "%s, %s bytes", file, cl_count(&a, (int64_t)d->bytes));
	cl_row(stdout, "positions", "%s; %s strategies are used %s times, theorems %s times",
	       cl_count(&a, (int64_t)d->positions), cl_count(&b, (int64_t)d->strategies),
	       cl_count(&c, (int64_t)d->uses), cl_count(&(struct cl_text){{0}}, (int64_t)(d->cards - d->uses)));
	cl_row(stdout, "time", "%s", cl_duration(&a, cl_progress_seconds(&report->progress)));
	cl_row(stdout, "check it", "proofcheck %s", file);
}

int cl_cmd_compress(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct report report = {.line_ns = pd_now_ns(), .seconds = options->real[CL_OPT_SECONDS]};
	struct sv_compressed done;
	struct sv_compress_order order = {
		.from = options->words[0],
		.file = options->words[1],
		.threads = cl_threads(options),
		.memory = cl_given(options, CL_OPT_MEMORY) ? (uint64_t)options->whole[CL_OPT_MEMORY] : memory_default,
		.positions = cl_given(options, CL_OPT_POSITIONS) ? (unsigned)options->whole[CL_OPT_POSITIONS]
								 : SV_COMPRESS_POSITIONS,
		.progress = on_progress,
		.ctx = &report,
	};
	if (order.threads > SV_COMPRESS_THREADS_MAX)
		order.threads = SV_COMPRESS_THREADS_MAX;
	int rc = cl_plugins_load(options, NULL, fail);
	if (rc)
		return rc;
	cl_progress_begin(&report.progress);
	cl_interrupt_hold();
	rc = sv_compress(&order, &done, fail);
	cl_progress_end(&report.progress);
	*exit_code = report.signal ? CL_EXIT_SIGNAL + report.signal : CL_EXIT_OK;
	if (rc && report.spent)
		*exit_code = CL_EXIT_UNANSWERED;
	if (rc && (report.signal || report.spent)) {
		pd_print(stderr, "proofctl: %s\n", fail->text);
		return PD_OK;
	}
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_S("file", order.file), PR_S("claim", done.claim),
					PR_S("status", done.status), PR_U("positions", done.positions),
					PR_U("reasons", done.reasons), PR_U("cards", done.cards),
					PR_U("strategies", done.strategies), PR_U("uses", done.uses),
					PR_U("nodes", done.nodes), PR_U("bytes", done.bytes));
	print_text(&done, &report, order.file);
	return PD_OK;
}
