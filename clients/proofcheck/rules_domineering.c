/* Domineering: the players take turns to cover two free neighbouring squares with a domino, First one above the other,
 * Second side by side. A player who cannot do so loses.
 *
 * at: 1 covered. Move code: the lower square of an upright domino, the left one of a flat domino. */
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/keys.h"
#include "clients/proofcheck/witness.h"
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

/* T9 of solver/games/THEOREMS.md. The square after `square` in the direction of a side's dominoes, if both are free;
 * otherwise -1. */
static int second_half(const struct ck_game *g, const struct ck_position *p, unsigned square, unsigned side)
{
	int column = (int)(square % g->width) + (side == 1), row = (int)(square / g->width) + (side == 0);
	return !p->at[square] && is_free(g, p, column, row) ? ck_square_at(g, column, row) : -1;
}

/* Marks the squares that a side's dominoes can still cover. */
static void mark_coverable(const struct ck_game *g, const struct ck_position *p, unsigned side, bool out[64])
{
	memset(out, 0, 64 * sizeof *out);
	for (unsigned i = 0; i < g->width * g->height; i++) {
		int other = second_half(g, p, i, side);
		if (other >= 0)
			out[i] = out[other] = true;
	}
}

/* Whether every domino that a side can still put touches one of the squares. */
static bool is_cover(const struct ck_game *g, const struct ck_position *p, unsigned side, const uint16_t *square,
		     unsigned count)
{
	bool covered[64] = {false};
	for (unsigned i = 0; i < count; i++)
		covered[square[i]] = true;
	for (unsigned i = 0; i < g->width * g->height; i++) {
		int other = second_half(g, p, i, side);
		if (other >= 0 && !covered[i] && !covered[other])
			return false;
	}
	return true;
}

static bool domineering_has_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
				 unsigned *plies)
{
	struct ck_groups groups;
	bool exposed[64], used[64] = {false};
	unsigned winner = card->upper, begins = p->turn == winner, safe = 0, others = 0;
	if (card->theorem != 9 || !ck_groups_read(card, g->width * g->height, &groups) || !groups.count ||
	    !is_cover(g, p, !winner, groups.square, groups.size[0]))
		return false;
	mark_coverable(g, p, !winner, exposed);
	for (unsigned i = 1; i < groups.count; i++) {
		const uint16_t *square = groups.square + groups.first[i];
		if (groups.size[i] != 2 || second_half(g, p, square[0], winner) != square[1] || used[square[0]] ||
		    used[square[1]])
			return false;
		used[square[0]] = used[square[1]] = true;
		if (exposed[square[0]] || exposed[square[1]])
			others++;
		else
			safe++;
	}
	*plies = 2 * groups.size[0] + begins;
	return safe + (others + 2 * begins) / 3 >= groups.size[0] + begins;
}

/* Adds dominoes of a side on free squares that are all exposed, or all not, from the lower or left end of each run. */
static bool add_dominoes(const struct ck_game *g, const struct ck_position *p, unsigned side, const bool exposed[64],
			 bool which, struct ck_card *card, uint8_t *room)
{
	struct ck_position left = *p;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (exposed[i] != which)
			left.at[i] = 1;
	for (unsigned i = 0; i < g->width * g->height; i++) {
		int other = second_half(g, &left, i, side);
		if (other < 0)
			continue;
		if (!ck_group_add(card, room, (const uint16_t[2]){(uint16_t)i, (uint16_t)other}, 2))
			return false;
		left.at[i] = left.at[other] = 1;
	}
	return true;
}

/* The cover is the second square of each domino of the loser, put from the lower or left end of each run: every second
 * square of a run. */
static bool domineering_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
				  struct ck_card *out, uint8_t *room)
{
	struct ck_position left = *p;
	uint16_t cover[64];
	bool exposed[64];
	unsigned winner = upper, count = 0, plies;
	*out = (struct ck_card){.upper = upper, .bound = bound, .theorem = 9, .witness = room};
	for (unsigned i = 0; i < g->width * g->height; i++) {
		int other = second_half(g, &left, i, !winner);
		if (other < 0)
			continue;
		left.at[i] = left.at[other] = 1;
		cover[count++] = (uint16_t)other;
	}
	mark_coverable(g, p, !winner, exposed);
	return count && ck_group_add(out, room, cover, count) &&
	       add_dominoes(g, p, winner, exposed, false, out, room) &&
	       add_dominoes(g, p, winner, exposed, true, out, room) && domineering_has_card(g, p, out, &plies);
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
	.card = domineering_has_card,
	.find_card = domineering_find_card,
	.square = ck_move_is_square,
	.grid = &(const struct ck_grid){.letters = ".#"},
};
