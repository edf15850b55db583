/* Chessboard: bitboards, lines, pawns and keys, which the games on a chessboard share (chess_text.h: text).
 *
 * Squares are numbered a1 = 0, b1 = 1, ..., h8 = 63; a set of squares is a word, bit = square. A man's code is 1 pawn,
 * 2 knight, 3 bishop, 4 rook, 5 queen, 6 king, plus 8 for Black, and the board is four planes, one for each bit of the
 * code. So a board takes 32 bytes, a move changes it without regard to the kind of man, and the key is made from the
 * planes. White moves up the board.
 *
 * Sliders. `lower` and `upper` are the squares of a line below and above a square, by number. A slider reaches down to
 * the highest man below and up to the lowest man above, both included; the difference of two powers of two is the run
 * of bits in between (obstruction difference, Michael Hoffmann). The four lines of a square fill one cache line.
 *
 * Key. Byte 0: bit 0 the side to move (0 White, 1 Black), bits 1-4 castling rights K Q k q (chess-mate only; only
 * rights that still exist), bit 5 First is Black (chess-mate only). Byte 1: 0, or file+1 (a=1) of an en-passant target
 * when a legal en-passant capture exists now. Bytes 2-9: occupancy, 64 bits little-endian, a1 = bit 0, b1 = bit 1, ...
 * h8 = bit 63. Then one nibble for each occupied square in ascending order, low nibble first, the last one padded with
 * 0: 1 P, 2 N, 3 B, 4 R, 5 Q, 6 K, plus 8 for Black. With the rule of N moves a last byte: the halfmoves since the last
 * capture or pawn's move, 0 to 2N; it is the order part for dominance. No symmetries.
 *
 * Move code. from | to << 6 | promotion << 12 (0 none, 2 N, 3 B, 4 R, 5 Q, 6 K); castling as the king's move.
 *
 * In a position that these files accept, no pawn is on the first or the last row; castling rights exist only with king
 * and rook at home; an en-passant target is behind a pawn that may just have made a double step, and both squares
 * behind the pawn are empty. The games add conditions of their own. The number of men of a kind is not limited, because
 * composers do not limit it either. */
#pragma once

#include "proto/base/assert.h"
#include "solver/games/cells.h"

enum { CHESS_PAWN = 1, CHESS_KNIGHT, CHESS_BISHOP, CHESS_ROOK, CHESS_QUEEN, CHESS_KING, CHESS_BLACK = 8 };
enum { WHITE_SIDE, BLACK_SIDE };
enum { LINE_ROW, LINE_FILE, LINE_RISING, LINE_FALLING, LINES }; /* rising: a1-h8 and its parallels */

/* CHESS_MOVES_MAX is the most moves that any position can have. The moves of at most 16 men end on one square: the
 * nearest in each of 8 directions, and 8 knights; 3 of them may be pawns that become one of 5 men, on 8 squares. So n
 * men have at most 16 (64 - n) + 96 moves; but no man has more than 27, those of a queen in the middle. The lesser of
 * the two is greatest for 26 men, 702, and there are two ways to castle. */
enum { CHESS_MOVES_MAX = 704, CHESS_KEY_MAX = 10 + 32, CHESS_CASTLING = 15 };

#define FILE_A UINT64_C(0x0101010101010101)
#define FILE_H UINT64_C(0x8080808080808080)
#define ROW_1  UINT64_C(0xff)
#define ROW_8  (ROW_1 << 56)

/* No padding: equal states are equal bytes. */
struct chess_state {
	uint64_t plane[4];   /* one for each bit of the men's codes */
	uint8_t side;        /* to move */
	uint8_t rights;      /* castling: 1 K, 2 Q, 4 k, 8 q */
	uint8_t passing;     /* 0, or file + 1 of an en-passant target that can be captured on */
	uint8_t first_black; /* First is Black; never in antichess */
	uint16_t count;      /* chess-mate: the number of legal moves */
	uint8_t check;       /* chess-mate: the side to move is in check */
	uint8_t clock;       /* halfmoves since the last capture or pawn's move; 0 unless the game counts them */
};

/* The geometry of the board; each game has a copy. */
struct chess_lines {
	struct chess_halves {
		uint64_t lower, upper;
	} line[64][LINES];
	uint64_t knight[64], king[64];
};

static inline uint64_t chess_bit(unsigned square)
{
	PD_DEBUG_ASSERT(square < 64);
	return UINT64_C(1) << (square & 63);
}

static inline unsigned chess_first(uint64_t set)
{
	return (unsigned)__builtin_ctzll(set);
}

