#include "solver/games/cells.h"

#include <string.h>

#include "proto/base/assert.h"

bool cells_blank(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

static const char *row_read(const struct cells_form *form, const char **text, uint8_t *row)
{
	unsigned column = 0;
	while (column < form->width) {
		const char *letter = **text ? strchr(form->letters, **text) : NULL, *start = *text;
		unsigned run;
		if (letter) {
			row[column++] = (uint8_t)(letter - form->letters + 1);
			++*text;
		} else if (**text >= '1' && **text <= '9') {
			if (!text_number(text, &run) || run > form->width - column) {
				*text = start;
				return "the row is longer than the board is wide";
			}
			memset(row + column, 0, run);
			column += run;
		} else if (**text == '/' || !**text || **text == ' ') {
			return "the row is shorter than the board is wide";
		} else {
			return "a row is made of letters for pieces and numbers of empty squares";
		}
	}
	return NULL;
}

const char *cells_read(const struct cells_form *form, const char **text, uint8_t *cells)
{
	PD_ASSERT(form->width && form->height);
	for (unsigned row = form->height; row-- > 0;) {
		const char *wrong = row_read(form, text, cells + row * form->width);
		bool slash = row > 0 || form->height == 1;
		if (wrong)
			return wrong;
		if (slash && **text != '/')
			return **text && **text != ' ' ? "the row is longer than the board is wide"
						       : "the board has more rows";
		*text += slash;
	}
	return **text && **text != ' ' ? "the board has no more rows, and they are no longer" : NULL;
}

void cells_print(const struct cells_form *form, const uint8_t *cells, struct text_line *line)
{
	size_t letters = strlen(form->letters);
	for (unsigned row = form->height; row-- > 0;) {
		unsigned run = 0;
		for (unsigned column = 0; column <= form->width; column++) {
			unsigned piece = column < form->width ? cells[row * form->width + column] : 0;
			PD_ASSERT(piece <= letters);
			if (column < form->width && !piece) {
				run++;
				continue;
			}
			if (run)
				text_printf(line, "%u", run);
			if (piece)
				text_char(line, form->letters[piece - 1]);
			run = 0;
		}
		if (row > 0 || form->height == 1)
			text_char(line, '/');
	}
}

const char *cells_square_read(const struct cells_form *form, const char **text, unsigned *square)
{
	const char *p = *text;
	unsigned column = 0, row, letters = 0;
	while (*p >= 'a' && *p <= 'z' && letters++ < 2)
		column = column * 26 + (unsigned)(*p++ - 'a') + 1;
	if (!column || *p == '0' || !text_number(&p, &row))
		return "a square is a column letter and a row number, as in b3";
	if (column > form->width || row < 1 || row > form->height)
		return "the square is not on the board";
	*text = p;
	*square = (row - 1) * form->width + column - 1;
	return NULL;
}

void cells_square_print(const struct cells_form *form, unsigned square, struct text_line *line)
{
	unsigned column = square % form->width;
	PD_ASSERT(column < CELLS_COLUMNS_MAX);
	if (column >= 26)
		text_char(line, (char)('a' + (column / 26 - 1)));
	text_printf(line, "%c%u", (char)('a' + column % 26), square / form->width + 1);
}

const char *cells_side_read(const char **text, const char letters[2], unsigned *side)
{
	const char *p = *text;
	if (*p != ' ')
		return "the side to move stands behind the board";
	while (*p == ' ')
		p++;
	*text = p;
	if (!*p || (*p != letters[0] && *p != letters[1]) || p[1])
		return "the side to move is one letter at the end of the text";
	*side = *p == letters[1];
	*text = p + 1;
	return NULL;
}

int cells_fail(struct pd_fail *fail, const char *text, const char *at, const char *wrong)
{
	PD_ASSERT(at >= text && wrong);
	return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0), '%s': %s",
			   (size_t)(at - text), text_excerpt(at, 12).text, wrong);
}

/* --- boards of x and o -------------------------------------------------------------------- */

static const char xo[] = "xo";

/* Swaps the first row with the last, and so on. */
static void turn_over(const struct cells_xo *b, uint8_t *at)
{
	for (unsigned row = 0; b->from_top && row < b->height / 2; row++)
		for (unsigned column = 0; column < b->width; column++) {
			uint8_t *low = &at[row * b->width + column];
			uint8_t *high = &at[(b->height - 1 - row) * b->width + column], kept = *low;
			*low = *high;
			*high = kept;
		}
}

int cells_xo_parse(struct cells_xo *b, const char *text, struct pd_fail *fail)
{
	const char *p = text;
	unsigned side = GAME_NO_SIDE;
	PD_ASSERT(b->width * b->height <= CELLS_XO_MAX);
	const char *wrong = cells_read(&(struct cells_form){b->width, b->height, xo}, &p, b->at);
	if (!wrong && *p)
		wrong = cells_side_read(&p, xo, &side);
	if (wrong)
		return cells_fail(fail, text, p, wrong);
	b->turn = (uint8_t)side;
	turn_over(b, b->at);
	return PD_OK;
}

size_t cells_xo_print(const struct cells_xo *b, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	uint8_t at[CELLS_XO_MAX];
	memcpy(at, b->at, sizeof at);
	turn_over(b, at);
	cells_print(&(struct cells_form){b->width, b->height, xo}, at, &line);
	if (b->turn != GAME_NO_SIDE)
		text_printf(&line, " %c", xo[b->turn]);
	return line.length;
}

int cells_xo_from(struct cells_xo *b, const struct game_diagram *diagram, struct pd_fail *fail)
{
	unsigned cells = b->width * b->height;
	for (unsigned i = 0; i < cells; i++)
		if (diagram->on[i] > CELLS_XO_SECOND)
			return pd_fail_set(fail, PD_E_POSITION, "position", "there is no such piece");
	memcpy(b->at, diagram->on, cells);
	b->turn = diagram->to_move < GAME_NO_SIDE ? diagram->to_move : GAME_NO_SIDE;
	return PD_OK;
}

void cells_xo_show(const struct cells_xo *b, struct game_diagram *out)
{
	memcpy(out->on, b->at, b->width * b->height);
}

/* --- diagrams ----------------------------------------------------------------------------- */

uint8_t cells_turn(const struct game *game, const void *state)
{
	int value;
	if (game->rules->terminal(game, state, &value))
		return GAME_NO_SIDE;
	return game->rules->first_to_move(game, state) ? GAME_FIRST : GAME_SECOND;
}

int cells_check_turn(const struct game *game, unsigned said, const void *state, struct pd_fail *fail)
{
	uint8_t turn = cells_turn(game, state);
	if (turn == GAME_NO_SIDE || said >= GAME_NO_SIDE || said == turn)
		return PD_OK;
	return pd_fail_set(fail, PD_E_POSITION, "position", "with these stones it is %s who is to move",
			   turn == GAME_FIRST ? "First" : "Second");
}
