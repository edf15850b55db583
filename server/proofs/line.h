/* Line: best play from a position, as far as facts are known.
 *
 * The side that a bound favours plays a move that keeps it; among those that do, the shortest. The other side resists
 * as long as possible (the reply of greatest rank). Where the value is exact, both bounds are kept: each side plays for
 * its own. Where a fact is a leaf, its search is run again and the line continues with the facts found, from an overlay
 * in memory (fact_overlay.h). */
#ifndef SV_LINE_H
#define SV_LINE_H

#include <stdbool.h>

#include "proto/base/error.h"
#include "proto/out.h"
#include "solver/game.h"

struct st_reader;
struct sv_core;

struct sv_line_order {
	struct sv_core *core;     /* its stop ends the line early */
	struct st_reader *reader; /* of the core's store */
	const struct game *game;
	const void *state; /* the first position */
	unsigned limit;    /* moves at most */
};

struct sv_line {
	game_move *moves; /* owned; NULL after an error */
	unsigned count;
	bool complete; /* the line reaches a terminal position or repeats itself */
};

/* Makes a line. Leaves are searched again within a node limit for each leaf and one for the line; a line that meets a
 * limit ends early. PD_E_NO_MEMORY, PD_E_CORRUPT. out->moves is to be freed in any case. */
int sv_line_make(const struct sv_line_order *order, struct sv_line *out, struct pd_fail *fail);
/* Prints the moves as an array `line` of texts, in a notation (NULL: the game's own). */
void sv_line_print(const struct game *game, const void *state, const struct sv_line *line, const char *notation,
		   struct pr_out *out);

#endif
