/* Legal moves: check, pins and the targets of men, for all games in which a king must not be left in check.
 *
 * Checkers and pins are found once for a position and determine where each man may go, so that no move has to be made
 * to test it; only a capture en passant, which removes two men from one row, needs that. */
#pragma once

#include "solver/games/chessboard.h"

/* --- check and pins ----------------------------------------------------------------------- */

/* The constraints of the mover's king on all moves. */
struct chess_duty {
	unsigned king;          /* its square */
	uint64_t checkers;      /* enemy men that give check */
	uint64_t targets;       /* of men except the king: squares without own men; in check, those that end it */
	uint64_t pinned[LINES]; /* own men that must stay on that line through the king */
	uint64_t pinned_at_all;
};

/* Enemy sliders by the lines that they move on. */
static inline uint64_t chess_sliders(const struct chess_men *m, unsigned line)
{
	return m->enemy & (line < LINE_RISING ? m->straight : m->oblique);
}

static inline void chess_look(const struct chess_lines *l, const struct chess_men *m, unsigned line,
			      struct chess_duty *d)
{
	const struct chess_halves *h = &l->line[d->king][line];
	uint64_t enemies = chess_sliders(m, line) & (h->lower | h->upper);
	if (!enemies)
		return;
	uint64_t seen = chess_slide(l, line, d->king, m->occupied), checkers = seen & enemies;
	if (checkers) {
		d->checkers |= checkers;
		d->targets &= seen & (checkers & h->upper ? h->upper : h->lower);
	}
	uint64_t screen = seen & m->own;
	if (!screen)
		return;
	uint64_t behind = chess_slide(l, line, d->king, m->occupied ^ screen) & ~seen & enemies;
	d->pinned[line] = screen & ((behind & h->upper ? h->upper : 0) | (behind & h->lower ? h->lower : 0));
	d->pinned_at_all |= d->pinned[line];
}

/* The squares from which an enemy pawn attacks a square. */
static inline uint64_t chess_pawn_attackers(uint64_t target, unsigned side)
{
	return chess_west(target, side) | chess_east(target, side);
}

static inline struct chess_duty chess_find_duty(const struct chess_lines *l, const struct chess_men *m, unsigned side)
{
	struct chess_duty d = {.king = chess_first(m->own & m->kings), .targets = ~m->own};
	d.checkers = m->enemy &
		     ((m->knights & l->knight[d.king]) | (m->pawns & chess_pawn_attackers(chess_bit(d.king), side)));
	if (d.checkers)
		d.targets &= d.checkers;
	for (unsigned line = 0; line < LINES; line++)
		chess_look(l, m, line, &d);
	if (d.checkers & (d.checkers - 1))
		d.targets = 0; /* double check: the king must move */
	return d;
}

/* All squares that the enemy attacks, also through the mover's king, which may not go there. */
static inline uint64_t chess_attacked(const struct chess_lines *l, const struct chess_men *m, unsigned side)
{
	uint64_t pawns = m->enemy & m->pawns, set = chess_west(pawns, !side) | chess_east(pawns, !side);
	uint64_t occupied = m->occupied ^ (m->own & m->kings);
	for (uint64_t men = m->enemy & m->kings; men; men &= men - 1)
		set |= l->king[chess_first(men)];
	for (uint64_t men = m->enemy & m->knights; men; men &= men - 1)
		set |= l->knight[chess_first(men)];
	for (uint64_t men = m->enemy & m->oblique; men; men &= men - 1)
		set |= chess_oblique(l, chess_first(men), occupied);
	for (uint64_t men = m->enemy & m->straight; men; men &= men - 1)
		set |= chess_straight(l, chess_first(men), occupied);
	return set;
}

/* True if the men in `enemy` give check to a king on `square`. */
static inline bool chess_in_check(const struct chess_lines *l, const struct chess_men *m, unsigned side,
				  unsigned square, uint64_t enemy, uint64_t occupied)
{
	uint64_t by = (m->knights & l->knight[square]) | (m->kings & l->king[square]) |
		      (m->pawns & chess_pawn_attackers(chess_bit(square), side)) |
		      (m->oblique & chess_oblique(l, square, occupied)) |
		      (m->straight & chess_straight(l, square, occupied));
	return by & enemy;
}

/* --- targets of men ----------------------------------------------------------------------- */

/* The targets of the mover's pawns, except en passant. */
struct chess_steps {
	uint64_t west, east, one, two;
};

static inline struct chess_steps chess_pawn_steps(const struct chess_men *m, const struct chess_duty *d, unsigned side)
{
	uint64_t pawns = m->own & m->pawns;
	/* Ahead and west is a falling line for White, a rising one for Black. */
	uint64_t west = pawns & ~(d->pinned_at_all ^ d->pinned[side ? LINE_RISING : LINE_FALLING]);
	uint64_t east = pawns & ~(d->pinned_at_all ^ d->pinned[side ? LINE_FALLING : LINE_RISING]);
	uint64_t ahead = pawns & ~(d->pinned_at_all ^ d->pinned[LINE_FILE]);
	uint64_t one = chess_ahead(ahead, side) & ~m->occupied;
	return (struct chess_steps){
		.west = chess_west(west, side) & m->enemy & d->targets,
		.east = chess_east(east, side) & m->enemy & d->targets,
		.one = one & d->targets,
		.two = chess_ahead(one & chess_third_row(side), side) & ~m->occupied & d->targets,
	};
}

/* The targets of an oblique slider, pinned or not. */
static inline uint64_t chess_oblique_steps(const struct chess_lines *l, const struct chess_men *m,
					   const struct chess_duty *d, unsigned from)
{
	uint64_t man = chess_bit(from);
	if (!(man & d->pinned_at_all))
		return chess_oblique(l, from, m->occupied) & d->targets;
	uint64_t reach = 0;
	for (unsigned line = LINE_RISING; line <= LINE_FALLING; line++)
		if (man & d->pinned[line])
			reach = chess_slide(l, line, from, m->occupied);
	return reach & d->targets;
}

static inline uint64_t chess_straight_steps(const struct chess_lines *l, const struct chess_men *m,
					    const struct chess_duty *d, unsigned from)
{
	uint64_t man = chess_bit(from);
	if (!(man & d->pinned_at_all))
		return chess_straight(l, from, m->occupied) & d->targets;
	uint64_t reach = 0;
	for (unsigned line = LINE_ROW; line <= LINE_FILE; line++)
		if (man & d->pinned[line])
			reach = chess_slide(l, line, from, m->occupied);
	return reach & d->targets;
}
