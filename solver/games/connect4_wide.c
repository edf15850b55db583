/* Connect Four on boards of 65 to 128 bits: 8x8, 9x7, 10x6 and so on. */
#include "solver/games/connect4.h"

typedef unsigned __int128 plane;

#define CONNECT4_RULES game_connect4_wide_rules
#define CONNECT4_NEW   connect4_wide_new

#include "solver/games/connect4_board.h"
