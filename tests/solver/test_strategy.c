/* Strategies by weights (solver/strategies.h): the policy and the playing out against a second statement of both,
 * written from the text alone, move by move and without memory; lessons, whose results win; the oracle against minimax.
 */
#include "solver/strategies.h"

#include <limits.h>
#include <stdlib.h>

#include "solver/claim_oracle.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static const char *const games[] = {"connect4:4x4", "connect4:5x3",    "mnk:3,3,3",        "mnk:4,3,3",
				    "hex:3",        "domineering:4x3", "breakthrough:3x5", "atari-go:3x3",
				    "nogo:3x3",     "othello:4",       "mnk:4,3,3,2,1"};

/* --- the policy once more ------------------------------------------------------------------ */

struct aim {
	const struct game *game;
	int threshold;
	bool first;
};

enum kind { ON, REACHED, LOST };

static enum kind kind_of(const struct aim *a, const void *state)
{
	int value;
	if (!a->game->rules->terminal(a->game, state, &value))
		return ON;
	return (value >= a->threshold) == a->first ? REACHED : LOST;
}

static bool moves_w(const struct aim *a, const void *state)
{
	return a->game->rules->first_to_move(a->game, state) == a->first;
}

static unsigned list_moves(const struct aim *a, const void *state, game_move *out)
{
	return a->game->rules->moves(a->game, state, out);
}

static struct walk_state after(const struct aim *a, const void *state, game_move move)
{
	struct walk_state child;
	memcpy(child.bytes, state, a->game->state_size);
	a->game->rules->play(a->game, child.bytes, move);
	return child;
}

static bool has_move_to(const struct aim *a, const void *state, enum kind kind)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned count = list_moves(a, state, moves);
	bool found = false;
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child = after(a, state, moves[i]);
		found |= kind_of(a, child.bytes) == kind;
	}
	return found;
}

static bool is_safe(const struct aim *a, const void *child)
{
	enum kind kind = kind_of(a, child);
	return kind == REACHED || (kind == ON && (moves_w(a, child) || !has_move_to(a, child, LOST)));
}

static bool threatens_twice(const struct aim *a, const void *child)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned count = list_moves(a, child, moves), good = 0;
	if (kind_of(a, child) != ON || moves_w(a, child))
		return false;
	for (unsigned i = 0; i < count; i++) {
		struct walk_state reply = after(a, child, moves[i]);
		enum kind kind = kind_of(a, reply.bytes);
		good += kind == REACHED ||
			(kind == ON && moves_w(a, reply.bytes) && has_move_to(a, reply.bytes, REACHED));
	}
	return good == count;
}

/* The move of policy 1; false where it fails. */
static bool move_of(const struct aim *a, const void *state, const int8_t *weights, game_move *out)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned count = list_moves(a, state, moves);
	long best = LONG_MIN;
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child = after(a, state, moves[i]);
		unsigned square = a->game->rules->move_square(a->game, state, moves[i]);
		long worth = square < GAME_PLACES_MAX ? weights[square] : 0;
		if (kind_of(a, child.bytes) == REACHED)
			worth = 2000;
		else if (!is_safe(a, child.bytes))
			continue;
		else if (threatens_twice(a, child.bytes))
			worth += 1000;
		if (worth > best || (worth == best && moves[i] < *out)) {
			best = worth;
			*out = moves[i];
		}
	}
	return best > LONG_MIN;
}

/* The plies of the longest line; -1 where the strategy does not win. */
static int play_out(const struct aim *a, const void *state, const int8_t *weights)
{
	game_move moves[64], move;
	int most = 0;
	if (kind_of(a, state) != ON)
		return kind_of(a, state) == REACHED ? 0 : -1;
	if (moves_w(a, state)) {
		if (!move_of(a, state, weights, &move))
			return -1;
		struct walk_state child = after(a, state, move);
		int plies = play_out(a, child.bytes, weights);
		return plies < 0 ? -1 : plies + 1;
	}
	unsigned count = list_moves(a, state, moves);
	ck_assert_uint_le(count, 64);
	for (unsigned i = 0; i < count && most >= 0; i++) {
		struct walk_state child = after(a, state, moves[i]);
		int plies = play_out(a, child.bytes, weights);
		most = plies < 0 ? -1 : plies + 1 > most ? plies + 1 : most;
	}
	return most;
}

static void draw_weights(int8_t *weights, unsigned count, uint64_t *seed)
{
	for (unsigned i = 0; i < count; i++)
		weights[i] = (int8_t)((int)walk_below(seed, 7) - 3);
}

/* A random threshold of the scale, for a random side. */
static struct aim draw_aim(const struct game *g, uint64_t *seed)
{
	unsigned steps = (unsigned)((g->value_max - g->value_min) / g->value_step);
	return (struct aim){g, g->value_min + (int)(1 + walk_below(seed, steps)) * g->value_step, walk_below(seed, 2)};
}

