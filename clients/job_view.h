/* Job view: everything about one job on a screen, with sparklines of its history (proofctl watch and top). */
#pragma once

#include "clients/screen.h"
#include "clients/series.h"

struct cl_job_view {
	struct cl_series pn, dn, rate, entries, facts, disk;
	double nodes;          /* at the last point of the history ... */
	int64_t nodes_ms;      /* ... and the time of that point; 0: there is none */
	struct pr_doc *doc;    /* owned: the last *job*; NULL: none yet */
	pr_ref job;            /* borrowed from it */
	int64_t threads;       /* search threads; -1: unknown */
	int64_t checkpoint_ms; /* when the last checkpoint was on disk; 0: unknown */
	char line[100];        /* moves from its position to the position being searched; "" if unknown */
	char why[300];         /* why it is not being searched; "" if it is */
	char message[300];     /* shown above the keys until the next message */
};

void cl_job_view_init(struct cl_job_view *view);
void cl_job_view_fini(struct cl_job_view *view);
/* Takes the points of job.history; must be called before the first cl_job_view_update. */
void cl_job_view_history(struct cl_job_view *view, pr_ref points);
/* Takes a *job* as of `at_ms`, milliseconds since 1970; takes ownership of `doc`, which holds it. */
void cl_job_view_update(struct cl_job_view *view, struct pr_doc *doc, pr_ref job, int64_t at_ms);
/* Takes the result of job.explain. */
void cl_job_view_explain(struct cl_job_view *view, pr_ref result);
/* Takes the result of job.tree. */
void cl_job_view_tree(struct cl_job_view *view, pr_ref result);
/* Draws a frame; there must be a job. `keys` says what keys do. */
void cl_job_view_draw(const struct cl_job_view *view, struct cl_screen *screen, int64_t now_ms, const char *keys);
