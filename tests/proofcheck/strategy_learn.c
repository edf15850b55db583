#include "tests/proofcheck/strategy_learn.h"

#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/strategy.h"
#include "clients/proofcheck/key_table.h"
#include "tests/support/walk.h"

enum { POSITIONS_MAX = 20000 /* of a pass */ };

struct ck_card lesson_card(const struct lesson *l)
{
	return (struct ck_card){l->upper, l->bound, CK_STRATEGY, l->witness, 1 + l->game->width * l->game->height};
}

static struct ck_position after(const struct lesson *l, const struct ck_position *p, uint16_t move)
{
	struct ck_position next = *p;
	l->game->rules->play(l->game, &next, move);
	return next;
}

static bool is_over(const struct lesson *l, const struct ck_position *p, bool *within)
{
	int value;
	bool over = l->game->rules->over(l->game, p, &value);
	*within = over && (l->upper ? value <= l->bound : value >= l->bound);
	return over;
}

static bool own_turn(const struct lesson *l, const struct ck_position *p)
{
	return l->game->rules->first_moves(l->game, p) == !l->upper;
}

/* Whether some move ends the game within the bound, or with `lost` outside of it. */
static bool some_move_ends(const struct lesson *l, const struct ck_position *p, bool lost)
{
	uint16_t moves[CK_MOVES_MAX];
	unsigned count = l->game->rules->moves(l->game, p, moves);
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next = after(l, p, moves[i]);
		bool within;
		if (is_over(l, &next, &within) && within != lost)
			return true;
	}
	return false;
}

static bool is_safe(const struct lesson *l, const struct ck_position *next)
{
	bool within;
	if (is_over(l, next, &within))
		return within;
	return own_turn(l, next) || !some_move_ends(l, next, true);
}

static bool is_double_threat(const struct lesson *l, const struct ck_position *p)
{
	uint16_t moves[CK_MOVES_MAX];
	if (own_turn(l, p))
		return false;
	unsigned count = l->game->rules->moves(l->game, p, moves);
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next = after(l, p, moves[i]);
		bool within;
		if (is_over(l, &next, &within) ? !within : !own_turn(l, &next) || !some_move_ends(l, &next, false))
			return false;
	}
	return true;
}

static int by_code(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

unsigned policy_moves_left(const struct lesson *l, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	uint16_t moves[CK_MOVES_MAX], safe[CK_MOVES_MAX];
	unsigned count = l->game->rules->moves(l->game, p, moves), safes = 0, threats = 0;
	qsort(moves, count, sizeof *moves, by_code);
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next = after(l, p, moves[i]);
		bool within;
		if (is_over(l, &next, &within) && within) {
			out[0] = moves[i];
			return 1;
		}
		if (is_safe(l, &next))
			safe[safes++] = moves[i];
	}
	for (unsigned i = 0; i < safes; i++) {
		struct ck_position next = after(l, p, safe[i]);
		if (is_double_threat(l, &next))
			out[threats++] = safe[i];
	}
	if (!threats)
		memcpy(out, safe, safes * sizeof *safe);
	return threats ? threats : safes;
}

static uint8_t *weight_at(struct lesson *l, const struct ck_position *p, uint16_t move)
{
	int square = l->game->rules->square(l->game, p, move);
	return square < 0 ? NULL : &l->witness[1 + square];
}

static int weight_of(const struct lesson *l, const struct ck_position *p, uint16_t move)
{
	int square = l->game->rules->square(l->game, p, move);
	return square < 0 ? 0 : (int8_t)l->witness[1 + square];
}

bool policy_move(const struct lesson *l, const struct ck_position *p, uint16_t *move)
{
	uint16_t left[CK_MOVES_MAX];
	unsigned count = policy_moves_left(l, p, left);
	for (unsigned i = 0; i < count; i++)
		if (!i || weight_of(l, p, left[i]) > weight_of(l, p, *move))
			*move = left[i];
	return count;
}

