/* The retrograde oracle (tests/support/retro.h): graphs solved by hand, another way of solving random graphs, the plain
 * oracle where there are no cycles, and every position of a small game one ply down. */
#include <stdlib.h>
#include <string.h>

#include "solver/games/game.h"
#include "tests/games/graphs.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static uint64_t base_seed;

static struct game *opened_graph(struct pd_graph *graph)
{
	struct game *game;
	struct pd_fail fail;
	ck_assert_msg(graphs_open("andor:test", graph, &game, &fail) == PD_OK, "%s", fail.text);
	return game;
}

/* --- graphs by hand ----------------------------------------------------------------------- */

enum { N = RETRO_NEVER, TANGLE_MAX = 40 };

struct expected {
	const char *node;
	bool holds;
	unsigned distance;
};

static const struct {
	const char *lines[12]; /* see graphs_make */
	int infinite_value, threshold;
	struct expected expected[10];
} by_hand[] = {
	/* Two that hand the move to and fro; only First could leave, to a loss. */
	{{"a or b l", "b and a", "l = -1"}, 0, 0, {{"a", true, N}, {"b", true, N}, {"l", false, 0}}},
	{{"a or b l", "b and a", "l = -1"}, 0, 1, {{"a", false, N}, {"b", false, N}, {"l", false, 0}}},
	{{"a or b l", "b and a", "l = -1"}, -1, 0, {{"a", false, N}, {"b", false, N}}},
	{{"a or b l", "b and a", "l = -1"}, 1, 1, {{"a", true, N}, {"b", true, N}}},
	{{"a or b l", "b and a", "l = -1"}, 1, -1, {{"a", true, 1}, {"b", true, 2}, {"l", true, 0}}},
	/* Where infinite play is a loss, an end that suits has to be forced even if all ends suit. */
	{{"a or b l", "b and a", "l = 1"}, -1, 0, {{"a", true, 1}, {"b", true, 2}, {"l", true, 0}}},
	{{"a and b l", "b or a", "l = 1"}, -1, 0, {{"a", false, N}, {"b", false, N}, {"l", true, 0}}},
	{{"a and b l", "b or a", "l = 1"}, 0, 1, {{"a", false, N}, {"b", false, N}}},
	{{"a and b l", "b or a", "l = 1"}, 1, 1, {{"a", true, N}, {"b", true, N}}},
	/* First may go round, but wins quickest by leaving late: c is 1 away, the cycle a b c is entered at a. */
	{{"a or b", "b and c", "c or a w", "w = 1"},
	 0,
	 1,
	 {{"a", true, 3}, {"b", true, 2}, {"c", true, 1}, {"w", true, 0}}},
	/* Second chooses the longer way, First the shorter one. */
	{{"a or b c", "b and w d", "c and d e", "d or w", "e or d", "w = 1"},
	 0,
	 1,
	 {{"a", true, 3}, {"b", true, 2}, {"c", true, 3}, {"d", true, 1}, {"e", true, 2}}},
	/* The same graph for Second, who cannot refuse: with the ends turned into losses the roles change. */
	{{"a and b c", "b or w d", "c or d e", "d and w", "e and d", "w = -1"},
	 0,
	 0,
	 {{"a", false, 3}, {"b", false, 2}, {"c", false, 3}, {"d", false, 1}, {"e", false, 2}}},
	/* A move to oneself is a cycle; a child that stands twice is one move more, not one way out more. */
	{{"a and a w", "w = 1"}, 0, 1, {{"a", false, N}}},
	{{"a or a w", "w = 1"}, 0, 1, {{"a", true, 1}}},
	{{"a and b b w", "b or w w", "w = 1"}, 0, 1, {{"a", true, 2}, {"b", true, 1}}},
	/* Second can refuse by an end (quickly) or by running away; an end that suits counts. */
	{{"a and b l w", "b or a", "l = -1", "w = 1"}, 0, 1, {{"a", false, 1}, {"b", false, 2}}},
	/* The mover may move twice in a row. */
	{{"a or b", "b or c a", "c and d b", "d and w", "w = 1"},
	 0,
	 1,
	 {{"a", false, N}, {"c", false, N}, {"d", true, 1}}},
};

START_TEST(graphs_are_solved_as_by_hand)
{
	struct pd_graph *graph = graphs_make(by_hand[_i].lines);
	graph->infinite_value = (int16_t)by_hand[_i].infinite_value;
	struct game *game = opened_graph(graph);
	struct retro *r = retro_new(game, 100);
	struct walk_state s = parse_position(game, "");
	ck_assert(retro_add(r, &s));
	unsigned claim = retro_solve(r, by_hand[_i].threshold);
	for (const struct expected *e = by_hand[_i].expected; e->node; e++) {
		unsigned distance;
		s = parse_position(game, e->node);
		ck_assert_msg(retro_holds(r, claim, &s, &distance) == e->holds, "%s", e->node);
		ck_assert_msg(distance == e->distance, "%s: %u", e->node, distance);
	}
	retro_free(r);
	game_close(game);
}
END_TEST

