#include "clients/proofcheck/picture.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

/* A column of Connect Four: 1 to 9, then letters. */
static char fall_name(unsigned column)
{
	return (char)(column < 9 ? '1' + column : 'a' + (column - 9));
}

/* Draws the position, or `weights` instead of it. */
static void draw_grid(const struct ck_game *g, const struct ck_position *p, const char *marks, const uint8_t *weights)
{
	const struct ck_grid *grid = g->rules->grid;
	int wide = weights ? 5 : g->width <= 26 ? 2 : 3;
	PD_ASSERT(g->width * g->height <= CK_SQUARES_MAX);
	for (unsigned line = 0; line < g->height; line++) {
		unsigned row = grid->from_top ? line : g->height - 1 - line;
		pd_print(stdout, "  %2u%*s", row + 1, grid->shifted ? (int)line : 0, "");
		for (unsigned column = 0; column < g->width; column++) {
			unsigned square = row * g->width + column, at = p->at[square];
			char man = at < strlen(grid->letters) ? grid->letters[at] : '?';
			if (weights)
				pd_print(stdout, "%*d", wide, (int8_t)weights[square]);
			else
				pd_print(stdout, "%*c", wide, marks && marks[square] ? marks[square] : man);
		}
		pd_print(stdout, "\n");
	}
	pd_print(stdout, "    %*s", grid->shifted ? (int)g->height : 0, "");
	for (unsigned column = 0; column < g->width; column++) {
		char name[4] = {fall_name(column)};
		if (!grid->digits)
			ck_column_name(name, column);
		pd_print(stdout, "%*s", wide, name);
	}
	pd_print(stdout, "\n");
}

void ck_picture(const struct ck_game *g, const struct ck_position *p, const char *marks)
{
	char text[CK_PICTURE_MAX];
	if (g->rules->picture) {
		g->rules->picture(g, p, text);
		pd_print_lines(stdout, text);
	} else if (g->rules->grid) {
		draw_grid(g, p, marks, NULL);
	}
}

void ck_picture_weights(const struct ck_game *g, const struct ck_position *p, const uint8_t *weights)
{
	if (g->rules->grid)
		draw_grid(g, p, NULL, weights);
}

void ck_move_name(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	const struct ck_grid *grid = g->rules->grid;
	if (g->rules->move_name)
		g->rules->move_name(g, p, move, out);
	else if (grid && move == CK_PASS_MOVE)
		strcpy(out, "pass");
	else if (grid && grid->digits)
		sprintf(out, "%c", fall_name(move));
	else if (grid && move < g->width * g->height)
		ck_square_name(out, move % g->width, move / g->width);
	else
		sprintf(out, "#%u", move);
}

bool ck_move_find(const struct ck_game *g, const struct ck_position *p, const char *name, size_t size, uint16_t *move)
{
	uint16_t list[CK_MOVES_MAX];
	char text[CK_MOVE_TEXT], code[16];
	unsigned count = g->rules->moves(g, p, list);
	for (unsigned i = 0; i < count; i++) {
		ck_move_name(g, p, list[i], text);
		snprintf(code, sizeof code, "#%u", list[i]);
		if ((strlen(text) == size && !memcmp(text, name, size)) ||
		    (strlen(code) == size && !memcmp(code, name, size))) {
			*move = list[i];
			return true;
		}
	}
	return false;
}
