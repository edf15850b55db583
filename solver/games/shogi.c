#include "solver/games/shogi.h"

#include <string.h>

#include "proto/base/assert.h"

const uint8_t shogi_full[SHOGI_HAND] = {18, 4, 4, 4, 2, 2, 4};

/* The directions in which a piece of side 0 goes one step, and any number of steps, by kind. */
enum { AHEAD = 0x01, DIAGONAL = 0xaa, STRAIGHT = 0x55, GOLD = 0xd7, SILVER = 0xab };
static const uint8_t steps[SHOGI_KINDS] = {0,    AHEAD, 0,    0,    SILVER, 0,        0,       GOLD,
					   0xff, GOLD,  GOLD, GOLD, GOLD,   STRAIGHT, DIAGONAL},
		     slides[SHOGI_KINDS] = {0, 0, AHEAD, 0, 0, DIAGONAL, STRAIGHT, 0,
					    0, 0, 0,     0, 0, DIAGONAL, STRAIGHT};

_Static_assert(sizeof(struct shogi_state) <= GAME_STATE_MAX, "a state fits into GAME_STATE_MAX bytes");

void shogi_lines_init(struct shogi_lines *l)
{
	static const int rank[8] = {-1, -1, 0, 1, 1, 1, 0, -1}, file[8] = {0, -1, -1, -1, 0, 1, 1, 1};
	memset(l, 0, sizeof *l);
	memset(l->next, SHOGI_SQUARES, sizeof l->next);
	memset(l->leap, SHOGI_SQUARES, sizeof l->leap);
	for (int square = 0; square < SHOGI_SQUARES; square++) {
		int f = square / 9, r = square % 9;
		for (int d = 0; d < 8; d++)
			for (int i = 1; i < 9; i++) {
				int x = f + i * file[d], y = r + i * rank[d];
				if (x < 0 || x > 8 || y < 0 || y > 8)
					break;
				l->toward[square][9 * x + y] = (uint8_t)(1 + d);
				if (i == 1)
					l->next[d][square] = (uint8_t)(9 * x + y);
			}
		for (int side = 0; side < 2; side++)
			for (int i = 0; i < 2; i++) {
				int x = f + 2 * i - 1, y = r + (side ? 2 : -2);
				if (x >= 0 && x <= 8 && y >= 0 && y <= 8)
					l->leap[side][square][i] = (uint8_t)(9 * x + y);
			}
	}
}

/* True if a piece reaches in a direction: `near`: the next square, else one behind empty ones. */
static inline bool reaches_square(unsigned piece, unsigned direction, bool near)
{
	unsigned kind = shogi_kind(piece), d = shogi_side(piece) ? direction ^ 4 : direction;
	return (slides[kind] | (near ? steps[kind] : 0)) >> d & 1;
}

/* The first square in a direction that is not empty; `skip` counts as empty. */
static inline unsigned find_piece(const struct shogi_lines *l, const uint8_t *at, unsigned square, unsigned d,
				  unsigned skip)
{
	do
		square = l->next[d][square];
	while (square < SHOGI_SQUARES && (!at[square] || square == skip));
	return square;
}

/* How many pieces of a side attack the square, counted up to `most`; `skip`, if it is on the board, counts as empty. */
static unsigned count_attackers(const struct shogi_lines *l, const uint8_t *at, unsigned square, unsigned by,
				unsigned skip, unsigned most)
{
	unsigned count = 0;
	for (unsigned d = 0; d < 8 && count < most; d++) {
		unsigned from = find_piece(l, at, square, d, skip);
		count += from < SHOGI_SQUARES && shogi_side(at[from]) == by &&
			 reaches_square(at[from], d ^ 4, from == l->next[d][square]);
	}
	for (unsigned i = 0; i < 2 && count < most; i++) {
		unsigned from = l->leap[!by][square][i];
		count += from < SHOGI_SQUARES && at[from] == (SHOGI_KNIGHT | by * SHOGI_SECOND);
	}
	return count;
}

static bool is_attacked(const struct shogi_lines *l, const uint8_t *at, unsigned square, unsigned by, unsigned skip)
{
	return count_attackers(l, at, square, by, skip, 1) > 0;
}

