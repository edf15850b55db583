/* Candidates: what a search and facts say of each move of a position, the best first (cmd_uci.c, cmd_usi.c,
 * cmd_htp.c). */
#pragma once

#include "clients/player.h"

struct cl_candidate {
	char move[32];
	struct cl_advice advice;
};

struct cl_candidates {
	struct cl_candidate *list; /* owned */
	unsigned count;
};

/* Turns what is said of the position after a move into what is said of the move: one ply more, and the line begins with
 * the move. */
void cl_candidate_lead(struct cl_candidate *c);

void cl_candidates_free(struct cl_candidates *c);
/* Replaces the list by all moves of the order's position, sorted for the player to move, First or not. */
int cl_candidates_ask(struct cl_adviser *adviser, const struct cl_order *order, bool first, struct cl_candidates *c,
		      struct pd_fail *fail);
/* Sorts: moves that win, the shortest win first; open ones by the number that the player wants small; then draws;
 * moves that lose, the longest loss first. */
void cl_candidates_sort(struct cl_candidates *c, bool first);
