/* Strategy: a game played by weights, one small number for each square of the board.
 *
 * One side, W, has a policy; the other side, M, plays anything. W has an aim, "First gets at least threshold" or (as
 * Second) less than that. A position is *reached* when the game is over as W wants, *lost* when it is over otherwise.
 *
 * Policy 1. W to move plays a move that reaches its aim, if there is one (of several, the smallest code). Otherwise it
 * leaves only the *safe* moves: those after which the game is not lost and M, if it is to move, cannot make it lost in
 * one move. Of these only the *double threats*, if there are any: those after which M is to move, and each reply
 * reaches W's aim or leaves W a move that does. Of the moves that are left it plays the one whose square weighs most;
 * of several, the one with the smallest code. Without a safe move the policy fails.
 *
 * The policy is a function of the position, so a strategy is shown to be good by playing it against every reply. It is
 * learned like a perceptron (F. Rosenblatt, 1958): where an oracle says that the move of greatest weight is a mistake,
 * the weights of that square and of the best square that is no mistake are moved towards each other.
 *
 * Games have strategies when they cannot repeat a position and have `move_square` (game_rules.h). */
#pragma once

#include "solver/games/game.h"

enum {
	STRATEGY_THEOREM = 100,    /* number of its cards in certificates */
	ZONE_THEOREM = 103,        /* of zones, which only the checker puts into certificates */
	STRATEGY_POLICY = 1,       /* first byte of their witnesses */
	STRATEGY_SQUARES_MAX = 511 /* a witness has at most 512 bytes */
};

/* Why a strategy does not win. */
enum { STRATEGY_FAILS = -1, STRATEGY_TOO_LONG = -2, STRATEGY_STOPPED = -3 };

/* One side's aim, and memory to play: for one thread. */
struct pn_strategy {
	const struct game *game; /* borrowed */
	int threshold;           /* of the claim "First gets at least threshold" */
	bool first;       /* W is First, and its aim is the claim; else W is Second, and its aim is the opposite */
	unsigned squares; /* of the board */
	uint32_t limit;   /* positions with M to move that are played out, at most */
	uint32_t count;   /* of them, in the last play */
	uint8_t *states;  /* owned; those positions */
	uint16_t *plies;  /* owned; of the longest line from each */
	uint64_t *slots;  /* owned; generation and index + 1 of a position */
	uint32_t slot_mask, generation;
	game_move *moves;                     /* owned; a stack of lists of moves */
	const struct strategy_lesson *lesson; /* borrowed while it learns */
	int8_t *learned;                      /* the weights that a lesson changes */
	unsigned mistakes;                    /* in one pass of the lesson */
	uint64_t random;
};

/* How a strategy is learned. */
struct strategy_lesson {
	/* Whether W can still reach its aim: 1 yes, 0 no or unknown, -1 the lesson is to end. The state is not over. */
	int (*holds)(void *ctx, const void *state);
	void *ctx;
	unsigned passes; /* over the whole play, at most */
	uint64_t seed;
};

/* Whether the game has strategies: PD_E_UNSUPPORTED with field "game" when it has not. */
int pn_strategy_check(const struct game *game, struct pd_fail *fail);
/* PD_E_NO_MEMORY. In any case pn_strategy_fini may follow. `limit` is 1 to 65,536 positions. */
int pn_strategy_init(struct pn_strategy *s, const struct game *game, int threshold, bool first, uint32_t limit,
		     struct pd_fail *fail);
void pn_strategy_fini(struct pn_strategy *s);

/* Whether a game that is over with this value has reached W's aim. */
static inline bool pn_strategy_reached(const struct pn_strategy *s, int value)
{
	return (value >= s->threshold) == s->first;
}
/* Whether W is to move. */
static inline bool pn_strategy_moves(const struct pn_strategy *s, const void *state)
{
	return s->game->rules->first_to_move(s->game, state) == s->first;
}
/* Writes the moves that the policy leaves to the weights at a position that is not over, with W to move (room for
 * moves_max), and returns how many; 0 where the policy fails. *plies: each of them reaches the aim within that many: 1,
 * 3 for double threats, 0 if that is not known. */
unsigned pn_strategy_choices(const struct pn_strategy *s, const void *state, game_move *out, unsigned *plies);
/* The same, always by playing every move; for tests. */
unsigned pn_strategy_choices_slow(const struct pn_strategy *s, const void *state, game_move *out, unsigned *plies);
/* The choice of greatest weight. */
game_move pn_strategy_pick(const struct pn_strategy *s, const void *state, const int8_t *weights,
			   const game_move *choices, unsigned count);

/* Plays the strategy from a position against every reply. Returns the plies of the longest line, 0 where the game is
 * over; STRATEGY_FAILS, or STRATEGY_TOO_LONG after `limit` positions. */
int pn_strategy_play(struct pn_strategy *s, const void *state, const int8_t *weights);
/* Changes the weights until the strategy plays without a mistake. Returns what pn_strategy_play returns of the result.
 * *mistakes is the least number in one pass; UINT_MAX when no pass was completed. */
int pn_strategy_learn(struct pn_strategy *s, const void *state, int8_t *weights, const struct strategy_lesson *lesson,
		      unsigned *mistakes);