/* --- random graphs ------------------------------------------------------------------------ */

/* A graph of 5 to TANGLE_MAX nodes with arrows in all directions. */
static struct pd_graph *tangle(uint64_t *seed)
{
	uint32_t count = 5 + walk_below(seed, TANGLE_MAX - 4);
	struct pd_graph *g = graphs_random(count, seed);
	unsigned children = 1 + walk_below(seed, 3);
	g->child_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct pd_graph_node *node = &g->nodes[i];
		node->child = g->child_count;
		node->count = node->terminal ? 0 : 1 + walk_below(seed, children);
		for (uint32_t j = 0; j < node->count; j++)
			g->children[g->child_count++] = walk_below(seed, count);
	}
	g->infinite_value = (int16_t)((int)walk_below(seed, 6) - 2);
	return g;
}

/* The fewest plies within which a side can force an end that suits it, by asking for every node again and again
 * whether it can within one ply more: no predecessors, no counters, no queue. */
static void can_force(const struct pd_graph *g, bool first, int threshold, unsigned *distance)
{
	for (uint32_t i = 0; i < g->node_count; i++)
		distance[i] = g->nodes[i].terminal && (g->nodes[i].value >= threshold) == first ? 0 : RETRO_NEVER;
	for (unsigned plies = 1; plies <= g->node_count; plies++)
		for (uint32_t i = 0; i < g->node_count; i++) {
			const struct pd_graph_node *node = &g->nodes[i];
			unsigned there = 0;
			for (uint32_t j = 0; j < node->count; j++)
				there += distance[g->children[node->child + j]] < plies;
			if (distance[i] == RETRO_NEVER && !node->terminal &&
			    (node->first_moves == first ? there > 0 : there == node->count))
				distance[i] = plies;
		}
}

static void check_tangle(struct game *game, const struct pd_graph *g, int threshold)
{
	unsigned first[TANGLE_MAX], second[TANGLE_MAX], distance, seen = 0;
	struct retro *r = retro_new(game, g->node_count);
	struct walk_state s = parse_position(game, "");
	ck_assert(retro_add(r, &s));
	unsigned claim = retro_solve(r, threshold);
	can_force(g, true, threshold, first);
	can_force(g, false, threshold, second);
	for (uint32_t i = 0; i < g->node_count; i++) {
		s = parse_position(game, pd_graph_name(g, i));
		if (retro_find(r, &s) == RETRO_NONE)
			continue;
		seen++;
		bool holds = retro_holds(r, claim, &s, &distance);
		ck_assert_uint_eq(distance, first[i] < second[i] ? first[i] : second[i]);
		if (first[i] == second[i])
			ck_assert_int_eq(holds, g->infinite_value >= threshold);
		else
			ck_assert_int_eq(holds, first[i] < second[i]);
	}
	ck_assert_uint_eq(seen, retro_positions(r));
	retro_free(r);
}

START_TEST(random_graphs_are_solved_as_ply_by_ply)
{
	uint64_t seed = base_seed;
	unsigned cyclic = 0;
	for (int round = 0; round < (int)effort_of(400, 40); round++) {
		struct pd_graph *g = tangle(&seed);
		struct game *game = opened_graph(g); /* which owns the graph and leaves it as it is */
		cyclic += !game->acyclic;
		for (int threshold = -1; threshold <= 3; threshold++)
			if (!game->acyclic)
				check_tangle(game, g, threshold);
		game_close(game);
	}
	ck_assert_uint_gt(cyclic, effort_of(200, 20));
}
END_TEST

/* --- games without cycles ----------------------------------------------------------------- */

static void compare_with_the_oracle(const struct game *game, int lowest, int highest)
{
	struct retro *r = retro_new(game, 1000000);
	struct oracle *o = oracle_new(game);
	struct walk_state s;
	game->rules->start(game, &s);
	ck_assert(retro_add(r, &s));
	for (int threshold = lowest; threshold <= highest; threshold++) {
		unsigned claim = retro_solve(r, threshold);
		for (uint32_t i = 0; i < retro_positions(r); i++) {
			unsigned distance, rank;
			retro_state(r, i, &s);
			if (retro_holds_at(r, claim, i, &distance) != oracle_claim(o, &s, threshold, &rank) ||
			    distance != rank)
				ck_abort_msg("%s, at least %d, position %u: the distance is %u, or %u", game->name,
					     threshold, i, distance, rank);
		}
	}
	oracle_free(o);
	retro_free(r);
}

START_TEST(tic_tac_toe_is_what_minimax_says)
{
	struct game *game = open_game("mnk:3,3,3");
	struct retro *r = retro_new(game, 765);
	struct walk_state s = parse_position(game, "");
	ck_assert(retro_add(r, &s));
	ck_assert_uint_eq(retro_positions(r), 765);
	retro_free(r);
	compare_with_the_oracle(game, -1, 1);
	game_close(game);
}
END_TEST

