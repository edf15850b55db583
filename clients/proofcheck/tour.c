#include "clients/proofcheck/tour.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/strategy_play.h"
#include "clients/proofcheck/view.h"
#include "clients/proofcheck/zone.h"
#include "proto/base/assert.h"
#include "proto/base/bytes.h"

enum { CHUNK_BYTES = 1 << 16, WEIGHT_OF_REASON = 16, ENTRIES_MIN = 1 << 8, OPEN = UINT16_MAX };

struct ck_chunk {
	struct ck_chunk *next;
	size_t used;
	uint8_t bytes[CHUNK_BYTES];
};

/* A position whose children are being visited. */
struct frame {
	struct ck_position position;
	size_t entry;
	size_t first;         /* its moves in `moves` of the walk */
	unsigned count, next; /* moves to follow, and those already followed */
	unsigned rank;        /* the largest of the children so far */
};

/* The walk for one bound. */
struct walk {
	struct ck_tour *tour;
	struct ck_fault *fault;
	bool upper;
	int64_t bound;
	struct frame *frame; /* owned: the stack */
	size_t depth, room;
	uint16_t *moves; /* owned: those of the frames, one after the other */
	size_t moves_used, moves_room;
	struct ck_stop stop;
};

static const char no_memory[] = "there is not enough memory to walk through the proof";

static bool report_no_memory(struct walk *w)
{
	w->tour->no_memory = true;
	return ck_fault_set(w->fault, 0, "%s", no_memory);
}

/* A fault at the position of the stop. */
static bool report_at(struct walk *w, const struct ck_position *p, const char *what)
{
	ck_fault_set(w->fault, 0, "%s", what);
	w->tour->game->rules->print(w->tour->game, p, w->fault->position);
	return false;
}

/* --- entries ------------------------------------------------------------------------------ */

/* A copy of the bytes that lives as long as the tour; NULL without memory. */
static const uint8_t *keep_bytes(struct ck_tour *t, const uint8_t *bytes, size_t size)
{
	PD_ASSERT(size <= CHUNK_BYTES);
	if (!t->chunk || CHUNK_BYTES - t->chunk->used < size) {
		struct ck_chunk *chunk = malloc(sizeof *chunk);
		if (!chunk)
			return NULL;
		chunk->next = t->chunk;
		chunk->used = 0;
		t->chunk = chunk;
	}
	uint8_t *at = t->chunk->bytes + t->chunk->used;
	if (size)
		memcpy(at, bytes, size);
	t->chunk->used += size;
	return at;
}

/* The index of the key's entry, which is made if there is none. False without memory. */
static bool enter_key(struct ck_tour *t, const uint8_t *key, size_t size, uint32_t *out)
{
	uint8_t name[2 + CK_KEY_MAX] = {0};
	pd_put_le16(name, (uint16_t)size);
	memcpy(name + 2, key, size);
	if (ck_table_find(&t->names, name, out))
		return true;
	if (t->entries == t->room) {
		size_t room = t->room ? 2 * t->room : ENTRIES_MIN;
		struct ck_entry *entry = realloc(t->entry, room * sizeof *entry);
		if (!entry)
			return false;
		t->entry = entry;
		t->room = room;
	}
	const uint8_t *kept = keep_bytes(t, key, size);
	*out = (uint32_t)t->entries;
	if (t->entries >= UINT32_MAX - 1 || !kept || !ck_table_add(&t->names, name, *out))
		return false;
	t->entry[t->entries++] = (struct ck_entry){.key = kept, .key_size = size};
	t->weight += size;
	return true;
}

/* --- moves -------------------------------------------------------------------------------- */

