/* Hex: stones are placed on empty cells of a board of hexagons; each row is shifted half a cell to the right of the row
 * above. First wins with a chain of neighbouring stones from the top row to the bottom row, Second with one from the
 * first column to the last. Exactly one of them wins, at the latest when the board is full.
 *
 * at: 1 First's stone, 2 Second's; cells row by row from the top left. First opens. Move code: the cell.
 *
 * Positions may be set up: any stones, either side to move; but after a chain the game is over, and the turn is that of
 * the side that has none. */
#include "clients/proofcheck/rules.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

enum { SIDE_MAX = 19, CELLS_MAX = SIDE_MAX * SIDE_MAX };

static unsigned cells_of(const struct ck_game *g)
{
	return g->width * g->height;
}

/* True when the stones of that kind form a chain between their two edges: flood fill from one edge. */
static bool has_chain(const struct ck_game *g, const struct ck_position *p, unsigned kind)
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

/* Only the one whose turn it is not can have won: see `give_turn`. */
static bool hex_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	if (!has_chain(g, p, p->turn ? 1 : 2))
		return false;
	*value = p->turn ? 1 : -1;
	return true;
}

static unsigned hex_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < cells_of(g); i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

static void hex_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && !p->at[move]);
	p->at[move] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

/* A stone without which the side that has just moved would have no chain; `cells` when there is none. */
static unsigned find_deciding(const struct ck_game *g, const struct ck_position *p)
{
	unsigned kind = p->turn ? 1 : 2, i = 0;
	for (; i < cells_of(g); i++) {
		struct ck_position before = *p;
		before.at[i] = 0;
		if (p->at[i] == kind && !has_chain(g, &before, kind))
			break;
	}
	return i;
}

static void count_stones(const struct ck_game *g, const struct ck_position *p, unsigned stones[3])
{
	stones[0] = stones[1] = stones[2] = 0;
	for (unsigned i = 0; i < cells_of(g); i++)
		stones[p->at[i]]++;
}

/* Whether moves from the start can lead to the position: the stones are as many as they put, and no chain is there or
 * the last stone made it. */
static bool comes_up(const struct ck_game *g, const struct ck_position *p)
{
	int value;
	unsigned stones[3];
	count_stones(g, p, stones);
	return stones[1] == stones[2] + p->turn && (!hex_is_over(g, p, &value) || find_deciding(g, p) < cells_of(g));
}

/* Gives the turn to the side that has it: `turn`, when that is 0 or 1, or as after moves from the start; after a chain
 * it is always the other side's. False when nothing says whose turn it is. */
static bool give_turn(const struct ck_game *g, struct ck_position *p, unsigned turn)
{
	unsigned stones[3];
	count_stones(g, p, stones);
	p->turn = turn < 2 ? (uint8_t)turn : stones[1] != stones[2];
	if (has_chain(g, p, 1) || has_chain(g, p, 2)) {
		p->turn = has_chain(g, p, 1);
		return true;
	}
	return turn < 2 || stones[1] == stones[2] || stones[1] == stones[2] + 1;
}

/* Swaps the first row with the last, and so on: boards as text have the rows from the other end. */
static void flip_rows(const struct ck_game *g, uint8_t *at)
{
	for (unsigned i = 0; i < cells_of(g) / 2; i++) {
		unsigned row = i / g->width, other = (g->height - 1 - row) * g->width + i % g->width;
		uint8_t stone = at[i];
		if (row >= g->height / 2)
			break;
		at[i] = at[other];
		at[other] = stone;
	}
}

static const char *read_rows(const struct ck_game *g, const char *text, struct ck_position *out)
{
	size_t size = strcspn(text, " ");
	const char *wrong = ck_board_read(text, size, g->width, g->height, "xo", out->at);
	unsigned turn = 2;
	if (wrong)
		return wrong;
	flip_rows(g, out->at);
	text += size;
	if (*text) {
		text += strspn(text, " ");
		if (strcmp(text, "x") && strcmp(text, "o"))
			return "behind the board is the side to move, x or o";
		turn = *text == 'o';
	}
	return give_turn(g, out, turn) ? NULL : "the number of stones does not tell who is to move: say it";
}

