/* Domineering: the players take turns to cover two free neighbouring squares with a domino, First one above the other,
 * Second side by side. A player who cannot do so loses.
 *
 * at: 1 covered. Move code: the lower square of an upright domino, the left one of a flat domino. */
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/keys.h"
#include "proto/base/assert.h"

static bool is_free(const struct ck_game *g, const struct ck_position *p, int column, int row)
{
	int square = ck_square_at(g, column, row);
	return square >= 0 && !p->at[square];
}

/* Whether the player to move can put a domino on the square and the one above or to the right of it. */
static bool domino_fits(const struct ck_game *g, const struct ck_position *p, unsigned square)
{
	int column = (int)(square % g->width), row = (int)(square / g->width);
	return is_free(g, p, column, row) &&
	       (p->turn ? is_free(g, p, column + 1, row) : is_free(g, p, column, row + 1));
}

static unsigned domineering_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (domino_fits(g, p, i))
			out[n++] = (uint16_t)i;
	return n;
}

static void domineering_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && domino_fits(g, p, move));
	p->at[move] = 1;
	p->at[p->turn ? move + 1u : move + g->width] = 1;
	p->turn = !p->turn;
}

/* A move is its two squares in either order. */
static bool read_domino(const struct ck_game *g, const struct ck_position *p, const char **text, unsigned *move)
{
	unsigned a, b;
	if (!ck_square_read(text, g->width, g->height, &a) || !ck_square_read(text, g->width, g->height, &b))
		return false;
	*move = a < b ? a : b;
	b = a < b ? b : a;
	return b - *move == (p->turn ? 1 : g->width);
}

static const char *domineering_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	return strchr(text, '/') ? ck_rows_read(g, text, "#", CK_SIDES("v", "h"), out, NULL)
				 : ck_moves_read(g, text, out, read_domino);
}

static void domineering_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	size_t size = ck_board_print(p->at, g->width, g->height, "#", out);
	memcpy(out + size, p->turn ? " h" : " v", 3);
}

/* The key is the set of free squares that have a free neighbour. */
static const struct ck_key_form form = {.sets = 1, .symmetries = CK_MIRRORS, .most = 1, .turn = true};

static size_t domineering_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	struct ck_position alive = *p;
	for (int i = 0; i < (int)(g->width * g->height); i++) {
		int column = i % (int)g->width, row = i / (int)g->width;
		alive.at[i] = !p->at[i] && (is_free(g, p, column - 1, row) || is_free(g, p, column + 1, row) ||
					    is_free(g, p, column, row - 1) || is_free(g, p, column, row + 1));
	}
	return ck_key_write(g, &form, &alive, out);
}

static bool domineering_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	if (!ck_key_read(g, &form, key, size, p))
		return false;
	for (unsigned i = 0; i < g->width * g->height; i++)
		p->at[i] = !p->at[i];
	return true;
}

static int domineering_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
				 struct pd_fail *fail)
{
	if (!ck_size_read(&params, &g->width, &g->height) || *params || g->width > 63 || g->width * g->height > 64)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "domineering takes columns x rows, 1 to 63 columns and 1 to 64 squares");
	g->step = 2;
	g->key_max = ck_key_size(g, &form);
	return PD_OK;
}

static void domineering_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move,
				  char out[CK_MOVE_TEXT])
{
	unsigned column = move % g->width, row = move / g->width;
	out = ck_square_name(out, column, row);
	ck_square_name(out, column + (p->turn ? 1 : 0), row + (p->turn ? 0 : 1));
}

const struct ck_rules ck_domineering = {
	.name = "domineering",
	CK_RULES(domineering),
	.over = ck_no_move_loses,
	.first_moves = ck_turn_0_moves,
	.move_name = domineering_name_move,
	.grid = &(const struct ck_grid){.letters = ".#"},
};
