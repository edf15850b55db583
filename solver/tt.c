#include "solver/tt.h"

#include <string.h>

#include "proto/base/assert.h"
#include "solver/huge_memory.h"
#include "solver/numbers.h"
#include "solver/spin.h"

_Static_assert(sizeof(struct pn_entry) == 32, "two entries a cache line");

enum {
	WINDOW = 16,         /* first slots of a probe path, which compete when the table is full */
	DIRTY_BIT = 0x8000,  /* of depth, in the table only: the slot stands in the dirty list */
	LOCK_BIT = 0x4000,   /* of depth, in a shared table only: a thread reads or writes the slot */
	LOAD_PATH_MAX = 256, /* slots of a probe path beyond which a table that is loaded has to grow */
	MOVE_SLOTS = 1 << 17 /* 4 megabytes of a table that has grown, which are moved and given back at a time */
};

static const uint64_t dirty_entries_max = 1 << 20, slots_first = 1 << 12;

/* Entries up to which a table of that size replaces nothing. */
static uint64_t capacity_of(uint64_t slots)
{
	return slots - slots / 4 - 1;
}

bool tt_init(struct tt *tt, uint64_t bytes, bool two_big)
{
	uint64_t slots = bytes / 64 * 2;
	if (slots < 4)
		slots = 4;
	*tt = (struct tt){.slots = slots, .slots_max = slots, .two_big = two_big};
	tt->capacity = two_big ? slots : capacity_of(slots);
	tt->longest = two_big ? 2 : 1;
	if (!two_big && slots > slots_first)
		tt->slots = slots_first;
	tt->dirty_capacity = (slots / 8 < dirty_entries_max ? slots / 8 : dirty_entries_max) + 2 * TT_DIRTY_SLACK;
	tt->entries = pn_memory_map(tt->slots * sizeof *tt->entries);
	tt->dirty = pn_memory_map(tt->dirty_capacity * sizeof *tt->dirty);
	if (tt->entries && tt->dirty)
		return true;
	tt_fini(tt);
	return false;
}

void tt_fini(struct tt *tt)
{
	pn_memory_unmap(tt->entries, tt->slots * sizeof *tt->entries);
	pn_memory_unmap(tt->dirty, tt->dirty_capacity * sizeof *tt->dirty);
	*tt = (struct tt){0};
}

void tt_forget_dirty(struct tt *tt)
{
	PD_ASSERT(!tt->dirty_count);
	pn_memory_unmap(tt->dirty, tt->dirty_capacity * sizeof *tt->dirty);
	tt->dirty = NULL;
	tt->dirty_capacity = 0;
}

/* --- slots, one at a time ----------------------------------------------------------------- */

static void lock(const struct tt *tt, struct pn_entry *e)
{
	if (tt->shared)
		while (__atomic_fetch_or(&e->depth, LOCK_BIT, __ATOMIC_ACQUIRE) & LOCK_BIT)
			spin_pause();
}

/* `depth` with or without the dirty bit. */
static void unlock(const struct tt *tt, struct pn_entry *e, unsigned depth)
{
	if (tt->shared)
		__atomic_store_n(&e->depth, (uint16_t)(depth & ~(unsigned)LOCK_BIT), __ATOMIC_RELEASE);
	else
		e->depth = (uint16_t)depth;
}

/* Read without the lock: a hint, to be confirmed under it. */
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

static uint64_t add_one(const struct tt *tt, uint64_t *counter)
{
	if (tt->shared)
		return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
	return (*counter)++;
}

