/* Records of the store: the first byte says which. What decodes encodes to the same bytes. */
#include <string.h>

#include "proto/base/bytes.h"
#include "store/block.h"
#include "store/pack.h"
#include "store/record.h"
#include "store/store.h"
#include "store/tt_state.h"
#include "store/wal.h"
#include "tests/fuzz/fuzz.h"

static void fact(const uint8_t *data, size_t size)
{
	struct pd_fact f;
	pd_fact_init(&f);
	if (!st_fact_decode(data, size, &f)) {
		uint8_t *again = malloc(st_fact_packed_most(&f) + 1);
		FUZZ_CHECK(again && st_fact_pack(again, &f) <= st_fact_packed_most(&f));
		if (st_fact_canonical(data, size))
			FUZZ_CHECK(st_fact_sound(&f) && st_fact_pack(again, &f) == size && !memcmp(again, data, size));
		free(again);
	}
	pd_fact_fini(&f);
}

static void decode_entries(const uint8_t *p, size_t size)
{
	const uint8_t *end = p + size, *next;
	uint8_t entry[ST_ENTRY], again[ST_ENTRY_PACKED_MAX];
	while (p && p < end && (next = st_entry_unpack(p, end, entry)) != NULL) {
		FUZZ_CHECK(next > p && next <= end);
		FUZZ_CHECK(st_entry_pack(again, entry) - again == next - p && !memcmp(again, p, (size_t)(next - p)));
		p = next;
	}
}

static void log_records(const uint8_t *data, size_t size)
{
	struct st_block_view view = {.p = data, .end = data + size, .count = UINT32_MAX};
	struct st_wal_record record = {.key_size = 0};
	while (view.p && view.p < view.end && st_wal_next(&view, &record)) {
		FUZZ_CHECK(record.key_size > 4 && record.key_size <= ST_DB_KEY_MAX);
		FUZZ_CHECK(record.reason.side <= PD_HI);
	}
}

static void block(const uint8_t *data, size_t size)
{
	struct st_block_view view;
	for (unsigned type = 0; type < 3; type++)
		if (st_block_open(data, size, (enum st_block_type) "JSF"[type], "key", 3, &view))
			FUZZ_CHECK(view.p <= view.end && view.end == data + size);
}

static void state(const uint8_t *data, size_t size)
{
	struct st_tt_state s;
	uint8_t again[ST_TT_STATE];
	if (!st_tt_state_unpack(data, size, &s))
		return;
	st_tt_state_pack(again, &s);
	FUZZ_CHECK(!memcmp(again, data, size));
}

FUZZ(record)
{
	static void (*const kinds[])(const uint8_t *data, size_t size) = {fact, decode_entries, log_records, block,
									  state};
	if (size < 1)
		return 0;
	/* A copy of exactly this size, so that a sanitizer sees every byte too many that is read. */
	uint8_t *copy = malloc(size);
	FUZZ_CHECK(copy);
	memcpy(copy, data + 1, size - 1);
	kinds[data[0] % (sizeof kinds / sizeof *kinds)](copy, size - 1);
	free(copy);
	return 0;
}
