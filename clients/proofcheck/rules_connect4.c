/* Connect Four: stones fall into columns; four stones of one player in a row, a column or a diagonal win; a full board
 * is a draw.
 *
 * at: 1 First's stone (x), 2 Second's (o). First opens. Move code: the column, from 0.
 *
 * Key. A column has height + 1 bits, lowest square lowest; column 0 has the lowest bits of all. Two numbers: all
 * stones, and the stones of the side to move. Their sum is the key, of the position or of its mirror image, whichever
 * is smaller; little-endian, in as few bytes as hold all columns. */
#include "clients/proofcheck/rules.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

static unsigned square_of(const struct ck_game *g, unsigned column, unsigned row)
{
	return row * g->width + column;
}

static unsigned count(const struct ck_position *p, unsigned kind)
{
	unsigned n = 0;
	for (unsigned i = 0; i < 64; i++)
		n += p->at[i] == kind;
	return n;
}

static bool has_four(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_row_of(p->at, g->width, g->height, 4, kind);
}

static bool column_full(const struct ck_game *g, const struct ck_position *p, unsigned column)
{
	return p->at[square_of(g, column, g->height - 1)] != 0;
}

/* Only the player who has just moved can have won: see `fault`. */
static bool over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	if (has_four(g, p, p->turn ? 1 : 2)) {
		*value = p->turn ? 1 : -1;
		return true;
	}
	for (unsigned column = 0; column < g->width; column++)
		if (!column_full(g, p, column))
			return false;
	*value = 0;
	return true;
}

static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	(void)g;
	return p->turn == 0;
}

static unsigned moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned column = 0; column < g->width; column++)
		if (!column_full(g, p, column))
			out[n++] = (uint16_t)column;
	return n;
}

static void play(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned row = 0;
	PD_ASSERT(move < g->width && !column_full(g, p, move));
	while (p->at[square_of(g, move, row)])
		row++;
	p->at[square_of(g, move, row)] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

/* Returns why no play leads to the board; NULL when some does. Fills in the side to move. */
static const char *fault(const struct ck_game *g, struct ck_position *p)
{
	unsigned first = count(p, 1), second = count(p, 2);
	if (first != second && first != second + 1)
		return "First must have as many stones as Second, or one more";
	p->turn = first != second;
	unsigned mover = p->turn ? 2 : 1, other = p->turn ? 1 : 2;
	for (unsigned column = 0; column < g->width; column++)
		for (unsigned row = 1; row < g->height; row++)
			if (p->at[square_of(g, column, row)] && !p->at[square_of(g, column, row - 1)])
				return "a stone lies on an empty square";
	if (has_four(g, p, mover))
		return "the side to move has four in a row already";
	if (!has_four(g, p, other))
		return NULL;
	for (unsigned column = 0; column < g->width; column++) {
		unsigned row = g->height;
		while (row > 0 && !p->at[square_of(g, column, row - 1)])
			row--;
		if (!row || p->at[square_of(g, column, row - 1)] != other)
			continue;
		struct ck_position before = *p;
		before.at[square_of(g, column, row - 1)] = 0;
		if (!has_four(g, &before, other))
			return NULL;
	}
	return "the game went on after four in a row";
}

static const char *read_columns(const struct ck_game *g, const char *text, struct ck_position *p)
{
	int value;
	for (; *text; text++) {
		unsigned column = 0;
		while (column < g->width && (char)(column < 9 ? '1' + column : 'a' + column - 9) != *text)
			column++;
		if (column == g->width)
			return "there is no such column";
		if (over(g, p, &value))
			return "a move was played after the end of the game";
		if (column_full(g, p, column))
			return "a stone was dropped into a full column";
		play(g, p, (uint16_t)column);
	}
	return NULL;
}

static const char *read(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return read_columns(g, text, out);
	const char *wrong = ck_board_read(text, strlen(text), g->width, g->height, "xo", out->at);
	return wrong ? wrong : fault(g, out);
}

static void print(const struct ck_game *g, const struct ck_position *p, char *out)
{
	ck_board_print(p->at, g->width, g->height, "xo", out);
}

static uint64_t number_of(const struct ck_game *g, const struct ck_position *p, bool mirrored)
{
	uint64_t sum = 0;
	unsigned mine = p->turn ? 2 : 1;
	for (unsigned i = 0; i < g->width; i++) {
		unsigned column = mirrored ? g->width - 1 - i : i;
		uint64_t bit = UINT64_C(1) << i * (g->height + 1);
		for (unsigned row = 0; row < g->height; row++, bit <<= 1) {
			unsigned stone = p->at[square_of(g, column, row)];
			if (stone)
				sum += stone == mine ? 2 * bit : bit;
		}
	}
	return sum;
}

static size_t encode(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	PD_ASSERT(g->key_max <= 8);
	uint64_t plain = number_of(g, p, false), mirrored = number_of(g, p, true);
	uint64_t key = plain < mirrored ? plain : mirrored;
	for (unsigned i = 0; i < g->key_max; i++)
		out[i] = (uint8_t)(key >> 8 * i);
	return g->key_max;
}

/* A column with h stones has all = 2^h - 1 and adds to it a number below 2^h: the stones of the side to move. */
static bool decode(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	uint64_t sum = 0;
	bool mine[64] = {false};
	unsigned stones = 0;
	if (size != g->key_max)
		return false;
	for (unsigned i = 0; i < size; i++)
		sum |= (uint64_t)key[i] << 8 * i;
	for (unsigned column = 0; column < g->width; column++) {
		uint64_t part = 0, all = 0;
		for (unsigned bit = 0; bit <= g->height; bit++)
			part |= (sum >> (column * (g->height + 1) + bit) & 1) << bit;
		unsigned high = 0;
		while (high < g->height && 2 * all + 1 <= part) {
			all = 2 * all + 1;
			high++;
		}
		if (part - all > all)
			return false;
		for (unsigned row = 0; row < high; row++) {
			p->at[square_of(g, column, row)] = 1;
			mine[square_of(g, column, row)] = (part - all) >> row & 1;
		}
		stones += high;
	}
	for (unsigned i = 0; i < 64; i++)
		if (p->at[i])
			p->at[i] = mine[i] == (stones % 2 == 0) ? 1 : 2; /* with an even number of stones First moves */
	return !fault(g, p) && p->turn == stones % 2;
}

static int open(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	(void)graph;
	(void)graph_size;
	const char *p = params;
	if (!ck_number(&p, &g->width) || *p++ != 'x' || !ck_number(&p, &g->height) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game", "connect4 takes columns and rows, as in connect4:7x6");
	if (g->width * (g->height + 1) > 64)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "connect4 takes boards with columns * (rows + 1) from 2 to 64");
	g->version = 1;
	g->worst = -1;
	g->best = 1;
	g->key_max = (g->width * (g->height + 1) + 7) / 8;
	return PD_OK;
}

const struct ck_rules ck_connect4 = {"connect4", open, read, print, encode, decode, over, first_moves, moves, play};
