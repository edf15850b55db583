/* Breakthrough: men move one square forward, straight or diagonally, but capture only diagonally. The first man on its
 * far row wins for its side; so does capturing every enemy man. Until the game is over there is always a move.
 *
 * at: 1 a man of First (White, at the bottom, moves up), 2 one of Second. First moves first. Move code: the square
 * where the move begins + 64 * (0 to the column before, 1 straight, 2 to the column behind). */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/keys.h"
#include "proto/base/assert.h"

static unsigned count_men(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_count_kind(p->at, g->width * g->height, kind);
}

/* The number of men of that kind on their far row. */
static unsigned count_arrived(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_count_kind(p->at + (kind == 1 ? (g->height - 1) * g->width : 0), g->width, kind);
}

/* A side wins with its own move, so only the side that is not to move can have won. */
static bool breakthrough_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	unsigned mover = p->turn + 1u, other = 2u - p->turn;
	if (!count_arrived(g, p, other) && count_men(g, p, mover))
		return false;
	*value = other == 1 ? 1 : -1;
	return true;
}

/* The square where the man on `from` arrives if it goes in that direction; false when it cannot. */
static bool leads_to(const struct ck_game *g, const struct ck_position *p, unsigned from, unsigned direction,
		     unsigned *to)
{
	int column = (int)(from % g->width) + (int)direction - 1, row = (int)(from / g->width) + (p->turn ? -1 : 1),
	    square = ck_square_at(g, column, row);
	if (p->at[from] != p->turn + 1 || square < 0)
		return false;
	*to = (unsigned)square;
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

/* Returns what is wrong with the position, or NULL. */
static const char *find_fault(const struct ck_game *g, const struct ck_position *p)
{
	unsigned mover = p->turn + 1u, other = 2u - p->turn;
	if (count_men(g, p, 1) > 2 * g->width || count_men(g, p, 2) > 2 * g->width)
		return "a side has more men than two rows hold";
	if (count_arrived(g, p, mover))
		return "the side to move has already won";
	if (count_arrived(g, p, other) > 1)
		return "two men have reached their far row, but the first one should have ended the game";
	return count_men(g, p, other) ? NULL : "the side that moved last has no man that could have moved";
}

/* A move is two squares, perhaps with - between them, or x if it captures a man. */
static bool read_move(const struct ck_game *g, const struct ck_position *p, const char **text, unsigned *move)
{
	unsigned from, to, end;
	if (!ck_square_read(text, g->width, g->height, &from))
		return false;
	char between = **text;
	*text += between == '-' || between == 'x';
	if (!ck_square_read(text, g->width, g->height, &to) || (between == '-' && p->at[to]) ||
	    (between == 'x' && !p->at[to]))
		return false;
	for (unsigned direction = 0; direction < 3; direction++)
		if (leads_to(g, p, from, direction, &end) && end == to) {
			*move = from + 64 * direction;
			return true;
		}
	return false;
}

static const char *breakthrough_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (strchr(text, '/')) {
		const char *wrong = ck_rows_read(g, text, "Pp", CK_SIDES("w", "b"), out, NULL);
		return wrong ? wrong : find_fault(g, out);
	}
	for (unsigned i = 0; i < 2 * g->width; i++) {
		out->at[i] = 1;
		out->at[g->width * g->height - 1 - i] = 2;
	}
	return ck_moves_read(g, text, out, read_move);
}

static void breakthrough_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	size_t size = ck_board_print(p->at, g->width, g->height, "Pp", out);
	snprintf(out + size, CK_TEXT_MAX - size, " %c", p->turn ? 'b' : 'w');
}

static const struct ck_key_form form = {.sets = 2, .symmetries = CK_MIRROR, .most = 2, .turn = true};

static size_t breakthrough_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	return ck_key_write(g, &form, p, out);
}

static bool breakthrough_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	return ck_key_read(g, &form, key, size, p) && !find_fault(g, p);
}

static int breakthrough_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
				  struct pd_fail *fail)
{
	if (!ck_size_read(&params, &g->width, &g->height) || *params || g->width < 2 || g->height < 4 ||
	    g->width * g->height > 64)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"breakthrough takes columns x rows, as in breakthrough:8x8: at least 2 columns and 4 rows, "
			"at most 64 squares");
	g->step = 2;
	g->infinite = -1;
	g->key_max = ck_key_size(g, &form);
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
