/* Strategies by weights (theorem 100): the policy is played as its text says, and what the checker accepts, learned,
 * edited or made up, is true by the analysis of all positions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clients/proofcheck/strategy_play.h"
#include "tests/proofcheck/strategy_learn.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/program.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* A game by the checker's rules, and strategies in it. */
struct rig {
	struct game *game;
	struct ck_game mine;
	struct ck_strategies *played;
	struct lesson lesson;
	struct retro *truth;   /* or */
	struct oracle *oracle; /* both NULL: neither */
};

/* Also outside of tests, where nothing may be asserted. */
static void require(bool what)
{
	if (!what)
		abort();
}

static void open_rig(struct rig *r, const char *name, uint64_t seed)
{
	memset(r, 0, sizeof *r);
	require(!game_open(name, NULL, &r->game, NULL) && !ck_open(&r->mine, name, NULL, 0, NULL));
	r->played = ck_strategies_new(&r->mine, NULL, NULL);
	require(r->played);
	r->lesson.game = &r->mine;
	r->lesson.seed = seed;
}

static void close_rig(struct rig *r)
{
	retro_free(r->truth);
	ck_strategies_free(r->played);
	ck_close(&r->mine);
	game_close(r->game);
}

/* The position that the key of a state describes. */
static struct ck_position decode_state(const struct rig *r, const void *state)
{
	struct ck_position p;
	uint8_t key[GAME_KEY_MAX];
	size_t size = r->game->rules->key(r->game, state, key);
	ck_assert(ck_decode(&r->mine, key, size, &p));
	return p;
}

static enum ck_play play_out(struct rig *r, const struct ck_position *p, unsigned *plies)
{
	struct ck_card card = lesson_card(&r->lesson);
	char why[CK_STRATEGY_WHY] = "";
	enum ck_play rc = ck_strategy_play(r->played, p, &card, plies, why);
	require(rc == CK_PLAY_HOLDS || (rc == CK_PLAY_FAILS && why[0]));
	return rc;
}

/* Asks for one of the bounds that are not trivial. */
static void draw_bound(struct rig *r)
{
	int steps = (r->mine.best - r->mine.worst) / r->mine.step;
	r->lesson.upper = walk_below(&r->lesson.seed, 2);
	r->lesson.bound =
		r->mine.worst + r->mine.step * (int)(walk_below(&r->lesson.seed, (unsigned)steps) + !r->lesson.upper);
}

enum { FAR = 30 };

/* A random position that is not over, at least so many plies from the start; more than FAR: without wins at hand. */
static bool draw_position(struct rig *r, unsigned least, unsigned more, struct ck_position *p)
{
	struct walk_state s;
	int value;
	r->game->rules->start(r->game, &s);
	if (least > FAR)
		walk_far(r->game, &s, least + walk_below(&r->lesson.seed, more), &r->lesson.seed);
	else
		walk_on(r->game, &s, least + walk_below(&r->lesson.seed, more), &r->lesson.seed);
	if (r->game->rules->terminal(r->game, &s, &value))
		return false;
	*p = decode_state(r, &s);
	return true;
}

/* --- the policy --------------------------------------------------------------------------- */

static const struct {
	const char *game;
	unsigned least, more, tries; /* plies of random positions, and how many of them */
} walks[] = {
	{"connect4:7x6", 8, 34, 3000},   {"connect4:4x4", 0, 16, 3000},     {"mnk:5,5,4", 4, 21, 2000},
	{"mnk:3,3,3", 0, 9, 3000},       {"mnk:4,3,3,2,1", 0, 12, 2000},    {"mnk:5,3,3,exact", 0, 15, 2000},
	{"hex:4", 2, 13, 2000},          {"atari-go:4x3", 0, 12, 2000},     {"nogo:4x3", 0, 10, 2000},
	{"domineering:5x4", 0, 9, 2000}, {"breakthrough:4x5", 2, 16, 2000}, {"othello:4", 2, 11, 2000},
};

