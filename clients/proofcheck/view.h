/* View: what the rules and the file together know of one position, and whether that is enough for a bound.
 *
 * Three things can vouch for a bound: the game is over with such a value; the scale of values (nobody gets less than
 * the worst value or more than the best); or the position's record in the file. Everything that the checker accepts
 * comes down to these. */
#ifndef CK_VIEW_H
#define CK_VIEW_H

#include "clients/proofcheck/cert.h"

enum { CK_ANY_RANK = 0 }; /* as `below`: reasons with any rank will do, and those without */

struct ck_view {
	bool over;
	int value;      /* when it is over */
	unsigned count; /* reasons of the record; 0: it has none */
	const uint8_t *reason, *end;
};

/* Looks at a position. */
struct ck_view ck_look(const struct ck_game *game, const struct ck_cert *cert, const struct ck_position *p);

/* True when the scale alone says so. */
static inline bool ck_trivial(const struct ck_game *game, bool upper, int64_t bound)
{
	return upper ? bound >= game->best : bound <= game->worst;
}

/* True when First gets at least (`upper`: at most) `bound` in the position. Reasons of the record count if they are as
 * strong, and if their rank is smaller than `below`, unless that is CK_ANY_RANK. */
bool ck_view_has(const struct ck_game *game, const struct ck_view *view, bool upper, int64_t bound, uint64_t below);

#endif
