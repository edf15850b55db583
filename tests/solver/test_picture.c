/* Pictures of a running search: numbers follow from those of the children, what is solved is true, the threads are
 * where they search, and the search goes on as without it. */
#include "solver/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/numbers.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/interleave.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { ALGORITHMS = PN_ALGORITHM_LAST + 1, THREADS_MAX = 3 };

/* What was looked at, so that no test looks at nothing. */
struct looked {
	uint64_t pictures, nodes, follow, solved, open, cycles, dependent, inside;
};

static const struct pn_picture_order whole_order = {.depth = 5, .nodes = 400};

/* The state of a node, from that of the first one. */
static void state_of(const struct game *g, const struct pn_picture *p, uint32_t index, const void *first, void *out)
{
	const struct pn_picture_node *n = &p->nodes[index];
	if (!index) {
		memcpy(out, first, g->state_size);
		return;
	}
	state_of(g, p, n->parent, first, out);
	g->rules->play(g, out, n->move);
}

static bool is_legal(const struct game *g, const void *state, game_move move)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++)
		if (moves[i] == move)
			return true;
	return false;
}

static uint64_t effort_in(const struct pn_picture_node *n)
{
	return n->effort == PN_EFFORT_UNKNOWN ? 0 : n->effort;
}

/* The shape of one expanded node: its children stand together, are legal, differ, and are in order. */
static void check_children(const struct game *g, const struct pn_picture *p, uint32_t index, const void *state)
{
	const struct pn_picture_node *n = &p->nodes[index];
	unsigned threads = 0;
	ck_assert_uint_gt(n->first, index);
	ck_assert_uint_le(n->first + n->count, p->count);
	ck_assert_uint_le(n->count, n->moves);
	ck_assert(n->count == n->moves || !p->whole);
	for (uint32_t i = 0; i < n->count; i++) {
		const struct pn_picture_node *c = &p->nodes[n->first + i];
		ck_assert_uint_eq(c->parent, index);
		ck_assert_uint_eq(c->depth, n->depth + 1);
		ck_assert(is_legal(g, state, c->move));
		ck_assert(!i || effort_in(c) <= effort_in(c - 1));
		for (uint32_t j = 0; j < i; j++)
			ck_assert_uint_ne(c->move, p->nodes[n->first + j].move);
		threads += c->threads;
	}
	ck_assert_uint_le(threads, n->threads);
}

/* Of an acyclic game: the numbers are those that the children give. */
static void check_follows(const struct pn_picture *p, const struct pn_picture_node *n)
{
	static const bool ranked[2] = {true, true};
	struct num_sum sum;
	uint32_t num[2];
	unsigned k = n->first_to_move ? 0 : 1;
	num_sum_init(&sum);
	for (uint32_t i = 0; i < n->count; i++)
		num_sum_add(&sum, k, p->nodes[n->first + i].num, i);
	num_sum_backup(&sum, k, ranked, num);
	ck_assert_uint_eq(num[0], n->num[0]);
	ck_assert_uint_eq(num[1], n->num[1]);
}

static void check_picture(const struct game *g, const struct pn_picture *p, const void *first, struct oracle *oracle,
			  struct looked *looked)
{
	looked->pictures++;
	ck_assert_uint_gt(p->count, 0);
	for (uint32_t i = 0; i < p->count; i++) {
		const struct pn_picture_node *n = &p->nodes[i];
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		int value;
		state_of(g, p, i, first, state);
		ck_assert(num_sound(n->num));
		ck_assert_int_eq(n->over, g->rules->terminal(g, state, &value));
		ck_assert(n->over || n->first_to_move == g->rules->first_to_move(g, state));
		looked->nodes++;
		looked->inside += n->threads > 0;
		if (n->count)
			check_children(g, p, i, state);
		if (n->follows && n->count && n->count == n->moves && g->acyclic) {
			check_follows(p, n);
			looked->follow++;
		}
		if (oracle && num_solved(n->num)) {
			ck_assert(!n->path_dependent);
			ck_assert_int_eq(oracle_claim(oracle, state, p->threshold, NULL), n->num[0] == 0);
			looked->solved++;
		}
		looked->open += !num_solved(n->num);
	}
}