enum { WALKS = sizeof walks / sizeof *walks };

/* Moves and their order by the text of the policy. */
static void compare_choice(struct rig *r, const struct ck_position *p, unsigned threats[2])
{
	const struct lesson *l = &r->lesson;
	struct ck_policy policy = {.game = &r->mine, .upper = l->upper, .bound = l->bound, .weight = l->witness + 1};
	uint16_t left[CK_MOVES_MAX], list[CK_MOVES_MAX], mine = 0, its = 0;
	unsigned safe, count = policy_moves_left(l, p, left),
		       all = ck_list_safe_first(&r->mine, p, l->upper, l->bound, list, &safe);
	bool moves = policy_move(l, p, &mine);
	ck_assert_int_eq(ck_policy_choose(&policy, p, &its), moves);
	ck_assert(!moves || mine == its);
	ck_assert(safe <= all && (safe > 0) == moves);
	for (unsigned i = 0; i + 1 < all; i++)
		ck_assert(i + 1 == safe || list[i] < list[i + 1]);
	for (unsigned i = 0, at = 0; i < count; i++) { /* the moves left are safe ones */
		while (at < safe && list[at] != left[i])
			at++;
		ck_assert(at < safe);
	}
	threats[0] += safe < all;
	threats[1] += count < safe;
}

START_TEST(policy_is_played_as_its_text_says)
{
	struct rig r;
	unsigned asked = 0, narrowed[2] = {0};
	open_rig(&r, walks[_i].game, walk_seed("proofcheck.strategies", 300 + (uint64_t)_i));
	for (unsigned i = 0; i < effort_of(walks[_i].tries, 100); i++) {
		struct ck_position p;
		if (!draw_position(&r, walks[_i].least, walks[_i].more, &p))
			continue;
		draw_bound(&r);
		r.lesson.upper = !r.mine.rules->first_moves(&r.mine, &p);
		r.lesson.bound += r.lesson.upper && r.lesson.bound == r.mine.best ? -r.mine.step : 0;
		r.lesson.bound += !r.lesson.upper && r.lesson.bound == r.mine.worst ? r.mine.step : 0;
		lesson_begin(&r.lesson);
		compare_choice(&r, &p, narrowed);
		asked++;
	}
	printf("%s: %u choices; unsafe moves in %u, wins or double threats in %u\n", r.game->name, asked, narrowed[0],
	       narrowed[1]);
	ck_assert(asked && narrowed[0]);
	close_rig(&r);
}
END_TEST

/* Whether two ways of playing a strategy out agree. */
static void compare_play(struct rig *r, struct rig *plain, const struct ck_position *p, unsigned held[2],
			 clock_t spent[2])
{
	clock_t begin = clock(), middle;
	unsigned plies[2] = {0};
	uint64_t before[2] = {ck_strategies_played(r->played), ck_strategies_played(plain->played)};
	plain->lesson = r->lesson;
	plain->lesson.game = &plain->mine;
	enum ck_play a = play_out(r, p, &plies[0]);
	middle = clock();
	enum ck_play b = play_out(plain, p, &plies[1]);
	spent[0] += middle - begin;
	spent[1] += clock() - middle;
	ck_assert_int_eq(a, b);
	held[a == CK_PLAY_HOLDS]++;
	if (a == CK_PLAY_HOLDS) {
		ck_assert_uint_eq(plies[0], plies[1]);
		ck_assert_uint_eq(ck_strategies_played(r->played) - before[0],
				  ck_strategies_played(plain->played) - before[1]);
	}
}

static const struct {
	const char *game;
	unsigned least, more, tries, held; /* at least so many hold */
} lines[] = {
	{"connect4:7x6", 24, 18, 20000, 500}, {"connect4:5x4", 4, 16, 10000, 200}, {"connect4:4x7", 8, 20, 10000, 200},
	{"connect4:9x8", 50, 20, 3000, 50},   {"mnk:4,4,3", 2, 14, 10000, 500},    {"mnk:6,5,4", 14, 16, 5000, 100},
	{"mnk:4,4,4", 4, 12, 10000, 100},     {"mnk:4,4,2", 0, 3, 300, 0},         {"mnk:3,3,1", 0, 1, 20, 0},
	{"mnk:16,8,5", 110, 16, 300, 0},
};

