/* Picture: positions drawn in characters, and names of moves.
 *
 * No verdict depends on it. The names are those of proofctl; tests/proofcheck/compare.h compares the two. */
#pragma once

#include "clients/proofcheck/rules.h"

/* Prints the position's board to stdout, each line after two blanks; nothing for a game without a picture. In a grid a
 * mark, one for each square, stands for what is on the square; 0: none. `marks` may be NULL. */
void ck_picture(const struct ck_game *game, const struct ck_position *p, const char *marks);
/* Prints a weight for each square of the board, two's complement, in the place of the grid's men; nothing without a
 * grid. */
void ck_picture_weights(const struct ck_game *game, const struct ck_position *p, const uint8_t *weights);

/* The name of a legal move. */
void ck_move_name(const struct ck_game *game, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT]);
/* Finds the legal move that has the name (its first `size` bytes), or is #CODE; false when there is none. */
bool ck_move_find(const struct ck_game *game, const struct ck_position *p, const char *name, size_t size,
		  uint16_t *move);
