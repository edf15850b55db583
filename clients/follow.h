/* Follow: watches a job until it ends. */
#pragma once

#include "clients/link.h"
#include "clients/options.h"
#include "clients/panel.h"

struct cl_follow {
	struct cl_panel *panel; /* where the job is shown; NULL: nowhere */
	bool json;              /* prints each state of the job as a line on stdout */
	bool stop_paused;       /* a paused job counts as ended */
	double interval_s;      /* between two notifications, 0.1..60 */
	double limit_s;         /* returns after so long although the job has not ended; 0: never */
};

/* Watches the job. On success *signal is the number of a signal that arrived (interrupt.h), or 0: then *job is the
 * job's last state, borrowed from the link. */
int cl_follow_job(struct cl_link *link, int64_t id, const struct cl_follow *how, pr_ref *job, int *signal,
		  struct pd_fail *fail);

/* Waits that many seconds and drops the notifications that arrive. *signal is the number of a signal that ended the
 * wait, else 0. */
int cl_follow_pause(struct cl_link *link, double seconds, int *signal, struct pd_fail *fail);

/* A command that shows a result once, or with --watch repeatedly. */
struct cl_shown {
	/* Requests the result; `live`: it is redrawn on a terminal. */
	int (*ask)(const struct cl_options *options, struct cl_link *link, bool live, pr_ref *result,
		   struct pd_fail *fail);
	void (*print)(pr_ref result);   /* without --json */
	bool (*is_over)(pr_ref result); /* nothing more can change; NULL: always false */
	double interval_s;              /* without --interval */
};
int cl_follow_shown(const struct cl_options *options, const struct cl_shown *shown, int *exit_code,
		    struct pd_fail *fail);
