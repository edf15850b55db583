#include "solver/frontier.h"

#include <string.h>

#include "solver/playouts.h"

/* A look-ahead: what it was asked for. */
struct look {
	const struct question *question;
	const struct pn_frontier *frontier;
	bool heuristics, mobility;
};

/* Sets the numbers of a position as a tree of `plies` plies below it says; they may be solved. */
static void look_ahead(const struct look *look, const void *state, unsigned plies, uint32_t num[2])
{
	const struct question *q = look->question;
	const struct game_rules *rules = q->game->rules;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	if (question_terminal(q, state, num))
		return;
	if (!plies && look->frontier->playouts) {
		pn_playouts_set_numbers(q, look->frontier, state, moves, num);
		return;
	}
	if (!plies) {
		question_initial_numbers(q, state, look->heuristics, look->mobility, moves, num);
		return;
	}
	unsigned count = question_moves(q, state, moves), k = question_kind(q, state);
	struct num_sum sum;
	PD_ASSERT(count && count <= q->game->moves_max && plies <= FRONTIER_PLIES_MAX);
	num_sum_init(&sum);
	for (unsigned i = 0; i < count && sum.min; i++) {
		uint32_t below[2];
		memcpy(child, state, q->game->state_size);
		rules->play(q->game, child, moves[i]);
		look_ahead(look, child, plies - 1, below);
		num_sum_add(&sum, k, below, i);
	}
	num_sum_backup(&sum, k, q->ranked, num);
}

void pn_frontier_set_numbers(const struct question *question, const struct pn_frontier *frontier, bool heuristics,
			     bool mobility, const void *state, uint32_t num[2])
{
	const struct look look = {question, frontier, heuristics, mobility};
	look_ahead(&look, state, frontier->look_ahead, num);
	for (unsigned i = 0; i < 2; i++) {
		if (!num[i])
			num[i] = 1;
		else if (num[i] > FRONTIER_NUMBER_MAX)
			num[i] = FRONTIER_NUMBER_MAX;
	}
}
