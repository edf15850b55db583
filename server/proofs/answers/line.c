#include "server/proofs/answers/line.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/search_threads.h"
#include "server/proofs/answers/fact_overlay.h"
#include "solver/one_ply.h"

enum { REGENERATE_MAX = 50000000 /* nodes of one search */, OTHERS_MAX = 8 /* of one position */ };
static const uint64_t line_nodes = 200000000; /* limit of all searches of a line together */
static const size_t map_bytes = 512 << 20;

struct walk {
	struct sv_core *core;
	const struct sv_line_order *order;
	const struct game *game;
	bool unwanted;               /* the order's go_on returned false, so the line ends */
	struct sv_overlay overlay;   /* when it is full the line ends early */
	uint64_t nodes;              /* left for searches */
	struct pd_identity identity; /* of the positions of the line */
	int lo, hi;                  /* the best bounds known along the line so far */
	unsigned left[2];            /* plies within which the line reaches each; PD_RANK_NONE: any number */
	struct pd_fact fact;         /* of the current position, one ply down (solver/one_ply.h) */
	game_move *moves;            /* its moves, `count` of them; room for moves_max, as in the next two */
	struct pd_fact *after;       /* what is known after each; at the end of the game with rank 0 */
	long *scores;                /* the score of each in the last comparison; -1: it keeps no bound */
	long best;                   /* the highest of these */
	unsigned count;
};

static void find_fact(struct walk *w, const void *state, struct pd_fact *fact)
{
	uint8_t key[GAME_KEY_MAX];
	fact->count = 0;
	(void)sv_overlay_find(&w->overlay, key, w->game->rules->key(w->game, state, key), fact);
}

/* What is known after a move. */
static void look_after(struct walk *w, const void *child, struct pd_fact *fact)
{
	const struct game *g = w->game;
	int value;
	if (!g->rules->terminal(g, child, &value)) {
		find_fact(w, child, fact);
		return;
	}
	const struct pd_reason lo = {.bound = (int16_t)value, .side = PD_LO}, hi = {.bound = lo.bound, .side = PD_HI};
	fact->count = 0;
	if (pd_fact_add(fact, &lo) < 0 || pd_fact_add(fact, &hi) < 0)
		PD_ASSERT(false); /* two reasons need no memory */
}

/* Reads what is known of the position and after each of its moves. */
static void look_up_position(struct walk *w, const void *state)
{
	const struct game *g = w->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	struct pn_one_ply look;
	struct pd_fail fail;
	find_fact(w, state, &w->fact);
	w->count = g->rules->moves(g, state, w->moves);
	pn_one_ply_begin(&look, g, state, &w->fact);
	for (unsigned i = 0; i < w->count; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, w->moves[i]);
		look_after(w, child, &w->after[i]);
		pn_one_ply_move(&look, w->moves[i], child, &w->after[i]);
	}
	if (!pn_one_ply_end(&look, &fail))
		return;
	w->fact.count = 0;
	if (!w->overlay.why.code)
		w->overlay.why = fail;
}

/* The reason for the strongest bound of a side that is reached within the plies left; NULL: none. */
static const struct pd_reason *kept_reason(const struct walk *w, enum pd_side side)
{
	const struct pd_reason *r = pd_fact_reasons(&w->fact);
	for (uint32_t i = 0; i < w->fact.count; i++)
		if (r[i].side == side && r[i].rank <= w->left[side])
			return &r[i];
	return NULL;
}

/* Called once for each move, and before each search. */
static bool is_unwanted(struct walk *w)
{
	const struct sv_line_order *o = w->order;
	w->unwanted = w->unwanted || (o->go_on && !o->go_on(o->ctx));
	return w->unwanted;
}

static bool is_stopping(struct sv_core *core)
{
	sv_lock(core);
	bool stop = sv_search_threads(core)->stop || sv_closing(core);
	sv_unlock(core);
	return stop;
}

