/* Positions: games and positions of tests. The test fails if one cannot be opened or parsed. */
#pragma once

#include "tests/support/walk.h"

/* game_close follows. */
struct game *open_game(const char *name);
struct walk_state parse_position(const struct game *game, const char *text);
/* That the position is refused with a text that contains `says`. */
void check_refused_position(const char *game, const char *text, const char *says);
/* That `moves`, or unique_moves if `unique`, lists these moves of the initial position, in this order. */
void check_move_order(const char *game, bool unique, const char *moves);
