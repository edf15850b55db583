/* Connect Four on boards of up to 64 bits, for processors with vectors of 256 bits: one direction of lines in each of
 * four lanes. CMakeLists.txt compiles this file for such processors; connect4_open checks that this is one. */
#include "solver/games/connect4.h"

#ifdef __x86_64__
#include <immintrin.h>

typedef uint64_t plane;

#define CONNECT4_LANES
#define CONNECT4_RULES game_connect4_lanes_rules
#define CONNECT4_NEW   connect4_lanes_new

#include "solver/games/connect4_board.h"

#endif
