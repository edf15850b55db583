/* The judge: it tells lies from what it cannot say, by a search of the leaf or of the position after its move. */
#include "server/cluster/inbox.h"
#include "server/cluster/judge.h"
#include "solver/bounded.h"
#include "tests/support/cluster_rig.h"
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
	tcase_add_test(c, a_full_queue_is_said_and_no_case_is_lost);
}
