/* Hex on boards of 65 to 121 cells. */
#include "solver/games/hex_variant.h"

typedef unsigned __int128 plane;

#define HEX_RULES game_hex_wide_rules
#define HEX_NEW   hex_wide_new

#include "solver/games/hex_board.h"
