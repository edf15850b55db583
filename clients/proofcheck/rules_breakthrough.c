/* Breakthrough: men move one square forward, straight or diagonally, and take diagonally only. The first man on its far
 * row wins for its side; so does taking every enemy man. There is always a move, unless the game is over.
 *
 * at: 1 a man of First (White, at the bottom, moves up), 2 one of Second. First moves first. Move code: the square
 * where the move begins + 64 * (0 to the column before, 1 straight, 2 to the column behind). */
#include "clients/proofcheck/rules.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

/* Men of a kind, in the rows from `low` to below `high`. */
static unsigned men_in(const struct ck_game *g, const struct ck_position *p, unsigned kind, unsigned low, unsigned high)
{
	unsigned n = 0;
	for (unsigned i = low * g->width; i < high * g->width; i++)
		n += p->at[i] == kind;
	return n;
}

static unsigned men_of(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return men_in(g, p, kind, 0, g->height);
}

/* Men of a kind on the row that they want to reach. */
static unsigned count_arrived(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return kind == 1 ? men_in(g, p, 1, g->height - 1, g->height) : men_in(g, p, 2, 0, 1);
}

/* A side wins with its own move, so only the side that is not to move can have won. */
static bool breakthrough_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	unsigned mover = p->turn + 1u, other = 2u - p->turn;
	if (!count_arrived(g, p, other) && men_of(g, p, mover))
		return false;
	*value = other == 1 ? 1 : -1;
	return true;
}

/* The square where the man on `from` arrives if it goes in that direction; false when it cannot. */
static bool leads_to(const struct ck_game *g, const struct ck_position *p, unsigned from, unsigned direction,
		     unsigned *to)
{
	int column = (int)(from % g->width) + (int)direction - 1, row = (int)(from / g->width) + (p->turn ? -1 : 1);
	if (p->at[from] != p->turn + 1 || column < 0 || column >= (int)g->width || row < 0 || row >= (int)g->height)
		return false;
	*to = (unsigned)row * g->width + (unsigned)column;
	return !p->at[*to] || (direction != 1 && p->at[*to] != p->at[from]);
}

static unsigned breakthrough_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0, to;
	for (unsigned from = 0; from < g->width * g->height; from++)
		for (unsigned direction = 0; direction < 3; direction++)
			if (leads_to(g, p, from, direction, &to))
				out[n++] = (uint16_t)(from + 64 * direction);
	return n;
}

static void breakthrough_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned to = 0;
	bool can = leads_to(g, p, move % 64, move / 64, &to);
	PD_ASSERT(can);
	p->at[to] = p->at[move % 64];
	p->at[move % 64] = 0;
	p->turn = !p->turn;
}

/* Returns why the position is none; NULL when it is one. */
static const char *find_fault(const struct ck_game *g, const struct ck_position *p)
{
	unsigned mover = p->turn + 1u, other = 2u - p->turn;
	if (men_of(g, p, 1) > 2 * g->width || men_of(g, p, 2) > 2 * g->width)
		return "there are more men than two rows";
	if (count_arrived(g, p, mover))
		return "the side to move has won before";
	if (count_arrived(g, p, other) > 1)
		return "two men have reached their far row, but the first one ends the game";
	return men_of(g, p, other) ? NULL : "the side that moved last has no man that could have moved";
}

static bool read_square(const struct ck_game *g, const char **text, unsigned *square)
{
	char letter = **text;
	unsigned row;
	if (letter < 'a' || letter >= (char)('a' + g->width))
		return false;
	++*text;
	if (!ck_number(text, &row) || row > g->height)
		return false;
	*square = (row - 1) * g->width + (unsigned)(letter - 'a');
	return true;
}

