/* m,n,k: boards of up to 64 squares, where turns have one stone and overlines win. */
#include "solver/games/mnk.h"

#define PLANE_SQUARES 64
#define MNK_PLAIN     1
#define MNK_RULES     game_mnk_rules
#define MNK_NEW       mnk_plain_new

#include "solver/games/mnk_board.h"
