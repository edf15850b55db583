#include "tests/lab/diff_games.h"

#include <stdlib.h>

#include "tests/support/endings.h"
#include "tests/support/retro.h"
#include "tests/support/walk.h"

struct set {
	const char *name;
	unsigned side, men;   /* of Lines of Action: all positions with so many men a side, and in all; else 0 */
	const char *material; /* of games with chessmen: all positions of that ending; else NULL */
	const char *start;    /* all positions from this one on; NULL: from the initial one */
	struct game *game;    /* owned; NULL until it is asked */
	struct retro *retro;  /* owned */
	unsigned claim[32];   /* for the claim "at least value_min + 1 + i" */
};

static struct set sets[] = {
	/* others: all positions from `start` on */
	{.name = "connect4:4x4"},
	{.name = "loa:4", .side = 2, .men = 4},
	{.name = "hex:3"},
	{.name = "mnk:4,3,3"},
	{.name = "antichess", .material = "Qp"},
	{.name = "breakthrough:3x4"},
	{.name = "domineering:4x4"},
	{.name = "loa:4,simultaneous=mover,nomove=loss", .side = 2, .men = 4},
	{.name = "nogo:3x3"},
	{.name = "antichess:stalemate=fewer", .material = "Nr"},
	{.name = "atari-go:3x3"},
	{.name = "dots:2x2"},
	{.name = "othello:4"},
	{.name = "checkers:4"},
	{.name = "nim:3,4,5"},
	/* Boards and options that are seldom asked. */
	{.name = "connect4:1x6"},
	{.name = "connect4:3x4"},
	{.name = "connect4:4x3"},
	{.name = "connect4:7x1"},
	{.name = "connect4:6x2"},
	{.name = "connect4:2x6"},
	{.name = "mnk:8,1,3"},
	{.name = "mnk:1,9,3,2,1"},
	{.name = "mnk:9,1,3,2,2,exact"},
	{.name = "mnk:13,1,3"},
	{.name = "mnk:1,13,3,exact"},
	{.name = "mnk:13,1,4,1,2"},
	{.name = "mnk:7,2,3"},
	{.name = "mnk:3,3,4"},
	{.name = "mnk:3,3,3,1,2"},
	{.name = "mnk:3,3,3,1,3,exact"},
	{.name = "mnk:3,3,3,4,2"},
	{.name = "mnk:3,4,3,2,2,exact"},
	{.name = "mnk:4,3,2,exact"},
	{.name = "mnk:4,3,3,1,2,exact"},
	{.name = "mnk:4,3,3,3,1"},
	{.name = "mnk:5,2,2,2,1,exact"},
	{.name = "mnk:2,2,1"},
	{.name = "mnk:13,1,1,exact"},
	{.name = "hex:1x5"},
	{.name = "hex:5x1"},
	{.name = "hex:2x4"},
	{.name = "hex:4x3"},
	{.name = "hex:6x2"},
	{.name = "breakthrough:2x4"},
	{.name = "breakthrough:2x5"},
	{.name = "breakthrough:2x6"},
	{.name = "domineering:1x6"},
	{.name = "domineering:7x1", .start = "7/ h"},
	{.name = "domineering:2x6"},
	{.name = "domineering:5x3"},
	{.name = "domineering:4x4", .start = "2#1/4/1##1/4 h"},
	{.name = "nogo:1x7"},
	{.name = "nogo:4x2"},
	{.name = "atari-go:6x1"},
	{.name = "atari-go:2x4"},
	{.name = "dots:1x1"},
	{.name = "dots:3x1"},
	{.name = "dots:1x4"},
	{.name = "othello:4,empties=none"},
	{.name = "nim:1"},
	{.name = "nim:1,1,2,2,3"},
	{.name = "loa:4,nomove=loss", .side = 2, .men = 4},
	{.name = "loa:4,simultaneous=mover", .side = 2, .men = 4},
	{.name = "antichess:2", .material = "Kk"},
	{.name = "antichess:1", .material = "Bp"},
	{.name = "antichess:stalemate=fewer,2", .material = "Nk"},
	{.name = "chess-mate:2", .start = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"},
	{.name = "chess-mate:1", .start = "8/8/8/8/8/1k6/p7/K1Q5 b - - 0 1 first=w"},
	{.name = "chess-variant:racingkings", .start = "8/8/8/8/8/8/k6K/8 w - -"},
	{.name = "chess-variant:kingofthehill", .start = "k7/8/8/8/8/8/8/7K w - -"},
	{.name = "tsume", .start = "8k/9/8P/9/9/9/9/9/9 b G"},
	{.name = "tsume", .start = "7nk/7pl/9/9/9/9/9/9/9 b 2N"},
	{.name = "uttt",
	 .start = "X;XXO...O.O;X.O.XXX.X/XOO.X.OXX/.OXXOOXOX/OXXX.O.OX/.XOOXOXOX/.OXXOXO.O/O...O..XO/OXOOO..XX/"
		  "O..OX.OXO"},
	{.name = "checkers:6", .start = "B:WK17,K18:BK1"},
	/* Positions that cannot be reached, or with the wrong side to move. */
	{.name = "mnk:3,3,3", .start = "3/1x1/3 x"},
	{.name = "mnk:3,3,3", .start = "3/1oo/3 o"},
	{.name = "mnk:7,2,3", .start = "2x4/2x1o2 x"},
	{.name = "mnk:13,1,4", .start = "2oo9/ x"},
	{.name = "mnk:13,1,3,exact", .start = "xx1xx8/ o"},
	{.name = "hex:3", .start = "3/1o1/3 o"},
	{.name = "hex:4x3", .start = "1xx1/4/2o1 x"},
	{.name = "breakthrough:3x5", .start = "p1p/3/1p1/P1P/3 w"},
	{.name = "nogo:3x3", .start = "1x1/3/1o# o"},
	{.name = "atari-go:4x3", .start = "1#2/1xo1/1ox1 o"},
};

enum { SETS = sizeof sets / sizeof *sets };

static void add_to_retro(void *ctx, const void *state)
{
	if (!retro_add(ctx, state))
		abort();
}

static void open_set(struct set *set)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (game_open(set->name, NULL, &set->game, &fail)) {
		fprintf(stderr, "%s: %s\n", set->name, fail.text);
		abort();
	}
	const struct game *game = set->game;
	set->retro = retro_new(game, UINT32_MAX);
	const struct endings_to to = {set->retro, add_to_retro};
	if (set->side) {
		endings_loa(game, 4, set->side, set->men, &to);
	} else if (set->material) {
		endings_chessmen(game, set->material, &to);
	} else {
		if (game->rules->parse(game, set->start ? set->start : "", state, &fail)) {
			fprintf(stderr, "%s, %s: %s\n", set->name, set->start, fail.text);
			abort();
		}
		add_to_retro(set->retro, state);
	}
	for (int t = game->value_min + 1; t <= game->value_max; t++)
		set->claim[t - game->value_min - 1] = retro_solve(set->retro, t);
}

static int holds_in_set(const void *ctx, const uint8_t *key, size_t size, int bound, unsigned *plies)
{
	const struct set *set = ctx;
	uint32_t index = retro_find_key(set->retro, key, size);
	if (index == RETRO_NONE || retro_over(set->retro, index))
		return -1;
	return retro_holds_at(set->retro, set->claim[bound - set->game->value_min - 1], index, plies);
}

static void pick_from_set(const void *ctx, uint64_t *random, void *state)
{
	const struct set *set = ctx;
	uint32_t index;
	do
		index = walk_below(random, retro_positions(set->retro));
	while (retro_over(set->retro, index));
	retro_state(set->retro, index, state);
}

struct diff_oracle diff_games_oracle(unsigned number)
{
	struct set *set = &sets[number % SETS];
	if (!set->game)
		open_set(set);
	return (struct diff_oracle){set->game, set, holds_in_set, pick_from_set};
}
