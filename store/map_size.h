/* Map size: how much address space the map of a data file gets.
 *
 * Without a limit on the address space (RLIMIT_AS, `ulimit -v`) that is ST_MAP_MAX: it costs nothing, and the map is
 * never full. With a limit, as batch systems set one, each map gets a sixth of it: two are for a directory that is
 * open, two more for one that is copied, the rest for all else. A file that needs more than that gets what it has and
 * some room to grow. Where that does not fit, the error names the limit and both sizes. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

#define ST_MAP_MAX (UINT64_C(1) << 40)

/* From the one to be tried first down to the least that is of use, in bytes. */
struct st_map_sizes {
	uint64_t first, least;
};

/* For a file of that many bytes. */
struct st_map_sizes st_map_sizes(uint64_t file_bytes);
/* The same under a limit; UINT64_MAX: none. */
struct st_map_sizes st_map_sizes_within(uint64_t file_bytes, uint64_t limit);
/* The size to be tried after one for which there was no room; 0: none. */
uint64_t st_map_next(const struct st_map_sizes *sizes, uint64_t size);
/* PD_E_NO_MEMORY: there is no room for the map of DIR/NAME. */
int st_map_fail(const char *dir, const char *name, uint64_t file_bytes, struct pd_fail *fail);
