/* Connect Four: stones fall into columns; four stones of one player in a row, a column or a diagonal win; a full board
 * is a draw.
 *
 * at: 1 First's stone (x), 2 Second's (o). First opens. Move code: the column, from 0. */
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

static unsigned square_of(const struct ck_game *g, unsigned column, unsigned row)
{
	return row * g->width + column;
}

static bool has_four(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_row_of(p->at, g->width, g->height, 4, kind);
}

static bool column_full(const struct ck_game *g, const struct ck_position *p, unsigned column)
{
	return p->at[square_of(g, column, g->height - 1)] != 0;
}

/* Only the player who has just moved can have won: see `find_fault`. */
static bool connect4_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	bool won = has_four(g, p, p->turn ? 1 : 2);
	*value = !won ? 0 : p->turn ? 1 : -1;
	return won || !ck_count_kind(p->at, g->width * g->height, 0);
}

static unsigned connect4_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned column = 0; column < g->width; column++)
		if (!column_full(g, p, column))
			out[n++] = (uint16_t)column;
	return n;
}

static void connect4_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned row = 0;
	PD_ASSERT(move < g->width && !column_full(g, p, move));
	while (p->at[square_of(g, move, row)])
		row++;
	p->at[square_of(g, move, row)] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

/* Returns why no sequence of moves leads to the board; NULL when one does. Fills in the side to move. */
static const char *find_fault(const struct ck_game *g, struct ck_position *p)
{
	unsigned first = ck_count_kind(p->at, CK_SQUARES_MAX, 1), second = ck_count_kind(p->at, CK_SQUARES_MAX, 2);
	if (first != second && first != second + 1)
		return "First must have as many stones as Second, or one more";
	p->turn = first != second;
	unsigned mover = p->turn ? 2 : 1, other = p->turn ? 1 : 2;
	for (unsigned column = 0; column < g->width; column++)
		for (unsigned row = 1; row < g->height; row++)
			if (p->at[square_of(g, column, row)] && !p->at[square_of(g, column, row - 1)])
				return "the square below a stone is empty";
	if (has_four(g, p, mover))
		return "the side to move already has four in a row";
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
		if (connect4_is_over(g, p, &value))
			return "a move was played after the end of the game";
		if (column_full(g, p, column))
			return "a stone was dropped into a full column";
		connect4_play_move(g, p, (uint16_t)column);
	}
	return NULL;
}

static const char *connect4_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return read_columns(g, text, out);
	const char *wrong = ck_board_read(text, strlen(text), g->width, g->height, "xo", out->at);
	return wrong ? wrong : find_fault(g, out);
}

static void connect4_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	ck_board_print(p->at, g->width, g->height, "xo", out);
}

enum { BITS_MAX = 128 };

/* The number that the key encodes, one bit per byte: all stones plus the stones of the side to move. */
static void number_of(const struct ck_game *g, const struct ck_position *p, bool mirrored, uint8_t bits[BITS_MAX])
{
	unsigned n = 0, mine = p->turn ? 2 : 1;
	memset(bits, 0, BITS_MAX);
	for (unsigned i = 0; i < g->width; i++) {
		unsigned column = mirrored ? g->width - 1 - i : i, carry = 0;
		for (unsigned row = 0; row <= g->height; row++, carry /= 2) {
			unsigned stone = row < g->height ? p->at[square_of(g, column, row)] : 0;
			carry += (stone ? 1 : 0) + (stone == mine ? 1 : 0);
			bits[n++] = carry % 2;
		}
		PD_ASSERT(!carry);
	}
}

static size_t connect4_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t plain[BITS_MAX], mirrored[BITS_MAX];
	unsigned highest = BITS_MAX - 1;
	number_of(g, p, false, plain);
	number_of(g, p, true, mirrored);
	while (highest > 0 && plain[highest] == mirrored[highest])
		highest--;
	const uint8_t *bits = plain[highest] < mirrored[highest] ? plain : mirrored;
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i < BITS_MAX; i++)
		if (bits[i])
			out[i / 8] |= (uint8_t)(1u << i % 8);
	return g->key_max;
}

/* A column with h stones holds 2^h - 1 for all stones plus a number below 2^h for the stones of the side to move. So
 * one more than this sum has its highest bit at h and those stones below it. */
static bool connect4_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	bool mine[CK_SQUARES_MAX] = {false};
	unsigned stones = 0, n = 0;
	if (size != g->key_max)
		return false;
	for (unsigned column = 0; column < g->width; column++) {
		unsigned carry = 1, high = 0;
		uint8_t part[BITS_MAX];
		for (unsigned bit = 0; bit <= g->height; bit++, n++, carry /= 2) {
			carry += key[n / 8] >> n % 8 & 1;
			part[bit] = carry % 2;
			if (part[bit])
				high = bit;
		}
		if (carry)
			return false; /* the column has more stones than rows */
		for (unsigned row = 0; row < high; row++) {
			p->at[square_of(g, column, row)] = 1;
			mine[square_of(g, column, row)] = part[row];
		}
		stones += high;
	}
	for (unsigned i = 0; i < CK_SQUARES_MAX; i++)
		if (p->at[i])
			p->at[i] = mine[i] == (stones % 2 == 0) ? 1 : 2; /* First moves when `stones` is even */
	return !find_fault(g, p) && p->turn == stones % 2;
}

static int connect4_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			      struct pd_fail *fail)
{
	if (!ck_size_read(&params, &g->width, &g->height) || *params || g->width > 35 || g->height > 64 ||
	    g->width * (g->height + 1) > BITS_MAX)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"connect4 takes columns x rows, as in connect4:7x6: at most 35 columns and 64 rows, with "
			"columns * (rows + 1) at most %d",
			BITS_MAX);
	g->key_max = (g->width * (g->height + 1) + 7) / 8;
	return PD_OK;
}

const struct ck_rules ck_connect4 = {
	.name = "connect4",
	CK_RULES(connect4),
	.over = connect4_is_over,
	.first_moves = ck_turn_0_moves,
	.grid = &(const struct ck_grid){.letters = ".xo", .digits = true},
};
