/* drops:WxH, a small game with men in hand and dominance; drops.c has the rules. A plug-in of the tests is compiled
 * from the same file. */
#pragma once

#include "solver/game_rules.h"

extern const struct game_rules game_drops_rules;
