#include "server/jobs/model/job_log.h"

#include <stdio.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/jobs/model/job_print.h"

enum { LINES_MAX = 50, PERIOD_NS = 1000000000 };

void sv_job_log_end(struct sv_job_log *log)
{
	if (log->left_out)
		pd_log(PD_LOG_INFO, "%u more lines about jobs were left out: too many in one second", log->left_out);
	log->left_out = 0;
}

static bool has_room(struct sv_job_log *log)
{
	uint64_t now = pd_now_ns();
	if (now - log->start_ns >= PERIOD_NS) {
		sv_job_log_end(log);
		log->start_ns = now;
		log->lines = 0;
	}
	bool room = log->lines < LINES_MAX;
	log->lines += room;
	log->left_out += !room;
	return room;
}

void sv_job_log_tick(struct sv_job_log *log)
{
	if (log->left_out && pd_now_ns() - log->start_ns >= PERIOD_NS)
		sv_job_log_end(log);
}

static struct pd_log_event make_event(const struct sv_job *job, const char *word, const char *why)
{
	return (struct pd_log_event){word, job->record.id, job->record.spec.game, job->record.spec.claim.text, why};
}

/* `how` follows the event; "" for nothing. */
static void log_event(const struct sv_job *job, enum pd_log_level level, struct pd_log_event event, const char *how)
{
	bool why = event.reason && event.reason[0];
	pd_log_event(level, &event, "job %u (%s, %s) %s%s%s%s", job->record.id, job->record.spec.game,
		     job->record.spec.claim.text, event.event, how, why ? ": " : "", why ? event.reason : "");
}

static void log_end(const struct sv_job *job, const char *word)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	const struct pd_log_event event = make_event(job, word, job->record.reason);
	char value[64];
	sv_job_value_text(job, value, sizeof value);
	pd_log_event(PD_LOG_INFO, &event, "job %u (%s, %s) %s%s%s: %s, %.3f s, %llu nodes", job->record.id,
		     job->record.spec.game, job->record.spec.claim.text, word, job->record.reason[0] ? ": " : "",
		     job->record.reason, value[0] ? value : "nothing is known", job->run.snapshot.seconds,
		     (unsigned long long)(p->level1 + p->level2));
}

void sv_job_log_submitted(struct sv_job_log *log, const struct sv_job *job)
{
	if (has_room(log))
		log_event(job, PD_LOG_INFO, make_event(job, "submitted", NULL), "");
}

static void log_begin(const struct sv_job *job)
{
	log_event(job, PD_LOG_INFO, make_event(job, job->run.begin == SV_BEGIN_FIRST ? "started" : "resumed", NULL),
		  job->run.begin != SV_BEGIN_RESTARTED ? ""
		  : job->record.crashes                ? " after a crash"
						       : " after a restart");
}

void sv_job_log_moved(struct sv_job_log *log, const struct sv_job *job, enum sv_state from)
{
	enum sv_state to = job->record.state;
	if (to == from || !has_room(log))
		return;
	if (to == SV_RUNNING)
		log_begin(job);
	else if (to == SV_SOLVED || to == SV_EXHAUSTED)
		log_end(job, sv_state_text(to));
	else
		log_event(job, to == SV_FAILED ? PD_LOG_WARN : PD_LOG_INFO,
			  make_event(job, sv_state_text(to), to == SV_CANCELLED ? NULL : job->record.reason),
			  to == SV_QUEUED ? " again" : "");
}

void sv_job_log_trouble(const struct sv_job *job, const char *why)
{
	char reason[240];
	snprintf(reason, sizeof reason, "a checkpoint cannot be written for now: %.190s", why);
	log_event(job, PD_LOG_ERROR, make_event(job, "paused", reason), "");
}

void sv_job_log_trouble_over(const struct sv_job *job)
{
	log_event(job, PD_LOG_INFO, make_event(job, "resumed", "its checkpoint is written"), "");
}
