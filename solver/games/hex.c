#include "solver/games/hex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

/* --- text of boards of all sizes ---------------------------------------------------------- */

const char *hex_cell_read(const struct hex *h, const char **text, unsigned *cell)
{
	const char *p = *text;
	unsigned row, column = (unsigned)(*p - 'a');
	if (*p < 'a' || *p > 'z')
		return "a cell is a column letter and a row number, as in b3";
	p++;
	if (!text_number(&p, &row) || (*p && !hex_blank(*p)))
		return "a cell is a column letter and a row number, as in b3";
	if (column >= h->width || row < 1 || row > h->height)
		return "the cell is not on the board";
	*text = p;
	*cell = (row - 1) * h->width + column;
	return NULL;
}

void hex_cell_name(const struct hex *h, unsigned cell, char out[8])
{
	snprintf(out, 8, "%c%u", (char)('a' + cell % h->width), (cell / h->width + 1) % 100);
}

size_t hex_print_moves(const struct hex *h, const struct cells_xo *board, unsigned last, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	unsigned next[2] = {0, 0};
	char name[8];
	for (unsigned ply = 0, side = 0;; ply++, side = !side) {
		unsigned cell = next[side];
		while (cell < h->cells && (cell == last || board->at[cell] != CELLS_XO_FIRST + side))
			cell++;
		next[side] = cell + 1;
		if (cell >=
		    h->cells) { /* this side has no other stone, so it is the one that comes last, or none is left */
			cell = last;
			if (last >= h->cells)
				return line.length;
			last = h->cells;
		}
		hex_cell_name(h, cell, name);
		text_printf(&line, "%s%s", ply ? " " : "", name);
	}
}

/* --- the board ---------------------------------------------------------------------------- */

enum { CELL = 12, HALF = CELL / 2, CORNER = 8 }; /* from a cell's centre to its lowest corner; to the others 4 down */

static void add_stroke(struct game_board *b, int x1, int y1, int x2, int y2, unsigned side)
{
	PD_ASSERT(b->strokes < GAME_STROKES_MAX);
	b->stroke[b->strokes++] =
		(struct game_stroke){(int16_t)x1, (int16_t)y1, (int16_t)x2, (int16_t)y2, (uint8_t)side, 1};
}

/* The four edges in the colours of those who join them. */
static void add_edges(const struct hex *h, struct game_board *b)
{
	int bottom = (int)h->height - 1, right = (int)h->width - 1, far = CORNER / 2;
	for (int column = 0; column <= right; column++) {
		int top_x = CELL * column, low_x = CELL * column + HALF * bottom, low_y = CELL * bottom;
		add_stroke(b, top_x - HALF, -far, top_x, -CORNER, GAME_FIRST);
		add_stroke(b, top_x, -CORNER, top_x + HALF, -far, GAME_FIRST);
		add_stroke(b, low_x - HALF, low_y + far, low_x, low_y + CORNER, GAME_FIRST);
		add_stroke(b, low_x, low_y + CORNER, low_x + HALF, low_y + far, GAME_FIRST);
	}
	for (int row = 0; row <= bottom; row++) {
		int left_x = HALF * row, right_x = HALF * row + CELL * right, y = CELL * row;
		add_stroke(b, left_x - HALF, y - far, left_x - HALF, y + far, GAME_SECOND);
		if (row < bottom)
			add_stroke(b, left_x - HALF, y + far, left_x, y + CORNER, GAME_SECOND);
		if (row)
			add_stroke(b, right_x, y - CORNER, right_x + HALF, y - far, GAME_SECOND);
		add_stroke(b, right_x + HALF, y - far, right_x + HALF, y + far, GAME_SECOND);
	}
}

/* A rhombus: columns go down to the right, so their letters stand above, each where the column would have begun. */
void hex_board(const struct game *game, struct game_board *out)
{
	const struct hex *h = (const struct hex *)game;
	for (unsigned cell = 0; cell < h->cells; cell++) {
		int column = (int)(cell % h->width), row = (int)(cell / h->width);
		struct game_place *p = &out->place[out->places++];
		*p = (struct game_place){.x = (int16_t)(CELL * column + HALF * row), .y = (int16_t)(CELL * row)};
		p->shape = GAME_HEXAGON;
		hex_cell_name(h, cell, p->name);
	}
	for (unsigned column = 0; column < h->width; column++) {
		struct game_label *l = &out->label[out->labels++];
		*l = (struct game_label){.x = (int16_t)(CELL * (int)column - 4), .y = -CELL - 1};
		l->text[0] = (char)('a' + column);
	}
	for (unsigned row = 0; row < h->height; row++) {
		struct game_label *l = &out->label[out->labels++];
		*l = (struct game_label){.x = (int16_t)(HALF * (int)row - CELL), .y = (int16_t)(CELL * row)};
		snprintf(l->text, sizeof l->text, "%u", (row + 1) % 100);
	}
	add_edges(h, out);
	out->side[0] = "Black (x)";
	out->side[1] = "White (o)";
	out->piece[out->pieces++] = (struct game_piece){'x', GAME_FIRST, GAME_DISC, "black stone", NULL};
	out->piece[out->pieces++] = (struct game_piece){'o', GAME_SECOND, GAME_DISC, "white stone", NULL};
}

unsigned hex_move_places(const struct game *game, const void *state, game_move move, uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move;
	return 1;
}

/* --- opening of boards of all sizes ------------------------------------------------------- */

int hex_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail)
{
	const char *p = params;
	unsigned width, height;
	bool good = text_number(&p, &width);
	height = width;
	if (good && *p == 'x') {
		p++;
		good = text_number(&p, &height);
	}
	if (!good || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "hex takes the number of columns and rows, as in hex:5 or hex:5x4");
	if (width < 1 || height < 1 || width > HEX_SIDE_MAX || height > HEX_SIDE_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "a board of hex has 1 to %d columns and rows, not %u and %u", HEX_SIDE_MAX, width,
				   height);
	unsigned cells = width * height;
	struct hex *h = cells > HEX_WIDE_MAX     ? hex_large_new(width, height)
			: cells > HEX_NARROW_MAX ? hex_wide_new(width, height)
						 : hex_narrow_new(width, height);
	if (!h)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of hex");
	h->key_size = (2 * cells + 7) / 8;
	h->game = (struct game){
		.rules = h->game.rules,
		.rules_version = 1,
		.state_size = h->game.state_size,
		.key_size_max = h->key_size + 1,
		.moves_max = h->cells,
		.plies_max = h->cells,
		.value_min = -1,
		.value_max = 1,
		.value_step = 2,
		.acyclic = true,
	};
	if (width == height)
		snprintf(h->game.name, sizeof h->game.name, "hex:%u", width);
	else
		snprintf(h->game.name, sizeof h->game.name, "hex:%ux%u", width, height);
	*out = &h->game;
	return PD_OK;
}

void hex_close(struct game *game)
{
	free(game);
}