static struct pn_solver *open_solver(const struct game *g, const struct pn_options *o)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_claim claim;
	struct pn_solver *solver;
	struct pd_fail fail;
	ck_assert(!pd_claim_parse("first-wins", &claim, &fail));
	g->rules->start(g, state);
	ck_assert_msg(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, o, NULL, NULL}, &solver, &fail), "%s",
		      fail.text);
	return solver;
}

static void options_of(struct pn_options *o, unsigned algorithm)
{
	pn_options_init(o);
	o->algorithm = (enum pn_algorithm)algorithm;
	o->memory = 32 << 20;
	o->cap_first = o->cap_last = 60;
	o->paper_nodes = 20000;
}

static void forget(struct pn_solver *solver)
{
	struct pn_entry entries[64];
	struct factbase base;
	factbase_init(&base);
	while (pn_solver_take_entries(solver, entries, 64) > 0)
		;
	pn_solver_take_facts(solver, factbase_add, &base);
	factbase_fini(&base);
}

/* What the search itself reports of its root is what the picture shows of it. */
static void check_root(struct pn_solver *solver, const struct pn_picture *picture, bool exact)
{
	struct pn_progress progress;
	const uint32_t *num = picture->nodes[0].num;
	pn_solver_progress(solver, &progress);
	ck_assert_uint_eq(num[0] < PN_INF ? num[0] : UINT32_MAX, progress.pn);
	ck_assert_uint_eq(num[1] < PN_INF ? num[1] : UINT32_MAX, progress.dn);
	/* The nodes of a tree that is given back include moves that were never looked at. */
	uint64_t all = progress.level1 + progress.level2, most = exact ? all : 2 * all + 64;
	ck_assert_uint_gt(all, 0);
	ck_assert_uint_gt(picture->nodes[0].effort, 0);
	ck_assert_uint_le(picture->nodes[0].effort, most);
}

START_TEST(numbers_follow_and_what_is_solved_is_true)
{
	static const char *const boards[] = {"mnk:4,3,3", "connect4:4x4"};
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	struct game *g;
	struct pd_fail fail;
	struct looked looked = {0};
	unsigned algorithm = (unsigned)_i / 2;
	if (algorithm == PN_MINIMAL && _i % 2)
		return; /* the smallest proof takes too long */
	ck_assert(!game_open(boards[_i % 2], NULL, &g, NULL));
	struct oracle *oracle = oracle_new(g);
	g->rules->start(g, start);
	for (unsigned seed = 0; seed < effort_of(2, 1); seed++) {
		struct pn_options o;
		struct pn_picture picture;
		enum pn_state state;
		options_of(&o, algorithm);
		o.seed = seed;
		o.detail = seed % 2 ? PN_FULL : PN_FRONTIER;
		struct pn_solver *solver = open_solver(g, &o);
		unsigned pictures = 0;
		while ((state = pn_solver_step(solver, 19)) == PN_RUNNING || state == PN_COLLECT) {
			forget(solver);
			if (pictures++ % 7 || pictures > 70)
				continue;
			ck_assert(!pn_solver_picture(solver, &whole_order, &picture, &fail));
			check_picture(g, &picture, start, oracle, &looked);
			if (o.algorithm != PN_LAMBDA) { /* which is not at the root while it searches for threats */
				check_root(solver, &picture, pn_algorithm_has_tt(o.algorithm));
				ck_assert_uint_eq(picture.nodes[0].threads, 1);
			}
			pn_picture_free(&picture);
		}
		ck_assert_int_eq(state, PN_ANSWERED);
		ck_assert(!pn_solver_picture(solver, &whole_order, &picture, &fail));
		check_picture(g, &picture, start, oracle, &looked);
		pn_picture_free(&picture);
		pn_solver_free(solver);
	}
	/* Numbers of minimal and df-pn-snda are not those of PN search; lambda has few while it looks for threats. */
	ck_assert(looked.follow > 0 || algorithm == PN_MINIMAL || algorithm == PN_SNDA || algorithm == PN_LAMBDA);
	ck_assert(looked.solved > 0 || !pn_algorithm_has_tt((enum pn_algorithm)algorithm));
	ck_assert_uint_gt(looked.open, 0);
	oracle_free(oracle);
	game_close(g);
}
END_TEST

