/* Minimal proof search: the size of the proof that it finds, and of the one that its facts make, against brute
 * force. */
#include <stdio.h>
#include <string.h>

#include "solver/pds_policy.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"
#include "tests/support/trees.h"

/* The nodes of the smallest tree that proves (or refutes) that First wins; UINT64_MAX: there is none. */
static uint64_t least_size(const struct game *game, const void *state, bool proof)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[8];
	int value;
	if (game->rules->terminal(game, state, &value))
		return (value > 0) == proof ? 1 : UINT64_MAX;
	bool own = game->rules->first_to_move(game, state) == proof;
	uint64_t least = UINT64_MAX, sum = 1;
	unsigned count = game->rules->moves(game, state, moves);
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		uint64_t size = least_size(game, child, proof);
		if (size != UINT64_MAX && size + 1 < least)
			least = size + 1;
		sum = size == UINT64_MAX || sum == UINT64_MAX ? UINT64_MAX : sum + size;
	}
	return own ? least : sum;
}

/* The nodes of the tree that the facts prove. */
static uint64_t size_of_facts(struct factbase *base, const struct game *game, const void *state, bool proof)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	game_move moves[8], move;
	struct pd_fact fact;
	int value;
	if (game->rules->terminal(game, state, &value)) {
		ck_assert_int_eq(value > 0, proof);
		return 1;
	}
	pd_fact_init(&fact);
	ck_assert(factbase_get(base, key, game->rules->key(game, state, key), &fact));
	const struct pd_reason *reason = pd_fact_find(&fact, proof ? PD_LO : PD_HI, proof ? 1 : 0);
	ck_assert_ptr_nonnull(reason);
	move = reason->move;
	pd_fact_fini(&fact);
	bool own = game->rules->first_to_move(game, state) == proof;
	ck_assert_int_eq(own, move != PD_NO_MOVE);
	unsigned count = game->rules->moves(game, state, moves);
	uint64_t sum = 1;
	for (unsigned i = 0; i < count; i++) {
		if (own && moves[i] != move)
			continue;
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		sum += size_of_facts(base, game, child, proof);
	}
	return sum;
}

/* Answers "first wins?"; returns the size of the proof that the facts are. */
static uint64_t proof_size(const struct game *game, enum pn_algorithm algorithm, bool mobility, bool *proved,
			   uint64_t *nodes)
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct pn_solver *solver;
	struct pn_options o;
	struct pd_claim claim;
	struct pd_fail fail;
	struct factbase base;
	struct pn_answer answer;
	struct pn_progress progress;
	unsigned leaves;
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.detail = PN_FULL;
	o.memory = 1 << 20;
	o.mobility = mobility;
	o.shorten = algorithm == PN_MINIMAL ? 2000 : 0; /* is ignored: a shorter proof may be larger */
	game->rules->start(game, root);
	ck_assert(!pd_claim_parse("first-wins", &claim, &fail));
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){.game = game, .root = root, .claim = &claim, .options = &o},
				 &solver, &fail));
	factbase_init(&base);
	ck_assert_int_eq(solve_all(solver, 50, &base), PN_ANSWERED);
	pn_solver_answer(solver, &answer);
	*proved = answer.yes;
	pn_solver_progress(solver, &progress);
	*nodes += progress.level2;
	ck_assert_uint_eq(factbase_check(&base, game, &leaves) + base.conflicts, 0);
	uint64_t size = size_of_facts(&base, game, root, answer.yes);
	factbase_fini(&base);
	pn_solver_free(solver);
	return size;
}

START_TEST(proofs_are_as_small_as_by_brute_force)
{
	uint64_t random = 41, sizes = 0, pn_sizes = 0, nodes = 0, pn_nodes = 0;
	for (unsigned i = 0; i < effort_of(1000, 50); i++) {
		struct game *game = trees_random(&random);
		_Alignas(16) uint8_t root[GAME_STATE_MAX];
		bool proved, same;
		game->rules->start(game, root);
		uint64_t size = proof_size(game, PN_MINIMAL, i % 2, &proved, &nodes);
		uint64_t other = proof_size(game, PN_PN, i % 2, &same, &pn_nodes);
		ck_assert_int_eq(proved, same);
		ck_assert_uint_eq(size, least_size(game, root, proved));
		ck_assert_uint_eq(least_size(game, root, !proved), UINT64_MAX);
		ck_assert_uint_le(size, other);
		sizes += size;
		pn_sizes += other;
		game_close(game);
	}
	printf("proofs of %llu nodes, pn %llu; searches of %llu nodes, pn %llu\n", (unsigned long long)sizes,
	       (unsigned long long)pn_sizes, (unsigned long long)nodes, (unsigned long long)pn_nodes);
	ck_assert_uint_lt(sizes, pn_sizes);
}
END_TEST

/* The win on the left has the shorter game, the one on the right the smaller proof. */
START_TEST(a_smaller_proof_may_be_longer)
{
	struct graph_maker m;
	bool proved;
	uint64_t nodes = 0;
	graph_begin(&m, -1, 1);
	graph_node(&m, "root", true, "wide deep");
	graph_node(&m, "wide", false, "a b c d e");
	for (const char *name = "abcde"; *name; name++)
		graph_leaf(&m, (char[2]){*name}, 1);
	graph_node(&m, "deep", true, "deeper");
	graph_node(&m, "deeper", true, "deepest");
	graph_node(&m, "deepest", true, "win");
	graph_leaf(&m, "win", 1);
	struct game *game = graph_game(graph_end(&m));
	ck_assert_uint_eq(proof_size(game, PN_MINIMAL, false, &proved, &nodes), 5);
	ck_assert(proved);
	game_close(game);
}
END_TEST

SUITE(minimal)
{
	tcase_add_test(c, proofs_are_as_small_as_by_brute_force);
	tcase_add_test(c, a_smaller_proof_may_be_longer);
}
