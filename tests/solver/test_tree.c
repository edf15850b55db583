/* Level 2: the arena gives back what solved sub-trees took, splits blocks, says when it is full; proofs are written out
 * whole. */
#include "solver/tree_search.h"
#include "solver/tree_proof.h"

#include <string.h>

#include "tests/support/factbase.h"
#include "tests/support/suite.h"

static struct game *game;
static _Alignas(16) uint8_t state[GAME_STATE_MAX];

static void open_at(const char *name, const char *position)
{
	ck_assert(!game_open(name, NULL, &game, NULL));
	ck_assert(!game->rules->parse(game, position, state, NULL));
}

START_TEST(a_solved_tree_has_given_everything_back)
{
	open_at("connect4:5x4", "3");
	struct tree tree;
	struct tree_options o = {.mobility = true, .immediate_win = true};
	struct question q = question_of(game, 1);
	uint64_t nodes = UINT64_MAX / 2;
	ck_assert(tree_init(&tree, game, 64 << 20, &o));
	tree_start(&tree, &q, state, UINT64_MAX);
	ck_assert_int_eq(tree_run(&tree, &nodes), TREE_SOLVED);
	ck_assert_uint_eq(tree.live, 1);
	ck_assert_uint_gt(tree.generated, 1000);
	ck_assert_uint_le(tree_effort(&tree), 2 * tree.generated);
	ck_assert_uint_gt(tree_effort(&tree), tree.generated / 2);
	tree_fini(&tree);
	game_close(game);
}
END_TEST

START_TEST(the_budget_counts_live_nodes)
{
	open_at("connect4:7x6", "");
	struct tree tree;
	struct tree_options o = {.mobility = true};
	struct question q = question_of(game, 1);
	ck_assert(tree_init(&tree, game, 1 << 20, &o));
	for (uint64_t budget = 1; budget < 5000; budget *= 3) {
		uint64_t nodes = UINT64_MAX / 2;
		tree_start(&tree, &q, state, budget);
		ck_assert_int_eq(tree_run(&tree, &nodes), TREE_BUDGET);
		ck_assert_uint_gt(tree.live, budget);
		ck_assert_uint_le(tree.live, budget + game->moves_max);
	}
	tree_fini(&tree);
	game_close(game);
}
END_TEST

START_TEST(a_full_arena_says_so_and_can_start_again)
{
	open_at("connect4:7x6", "");
	struct tree tree;
	struct tree_options o = {.mobility = true};
	struct question q = question_of(game, 1);
	ck_assert(tree_init(&tree, game, 100 * sizeof(struct tree_node), &o));
	for (unsigned i = 0; i < 3; i++) {
		uint64_t nodes = UINT64_MAX / 2;
		tree_start(&tree, &q, state, UINT64_MAX);
		ck_assert_int_eq(tree_run(&tree, &nodes), TREE_FULL);
	}
	tree_fini(&tree);
	game_close(game);
}
END_TEST

START_TEST(a_proof_is_written_out_whole)
{
	static const char *const positions[] = {"3", "33", "34", "1234", ""};
	for (unsigned i = 0; i < 5; i++)
		for (int threshold = 0; threshold <= 1; threshold++) {
			open_at("connect4:5x4", positions[i]);
			struct tree tree;
			struct fact_buffer facts;
			struct factbase base;
			struct tree_options o = {
				.mobility = i % 2, .immediate_win = i % 3, .keep_proofs = true, .seed = i};
			struct question q = question_of(game, threshold);
			uint64_t nodes = UINT64_MAX / 2;
			unsigned leaves;
			ck_assert(tree_init(&tree, game, 256 << 20, &o));
			fact_buffer_init(&facts);
			factbase_init(&base);
			tree_start(&tree, &q, state, UINT64_MAX);
			ck_assert_int_eq(tree_run(&tree, &nodes), TREE_SOLVED);
			tree_emit(&tree, &facts);
			fact_buffer_take(&facts, factbase_add, &base);
			ck_assert_uint_eq(base.conflicts, 0);
			ck_assert_uint_eq(factbase_check(&base, game, &leaves), 0);
			ck_assert_uint_eq(leaves, 0);
			uint8_t key[GAME_KEY_MAX];
			struct pd_fact fact = {0};
			uint32_t num[2];
			ck_assert(factbase_get(&base, key, game->rules->key(game, state, key), &fact));
			ck_assert(question_settled(&q, &fact, num));
			ck_assert_uint_eq(num[0], tree_numbers(&tree)[0]);
			ck_assert_uint_eq(num[1], tree_numbers(&tree)[1]);
			pd_fact_fini(&fact);
			factbase_fini(&base);
			fact_buffer_fini(&facts);
			tree_fini(&tree);
			game_close(game);
		}
}
END_TEST

SUITE(tree)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_solved_tree_has_given_everything_back);
	tcase_add_test(c, the_budget_counts_live_nodes);
	tcase_add_test(c, a_full_arena_says_so_and_can_start_again);
	tcase_add_test(c, a_proof_is_written_out_whole);
}
