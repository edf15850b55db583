#include "clients/small_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/ask.h"
#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"
#include "server/proofs/certificates/certificate.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/certificates/checker.h"

enum {
	LINE_S = 30, /* between two lines of progress when stderr is not a terminal */
	PATH_BYTES = 4096,
	SAID_MAX = 1 << 16
};

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

/* Appends to a file's name. False: the name is too long. */
static bool name_beside(const char *file, const char *more, char out[PATH_BYTES])
{
	return snprintf(out, PATH_BYTES, "%s%s", file, more) < PATH_BYTES;
}

/* Has the checker write the certificate `from` to `file`, packed or with zones; `file` appears when it is
 * complete, and `from` is removed. */
static int rewrite_file(const char *checker, const char *way, const char *from, const char *file, struct pd_fail *fail)
{
	char part[PATH_BYTES];
	struct pd_buf said;
	struct stat st;
	struct sv_checker_order order = {.program = checker, .file = from, .made = part, .way = way};
	if (!name_beside(file, ".part", part))
		return pd_fail_set(fail, PD_E_USAGE, "file", "the file name is too long");
	if (stat(from, &st))
		return pd_fail_errno(fail, "file", "read", from);
	order.file_bytes = (uint64_t)st.st_size;
	unlink(part);
	pd_buf_init(&said, SAID_MAX);
	int rc = sv_checker_run(&order, &said, fail);
	pd_buf_fini(&said);
	if (!rc)
		rc = sv_certificate_rename(part, file, fail);
	unlink(rc ? part : from);
	return rc;
}

static int find_checker(char **checker, struct pd_fail *fail)
{
	int rc = sv_checker_find(NULL, checker, fail);
	return rc || *checker ? rc
			      : pd_fail_set(fail, PD_E_UNSUPPORTED, "proofcheck",
					    "--pack and --zones need proofcheck, which is not next to proofctl");
}

/* Reads the counts of a certificate. */
static int count_again(const char *file, struct sv_compressed *done, struct pd_fail *fail)
{
	struct sv_certificate_text *text = malloc(sizeof *text);
	struct stat st;
	if (!text || !sv_certificate_text_read(file, text) || stat(file, &st)) {
		free(text);
		return pd_fail_set(fail, PD_E_IO, "file", "%.200s cannot be read", file);
	}
	done->positions = sv_certificate_number(text, "positions");
	done->reasons = sv_certificate_number(text, "reasons");
	done->cards = sv_certificate_number(text, "cards");
	done->bytes = (uint64_t)st.st_size;
	free(text);
	return PD_OK;
}

int cl_zones_make(const char *from, const char *file, bool packs, struct sv_compressed *done, struct pd_fail *fail)
{
	char plain[PATH_BYTES], *checker;
	if (!name_beside(file, ".zones", plain))
		return pd_fail_set(fail, PD_E_USAGE, "file", "the file name is too long");
	int rc = find_checker(&checker, fail);
	if (!rc)
		rc = rewrite_file(checker, "--zones", from, packs ? plain : file, fail);
	if (!rc && packs)
		rc = rewrite_file(checker, "--pack", plain, file, fail);
	free(checker);
	return rc ? rc : count_again(file, done, fail);
}

int cl_small_make(const struct cl_options *options, const char *from, const char *file, struct cl_small *out,
		  struct pd_fail *fail)
{
	struct report report = {.line_ns = pd_now_ns(), .seconds = options->real[CL_OPT_SECONDS]};
	char plain[PATH_BYTES], *checker = NULL;
	bool packs = cl_given(options, CL_OPT_PACK), zones = cl_given(options, CL_OPT_ZONES);
	struct sv_compress_order order = {
		.from = from,
		.file = packs || zones ? plain : file,
		.threads = cl_threads(options),
		.memory = cl_given(options, CL_OPT_MEMORY) ? (uint64_t)options->whole[CL_OPT_MEMORY] : memory_default,
		.positions = cl_given(options, CL_OPT_POSITIONS) ? (unsigned)options->whole[CL_OPT_POSITIONS]
								 : SV_COMPRESS_POSITIONS,
		.progress = on_progress,
		.ctx = &report,
	};
	*out = (struct cl_small){.exit_code = CL_EXIT_OK};
	if (order.threads > SV_COMPRESS_THREADS_MAX)
		order.threads = SV_COMPRESS_THREADS_MAX;
	if (!name_beside(file, ".plain", plain))
		return pd_fail_set(fail, PD_E_USAGE, "file", "the file name is too long");
	int rc = packs || zones ? find_checker(&checker, fail) : PD_OK;
	if (rc)
		return rc;
	cl_progress_begin(&report.progress);
	rc = sv_compress(&order, &out->done, fail);
	cl_progress_end(&report.progress);
	if (rc && (report.signal || report.spent)) {
		out->exit_code = report.signal ? CL_EXIT_SIGNAL + report.signal : CL_EXIT_UNANSWERED;
		pd_print(stderr, "proofctl: %s\n", fail->text);
		rc = PD_OK;
	} else if (!rc && zones) {
		rc = cl_zones_make(plain, file, packs, &out->done, fail);
	} else if (!rc && packs) {
		rc = rewrite_file(checker, "--pack", plain, file, fail);
		rc = rc ? rc : count_again(file, &out->done, fail);
	}
	out->seconds = cl_progress_seconds(&report.progress);
	free(checker);
	return rc;
}
