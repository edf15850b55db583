/* proofctl export: the proof of one answer as a certificate, from a data directory or from the server. */
#include <inttypes.h>
#include <string.h>

#include "clients/commands.h"
#include "clients/text.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/out.h"
#include "server/core/core.h"

enum { SHOW_MS = 100 };

struct report {
	bool live;
	uint64_t said_ns, begin_ns;
};

static void on_progress(void *ctx, uint64_t positions)
{
	struct report *r = ctx;
	struct cl_text count, time;
	uint64_t now = pd_now_ns();
	if (!r->live || now - r->said_ns < (uint64_t)SHOW_MS * 1000000)
		return;
	r->said_ns = now;
	fprintf(stderr, "\r%s positions, %s\033[K", cl_count(&count, (int64_t)positions),
		cl_duration(&time, (double)(now - r->begin_ns) / 1e9));
	fflush(stderr);
}

static void print_json(const struct sv_exported *e, const char *file)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, 1 << 16);
	pr_out_init(&out, &line);
	pr_open_object(&out, NULL);
	pr_str(&out, "file", file);
	pr_str(&out, "claim", e->claim);
	pr_str(&out, "status", e->status);
	pr_uint(&out, "positions", e->positions);
	pr_uint(&out, "reasons", e->reasons);
	pr_uint(&out, "leaves", e->leaves);
	pr_uint(&out, "bytes", e->bytes);
	pr_close(&out);
	printf("%s\n", line.data);
	pd_buf_fini(&line);
}

static void print_text(const struct sv_exported *e, const char *file, double seconds)
{
	struct cl_text a, b, c;
	printf("%s is %s\n  file      %s, %s bytes\n", e->claim, e->status, file, cl_count(&a, (int64_t)e->bytes));
	printf("  positions %s, %.1f bytes each", cl_count(&a, (int64_t)e->positions),
	       e->positions ? (double)e->bytes / (double)e->positions : 0);
	if (e->leaves)
		printf("; %s bounds are to be searched again", cl_count(&b, (int64_t)e->leaves));
	printf("\n  time      %s\n  check it  proofcheck %s\n", cl_duration(&c, seconds), file);
}

int cl_cmd_export(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct report report = {.live = cl_is_terminal(stderr), .begin_ns = pd_now_ns()};
	struct sv_exported done;
	const char *detail = cl_given(options, CL_OPT_DETAIL) ? options->text[CL_OPT_DETAIL] : "full";
	struct sv_export_order order = {
		.game = options->words[0],
		.file = options->words[1],
		.position = cl_given(options, CL_OPT_POSITION) ? options->text[CL_OPT_POSITION] : "",
		.claim = cl_given(options, CL_OPT_CLAIM) ? options->text[CL_OPT_CLAIM] : NULL,
		.frontier = !strcmp(detail, "frontier"),
		.progress = on_progress,
		.ctx = &report,
	};
	if (strcmp(detail, "full") && !order.frontier)
		return pd_fail_set(fail, PD_E_USAGE, "detail", "--detail takes full or frontier, not '%.40s'", detail);
	if (!cl_given(options, CL_OPT_DATA))
		return pd_fail_set(fail, PD_E_USAGE, "data", "say with --data which directory has the proof");
	pd_log_threshold(PD_LOG_ERROR);
	int rc = sv_export_directory(options->text[CL_OPT_DATA], options->text[CL_OPT_GRAPHS], &order, &done, fail);
	if (report.live && report.said_ns)
		fputs("\r\033[K", stderr);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		print_json(&done, order.file);
	else
		print_text(&done, order.file, (double)(pd_now_ns() - report.begin_ns) / 1e9);
	*exit_code = CL_EXIT_OK;
	return PD_OK;
}
