/* Dominance: on a small game with hands, everything that searches with dominance say is compared with retrograde
 * analysis, and so is the game's `dominates` itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/algorithms.h"
#include "solver/dominance.h"
#include "solver/pds_hands.h"
#include "solver/solver.h"
#include "solver/stored.h"
#include "tests/support/drops.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/interleave.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { POSITIONS_MAX = 4000000, SLICE = 20000, NODES_MAX = 2000000 };

struct analysis {
	struct game *game;
	struct retro *retro;
	unsigned claim; /* First gets at least 1 */
};

/* All positions of a board, by setting men on the squares from `at` on. */
static void add_all(const struct analysis *a, char *text, unsigned at, unsigned squares)
{
	static const char men[] = ".kRBrb";
	struct pd_fail fail;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	if (at < squares && text[at] == '/') {
		add_all(a, text, at + 1, squares);
		return;
	}
	for (const char *m = men; at < squares && *m; m++) {
		unsigned kings = *m == 'k', rooks = *m == 'R' || *m == 'r', bishops = *m == 'B' || *m == 'b';
		for (unsigned i = 0; i < at; i++) {
			kings += text[i] == 'k';
			rooks += text[i] == 'R' || text[i] == 'r';
			bishops += text[i] == 'B' || text[i] == 'b';
		}
		text[at] = *m;
		if (kings <= 1 && rooks <= 2 && bishops <= 2)
			add_all(a, text, at + 1, squares);
	}
	for (unsigned i = 0; at == squares && i < 2 * 3 * 3; i++) {
		snprintf(text + squares, 8, " %c %u %u", "ad"[i % 2], i / 2 % 3, i / 6);
		if (!a->game->rules->parse(a->game, text, state, &fail))
			ck_assert(retro_add(a->retro, state));
	}
	text[at] = 0;
}

/* infinite: the value of infinite play. */
static struct analysis analyze_board(unsigned width, unsigned height, int infinite)
{
	struct analysis a;
	struct pd_fail fail;
	char params[8], text[40] = "";
	snprintf(params, sizeof params, "%ux%u", width, height);
	ck_assert(!game_drops_rules.open(&game_drops_rules, params, NULL, &a.game, &fail));
	a.game->infinite_value = infinite;
	a.retro = retro_new(a.game, POSITIONS_MAX);
	for (unsigned i = 0; i + 1 < height; i++)
		text[(i + 1) * (width + 1) - 1] = '/';
	add_all(&a, text, 0, (width + 1) * height - 1);
	a.claim = retro_solve(a.retro, 1);
	return a;
}

static void end_analysis(struct analysis *a)
{
	retro_free(a->retro);
	game_drops_rules.close(a->game);
}

/* The law of `dominates`: whoever dominates does at least as well in at most as many plies. */
START_TEST(what_dominates_does_as_well)
{
	struct analysis a = analyze_board(3, 2 + (unsigned)_i, -1);
	unsigned board = a.game->key_size_max - game_drops_rules.order_part(a.game), pairs[2] = {0};
	for (uint32_t i = 0; i < retro_positions(a.retro); i++) {
		size_t size;
		uint8_t other[GAME_KEY_MAX];
		const uint8_t *key = retro_key(a.retro, i, &size);
		memcpy(other, key, size);
		unsigned distance[2];
		bool holds = retro_holds_at(a.retro, a.claim, i, &distance[0]);
		for (unsigned k = 0; k < 9; k++) {
			other[board] = (uint8_t)(k / 3);
			other[board + 1] = (uint8_t)(k % 3);
			uint32_t at = retro_find_key(a.retro, other, size);
			if (at == RETRO_NONE || at == i)
				continue;
			bool more = game_drops_rules.dominates(a.game, key + board, other + board, 1, true);
			ck_assert(more == game_drops_rules.dominates(a.game, other + board, key + board, -1, false));
			bool there = retro_holds_at(a.retro, a.claim, at, &distance[1]);
			ck_assert(!more || holds >= there);
			ck_assert(!more || !there || distance[0] <= distance[1]);
			pairs[more && holds == there]++;
		}
	}
	ck_assert_uint_gt(pairs[1], 1000);
	printf("%s: %u positions, %u pairs, %u comparable with the same result\n", a.game->name,
	       retro_positions(a.retro), pairs[0] + pairs[1], pairs[1]);
	end_analysis(&a);
}
END_TEST

struct sum {
	uint64_t claims, dominated, wrong, nodes, open, facts;
};

struct facts {
	const struct analysis *of;
	struct factbase base;
	struct sum *sum;
};

