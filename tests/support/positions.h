/* Positions: games and positions of tests. The test fails if one cannot be opened or parsed. */
#pragma once

#include "tests/support/walk.h"

/* game_close follows. */
struct game *open_game(const char *name);
struct walk_state parse_position(const struct game *game, const char *text);
