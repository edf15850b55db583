/* Closure: all positions below a root, listed and solved, compared with retrograde analysis (F1 to F3), and the
 * searches that it ends. */
#include <stdio.h>
#include <string.h>

#include "solver/closure.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/endings.h"
#include "tests/support/suite.h"

enum { RETRO_CAP = 1000000, ROUND = 37 };

static struct game *open_it(const char *name)
{
	struct game *game;
	struct pd_fail fail;
	ck_assert_msg(!game_open(name, NULL, &game, &fail), "%s", fail.text);
	return game;
}

/* Every fact holds, and its rank is at least the distance: none for what infinite play gives. */
static void compare_facts(const struct factbase *base, const struct game *game, const struct retro *retro,
			  const unsigned solved[2])
{
	unsigned leaves;
	ck_assert_uint_eq(base->conflicts, 0);
	for (size_t i = 0; i < base->capacity; i++) {
		const struct factbase_item *item = &base->items[i];
		if (!item->size)
			continue;
		uint32_t at = retro_find_key(retro, item->key, item->size);
		ck_assert_uint_ne(at, RETRO_NONE);
		for (uint32_t k = 0; k < item->fact.count; k++) {
			struct pd_reason r = pd_fact_reasons(&item->fact)[k];
			unsigned distance;
			bool holds = retro_holds_at(retro, solved[r.bound + (r.side == PD_HI)], at, &distance);
			ck_assert(holds == (r.side == PD_LO));
			bool ranked = holds ? r.bound > game->infinite_value : r.bound < game->infinite_value;
			ck_assert((r.rank == PD_RANK_NONE) == !ranked);
			ck_assert(!ranked || r.rank >= distance);
			ck_assert_uint_eq(r.effort, 0);
		}
	}
	ck_assert(!factbase_check(base, game, &leaves));
}

/* Both claims at one position, decided in its closure. Returns how many facts that took. */
static uint64_t decide(const struct game *game, const void *state, const struct retro *retro, const unsigned solved[2])
{
	struct question q = question_of(game, 0);
	struct closure c;
	struct factbase base;
	struct fact_buffer facts;
	uint64_t turns = 0;
	factbase_init(&base);
	fact_buffer_init(&facts);
	closure_init(&c, &q, state, 1 << 28, RETRO_CAP);
	for (unsigned i = 0; i < 2; i++) {
		int threshold = (int)((i + retro_positions(retro)) % 2); /* either claim first */
		uint32_t num[2];
		unsigned distance;
		game_move move;
		q = question_of(game, threshold);
		for (uint64_t quota = ROUND; !closure_list(&c, &q, state, &quota); quota = ROUND) {
			ck_assert_uint_le(quota, ROUND);
			ck_assert(!c.over);
			turns++;
		}
		ck_assert_uint_le(c.looks / ROUND, turns + 2); /* no turn looks at more positions */
		ck_assert_uint_le(c.count, retro_positions(retro));
		ck_assert(!game->rules->reach || c.share || c.count <= game->rules->reach(game, state));
		ck_assert(closure_solve(&c, &q, &facts, num, &move));
		bool holds = retro_holds(retro, solved[threshold], state, &distance);
		ck_assert(num_sound(num) && holds == (num[0] == 0));
		ck_assert(q.ranked[!holds] ? num_rank(num) >= distance : num_rank(num) == NUM_ANY_PATH);
		ck_assert((move != PD_NO_MOVE) == (holds == (question_kind(&q, state) == 0)));
	}
	fact_buffer_take(&facts, factbase_add, &base);
	compare_facts(&base, game, retro, solved);
	uint64_t count = base.count;
	factbase_fini(&base);
	fact_buffer_fini(&facts);
	closure_fini(&c);
	return count;
}

START_TEST(random_graphs_are_decided_as_by_retrograde_analysis)
{
	uint64_t facts = 0;
	for (uint64_t seed = 1; seed <= effort_of(20000, 100); seed++) {
		struct game *game = cyclic_game(seed);
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		int value;
		game->rules->start(game, state);
		if (!game->acyclic && !game->rules->terminal(game, state, &value)) {
			struct retro *retro = retro_new(game, 1000);
			ck_assert(retro_add(retro, state));
			unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
			facts += decide(game, state, retro, solved);
			retro_free(retro);
		}
		game_close(game);
	}
	ck_assert_uint_gt(facts, effort_of(20000, 100));
}
END_TEST