static int compare_moves(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

static void list_moves(struct walk *w, const struct ck_position *p)
{
	const struct ck_game *g = w->tour->game;
	struct ck_stop *s = &w->stop;
	s->moves = g->rules->moves(g, p, s->move);
	s->safe = s->moves;
	PD_ASSERT(s->moves >= 1 && s->moves <= CK_MOVES_MAX);
	if (s->wants && s->moves <= CK_TOUR_SAFE_MAX)
		ck_list_safe_first(g, p, w->upper, w->bound, s->move, &s->safe);
	else
		qsort(s->move, s->moves, sizeof s->move[0], compare_moves);
}

/* --- the walk ----------------------------------------------------------------------------- */

/* Puts a position whose children are to be visited on the stack. */
static bool push_frame(struct walk *w, const struct ck_position *p, size_t entry, const uint16_t *moves, unsigned count)
{
	if (w->depth == CK_RANK_MAX)
		return report_at(w, p, "the walk is deeper than the greatest rank");
	if (w->depth == w->room) {
		size_t room = w->room ? 2 * w->room : 64;
		struct frame *frame = realloc(w->frame, room * sizeof *frame);
		if (!frame)
			return report_no_memory(w);
		w->frame = frame;
		w->room = room;
	}
	if (w->moves_room - w->moves_used < count) {
		size_t room = 2 * w->moves_room + count;
		uint16_t *more = realloc(w->moves, room * sizeof *more);
		if (!more)
			return report_no_memory(w);
		w->moves = more;
		w->moves_room = room;
	}
	memcpy(w->moves + w->moves_used, moves, count * sizeof *moves);
	w->frame[w->depth++] = (struct frame){*p, entry, w->moves_used, count, 0, 0};
	w->moves_used += count;
	return true;
}

/* The plies of a card; 0 and a fault when it does not give the bound. */
static unsigned plies_of(struct walk *w, const struct ck_position *p, const struct ck_choice *c)
{
	struct ck_tour *t = w->tour;
	const struct ck_rules *rules = t->game->rules;
	struct ck_card card = {w->upper, w->bound, c->theorem, c->witness, c->size};
	unsigned plies = 0;
	char why[CK_STRATEGY_WHY] = "";
	enum ck_play play = CK_PLAY_FAILS;
	if (c->theorem == CK_STRATEGY)
		play = ck_strategy_play(t->strategies, p, &card, &plies, why);
	else if (rules->card && rules->card(t->game, p, &card, &plies))
		play = CK_PLAY_HOLDS;
	if (play == CK_PLAY_HOLDS && plies >= 1 && plies <= CK_RANK_MAX)
		return plies;
	if (play == CK_PLAY_MEMORY) {
		report_no_memory(w);
		return 0;
	}
	report_at(w, p, "");
	snprintf(w->fault->text, sizeof w->fault->text,
		 "theorem %u with this witness of %u bytes does not give at %s %" PRId64 "%s%s", c->theorem, c->size,
		 w->upper ? "most" : "least", w->bound, *why ? ": " : "", why);
	return 0;
}

/* Follows a zone at the entry: the moves that it does not answer are visited. */
static bool follow_zone(struct walk *w, const struct ck_position *p, size_t entry, const struct ck_choice *c)
{
	const struct ck_game *g = w->tour->game;
	const struct ck_stop *s = &w->stop;
	struct ck_card card = {w->upper, w->bound, CK_ZONE, c->witness, c->size};
	struct ck_zone zone;
	uint16_t left[CK_MOVES_MAX];
	unsigned count = 0, rank = 0;
	if (s->wants || !ck_zone_read(&card, &zone))
		return report_at(w, p, "a zone is for positions where the other side moves, and lists theorems");
	for (unsigned i = 0; i < s->moves; i++) {
		struct ck_position child = *p;
		int value;
		g->rules->play(g, &child, s->move[i]);
		bool settled = g->rules->over(g, &child, &value);
		unsigned plies = !settled && ck_wins_at_once(g, &child, w->upper, w->bound) ? 1 : 0;
		if (!settled && !plies) {
			plies = ck_zone_plies(g, &zone, &child, CK_RANK_MAX);
			w->tour->asked += zone.count;
		}
		rank = plies > rank ? plies : rank;
		if (!settled && !plies)
			left[count++] = s->move[i];
	}
	if (!push_frame(w, p, entry, left, count))
		return false;
	w->frame[w->depth - 1].rank = rank;
	return true;
}

/* Follows the answer at an entry. *rank: its rank, or 0 when its children come first. */
static bool follow_choice(struct walk *w, const struct ck_position *p, size_t entry, const struct ck_choice *c,
			  unsigned *rank)
{
	struct ck_tour *t = w->tour;
	struct ck_why *why = &t->entry[entry].why[w->upper];
	const struct ck_stop *s = &w->stop;
	PD_ASSERT(c->way == CK_BY_CARD || (c->way == CK_BY_MOVE) == s->wants);
	*why = (struct ck_why){.rank = OPEN, .way = (uint8_t)c->way};
	t->weight += WEIGHT_OF_REASON;
	if (c->way == CK_BY_CARD) {
		PD_ASSERT(c->size <= CK_WITNESS_MAX && c->theorem >= 1 && c->theorem <= CK_THEOREM_MAX);
		*rank = c->theorem == CK_ZONE ? 0 : plies_of(w, p, c);
		if (c->theorem == CK_ZONE ? !follow_zone(w, p, entry, c) : !*rank)
			return false;
		t->weight += c->size;
		why->rank = (uint16_t)(*rank ? *rank : OPEN);
		why->theorem = (uint16_t)c->theorem;
		why->size = (uint16_t)c->size;
		why->witness = keep_bytes(t, c->witness, c->size);
		return why->witness || report_no_memory(w);
	}
	*rank = 0;
	if (c->way == CK_BY_ALL)
		return push_frame(w, p, entry, s->move, s->moves);
	PD_ASSERT(c->place < s->moves);
	why->move = s->move[c->place];
	return push_frame(w, p, entry, &s->move[c->place], 1);
}

/* Visits a position. *rank: that of its record, or 0 when its children come first. A position without a
 * record counts as its parent's rule of ranks says: a win at once 1, otherwise 0. *pushed tells the two zeros apart. */
static bool visit_position(struct walk *w, const struct ck_position *position, bool root, unsigned *rank)
{
	struct ck_tour *t = w->tour;
	const struct ck_game *g = t->game;
	struct ck_stop *s = &w->stop;
	struct ck_position own;
	uint8_t key[CK_KEY_MAX];
	struct ck_choice choice = {0};
	int value;
	*rank = 0;
	if (ck_is_trivial(g, w->upper, w->bound) || g->rules->over(g, position, &value))
		return true;
	s->wants = g->rules->first_moves(g, position) != w->upper;
	*rank = 1;
	if (s->wants && !root && ck_wins_at_once(g, position, w->upper, w->bound))
		return true;
	size_t size = g->rules->encode(g, position, key);
	uint32_t entry;
	if (!enter_key(t, key, size, &entry))
		return report_no_memory(w);
	*rank = t->entry[entry].why[w->upper].rank;
	if (*rank == OPEN)
		return report_at(w, position, "the walk comes back to a position from which it has not returned");
	if (*rank)
		return true;
	if (!ck_decode(g, key, size, &own))
		return report_at(w, position, "the rules do not read the key that they write");
	s->position = &own;
	s->key = t->entry[entry].key;
	s->key_size = size;
	s->depth = (unsigned)w->depth;
	list_moves(w, &own);
	if (!t->choose(t->ctx, s, &choice, w->fault))
		return false;
	if (!follow_choice(w, &own, entry, &choice, rank))
		return false;
	if (t->weight > t->most)
		return report_at(w, position, "the proof is larger than a packed file of this size allows");
	return ck_tour_played(t) <= t->most_played ||
	       report_at(w, position, "strategies play out more positions than a packed file of this size allows");
}

/* Visits the rest below the frame on top of the stack, until the stack is empty. */
static bool visit_below(struct walk *w)
{
	while (w->depth) {
		struct frame *f = &w->frame[w->depth - 1];
		unsigned rank = 0;
		if (f->next < f->count) {
			struct ck_position child = f->position;
			size_t depth = w->depth;
			w->tour->game->rules->play(w->tour->game, &child, w->moves[f->first + f->next++]);
			if (!visit_position(w, &child, false, &rank))
				return false;
			f = &w->frame[depth - 1];
			f->rank = rank > f->rank ? rank : f->rank;
			continue;
		}
		if (f->rank >= CK_RANK_MAX)
			return report_at(w, &f->position, "the walk is deeper than the greatest rank");
		rank = f->rank + 1;
		w->tour->entry[f->entry].why[w->upper].rank = (uint16_t)rank;
		w->moves_used = f->first;
		w->depth--;
		if (w->depth && rank > w->frame[w->depth - 1].rank)
			w->frame[w->depth - 1].rank = rank;
	}
	return true;
}

bool ck_tour_walk(struct ck_tour *t, const struct ck_header *h, const struct ck_position *root, struct ck_fault *fault)
{
	const struct ck_bound *bounds[] = {&h->lo, &h->hi};
	struct walk *w = calloc(1, sizeof *w);
	unsigned rank;
	t->names.key = 2 + t->game->key_max;
	t->strategies = w ? ck_strategies_new(t->game, NULL, NULL) : NULL;
	bool good = t->strategies;
	if (!good) {
		free(w);
		t->no_memory = true;
		return ck_fault_set(fault, 0, "%s", no_memory);
	}
	w->tour = t;
	w->fault = fault;
	for (unsigned upper = 0; upper < 2 && good; upper++) {
		w->upper = w->stop.upper = upper;
		w->bound = w->stop.bound = t->bound[upper] = bounds[upper]->value;
		if (good && bounds[upper]->there && !ck_is_value(t->game, w->bound))
			good = ck_fault_set(fault, 0,
					    "'%s' in the header is %" PRId64 ", which is not one of the game's values",
					    upper ? "hi" : "lo", w->bound);
		good = good && (!bounds[upper]->there || (visit_position(w, root, true, &rank) && visit_below(w)));
	}
	free(w->frame);
	free(w->moves);
	free(w);
	return good;
}

uint64_t ck_tour_played(const struct ck_tour *t)
{
	return ck_strategies_played(t->strategies) + t->asked;
}

static int compare_entries(const void *a, const void *b)
{
	const struct ck_entry *x = a, *y = b;
	int order = memcmp(x->key, y->key, x->key_size < y->key_size ? x->key_size : y->key_size);
	return order ? order : (x->key_size > y->key_size) - (x->key_size < y->key_size);
}

void ck_tour_sort(struct ck_tour *t)
{
	if (t->entries)
		qsort(t->entry, t->entries, sizeof *t->entry, compare_entries);
}

void ck_tour_fini(struct ck_tour *t)
{
	for (struct ck_chunk *chunk = t->chunk, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(t->entry);
	ck_table_clear(&t->names);
	ck_strategies_free(t->strategies);
	t->chunk = NULL;
	t->entry = NULL;
	t->strategies = NULL;
}
