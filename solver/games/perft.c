/* Perft: counts the positions after a number of plies, for checking rules against published counts.
 *
 * One frame a ply on an explicit stack. The last ply is counted and neither listed nor played, since every legal
 * move makes exactly one position. */
#include "solver/game.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

struct frame {
	unsigned next, count; /* of the moves of this ply */
};

/* The stack of one run; all parts have a place for every ply. */
struct stack {
	struct frame *frames;
	game_move *moves;
	unsigned char *states;
	size_t stride; /* bytes from one state to the next: keeps every state aligned to 16 */
};

static uint64_t count_positions(const struct game *game, const void *state, unsigned depth, struct stack *s)
{
	const struct game_rules *rules = game->rules;
	uint64_t total = 0;
	unsigned ply = 0;
	memcpy(s->states, state, game->state_size);
	if (depth == 1)
		return game_count(game, state, s->moves);
	s->frames[0] = (struct frame){0, rules->moves(game, state, s->moves)};
	for (;;) {
		struct frame *f = &s->frames[ply];
		if (f->next == f->count) {
			if (ply-- == 0)
				return total;
			continue;
		}
		PD_DEBUG_ASSERT(ply + 1 < depth && f->next < f->count && f->count <= game->moves_max);
		unsigned char *from = s->states + ply * s->stride, *to = from + s->stride;
		memcpy(to, from, game->state_size);
		rules->play(game, to, s->moves[(size_t)ply * game->moves_max + f->next++]);
		game_move *moves = s->moves + (size_t)(ply + 1) * game->moves_max;
		if (ply + 2 == depth)
			total += game_count(game, to, moves);
		else
			s->frames[++ply] = (struct frame){0, rules->moves(game, to, moves)};
	}
}

uint64_t game_perft(const struct game *game, const void *state, unsigned depth)
{
	PD_ASSERT(game->state_size >= 1 && game->moves_max >= 1);
	if (depth == 0)
		return 1;
	struct stack s = {.stride = ((size_t)game->state_size + 15) & ~(size_t)15};
	s.frames = calloc(depth, sizeof *s.frames);
	s.moves = calloc((size_t)depth * game->moves_max, sizeof *s.moves);
	s.states = calloc(depth, s.stride);
	/* There is no way to report a failure, and no count is better than a wrong one: no game reaches this number. */
	uint64_t total = s.frames && s.moves && s.states ? count_positions(game, state, depth, &s) : UINT64_MAX;
	free(s.frames);
	free(s.moves);
	free(s.states);
	return total;
}
