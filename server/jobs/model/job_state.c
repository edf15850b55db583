#include "server/jobs/model/job_state.h"

#include <string.h>

const char *sv_state_text(enum sv_state state)
{
	switch (state) {
#define X(name, text, over)                                                                                            \
	case SV_##name:                                                                                                \
		return text;
		PR_JOB_STATES(X)
#undef X
	}
	return "?";
}

bool sv_state_over(enum sv_state state)
{
	switch (state) {
#define X(name, text, over)                                                                                            \
	case SV_##name:                                                                                                \
		return over;
		PR_JOB_STATES(X)
#undef X
	}
	return false;
}

bool sv_state_parse(const char *text, enum sv_state *out)
{
#define X(name, known, over)                                                                                           \
	if (!strcmp(text, known)) {                                                                                    \
		*out = SV_##name;                                                                                      \
		return true;                                                                                           \
	}
	PR_JOB_STATES(X)
#undef X
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
