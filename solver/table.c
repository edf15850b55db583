#include "solver/table.h"

#include <assert.h>
#include <string.h>

#include "solver/memory.h"

_Static_assert(sizeof(struct pn_entry) == 32, "two entries a cache line");

enum {
	WINDOW = 16,          /* slots of a probe path that compete when the table is full */
	DIRTY_BIT = 0x8000,   /* of depth, in the table only: the slot stands in the dirty list */
	DEPTH_MAX = 0x7fff
};

static const uint64_t dirty_entries_max = 1 << 20, slots_first = 1 << 12;

bool table_init(struct table *table, uint64_t bytes, bool two_big)
{
	uint64_t slots = bytes / 64 * 2;
	if (slots < 4)
		slots = 4;
	*table = (struct table){.slots = slots, .slots_max = slots, .two_big = two_big};
	table->capacity = two_big ? slots : slots - slots / 4 - 1;
	table->longest = two_big ? 2 : 1;
	if (!two_big && slots > slots_first)
		table->slots = slots_first;
	table->dirty_capacity = (slots < dirty_entries_max ? slots : dirty_entries_max) + 128;
	table->entries = memory_map(table->slots * sizeof *table->entries);
	table->dirty = memory_map(table->dirty_capacity * sizeof *table->dirty);
	if (table->entries && table->dirty)
		return true;
	table_fini(table);
	return false;
}

void table_fini(struct table *table)
{
	memory_unmap(table->entries, table->slots * sizeof *table->entries);
	memory_unmap(table->dirty, table->dirty_capacity * sizeof *table->dirty);
	*table = (struct table){0};
}

static bool empty(const struct pn_entry *e)
{
	return !e->id.lo && !e->id.hi;
}

static uint64_t home(const struct table *table, struct pd_id id)
{
	return (uint64_t)(((__uint128_t)id.lo * (table->slots / 2)) >> 64) * 2;
}

/* The slot that holds the id, or UINT64_MAX. */
static uint64_t find(const struct table *table, struct pd_id id)
{
	uint64_t slot = home(table, id);
	for (uint64_t left = table->longest; left; left--) {
		const struct pn_entry *e = &table->entries[slot];
		if (pd_id_equal(e->id, id))
			return slot;
		if (empty(e) && !table->two_big)
			return UINT64_MAX;
		if (++slot == table->slots)
			slot = 0;
	}
	return UINT64_MAX;
}

/* Where an id that is not there goes. */
static uint64_t place(struct table *table, struct pd_id id)
{
	uint64_t slot = home(table, id), least = slot, least_path = 1;
	uint64_t left = table->used < table->capacity ? table->slots : WINDOW;
	for (uint64_t path = 1; path <= left; path++) {
		const struct pn_entry *e = &table->entries[slot];
		if (empty(e)) {
			if (path > table->longest)
				table->longest = path;
			return slot;
		}
		if (e->work < table->entries[least].work && path <= WINDOW) {
			least = slot;
			least_path = path;
		}
		if (++slot == table->slots)
			slot = 0;
	}
	table->replaced++;
	if (least_path > table->longest)
		table->longest = least_path;
	return least;
}

const struct pn_entry *table_get(const struct table *table, struct pd_id id)
{
	uint64_t slot = find(table, id);
	return slot == UINT64_MAX ? NULL : &table->entries[slot];
}

static void mark_dirty(struct table *table, uint64_t slot)
{
	struct pn_entry *e = &table->entries[slot];
	if (e->depth & DIRTY_BIT)
		return;
	assert(table->dirty_count < table->dirty_capacity);
	table->dirty[table->dirty_count++] = slot;
	e->depth |= DIRTY_BIT;
}

static void write_slot(struct table *table, uint64_t slot, const struct pn_entry *entry, bool dirty)
{
	struct pn_entry *e = &table->entries[slot];
	uint16_t listed = e->depth & DIRTY_BIT;
	unsigned depth = entry->depth & DEPTH_MAX;
	if (pd_id_equal(e->id, entry->id) && (e->depth & DEPTH_MAX) < depth)
		depth = e->depth & DEPTH_MAX;
	if (empty(e))
		table->used++;
	*e = *entry;
	e->depth = (uint16_t)(depth | listed);
	if (dirty)
		mark_dirty(table, slot);
}