unsigned shogi_attackers(const struct shogi_lines *l, const struct shogi_state *s, unsigned square, unsigned by)
{
	return count_attackers(l, s->at, square, by, SHOGI_SQUARES, SHOGI_SQUARES);
}

/* --- positions ---------------------------------------------------------------------------- */

void shogi_start(struct shogi_state *s)
{
	static const uint8_t back[9] = {SHOGI_LANCE, SHOGI_KNIGHT, SHOGI_SILVER, SHOGI_GOLD, SHOGI_KING,
					SHOGI_GOLD,  SHOGI_SILVER, SHOGI_KNIGHT, SHOGI_LANCE};
	memset(s, 0, sizeof *s);
	for (unsigned file = 0; file < 9; file++) {
		s->at[9 * file + 8] = back[file];
		s->at[9 * file + 6] = SHOGI_PAWN;
	}
	s->at[9 * 1 + 7] = SHOGI_ROOK;
	s->at[9 * 7 + 7] = SHOGI_BISHOP;
	for (unsigned square = 0; square < SHOGI_SQUARES; square++)
		if (s->at[square] && s->at[square] < SHOGI_SECOND)
			s->at[80 - square] = s->at[square] + SHOGI_SECOND;
	s->king[0] = 9 * 4 + 8;
	s->king[1] = 9 * 4;
}

const char *shogi_complete(const struct shogi_lines *l, struct shogi_state *s)
{
	uint16_t pawns[2] = {0, 0};
	uint8_t kings[2] = {0, 0};
	memset(s->king, SHOGI_SQUARES, sizeof s->king);
	for (unsigned square = 0; square < SHOGI_SQUARES; square++) {
		unsigned piece = s->at[square], kind = shogi_kind(piece), side = shogi_side(piece);
		if (kind == SHOGI_KING) {
			s->king[side] = (uint8_t)square;
			kings[side]++;
		}
		if (kind == SHOGI_PAWN && pawns[side] >> square / 9 & 1)
			return "a side has two unpromoted pawns in a file";
		if (kind == SHOGI_PAWN)
			pawns[side] |= (uint16_t)(1u << square / 9);
		if (piece && shogi_dead_end(kind, square, side))
			return "a pawn, lance or knight stands where it could never move";
	}
	if (kings[1] != 1 || kings[0] > 1)
		return "the defender has one king, the attacker one or none";
	unsigned king = s->king[!s->side];
	if (king < SHOGI_SQUARES && is_attacked(l, s->at, king, s->side, SHOGI_SQUARES))
		return "the side that is not to move is in check";
	return NULL;
}

/* --- moves -------------------------------------------------------------------------------- */

enum { GIVES_LINE = 8, GIVES_NEAR = 16, GIVES_LEAP = 32 };

/* A list of moves in the making. */
struct list {
	const struct shogi_lines *l;
	const struct shogi_state *s;
	game_move *out; /* NULL: counts only */
	unsigned count, side;
	bool checks;                      /* only moves that give check */
	uint8_t pinned[SHOGI_SQUARES];    /* 1 + the direction from the own king in which a piece may move; 0: all */
	uint8_t opens[SHOGI_SQUARES];     /* 1 + the direction from the enemy king that a piece would open for check */
	uint8_t gives[SHOGI_SQUARES + 1]; /* where a piece gives check: GIVES_* and the direction from the king */
	uint8_t targets[SHOGI_SQUARES];   /* squares to go to */
	uint16_t pawns;                   /* files with an own unpromoted pawn */
	bool some_open;
};

/* Looks in all directions from a king for pieces of side `by`. A single piece of side `screen` that keeps one of them
 * from the king is noted in `held`; from others, which give check, to the king, `targets` is set. Returns how many give
 * check. */
