/* Initial numbers that look beyond a leaf: worked numbers of fixed depths, what a solved look-ahead says, and shares of
 * playouts. */
#include <stdio.h>
#include <string.h>

#include "solver/frontier.h"
#include "tests/support/asking.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"

enum { BRANCHING = 3, DEPTH = 5 };

/* Adds a uniform tree of strictly alternating sides. */
static void add_uniform(struct graph_maker *m, const char *name, bool first, unsigned depth)
{
	char children[64] = "", child[16];
	if (!depth) {
		graph_leaf(m, name, -1);
		return;
	}
	for (unsigned i = 0; i < BRANCHING; i++)
		snprintf(children + strlen(children), sizeof children - strlen(children), "%s%.8s%u", i ? " " : "",
			 name, i);
	graph_node(m, name, first, children);
	for (unsigned i = 0; i < BRANCHING; i++) {
		snprintf(child, sizeof child, "%.8s%u", name, i);
		add_uniform(m, child, !first, depth - 1);
	}
}

static void set_numbers(const struct game *game, unsigned plies, bool mobility, uint32_t num[2])
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	const struct question q = question_of(game, 1);
	const struct pn_frontier frontier = {.look_ahead = plies};
	game->rules->start(game, root);
	pn_frontier_set_numbers(&q, &frontier, true, mobility, root, num);
}

/* Searches of 0 to 4 plies from an OR leaf with b children everywhere: (1,1) (1,b) (b,b) (b,b^2) (b^2,b^2). */
START_TEST(numbers_of_uniform_trees_are_powers)
{
	enum { B = BRANCHING };
	static const uint32_t worked[][2] = {{1, 1}, {1, B}, {B, B}, {B, B * B}, {B * B, B * B}};
	for (unsigned first = 0; first < 2; first++) {
		struct graph_maker m;
		graph_begin(&m, -1, 1);
		add_uniform(&m, "r", first, DEPTH);
		struct game *game = graph_game(graph_end(&m));
		for (unsigned d = 0; d <= FRONTIER_PLIES_MAX + 1; d++) {
			uint32_t num[2];
			set_numbers(game, d ? d - 1 : 0, d > 0, num);
			ck_assert_uint_eq(num[first ? 0 : 1], worked[d][0]);
			ck_assert_uint_eq(num[first ? 1 : 0], worked[d][1]);
			if (d && d <= FRONTIER_PLIES_MAX) { /* one ply is mobility */
				uint32_t same[2];
				set_numbers(game, d, false, same);
				ck_assert_uint_eq(num[0], same[0]);
				ck_assert_uint_eq(num[1], same[1]);
			}
		}
		game_close(game);
	}
}
END_TEST

/* OR root with a child that First wins by force, another that is lost, and one that is open. */
START_TEST(a_look_ahead_that_solves_the_leaf_leaves_it_open)
{
	struct graph_maker m;
	graph_begin(&m, -1, 1);
	graph_node(&m, "A", true, "B C D");
	graph_node(&m, "B", false, "Bx By");
	graph_node(&m, "C", false, "Cx Cy");
	graph_node(&m, "D", false, "E");
	graph_node(&m, "E", true, "Ex");
	graph_leaf(&m, "Bx", -1);
	graph_leaf(&m, "By", 1);
	graph_leaf(&m, "Cx", 1);
	graph_leaf(&m, "Cy", 1);
	graph_leaf(&m, "Ex", -1);
	struct game *game = graph_game(graph_end(&m));
	static const uint32_t worked[][2] = {{1, 3}, {1, 3}, {1, FRONTIER_NUMBER_MAX}, {1, FRONTIER_NUMBER_MAX}};
	for (unsigned plies = 0; plies <= FRONTIER_PLIES_MAX; plies++) {
		uint32_t num[2];
		set_numbers(game, plies, true, num);
		ck_assert_uint_eq(num[0], worked[plies][0]);
		ck_assert_uint_eq(num[1], worked[plies][1]);
	}
	game_close(game);
}
END_TEST

/* --- playouts ------------------------------------------------------------------------------- */

static void set_playouts(const char *name, const char *position, uint32_t playouts, uint32_t weight, uint32_t num[2])
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	const struct pn_frontier frontier = {.playouts = playouts, .playout_weight = weight};
	struct game *game;
	ck_assert(!game_open(name, NULL, &game, NULL));
	ck_assert(!game->rules->parse(game, position, state, NULL));
	const struct question q = question_of(game, 1);
	pn_frontier_set_numbers(&q, &frontier, true, true, state, num);
	game_close(game);
}

START_TEST(numbers_are_shares_of_playouts)
{
	for (uint32_t n = 1; n <= 64; n *= 4)
		for (uint32_t c = 0; c <= 1000; c = 10 * c + 1) {
			uint32_t num[2], mirrored[2];
			set_playouts("connect4:5x4", "1122", n, c, num);
			ck_assert(num[0] >= 1 && num[1] >= 1);
			/* halves of both are rounded up */
			ck_assert(num[0] + num[1] == 2 + c || num[0] + num[1] == 3 + c);
			set_playouts("connect4:5x4", "5544", n, c, mirrored);
			ck_assert_uint_eq(num[0], mirrored[0]);
			ck_assert_uint_eq(num[1], mirrored[1]);
		}
	/* First wins with either move, and Second whatever First plays. */
	uint32_t num[2];
	set_playouts("nim:1", "", 20, 7, num);
	ck_assert_uint_eq(num[0], 1);
	ck_assert_uint_eq(num[1], 8);
	set_playouts("nim:1,1", "", 20, 7, num);
	ck_assert_uint_eq(num[0], 8);
	ck_assert_uint_eq(num[1], 1);
}
END_TEST

START_TEST(playouts_repeat_under_every_identity)
{
	uint64_t nodes[2];
	for (unsigned i = 0; i < 2; i++) {
		struct asking asking = {
			.game = "connect4:4x4", .position = "", .claim = "value", .nodes = UINT64_C(1) << 30};
		struct asked asked;
		pn_options_init(&asking.options);
		asking.options.memory = 1 << 24;
		asking.options.identity = 17 + i;
		asking.options.cache = false; /* what a full bucket loses depends on the identity */
		asking.options.frontier.playouts = 8;
		asking_run(&asking, &asked);
		ck_assert_int_eq(asked.progress.lo, 0);
		ck_assert_int_eq(asked.progress.hi, 0);
		nodes[i] = asked.nodes;
	}
	ck_assert_uint_eq(nodes[0], nodes[1]);
}
END_TEST

SUITE(frontier)
{
	tcase_add_test(c, numbers_of_uniform_trees_are_powers);
	tcase_add_test(c, a_look_ahead_that_solves_the_leaf_leaves_it_open);
	tcase_add_test(c, numbers_are_shares_of_playouts);
	tcase_add_test(c, playouts_repeat_under_every_identity);
}
