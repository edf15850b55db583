#include "solver/dominance.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/huge_memory.h"

/* --- keys --------------------------------------------------------------------------------- */

/* Splits a key into its parts; the bytes of the order part come back. */
static unsigned split_key(const struct game *g, size_t size, const uint8_t *key, uint64_t *order)
{
	unsigned part = g->rules->order_part(g);
	PD_ASSERT(part && part <= GAME_ORDER_MAX && part < size);
	uint8_t bytes[GAME_ORDER_MAX] = {0};
	memcpy(bytes, key + size - part, part);
	*order = pd_get_le64(bytes);
	return (unsigned)size - part;
}

bool dominance_holds(const struct game *g, uint64_t a, uint64_t b, int bound, enum pd_side side)
{
	uint8_t bytes[2][GAME_ORDER_MAX];
	pd_put_le64(bytes[0], a);
	pd_put_le64(bytes[1], b);
	return a != b && g->rules->dominates(g, bytes[0], bytes[1], bound, side == PD_LO);
}

struct dominance_place dominance_place_of(const struct question *q, const uint8_t *key, size_t size)
{
	struct dominance_place p;
	p.board = question_key_id(q, key, split_key(q->game, size, key, &p.order));
	p.board.lo += !p.board.lo && !p.board.hi;
	return p;
}

bool pn_dominated_key(const struct game *g, const uint8_t *key, size_t size, const struct pd_reason *r,
		      uint8_t out[GAME_KEY_MAX])
{
	if (!r->dominated || !pn_has_dominance(g))
		return false;
	uint64_t own, order = r->dominated - 1;
	unsigned board = split_key(g, size, key, &own), bytes = (unsigned)size - board;
	if (bytes < GAME_ORDER_MAX && order >> 8 * bytes)
		return false;
	memcpy(out, key, board);
	for (unsigned i = 0; i < bytes; i++)
		out[board + i] = (uint8_t)(order >> 8 * i);
	_Alignas(16) uint8_t other[GAME_STATE_MAX];
	return !g->rules->unkey(g, out, size, other) && dominance_holds(g, own, order, r->bound, r->side);
}

/* --- the table ---------------------------------------------------------------------------- */

struct dominance *dominance_new(const struct game *g, uint64_t bytes)
{
	struct dominance *t = calloc(1, sizeof *t);
	PD_ASSERT(pn_has_dominance(g));
	if (!t)
		return NULL;
	t->game = g;
	t->count = bytes / sizeof(struct dominance_bucket) + 1;
	t->buckets = pn_memory_map((size_t)t->count * sizeof *t->buckets);
	if (t->buckets)
		return t;
	free(t);
	return NULL;
}

void dominance_free(struct dominance *t)
{
	if (t)
		pn_memory_unmap(t->buckets, (size_t)t->count * sizeof *t->buckets);
	free(t);
}

/* The locked bucket of a board part. */
static struct dominance_bucket *lock_bucket(const struct dominance *t, struct pd_id board)
{
	struct dominance_bucket *b = &t->buckets[(uint64_t)(((__uint128_t)board.lo * t->count) >> 64)];
	while (atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire))
		spin_pause();
	return b;
}

static void unlock_bucket(struct dominance_bucket *b)
{
	atomic_flag_clear_explicit(&b->lock, memory_order_release);
}

/* Whether the bound of `b` follows from that of `a`: both are entries of one board part. */
static bool entry_follows(const struct game *g, const struct dominance_entry *a, const struct dominance_entry *b)
{
	return a->side == b->side && (a->side == PD_LO ? a->bound >= b->bound : a->bound <= b->bound) &&
	       a->rank <= b->rank && (a->fact || !b->fact) &&
	       (a->order == b->order || dominance_holds(g, b->order, a->order, a->bound, a->side));
}

void dominance_put(struct dominance *t, const struct question *q, const void *state, const struct pd_reason *r,
		   uint64_t effort, bool fact)
{
	struct dominance_place place = dominance_place(q, state);
	struct dominance_entry new = {.board = place.board,
				      .order = place.order,
				      .bound = r->bound,
				      .rank = r->rank,
				      .move = r->move,
				      .side = r->side,
				      .fact = fact};
	struct dominance_bucket *b = lock_bucket(t, new.board);
	struct dominance_entry *to = NULL;
	if (new.order == UINT64_MAX) { /* no reason can name it */
		unlock_bucket(b);
		return;
	}
	new.effort = effort < UINT32_MAX ? (uint32_t)effort : UINT32_MAX;
	for (unsigned i = 0; i < DOMINANCE_ENTRIES; i++) {
		struct dominance_entry *e = &b->entry[i];
		bool same = pd_id_equal(e->board, new.board);
		if (same && entry_follows(t->game, e, &new)) {
			unlock_bucket(b);
			return;
		}
		if (same && entry_follows(t->game, &new, e))
			*e = (struct dominance_entry){0};
		if (!to && !e->board.lo && !e->board.hi)
			to = e;
	}
	if (!to)
		to = &b->entry[b->next++ % DOMINANCE_ENTRIES];
	*to = new;
	unlock_bucket(b);
}

static bool entry_answers(const struct dominance_entry *e, const struct question *q)
{
	return e->side == PD_LO ? e->bound >= q->threshold : e->bound < q->threshold;
}

bool dominance_get(struct dominance *t, const struct question *q, const struct dominance_place *place, bool facts,
		   struct dominance_entry *out)
{
	struct pd_id board = place->board;
	uint64_t order = place->order;
	struct dominance_bucket *b = lock_bucket(t, board);
	bool found = false;
	for (unsigned i = 0; i < DOMINANCE_ENTRIES; i++) {
		const struct dominance_entry *e = &b->entry[i];
		if (pd_id_equal(e->board, board) && entry_answers(e, q) && (e->fact || !facts) &&
		    (!found || e->rank < out->rank) && dominance_holds(t->game, order, e->order, e->bound, e->side)) {
			*out = *e;
			found = true;
		}
	}
	unlock_bucket(b);
	atomic_fetch_add_explicit(&t->asks, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->hits, found, memory_order_relaxed);
	return found;
}

struct pd_reason dominance_reason(const struct question *q, const void *state, const struct dominance_entry *e)
{
	struct pd_reason r = {.bound = e->bound, .side = e->side, .rank = e->rank, .move = PD_NO_MOVE};
	bool own = (question_kind(q, state) == 0) == (e->side == PD_LO);
	game_move move;
	if (own && e->move != PD_NO_MOVE && game_legal_from_key(q->game, state, e->move, &move))
		r.move = move;
	r.dominated = e->fact ? e->order + 1 : 0;
	r.effort = e->fact ? 0 : e->effort ? e->effort : 1;
	return r;
}
