/* Naive: a second implementation of connect4 and mnk on a plain array, square by square, that shares nothing with
 * solver/games. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct naive {
	int width, height, k;
	bool gravity;
	int turn, opening; /* stones a turn; on the first turn; 0 stands for 1 */
	bool exact;        /* longer lines do not win */
	int plies;
	char cell[64][64]; /* [row from the bottom][column]: 'x', 'o' or '.' */
};

static inline struct naive naive_start(int width, int height, int k, bool gravity)
{
	struct naive n = {.width = width, .height = height, .k = k, .gravity = gravity};
	memset(n.cell, '.', sizeof n.cell);
	return n;
}

/* What stands there; '!' off the board. */
static inline char naive_at(const struct naive *n, int row, int column)
{
	return row < 0 || row >= n->height || column < 0 || column >= n->width ? '!' : n->cell[row][column];
}

static inline bool naive_line_from(const struct naive *n, int row, int column, int up, int right)
{
	char stone = n->cell[row][column];
	for (int i = 0; i < n->k; i++)
		if (naive_at(n, row + i * up, column + i * right) != stone)
			return false;
	if (n->exact && (naive_at(n, row - up, column - right) == stone ||
			 naive_at(n, row + n->k * up, column + n->k * right) == stone))
		return false;
	return stone != '.';
}

/* The player who has a line, or '.'. */
static inline char naive_winner(const struct naive *n)
{
	for (int row = 0; row < n->height; row++)
		for (int column = 0; column < n->width; column++)
			if (naive_line_from(n, row, column, 0, 1) || naive_line_from(n, row, column, 1, 0) ||
			    naive_line_from(n, row, column, 1, 1) || naive_line_from(n, row, column, 1, -1))
				return n->cell[row][column];
	return '.';
}

static inline bool naive_over(const struct naive *n, int *value)
{
	char winner = naive_winner(n);
	*value = winner == 'x' ? 1 : winner == 'o' ? -1 : 0;
	return winner != '.' || n->plies == n->width * n->height;
}

/* Whose stone comes next. */
static inline char naive_mover(const struct naive *n)
{
	int opening = n->opening ? n->opening : 1, turn = n->turn ? n->turn : 1, left = opening;
	char side = 'x';
	for (int i = 0; i < n->plies; i++)
		if (!--left) {
			side = side == 'x' ? 'o' : 'x';
			left = turn;
		}
	return side;
}

/* A stone in the column (with gravity; row is then ignored) or on the square; false when that is impossible. */
static inline bool naive_play(struct naive *n, int row, int column)
{
	if (n->gravity)
		for (row = 0; row < n->height && n->cell[row][column] != '.';)
			row++;
	if (row >= n->height || n->cell[row][column] != '.')
		return false;
	n->cell[row][column] = naive_mover(n);
	n->plies++;
	return true;
}

/* Positions after `depth` plies. */
static inline uint64_t naive_perft(const struct naive *n, int depth)
{
	int value;
	uint64_t total = 0;
	if (depth == 0)
		return 1;
	if (naive_over(n, &value))
		return 0;
	for (int row = 0; row < (n->gravity ? 1 : n->height); row++)
		for (int column = 0; column < n->width; column++) {
			struct naive next = *n;
			if (naive_play(&next, row, column))
				total += naive_perft(&next, depth - 1);
		}
	return total;
}

static inline bool naive_immediate_win(const struct naive *n)
{
	for (int row = 0; row < (n->gravity ? 1 : n->height); row++)
		for (int column = 0; column < n->width; column++) {
			struct naive next = *n;
			if (naive_play(&next, row, column) && naive_winner(&next) != '.')
				return true;
		}
	return false;
}

/* The board form: rows from the top. */
static inline void naive_print(const struct naive *n, char *out)
{
	for (int row = n->height - 1; row >= 0; row--) {
		int empty = 0;
		for (int column = 0; column <= n->width; column++) {
			char c = column < n->width ? n->cell[row][column] : '!';
			if (c == '.') {
				empty++;
				continue;
			}
			if (empty)
				out += sprintf(out, "%d", empty);
			if (c != '!')
				*out++ = c;
			empty = 0;
		}
		if (row > 0 || n->height == 1)
			*out++ = '/';
	}
	*out = 0;
}

/* The image under one of the symmetries 0..7: bit 0 mirrors the columns, bit 1 the rows, bit 2 swaps the axes. */
static inline struct naive naive_image(const struct naive *n, int symmetry)
{
	struct naive image = *n;
	for (int row = 0; row < n->height; row++)
		for (int column = 0; column < n->width; column++) {
			int r = symmetry & 2 ? n->height - 1 - row : row,
			    c = symmetry & 1 ? n->width - 1 - column : column;
			image.cell[symmetry & 4 ? c : r][symmetry & 4 ? r : c] = n->cell[row][column];
		}
	return image;
}

/* How many symmetries the game has; they are the first ones of naive_image. */
static inline int naive_symmetries(const struct naive *n)
{
	return n->gravity ? 2 : n->width == n->height ? 8 : 4;
}
