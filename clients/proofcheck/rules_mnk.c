/* m,n,k: stones are placed on empty squares; k or more stones of one player in a row, a column or a diagonal win; a
 * full board is a draw.
 *
 * at: 1 First's stone (x), 2 Second's (o). First opens. Move code: the square.
 *
 * Key. First's stones as a number, bit = square, then Second's in as many bits again; one string of bits, lowest first,
 * in as few bytes as hold it. Of the images under the board's symmetries (eight for a square board, else four) the one
 * whose First's number is smallest, and among those the one whose Second's number is. */
#include "clients/proofcheck/rules.h"

#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

static bool has_line(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_row_of(p->at, g->width, g->height, g->line, kind);
}

static bool over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	if (has_line(g, p, p->turn ? 1 : 2)) {
		*value = p->turn ? 1 : -1;
		return true;
	}
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (!p->at[i])
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
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

static void play(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && !p->at[move]);
	p->at[move] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

/* Returns why no play leads to the board; NULL when some does. Fills in the side to move. */
static const char *fault(const struct ck_game *g, struct ck_position *p)
{
	unsigned stones[3] = {0}, squares = g->width * g->height;
	for (unsigned i = 0; i < squares; i++)
		stones[p->at[i]]++;
	if (stones[1] != stones[2] && stones[1] != stones[2] + 1)
		return "First must have as many stones as Second, or one more";
	p->turn = stones[1] != stones[2];
	if (has_line(g, p, p->turn ? 2 : 1))
		return "the side to move has a winning line already";
	if (!has_line(g, p, p->turn ? 1 : 2))
		return NULL;
	for (unsigned i = 0; i < squares; i++) {
		struct ck_position before = *p;
		before.at[i] = 0;
		if (p->at[i] == (p->turn ? 1 : 2) && !has_line(g, &before, p->at[i]))
			return NULL;
	}
	return "the game went on after a winning line";
}

/* Reads a square, as in b3 or ab12, and moves behind it. */
static bool read_square(const struct ck_game *g, const char **text, unsigned *square)
{
	unsigned column = 0, row, letters = 0;
	for (; **text >= 'a' && **text <= 'z' && letters < 2; letters++)
		column = column * 26 + (unsigned)(*(*text)++ - 'a') + 1;
	if (!letters || !ck_number(text, &row) || column > g->width || row > g->height)
		return false;
	*square = (row - 1) * g->width + column - 1;
	return true;
}

static const char *read_squares(const struct ck_game *g, const char *text, struct ck_position *p)
{
	int value;
	for (;;) {
		unsigned square;
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		if (!read_square(g, &text, &square) || !strchr(" ,\t", *text))
			return "there is no such square";
		if (over(g, p, &value))
			return "a move was played after the end of the game";
		if (p->at[square])
			return "a stone was put on a square that is taken";
		play(g, p, (uint16_t)square);
	}
}

static const char *read(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return read_squares(g, text, out);
	const char *wrong = ck_board_read(text, strlen(text), g->width, g->height, "xo", out->at);
	return wrong ? wrong : fault(g, out);
}

static void print(const struct ck_game *g, const struct ck_position *p, char *out)
{
	ck_board_print(p->at, g->width, g->height, "xo", out);
}

/* The two numbers of the image under a symmetry: bit 1 of it mirrors columns, 2 mirrors rows, 4 swaps columns and rows.
 */
static void image_of(const struct ck_game *g, const struct ck_position *p, unsigned symmetry, uint64_t out[2])
{
	out[0] = out[1] = 0;
	for (unsigned row = 0; row < g->height; row++)
		for (unsigned column = 0; column < g->width; column++) {
			unsigned stone = p->at[row * g->width + column];
			unsigned x = symmetry & 1 ? g->width - 1 - column : column,
				 y = symmetry & 2 ? g->height - 1 - row : row;
			unsigned square = symmetry & 4 ? x * g->width + y : y * g->width + x;
			if (stone)
				out[stone - 1] |= UINT64_C(1) << square;
		}
}

static size_t encode(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint64_t best[2], image[2];
	unsigned squares = g->width * g->height;
	image_of(g, p, 0, best);
	for (unsigned i = 1; i < (g->width == g->height ? 8u : 4u); i++) {
		image_of(g, p, i, image);
		if (image[0] < best[0] || (image[0] == best[0] && image[1] < best[1]))
			memcpy(best, image, sizeof best);
	}
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i < 2 * squares; i++)
		if (best[i / squares] >> i % squares & 1)
			out[i / 8] |= (uint8_t)(1u << i % 8);
	return g->key_max;
}

static bool decode(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned squares = g->width * g->height;
	if (size != g->key_max)
		return false;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i >= 2 * squares || p->at[i % squares])
			return false; /* a bit behind the board, or two stones on one square */
		p->at[i % squares] = (uint8_t)(i / squares + 1);
	}
	return !fault(g, p);
}

static int open(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	(void)graph;
	(void)graph_size;
	const char *p = params;
	if (!ck_number(&p, &g->width) || *p++ != ',' || !ck_number(&p, &g->height) || *p++ != ',' ||
	    !ck_number(&p, &g->line) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "mnk takes columns, rows and stones in a row, as in mnk:3,3,3");
	if (g->width * g->height > 64 || g->line > 64)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "mnk takes boards of 1 to 64 squares on which 1 to 64 stones win");
	g->version = 1;
	g->worst = -1;
	g->best = 1;
	g->key_max = (2 * g->width * g->height + 7) / 8;
	return PD_OK;
}

const struct ck_rules ck_mnk = {"mnk", open, read, print, encode, decode, over, first_moves, moves, play};
