/* m,n,k: turns of several stones, or where overlines do not win, on boards of up to 64 squares. */
#include "solver/games/mnk.h"

#define PLANE_SQUARES 64
#define MNK_PLAIN     0
#define MNK_RULES     game_mnk_turns_rules
#define MNK_NEW       mnk_turns_new

#include "solver/games/mnk_board.h"
