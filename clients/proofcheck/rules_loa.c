/* Lines of Action, on N x N squares, N from 4 to 8.
 *
 * Rules. Black moves first. Black's men are on the bottom and the top row, White's on the left and the right file; the
 * corners are empty. A man moves along a row, a column or a diagonal, exactly as many squares as there are men of both
 * colours on that whole line. It may jump over its own side's men, not over the enemy's; it may not land on its own
 * men, and captures an enemy man by landing on it. A side whose men are all connected (by steps to one of the eight
 * neighbours) has won. If a move connects both sides, the game is a draw, or, with the option simultaneous=mover, a win
 * for the side that moved. A side without a legal move passes, or, with nomove=loss, has lost. Infinite play is a draw.
 *
 * at: 1 Black's man, 2 White's. First has Black. option_a: simultaneous=mover. option_b: nomove=loss. Move code: from *
 * 64 + to; CK_PASS_MOVE. */
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

static const int ways[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

/* Men on the part of a line that begins beyond a square and goes one way. */
static unsigned men_along(const struct ck_game *g, const struct ck_position *p, int column, int row, const int way[2])
{
	unsigned men = 0;
	for (int i = 1, square; (square = ck_square_at(g, column + i * way[0], row + i * way[1])) >= 0; i++)
		men += p->at[square] != 0;
	return men;
}

/* The square where the man on a square lands if it moves that way; -1 when it may not. */
static int find_landing(const struct ck_game *g, const struct ck_position *p, int column, int row, unsigned way)
{
	int square = ck_square_at(g, column, row);
	unsigned mine = p->at[square], steps = 1 + men_along(g, p, column, row, ways[way]) +
					       men_along(g, p, column, row, ways[(way + 4) % 8]);
	for (unsigned i = 1; i <= steps; i++) {
		square = ck_square_at(g, column + (int)i * ways[way][0], row + (int)i * ways[way][1]);
		/* It may not land on its own men, nor jump over the enemy's. */
		if (square < 0 || (i == steps ? p->at[square] == mine : p->at[square] && p->at[square] != mine))
			return -1;
	}
	return square;
}

/* All moves except the pass. */
static unsigned men_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	int side = (int)g->width;
	for (int row = 0; row < side; row++)
		for (int column = 0; column < side; column++) {
			if (p->at[row * side + column] != p->turn + 1u)
				continue;
			for (unsigned way = 0; way < 8; way++) {
				int to = find_landing(g, p, column, row, way);
				if (to >= 0)
					out[n++] = (uint16_t)((row * side + column) * 64 + to);
			}
		}
	return n;
}

static unsigned count_men(const struct ck_position *p, unsigned man)
{
	return ck_count_kind(p->at, 64, man);
}

/* Whether all men are connected: begins with one man and adds neighbours until there are no more. */
static bool is_connected(const struct ck_game *g, const struct ck_position *p, unsigned man)
{
	unsigned list[64], n = 0, side = g->width;
	bool reached[64] = {false};
	PD_ASSERT(side);
	for (unsigned i = 0; i < side * side && !n; i++)
		if (p->at[i] == man) {
			list[n++] = i;
			reached[i] = true;
		}
	for (unsigned k = 0; k < n; k++)
		for (unsigned way = 0; way < 8; way++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the assertion above */
			int column = (int)(list[k] % side) + ways[way][0], row = (int)(list[k] / side) + ways[way][1],
			    next = ck_square_at(g, column, row);
			if (next >= 0 && p->at[next] == man && !reached[next]) {
				reached[next] = true;
				list[n++] = (unsigned)next;
			}
		}
	return n == count_men(p, man);
}

static bool loa_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t list[8 * 64];
	bool black = is_connected(g, p, 1), white = is_connected(g, p, 2);
	int mover = p->turn == 0 ? -1 : 1; /* the value if the side that made the last move wins */
	if (black || white) {
		*value = black && white ? (g->option_a ? mover : 0) : black ? 1 : -1;
		return true;
	}
	*value = mover;
	return g->option_b && !men_moves(g, p, list);
}

static unsigned loa_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	out[0] = CK_PASS_MOVE;
	unsigned n = men_moves(g, p, out);
	return n ? n : 1;
}

static void loa_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	if (move != CK_PASS_MOVE) {
		PD_ASSERT(move % 64 < g->width * g->width && move / 64 < g->width * g->width && p->at[move / 64]);
		p->at[move % 64] = p->at[move / 64];
		p->at[move / 64] = 0;
	}
	p->turn = !p->turn;
}

