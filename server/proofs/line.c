#include "server/proofs/line.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/identity.h"
#include "proto/base/random.h"
#include "server/common/core_state.h"
#include "server/common/mutex.h"
#include "server/proofs/fact_overlay.h"

enum { REGENERATE_MAX = 50000000 /* nodes of one search */, OTHERS_MAX = 8 /* of one position */ };
static const uint64_t line_nodes = 200000000; /* limit of all searches of a line together */
static const size_t map_bytes = 512 << 20;

struct walk {
	struct sv_core *core;
	const struct sv_line_order *order;
	const struct game *game;
	bool unwanted;               /* as the order says; the line ends */
	struct sv_overlay overlay;   /* when it is full the line ends early */
	uint64_t nodes;              /* left for searches */
	struct pd_identity identity; /* of the positions of the line */
	int lo, hi;                  /* the best bounds known along the line so far */
	struct pd_fact fact, below;  /* of the current position, of one of its children */
	long *scores;                /* of its moves, as they were compared last; -1: not among them */
	long best;                   /* the highest of these */
	unsigned count;              /* moves of the current position */
};

/* --- one step ----------------------------------------------------------------------------- */

/* Bounds on a position, with the ranks of the reasons behind them. */
struct bounds {
	int lo, hi;
	unsigned lo_rank, hi_rank;
};

/* Reads the bounds of a position; *fact is initialized by the caller. */
static bool look(struct walk *w, const void *state, struct bounds *b, struct pd_fact *fact)
{
	const struct game *g = w->game;
	uint8_t key[GAME_KEY_MAX];
	int value;
	*b = (struct bounds){.lo = g->value_min, .hi = g->value_max};
	fact->count = 0;
	if (g->rules->terminal(g, state, &value)) {
		b->lo = b->hi = value;
		return true;
	}
	if (!sv_overlay_find(&w->overlay, key, g->rules->key(g, state, key), fact))
		return false;
	const struct pd_reason *lo = pd_fact_best(fact, PD_LO), *hi = pd_fact_best(fact, PD_HI);
	if (lo) {
		b->lo = lo->bound;
		b->lo_rank = lo->rank;
	}
	if (hi) {
		b->hi = hi->bound;
		b->hi_rank = hi->rank;
	}
	return true;
}

/* Asked once a move, and before a search. */
static bool is_unwanted(struct walk *w)
{
	const struct sv_line_order *o = w->order;
	w->unwanted = w->unwanted || (o->go_on && !o->go_on(o->ctx));
	return w->unwanted;
}

static bool stopping(struct sv_core *core)
{
	sv_mutex_lock(&core->lock);
	bool stop = core->stop_workers || core->stop_readers;
	sv_mutex_unlock(&core->lock);
	return stop;
}

/* Searches a leaf again, for one side's bound. */
static void regenerate(struct walk *w, const void *state, const struct pd_fact *fact, enum pd_side side)
{
	const struct pd_reason *r = pd_fact_best(fact, side);
	struct pn_leaf_policy policy = pn_leaf_policy_query(w->nodes < REGENERATE_MAX ? w->nodes : REGENERATE_MAX);
	enum pn_verdict verdict;
	struct pd_fail fail;
	if (!r)
		return;
	uint64_t nodes = pn_leaf_nodes(&policy, r, 0);
	PD_ASSERT(nodes <= w->nodes);
	w->nodes -= nodes; /* the limit: the search does not report what it used */
	if (!nodes || w->overlay.failed || stopping(w->core) || is_unwanted(w))
		return;
	/* A failure ends the line early: it is then not `complete`. */
	(void)sv_overlay_regenerate(&w->overlay, state, r, &policy, &verdict, &fail);
}

/* The move that keeps the bounds: the shortest way for the side they favour, the longest resistance for the other.
 * PD_NO_MOVE when no fact shows one. */
