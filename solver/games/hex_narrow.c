/* Hex on boards of up to 64 cells. */
#include "solver/games/hex.h"

#define PLANE_SQUARES 64
#define HEX_RULES     game_hex_rules
#define HEX_NEW       hex_narrow_new

#include "solver/games/hex_board.h"
