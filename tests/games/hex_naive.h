/* Naive Hex: a second implementation on a plain array, all boards of a size by number, and who wins by trying
 * everything; and what the tests of Hex share to compare the game with it. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/game.h"
#include "solver/solver.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

struct naive {
	int width, height;
	bool second;       /* Second is to move */
	char cell[20][20]; /* [row from the top][column]: 'x', 'o' or '.' */
};

static inline struct naive naive_start(int width, int height)
{
	struct naive n = {.width = width, .height = height};
	memset(n.cell, '.', sizeof n.cell);
	return n;
}

/* Walks over the stones of a side from a cell on and wipes them out; true when its far edge is met. */
static inline bool naive_walk(struct naive *n, int row, int column, char side)
{
	if (row < 0 || row >= n->height || column < 0 || column >= n->width || n->cell[row][column] != side)
		return false;
	n->cell[row][column] = '#';
	bool met = side == 'x' ? row == n->height - 1 : column == n->width - 1;
	for (int down = -1; down <= 1; down++)
		for (int right = -1; right <= 1; right++)
			if (down != right) /* neither the cell itself nor those up left and down right, which are no
					      neighbours */
				met |= naive_walk(n, row + down, column + right, side);
	return met;
}

static inline bool naive_joined(const struct naive *n, char side)
{
	struct naive copy = *n;
	bool met = false;
	for (int i = 0; i < (side == 'x' ? n->width : n->height); i++)
		met |= side == 'x' ? naive_walk(&copy, 0, i, side) : naive_walk(&copy, i, 0, side);
	return met;
}

static inline bool naive_over(const struct naive *n, int *value)
{
	*value = naive_joined(n, 'x') ? 1 : naive_joined(n, 'o') ? -1 : 0;
	return *value != 0;
}

static inline int naive_stones(const struct naive *n, char kind)
{
	int count = 0;
	for (int cell = 0; cell < n->width * n->height; cell++)
		count += n->cell[cell / n->width][cell % n->width] == kind;
	return count;
}

static inline bool naive_play(struct naive *n, int cell)
{
	char *at = &n->cell[cell / n->width][cell % n->width];
	if (*at != '.')
		return false;
	*at = n->second ? 'o' : 'x';
	n->second = !n->second;
	return true;
}

static inline uint64_t naive_perft(const struct naive *n, int depth)
{
	int value;
	uint64_t total = 0;
	if (depth == 0)
		return 1;
	if (naive_over(n, &value))
		return 0;
	for (int cell = 0; cell < n->width * n->height; cell++) {
		struct naive next = *n;
		if (naive_play(&next, cell))
			total += naive_perft(&next, depth - 1);
	}
	return total;
}

static inline bool naive_immediate_win(const struct naive *n)
{
	int value;
	for (int cell = 0; cell < n->width * n->height; cell++) {
		struct naive next = *n;
		if (naive_play(&next, cell) && naive_over(&next, &value))
			return true;
	}
	return false;
}

/* The key of what moves can reach, from the words of solver/games/hex.h; returns its size. */
static inline size_t naive_key(const struct naive *n, uint8_t out[GAME_KEY_MAX])
{
	uint8_t image[2][GAME_KEY_MAX] = {{0}};
	int cells = n->width * n->height;
	size_t size = (size_t)(2 * cells + 7) / 8;
	for (int turned = 0; turned < 2; turned++)
		for (int i = 0; i < cells; i++) {
			int from = turned ? cells - 1 - i : i;
			char stone = n->cell[from / n->width][from % n->width];
			int bit = stone == 'o' ? cells + i : i;
			if (stone != '.')
				image[turned][bit / 8] |= (uint8_t)(1 << bit % 8);
		}
	/* First's number counts before Second's, although it stands lower. */
	int best = 0, differs = 0;
	for (int i = 0; i < 2 * cells && !differs; i++) {
		int bit = i < cells ? cells - 1 - i : 3 * cells - 1 - i;
		differs = (image[0][bit / 8] >> bit % 8 & 1) - (image[1][bit / 8] >> bit % 8 & 1);
		best = differs > 0;
	}
	memcpy(out, image[best], size);
	return size;
}

/* The board of a number in base 3, after moves from the start. */
static inline struct naive board_of(int width, int height, unsigned number)
{
	struct naive n = naive_start(width, height);
	for (int cell = 0; cell < width * height; cell++, number /= 3)
		n.cell[cell / width][cell % width] = ".xo"[number % 3];
	n.second = naive_stones(&n, 'x') > naive_stones(&n, 'o');
	return n;
}

/* Marks every board that comes up in a game. */
static inline void mark_reachable(const struct naive *n, unsigned number, bool *seen)
{
	int value, cells = n->width * n->height;
	if (seen[number])
		return;
	seen[number] = true;
	if (naive_over(n, &value))
		return;
	for (int cell = 0, weight = 1; cell < cells; cell++, weight *= 3) {
		struct naive next = *n;
		if (naive_play(&next, cell))
			mark_reachable(&next, number + (unsigned)(weight * (n->second + 1)), seen);
	}
}

/* The number of the board turned by 180 degrees. */
static inline unsigned turned(unsigned number, int cells)
{
	unsigned out = 0;
	for (int cell = 0; cell < cells; cell++, number /= 3)
		out = 3 * out + number % 3;
	return out;
}

static const struct {
	int width, height;
} small[] = {{3, 3}, {4, 2}, {2, 4}, {3, 2}, {1, 5}, {5, 1}, {1, 1}, {2, 2}};

enum { SMALL = sizeof small / sizeof small[0] };

/* Who wins with best play, by trying everything; `known` has two bytes for every board, one for each side to move: 0
 * unknown, 1 First, 2 Second. */
static inline bool first_wins(const struct naive *n, unsigned number, uint8_t *known)
{
	int value, cells = n->width * n->height;
	bool first = !n->second, wins = !first;
	uint8_t *mine = &known[2 * number + n->second];
	if (*mine)
		return *mine == 1;
	if (naive_over(n, &value))
		wins = value > 0;
	else
		for (int cell = 0, weight = 1; cell < cells && wins != first; cell++, weight *= 3) {
			struct naive next = *n;
			if (naive_play(&next, cell))
				wins = first_wins(&next, number + (unsigned)(weight * (n->second + 1)), known);
		}
	*mine = wins ? 1 : 2;
	return wins;
}

/* --- the game under test ------------------------------------------------------------------ */

static inline struct game *opened_board(int width, int height)
{
	char name[32];
	snprintf(name, sizeof name, "hex:%dx%d", width, height);
	return open_game(name);
}

static inline int solve_position(const struct game *game, const char *text, const char *claim_text,
				 enum pn_algorithm algorithm)
{
	struct walk_state s = parse_position(game, text);
	struct pn_options o;
	struct pd_claim claim;
	struct pn_solver *solver;
	struct pn_answer answer;
	pn_options_init(&o);
	o.memory = 16 << 20;
	o.algorithm = algorithm;
	ck_assert(!pd_claim_parse(claim_text, &claim, NULL));
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, &s, &claim, &o, NULL, NULL}, &solver, NULL));
	ck_assert_int_eq(solve_all(solver, 1 << 24, NULL), PN_ANSWERED);
	pn_solver_answer(solver, &answer);
	ck_assert_int_eq(answer.lo, answer.hi);
	pn_solver_free(solver);
	return answer.lo;
}
