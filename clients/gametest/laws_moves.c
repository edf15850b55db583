/* Laws of moves: listing, counting and playing them, and the ends of games. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/gametest/law.h"

static bool is_value(const struct game *g, int value)
{
	return value >= g->value_min && value <= g->value_max && (value - g->value_min) % g->value_step == 0;
}

static void check_limits(struct gt *t)
{
	const struct game *g = t->game;
	struct game *again;
	struct pd_fail fail;
	if (!memchr(g->name, 0, sizeof g->name))
		cl_gt_broken(t, "the name is not terminated");
	if (g->state_size < 1 || g->state_size > GAME_STATE_MAX || g->key_size_max < 1 ||
	    g->key_size_max > GAME_KEY_MAX || g->moves_max < 1 || g->moves_max > GAME_MOVES_MAX)
		cl_gt_broken(t, "state_size, key_size_max or moves_max is beyond its limit");
	if (g->value_min >= g->value_max || g->value_step < 1 || (g->value_max - g->value_min) % g->value_step)
		cl_gt_broken(t, "value_step %d does not lead from value_min %d to value_max %d", g->value_step,
			     g->value_min, g->value_max);
	if (t->rules->graph)
		return;
	if (game_open(g->name, NULL, &again, &fail))
		cl_gt_broken(t, "the game opens as '%s', but not again by that name: %s", g->name, fail.text);
	if (strcmp(again->name, g->name) != 0)
		cl_gt_broken(t, "the game opens as '%s', but by that name as '%s'", g->name, again->name);
	if (again->rules_version != g->rules_version || again->value_min != g->value_min ||
	    again->value_max != g->value_max || again->moves_max != g->moves_max ||
	    again->key_size_max != g->key_size_max || again->acyclic != g->acyclic)
		cl_gt_broken(t, "the game has different properties when it is opened again");
	game_close(again);
	snprintf(t->report->note, sizeof t->report->note,
		 "keys of %u bytes, states of %u, at most %u moves; values %d to %d", (unsigned)g->key_size_max,
		 (unsigned)g->state_size, (unsigned)g->moves_max, g->value_min, g->value_max);
}

static void check_start(struct gt *t)
{
	struct gt_state a, b;
	struct pd_fail fail;
	cl_gt_start(t, &a);
	cl_gt_start(t, &b);
	if (memcmp(&a, &b, t->game->state_size))
		cl_gt_broken(t, "start gives different bytes each time");
	memset(&b, 0x33, sizeof b);
	t->rules->start(t->game, &b);
	if (memcmp(&a, &b, t->game->state_size))
		cl_gt_broken(t, "start does not write all state_size bytes of a state");
	memset(&b, 0, sizeof b);
	if (t->rules->parse(t->game, "", &b, &fail))
		cl_gt_broken(t, "parse refuses the empty text: %s", fail.text);
	if (!cl_gt_same_key(t, &a, &b))
		cl_gt_broken(t, "parse reads the empty text as another position than the initial one");
	t->report->positions = 1;
}

/* Checks the moves of a position, and whether the game is over. */
static void check_moves(struct gt *t, const struct gt_state *s)
{
	static struct gt_moves moves, again;
	struct gt_state before = *s;
	int value = 0;
	cl_gt_moves(t, s, &moves);
	cl_gt_moves(t, s, &again);
	bool over = t->rules->terminal(t->game, s, &value);
	if (memcmp(&before, s, sizeof before))
		cl_gt_broken(t, "moves or terminal changes the state");
	if (over && moves.count)
		cl_gt_broken(t, "terminal says that the game is over, but moves lists %u moves", moves.count);
	if (!over && !moves.count)
		cl_gt_broken(t, "moves lists no moves, but terminal does not say that the game is over");
	if (over && !is_value(t->game, value))
		cl_gt_broken(t, "the game ends with the value %d, which is not on its scale", value);
	if (again.count != moves.count || memcmp(moves.at, again.at, moves.count * sizeof *moves.at))
		cl_gt_broken(t, "moves gives a different list when it is called again");
	for (unsigned i = 0; i < moves.count; i++) {
		if (moves.at[i] == 0xffff)
			cl_gt_broken(t, "moves lists 0xffff, which is not a move");
		for (unsigned j = 0; j < i; j++)
			if (moves.at[i] == moves.at[j])
				cl_gt_broken(t, "moves lists the move %s (code %u) twice",
					     cl_gt_move_text(t, s, moves.at[i]).text, moves.at[i]);
	}
}

