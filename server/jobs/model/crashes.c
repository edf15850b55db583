#include "server/jobs/model/crashes.h"

bool sv_run_cleared(const struct sv_witness *w)
{
	return w->searched_ns >= SV_CLEARED_S * UINT64_C(1000000000) || (w->after > w->before && !w->memory_short);
}

unsigned sv_crashes_next(unsigned noted, bool stopped_cleanly)
{
	if (stopped_cleanly)
		return 0;
	return noted < SV_CRASHES_FAILED ? noted + 1 : SV_CRASHES_FAILED;
}
