/* NoGo: the players take turns to put a stone on a free point; after each move every block of either colour must have a
 * liberty. A player who cannot move loses. liberties.h has the board, its text and the keys. */
#include "clients/proofcheck/liberties.h"

static unsigned nogo_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height; i++) {
		struct ck_position after = *p;
		if (p->at[i])
			continue;
		after.at[i] = p->turn ? 2 : 1;
		if (ck_all_have_liberties(g, &after, 0))
			out[n++] = (uint16_t)i;
	}
	return n;
}

static const char *nogo_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	const char *wrong = ck_stones_read(g, text, out);
	return wrong || ck_all_have_liberties(g, out, 0) ? wrong : "a block of stones has no liberty";
}

static bool nogo_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *out)
{
	return ck_stones_decode(g, key, size, out) && ck_all_have_liberties(g, out, 0);
}

const struct ck_rules ck_nogo = {
	.name = "nogo",
	.open = ck_stones_open,
	.read = nogo_read_position,
	.print = ck_stones_print,
	.encode = ck_stones_encode,
	.decode = nogo_decode_key,
	.over = ck_no_move_loses,
	.first_moves = ck_turn_0_moves,
	.moves = nogo_list_moves,
	.play = ck_put_stone,
	.grid = &(const struct ck_grid){.letters = ".xo#"},
	.square = ck_move_is_square,
};
