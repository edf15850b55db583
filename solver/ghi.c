#include "solver/ghi.h"

#include <stdlib.h>
#include <string.h>

#include "solver/pds.h"

enum {
	CYCLE_MAX = 1 << 20, /* positions that one cycle may have */
	REPAIRS_MAX = 100,   /* failed verifications of the root, before paths are told apart */
	SETTLE_FIRST = 16    /* path-dependent results that are worth settling */
};

void ghi_init(struct ghi *ghi, size_t bytes)
{
	ghi_pathdep_init(&ghi->results, bytes);
}

void ghi_fini(struct ghi *ghi)
{
	ghi_pathdep_fini(&ghi->results);
}

void ghi_start(struct pds *pds)
{
	struct ghi *ghi = &pds->ghi;
	for (unsigned i = 0; i < GHI_PATH_SLOTS; i++)
		PD_DEBUG_ASSERT(!ghi->on_path[i]);
	ghi_pathdep_fini(&ghi->results);
	ghi->settled_at = 0;
	ghi->provisional = pds_cyclic(pds);
	ghi->repaired_at = 0;
	ghi->replaced_at = tt_replaced(pds->tt);
	ghi->repairs = 0;
}

/* --- children and results on the path ----------------------------------------------------- */

bool ghi_child_on_path(struct pds *pds, struct pds_child *c)
{
	if (ghi_maybe_on_path(&pds->ghi, c->id))
		for (uint32_t d = pds->depth + 1; d-- > 0;)
			if (pd_id_equal(pds->frames[d].id, c->id)) {
				ghi_set_repetition(&pds->question, c->num, d);
				return true;
			}
	if (pds->depth + 1 < pds->depth_max)
		return false;
	ghi_set_cut_off(&pds->question, c->num);
	return true;
}

bool ghi_child_provisional(struct pds *pds, struct pds_child *c)
{
	if (!pds->ghi.provisional || !ghi_pathdep_get(&pds->ghi.results, c->id))
		return false;
	ghi_set_repetition(&pds->question, c->num, 0);
	return true;
}

bool ghi_child_twin(struct pds *pds, struct pds_child *c)
{
	struct pn_entry e;
	if (!tt_get(pds->tt, ghi_twin_id(pds->frames[pds->depth].path, c->id), &e))
		return false;
	c->num[0] = e.num[0];
	c->num[1] = e.num[1];
	return true;
}

void ghi_keep(struct pds *pds, const uint32_t num[2], uint64_t work, unsigned move)
{
	const struct question *q = &pds->question;
	const struct pds_frame *f = &pds->frames[pds->depth];
	uint8_t key[GAME_KEY_MAX];
	size_t size = q->game->rules->key(q->game, pds->states + pds->depth * pds->stride, key);
	PD_ASSERT(pds_cyclic(pds) && ghi_path_dependent(q, num));
	ghi_pathdep_put(&pds->ghi.results, f->id, key, size, move);
	if (pds->depth && !pds->ghi.provisional)
		pds_store(pds, ghi_twin_id(f[-1].path, f->id), num, work, move, pds->depth);
}

/* --- closing one cycle -------------------------------------------------------------------- */

/* The positions of a cycle: the node that it closes at, and the path-dependent results that justify it, each once, in
 * the order in which they were met. */
struct ghi_cycle {
	struct pds *pds;
	unsigned winner;        /* 0: the claim is proved, 1: disproved */
	struct ghi_pathdep met; /* the same positions, by id */
	struct pd_id *order;    /* owned */
	size_t count, capacity;
};

