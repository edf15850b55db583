/* Hex: stones are placed on empty cells of a board of hexagons; each row is shifted half a cell to the right of the row
 * above. First wins with a chain of neighbouring stones from the top row to the bottom row, Second with one from the
 * first column to the last. Exactly one of them wins, at the latest when the board is full.
 *
 * at: 1 First's stone, 2 Second's; cells row by row from the top left. First opens. Move code: the cell.
 *
 * Positions may be set up: any stones, either side to move; but after a chain the game is over, and it is the turn of
 * the side without one. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/bridges.h"
#include "clients/proofcheck/keys.h"
#include "proto/base/assert.h"

enum { SIDE_MAX = 19, CELLS_MAX = SIDE_MAX * SIDE_MAX };

static unsigned cells_of(const struct ck_game *g)
{
	return g->width * g->height;
}

/* True when the stones of that kind form a chain between their two edges: flood fill from one edge. */
static bool has_chain(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	/* Steps to the right and down; the last two go a row down and a column to the left, or the reverse. */
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
			int next = ck_square_at(g, column + ways[way][0], row + ways[way][1]);
			if (next >= 0 && p->at[next] == kind && !reached[next]) {
				reached[next] = true;
				list[count++] = next;
			}
		}
	}
	return false;
}

/* Only the side that is not to move can have won: see `give_turn`. */
static bool hex_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	if (!has_chain(g, p, p->turn ? 1 : 2))
		return false;
	*value = p->turn ? 1 : -1;
	return true;
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

/* The number of First's stones minus that of Second's. */
static int count_surplus(const struct ck_game *g, const struct ck_position *p)
{
	return (int)ck_count_kind(p->at, cells_of(g), 1) - (int)ck_count_kind(p->at, cells_of(g), 2);
}

/* Whether moves from the start can lead to the position: each side has put its stones in turn, and there is no chain or
 * the last stone made it. */
static bool comes_up(const struct ck_game *g, const struct ck_position *p)
{
	int value;
	return count_surplus(g, p) == p->turn && (!hex_is_over(g, p, &value) || find_deciding(g, p) < cells_of(g));
}

/* Sets the side to move: after a chain, the side without one; otherwise `turn`, if that is 0 or 1, or the side that the
 * numbers of stones give. False when they give none. */
static bool give_turn(const struct ck_game *g, struct ck_position *p, unsigned turn)
{
	int surplus = count_surplus(g, p);
	p->turn = turn < 2 ? (uint8_t)turn : surplus != 0;
	if (has_chain(g, p, 1) || has_chain(g, p, 2)) {
		p->turn = has_chain(g, p, 1);
		return true;
	}
	return turn < 2 || surplus == 0 || surplus == 1;
}

/* Reverses the order of the rows: a board as text has its last row first. */
static void flip_rows(const struct ck_game *g, uint8_t *at)
{
	for (unsigned i = 0; i < g->height / 2 * g->width; i++) {
		unsigned other = (g->height - 1 - i / g->width) * g->width + i % g->width;
		uint8_t stone = at[i];
		at[i] = at[other];
		at[other] = stone;
	}
}

static const char *hex_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	unsigned side;
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return ck_moves_read(g, text, out, NULL);
	const char *wrong = ck_rows_read(g, text, "xo", CK_SIDES("x", "o"), out, &side);
	if (wrong)
		return wrong;
	flip_rows(g, out->at);
	return give_turn(g, out, side) ? NULL : "the number of stones does not tell who is to move: name the side";
}

/* Writes moves that lead to the position, each side's in the order of their cells; if the game is over, a stone that
 * decided it comes last. A position that no moves lead to is written as rows. */
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

static const struct ck_key_form form = {.sets = 2, .symmetries = CK_HALF_TURN, .most = 2};

/* The key of a position that cannot come up in a game ends with the side to move. */
static size_t hex_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	size_t size = ck_key_write(g, &form, p, out);
	if (!comes_up(g, p))
		out[size++] = p->turn;
	return size;
}

static bool hex_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	size_t stones = ck_key_size(g, &form);
	unsigned turn = size == stones + 1 ? key[stones] : 2;
	if ((size != stones && turn > 1) || !ck_key_read(g, &form, key, stones, p))
		return false;
	return give_turn(g, p, turn) && comes_up(g, p) == (turn > 1) && (turn > 1 || p->turn == turn);
}

static int hex_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			 struct pd_fail *fail)
{
	bool good = ck_number(&params, &g->width);
	g->height = g->width;
	if (good && *params == 'x') {
		params++;
		good = ck_number(&params, &g->height) &&
		       g->height != g->width; /* a square board is named by one number */
	}
	if (!good || *params || g->width > SIDE_MAX || g->height > SIDE_MAX)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"hex takes a side, or columns and rows that differ, from 1 to 19, as in hex:5 or hex:5x4");
	g->step = 2; /* no draws */
	g->key_max = ck_key_size(g, &form) + 1;
	return PD_OK;
}

const struct ck_rules ck_hex = {
	.name = "hex",
	.open = hex_open_game,
	.read = hex_read_position,
	.print = hex_print_position,
	.encode = hex_encode_key,
	.decode = hex_decode_key,
	.moves = ck_empty_squares,
	.play = ck_put_stone,
	.over = hex_is_over,
	.first_moves = ck_turn_0_moves,
	.grid = &(const struct ck_grid){.letters = ".xo", .from_top = true, .shifted = true},
	.card = ck_bridges_card,
	.find_card = ck_bridges_find,
	.square = ck_move_is_square,
};
