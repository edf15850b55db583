/* LOA positions: what the tests of the game share. */
#ifndef LOA_POSITIONS_H
#define LOA_POSITIONS_H

#include "solver/game.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static inline struct game *opened(const char *name)
{
	struct game *game;
	struct pd_fail fail;
	ck_assert_msg(game_open(name, NULL, &game, &fail) == PD_OK, "%s", fail.text);
	return game;
}

static inline struct walk_state position(const struct game *game, const char *text)
{
	struct walk_state s = {0};
	struct pd_fail fail;
	ck_assert_msg(game->rules->parse(game, text, &s, &fail) == PD_OK, "%s: %s", text, fail.text);
	return s;
}

static inline struct walk_state after(const struct game *game, const struct walk_state *state, game_move move)
{
	struct walk_state child = *state;
	game->rules->play(game, &child, move);
	return child;
}

#endif