static bool cycle_meet(struct ghi_cycle *cycle, struct pd_id id, const uint8_t *key, size_t size, unsigned move)
{
	if (ghi_pathdep_get(&cycle->met, id))
		return true;
	if (cycle->count == cycle->capacity) {
		size_t capacity = cycle->capacity ? 2 * cycle->capacity : 64;
		struct pd_id *order = capacity <= CYCLE_MAX ? realloc(cycle->order, capacity * sizeof *order) : NULL;
		if (!order)
			return false;
		cycle->order = order;
		cycle->capacity = capacity;
	}
	uint32_t before = cycle->met.count;
	PD_ASSERT(cycle->count < cycle->capacity);
	ghi_pathdep_put(&cycle->met, id, key, size, move);
	cycle->order[cycle->count++] = id;
	return cycle->met.count == before + 1; /* it forgets everything when it is full */
}

/* Whether the child has the outcome: by the rules, by a fact, or as a path-dependent result, which is then met. */
static bool cycle_child(struct ghi_cycle *cycle, const void *state)
{
	struct pds *pds = cycle->pds;
	const struct question *q = &pds->question;
	uint32_t num[2];
	if (question_terminal(q, state, num) ||
	    (!pds->policy->delayed_evaluation && question_immediate_win(q, state, num)))
		return num[cycle->winner] == 0;
	struct pd_id position = question_position_id(q, state), id = question_claim_id(q, position);
	if (ghi_pathdep_get(&cycle->met, id))
		return true;
	struct pn_entry e;
	if (tt_get(pds->tt, id, &e) && num_solved(e.num) && !ghi_path_dependent(q, e.num))
		return e.num[cycle->winner] == 0;
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&pds->ghi.results, id);
	if (slot)
		return cycle_meet(cycle, id, ghi_pathdep_key(&pds->ghi.results, slot), slot->size, slot->move);
	return pds_host_fact(pds, state, num) && num[cycle->winner] == 0;
}

/* Whether one position is justified one ply down by facts and by path-dependent results. */
static bool cycle_step(struct ghi_cycle *cycle, struct pd_id id, void *state, void *child)
{
	struct pds *pds = cycle->pds;
	const struct game *game = pds->question.game;
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&cycle->met, id);
	unsigned only = slot->move;
	game_move *moves = pds->moves + game->moves_max;
	if (game->rules->unkey(game, ghi_pathdep_key(&cycle->met, slot), slot->size, state))
		return false;
	unsigned count = game->rules->moves(game, state, moves), kept = 0;
	bool own = question_kind(&pds->question, state) == cycle->winner;
	for (unsigned i = 0; i < count; i++) {
		if (own && game_canon(game, state, moves[i], false) != only)
			continue;
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		if (!cycle_child(cycle, child))
			return false;
		kept++;
	}
	return kept > 0;
}

/* All that was met justifies each other and becomes facts; not the first, which is the caller's. */
static void cycle_emit(struct ghi_cycle *cycle, void *state)
{
	struct pds *pds = cycle->pds;
	const struct question *q = &pds->question;
	uint32_t num[2];
	num_set_solved(num, cycle->winner == 0, NUM_ANY_PATH);
	for (size_t i = 1; i < cycle->count; i++) {
		const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&cycle->met, cycle->order[i]);
		if (q->game->rules->unkey(q->game, ghi_pathdep_key(&cycle->met, slot), slot->size, state))
			continue;
		struct pd_reason reason = question_reason(q, num);
		if (slot->move != PD_NO_MOVE)
			reason.move = game_canon(q->game, state, slot->move, true);
		fact_buffer_put(pds->facts, q, state, reason);
		pds_cache_fact(pds, question_position_id(q, state), &reason, slot->move, 1);
		pds_store(pds, cycle->order[i], num, 1, slot->move, pds->depth);
	}
}

bool ghi_close_cycle(struct pds *pds, struct pd_id id, const uint32_t num[2], game_move move)
{
	const void *top = pds->states + pds->depth * pds->stride;
	const struct question *q = &pds->question;
	struct ghi_cycle cycle = {.pds = pds, .winner = num[0] != 0};
	_Alignas(16) uint8_t state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	PD_ASSERT(num_solved(num) && !q->ranked[cycle.winner] && !ghi_path_dependent(q, num));
	size_t size = q->game->rules->key(q->game, top, key);
	ghi_pathdep_init(&cycle.met, pds->ghi.results.bytes_max);
	bool whole =
		cycle_meet(&cycle, id, key, size, move == PD_NO_MOVE ? move : game_canon(q->game, top, move, false));
	for (size_t i = 0; whole && i < cycle.count; i++)
		whole = cycle_step(&cycle, cycle.order[i], state, child);
	if (whole)
		cycle_emit(&cycle, state);
	ghi_pathdep_fini(&cycle.met);
	free(cycle.order);
	return whole;
}

