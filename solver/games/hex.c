#include "solver/games/hex.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

size_t hex_print_moves(const struct hex *h, const struct cells *cells, unsigned last, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	unsigned next[2] = {0, 0};
	for (unsigned ply = 0, side = 0;; ply++, side = !side) {
		unsigned cell = next[side];
		while (cell < h->cells && (cell == last || cells->at[cell] != CELLS_FIRST + side))
			cell++;
		next[side] = cell + 1;
		if (cell >= h->cells) { /* this side has no cell left, except perhaps `last` */
			cell = last;
			if (last >= h->cells)
				return line.length;
			last = h->cells;
		}
		text_printf(&line, "%s", ply ? " " : "");
		cells_place_print(&h->base, cell, &line);
	}
}

/* --- the board ---------------------------------------------------------------------------- */

enum { CELL = 12, HALF = CELL / 2, CORNER = 8 }; /* CORNER: from the centre of a cell down to its lowest corner */

static void add_stroke(struct game_board *b, int x1, int y1, int x2, int y2, unsigned side)
{
	PD_ASSERT(b->strokes < GAME_STROKES_MAX);
	b->stroke[b->strokes++] =
		(struct game_stroke){(int16_t)x1, (int16_t)y1, (int16_t)x2, (int16_t)y2, (uint8_t)side, 1};
}

/* Draws the four edges in the colours of the sides that connect them. */
static void add_edges(const struct hex *h, struct game_board *b)
{
	int bottom = (int)h->base.height - 1, right = (int)h->base.width - 1, far = CORNER / 2;
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

/* A rhombus. Columns lean to the right as they go down; their letters are above, in line with the column. */
void hex_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece stones[] = {{'x', GAME_FIRST, GAME_DISC, "black stone", NULL},
						   {'o', GAME_SECOND, GAME_DISC, "white stone", NULL}};
	const struct hex *h = (const struct hex *)game;
	for (unsigned cell = 0; cell < h->cells; cell++) {
		int column = (int)(cell % h->base.width), row = (int)(cell / h->base.width);
		struct game_place *p = &out->place[out->places++];
		*p = (struct game_place){.x = (int16_t)(CELL * column + HALF * row), .y = (int16_t)(CELL * row)};
		p->shape = GAME_HEXAGON;
		struct text_line name = text_line(p->name, sizeof p->name);
		cells_place_print(&h->base, cell, &name);
	}
	for (unsigned column = 0; column < h->base.width; column++)
		out->label[out->labels++] = (struct game_label){
			.x = (int16_t)(CELL * (int)column - 4), .y = -CELL - 1, .text = {(char)('a' + column)}};
	for (unsigned row = 0; row < h->base.height; row++) {
		struct game_label *l = &out->label[out->labels++];
		*l = (struct game_label){.x = (int16_t)(HALF * (int)row - CELL), .y = (int16_t)(CELL * row)};
		snprintf(l->text, sizeof l->text, "%u", (row + 1) % 100);
	}
	add_edges(h, out);
	out->side[0] = "Black (x)";
	out->side[1] = "White (o)";
	out->pieces = 2;
	memcpy(out->piece, stones, sizeof stones);
}

/* --- opening ------------------------------------------------------------------------------ */

int hex_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail)
{
	const char *p = params;
	unsigned width, height;
	bool square = text_number(&p, &width) && !*p;
	if (square)
		height = width;
	if ((!square && !cells_size_read(params, &width, &height)) || !width || width > HEX_SIDE_MAX ||
	    height > HEX_SIDE_MAX)
		return cells_refuse_params(rules, params, fail);
	unsigned cells = width * height;
	struct hex *h = cells > HEX_WIDE_MAX     ? hex_large_new(width, height, fail)
			: cells > HEX_NARROW_MAX ? hex_wide_new(width, height, fail)
						 : hex_narrow_new(width, height, fail);
	if (!h)
		return PD_E_NO_MEMORY;
	struct game *game = &h->base.game;
	h->key_size = (2 * cells + 7) / 8;
	game->key_size_max = h->key_size + 1;
	game->moves_max = game->plies_max = cells;
	game->value_step = 2;
	if (width == height)
		snprintf(game->name, sizeof game->name, "hex:%u", width);
	else
		snprintf(game->name, sizeof game->name, "hex:%ux%u", width, height);
	*out = game;
	return PD_OK;
}
