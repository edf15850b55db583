/* Proof-set search (after Mueller, "Proof-set search", CG 2002), written out afresh on small graphs: the oracle of what
 * proof numbers count twice, and of the engine, which is compared with it step by step.
 *
 * Each node has a set of frontier nodes whose proof proves it, and one whose disproof disproves it. At an OR node the
 * proof set is the least of the children's, the disproof set the union of theirs; at an AND node the reverse. A bounded
 * set keeps its least members and counts those that it drops; its size is both together, so a bound of 0 gives the
 * numbers of PN search. The sizes lie between the true numbers, found here by trying all sets of leaves, and the proof
 * numbers. Weak sums (numbers.h) are compared with them. */
#include <stdio.h>
#include <string.h>

#include "solver/algorithms.h"
#include "solver/engine.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"
#include "tests/support/trees.h"
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
	unsigned id[NODES_MAX]; /* in sets: of two members the one with the lesser id is kept */
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
				s->of[i].kept = UINT64_C(1) << g->id[n];
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
	for (unsigned n = 0; n < g->count; n++)
		g->id[n] = n;
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
	for (unsigned n = 0; n < NODES_MAX; n++)
		g->id[n] = n;
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

/* --- the engine ----------------------------------------------------------------------------- */

/* A search alone, without a solver. */
struct rig {
	const struct game *game;
	struct pn_options options;
	struct fact_buffer facts;
	struct pn_engine *engine;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
};

/* Begins a search for the claim that First gets at least 1, in that many bytes. */
static void rig_init(struct rig *r, const struct game *game, const struct pn_options *options, size_t bytes)
{
	r->game = game;
	r->options = *options;
	fact_buffer_init(&r->facts);
	r->engine = pn_algorithm(options->algorithm)
			    ->engine->create(&(struct pn_engine_setup){
				    .game = game,
				    .options = &r->options,
				    .facts = &r->facts,
				    .level1_bytes = bytes,
			    });
	ck_assert_ptr_nonnull(r->engine);
	struct question q = question_of(game, 1);
	game->rules->start(game, r->root);
	ck_assert(r->engine->type->start(r->engine, &q, r->root));
}

static void rig_fini(struct rig *r)
{
	r->engine->type->destroy(r->engine);
	fact_buffer_fini(&r->facts);
}

static struct pn_options options_of(enum pn_algorithm algorithm, const unsigned bound[2])
{
	struct pn_options o;
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.mobility = false;
	o.sums.proof_set = bound[0];
	o.sums.disproof_set = bound[1];
	return o;
}

/* Makes one expansion. */
static enum pn_engine_end rig_expand(struct rig *r)
{
	uint64_t one = 1;
	return r->engine->type->run(r->engine, &one);
}

static uint64_t rig_positions(const struct rig *r)
{
	struct pn_engine_progress p;
	r->engine->type->progress(r->engine, &p);
	return p.positions;
}

/* The root's numbers, and the move to its best child. */
static game_move rig_numbers(const struct rig *r, uint32_t num[2])
{
	game_move leading;
	r->engine->type->numbers(r->engine, num, &leading);
	return leading;
}

/* The game of a graph; no node has a child twice. */
static struct game *game_of(const struct dag *g)
{
	static struct graph_maker m;
	graph_begin(&m, -1, 1);
	for (unsigned n = 0; n < g->count; n++) {
		char name[16], children[64] = "";
		snprintf(name, sizeof name, "n%u", n);
		for (unsigned i = 0, used = 0; i < g->children[n]; i++)
			used += (unsigned)snprintf(children + used, sizeof children - used, "%sn%u", i ? " " : "",
						   g->child[n][i]);
		if (g->children[n])
			graph_node(&m, name, !g->k[n], children);
		else
			graph_leaf(&m, name, g->won[n] ? 1 : -1);
	}
	return graph_game(graph_end(&m));
}

static void drop_twins(struct dag *g)
{
	for (unsigned n = 0; n < g->count; n++) {
		unsigned count = 0;
		for (unsigned i = 0; i < g->children[n]; i++) {
			bool twin = false;
			for (unsigned j = 0; j < count; j++)
				twin |= g->child[n][j] == g->child[n][i];
			if (!twin)
				g->child[n][count++] = g->child[n][i];
		}
		g->children[n] = count;
	}
}

/* What the oracle knows of the engine's graph: ids are in the order in which positions are made. */
struct mirror {
	struct dag g;
	struct sets sets[NODES_MAX];
	bool made[NODES_MAX];
	unsigned ids;
	uint64_t positions;
	struct pn_path path[NODES_MAX];
	game_move moves[NODES_MAX][NODES_MAX];
};

