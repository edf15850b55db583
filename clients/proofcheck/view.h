/* View: what the rules and the file say about a position, and whether that gives a bound.
 *
 * A bound has one of three sources: the position is terminal with such a value; the bound is trivial (at least the
 * worst value, at most the best value of the scale); or the position's record has a reason that is strong enough. The
 * checker accepts nothing else.
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