static const char *read_moves(const struct ck_game *g, const char *text, struct ck_position *p)
{
	for (unsigned i = 0; i < g->width; i++)
		for (unsigned row = 0; row < 2; row++) {
			p->at[row * g->width + i] = 1;
			p->at[(g->height - 1 - row) * g->width + i] = 2;
		}
	for (;;) {
		unsigned from, to, end, direction = 0;
		int value;
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		if (!read_square(g, &text, &from))
			return "there is no such square";
		char between = *text;
		text += between == '-' || between == 'x';
		if (!read_square(g, &text, &to) || !strchr(" ,\t", *text))
			return "there is no such square";
		if (breakthrough_is_over(g, p, &value))
			return "a move was played after the end of the game";
		while (direction < 3 && (!leads_to(g, p, from, direction, &end) || end != to))
			direction++;
		if (direction == 3 || (between == '-' && p->at[to]) || (between == 'x' && !p->at[to]))
			return "a move is against the rules";
		breakthrough_play_move(g, p, (uint16_t)(from + 64 * direction));
	}
}

static const char *breakthrough_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return read_moves(g, text, out);
	size_t board = strcspn(text, " ");
	const char *wrong = ck_board_read(text, board, g->width, g->height, "Pp", out->at);
	if (wrong)
		return wrong;
	if (strcmp(text + board, " w") != 0 && strcmp(text + board, " b") != 0)
		return "a blank and the side to move, w or b, must follow the board";
	out->turn = text[board + 1] == 'b';
	return find_fault(g, out);
}

static void breakthrough_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	size_t size = ck_board_print(p->at, g->width, g->height, "Pp", out);
	snprintf(out + size, CK_TEXT_MAX - size, " %c", p->turn ? 'b' : 'w');
}

/* The two numbers of a position, of its mirror image if `mirror`. */
static void numbers_of(const struct ck_game *g, const struct ck_position *p, bool mirror, uint64_t out[2])
{
	out[0] = out[1] = 0;
	for (unsigned row = 0; row < g->height; row++)
		for (unsigned column = 0; column < g->width; column++) {
			unsigned man = p->at[row * g->width + column];
			unsigned square = row * g->width + (mirror ? g->width - 1 - column : column);
			if (man)
				out[man - 1] |= UINT64_C(1) << square;
		}
}

static size_t breakthrough_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint64_t plain[2], mirrored[2], *best = plain;
	unsigned squares = g->width * g->height;
	numbers_of(g, p, false, plain);
	numbers_of(g, p, true, mirrored);
	if (mirrored[0] < plain[0] || (mirrored[0] == plain[0] && mirrored[1] < plain[1]))
		best = mirrored;
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i <= 2 * squares; i++)
		if (i == 2 * squares ? p->turn : best[i / squares] >> i % squares & 1)
			out[i / 8] |= (uint8_t)(1u << i % 8);
	return g->key_max;
}

static bool breakthrough_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned squares = g->width * g->height;
	if (size != g->key_max)
		return false;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i > 2 * squares || (i < 2 * squares && p->at[i % squares]))
			return false; /* a bit behind the last, or two men on one square */
		if (i == 2 * squares)
			p->turn = 1;
		else
			p->at[i % squares] = (uint8_t)(i / squares + 1);
	}
	return !find_fault(g, p);
}

static int breakthrough_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
				  struct pd_fail *fail)
{
	const char *p = params;
	if (!ck_number(&p, &g->width) || *p++ != 'x' || !ck_number(&p, &g->height) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "breakthrough takes columns and rows, as in breakthrough:8x8");
	if (g->width < 2 || g->height < 4 || g->width * g->height > 64)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "breakthrough takes boards of at least 2 columns and 4 rows and at most 64 squares");
	g->step = 2;
	g->infinite = -1;
	g->key_max = (2 * g->width * g->height + 1 + 7) / 8;
	return PD_OK;
}

static void breakthrough_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move,
				   char out[CK_MOVE_TEXT])
{
	unsigned from = move % 64, column = from % g->width, row = from / g->width;
	out = ck_square_name(out, column, row);
	ck_square_name(out, column + move / 64 - 1, p->turn ? row - 1 : row + 1);
}

const struct ck_rules ck_breakthrough = {
	.name = "breakthrough",
	CK_RULES(breakthrough),
	.over = breakthrough_is_over,
	.first_moves = ck_turn_0_moves,
	.move_name = breakthrough_name_move,
	.grid = &(const struct ck_grid){.letters = ".Pp"},
};
