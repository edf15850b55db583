#include "solver/tt.h"

#include "solver/huge_memory.h"
#include "solver/numbers.h"
#include "solver/spin.h"

_Static_assert(sizeof(struct tt_slot) == 32, "two entries a cache line");

enum {
	WINDOW = 16,         /* slots at the start of a probe path among which a full table replaces an entry */
	DIRTY_BIT = 0x8000,  /* a bit of a slot's depth: the slot is in the dirty list */
	LOCK_BIT = 0x4000,   /* likewise, in a shared table only: a thread is reading or writing the slot */
	LOAD_PATH_MAX = 256, /* longest probe path before a table being loaded has to grow */
	MOVE_SLOTS = 1 << 17 /* slots moved to a grown table and then freed at a time: 4 megabytes */
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
	tt->table = pn_memory_map(tt->slots * sizeof *tt->table);
	tt->dirty = pn_memory_map(tt->dirty_capacity * sizeof *tt->dirty);
	if (tt->table && tt->dirty)
		return true;
	tt_fini(tt);
	return false;
}

void tt_fini(struct tt *tt)
{
	pn_memory_unmap(tt->table, tt->slots * sizeof *tt->table);
	pn_memory_unmap(tt->dirty, tt->dirty_capacity * sizeof *tt->dirty);
	*tt = (struct tt){0};
}

void tt_forget_dirty(struct tt *tt)
{
	PD_ASSERT(!atomic_load_explicit(&tt->dirty_count, memory_order_relaxed));
	pn_memory_unmap(tt->dirty, tt->dirty_capacity * sizeof *tt->dirty);
	tt->dirty = NULL;
	tt->dirty_capacity = 0;
}

/* --- slots, one at a time ----------------------------------------------------------------- */

static void lock_slot(const struct tt *tt, struct tt_slot *e)
{
	if (tt->shared)
		while (atomic_fetch_or_explicit(&e->depth, LOCK_BIT, memory_order_acquire) & LOCK_BIT)
			spin_pause();
}

/* `depth` with or without the dirty bit. */
static void unlock_slot(const struct tt *tt, struct tt_slot *e, unsigned depth)
{
	if (tt->shared)
		atomic_store_explicit(&e->depth, (uint16_t)(depth & ~(unsigned)LOCK_BIT), memory_order_release);
	else
		atomic_store_explicit(&e->depth, (uint16_t)depth, memory_order_relaxed);
}

/* Read without the lock: a hint, to be confirmed under it. */
static struct pd_id read_id(const struct tt_slot *e)
{
	return (struct pd_id){atomic_load_explicit(&e->id_lo, memory_order_relaxed),
			      atomic_load_explicit(&e->id_hi, memory_order_relaxed)};
}

static uint32_t read_work(const struct tt_slot *e)
{
	return atomic_load_explicit(&e->work, memory_order_relaxed);
}

static unsigned read_depth(const struct tt_slot *e)
{
	return atomic_load_explicit(&e->depth, memory_order_relaxed);
}

static bool is_empty(struct pd_id id)
{
	return !id.lo && !id.hi;
}

/* The slot's entry; the slot must be locked, or no other thread may use the table. */
static struct pn_entry read_entry(const struct tt_slot *e)
{
	return (struct pn_entry){
		read_id(e), {e->num[0], e->num[1]}, read_work(e), e->move, (uint16_t)(read_depth(e) & TT_DEPTH_MAX)};
}

static uint64_t add_one(const struct tt *tt, _Atomic uint64_t *counter)
{
	if (tt->shared)
		return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
	uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
	atomic_store_explicit(counter, before + 1, memory_order_relaxed);
	return before;
}

/* Notes that an entry is `path` slots along its probe path, so that look-ups probe as far. */
static void note_path_length(struct tt *tt, uint64_t path)
{
	uint64_t longest = atomic_load_explicit(&tt->longest, memory_order_relaxed);
	while (path > longest && !atomic_compare_exchange_weak_explicit(&tt->longest, &longest, path,
									memory_order_relaxed, memory_order_relaxed))
		;
}

