/* Proof-set search (after Mueller, "Proof-set search", CG 2002), written out afresh on small graphs: the oracle of what
 * proof numbers count twice.
 *
 * Each node has a set of frontier nodes whose proof proves it, and one whose disproof disproves it. At an OR node the
 * proof set is the least of the children's, the disproof set the union of theirs; at an AND node the reverse. A bounded
 * set keeps its least members and counts those that it drops; its size is both together, so a bound of 0 gives the
 * numbers of PN search. The sizes lie between the true numbers, found here by trying all sets of leaves, and the proof
 * numbers. Weak sums (numbers.h) are compared with them. */
#include <stdio.h>
#include <string.h>

#include "solver/numbers.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { NODES_MAX = 64, CHILDREN_MAX = 4, UNBOUNDED = NODES_MAX };

/* A graph whose children have greater indices than their parents; node 0 is the root. */
struct dag {
	unsigned count;
	unsigned k[NODES_MAX];        /* 0: OR, 1: AND */
	unsigned children[NODES_MAX]; /* 0: a terminal node */
	unsigned child[NODES_MAX][CHILDREN_MAX];
	bool won[NODES_MAX]; /* of a terminal node: First has won */
	bool expanded[NODES_MAX];
};

struct set {
	bool top; /* not to be had: the other outcome is certain */
	uint64_t kept, dropped;
};

struct sets {
	struct set of[2]; /* proof set, disproof set */
};

static uint64_t size_of(const struct set *set)
{
	return set->top ? UINT64_MAX : (uint64_t)__builtin_popcountll(set->kept) + set->dropped;
}

static void drop_greatest(struct set *set, unsigned bound)
{
	while ((unsigned)__builtin_popcountll(set->kept) > bound) {
		set->kept &= ~(UINT64_C(1) << (63 - __builtin_clzll(set->kept)));
		set->dropped++;
	}
}

/* The sets of all nodes, given those that are expanded. bound: of proof sets and of disproof sets. */
static void count_sets(const struct dag *g, const unsigned bound[2], struct sets *out)
{
	for (unsigned n = g->count; n-- > 0;) {
		struct sets *s = &out[n];
		memset(s, 0, sizeof *s);
		if (!g->children[n]) {
			s->of[g->won[n]].top = true;
			continue;
		}
		if (!g->expanded[n]) {
			for (unsigned i = 0; i < 2; i++) {
				s->of[i].kept = UINT64_C(1) << n;
				drop_greatest(&s->of[i], bound[i]);
			}
			continue;
		}
		unsigned k = g->k[n];
		struct set *least = &s->of[k], *all = &s->of[1 - k];
		least->top = true;
		for (unsigned i = 0; i < g->children[n]; i++) {
			const struct sets *c = &out[g->child[n][i]];
			if (size_of(&c->of[k]) < size_of(least))
				*least = c->of[k];
			all->top |= c->of[1 - k].top;
			all->kept |= c->of[1 - k].kept;
			all->dropped += c->of[1 - k].dropped;
		}
		if (all->top)
			all->kept = all->dropped = 0;
		drop_greatest(all, bound[1 - k]);
	}
}

/* Proof and disproof numbers, with sums or with weak ones. */
static void count_numbers(const struct dag *g, bool weak, uint32_t (*out)[2])
{
	static const bool ranked[2] = {true, true};
	for (unsigned n = g->count; n-- > 0;) {
		struct num_sum sum;
		out[n][0] = out[n][1] = 1;
		if (!g->children[n])
			num_set_solved(out[n], g->won[n], 0);
		if (!g->expanded[n])
			continue;
		num_sum_init(&sum);
		for (unsigned i = 0; i < g->children[n]; i++)
			num_sum_add(&sum, g->k[n], out[g->child[n][i]], i);
		if (weak)
			num_sum_weaken(&sum, 0);
		num_sum_backup(&sum, g->k[n], ranked, out[n]);
	}
}

