#include "solver/strategies.h"

#include <limits.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"

enum {
	MISTAKES_MAX = 60, /* in one pass of a lesson; one more ends the pass */
	LISTS_MORE = 4     /* lists of moves besides one for each ply */
};

int pn_strategy_check(const struct game *game, struct pd_fail *fail)
{
	if (!game->acyclic || !game->plies_max)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game",
				   "%.80s can repeat positions; strategies are for games that cannot", game->name);
	if (!game->rules->move_square || !game->rules->board)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game",
				   "%.80s has no strategies: its moves have no squares that could be weighed",
				   game->name);
	return PD_OK;
}

static unsigned count_squares(const struct game *game)
{
	struct game_board *board = calloc(1, sizeof *board);
	unsigned count = 0;
	if (board) {
		game->rules->board(game, board);
		count = board->places;
	}
	free(board);
	return count;
}

int pn_strategy_init(struct pn_strategy *s, const struct game *game, int threshold, bool first, uint32_t limit,
		     struct pd_fail *fail)
{
	uint32_t slots = 16;
	PD_ASSERT(limit >= 1 && limit <= 1 << 16 && game->plies_max);
	*s = (struct pn_strategy){.game = game, .threshold = threshold, .first = first, .limit = limit};
	while (slots < 2 * limit)
		slots *= 2;
	s->slot_mask = slots - 1;
	s->squares = count_squares(game);
	s->states = malloc((size_t)limit * game->state_size);
	s->plies = malloc(limit * sizeof *s->plies);
	s->slots = calloc(slots, sizeof *s->slots);
	s->moves = malloc((size_t)(game->plies_max + LISTS_MORE) * game->moves_max * sizeof *s->moves);
	if (!s->squares || !s->states || !s->plies || !s->slots || !s->moves)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for strategies");
	if (s->squares > STRATEGY_SQUARES_MAX)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game", "strategies have at most %d squares",
				   STRATEGY_SQUARES_MAX);
	return PD_OK;
}

void pn_strategy_fini(struct pn_strategy *s)
{
	free(s->states);
	free(s->plies);
	free(s->slots);
	free(s->moves);
	*s = (struct pn_strategy){0};
}

/* --- the policy --------------------------------------------------------------------------- */

struct position {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

static void play_move(const struct game *g, const void *from, game_move move, void *to)
{
	memcpy(to, from, g->state_size);
	g->rules->play(g, to, move);
}

/* Whether the player to move has a move after which the game is over, and W's aim is reached or, if not `reach`, lost.
 * *smallest, unless it is NULL, is the smallest such move. */
static bool can_end(const struct pn_strategy *s, const void *state, bool reach, game_move *smallest)
{
	const struct game *g = s->game;
	game_move moves[GAME_MOVES_MAX];
	struct position child;
	int value;
	bool found = false;
	if (!smallest && g->rules->immediate_win && g->rules->immediate_win(g, state, &value) &&
	    pn_strategy_reached(s, value) == reach)
		return true;
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count && (smallest || !found); i++) {
		play_move(g, state, moves[i], child.state);
		if (!g->rules->terminal(g, child.state, &value) || pn_strategy_reached(s, value) != reach)
			continue;
		if (smallest && (!found || moves[i] < *smallest))
			*smallest = moves[i];
		found = true;
	}
	return found;
}

/* Whether each reply at a position, M to move, reaches W's aim or leaves W a move that does. */
static bool is_double_threat(const struct pn_strategy *s, const void *state)
{
	const struct game *g = s->game;
	game_move moves[GAME_MOVES_MAX];
	struct position child;
	int value;
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++) {
		play_move(g, state, moves[i], child.state);
		bool good = g->rules->terminal(g, child.state, &value)
				    ? pn_strategy_reached(s, value)
				    : pn_strategy_moves(s, child.state) && can_end(s, child.state, true, NULL);
		if (!good)
			return false;
	}
	return true;
}

