/* The level-1 table: lossless below its capacity, least work first above it; TwoBig; what was changed is taken once. */
#include "solver/numbers.h"
#include "solver/tt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"

static struct pn_entry entry(uint64_t n, uint32_t work)
{
	struct pn_entry e = {
		.id = pd_id_of(&n, sizeof n, 7), .num = {(uint32_t)n + 1, 2}, .work = work, .move = 3, .depth = 5};
	return e;
}

static bool is_there(const struct tt *t, struct pd_id id)
{
	struct pn_entry e;
	return tt_get(t, id, &e);
}

static struct pn_entry entry_of(const struct tt *t, struct pd_id id)
{
	struct pn_entry e;
	ck_assert(tt_get(t, id, &e));
	return e;
}

START_TEST(nothing_is_lost_below_capacity)
{
	struct tt t;
	ck_assert(tt_init(&t, 1 << 16, false));
	for (uint64_t i = 0; i < t.capacity; i++) {
		struct pn_entry e = entry(i, 1);
		tt_put(&t, &e);
		struct pn_entry out[256];
		if (tt_wants_host(&t))
			while (tt_take_dirty(&t, out, 256) > 0)
				;
	}
	ck_assert_uint_eq(t.used, t.capacity);
	ck_assert_uint_eq(t.replaced, 0);
	for (uint64_t i = 0; i < t.capacity; i++) {
		struct pn_entry e = entry(i, 1);
		ck_assert_uint_eq(entry_of(&t, e.id).num[0], i + 1);
	}
	struct pn_entry absent = entry(t.capacity + 5, 1);
	ck_assert(!is_there(&t, absent.id));
	tt_fini(&t);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Bytes of memory that this process has had at most since it was forked for the test. */
static size_t memory_max(void)
{
	char line[128];
	size_t kilobytes = 0;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof line, file))
		sscanf(line, "VmHWM: %zu", &kilobytes);
	if (file)
		fclose(file);
	return kilobytes << 10;
}

/* From 32 megabytes to 40. */
START_TEST(a_table_that_grows_takes_no_more_than_it_has_afterwards)
{
	struct tt t;
	struct pn_entry out[256];
	const size_t bytes = (size_t)40 << 20, before = memory_max();
	ck_assert(tt_init(&t, bytes, false));
	for (uint64_t i = 0; t.slots < t.slots_max; i++) {
		struct pn_entry e = entry(i, 1);
		tt_put(&t, &e);
		if (tt_wants_host(&t))
			while (tt_take_dirty(&t, out, 256) > 0)
				;
	}
	ck_assert_uint_eq(t.slots * sizeof *t.table, bytes);
	ck_assert_uint_lt(memory_max() - before, bytes + ((size_t)20 << 20)); /* with the dirty list */
	for (uint64_t i = 0; i < t.used; i += 1000) {
		struct pn_entry e = entry(i, 1);
		ck_assert(is_there(&t, e.id));
	}
	tt_fini(&t);
}
END_TEST
#endif

/* For want of memory: nothing is lost up to three quarters of the slots that it has, and it grows when it may again. */
START_TEST(a_table_that_may_not_grow_keeps_its_size_and_replaces_when_it_is_full)
{
	struct tt t;
	struct pn_entry out[256];
	ck_assert(tt_init(&t, 4 << 20, false));
	const uint64_t slots = t.slots, full = slots - slots / 4 - 1;
	ck_assert_uint_lt(slots, t.slots_max);
	ck_assert_uint_eq(tt_growth(&t, 0), 0);
	ck_assert_uint_eq(tt_growth(&t, slots / 2), 3 * slots * sizeof(struct pn_entry));
	ck_assert_uint_eq(tt_growth(&t, UINT64_MAX), 3 * slots * sizeof(struct pn_entry));
	t.fixed = true;
	t.shared = _i;
	for (uint64_t i = 0; i < 10 * slots; i++) {
		struct pn_entry e = entry(i, 1 + (uint32_t)(i % 50));
		tt_put(&t, &e);
		ck_assert(is_there(&t, e.id) && !t.grow_wanted);
		if (i + 1 == full) {
			ck_assert_uint_eq(t.used, full);
			ck_assert_uint_eq(t.replaced, 0);
		}
		if (tt_wants_host(&t))
			while (tt_take_dirty(&t, out, 256) > 0)
				;
	}
	tt_settle(&t);
	ck_assert_uint_eq(t.slots, slots);
	ck_assert_uint_le(t.used, slots);
	ck_assert_uint_gt(t.replaced, 0);
	t.fixed = t.shared = false;
	struct pn_entry e = entry(10 * slots, 1);
	tt_put(&t, &e);
	ck_assert_uint_eq(t.slots, 4 * slots);
	tt_fini(&t);
}
END_TEST