static void mirror_init(struct mirror *m, const struct dag *g, const unsigned bound[2])
{
	memset(m, 0, sizeof *m);
	m->g = *g;
	m->made[0] = true;
	m->ids = 1;
	m->g.id[0] = 0;
	m->path[0].moves = m->moves[0];
	count_sets(&m->g, bound, m->sets);
}

/* Expands the leaf that the oracle would. Its children are made up to the first that its mover wins. */
static void mirror_expand(struct mirror *m, const unsigned bound[2])
{
	struct dag *g = &m->g;
	unsigned n = most_proving(g, m->sets), k = g->k[n];
	bool won = false;
	for (unsigned i = 0; i < g->children[n] && !won; i++) {
		unsigned c = g->child[n][i];
		if (!m->made[c]) {
			m->made[c] = true;
			g->id[c] = m->ids++;
			memcpy(m->moves[c], m->moves[n], sizeof *m->moves);
			m->moves[c][m->path[n].count] = (game_move)i;
			m->path[c] = (struct pn_path){m->moves[c], m->path[n].count + 1};
		}
		m->positions++;
		won = m->sets[c].of[1 - k].top;
	}
	g->expanded[n] = true;
	count_sets(g, bound, m->sets);
}

/* All numbers of the engine are the sizes of the oracle's sets, and none is above the proof number. */
static void check_numbers(const struct rig *r, const struct mirror *m, unsigned *compared, unsigned *smaller)
{
	uint32_t num[NODES_MAX][2];
	count_numbers(&m->g, false, num);
	for (unsigned n = 0; n < m->g.count; n++) {
		struct pn_view view;
		if (!m->made[n])
			continue;
		ck_assert(r->engine->type->view(r->engine, &m->path[n], &view));
		for (unsigned i = 0; i < 2; i++, ++*compared) {
			if (m->sets[n].of[i].top) {
				ck_assert_uint_ge(view.num[i], PN_INF);
				continue;
			}
			ck_assert_uint_eq(view.num[i], size_of(&m->sets[n].of[i]));
			ck_assert_uint_le(view.num[i], num[n][i]);
			*smaller += view.num[i] < num[n][i];
		}
	}
}

/* Every number at every expansion, the order of expansions, the answer, and the facts of its proof. */
START_TEST(the_engine_is_the_oracle_step_by_step)
{
	static const unsigned bounds[][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 3}, {UNBOUNDED, UNBOUNDED}};
	static struct mirror m;
	uint64_t random = 52, facts = 0;
	unsigned compared = 0, smaller = 0;
	for (unsigned i = 0; i < effort_of(5000, 300); i++) {
		const unsigned *bound = bounds[i % 5];
		struct pn_options o = options_of(PN_PSS, bound);
		struct factbase base;
		struct rig r;
		struct dag g;
		enum pn_engine_end end = PN_ENGINE_MORE;
		unsigned leaves;
		random_dag(&random, i % 3 == 0, &g);
		drop_twins(&g);
		struct game *game = game_of(&g);
		ck_assert(game->acyclic);
		rig_init(&r, game, &o, 1 << 20);
		for (mirror_init(&m, &g, bound); !is_solved(&m.sets[0]); mirror_expand(&m, bound)) {
			check_numbers(&r, &m, &compared, &smaller);
			ck_assert_uint_eq(rig_positions(&r), m.positions);
			ck_assert_int_eq(end, PN_ENGINE_MORE);
			end = rig_expand(&r);
		}
		check_numbers(&r, &m, &compared, &smaller);
		ck_assert_int_eq(end, PN_ENGINE_SOLVED);
		for (unsigned n = 0; n < g.count; n++)
			g.expanded[n] = g.children[n] > 0;
		ck_assert_int_eq(is_won(&g, 0), m.sets[0].of[1].top);
		factbase_init(&base);
		fact_buffer_take(&r.facts, factbase_add, &base);
		ck_assert_uint_eq(factbase_check(&base, game, &leaves) + base.conflicts + leaves, 0);
		ck_assert_uint_gt(base.count, 0);
		facts += base.count;
		factbase_fini(&base);
		rig_fini(&r);
		game_close(game);
	}
	printf("%u numbers compared, %u smaller than proof numbers, %llu facts\n", compared, smaller,
	       (unsigned long long)facts);
	ck_assert_uint_gt(compared, 1000);
	ck_assert_uint_gt(smaller, 100);
}
END_TEST