static const char *hex_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	int value;
	memset(out, 0, sizeof *out);
	if (strchr(text, '/'))
		return read_rows(g, text, out);
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
		if (hex_is_over(g, out, &value))
			return "a move was played after the end of the game";
		if (out->at[cell])
			return "a stone was put on a cell that is taken";
		hex_play_move(g, out, (uint16_t)cell);
	}
}

/* The stones are written as if played by number of the cell, from the top left; where the game is over, a stone that
 * decided it is played last. */
static void hex_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	int value;
	unsigned order[2][CELLS_MAX] = {{0}}, count[2] = {0, 0}, cells = cells_of(g),
		 last = hex_is_over(g, p, &value) ? find_deciding(g, p) : cells;
	for (unsigned i = 0; i < cells; i++)
		if (p->at[i] && i != last)
			order[p->at[i] - 1][count[p->at[i] - 1]++] = i;
	PD_ASSERT(last >= cells || p->at[last] == 1 || p->at[last] == 2);
	if (last < cells)
		order[p->at[last] - 1][count[p->at[last] - 1]++] = last;
	*out = '\0';
	if (!comes_up(g, p)) {
		struct ck_position rows = *p;
		flip_rows(g, rows.at);
		out += ck_board_print(rows.at, g->width, g->height, "xo", out);
		sprintf(out, " %c", p->turn ? 'o' : 'x');
		return;
	}
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
static int compare_bits(const uint8_t *a, const uint8_t *b, unsigned count)
{
	while (count-- > 0)
		if (a[count] != b[count])
			return a[count] - b[count];
	return 0;
}

/* Bytes of a key that the stones take. */
static size_t stones_size(const struct ck_game *g)
{
	return (2 * cells_of(g) + 7) / 8;
}

static size_t hex_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t plain[2 * CELLS_MAX], turned[2 * CELLS_MAX], *best = plain;
	unsigned cells = cells_of(g);
	bits_of(g, p, false, plain);
	bits_of(g, p, true, turned);
	int first = compare_bits(turned, plain, cells), second = compare_bits(turned + cells, plain + cells, cells);
	if (first < 0 || (first == 0 && second < 0))
		best = turned;
	size_t size = stones_size(g);
	memset(out, 0, size);
	for (unsigned i = 0; i < 2 * cells; i++)
		out[i / 8] |= (uint8_t)(best[i] << i % 8);
	if (!comes_up(g, p))
		out[size++] = p->turn;
	return size;
}

static bool hex_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned cells = cells_of(g);
	size_t stones = stones_size(g);
	unsigned turn = 2;
	if (size == stones + 1 && key[stones] < 2)
		turn = key[stones];
	else if (size != stones)
		return false;
	for (unsigned i = 0; i < 8 * stones; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i >= 2 * cells || p->at[i % cells])
			return false; /* a bit behind the board, or two stones on one cell */
		p->at[i % cells] = (uint8_t)(i / cells + 1);
	}
	return give_turn(g, p, turn) && comes_up(g, p) == (turn > 1) && (turn > 1 || p->turn == turn);
}

static int hex_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			 struct pd_fail *fail)
{
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
			"hex takes a side, or columns and rows that differ, from 1 to 19, as in hex:5 or hex:5x4");
	g->step = 2; /* there are no draws */
	g->key_max = (unsigned)stones_size(g) + 1;
	return PD_OK;
}

const struct ck_rules ck_hex = {
	.name = "hex",
	CK_RULES(hex),
	.over = hex_is_over,
	.first_moves = ck_turn_0_moves,
	.grid = &(const struct ck_grid){.letters = ".xo", .from_top = true, .shifted = true},
};