/* Compares a reason with the analysis. */
static void take_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	struct facts *f = ctx;
	unsigned distance;
	uint32_t at = retro_find_key(f->of->retro, key, size);
	bool holds = at != RETRO_NONE && retro_holds_at(f->of->retro, f->of->claim, at, &distance);
	bool lo = r->side == PD_LO, ranked = pn_bound_ranked(f->of->game, r->side, r->bound);
	bool good = at != RETRO_NONE && holds == lo && r->bound == (lo ? 1 : -1) &&
		    (ranked ? r->rank >= distance && r->rank <= PD_RANK_MAX : r->rank == PD_RANK_NONE);
	f->sum->claims++;
	f->sum->dominated += r->dominated != 0;
	f->sum->wrong += !good;
	factbase_add(&f->base, key, size, r);
}

/* Solves a claim at one position; true when it was answered. */
static bool solve_claim(struct facts *f, const struct pn_options *o, const char *text, const void *state,
			uint32_t index)
{
	struct pn_host host = {&f->base, factbase_get};
	struct pn_solver *solver;
	struct pd_claim claim;
	struct pd_fail fail;
	struct pn_progress progress;
	struct pn_answer answer;
	struct pn_entry entries[64];
	ck_assert(!pd_claim_parse(text, &claim, &fail));
	ck_assert(!pn_solver_new(
		&(struct pn_solver_setup){
			.game = f->of->game, .root = state, .claim = &claim, .options = o, .host = &host},
		&solver, &fail));
	enum pn_state end;
	unsigned threads = interleave_join(solver, o->threads, &host);
	uint64_t random = o->seed + 1;
	do {
		end = threads > 1 ? interleave_round(solver, threads, 50, SLICE, &random)
				  : pn_solver_step(solver, SLICE);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, take_fact, f);
		pn_solver_progress(solver, &progress);
	} while ((end == PN_RUNNING || end == PN_COLLECT) && progress.positions < NODES_MAX);
	pn_solver_answer(solver, &answer);
	if (answer.answered) {
		f->sum->claims++;
		bool holds = retro_holds_at(f->of->retro, f->of->claim, index, NULL);
		f->sum->wrong += claim.value ? answer.lo != (holds ? 1 : -1) || answer.hi != answer.lo
					     : answer.yes != (holds == (*text == 'f'));
	}
	f->sum->nodes += progress.positions;
	f->sum->open += !answer.answered;
	pn_solver_free(solver);
	return answer.answered;
}

/* Solves every `stride`-th position, from facts of those before, and checks all facts. */
static void solve_share(const struct analysis *a, const struct pn_options *o, unsigned stride, unsigned keep,
			struct sum *sum)
{
	struct facts f = {.of = a, .sum = sum};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned leaves, solved = 0;
	factbase_init(&f.base);
	for (uint32_t i = (uint32_t)o->seed % stride; i < retro_positions(a->retro); i += stride) {
		if (retro_over(a->retro, i))
			continue;
		retro_state(a->retro, i, state);
		solve_claim(&f, o, "first-wins", state, i);
		if (++solved % keep == 0) {
			ck_assert_uint_eq(f.base.conflicts, 0);
			ck_assert_uint_eq(factbase_check(&f.base, a->game, &leaves), 0);
			sum->facts += f.base.count;
			factbase_fini(&f.base);
			factbase_init(&f.base);
		}
	}
	ck_assert_uint_eq(f.base.conflicts, 0);
	ck_assert_uint_eq(factbase_check(&f.base, a->game, &leaves), 0);
	sum->facts += f.base.count;
	factbase_fini(&f.base);
}

static struct pn_options options_of(unsigned i)
{
	static const enum pn_algorithm algorithms[] = {PN_PDS_PN, PN_DFPN, PN_DFPN_PN, PN_SNDA};
	struct pn_options o;
	pn_options_init(&o);
	o.memory = PN_MEMORY_MIN + (i % 3 ? 1 << 22 : 0);
	o.algorithm = algorithms[i / 2 % 4];
	o.detail = i % 2 ? PN_FULL : PN_FRONTIER;
	o.cap_first = o.cap_last = 20 + 60 * i;
	o.seed = i;
	return o;
}

/* Every reason and answer is compared with the analysis, and justified by the others. ./dev lab dominance names a
 * smaller stride. */