static game_move choose(struct walk *w, const void *state, const struct bounds *b, game_move *moves)
{
	const struct game *g = w->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	bool first = g->rules->first_to_move(g, state);
	/* The mover plays for its own bound unless that is trivial; then it resists the other's. */
	bool own = first ? b->lo > g->value_min : b->hi < g->value_max;
	unsigned count = g->rules->moves(g, state, moves);
	game_move best = PD_NO_MOVE;
	w->best = -1;
	w->count = count;
	for (unsigned i = 0; i < count; i++) {
		struct bounds c;
		w->scores[i] = -1;
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		bool known = look(w, child, &c, &w->below);
		bool keeps_lo = c.lo >= b->lo, keeps_hi = c.hi <= b->hi;
		long score;
		if (own) { /* among moves that keep the bound the shortest; where the value is exact, one whose child is
			      as exact */
			if (!known || !(first ? keeps_lo : keeps_hi))
				continue;
			unsigned rank = first ? c.lo_rank : c.hi_rank;
			score = 0x10000 - (long)rank + (keeps_lo && keeps_hi ? 0x100000 : 0);
		} else {
			if (!known || !(first ? keeps_hi : keeps_lo))
				continue;
			score = first ? c.hi_rank : c.lo_rank;
		}
		w->scores[i] = score;
		if (score > w->best) {
			w->best = score;
			best = moves[i];
		}
	}
	return best;
}

static game_move next_move(struct walk *w, const void *state, game_move *moves)
{
	struct bounds b;
	struct pd_fact *fact = &w->fact;
	if (!look(w, state, &b, fact))
		return PD_NO_MOVE;
	game_move move = choose(w, state, &b, moves);
	bool leaf = false;
	for (uint32_t i = 0; i < fact->count; i++)
		leaf |= pd_fact_reasons(fact)[i].effort > 0;
	if (leaf || move == PD_NO_MOVE) {
		regenerate(w, state, fact, PD_LO);
		regenerate(w, state, fact, PD_HI);
		if (look(w, state, &b, fact))
			move = choose(w, state, &b, moves);
	}
	/* Where less is known than before, a move that keeps the known bounds may give up those of the line. */
	if (b.lo < w->lo || b.hi > w->hi)
		return PD_NO_MOVE;
	w->lo = b.lo;
	w->hi = b.hi;
	return move;
}

static struct pd_id id_of(const struct walk *w, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	return pd_identity_of(&w->identity, key, w->game->rules->key(w->game, state, key));
}

static bool is_among(const struct pd_id *ids, unsigned count, struct pd_id id)
{
	for (unsigned i = 0; i < count; i++)
		if (pd_id_equal(ids[i], id))
			return true;
	return false;
}

/* The name of the position after a move. */
static struct pd_id id_after(const struct walk *w, const void *state, game_move move)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	memcpy(child, state, w->game->state_size);
	w->game->rules->play(w->game, child, move);
	return id_of(w, child);
}

/* Notes the moves that are as good as the one that was chosen, and lead to other positions. */
static void note_others(const struct walk *w, const struct sv_line_order *o, const void *state, const game_move *moves,
			struct sv_line *out)
{
	struct pd_id met[OTHERS_MAX + 1];
	unsigned count = 1;
	game_move chosen = out->moves[out->count];
	met[0] = id_after(w, state, chosen);
	for (unsigned i = 0; i < w->count && count <= OTHERS_MAX && out->other_count < o->others; i++) {
		if (moves[i] == chosen || w->scores[i] < w->best)
			continue;
		struct pd_id id = id_after(w, state, moves[i]);
		if (is_among(met, count, id))
			continue;
		met[count++] = id;
		out->others[out->other_count++] = (struct sv_other){out->count, moves[i], w->lo, w->hi, NULL, 0};
	}
}

/* Plays moves until the game ends, the line repeats itself, or no move is known. */
static void play_line(struct walk *w, const struct sv_line_order *o, struct pd_id *met, game_move *moves,
		      struct sv_line *out)
{
	const struct game *g = o->game;
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	int value;
	memcpy(now, o->state, g->state_size);
	while (out->count < o->limit && !g->rules->terminal(g, now, &value) && !is_unwanted(w)) {
		game_move move = next_move(w, now, moves);
		if (move == PD_NO_MOVE)
			break;
		met[out->count] = id_of(w, now);
		out->moves[out->count] = move;
		if (o->others)
			note_others(w, o, now, moves, out);
		out->count++;
		g->rules->play(g, now, move);
		if (!g->acyclic && is_among(met, out->count, id_of(w, now))) {
			out->complete = true; /* from here on the line repeats itself */
			return;
		}
	}
	out->complete = g->rules->terminal(g, now, &value);
}

