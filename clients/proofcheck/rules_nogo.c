/* NoGo: the players put stones on free points in turn; after each move every block of either colour must have a
 * liberty. A player who cannot move loses. liberties.h has the board, its text and the keys. */
#include "clients/proofcheck/liberties.h"

static unsigned moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
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

static bool over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t list[CK_MOVES_MAX];
	if (moves(g, p, list))
		return false;
	*value = p->turn ? 1 : -1;
	return true;
}

static const char *read(const struct ck_game *g, const char *text, struct ck_position *out)
{
	const char *wrong = ck_stones_read(g, text, out);
	return wrong || ck_all_have_liberties(g, out, 0) ? wrong : "a block of stones has no liberty";
}

static bool decode(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *out)
{
	return ck_stones_decode(g, key, size, out) && ck_all_have_liberties(g, out, 0);
}

const struct ck_rules ck_nogo = {"nogo",
				 ck_stones_open,
				 read,
				 ck_stones_print,
				 ck_stones_encode,
				 decode,
				 over,
				 ck_stones_first_moves,
				 moves,
				 ck_stones_play,
				 .grid = &(const struct ck_grid){.letters = ".xo#"}};
