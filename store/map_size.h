/* Map size: how much address space the map of a data file gets.
 *
 * Without a limit on the address space (RLIMIT_AS, `ulimit -v`) a map gets ST_MAP_MAX: it costs nothing, and the map is
 * never full. With a limit, as batch systems set, each map gets a sixth of it: two maps for the open directory, two
 * more for a copy, the rest for everything else. A larger file gets its size and some room to grow. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

#define ST_MAP_MAX (UINT64_C(1) << 40)

/* Bytes: the size to try first, and the least useful one. */
struct st_map_sizes {
	uint64_t first, least;
};

/* For a file of that many bytes. */
struct st_map_sizes st_map_sizes(uint64_t file_bytes);
/* The same under a limit; UINT64_MAX: none. */
struct st_map_sizes st_map_sizes_within(uint64_t file_bytes, uint64_t limit);
/* The size to try after one that did not fit; 0: none. */
uint64_t st_map_next(const struct st_map_sizes *sizes, uint64_t size);
/* PD_E_NO_MEMORY: there is no room for the map of DIR/NAME. */
int st_map_fail(const char *dir, const char *name, uint64_t file_bytes, struct pd_fail *fail);
