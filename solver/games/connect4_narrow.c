/* Connect Four on boards of up to 64 bits. */
#include "solver/games/connect4.h"

typedef uint64_t plane;

#define CONNECT4_RULES game_connect4_rules
#define CONNECT4_NEW   connect4_narrow_new

#include "solver/games/connect4_board.h"
