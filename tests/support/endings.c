#include "tests/support/endings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give(const struct game *game, const char *text, const struct endings_to *to)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (game->rules->parse(game, text, state, &fail)) {
		printf("%s: %s: %s\n", game->name, text, fail.text);
		abort();
	}
	to->each(to->ctx, state);
}

/* --- Lines of Action -------------------------------------------------------------------------- */

enum { LOA_SIDE_MAX = 8 };

struct loa_board {
	const struct game *game;
	const struct endings_to *to;
	unsigned n, side_max, men_max;
	unsigned men[2];
	char cell[LOA_SIDE_MAX * LOA_SIDE_MAX]; /* 'b', 'w' or 0, from the top row */
	uint64_t count;
};

static void loa_give(struct loa_board *b)
{
	char text[LOA_SIDE_MAX * (LOA_SIDE_MAX + 1) + 8], *p = text;
	for (unsigned i = 0; i < b->n * b->n; i++) {
		if (i && i % b->n == 0)
			*p++ = '/';
		if (b->cell[i])
			*p++ = b->cell[i];
		else if (i % b->n && p[-1] < '9')
			p[-1]++;
		else
			*p++ = '1';
	}
	memcpy(p, " b", 3);
	give(b->game, text, b->to);
	p[1] = 'w';
	give(b->game, text, b->to);
	b->count += 2;
}

static void loa_place(struct loa_board *b, unsigned at)
{
	if (at == b->n * b->n) {
		if (b->men[0] && b->men[1])
			loa_give(b);
		return;
	}
	b->cell[at] = 0;
	loa_place(b, at + 1);
	for (unsigned side = 0; side < 2; side++) {
		if (b->men[side] == b->side_max || b->men[0] + b->men[1] == b->men_max)
			continue;
		b->men[side]++;
		b->cell[at] = "bw"[side];
		loa_place(b, at + 1);
		b->men[side]--;
	}
	b->cell[at] = 0;
}

uint64_t endings_loa(const struct game *game, unsigned n, unsigned side_max, unsigned men_max,
		     const struct endings_to *to)
{
	struct loa_board b = {.game = game, .to = to, .n = n, .side_max = side_max, .men_max = men_max};
	loa_place(&b, 0);
	return b.count;
}
