/* Brake: a search takes memory no faster than it can be told to stop.
 *
 * The quota (quota.h) looks at the memory of the process five times a second; a search with an empty table can take
 * hundreds of megabytes in that time. So each search thread asks before each slice how many nodes it may search: no
 * more than would take its share of half of the memory that is left below the quota, by the pages that its last slices
 * took for the first time. At the quota all searches stand still until the writer has put one of them on hold. Far from
 * it no slice becomes shorter. */
#ifndef SV_BRAKE_H
#define SV_BRAKE_H

#include <stdint.h>

/* One search thread's; all zero at first. */
struct sv_brake {
	uint64_t faults; /* page faults of the thread when the slice began */
	double pages;    /* taken for a node, of late */
};

/* How many of `nodes` the calling thread may search now, which is one of `threads`; 0: it stands still. `bound`: bytes
 * that the process may have. */
uint64_t sv_brake_begin(struct sv_brake *brake, uint64_t nodes, uint64_t bound, unsigned threads);
/* That many were searched, by the same thread. */
void sv_brake_end(struct sv_brake *brake, uint64_t nodes);
/* What a thread that stands still does before it asks again: waits 5 ms. */
void sv_brake_wait(void);

#endif
