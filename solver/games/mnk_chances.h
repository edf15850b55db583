/* m,n,k: initial numbers, and wins within a turn, from lines that lack few stones. Included by mnk_board.h where turns
 * may have several stones. */
#pragma once

enum { LACKING_MAX = 3 }; /* lines that lack more stones are ignored */

/* The empty squares of all lines that lack at most `most` stones of one side and have none of the other; with `exact`
 * only of lines that have no stone of the side before or after them. */
static plane find_chances(const struct board *b, const struct state *s, unsigned side, unsigned most, bool exact)
{
	plane empty = empty_of(b, s), found = plane_none();
	PD_DEBUG_ASSERT(most <= LACKING_MAX);
	for (unsigned i = 0; i < b->directions; i++) {
		const struct direction *d = &b->direction[i];
		plane clear = exact ? bare_starts(d, s->stones[side]) : d->start,
		      lacks[LACKING_MAX + 1]; /* starts of lines that lack at most that many stones */
		for (unsigned j = 0; j <= most; j++)
			lacks[j] = d->start;
		for (unsigned j = 0; j < b->mnk.shape.k; j++) {
			plane stones = plane_down(s->stones[side], j * d->distance);
			clear = plane_minus(clear, plane_down(s->stones[!side], j * d->distance));
			for (unsigned m = most; m > 0; m--)
				lacks[m] = plane_or(plane_and(lacks[m], stones), lacks[m - 1]);
			lacks[0] = plane_and(lacks[0], stones);
		}
		clear = plane_and(clear, lacks[most]);
		for (unsigned j = 0; j < b->mnk.shape.k && plane_any(clear); j++)
			found = plane_or(found, plane_up(clear, j * d->distance));
	}
	return plane_and(found, empty);
}

/* Initial numbers. A side that can complete a line with the stones of its turn wins. Otherwise its number of moves is
 * that of the empty squares in lines that the other side could complete in its next turn, or of all empty squares if
 * there is no such line. With one stone a turn, two such squares cannot both be blocked. */
static void board_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	unsigned side = next_side(b, s), own = is_set_up(s) ? 1 : b->left[s->plies], other = b->mnk.shape.turn;
	uint32_t moves = b->mnk.squares - (uint32_t)s->plies;
	own = own < LACKING_MAX ? own : LACKING_MAX;
	other = other < LACKING_MAX ? other : LACKING_MAX;
	if (own > 1 && plane_any(find_chances(b, s, side, own, false))) {
		moves *= b->mnk.squares;
	} else {
		unsigned threats = plane_count(find_chances(b, s, !side, other, false));
		if (threats)
			moves = b->mnk.shape.turn == 1 ? 1 : threats;
	}
	num[side] = 1;
	num[!side] = moves;
}

/* A side wins within its turn if a line lacks no more stones than the turn has left: filling it makes no longer line,
 * and a line that is completed on the way wins sooner. Of a turn it sees LACKING_MAX stones. */
static bool board_turn_win(const struct game *game, const void *state, unsigned *plies)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	unsigned left = mnk_alternates(&b->mnk.shape) ? 1 : b->left[s->plies % MNK_SET_UP];
	int value;
	if (board_immediate_win(game, state, &value)) {
		*plies = 1;
		return true;
	}
	for (unsigned most = 2; most <= left && most <= LACKING_MAX && most <= b->mnk.shape.k; most++)
		if (plane_any(find_chances(b, s, next_side(b, s), most, b->mnk.shape.exact))) {
			*plies = most;
			return true;
		}
	return false;
}
