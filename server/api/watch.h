/* Watch: progress notifications, at most one per interval and job. While a client has not read what was sent, nothing
 * more is sent; it gets the newest state afterwards. The last notification, of a job that is over, is always sent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct sv_core;
struct sv_job;
struct sv_session;

struct sv_watch {
	struct sv_session *session;
	struct sv_job *job;
	uint64_t interval_ns, due_ns;
	uint64_t seen;               /* job->changes at the last notification */
	LIST_ENTRY(sv_watch) link;   /* among those of the session */
	LIST_ENTRY(sv_watch) of_job; /* among those of the job */
};

int sv_watch_add(struct sv_session *session, struct sv_job *job, double interval_s);
void sv_watch_remove(struct sv_session *session, const struct sv_job *job);
/* The job is forgotten: its watchers are notified of its end, unless they were already, and the watches end. */
void sv_watch_end(struct sv_core *core, struct sv_job *job);
/* A tick: all watches are to be visited. */
void sv_watch_tick(struct sv_core *core);
/* Visits them, session by session, until `until_ns`. True when there are more. */
bool sv_watch_go_on(struct sv_core *core, uint64_t until_ns);
