/* Position: the position that a request asks about: its `position`, and the `moves` played from there. */
#pragma once

#include "proto/doc.h"
#include "solver/games/record.h"

/* True when the request plays moves: `moves` is a record or a list, not a flag. */
bool sv_position_moved(pr_ref params);
/* Reads the position into *state, with room for GAME_STATE_MAX bytes. `played` may be NULL. PD_E_POSITION; PD_E_MOVE
 * with field "moves", which names the first move that is not legal. */
int sv_position_read(const struct game *game, pr_ref params, void *state, struct game_played *played,
		     struct pd_fail *fail);
/* The same as text: as it was given when no moves are played, otherwise as the game writes it. To be freed.
 * PD_E_NO_MEMORY. */
int sv_position_text(const struct game *game, pr_ref params, char **out, struct pd_fail *fail);
/* The same with `position` in place of the one that the request names. */
int sv_position_text_from(const struct game *game, const char *position, pr_ref params, char **out,
			  struct pd_fail *fail);
/* The request's `notation`; NULL: the game's own. PD_E_PARAMS. */
int sv_position_notation(const struct game *game, pr_ref params, const char **out, struct pd_fail *fail);
