/* Positions: games and positions of tests; what does not open or parse fails the test. */
#pragma once

#include "tests/support/walk.h"

/* For game_close. */
struct game *open_game(const char *name);
struct walk_state parse_position(const struct game *game, const char *text);
