#include "clients/follow.h"

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"

/* Shows the job; true when this was its last state. */
static bool show_state(const struct cl_follow *how, pr_ref job, int *rc, struct pd_fail *fail)
{
	PD_ASSERT(!(how->panel && how->json));
	if (how->panel)
		cl_panel_update(how->panel, job);
	if (how->json) {
		*rc = cl_print_json(job, fail);
		if (!*rc && (fflush(stdout) || ferror(stdout))) /* the reader has closed the pipe */
			*rc = pd_fail_errno(fail, "", "write", "the progress");
	}
	return cl_job_over(job) || (how->stop_paused && !strcmp(pr_get_str(job, "state", ""), "paused"));
}

int cl_follow_job(struct cl_link *link, int64_t id, const struct cl_follow *how, pr_ref *job, int *signal,
		  struct pd_fail *fail)
{
	PD_ASSERT(how->interval_s > 0);
	uint64_t until = pd_now_ns() + (uint64_t)(how->limit_s * 1e9);
	*signal = 0;
	int rc = cl_ask(link, "job.watch", job, fail, PR_I("job", id), PR_R("interval", how->interval_s, 3));
	while (!rc) {
		if (*job && pr_get_int(*job, "job", 0) == id && show_state(how, *job, &rc, fail))
			return rc;
		*signal = cl_interrupt_take();
		if (rc || *signal)
			return rc;
		if (how->limit_s > 0 && pd_now_ns() >= until)
			return cl_ask(link, "job.get", job, fail, PR_I("job", id));
		rc = cl_link_next(link, CL_LOOK_MS, job, fail);
	}
	return rc;
}

int cl_follow_pause(struct cl_link *link, double seconds, int *signal, struct pd_fail *fail)
{
	uint64_t until = pd_now_ns() + (uint64_t)(seconds * 1e9);
	int rc = PD_OK;
	*signal = 0;
	while (!rc && !(*signal = cl_interrupt_take()) && pd_now_ns() < until) {
		pr_ref ignored;
		rc = cl_link_next(link, CL_LOOK_MS, &ignored, fail);
	}
	return rc;
}

int cl_follow_shown(const struct cl_options *options, const struct cl_shown *shown, int *exit_code,
		    struct pd_fail *fail)
{
	bool watch = cl_given(options, CL_OPT_WATCH), over = false;
	bool live = watch && !cl_given(options, CL_OPT_JSON) && cl_is_terminal(stdout);
	double interval_s = cl_given(options, CL_OPT_INTERVAL) ? options->real[CL_OPT_INTERVAL] : shown->interval_s;
	struct cl_link *link;
	int signal = 0, rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	if (watch)
		cl_interrupt_hold();
	do {
		pr_ref result;
		rc = shown->ask(options, link, live, &result, fail);
		if (rc)
			break;
		over = shown->is_over && shown->is_over(result);
		if (live)
			fputs("\033[H\033[J", stdout);
		if (cl_given(options, CL_OPT_JSON))
			rc = cl_print_json(result, fail);
		else
			shown->print(result);
		if (!rc && (fflush(stdout) || ferror(stdout)))
			rc = pd_fail_errno(fail, "", "write", "to stdout");
		if (!rc && watch && !over)
			rc = cl_follow_pause(link, interval_s, &signal, fail);
	} while (!rc && watch && !over && !signal);
	cl_link_close(link);
	*exit_code = signal ? CL_EXIT_SIGNAL + signal : CL_EXIT_OK;
	return rc;
}
