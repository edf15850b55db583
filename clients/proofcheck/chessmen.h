/* Chessmen: men, their moves, the text of the board and the key, for the two chess games.
 *
 * at: 1 P, 2 N, 3 B, 4 R, 5 Q, 6 K; plus 8 for Black's. turn: 0 White, 1 Black. Squares from a1 = 0, b1 = 1 to h8
 * = 63. Move code: from | to << 6 | man << 12, where man is the promotion (2 to 6), else 0. The safety of kings
 * is not considered here. */
#pragma once

#include "clients/proofcheck/rules.h"

enum { CK_PAWN = 1, CK_KNIGHT, CK_BISHOP, CK_ROOK, CK_QUEEN, CK_KING };
enum { CK_MEN_KEY_HEAD = 10 };

static inline unsigned ck_man_kind(unsigned man)
{
	return man & 7;
}

/* The colour of a man, 0 White or 1 Black; not for an empty square. */
static inline unsigned ck_man_colour(unsigned man)
{
	return man >> 3;
}

static inline bool ck_man_is(const struct ck_position *p, unsigned square, unsigned kind, unsigned colour)
{
	return p->at[square] == (kind | colour << 3);
}

/* True when a man of that colour attacks the square. */
bool ck_attacked(const struct ck_position *p, unsigned square, unsigned colour);

/* The pseudo-legal moves of the side to move: captures (also en passant, when p->passant allows), steps, promotions to
 * the kinds CK_KNIGHT to last_kind. No castling. */
unsigned ck_men_moves(const struct ck_position *p, unsigned last_kind, uint16_t *out);
/* True when a move of ck_men_moves is a capture. */
bool ck_men_takes(const struct ck_position *p, unsigned move);
/* Plays such a move, with capture, promotion and change of turn. p->passant becomes 1 + the file of a double step if an
 * enemy pawn stands next to its target square, else 0; the game decides whether that pawn may capture. */
void ck_men_play(struct ck_position *p, unsigned move);

/* Finds out whether a FEN has its four fields, with one blank between them. NULL if it does, else an error message. */
const char *ck_men_find_fields(const char *text);
/* Reads board and side to move of a FEN; *rest is what follows after blanks. NULL on success, else an error message. */
const char *ck_men_read(const char *text, struct ck_position *p, const char **rest);
/* Reads the en passant field and sets p->passant if a pawn of the side to move is ready to capture; advances *rest. */
const char *ck_men_read_passant(const char **rest, struct ck_position *p);
/* Skips the two counters of a FEN, if present. */
const char *ck_men_skip_counters(const char *rest);
/* The rule of N moves: when 2N plies (g->line, 0: no rule) in a row were neither captures nor moves of pawns, a game
 * that is not over otherwise is a draw. p->node counts them; it is the last byte of the key and the first counter of a
 * FEN.
 *
 * Sets the rule by the parameter N, 1 to 127, or by "" for none; false for other texts. */
bool ck_men_open_limit(struct ck_game *g, const char *text);
bool ck_men_expired(const struct ck_game *g, const struct ck_position *p);
/* Counts a move; before ck_men_play. */
void ck_men_count(const struct ck_game *g, struct ck_position *p, unsigned move);
/* Reads both counters; advances *rest. */
const char *ck_men_read_counters(const struct ck_game *g, const char **rest, struct ck_position *p);
/* Appends to a FEN, or a key, of that size; returns the new one. */
size_t ck_men_print_counters(const struct ck_game *g, const struct ck_position *p, char *out, size_t size);
size_t ck_men_encode_count(const struct ck_game *g, const struct ck_position *p, uint8_t *out, size_t size);
/* Decodes the last byte of a key, and takes it off *size. */
bool ck_men_decode_count(const struct ck_game *g, const uint8_t *key, size_t *size, struct ck_position *p);
/* With a smaller counter a side reaches every end of the game that it reaches with a greater one; with a greater one it
 * keeps every bound that infinite play gives and that it keeps with a smaller one. */
bool ck_men_dominates(const struct ck_game *g, const struct ck_position *a, const struct ck_position *b, int64_t bound,
		      bool upper);
/* Prints a FEN without counters: board, side, the given rights, the en passant square. Returns its length. */
size_t ck_men_print(const struct ck_position *p, const char *rights, char *out);

/* How the board is drawn and how moves are written: e2e4, a7a8q. */
extern const struct ck_grid ck_men_grid;
void ck_men_move_name(const struct ck_game *game, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT]);

/* Writes the key: byte 0 as given, byte 1 p->passant, then a bit set of occupied squares and a nibble for each man. */
size_t ck_men_encode(const struct ck_position *p, unsigned head, uint8_t *out);
/* Decodes a key; byte 0 is the caller's. False when the bytes are not a key, or there is a pawn on its first or last
 * row. */
bool ck_men_decode(const uint8_t *key, size_t size, struct ck_position *p);
/* True when no en passant capture is marked, or a pawn can just have passed and an enemy pawn stands next to it. */
bool ck_men_passant_fits(const struct ck_position *p);
