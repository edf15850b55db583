/* Player: a game in progress, for programs that play it (cmd_uci.c, cmd_htp.c): the rules and the positions. */
#pragma once

#include "clients/adviser.h"
#include "solver/games/game.h"

enum { CL_PLIES_MAX = 2000 }; /* number of moves that can be taken back */

struct cl_player {
	struct game *game; /* owned; NULL: none is open */
	uint8_t *states;   /* owned; the positions since the start, the last one is current */
	unsigned plies;    /* positions before it */
};

/* Opens a game at its initial position and closes the one before. On failure nothing changes. */
int cl_player_open(struct cl_player *player, const char *name, struct pd_fail *fail);
void cl_player_close(struct cl_player *player);
/* Sets a position up; "" is the initial one. On failure nothing changes. */
int cl_player_set(struct cl_player *player, const char *position, struct pd_fail *fail);
/* Plays a legal move: PD_E_MOVE otherwise. */
int cl_player_move(struct cl_player *player, const char *text, struct pd_fail *fail);
/* Takes the last move back; false when there is none. */
bool cl_player_undo(struct cl_player *player);

static inline const void *cl_player_state(const struct cl_player *player)
{
	return player->states + (size_t)player->plies * player->game->state_size;
}
bool cl_player_over(const struct cl_player *player);
static inline bool cl_player_first_to_move(const struct cl_player *player)
{
	return player->game->rules->first_to_move(player->game, cl_player_state(player));
}
/* The move to play: that of the advice, otherwise the first legal one; "" if the game is over. */
void cl_player_choose(const struct cl_player *player, const struct cl_advice *advice, char out[32]);
