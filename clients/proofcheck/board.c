#include "clients/proofcheck/board.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

int ck_square_at(const struct ck_game *g, int column, int row)
{
	bool inside = column >= 0 && row >= 0 && column < (int)g->width && row < (int)g->height;
	return inside ? row * (int)g->width + column : -1;
}

unsigned ck_count_kind(const uint8_t *at, unsigned size, unsigned kind)
{
	unsigned n = 0;
	for (unsigned i = 0; i < size; i++)
		n += at[i] == kind;
	return n;
}

unsigned ck_empty_squares(const struct ck_game *g, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

void ck_put_stone(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && !p->at[move]);
	p->at[move] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

int ck_move_is_square(const struct ck_game *g, const struct ck_position *p, uint16_t move)
{
	return move == CK_PASS_MOVE ? -1 : move;
}

/* The length of the line of men of that kind that begins on a square and continues in steps of (right, up); at most
 * `line`. */
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

bool ck_number_or_0(const char **text, unsigned *out)
{
	if (**text != '0')
		return ck_number(text, out);
	*out = 0;
	++*text;
	return **text < '0' || **text > '9';
}

bool ck_size_read(const char **text, unsigned *width, unsigned *height)
{
	return ck_number(text, width) && *(*text)++ == 'x' && ck_number(text, height);
}

bool ck_square_read(const char **text, unsigned width, unsigned height, unsigned *square)
{
	unsigned column = 0, row, letters = 0;
	for (; **text >= 'a' && **text <= 'z' && letters < 2; letters++)
		column = column * 26 + (unsigned)(*(*text)++ - 'a') + 1;
	if (!letters || !ck_number(text, &row) || column > width || row > height)
		return false;
	*square = (row - 1) * width + column - 1;
	return true;
}

/* Reads a number of empty squares: one digit on boards of at most nine columns. */
static bool read_run(const char **text, unsigned width, unsigned *run)
{
	if (width > 9)
		return ck_number(text, run);
	*run = (unsigned)(**text - '0');
	return *(*text)++ >= '1' && *run <= 9;
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
		} else if (read_run(text, width, &run)) {
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

const char *ck_rows_read(const struct ck_game *g, const char *text, const char *letters, const struct ck_sides *sides,
			 struct ck_position *out, unsigned *side)
{
	size_t size = strcspn(text, " ");
	const char *wrong = ck_board_read(text, size, g->width, g->height, letters, out->at);
	if (wrong)
		return wrong;
	text += size + strspn(text + size, " ");
	const char *letter = *text ? strchr(sides->letters, *text) : NULL;
	if (*text ? !letter || text[1 + strspn(text + 1, " ")] : !side)
		return sides->wrong;
	out->turn = letter ? (uint8_t)(letter - sides->letters) : 0;
	if (side)
		*side = letter ? out->turn : 2;
	return NULL;
}

const char *ck_moves_read(const struct ck_game *g, const char *text, struct ck_position *p, ck_move_reader *read)
{
	uint16_t list[CK_MOVES_MAX];
	for (;;) {
		unsigned move = 0, i = 0;
		int value;
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		bool good = read ? read(g, p, &text, &move) : ck_square_read(&text, g->width, g->height, &move);
		if (!good || !strchr(" ,\t", *text))
			return "there is no such move";
		if (g->rules->over(g, p, &value))
			return "a move was played after the end of the game";
		unsigned count = g->rules->moves(g, p, list);
		while (i < count && list[i] != move)
			i++;
		if (i == count)
			return "a move is not legal";
		g->rules->play(g, p, (uint16_t)move);
	}
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
