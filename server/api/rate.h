/* Rate: how many requests a client may make in a second (proofd --rate). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sv_session;

/* The session's calls count with those of other sessions: when the next request of all of them would be due (borrowed;
 * NULL: they do not count). At first they count by themselves. */
void sv_rate_count_in(struct sv_session *session, uint64_t *counted_ns);
/* Counts a request; false, and does not, if it is beyond the rate. */
bool sv_rate_allows(struct sv_session *session);
