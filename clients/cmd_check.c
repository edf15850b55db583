/* proofctl check: every record and every proof of a data directory. */
#include <inttypes.h>
#include <unistd.h>

#include "clients/commands.h"
#include "clients/text.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/out.h"
#include "server/core/core.h"

enum { SHOW_MS = 100 }; /* between two drawings of the progress line */

struct report {
	bool live;        /* progress goes to a terminal */
	uint64_t said_ns; /* when progress was last shown */
	uint64_t begin_ns;
};

static void wipe(const struct report *r)
{
	if (r->live && r->said_ns)
		fputs("\r\033[K", stderr);
}

static void on_problem(void *ctx, const char *text)
{
	struct report *r = ctx;
	struct cl_ink ink = cl_ink_of(stderr);
	wipe(r);
	fprintf(stderr, "%sproblem:%s %s\n", ink.bad, ink.off, text);
}

static void on_progress(void *ctx, const struct sv_check *c)
{
	struct report *r = ctx;
	struct cl_text facts, leaves, time;
	uint64_t now = pd_now_ns();
	if (!r->live || now - r->said_ns < (uint64_t)SHOW_MS * 1000000)
		return;
	r->said_ns = now;
	fprintf(stderr, "\r%s facts checked, %s leaves searched again, %s\033[K", cl_count(&facts, (int64_t)c->facts),
		cl_count(&leaves, (int64_t)c->leaves), cl_duration(&time, (double)(now - r->begin_ns) / 1e9));
	fflush(stderr);
}

static void print_json(const struct sv_check *c)
{
	printf("{\"facts\":%" PRIu64 ",\"reasons\":%" PRIu64 ",\"leaves\":%" PRIu64 ",\"leaf_nodes\":%" PRIu64
	       ",\"skipped\":%" PRIu64 ",\"problems\":%" PRIu64 "}\n",
	       c->facts, c->reasons, c->leaves, c->leaf_nodes, c->skipped, c->problems);
}

static void print_text(const struct sv_check *c, double seconds)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b;
	if (c->problems)
		printf("%s%s problems%s\n", ink.bad, cl_count(&a, (int64_t)c->problems), ink.off);
	else
		printf("%sclean%s\n", ink.good, ink.off);
	printf("  facts     %s, with %s reasons\n", cl_count(&a, (int64_t)c->facts), cl_count(&b, (int64_t)c->reasons));
	printf("  leaves    %s searched again, %s nodes\n", cl_count(&a, (int64_t)c->leaves),
	       cl_count(&b, (int64_t)c->leaf_nodes));
	if (c->skipped)
		printf("  skipped   %s facts of games that cannot be opened here\n", cl_count(&a, (int64_t)c->skipped));
	printf("  time      %s\n", cl_duration(&a, seconds));
}

int cl_cmd_check(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct report report = {.live = cl_is_terminal(stderr), .begin_ns = pd_now_ns()};
	struct sv_check sum = {0};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned threads = cl_given(options, CL_OPT_THREADS) ? (unsigned)options->whole[CL_OPT_THREADS]
			   : processors > 0                  ? (unsigned)processors
							     : 1;
	pd_log_threshold(PD_LOG_ERROR);
	int rc = sv_check_directory(options->words[0], options->text[CL_OPT_GRAPHS], threads, on_problem, on_progress,
				    &report, &sum, fail);
	wipe(&report);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		print_json(&sum);
	else
		print_text(&sum, (double)(pd_now_ns() - report.begin_ns) / 1e9);
	*exit_code = sum.problems ? CL_EXIT_FAILED : CL_EXIT_OK;
	return PD_OK;
}
