/* Forge: making true certificates. The truth comes from retrograde analysis of all reachable positions. */
#include "tests/proofcheck/forge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "tests/support/retro.h"
#include "tests/support/walk.h"

enum { POSITIONS_MAX = 4000000 };

struct truth {
	const struct game *game;
	struct retro *retro;
	unsigned claim[RETRO_CLAIMS_MAX]; /* by threshold, from value_min + 1 */
};

struct truth *truth_new(const struct game *game, const void *state)
{
	struct truth *t = calloc(1, sizeof *t);
	if (!t || game->value_max - game->value_min > RETRO_CLAIMS_MAX)
		abort();
	t->game = game;
	t->retro = retro_new(game, POSITIONS_MAX);
	if (!retro_add(t->retro, state))
		abort();
	for (int threshold = game->value_min + 1; threshold <= game->value_max; threshold++)
		t->claim[threshold - game->value_min - 1] = retro_solve(t->retro, threshold);
	return t;
}

void truth_free(struct truth *t)
{
	if (t)
		retro_free(t->retro);
	free(t);
}

bool truth_knows(struct truth *t, const void *state)
{
	return retro_find(t->retro, state) != RETRO_NONE;
}

bool truth_holds(struct truth *t, const void *state, int threshold, unsigned *distance)
{
	if (threshold <= t->game->value_min || threshold > t->game->value_max) {
		*distance = 0;
		return threshold <= t->game->value_min;
	}
	return retro_holds(t->retro, t->claim[threshold - t->game->value_min - 1], state, distance);
}

/* --- graphs ------------------------------------------------------------------------------- */

char *forge_graph(uint64_t *seed)
{
	struct pd_buf out;
	unsigned nodes = 4 + walk_below(seed, 12), low = walk_below(seed, 3), high = 1 + walk_below(seed, 2);
	pd_buf_init(&out, SIZE_MAX);
	pd_buf_printf(&out, "{\"root\": \"n0\", \"values\": [-%u, %u], \"infinite\": %d, \"nodes\": {", low, high,
		      (int)walk_below(seed, low + high + 1) - (int)low);
	for (unsigned i = 0; i < nodes; i++) {
		pd_buf_printf(&out, "%s\"n%u\": ", i ? ", " : "", i);
		if (i && walk_below(seed, 4) == 0) {
			pd_buf_printf(&out, "{\"value\": %d}", (int)walk_below(seed, low + high + 1) - (int)low);
			continue;
		}
		unsigned count = 1 + walk_below(seed, 3), first = walk_below(seed, nodes);
		pd_buf_printf(&out, "{\"%s\": [", walk_below(seed, 2) ? "or" : "and");
		for (unsigned k = 0; k < count; k++)
			pd_buf_printf(&out, "%s\"n%u\"", k ? ", " : "", (first + k) % nodes);
		pd_buf_puts(&out, "]}");
	}
	pd_buf_puts(&out, "}}");
	if (out.failed)
		abort();
	return out.data;
}

/* --- making ------------------------------------------------------------------------------- */

struct maker {
	struct forge *forge;
	const struct game *game;
	struct truth *truth;
	unsigned leaves;
	bool root_done; /* with cards: the root has its record */
	uint64_t *seed;
	uint32_t *slots; /* owned; open addressing: index of a record + 1 */
	size_t slot_count;
};

/* Whether the bound is true, and in how many plies. */
static bool bound_holds(struct truth *t, const void *state, bool upper, int bound, unsigned *distance)
{
	return truth_holds(t, state, upper ? bound + 1 : bound, distance) != upper;
}

/* The slot of a key, or the free slot for it. */
static uint32_t *slot_of(struct maker *m, const uint8_t *key, size_t size)
{
	size_t at = pd_hash64(key, size) & (m->slot_count - 1);
	for (;; at = (at + 1) & (m->slot_count - 1)) {
		const struct forge_record *r = m->slots[at] ? &m->forge->record[m->slots[at] - 1] : NULL;
		if (!r || (r->key_size == size && !memcmp(r->key, key, size)))
			return &m->slots[at];
	}
}

