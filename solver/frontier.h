/* Frontier: initial numbers of a leaf that look beyond its moves; by default nothing does (struct pn_frontier).
 *
 * Look-ahead (after Kaneko, Tanaka, Yamaguchi and Kawai, "Df-pn with fixed-depth search at frontier nodes", Game
 * Programming Workshop 2005): a leaf has the numbers of a tree of fixed depth below it. The leaves of that tree have
 * the game's own numbers, mobility, or those of random games (playouts.h), as the options say. So 0 plies with mobility
 * are a search of one ply, 1 ply is one of two. The tree is forgotten: the search expands its nodes again if it comes
 * there.
 *
 * Initial numbers change the order of a search and nothing else. A leaf that the look-ahead solves gets the least
 * number on the side that wins and the greatest on the other; the search then finds the proof by itself. */
#pragma once

#include "solver/question.h"
#include "solver/tunables.h"

enum {
	FRONTIER_PLIES_MAX = 3,       /* of `look-ahead` */
	FRONTIER_NUMBER_MAX = 1000000 /* as for initial_numbers of game_rules.h */
};

/* Whether a leaf has the initial numbers of question.h and no others. */
static inline bool pn_frontier_is_plain(const struct pn_frontier *frontier)
{
	return !(frontier->look_ahead | frontier->playouts);
}

/* Sets the initial numbers of a leaf that is not over, each 1..FRONTIER_NUMBER_MAX. `heuristics` and `mobility` as for
 * question_initial_numbers. Positions with the same key have the same numbers. It
 * takes about 9 kB of stack a ply. */
void pn_frontier_set_numbers(const struct question *question, const struct pn_frontier *frontier, bool heuristics,
			     bool mobility, const void *state, uint32_t num[2]);