/* A slot is `path` slots from its home: look-ups must probe as far. */
static void reach(struct tt *tt, uint64_t path)
{
	uint64_t longest = __atomic_load_n(&tt->longest, __ATOMIC_RELAXED);
	while (path > longest &&
	       !__atomic_compare_exchange_n(&tt->longest, &longest, path, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static uint64_t home(const struct tt *tt, struct pd_id id)
{
	return (uint64_t)(((__uint128_t)id.lo * (tt->slots / 2)) >> 64) * 2;
}

/* The slot that holds the id, or UINT64_MAX. */
static uint64_t find(const struct tt *tt, struct pd_id id)
{
	uint64_t slot = home(tt, id);
	for (uint64_t left = __atomic_load_n(&tt->longest, __ATOMIC_RELAXED); left; left--) {
		struct pd_id there = id_of(&tt->entries[slot]);
		if (pd_id_equal(there, id))
			return slot;
		if (is_empty(there) && !tt->two_big)
			return UINT64_MAX;
		if (++slot == tt->slots)
			slot = 0;
	}
	return UINT64_MAX;
}

/* The whole id at a slot: waits while another thread has written half of it to an empty slot. A half is seen after the
 * lock under which it was written, also on machines that reorder stores: write_slot releases it, and this acquires it.
 */
static struct pd_id whole_id(const struct tt *tt, const struct pn_entry *e)
{
	struct pd_id id = {__atomic_load_n(&e->id.lo, __ATOMIC_ACQUIRE), __atomic_load_n(&e->id.hi, __ATOMIC_ACQUIRE)};
	if (!tt->shared || !id.lo == !id.hi)
		return id;
	while (__atomic_load_n(&e->depth, __ATOMIC_ACQUIRE) & LOCK_BIT)
		spin_pause();
	return id_of(e);
}

/* The slot for an id that is not in the table: an empty one, or one whose entry is replaced. */
static uint64_t place(struct tt *tt, struct pd_id id)
{
	uint64_t slot = home(tt, id), least = slot, least_path = 1;
	uint64_t left = tt_used(tt) < (tt->fixed ? capacity_of(tt->slots) : tt->capacity) ? tt->slots : WINDOW;
	for (uint64_t path = 1; path <= left; path++) {
		const struct pn_entry *e = &tt->entries[slot];
		struct pd_id there = whole_id(tt, e);
		if (is_empty(there) || pd_id_equal(there, id)) { /* the latter: put there just now */
			reach(tt, path);
			return slot;
		}
		if (work_of(e) < work_of(&tt->entries[least]) && path <= WINDOW) {
			least = slot;
			least_path = path;
		}
		if (++slot == tt->slots)
			slot = 0;
	}
	reach(tt, least_path);
	return least;
}

bool tt_get(const struct tt *tt, struct pd_id id, struct pn_entry *out)
{
	uint64_t slot = find(tt, id);
	if (slot == UINT64_MAX)
		return false;
	struct pn_entry *e = &tt->entries[slot];
	lock(tt, e);
	unsigned depth = __atomic_load_n(&e->depth, __ATOMIC_RELAXED);
	*out = (struct pn_entry){e->id, {e->num[0], e->num[1]}, e->work, e->move, depth & TT_DEPTH_MAX};
	unlock(tt, e, depth);
	return pd_id_equal(out->id, id);
}

/* Writes a slot that is locked, and unlocks it. */
static void write_slot(struct tt *tt, uint64_t slot, const struct pn_entry *entry, bool dirty)
{
	struct pn_entry *e = &tt->entries[slot];
	unsigned before = __atomic_load_n(&e->depth, __ATOMIC_RELAXED), listed = before & DIRTY_BIT;
	unsigned depth = entry->depth < TT_DEPTH_MAX ? entry->depth : TT_DEPTH_MAX;
	if (pd_id_equal(e->id, entry->id) && (before & TT_DEPTH_MAX) < depth)
		depth = before & TT_DEPTH_MAX;
	PD_DEBUG_ASSERT(slot < tt->slots && (!tt->shared || before & LOCK_BIT));
	if (empty(e))
		add_one(tt, &tt->used);
	__atomic_store_n(&e->id.lo, entry->id.lo, __ATOMIC_RELEASE);
	__atomic_store_n(&e->id.hi, entry->id.hi, __ATOMIC_RELEASE);
	__atomic_store_n(&e->work, entry->work, __ATOMIC_RELAXED);
	e->num[0] = entry->num[0];
	e->num[1] = entry->num[1];
	e->move = entry->move;
	if (dirty && !listed) {
		/* When the list is full the entry does not reach the disk; a resumed search makes it again. */
		uint64_t at = add_one(tt, &tt->dirty_count);
		if (at < tt->dirty_capacity) {
			tt->dirty[at] = slot;
			listed = DIRTY_BIT;
		}
	}
	unlock(tt, e, depth | listed);
}

static void put_two_big(struct tt *tt, const struct pn_entry *entry, bool dirty)
{
	uint64_t slot = home(tt, entry->id);
	struct pn_entry *big = &tt->entries[slot], *recent = big + 1;
	if (pd_id_equal(recent->id, entry->id) && !pd_id_equal(big->id, entry->id)) {
		if (entry->work < big->work) {
			write_slot(tt, slot + 1, entry, dirty);
			return;
		}
	} else if (!empty(big) && !pd_id_equal(big->id, entry->id)) {
		if (!empty(recent))
			tt->replaced++;
		if (entry->work < big->work) {
			write_slot(tt, slot + 1, entry, dirty);
			return;
		}
	} else {
		write_slot(tt, slot, entry, dirty);
		return;
	}
	PD_ASSERT(!tt->shared && slot % 2 == 0);
	struct pn_entry displaced = *big;
	write_slot(tt, slot + 1, &displaced, dirty);
	write_slot(tt, slot, entry, dirty);
}

/* Moves slots from..to - 1 of the table that it was. */
static void move_slots(struct tt *tt, const struct tt *old, uint64_t from, uint64_t to, size_t *listed)
{
	for (uint64_t i = from; i < to; i++) {
		const struct pn_entry *e = &old->entries[i];
		if (empty(e))
			continue;
		uint64_t slot = place(tt, e->id);
		tt->entries[slot] = *e;
		tt->used++;
		if (e->depth & DIRTY_BIT)
			tt->dirty[(*listed)++] = slot;
	}
}

/* The slots of the next size: four times as many, or all. */
static uint64_t next_slots(const struct tt *tt)
{
	return tt->slots_max / 4 < tt->slots ? tt->slots_max : 4 * tt->slots;
}

/* Grows to the next size. When memory cannot be had it keeps its size. Both tables have their slots in the order
 * of the identities: what was moved is given back meanwhile, so that they never take more together than the new one. */
static void grow(struct tt *tt)
{
	struct tt old = *tt;
	tt->slots = next_slots(&old);
	tt->entries = pn_memory_map(tt->slots * sizeof *tt->entries);
	if (!tt->entries) {
		*tt = old;
		tt->slots_max = old.slots;
		tt->capacity = capacity_of(old.slots);
		return;
	}
	PD_ASSERT(tt->slots > old.slots && !tt->two_big);
	tt->grown++;
	tt->used = 0;
	tt->longest = 1;
	size_t listed = 0;
	for (uint64_t i = 0; i < old.slots; i += MOVE_SLOTS) {
		uint64_t end = old.slots - i > MOVE_SLOTS ? i + MOVE_SLOTS : old.slots;
		move_slots(tt, &old, i, end, &listed);
		if (end < old.slots)
			pn_memory_drop(old.entries, i * sizeof *old.entries, end * sizeof *old.entries);
	}
	PD_ASSERT(listed <= tt->dirty_capacity && tt->used == old.used);
	tt->dirty_count = listed;
	tt->dirty_taken = 0;
	pn_memory_unmap(old.entries, old.slots * sizeof *old.entries);
}

/* The slot of an id in the scheme Big, locked. */
static uint64_t slot_for(struct tt *tt, struct pd_id id)
{
	for (;;) {
		uint64_t slot = find(tt, id);
		bool there = slot != UINT64_MAX;
		if (!there) {
			if (tt_used(tt) >= tt->slots / 2 && tt->slots < tt->slots_max && !tt->fixed) {
				if (tt->shared)
					__atomic_store_n(&tt->grow_wanted, true, __ATOMIC_RELAXED);
				else
					grow(tt);
			}
			slot = place(tt, id);
		}
		struct pn_entry *e = &tt->entries[slot];
		struct pd_id expected = id_of(e);
		lock(tt, e);
		if (pd_id_equal(e->id, id))
			return slot;
		if (!there && pd_id_equal(e->id, expected)) {
			if (!is_empty(expected))
				add_one(tt, &tt->replaced);
			return slot;
		}
		unlock(tt, e, __atomic_load_n(&e->depth, __ATOMIC_RELAXED)); /* another thread was first */
	}
}

static void put(struct tt *tt, const struct pn_entry *entry, bool dirty)
{
	PD_ASSERT(!is_empty(entry->id));
	PD_DEBUG_ASSERT(tt_used(tt) <= tt->slots);
	if (tt->two_big)
		put_two_big(tt, entry, dirty);
	else
		write_slot(tt, slot_for(tt, entry->id), entry, dirty);
}

void tt_settle(struct tt *tt)
{
	if (tt->grow_wanted && !tt->fixed)
		grow(tt);
	tt->grow_wanted = false;
}

uint64_t tt_growth(const struct tt *tt, uint64_t entries)
{
	uint64_t half = tt->slots / 2, used = tt_used(tt);
	if (tt->slots == tt->slots_max || (entries < half && used < half - entries))
		return 0;
	return (next_slots(tt) - tt->slots) * sizeof *tt->entries;
}

void tt_put(struct tt *tt, const struct pn_entry *entry)
{
	put(tt, entry, true);
}

void tt_load(struct tt *tt, const struct pn_entry *entry)
{
	if (is_empty(entry->id) || !num_sound(entry->num))
		return;
	put(tt, entry, false);
	/* A snapshot comes in the order of its slots: in a table that is still small all its first entries have one
	 * home, and finding a place would take quadratic time. */
	if (tt->longest > LOAD_PATH_MAX && tt->slots < tt->slots_max && !tt->shared)
		grow(tt);
}

size_t tt_take_dirty(struct tt *tt, struct pn_entry *out, size_t max)
{
	size_t n = 0;
	PD_ASSERT(tt->dirty_taken <= tt->dirty_count);
	if (tt->dirty_count > tt->dirty_capacity)
		tt->dirty_count = tt->dirty_capacity;
	while (n < max && tt->dirty_taken < tt->dirty_count) {
		struct pn_entry *e = &tt->entries[tt->dirty[tt->dirty_taken++]];
		e->depth &= TT_DEPTH_MAX;
		out[n++] = *e;
	}
	if (tt->dirty_taken == tt->dirty_count)
		tt->dirty_taken = tt->dirty_count = 0;
	return n;
}

/* The cursor is the slot, with the low bits of `grown` above: after growing the scan begins again, so that it misses
 * nothing. */
size_t tt_snapshot(const struct tt *tt, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	const uint64_t slot_bits = UINT64_MAX >> 8, grown = (tt->grown & 0x7f) << 56;
	size_t n = 0;
	uint64_t slot = (*cursor & ~slot_bits) == grown ? *cursor & slot_bits : 0;
	for (; slot < tt->slots && n < max; slot++)
		if (!empty(&tt->entries[slot])) {
			out[n] = tt->entries[slot];
			out[n++].depth &= TT_DEPTH_MAX;
		}
	*cursor = slot < tt->slots ? slot | grown : UINT64_MAX;
	return n;
}
