/* PN2: the budget as published; what the second level leaves in the first tree; at any moment the first tree's numbers
 * are those of its children, what is solved there is a fact or depends on an ancestor, and all facts are justified;
 * with cycles, and with tiny budgets. */
#include "solver/pn2.h"

#include "solver/pds_policy.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/positions.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

struct bench {
	struct game *game; /* owned */
	struct question question;
	struct pn_options options;
	struct fact_buffer facts;
	struct pn2 *pn2; /* owned */
	struct factbase base;
	struct walk_state root;
	unsigned dependent, kept; /* nodes of either kind that were seen */
};

/* The search of "First gets at least `threshold`" at the initial position; takes the game over. The options are to be
 * set before. */
static void bench_open(struct bench *b, struct game *game, int threshold, uint64_t first, uint64_t second)
{
	b->game = game;
	b->question = question_of(game, threshold);
	fact_buffer_init(&b->facts);
	factbase_init(&b->base);
	b->options.heuristics = false;
	b->pn2 = (void *)pn_engine_pn2.create(&(struct pn_engine_setup){
		.game = game,
		.options = &b->options,
		.facts = &b->facts,
		.level1_bytes = first,
		.level2_bytes = second,
	});
	ck_assert_ptr_nonnull(b->pn2);
	b->pn2->below.options.immediate_win = b->pn2->top.tree.options.immediate_win = b->options.seed % 2;
	game->rules->start(game, b->root.bytes);
	pn_engine_pn2.start(&b->pn2->top.engine, &b->question, b->root.bytes);
}

static void bench_close(struct bench *b)
{
	pn_engine_pn2.destroy(&b->pn2->top.engine);
	fact_buffer_fini(&b->facts);
	factbase_fini(&b->base);
	game_close(b->game);
}

/* The rules or a fact say what the pair says of the position. */
static bool is_known(struct bench *b, const void *state, const uint32_t num[2])
{
	uint8_t key[GAME_KEY_MAX];
	uint32_t known[2];
	struct pd_fact fact = {0};
	size_t size = b->game->rules->key(b->game, state, key);
	bool found = question_terminal(&b->question, state, known) ||
		     question_immediate_win(&b->question, state, known) ||
		     (factbase_get(&b->base, key, size, &fact) && question_settled(&b->question, &fact, known));
	pd_fact_fini(&fact);
	return found && (known[0] == 0) == (num[0] == 0);
}

static void check_solved(struct bench *b, const struct tree_node *node, const struct walk_state *path, uint32_t depth)
{
	const struct question *q = &b->question;
	if (!ghi_path_dependent(q, node->num)) {
		ck_assert_uint_eq(node->count, 0);
		ck_assert(is_known(b, path[depth].bytes, node->num));
		return;
	}
	b->dependent++;
	ck_assert_uint_lt(num_rank(node->num), NUM_CUT_OFF);
	uint32_t on = NUM_PATH_DEPENDENT - num_rank(node->num);
	ck_assert_uint_lt(on, depth);
	if (!node->count)
		ck_assert(pd_id_equal(question_position_id(q, path[on].bytes),
				      question_position_id(q, path[depth].bytes)));
}

/* The node at `depth` of the path, and all below it. */
static void check_node(struct bench *b, uint32_t index, struct walk_state *path, uint32_t depth)
{
	const struct tree_node *nodes = b->pn2->top.tree.nodes, *node = &nodes[index];
	const struct question *q = &b->question;
	if (num_solved(node->num)) {
		check_solved(b, node, path, depth);
		return;
	}
	if (!node->count)
		return;
	unsigned k = question_kind(q, path[depth].bytes);
	struct num_sum sum;
	uint32_t num[2];
	num_sum_init(&sum);
	for (unsigned i = 0; i < node->count; i++) {
		const struct tree_node *c = &nodes[node->child + i];
		num_sum_add(&sum, k, c->num, i);
		path[depth + 1] = path[depth];
		q->game->rules->play(q->game, path[depth + 1].bytes, c->move);
		b->kept += !num_solved(c->num) && !c->count;
		check_node(b, node->child + i, path, depth + 1);
	}
	ghi_backup(q, &sum, k, depth, num);
	ck_assert_uint_eq(num[0], node->num[0]);
	ck_assert_uint_eq(num[1], node->num[1]);
}

/* Takes the facts and looks at everything. */
static void check_all(struct bench *b)
{
	static struct walk_state path[1024];
	unsigned leaves;
	fact_buffer_take(&b->facts, factbase_add, &b->base);
	path[0] = b->root;
	check_node(b, TREE_ROOT, path, 0);
	ck_assert_uint_eq(b->base.conflicts, 0);
	ck_assert_uint_eq(factbase_check(&b->base, b->game, &leaves), 0);
	if (b->options.detail == PN_FULL)
		ck_assert_uint_eq(leaves, 0);
}

