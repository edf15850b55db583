/* Atari Go: the players take turns to put a stone on a free point. A move after which a block of the opponent has no
 * liberty captures and wins. Other moves must leave the stone's own block a liberty. A player who cannot move loses.
 *
 * A position in which the game has ended by a capture shows the captured stones: some block of the player to move has
 * no liberty. liberties.h has the board, its text and the keys. */
#include "clients/proofcheck/liberties.h"

/* Puts a stone of the player to move on the point; true when the rules allow it. */
static bool is_allowed(const struct ck_game *g, const struct ck_position *p, unsigned point)
{
	struct ck_position after = *p;
	if (p->at[point])
		return false;
	after.at[point] = p->turn ? 2 : 1;
	return ck_captures(g, &after, point) || ck_has_liberty(g, &after, point);
}

static unsigned atari_go_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (is_allowed(g, p, i))
			out[n++] = (uint16_t)i;
	return n;
}

/* The player to move has lost when stones of that player are captured, or when there is no move. */
static bool atari_go_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t list[CK_MOVES_MAX];
	if (ck_all_have_liberties(g, p, p->turn ? 2 : 1) && atari_go_list_moves(g, p, list))
		return false;
	*value = p->turn ? 1 : -1;
	return true;
}

/* Either all blocks have liberties, or the player to move has just been captured: without some stone of the other
 * player all blocks would have liberties. */
static bool is_possible(const struct ck_game *g, const struct ck_position *p)
{
	if (ck_all_have_liberties(g, p, 0))
		return true;
	if (ck_all_have_liberties(g, p, p->turn ? 2 : 1))
		return false;
	for (unsigned i = 0; i < g->width * g->height; i++) {
		struct ck_position before = *p;
		before.at[i] = 0;
		if (p->at[i] == (p->turn ? 1 : 2) && ck_all_have_liberties(g, &before, 0))
			return true;
	}
	return false;
}

static const char *atari_go_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	const char *wrong = ck_stones_read(g, text, out);
	return wrong || is_possible(g, out) ? wrong
					    : "some blocks have no liberty, but no last move can have captured them";
}

static bool atari_go_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *out)
{
	return ck_stones_decode(g, key, size, out) && is_possible(g, out);
}

const struct ck_rules ck_atari_go = {
	.name = "atari-go",
	.open = ck_stones_open,
	.read = atari_go_read_position,
	.print = ck_stones_print,
	.encode = ck_stones_encode,
	.decode = atari_go_decode_key,
	.over = atari_go_is_over,
	.first_moves = ck_turn_0_moves,
	.moves = atari_go_list_moves,
	.play = ck_put_stone,
	.grid = &(const struct ck_grid){.letters = ".xo#"},
	.square = ck_move_is_square,
};
