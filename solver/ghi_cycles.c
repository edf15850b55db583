#include "solver/ghi_cycles.h"

#include "solver/pds_policy.h"
#include "solver/pds_store.h"

enum {
	CYCLE_MAX = 1 << 20, /* positions that one cycle may have */
	REPAIRS_MAX = 100,   /* failed verifications of the root, before twin entries distinguish paths */
	SETTLE_FIRST = 16    /* new path-dependent results that make a settling due, at least */
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

/* Whether the position at `place` with that frame's board part dominates it for the side that infinite play serves. */
static bool dominates_frame(const struct question *q, const struct dominance_place *place, const struct pds_frame *f)
{
	enum pd_side side = q->ranked[0] ? PD_HI : PD_LO;
	int bound = side == PD_LO ? q->threshold : q->threshold - q->game->value_step;
	return f->place.order != UINT64_MAX && /* a reason can name it */
	       dominance_holds(q->game, place->order, f->place.order, bound, side);
}

bool ghi_child_on_path(struct pds *pds, struct pds_child *c, const void *state, const struct dominance_place *place,
		       const uint8_t *key, size_t size)
{
	const struct pds_frame *f;
	uint32_t num[2];
	for (unsigned d = *ghi_path_slot(&pds->ghi, place->board); d; d = f->behind) {
		f = &pds->frames[d - 1];
		bool same = pd_id_equal(f->id, c->id);
		if (!same && !(pds_has_places(pds) && pd_id_equal(f->place.board, place->board) &&
			       dominates_frame(&pds->question, place, f)))
			continue;
		if (!same && question_terminal(&pds->question, state, num)) /* the rules give its value */
			return false;
		if (!same)
			ghi_pathdep_put(&pds->ghi.results, c->id, key, size, PD_NO_MOVE, f->place.order + 1);
		ghi_set_repetition(&pds->question, c->num, d - 1);
		return true;
	}
	if (pds->depth + 1 < pds->depth_max)
		return false;
	ghi_set_cut_off(&pds->question, c->num);
	return true;
}

bool ghi_child_provisional(struct pds *pds, struct pds_child *c)
{
	const struct ghi_pathdep_slot *slot = pds->ghi.provisional ? ghi_pathdep_get(&pds->ghi.results, c->id) : NULL;
	if (!slot || slot->dominated)
		return false;
	ghi_set_repetition(&pds->question, c->num, 0);
	return true;
}

bool ghi_child_twin(struct pds *pds, struct pds_child *c)
{
	struct pn_entry e;
	if (!tt_get(pds->tt, ghi_twin_id(pds->frames[pds->depth].path, c->id), &e))
		return false;
	num_copy(c->num, e.num);
	return true;
}

void ghi_keep(struct pds *pds, const uint32_t num[2], uint64_t work, unsigned move)
{
	const struct question *q = &pds->question;
	const struct pds_frame *f = &pds->frames[pds->depth];
	uint8_t key[GAME_KEY_MAX];
	size_t size = q->game->rules->key(q->game, pds_state(pds, pds->depth), key);
	PD_ASSERT(pds_cyclic(pds) && ghi_path_dependent(q, num));
	ghi_pathdep_put(&pds->ghi.results, f->id, key, size, move, 0);
	if (pds->depth && !pds->ghi.provisional)
		pds_store(pds, ghi_twin_id(f[-1].path, f->id), num, work, move, pds->depth);
}

/* --- what justifies a result -------------------------------------------------------------- */

/* Path-dependent results that are to become facts together, and a callback for their children. */
struct ghi_proof {
	struct pds *pds;
	unsigned winner; /* 0: the claim is proved, 1: disproved */
	/* Whether the child `state` has the outcome: by the rules, by a fact, or by another path-dependent result,
	 * which the callback then notes. */
	bool (*child)(struct ghi_proof *proof, const void *state);
	_Alignas(16) uint8_t state[GAME_STATE_MAX]; /* the position being justified */
	_Alignas(16) uint8_t next[GAME_STATE_MAX];  /* a child of that position */
};

/* True when the rules decide a child; num is then the solved pair. */
static bool ghi_rules_decide(const struct pds *pds, const void *state, uint32_t num[2])
{
	const struct question *q = &pds->question;
	return question_terminal(q, state, num) ||
	       (!pds->policy->delayed_evaluation && question_immediate_win(q, state, num));
}

/* True when the table has a child solved on every path. */
static bool ghi_entry_decides(const struct pds *pds, struct pd_id id, uint32_t num[2])
{
	struct pn_entry e;
	if (!pds_find_solved(pds, id, &e))
		return false;
	num_copy(num, e.num);
	return true;
}

static struct pd_id ghi_claim_id(const struct pds *pds, const void *state)
{
	return question_claim_id(&pds->question, question_position_id(&pds->question, state));
}

/* The reason for a result, without its move. */
static struct pd_reason ghi_reason(const struct ghi_proof *proof, const struct ghi_pathdep_slot *slot)
{
	uint32_t num[2];
	num_set_solved(num, proof->winner == 0, NUM_ANY_PATH);
	struct pd_reason reason = question_reason(&proof->pds->question, num);
	reason.dominated = slot->dominated;
	return reason;
}

/* Whether a result of `store` is justified one ply down. */
static bool ghi_justify(struct ghi_proof *proof, const struct ghi_pathdep *store, const struct ghi_pathdep_slot *slot)
{
	struct pds *pds = proof->pds;
	const struct game *game = pds->question.game;
	unsigned only = slot->move, kept = 0; /* `slot` may move when a result is noted */
	game_move *moves = pds->moves + game->moves_max;
	const uint8_t *key = ghi_pathdep_key(store, slot);
	if (slot->dominated) {
		struct pd_reason reason = ghi_reason(proof, slot);
		uint8_t other[GAME_KEY_MAX];
		return pn_dominated_key(game, key, slot->size, &reason, other) &&
		       !game->rules->unkey(game, other, slot->size, proof->next) && proof->child(proof, proof->next);
	}
	if (game->rules->unkey(game, key, slot->size, proof->state))
		return false;
	unsigned count = game->rules->moves(game, proof->state, moves);
	bool own = question_kind(&pds->question, proof->state) == proof->winner;
	for (unsigned i = 0; i < count; i++) {
		if (own && game_canon(game, proof->state, moves[i], false) != only)
			continue;
		memcpy(proof->next, proof->state, game->state_size);
		game->rules->play(game, proof->next, moves[i]);
		if (!proof->child(proof, proof->next))
			return false;
		kept++;
	}
	return kept > 0;
}

/* Makes a result of `store` a fact. False when its key cannot be read. */
static bool ghi_emit(struct ghi_proof *proof, const struct ghi_pathdep *store, const struct ghi_pathdep_slot *slot)
{
	struct pds *pds = proof->pds;
	const struct question *q = &pds->question;
	uint32_t num[2];
	if (q->game->rules->unkey(q->game, ghi_pathdep_key(store, slot), slot->size, proof->state))
		return false;
	num_set_solved(num, proof->winner == 0, NUM_ANY_PATH);
	struct pd_reason reason = ghi_reason(proof, slot);
	if (slot->move != PD_NO_MOVE)
		reason.move = game_canon(q->game, proof->state, slot->move, true);
	pds_record(pds, proof->state, &reason, 1);
	pds_store(pds, slot->id, num, 1, slot->move, pds->depth);
	return true;
}

/* --- closing one cycle -------------------------------------------------------------------- */

/* The positions of a cycle: the node at which it closes, and the path-dependent results that justify it, each once, in
 * the order in which they were found. */
struct ghi_cycle {
	struct ghi_proof proof; /* first */
	struct ghi_pathdep met; /* the same positions, by id */
	struct pd_id *order;    /* owned */
	size_t count, capacity;
};

static bool cycle_add_position(struct ghi_cycle *cycle, struct pd_id id, const uint8_t *key, size_t size, unsigned move,
			       uint64_t dominated)
{
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
	ghi_pathdep_put(&cycle->met, id, key, size, move, dominated);
	cycle->order[cycle->count++] = id;
	return cycle->met.count == before + 1; /* a full store drops everything */
}

static bool cycle_check_child(struct ghi_proof *proof, const void *state)
{
	struct ghi_cycle *cycle = (void *)proof;
	struct pds *pds = proof->pds;
	uint32_t num[2];
	if (ghi_rules_decide(pds, state, num))
		return num[proof->winner] == 0;
	struct pd_id id = ghi_claim_id(pds, state);
	if (ghi_pathdep_get(&cycle->met, id))
		return true;
	if (ghi_entry_decides(pds, id, num))
		return num[proof->winner] == 0;
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&pds->ghi.results, id);
	if (slot)
		return cycle_add_position(cycle, id, ghi_pathdep_key(&pds->ghi.results, slot), slot->size, slot->move,
					  slot->dominated);
	return pds_host_fact(pds, state, num) && num[proof->winner] == 0;
}