/* Runs to the end, looking at all every `pause` stretches of a few nodes; true when the claim is proved. */
static bool run_checked(struct bench *b, unsigned pause)
{
	enum pn_engine_end end;
	unsigned stretches = 0;
	do {
		uint64_t nodes = 1 + stretches % 53;
		end = pn_engine_pn2.run(&b->pn2->top.engine, &nodes);
		if (++stretches % pause == 0)
			check_all(b);
	} while (end == PN_ENGINE_MORE || end == PN_ENGINE_COLLECT);
	ck_assert_int_eq(end, PN_ENGINE_SOLVED);
	check_all(b);
	ck_assert(!ghi_path_dependent(&b->question, tree_numbers(&b->pn2->top.tree)));
	ck_assert(is_known(b, b->root.bytes, tree_numbers(&b->pn2->top.tree)));
	return tree_numbers(&b->pn2->top.tree)[0] == 0;
}

START_TEST(the_budget_is_the_published_one)
{
	struct pn_options o;
	pn_options_init(&o);
	o.fraction.a = 1800000;
	o.fraction.b = 240000;
	o.cap_last = 1000000000;
	ck_assert_uint_eq(pn2_budget(&o, 100000, 1000000, 7), (uint64_t)pds_fraction(100000, 1800000, 240000));
	ck_assert_uint_eq(pn2_budget(&o, 900000, 1000000, 7), (uint64_t)pds_fraction(900000, 1800000, 240000));
	o.fraction.a = 0; /* half of the tree and more: the room that is left ends it */
	ck_assert_uint_eq(pn2_budget(&o, 900000, 1000000, 7), 100000);
	ck_assert_uint_eq(pn2_budget(&o, 999999, 1000000, 7), 8);
	ck_assert_uint_eq(pn2_budget(&o, 1, 1000000, 30), 31);
	o.cap_last = 50;
	ck_assert_uint_eq(pn2_budget(&o, 500000, 1000000, 7), 50);
	ck_assert_uint_eq(pn2_budget(&o, 500000, 1000000, 60), 61);
}
END_TEST

/* One evaluation of the root: with the children kept they stand below it as the second level left them; without, the
 * root is a leaf that has their numbers, and the next turn expands it in the plain way. */
START_TEST(the_children_are_kept_or_not)
{
	for (int keep = 0; keep <= 1; keep++) {
		struct bench b = {0};
		pn_options_init(&b.options);
		b.options.keep_children = keep;
		b.options.cap_last = 300;
		b.options.fraction.a = 0;
		b.options.fraction.b = 1;
		bench_open(&b, open_game("connect4:5x4"), 1, 1 << 20, 1 << 20);
		const struct tree_node *root = &b.pn2->top.tree.nodes[TREE_ROOT],
				       *second = &b.pn2->below.nodes[TREE_ROOT];
		uint64_t nodes = 6;
		while (!b.pn2->expansions || b.pn2->evaluating) {
			ck_assert_int_eq(pn_engine_pn2.run(&b.pn2->top.engine, &nodes), PN_ENGINE_MORE);
			nodes = 1;
		}
		ck_assert_uint_eq(b.pn2->expansions, 1);
		ck_assert_uint_eq(root->num[0], second->num[0]);
		ck_assert_uint_eq(root->num[1], second->num[1]);
		ck_assert_uint_eq(second->count, 3); /* the others are their mirror images */
		ck_assert_uint_eq(root->count, keep ? 3 : 0);
		for (unsigned i = 0; i < root->count; i++) {
			const struct tree_node *own = &b.pn2->top.tree.nodes[root->child + i];
			const struct tree_node *theirs = &b.pn2->below.nodes[second->child + i];
			ck_assert_uint_eq(own->move, theirs->move);
			ck_assert_uint_eq(own->num[0], theirs->num[0]);
			ck_assert_uint_eq(own->num[1], theirs->num[1]);
			ck_assert_uint_eq(own->count, 0);
		}
		uint64_t before = b.pn2->below.generated;
		nodes = 1;
		ck_assert_int_eq(pn_engine_pn2.run(&b.pn2->top.engine, &nodes), PN_ENGINE_MORE);
		ck_assert_uint_eq(b.pn2->expansions, 2);
		ck_assert(b.pn2->evaluating == keep);
		ck_assert_uint_eq(b.pn2->below.generated, before);
		ck_assert_uint_eq(root->count, 3);
		bench_close(&b);
	}
}
END_TEST

START_TEST(what_the_second_level_solves_is_solved)
{
	struct bench b = {0};
	pn_options_init(&b.options);
	b.options.fraction.a = 0;
	b.options.seed = 1;
	bench_open(&b, open_game("mnk:3,3,2"), 1, 1 << 16, 1 << 16);
	ck_assert(run_checked(&b, 1000));
	ck_assert_uint_le(b.pn2->expansions, 4);
	ck_assert_uint_ne(b.pn2->top.tree.root_move, PD_NO_MOVE);
	bench_close(&b);
}
END_TEST

