#include "clients/player.h"

#include <stdio.h>

#include "proto/base/assert.h"

void cl_player_close(struct cl_player *p)
{
	game_close(p->game);
	free(p->states);
	*p = (struct cl_player){0};
}

int cl_player_open(struct cl_player *p, const char *name, struct pd_fail *fail)
{
	struct cl_player new = {0};
	int rc = game_open(name, NULL, &new.game, fail);
	if (rc)
		return rc;
	new.states = calloc(CL_PLIES_MAX + 1, new.game->state_size);
	if (!new.states) {
		game_close(new.game);
		return cl_no_memory(fail);
	}
	new.game->rules->start(new.game, new.states);
	cl_player_close(p);
	*p = new;
	return PD_OK;
}

int cl_player_set(struct cl_player *p, const char *position, struct pd_fail *fail)
{
	uint8_t state[GAME_STATE_MAX];
	int rc = p->game->rules->parse(p->game, position, state, fail);
	if (rc)
		return rc;
	memcpy(p->states, state, p->game->state_size);
	p->plies = 0;
	return PD_OK;
}

int cl_player_move(struct cl_player *p, const char *text, struct pd_fail *fail)
{
	const struct game_rules *rules = p->game->rules;
	size_t size = p->game->state_size;
	game_move move;
	int rc = rules->move_parse(p->game, cl_player_state(p), text, &move, fail);
	if (rc)
		return rc;
	if (p->plies == CL_PLIES_MAX) { /* the oldest position is forgotten */
		memmove(p->states, p->states + size, p->plies * size);
		p->plies--;
	}
	PD_ASSERT(p->plies < CL_PLIES_MAX);
	memcpy(p->states + (p->plies + 1) * size, cl_player_state(p), size);
	p->plies++;
	rules->play(p->game, p->states + p->plies * size, move);
	return PD_OK;
}

bool cl_player_undo(struct cl_player *p)
{
	if (!p->plies)
		return false;
	p->plies--;
	return true;
}

bool cl_player_over(const struct cl_player *p)
{
	int value;
	return p->game->rules->terminal(p->game, cl_player_state(p), &value);
}

void cl_player_choose(const struct cl_player *p, const struct cl_advice *advice, char out[32])
{
	game_move moves[GAME_MOVES_MAX];
	const struct game_rules *rules = p->game->rules;
	snprintf(out, 32, "%s", advice->move);
	if (!out[0] && !cl_player_over(p) && rules->moves(p->game, cl_player_state(p), moves))
		rules->move_print(p->game, cl_player_state(p), moves[0], out, 32);
}
