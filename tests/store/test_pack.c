/* What is packed comes back, byte for byte; what was cut or damaged is refused and never overrun. */
#include "store/pack.h"

#include <stdlib.h>
#include <string.h>

#include "store/block.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

START_TEST(entries_come_back)
{
	uint64_t random = 1;
	for (unsigned n = 0; n < 2000; n++) {
		uint8_t entry[ST_ENTRY], back[ST_ENTRY], packed[ST_ENTRY_PACKED_MAX];
		for (unsigned i = 0; i < ST_ENTRY; i++)
			entry[i] = model_random(&random, 2) ? (uint8_t)model_random(&random, 256) : 0;
		uint8_t *end = st_entry_pack(packed, entry);
		ck_assert(end <= packed + sizeof packed);
		ck_assert_ptr_eq(st_entry_unpack(packed, end, back), end);
		ck_assert_mem_eq(entry, back, sizeof entry);
		for (const uint8_t *cut = packed; cut < end; cut++)
			ck_assert_ptr_null(st_entry_unpack(packed, cut, back));
	}
}
END_TEST

START_TEST(a_zero_that_was_packed_is_refused)
{
	uint8_t packed[ST_ENTRY_ID + 3] = {[ST_ENTRY_ID] = 1}, back[ST_ENTRY];
	ck_assert_ptr_null(st_entry_unpack(packed, packed + sizeof packed, back));
}
END_TEST

START_TEST(reasons_come_back_at_their_limits)
{
	static const struct pd_reason reasons[] = {
		{.bound = 0, .side = PD_LO, .rank = 1, .move = PD_NO_MOVE},
		{.bound = INT16_MIN,
		 .side = PD_HI,
		 .rank = PD_RANK_MAX,
		 .move = 0,
		 .effort = UINT32_MAX,
		 .job = UINT32_MAX},
		{.bound = INT16_MAX, .side = PD_LO, .rank = 127, .move = 0xfffe, .effort = 1, .job = 1},
		{.bound = 7, .side = PD_HI, .rank = 128, .move = 127},
		{.bound = -8, .side = PD_LO, .rank = 1, .move = 128},
		{.bound = 1, .side = PD_LO, .rank = 9, .move = 5, .job = 3, .dominated = 1},
		{.bound = 1, .side = PD_HI, .rank = PD_RANK_NONE, .move = PD_NO_MOVE, .dominated = UINT64_MAX},
	};
	for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		uint8_t packed[ST_REASON_PACKED_MAX];
		struct pd_reason back;
		uint8_t *end = st_reason_pack(packed, &reasons[i]);
		ck_assert(end <= packed + sizeof packed);
		ck_assert_ptr_eq(st_reason_unpack(packed, end, &back), end);
		struct pd_fact a = {.count = 1, .few = {back}}, b = {.count = 1, .few = {reasons[i]}};
		ck_assert(model_same(&a, &b));
		for (const uint8_t *cut = packed; cut < end; cut++)
			ck_assert_ptr_null(st_reason_unpack(packed, cut, &back));
	}
}
END_TEST

START_TEST(a_usual_reason_takes_six_bytes)
{
	struct pd_reason r = {.bound = 1, .side = PD_LO, .rank = 17, .move = 3, .effort = 900, .job = 1};
	uint8_t packed[ST_REASON_PACKED_MAX];
	ck_assert_int_eq(st_reason_pack(packed, &r) - packed, 6);
}
END_TEST

START_TEST(facts_come_back)
{
	uint64_t random = 3;
	for (uint32_t k = 0; k < 500; k++) {
		struct pd_fact fact = {0}, back = {0};
		struct st_packed packed;
		for (unsigned i = 0; i < 60; i++) {
			struct pd_reason r = model_reason(1, k, &random);
			ck_assert_int_ne(pd_fact_add(&fact, &r), -1);
		}
		ck_assert(st_packed_make(&packed, &fact));
		ck_assert_int_eq(st_fact_decode(packed.bytes, packed.size, &back), PD_OK);
		ck_assert(model_same(&fact, &back));
		ck_assert(st_fact_sound(&fact));
		st_packed_fini(&packed);
		pd_fact_fini(&fact);
		pd_fact_fini(&back);
	}
}
END_TEST

START_TEST(random_bytes_are_read_without_harm)
{
	uint64_t random = 5;
	for (unsigned n = 0; n < 200000; n++) {
		size_t size = model_random(&random, 40);
		uint8_t *bytes = malloc(size + 1), entry[ST_ENTRY]; /* on the heap, where a sanitizer sees the end */
		struct pd_fact fact = {0};
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)model_random(&random, 256);
		if (!st_fact_decode(bytes, size, &fact))
			st_fact_sound(&fact);
		pd_fact_fini(&fact);
		st_entry_unpack(bytes, bytes + size, entry);
		free(bytes);
	}
}
END_TEST

START_TEST(a_contradictory_fact_is_not_sound)
{
	struct pd_fact fact = {.count = 2,
			       .few = {{.side = PD_LO, .bound = 1, .rank = 3}, {.side = PD_HI, .bound = 0, .rank = 3}}};
	ck_assert(!st_fact_sound(&fact));
	fact.few[1].bound = 1;
	ck_assert(st_fact_sound(&fact));
}
END_TEST

START_TEST(every_flipped_bit_of_a_block_is_found)
{
	struct st_block block;
	struct st_block_view view;
	st_block_reset(&block);
	memset(block.data + block.size, 7, 100);
	block.size += 100;
	block.count = 3;
	st_block_seal(&block, ST_BLOCK_JOURNAL, "key", 3);
	ck_assert(st_block_open(block.data, block.size, ST_BLOCK_JOURNAL, "key", 3, &view));
	ck_assert_uint_eq(view.count, 3);
	ck_assert(!st_block_open(block.data, block.size, ST_BLOCK_SNAPSHOT, "key", 3, &view));
	ck_assert(!st_block_open(block.data, block.size, ST_BLOCK_JOURNAL, "kez", 3, &view));
	ck_assert(!st_block_open(block.data, block.size - 1, ST_BLOCK_JOURNAL, "key", 3, &view));
	for (unsigned bit = 0; bit < 8 * block.size; bit++) {
		block.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert(!st_block_open(block.data, block.size, ST_BLOCK_JOURNAL, "key", 3, &view));
		block.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
END_TEST

SUITE(pack)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, entries_come_back);
	tcase_add_test(c, a_zero_that_was_packed_is_refused);
	tcase_add_test(c, reasons_come_back_at_their_limits);
	tcase_add_test(c, a_usual_reason_takes_six_bytes);
	tcase_add_test(c, facts_come_back);
	tcase_add_test(c, random_bytes_are_read_without_harm);
	tcase_add_test(c, a_contradictory_fact_is_not_sound);
	tcase_add_test(c, every_flipped_bit_of_a_block_is_found);
}
