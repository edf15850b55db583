/* proofctl check: checks every record and every proof of a data directory. */
#include <inttypes.h>
#include <unistd.h>

#include "clients/ask.h"
#include "clients/commands.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/print.h"
#include "proto/out.h"
#include "server/core.h"

enum { SHOW_MS = 100 }; /* between two drawings of the progress line */

struct report {
	bool live;        /* progress goes to a terminal */
	uint64_t said_ns; /* when progress was last shown */
	uint64_t begin_ns;
};

static void wipe(const struct report *r)
{
	if (r->live && r->said_ns)
		cl_progress_end(stderr);
}

static void on_problem(void *ctx, const char *text)
{
	struct report *r = ctx;
	struct cl_ink ink = cl_ink_of(stderr);
	wipe(r);
	pd_print(stderr, "%sproblem:%s %s\n", ink.bad, ink.off, text);
}

static void on_progress(void *ctx, const struct sv_check *c)
{
	struct report *r = ctx;
	struct cl_text facts, leaves, time;
	uint64_t now = pd_now_ns();
	if (!r->live || now - r->said_ns < (uint64_t)SHOW_MS * 1000000)
		return;
	r->said_ns = now;
	cl_progress(stderr, "%s facts checked, %s leaves searched again, %s", cl_count(&facts, (int64_t)c->facts),
		    cl_count(&leaves, (int64_t)c->leaves), cl_duration(&time, (double)(now - r->begin_ns) / 1e9));
}

static int print_json(const struct sv_check *c, struct pd_fail *fail)
{
	struct pd_buf buf;
	struct pr_out out;
	pd_buf_init(&buf, SIZE_MAX);
	pr_out_init(&out, &buf);
	pr_open_object(&out, NULL);
	pr_uint(&out, "facts", c->facts);
	pr_uint(&out, "reasons", c->reasons);
	pr_uint(&out, "leaves", c->leaves);
	pr_uint(&out, "leaf_nodes", c->leaf_nodes);
	pr_uint(&out, "jobs", c->jobs);
	pr_uint(&out, "entries", c->entries);
	pr_uint(&out, "untold", c->untold);
	pr_uint(&out, "skipped", c->skipped);
	pr_uint(&out, "skipped_jobs", c->skipped_jobs);
	pr_str(&out, "unopened", c->unopened);
	pr_uint(&out, "problems", c->problems);
	pr_close(&out);
	bool good = !buf.failed;
	if (good)
		pd_print(stdout, "%s\n", buf.data);
	pd_buf_fini(&buf);
	return good ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the figures of a check");
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
		pd_print(stdout, "%s%s problems%s\n", ink.bad, cl_count(&a, (int64_t)c->problems), ink.off);
	else if (is_partly(c))
		pd_print(stdout, "%sno problems found, but not everything could be checked%s\n", ink.warm, ink.off);
	else
		pd_print(stdout, "%sclean%s\n", ink.good, ink.off);
	cl_row(stdout, "facts", "%s, with %s reasons", cl_count(&a, (int64_t)c->facts),
	       cl_count(&b, (int64_t)c->reasons));
	cl_row(stdout, "leaves", "%s searched again, %s nodes", cl_count(&a, (int64_t)c->leaves),
	       cl_count(&b, (int64_t)c->leaf_nodes));
	cl_row(stdout, "jobs", "%s, with %s solved entries in their transposition tables",
	       cl_count(&a, (int64_t)c->jobs), cl_count(&b, (int64_t)c->entries));
	if (c->untold)
		cl_row(stdout, "unchecked", "%s of these entries: they depend on the path, or are terminal",
		       cl_count(&a, (int64_t)c->untold));
	if (is_partly(c))
		cl_row(stdout, "skipped", "%s facts and %s jobs of games that cannot be opened: %s",
		       cl_count(&a, (int64_t)c->skipped), cl_count(&b, (int64_t)c->skipped_jobs), c->unopened);
	cl_row(stdout, "time", "%s", cl_duration(&a, seconds));
}

int cl_cmd_check(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct report report = {.live = cl_is_terminal(stderr), .begin_ns = pd_now_ns()};
	struct sv_check sum = {0};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned threads = cl_given(options, CL_OPT_THREADS) ? (unsigned)options->whole[CL_OPT_THREADS]
			   : processors > 0                  ? (unsigned)processors
							     : 1;
	PD_ASSERT(threads > 0);
	pd_log_threshold(PD_LOG_ERROR);
	int rc = cl_plugins_load(options, options->words[0], fail);
	if (rc)
		return rc;
	rc = sv_check_directory(
		options->words[0],
		&(struct sv_check_order){options->text[CL_OPT_GRAPHS], threads, on_problem, on_progress, &report}, &sum,
		fail);
	wipe(&report);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		rc = print_json(&sum, fail);
	else
		print_text(&sum, (double)(pd_now_ns() - report.begin_ns) / 1e9);
	*exit_code = sum.problems ? CL_EXIT_FAILED : is_partly(&sum) ? CL_EXIT_PARTLY : CL_EXIT_OK;
	return rc;
}
