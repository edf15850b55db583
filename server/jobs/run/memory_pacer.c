#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "server/jobs/run/memory_pacer.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "server/common/memory_bound.h"

enum {
	NODES_MIN = 64,     /* the least of a slice */
	BYTES_FIRST = 8192, /* per node, until something is measured */
	BYTES_MIN = 64,     /* per node */
	REMEMBERED = 8      /* slices over which the largest number of bytes decays */
};

/* Bytes of the thread's page faults, as if all pages were small. */
static uint64_t read_faulted(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)usage.ru_minflt * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t sv_memory_pacer_begin(struct sv_memory_pacer *pacer, uint64_t nodes, uint64_t bound, unsigned threads)
{
	PD_ASSERT(threads && nodes);
	uint64_t own = pacer->own = sv_memory_own(), most = sv_memory_quota(bound);
	if (own >= most)
		return 0;
	pacer->faulted = read_faulted();
	double share = (double)((most - own) / 2 / threads);
	double may = share / (pacer->bytes > 0 ? pacer->bytes : BYTES_FIRST);
	uint64_t most_nodes = may < NODES_MIN ? NODES_MIN : may < (double)nodes ? (uint64_t)may : nodes;
	return nodes < most_nodes ? nodes : most_nodes;
}

void sv_memory_pacer_end(struct sv_memory_pacer *pacer, uint64_t nodes)
{
	uint64_t own = sv_memory_own(), own_pages = read_faulted() - pacer->faulted;
	uint64_t grown = own > pacer->own ? own - pacer->own : 0;
	double bytes =
		(double)(grown > own_pages ? grown : own_pages) / (double)(nodes < NODES_MIN ? NODES_MIN : nodes);
	double before = pacer->bytes - pacer->bytes / REMEMBERED;
	pacer->bytes = bytes > before ? bytes : before;
	if (pacer->bytes < BYTES_MIN)
		pacer->bytes = BYTES_MIN;
}

bool sv_memory_pacer_holds(const struct sv_memory_pacer *pacer, uint64_t growth, uint64_t bound)
{
	return growth && pacer->own + growth >= sv_memory_quota(bound);
}

void sv_memory_pacer_wait(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}