/* --- settling all path-dependent results together ----------------------------------------- */

/* All path-dependent results, and which of the others each of them needs. */
struct settling {
	struct pds *pds;
	unsigned winner;
	uint32_t *first; /* owned; by slot: where its list in `needs` begins; UINT32_MAX: it is not justified */
	uint32_t *needs; /* owned; lists of slots, each ended by UINT32_MAX */
	size_t count, capacity;
};

static bool settle_need(struct settling *t, uint32_t slot)
{
	if (t->count == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 256;
		uint32_t *needs = capacity < UINT32_MAX ? realloc(t->needs, capacity * sizeof *needs) : NULL;
		if (!needs)
			return false;
		t->needs = needs;
		t->capacity = capacity;
	}
	t->needs[t->count++] = slot;
	return true;
}

/* Whether the child has the outcome by the rules or by a fact, or as another result, which is then needed. False when
 * it has not, or when memory ends. */
static bool settle_child(struct settling *t, const void *state)
{
	struct pds *pds = t->pds;
	const struct question *q = &pds->question;
	uint32_t num[2];
	if (question_terminal(q, state, num) ||
	    (!pds->policy->delayed_evaluation && question_immediate_win(q, state, num)))
		return num[t->winner] == 0;
	struct pd_id id = question_claim_id(q, question_position_id(q, state));
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&pds->ghi.results, id);
	if (slot)
		return settle_need(t, (uint32_t)(slot - pds->ghi.results.slots));
	struct pn_entry e;
	if (tt_get(pds->tt, id, &e) && num_solved(e.num) && !ghi_path_dependent(q, e.num))
		return e.num[t->winner] == 0;
	return pds_host_fact(pds, state, num) && num[t->winner] == 0;
}

/* Gathers what one result needs; its `first` stays UINT32_MAX when it cannot be justified. */
static void settle_gather(struct settling *t, uint32_t index, void *state, void *child)
{
	struct pds *pds = t->pds;
	const struct game *game = pds->question.game;
	const struct ghi_pathdep_slot *slot = &pds->ghi.results.slots[index];
	game_move *moves = pds->moves + game->moves_max;
	size_t begin = t->count;
	bool good = !game->rules->unkey(game, ghi_pathdep_key(&pds->ghi.results, slot), slot->size, state),
	     kept = false;
	unsigned count = good ? game->rules->moves(game, state, moves) : 0;
	bool own = good && question_kind(&pds->question, state) == t->winner;
	for (unsigned i = 0; i < count && good; i++) {
		if (own && game_canon(game, state, moves[i], false) != slot->move)
			continue;
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		good = settle_child(t, child);
		kept = true;
	}
	if (good && kept && settle_need(t, UINT32_MAX))
		t->first[index] = (uint32_t)begin;
	else
		t->count = begin;
}

/* Takes out results that need one that is not justified, until nothing changes: what is left is the greatest set whose
 * members justify each other. Returns how many are left. */
static uint32_t settle_reduce(struct settling *t, uint32_t room)
{
	bool fell = true;
	uint32_t left = 0;
	while (fell) {
		fell = false;
		left = 0;
		for (uint32_t i = 0; i < room; i++) {
			if (t->first[i] == UINT32_MAX)
				continue;
			const uint32_t *need = &t->needs[t->first[i]];
			while (*need != UINT32_MAX && t->first[*need] != UINT32_MAX)
				need++;
			if (*need == UINT32_MAX) {
				left++;
				continue;
			}
			t->first[i] = UINT32_MAX;
			fell = true;
		}
	}
	return left;
}

