/* Text: what the games share in reading and writing.
 *
 * A line is a bounded output that counts what it could not hold, so that the print functions of a game can behave like
 * snprintf. The board form is one way of writing down any board with stones of two players: rows from the top,
 * separated by '/', x for First, o for Second, a number for a run of empty squares, as in `3/1x1/o2`. It is recognised
 * by its slash, which no list of moves has, so a board of one row carries a slash at its end. Squares are numbered row
 * by row from the bottom left: square = row * width + column. */
#ifndef GAMES_TEXT_H
#define GAMES_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "solver/game.h"

struct text_line {
	char *out;     /* of the caller; may be NULL when size is 0 */
	size_t size;   /* bytes of out */
	size_t length; /* wanted so far, the terminating zero not counted; may be size and more */
};

/* Begins a line; out is terminated from here on. */
struct text_line text_line(char *out, size_t size);
/* Appends one character, or what the format says. What has no room is counted in length and left out. */
static inline void text_char(struct text_line *line, char c)
{
	if (line->length + 1 < line->size) {
		line->out[line->length] = c;
		line->out[line->length + 1] = 0;
	}
	line->length++;
}
void text_printf(struct text_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a decimal number of at most nine digits at *text and moves behind it; false when there is none. */
bool text_number(const char **text, unsigned *out);

/* The first bytes of a text (at most size, and 64) fit for a message: what is not plain ASCII becomes '?', so that
 * cutting never leaves half a character. */
struct text_excerpt {
	char text[65];
};
struct text_excerpt text_excerpt(const char *text, size_t size);

enum { TEXT_SQUARES_MAX = 400 };

/* A board of at most TEXT_SQUARES_MAX squares: 'x' First's stone, 'o' Second's, 0 an empty square. */
struct text_board {
	unsigned width, height;
	char at[TEXT_SQUARES_MAX];
};

/* True when a position's text is a board and not a list of moves. */
bool text_is_board(const char *text);
/* Reads the board form into board->at; width and height are given. PD_E_POSITION with field "position", naming the
 * index of the character at fault. Nothing is said about the number of stones. */
int text_board_parse(struct text_board *board, const char *text, struct pd_fail *fail);
size_t text_board_print(const struct text_board *board, char *out, size_t size);
/* The board form on a board of places in the order of game_board_grid, whose pieces are x and o in this order: puts the
 * stones of a printed position on it. */
void text_board_show(const char *printed, unsigned width, unsigned height, struct game_diagram *out);
/* A game's set_up by way of its parse: the diagram is written in the board form. Who is to move must be what follows
 * from the stones, unless the diagram does not say. */
int text_board_set_up(const struct game *game, const struct game_diagram *diagram, unsigned width, unsigned height,
		      void *state, struct pd_fail *fail);
/* PD_E_POSITION, field "position", unless the side to move of a diagram is that of the state that was made from it (any
 * will do where the game is over). */
int text_check_turn(const struct game *game, const struct game_diagram *diagram, const void *state,
		    struct pd_fail *fail);
/* Who is to move, for diagrams: First is GAME_FIRST. */
uint8_t text_turn(const struct game *game, const void *state);

/* Number of set bits; processors without an instruction for it are supported, so this is not for inner loops. */
static inline unsigned text_count(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

#endif
