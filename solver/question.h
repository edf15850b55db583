/* Question: one claim, "First gets at least `threshold`", about positions of one game, and what the rules alone say of
 * it: node types, terminal positions, immediate wins, static solves, initial numbers, identities. */
#pragma once

#include "proto/base/fact.h"
#include "proto/base/identity.h"
#include "solver/games/game.h"
#include "solver/numbers.h"

struct question {
	const struct game *game;
	int threshold;                      /* "First gets at least threshold" */
	bool weak;                          /* weak PN search: no sums (numbers.h) */
	bool ranked[2];                     /* whether proofs, disproofs are ranked (ghi.h) */
	uint64_t sum_limit;                 /* greater sums are replaced by weak ones: question_limit_sums */
	const struct pd_identity *identity; /* key of the position identities; NULL: no key */
	uint64_t name_space; /* of a search that keeps its own numbers (pds_walkers.h); 0: the common one */
};

_Static_assert((int)GAME_KEY_MAX <= (int)PD_IDENTITY_MAX, "every exact key can be named");

enum { QUESTION_SUM_LIMIT_MIN = 1000 };

static inline struct question question_of(const struct game *game, int threshold)
{
	struct question q = {game, threshold, false, {true, true}, UINT64_MAX, NULL, 0};
	if (!game->acyclic)
		q.ranked[game->infinite_value >= threshold ? 0 : 1] = false;
	return q;
}

/* Limits sums to the number of nodes made so far, on both levels. A sum counts leaves; in a game with cycles it counts
 * the same leaves again at every turn of a cycle, and a sum above the number of all nodes is meaningless. */
static inline void question_limit_sums(struct question *q, uint64_t nodes)
{
	if (!q->game->acyclic)
		q->sum_limit = QUESTION_SUM_LIMIT_MIN + nodes;
}

/* The node type: 0 at an OR node (First to move), 1 at an AND node. */
static inline unsigned question_kind(const struct question *q, const void *state)
{
	return q->game->rules->first_to_move(q->game, state) ? 0 : 1;
}

/* True when the game is over; num is then the solved pair. */
static inline bool question_terminal(const struct question *q, const void *state, uint32_t num[2])
{
	int value;
	if (!q->game->rules->terminal(q->game, state, &value))
		return false;
	num_set_solved(num, value >= q->threshold, 0);
	return true;
}

/* Immediate win: the mover of a position that is not over wins with one move; num is then the solved pair. */
static inline bool question_immediate_win(const struct question *q, const void *state, uint32_t num[2])
{
	int value;
	if (!q->game->rules->immediate_win || !q->game->rules->immediate_win(q->game, state, &value))
		return false;
	num_set_solved(num, value >= q->threshold, 1);
	return true;
}

/* Sets the solved pair of a position for which a bound of that rank is known. */
static inline void question_set_known(const struct question *q, uint32_t num[2], bool proved, unsigned rank)
{
	num_set_solved(num, proved, q->ranked[!proved] ? rank : NUM_ANY_PATH);
}

/* A theorem of the game decides the claim in a position that is neither over nor an immediate win. */
static inline bool question_ask_theorem(const struct question *q, const void *state, uint32_t num[2], uint32_t *effort)
{
	struct game_theorem t;
	if (!q->game->rules->theorem || !q->game->rules->theorem(q->game, state, q->threshold, &t, NULL))
		return false;
	PD_ASSERT(t.plies != GAME_NO_RANK || !q->ranked[!t.proved]);
	question_set_known(q, num, t.proved, t.plies);
	*effort = t.effort;
	return true;
}

/* Static solve: the game knows by a theorem what becomes of a position that is neither over nor an immediate win; num
 * is then the solved pair, and *effort the nodes that a search would need. */
static inline bool question_static_solve(const struct question *q, const void *state, uint32_t num[2], uint32_t *effort)
{
	struct game_static d;
	if (question_ask_theorem(q, state, num, effort))
		return true;
	if (!q->game->rules->static_solve || !q->game->rules->static_solve(q->game, state, &d))
		return false;
	num_set_solved(num, d.value >= q->threshold, d.plies);
	*effort = d.effort;
	return true;
}