/* A snapshot has its entries in the order of the slots, which is that of the identities. */
START_TEST(a_snapshot_is_loaded_in_linear_time)
{
	struct tt t;
	const uint64_t entries = 300000;
	ck_assert(tt_init(&t, (size_t)32 << 20, false));
	for (uint64_t i = 0; i < entries; i++) {
		struct pn_entry e = entry(i, 1);
		e.id.lo = UINT64_MAX / entries * i + e.id.lo % 1000000;
		tt_load(&t, &e);
		ck_assert_uint_le(t.longest, 300);
		ck_assert(is_there(&t, e.id));
	}
	ck_assert_uint_eq(t.used, entries);
	ck_assert_uint_le(t.slots, t.slots_max);
	tt_fini(&t);
}
END_TEST

START_TEST(above_capacity_small_work_goes_first_and_every_entry_is_still_found_after_its_put)
{
	struct tt t;
	struct pn_entry out[256];
	ck_assert(tt_init(&t, 1 << 14, false));
	for (uint64_t i = 0; i < 16; i++) {
		struct pn_entry e = entry(i, 1000000);
		tt_put(&t, &e);
	}
	for (uint64_t i = 16; i < 100000; i++) {
		struct pn_entry e = entry(i, 1 + (uint32_t)(i % 50));
		tt_put(&t, &e);
		ck_assert(is_there(&t, e.id));
		if (tt_wants_host(&t))
			while (tt_take_dirty(&t, out, 256) > 0)
				;
	}
	for (uint64_t i = 0; i < 16; i++) {
		struct pn_entry e = entry(i, 0);
		ck_assert(is_there(&t, e.id));
	}
	ck_assert_uint_le(t.used, t.slots);
	ck_assert_uint_gt(t.replaced, 90000);
	tt_fini(&t);
}
END_TEST

START_TEST(changed_entries_are_taken_once_with_their_latest_content)
{
	struct tt t;
	struct pn_entry out[64];
	ck_assert(tt_init(&t, 1 << 14, false));
	for (unsigned round = 1; round <= 3; round++)
		for (uint64_t i = 0; i < 40; i++) {
			struct pn_entry e = entry(i, round);
			e.depth = (uint16_t)(10 - round);
			tt_put(&t, &e);
		}
	size_t first = tt_take_dirty(&t, out, 30), second = tt_take_dirty(&t, out + 30, 34);
	ck_assert_uint_eq(first + second, 40);
	ck_assert_uint_eq(tt_take_dirty(&t, out, 64), 0);
	for (unsigned i = 0; i < 30; i++) {
		ck_assert_uint_eq(out[i].work, 3);
		ck_assert_uint_eq(out[i].depth, 7);
	}
	struct pn_entry loaded = entry(1000, 1);
	tt_load(&t, &loaded);
	ck_assert_uint_eq(tt_take_dirty(&t, out, 64), 0);
	tt_fini(&t);
}
END_TEST

START_TEST(growth_keeps_entries_and_what_was_changed_and_restarts_a_snapshot)
{
	struct tt t;
	struct pn_entry out[1000];
	uint64_t cursor = 0;
	ck_assert(tt_init(&t, 4 << 20, false));
	uint64_t first = t.slots;
	for (uint64_t i = 0; i < 1000; i++) {
		struct pn_entry e = entry(i, 1);
		tt_put(&t, &e);
	}
	ck_assert_uint_eq(tt_snapshot(&t, &cursor, out, 300), 300);
	while (t.slots == first) {
		struct pn_entry e = entry(t.used, 1);
		tt_put(&t, &e);
	}
	size_t copied = 0, taken = 0, n;
	while (cursor != UINT64_MAX)
		copied += tt_snapshot(&t, &cursor, out, 1000);
	ck_assert_uint_eq(copied, t.used);
	while ((n = tt_take_dirty(&t, out, 1000)) > 0)
		taken += n;
	ck_assert_uint_eq(taken, t.used);
	for (uint64_t i = 0; i < t.used; i++) {
		struct pn_entry e = entry(i, 1);
		ck_assert_uint_eq(entry_of(&t, e.id).num[0], i + 1);
	}
	tt_fini(&t);
}
END_TEST

