/* Cover: lines of squares, and a search for groups of squares that cover them.
 *
 * The search may miss groups, or find wrong ones: what it finds is verified like the witness of a file. */
#pragma once

#include "clients/proofcheck/witness.h"

enum { CK_BOARD_LINES_MAX = 4 * CK_SQUARES_MAX }; /* lines of one length on a board */

/* --- lines --- */

/* Squares start, start + step, start + 2 step, ...; the squares before and after them, -1 off the board. */
struct ck_line {
	int start, step, before, after;
};

/* The line of `length` squares with that number, 0 to 4 * width * height - 1: from each square to the right, upwards,
 * and along both diagonals. False when it leaves the board. */
bool ck_line_numbered(const struct ck_game *game, unsigned number, unsigned length, struct ck_line *out);

/* --- search --- */

/* Squares as bits of a number, as the caller numbers them. */
__extension__ typedef unsigned __int128 ck_set;
enum { CK_SET_MAX = 128 };

unsigned ck_set_count(ck_set set);

/* A question: disjoint groups of `size` squares each, one of them in every line; with `weighs`, light lines may be
 * left without a group (T11 of solver/games/THEOREMS.md, with the attacker to move). */
struct ck_cover {
	unsigned size; /* at least 1 */
	bool weighs;
	unsigned steps; /* lines that the search may still look at before it gives up */
	unsigned lines;
	ck_set line[CK_BOARD_LINES_MAX];
	unsigned count;
	ck_set group[CK_SET_MAX]; /* the answer */
};

/* Looks for the groups. True: count and group are the answer. */
bool ck_cover_find(struct ck_cover *cover);
/* Appends the answer to a witness of card->size bytes in `room`; `square` gives the number of each bit's square. False
 * when there is no room. */
bool ck_cover_write(const struct ck_cover *cover, const uint16_t square[CK_SET_MAX], struct ck_card *card,
		    uint8_t *room);
