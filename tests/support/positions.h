/* Positions: games and positions of tests; what does not open or parse fails the test. */
#ifndef TEST_POSITIONS_H
#define TEST_POSITIONS_H

#include "tests/support/walk.h"

/* For game_close. */
struct game *open_game(const char *name);
struct walk_state parse_position(const struct game *game, const char *text);

#endif