/* Whether the game has anything for question_static_solve to say. */
static inline bool question_has_knowledge(const struct game *game)
{
	return game->rules->static_solve || game->rules->theorem;
}

/* The moves that a search has to consider. */
static inline unsigned question_moves(const struct question *q, const void *state, game_move *out)
{
	const struct game_rules *rules = q->game->rules;
	return rules->unique_moves ? rules->unique_moves(q->game, state, out) : rules->moves(q->game, state, out);
}

/* Shuffles moves, in the same way on every machine: the Fisher-Yates shuffle, with Knuth's 64-bit linear congruential
 * generator, whose state is *random. */
static inline void question_shuffle_moves(uint64_t *random, game_move *moves, unsigned count)
{
	for (unsigned i = count; i > 1; i--) {
		*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		unsigned j = (unsigned)((*random >> 33) % i);
		game_move m = moves[i - 1];
		moves[i - 1] = moves[j];
		moves[j] = m;
	}
}

/* Initial numbers of a leaf that is not over: with `heuristics` the game's own, if it has them; else with `mobility` 1
 * and the number of legal moves, by node type; else 1 and 1. `room` holds all moves. */
static inline void question_initial_numbers(const struct question *q, const void *state, bool heuristics, bool mobility,
					    game_move *room, uint32_t num[2])
{
	const struct game_rules *rules = q->game->rules;
	num[0] = num[1] = 1;
	if (heuristics && rules->initial_numbers)
		rules->initial_numbers(q->game, state, q->threshold, num);
	else if (mobility)
		num[1 - question_kind(q, state)] = game_count(q->game, state, room);
}

/* The identity of a position, whatever the claim: from its exact key, or from a state. */
static inline struct pd_id question_key_id(const struct question *q, const uint8_t *key, size_t size)
{
	return pd_identity_of(q->identity, key, size);
}

static inline struct pd_id question_position_id(const struct question *q, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	return question_key_id(q, key, q->game->rules->key(q->game, state, key));
}

/* The identity of a position under the claim in the question's name space, in 128 bits; never {0, 0}, which marks an
 * empty slot. */
static inline struct pd_id question_claim_id(const struct question *q, struct pd_id position)
{
	position.hi ^= (uint64_t)(q->threshold + 0x10000) * UINT64_C(0x9e3779b97f4a7c15);
	position.lo ^= q->name_space;
	if (!position.lo && !position.hi)
		position.lo = 1;
	return position;
}

/* The reason that a solved pair means, without job and move; the pair may come from disk. */
static inline struct pd_reason question_reason_of(const struct question *q, const uint32_t num[2])
{
	bool proved = num[0] == 0;
	return (struct pd_reason){
		.side = proved ? PD_LO : PD_HI,
		.bound = (int16_t)(proved ? q->threshold : q->threshold - q->game->value_step),
		.rank = (uint16_t)(q->ranked[!proved] ? num_rank(num) : PD_RANK_NONE),
		.move = PD_NO_MOVE,
	};
}

/* The same for a pair that this search has found, so its rank is below the limit (F3). */
static inline struct pd_reason question_reason(const struct question *q, const uint32_t num[2])
{
	PD_ASSERT(num_solved(num) && num_rank(num) < NUM_CUT_OFF);
	return question_reason_of(q, num);
}

/* True when a fact answers the question; num is then the solved pair. */
static inline bool question_settled(const struct question *q, const struct pd_fact *fact, uint32_t num[2])
{
	const struct pd_reason *lo = pd_fact_find(fact, PD_LO, q->threshold);
	const struct pd_reason *hi = lo ? NULL : pd_fact_find(fact, PD_HI, q->threshold - q->game->value_step);
	if (!lo && !hi)
		return false;
	question_set_known(q, num, lo != NULL, lo ? lo->rank : hi->rank);
	return true;
}
