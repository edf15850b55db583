/* Hex on boards of up to 64 cells, and what boards of all sizes share: text, and opening. */
#include "solver/games/hex_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

typedef uint64_t plane;

static struct hex *narrow_new(unsigned width, unsigned height);

extern const struct game_rules game_hex_rules;

#define HEX_RULES game_hex_rules
#define HEX_NEW   narrow_new

#include "solver/games/hex_board.h"

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

size_t hex_print_letters(const struct hex *h, const char *letters, unsigned last, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	unsigned next[2] = {0, 0};
	char name[8];
	for (unsigned ply = 0, side = 0;; ply++, side = !side) {
		unsigned cell = next[side];
		while (cell < h->cells && (cell == last || letters[cell] != "xo"[side]))
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

size_t hex_picture_letters(const struct hex *h, const char *letters, char *out, size_t size)
{
	PD_ASSERT(h->width && h->cells == h->width * h->height);
	struct text_line line = text_line(out, size);
	text_printf(&line, "  ");
	for (unsigned column = 0; column < h->width; column++)
		text_printf(&line, " %c", (char)('a' + column));
	for (unsigned cell = 0; cell < h->cells; cell++) {
		unsigned row = cell / h->width;
		if (cell % h->width == 0)
			text_printf(&line, "\n%*s%2u", (int)row, "", row + 1);
		text_printf(&line, " %c", letters[cell]);
	}
	text_printf(&line, "\n");
	return line.length;
}

/* --- opening of boards of all sizes ------------------------------------------------------- */

int hex_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail)
{
	(void)rules;
	(void)host;
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
	bool wide = width * height > HEX_NARROW_MAX;
	struct hex *h = wide ? hex_wide_new(width, height) : narrow_new(width, height);
	if (!h)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of hex");
	h->game = (struct game){
		.rules = wide ? &game_hex_wide_rules : &game_hex_rules,
		.rules_version = 1,
		.state_size = h->game.state_size,
		.key_size_max = (2 * h->cells + 7) / 8,
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
