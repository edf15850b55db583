#include "server/api/rate.h"

#include "proto/base/clock.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"

#define SECOND_NS UINT64_C(1000000000)

void sv_rate_count_in(struct sv_session *session, uint64_t *counted_ns)
{
	session->counted_ns = counted_ns;
}

bool sv_rate_allows(struct sv_session *session)
{
	uint64_t rate = sv_config(session->core)->rate, *due = session->counted_ns;
	if (!rate || !due)
		return true;
	uint64_t now = pd_now_ns();
	if (*due > now + SECOND_NS - SECOND_NS / rate)
		return false;
	*due = (*due > now ? *due : now) + SECOND_NS / rate;
	return true;
}