START_TEST(every_claim_agrees_with_the_analysis)
{
	struct analysis a = analyze_board(3, 3, -1);
	struct sum sum = {0};
	const char *stride = getenv("DOMINANCE_STRIDE");
	for (unsigned i = 0; i < 8; i++) {
		struct pn_options o = options_of(i);
		solve_share(&a, &o, stride ? (unsigned)atoi(stride) : 60 * effort_stride(), 1 + 40 * (i % 4), &sum);
	}
	printf("%llu claims, %llu by dominance, %llu open, %llu nodes\n", (unsigned long long)sum.claims,
	       (unsigned long long)sum.dominated, (unsigned long long)sum.open, (unsigned long long)sum.nodes);
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_eq(sum.open, 0);
	ck_assert_uint_gt(sum.dominated, sum.claims / 200);
	end_analysis(&a);
}
END_TEST

/* All algorithms, both claims and the value, one and two threads, tables from tiny to large, facts of earlier searches
 * or none, infinite play worth a win for either side: hands come back better for the side that it serves. */
static void solve_at_random(const struct analysis *a, unsigned count, uint64_t *random, struct sum *sum)
{
	static const char *const claims[] = {"first-wins", "second-wins", "value"};
	struct facts f = {.of = a, .sum = sum};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned leaves;
	factbase_init(&f.base);
	for (unsigned i = 0; i < count;) {
		struct pn_options o = options_of((unsigned)walk_below(random, 1000));
		uint32_t at = (uint32_t)walk_below(random, retro_positions(a->retro));
		o.algorithm = (enum pn_algorithm)walk_below(random, PN_ALGORITHM_LAST + 1u);
		o.detail = (enum pn_detail)walk_below(random, PN_KNOWN + 1);
		o.memory = PN_MEMORY_MIN << walk_below(random, 8);
		o.threads = pn_algorithm_has_threads(o.algorithm) ? 1 + (unsigned)walk_below(random, 2) : 1;
		o.cap_first = o.cap_last = 1 + (uint32_t)walk_below(random, 200);
		o.walkers = walk_below(random, 4) ? 1 : 2;
		o.siblings.similar = walk_below(random, 3) ? 0 : 50;
		unsigned distance;
		retro_holds_at(a->retro, a->claim, at, &distance);
		if (distance < (walk_below(random, 8) ? 5 : 1)) /* most are no mates in three */
			continue;
		retro_state(a->retro, at, state);
		const char *claim = claims[walk_below(random, o.algorithm == PN_MINIMAL ? 2 : 3)];
		solve_claim(&f, &o, claim, state, at);
		if (++i % 16 && i < count && !walk_below(random, 3))
			continue;
		ck_assert_uint_eq(f.base.conflicts, 0);
		ck_assert_msg(!factbase_check(&f.base, a->game, &leaves), "%s: %s", a->game->name,
			      pn_algorithm_text(o.algorithm));
		sum->facts += f.base.count;
		factbase_fini(&f.base);
		factbase_init(&f.base);
	}
	factbase_fini(&f.base);
}

START_TEST(every_algorithm_agrees_with_the_analysis)
{
	static const unsigned sizes[][2] = {{2, 2}, {3, 2}, {2, 3}, {4, 2}, {3, 3}};
	const char *claims = getenv("DOMINANCE_CLAIMS"), *seed = getenv("DOMINANCE_SEED");
	unsigned count = claims ? (unsigned)atoi(claims) : effort_of(200, 20);
	uint64_t random = seed ? (uint64_t)atoi(seed) : 1;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int infinite = -1; infinite <= 1; infinite += 2) {
			struct analysis a = analyze_board(sizes[i][0], sizes[i][1], infinite);
			struct sum sum = {0};
			solve_at_random(&a, count, &random, &sum);
			printf("%s, infinite play %d: %llu answers and reasons, %llu by dominance, %llu open, %llu "
			       "nodes\n",
			       a.game->name, infinite, (unsigned long long)sum.claims,
			       (unsigned long long)sum.dominated, (unsigned long long)sum.open,
			       (unsigned long long)sum.nodes);
			fflush(stdout);
			ck_assert_uint_eq(sum.wrong, 0);
			end_analysis(&a);
		}
}
END_TEST