static void put_two_big(struct table *table, const struct pn_entry *entry, bool dirty)
{
	uint64_t slot = home(table, entry->id);
	struct pn_entry *big = &table->entries[slot], *recent = big + 1;
	if (pd_id_equal(recent->id, entry->id) && !pd_id_equal(big->id, entry->id)) {
		if (entry->work < big->work) {
			write_slot(table, slot + 1, entry, dirty);
			return;
		}
	} else if (!empty(big) && !pd_id_equal(big->id, entry->id)) {
		if (!empty(recent))
			table->replaced++;
		if (entry->work < big->work) {
			write_slot(table, slot + 1, entry, dirty);
			return;
		}
	} else {
		write_slot(table, slot, entry, dirty);
		return;
	}
	struct pn_entry displaced = *big;
	write_slot(table, slot + 1, &displaced, dirty);
	write_slot(table, slot, entry, dirty);
}

/* Four times the slots, or all. Where memory cannot be had the table stays as it is for good. */
static void grow(struct table *table)
{
	struct table old = *table;
	table->slots = old.slots_max / 4 < old.slots ? old.slots_max : 4 * old.slots;
	table->entries = memory_map(table->slots * sizeof *table->entries);
	if (!table->entries) {
		*table = old;
		table->slots_max = old.slots;
		table->capacity = old.slots - old.slots / 4 - 1;
		return;
	}
	table->grown++;
	table->used = 0;
	table->longest = 1;
	size_t listed = 0;
	for (uint64_t i = 0; i < old.slots; i++) {
		const struct pn_entry *e = &old.entries[i];
		if (empty(e))
			continue;
		uint64_t slot = place(table, e->id);
		table->entries[slot] = *e;
		table->used++;
		if (e->depth & DIRTY_BIT)
			table->dirty[listed++] = slot;
	}
	table->dirty_count = listed;
	table->dirty_taken = 0;
	memory_unmap(old.entries, old.slots * sizeof *old.entries);
}

static void put(struct table *table, const struct pn_entry *entry, bool dirty)
{
	if (table->two_big) {
		put_two_big(table, entry, dirty);
		return;
	}
	uint64_t slot = find(table, entry->id);
	if (slot == UINT64_MAX) {
		if (table->used >= table->slots / 2 && table->slots < table->slots_max)
			grow(table);
		slot = place(table, entry->id);
	}
	write_slot(table, slot, entry, dirty);
}

void table_put(struct table *table, const struct pn_entry *entry)
{
	put(table, entry, true);
}

void table_load(struct table *table, const struct pn_entry *entry)
{
	put(table, entry, false);
}

size_t table_take(struct table *table, struct pn_entry *out, size_t max)
{
	size_t n = 0;
	while (n < max && table->dirty_taken < table->dirty_count) {
		struct pn_entry *e = &table->entries[table->dirty[table->dirty_taken++]];
		e->depth &= DEPTH_MAX;
		out[n++] = *e;
	}
	if (table->dirty_taken == table->dirty_count)
		table->dirty_taken = table->dirty_count = 0;
	return n;
}

/* The cursor is the slot, with the low bits of `grown` above: after a growth the sweep begins again, and nothing is missed. */
size_t table_sweep(const struct table *table, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	const uint64_t slot_bits = UINT64_MAX >> 8, grown = (table->grown & 0x7f) << 56;
	size_t n = 0;
	uint64_t slot = (*cursor & ~slot_bits) == grown ? *cursor & slot_bits : 0;
	for (; slot < table->slots && n < max; slot++)
		if (!empty(&table->entries[slot])) {
			out[n] = table->entries[slot];
			out[n++].depth &= DEPTH_MAX;
		}
	*cursor = slot < table->slots ? slot | grown : UINT64_MAX;
	return n;
}