static uint64_t home_slot(const struct tt *tt, struct pd_id id)
{
	return (uint64_t)(((__uint128_t)id.lo * (tt->slots / 2)) >> 64) * 2;
}

/* The slot that holds the id, or UINT64_MAX. */
static uint64_t find_slot(const struct tt *tt, struct pd_id id)
{
	uint64_t slot = home_slot(tt, id);
	for (uint64_t left = atomic_load_explicit(&tt->longest, memory_order_relaxed); left; left--) {
		struct pd_id there = read_id(&tt->table[slot]);
		if (pd_id_equal(there, id))
			return slot;
		if (is_empty(there) && !tt->two_big)
			return UINT64_MAX;
		if (++slot == tt->slots)
			slot = 0;
	}
	return UINT64_MAX;
}

/* The whole id of a slot: waits while another thread has written only half of it to an empty slot. A thread that sees a
 * half also sees the lock under which it was written, even on machines that reorder stores: write_slot stores the
 * halves with release, and this function loads them with acquire. */
static struct pd_id whole_id(const struct tt *tt, const struct tt_slot *e)
{
	struct pd_id id = {atomic_load_explicit(&e->id_lo, memory_order_acquire),
			   atomic_load_explicit(&e->id_hi, memory_order_acquire)};
	if (!tt->shared || !id.lo == !id.hi)
		return id;
	while (atomic_load_explicit(&e->depth, memory_order_acquire) & LOCK_BIT)
		spin_pause();
	return read_id(e);
}

/* The slot for an id that is not in the table: an empty one, or one whose entry is replaced. */
static uint64_t choose_slot(struct tt *tt, struct pd_id id)
{
	uint64_t slot = home_slot(tt, id), least = slot, least_path = 1;
	uint64_t left = tt_used(tt) < (tt->fixed ? capacity_of(tt->slots) : tt->capacity) ? tt->slots : WINDOW;
	for (uint64_t path = 1; path <= left; path++) {
		const struct tt_slot *e = &tt->table[slot];
		struct pd_id there = whole_id(tt, e);
		if (is_empty(there) || pd_id_equal(there, id)) { /* the same id: another thread has just put it */
			note_path_length(tt, path);
			return slot;
		}
		if (read_work(e) < read_work(&tt->table[least]) && path <= WINDOW) {
			least = slot;
			least_path = path;
		}
		if (++slot == tt->slots)
			slot = 0;
	}
	note_path_length(tt, least_path);
	return least;
}

bool tt_get(const struct tt *tt, struct pd_id id, struct pn_entry *out)
{
	uint64_t slot = find_slot(tt, id);
	if (slot == UINT64_MAX)
		return false;
	struct tt_slot *e = &tt->table[slot];
	lock_slot(tt, e);
	*out = read_entry(e);
	unlock_slot(tt, e, read_depth(e));
	return pd_id_equal(out->id, id);
}

/* Writes a slot that is locked, and unlocks it. */
static void write_slot(struct tt *tt, uint64_t slot, const struct pn_entry *entry, bool dirty)
{
	struct tt_slot *e = &tt->table[slot];
	unsigned before = read_depth(e), listed = before & DIRTY_BIT;
	unsigned depth = entry->depth < TT_DEPTH_MAX ? entry->depth : TT_DEPTH_MAX;
	if (pd_id_equal(read_id(e), entry->id) && (before & TT_DEPTH_MAX) < depth)
		depth = before & TT_DEPTH_MAX;
	PD_DEBUG_ASSERT(slot < tt->slots && (!tt->shared || before & LOCK_BIT));
	if (is_empty(read_id(e)))
		add_one(tt, &tt->used);
	atomic_store_explicit(&e->id_lo, entry->id.lo, memory_order_release);
	atomic_store_explicit(&e->id_hi, entry->id.hi, memory_order_release);
	atomic_store_explicit(&e->work, entry->work, memory_order_relaxed);
	num_copy(e->num, entry->num);
	e->move = entry->move;
	if (dirty && !listed) {
		/* When the list is full, the entry is not saved to disk; a resumed search computes it again. */
		uint64_t at = add_one(tt, &tt->dirty_count);
		if (at < tt->dirty_capacity) {
			tt->dirty[at] = slot;
			listed = DIRTY_BIT;
		}
	}
	unlock_slot(tt, e, depth | listed);
}