/* What dominance saves, on a larger board: nodes, and positions with a fact. */
START_TEST(dominance_saves_positions)
{
	struct pn_solver *solver;
	struct pd_claim claim;
	struct pd_fail fail;
	struct game *game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_progress progress[2];
	size_t facts[2];
	ck_assert(!game_drops_rules.open(&game_drops_rules, "4x3", NULL, &game, &fail));
	ck_assert(!game_drops_rules.parse(game, "..k./..../.... a 1 2", state, &fail));
	ck_assert(!pd_claim_parse("first-wins", &claim, &fail));
	for (unsigned with = 0; with < 2; with++) {
		struct pn_options o = options_of(3);
		struct factbase base;
		struct pn_answer answer;
		unsigned leaves;
		o.knowledge = with;
		o.memory = 1 << 22;
		factbase_init(&base);
		ck_assert(!pn_solver_new(
			&(struct pn_solver_setup){.game = game, .root = state, .claim = &claim, .options = &o}, &solver,
			&fail));
		ck_assert_int_eq(solve_all(solver, SLICE, &base), PN_ANSWERED);
		pn_solver_answer(solver, &answer);
		ck_assert(!answer.yes);
		pn_solver_progress(solver, &progress[with]);
		ck_assert_uint_eq(base.conflicts, 0);
		ck_assert_uint_eq(factbase_check(&base, game, &leaves), 0);
		facts[with] = base.count;
		factbase_fini(&base);
		pn_solver_free(solver);
	}
	printf("without and with dominance: %llu and %llu positions made, %zu and %zu with a fact\n",
	       (unsigned long long)progress[0].positions, (unsigned long long)progress[1].positions, facts[0],
	       facts[1]);
	ck_assert_uint_lt(progress[1].positions, progress[0].positions);
	game_drops_rules.close(game);
}
END_TEST

/* Asserts what a new position with that hand of the attacker begins with, at a depth, instead of 3 and 3. */
static void ck_bounds(const struct pds_hands *hands, const struct question *q, uint64_t order, uint32_t depth,
		      uint32_t pn, uint32_t dn)
{
	struct dominance_place place = {.board = {7, 9}, .order = order};
	uint32_t num[2] = {3, 3};
	pds_hands_bound(hands, q, &place, depth, num);
	ck_assert_uint_eq(num[0], pn);
	ck_assert_uint_eq(num[1], dn);
}

/* The attacker with two men in hand was left with 20 and 10: with less it is no easier for it, with more no easier for
 * the defender. */
START_TEST(open_positions_bound_those_with_other_hands)
{
	enum { BOTH = 0x0101, ONE = 0x0001, OTHER = 0x0100, MORE = 0x0201, ELSE = 0x0002 };
	struct game *game;
	struct pd_fail fail;
	ck_assert(!game_drops_rules.open(&game_drops_rules, "3x2", NULL, &game, &fail));
	struct question q = question_of(game, 1), lower = question_of(game, 0);
	struct pds_hands *hands = pds_hands_new(1 << 16);
	struct dominance_place place = {.board = {7, 9}, .order = BOTH};
	ck_assert_ptr_nonnull(hands);
	pds_hands_put(hands, &q, &place, (const uint32_t[]){20, 10}, 4);
	ck_bounds(hands, &q, BOTH, 4, 3, 3);
	ck_bounds(hands, &q, ONE, 4, 20, 3);
	ck_bounds(hands, &q, OTHER, 9, 20, 3);
	ck_bounds(hands, &q, MORE, 4, 3, 10);
	ck_bounds(hands, &q, ELSE, 4, 3, 3);
	ck_bounds(hands, &q, ONE, 3, 3, 3); /* nearer to the root */
	ck_bounds(hands, &lower, ONE, 4, 3, 3);
	pds_hands_put(hands, &q, &place, (const uint32_t[]){1000, 1000}, 5);
	ck_bounds(hands, &q, ONE, 4, PDS_HANDS_PROOF_MAX, 3);
	ck_bounds(hands, &q, MORE, 4, 3, PDS_HANDS_DISPROOF_MAX);
	pds_hands_put(hands, &q, &place, (const uint32_t[]){0, PN_INF}, 4);
	ck_bounds(hands, &q, ONE, 4, 3, 3);
	for (place.order = 1; place.order < 100; place.order++) /* more than a bucket holds */
		pds_hands_put(hands, &q, &place, (const uint32_t[]){5, 6}, 0);
	place.order = UINT64_C(0xffff);
	pds_hands_put(hands, &q, &place, (const uint32_t[]){8, 9}, 0);
	ck_bounds(hands, &q, ONE, 4, 8, 3);
	pds_hands_free(hands);
	game_drops_rules.close(game);
}
END_TEST

SUITE(dominance)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, what_dominates_does_as_well, 0, 2);
	tcase_add_test(c, every_claim_agrees_with_the_analysis);
	tcase_add_test(c, every_algorithm_agrees_with_the_analysis);
	tcase_add_test(c, dominance_saves_positions);
	tcase_add_test(c, open_positions_bound_those_with_other_hands);
}