unsigned pn_strategy_choices_slow(const struct pn_strategy *s, const void *state, game_move *out, unsigned *plies)
{
	const struct game *g = s->game;
	game_move moves[GAME_MOVES_MAX];
	struct position child;
	int value;
	unsigned count = g->rules->moves(g, state, moves), safe = 0, threats = 0;
	*plies = 0;
	if (can_end(s, state, true, out)) {
		*plies = 1;
		return 1;
	}
	for (unsigned i = 0; i < count; i++) {
		play_move(g, state, moves[i], child.state);
		if (g->rules->terminal(g, child.state, &value))
			continue;
		bool replies = !pn_strategy_moves(s, child.state);
		if (replies && can_end(s, child.state, false, NULL))
			continue;
		bool threat = replies && is_double_threat(s, child.state);
		if (threats && !threat)
			continue;
		if (threat && !threats++)
			safe = 0;
		out[safe++] = moves[i];
	}
	*plies = threats ? 3 : 0;
	return safe;
}

unsigned pn_strategy_choices(const struct pn_strategy *s, const void *state, game_move *out, unsigned *plies)
{
	unsigned count;
	if (s->game->rules->policy_moves && s->game->rules->policy_moves(s->game, state, out, &count, plies))
		return count;
	return pn_strategy_choices_slow(s, state, out, plies);
}

game_move pn_strategy_pick(const struct pn_strategy *s, const void *state, const int8_t *weights,
			   const game_move *choices, unsigned count)
{
	const struct game_rules *rules = s->game->rules;
	game_move best = choices[0];
	int most = INT_MIN;
	for (unsigned i = 0; i < count; i++) {
		unsigned square = rules->move_square(s->game, state, choices[i]);
		int weight = square < s->squares ? weights[square] : 0;
		if (weight > most || (weight == most && choices[i] < best)) {
			most = weight;
			best = choices[i];
		}
	}
	return best;
}

/* --- lessons ------------------------------------------------------------------------------ */

static unsigned next_random(struct pn_strategy *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (unsigned)(s->random >> 33);
}

static int ask_after(struct pn_strategy *s, const void *state, game_move move)
{
	struct position child;
	int value;
	play_move(s->game, state, move, child.state);
	if (s->game->rules->terminal(s->game, child.state, &value))
		return pn_strategy_reached(s, value);
	return s->lesson->holds(s->lesson->ctx, child.state);
}

static void add_weight(int8_t *weight, int by)
{
	int sum = *weight + by;
	*weight = (int8_t)(sum > INT8_MAX ? INT8_MAX : sum < INT8_MIN ? INT8_MIN : sum);
}

/* Moves the weights of a mistake and of the move that should have been played towards each other. */
static void move_weights(struct pn_strategy *s, const void *state, game_move mistake, game_move good)
{
	const struct game_rules *rules = s->game->rules;
	unsigned low = rules->move_square(s->game, state, good), high = rules->move_square(s->game, state, mistake);
	int between = (high < s->squares ? s->learned[high] : 0) - (low < s->squares ? s->learned[low] : 0);
	int by = 1 + (int)(next_random(s) % (unsigned)(between > 2 ? between : 2));
	bool raise = next_random(s) & 1;
	if (raise && low < s->squares)
		add_weight(&s->learned[low], by);
	else if (high < s->squares)
		add_weight(&s->learned[high], -by);
}

/* The lesson's move: that of the weights, or if it is a mistake the best one that is none, to which the weights then
 * yield. False when there is none, or the pass is to end. `choices` is changed. */
static int study_move(struct pn_strategy *s, const void *state, game_move *choices, unsigned count, game_move *out)
{
	game_move mistake = pn_strategy_pick(s, state, s->learned, choices, count);
	int holds = ask_after(s, state, mistake);
	*out = mistake;
	if (holds)
		return holds > 0 ? 0 : STRATEGY_STOPPED;
	if (++s->mistakes > MISTAKES_MAX)
		return STRATEGY_FAILS;
	while (count > 1) {
		unsigned at = 0;
		while (choices[at] != *out)
			at++;
		choices[at] = choices[--count];
		*out = pn_strategy_pick(s, state, s->learned, choices, count);
		holds = ask_after(s, state, *out);
		if (holds < 0)
			return STRATEGY_STOPPED;
		if (holds) {
			move_weights(s, state, mistake, *out);
			return 0;
		}
	}
	return STRATEGY_FAILS;
}

