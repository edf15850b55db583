/* Dots and Boxes: the players take turns to draw a line between neighbouring dots. Drawing the last side of one or two
 * boxes scores them and gives another turn. The game ends when all lines are drawn; its value is First's boxes minus
 * Second's.
 *
 * at: 1 for a line that is drawn. Lines are numbered row by row from the bottom left, first all horizontal lines, then
 * all vertical ones; a row has width horizontal lines, or width + 1 vertical ones. Move code: the line. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

enum { LINES_MAX = 63, BOXES_MAX = 25 };

static unsigned lines_of(const struct ck_game *g)
{
	return g->width * (g->height + 1) + (g->width + 1) * g->height;
}

/* The line from a dot to the right, or up. */
static unsigned line_at(const struct ck_game *g, unsigned column, unsigned row, bool across)
{
	return across ? row * g->width + column : g->width * (g->height + 1) + row * (g->width + 1) + column;
}

/* Side 0 to 3 of a box: below, above, left, right. */
static unsigned side_of(const struct ck_game *g, unsigned column, unsigned row, unsigned side)
{
	return line_at(g, column + (side == 3), row + (side == 1), side < 2);
}

static unsigned count_complete(const struct ck_game *g, const uint8_t *at)
{
	unsigned boxes = 0;
	for (unsigned row = 0; row < g->height; row++)
		for (unsigned column = 0; column < g->width; column++) {
			unsigned drawn = 0;
			for (unsigned side = 0; side < 4; side++)
				drawn += at[side_of(g, column, row, side)];
			boxes += drawn == 4;
		}
	return boxes;
}

static unsigned dots_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < lines_of(g); i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

static bool dots_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	*value = p->score;
	return !ck_count_kind(p->at, lines_of(g), 0);
}

static void dots_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned before = count_complete(g, p->at);
	PD_ASSERT(move < lines_of(g) && !p->at[move]);
	p->at[move] = 1;
	unsigned made = count_complete(g, p->at) - before;
	p->score = (int16_t)(p->score + (p->turn ? -(int)made : (int)made));
	if (!made)
		p->turn = !p->turn;
}

/* A move is two dots in either order. */
static bool read_line(const struct ck_game *g, const struct ck_position *p, const char **text, unsigned *line)
{
	unsigned a, b, columns = g->width + 1;
	if (!ck_square_read(text, columns, g->height + 1, &a) || !ck_square_read(text, columns, g->height + 1, &b))
		return false;
	unsigned low = a < b ? a : b, high = a < b ? b : a, column = low % columns, row = low / columns;
	bool across = high == low + 1 && column < g->width;
	*line = line_at(g, column, row, across);
	return across || high == low + columns;
}

static const char *read_rest(const struct ck_game *g, const char *text, struct ck_position *p)
{
	unsigned first, second;
	if (strncmp(text, " x ", 3) != 0 && strncmp(text, " o ", 3) != 0)
		return "the side to move, x or o, must follow the board";
	p->turn = text[1] == 'o';
	text += 3;
	if (!ck_number_or_0(&text, &first) || *text++ != ':' || !ck_number_or_0(&text, &second) || *text)
		return "the boxes of both players, as in 2:1, must follow the side to move";
	if (first + second != count_complete(g, p->at))
		return "the boxes of both players do not add up to the complete boxes of the board";
	p->score = (int16_t)((int)first - (int)second);
	return NULL;
}

static const char *dots_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return ck_moves_read(g, text, out, read_line);
	for (unsigned row = 2 * g->height + 1; row-- > 0;) {
		bool across = row % 2 == 0;
		for (unsigned column = 0; column < g->width + !across; column++, text++) {
			if (*text != '.' && *text != (across ? '-' : '|'))
				return "a row of the board has another length, or a character that is not a line";
			out->at[line_at(g, column, row / 2, across)] = *text != '.';
		}
		if (row > 0 && *text++ != '/')
			return "the board has too few rows, or a row that is too long";
	}
	return read_rest(g, text, out);
}

static void dots_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	int boxes = (int)count_complete(g, p->at);
	for (unsigned row = 2 * g->height + 1; row-- > 0;) {
		bool across = row % 2 == 0;
		for (unsigned column = 0; column < g->width + !across; column++)
			*out++ = (char)(!p->at[line_at(g, column, row / 2, across)] ? '.' : across ? '-' : '|');
		if (row > 0)
			*out++ = '/';
	}
	sprintf(out, " %c %d:%d", p->turn ? 'o' : 'x', (boxes + p->score) / 2, (boxes - p->score) / 2);
}