static void put_two_big(struct tt *tt, const struct pn_entry *entry, bool dirty)
{
	uint64_t slot = home_slot(tt, entry->id);
	struct tt_slot *big = &tt->table[slot], *recent = big + 1;
	if (pd_id_equal(read_id(recent), entry->id) && !pd_id_equal(read_id(big), entry->id)) {
		if (entry->work < read_work(big)) {
			write_slot(tt, slot + 1, entry, dirty);
			return;
		}
	} else if (!is_empty(read_id(big)) && !pd_id_equal(read_id(big), entry->id)) {
		if (!is_empty(read_id(recent)))
			add_one(tt, &tt->replaced);
		if (entry->work < read_work(big)) {
			write_slot(tt, slot + 1, entry, dirty);
			return;
		}
	} else {
		write_slot(tt, slot, entry, dirty);
		return;
	}
	PD_ASSERT(!tt->shared && slot % 2 == 0);
	struct pn_entry displaced = read_entry(big);
	write_slot(tt, slot + 1, &displaced, dirty);
	write_slot(tt, slot, entry, dirty);
}

/* Moves slots from..to - 1 of the old table to the new one. */
static void move_slots(struct tt *tt, const struct tt *old, uint64_t from, uint64_t to, size_t *listed)
{
	for (uint64_t i = from; i < to; i++) {
		const struct tt_slot *e = &old->table[i];
		struct pd_id id = read_id(e);
		if (is_empty(id))
			continue;
		uint64_t slot = choose_slot(tt, id);
		tt->table[slot] = *e;
		add_one(tt, &tt->used);
		if (read_depth(e) & DIRTY_BIT)
			tt->dirty[(*listed)++] = slot;
	}
}

/* The number of slots after the next growth: four times as many, or the maximum. */
static uint64_t next_slots(const struct tt *tt)
{
	return tt->slots_max / 4 < tt->slots ? tt->slots_max : 4 * tt->slots;
}

/* Grows to the next size. If memory runs out, the table keeps its size. Both tables have their slots in the order of
 * the identities. What was moved is freed on the way, so that both together never take more than the new table
 * alone. */
static void grow_table(struct tt *tt)
{
	struct tt old = *tt;
	tt->slots = next_slots(&old);
	tt->table = pn_memory_map(tt->slots * sizeof *tt->table);
	if (!tt->table) {
		*tt = old;
		tt->slots_max = old.slots;
		tt->capacity = capacity_of(old.slots);
		return;
	}
	PD_ASSERT(tt->slots > old.slots && !tt->two_big);
	tt->grown++;
	atomic_store_explicit(&tt->used, 0, memory_order_relaxed);
	atomic_store_explicit(&tt->longest, 1, memory_order_relaxed);
	size_t listed = 0;
	for (uint64_t i = 0; i < old.slots; i += MOVE_SLOTS) {
		uint64_t end = old.slots - i > MOVE_SLOTS ? i + MOVE_SLOTS : old.slots;
		move_slots(tt, &old, i, end, &listed);
		if (end < old.slots)
			pn_memory_drop(old.table, i * sizeof *old.table, end * sizeof *old.table);
	}
	PD_ASSERT(listed <= tt->dirty_capacity && tt_used(tt) == tt_used(&old));
	atomic_store_explicit(&tt->dirty_count, listed, memory_order_relaxed);
	tt->dirty_taken = 0;
	pn_memory_unmap(old.table, old.slots * sizeof *old.table);
}

