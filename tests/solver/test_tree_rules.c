/* Tree rules: DeepPN and product propagation against worked numbers, against PN search where they reduce to it, and
 * against backward induction on random trees. */
#include "solver/tree_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/pds_policy.h"
#include "solver/tree_search.h"
#include "tests/support/effort.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

extern const struct pds_policy pds_policy_deep, pds_policy_product;

enum { DEPTH_MAX = 8, NAME_SIZE = 64, ORDER_MAX = 4096 };

static _Alignas(16) uint8_t root[GAME_STATE_MAX];

static void tree_open(struct tree *tree, struct game *game, const struct tree_rule *rule, double r)
{
	struct tree_options o = {.rule = rule, .deep_r = r};
	struct question q = question_of(game, 1);
	ck_assert(tree_init(tree, game, 16 << 20, &o));
	game->rules->start(game, root);
	tree_start(tree, &q, root, UINT64_MAX);
}

/* Adds a uniform tree below a node named by the indices on the way to it. All leaves have that value. */
static void add_uniform(struct graph_maker *m, const char *name, unsigned branching, unsigned depth, bool first,
			int value)
{
	char children[512] = "", child[NAME_SIZE];
	if (!depth) {
		graph_leaf(m, name, value);
		return;
	}
	for (unsigned i = 0; i < branching; i++) {
		size_t used = strlen(children);
		snprintf(children + used, sizeof children - used, "%s%.*s%u", i ? " " : "", DEPTH_MAX, name, i);
	}
	graph_node(m, name, first, children);
	for (unsigned i = 0; i < branching; i++) {
		snprintf(child, sizeof child, "%.*s%u", DEPTH_MAX, name, i);
		add_uniform(m, child, branching, depth - 1, !first, value);
	}
}

static struct game *uniform_game(unsigned branching, unsigned depth, int value)
{
	struct graph_maker m;
	graph_begin(&m, -1, 1);
	add_uniform(&m, "r", branching, depth, true, value);
	return graph_game(graph_end(&m));
}

/* Searches to the end; writes the names of the expanded nodes, each followed by a blank. Returns how many they are. */
static unsigned search_order(struct game *game, const struct tree_rule *rule, double r, char *out, size_t size)
{
	struct tree tree;
	unsigned count = 0;
	tree_open(&tree, game, rule, r);
	*out = 0;
	while (!num_solved(tree_numbers(&tree))) {
		char name[NAME_SIZE];
		tree_descend(&tree);
		game->rules->print(game, tree_state(&tree, tree.depth), name, sizeof name);
		size_t used = strlen(out);
		ck_assert_uint_lt(used + strlen(name) + 2, size);
		snprintf(out + used, size - used, "%s ", name);
		ck_assert(tree_expand(&tree));
		tree_ascend(&tree);
		count++;
	}
	tree_fini(&tree);
	return count;
}

START_TEST(deep_pn_expands_as_many_nodes_as_worked_out)
{
	static const double r[] = {1, .95, .65, .4, 0};
	static const unsigned binary[] = {35, 35, 35, 27, 21}, ternary[] = {70, 70, 64, 32, 26};
	char order[ORDER_MAX];
	for (unsigned i = 0; i < 5; i++) {
		struct game *game = uniform_game(2, 6, -1);
		ck_assert_uint_eq(search_order(game, pds_policy_deep.rule, r[i], order, sizeof order), binary[i]);
		game_close(game);
		game = uniform_game(3, 6, 1);
		ck_assert_uint_eq(search_order(game, pds_policy_deep.rule, r[i], order, sizeof order), ternary[i]);
		game_close(game);
	}
}
END_TEST

START_TEST(deep_pn_expands_in_the_order_worked_out)
{
	char order[ORDER_MAX];
	struct game *game = uniform_game(2, 4, 1);
	search_order(game, pds_policy_deep.rule, .4, order, sizeof order);
	ck_assert_str_eq(order, "r r0 r00 r01 r000 r010 ");
	search_order(game, pds_policy_deep.rule, 1, order, sizeof order);
	ck_assert_str_eq(order, "r r0 r1 r00 r01 r000 r010 ");
	game_close(game);
}
END_TEST

/* A tree with alternating or random kinds and up to four children a node; leaves are wins for either side. */
static void add_random(struct graph_maker *m, uint64_t *random, const char *name, unsigned depth)
{
	char children[512] = "", child[NAME_SIZE];
	unsigned count = 1 + (unsigned)(walk_random(random) % 4);
	if (!depth || (depth < 4 && walk_random(random) % 4 == 0)) {
		graph_leaf(m, name, walk_random(random) % 2 ? 1 : -1);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		size_t used = strlen(children);
		snprintf(children + used, sizeof children - used, "%s%.*s%u", i ? " " : "", DEPTH_MAX, name, i);
	}
	graph_node(m, name, walk_random(random) % 2, children);
	for (unsigned i = 0; i < count; i++) {
		snprintf(child, sizeof child, "%.*s%u", DEPTH_MAX, name, i);
		add_random(m, random, child, depth - 1);
	}
}

static struct game *random_game(uint64_t *random)
{
	struct graph_maker m;
	graph_begin(&m, -1, 1);
	add_random(&m, random, "r", 5);
	return graph_game(graph_end(&m));
}

