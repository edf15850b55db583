/* Hex on boards of 129 to 361 cells. */
#include "solver/games/hex.h"

#define PLANE_SQUARES 384
#define HEX_RULES     game_hex_large_rules
#define HEX_NEW       hex_large_new

#include "solver/games/hex_board.h"