START_TEST(several_threads_are_where_they_search)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	struct game *g;
	struct pd_fail fail;
	struct pn_options o;
	struct pn_picture picture;
	struct looked looked = {0};
	uint64_t random = 7;
	enum pn_state state;
	ck_assert(!game_open("connect4:4x4", NULL, &g, NULL));
	struct oracle *oracle = oracle_new(g);
	g->rules->start(g, start);
	options_of(&o, PN_PDS_PN);
	o.threads = THREADS_MAX;
	o.knowledge = false; /* the search is long enough to be looked at */
	struct pn_solver *solver = open_solver(g, &o);
	ck_assert_uint_eq(interleave_join(solver, THREADS_MAX, NULL), THREADS_MAX);
	while ((state = interleave_round(solver, THREADS_MAX, 100, 600, &random)) == PN_RUNNING) {
		forget(solver);
		ck_assert(!pn_solver_picture(solver, &whole_order, &picture, &fail));
		check_picture(g, &picture, start, oracle, &looked);
		ck_assert_uint_eq(picture.nodes[0].threads, THREADS_MAX);
		pn_picture_free(&picture);
	}
	ck_assert_int_eq(state, PN_ANSWERED);
	ck_assert_uint_gt(looked.follow, 0);
	ck_assert_uint_gt(looked.inside, looked.pictures);
	pn_solver_free(solver);
	oracle_free(oracle);
	game_close(g);
}
END_TEST

START_TEST(the_search_goes_on_as_without)
{
	struct game *g;
	struct pd_fail fail;
	struct pn_picture picture;
	ck_assert(!game_open("mnk:4,3,3", NULL, &g, NULL));
	for (unsigned algorithm = 0; algorithm < ALGORITHMS; algorithm += effort() < 100 ? 3 : 1) {
		struct pn_progress seen, unseen;
		struct pn_options o;
		options_of(&o, algorithm);
		struct pn_solver *one = open_solver(g, &o), *other = open_solver(g, &o);
		enum pn_state state;
		do {
			state = pn_solver_step(one, 61);
			ck_assert_int_eq(pn_solver_step(other, 61), state);
			forget(one);
			forget(other);
			ck_assert(!pn_solver_picture(one, &whole_order, &picture, &fail));
			pn_picture_free(&picture);
			pn_solver_progress(one, &seen);
			pn_solver_progress(other, &unseen);
			ck_assert_uint_eq(seen.level1, unseen.level1);
			ck_assert_uint_eq(seen.level2, unseen.level2);
			ck_assert_uint_eq(seen.entries, unseen.entries);
			ck_assert_uint_eq(seen.pn, unseen.pn);
			ck_assert_uint_eq(seen.dn, unseen.dn);
		} while (state == PN_RUNNING || state == PN_COLLECT);
		pn_solver_free(one);
		pn_solver_free(other);
	}
	game_close(g);
}
END_TEST

/* --- cycles ------------------------------------------------------------------------------- */

struct cyclic_look {
	const struct game *game;
	const struct retro *retro;
	const unsigned *solved;
	const void *start;
	struct looked looked;
};

/* True when a node above has its position; the first one may have it, too. */
static bool is_on_line(const struct game *g, const struct pn_picture *p, uint32_t index, const void *start)
{
	_Alignas(16) uint8_t here[GAME_STATE_MAX], above[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX], other[GAME_KEY_MAX];
	state_of(g, p, index, start, here);
	size_t size = g->rules->key(g, here, key);
	for (uint32_t i = index; i;) {
		i = p->nodes[i].parent;
		state_of(g, p, i, start, above);
		if (g->rules->key(g, above, other) == size && !memcmp(key, other, size))
			return true;
	}
	return false;
}

