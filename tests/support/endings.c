#include "tests/support/endings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_ending(const struct game *game, const char *text, const struct endings_to *to)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (game->rules->parse(game, text, state, &fail)) {
		printf("%s: %s: %s\n", game->name, text, fail.text);
		abort();
	}
	to->each(to->ctx, state);
}

/* --- Lines of Action ---------------------------------------------------------------------- */

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
	give_ending(b->game, text, b->to);
	p[1] = 'w';
	give_ending(b->game, text, b->to);
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

/* --- chessmen ----------------------------------------------------------------------------- */

enum { BOARD = 64 };

static const char letters[] = "PNBRQKpnbrqk"; /* White's first */

bool endings_material(unsigned men, unsigned number, char out[ENDINGS_MEN_MAX + 1])
{
	unsigned at[ENDINGS_MEN_MAX] = {0}; /* indices of letters, in ascending order */
	for (;;) {
		if (at[0] < 6 && at[men - 1] >= 6 && number-- == 0)
			break;
		unsigned i = men;
		while (i && at[i - 1] == 11)
			i--;
		if (!i)
			return false;
		unsigned next = at[i - 1] + 1;
		for (unsigned j = i - 1; j < men; j++)
			at[j] = next;
	}
	for (unsigned i = 0; i < men; i++)
		out[i] = letters[at[i]];
	out[men] = 0;
	return true;
}

struct chess_board {
	const struct game *game;
	const struct endings_to *to;
	const char *material;
	char cell[BOARD]; /* letters or 0, from a8 */
	uint64_t count;
};

static void chess_give(struct chess_board *b)
{
	char text[BOARD + 32], *p = text;
	for (unsigned i = 0; i < BOARD; i++) {
		if (i && i % 8 == 0)
			*p++ = '/';
		if (b->cell[i])
			*p++ = b->cell[i];
		else if (i % 8 && p[-1] >= '1' && p[-1] <= '8')
			p[-1]++;
		else
			*p++ = '1';
	}
	memcpy(p, " w - -", 7);
	give_ending(b->game, text, b->to);
	p[1] = 'b';
	give_ending(b->game, text, b->to);
	b->count += 2;
}

/* Places the men from `man` on. Of two equal men the second stands on a higher square. */
static void chess_place(struct chess_board *b, unsigned man, unsigned behind)
{
	char letter = b->material[man];
	if (!letter) {
		chess_give(b);
		return;
	}
	bool pawn = letter == 'P' || letter == 'p';
	for (unsigned i = man && letter == b->material[man - 1] ? behind + 1 : 0; i < BOARD; i++) {
		if (b->cell[i] || (pawn && (i < 8 || i >= BOARD - 8)))
			continue;
		b->cell[i] = letter;
		chess_place(b, man + 1, i);
		b->cell[i] = 0;
	}
}

uint64_t endings_chessmen(const struct game *game, const char *material, const struct endings_to *to)
{
	struct chess_board b = {.game = game, .to = to, .material = material};
	chess_place(&b, 0, 0);
	return b.count;
}