/* Number of set bits. Without an instruction for it, the compiler's own function would look bytes up in a table. */
static inline unsigned chess_count(uint64_t set)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
	set -= set >> 1 & UINT64_C(0x5555555555555555);
	set = (set & UINT64_C(0x3333333333333333)) + (set >> 2 & UINT64_C(0x3333333333333333));
	set = (set + (set >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(set * UINT64_C(0x0101010101010101) >> 56);
#else
	return (unsigned)__builtin_popcountll(set);
#endif
}

/* The squares that a slider reaches on one line, including that of the man that stops it. */
static inline uint64_t chess_slide(const struct chess_lines *l, unsigned line, unsigned square, uint64_t occupied)
{
	const struct chess_halves *h = &l->line[square][line];
	uint64_t lower = h->lower & occupied, upper = h->upper & occupied;
	uint64_t down = (UINT64_C(1) << 63) >> __builtin_clzll(lower | 1), up = upper & (~upper + 1);
	return (h->lower | h->upper) & (2 * up - down);
}

static inline uint64_t chess_straight(const struct chess_lines *l, unsigned square, uint64_t occupied)
{
	return chess_slide(l, LINE_ROW, square, occupied) | chess_slide(l, LINE_FILE, square, occupied);
}

static inline uint64_t chess_oblique(const struct chess_lines *l, unsigned square, uint64_t occupied)
{
	return chess_slide(l, LINE_RISING, square, occupied) | chess_slide(l, LINE_FALLING, square, occupied);
}

/* --- men ---------------------------------------------------------------------------------- */

/* The board sorted by kind. A queen counts among the oblique and the straight sliders. */
struct chess_men {
	uint64_t own, enemy, occupied;
	uint64_t pawns, knights, oblique, straight, kings; /* of both sides */
};

static inline struct chess_men chess_men(const struct chess_state *s)
{
	const uint64_t *p = s->plane;
	uint64_t occupied = p[0] | p[1] | p[2], own = s->side ? p[3] : occupied & ~p[3];
	return (struct chess_men){
		.own = own,
		.enemy = occupied ^ own,
		.occupied = occupied,
		.pawns = p[0] & ~p[1] & ~p[2],
		.knights = p[1] & ~p[0] & ~p[2],
		.oblique = p[0] & (p[1] | p[2]),
		.straight = p[2] & ~p[1],
		.kings = p[1] & p[2],
	};
}

/* The code of the man on a square, 0 when it is empty. */
static inline unsigned chess_man(const struct chess_state *s, unsigned square)
{
	unsigned code = 0;
	for (unsigned i = 0; i < 4; i++)
		code |= (unsigned)(s->plane[i] >> square & 1) << i;
	return code;
}

static inline void chess_clear(struct chess_state *s, uint64_t squares)
{
	for (unsigned i = 0; i < 4; i++)
		s->plane[i] &= ~squares;
}

static inline void chess_put(struct chess_state *s, unsigned square, unsigned code)
{
	for (unsigned i = 0; i < 4; i++)
		s->plane[i] |= (uint64_t)(code >> i & 1) << square;
}

/* --- pawns -------------------------------------------------------------------------------- */

static inline uint64_t chess_rotate(uint64_t set, unsigned by)
{
	return set << by | set >> (64 - by);
}

/* A pawn's steps, ahead, two ahead, ahead and to the west or the east; chess_by is their distance modulo 64. */
enum chess_step { STEP_AHEAD, STEP_TWO, STEP_WEST, STEP_EAST };

static inline unsigned chess_by(enum chess_step step, unsigned side)
{
	static const uint8_t by[2][4] = {{8, 16, 7, 9}, {56, 48, 55, 57}};
	return by[side][step];
}

static inline uint64_t chess_ahead(uint64_t pawns, unsigned side)
{
	return chess_rotate(pawns, chess_by(STEP_AHEAD, side));
}

static inline uint64_t chess_west(uint64_t pawns, unsigned side)
{
	return chess_rotate(pawns & ~FILE_A, chess_by(STEP_WEST, side));
}

static inline uint64_t chess_east(uint64_t pawns, unsigned side)
{
	return chess_rotate(pawns & ~FILE_H, chess_by(STEP_EAST, side));
}

/* The row that a pawn's single step reaches before it may take the second. */
static inline uint64_t chess_third_row(unsigned side)
{
	return side ? ROW_1 << 40 : ROW_1 << 16;
}

/* The square of the en-passant target; only when there is one. */
static inline unsigned chess_passing_square(const struct chess_state *s)
{
	return (s->side ? 16u : 40u) + s->passing - 1;
}

/* The pawn that is captured on the en-passant target. */
static inline unsigned chess_passed_pawn(const struct chess_state *s)
{
	return chess_passing_square(s) + (s->side ? 8 : -8u);
}

/* The mover's pawns beside the pawn that has just passed. */
static inline uint64_t chess_passing_pawns(const struct chess_state *s, uint64_t pawns)
{
	uint64_t target = chess_bit(chess_passing_square(s));
	return pawns & (chess_west(target, !s->side) | chess_east(target, !s->side));
}

/* --- moves -------------------------------------------------------------------------------- */

static inline unsigned chess_code(unsigned from, unsigned to)
{
	return from | to << 6;
}

/* True for a man from the hand, in crazyhouse: from and to are its square, and the promotion is its kind. */
static inline bool chess_is_drop(game_move move)
{
	return (move & 63) == (move >> 6 & 63);
}

/* Writes a man's moves to the targets; returns the end of the list. */
static inline game_move *chess_emit(game_move *out, unsigned from, uint64_t targets)
{
	for (; targets; targets &= targets - 1)
		*out++ = (game_move)chess_code(from, chess_first(targets));
	return out;
}

/* Writes the moves of pawns that reach the targets with a step. A pawn on the last row becomes each man from `best`
 * down to a knight. */
static inline game_move *chess_emit_pawns(game_move *out, uint64_t targets, enum chess_step step, unsigned side,
					  unsigned best)
{
	for (; targets; targets &= targets - 1) {
		unsigned to = chess_first(targets), code = chess_code((to - chess_by(step, side)) & 63, to);
		if (!(chess_bit(to) & (ROW_1 | ROW_8))) {
			*out++ = (game_move)code;
			continue;
		}
		for (unsigned man = best; man >= CHESS_KNIGHT; man--)
			*out++ = (game_move)(code | man << 12);
	}
	return out;
}

/* Moves a man, with captures, en passant and promotion, and passes the turn. `passing` is set after every double step;
 * rights do not change. */
static inline void chess_move_men(struct chess_state *s, game_move move)
{
	unsigned from = move & 63, to = move >> 6 & 63, promotion = move >> 12;
	unsigned man = chess_man(s, from), kind = man & 7;
	uint64_t gone = chess_bit(from) | chess_bit(to);
	if (kind == CHESS_PAWN && s->passing && to == chess_passing_square(s))
		gone |= chess_bit(chess_passed_pawn(s));
	chess_clear(s, gone);
	chess_put(s, to, promotion ? promotion | (man & CHESS_BLACK) : man);
	s->passing = kind == CHESS_PAWN && (from ^ to) == 16 ? (uint8_t)(1 + from % 8) : 0;
	s->side ^= 1;
}

/* --- games -------------------------------------------------------------------------------- */

/* What distinguishes the two games where they share code. */
struct chess_form {
	bool mate;        /* chess-mate: castling, First, no promotion to a king */
	const char *hint; /* appended to the error about an illegal move; may be "" */
	/* Returns what is wrong with men and turn. If nothing is, returns NULL, completes the state, and clears
	 * `passing` if nothing can be captured there. */
	const char *(*complete)(const struct game *game, struct chess_state *s);
};

/* The beginning of both games' structs. */
struct chess_game {
	struct cells_game base;
	const struct chess_form *form;
	struct chess_lines lines;
	/* The rule of N moves: 2N, the halfmoves without a capture or pawn's move after which a game that goes on is
	 * drawn. 0: no such rule. */
	uint8_t limit;
};

static inline const struct chess_game *chess_of(const struct game *game)
{
	return (const struct chess_game *)game;
}

/* A capture or a pawn's move. */
static inline bool chess_resets(const struct chess_state *s, game_move move)
{
	const uint64_t *p = s->plane;
	return ((p[0] & ~p[1] & ~p[2]) >> (move & 63) & 1) | ((p[0] | p[1] | p[2]) >> (move >> 6 & 63) & 1);
}

/* Counts a legal move that is about to be made. */
static inline void chess_tick(const struct game *game, struct chess_state *s, game_move move)
{
	if (chess_of(game)->limit)
		s->clock = chess_resets(s, move) ? 0 : (uint8_t)(s->clock + 1);
}

/* True if a game that is not over otherwise is drawn by the rule of N moves. */
static inline bool chess_expired(const struct game *game, const struct chess_state *s)
{
	return chess_of(game)->limit && s->clock >= chess_of(game)->limit;
}

/* Fills in what follows from men, turn and marks. Returns what is wrong with the position, or NULL. */
const char *chess_complete(const struct game *game, struct chess_state *s);
void chess_lines_init(struct chess_lines *lines);
/* Returns what is wrong with the en-passant target, or NULL. */
const char *chess_check_passing(const struct chess_state *s);
/* Reads the occupancy and the men of a key of `size` bytes, whose codes are at most `last`; false if they are
 * malformed. */
bool chess_read_men(struct chess_state *s, const uint8_t *key, size_t size, unsigned last);

/* Members of game_rules. */
void chess_start(const struct game *game, void *state);
size_t chess_key(const struct game *game, const void *state, uint8_t *out);
int chess_unkey(const struct game *game, const uint8_t *key, size_t size, void *state);
/* True for a capture or a pawn's move, and for every move where moves are counted. */
bool chess_irreversible(const struct game *game, const void *state, game_move move);
/* A product over the men, each on any square of its colour or promoted to any man, and the numbers of the counter; 0
 * where that is 2^40 or more. */
uint64_t chess_reach(const struct game *game, const void *state);
/* The counter: a bound that takes an end of the game holds with fewer halfmoves, one that infinite play gives with more
 * (THEOREMS.md, T102). */
unsigned chess_order_part(const struct game *game);
bool chess_dominates(const struct game *game, const uint8_t *a, const uint8_t *b, int bound, bool first);