START_TEST(the_smallest_depth_is_kept)
{
	struct tt t;
	ck_assert(tt_init(&t, 1 << 12, false));
	struct pn_entry e = entry(1, 1);
	e.depth = 4;
	tt_put(&t, &e);
	e.depth = 9;
	e.num[0] = 77;
	tt_put(&t, &e);
	ck_assert_uint_eq(entry_of(&t, e.id).num[0], 77);
	ck_assert_uint_eq(entry_of(&t, e.id).depth, 4);
	tt_fini(&t);
}
END_TEST

START_TEST(a_snapshot_gives_every_entry_once)
{
	struct tt t;
	struct pn_entry out[17];
	ck_assert(tt_init(&t, 1 << 14, false));
	for (uint64_t i = 0; i < 300; i++) {
		struct pn_entry e = entry(i, 1);
		tt_put(&t, &e);
	}
	uint64_t cursor = 0, sum = 0;
	size_t count = 0;
	while (cursor != UINT64_MAX) {
		size_t n = tt_snapshot(&t, &cursor, out, 17);
		for (size_t i = 0; i < n; i++)
			sum += out[i].num[0];
		count += n;
	}
	ck_assert_uint_eq(count, 300);
	ck_assert_uint_eq(sum, 300 * 301 / 2);
	tt_fini(&t);
}
END_TEST

START_TEST(two_big_keeps_the_larger_tree_and_the_newest)
{
	struct tt t;
	ck_assert(tt_init(&t, 64, true));
	t.slots = 2; /* one bucket: everything collides */
	struct pn_entry big = entry(1, 100), small = entry(2, 10), bigger = entry(3, 200);
	tt_put(&t, &big);
	tt_put(&t, &small);
	ck_assert(is_there(&t, big.id));
	ck_assert(is_there(&t, small.id));
	tt_put(&t, &bigger);
	ck_assert(is_there(&t, bigger.id));
	ck_assert(is_there(&t, big.id));
	ck_assert(!is_there(&t, small.id));
	tt_put(&t, &small);
	ck_assert(is_there(&t, small.id));
	ck_assert(is_there(&t, bigger.id));
	ck_assert(!is_there(&t, big.id));
	t.slots = 4;
	tt_fini(&t);
}
END_TEST

START_TEST(damaged_entries_are_not_loaded)
{
	static const uint32_t damaged[][2] = {
		{0, 0},         {0, 1},          {1, 0},           {0, PN_INF - 1},
		{PN_INF, 1},    {1, UINT32_MAX}, {PN_INF, PN_INF}, {0, PN_INF + NUM_CUT_OFF + 1},
		{UINT32_MAX, 0}};
	static const uint32_t sound[][2] = {
		{1, 1}, {PN_INF - 1, PN_INF - 1}, {0, PN_INF}, {PN_INF + NUM_CUT_OFF, 0}, {PN_INF + 7, 0}};
	struct tt t;
	struct pn_entry e = {.id = {1, 1}, .work = 1, .move = PD_NO_MOVE}, out;
	ck_assert(tt_init(&t, 1 << 12, false));
	for (unsigned i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
		memcpy(e.num, damaged[i], sizeof e.num);
		tt_load(&t, &e);
		ck_assert(!tt_get(&t, e.id, &out));
	}
	for (unsigned i = 0; i < sizeof sound / sizeof sound[0]; i++) {
		memcpy(e.num, sound[i], sizeof e.num);
		tt_load(&t, &e);
		ck_assert(tt_get(&t, e.id, &out) && !memcmp(out.num, e.num, sizeof e.num));
	}
	e.id = (struct pd_id){0, 0};
	tt_load(&t, &e);
	ck_assert_uint_eq(tt_used(&t), 1);
	tt_fini(&t);
}
END_TEST

SUITE(table)
{
	tcase_add_test(c, nothing_is_lost_below_capacity);
	tcase_add_loop_test(c, a_table_that_may_not_grow_keeps_its_size_and_replaces_when_it_is_full, 0, 2);
	tcase_add_test(c, a_snapshot_is_loaded_in_linear_time);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(c, a_table_that_grows_takes_no_more_than_it_has_afterwards);
#endif
	tcase_add_test(c, above_capacity_small_work_goes_first_and_every_entry_is_still_found_after_its_put);
	tcase_add_test(c, changed_entries_are_taken_once_with_their_latest_content);
	tcase_add_test(c, growth_keeps_entries_and_what_was_changed_and_restarts_a_snapshot);
	tcase_add_test(c, the_smallest_depth_is_kept);
	tcase_add_test(c, a_snapshot_gives_every_entry_once);
	tcase_add_test(c, two_big_keeps_the_larger_tree_and_the_newest);
	tcase_add_test(c, damaged_entries_are_not_loaded);
}