struct sample {
	struct retro *retro;
	size_t size; /* of a state */
	uint8_t state[64][GAME_STATE_MAX];
	unsigned count, seen, stride;
};

static void take_sample(void *ctx, const void *state)
{
	struct sample *s = ctx;
	ck_assert(retro_add(s->retro, state));
	if (s->seen++ % s->stride == 0 && s->count < 64)
		memcpy(s->state[s->count++], state, s->size);
}

static void decide_endings(const char *name, const char *material)
{
	struct game *game = open_it(name);
	struct sample s = {.retro = retro_new(game, RETRO_CAP), .size = game->state_size, .stride = 131};
	if (material)
		endings_chessmen(game, material, &(struct endings_to){&s, take_sample});
	else
		endings_loa(game, 4, 2, 4, &(struct endings_to){&s, take_sample});
	unsigned solved[2] = {retro_solve(s.retro, 0), retro_solve(s.retro, 1)}, asked = 0;
	for (unsigned i = 0; i < s.count; i += effort_stride() < 4 ? effort_stride() : 4) {
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		int value;
		memcpy(state, s.state[i], s.size);
		if (game->rules->terminal(game, state, &value))
			continue;
		decide(game, state, s.retro, solved);
		asked++;
	}
	ck_assert_uint_gt(asked, 0);
	retro_free(s.retro);
	game_close(game);
}

/* Some of the positions that can be reached from one. */
static void decide_below(const char *name, const char *text)
{
	struct game *game = open_it(name);
	struct retro *retro = retro_new(game, RETRO_CAP);
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	int value;
	ck_assert(!game->rules->parse(game, text, state, &fail));
	ck_assert(retro_add(retro, state));
	unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	ck_assert_uint_le(retro_positions(retro), game->rules->reach(game, state));
	for (unsigned plies = 0; plies < 12 && !game->rules->terminal(game, state, &value); plies++) {
		game_move moves[GAME_MOVES_MAX];
		decide(game, state, retro, solved);
		game->rules->play(game, state, moves[plies % game->rules->moves(game, state, moves)]);
	}
	retro_free(retro);
	game_close(game);
}

START_TEST(endings_are_decided_as_by_retrograde_analysis)
{
	decide_below("checkers:8", "W:WK32:BK1");
	decide_below("checkers:8", "B:W31:BK1,14");
	decide_below("checkers:4", "B:W7,8:B1,2");

	decide_endings("antichess", "Bb");
	decide_endings("antichess", "Kb");
	decide_endings("antichess", "Nq");
	decide_endings("antichess", "Pk");
	decide_endings("antichess:stalemate=fewer", "Pp");
	decide_endings("loa:4", NULL);
}
END_TEST

static const struct ending {
	const char *position;
	int value;
	uint64_t nodes; /* no more are needed */
} endings[] = {
	{"8/8/8/8/8/2b5/8/1B6 w - -", 0, 11000},  {"8/8/8/4b3/8/8/8/3K4 w - -", 0, 11000},
	{"8/8/8/8/8/k7/6P1/8 w - -", -1, 28000},  {"8/8/6b1/8/3P4/8/5B2/8 w - -", 0, 31000},
	{"8/3B4/P7/8/8/8/p7/8 b - -", 0, 600000}, /* 13 million positions by the game's bound */
};

static enum pn_state solve_ending(const struct ending *e, const struct pn_options *o, uint64_t slice, uint64_t *nodes,
				  struct factbase *base)
{
	struct game *game = open_it("antichess");
	struct pn_solver *solver;
	struct pn_answer answer;
	struct pn_progress p;
	struct pd_claim claim = {.value = true};
	struct pd_fail fail;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	enum pn_state end = PN_RUNNING;
	ck_assert(!game->rules->parse(game, e->position, state, &fail));
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, state, &claim, o, NULL, NULL}, &solver, &fail));
	do {
		end = pn_solver_step(solver, slice);
		pn_solver_take_facts(solver, factbase_add, base);
		pn_solver_progress(solver, &p);
	} while (end != PN_ANSWERED && end != PN_STUCK && p.level1 + p.level2 < 3000000);
	*nodes = p.level1 + p.level2;
	pn_solver_answer(solver, &answer);
	if (answer.answered) {
		unsigned leaves;
		ck_assert(answer.lo == e->value && answer.hi == e->value);
		ck_assert(!factbase_check(base, game, &leaves));
	}
	pn_solver_free(solver);
	game_close(game);
	return end;
}