static void look_at_cycles(void *ctx, struct pn_solver *solver)
{
	struct cyclic_look *c = ctx;
	struct pn_picture picture;
	struct pd_fail fail;
	ck_assert(!pn_solver_picture(solver, &whole_order, &picture, &fail));
	check_picture(c->game, &picture, c->start, NULL, &c->looked);
	for (uint32_t i = 0; i < picture.count; i++) {
		const struct pn_picture_node *n = &picture.nodes[i];
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		bool again = is_on_line(c->game, &picture, i, c->start);
		ck_assert_int_eq(n->source == PN_SEEN_CYCLE, again && !n->over);
		ck_assert(n->source != PN_SEEN_CYCLE || (!n->count && n->path_dependent));
		c->looked.cycles += again;
		c->looked.dependent += n->path_dependent;
		if (!num_solved(n->num) || n->path_dependent)
			continue;
		state_of(c->game, &picture, i, c->start, state);
		ck_assert_int_eq(retro_holds(c->retro, c->solved[picture.threshold], state, NULL), n->num[0] == 0);
		c->looked.solved++;
	}
	pn_picture_free(&picture);
}

static void look_at_graph(uint64_t seed, unsigned algorithm, struct looked *looked)
{
	struct game *g = cyclic_game(seed);
	struct retro *retro = retro_new(g, 64);
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	struct pd_claim claim = {.value = true};
	struct cyclic_sum sum = {0};
	struct factbase base;
	struct pn_options o;
	g->rules->start(g, start);
	ck_assert(retro_add(retro, start));
	const unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	struct cyclic_look look = {g, retro, solved, start, *looked};
	const struct cyclic_more more = {.slice = 3, .between = look_at_cycles, .ctx = &look};
	options_of(&o, algorithm);
	o.cap_first = o.cap_last = 4;
	o.threads = pn_algorithm_has_threads(o.algorithm) ? 1 + (unsigned)(seed % THREADS_MAX) : 1;
	o.memory = 1 << 20;
	factbase_init(&base);
	cyclic_solve_more(g, start, &claim, &o, NULL, retro, solved, 200, &base, &sum, &more);
	ck_assert_uint_eq(sum.wrong, 0);
	factbase_fini(&base);
	retro_free(retro);
	game_close(g);
	*looked = look.looked;
}

START_TEST(what_comes_back_is_marked_and_not_descended)
{
	struct looked looked = {0};
	uint64_t seed = walk_seed("what_comes_back_is_marked_and_not_descended", 1);
	for (unsigned i = 0; i < effort_of(140, 28); i++)
		look_at_graph(seed + i, i % ALGORITHMS, &looked);
	ck_assert_uint_gt(looked.cycles, 0);
	ck_assert_uint_gt(looked.dependent, looked.cycles);
	ck_assert_uint_gt(looked.solved, 0);
}
END_TEST

/* --- what is asked for -------------------------------------------------------------------- */

START_TEST(a_picture_keeps_to_its_order)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX], further[GAME_STATE_MAX];
	struct game *g;
	struct pd_fail fail;
	struct pn_options o;
	struct looked looked = {0};
	ck_assert(!game_open("connect4:5x5", NULL, &g, NULL));
	g->rules->start(g, start);
	options_of(&o, PN_PDS_PN);
	struct pn_solver *solver = open_solver(g, &o);
	for (unsigned i = 0; i < 30; i++) {
		ck_assert_int_eq(pn_solver_step(solver, 500), PN_RUNNING);
		forget(solver);
	}
	for (unsigned depth = 0; depth <= 4; depth++)
		for (uint32_t nodes = 1; nodes < 300; nodes = 2 * nodes + 1) {
			const game_move path[2] = {2, 2};
			struct pn_picture_order order = {path, depth % 3, depth, nodes};
			struct pn_picture picture;
			memcpy(further, start, g->state_size);
			for (unsigned i = 0; i < order.path_count; i++)
				g->rules->play(g, further, path[i]);
			ck_assert(!pn_solver_picture(solver, &order, &picture, &fail));
			ck_assert_uint_le(picture.count, nodes);
			ck_assert(picture.whole || picture.count == nodes);
			for (uint32_t i = 0; i < picture.count; i++)
				ck_assert_uint_le(picture.nodes[i].depth, depth);
			check_picture(g, &picture, further, NULL, &looked);
			pn_picture_free(&picture);
		}
	pn_solver_free(solver);
	game_close(g);
}
END_TEST

