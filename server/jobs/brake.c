#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "server/jobs/brake.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "server/jobs/memory_bound.h"

enum {
	NODES_MIN = 64,   /* that a slice has in any case */
	PAGES_FIRST = 2,  /* taken for a node, as long as nothing was measured */
	PAGES_PARTS = 64, /* the least that is reckoned with is one page for that many nodes */
	REMEMBERED = 8    /* slices in which the greatest number of pages counts */
};

static uint64_t faults(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)usage.ru_minflt;
}

uint64_t sv_brake_begin(struct sv_brake *brake, uint64_t nodes, uint64_t bound, unsigned threads)
{
	PD_ASSERT(threads && nodes);
	uint64_t own = sv_memory_own(), most = sv_memory_quota(bound);
	if (own >= most)
		return 0;
	brake->faults = faults();
	double pages = (double)((most - own) / 2 / (uint64_t)sysconf(_SC_PAGESIZE) / threads);
	double may = pages / (brake->pages > 0 ? brake->pages : PAGES_FIRST);
	uint64_t most_nodes = may < NODES_MIN ? NODES_MIN : may < (double)nodes ? (uint64_t)may : nodes;
	return nodes < most_nodes ? nodes : most_nodes;
}

void sv_brake_end(struct sv_brake *brake, uint64_t nodes)
{
	double pages = nodes ? (double)(faults() - brake->faults) / (double)nodes : 0;
	double before = brake->pages - brake->pages / REMEMBERED;
	brake->pages = pages > before ? pages : before;
	if (brake->pages < 1.0 / PAGES_PARTS)
		brake->pages = 1.0 / PAGES_PARTS;
}

void sv_brake_wait(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}