/* Searches a leaf again, for one side's bound. */
static void search_leaf_again(struct walk *w, const void *state, const struct pd_reason *r)
{
	struct pn_leaf_policy policy = pn_leaf_policy_query(w->nodes < REGENERATE_MAX ? w->nodes : REGENERATE_MAX);
	enum pn_verdict verdict;
	struct pd_fail fail;
	if (!r || !r->effort)
		return;
	uint64_t nodes = pn_leaf_nodes(&policy, r, 0);
	PD_ASSERT(nodes <= w->nodes);
	w->nodes -= nodes; /* the limit: the search does not report what it used */
	if (!nodes || w->overlay.failed || is_stopping(w->core) || is_unwanted(w))
		return;
	/* A failure ends the line early: it is then not `complete`. */
	(void)sv_overlay_regenerate(&w->overlay, state, r, &policy, &verdict, &fail);
}

/* Whether a move keeps the bound within the plies that are left after it; *rank: within how many plies. */
static bool move_keeps_bound(const struct walk *w, unsigned i, enum pd_side side, int bound, unsigned *rank)
{
	const struct game *g = w->game;
	*rank = 0;
	if (bound == (side == PD_LO ? g->value_min : g->value_max))
		return true;
	const struct pd_reason *r = pd_fact_find(&w->after[i], side, bound);
	*rank = r ? r->rank : 0;
	return r && (r->rank < w->left[side] || w->left[side] == PD_RANK_NONE);
}

/* The move that keeps the bounds: the fastest one for the side that they favour, the longest resistance for the other
 * side; among equals the recorded move. PD_NO_MOVE when no fact shows one. */
static game_move choose_move(struct walk *w, const void *state)
{
	const struct game *g = w->game;
	enum pd_side mine = g->rules->first_to_move(g, state) ? PD_LO : PD_HI, theirs = mine == PD_LO ? PD_HI : PD_LO;
	const int bounds[2] = {w->lo, w->hi};
	/* The mover plays for its own bound unless that is trivial; then it resists the other's. */
	bool own = mine == PD_LO ? w->lo > g->value_min : w->hi < g->value_max;
	const struct pd_reason *r = kept_reason(w, mine);
	game_move recorded = r && r->move != PD_NO_MOVE ? game_canon(g, state, r->move, true) : PD_NO_MOVE;
	game_move best = PD_NO_MOVE;
	w->best = -1;
	for (unsigned i = 0; i < w->count; i++) {
		unsigned my_rank, their_rank;
		bool mine_kept = move_keeps_bound(w, i, mine, bounds[mine], &my_rank);
		bool theirs_kept = move_keeps_bound(w, i, theirs, bounds[theirs], &their_rank);
		w->scores[i] = -1;
		if (own ? !mine_kept : !theirs_kept)
			continue;
		/* For its own bound, the fastest move; where the value is exact, preferably one that keeps both
		 * bounds. */
		w->scores[i] = own ? 0x10000 - (long)my_rank + (theirs_kept ? 0x100000 : 0) : (long)their_rank;
		if (w->scores[i] > w->best || (w->scores[i] == w->best && w->moves[i] == recorded)) {
			w->best = w->scores[i];
			best = w->moves[i];
		}
	}
	return best;
}

/* Sets the bounds that the line keeps from here on. False when less is known than before, or nothing: a move that keeps
 * what is known could then give up the bounds of the line. */
static bool take_bounds(struct walk *w)
{
	const struct pd_reason *lo = kept_reason(w, PD_LO), *hi = kept_reason(w, PD_HI);
	int low = lo ? lo->bound : w->game->value_min, high = hi ? hi->bound : w->game->value_max;
	if (low < w->lo || high > w->hi || (!lo && !hi))
		return false;
	w->lo = low;
	w->hi = high;
	w->left[PD_LO] = lo ? lo->rank : PD_RANK_NONE;
	w->left[PD_HI] = hi ? hi->rank : PD_RANK_NONE;
	return true;
}