/* T2: whatever the bounds, with mobility and without, in the order of the game or shuffled. */
START_TEST(on_trees_the_engine_is_pn_expansion_by_expansion)
{
	uint64_t random = 53, expansions = 0;
	for (unsigned i = 0; i < effort_of(2000, 400); i++) {
		static const unsigned bounds[][2] = {{0, 0}, {1, 2}, {4, 4}, {1000, 1000}};
		struct game *game = trees_random(&random);
		struct rig one, other;
		enum pn_engine_end end = PN_ENGINE_MORE;
		struct pn_options o = options_of(PN_PSS, bounds[i % 4]);
		o.mobility = i / 4 % 2;
		o.seed = i / 8 % 3;
		rig_init(&one, game, &o, 1 << 20);
		o.algorithm = PN_PN;
		rig_init(&other, game, &o, 1 << 20);
		while (end == PN_ENGINE_MORE) {
			uint32_t num[2], same[2];
			end = rig_expand(&one);
			ck_assert_int_eq(rig_expand(&other), end);
			ck_assert_uint_eq(rig_positions(&one), rig_positions(&other));
			ck_assert_uint_eq(rig_numbers(&one, num), rig_numbers(&other, same));
			ck_assert_uint_eq(num[0], same[0]);
			ck_assert_uint_eq(num[1], same[1]);
			expansions++;
		}
		ck_assert_int_eq(end, PN_ENGINE_SOLVED);
		ck_assert_uint_eq(one.engine->type->move(one.engine), other.engine->type->move(other.engine));
		rig_fini(&one);
		rig_fini(&other);
		game_close(game);
	}
	ck_assert_uint_gt(expansions, 1000);
}
END_TEST

/* Where positions come back, nothing is merged: the engine is that of pn. */
START_TEST(games_with_cycles_are_searched_over_paths)
{
	static struct graph_maker m;
	struct pn_options o = options_of(PN_PSS, (unsigned[2]){4, 4});
	struct rig r;
	graph_begin(&m, -1, 1);
	graph_node(&m, "a", true, "b");
	graph_node(&m, "b", false, "a c");
	graph_leaf(&m, "c", 1);
	struct game *game = graph_game(graph_end(&m));
	ck_assert(!game->acyclic);
	rig_init(&r, game, &o, 1 << 20);
	ck_assert_ptr_eq(r.engine->type, &pn_engine_tree);
	rig_fini(&r);
	game_close(game);
}
END_TEST

/* With too little memory the search says so, keeps sound numbers, and would go on with more; the same steps of other
 * lengths end at the same place. */
START_TEST(a_full_arena_ends_the_search)
{
	uint64_t positions[2];
	uint32_t num[2][2];
	for (unsigned i = 0; i < 2; i++) {
		struct game *game;
		struct rig r;
		enum pn_engine_end end;
		struct pn_options o = options_of(PN_PSS, (unsigned[2]){4, 4});
		ck_assert(!game_open("connect4:5x5", NULL, &game, NULL));
		rig_init(&r, game, &o, 100000);
		do {
			uint64_t quota = i ? 100 : 1;
			end = r.engine->type->run(r.engine, &quota);
		} while (end == PN_ENGINE_MORE);
		ck_assert_int_eq(end, PN_ENGINE_FULL);
		positions[i] = rig_positions(&r);
		rig_numbers(&r, num[i]);
		ck_assert(num_sound(num[i]) && !num_solved(num[i]));
		ck_assert_int_eq(rig_expand(&r), PN_ENGINE_FULL);
		rig_fini(&r);
		game_close(game);
	}
	ck_assert_uint_eq(positions[0], positions[1]);
	ck_assert_uint_gt(positions[0], 100);
	ck_assert_mem_eq(num[0], num[1], sizeof num[0]);
}
END_TEST

SUITE(pss)
{
	tcase_add_test(c, sizes_lie_between_the_truth_and_proof_numbers);
	tcase_add_test(c, a_chain_counts_its_leaf_once);
	tcase_add_test(c, a_double_count_sends_the_search_elsewhere);
	tcase_add_test(c, the_engine_is_the_oracle_step_by_step);
	tcase_add_test(c, on_trees_the_engine_is_pn_expansion_by_expansion);
	tcase_add_test(c, games_with_cycles_are_searched_over_paths);
	tcase_add_test(c, a_full_arena_ends_the_search);
}
