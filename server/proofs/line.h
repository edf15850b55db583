/* Line: best play from a position, as far as facts go.
 *
 * The side that a bound serves plays a move that keeps it, the recorded one where there is one; the other side holds
 * out as long as it can (the reply of greatest rank). Where the value is exact both bounds are kept: each side plays
 * for its own. Where a fact is a leaf of the frontier, or the facts below were not kept, the bounded search that it
 * names is run again, and its facts are followed from a map in memory. */
#ifndef SV_LINE_H
#define SV_LINE_H

#include <stdbool.h>

#include "proto/base/error.h"
#include "proto/out.h"
#include "solver/game.h"

struct st_reader;
struct sv_core;

/* Best play from a position as far as facts go: at most `limit` moves. *complete when it reaches the end of the game.
 * Regenerates what the frontier left out, within bounds for a leaf and for the line; gives up early when the core
 * stops. */
struct sv_line {
	game_move *moves; /* owned */
	unsigned count;
	bool complete;
};
int sv_line_make(struct sv_core *core, struct st_reader *reader, const struct game *game, const void *state,
		 unsigned limit, struct sv_line *out, struct pd_fail *fail);
void sv_line_print(const struct game *game, const void *state, const struct sv_line *line, const char *key,
		   struct pr_out *out);

#endif
