#include "server/jobs/model/job_state.h"

#include <string.h>

static const struct {
	const char *text;
	bool over;
} states[SV_STATE_COUNT] = {
#define X(name, text, over) {text, over},
	PR_JOB_STATES(X)
#undef X
};

const char *sv_state_text(enum sv_state state)
{
	return states[state].text;
}

bool sv_state_over(enum sv_state state)
{
	return states[state].over;
}

bool sv_state_parse(const char *text, enum sv_state *out)
{
	for (unsigned i = 0; i < SV_STATE_COUNT; i++)
		if (!strcmp(text, states[i].text)) {
			*out = (enum sv_state)i;
			return true;
		}
	return false;
}

bool sv_arrow(enum sv_state from, enum sv_state to)
{
	switch (from) {
	case SV_QUEUED:
		return to == SV_RUNNING || to == SV_PAUSED || to == SV_CANCELLED || to == SV_FAILED;
	case SV_RUNNING:
		return to != SV_RUNNING;
	case SV_PAUSED:
	case SV_EXHAUSTED:
	case SV_FAILED:
		return to == SV_QUEUED || to == SV_CANCELLED;
	case SV_SOLVED:
	case SV_CANCELLED:
		return false;
	}
	return false;
}
