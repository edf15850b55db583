/* m,n,k: boards of 65 to 400 squares, and turns of any length on them. */
#include "solver/games/mnk.h"

#define PLANE_SQUARES 400
#define MNK_PLAIN     0
#define MNK_RULES     game_mnk_wide_rules
#define MNK_NEW       mnk_wide_new

#include "solver/games/mnk_board.h"
