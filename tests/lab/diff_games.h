/* Diff, the games: small games with the truth about all their positions by retrograde analysis (tests/support/retro.h).
 * A game is opened and analysed when it is first asked for, and stays until the program ends. */
#pragma once

#include "tests/lab/diff_graph.h"

/* The oracle of game `number` modulo the number of games. */
struct diff_oracle diff_games_oracle(unsigned number);
