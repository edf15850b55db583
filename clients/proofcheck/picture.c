#include "clients/proofcheck/picture.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/print.h"

/* --- boards ------------------------------------------------------------------------------- */

/* A board of squares: one character for each value of ck_position.at; the first for an empty square. */
struct form {
	const char *game, *letters;
	unsigned size; /* squares a side; 0: the game's width and height */
	bool square;   /* the height is the width */
	bool from_top; /* square 0 is at the top */
	bool shifted;  /* each row half a square further right than the one above */
};

static const struct form forms[] = {
	{"connect4", ".xo", 0, false, false, false},
	{"mnk", ".xo", 0, false, false, false},
	{"breakthrough", ".Pp", 0, false, false, false},
	{"domineering", ".#", 0, false, false, false},
	{"nogo", ".xo#", 0, false, false, false},
	{"atari-go", ".xo#", 0, false, false, false},
	{"loa", ".bw", 0, true, false, false},
	{"antichess", ".PNBRQK??pnbrqk", 8, true, false, false},
	{"chess-mate", ".PNBRQK??pnbrqk", 8, true, false, false},
	{"othello", ".XO", 0, true, true, false},
	{"hex", ".xo", 0, true, true, true},
};

static bool is(const struct ck_game *g, const char *name)
{
	return !strcmp(g->rules->name, name);
}

static void column_name(unsigned column, char out[3])
{
	unsigned n = 0;
	if (column >= 26)
		out[n++] = (char)('a' + column / 26 - 1);
	out[n++] = (char)('a' + column % 26);
	out[n] = 0;
}

/* A column of Connect Four: 1 to 9, then letters. */
static void fall_name(unsigned column, char out[3])
{
	out[0] = (char)(column < 9 ? '1' + column : 'a' + (column - 9));
	out[1] = 0;
}

static void draw(const struct form *form, const struct ck_game *g, const struct ck_position *p)
{
	unsigned width = form->size ? form->size : g->width, height = form->size     ? form->size
								      : form->square ? g->width
										     : g->height;
	PD_ASSERT(width * height <= CK_SQUARES_MAX);
	char name[3];
	for (unsigned line = 0; line < height; line++) {
		unsigned row = form->from_top ? line : height - 1 - line;
		pd_print(stdout, "  %2u%*s", row + 1, form->shifted ? (int)line : 0, "");
		for (unsigned column = 0; column < width; column++) {
			unsigned at = p->at[row * width + column];
			PD_ASSERT(at < strlen(form->letters));
			pd_print(stdout, "%*c", width <= 26 ? 2 : 3, form->letters[at]);
		}
		pd_print(stdout, "\n");
	}
	pd_print(stdout, "    %*s", form->shifted ? (int)height : 0, "");
	for (unsigned column = 0; column < width; column++) {
		column_name(column, name);
		if (is(g, "connect4"))
			fall_name(column, name);
		pd_print(stdout, "%*s", width <= 26 ? 2 : 3, name);
	}
	pd_print(stdout, "\n");
}

static void draw_dots(const struct ck_game *g, const struct ck_position *p)
{
	unsigned across = g->width * (g->height + 1);
	for (unsigned row = g->height + 1; row-- > 0;) {
		pd_print(stdout, "  %2u ", row + 1);
		for (unsigned column = 0; column < g->width; column++)
			pd_print(stdout, "+%s", p->at[row * g->width + column] ? "--" : "  ");
		pd_print(stdout, "+\n");
		for (unsigned column = 0; row && column <= g->width; column++)
			pd_print(stdout, "%s%c  ", column ? "" : "     ",
				 p->at[across + (row - 1) * (g->width + 1) + column] ? '|' : ' ');
		if (row)
			pd_print(stdout, "\n");
	}
	pd_print(stdout, "     ");
	for (unsigned column = 0; column <= g->width; column++)
		pd_print(stdout, "%c  ", 'a' + column);
	pd_print(stdout, "\n");
}

static void draw_uttt(const struct ck_position *p)
{
	for (unsigned line = 0; line < 9; line++) {
		pd_print(stdout, line && line % 3 == 0 ? "\n  " : "  ");
		for (unsigned i = 0; i < 9; i++)
			pd_print(stdout, "%s %c", i && i % 3 == 0 ? "  " : "",
				 ".XO"[p->at[9 * (line / 3 * 3 + i / 3) + line % 3 * 3 + i % 3]]);
		pd_print(stdout, "\n");
	}
}