/* The image of the lines: bits of `way` mirror left to right, top to bottom, and along the diagonal. */
static void image_of(const struct ck_game *g, const uint8_t *at, unsigned way, uint8_t *out)
{
	for (unsigned row = 0; row <= g->height; row++)
		for (unsigned column = 0; column <= g->width; column++)
			for (unsigned across = 0; across < 2; across++) {
				if (across ? column == g->width : row == g->height)
					continue;
				unsigned x = way & 1 ? g->width - column - across : column;
				unsigned y = way & 2 ? g->height - row - !across : row;
				unsigned to = way & 4 ? line_at(g, y, x, !across) : line_at(g, x, y, across);
				out[to] = at[line_at(g, column, row, across)];
			}
}

/* Whether a side of a box is at the border of the board. */
static bool is_border(const struct ck_game *g, unsigned column, unsigned row, unsigned side)
{
	const bool border[4] = {row == 0, row == g->height - 1, column == 0, column == g->width - 1};
	return border[side];
}

/* Only the number of drawn border lines of a box matters: moves those lines to the front of its border lines. */
static void sort_borders(const struct ck_game *g, uint8_t *at)
{
	for (unsigned row = 0; row < g->height; row++)
		for (unsigned column = 0; column < g->width; column++) {
			unsigned drawn = 0;
			for (unsigned side = 0; side < 4; side++)
				if (is_border(g, column, row, side))
					drawn += at[side_of(g, column, row, side)];
			/* Below, above, left, right is the order of the lines' numbers. */
			for (unsigned side = 0; side < 4; side++)
				if (is_border(g, column, row, side)) {
					at[side_of(g, column, row, side)] = drawn > 0;
					drawn -= drawn > 0;
				}
		}
}

static bool is_smaller(const uint8_t *a, const uint8_t *b, unsigned count)
{
	while (count-- > 0)
		if (a[count] != b[count])
			return a[count] < b[count];
	return false;
}

static size_t dots_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	uint8_t best[LINES_MAX], image[LINES_MAX];
	unsigned count = lines_of(g);
	for (unsigned way = 0; way < (g->width == g->height ? 8u : 4u); way++) {
		image_of(g, p->at, way, image);
		sort_borders(g, image);
		if (!way || is_smaller(image, best, count))
			memcpy(best, image, sizeof best);
	}
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i < count; i++)
		out[i / 8] |= (uint8_t)(best[i] << i % 8);
	out[g->key_max - 1] = (uint8_t)(p->score + (int)(g->width * g->height) + (p->turn ? 128 : 0));
	return g->key_max;
}

static bool dots_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	if (size != g->key_max)
		return false;
	for (unsigned i = 0; i < 8 * (size - 1); i++) {
		bool drawn = key[i / 8] >> i % 8 & 1;
		if (drawn && i >= lines_of(g))
			return false;
		if (drawn)
			p->at[i] = 1;
	}
	int boxes = (int)count_complete(g, p->at), score = key[size - 1] % 128 - (int)(g->width * g->height);
	p->turn = key[size - 1] >= 128;
	p->score = (int16_t)score;
	return score >= -boxes && score <= boxes && (score + boxes) % 2 == 0;
}

static int dots_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			  struct pd_fail *fail)
{
	if (!ck_size_read(&params, &g->width, &g->height) || *params || g->width > BOXES_MAX || g->height > BOXES_MAX ||
	    lines_of(g) > LINES_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game", "dots takes columns x rows of boxes with at most 63 lines");
	g->best = (int)(g->width * g->height);
	g->worst = -g->best;
	g->step = 2;
	g->key_max = (lines_of(g) + 7) / 8 + 1;
	return PD_OK;
}

static void dots_draw_board(const struct ck_game *g, const struct ck_position *p, char out[CK_PICTURE_MAX])
{
	unsigned across = g->width * (g->height + 1);
	for (unsigned row = g->height + 1; row-- > 0;) {
		out += sprintf(out, "  %2u ", row + 1);
		for (unsigned column = 0; column < g->width; column++)
			out += sprintf(out, "+%s", p->at[row * g->width + column] ? "--" : "  ");
		out += sprintf(out, "+\n");
		for (unsigned column = 0; row && column <= g->width; column++)
			out += sprintf(out, "%s%c  ", column ? "" : "     ",
				       p->at[across + (row - 1) * (g->width + 1) + column] ? '|' : ' ');
		if (row)
			out += sprintf(out, "\n");
	}
	out += sprintf(out, "     ");
	for (unsigned column = 0; column <= g->width; column++)
		out += sprintf(out, "%c  ", 'a' + column);
	sprintf(out, "\n");
}

static void dots_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	unsigned across = g->width * (g->height + 1), down = move >= across, line = down ? move - across : move;
	unsigned columns = g->width + down, column = line % columns, row = line / columns;
	out = ck_square_name(out, column, row);
	ck_square_name(out, column + !down, row + down);
}

const struct ck_rules ck_dots = {
	.name = "dots",
	CK_RULES(dots),
	.over = dots_is_over,
	.first_moves = ck_turn_0_moves,
	.picture = dots_draw_board,
	.move_name = dots_name_move,
};
