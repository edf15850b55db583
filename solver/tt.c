#include "solver/tt.h"

#include <string.h>

#include "solver/huge_memory.h"
#include "solver/spin.h"

_Static_assert(sizeof(struct pn_entry) == 32, "two entries a cache line");

enum {
	WINDOW = 16,        /* slots of a probe path that compete when the table is full */
	DIRTY_BIT = 0x8000, /* of depth, in the table only: the slot stands in the dirty list */
	LOCK_BIT = 0x4000   /* of depth, in a shared table only: somebody reads or writes the slot */
};

static const uint64_t dirty_entries_max = 1 << 20, slots_first = 1 << 12;

bool tt_init(struct tt *table, uint64_t bytes, bool two_big)
{
	uint64_t slots = bytes / 64 * 2;
	if (slots < 4)
		slots = 4;
	*table = (struct tt){.slots = slots, .slots_max = slots, .two_big = two_big};
	table->capacity = two_big ? slots : slots - slots / 4 - 1;
	table->longest = two_big ? 2 : 1;
	if (!two_big && slots > slots_first)
		table->slots = slots_first;
	table->dirty_capacity = (slots < dirty_entries_max ? slots : dirty_entries_max) + 2 * TT_DIRTY_SLACK;
	table->entries = pn_memory_map(table->slots * sizeof *table->entries);
	table->dirty = pn_memory_map(table->dirty_capacity * sizeof *table->dirty);
	if (table->entries && table->dirty)
		return true;
	tt_fini(table);
	return false;
}

void tt_fini(struct tt *table)
{
	pn_memory_unmap(table->entries, table->slots * sizeof *table->entries);
	pn_memory_unmap(table->dirty, table->dirty_capacity * sizeof *table->dirty);
	*table = (struct tt){0};
}

/* --- slots, one at a time ----------------------------------------------------------------- */

static void lock(const struct tt *table, struct pn_entry *e)
{
	if (table->shared)
		while (__atomic_fetch_or(&e->depth, LOCK_BIT, __ATOMIC_ACQUIRE) & LOCK_BIT)
			spin_pause();
}

/* `depth` with or without the dirty bit. */
static void unlock(const struct tt *table, struct pn_entry *e, unsigned depth)
{
	if (table->shared)
		__atomic_store_n(&e->depth, (uint16_t)(depth & ~(unsigned)LOCK_BIT), __ATOMIC_RELEASE);
	else
		e->depth = (uint16_t)depth;
}

/* A look without the lock: good for finding the way, to be made sure of under it. */
static struct pd_id id_of(const struct pn_entry *e)
{
	return (struct pd_id){__atomic_load_n(&e->id.lo, __ATOMIC_RELAXED),
			      __atomic_load_n(&e->id.hi, __ATOMIC_RELAXED)};
}

static uint32_t work_of(const struct pn_entry *e)
{
	return __atomic_load_n(&e->work, __ATOMIC_RELAXED);
}

static bool is_empty(struct pd_id id)
{
	return !id.lo && !id.hi;
}

static bool empty(const struct pn_entry *e)
{
	return is_empty(id_of(e));
}

static uint64_t add_one(const struct tt *table, uint64_t *counter)
{
	if (table->shared)
		return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
	return (*counter)++;
}

