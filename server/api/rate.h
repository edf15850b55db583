/* Rate: how many requests a client may make in a second (proofd --rate). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sv_session;

/* Makes the session share its rate with others: *counted_ns, borrowed, is when the next request of all of them would be
 * due; NULL: no limit. Before that call the session has a rate of its own. */
void sv_rate_count_in(struct sv_session *session, uint64_t *counted_ns);
/* Counts a request; false, without counting it, if it is beyond the rate. */
bool sv_rate_allows(struct sv_session *session);