bool ghi_close_cycle(struct pds *pds, struct pd_id id, const uint32_t num[2], game_move move)
{
	const void *top = pds_state(pds, pds->depth);
	const struct question *q = &pds->question;
	struct ghi_cycle cycle = {.proof = {.pds = pds, .winner = num[0] != 0, .child = cycle_check_child}};
	uint8_t key[GAME_KEY_MAX];
	PD_ASSERT(num_solved(num) && !q->ranked[cycle.proof.winner] && !ghi_path_dependent(q, num));
	size_t size = q->game->rules->key(q->game, top, key);
	ghi_pathdep_init(&cycle.met, pds->ghi.results.bytes_max);
	bool whole = cycle_add_position(&cycle, id, key, size,
					move == PD_NO_MOVE ? move : game_canon(q->game, top, move, false), 0);
	for (size_t i = 0; whole && i < cycle.count; i++)
		whole = ghi_justify(&cycle.proof, &cycle.met, ghi_pathdep_get(&cycle.met, cycle.order[i]));
	for (size_t i = 1; whole && i < cycle.count; i++)
		ghi_emit(&cycle.proof, &cycle.met, ghi_pathdep_get(&cycle.met, cycle.order[i]));
	ghi_pathdep_fini(&cycle.met);
	free(cycle.order);
	return whole;
}