/* The least size to descend to, at each node; ends at the leaf to expand. */
static unsigned most_proving(const struct dag *g, const struct sets *sets)
{
	unsigned n = 0;
	while (g->expanded[n]) {
		unsigned k = g->k[n], best = 0;
		for (unsigned i = 1; i < g->children[n]; i++)
			if (size_of(&sets[g->child[n][i]].of[k]) < size_of(&sets[g->child[n][best]].of[k]))
				best = i;
		n = g->child[n][best];
	}
	ck_assert_uint_gt(g->children[n], 0);
	return n;
}

static bool is_solved(const struct sets *s)
{
	return s->of[0].top || s->of[1].top;
}

/* --- graphs --------------------------------------------------------------------------------- */

/* Layers of up to four nodes whose children are in the next layer; those of the last are over. */
static void random_dag(uint64_t *random, bool tree, struct dag *g)
{
	unsigned first = 0, width = 1;
	memset(g, 0, sizeof *g);
	for (unsigned layer = 0; layer < 4; layer++) {
		unsigned next = first + width, made = 0, breadth = 2 + walk_below(random, 3);
		for (unsigned n = first; n < next; n++) {
			g->k[n] = layer % 2;
			g->children[n] = 1 + walk_below(random, tree ? 2 : CHILDREN_MAX);
			for (unsigned i = 0; i < g->children[n]; i++)
				g->child[n][i] = next + (tree ? made++ : walk_below(random, breadth));
		}
		first = next;
		width = tree ? made : breadth;
	}
	g->count = first + width;
	ck_assert_uint_le(g->count, NODES_MAX);
	for (unsigned n = first; n < g->count; n++)
		g->won[n] = walk_below(random, 2);
}

/* What the leaves' results give; bit n of `won`: leaf n is won. */
static bool is_won(const struct dag *g, uint64_t won)
{
	bool value[NODES_MAX];
	for (unsigned n = g->count; n-- > 0;) {
		value[n] = g->children[n] ? won >> n & 1 : g->won[n];
		if (!g->expanded[n])
			continue;
		value[n] = g->k[n];
		for (unsigned i = 0; i < g->children[n]; i++)
			value[n] = g->k[n] ? value[n] && value[g->child[n][i]] : value[n] || value[g->child[n][i]];
	}
	return value[0];
}

/* The least number of leaves that prove the root when all others are lost (side 0), or disprove it when all others are
 * won. */
static uint64_t true_number(const struct dag *g, unsigned side)
{
	uint64_t leaves = 0, least = UINT64_MAX;
	for (unsigned n = 0; n < g->count; n++)
		if (g->children[n] && !g->expanded[n])
			leaves |= UINT64_C(1) << n;
	for (uint64_t set = leaves;; set = (set - 1) & leaves) {
		uint64_t size = (uint64_t)__builtin_popcountll(set);
		if (size < least && is_won(g, side ? leaves & ~set : set) == !side)
			least = size;
		if (!set)
			return least;
	}
}

/* --- tests ---------------------------------------------------------------------------------- */

static void check_root(const struct dag *g, const unsigned bound[2], bool tree, unsigned *smaller)
{
	struct sets sets[NODES_MAX];
	uint32_t num[NODES_MAX][2], weak[NODES_MAX][2];
	count_sets(g, bound, sets);
	count_numbers(g, false, num);
	count_numbers(g, true, weak);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t size = size_of(&sets[0].of[i]), least = true_number(g, i);
		if (num_solved(num[0])) {
			ck_assert_int_eq(size == 0, num[0][i] == 0);
			continue;
		}
		ck_assert_uint_le(least, size);
		ck_assert_uint_le(size, num[0][i]);
		ck_assert_uint_le(weak[0][i], num[0][i]);
		if (tree || (!bound[0] && !bound[1]))
			ck_assert_uint_eq(size, num[0][i]);
		*smaller += size < num[0][i];
	}
}

/* On trees the sizes are the proof numbers whatever the bound; with bounds of 0 they are on graphs, too; no bound makes
 * them greater than proof numbers, or less than the truth. */