static void check_all_moves(struct gt *t)
{
	struct gt_state s;
	for (unsigned i = 0; i < t->rounds; i++) {
		cl_gt_position(t, &s);
		check_moves(t, &s);
	}
}

static void check_play(struct gt *t)
{
	static struct gt_moves moves;
	struct gt_state s, a;
	for (unsigned i = 0; i < t->rounds; i++) {
		cl_gt_position(t, &s);
		cl_gt_moves(t, &s, &moves);
		for (unsigned j = 0; j < moves.count; j++) {
			struct gt_state *elsewhere = aligned_alloc(16, sizeof *elsewhere);
			if (!elsewhere)
				return;
			cl_gt_child(t, &s, moves.at[j], &a);
			cl_gt_child(t, &s, moves.at[j], elsewhere);
			if (memcmp(&a, elsewhere, t->game->state_size))
				cl_gt_broken(t, "the move %s leads to different bytes when it is played twice",
					     cl_gt_move_text(t, &s, moves.at[j]).text);
			free(elsewhere);
		}
	}
}

/* A hash of all answers about a position. */
static uint64_t answers_of(struct gt *t, const struct gt_state *s)
{
	static struct gt_moves moves;
	struct gt_key key;
	char text[GAME_TEXT_MAX];
	uint64_t h = UINT64_C(1469598103934665603);
	int value = 0;
	cl_gt_moves(t, s, &moves);
	cl_gt_key(t, s, &key);
	bool over = t->rules->terminal(t->game, s, &value);
	t->rules->print(t->game, s, text, sizeof text);
	for (unsigned i = 0; i < moves.count; i++)
		h = (h ^ moves.at[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < key.size; i++)
		h = (h ^ key.bytes[i]) * UINT64_C(1099511628211);
	for (const char *c = text; *c; c++)
		h = (h ^ (uint8_t)*c) * UINT64_C(1099511628211);
	if (!over)
		h ^= t->rules->first_to_move(t->game, s);
	return (h ^ (unsigned)over ^ (uint64_t)(int64_t)(over ? value : 0)) * UINT64_C(1099511628211);
}

/* Whether an open game gives these answers. */
static bool gives_answers(struct gt *t, const struct game *game, const struct gt_state *s, uint64_t answers)
{
	const struct game *own = t->game;
	t->game = game;
	bool same = answers_of(t, s) == answers;
	t->game = own;
	return same;
}

static void check_purity(struct gt *t)
{
	enum { KEPT = 64 };
	static struct {
		struct gt_state state;
		uint64_t answers;
		game_move path[GT_PATH_MAX];
		unsigned plies;
	} kept[KEPT];
	struct game before = *t->game, *again = NULL;
	struct pd_fail fail;
	if (!t->rules->graph && game_open(before.name, NULL, &again, &fail))
		cl_gt_broken(t, "the game does not open again: %s", fail.text);
	for (unsigned i = 0; i < t->rounds; i++) {
		unsigned slot = i % KEPT;
		struct gt_report *r = t->report;
		if (i >= KEPT) {
			memcpy(r->moves, kept[slot].path, sizeof r->moves);
			r->plies = kept[slot].plies;
			if (!gives_answers(t, t->game, &kept[slot].state, kept[slot].answers))
				cl_gt_broken(t,
					     "the position has other moves, key, text or result after other positions "
					     "were asked about: something is kept between calls");
			if (again && !gives_answers(t, again, &kept[slot].state, kept[slot].answers))
				cl_gt_broken(t, "the position has other moves, key, text or result when the game is "
						"opened again: something besides the position counts");
		}
		cl_gt_position(t, &kept[slot].state);
		kept[slot].answers = answers_of(t, &kept[slot].state);
		memcpy(kept[slot].path, r->moves, sizeof r->moves);
		kept[slot].plies = r->plies;
		if (memcmp(&before, t->game, sizeof before))
			cl_gt_broken(t, "a function writes to the struct game");
	}
	game_close(again);
}

/* Random walks of `plies` plies. In an acyclic game no position may recur, in other games none from before an
 * irreversible move. */
static void walk_without_recurrence(struct gt *t, unsigned plies, bool acyclic)
{
	static struct gt_key keys[GT_PATH_MAX + 1];
	static struct gt_moves moves;
	struct gt_state s;
	for (unsigned i = 0; i < t->rounds / 10 + 1; i++) {
		unsigned since = 0; /* positions before this one must not recur */
		cl_gt_start(t, &s);
		for (unsigned ply = 0; ply < plies; ply++) {
			t->report->positions++;
			cl_gt_key(t, &s, &keys[ply]);
			for (unsigned j = 0; j < (acyclic ? ply : since); j++) {
				if (!cl_gt_equal_keys(&keys[j], &keys[ply]))
					continue;
				if (acyclic)
					cl_gt_broken(t,
						     "the game is acyclic, but its position after %u plies has the key "
						     "that it had after %u",
						     ply, j);
				cl_gt_broken(t,
					     "the position after %u plies is the one after %u plies, although "
					     "irreversible is true for a move in between",
					     ply, j);
			}
			cl_gt_moves(t, &s, &moves);
			if (!moves.count)
				break;
			if (acyclic && t->game->plies_max && ply == t->game->plies_max)
				cl_gt_broken(t, "the game continues after plies_max = %u plies", ply);
			game_move move = moves.at[cl_gt_below(t, moves.count)];
			if (!acyclic && t->rules->irreversible(t->game, &s, move))
				since = ply + 1;
			cl_gt_step(t, &s, move);
		}
	}
}

static void check_ends(struct gt *t)
{
	if (cl_gt_has(t, t->game->acyclic, "guarantee to end, because positions can recur"))
		walk_without_recurrence(t, GT_PATH_MAX, true);
}

static void check_unique(struct gt *t, const struct gt_state *s, const struct gt_moves *moves)
{
	static struct gt_moves unique;
	static struct gt_key keys[GAME_MOVES_MAX];
	struct gt_state child;
	unsigned kept = 0;
	if (!t->rules->unique_moves)
		return;
	cl_gt_list(t, s, "unique_moves", t->rules->unique_moves, &unique);
	for (unsigned i = 0; i < moves->count; i++) {
		bool twin = false;
		cl_gt_child(t, s, moves->at[i], &child);
		cl_gt_key(t, &child, &keys[i]);
		for (unsigned j = 0; j < i && !twin; j++)
			twin = cl_gt_equal_keys(&keys[i], &keys[j]);
		if (twin)
			continue;
		if (kept >= unique.count || unique.at[kept] != moves->at[i])
			cl_gt_broken(t,
				     "unique_moves omits %s or lists it out of order; no move before it leads to the "
				     "same key",
				     cl_gt_move_text(t, s, moves->at[i]).text);
		kept++;
	}
	if (kept != unique.count)
		cl_gt_broken(t, "unique_moves lists %u moves; %u lead to different keys", unique.count, kept);
}

static void check_counts(struct gt *t)
{
	static struct gt_moves moves, there;
	static uint16_t replies[GAME_MOVES_MAX];
	struct gt_state s, child;
	for (unsigned i = 0; i < t->rounds / 2 + 1; i++) {
		cl_gt_position(t, &s);
		cl_gt_moves(t, &s, &moves);
		unsigned count = t->rules->count ? t->rules->count(t->game, &s) : moves.count;
		if (count != moves.count)
			cl_gt_broken(t, "count says %u moves, but moves lists %u", count, moves.count);
		check_unique(t, &s, &moves);
		if (!t->rules->replies || !moves.count)
			continue;
		t->rules->replies(t->game, &s, moves.at, moves.count, replies);
		for (unsigned j = 0; j < moves.count; j++) {
			cl_gt_child(t, &s, moves.at[j], &child);
			cl_gt_moves(t, &child, &there);
			if (replies[j] != there.count)
				cl_gt_broken(t, "replies says %u moves after %s, but moves lists %u", replies[j],
					     cl_gt_move_text(t, &s, moves.at[j]).text, there.count);
			if (there.count &&
			    t->rules->first_to_move(t->game, &child) == t->rules->first_to_move(t->game, &s))
				cl_gt_broken(t, "the rules have replies, but a player moves twice in a row");
		}
	}
}

static void check_immediate_win(struct gt *t)
{
	static struct gt_moves moves;
	struct gt_state s, child;
	bool has = cl_gt_has(t, t->rules->immediate_win != NULL, "immediate_win");
	for (unsigned i = 0; i < t->rounds && has; i++) {
		int said = 0, value = 0;
		bool shown = false;
		cl_gt_position(t, &s);
		if (t->rules->terminal(t->game, &s, &value))
			continue;
		int best = t->rules->first_to_move(t->game, &s) ? t->game->value_max : t->game->value_min;
		cl_gt_moves(t, &s, &moves);
		for (unsigned j = 0; j < moves.count && !shown; j++) {
			cl_gt_child(t, &s, moves.at[j], &child);
			shown = t->rules->terminal(t->game, &child, &value) && value == best;
		}
		bool says = t->rules->immediate_win(t->game, &s, &said);
		if (says && said != best)
			cl_gt_broken(t, "immediate_win gives the value %d; the best value of the player to move is %d",
				     said, best);
		if (says && !shown)
			cl_gt_broken(t, "immediate_win is true, but no move ends the game with %d", best);
	}
}

static void check_initial_numbers(struct gt *t)
{
	struct gt_state s;
	int value;
	bool has = cl_gt_has(t, t->rules->initial_numbers != NULL, "initial_numbers");
	for (unsigned i = 0; i < t->rounds && has; i++) {
		cl_gt_position(t, &s);
		if (t->rules->terminal(t->game, &s, &value))
			continue;
		for (int at = t->game->value_min + t->game->value_step; at <= t->game->value_max;
		     at += t->game->value_step) {
			uint32_t num[2] = {0, 0};
			t->rules->initial_numbers(t->game, &s, at, num);
			if (num[0] < 1 || num[0] > 1000000 || num[1] < 1 || num[1] > 1000000)
				cl_gt_broken(t, "initial_numbers gives %u and %u for the threshold %d", num[0], num[1],
					     at);
		}
	}
}

static void check_edge_costs(struct gt *t)
{
	static struct gt_moves moves;
	static uint16_t costs[GAME_MOVES_MAX][2];
	struct gt_state s;
	bool has = cl_gt_has(t, t->rules->edge_costs != NULL, "edge_costs");
	for (unsigned i = 0; i < t->rounds && has; i++) {
		cl_gt_position(t, &s);
		cl_gt_moves(t, &s, &moves);
		if (!moves.count)
			continue;
		memset(costs, 0xff, sizeof costs);
		t->rules->edge_costs(t->game, &s, t->game->value_max, moves.at, moves.count, costs);
		for (unsigned j = 0; j < moves.count; j++)
			if (costs[j][0] > GAME_EDGE_COST_MAX || costs[j][1] > GAME_EDGE_COST_MAX)
				cl_gt_broken(t, "edge_costs gives %u and %u for %s", costs[j][0], costs[j][1],
					     cl_gt_move_text(t, &s, moves.at[j]).text);
	}
}

static void check_irreversible(struct gt *t)
{
	if (cl_gt_has(t, t->rules->irreversible != NULL, "irreversible"))
		walk_without_recurrence(t, 120, false);
}

const struct gt_law cl_laws_moves[] = {
	{"limits", "an open game states sizes and values within the limits, and opens again by its name", check_limits},
	{"start", "the empty text is the initial position, which is always the same", check_start},
	{"moves", "moves lists every legal move once, and no moves exactly when terminal says that the game is over",
	 check_all_moves},
	{"play", "a move leads from the same bytes to the same bytes, wherever they are in memory", check_play},
	{"pure", "the answers about a position depend neither on the calls in between nor on when the game was opened",
	 check_purity},
	{"ends", "an acyclic game never repeats a position and ends within plies_max", check_ends},
	{0},
};

const struct gt_law cl_laws_optional[] = {
	{"count", "count, unique_moves and replies agree with moves", check_counts},
	{"immediate-win",
	 "immediate_win is true only if a move ends the game with the best value of the player to move",
	 check_immediate_win},
	{"initial-numbers", "initial_numbers gives numbers from 1 to 1000000", check_initial_numbers},
	{"edge-costs", "edge_costs gives each move two costs from 0 to 250", check_edge_costs},
	{"irreversible", "no position recurs across an irreversible move", check_irreversible},
	{0},
};
