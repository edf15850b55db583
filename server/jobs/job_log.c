#include "server/jobs/job_log.h"

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { LINES_MAX = 50, PERIOD_NS = 1000000000 };

void sv_job_log_end(struct sv_job_log *log)
{
	if (log->left_out)
		pd_log(PD_LOG_INFO, "%u more lines about jobs were left out: too many in a second", log->left_out);
	log->left_out = 0;
}

/* Whether there is room for one more line. */
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

static void tell_end(const struct sv_job *job, const char *how)
{
	const struct pn_progress *p = &job->progress;
	char value[64] = "nothing is known";
	if (p->lo != INT16_MIN || p->hi != INT16_MAX)
		game_value_text(game_words_named(job->spec.game),
				(struct game_interval){job->spec.value_min, job->spec.value_max},
				(struct game_interval){p->lo, p->hi}, value, sizeof value);
	pd_log(PD_LOG_INFO, "job %u (%s, %s) %s%s%s: %s, %.3f s, %llu nodes", job->id, job->spec.game,
	       job->spec.claim.text, how, job->reason[0] ? ": " : "", job->reason, value, job->seconds,
	       (unsigned long long)(p->level1 + p->level2));
}

static void tell(const struct sv_job *job, enum pd_log_level level, const char *what, const char *why)
{
	pd_log(level, "job %u (%s, %s) %s%s%s", job->id, job->spec.game, job->spec.claim.text, what, *why ? ": " : "",
	       why);
}

void sv_job_log_submitted(struct sv_job_log *log, const struct sv_job *job)
{
	if (has_room(log))
		tell(job, PD_LOG_INFO, "is submitted", "");
}

void sv_job_log_moved(struct sv_job_log *log, const struct sv_job *job, enum sv_state from)
{
	if (job->state == from || !has_room(log))
		return;
	switch (job->state) {
	case SV_QUEUED:
		tell(job, PD_LOG_INFO, "is queued again", job->reason);
		break;
	case SV_RUNNING:
		tell(job, PD_LOG_INFO,
		     job->restarted ? "goes on after a restart of the server"
		     : job->resumed ? "goes on"
				    : "starts",
		     "");
		break;
	case SV_PAUSED:
		tell(job, PD_LOG_INFO, "is paused", job->reason);
		break;
	case SV_SOLVED:
		tell_end(job, "is solved");
		break;
	case SV_EXHAUSTED:
		tell_end(job, "ends unanswered");
		break;
	case SV_CANCELLED:
		tell(job, PD_LOG_INFO, "is cancelled", "");
		break;
	case SV_FAILED:
		tell(job, PD_LOG_WARN, "has failed", job->reason);
		break;
	}
}
