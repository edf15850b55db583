#include "solver/games/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

struct text_line text_line(char *out, size_t size)
{
	PD_ASSERT(out || !size);
	if (size)
		out[0] = 0;
	return (struct text_line){.out = out, .size = size};
}

void text_printf(struct text_line *line, const char *format, ...)
{
	size_t room = line->length < line->size ? line->size - line->length : 0;
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(room ? line->out + line->length : NULL, room, format, ap);
	va_end(ap);
	line->length += n > 0 ? (size_t)n : 0;
}

bool text_number(const char **text, unsigned *out)
{
	const char *p = *text;
	unsigned n = 0;
	while (*p >= '0' && *p <= '9' && p - *text < 9)
		n = n * 10 + (unsigned)(*p++ - '0');
	if (p == *text || (*p >= '0' && *p <= '9'))
		return false;
	*text = p;
	*out = n;
	return true;
}

struct text_excerpt text_excerpt(const char *text, size_t size)
{
	struct text_excerpt e = {0};
	for (size_t i = 0; i < size && i + 1 < sizeof e.text && text[i]; i++)
		e.text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	return e;
}

bool text_is_board(const char *text)
{
	return strchr(text, '/') != NULL;
}

/* Reads one row from *text on; NULL on success, otherwise what is wrong at *text. */
static const char *row_parse(struct text_board *board, unsigned row, const char **text)
{
	unsigned column = 0;
	while (column < board->width) {
		unsigned run;
		if (**text == 'x' || **text == 'o') {
			board->at[row * board->width + column++] = **text;
			++*text;
		} else if (**text >= '1' && **text <= '9') {
			const char *start = *text;
			if (!text_number(text, &run) || run > board->width - column) {
				*text = start;
				return "the row is longer than the board is wide";
			}
			column += run;
		} else if (**text == '/' || !**text) {
			return "the row is shorter than the board is wide";
		} else {
			return "a row is made of x, o and numbers of empty squares";
		}
	}
	return NULL;
}

int text_board_parse(struct text_board *board, const char *text, struct pd_fail *fail)
{
	const char *p = text, *wrong = NULL;
	PD_ASSERT(board->width && board->height && board->width * board->height <= TEXT_SQUARES_MAX);
	memset(board->at, 0, sizeof board->at);
	for (unsigned row = board->height; row-- > 0 && !wrong;) {
		wrong = row_parse(board, row, &p);
		bool slash = row > 0 || board->height == 1;
		if (!wrong && *p && *p != '/')
			wrong = "the row is longer than the board is wide";
		else if (!wrong && slash && !*p)
			wrong = "the board has more rows";
		else if (!wrong && slash)
			p++;
	}
	if (!wrong && *p)
		wrong = "the board has no more rows";
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "at index %zu (counted from 0): %s; it is %u wide and %u high", (size_t)(p - text),
				   wrong, board->width, board->height);
	return PD_OK;
}

size_t text_board_print(const struct text_board *board, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	PD_ASSERT(board->width && board->height && board->width * board->height <= TEXT_SQUARES_MAX);
	for (unsigned row = board->height; row-- > 0;) {
		unsigned run = 0;
		for (unsigned column = 0; column <= board->width; column++) {
			char c = column < board->width ? board->at[row * board->width + column] : 0;
			if (column < board->width && !c) {
				run++;
				continue;
			}
			if (run)
				text_printf(&line, "%u", run);
			if (c)
				text_char(&line, c);
			run = 0;
		}
		if (row > 0 || board->height == 1)
			text_char(&line, '/');
	}
	return line.length;
}

/* --- diagrams ----------------------------------------------------------------------------- */

uint8_t text_turn(const struct game *game, const void *state)
{
	int value;
	if (game->rules->terminal(game, state, &value))
		return GAME_NO_SIDE;
	return game->rules->first_to_move(game, state) ? GAME_FIRST : GAME_SECOND;
}

int text_check_turn(const struct game *game, const struct game_diagram *diagram, const void *state,
		    struct pd_fail *fail)
{
	uint8_t turn = text_turn(game, state);
	if (turn == GAME_NO_SIDE || diagram->to_move >= GAME_NO_SIDE || diagram->to_move == turn)
		return PD_OK;
	return pd_fail_set(fail, PD_E_POSITION, "position", "with these stones it is %s who is to move",
			   turn == GAME_FIRST ? "First" : "Second");
}

void text_board_show(const char *printed, unsigned width, unsigned height, struct game_diagram *out)
{
	unsigned row = height - 1, column = 0, run;
	PD_ASSERT(width && height && width * height <= GAME_PLACES_MAX);
	for (const char *p = printed; *p && *p != ' ';) {
		if (*p == '/') {
			row--;
			column = 0;
			p++;
		} else if (text_number(&p, &run)) {
			column += run;
		} else {
			PD_ASSERT(row < height && column < width && (*p == 'x' || *p == 'o'));
			out->on[row * width + column++] = *p++ == 'x' ? 1 : 2;
		}
	}
}

int text_board_set_up(const struct game *game, const struct game_diagram *diagram, unsigned width, unsigned height,
		      void *state, struct pd_fail *fail)
{
	_Alignas(16) uint8_t made[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	struct text_line line = text_line(text, sizeof text);
	for (unsigned row = height; row-- > 0;) {
		unsigned run = 0;
		for (unsigned column = 0; column <= width; column++) {
			unsigned on = column < width ? diagram->on[row * width + column] : 0;
			if (on > 2)
				return pd_fail_set(fail, PD_E_POSITION, "position", "there is no such piece");
			run += column < width && !on;
			if (run && (on || column == width))
				text_printf(&line, "%u", run);
			run = on ? 0 : run;
			if (on)
				text_char(&line, on == 1 ? 'x' : 'o');
		}
		if (row || height == 1)
			text_char(&line, '/');
	}
	PD_ASSERT(line.length < sizeof text);
	int rc = game->rules->parse(game, text, made, fail);
	if (!rc)
		rc = text_check_turn(game, diagram, made, fail);
	if (!rc)
		memcpy(state, made, game->state_size);
	return rc;
}