START_TEST(policy_and_play_are_those_of_the_text)
{
	uint64_t seed = walk_seed("strategy.play", 71);
	struct game *g;
	struct pn_strategy s;
	int8_t weights[GAME_PLACES_MAX];
	unsigned won = 0, lost = 0;
	ck_assert(!game_open(games[_i], NULL, &g, NULL));
	ck_assert(!pn_strategy_check(g, NULL));
	for (unsigned round = 0; round < effort_of(300, 30); round++) {
		struct aim a = draw_aim(g, &seed);
		struct walk_state at;
		game_move choices[GAME_MOVES_MAX], move;
		unsigned plies;
		ck_assert(!pn_strategy_init(&s, g, a.threshold, a.first, 1 << 14, NULL));
		draw_weights(weights, s.squares, &seed);
		walk_from_start(g, at.bytes, g->plies_max, &seed);
		for (unsigned back = 0; back < 20 && play_out(&a, at.bytes, weights) == 0; back++)
			walk_from_start(g, at.bytes, g->plies_max, &seed); /* positions that are not over */
		if (kind_of(&a, at.bytes) == ON && moves_w(&a, at.bytes)) {
			unsigned count = pn_strategy_choices(&s, at.bytes, choices, &plies);
			bool moves = move_of(&a, at.bytes, weights, &move);
			ck_assert_int_eq(moves, count > 0);
			if (moves)
				ck_assert_uint_eq(move, pn_strategy_pick(&s, at.bytes, weights, choices, count));
		}
		int truth = play_out(&a, at.bytes, weights);
		ck_assert_int_eq(pn_strategy_play(&s, at.bytes, weights), truth);
		won += truth > 0;
		lost += truth < 0;
		pn_strategy_fini(&s);
	}
	ck_assert_uint_gt(won, 0);
	ck_assert_uint_gt(lost, 0);
	game_close(g);
}
END_TEST

/* A game's own function for the policy finds what playing every move finds. */
START_TEST(policy_of_a_game_is_that_of_its_moves)
{
	static const char *const boards[] = {"connect4:7x6",    "connect4:4x5",  "connect4:5x4", "connect4:9x8",
					     "connect4:3x6",    "connect4:16x7", "mnk:5,5,4",    "mnk:4,4,3",
					     "mnk:5,4,4,exact", "mnk:9,8,5",     "mnk:3,4,3",    "mnk:4,3,3,2,1"};
	uint64_t seed = walk_seed("strategy.policy", 5);
	unsigned kinds[4] = {0};
	for (unsigned b = 0; b < sizeof boards / sizeof *boards; b++) {
		struct game *g;
		ck_assert(!game_open(boards[b], NULL, &g, NULL));
		for (unsigned round = 0; round < effort_of(4000, 200); round++) {
			struct pn_strategy s;
			struct walk_state at;
			game_move fast[72], slow[72];
			unsigned fast_plies, slow_plies;
			g->rules->start(g, at.bytes);
			walk_far(g, &at, walk_below(&seed, g->plies_max), &seed);
			int value;
			if (g->rules->terminal(g, at.bytes, &value))
				continue;
			bool first = g->rules->first_to_move(g, at.bytes);
			ck_assert(!pn_strategy_init(&s, g, (int)walk_below(&seed, 2), first, 1, NULL));
			unsigned n = pn_strategy_choices(&s, at.bytes, fast, &fast_plies);
			unsigned m = pn_strategy_choices_slow(&s, at.bytes, slow, &slow_plies);
			ck_assert_uint_eq(n, m);
			ck_assert_uint_eq(fast_plies, n ? slow_plies : fast_plies);
			for (unsigned i = 0; i < n; i++) {
				bool found = false;
				for (unsigned j = 0; j < m; j++)
					found |= fast[i] == slow[j];
				ck_assert(found);
			}
			kinds[n ? fast_plies : 2]++;
			pn_strategy_fini(&s);
		}
		game_close(g);
	}
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_gt(kinds[i], 0);
}
END_TEST

/* --- oracle and lessons --------------------------------------------------------------------- */

static bool holds_by_minimax(const struct aim *a, const void *state)
{
	game_move moves[64];
	if (kind_of(a, state) != ON)
		return kind_of(a, state) == REACHED;
	unsigned count = list_moves(a, state, moves);
	bool own = moves_w(a, state), found = false;
	for (unsigned i = 0; i < count && !found; i++) {
		struct walk_state child = after(a, state, moves[i]);
		found = holds_by_minimax(a, child.bytes) == own;
	}
	return found == own;
}

static int ask_minimax(void *ctx, const void *state)
{
	return holds_by_minimax(ctx, state);
}