static unsigned look_around(const struct list *g, unsigned king, unsigned by, unsigned screen, uint8_t *held,
			    uint8_t *targets)
{
	const uint8_t *at = g->s->at;
	unsigned checkers = 0;
	for (unsigned d = 0; d < 8; d++) {
		unsigned first = find_piece(g->l, at, king, d, SHOGI_SQUARES), behind = first;
		if (first == SHOGI_SQUARES)
			continue;
		if (shogi_side(at[first]) == screen) {
			behind = find_piece(g->l, at, first, d, SHOGI_SQUARES);
			if (behind < SHOGI_SQUARES && shogi_side(at[behind]) == by &&
			    reaches_square(at[behind], d ^ 4, false))
				held[first] = (uint8_t)(1 + d);
		} else if (shogi_side(at[first]) == by &&
			   reaches_square(at[first], d ^ 4, first == g->l->next[d][king])) {
			checkers++;
			for (unsigned to = g->l->next[d][king]; to != first; to = g->l->next[d][to])
				targets[to] = 1;
			targets[first] = 1;
		}
	}
	return checkers;
}

/* Notes the squares from which a piece would give check to a king. */
static void find_checks(struct list *g, unsigned king)
{
	for (unsigned d = 0; d < 8; d++) {
		unsigned last = find_piece(g->l, g->s->at, king, d, SHOGI_SQUARES), near = GIVES_NEAR;
		for (unsigned to = g->l->next[d][king]; to < SHOGI_SQUARES; to = g->l->next[d][to], near = 0) {
			g->gives[to] = (uint8_t)(GIVES_LINE | near | d);
			if (to == last)
				break;
		}
	}
	for (unsigned i = 0; i < 2; i++)
		g->gives[g->l->leap[!g->side][king][i]] = GIVES_LEAP;
}

static bool gives_check(const struct list *g, unsigned piece, unsigned to)
{
	unsigned gives = g->gives[to];
	if (gives & GIVES_LEAP)
		return shogi_kind(piece) == SHOGI_KNIGHT;
	return gives & GIVES_LINE && reaches_square(piece, (gives & 7) ^ 4, gives & GIVES_NEAR);
}

static void put_move(struct list *g, unsigned from, unsigned to, bool promotes)
{
	unsigned piece = g->s->at[from] + (promotes ? SHOGI_PROMOTED : 0), open = g->opens[from];
	if (g->checks && !gives_check(g, piece, to) && !(open && g->l->toward[g->s->king[!g->side]][to] != open))
		return;
	if (g->out)
		g->out[g->count] = (game_move)(from | to << 7 | (unsigned)promotes << 14);
	g->count++;
}

static void put_moves(struct list *g, unsigned from, unsigned to)
{
	unsigned kind = shogi_kind(g->s->at[from]);
	if (g->pinned[from] && g->l->toward[g->s->king[g->side]][to] != g->pinned[from])
		return;
	if (kind < SHOGI_GOLD && (shogi_depth(from, g->side) < 3 || shogi_depth(to, g->side) < 3))
		put_move(g, from, to, true);
	if (!shogi_dead_end(kind, to, g->side))
		put_move(g, from, to, false);
}

/* The moves of all pieces but the king to a square. */
static void list_moves_to(struct list *g, unsigned to)
{
	const uint8_t *at = g->s->at;
	if (at[to] && shogi_side(at[to]) == g->side)
		return;
	for (unsigned d = 0; d < 8; d++) {
		unsigned from = find_piece(g->l, at, to, d, SHOGI_SQUARES);
		if (from < SHOGI_SQUARES && shogi_side(at[from]) == g->side && shogi_kind(at[from]) != SHOGI_KING &&
		    reaches_square(at[from], d ^ 4, from == g->l->next[d][to]))
			put_moves(g, from, to);
	}
	for (unsigned i = 0; i < 2; i++) {
		unsigned from = g->l->leap[!g->side][to][i];
		if (from < SHOGI_SQUARES && at[from] == (SHOGI_KNIGHT | g->side * SHOGI_SECOND))
			put_moves(g, from, to);
	}
}

/* True if a pawn dropped there would mate. No piece can be put between it and the king. */
static bool pawn_mates(const struct list *g, unsigned to)
{
	struct shogi_state s = *g->s;
	s.at[to] = (uint8_t)(SHOGI_PAWN | g->side * SHOGI_SECOND);
	s.side ^= 1;
	return !shogi_moves(g->l, &s, false, NULL);
}

