/* The judge: it tells lies from what it cannot say, by a search of the leaf or of the position after its move. */
#include <string.h>

#include "server/cluster/inbox.h"
#include "server/cluster/judge.h"
#include "solver/bounded.h"
#include "solver/stored.h"
#include "tests/support/cluster_rig.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct game *game;
static struct pn_prover *oracle;

static void open_game(void)
{
	struct pn_prover_options options = {.memory = 16 << 20, .identity = 99};
	struct pd_fail fail;
	ck_assert_int_eq(game_open("mnk:4,4,4", NULL, &game, &fail), 0);
	ck_assert_int_eq(pn_prover_new(game, &options, &oracle, &fail), 0);
}

static void close_game(void)
{
	pn_prover_free(oracle);
	game_close(game);
}

static struct sc_case case_of(const char *position, bool proved, int bound, uint16_t rank)
{
	struct walk_state state;
	struct pd_fail fail;
	struct sc_case what = {.knowledge = true,
			       .nodes_max = SC_JUDGE_NODES,
			       .reason = {.bound = (int16_t)bound,
					  .side = proved ? PD_LO : PD_HI,
					  .rank = rank,
					  .move = PD_NO_MOVE,
					  .effort = 400}};
	ck_assert_int_eq(game->rules->parse(game, position, &state, &fail), 0);
	what.key_size = (uint16_t)game->rules->key(game, &state, what.key);
	return what;
}

START_TEST(the_judge_tells_lies_from_what_it_cannot_say)
{
	static const struct {
		bool proved;
		int bound;
		uint16_t rank;
		enum sc_verdict verdict;
	} rows[] = {
		{true, 1, 1, SC_CONFIRMED},     {true, 1, 3, SC_CONFIRMED},      {true, 0, 1, SC_CONFIRMED},
		{false, 0, 5, SC_CONTRADICTED}, {false, -1, 1, SC_CONTRADICTED},
	};
	/* First, to move, has three in a row. */
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sc_case what = case_of("a1 a2 b1 b2 c1 d4", rows[i].proved, rows[i].bound, rows[i].rank);
		ck_assert_msg(sc_judge_leaf(oracle, &what) == rows[i].verdict, "row %u", i);
	}
	/* A draw, within fewer plies than it takes: true, but not so. */
	struct sc_case late = case_of("", true, 0, 3);
	ck_assert_int_eq(sc_judge_leaf(oracle, &late), SC_UNDECIDED);
	late.key_size = 1;
	ck_assert_int_eq(sc_judge_leaf(oracle, &late), SC_UNDECIDED); /* no key of the game */
}
END_TEST

START_TEST(a_move_that_is_named_is_judged)
{
	struct sc_case moved = case_of("a1 a2 b1 b2 c1 d4", true, 1, 1);
	unsigned confirmed = 0, contradicted = 0;
	struct walk_state state;
	game_move moves[GAME_MOVES_MAX];
	ck_assert_int_eq(game->rules->unkey(game, moved.key, moved.key_size, &state), 0);
	unsigned count = game->rules->moves(game, &state, moves);
	for (unsigned i = 0; i < count; i++) {
		moved.reason.move = game_canon(game, &state, moves[i], false);
		moved.reason.rank = 1;
		confirmed += sc_judge_leaf(oracle, &moved) == SC_CONFIRMED;
		moved.reason.rank = 9;
		contradicted += sc_judge_leaf(oracle, &moved) == SC_CONTRADICTED;
	}
	ck_assert_uint_eq(confirmed, 1); /* it wins at once */
	ck_assert_uint_gt(contradicted, 0);
	ck_assert_uint_lt(contradicted, count);
}
END_TEST

/* --- random claims about all positions of a game ---------------------------------------------------- */

struct truth {
	struct retro *retro;
	unsigned claim[64]; /* for the thresholds from the second value of the game on */
};

static void learn_truth(struct truth *t, const char *start)
{
	struct walk_state state;
	struct pd_fail fail;
	ck_assert_int_eq(game->rules->parse(game, start, &state, &fail), 0);
	t->retro = retro_new(game, 1000000);
	ck_assert(retro_add(t->retro, &state));
	for (int i = 0; i < (game->value_max - game->value_min) / game->value_step; i++)
		t->claim[i] = retro_solve(t->retro, game->value_min + (i + 1) * game->value_step);
}

/* Says something of a position, with a legal move of the winner, or none. */
static void claim_anything(const struct truth *t, uint64_t *seed, uint32_t at, struct pd_reason *r, unsigned *claim)
{
	game_move moves[GAME_MOVES_MAX];
	struct walk_state state;
	*claim = walk_below(seed, (unsigned)((game->value_max - game->value_min) / game->value_step));
	int below = game->value_min + (int)*claim * game->value_step;
	r->side = walk_below(seed, 2) ? PD_HI : PD_LO;
	r->bound = (int16_t)(r->side == PD_HI ? below : below + game->value_step);
	r->rank = pn_bound_ranked(game, r->side, r->bound) ? (uint16_t)(1 + walk_below(seed, 12)) : PD_RANK_NONE;
	r->move = PD_NO_MOVE;
	retro_state(t->retro, at, &state);
	unsigned count = game->rules->moves(game, &state, moves);
	if (game->rules->first_to_move(game, &state) == (r->side == PD_LO) && walk_below(seed, 4))
		r->move = game_canon(game, &state, moves[walk_below(seed, count)], false);
}