enum { LINES = sizeof lines / sizeof *lines };

/* In games of lines, which are played out faster, the rules alone, from scratch, say the same. */
START_TEST(lines_are_played_out_as_by_the_rules_alone)
{
	struct rig r, plain;
	unsigned held[2] = {0};
	clock_t spent[2] = {0};
	open_rig(&r, lines[_i].game, walk_seed("proofcheck.strategies", 400 + (uint64_t)_i));
	open_rig(&plain, lines[_i].game, 0);
	struct ck_rules rules = *plain.mine.rules;
	rules.lines = NULL;
	plain.mine.rules = &rules;
	ck_strategies_free(plain.played);
	plain.played = ck_strategies_new(&plain.mine, NULL, NULL);
	for (unsigned i = 0; i < effort_of(lines[_i].tries, 20); i++) {
		struct ck_position p;
		if (!draw_position(&r, lines[_i].least, lines[_i].more, &p))
			continue;
		draw_bound(&r);
		lesson_begin(&r.lesson);
		compare_play(&r, &plain, &p, held, spent);
	}
	uint64_t played = ck_strategies_played(r.played);
	printf("%s: %u strategies hold, %u fail; %" PRIu64 " positions, %.2f us each, %.2f us by the rules\n",
	       r.game->name, held[1], held[0], played, (double)spent[0] * 1e6 / CLOCKS_PER_SEC / (double)(played + 1),
	       (double)spent[1] * 1e6 / CLOCKS_PER_SEC / (double)(played + 1));
	ck_assert(held[1] >= (effort() == 100 ? lines[_i].held : 0));
	close_rig(&r);
	close_rig(&plain);
}
END_TEST

/* --- truth -------------------------------------------------------------------------------- */

static const struct {
	const char *game;
	unsigned stride, cards; /* every so many positions, so many cards made up at each */
	bool large;             /* left out of a share */
} boards[] = {
	{"connect4:4x4", 20, 4, false},    {"mnk:3,3,3", 1, 12, false},      {"mnk:4,3,3", 25, 4, true},
	{"mnk:4,3,3,2,1", 40, 4, true},    {"mnk:4,3,3,exact", 40, 4, true}, {"hex:3", 1, 6, false},
	{"domineering:4x3", 1, 40, false}, {"domineering:4x4", 2, 8, false}, {"breakthrough:2x5", 1, 12, false},
	{"breakthrough:3x4", 3, 6, false}, {"nogo:3x3", 1, 8, false},        {"atari-go:3x3", 1, 8, false},
	{"othello:4", 8, 3, true},
};

enum { BOARDS = sizeof boards / sizeof *boards, POSITIONS_MAX = 3000000 };

/* A claim about a position that is in the analysis. */
struct asked {
	uint32_t index;
	struct ck_position p;
};

/* Whether a bound is true at a position, and within how many plies. */
static bool is_so(const struct rig *r, uint32_t index, bool upper, int64_t bound, unsigned *distance)
{
	int64_t threshold = upper ? bound + r->mine.step : bound, first = r->mine.worst + r->mine.step;
	return retro_holds_at(r->truth, (unsigned)((threshold - first) / r->mine.step), index, distance) == !upper;
}

static bool holds_at(void *ctx, const struct ck_position *p, bool upper, int64_t bound)
{
	const struct rig *r = ctx;
	uint8_t key[CK_KEY_MAX];
	struct walk_state s;
	int value;
	unsigned distance;
	if (r->mine.rules->over(&r->mine, p, &value))
		return upper ? value <= bound : value >= bound;
	ck_assert(!r->game->rules->unkey(r->game, key, r->mine.rules->encode(&r->mine, p, key), &s));
	uint32_t index = retro_find(r->truth, &s);
	ck_assert(index != RETRO_NONE);
	return is_so(r, index, upper, bound, &distance);
}

