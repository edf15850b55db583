/* LOA positions: what the tests of the game share. */
#pragma once

#include "solver/games/game.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static inline struct walk_state play_copy(const struct game *game, const struct walk_state *state, game_move move)
{
	struct walk_state child = *state;
	game->rules->play(game, &child, move);
	return child;
}