/* The slot of an id in the scheme Big; it is returned locked. */
static uint64_t slot_for(struct tt *tt, struct pd_id id)
{
	for (;;) {
		uint64_t slot = find_slot(tt, id);
		bool there = slot != UINT64_MAX;
		if (!there) {
			if (tt_used(tt) >= tt->slots / 2 && tt->slots < tt->slots_max && !tt->fixed) {
				if (tt->shared)
					atomic_store_explicit(&tt->grow_wanted, true, memory_order_relaxed);
				else
					grow_table(tt);
			}
			slot = choose_slot(tt, id);
		}
		struct tt_slot *e = &tt->table[slot];
		struct pd_id expected = read_id(e);
		lock_slot(tt, e);
		struct pd_id now = read_id(e);
		if (pd_id_equal(now, id))
			return slot;
		if (!there && pd_id_equal(now, expected)) {
			if (!is_empty(expected))
				add_one(tt, &tt->replaced);
			return slot;
		}
		unlock_slot(tt, e, read_depth(e)); /* another thread was first */
	}
}

static void put_entry(struct tt *tt, const struct pn_entry *entry, bool dirty)
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
	if (atomic_load_explicit(&tt->grow_wanted, memory_order_relaxed) && !tt->fixed)
		grow_table(tt);
	atomic_store_explicit(&tt->grow_wanted, false, memory_order_relaxed);
}

uint64_t tt_growth(const struct tt *tt, uint64_t entries)
{
	uint64_t half = tt->slots / 2, used = tt_used(tt);
	if (tt->slots == tt->slots_max || (entries < half && used < half - entries))
		return 0;
	return (next_slots(tt) - tt->slots) * sizeof *tt->table;
}

void tt_put(struct tt *tt, const struct pn_entry *entry)
{
	put_entry(tt, entry, true);
}

void tt_load(struct tt *tt, const struct pn_entry *entry)
{
	if (is_empty(entry->id) || !num_sound(entry->num))
		return;
	put_entry(tt, entry, false);
	/* A snapshot is in the order of its slots. In a table that is still small its first entries would all have
	 * nearly the same home slot, and finding a place would take quadratic time. */
	if (atomic_load_explicit(&tt->longest, memory_order_relaxed) > LOAD_PATH_MAX && tt->slots < tt->slots_max &&
	    !tt->shared)
		grow_table(tt);
}

size_t tt_take_dirty(struct tt *tt, struct pn_entry *out, size_t max)
{
	size_t n = 0;
	uint64_t count = atomic_load_explicit(&tt->dirty_count, memory_order_relaxed);
	PD_ASSERT(tt->dirty_taken <= count);
	if (count > tt->dirty_capacity)
		count = tt->dirty_capacity;
	while (n < max && tt->dirty_taken < count) {
		struct tt_slot *e = &tt->table[tt->dirty[tt->dirty_taken++]];
		out[n] = read_entry(e);
		atomic_store_explicit(&e->depth, out[n++].depth, memory_order_relaxed);
	}
	if (tt->dirty_taken == count)
		tt->dirty_taken = count = 0;
	atomic_store_explicit(&tt->dirty_count, count, memory_order_relaxed);
	return n;
}

/* The cursor is the slot number, with the low bits of `grown` in its upper bits: the scan restarts when the table has
 * grown, so that it misses nothing. */
size_t tt_snapshot(const struct tt *tt, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	const uint64_t slot_bits = UINT64_MAX >> 8, grown = (tt->grown & 0x7f) << 56;
	size_t n = 0;
	uint64_t slot = (*cursor & ~slot_bits) == grown ? *cursor & slot_bits : 0;
	for (; slot < tt->slots && n < max; slot++)
		if (!is_empty(read_id(&tt->table[slot])))
			out[n++] = read_entry(&tt->table[slot]);
	*cursor = slot < tt->slots ? slot | grown : UINT64_MAX;
	return n;
}
