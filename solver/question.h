/* Question: one claim about positions of one game, and what the rules alone say of it. */
#ifndef PN_QUESTION_H
#define PN_QUESTION_H

#include "proto/base/fact.h"
#include "proto/base/hash.h"
#include "solver/game.h"
#include "solver/numbers.h"

struct question {
	const struct game *game;
	int threshold; /* "First gets at least threshold" */
};

/* 0 at an OR node (First to move), 1 at an AND node. */
static inline unsigned question_kind(const struct question *q, const void *state)
{
	return q->game->rules->first_to_move(q->game, state) ? 0 : 1;
}

/* True when the game is over; num is then the solved pair. */
static inline bool question_over(const struct question *q, const void *state, uint32_t num[2])
{
	int value;
	if (!q->game->rules->terminal(q->game, state, &value))
		return false;
	num_set_solved(num, value >= q->threshold, 0);
	return true;
}

/* True when the mover of a position that is not over wins at once; num is then the solved pair. */
static inline bool question_wins_at_once(const struct question *q, const void *state, uint32_t num[2])
{
	int value;
	if (!q->game->rules->wins_at_once || !q->game->rules->wins_at_once(q->game, state, &value))
		return false;
	num_set_solved(num, value >= q->threshold, 1);
	return true;
}

/* The moves that a search has to look at. */
static inline unsigned question_moves(const struct question *q, const void *state, game_move *out)
{
	const struct game_rules *rules = q->game->rules;
	return rules->distinct ? rules->distinct(q->game, state, out) : rules->moves(q->game, state, out);
}

/* The identity of a position, whatever the claim. */
static inline struct pd_id question_position_id(const struct question *q, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	size_t size = q->game->rules->key(q->game, state, key);
	return pd_id_of(key, size, 0);
}

/* The identity of a position and the claim. All 128 bits stay; {0, 0} is never given, because it marks an empty slot. */
static inline struct pd_id question_claim_id(const struct question *q, struct pd_id position)
{
	position.hi ^= (uint64_t)(q->threshold + 0x10000) * UINT64_C(0x9e3779b97f4a7c15);
	if (!position.lo && !position.hi)
		position.lo = 1;
	return position;
}

/* The reason that a solved pair stands for, without job and move. */
static inline struct pd_reason question_reason(const struct question *q, const uint32_t num[2])
{
	bool proved = num[0] == 0;
	return (struct pd_reason){
		.side = proved ? PD_LO : PD_HI,
		.bound = (int16_t)(proved ? q->threshold : q->threshold - q->game->value_step),
		.rank = (uint16_t)num_rank(num),
		.move = PD_NO_MOVE,
	};
}

/* True when a fact answers the question; num is then the solved pair. */
static inline bool question_settled(const struct question *q, const struct pd_fact *fact, uint32_t num[2])
{
	const struct pd_reason *lo = pd_fact_find(fact, PD_LO, q->threshold);
	const struct pd_reason *hi = lo ? NULL : pd_fact_find(fact, PD_HI, q->threshold - q->game->value_step);
	if (!lo && !hi)
		return false;
	num_set_solved(num, lo != NULL, lo ? lo->rank : hi->rank);
	return true;
}

#endif
