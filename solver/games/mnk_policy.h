/* m,n,k: what strategies by weights (solver/strategies.h) and the order of moves need. Included by mnk_board.h. */
#pragma once

/* The squares of `empty` on which a stone would complete a line of `stones`. */
static plane completions_of(const struct board *b, plane stones, plane empty)
{
	plane all = plane_none();
	for (unsigned i = 0; i < b->directions; i++)
		all = plane_or(all, find_completions(b, &b->direction[i], b->mnk.shape.k, stones, empty));
	return all;
}

static unsigned board_threats(const struct game *game, const void *state)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	return plane_count(completions_of(b, s->stones[last_side(b, s)], empty_of(b, s)));
}

/* Where the board is full within three plies, a draw may count as a win. A stone of one side never stops the other from
 * completing a line except by taking a square of it. So a double threat is a stone that makes two completions. */
static bool board_policy_moves(const struct game *game, const void *state, game_move *out, unsigned *count,
			       unsigned *plies)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	unsigned side = next_side(b, s);
	plane empty = empty_of(b, s), safe = empty, doubles = plane_none();
	if (!mnk_alternates(&b->mnk.shape) || plane_count(empty) <= 3)
		return false;
	plane now = completions_of(b, s->stones[side], empty), theirs = completions_of(b, s->stones[!side], empty);
	*count = *plies = 1;
	if (plane_any(now)) {
		out[0] = (game_move)plane_first(now);
		return true;
	}
	if (plane_any(theirs))
		safe = plane_any(plane_without_first(theirs)) ? plane_none() : theirs;
	for (plane left = safe; plane_any(left); left = plane_without_first(left)) {
		plane move = plane_bit(plane_first(left));
		plane wins = completions_of(b, plane_or(s->stones[side], move), plane_minus(empty, move));
		if (plane_any(wins) && plane_any(plane_without_first(wins)))
			doubles = plane_or(doubles, move);
	}
	*plies = plane_any(doubles) ? 3 : 0;
	*count = list_squares(b, *plies ? doubles : safe, out);
	return true;
}