START_TEST(sizes_lie_between_the_truth_and_proof_numbers)
{
	static const unsigned bounds[][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 3}, {UNBOUNDED, UNBOUNDED}};
	uint64_t random = 51;
	unsigned smaller = 0, of_trees = 0, steps = 0;
	for (unsigned i = 0; i < effort_of(2000, 100); i++) {
		struct sets sets[NODES_MAX];
		struct dag g;
		bool tree = i % 2;
		const unsigned *bound = bounds[i / 2 % 5];
		random_dag(&random, tree, &g);
		for (count_sets(&g, bound, sets); !is_solved(&sets[0]); count_sets(&g, bound, sets), steps++) {
			check_root(&g, bound, tree, tree ? &of_trees : &smaller);
			g.expanded[most_proving(&g, sets)] = true;
		}
		for (unsigned n = 0; n < g.count; n++)
			g.expanded[n] = g.children[n] > 0;
		ck_assert_int_eq(is_won(&g, 0), sets[0].of[1].top);
	}
	printf("%u expansions, %u sizes smaller than proof numbers\n", steps, smaller);
	ck_assert_uint_eq(of_trees, 0);
	ck_assert_uint_gt(smaller, 0);
}
END_TEST

/* A chain from node `at` on: A_i is AND of X_i and Y_i, both of which are OR with the one child A_(i+1); the last is a
 * leaf. Returns the index behind it. */
static unsigned add_chain(struct dag *g, unsigned at, unsigned length)
{
	for (unsigned i = 0; i < length; i++, at += 3) {
		g->k[at] = 1;
		g->children[at] = 2;
		g->children[at + 1] = g->children[at + 2] = 1;
		g->child[at][0] = at + 1;
		g->child[at][1] = at + 2;
		g->child[at + 1][0] = g->child[at + 2][0] = at + 3;
		g->expanded[at] = g->expanded[at + 1] = g->expanded[at + 2] = true;
	}
	g->children[at] = 1;
	g->child[at][0] = at + 1;
	g->count = at + 2;
	return g->count;
}

START_TEST(a_chain_counts_its_leaf_once)
{
	for (unsigned bound = 1; bound <= UNBOUNDED; bound *= 8) {
		struct sets sets[NODES_MAX];
		uint32_t num[NODES_MAX][2];
		struct dag g = {0};
		add_chain(&g, 0, 10);
		count_sets(&g, (unsigned[2]){bound, bound}, sets);
		ck_assert_uint_eq(size_of(&sets[0].of[0]), 1);
		count_numbers(&g, false, num);
		ck_assert_uint_eq(num[0][0], 1024);
		count_numbers(&g, true, num);
		ck_assert_uint_eq(num[0][0], 11); /* one more a link */
		ck_assert_uint_eq(true_number(&g, 0), 1);
	}
}
END_TEST

/* OR of a chain of five and an AND of three leaves: PN search goes to the three leaves, proof sets to the chain. */
START_TEST(a_double_count_sends_the_search_elsewhere)
{
	static const struct {
		unsigned bound, child;
		uint64_t sizes[2];
	} rows[] = {{0, 1, {32, 3}}, {1, 0, {1, 3}}, {UNBOUNDED, 0, {1, 3}}};
	for (unsigned i = 0; i < 3; i++) {
		struct sets sets[NODES_MAX];
		struct dag g = {0};
		g.children[0] = 2;
		g.expanded[0] = true;
		g.child[0][0] = 1;
		unsigned at = add_chain(&g, 1, 5);
		g.child[0][1] = at;
		g.k[at] = 1;
		g.children[at] = 3;
		g.expanded[at] = true;
		for (unsigned j = 0; j < 3; j++) {
			g.child[at][j] = at + 1 + j;
			g.children[at + 1 + j] = 1;
			g.child[at + 1 + j][0] = at + 4;
		}
		g.count = at + 5;
		count_sets(&g, (unsigned[2]){rows[i].bound, rows[i].bound}, sets);
		for (unsigned j = 0; j < 2; j++)
			ck_assert_uint_eq(size_of(&sets[g.child[0][j]].of[0]), rows[i].sizes[j]);
		unsigned leaf = most_proving(&g, sets);
		ck_assert_int_eq(leaf > at, rows[i].child == 1);
	}
}
END_TEST

SUITE(pss)
{
	tcase_add_test(c, sizes_lie_between_the_truth_and_proof_numbers);
	tcase_add_test(c, a_chain_counts_its_leaf_once);
	tcase_add_test(c, a_double_count_sends_the_search_elsewhere);
}
