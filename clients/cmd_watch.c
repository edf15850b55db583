/* proofctl watch, wait: following jobs of a server until they end. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/interrupt.h"
#include "clients/live.h"
#include "clients/show.h"
#include "proto/base/print.h"

enum { LIVE_MS = 250 }; /* between two updates */

/* `number` is that of the signal that ended the watch; 0: a key ended it. */
static void report_left(int number, int64_t job, int *exit_code)
{
	pd_print(stderr, "proofctl: job %" PRId64 " continues unwatched\n", job);
	*exit_code = number ? CL_EXIT_SIGNAL + number : CL_EXIT_UNANSWERED;
}

static void show_end(pr_ref job, int *exit_code)
{
	struct cl_panel panel;
	cl_panel_init(&panel, stdout, 0);
	cl_panel_update(&panel, job);
	cl_panel_end(&panel, false);
	if (pr_get(job, "result"))
		cl_show_answer(stdout, pr_get(job, "result"));
	*exit_code = cl_job_exit(job);
}

/* Watches on a terminal. Closes the link. */
static int watch_live(const struct cl_options *options, struct cl_link *link, int64_t id, int *exit_code,
		      struct pd_fail *fail)
{
	struct cl_live live = {.options = options, .link = link, .interval_s = LIVE_MS / 1000.0};
	enum cl_live_end end = CL_LIVE_OVER;
	struct pr_doc *doc = NULL;
	pr_ref job;
	if (cl_given(options, CL_OPT_INTERVAL))
		live.interval_s = options->real[CL_OPT_INTERVAL];
	int rc = cl_ask(link, "job.get", &job, fail, PR_I("job", id));
	if (!rc && !cl_job_over(job)) {
		cl_screen_open(&live.screen, stdout);
		rc = cl_live_job(&live, id, &end, &doc, &job, fail);
		cl_screen_close(&live.screen);
	}
	if (!rc && end == CL_LIVE_OVER)
		show_end(job, exit_code);
	else if (!rc)
		report_left(live.signal, id, exit_code);
	pr_doc_free(doc);
	cl_link_close(live.link);
	return rc;
}

int cl_cmd_watch(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	bool json = cl_given(options, CL_OPT_JSON), paced = cl_given(options, CL_OPT_INTERVAL);
	double interval_s = paced ? options->real[CL_OPT_INTERVAL] : 0;
	struct cl_panel panel;
	struct cl_link *link;
	pr_ref job;
	int64_t id;
	int number = 0;
	int rc = cl_job_number(options->words[0], &id, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_interrupt_hold();
	if (!json && cl_is_terminal(stdout))
		return watch_live(options, link, id, exit_code, fail);
	cl_panel_init(&panel, stdout, interval_s);
	struct cl_follow how = {json ? NULL : &panel, json, false, paced ? interval_s : json ? 1 : LIVE_MS / 1000.0};
	rc = cl_follow_job(link, id, &how, &job, &number, fail);
	cl_panel_end(&panel, false);
	if (!rc && number) {
		report_left(number, id, exit_code);
	} else if (!rc) {
		*exit_code = cl_job_exit(job);
		if (!json && pr_get(job, "result"))
			cl_show_answer(stdout, pr_get(job, "result"));
	}
	if (rc == PD_E_UNREACHABLE)
		pd_fail_set(fail, PD_E_UNREACHABLE, "",
			    "the server is gone; job %" PRId64 " continues when the server is started again", id);
	cl_link_close(link);
	return rc;
}

/* A failure outweighs an exhausted budget, which outweighs an answer. */
static int worse_exit(int a, int b)
{
	if (a == CL_EXIT_FAILED || b == CL_EXIT_FAILED)
		return CL_EXIT_FAILED;
	return a > b ? a : b;
}

static int wait_one(struct cl_link *link, int64_t id, bool json, int *exit_code, int *number, struct pd_fail *fail)
{
	struct cl_follow how = {NULL, false, false, 0.25};
	pr_ref job;
	int rc = cl_follow_job(link, id, &how, &job, number, fail);
	if (rc || *number)
		return rc;
	*exit_code = worse_exit(*exit_code, cl_job_exit(job));
	if (json) {
		rc = cl_print_json(job, fail);
	} else {
		pr_ref answer = pr_get(job, "result");
		pd_print(stdout, "job %" PRId64 "  %-9s  %s\n", id, pr_get_str(job, "state", "?"),
			 pr_get_str(pr_get(answer, "value"), "text", "-"));
	}
	fflush(stdout);
	return rc;
}

int cl_cmd_wait(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	int64_t id = 0;
	int number = 0, rc;
	rc = cl_job_numbers(options, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_interrupt_hold();
	for (unsigned i = 0; !rc && !number && i < options->word_count; i++) {
		rc = cl_job_number(options->words[i], &id, fail);
		if (!rc)
			rc = wait_one(link, id, cl_given(options, CL_OPT_JSON), exit_code, &number, fail);
		if (rc && cl_report_go_on(options, rc, fail, exit_code))
			rc = PD_OK;
	}
	if (!rc && number)
		report_left(number, id, exit_code);
	cl_link_close(link);
	return rc;
}