/* What is left becomes facts; the other results stay. */
static void settle_emit(struct settling *t, void *state)
{
	struct pds *pds = t->pds;
	const struct question *q = &pds->question;
	struct ghi_pathdep old = pds->ghi.results;
	uint32_t num[2];
	num_set_solved(num, t->winner == 0, NUM_ANY_PATH);
	ghi_pathdep_init(&pds->ghi.results, old.bytes_max);
	for (uint32_t i = 0; i < old.room; i++) {
		const struct ghi_pathdep_slot *slot = &old.slots[i];
		if (!slot->id.lo && !slot->id.hi)
			continue;
		if (t->first[i] == UINT32_MAX ||
		    q->game->rules->unkey(q->game, ghi_pathdep_key(&old, slot), slot->size, state)) {
			ghi_pathdep_put(&pds->ghi.results, slot->id, ghi_pathdep_key(&old, slot), slot->size,
					slot->move);
			continue;
		}
		struct pd_reason reason = question_reason(q, num);
		if (slot->move != PD_NO_MOVE)
			reason.move = game_canon(q->game, state, slot->move, true);
		fact_buffer_put(pds->facts, q, state, reason);
		pds_cache_fact(pds, question_position_id(q, state), &reason, slot->move, 1);
		pds_store(pds, slot->id, num, 1, slot->move, pds->depth);
	}
	ghi_pathdep_fini(&old);
}

void ghi_settle(struct pds *pds)
{
	struct settling t = {.pds = pds, .winner = pds->question.ranked[0]};
	_Alignas(16) uint8_t state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	uint32_t room = pds->ghi.results.room;
	PD_ASSERT(pds->ghi.results.count <= room);
	t.first = malloc(room * sizeof *t.first);
	for (uint32_t i = 0; t.first && i < room; i++)
		t.first[i] = UINT32_MAX;
	for (uint32_t i = 0; t.first && i < room; i++)
		if (pds->ghi.results.slots[i].id.lo || pds->ghi.results.slots[i].id.hi)
			settle_gather(&t, i, state, child);
	if (t.first && settle_reduce(&t, room)) {
		pds_progress(pds);
		group_note_solved(pds->group);
		settle_emit(&t, state);
	}
	pds->ghi.settled_at = pds->ghi.results.count;
	free(t.first);
	free(t.needs);
}

void ghi_settle_when_due(struct pds *pds)
{
	struct ghi *ghi = &pds->ghi;
	if (ghi->provisional && ghi->results.count >= SETTLE_FIRST + ghi->settled_at + ghi->settled_at / 4)
		ghi_settle(pds);
	else if (ghi->results.count < ghi->settled_at)
		ghi->settled_at = ghi->results.count; /* the store was full and forgot */
}

/* --- verification at the root ------------------------------------------------------------- */

bool ghi_provisional_ended(struct pds *pds)
{
	if (!pds->ghi.provisional || tt_replaced(pds->tt) <= pds->ghi.replaced_at)
		return false;
	pds->ghi.provisional = false;
	return true;
}

bool ghi_must_verify_root(const struct pds *pds, const uint32_t num[2])
{
	const struct question *q = &pds->question;
	return pds->depth == 0 && pds->ghi.provisional && num_solved(num) && !q->ranked[num[0] != 0] &&
	       !ghi_path_dependent(q, num);
}

void ghi_root_refuted(struct pds *pds)
{
	struct ghi *ghi = &pds->ghi;
	PD_ASSERT(ghi->provisional && pds->facts->count >= ghi->repaired_at);
	ghi->provisional = pds->facts->count > ghi->repaired_at && ++ghi->repairs < REPAIRS_MAX;
	ghi->repaired_at = pds->facts->count;
}

void ghi_forget(struct pds *pds)
{
	ghi_settle(pds);
	ghi_pathdep_fini(&pds->ghi.results);
	pds->ghi.settled_at = 0;
}