static void edit_weights(struct lesson *l)
{
	unsigned squares = l->game->width * l->game->height;
	for (unsigned edits = 1 + walk_below(&l->seed, 4); edits; edits--)
		l->witness[1 + walk_below(&l->seed, squares)] = (uint8_t)walk_random(&l->seed);
}

/* The counts of one board. */
struct tally {
	unsigned positions, learned, tried, accepted;
};

static void ask_card(struct rig *r, const struct asked *a, struct tally *t)
{
	unsigned plies = 0, distance, naive;
	uint64_t count = 0;
	bool holds = play_out(r, &a->p, &plies) == CK_PLAY_HOLDS;
	t->tried++;
	t->accepted += holds;
	ck_assert(!holds || (is_so(r, a->index, r->lesson.upper, r->lesson.bound, &distance) && plies >= distance));
	if (walk_below(&r->lesson.seed, 50))
		return;
	bool same = policy_holds(&r->lesson, &a->p, &naive, &count, 3000);
	ck_assert(count > 3000 || (same == holds && (!same || naive == plies)));
}

static void ask_position(struct rig *r, uint32_t index, unsigned cards, struct tally *t)
{
	struct asked a = {.index = index};
	struct walk_state s;
	unsigned distance;
	retro_state(r->truth, index, &s);
	a.p = decode_state(r, &s);
	t->positions++;
	draw_bound(r);
	lesson_begin(&r->lesson);
	if (is_so(r, index, r->lesson.upper, r->lesson.bound, &distance) && lesson_learn(&r->lesson, &a.p, 20)) {
		unsigned plies;
		ck_assert_int_eq(play_out(r, &a.p, &plies), CK_PLAY_HOLDS);
		t->learned++;
	}
	for (unsigned i = 0; i < cards; i++) {
		ask_card(r, &a, t);
		edit_weights(&r->lesson);
		if (!walk_below(&r->lesson.seed, 4))
			draw_bound(r);
	}
}

static void analyse(struct rig *r)
{
	struct walk_state s;
	r->truth = retro_new(r->game, POSITIONS_MAX);
	r->game->rules->start(r->game, &s);
	ck_assert(retro_add(r->truth, &s));
	for (int threshold = r->mine.worst + r->mine.step, n = 0; threshold <= r->mine.best;
	     threshold += r->mine.step, n++)
		ck_assert_uint_eq(retro_solve(r->truth, threshold), (unsigned)n);
	r->lesson.holds = holds_at;
	r->lesson.ctx = r;
}

START_TEST(strategies_are_accepted_when_they_are_true)
{
	struct rig r;
	struct tally t = {0};
	if (boards[_i].large && !effort_whole())
		return;
	open_rig(&r, boards[_i].game, walk_seed("proofcheck.strategies", 500 + (uint64_t)_i));
	analyse(&r);
	for (uint32_t i = 0; i < retro_positions(r.truth); i += boards[_i].stride * effort_stride())
		if (!retro_over(r.truth, i))
			ask_position(&r, i, boards[_i].cards, &t);
	printf("%s: %u positions, %u strategies learned; of %u edited or made up, %u accepted, 0 of them false\n",
	       r.game->name, t.positions, t.learned, t.tried, t.accepted);
	ck_assert((t.learned && t.accepted) || !effort_whole());
	close_rig(&r);
}
END_TEST

/* --- one record --------------------------------------------------------------------------- */

static bool oracle_holds(void *ctx, const struct ck_position *p, bool upper, int64_t bound)
{
	const struct rig *r = ctx;
	char text[CK_TEXT_MAX];
	int64_t threshold = upper ? bound + r->mine.step : bound;
	r->mine.rules->print(&r->mine, p, text);
	struct walk_state s;
	require(!r->game->rules->parse(r->game, text, &s, NULL));
	return oracle_claim(r->oracle, &s, (int)threshold, NULL) == !upper;
}

