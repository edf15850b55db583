#include "solver/ghi.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLE_MAX = 1 << 20 /* positions of one circle */ };

/* --- one circle, from the node down ------------------------------------------------------- */

/* What a circle's closing looks at: positions found pending, each once, in the order they were met. */
struct ghi_cycle {
	struct pds *pds;
	unsigned winner;        /* 0: the claim is proved, 1: refuted */
	struct ghi_pathdep met; /* also says which were met */
	struct pd_id *order;    /* owned */
	size_t count, capacity;
};

static bool cycle_meet(struct ghi_cycle *circle, struct pd_id id, const uint8_t *key, size_t size, unsigned move)
{
	if (ghi_pathdep_get(&circle->met, id))
		return true;
	if (circle->count == circle->capacity) {
		size_t capacity = circle->capacity ? 2 * circle->capacity : 64;
		struct pd_id *order = capacity <= CYCLE_MAX ? realloc(circle->order, capacity * sizeof *order) : NULL;
		if (!order)
			return false;
		circle->order = order;
		circle->capacity = capacity;
	}
	uint32_t before = circle->met.count;
	ghi_pathdep_put(&circle->met, id, key, size, move);
	circle->order[circle->count++] = id;
	return circle->met.count == before + 1; /* it forgets all when it is full */
}

/* Whether the winner has the child: by the rules, by a fact, or because it is pending and met. */
static bool cycle_child(struct ghi_cycle *circle, const void *state)
{
	struct pds *pds = circle->pds;
	const struct question *q = &pds->question;
	uint32_t num[2];
	if (question_terminal(q, state, num) || (!pds->to_the_letter && question_immediate_win(q, state, num)))
		return num[circle->winner] == 0;
	struct pd_id position = question_position_id(q, state), id = question_claim_id(q, position);
	if (ghi_pathdep_get(&circle->met, id))
		return true;
	struct pn_entry e;
	if (tt_get(pds->tt, id, &e) && num_solved(e.num) && !question_path_dependent(q, e.num))
		return e.num[circle->winner] == 0;
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&pds->pending, id);
	if (slot)
		return cycle_meet(circle, id, ghi_pathdep_key(&pds->pending, slot), slot->size, slot->move);
	return pds_host_fact(pds, state, num) && num[circle->winner] == 0;
}

/* Whether one position is justified one ply down by facts and by what is pending. */
static bool cycle_step(struct ghi_cycle *circle, struct pd_id id, void *state, void *child)
{
	struct pds *pds = circle->pds;
	const struct game *game = pds->question.game;
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&circle->met, id);
	unsigned only = slot->move;
	game_move *moves = pds->moves + game->moves_max;
	if (game->rules->unkey(game, ghi_pathdep_key(&circle->met, slot), slot->size, state))
		return false;
	unsigned count = game->rules->moves(game, state, moves), kept = 0;
	bool own = question_kind(&pds->question, state) == circle->winner;
	for (unsigned i = 0; i < count; i++) {
		if (own && game_canon(game, state, moves[i], false) != only)
			continue;
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		if (!cycle_child(circle, child))
			return false;
		kept++;
	}
	return kept > 0;
}

/* All that was met is justified by each other: it becomes facts. */
static void cycle_emit(struct ghi_cycle *circle, void *state)
{
	struct pds *pds = circle->pds;
	const struct question *q = &pds->question;
	uint32_t num[2];
	num_set_solved(num, circle->winner == 0, NUM_FREE);
	for (size_t i = 1; i < circle->count; i++) {
		const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&circle->met, circle->order[i]);
		if (q->game->rules->unkey(q->game, ghi_pathdep_key(&circle->met, slot), slot->size, state))
			continue;
		struct pd_reason reason = question_reason(q, num);
		if (slot->move != PD_NO_MOVE)
			reason.move = game_canon(q->game, state, slot->move, true);
		fact_buffer_put(pds->facts, q, state, reason);
		pds_cache_fact(pds, question_position_id(q, state), &reason, slot->move, 1);
		pds_store(pds, circle->order[i], num, 1, slot->move, pds->depth);
	}
}

bool ghi_close_cycle(struct pds *pds, struct pd_id id, const uint32_t num[2], game_move move)
{
	const void *top = pds->states + pds->depth * pds->stride;
	const struct question *q = &pds->question;
	struct ghi_cycle circle = {.pds = pds, .winner = num[0] != 0};
	_Alignas(16) uint8_t state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	size_t size = q->game->rules->key(q->game, top, key);
	ghi_pathdep_init(&circle.met, pds->pending.bytes_max);
	bool whole =
		cycle_meet(&circle, id, key, size, move == PD_NO_MOVE ? move : game_canon(q->game, top, move, false));
	for (size_t i = 0; whole && i < circle.count; i++)
		whole = cycle_step(&circle, circle.order[i], state, child);
	if (whole)
		cycle_emit(&circle, state);
	ghi_pathdep_fini(&circle.met);
	free(circle.order);
	return whole;
}

