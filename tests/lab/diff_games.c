#include "tests/lab/diff_games.h"

#include <stdlib.h>

#include "tests/support/endings.h"
#include "tests/support/retro.h"
#include "tests/support/walk.h"

struct set {
	const char *name;
	unsigned side, men;   /* of Lines of Action: all positions with so many men a side, and in all; else 0 */
	const char *material; /* of games with chessmen: all positions of that ending; else NULL */
	struct game *game;    /* owned; NULL until it is asked */
	struct retro *retro;  /* owned */
	unsigned claim[32];   /* for the claim "at least value_min + 1 + i" */
};

static struct set sets[] = {
	/* others: all positions from the initial one on */
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
		game->rules->start(game, state);
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