bool policy_holds(const struct lesson *l, const struct ck_position *p, unsigned *plies, uint64_t *positions,
		  uint64_t most)
{
	uint16_t moves[CK_MOVES_MAX], move = 0;
	unsigned count = 1, more;
	bool within, own;
	*plies = 0;
	if (is_over(l, p, &within))
		return within;
	own = own_turn(l, p);
	if (!own && ++*positions > most)
		return false;
	if (own && !policy_move(l, p, &move))
		return false;
	if (own)
		moves[0] = move;
	else
		count = l->game->rules->moves(l->game, p, moves);
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next = after(l, p, moves[i]);
		if (!policy_holds(l, &next, &more, positions, most))
			return false;
		*plies = more + 1 > *plies ? more + 1 : *plies;
	}
	return true;
}

/* --- learning ----------------------------------------------------------------------------- */

void lesson_begin(struct lesson *l)
{
	l->witness[0] = 1;
	for (unsigned i = 0; i < l->game->width * l->game->height; i++)
		l->witness[1 + i] = (uint8_t)walk_below(&l->seed, 16);
}

/* The weights change at one of the two squares, so that the good move has the greater weight. */
static void correct_weights(struct lesson *l, const struct ck_position *p, uint16_t bad, uint16_t good)
{
	int by = weight_of(l, p, bad) - weight_of(l, p, good) + 1;
	uint8_t *up = weight_at(l, p, good), *down = weight_at(l, p, bad);
	if (up && (walk_below(&l->seed, 2) || !down))
		*up = (uint8_t)(*up + 1 + walk_below(&l->seed, (unsigned)by));
	else if (down)
		*down = (uint8_t)(*down - 1 - walk_below(&l->seed, (unsigned)by));
}

/* The move to go on with: that of the policy, or, after a mistake, the best one that keeps the bound. */
static bool next_move(struct lesson *l, const struct ck_position *p, uint16_t *move, unsigned *mistakes)
{
	uint16_t left[CK_MOVES_MAX], good = 0;
	unsigned count = policy_moves_left(l, p, left);
	bool found = false;
	if (!policy_move(l, p, move))
		return false;
	struct ck_position next = after(l, p, *move);
	if (l->holds(l->ctx, &next, l->upper, l->bound))
		return true;
	for (unsigned i = 0; i < count; i++) {
		next = after(l, p, left[i]);
		if (!l->holds(l->ctx, &next, l->upper, l->bound) ||
		    (found && weight_of(l, p, left[i]) <= weight_of(l, p, good)))
			continue;
		good = left[i];
		found = true;
	}
	if (!found)
		return false;
	correct_weights(l, p, *move, good);
	++*mistakes;
	*move = good;
	return true;
}

/* One pass from a position where the bound holds. False when no weights can help. */
static bool learn_below(struct lesson *l, struct ck_position p, struct ck_table *seen, unsigned *mistakes)
{
	uint16_t moves[CK_MOVES_MAX], move;
	uint8_t key[CK_SQUARES_MAX + 1];
	uint32_t number;
	bool within;
	while (!is_over(l, &p, &within) && own_turn(l, &p)) {
		if (!next_move(l, &p, &move, mistakes))
			return false;
		l->game->rules->play(l->game, &p, move);
	}
	memcpy(key, p.at, seen->key - 1);
	key[seen->key - 1] = p.turn;
	if (is_over(l, &p, &within) || ck_table_find(seen, key, &number))
		return true;
	if (seen->count == POSITIONS_MAX || !ck_table_add(seen, key, 0))
		return false;
	unsigned count = l->game->rules->moves(l->game, &p, moves);
	for (unsigned i = 0; i < count; i++)
		if (!learn_below(l, after(l, &p, moves[i]), seen, mistakes))
			return false;
	return true;
}

bool lesson_learn(struct lesson *l, const struct ck_position *p, unsigned passes)
{
	while (passes--) {
		struct ck_table seen = {.key = l->game->width * l->game->height + 1};
		unsigned mistakes = 0;
		bool possible = learn_below(l, *p, &seen, &mistakes);
		ck_table_clear(&seen);
		if (!possible || !mistakes)
			return possible;
	}
	return false;
}