START_TEST(rules_change_no_answer_and_deep_pn_with_r_1_is_pn)
{
	uint64_t random = 30;
	static char order[1 << 16], plain[1 << 16];
	for (unsigned i = 0; i < effort_of(2000, 50); i++) {
		struct game *game = random_game(&random);
		game->rules->start(game, root);
		int value;
		if (game->rules->terminal(game, root, &value)) {
			game_close(game);
			continue;
		}
		value = graph_value(game, root);
		const struct tree_rule *const rules[] = {NULL, pds_policy_deep.rule, pds_policy_product.rule};
		for (unsigned j = 0; j < 3; j++) {
			struct tree tree;
			uint64_t nodes = UINT64_MAX / 2;
			tree_open(&tree, game, rules[j], .4);
			ck_assert_int_eq(tree_run(&tree, &nodes), TREE_SOLVED);
			ck_assert_int_eq(tree_numbers(&tree)[0] == 0, value == 1);
			tree_fini(&tree);
		}
		search_order(game, pds_policy_deep.rule, 1, order, sizeof order);
		search_order(game, NULL, 1, plain, sizeof plain);
		ck_assert_str_eq(order, plain);
		game_close(game);
	}
}
END_TEST

/* The tree after Allis (van den Herik and Winands 2008 tell of one like it): A is OR with B, C and D. */
static struct game *allis_game(void)
{
	static const char *const inner[][3] = {{"A", "or", "B C D"}, {"B", "and", "E F"}, {"C", "or", "G H"},
					       {"D", "and", "I J"},  {"G", "and", "K L"}, {"H", "and", "M N"},
					       {"J", "and", "O P"}};
	struct graph_maker m;
	graph_begin(&m, -1, 1);
	for (unsigned i = 0; i < 7; i++)
		graph_node(&m, inner[i][0], inner[i][1][0] == 'o', inner[i][2]);
	for (const char *leaf = "EFILMNP"; *leaf; leaf++) {
		char name[2] = {*leaf}, below[16], child[4];
		snprintf(below, sizeof below, "%c1 %c2", *leaf, *leaf);
		graph_node(&m, name, true, below);
		for (unsigned i = 1; i <= 2; i++) {
			snprintf(child, sizeof child, "%c%u", *leaf, i);
			graph_leaf(&m, child, i == 1 ? 1 : -1);
		}
	}
	graph_leaf(&m, "K", 1);
	graph_leaf(&m, "O", -1);
	return graph_game(graph_end(&m));
}

/* Descends from the root by names, expands the node, updates its ancestors. */
static void expand_at(struct tree *tree, const char *names)
{
	const struct game *game = tree->question.game;
	tree->depth = 0;
	for (; *names; names++) {
		const struct tree_node *node = tree_here(tree);
		void *state = NULL;
		char name[NAME_SIZE] = "";
		for (unsigned i = 0; i < node->count && name[0] != *names; i++) {
			state = tree_copy_on(tree, tree->depth);
			game->rules->play(game, state, tree->nodes[node->child + i].move);
			game->rules->print(game, state, name, sizeof name);
			tree->path[tree->depth + 1].node = node->child + i;
		}
		ck_assert_int_eq(name[0], *names);
		tree->path[++tree->depth].k = question_kind(&tree->question, state);
	}
	ck_assert(tree_expand(tree));
	tree_ascend(tree);
	tree->depth = 0;
}

/* The node of that name one or more steps below a node; 0 when there is none. */
static uint32_t find_node(const struct tree *tree, uint32_t node, const void *state, char wanted)
{
	const struct game *game = tree->question.game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	char name[NAME_SIZE];
	game->rules->print(game, state, name, sizeof name);
	if (name[0] == wanted && !name[1])
		return node;
	for (unsigned i = 0; i < tree->nodes[node].count; i++) {
		uint32_t below = tree->nodes[node].child + i;
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, tree->nodes[below].move);
		uint32_t found = find_node(tree, below, child, wanted);
		if (found)
			return found;
	}
	return 0;
}

START_TEST(products_of_the_tree_after_allis)
{
	static const struct {
		char name;
		double p;
	} worked[] = {{'A', .71875}, {'B', .25}, {'C', .625}, {'G', .5}, {'H', .25}};
	struct game *game = allis_game();
	struct tree tree;
	tree_open(&tree, game, pds_policy_product.rule, 0);
	static const char *const paths[] = {"", "B", "C", "D", "CG", "CH", "DJ"};
	for (unsigned i = 0; i < 7; i++)
		expand_at(&tree, paths[i]);
	for (unsigned i = 0; i < 5; i++) {
		uint32_t node = find_node(&tree, TREE_ROOT, root, worked[i].name);
		ck_assert_uint_gt(node, 0);
		const double *logs = tree_value(&tree, node);
		ck_assert_double_eq_tol(exp(logs[0]), worked[i].p, 1e-12);
		ck_assert_double_eq_tol(exp(logs[1]), 1 - worked[i].p, 1e-12);
	}
	uint32_t d = find_node(&tree, TREE_ROOT, root, 'D');
	ck_assert_uint_eq(tree.nodes[d].num[1], 0); /* J is lost, so D is */
	ck_assert(isinf(*(const double *)tree_value(&tree, d)));
	tree_fini(&tree);
	game_close(game);
}
END_TEST

SUITE(tree_rules)
{
	tcase_add_test(c, deep_pn_expands_as_many_nodes_as_worked_out);
	tcase_add_test(c, deep_pn_expands_in_the_order_worked_out);
	tcase_add_test(c, rules_change_no_answer_and_deep_pn_with_r_1_is_pn);
	tcase_add_test(c, products_of_the_tree_after_allis);
}