static void draw_heaps(const struct ck_game *g, const struct ck_position *p)
{
	for (unsigned heap = 0; heap < g->width; heap++) {
		pd_print(stdout, "  %c ", 'a' + heap);
		for (unsigned i = 0; i < p->at[heap]; i++)
			pd_print(stdout, "*");
		pd_print(stdout, " %u\n", p->at[heap]);
	}
}

void ck_picture(const struct ck_game *g, const struct ck_position *p)
{
	for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (is(g, forms[i].game))
			draw(&forms[i], g, p);
	if (is(g, "dots"))
		draw_dots(g, p);
	if (is(g, "uttt"))
		draw_uttt(p);
	if (is(g, "nim"))
		draw_heaps(g, p);
}

/* --- moves -------------------------------------------------------------------------------- */

static char *put_square(char *out, unsigned column, unsigned row)
{
	char name[3];
	column_name(column, name);
	return out + sprintf(out, "%s%u", name, row + 1);
}

/* A square of the board by its number. */
static char *put(char *out, unsigned square, unsigned width)
{
	return put_square(out, square % width, square / width);
}

static void name_dots(const struct ck_game *g, uint16_t move, char *out)
{
	unsigned across = g->width * (g->height + 1);
	if (move < across) {
		out = put_square(out, move % g->width, move / g->width);
		put_square(out, move % g->width + 1, move / g->width);
	} else {
		unsigned line = move - across, columns = g->width + 1;
		out = put_square(out, line % columns, line / columns);
		put_square(out, line % columns, line / columns + 1);
	}
}

static void name_breakthrough(const struct ck_game *g, const struct ck_position *p, uint16_t move, char *out)
{
	unsigned from = move % 64, column = from % g->width, row = from / g->width;
	out = put_square(out, column, row);
	put_square(out, column + move / 64 - 1, p->turn ? row - 1 : row + 1);
}

static void name_chess(uint16_t move, char *out)
{
	out = put(out, move & 63, 8);
	out = put(out, move >> 6 & 63, 8);
	if (move >> 12)
		sprintf(out, "%c", ".pnbrqk?????????"[move >> 12]);
}

/* Of games in which a move goes from one square to another, or has a name of its own kind; false: none of these. */
static bool name_step(const struct ck_game *g, const struct ck_position *p, uint16_t move, char *out)
{
	if (is(g, "breakthrough")) {
		name_breakthrough(g, p, move, out);
	} else if (is(g, "antichess") || is(g, "chess-mate")) {
		name_chess(move, out);
	} else if (is(g, "loa")) {
		out = put(out, move / 64, g->width);
		*out++ = p->at[move % 64] ? 'x' : '-';
		put(out, move % 64, g->width);
	} else if (is(g, "domineering")) {
		out = put(out, move, g->width);
		put(out, p->turn ? move + 1u : move + g->width, g->width);
	} else {
		return false;
	}
	return true;
}

void ck_move_name(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	char text[CK_TEXT_MAX];
	if (move == CK_PASS_MOVE && (is(g, "loa") || is(g, "othello"))) {
		strcpy(out, "pass");
	} else if (name_step(g, p, move, out)) {
		return;
	} else if (is(g, "mnk") || is(g, "nogo") || is(g, "atari-go") || is(g, "othello") || is(g, "hex")) {
		put(out, move, g->width);
	} else if (is(g, "connect4")) {
		fall_name(move, out);
	} else if (is(g, "uttt")) {
		sprintf(out, "%c%c", 'a' + (move >> 4 & 15), 'a' + (move & 15));
	} else if (is(g, "dots")) {
		name_dots(g, move, out);
	} else if (is(g, "nim")) {
		sprintf(out, "%c%u", 'a' + (move / 64 & 7), move % 64);
	} else if (is(g, "andor")) {
		struct ck_position next = *p;
		g->rules->play(g, &next, move);
		g->rules->print(g, &next, text);
		snprintf(out, CK_MOVE_TEXT, "%.*s", CK_MOVE_TEXT - 1, text);
	} else {
		sprintf(out, "#%u", move);
	}
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
