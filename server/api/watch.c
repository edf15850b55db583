#include "server/api/watch.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/api/request.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/jobs/model/job.h"
#include "server/jobs/model/job_print.h"

enum { WATCHES_MAX = 1000 }; /* of one session */

int sv_watch_add(struct sv_session *session, struct sv_job *job, double interval_s)
{
	struct sv_watch *watch;
	unsigned count = 0;
	LIST_FOREACH(watch, &session->watches, link) {
		if (watch->job == job)
			break;
		count++;
	}
	if (!watch) {
		if (count >= WATCHES_MAX)
			return PD_E_LIMIT;
		watch = calloc(1, sizeof *watch);
		if (!watch)
			return PD_E_NO_MEMORY;
		watch->session = session;
		watch->job = job;
		LIST_INSERT_HEAD(&session->watches, watch, link);
		LIST_INSERT_HEAD(&job->calls.watchers, watch, of_job);
	}
	PD_ASSERT(interval_s > 0 && watch->job == job);
	watch->interval_ns = (uint64_t)(interval_s * 1e9);
	watch->due_ns = pd_now_ns() + watch->interval_ns;
	watch->seen = UINT64_MAX;
	return PD_OK;
}

static void watch_free(struct sv_watch *watch)
{
	LIST_REMOVE(watch, link);
	LIST_REMOVE(watch, of_job);
	free(watch);
}

void sv_watch_remove(struct sv_session *session, const struct sv_job *job)
{
	struct sv_watch *watch;
	LIST_FOREACH(watch, &session->watches, link)
		if (watch->job == job) {
			watch_free(watch);
			return;
		}
}

/* False without memory: the next tick tries again. */
static bool send_progress(struct sv_session *session, const char *json, size_t size)
{
	struct pd_buf line;
	pd_buf_init(&line, PR_REPLY_MAX);
	pr_notify(&line, "job.progress", json, size);
	bool good = !line.failed;
	if (good)
		session->sink.send(session->sink.ctx, line.data, line.size);
	pd_buf_fini(&line);
	return good;
}

/* True when there will be nothing more to report. */
static bool notify_watch(struct sv_session *session, struct sv_watch *watch, uint64_t now, uint64_t disk)
{
	struct sv_core *core = session->core;
	struct sv_job *job = watch->job;
	struct pd_buf json;
	struct pr_out out;
	PD_ASSERT(job && !sv_locked(core));
	pd_buf_init(&json, PR_REPLY_MAX);
	sv_lock(core);
	bool over = sv_state_over(job->record.state) && !sv_job_owned(job);
	bool due = over || (now >= watch->due_ns && job->run.changes != watch->seen);
	uint64_t changes = job->run.changes;
	if (due) {
		pr_out_init(&out, &json);
		sv_job_print(job, disk, over, &out);
	}
	sv_unlock(core);
	bool told = due && !json.failed && send_progress(session, json.data, json.size);
	if (told) {
		watch->seen = changes;
		watch->due_ns = now + watch->interval_ns;
	}
	pd_buf_fini(&json);
	return told && over;
}

void sv_watch_end(struct sv_core *core, struct sv_job *job)
{
	struct sv_watch *watch;
	uint64_t disk = LIST_EMPTY(&job->calls.watchers) ? 0 : sv_disk_bytes(core);
	while ((watch = LIST_FIRST(&job->calls.watchers)) != NULL) {
		PD_ASSERT(watch->job == job);
		notify_watch(watch->session, watch, pd_now_ns(), disk);
		watch_free(watch);
	}
}

void sv_watch_tick(struct sv_core *core)
{
	struct sv_session *session;
	sv_sessions(core)->watch_round = 0;
	TAILQ_FOREACH(session, &sv_sessions(core)->list, link)
		sv_sessions(core)->watch_round++;
}

bool sv_watch_go_on(struct sv_core *core, uint64_t until_ns)
{
	uint64_t now = pd_now_ns(), disk = sv_sessions(core)->watch_round ? sv_disk_bytes(core) : 0;
	for (; sv_sessions(core)->watch_round && now <= until_ns; sv_sessions(core)->watch_round--) {
		struct sv_session *session = TAILQ_FIRST(&sv_sessions(core)->list);
		if (!session)
			break;
		TAILQ_REMOVE(&sv_sessions(core)->list, session, link);
		TAILQ_INSERT_TAIL(&sv_sessions(core)->list, session, link);
		struct sv_watch *watch = LIST_FIRST(&session->watches);
		while (watch && !session->sink.backlog(session->sink.ctx)) {
			struct sv_watch *next = LIST_NEXT(watch, link);
			if (notify_watch(session, watch, now, disk))
				watch_free(watch);
			watch = next;
		}
		now = pd_now_ns();
	}
	if (TAILQ_EMPTY(&sv_sessions(core)->list))
		sv_sessions(core)->watch_round = 0;
	return sv_sessions(core)->watch_round;
}
