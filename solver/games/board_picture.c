/* A cell is as wide as the longest column label and a blank, at least two characters; on boards with shifted rows or
 * with edges the width is even. Rows of text are as far apart as rows of places: half a cell where edges lie between
 * the rows. The ends of edges are dots, drawn as +. */
#include "solver/games/board_picture.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

enum { CELL = 12, HALF = CELL / 2, WIDTH_MAX = 512 };

struct canvas {
	const struct game_board *board;
	const struct game_diagram *diagram;
	const char *marks;                                  /* NULL: none */
	bool edges;                                         /* some places are edges */
	int left, top;                                      /* the least coordinates of places */
	int apart;                                          /* distance between rows of text, in coordinates */
	int cell;                                           /* width in characters */
	int row_first, row_last, column_first, column_last; /* of the text */
};

/* One row of the text. */
struct row {
	int first; /* number of its first character's column */
	char text[WIDTH_MAX];
};

static int divide_rounded(int a, int b)
{
	int q = a / b;
	return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* The row of the text nearest to a coordinate. */
static int row_at(const struct canvas *c, int y)
{
	return divide_rounded(2 * (y - c->top) + c->apart, 2 * c->apart);
}

static int column_at(const struct canvas *c, int x)
{
	return divide_rounded(2 * (x - c->left) * c->cell + CELL, 2 * CELL);
}

/* The first column of a label. The label ends at its centre, except right of the places, where it begins there. */
static int label_column(const struct canvas *c, const struct game_label *l)
{
	int column = column_at(c, l->x), right = INT16_MIN;
	for (unsigned i = 0; i < c->board->places; i++)
		if (row_at(c, c->board->place[i].y) == row_at(c, l->y) && c->board->place[i].x > right)
			right = c->board->place[i].x;
	return right > INT16_MIN && l->x > right ? column : column - (int)strlen(l->text) + 1;
}

static void stretch_row(struct canvas *c, int column, int row, int width)
{
	c->column_first = column < c->column_first ? column : c->column_first;
	c->column_last = column + width - 1 > c->column_last ? column + width - 1 : c->column_last;
	c->row_first = row < c->row_first ? row : c->row_first;
	c->row_last = row > c->row_last ? row : c->row_last;
}

/* Rows and columns of the text. */
static void measure_text(struct canvas *c)
{
	const struct game_board *b = c->board;
	size_t label = 1;
	int bottom = INT16_MIN;
	bool shifted = false;
	c->left = c->top = INT16_MAX;
	c->apart = CELL;
	for (unsigned i = 0; i < b->places; i++) {
		c->left = b->place[i].x < c->left ? b->place[i].x : c->left;
		c->top = b->place[i].y < c->top ? b->place[i].y : c->top;
		bottom = b->place[i].y > bottom ? b->place[i].y : bottom;
		c->edges |= game_place_is_edge(&b->place[i]);
	}
	for (unsigned i = 0; i < b->places; i++) {
		shifted |= (b->place[i].x - c->left) % CELL != 0;
		if ((b->place[i].y - c->top) % CELL != 0)
			c->apart = HALF;
	}
	for (unsigned i = 0; i < b->labels; i++)
		if ((b->label[i].y < c->top || b->label[i].y > bottom) && strlen(b->label[i].text) > label)
			label = strlen(b->label[i].text);
	c->cell = c->edges ? 4 : (int)label + 1;
	c->cell += shifted && c->cell % 2;
	for (unsigned i = 0; i < b->places; i++) {
		const struct game_place *p = &b->place[i];
		int half = p->shape == GAME_EDGE_ACROSS ? c->cell / 2 : 0, down = p->shape == GAME_EDGE_DOWN ? HALF : 0;
		stretch_row(c, column_at(c, p->x) - half, row_at(c, p->y - down), 1 + 2 * half);
		stretch_row(c, column_at(c, p->x), row_at(c, p->y + down), 1);
	}
	for (unsigned i = 0; i < b->labels; i++)
		stretch_row(c, label_column(c, &b->label[i]), row_at(c, b->label[i].y), (int)strlen(b->label[i].text));
}

static void put_character(struct row *r, int column, char character)
{
	if (column >= r->first && column - r->first < WIDTH_MAX)
		r->text[column - r->first] = character;
}

static void put_edge(const struct canvas *c, struct row *r, int row, unsigned place)
{
	const struct game_place *p = &c->board->place[place];
	int column = column_at(c, p->x), at = row_at(c, p->y), half = c->cell / 2;
	bool down = p->shape == GAME_EDGE_DOWN;
	if (down && (row == row_at(c, p->y - HALF) || row == row_at(c, p->y + HALF)))
		put_character(r, column, '+');
	if (row != at)
		return;
	if (!down) {
		put_character(r, column - half, '+');
		put_character(r, column + half, '+');
	}
	for (int i = down ? 0 : 1 - half; i <= (down ? 0 : half - 1) && c->diagram->on[place]; i++)
		put_character(r, column + i, down ? '|' : '-');
}

static void print_row(const struct canvas *c, int row, struct text_line *line)
{
	const struct game_board *b = c->board;
	struct row r = {.first = c->column_first};
	memset(r.text, ' ', sizeof r.text);
	for (unsigned i = 0; i < b->places; i++) {
		const struct game_place *p = &b->place[i];
		if (game_place_is_edge(p))
			put_edge(c, &r, row, i);
		else if (row_at(c, p->y) == row)
			put_character(&r, column_at(c, p->x),
				      c->diagram->on[i]         ? b->piece[c->diagram->on[i] - 1].letter
				      : c->marks && c->marks[i] ? c->marks[i]
				      : c->edges                ? ' '
								: '.');
	}
	for (unsigned i = 0; i < b->labels; i++)
		for (int j = 0; row_at(c, b->label[i].y) == row && b->label[i].text[j]; j++)
			put_character(&r, label_column(c, &b->label[i]) + j, b->label[i].text[j]);
	int length = c->column_last - c->column_first + 1;
	length = length < WIDTH_MAX ? length : WIDTH_MAX;
	while (length > 0 && r.text[length - 1] == ' ')
		length--;
	text_printf(line, "%.*s\n", length, r.text);
}

/* "in hand: White P2 N, Black none" */
static void print_hands(const struct canvas *c, struct text_line *line)
{
	const struct game_board *b = c->board;
	for (unsigned side = 0; side < 2; side++) {
		bool none = true;
		text_printf(line, "%s%s", side ? ", " : "in hand: ", b->side[side] ? b->side[side] : side ? "o" : "x");
		for (unsigned i = 0; i < b->pieces; i++) {
			unsigned count = c->diagram->hand[side][i];
			if (count > 1)
				text_printf(line, " %c%u", b->piece[i].letter, count);
			else if (count)
				text_printf(line, " %c", b->piece[i].letter);
			none &= !count;
		}
		if (none)
			text_printf(line, " none");
	}
	text_printf(line, "\n");
}

size_t game_board_picture(const struct game_board *board, const struct game_diagram *diagram, const char *marks,
			  char *out, size_t size)
{
	struct canvas c = {.board = board, .diagram = diagram, .marks = marks};
	struct text_line line = text_line(out, size);
	PD_ASSERT(board->places && board->places <= GAME_PLACES_MAX && board->labels <= GAME_LABELS_MAX);
	measure_text(&c);
	for (int row = c.row_first; row <= c.row_last; row++)
		print_row(&c, row, &line);
	if (board->hands)
		print_hands(&c, &line);
	bool turn = diagram->to_move < 2 && board->side[diagram->to_move];
	if (turn)
		text_printf(&line, "%s to move", board->side[diagram->to_move]);
	if (diagram->note[0])
		text_printf(&line, "%s%s", turn ? "; " : "", diagram->note);
	if (turn || diagram->note[0])
		text_printf(&line, "\n");
	return line.length;
}

size_t game_picture(const struct game *game, const void *state, char *out, size_t size)
{
	struct game_board board = {0};
	struct game_diagram diagram = {0};
	if (game->rules->picture)
		return game->rules->picture(game, state, out, size);
	PD_ASSERT(game_has_board(game));
	game->rules->board(game, &board);
	game->rules->diagram(game, state, &diagram);
	return game_board_picture(&board, &diagram, NULL, out, size);
}