static void set_start(const struct ck_game *g, struct ck_position *p)
{
	unsigned n = g->width;
	for (unsigned i = 1; i + 1 < n; i++) {
		p->at[i] = p->at[(n - 1) * n + i] = 1;
		p->at[i * n] = p->at[i * n + n - 1] = 2;
	}
}

/* A move is written as in `c1-c3`, `a3xc1` or `pass`. */
static bool read_move(const struct ck_game *g, const struct ck_position *p, const char **text, unsigned *move)
{
	unsigned from, to;
	*move = CK_PASS_MOVE;
	if (!strncmp(*text, "pass", 4)) {
		*text += 4;
		return true;
	}
	if (!ck_square_read(text, g->width, g->width, &from) || (**text != '-' && **text != 'x'))
		return false;
	++*text;
	if (!ck_square_read(text, g->width, g->width, &to))
		return false;
	*move = from * 64 + to;
	return true;
}

static const char *loa_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/')) {
		set_start(g, out);
		return ck_moves_read(g, text, out, read_move);
	}
	const char *wrong = ck_rows_read(g, text, "bw", CK_SIDES("b", "w"), out, NULL);
	return wrong || (count_men(out, 1) && count_men(out, 2)) ? wrong : "each side must have at least one man";
}

static void loa_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	size_t size = ck_board_print(p->at, g->width, g->width, "bw", out);
	memcpy(out + size, p->turn ? " w" : " b", sizeof " w");
}

/* The image under a symmetry: bit 1 of it mirrors columns, 2 mirrors rows, 4 then swaps the two. */
static void image_of(const struct ck_game *g, const struct ck_position *p, unsigned symmetry, uint8_t *out)
{
	unsigned n = g->width;
	memset(out, 0, g->key_max);
	out[0] = p->turn;
	for (unsigned cell = 0; cell < n * n; cell++) {
		unsigned x = cell % n, y = cell / n;
		if (symmetry & 4) {
			x = cell / n;
			y = cell % n;
		}
		x = symmetry & 1 ? n - 1 - x : x;
		y = symmetry & 2 ? n - 1 - y : y;
		out[1 + cell / 4] |= (uint8_t)(p->at[(n - 1 - y) * n + x] << cell % 4 * 2);
	}
}

static size_t loa_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t image[CK_KEY_MAX];
	image_of(g, p, 0, out);
	for (unsigned symmetry = 1; symmetry < 8; symmetry++) {
		image_of(g, p, symmetry, image);
		if (memcmp(image, out, g->key_max) < 0)
			memcpy(out, image, g->key_max);
	}
	return g->key_max;
}

static bool loa_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned n = g->width;
	if (size != g->key_max || key[0] > 1)
		return false;
	p->turn = key[0];
	for (unsigned cell = 0; cell < n * n; cell++) {
		unsigned man = key[1 + cell / 4] >> cell % 4 * 2 & 3;
		if (man == 3)
			return false;
		p->at[(n - 1 - cell / n) * n + cell % n] = (uint8_t)man;
	}
	return count_men(p, 1) && count_men(p, 2);
}

static int loa_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			 struct pd_fail *fail)
{
	static const char mover[] = ",simultaneous=mover", loss[] = ",nomove=loss";
	const char *p = params;
	bool good = ck_number(&p, &g->width) && g->width >= 4 && g->width <= 8;
	if (good && !strncmp(p, mover, sizeof mover - 1)) {
		g->option_a = true;
		p += sizeof mover - 1;
	}
	if (good && !strncmp(p, loss, sizeof loss - 1)) {
		g->option_b = true;
		p += sizeof loss - 1;
	}
	if (!good || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "loa takes N from 4 to 8, then perhaps ,simultaneous=mover and ,nomove=loss");
	g->height = g->width;
	g->repeats = true;
	g->key_max = 1 + (g->width * g->width + 3) / 4;
	return PD_OK;
}

static void loa_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	unsigned from = move / 64, to = move % 64;
	if (move == CK_PASS_MOVE) {
		strcpy(out, "pass");
		return;
	}
	out = ck_square_name(out, from % g->width, from / g->width);
	*out++ = p->at[to] ? 'x' : '-';
	ck_square_name(out, to % g->width, to / g->width);
}

const struct ck_rules ck_loa = {
	.name = "loa",
	CK_RULES(loa),
	.over = loa_is_over,
	.first_moves = ck_turn_0_moves,
	.move_name = loa_name_move,
	.grid = &(const struct ck_grid){.letters = ".bw"},
};
