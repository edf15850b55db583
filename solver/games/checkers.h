/* What the files of checkers share: the state, whose squares and invariants are described in checkers.c, and the
 * classes of positions for tables. */
#pragma once

#include "solver/games/cells.h"

enum { CHECKERS_BLACK, CHECKERS_WHITE, CHECKERS_SQUARES = 32 };

/* No padding: equal states are equal bytes. */
struct checkers_state {
	uint32_t men[2]; /* Black's and White's, kings included */
	uint32_t kings;
	uint32_t side; /* to move */
};

extern const struct game_classes checkers_classes;
