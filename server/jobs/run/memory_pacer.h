/* Pacer: a search takes memory no faster than it can be told to stop.
 *
 * The quota (quota.h) looks at the memory of the process five times a second; a search with an empty table can take
 * hundreds of megabytes in that time. So each search thread asks before each slice how many nodes it may search: no
 * more than would take its share of half of the memory that is left below the quota, by what its last slices took for
 * a node. That is the greater of two measures: the thread's page faults, which count a huge page as a small one, and
 * the growth of the whole process, which counts what other threads took meanwhile as well. At the quota all searches
 * stand still until the writer has put one of them on hold. Far from it no slice becomes shorter.
 *
 * The tables of a search grow in steps, each of which takes memory at once. Before each slice its leader says how much
 * that would be; where the next step does not fit below the quota, next to those of the jobs before it, the tables keep
 * their size for now: full, they lose entries as they do at their largest (pn_solver_hold). */
#ifndef SV_MEMORY_PACER_H
#define SV_MEMORY_PACER_H

#include <stdbool.h>
#include <stdint.h>

/* One search thread's; all zero at first. */
struct sv_memory_pacer {
	uint64_t own, faulted; /* bytes of the process, and of the thread's page faults, when the slice began */
	double bytes;          /* taken for a node, of late */
};

/* How many of `nodes` the calling thread may search now, which is one of `threads`; 0: it stands still. `bound`: bytes
 * that the process may have. */
uint64_t sv_memory_pacer_begin(struct sv_memory_pacer *pacer, uint64_t nodes, uint64_t bound, unsigned threads);
/* That many were searched, in fact, by the same thread. */
void sv_memory_pacer_end(struct sv_memory_pacer *pacer, uint64_t nodes);
/* After sv_memory_pacer_begin: whether tables that take that many bytes at once are to keep their size. */
bool sv_memory_pacer_holds(const struct sv_memory_pacer *pacer, uint64_t growth, uint64_t bound);
/* What a thread that stands still does before it asks again: waits 5 ms. */
void sv_memory_pacer_wait(void);

#endif