START_TEST(graphs_without_cycles_are_what_minimax_says)
{
	uint64_t seed = base_seed + 1;
	for (int round = 0; round < (int)effort_of(60, 10); round++) {
		struct game *game = opened_graph(graphs_random(10 + walk_below(&seed, 150), &seed));
		compare_with_the_oracle(game, -2, 3);
		game_close(game);
	}
}
END_TEST

/* --- a game with cycles ------------------------------------------------------------------- */

/* Whether a position's result follows from those of its children, as the rules give them; true too when it does not
 * follow but must not. */
static bool follows(const struct retro *r, const struct game *game, unsigned claim, int threshold, uint32_t index)
{
	const struct game_rules *rules = game->rules;
	struct walk_state s, child;
	game_move moves[GAME_MOVES_MAX];
	unsigned distance, mine = RETRO_NEVER, theirs = 0, open = 0;
	int value;
	bool holds = retro_holds_at(r, claim, index, &distance);
	retro_state(r, index, &s);
	if (rules->terminal(game, &s, &value))
		return distance == 0 && holds == (value >= threshold);
	bool first = rules->first_to_move(game, &s);
	unsigned n = rules->moves(game, &s, moves);
	for (unsigned i = 0; i < n; i++) {
		unsigned d;
		child = s;
		rules->play(game, &child, moves[i]);
		bool suits = retro_holds(r, claim, &child, &d) == first;
		if (d == RETRO_NEVER)
			open++;
		else if (suits)
			mine = d < mine ? d : mine;
		else
			theirs = d > theirs ? d : theirs;
	}
	if (mine != RETRO_NEVER) /* the mover forces an end that suits it */
		return holds == first && distance == 1 + mine;
	if (open) /* neither side forces anything, and who is right is a matter of infinite play */
		return holds == (game->infinite_value >= threshold) && distance == RETRO_NEVER;
	return holds != first && distance == 1 + theirs;
}

START_TEST(lines_of_action_follows_one_ply_down)
{
	static const char *const names[] = {"loa:4", "loa:4,simultaneous=mover,nomove=loss"};
	struct game *game = open_game(names[_i]);
	struct retro *r = retro_new(game, 2000000);
	struct walk_state s = parse_position(game, "");
	ck_assert(retro_add(r, &s));
	for (int threshold = 0; threshold <= 1; threshold++) {
		unsigned claim = retro_solve(r, threshold);
		for (uint32_t i = 0; i < retro_positions(r); i++)
			if (!follows(r, game, claim, threshold, i))
				ck_abort_msg("%s, at least %d: position %u", game->name, threshold, i);
	}
	retro_free(r);
	game_close(game);
}
END_TEST

START_TEST(the_cap_is_kept)
{
	struct game *game = open_game("mnk:3,3,3");
	struct walk_state s = parse_position(game, "");
	struct retro *r = retro_new(game, 764);
	ck_assert(!retro_add(r, &s));
	ck_assert(!retro_add(r, &s));
	ck_assert_uint_eq(retro_positions(r), 764);
	retro_free(r);
	game_close(game);
}
END_TEST

START_TEST(positions_can_be_added_one_after_another)
{
	struct game *game = open_game("mnk:3,3,3");
	struct retro *r = retro_new(game, 765);
	struct walk_state late = parse_position(game, "b2 a1 c3"), start = parse_position(game, ""), s;
	ck_assert(retro_add(r, &late));
	uint32_t few = retro_positions(r);
	ck_assert_uint_lt(few, 765);
	ck_assert_uint_eq(retro_find(r, &start), RETRO_NONE);
	ck_assert(retro_add(r, &late));
	ck_assert_uint_eq(retro_positions(r), few);
	ck_assert(retro_add(r, &start));
	ck_assert_uint_eq(retro_positions(r), 765);
	for (uint32_t i = 0; i < retro_positions(r); i++) {
		retro_state(r, i, &s);
		ck_assert_uint_eq(retro_find(r, &s), i);
	}
	ck_assert(retro_holds(r, retro_solve(r, 0), &start, NULL));
	ck_assert(!retro_holds(r, retro_solve(r, 1), &start, NULL));
	retro_free(r);
	game_close(game);
}
END_TEST

SUITE(retro)
{
	base_seed = walk_seed("games.retro", 1);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, graphs_are_solved_as_by_hand, 0, (int)(sizeof by_hand / sizeof by_hand[0]));
	tcase_add_test(c, random_graphs_are_solved_as_ply_by_ply);
	tcase_add_test(c, tic_tac_toe_is_what_minimax_says);
	tcase_add_test(c, graphs_without_cycles_are_what_minimax_says);
	tcase_add_loop_test(c, lines_of_action_follows_one_ply_down, 0, effort() < 100 ? 1 : 2);
	tcase_add_test(c, the_cap_is_kept);
	tcase_add_test(c, positions_can_be_added_one_after_another);
}