/* Search alone stands still in all of them but the third. */
START_TEST(searches_that_stood_still_end)
{
	for (unsigned i = 0; i < sizeof endings / sizeof *endings; i++) {
		const struct ending *e = &endings[i];
		if (e->nodes > 100000 && effort() < 100)
			continue;
		uint64_t nodes[3];
		for (unsigned k = 0; k < 3; k++) {
			struct pn_options o;
			struct factbase base;
			pn_options_init(&o);
			o.algorithm = k == 2 ? PN_DFPN_PN : PN_PDS_PN;
			o.detail = k == 2 ? PN_FULL : PN_FRONTIER;
			factbase_init(&base);
			ck_assert_int_eq(solve_ending(e, &o, k ? 777 : 1000000, &nodes[k], &base), PN_ANSWERED);
			ck_assert_uint_le(nodes[k], e->nodes);
			factbase_fini(&base);
		}
		ck_assert_uint_eq(nodes[0], nodes[1]); /* P4: however the run is divided into steps */
	}
}
END_TEST

START_TEST(the_option_turns_it_off)
{
	struct pn_options o;
	struct factbase base;
	uint64_t nodes;
	pn_options_init(&o);
	o.sums.closure = 0;
	factbase_init(&base);
	ck_assert_int_ne(solve_ending(&endings[0], &o, 100000, &nodes, &base), PN_ANSWERED);
	o.sums.closure = 20; /* fewer than it takes */
	ck_assert_int_ne(solve_ending(&endings[0], &o, 100000, &nodes, &base), PN_ANSWERED);
	o.sums.closure = 3000; /* the game's bound is 2048: so few */
	ck_assert_int_eq(solve_ending(&endings[0], &o, 100000, &nodes, &base), PN_ANSWERED);
	factbase_fini(&base);
}
END_TEST

/* Where the attacker wins behind one move, positions behind its other moves are not looked at; and where the holder
 * moves, only the positions that it goes to are found. */
START_TEST(only_what_the_root_depends_on_is_listed)
{
	struct game *game = open_it("checkers:8");
	struct question q = question_of(game, 1);
	struct closure c;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	uint64_t quota = 100000;
	ck_assert(!game->rules->parse(game, "B:W31:B13,21", state, &fail));
	closure_init(&c, &q, state, 1 << 28, RETRO_CAP);
	ck_assert(closure_list(&c, &q, state, &quota));
	ck_assert_uint_lt(c.looks, 20000);
	ck_assert_uint_lt(c.count, 16000);
	ck_assert_uint_gt(c.made, c.looks);
	closure_fini(&c);
	game_close(game);
}
END_TEST

/* A closure that grows too large, or has no memory, is given up, and the search goes on. */
START_TEST(a_large_closure_is_given_up)
{
	struct game *game = open_it("antichess");
	struct question q = question_of(game, 0);
	struct closure c;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game->rules->start(game, state);
	closure_init(&c, &q, state, 1 << 28, 3000);
	ck_assert_uint_eq(c.share, CLOSURE_SHARE * CLOSURE_PACE);
	ck_assert_uint_eq(closure_due(&c), (uint64_t)CLOSURE_FIRST * CLOSURE_SHARE);
	uint64_t due = 0, quota = 100000;
	while (!c.over) {
		ck_assert_uint_gt(closure_due(&c), due);
		due = closure_due(&c);
		ck_assert(!closure_list(&c, &q, state, &quota));
		ck_assert_uint_gt(quota, 0);
	}
	ck_assert_uint_eq(due, (uint64_t)3000 * CLOSURE_SHARE);
	ck_assert(closure_due(&c) == UINT64_MAX && c.looks == 100000 - quota && !c.states);
	closure_init(&c, &q, state, 1000, 3000);
	ck_assert(!closure_list(&c, &q, state, &quota) && c.over);
	game_close(game);
}
END_TEST

SUITE(closure)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, random_graphs_are_decided_as_by_retrograde_analysis);
	tcase_add_test(c, endings_are_decided_as_by_retrograde_analysis);
	tcase_add_test(c, searches_that_stood_still_end);
	tcase_add_test(c, the_option_turns_it_off);
	tcase_add_test(c, only_what_the_root_depends_on_is_listed);
	tcase_add_test(c, a_large_closure_is_given_up);
}
