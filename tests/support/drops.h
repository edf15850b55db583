/* drops:WxH, a small game with men in hand and dominance; the plug-in tests/plugins/drops.so is compiled from the same
 * file, whose comment has the rules. */
#pragma once

#include "solver/game_rules.h"

extern const struct game_rules game_drops_rules;