static void list_drops(struct list *g, unsigned to)
{
	for (unsigned kind = SHOGI_GOLD; kind >= SHOGI_PAWN; kind--) {
		unsigned piece = kind | g->side * SHOGI_SECOND;
		if (!g->s->hand[g->side][kind - 1] || shogi_dead_end(kind, to, g->side) ||
		    (g->checks && !gives_check(g, piece, to)))
			continue;
		if (kind == SHOGI_PAWN && (g->pawns >> to / 9 & 1 ||
					   (g->s->king[!g->side] == g->l->next[g->side * 4][to] && pawn_mates(g, to))))
			continue;
		if (g->out)
			g->out[g->count] = (game_move)((SHOGI_SQUARES + kind - 1) | to << 7);
		g->count++;
	}
}

static void list_king_moves(struct list *g, unsigned king)
{
	const uint8_t *at = g->s->at;
	for (unsigned d = 0; d < 8; d++) {
		unsigned to = g->l->next[d][king];
		if (to < SHOGI_SQUARES && !(at[to] && shogi_side(at[to]) == g->side) &&
		    !is_attacked(g->l, at, to, !g->side, king))
			put_move(g, king, to, false);
	}
}

/* How many pieces give check to the own king; sets pins and, in check, the squares to go to. */
static unsigned find_duty(struct list *g, unsigned king)
{
	unsigned checkers = look_around(g, king, !g->side, g->side, g->pinned, g->targets);
	for (unsigned i = 0; i < 2; i++) {
		unsigned from = g->l->leap[g->side][king][i];
		if (from < SHOGI_SQUARES && g->s->at[from] == (SHOGI_KNIGHT | !g->side * SHOGI_SECOND)) {
			g->targets[from] = 1;
			checkers++;
		}
	}
	return checkers;
}

unsigned shogi_moves(const struct shogi_lines *l, const struct shogi_state *s, bool checks, game_move *out)
{
	struct list g = {.l = l, .s = s, .out = out, .side = s->side, .checks = checks};
	unsigned king = s->king[s->side], enemy = s->king[!s->side], checkers = 0;
	uint8_t unused[SHOGI_SQUARES];
	PD_ASSERT(king < SHOGI_SQUARES || !s->side);
	if (king < SHOGI_SQUARES)
		checkers = find_duty(&g, king);
	if (checks) {
		look_around(&g, enemy, s->side, s->side, g.opens, unused);
		find_checks(&g, enemy);
		for (unsigned square = 0; square < SHOGI_SQUARES; square++)
			g.some_open |= g.opens[square];
	}
	if (king < SHOGI_SQUARES && (!checks || g.some_open))
		list_king_moves(&g, king);
	if (checkers > 1)
		return g.count;
	for (unsigned square = 0; square < SHOGI_SQUARES; square++)
		if (s->at[square] == (SHOGI_PAWN | s->side * SHOGI_SECOND))
			g.pawns |= (uint16_t)(1u << square / 9);
	for (unsigned to = 0; to < SHOGI_SQUARES; to++)
		if ((!checkers || g.targets[to]) && (!checks || g.some_open || g.gives[to]))
			list_moves_to(&g, to);
	for (unsigned to = 0; to < SHOGI_SQUARES; to++)
		if (!s->at[to] && (!checkers || g.targets[to]) && (!checks || g.gives[to]))
			list_drops(&g, to);
	PD_ASSERT(g.count <= SHOGI_MOVES_MAX);
	return g.count;
}

void shogi_play(struct shogi_state *s, game_move move)
{
	unsigned from = move & 127, to = move >> 7 & 127, piece;
	PD_DEBUG_ASSERT(to < SHOGI_SQUARES && from < SHOGI_SQUARES + SHOGI_HAND);
	if (from < SHOGI_SQUARES) {
		piece = s->at[from] + (move >> 14 ? SHOGI_PROMOTED : 0);
		s->at[from] = 0;
		if (s->at[to])
			s->hand[s->side][shogi_base(s->at[to]) - 1]++;
		if (shogi_kind(piece) == SHOGI_KING)
			s->king[s->side] = (uint8_t)to;
	} else {
		piece = from - SHOGI_SQUARES + 1 + s->side * SHOGI_SECOND;
		s->hand[s->side][from - SHOGI_SQUARES]--;
	}
	s->at[to] = (uint8_t)piece;
	s->side ^= 1;
}