START_TEST(oracle_answers_as_minimax_does)
{
	uint64_t seed = walk_seed("strategy.oracle", 17);
	struct game *g;
	unsigned answers[2] = {0};
	ck_assert(!game_open(games[_i], NULL, &g, NULL));
	for (unsigned round = 0; round < effort_of(12, 3); round++) {
		struct aim a = draw_aim(g, &seed);
		struct pn_oracle o;
		struct pn_asker asker;
		ck_assert(!pn_oracle_init(&o, g, a.threshold, a.first, 1 << 14, NULL)); /* too small */
		ck_assert(!pn_asker_init(&asker, &o, NULL));
		for (unsigned i = 0; i < 20; i++) {
			struct walk_state at;
			g->rules->start(g, at.bytes);
			walk_on(g, at.bytes, 3 + walk_below(&seed, 4), &seed);
			if (kind_of(&a, at.bytes) != ON)
				continue;
			int answer = pn_oracle_ask(&asker, at.bytes, UINT64_MAX);
			ck_assert_int_eq(answer, holds_by_minimax(&a, at.bytes));
			answers[answer]++;
		}
		pn_asker_fini(&asker);
		pn_oracle_fini(&o);
	}
	ck_assert_uint_gt(answers[0] + answers[1], 0);
	game_close(g);
}
END_TEST

/* A lesson's result wins where it says so, and never where the aim is out of reach. */
START_TEST(lessons_end_with_strategies_that_win)
{
	uint64_t seed = walk_seed("strategy.lesson", 3);
	struct game *g;
	unsigned learned = 0;
	ck_assert(!game_open(games[_i], NULL, &g, NULL));
	for (unsigned round = 0; round < effort_of(200, 30); round++) {
		struct aim a = draw_aim(g, &seed);
		struct strategy_lesson lesson = {ask_minimax, &a, 20, seed};
		struct pn_strategy s;
		struct walk_state at;
		int8_t weights[GAME_PLACES_MAX];
		unsigned mistakes;
		walk_from_start(g, at.bytes, g->plies_max, &seed);
		if (kind_of(&a, at.bytes) != ON || g->rules->moves(g, at.bytes, (game_move[64]){0}) > 9)
			continue;
		ck_assert(!pn_strategy_init(&s, g, a.threshold, a.first, 1 << 14, NULL));
		draw_weights(weights, s.squares, &seed);
		int plies = pn_strategy_learn(&s, at.bytes, weights, &lesson, &mistakes);
		if (plies >= 0) {
			ck_assert(holds_by_minimax(&a, at.bytes));
			ck_assert_int_eq(play_out(&a, at.bytes, weights), plies);
			ck_assert_uint_eq(mistakes, 0);
			learned++;
		}
		pn_strategy_fini(&s);
	}
	ck_assert_uint_gt(learned, 0);
	game_close(g);
}
END_TEST

START_TEST(too_many_positions_are_too_long)
{
	struct game *g;
	struct pn_strategy s;
	struct walk_state at;
	int8_t weights[GAME_PLACES_MAX] = {0};
	ck_assert(!game_open("connect4:4x4", NULL, &g, NULL));
	g->rules->start(g, at.bytes);
	ck_assert(!pn_strategy_init(&s, g, 1, false, 1 << 14, NULL)); /* Second gets a draw by the lowest column */
	int plies = pn_strategy_play(&s, at.bytes, weights);
	uint32_t count = s.count;
	pn_strategy_fini(&s);
	if (plies > 0) {
		ck_assert(!pn_strategy_init(&s, g, 1, false, count, NULL));
		ck_assert_int_eq(pn_strategy_play(&s, at.bytes, weights), plies);
		pn_strategy_fini(&s);
	}
	ck_assert_uint_gt(count, 1);
	ck_assert(!pn_strategy_init(&s, g, 1, false, 1, NULL));
	ck_assert_int_eq(pn_strategy_play(&s, at.bytes, weights), STRATEGY_TOO_LONG);
	pn_strategy_fini(&s);
	game_close(g);
}
END_TEST

START_TEST(games_that_repeat_positions_have_no_strategies)
{
	static const char *const none[] = {"loa:5", "chess-mate", "nim:1,2", "andor"};
	struct pd_fail fail;
	for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
		struct game *g;
		if (game_open(none[i], NULL, &g, &fail))
			continue;
		ck_assert_int_eq(pn_strategy_check(g, &fail), PD_E_UNSUPPORTED);
		ck_assert_str_eq(fail.field, "game");
		game_close(g);
	}
}
END_TEST

SUITE(strategy)
{
	int count = sizeof games / sizeof *games;
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, policy_and_play_are_those_of_the_text, 0, count);
	tcase_add_test(c, policy_of_a_game_is_that_of_its_moves);
	tcase_add_loop_test(c, oracle_answers_as_minimax_does, 0, count);
	tcase_add_loop_test(c, lessons_end_with_strategies_that_win, 0, count);
	tcase_add_test(c, too_many_positions_are_too_long);
	tcase_add_test(c, games_that_repeat_positions_have_no_strategies);
}
