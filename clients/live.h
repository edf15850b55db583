/* Live: commands that own the terminal while they follow a server (proofctl watch, top).
 *
 * When the connection is lost, they say so, reconnect as soon as the server answers, and continue. */
#pragma once

#include "clients/screen.h"

enum { CL_LIVE_MESSAGE = 300 /* bytes of a message */ };

enum cl_live_end {
	CL_LIVE_OVER,   /* the job has ended */
	CL_LIVE_QUIT,   /* the user left */
	CL_LIVE_SIGNAL, /* SIGINT or SIGTERM arrived */
};

struct cl_live {
	const struct cl_options *options; /* borrowed */
	struct cl_link *link;             /* owned; NULL: the connection is lost */
	struct cl_screen screen;
	double interval_s; /* between two updates of the server */
	uint64_t try_ns;   /* when the next attempt to connect is due */
	uint64_t lost_ns;  /* when the connection was lost */
	int signal;        /* number of the signal that arrived; 0: none */
};

/* Closes a connection that was lost. */
void cl_live_lost(struct cl_live *live);
/* Tries to connect when that is due; true when there is a connection. *fail says why there is none. */
bool cl_live_reconnect(struct cl_live *live, struct pd_fail *fail);
/* "no connection to the server; retrying for 12 s" */
void cl_live_say_lost(const struct cl_live *live, char *out, size_t size);

/* Pauses or resumes a job by a method; `message` becomes the error, or "". */
void cl_live_change(struct cl_live *live, const char *method, int64_t job, char message[CL_LIVE_MESSAGE]);

/* Follows a job on the screen, which is open, until it ends or the user leaves. On CL_LIVE_OVER *out holds its last
 * state, to be freed with pr_doc_free, and *job is borrowed from it; otherwise *out is NULL. Errors: those of
 * job.watch, except PD_E_UNREACHABLE. */
int cl_live_job(struct cl_live *live, int64_t id, enum cl_live_end *end, struct pr_doc **out, pr_ref *job,
		struct pd_fail *fail);