/* Follows a move that is as good, with the facts that the searches of the line have found. */
static bool follow(struct walk *w, const struct sv_line_order *o, struct pd_id *met, game_move *moves,
		   struct sv_other *other)
{
	struct sv_line after = {.moves = malloc(((size_t)o->limit + 1) * sizeof *after.moves)};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct sv_line_order order = *o;
	if (!after.moves)
		return false;
	memcpy(state, o->state, o->game->state_size);
	o->game->rules->play(o->game, state, other->move);
	order.state = state;
	order.others = 0;
	w->lo = other->lo;
	w->hi = other->hi;
	play_line(w, &order, met, moves, &after);
	other->moves = after.moves;
	other->count = after.count;
	return true;
}

static bool follow_others(struct walk *w, const struct sv_line_order *o, struct pd_id *met, game_move *moves,
			  struct sv_line *out)
{
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	struct sv_line_order order = *o;
	bool good = true;
	unsigned at = 0;
	memcpy(now, o->state, o->game->state_size);
	order.state = now;
	for (unsigned i = 0; i < out->other_count && good && !is_unwanted(w); i++) {
		PD_ASSERT(out->others[i].at >= at && out->others[i].at < o->limit);
		for (; at < out->others[i].at; at++)
			o->game->rules->play(o->game, now, out->moves[at]);
		order.limit = o->limit - at - 1;
		good = follow(w, &order, met, moves, &out->others[i]);
	}
	return good;
}

int sv_line_make(const struct sv_line_order *o, struct sv_line *out, struct pd_fail *fail)
{
	const struct game *game = o->game;
	struct walk w = {.core = o->core,
			 .order = o,
			 .game = game,
			 .nodes = line_nodes,
			 .lo = game->value_min,
			 .hi = game->value_max};
	pd_identity_init(&w.identity, pd_random64());
	sv_overlay_init(&w.overlay, o->reader, game, st_game_find(o->core->store, game->name, game_version(game)),
			map_bytes);
	*out = (struct sv_line){.moves = malloc(((size_t)o->limit + 1) * sizeof *out->moves)};
	out->others = o->others ? malloc(o->others * sizeof *out->others) : NULL;
	w.scores = malloc(game->moves_max * sizeof *w.scores);
	struct pd_id *met = malloc(((size_t)o->limit + 1) * sizeof *met); /* the positions of the line */
	game_move *moves = malloc(game->moves_max * sizeof *moves);
	bool good = out->moves && met && moves && w.scores && (out->others || !o->others);
	if (good)
		play_line(&w, o, met, moves, out);
	good = good && follow_others(&w, o, met, moves, out);
	free(moves);
	free(met);
	free(w.scores);
	pd_fact_fini(&w.fact);
	pd_fact_fini(&w.below);
	sv_overlay_fini(&w.overlay);
	if (!good)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a line");
	if (w.unwanted)
		return pd_fail_set(fail, PD_E_SHUTDOWN, "", "the line is not wanted any more");
	if (w.overlay.why.code)
		*fail = w.overlay.why;
	return w.overlay.why.code;
}

void sv_line_free(struct sv_line *line)
{
	for (unsigned i = 0; i < line->other_count; i++)
		free(line->others[i].moves);
	free(line->moves);
	free(line->others);
	*line = (struct sv_line){0};
}

void sv_line_print(const struct game *game, const void *state, const struct sv_line *line, const char *notation,
		   struct pr_out *out)
{
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	memcpy(now, state, game->state_size);
	pr_open_array(out, "line");
	for (unsigned i = 0; i < line->count; i++) {
		game_move_text(game, now, line->moves[i], notation, text, sizeof text);
		pr_str(out, NULL, text);
		game->rules->play(game, now, line->moves[i]);
	}
	pr_close(out);
}
