#include "store/map_size.h"

#include <sys/resource.h>

#include "proto/base/assert.h"

#define MIB    (UINT64_C(1) << 20)
#define ROOM   (64 * MIB) /* the least room to grow for a file */
#define SHARES 6          /* of the address space: one for each map */

static uint64_t address_space(void)
{
	struct rlimit limit;
	bool limited = !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY;
	return limited ? limit.rlim_cur : UINT64_MAX;
}

static uint64_t whole_mib(uint64_t bytes)
{
	return (bytes + MIB - 1) / MIB * MIB;
}

struct st_map_sizes st_map_sizes_within(uint64_t file_bytes, uint64_t limit)
{
	struct st_map_sizes sizes;
	sizes.least = whole_mib(file_bytes + ROOM);
	sizes.first = limit == UINT64_MAX ? ST_MAP_MAX : limit / SHARES / MIB * MIB;
	if (sizes.first < whole_mib(file_bytes + file_bytes / 8 + ROOM))
		sizes.first = whole_mib(file_bytes + file_bytes / 8 + ROOM);
	PD_ASSERT(sizes.least <= sizes.first);
	return sizes;
}

struct st_map_sizes st_map_sizes(uint64_t file_bytes)
{
	return st_map_sizes_within(file_bytes, address_space());
}

uint64_t st_map_next(const struct st_map_sizes *sizes, uint64_t size)
{
	if (size <= sizes->least)
		return 0;
	size = size / 2 / MIB * MIB;
	return size > sizes->least ? size : sizes->least;
}

int st_map_fail(const char *dir, const char *name, uint64_t file_bytes, struct pd_fail *fail)
{
	uint64_t limit = address_space(), needed = whole_mib(file_bytes + ROOM);
	if (limit == UINT64_MAX)
		return pd_fail_set(fail, PD_E_NO_MEMORY, name, "no address space for the map of %s/%s, of %llu MiB",
				   dir, name, (unsigned long long)(needed / MIB));
	return pd_fail_set(
		fail, PD_E_NO_MEMORY, name,
		"the map of %.200s/%s takes %llu MiB of address space, and RLIMIT_AS (ulimit -v) allows %llu "
		"MiB for all that this process has",
		dir, name, (unsigned long long)(needed / MIB), (unsigned long long)(limit / MIB));
}
