/* m,n,k: initial numbers from lines that lack few stones. Included by mnk_board.h where turns may have several
 * stones. */
#pragma once

enum { LACKING_MAX = 3 }; /* lines that lack more stones are ignored */

/* The empty squares of all lines that lack at most `most` stones of one side and have none of the other. */
static plane find_chances(const struct board *b, const struct state *s, unsigned side, unsigned most)
{
	plane empty = empty_of(b, s), found = plane_none();
	PD_DEBUG_ASSERT(most <= LACKING_MAX);
	for (unsigned i = 0; i < b->directions; i++) {
		const struct direction *d = &b->direction[i];
		plane clear = d->start, lacks[LACKING_MAX + 1]; /* starts of lines that lack at most that many stones */
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
	if (own > 1 && plane_any(find_chances(b, s, side, own))) {
		moves *= b->mnk.squares;
	} else {
		unsigned threats = plane_count(find_chances(b, s, !side, other));
		if (threats)
			moves = b->mnk.shape.turn == 1 ? 1 : threats;
	}
	num[side] = 1;
	num[!side] = moves;
}