static game_move next_move(struct walk *w, const void *state)
{
	look_up_position(w, state);
	const struct pd_reason *lo = kept_reason(w, PD_LO), *hi = kept_reason(w, PD_HI);
	if ((lo && lo->effort) || (hi && hi->effort)) {
		const struct pd_reason leaf[2] = {lo ? *lo : (struct pd_reason){0}, hi ? *hi : (struct pd_reason){0}};
		search_leaf_again(w, state, &leaf[PD_LO]);
		search_leaf_again(w, state, &leaf[PD_HI]);
		look_up_position(w, state);
	}
	return take_bounds(w) ? choose_move(w, state) : PD_NO_MOVE;
}

/* Counts a ply that has been played. */
static void pass_ply(struct walk *w)
{
	for (unsigned side = PD_LO; side <= PD_HI; side++)
		if (w->left[side] != PD_RANK_NONE)
			w->left[side]--;
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

/* The identity of the position after a move. */
static struct pd_id id_after(const struct walk *w, const void *state, game_move move)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	memcpy(child, state, w->game->state_size);
	w->game->rules->play(w->game, child, move);
	return id_of(w, child);
}

/* Notes moves that are as good as the chosen one and lead to other positions. */
static void note_others(const struct walk *w, const struct sv_line_order *o, const void *state, struct sv_line *out)
{
	struct pd_id met[OTHERS_MAX + 1];
	unsigned count = 1;
	game_move chosen = out->moves[out->count];
	met[0] = id_after(w, state, chosen);
	for (unsigned i = 0; i < w->count && count <= OTHERS_MAX && out->other_count < o->others; i++) {
		if (w->moves[i] == chosen || w->scores[i] < w->best)
			continue;
		struct pd_id id = id_after(w, state, w->moves[i]);
		if (is_among(met, count, id))
			continue;
		met[count++] = id;
		out->others[out->other_count++] =
			(struct sv_other){out->count, w->moves[i], w->lo, w->hi, {w->left[0], w->left[1]}, NULL, 0};
	}
}

/* Plays moves until the game ends, the line repeats itself, or no move is known. */
static void play_line(struct walk *w, const struct sv_line_order *o, struct pd_id *met, struct sv_line *out)
{
	const struct game *g = o->game;
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	int value;
	memcpy(now, o->state, g->state_size);
	while (out->count < o->limit && !g->rules->terminal(g, now, &value) && !is_unwanted(w)) {
		game_move move = next_move(w, now);
		if (move == PD_NO_MOVE)
			break;
		met[out->count] = id_of(w, now);
		out->moves[out->count] = move;
		if (o->others)
			note_others(w, o, now, out);
		out->count++;
		g->rules->play(g, now, move);
		pass_ply(w);
		if (!g->acyclic && is_among(met, out->count, id_of(w, now))) {
			out->complete = true; /* from here on the line repeats itself */
			return;
		}
	}
	out->complete = g->rules->terminal(g, now, &value);
}

/* Continues after an equally good move, with the facts that the searches of the line have found. */
static bool follow_other_move(struct walk *w, const struct sv_line_order *o, struct pd_id *met, struct sv_other *other)
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
	memcpy(w->left, other->left, sizeof w->left);
	pass_ply(w);
	play_line(w, &order, met, &after);
	other->moves = after.moves;
	other->count = after.count;
	return true;
}

