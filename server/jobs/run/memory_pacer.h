/* Memory pacer: no search takes memory faster than it can be stopped.
 *
 * The quota (queue/quota.h) measures five times a second; a search with an empty table can take hundreds of megabytes
 * in that time. So each search thread asks before each slice how many nodes it may search: at most its share of half
 * of the memory left below the quota, at the bytes per node of its last slices. That is the larger of two measures:
 * the thread's page faults, which count a huge page as a small one, and the growth of the whole process, which
 * includes other threads. At the quota all searches stand still until one of them is put on hold. Far from it no slice
 * is shorter.
 *
 * Tables grow in steps. Before each slice the leader says how many bytes the next step takes; where that does not
 * fit below the quota, next to the steps of older jobs, the tables keep their size and, once full, lose entries
 * (pn_solver_hold). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One search thread's; all zero at first. */
struct sv_memory_pacer {
	uint64_t own, faulted; /* bytes of the process, and of the thread's page faults, when the slice began */
	double bytes;          /* taken per node, recent maximum */
};

/* How many of `nodes` the calling thread, one of `threads`, may search now; 0: it must wait. `bound`: bytes that the
 * process may have. */
uint64_t sv_memory_pacer_begin(struct sv_memory_pacer *pacer, uint64_t nodes, uint64_t bound, unsigned threads);
/* The same thread has searched `nodes` nodes. */
void sv_memory_pacer_end(struct sv_memory_pacer *pacer, uint64_t nodes);
/* After sv_memory_pacer_begin: whether tables that take that many bytes at once are to keep their size. */
bool sv_memory_pacer_holds(const struct sv_memory_pacer *pacer, uint64_t growth, uint64_t bound);
/* Waits 5 ms, after which a thread that must wait asks again. */
void sv_memory_pacer_wait(void);
