/* Hex: stones are placed on empty cells of a board of hexagons; each row is shifted half a cell to the right of the row
 * above. First wins with a chain of neighbouring stones from the top row to the bottom row, Second with one from the
 * first column to the last. Exactly one of them wins, at the latest when the board is full.
 *
 * at: 1 First's stone, 2 Second's; cells row by row from the top left. First opens. Move code: the cell.
 *
 * Text: the cells played from the start, as in c2 b3, the letter for the column, the number for the row from the top.
 *
 * Key. First's stones as a number, bit = cell, then Second's in as many bits again; one string of bits, lowest first,
 * in as few bytes as hold it. Of the position and its image turned by 180 degrees (the last cell becomes the first)
 * the one whose First's number is smaller; if those are equal, the one whose Second's is. */
#include "clients/proofcheck/rules.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

enum { SIDE_MAX = 11, CELLS_MAX = SIDE_MAX * SIDE_MAX };

static unsigned cells_of(const struct ck_game *g)
{
	return g->width * g->height;
}

/* True when the stones of that kind form a chain between their two edges: flood fill from one edge. */
static bool joined(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	/* Steps to the right and down: side by side in a row, in a column, and a row below and a column to the left or
	 * the other way round. */
	static const int ways[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {-1, 1}, {1, -1}};
	int width = (int)g->width, height = (int)g->height;
	bool reached[CELLS_MAX] = {false};
	int list[CELLS_MAX];
	unsigned count = 0;
	for (int i = 0; i < width * height; i++)
		if (p->at[i] == kind && (kind == 1 ? i / width == 0 : i % width == 0)) {
			reached[i] = true;
			list[count++] = i;
		}
	for (unsigned done = 0; done < count; done++) {
		int column = list[done] % width, row = list[done] / width;
		if (kind == 1 ? row == height - 1 : column == width - 1)
			return true;
		for (unsigned way = 0; way < 6; way++) {
			int right = column + ways[way][0], down = row + ways[way][1], next = down * width + right;
			if (right < 0 || right >= width || down < 0 || down >= height || p->at[next] != kind ||
			    reached[next])
				continue;
			reached[next] = true;
			list[count++] = next;
		}
	}
	return false;
}

/* Only the one who has just moved can have won: see `fault`. */
static bool over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	if (!joined(g, p, p->turn ? 1 : 2))
		return false;
	*value = p->turn ? 1 : -1;
	return true;
}

static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	(void)g;
	return p->turn == 0;
}

static unsigned moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < cells_of(g); i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

static void play(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && !p->at[move]);
	p->at[move] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

/* A stone without which the side that has just moved would have no chain; `cells` when there is none. */
static unsigned deciding(const struct ck_game *g, const struct ck_position *p)
{
	unsigned kind = p->turn ? 1 : 2, i = 0;
	for (; i < cells_of(g); i++) {
		struct ck_position before = *p;
		before.at[i] = 0;
		if (p->at[i] == kind && !joined(g, &before, kind))
			break;
	}
	return i;
}

/* Whether the board can come up. Fills in the side to move. */
static bool comes_up(const struct ck_game *g, struct ck_position *p)
{
	unsigned stones[3] = {0};
	for (unsigned i = 0; i < cells_of(g); i++)
		stones[p->at[i]]++;
	if (stones[1] != stones[2] && stones[1] != stones[2] + 1)
		return false;
	p->turn = stones[1] != stones[2];
	if (joined(g, p, p->turn ? 2 : 1))
		return false;
	return !joined(g, p, p->turn ? 1 : 2) || deciding(g, p) < cells_of(g);
}