/* A table that was written out, and read again without a search, says what the search's own said. */
START_TEST(a_kept_table_is_shown_as_it_was)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	static struct pn_entry entries[1 << 14];
	struct game *g;
	struct pd_fail fail;
	struct pn_options o;
	struct pn_picture picture, live;
	struct pd_identity names;
	uint64_t cursor = 0;
	unsigned same = 0;
	ck_assert(!game_open("connect4:4x5", NULL, &g, NULL));
	g->rules->start(g, start);
	options_of(&o, PN_PDS_PN);
	o.identity = 12345;
	o.knowledge = false;
	struct pn_solver *solver = open_solver(g, &o);
	for (unsigned i = 0; i < 20; i++)
		ck_assert_int_eq(pn_solver_step(solver, 500), PN_RUNNING);
	ck_assert(!pn_solver_picture(solver, &whole_order, &live, &fail));
	size_t count = pn_solver_snapshot(solver, &cursor, entries, sizeof entries / sizeof *entries);
	struct pn_kept *kept = pn_kept_new(count);
	ck_assert_ptr_nonnull(kept);
	for (size_t i = 0; i < count; i++)
		pn_kept_load(kept, &entries[i]);
	pd_identity_init(&names, o.identity);
	ck_assert(!pn_kept_picture(&(struct pn_picture_of){g, start, live.threshold, &names, kept}, &whole_order,
				   &picture, &fail));
	for (uint32_t i = 0; i < picture.nodes[0].count; i++)
		for (uint32_t j = 0; j < live.nodes[0].count; j++) {
			const struct pn_picture_node *a = &picture.nodes[picture.nodes[0].first + i];
			const struct pn_picture_node *b = &live.nodes[live.nodes[0].first + j];
			if (a->move != b->move || a->source != PN_SEEN_TABLE || b->threads)
				continue;
			ck_assert_uint_eq(a->num[0], b->num[0]);
			ck_assert_uint_eq(a->num[1], b->num[1]);
			ck_assert_uint_eq(a->effort, b->effort);
			same++;
		}
	ck_assert_uint_gt(same, 0);
	ck_assert_uint_eq(picture.nodes[0].threads, 0);
	pn_picture_free(&picture);
	pn_picture_free(&live);
	pn_kept_free(kept);
	/* Without a table the rules alone are shown. */
	ck_assert(!pn_kept_picture(&(struct pn_picture_of){g, start, 1, &names, NULL}, &whole_order, &picture, &fail));
	for (uint32_t i = 0; i < picture.count; i++)
		ck_assert(picture.nodes[i].source == PN_SEEN_NOT || picture.nodes[i].over);
	pn_picture_free(&picture);
	pn_solver_free(solver);
	game_close(g);
}
END_TEST

SUITE(picture)
{
	tcase_add_loop_test(c, numbers_follow_and_what_is_solved_is_true, 0, 2 * ALGORITHMS);
	tcase_add_test(c, several_threads_are_where_they_search);
	tcase_add_test(c, the_search_goes_on_as_without);
	tcase_add_test(c, what_comes_back_is_marked_and_not_descended);
	tcase_add_test(c, a_picture_keeps_to_its_order);
	tcase_add_test(c, a_kept_table_is_shown_as_it_was);
}
