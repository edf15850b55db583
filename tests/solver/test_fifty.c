/* The rule of N moves: games with it are the games without it and a counter, endings are compared with retrograde
 * analysis over positions and counters, and so is the dominance of counters (T102). */
#include <stdio.h>
#include <string.h>

#include "tests/support/agree.h"
#include "tests/support/effort.h"
#include "tests/support/endings.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* --- the rules ---------------------------------------------------------------------------- */

static const struct pair {
	const char *plain, *counted, *position; /* "": the initial one */
	unsigned limit;
} pairs[] = {
	{"antichess", "antichess:2", "", 4},
	{"antichess", "antichess:50", "8/1p3n2/8/4b3/8/8/6P1/3K4 w - -", 100},
	{"antichess:stalemate=fewer", "antichess:stalemate=fewer,3", "8/8/1p6/1P2n3/8/8/8/2R5 w - -", 6},
	{"chess-mate", "chess-mate:3", "r3k2r/p7/8/8/8/8/7P/R3K2R w KQkq -", 6},
	{"chess-mate", "chess-mate:8", "7k/8/5K2/8/8/8/8/R7 w - -", 16},
};

static bool is_over(const struct game *g, const void *state, int *value)
{
	return g->rules->terminal(g, state, value);
}

/* Texts and diagrams lead back to the same key, which is the plain game's and the counter. */
static void check_forms(const struct game *plain, const void *p, const struct game *counted, const void *c,
			unsigned plies)
{
	uint8_t keys[2][GAME_KEY_MAX], again[GAME_KEY_MAX];
	char text[GAME_TEXT_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game_diagram diagram = {0};
	size_t size = plain->rules->key(plain, p, keys[0]);
	ck_assert_uint_eq(counted->rules->key(counted, c, keys[1]), size + 1);
	ck_assert(!memcmp(keys[0], keys[1], size));
	ck_assert_uint_eq(keys[1][size], plies);
	counted->rules->print(counted, c, text, sizeof text);
	ck_assert(!counted->rules->parse(counted, text, state, NULL));
	ck_assert(counted->rules->key(counted, state, again) == size + 1 && !memcmp(again, keys[1], size + 1));
	counted->rules->diagram(counted, c, &diagram);
	if (diagram.to_move < GAME_NO_SIDE) {
		ck_assert(!counted->rules->set_up(counted, &diagram, state, NULL));
		ck_assert(counted->rules->key(counted, state, again) == size + 1 && !memcmp(again, keys[1], size + 1));
	}
	ck_assert(!counted->rules->unkey(counted, keys[1], size + 1, state));
	keys[1][size] = (uint8_t)(keys[1][size] + 128);
	ck_assert(counted->rules->unkey(counted, keys[1], size + 1, state));
	ck_assert(counted->rules->unkey(counted, keys[1], size, state));
}

static void walk_both(const struct pair *pair, const struct game *plain, const struct game *counted, uint64_t *seed,
		      unsigned ends[2])
{
	static game_move moves[2][GAME_MOVES_MAX];
	static uint16_t replies[GAME_MOVES_MAX];
	struct walk_state p = parse_position(plain, pair->position), c = parse_position(counted, pair->position), next;
	unsigned plies = 0;
	for (;;) {
		int value[2];
		bool over = is_over(plain, &p, &value[0]), drawn = !over && plies == pair->limit;
		check_forms(plain, &p, counted, &c, plies);
		ck_assert(is_over(counted, &c, &value[1]) == (over || drawn));
		ck_assert(!over || value[0] == value[1]);
		ck_assert(!drawn || value[1] == 0);
		unsigned count = plain->rules->moves(plain, &p, moves[0]);
		ck_assert_uint_eq(counted->rules->moves(counted, &c, moves[1]), over || drawn ? 0 : count);
		ck_assert(!counted->rules->count || counted->rules->count(counted, &c) == (drawn ? 0 : count));
		if (over || drawn) {
			ends[drawn]++;
			return;
		}
		ck_assert(!memcmp(moves[0], moves[1], count * sizeof **moves));
		if (counted->rules->replies)
			counted->rules->replies(counted, &c, moves[0], count, replies);
		for (unsigned i = 0; i < count && counted->rules->replies; i++) {
			next = c;
			counted->rules->play(counted, &next, moves[0][i]);
			ck_assert_uint_eq(replies[i], counted->rules->moves(counted, &next, moves[1]));
		}
		game_move move = moves[0][walk_below(seed, count)];
		plies = plain->rules->irreversible(plain, &p, move) ? 0 : plies + 1;
		plain->rules->play(plain, &p, move);
		counted->rules->play(counted, &c, move);
	}
}

START_TEST(the_rules_are_those_without_it_and_a_counter)
{
	const struct pair *pair = &pairs[_i];
	struct game *plain = open_game(pair->plain), *counted = open_game(pair->counted);
	uint64_t seed = 1;
	unsigned ends[2] = {0, 0};
	for (unsigned i = 0; i < effort_of(2000, 100); i++)
		walk_both(pair, plain, counted, &seed, ends);
	ck_assert_uint_gt(ends[1], 0);
	printf("%s: %u games drawn by the rule, %u over before\n", pair->counted, ends[1], ends[0]);
	game_close(plain);
	game_close(counted);
}
END_TEST

START_TEST(mate_comes_before_the_draw)
{
	static const struct {
		const char *game, *position, *move;
		int value;
	} last[] = {
		{"chess-mate:50", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a8", 1},
		{"chess-mate:50", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a7", 0},
		{"chess-mate:50", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1h1", 0}, /* check, not mate */
		{"antichess:50", "k7/8/8/8/8/8/pp6/B7 w - - 99 80", "a1b2", 0},  /* a capture resets the counter */
	};
	for (unsigned i = 0; i < sizeof last / sizeof *last; i++) {
		struct game *game = open_game(last[i].game);
		struct walk_state s = parse_position(game, last[i].position);
		int value = 0;
		game_move move;
		ck_assert(!game->rules->move_parse(game, &s, last[i].move, &move, NULL));
		game->rules->play(game, &s, move);
		ck_assert(is_over(game, &s, &value) == (i < 3));
		ck_assert_int_eq(value, last[i].value);
		game_close(game);
	}
}
END_TEST

START_TEST(counters_that_cannot_be_are_refused)
{
	struct game *game = open_game("antichess:3");
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	ck_assert_int_eq(game->rules->parse(game, "8/8/8/8/8/8/k7/7K w - - 7 9", state, &fail), PD_E_POSITION);
	ck_assert_str_eq(fail.text, "at index 23 (counted from 0): the counter of halfmoves is more than twice the N "
				    "of the game");
	ck_assert(!game->rules->parse(game, "8/8/8/8/8/8/k7/7K w - - 6 9", state, &fail));
	ck_assert(!game->rules->parse(game, "8/8/8/8/8/8/k7/7K w - -", state, &fail));
	game_close(game);
}
END_TEST

/* --- endings ------------------------------------------------------------------------------ */

static void add_to_retro(void *ctx, const void *state)
{
	ck_assert(retro_add(ctx, state));
}

static struct agree_set analyse(const char *name, const char *material)
{
	struct game *game = open_game(name);
	struct retro *retro = retro_new(game, UINT32_MAX);
	endings_chessmen(game, material, &(struct endings_to){retro, add_to_retro});
	return (struct agree_set){game, retro, {retro_solve(retro, 0), retro_solve(retro, 1)}};
}

static void end_analysis(struct agree_set *set)
{
	retro_free((struct retro *)set->retro);
	game_close((struct game *)set->game);
}

/* Whether the side gets the bound, and the plies it takes. */
static bool reaches_bound(const struct agree_set *set, uint32_t at, int bound, bool first, unsigned *plies)
{
	return retro_holds_at(set->retro, set->solved[first ? bound : bound + 1], at, plies) == first;
}

/* The law of `dominates`, for both sides and all bounds. */
START_TEST(what_dominates_does_as_well)
{
	struct agree_set set = analyse("antichess:3", _i ? "Pn" : "Kb");
	const struct game_rules *rules = set.game->rules;
	unsigned strict = 0;
	for (uint32_t i = 0; i < retro_positions(set.retro); i += effort_stride()) {
		size_t size;
		uint8_t other[GAME_KEY_MAX], plies;
		const uint8_t *key = retro_key(set.retro, i, &size);
		memcpy(other, key, size);
		for (plies = 0; plies <= 6; plies++) {
			other[size - 1] = plies;
			uint32_t at = retro_find_key(set.retro, other, size);
			for (unsigned k = 0; at != RETRO_NONE && at != i && k < 4; k++) {
				int bound = (int)(k / 2) * (k % 2 ? 1 : -1);
				bool first = k % 2;
				unsigned d[2] = {0, 0};
				bool here = reaches_bound(&set, i, bound, first, &d[0]);
				bool there = reaches_bound(&set, at, bound, first, &d[1]);
				bool more = rules->dominates(set.game, key + size - 1, other + size - 1, bound, first);
				ck_assert(more == (bound ? key[size - 1] < plies : key[size - 1] > plies));
				ck_assert(!more || here >= there);
				ck_assert(!more || !there || !bound || d[0] <= d[1]);
				strict += here != there;
			}
		}
	}
	ck_assert_uint_gt(strict, 100);
	end_analysis(&set);
}
END_TEST

START_TEST(endings_are_answered_as_by_retrograde_analysis)
{
	static const struct {
		const char *game, *material;
		unsigned share;
	} asked[] = {{"antichess:2", "Kb", 40}, {"antichess:3", "Np", 400}, {"antichess:stalemate=fewer,2", "Qp", 400}};
	static const enum pn_algorithm algorithms[] = {PN_PDS_PN, PN_DFPN_PN, PN_PDS};
	struct agree_set set = analyse(asked[_i].game, asked[_i].material);
	struct agree_sum sum = {0};
	for (unsigned i = 0; i < 12; i++) {
		struct agree_plan plan = {.threads = 1 + i / 6,
					  .share = asked[_i].share * effort_stride(),
					  .scratch = 10,
					  .nodes = 200000,
					  .again = 2000000,
					  .rounds = 1,
					  .justify = i < 6};
		pn_options_init(&plan.options);
		plan.options.algorithm = algorithms[i % 3];
		plan.options.detail = i / 3 % 2 ? PN_FULL : PN_FRONTIER;
		plan.options.memory = 1 << 22;
		plan.options.seed = i;
		agree_run(&set, &plan, &sum);
	}
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_eq(sum.unanswered, 0);
	ck_assert_uint_gt(sum.facts, 100);
	printf("%s, %s: %llu positions, %llu facts, %llu unranked\n", asked[_i].game, asked[_i].material,
	       (unsigned long long)sum.positions, (unsigned long long)sum.facts, (unsigned long long)sum.unranked);
	end_analysis(&set);
}
END_TEST

SUITE(fifty)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, the_rules_are_those_without_it_and_a_counter, 0, sizeof pairs / sizeof *pairs);
	tcase_add_test(c, mate_comes_before_the_draw);
	tcase_add_test(c, counters_that_cannot_be_are_refused);
	tcase_add_loop_test(c, what_dominates_does_as_well, 0, 2);
	tcase_add_loop_test(c, endings_are_answered_as_by_retrograde_analysis, 0, 3);
}