static const char *read(const struct ck_game *g, const char *text, struct ck_position *out)
{
	int value;
	memset(out, 0, sizeof *out);
	for (;;) {
		unsigned row;
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		int column = *text++ - 'a';
		if (column < 0 || column >= (int)g->width || !ck_number(&text, &row) || row > g->height ||
		    !strchr(" ,\t", *text))
			return "there is no such cell";
		unsigned cell = (row - 1) * g->width + (unsigned)column;
		if (over(g, out, &value))
			return "a move was played after the end of the game";
		if (out->at[cell])
			return "a stone was put on a cell that is taken";
		play(g, out, (uint16_t)cell);
	}
}

/* The stones are written as if played by number of the cell, from the top left; where the game is over, a stone that
 * decided it is played last. */
static void print(const struct ck_game *g, const struct ck_position *p, char *out)
{
	int value;
	unsigned order[2][CELLS_MAX] = {{0}}, count[2] = {0, 0}, cells = cells_of(g),
		 last = over(g, p, &value) ? deciding(g, p) : cells;
	for (unsigned i = 0; i < cells; i++)
		if (p->at[i] && i != last)
			order[p->at[i] - 1][count[p->at[i] - 1]++] = i;
	PD_ASSERT(last >= cells || p->at[last] == 1 || p->at[last] == 2);
	if (last < cells)
		order[p->at[last] - 1][count[p->at[last] - 1]++] = last;
	*out = '\0';
	for (unsigned ply = 0; ply < count[0] + count[1]; ply++) {
		unsigned cell = order[ply % 2][ply / 2];
		out += sprintf(out, "%s%c%u", ply ? " " : "", (char)('a' + cell % g->width), cell / g->width + 1);
	}
}

/* The bits of the position's key, or of its image's, one a byte: First's, then Second's. */
static void bits_of(const struct ck_game *g, const struct ck_position *p, bool turned, uint8_t bits[2 * CELLS_MAX])
{
	unsigned cells = cells_of(g);
	for (unsigned i = 0; i < cells; i++) {
		unsigned stone = p->at[turned ? cells - 1 - i : i];
		bits[i] = stone == 1;
		bits[cells + i] = stone == 2;
	}
}

/* Compares two numbers of `count` bits; less than zero when a is the smaller. */
static int compare(const uint8_t *a, const uint8_t *b, unsigned count)
{
	while (count-- > 0)
		if (a[count] != b[count])
			return a[count] - b[count];
	return 0;
}

static size_t encode(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t plain[2 * CELLS_MAX], turned[2 * CELLS_MAX], *best = plain;
	unsigned cells = cells_of(g);
	bits_of(g, p, false, plain);
	bits_of(g, p, true, turned);
	int first = compare(turned, plain, cells), second = compare(turned + cells, plain + cells, cells);
	if (first < 0 || (first == 0 && second < 0))
		best = turned;
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i < 2 * cells; i++)
		out[i / 8] |= (uint8_t)(best[i] << i % 8);
	return g->key_max;
}

static bool decode(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned cells = cells_of(g);
	if (size != g->key_max)
		return false;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i >= 2 * cells || p->at[i % cells])
			return false; /* a bit behind the board, or two stones on one cell */
		p->at[i % cells] = (uint8_t)(i / cells + 1);
	}
	return comes_up(g, p);
}

static int open(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	(void)graph;
	(void)graph_size;
	const char *p = params;
	bool good = ck_number(&p, &g->width);
	g->height = g->width;
	if (good && *p == 'x') {
		p++;
		good = ck_number(&p, &g->height) &&
		       g->height != g->width; /* the name of a square board has one number */
	}
	if (!good || *p || g->width > SIDE_MAX || g->height > SIDE_MAX)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"hex takes a side, or columns and rows that differ, from 1 to 11, as in hex:5 or hex:5x4");
	g->version = 1;
	g->worst = -1;
	g->best = 1;
	g->step = 2; /* there are no draws */
	g->key_max = (2 * cells_of(g) + 7) / 8;
	return PD_OK;
}

const struct ck_rules ck_hex = {"hex", open, read, print, encode, decode, over, first_moves, moves, play};
