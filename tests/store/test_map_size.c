/* Map sizes: what is tried for files of all sizes under limits of all sizes. */
#include <sys/resource.h>

#include "store/map_size.h"
#include "tests/support/suite.h"

#define MIB UINT64_C(1048576)
#define GIB (1024 * MIB)

START_TEST(sizes_fit_and_leave_room_to_grow)
{
	static const uint64_t files[] = {0, 1, 100 * MIB, 8 * GIB, 900 * GIB}, limits[] = {1 * GIB, 2 * GIB, 48 * GIB};
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 4; k++) {
			uint64_t limit = k < 3 ? limits[k] : UINT64_MAX, tried = 0;
			struct st_map_sizes sizes = st_map_sizes_within(files[i], limit);
			ck_assert_uint_ge(sizes.least, files[i] + 64 * MIB);
			ck_assert(k < 3 || sizes.first >= ST_MAP_MAX);
			ck_assert(sizes.first <= limit / 6 || sizes.first >= files[i] + files[i] / 8 + 64 * MIB);
			for (uint64_t size = sizes.first; size; size = st_map_next(&sizes, size)) {
				ck_assert_uint_eq(size % MIB, 0);
				ck_assert(size >= sizes.least && (!tried || size < tried));
				tried = size;
			}
			ck_assert_uint_eq(tried, sizes.least);
		}
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* whose own maps are larger than the limit */
START_TEST(the_limit_of_the_process_counts)
{
	const struct rlimit limit = {12 * GIB, 12 * GIB};
	struct pd_fail fail;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0); /* each case is a process */
	ck_assert_uint_eq(st_map_sizes(0).first, 2 * GIB);
	ck_assert_int_eq(st_map_fail("dir", "facts.mdb", 20 * GIB, &fail), PD_E_NO_MEMORY);
	ck_assert_str_eq(fail.field, "facts.mdb");
	ck_assert_str_eq(fail.text, "the map of dir/facts.mdb takes 20544 MiB of address space, and RLIMIT_AS (ulimit "
				    "-v) allows 12288 MiB for all that this process has");
}
END_TEST
#endif

SUITE(map_size)
{
	tcase_add_test(c, sizes_fit_and_leave_room_to_grow);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(c, the_limit_of_the_process_counts);
#endif
}