static void grow_maker(struct maker *m)
{
	struct forge *f = m->forge;
	free(m->slots);
	m->slot_count = m->slot_count ? 2 * m->slot_count : 1024;
	m->slots = calloc(m->slot_count, sizeof *m->slots);
	f->capacity = m->slot_count / 2;
	f->record = realloc(f->record, f->capacity * sizeof *f->record);
	if (!m->slots || !f->record)
		abort();
	for (size_t i = 0; i < f->count; i++)
		*slot_of(m, f->record[i].key, f->record[i].key_size) = (uint32_t)i + 1;
}

static struct forge_record *record_of(struct maker *m, const uint8_t *key, size_t size)
{
	struct forge *f = m->forge;
	if (f->count == f->capacity)
		grow_maker(m);
	uint32_t *slot = slot_of(m, key, size);
	if (*slot)
		return &f->record[*slot - 1];
	struct forge_record *r = &f->record[f->count++];
	memset(r, 0, sizeof *r);
	memcpy(r->key, key, size);
	r->key_size = size;
	*slot = (uint32_t)f->count;
	return r;
}

/* Inserts the reason in order: lower bounds first, each side ascending. False if there is a reason with that bound. */
static bool add_reason(struct forge_record *r, const struct forge_reason *reason)
{
	unsigned at = 0;
	for (; at < r->count; at++) {
		const struct forge_reason *other = &r->reason[at];
		if ((other->flags & 1) == (reason->flags & 1) && other->bound == reason->bound)
			return false;
		if ((other->flags & 1) > (reason->flags & 1) ||
		    ((other->flags & 1) == (reason->flags & 1) && other->bound > reason->bound))
			break;
	}
	memmove(&r->reason[at + 1], &r->reason[at], (r->count - at) * sizeof *reason);
	r->reason[at] = *reason;
	r->count++;
	return true;
}

/* The child with the bound and the smallest distance. */
static game_move best_move(struct maker *m, const void *state, bool upper, int bound)
{
	const struct game_rules *rules = m->game->rules;
	game_move moves[GAME_MOVES_MAX], best = 0xffff;
	unsigned count = rules->moves(m->game, state, moves), least = UINT32_MAX;
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child;
		unsigned distance;
		memcpy(&child, state, m->game->state_size);
		rules->play(m->game, &child, moves[i]);
		if (bound_holds(m->truth, &child, upper, bound, &distance) && distance < least) {
			least = distance;
			best = moves[i];
		}
	}
	return best;
}

/* Whether the player to move ends the game at once with the bound, which it wants. */
static bool wins_at_once(struct maker *m, const void *state, bool upper, int bound)
{
	const struct game_rules *rules = m->game->rules;
	int value;
	if (rules->first_to_move(m->game, state) == upper)
		return false;
	struct walk_state child;
	memcpy(&child, state, m->game->state_size);
	rules->play(m->game, &child, best_move(m, state, upper, bound));
	return rules->terminal(m->game, &child, &value);
}

/* Fills in a card of the solver, if it has one that is short enough. */
static bool fill_card(struct maker *m, const void *state, struct forge_reason *r)
{
	const struct game_rules *rules = m->game->rules;
	struct game_theorem theorem;
	uint8_t witness[GAME_WITNESS_MAX];
	bool upper = r->flags & 1;
	int value;
	if (!rules->theorem || (rules->immediate_win && rules->immediate_win(m->game, state, &value)) ||
	    !rules->theorem(m->game, state, (int)r->bound + upper, &theorem, witness) || theorem.proved == upper ||
	    theorem.witness > FORGE_WITNESS_MAX)
		return false;
	r->flags |= 2 | 16;
	r->rank = theorem.plies;
	r->theorem = theorem.number;
	r->size = theorem.witness;
	memcpy(r->witness, witness, theorem.witness);
	return true;
}

/* prove_bound with cards, in a game without cycles: a rank is one more than the largest that its reason rests on.
 * Returns the rank of the position's reason. */