/* --- settling all path-dependent results together ----------------------------------------- */

/* All path-dependent results, each with the other results that it needs. */
struct ghi_settling {
	struct ghi_proof proof; /* first */
	uint32_t *first;        /* owned; by slot: where its list in `needs` begins; UINT32_MAX: it is not justified */
	uint32_t *needs;        /* owned; lists of slots, each ended by UINT32_MAX */
	size_t count, capacity;
};

static bool settle_add_need(struct ghi_settling *t, uint32_t slot)
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

/* The `child` callback of a settling; also false when memory runs out. */
static bool settle_check_child(struct ghi_proof *proof, const void *state)
{
	struct pds *pds = proof->pds;
	uint32_t num[2];
	if (ghi_rules_decide(pds, state, num))
		return num[proof->winner] == 0;
	struct pd_id id = ghi_claim_id(pds, state);
	const struct ghi_pathdep_slot *slot = ghi_pathdep_get(&pds->ghi.results, id);
	if (slot)
		return settle_add_need((void *)proof, (uint32_t)(slot - pds->ghi.results.slots));
	return (ghi_entry_decides(pds, id, num) || pds_host_fact(pds, state, num)) && num[proof->winner] == 0;
}

/* Gathers what each result needs; its `first` stays UINT32_MAX when it cannot be justified. */
static void settle_gather_needs(struct ghi_settling *t)
{
	const struct ghi_pathdep *results = &t->proof.pds->ghi.results;
	for (uint32_t i = 0; i < results->room; i++) {
		size_t begin = t->count;
		t->first[i] = UINT32_MAX;
		if (ghi_pathdep_empty(&results->slots[i]))
			continue;
		if (ghi_justify(&t->proof, results, &results->slots[i]) && settle_add_need(t, UINT32_MAX))
			t->first[i] = (uint32_t)begin;
		else
			t->count = begin;
	}
}

/* Removes results that need an unjustified one, until nothing changes: the rest is the greatest set whose members
 * justify each other. Returns the size of that set. */
static uint32_t settle_reduce_set(struct ghi_settling *t, uint32_t room)
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

/* Makes facts of the results in that set; the other results stay. */
static void settle_emit_set(struct ghi_settling *t)
{
	struct ghi_pathdep *results = &t->proof.pds->ghi.results, old = *results;
	ghi_pathdep_init(results, old.bytes_max);
	for (uint32_t i = 0; i < old.room; i++) {
		const struct ghi_pathdep_slot *slot = &old.slots[i];
		if (ghi_pathdep_empty(slot))
			continue;
		if (t->first[i] == UINT32_MAX || !ghi_emit(&t->proof, &old, slot))
			ghi_pathdep_put(results, slot->id, ghi_pathdep_key(&old, slot), slot->size, slot->move,
					slot->dominated);
	}
	ghi_pathdep_fini(&old);
}

/* Looks at all path-dependent results together: the greatest subset whose members justify each other (a greatest fixed
 * point) becomes facts, whatever paths they were found on. */
static void ghi_settle(struct pds *pds)
{
	struct ghi_settling t = {.proof = {.pds = pds, .winner = pds->question.ranked[0], .child = settle_check_child}};
	uint32_t room = pds->ghi.results.room;
	PD_ASSERT(pds->ghi.results.count <= room);
	t.first = malloc(room * sizeof *t.first);
	if (t.first) {
		settle_gather_needs(&t);
		if (settle_reduce_set(&t, room)) {
			pds_progress(pds);
			group_note_solved(pds->group);
			settle_emit_set(&t);
		}
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
		ghi->settled_at = ghi->results.count; /* the full store has dropped its results */
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