/* What retrograde analysis says of it. SC_UNDECIDED: it is true, but not so soon. */
static enum sc_verdict verdict_of(const struct truth *t, uint32_t at, const struct pd_reason *r, unsigned claim)
{
	struct walk_state state;
	unsigned plies, played = r->move != PD_NO_MOVE;
	game_move move;
	retro_state(t->retro, at, &state);
	if (played) {
		ck_assert(game_legal_from_key(game, &state, r->move, &move));
		game->rules->play(game, &state, move);
	}
	if (retro_holds(t->retro, t->claim[claim], &state, &plies) != (r->side == PD_LO))
		return SC_CONTRADICTED;
	return r->rank == PD_RANK_NONE || plies + played <= r->rank ? SC_CONFIRMED : SC_UNDECIDED;
}

/* Without and with cycles, draws, passes, mirror images, and values two apart. */
static const struct {
	const char *name, *start;
} small[] = {
	{"mnk:3,3,3", ""}, {"othello:4", ""},  {"breakthrough:3x4", ""},
	{"dots:2x2", ""},  {"checkers:4", ""}, {"chess-variant:racingkings", "8/8/8/8/8/8/k6K/8 w - -"},
};

/* The judge may leave a claim undecided, but is never wrong about it. */
START_TEST(no_verdict_on_any_claim_is_wrong)
{
	struct pn_prover_options options = {.memory = 4 << 20, .knowledge = true, .identity = 3};
	struct pd_fail fail;
	uint64_t seed = walk_seed("cluster.judge", 7);
	close_game();
	ck_assert_int_eq(game_open(small[_i].name, NULL, &game, &fail), 0);
	ck_assert_int_eq(pn_prover_new(game, &options, &oracle, &fail), 0);
	struct truth t;
	unsigned counts[SC_FORGED] = {0}, moved = 0;
	learn_truth(&t, small[_i].start);
	for (unsigned i = 0; i < 2000; i++) {
		struct sc_case what = {.knowledge = true, .nodes_max = 3000, .reason.effort = 1};
		uint32_t at = walk_below(&seed, retro_positions(t.retro));
		unsigned claim;
		size_t size;
		if (retro_over(t.retro, at))
			continue;
		claim_anything(&t, &seed, at, &what.reason, &claim);
		const uint8_t *key = retro_key(t.retro, at, &size);
		ck_assert_uint_le(size, sizeof what.key);
		memcpy(what.key, key, size);
		what.key_size = (uint16_t)size;
		enum sc_verdict verdict = sc_judge_leaf(oracle, &what), right = verdict_of(&t, at, &what.reason, claim);
		counts[verdict]++;
		moved += verdict == SC_CONFIRMED && what.reason.move != PD_NO_MOVE;
		ck_assert_msg(verdict == SC_UNDECIDED || verdict == right,
			      "position %u, side %u, bound %d, rank %u, move %u: %u, not %u", at, what.reason.side,
			      what.reason.bound, what.reason.rank, what.reason.move, verdict, right);
	}
	ck_assert_uint_gt(moved, 20);
	ck_assert_uint_gt(counts[SC_CONTRADICTED], 20);
	retro_free(t.retro);
}
END_TEST

static struct game *shared_game(struct game **out)
{
	struct pd_fail fail;
	ck_assert_int_eq(game_open("mnk:4,4,4", NULL, out, &fail), 0);
	return *out;
}

static bool no_one_is_banned(void *ctx, uint32_t giver)
{
	return false;
}

static int get_shared(void *ctx, const char *name, struct game **out, struct pd_fail *fail)
{
	shared_game(out);
	return PD_OK;
}

static void put_shared(void *ctx, const struct game *g)
{
	game_close((struct game *)(uintptr_t)g);
}

START_TEST(a_full_queue_is_said_and_no_case_is_lost)
{
	struct sv_cluster_host host = {.banned = no_one_is_banned, .game_get = get_shared, .game_put = put_shared};
	struct sc_games games;
	struct sc_inbox inbox;
	struct sc_judge *judge;
	struct sc_game *g;
	struct pd_fail fail;
	unsigned put = 0, taken = 0;
	sc_inbox_init(&inbox);
	sc_games_init(&games, &host);
	ck_assert_int_eq(sc_games_get(&games, "mnk:4,4,4", game_version(game), &g, &fail), 0);
	ck_assert_int_eq(sc_judge_open(&inbox, &games, &judge, &fail), 0);
	struct sc_case what = case_of("", true, 1, 3); /* takes its nodes: it is not so */
	what.game = g;
	for (;; put++) {
		sc_games_share(&games, g);
		what.ticket = put;
		if (!sc_judge_put(judge, &what))
			break;
		ck_assert_uint_lt(put, 10000);
	}
	sc_games_put(&games, g);
	ck_assert_uint_ge(put, SC_JUDGE_QUEUE);
	while (taken < 3) {
		if (!sc_judge_take(judge, &what)) {
			cluster_rig_sleep(1);
			continue;
		}
		ck_assert_uint_eq(what.ticket, taken);
		sc_games_put(&games, what.game);
		taken++;
	}
	sc_judge_close(judge); /* with cases that wait */
	sc_games_put(&games, g);
	sc_games_fini(&games);
	sc_inbox_fini(&inbox);
}
END_TEST

SUITE(judge)
{
	tcase_set_timeout(c, 300);
	tcase_add_checked_fixture(c, open_game, close_game);
	tcase_add_test(c, the_judge_tells_lies_from_what_it_cannot_say);
	tcase_add_test(c, a_move_that_is_named_is_judged);
	tcase_add_loop_test(c, no_verdict_on_any_claim_is_wrong, 0, sizeof small / sizeof *small);
	tcase_add_test(c, a_full_queue_is_said_and_no_case_is_lost);
}
