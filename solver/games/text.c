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
			board->stones[**text == 'o'] |= UINT64_C(1) << (row * board->width + column);
			++*text;
			column++;
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
	board->stones[0] = board->stones[1] = 0;
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

/* 'x', 'o', or 0 for an empty square. */
static char stone(const struct text_board *board, unsigned row, unsigned column)
{
	uint64_t bit = UINT64_C(1) << (row * board->width + column);
	if (board->stones[0] & bit)
		return 'x';
	return board->stones[1] & bit ? 'o' : 0;
}

size_t text_board_print(const struct text_board *board, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	PD_ASSERT(board->width && board->height && board->width * board->height <= 64);
	for (unsigned row = board->height; row-- > 0;) {
		unsigned run = 0;
		for (unsigned column = 0; column <= board->width; column++) {
			char c = column < board->width ? stone(board, row, column) : 0;
			if (column < board->width && !c) {
				run++;
				continue;
			}
			if (run)
				text_printf(&line, "%u", run);
			if (c)
				text_printf(&line, "%c", c);
			run = 0;
		}
		if (row > 0 || board->height == 1)
			text_printf(&line, "/");
	}
	return line.length;
}

size_t text_board_picture(const struct text_board *board, void (*name_column)(unsigned column, char out[4]),
			  bool number_rows, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	char name[4];
	PD_ASSERT(board->width && board->height);
	name_column(board->width - 1, name);
	int cell = (int)strlen(name) + 1;
	for (unsigned row = board->height; row-- > 0;) {
		if (number_rows)
			text_printf(&line, "%2u", row + 1);
		for (unsigned column = 0; column < board->width; column++) {
			char c = stone(board, row, column);
			text_printf(&line, "%*c", cell, c ? c : '.');
		}
		text_printf(&line, "\n");
	}
	if (number_rows)
		text_printf(&line, "  ");
	for (unsigned column = 0; column < board->width; column++) {
		name_column(column, name);
		text_printf(&line, "%*s", cell, name);
	}
	text_printf(&line, "\n");
	return line.length;
}