static uint64_t prove_with_cards(struct maker *m, const void *given, bool upper, int bound)
{
	const struct game_rules *rules = m->game->rules;
	struct walk_state state;
	uint8_t key[GAME_KEY_MAX];
	int value;
	unsigned distance;
	if (rules->terminal(m->game, given, &value) ||
	    (upper ? bound >= m->game->value_max : bound <= m->game->value_min))
		return 0;
	size_t size = rules->key(m->game, given, key);
	if (rules->unkey(m->game, key, size, &state) || !bound_holds(m->truth, &state, upper, bound, &distance))
		abort();
	const struct forge_record *before = record_of(m, key, size);
	for (unsigned i = 0; i < before->count; i++)
		if ((before->reason[i].flags & 1) == upper && before->reason[i].bound == bound)
			return before->reason[i].rank;
	bool root = !m->root_done;
	m->root_done = true;
	struct forge_reason reason = {.flags = 2u | upper, .bound = bound, .rank = 1};
	bool wants = rules->first_to_move(m->game, &state) != upper;
	if (!root && wins_at_once(m, &state, upper, bound) && walk_below(m->seed, 4))
		return 1;
	if (walk_below(m->seed, 4) && fill_card(m, &state, &reason)) {
		add_reason(record_of(m, key, size), &reason);
		return reason.rank;
	}
	if (m->leaves && walk_below(m->seed, m->leaves) == 0) {
		reason.flags |= 8;
		reason.rank = distance;
		reason.effort = 1 + walk_below(m->seed, 3000);
		add_reason(record_of(m, key, size), &reason);
		return reason.rank;
	}
	if (wants) {
		reason.flags |= 4;
		reason.move = best_move(m, &state, upper, bound);
	}
	game_move moves[GAME_MOVES_MAX];
	unsigned count = rules->moves(m->game, &state, moves);
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child = state;
		if (wants && moves[i] != reason.move)
			continue;
		rules->play(m->game, &child, moves[i]);
		uint64_t rank = prove_with_cards(m, &child, upper, bound);
		reason.rank = rank + 1 > reason.rank ? rank + 1 : reason.rank;
	}
	add_reason(record_of(m, key, size), &reason);
	return reason.rank;
}

static void prove_bound(struct maker *m, const void *given, bool upper, int bound)
{
	const struct game_rules *rules = m->game->rules;
	struct walk_state state;
	uint8_t key[GAME_KEY_MAX];
	int value;
	unsigned distance;
	if (m->forge->format == 4) {
		m->root_done = false;
		prove_with_cards(m, given, upper, bound);
		return;
	}
	if (rules->terminal(m->game, given, &value) ||
	    (upper ? bound >= m->game->value_max : bound <= m->game->value_min))
		return;
	size_t size = rules->key(m->game, given, key);
	if (rules->unkey(m->game, key, size, &state) || !bound_holds(m->truth, &state, upper, bound, &distance))
		abort();
	struct forge_reason reason = {.flags = upper, .bound = bound};
	bool wants = rules->first_to_move(m->game, &state) != upper;
	bool leaf = m->leaves && distance != RETRO_NEVER && walk_below(m->seed, m->leaves) == 0;
	if (distance != RETRO_NEVER) {
		reason.flags |= 2;
		reason.rank = distance;
	}
	if (leaf) {
		reason.flags |= 8;
		reason.effort = 1 + walk_below(m->seed, 3000);
	} else if (wants) {
		reason.flags |= 4;
		reason.move = best_move(m, &state, upper, bound);
	}
	if (!add_reason(record_of(m, key, size), &reason) || leaf)
		return;
	game_move moves[GAME_MOVES_MAX];
	unsigned count = rules->moves(m->game, &state, moves);
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child = state;
		if (wants && moves[i] != reason.move)
			continue;
		rules->play(m->game, &child, moves[i]);
		prove_bound(m, &child, upper, bound);
	}
}

static int compare_records(const void *a, const void *b)
{
	const struct forge_record *x = a, *y = b;
	int order = memcmp(x->key, y->key, x->key_size < y->key_size ? x->key_size : y->key_size);
	return order ? order : (x->key_size > y->key_size) - (x->key_size < y->key_size);
}

