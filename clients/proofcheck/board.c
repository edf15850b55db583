#include "clients/proofcheck/board.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/rules.h"
#include "proto/base/assert.h"

bool ck_number(const char **text, unsigned *out)
{
	unsigned n = 0, digits = 0;
	if (**text == '0')
		return false;
	while (**text >= '0' && **text <= '9' && digits++ < 3)
		n = n * 10 + (unsigned)(*(*text)++ - '0');
	*out = n;
	return digits > 0 && !(**text >= '0' && **text <= '9');
}

static const char *read_row(const char **text, const char *end, unsigned width, const char *letters, uint8_t *row)
{
	unsigned column = 0;
	while (*text < end && **text != '/') {
		char c = **text;
		const char *letter = c && c != ' ' ? strchr(letters, c) : NULL;
		unsigned run;
		if (letter) {
			if (column == width)
				return "a row of the board is too long";
			row[column++] = (uint8_t)(letter - letters + 1);
			(*text)++;
		} else if (ck_number(text, &run)) {
			if (run > width - column)
				return "a row of the board is too long";
			column += run;
		} else {
			return "the board has a character that is neither a man nor a number of empty squares";
		}
	}
	return column == width ? NULL : "a row of the board is too short";
}

const char *ck_board_read(const char *text, size_t size, unsigned width, unsigned height, const char *letters,
			  uint8_t *at)
{
	const char *end = text + size;
	PD_ASSERT(width >= 1 && height >= 1 && width * height <= CK_SQUARES_MAX);
	memset(at, 0, (size_t)width * height);
	for (unsigned row = height; row-- > 0;) {
		const char *wrong = read_row(&text, end, width, letters, at + row * width);
		if (wrong)
			return wrong;
		if (row > 0 || height == 1) {
			if (text == end)
				return "the board has too few rows";
			text++;
		}
	}
	return text == end ? NULL : "the board has too many rows";
}

size_t ck_board_print(const uint8_t *at, unsigned width, unsigned height, const char *letters, char *out)
{
	char *p = out;
	PD_ASSERT(width * height <= CK_SQUARES_MAX);
	for (unsigned row = height; row-- > 0;) {
		unsigned run = 0;
		for (unsigned column = 0; column < width; column++) {
			unsigned man = at[row * width + column];
			run += !man;
			if (run && (man || column + 1 == width)) {
				p += sprintf(p, "%u", run);
				run = 0;
			}
			if (man)
				*p++ = letters[man - 1];
		}
		if (row > 0 || height == 1)
			*p++ = '/';
	}
	*p = 0;
	return (size_t)(p - out);
}

char *ck_column_name(char *out, unsigned column)
{
	return column < 26 ? out + sprintf(out, "%c", 'a' + column)
			   : out + sprintf(out, "%c%c", 'a' + column / 26 - 1, 'a' + column % 26);
}

char *ck_square_name(char *out, unsigned column, unsigned row)
{
	out = ck_column_name(out, column);
	return out + sprintf(out, "%u", row + 1);
}

/* How many men of a kind stand in a row from a square on, in steps of (right, up), at most `line`. */
static unsigned run_from(const uint8_t *at, int width, int height, int column, int row, int right, int up,
			 unsigned kind, unsigned line)
{
	unsigned run = 0;
	while (run < line && column >= 0 && column < width && row < height && at[row * width + column] == kind) {
		run++;
		column += right;
		row += up;
	}
	return run;
}

bool ck_row_of(const uint8_t *at, unsigned width, unsigned height, unsigned line, unsigned kind)
{
	static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
	int w = (int)width, h = (int)height;
	PD_ASSERT(line >= 1 && width * height <= CK_SQUARES_MAX);
	for (int row = 0; row < h; row++)
		for (int column = 0; column < w; column++)
			for (unsigned d = 0; d < 4 && at[row * w + column] == kind; d++)
				if (run_from(at, w, h, column, row, directions[d][0], directions[d][1], kind, line) ==
				    line)
					return true;
	return false;
}
