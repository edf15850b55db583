#include "clients/proofcheck/strategy.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

enum ck_state ck_policy_state(const struct ck_policy *y, const struct ck_position *p)
{
	int value;
	if (!y->game->rules->over(y->game, p, &value))
		return CK_GOES_ON;
	return (y->upper ? value <= y->bound : value >= y->bound) ? CK_REACHED : CK_LOST;
}

bool ck_policy_moves(const struct ck_policy *y, const struct ck_position *p)
{
	return y->game->rules->first_moves(y->game, p) != y->upper;
}

static enum ck_state play_move(const struct ck_policy *y, const struct ck_position *p, uint16_t move,
			       struct ck_position *next)
{
	*next = *p;
	y->game->rules->play(y->game, next, move);
	return ck_policy_state(y, next);
}

/* Lists the legal moves, `first` before the others if it is one of them. */
static unsigned list_moves(const struct ck_policy *y, const struct ck_position *p, uint16_t first,
			   uint16_t out[CK_MOVES_MAX])
{
	unsigned count = y->game->rules->moves(y->game, p, out);
	PD_ASSERT(count >= 1 && count <= CK_MOVES_MAX);
	for (unsigned i = 0; i < count; i++)
		if (out[i] == first) {
			out[i] = out[0];
			out[0] = first;
			break;
		}
	return count;
}

/* Whether a move leads to such a position; *move, which is tried first, is then one that does. */
static bool can_lead_to(const struct ck_policy *y, const struct ck_position *p, enum ck_state state, uint16_t *move)
{
	uint16_t moves[CK_MOVES_MAX];
	unsigned count = list_moves(y, p, *move, moves);
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next;
		if (play_move(y, p, moves[i], &next) == state) {
			*move = moves[i];
			return true;
		}
	}
	return false;
}

/* Step 2, for the position after a move of W. */
static bool is_safe(struct ck_policy *y, const struct ck_position *p, enum ck_state state)
{
	if (state != CK_GOES_ON)
		return state == CK_REACHED;
	return ck_policy_moves(y, p) || !can_lead_to(y, p, CK_LOST, &y->losing);
}

/* Step 3, for the position after a safe move of W. */
static bool is_double_threat(struct ck_policy *y, const struct ck_position *p)
{
	uint16_t moves[CK_MOVES_MAX];
	if (ck_policy_moves(y, p))
		return false;
	unsigned count = list_moves(y, p, y->reaching, moves);
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next;
		enum ck_state state = play_move(y, p, moves[i], &next);
		if (state != CK_REACHED && (state == CK_LOST || !ck_policy_moves(y, &next) ||
					    !can_lead_to(y, &next, CK_REACHED, &y->reaching)))
			return false;
	}
	return true;
}

static int by_code(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static unsigned list_in_order(const struct ck_policy *y, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	unsigned count = y->game->rules->moves(y->game, p, out);
	PD_ASSERT(count >= 1 && count <= CK_MOVES_MAX);
	qsort(out, count, sizeof *out, by_code);
	return count;
}

static int weight_of(const struct ck_policy *y, const struct ck_position *p, uint16_t move)
{
	int square = y->game->rules->square(y->game, p, move);
	PD_ASSERT(square < (int)(y->game->width * y->game->height));
	return square < 0 ? 0 : (int8_t)y->weight[square];
}

bool ck_policy_choose(struct ck_policy *y, const struct ck_position *p, uint16_t *out)
{
	uint16_t moves[CK_MOVES_MAX];
	unsigned count = list_in_order(y, p, moves), safe = 0;
	bool threat = false;
	int best = 0;
	struct ck_position next;
	for (unsigned i = 0; i < count; i++)
		if (play_move(y, p, moves[i], &next) == CK_REACHED) {
			*out = moves[i];
			return true;
		}
	for (unsigned i = 0; i < count; i++)
		if (is_safe(y, &next, play_move(y, p, moves[i], &next)))
			moves[safe++] = moves[i];
	for (unsigned i = 0; i < safe; i++) {
		int weight = weight_of(y, p, moves[i]);
		play_move(y, p, moves[i], &next);
		bool twice = is_double_threat(y, &next);
		if (i && (threat != twice ? threat : weight <= best))
			continue;
		threat = twice;
		best = weight;
		*out = moves[i];
	}
	return safe;
}

unsigned ck_list_safe_first(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
			    uint16_t out[CK_MOVES_MAX], unsigned *safe)
{
	struct ck_policy y = {.game = game, .upper = upper, .bound = bound};
	uint16_t moves[CK_MOVES_MAX], others[CK_MOVES_MAX];
	unsigned count = list_in_order(&y, p, moves), unsafe = 0;
	PD_ASSERT(ck_policy_moves(&y, p));
	*safe = 0;
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next;
		enum ck_state state = play_move(&y, p, moves[i], &next);
		if (is_safe(&y, &next, state))
			out[(*safe)++] = moves[i];
		else
			others[unsafe++] = moves[i];
	}
	memcpy(out + *safe, others, unsafe * sizeof *others);
	return count;
}
