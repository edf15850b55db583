/* Domineering: the players cover two free neighbouring squares with a domino in turn, First one above the other, Second
 * side by side. A player who cannot loses.
 *
 * at: 1 covered. Move code: the lower square of an upright domino, the left one of a flat domino. */
#include "clients/proofcheck/rules.h"

#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/images.h"
#include "proto/base/assert.h"

static bool is_free(const struct ck_game *g, const struct ck_position *p, int column, int row)
{
	return column >= 0 && row >= 0 && column < (int)g->width && row < (int)g->height &&
	       !p->at[row * (int)g->width + column];
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

/* A move as the text writes it: the square it starts from when the two squares are in either order. */
static bool read_move(const struct ck_game *g, const struct ck_position *p, const char **text, uint16_t *move)
{
	unsigned a, b;
	if (!ck_square_read(text, g->width, g->height, &a) || !ck_square_read(text, g->width, g->height, &b))
		return false;
	if (a > b) {
		unsigned c = a;
		a = b;
		b = c;
	}
	*move = (uint16_t)a;
	return (p->turn ? a / g->width == b / g->width && b == a + 1 : b == a + g->width) && domino_fits(g, p, a);
}

static const char *domineering_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (strchr(text, '/')) {
		size_t size = strcspn(text, " ");
		const char *wrong = ck_board_read(text, size, g->width, g->height, "#", out->at), *side = text + size;
		side += strspn(side, " ");
		if (wrong)
			return wrong;
		if ((*side != 'v' && *side != 'h') || side[1])
			return "v or h, the player to move, must stand behind the board";
		out->turn = *side == 'h';
		return NULL;
	}
	for (;;) {
		uint16_t move;
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		if (!read_move(g, out, &text, &move) || !strchr(" ,\t", *text))
			return "there is no such move";
		domineering_play_move(g, out, move);
	}
}

static void domineering_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	size_t size = ck_board_print(p->at, g->width, g->height, "#", out);
	memcpy(out + size, p->turn ? " h" : " v", 3);
}

static struct ck_sets sets_of(const struct ck_game *g)
{
	return (struct ck_sets){.width = g->width, .height = g->height, .count = 1};
}

/* Whether a square is free and so is one of the four next to it. */
static bool square_is_alive(const struct ck_game *g, const struct ck_position *p, unsigned square)
{
	int column = (int)(square % g->width), row = (int)(square / g->width);
	return is_free(g, p, column, row) && (is_free(g, p, column - 1, row) || is_free(g, p, column + 1, row) ||
					      is_free(g, p, column, row - 1) || is_free(g, p, column, row + 1));
}

static size_t domineering_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	struct ck_sets sets = sets_of(g);
	for (unsigned i = 0; i < g->width * g->height; i++)
		sets.set[0][i] = square_is_alive(g, p, i);
	return ck_images_key(&sets, p->turn, out);
}

static bool domineering_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	struct ck_sets sets = sets_of(g);
	bool second;
	if (!ck_images_read(&sets, key, size, &second))
		return false;
	for (unsigned i = 0; i < g->width * g->height; i++)
		p->at[i] = !sets.set[0][i];
	p->turn = second;
	return true;
}

static int domineering_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
				 struct pd_fail *fail)
{
	if (!ck_size_read(params, &g->width, &g->height))
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "domineering takes columns x rows, 1 to 63 columns and 1 to 64 squares");
	g->step = 2;
	g->key_max = ck_images_key_size(g->width * g->height, 1);
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