static bool follow_others(struct walk *w, const struct sv_line_order *o, struct pd_id *met, struct sv_line *out)
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
		good = follow_other_move(w, &order, met, &out->others[i]);
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
			 .hi = game->value_max,
			 .left = {PD_RANK_NONE, PD_RANK_NONE}};
	if (o->plies)
		w.left[PD_LO] = w.left[PD_HI] = o->plies;
	pd_identity_init(&w.identity, pd_random64());
	sv_overlay_init(&w.overlay, o->reader, game, st_game_find(sv_store(o->core), game->name, game_version(game)),
			map_bytes);
	*out = (struct sv_line){.moves = malloc(((size_t)o->limit + 1) * sizeof *out->moves)};
	out->others = o->others ? malloc(o->others * sizeof *out->others) : NULL;
	w.scores = malloc(game->moves_max * sizeof *w.scores);
	struct pd_id *met = malloc(((size_t)o->limit + 1) * sizeof *met); /* the positions of the line */
	w.moves = malloc(game->moves_max * sizeof *w.moves);
	w.after = calloc(game->moves_max, sizeof *w.after);
	bool good = out->moves && met && w.moves && w.after && w.scores && (out->others || !o->others);
	if (good)
		play_line(&w, o, met, out);
	good = good && follow_others(&w, o, met, out);
	for (unsigned i = 0; w.after && i < game->moves_max; i++)
		pd_fact_fini(&w.after[i]);
	free(w.after);
	free(w.moves);
	free(met);
	free(w.scores);
	pd_fact_fini(&w.fact);
	sv_overlay_fini(&w.overlay);
	if (!good)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a line");
	if (w.unwanted)
		return pd_fail_set(fail, PD_E_SHUTDOWN, "", "the line is no longer wanted");
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

/* A tree of play that grows. */
struct growing {
	struct game_line_node *nodes; /* owned */
	uint32_t count, room;
};

static int reserve_nodes(struct growing *g, unsigned more, struct pd_fail *fail)
{
	uint32_t room = g->count + more;
	if (room <= g->room)
		return PD_OK;
	struct game_line_node *grown = realloc(g->nodes, 2 * (size_t)room * sizeof *grown);
	if (!grown)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a record");
	g->nodes = grown;
	g->room = 2 * room;
	return PD_OK;
}

/* Adds a node, for which there is room. */
static uint32_t add_node(struct growing *g, game_move move)
{
	PD_ASSERT(g->count < g->room);
	g->nodes[g->count] = (struct game_line_node){.move = move};
	return g->count++;
}

/* Adds moves below a node. */
static int add_moves(struct growing *g, uint32_t node, const game_move *moves, unsigned count, struct pd_fail *fail)
{
	int rc = reserve_nodes(g, count, fail);
	for (unsigned i = 0; i < count && !rc; i++) {
		uint32_t next = add_node(g, moves[i]);
		g->nodes[node].child = next;
		node = next;
	}
	return rc;
}

/* Adds an alternative to the move of `node`, and best play after it. */
static int add_other(struct growing *g, uint32_t node, const struct sv_other *other, struct pd_fail *fail)
{
	int rc = reserve_nodes(g, 1, fail);
	if (rc)
		return rc;
	uint32_t head = add_node(g, other->move);
	while (g->nodes[node].sibling)
		node = g->nodes[node].sibling;
	g->nodes[node].sibling = head;
	return add_moves(g, head, other->moves, other->count, fail);
}

int sv_line_record(const struct sv_line_order *order, const struct sv_line *line, enum game_form form,
		   const struct sv_line_words *words, struct pd_buf *out, struct pd_fail *fail)
{
	struct growing g = {NULL, 0, 0};
	int rc = reserve_nodes(&g, 1, fail);
	if (!rc) {
		add_node(&g, PD_NO_MOVE);
		rc = add_moves(&g, 0, line->moves, line->count, fail);
	}
	/* The node of the line's n-th move is n, counted from 1. */
	for (unsigned i = 0; i < line->other_count && !rc; i++)
		rc = add_other(&g, line->others[i].at + 1, &line->others[i], fail);
	if (!rc) {
		const struct game_line_tree tree = {
			.start = order->state, .nodes = g.nodes, .notation = words->notation};
		g.nodes[0].text = words->remark;
		game_record_write(order->game, &tree, form, out);
		if (out->failed)
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a record");
	}
	free(g.nodes);
	return rc;
}