static int value_of(struct maker *m, const void *state)
{
	int value = m->game->value_min;
	unsigned distance;
	while (truth_holds(m->truth, state, value + 1, &distance))
		value++;
	return value;
}

/* The smallest value of the game that is at least `bound`, or the largest that is at most `bound`; the end of the scale
 * if there is none. */
static int value_near(const struct game *g, int bound, bool upper)
{
	int value = g->value_min;
	while (value < g->value_max && (upper ? value + g->value_step <= bound : value < bound))
		value += g->value_step;
	return value;
}

static void fill_claim(struct maker *m, const void *state, const char *claim)
{
	struct forge *f = m->forge;
	int value, least = 0;
	bool over = m->game->rules->terminal(m->game, state, &value);
	value = over ? value : value_of(m, state);
	forge_set(f, FORGE_claim, "%s", claim);
	if (!strcmp(claim, "value")) {
		forge_set(f, FORGE_status, "solved");
		forge_set(f, FORGE_lo, "%d", value);
		forge_set(f, FORGE_hi, "%d", value);
		prove_bound(m, state, false, value);
		prove_bound(m, state, true, value);
		return;
	}
	bool refusal = !strncmp(claim, "second", 6);
	if (!strcmp(claim, "first-wins") || !strcmp(claim, "second-draws"))
		least = 1;
	else if (!strncmp(claim, "first>=", 7))
		least = atoi(claim + 7);
	bool lower = value >= least;
	forge_set(f, FORGE_status, lower != refusal ? "proved" : "disproved");
	int bound = value_near(m->game, lower ? least : least - 1, !lower);
	forge_set(f, FORGE_lo, lower ? "%d" : "-", bound);
	forge_set(f, FORGE_hi, lower ? "-" : "%d", bound);
	prove_bound(m, state, !lower, bound);
}

/* Removes the records without reasons, which stand for positions that are won at once. */
static void drop_empty(struct forge *f)
{
	size_t count = 0;
	for (size_t i = 0; i < f->count; i++)
		if (f->record[i].count)
			f->record[count++] = f->record[i];
	f->count = count;
}

static void make_certificate(struct maker *m, const char *position, const char *claim, const char *graph)
{
	struct forge *f = m->forge;
	const struct game *game = m->game;
	struct walk_state state;
	uint8_t key[GAME_KEY_MAX];
	char hex[2 * GAME_KEY_MAX + 1] = "";
	if (game->rules->parse(game, position, &state, NULL))
		abort();
	size_t size = game->rules->key(game, &state, key);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	f->graph = strdup(graph ? graph : "");
	f->graph_size = strlen(f->graph);
	forge_set(f, FORGE_game, "%s", game->name);
	forge_set(f, FORGE_rules, "%" PRIu64, game->rules_version);
	forge_set(f, FORGE_engine, "forge");
	forge_set(f, FORGE_position, "%s", position);
	forge_set(f, FORGE_root, "%s", hex);
	forge_set(f, FORGE_detail, m->leaves ? "frontier" : "full");
	forge_set(f, FORGE_digest, "-");
	fill_claim(m, &state, claim);
	free(m->slots);
	drop_empty(f);
	if (f->count)
		qsort(f->record, f->count, sizeof *f->record, compare_records);
	forge_fit(f);
}

void forge_make(struct forge *f, const struct game *game, const char *position, const char *claim, struct truth *truth,
		unsigned leaves, const char *graph, uint64_t *seed)
{
	struct maker m = {.forge = f, .game = game, .truth = truth, .leaves = leaves, .seed = seed};
	memset(f, 0, sizeof *f);
	make_certificate(&m, position, claim, graph);
}

void forge_make_cards(struct forge *f, const struct game *game, const char *position, const char *claim,
		      struct truth *truth, unsigned leaves, uint64_t *seed)
{
	struct maker m = {.forge = f, .game = game, .truth = truth, .leaves = leaves, .seed = seed};
	memset(f, 0, sizeof *f);
	f->format = 4;
	if (!game->acyclic)
		abort();
	make_certificate(&m, position, claim, NULL);
}