/* Learns a strategy at a position, in some tries from other weights. */
static bool learn_one(struct rig *r, const struct ck_position *p, unsigned tries, unsigned *plies)
{
	r->lesson.holds = oracle_holds;
	r->lesson.ctx = r;
	while (tries--) {
		lesson_begin(&r->lesson);
		if (lesson_learn(&r->lesson, p, 60) && play_out(r, p, plies) == CK_PLAY_HOLDS)
			return true;
	}
	return false;
}

START_TEST(one_strategy_draws_connect_four_on_a_small_board)
{
	struct rig r;
	struct ck_position p;
	unsigned plies = 0;
	open_rig(&r, "connect4:4x4", walk_seed("proofcheck.strategies", 600));
	r.oracle = oracle_new(r.game);
	r.lesson.upper = true;
	ck_assert_ptr_null(r.mine.rules->read(&r.mine, "", &p));
	ck_assert(learn_one(&r, &p, 60, &plies));
	ck_assert_uint_eq(plies, 16);
	oracle_free(r.oracle);
	close_rig(&r);
}
END_TEST

static void print_hex(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
}

/* learn_strategy GAME POSITION >=N|<=N TRIES: prints a certificate as text, without its digest, that has one record and
 * one strategy. */
PROGRAM(learn_strategy)
{
	struct rig r;
	struct ck_position p;
	uint8_t key[CK_KEY_MAX];
	unsigned plies = 0;
	if (argc < 5)
		return 2;
	open_rig(&r, argv[1], 1);
	r.oracle = oracle_new(r.game);
	r.lesson.upper = argv[3][0] == '<';
	r.lesson.bound = atoi(argv[3] + 2);
	if (r.mine.rules->read(&r.mine, argv[2], &p) || !oracle_holds(&r, &p, r.lesson.upper, r.lesson.bound) ||
	    !learn_one(&r, &p, (unsigned)atoi(argv[4]), &plies))
		return 1;
	size_t size = r.mine.rules->encode(&r.mine, &p, key);
	struct ck_position again;
	require(ck_decode(&r.mine, key, size, &again) && !memcmp(&again, &p, sizeof p));
	printf("proofd certificate text 1\nproofd certificate 4\ngame: %s\nrules: %" PRIu64
	       "\nengine: hand\nposition: %s\n"
	       "root: ",
	       r.game->name, r.mine.version, argv[2]);
	print_hex(key, size);
	printf("\nclaim: first>=%" PRId64 "\nstatus: %s\nlo: ", r.lesson.bound + (r.lesson.upper ? r.mine.step : 0),
	       r.lesson.upper ? "disproved" : "proved");
	printf(r.lesson.upper ? "-\nhi: %" PRId64 "\n" : "%" PRId64 "\nhi: -\n", r.lesson.bound);
	printf("detail: full\npositions: 1\nreasons: 1\nleaves: 0\ncards: 1\nblocks: 1\ngraph: 0\ndigest: "
	       "%032d\n\nblock\n",
	       0);
	print_hex(key, size);
	printf(" %s%" PRId64 ",r%u,c%d:", r.lesson.upper ? "<=" : ">=", r.lesson.bound, plies, CK_STRATEGY);
	print_hex(r.lesson.witness, lesson_card(&r.lesson).size);
	printf("\nend\n");
	fprintf(stderr, "%" PRIu64 " positions\n", ck_strategies_played(r.played));
	oracle_free(r.oracle);
	close_rig(&r);
	return 0;
}

SUITE(strategies)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, policy_is_played_as_its_text_says, 0, WALKS);
	tcase_add_loop_test(c, lines_are_played_out_as_by_the_rules_alone, 0, LINES);
	tcase_add_loop_test(c, strategies_are_accepted_when_they_are_true, 0, BOARDS);
	tcase_add_test(c, one_strategy_draws_connect_four_on_a_small_board);
}
