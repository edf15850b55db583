/* View: what the rules and the file say about a position, and whether that gives a bound.
 *
 * A bound has one of three sources: the position is terminal with such a value; the bound is trivial (at least the
 * worst value, at most the best value of the scale); or the position's record has a reason that is strong enough. In
 * formats with cards there are two more: the player to move ends the game at once with such a value; or, in the search
 * of a leaf, a theorem gives it. The checker accepts nothing else.
 *
 * The checker's statement of the rule of ranks (F3) is the parameter `below`: a reason with a rank is checked with its
 * own rank as `below`, so that it rests only on reasons of smaller rank. */
#pragma once

#include "clients/proofcheck/cert.h"

enum { CK_ANY_RANK = 0 }; /* value of `below`: reasons with any rank count, also those without one */

struct ck_view {
	bool over;
	int value;      /* valid when `over` */
	unsigned count; /* reasons of the record; 0: the position has no record */
	const uint8_t *reason, *end;
};

/* Looks up a position. The view borrows from the certificate. */
struct ck_view ck_look(const struct ck_game *game, const struct ck_cert *cert, const struct ck_position *p);

/* True when the bound is trivial on the game's scale. */
static inline bool ck_is_trivial(const struct ck_game *game, bool upper, int64_t bound)
{
	return upper ? bound >= game->best : bound <= game->worst;
}

/* True when First gets at least (`upper`: at most) `bound` in the position. A reason of the record counts when it is at
 * least as strong and, unless `below` is CK_ANY_RANK, has a rank smaller than `below`. */
bool ck_view_has(const struct ck_game *game, const struct ck_view *view, bool upper, int64_t bound, uint64_t below);

/* True when the player to move, at a position that is not over, wants the bound, and a legal move ends the game with
 * such a value. */
bool ck_wins_at_once(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound);

/* True when the rules find a card for the bound, at a position that is not over, and verify it with at most `plies`
 * plies. */
bool ck_theorem_gives(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
		      uint64_t plies);
