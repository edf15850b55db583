/* m,n,k: a side completes no line, because the other side has groups, or it has a forced win (T5, T11 and T12 of
 * THEOREMS.md). Included by mnk_board.h. */
#pragma once

enum {
	/* Boards of so many squares have T5 alone: they are examples whose proofs people read, and a search by the
	 * rules takes no time there. */
	MNK_EXAMPLE_MAX = 12
};

/* Numbers of at most 64 squares, to name them by the bits of a word. Boards of one word need none. */
struct numbering {
	unsigned count;
	uint16_t square[64];
#if PLANE_SQUARES > 64
	uint8_t number[SQUARES_MAX];
#endif
};

/* False when there are more than 64 squares. */
static bool number_squares(struct numbering *n, plane squares)
{
	n->count = plane_count(squares);
	if (n->count > 64)
		return false;
#if PLANE_SQUARES > 64
	unsigned at = 0;
	for (; plane_any(squares); squares = plane_without_first(squares)) {
		n->number[plane_first(squares)] = (uint8_t)at;
		n->square[at++] = (uint16_t)plane_first(squares);
	}
#endif
	return true;
}

/* The empty squares of the line that starts at a square. */
static uint64_t missing_squares(const struct board *b, const struct direction *d, unsigned start, plane empty,
				const struct numbering *n)
{
#if PLANE_SQUARES > 64
	uint64_t missing = 0;
	for (unsigned j = 0, at = start; j < b->mnk.shape.k; j++, at += d->distance)
		if (plane_has(empty, at))
			missing |= UINT64_C(1) << n->number[at];
	return missing;
#else
	return d->line[start] & empty;
#endif
}

/* The starts of the lines of one direction that have no stone of the defender, and, where longer lines do not win, none
 * of the attacker before or after them. */
static plane open_starts(const struct board *b, const struct direction *d, plane attacker, plane defender)
{
	plane starts = !MNK_PLAIN && b->mnk.shape.exact ? bare_starts(d, attacker) : d->start;
	for (unsigned j = 0; j < b->mnk.shape.k; j++)
		starts = plane_minus(starts, plane_down(defender, j * d->distance));
	return starts;
}

/* What a theorem is asked about. */
struct asked {
	const struct board *board;
	const struct state *state;
	unsigned mover;
	struct numbering numbering;
};

/* Lists the open lines of a side. False when they are too many. */
static bool list_open_lines(const struct asked *a, unsigned side, struct mnk_lines *out)
{
	const struct board *b = a->board;
	plane empty = empty_of(b, a->state);
	out->count = 0;
	for (unsigned i = 0; i < b->directions; i++) {
		const struct direction *d = &b->direction[i];
		plane starts = open_starts(b, d, a->state->stones[side], a->state->stones[!side]);
		if (out->count + plane_count(starts) > MNK_LINES_MAX)
			return false;
		for (; plane_any(starts); starts = plane_without_first(starts))
			out->line[out->count++] = missing_squares(b, d, plane_first(starts), empty, &a->numbering);
	}
	return true;
}

static const uint16_t *places_of(const struct numbering *n)
{
	return PLANE_SQUARES > 64 ? n->square : NULL;
}

/* A forced win of one side (T12). */
static bool tell_forced_win(const struct asked *a, const struct mnk_lines lines[2], unsigned side,
			    struct game_theorem *out, uint8_t *witness)
{
	struct mnk_forced f = {.waits = side != a->mover};
	uint64_t stone[MNK_STONES_MAX];
	unsigned empty = a->numbering.count;
	if (!mnk_forced_find(&f, &lines[side], &lines[!side]))
		return false;
	for (unsigned i = 0; i < f.count; i++)
		stone[i] = UINT64_C(1) << f.stone[i];
	*out = (struct game_theorem){.proved = side == 0,
				     .number = 12,
				     .plies = (uint16_t)(2 * f.count + 1 + f.waits),
				     .effort = (f.count + 1) * empty * empty};
	if (witness)
		out->witness = (uint16_t)groups_write(stone, f.count, places_of(&a->numbering), witness);
	return true;
}

/* Groups that stop the attacker (T5, T11). */
static bool tell_groups(const struct asked *a, const struct mnk_lines *lines, unsigned attacker,
			struct game_theorem *out, uint8_t *witness)
{
	const struct mnk_shape *shape = &a->board->mnk.shape;
	unsigned empty = a->numbering.count, left = is_set_up(a->state) ? 1 : a->board->left[a->state->plies];
	struct mnk_hold h = {.size = shape->turn + 1,
			     .first = attacker == a->mover ? 0 : left,
			     .weighs = shape->turn == 1 && a->board->mnk.squares > MNK_EXAMPLE_MAX};
	if (h.size > MNK_GROUP_MAX || (attacker == a->mover && left > shape->turn) || !mnk_hold_find(&h, lines))
		return false;
	*out = (struct game_theorem){.proved = attacker != 0,
				     .number = h.first || h.weighed ? 11 : 5,
				     .plies = (uint16_t)empty,
				     .effort = groups_effort(empty)};
	if (witness)
		out->witness = (uint16_t)groups_write(h.group, h.count, places_of(&a->numbering), witness);
	return true;
}

/* The claim is that First gets at least a draw (0), or a win: one side attacks, and the other stops it. */
static bool board_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			  uint8_t *witness)
{
	struct asked a = {.board = board_of(game), .state = state};
	const struct mnk_shape *shape = &a.board->mnk.shape;
	bool example = a.board->mnk.squares <= MNK_EXAMPLE_MAX;
	unsigned attacker = threshold <= 0;
	struct mnk_lines lines[2];
	a.mover = next_side(a.board, a.state);
	if (example && a.mover != attacker)
		return false;
	if (!number_squares(&a.numbering, empty_of(a.board, a.state)) || a.numbering.count < 2 ||
	    !list_open_lines(&a, attacker, &lines[attacker]))
		return false;
	if (!example && shape->turn == 1 && !shape->exact && list_open_lines(&a, !attacker, &lines[!attacker]) &&
	    (tell_forced_win(&a, lines, attacker, out, witness) ||
	     (a.mover != attacker && tell_forced_win(&a, lines, a.mover, out, witness))))
		return true;
	return tell_groups(&a, &lines[attacker], attacker, out, witness);
}