/* --- what is pending, taken together ------------------------------------------------------ */

/* All pending positions and what each needs of the others. */
struct together {
	struct pds *pds;
	unsigned winner;
	uint32_t *first; /* owned; by slot: its needs from here on in `needs`; UINT32_MAX: it does not hold */
	uint32_t *needs; /* owned; slots, each list ended by UINT32_MAX */
	size_t count, capacity;
};

static bool together_need(struct together *t, uint32_t slot)
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

/* Whether the winner has the child by the rules or by a fact, or needs it of the others. False when it has it not, or
 * memory ends. */
static bool together_child(struct together *t, const void *state)
{
	struct pds *pds = t->pds;
	const struct question *q = &pds->question;
	uint32_t num[2];
	if (question_terminal(q, state, num) || (!pds->to_the_letter && question_immediate_win(q, state, num)))
		return num[t->winner] == 0;
	struct pd_id id = question_claim_id(q, question_position_id(q, state));
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&pds->pending, id);
	if (slot)
		return together_need(t, (uint32_t)(slot - pds->pending.slots));
	struct pn_entry e;
	if (tt_get(pds->tt, id, &e) && num_solved(e.num) && !question_path_dependent(q, e.num))
		return e.num[t->winner] == 0;
	return pds_host_fact(pds, state, num) && num[t->winner] == 0;
}

/* Gathers the needs of one pending position; its first stays UINT32_MAX when it cannot hold. */
static void together_gather(struct together *t, uint32_t index, void *state, void *child)
{
	struct pds *pds = t->pds;
	const struct game *game = pds->question.game;
	const struct ghi_pathdep_slot *slot = &pds->pending.slots[index];
	game_move *moves = pds->moves + game->moves_max;
	size_t begin = t->count;
	bool good = !game->rules->unkey(game, ghi_pathdep_key(&pds->pending, slot), slot->size, state), kept = false;
	unsigned count = good ? game->rules->moves(game, state, moves) : 0;
	bool own = good && question_kind(&pds->question, state) == t->winner;
	for (unsigned i = 0; i < count && good; i++) {
		if (own && game_canon(game, state, moves[i], false) != slot->move)
			continue;
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		good = together_child(t, child);
		kept = true;
	}
	if (good && kept && together_need(t, UINT32_MAX))
		t->first[index] = (uint32_t)begin;
	else
		t->count = begin;
}

/* Takes out what needs something that does not hold, until nothing more falls: the greatest set whose members hold each
 * other. Returns how many are left. */
static uint32_t together_fall(struct together *t, uint32_t room)
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

/* What is left becomes facts, and is pending no more. */
static void together_emit(struct together *t, void *state)
{
	struct pds *pds = t->pds;
	const struct question *q = &pds->question;
	struct ghi_pathdep old = pds->pending;
	uint32_t num[2];
	num_set_solved(num, t->winner == 0, NUM_FREE);
	ghi_pathdep_init(&pds->pending, old.bytes_max);
	for (uint32_t i = 0; i < old.room; i++) {
		const struct ghi_pathdep_slot *slot = &old.slots[i];
		if (!slot->id.lo && !slot->id.hi)
			continue;
		if (t->first[i] == UINT32_MAX ||
		    q->game->rules->unkey(q->game, ghi_pathdep_key(&old, slot), slot->size, state)) {
			ghi_pathdep_put(&pds->pending, slot->id, ghi_pathdep_key(&old, slot), slot->size, slot->move);
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
	struct together t = {.pds = pds, .winner = pds->question.counted[0]};
	_Alignas(16) uint8_t state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	uint32_t room = pds->pending.room;
	t.first = malloc(room * sizeof *t.first);
	for (uint32_t i = 0; t.first && i < room; i++)
		t.first[i] = UINT32_MAX;
	for (uint32_t i = 0; t.first && i < room; i++)
		if (pds->pending.slots[i].id.lo || pds->pending.slots[i].id.hi)
			together_gather(&t, i, state, child);
	if (t.first && together_fall(&t, room)) {
		pds_progress(pds);
		group_note_solved(pds->group);
		together_emit(&t, state);
	}
	pds->settled_at = pds->pending.count;
	free(t.first);
	free(t.needs);
}
