#include "server/proofs/line.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/identity.h"
#include "proto/base/random.h"
#include "server/common/core_state.h"
#include "server/common/mutex.h"
#include "server/proofs/fact_overlay.h"

enum { REGENERATE_MAX = 50000000 };           /* nodes of one search */
static const uint64_t line_nodes = 200000000; /* limit of all searches of a line together */
static const size_t map_bytes = 512 << 20;

struct walk {
	struct sv_core *core;
	const struct game *game;
	struct sv_overlay overlay;   /* when it is full the line ends early */
	uint64_t nodes;              /* left for searches */
	struct pd_identity identity; /* of the positions of the line */
	int lo, hi;                  /* the best bounds known along the line so far */
	struct pd_fact fact, below;  /* of the current position, of one of its children */
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
	if (!nodes || w->overlay.failed || stopping(w->core))
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
	long best_score = -1;
	for (unsigned i = 0; i < count; i++) {
		struct bounds c;
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
		if (score > best_score) {
			best_score = score;
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

/* Plays moves until the game ends, the line repeats itself, or no move is known. */
static void play_line(struct walk *w, const struct sv_line_order *o, struct pd_id *met, game_move *moves,
		      struct sv_line *out)
{
	const struct game *g = o->game;
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	int value;
	memcpy(now, o->state, g->state_size);
	while (out->count < o->limit && !g->rules->terminal(g, now, &value)) {
		game_move move = next_move(w, now, moves);
		if (move == PD_NO_MOVE)
			break;
		met[out->count] = id_of(w, now);
		out->moves[out->count++] = move;
		g->rules->play(g, now, move);
		if (!g->acyclic && is_among(met, out->count, id_of(w, now))) {
			out->complete = true; /* from here on the line repeats itself */
			return;
		}
	}
	out->complete = g->rules->terminal(g, now, &value);
}

int sv_line_make(const struct sv_line_order *o, struct sv_line *out, struct pd_fail *fail)
{
	const struct game *game = o->game;
	struct walk w = {
		.core = o->core, .game = game, .nodes = line_nodes, .lo = game->value_min, .hi = game->value_max};
	pd_identity_init(&w.identity, pd_random64());
	sv_overlay_init(&w.overlay, o->reader, game, st_game_find(o->core->store, game->name, game_version(game)),
			map_bytes);
	*out = (struct sv_line){.moves = malloc(((size_t)o->limit + 1) * sizeof *out->moves)};
	struct pd_id *met = malloc(((size_t)o->limit + 1) * sizeof *met); /* the positions of the line */
	game_move *moves = malloc(game->moves_max * sizeof *moves);
	bool good = out->moves && met && moves;
	if (good)
		play_line(&w, o, met, moves, out);
	free(moves);
	free(met);
	pd_fact_fini(&w.fact);
	pd_fact_fini(&w.below);
	sv_overlay_fini(&w.overlay);
	if (!good)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a line");
	if (w.overlay.why.code)
		*fail = w.overlay.why;
	return w.overlay.why.code;
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
