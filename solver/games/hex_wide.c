/* Hex on boards of 65 to 128 cells. */
#include "solver/games/hex.h"

#define PLANE_SQUARES 128
#define HEX_RULES     game_hex_wide_rules
#define HEX_NEW       hex_wide_new

#include "solver/games/hex_board.h"