START_TEST(the_first_tree_is_right_at_any_moment)
{
	static const struct {
		const char *game;
		int threshold;
		bool proved;
	} cases[] = {
		{"connect4:4x4", 0, true}, {"connect4:4x4", 1, false}, {"mnk:4,3,3", 1, true}, {"mnk:3,3,3", 1, false}};
	static const uint32_t caps[] = {1, 20, 400};
	for (unsigned i = 0; i < 4 * 3 * 4; i++) {
		struct bench b = {0};
		pn_options_init(&b.options);
		b.options.cap_last = caps[i / 4 % 3];
		b.options.fraction.a = 0;
		b.options.keep_children = i / 12 % 2;
		b.options.detail = i / 24 ? PN_FULL : PN_FRONTIER;
		b.options.seed = i;
		bench_open(&b, open_game(cases[i % 4].game), cases[i % 4].threshold, 64 << 20, 1 << 20);
		ck_assert_int_eq(run_checked(&b, 1500), cases[i % 4].proved);
		ck_assert_uint_eq(b.dependent, 0);
		bench_close(&b);
	}
}
END_TEST

START_TEST(random_graphs_with_cycles)
{
	uint64_t seed = walk_seed("random_graphs_with_cycles", 1);
	struct cyclic_sum sum = {0};
	unsigned dependent = 0, kept = 0;
	for (unsigned i = 0; i < effort_of(300, 30); i++) {
		struct game *game = cyclic_game(seed + i);
		struct retro *retro = retro_new(game, 64);
		struct walk_state root;
		game->rules->start(game, root.bytes);
		ck_assert(retro_add(retro, root.bytes));
		unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
		for (unsigned way = 0; way < 16; way++) {
			struct bench b = {0};
			int threshold = (int)(way % 2);
			pn_options_init(&b.options);
			b.options.detail = way / 2 % 2 ? PN_FULL : PN_FRONTIER;
			b.options.keep_children = way / 4 % 2;
			b.options.cap_last = way / 8 ? 30 : 1;
			b.options.seed = i;
			bench_open(&b, cyclic_game(seed + i), threshold, 1 << 20, 1 << 16);
			bool proved = num_solved(tree_numbers(&b.pn2->top.tree))
					      ? tree_numbers(&b.pn2->top.tree)[0] == 0
					      : run_checked(&b, 7);
			ck_assert_msg(proved == retro_holds(retro, solved[threshold], root.bytes, NULL),
				      "graph %llu, way %u", (unsigned long long)(seed + i), way);
			dependent += b.dependent;
			kept += b.kept;
			bench_close(&b);
		}
		struct pn_options o;
		struct factbase base;
		struct pd_claim value = {.value = true};
		pn_options_init(&o);
		o.algorithm = PN_PN2;
		o.keep_children = i % 2;
		o.memory = 4 << 20;
		o.cap_last = 1 + i % 23;
		factbase_init(&base);
		ck_assert(cyclic_solve(game, root.bytes, &value, &o, NULL, retro, solved, 300000, &base, &sum));
		factbase_fini(&base);
		retro_free(retro);
		game_close(game);
	}
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_gt(dependent, effort_of(100, 3));
	ck_assert_uint_gt(kept, effort_of(1000, 30));
}
END_TEST

START_TEST(a_full_tree_ends_the_search_and_stays_right)
{
	for (int keep = 0; keep <= 1; keep++) {
		struct bench b = {0};
		enum pn_engine_end end;
		pn_options_init(&b.options);
		b.options.keep_children = keep;
		b.options.cap_last = 50;
		bench_open(&b, open_game("connect4:7x6"), 1, 1000 * sizeof(struct tree_node), 1 << 16);
		do {
			uint64_t nodes = 1000;
			end = pn_engine_pn2.run(&b.pn2->top.engine, &nodes);
		} while (end == PN_ENGINE_MORE);
		ck_assert_int_eq(end, PN_ENGINE_FULL);
		ck_assert_uint_gt(b.pn2->top.tree.live, 900);
		check_all(&b);
		uint64_t nodes = 1000;
		ck_assert_int_eq(pn_engine_pn2.run(&b.pn2->top.engine, &nodes), PN_ENGINE_FULL);
		bench_close(&b);
	}
}
END_TEST

SUITE(pn2)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, the_budget_is_the_published_one);
	tcase_add_test(c, the_children_are_kept_or_not);
	tcase_add_test(c, what_the_second_level_solves_is_solved);
	tcase_add_test(c, the_first_tree_is_right_at_any_moment);
	tcase_add_test(c, random_graphs_with_cycles);
	tcase_add_test(c, a_full_tree_ends_the_search_and_stays_right);
}
