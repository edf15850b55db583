/* Program game: games whose rules are a program (proto/program.h, clients/programs/README.md).
 *
 * A state is the text of the position, which is also its key; a move is the number of its name among the sorted names.
 *
 * When a program fails, the open game is lost: in every position that the program has not answered for, the game counts
 * as over. So a search that is under way soon ends, and its caller finds sv_program_failed true before anything is
 * kept. The next call of sv_games_get opens the game again. A daemon, whose search threads and handlers all look for
 * failures, survives in this way (sv_programs_survive); any other process ends, as after a failure of a plug-in. */
#pragma once

#include <stdbool.h>

#include "proto/base/error.h"

struct game;
struct game_rules;
struct sv_game_dirs;

/* Registers the games of --game-program. refused(ctx, sentence) is called for each that cannot be used. */
int sv_programs_load(const struct sv_game_dirs *dirs, void (*refused)(void *ctx, const char *sentence), void *ctx,
		     struct pd_fail *fail);
/* From now on a failure ends a job, or a request, and not the process. */
void sv_programs_survive(void);
/* Whether the rules are those of a program. */
bool sv_program_is(const struct game_rules *rules);
/* True when the game is of a program that has failed, with the reason. */
bool sv_program_failed(const struct game *game, struct pd_fail *fail);
/* True when this thread has been told something about a game that had failed, since it was last asked. */
bool sv_program_misled(struct pd_fail *fail);