/* --- playing out -------------------------------------------------------------------------- */

/* Finds a position that was played out, or takes a place for it: *found says which. The place; UINT32_MAX: there is no
 * room. */
static uint32_t place_position(struct pn_strategy *s, const void *state, bool *found)
{
	size_t size = s->game->state_size;
	uint64_t i = pd_hash64(state, size) & s->slot_mask;
	for (; s->slots[i] >> 32 == s->generation; i = (i + 1) & s->slot_mask) {
		uint32_t at = (uint32_t)s->slots[i] - 1;
		if (!memcmp(s->states + at * size, state, size)) {
			*found = true;
			return at;
		}
	}
	*found = false;
	if (s->count == s->limit)
		return UINT32_MAX;
	memcpy(s->states + s->count * size, state, size);
	s->slots[i] = (uint64_t)s->generation << 32 | (s->count + 1);
	return s->count++;
}

static int play_on(struct pn_strategy *s, const void *state, const int8_t *weights, game_move *room);

/* M to move: every reply. The position may be one that was played out. */
static int play_replies(struct pn_strategy *s, const void *state, const int8_t *weights, game_move *room)
{
	const struct game *g = s->game;
	struct position child;
	bool found;
	int most = 0;
	uint32_t at = place_position(s, state, &found);
	if (at == UINT32_MAX)
		return STRATEGY_TOO_LONG;
	if (found)
		return s->plies[at];
	unsigned count = g->rules->moves(g, state, room);
	for (unsigned i = 0; i < count; i++) {
		play_move(g, state, room[i], child.state);
		int plies = play_on(s, child.state, weights, room + count);
		if (plies < 0)
			return plies;
		most = plies >= most ? plies + 1 : most;
	}
	s->plies[at] = (uint16_t)most;
	return most;
}

/* `room` is what is left of the stack of moves. */
static int play_on(struct pn_strategy *s, const void *state, const int8_t *weights, game_move *room)
{
	const struct game *g = s->game;
	struct position child;
	int value;
	unsigned within;
	if (g->rules->terminal(g, state, &value))
		return pn_strategy_reached(s, value) ? 0 : STRATEGY_FAILS;
	if (!pn_strategy_moves(s, state))
		return play_replies(s, state, weights, room);
	unsigned count = pn_strategy_choices(s, state, room, &within);
	if (within == 1 || (within && s->lesson))
		return (int)within;
	if (!count)
		return STRATEGY_FAILS;
	game_move move = room[0];
	int rc = s->lesson ? study_move(s, state, room, count, &move) : 0;
	if (rc)
		return rc;
	if (!s->lesson && count > 1)
		move = pn_strategy_pick(s, state, weights, room, count);
	play_move(g, state, move, child.state);
	int plies = play_on(s, child.state, weights, room);
	return plies < 0 ? plies : plies + 1;
}

int pn_strategy_play(struct pn_strategy *s, const void *state, const int8_t *weights)
{
	if (!++s->generation) {
		memset(s->slots, 0, ((size_t)s->slot_mask + 1) * sizeof *s->slots);
		s->generation = 1;
	}
	s->count = 0;
	return play_on(s, state, weights, s->moves);
}

int pn_strategy_learn(struct pn_strategy *s, const void *state, int8_t *weights, const struct strategy_lesson *lesson,
		      unsigned *mistakes)
{
	int plies = STRATEGY_FAILS;
	*mistakes = UINT_MAX;
	s->learned = weights;
	s->random = lesson->seed | 1;
	for (unsigned pass = 0; pass < lesson->passes; pass++) {
		s->lesson = lesson;
		s->mistakes = 0;
		plies = pn_strategy_play(s, state, weights);
		s->lesson = NULL;
		if (plies < 0 && s->mistakes <= MISTAKES_MAX)
			break;
		*mistakes = s->mistakes < *mistakes ? s->mistakes : *mistakes;
		if (!s->mistakes)
			return pn_strategy_play(s, state, weights);
		plies = STRATEGY_FAILS;
		if ((pass >= 5 && s->mistakes > 12) || (pass >= 10 && s->mistakes > 5))
			break;
	}
	return plies;
}
