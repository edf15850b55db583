/* m,n,k: the side to move completes no line, because the other side has groups (T5 of THEOREMS.md). Included by
 * mnk_board.h. */
#pragma once

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
	uint64_t missing = 0;
	for (unsigned j = 0, at = start; j < b->mnk.shape.k; j++, at += d->distance)
		if (plane_has(empty, at))
#if PLANE_SQUARES > 64
			missing |= UINT64_C(1) << n->number[at];
#else
			missing |= UINT64_C(1) << at;
#endif
	return missing;
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

/* Lists the attacker's open lines, each by its empty squares. False when they are too many for groups: lines that hold
 * all squares of a group are at most k - size + 1. */
static bool list_open_lines(const struct board *b, plane attacker, plane defender, const struct numbering *n,
			    struct groups *g)
{
	plane empty = plane_minus(b->full, plane_or(attacker, defender)), starts[4];
	unsigned k = b->mnk.shape.k, lines = 0;
	for (unsigned i = 0; i < b->directions; i++) {
		starts[i] = open_starts(b, &b->direction[i], attacker, defender);
		lines += plane_count(starts[i]);
	}
	if (lines > GROUPS_LINES_MAX || (lines && (k < g->size || lines > n->count / g->size * (k - g->size + 1))))
		return false;
	g->lines = 0;
	for (unsigned i = 0; i < b->directions; i++)
		for (; plane_any(starts[i]); starts[i] = plane_without_first(starts[i]))
			g->line[g->lines++] = missing_squares(b, &b->direction[i], plane_first(starts[i]), empty, n);
	return true;
}

static bool board_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			  uint8_t *witness)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	unsigned attacker = next_side(b, s), turn = b->mnk.shape.turn, own = is_set_up(s) ? 1 : b->left[s->plies];
	struct groups g = {.size = turn + 1};
	struct numbering n;
	if (threshold != (attacker ? 0 : 1) || own > turn || g.size > GROUPS_SIZE_MAX ||
	    !number_squares(&n, empty_of(b, s)) || n.count < 2 ||
	    !list_open_lines(b, s->stones[attacker], s->stones[!attacker], &n, &g) || !groups_find(&g))
		return false;
	*out = (struct game_theorem){
		.proved = attacker, .number = 5, .plies = (uint16_t)n.count, .effort = groups_effort(n.count)};
	if (witness)
		out->witness = (uint16_t)groups_write(g.group, g.count, PLANE_SQUARES > 64 ? n.square : NULL, witness);
	return true;
}