/* The path to a slot is `path` long: look-ups must go as far. */
static void reach(struct tt *table, uint64_t path)
{
	uint64_t longest = __atomic_load_n(&table->longest, __ATOMIC_RELAXED);
	while (path > longest &&
	       !__atomic_compare_exchange_n(&table->longest, &longest, path, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static uint64_t home(const struct tt *table, struct pd_id id)
{
	return (uint64_t)(((__uint128_t)id.lo * (table->slots / 2)) >> 64) * 2;
}

/* The slot that holds the id, or UINT64_MAX. */
static uint64_t find(const struct tt *table, struct pd_id id)
{
	uint64_t slot = home(table, id);
	for (uint64_t left = __atomic_load_n(&table->longest, __ATOMIC_RELAXED); left; left--) {
		struct pd_id there = id_of(&table->entries[slot]);
		if (pd_id_equal(there, id))
			return slot;
		if (is_empty(there) && !table->two_big)
			return UINT64_MAX;
		if (++slot == table->slots)
			slot = 0;
	}
	return UINT64_MAX;
}

/* The id at a slot, as a whole: halves of an id that is being written to an empty slot are waited for. */
static struct pd_id whole_id(const struct tt *table, const struct pn_entry *e)
{
	struct pd_id id = id_of(e);
	if (!table->shared || !id.lo == !id.hi)
		return id;
	while (__atomic_load_n(&e->depth, __ATOMIC_ACQUIRE) & LOCK_BIT)
		spin_pause();
	return id_of(e);
}

/* Where an id that is not there goes: an empty slot, or one whose entry is lost by it. */
static uint64_t place(struct tt *table, struct pd_id id)
{
	uint64_t slot = home(table, id), least = slot, least_path = 1;
	uint64_t left = tt_used(table) < table->capacity ? table->slots : WINDOW;
	for (uint64_t path = 1; path <= left; path++) {
		const struct pn_entry *e = &table->entries[slot];
		struct pd_id there = whole_id(table, e);
		if (is_empty(there) || pd_id_equal(there, id)) { /* the latter: put there just now */
			reach(table, path);
			return slot;
		}
		if (work_of(e) < work_of(&table->entries[least]) && path <= WINDOW) {
			least = slot;
			least_path = path;
		}
		if (++slot == table->slots)
			slot = 0;
	}
	reach(table, least_path);
	return least;
}

bool tt_get(const struct tt *table, struct pd_id id, struct pn_entry *out)
{
	uint64_t slot = find(table, id);
	if (slot == UINT64_MAX)
		return false;
	struct pn_entry *e = &table->entries[slot];
	lock(table, e);
	unsigned depth = __atomic_load_n(&e->depth, __ATOMIC_RELAXED);
	*out = (struct pn_entry){e->id, {e->num[0], e->num[1]}, e->work, e->move, depth & TT_DEPTH_MAX};
	unlock(table, e, depth);
	return pd_id_equal(out->id, id);
}

/* Writes a slot that is locked, and unlocks it. */
static void write_slot(struct tt *table, uint64_t slot, const struct pn_entry *entry, bool dirty)
{
	struct pn_entry *e = &table->entries[slot];
	unsigned before = __atomic_load_n(&e->depth, __ATOMIC_RELAXED), listed = before & DIRTY_BIT;
	unsigned depth = entry->depth < TT_DEPTH_MAX ? entry->depth : TT_DEPTH_MAX;
	if (pd_id_equal(e->id, entry->id) && (before & TT_DEPTH_MAX) < depth)
		depth = before & TT_DEPTH_MAX;
	if (empty(e))
		add_one(table, &table->used);
	__atomic_store_n(&e->id.lo, entry->id.lo, __ATOMIC_RELAXED);
	__atomic_store_n(&e->id.hi, entry->id.hi, __ATOMIC_RELAXED);
	__atomic_store_n(&e->work, entry->work, __ATOMIC_RELAXED);
	e->num[0] = entry->num[0];
	e->num[1] = entry->num[1];
	e->move = entry->move;
	if (dirty && !listed) {
		/* Where the list is full all the same, the entry is only not on disk: whoever resumes searches it
		 * again. */
		uint64_t at = add_one(table, &table->dirty_count);
		if (at < table->dirty_capacity) {
			table->dirty[at] = slot;
			listed = DIRTY_BIT;
		}
	}
	unlock(table, e, depth | listed);
}

static void put_two_big(struct tt *table, const struct pn_entry *entry, bool dirty)
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
static void grow(struct tt *table)
{
	struct tt old = *table;
	table->slots = old.slots_max / 4 < old.slots ? old.slots_max : 4 * old.slots;
	table->entries = pn_memory_map(table->slots * sizeof *table->entries);
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
	pn_memory_unmap(old.entries, old.slots * sizeof *old.entries);
}

/* Where the entry goes in a table that loses nothing: locked. */
static uint64_t slot_for(struct tt *table, struct pd_id id)
{
	for (;;) {
		uint64_t slot = find(table, id);
		bool there = slot != UINT64_MAX;
		if (!there) {
			if (tt_used(table) >= table->slots / 2 && table->slots < table->slots_max) {
				if (table->shared)
					__atomic_store_n(&table->cramped, true, __ATOMIC_RELAXED);
				else
					grow(table);
			}
			slot = place(table, id);
		}
		struct pn_entry *e = &table->entries[slot];
		struct pd_id expected = id_of(e);
		lock(table, e);
		if (pd_id_equal(e->id, id))
			return slot;
		if (!there && pd_id_equal(e->id, expected)) {
			if (!is_empty(expected))
				add_one(table, &table->replaced);
			return slot;
		}
		unlock(table, e, __atomic_load_n(&e->depth, __ATOMIC_RELAXED)); /* somebody was quicker */
	}
}

static void put(struct tt *table, const struct pn_entry *entry, bool dirty)
{
	if (table->two_big)
		put_two_big(table, entry, dirty);
	else
		write_slot(table, slot_for(table, entry->id), entry, dirty);
}

void tt_settle(struct tt *table)
{
	if (table->cramped)
		grow(table);
	table->cramped = false;
}

void tt_put(struct tt *table, const struct pn_entry *entry)
{
	put(table, entry, true);
}

void tt_load(struct tt *table, const struct pn_entry *entry)
{
	put(table, entry, false);
}

size_t tt_take_dirty(struct tt *table, struct pn_entry *out, size_t max)
{
	size_t n = 0;
	if (table->dirty_count > table->dirty_capacity)
		table->dirty_count = table->dirty_capacity;
	while (n < max && table->dirty_taken < table->dirty_count) {
		struct pn_entry *e = &table->entries[table->dirty[table->dirty_taken++]];
		e->depth &= TT_DEPTH_MAX;
		out[n++] = *e;
	}
	if (table->dirty_taken == table->dirty_count)
		table->dirty_taken = table->dirty_count = 0;
	return n;
}

/* The cursor is the slot, with the low bits of `grown` above: after a growth the sweep begins again, and nothing is
 * missed. */
size_t tt_snapshot(const struct tt *table, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	const uint64_t slot_bits = UINT64_MAX >> 8, grown = (table->grown & 0x7f) << 56;
	size_t n = 0;
	uint64_t slot = (*cursor & ~slot_bits) == grown ? *cursor & slot_bits : 0;
	for (; slot < table->slots && n < max; slot++)
		if (!empty(&table->entries[slot])) {
			out[n] = table->entries[slot];
			out[n++].depth &= TT_DEPTH_MAX;
		}
	*cursor = slot < table->slots ? slot | grown : UINT64_MAX;
	return n;
}
