/* Connect Four: what strategies by weights (solver/strategies.h) and the order of moves need, on a board that fits a
 * plane. A part of connect4_board.h, which includes it where its functions on planes are defined. */
#pragma once

static unsigned board_move_square(const struct game *game, const void *state, game_move move)
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	plane column = column_of_bits(c) << move * c->head.stride;
	return count_of(s->mask & column) * c->head.base.width + move;
}

/* Whether the player to move, who has just put the stone `move`, wins whatever the reply: on a square that is left, or
 * on the one above the reply. */
static bool is_double_threat(const struct board *c, const struct state *s, plane move)
{
	plane mask = s->mask | move, playable = (mask + c->bottom) & c->board;
	plane wins = winning_squares(c, s->mine | move) & c->board & ~mask, now = wins & playable;
	plane above = (now ? now : playable) << 1;
	return (now & (now - 1)) || (above & wins) == above;
}

static unsigned board_threats(const struct game *game, const void *state)
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	return count_of(winning_squares(c, s->mine ^ s->mask) & c->board & ~s->mask);
}

/* Where the board is full within three plies, a draw may count as a win. */
static bool board_policy_moves(const struct game *game, const void *state, game_move *out, unsigned *count,
			       unsigned *plies)
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	if (c->squares - s->plies <= 3)
		return false;
	plane playable = (s->mask + c->bottom) & c->board, now = winning_squares(c, s->mine) & playable;
	plane theirs = winning_squares(c, s->mine ^ s->mask) & c->board & ~s->mask, threats = theirs & playable;
	unsigned safe = 0, doubles = 0;
	for (plane left = playable; left; left &= left - 1) {
		plane move = left & -left;
		game_move column = (game_move)(first_of(move) / c->head.stride);
		if (now & move) {
			out[0] = column;
			safe = 1;
			break;
		}
		if (now || (threats & ~move) || (theirs & move << 1))
			continue;
		bool threat = is_double_threat(c, s, move);
		if (doubles && !threat)
			continue;
		if (threat && !doubles++)
			safe = 0;
		out[safe++] = column;
	}
	*count = safe;
	*plies = now ? 1 : doubles ? 3 : 0;
	return true;
}
