#define _GNU_SOURCE /* qsort_r */
#include "server/proofs/certificates/export_records.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"

enum { ROOM_FIRST = 1 << 12 };

struct record { /* followed by its reasons and the key */
	uint32_t reasons;
	uint16_t size; /* of the key */
};

void sv_export_records_init(struct sv_export_records *records)
{
	*records = (struct sv_export_records){0};
	pd_buf_init(&records->bytes, SIZE_MAX / 2);
	pd_buf_init(&records->cards, UINT32_MAX); /* places have 32 bits */
}

void sv_export_records_fini(struct sv_export_records *records)
{
	pd_buf_fini(&records->bytes);
	pd_buf_fini(&records->cards);
	free(records->slots);
	records->slots = NULL;
}

static const struct pd_reason *reasons_of(const struct record *r)
{
	return (const struct pd_reason *)(r + 1);
}

static const uint8_t *record_key(const struct record *r)
{
	return (const uint8_t *)(reasons_of(r) + r->reasons);
}

static const struct record *record_at(const struct sv_export_records *records, uint64_t slot)
{
	PD_ASSERT(slot >= 1 && slot <= records->bytes.size);
	return (const struct record *)(const void *)(records->bytes.data + slot - 1);
}

static uint64_t *slot_of(const struct sv_export_records *records, const uint8_t *key, size_t size)
{
	uint64_t i = pd_bucket_hash(key, size) % records->room;
	while (records->slots[i]) {
		const struct record *r = record_at(records, records->slots[i]);
		if (r->size == size && !memcmp(record_key(r), key, size))
			break;
		i = (i + 1) % records->room;
	}
	return &records->slots[i];
}

static bool grow_slots(struct sv_export_records *records)
{
	struct sv_export_records larger = *records;
	larger.room = records->room ? 2 * records->room : ROOM_FIRST;
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (uint64_t i = 0; i < records->room; i++)
		if (records->slots[i]) {
			const struct record *r = record_at(records, records->slots[i]);
			*slot_of(&larger, record_key(r), r->size) = records->slots[i];
		}
	free(records->slots);
	records->slots = larger.slots;
	records->room = larger.room;
	return true;
}

bool sv_export_records_meet(const struct sv_export_records *records, const uint8_t *key, const struct sv_need *need)
{
	uint64_t slot = records->room ? *slot_of(records, key, need->size) : 0;
	if (!slot)
		return false;
	const struct record *r = record_at(records, slot);
	const struct pd_reason *reasons = reasons_of(r);
	for (uint32_t i = 0; i < r->reasons; i++)
		if (reasons[i].side == need->side &&
		    (need->side == PD_LO ? reasons[i].bound >= need->bound : reasons[i].bound <= need->bound) &&
		    (need->below == PD_RANK_NONE || reasons[i].rank < need->below))
			return true;
	return false;
}

static bool stands_before(const struct pd_reason *a, const struct pd_reason *b)
{
	return a->side != b->side ? a->side < b->side : a->bound < b->bound;
}

static int no_memory(const struct sv_export_records *records, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate of %llu positions",
			   (unsigned long long)records->count);
}

int sv_export_records_put(struct sv_export_records *records, const uint8_t *key, size_t size,
			  const struct pd_reason *reason, struct pd_fail *fail)
{
	if (records->count * 4 >= records->room * 3 && !grow_slots(records))
		return no_memory(records, fail);
	uint64_t *slot = slot_of(records, key, size);
	/* Reserve first: the old record is read from the buffer that the new one is written to. */
	uint64_t old_at = *slot;
	uint32_t before = old_at ? record_at(records, old_at)->reasons : 0, at = 0;
	pd_buf_reserve(&records->bytes, 8 + sizeof(struct record) + (before + 1) * sizeof *reason + size);
	if (records->bytes.failed)
		return no_memory(records, fail);
	const struct pd_reason *reasons = old_at ? reasons_of(record_at(records, old_at)) : NULL;
	while (at < before && stands_before(&reasons[at], reason))
		at++;
	bool same = at < before && reasons[at].side == reason->side && reasons[at].bound == reason->bound;
	uint32_t effort = same ? reasons[at].effort : 0, card = same ? reasons[at].job : 0;
	records->reasons += !same;
	records->leaves += (uint64_t)(reason->effort > 0) - (effort > 0);
	records->effort += (uint64_t)reason->effort - effort;
	records->with_card += (uint64_t)(reason->job > 0) - (card > 0);
	struct record r = {before + !same, (uint16_t)size};
	while (records->bytes.size % _Alignof(struct record))
		pd_buf_put(&records->bytes, "", 1);
	*slot = records->bytes.size + 1;
	pd_buf_put(&records->bytes, &r, sizeof r);
	pd_buf_put(&records->bytes, reasons, at * sizeof *reason);
	pd_buf_put(&records->bytes, reason, sizeof *reason);
	if (reasons)
		pd_buf_put(&records->bytes, reasons + at + same, (before - at - same) * sizeof *reason);
	pd_buf_put(&records->bytes, key, size);
	records->count += !old_at;
	PD_ASSERT(records->count <= records->room && records->reasons >= records->count);
	return PD_OK;
}

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct sv_export_records *records = ctx;
	const struct record *x = record_at(records, *(const uint64_t *)a),
			    *y = record_at(records, *(const uint64_t *)b);
	size_t size = x->size < y->size ? x->size : y->size;
	int order = memcmp(record_key(x), record_key(y), size);
	return order ? order : (int)x->size - (int)y->size;
}

int sv_export_records_write(struct sv_export_records *records, const char *path, const struct sv_certificate_head *head,
			    uint64_t *bytes, struct pd_fail *fail)
{
	struct sv_certificate file;
	uint64_t n = 0;
	for (uint64_t i = 0; i < records->room; i++)
		if (records->slots[i])
			records->slots[n++] = records->slots[i];
	PD_ASSERT(n == records->count && n == head->positions);
	if (n)
		qsort_r(records->slots, n, sizeof *records->slots, by_key, records);
	int rc = sv_certificate_begin(&file, path, head, fail);
	if (rc)
		return rc;
	for (uint64_t i = 0; i < n && !rc; i++) {
		const struct record *r = record_at(records, records->slots[i]);
		rc = sv_certificate_put(&file, record_key(r), r->size, reasons_of(r), r->reasons, fail);
	}
	struct pd_fail late;
	int end = sv_certificate_end(&file, !rc, bytes, rc ? &late : fail);
	records->room = 0;
	return rc ? rc : end;
}
