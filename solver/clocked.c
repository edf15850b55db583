#include "solver/clocked.h"

enum { CLOCK_BYTES = 2 };

static const struct clocked *clocked_of(const struct game *game)
{
	return (const struct clocked *)(const void *)game;
}

static const struct game *inner_game(const struct game *game)
{
	return clocked_of(game)->of;
}

/* The clock is stored after the game's own state. */
static unsigned clock_get(const struct game *game, const void *state)
{
	uint16_t plies;
	memcpy(&plies, (const uint8_t *)state + inner_game(game)->state_size, sizeof plies);
	return plies;
}

static void clock_set(const struct game *game, void *state, unsigned plies)
{
	uint16_t left = (uint16_t)plies;
	memcpy((uint8_t *)state + inner_game(game)->state_size, &left, sizeof left);
}

/* --- the rules ---------------------------------------------------------------------------- */

static bool clocked_first_to_move(const struct game *game, const void *state)
{
	return inner_game(game)->rules->first_to_move(inner_game(game), state);
}

static bool clocked_terminal(const struct game *game, const void *state, int *value)
{
	const struct game *g = inner_game(game);
	if (g->rules->terminal(g, state, value))
		return true;
	if (clock_get(game, state))
		return false;
	*value = clocked_of(game)->proof ? g->value_min : g->value_max;
	return true;
}

static unsigned clocked_moves(const struct game *game, const void *state, game_move *out)
{
	const struct game *g = inner_game(game);
	return clock_get(game, state) ? g->rules->moves(g, state, out) : 0;
}

static unsigned clocked_unique_moves(const struct game *game, const void *state, game_move *out)
{
	const struct game *g = inner_game(game);
	return clock_get(game, state) ? g->rules->unique_moves(g, state, out) : 0;
}

static unsigned clocked_count(const struct game *game, const void *state)
{
	const struct game *g = inner_game(game);
	return clock_get(game, state) ? g->rules->count(g, state) : 0;
}

/* With one ply left a child has no moves. */
static void clocked_replies(const struct game *game, const void *state, const game_move *list, unsigned n,
			    uint16_t *out)
{
	const struct game *g = inner_game(game);
	if (clock_get(game, state) > 1)
		g->rules->replies(g, state, list, n, out);
	else
		memset(out, 0, n * sizeof *out);
}

static void clocked_play(const struct game *game, void *state, game_move move)
{
	const struct game *g = inner_game(game);
	clock_set(game, state, clock_get(game, state) - 1);
	g->rules->play(g, state, move);
}

static size_t clocked_make_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct game *g = inner_game(game);
	size_t size = g->rules->key(g, state, out);
	unsigned plies = clock_get(game, state);
	out[size] = (uint8_t)(plies >> 8);
	out[size + 1] = (uint8_t)plies;
	return size + CLOCK_BYTES;
}

static int clocked_read_key(const struct game *game, const uint8_t *from, size_t size, void *state)
{
	const struct game *g = inner_game(game);
	if (size <= CLOCK_BYTES)
		return PD_E_CORRUPT;
	unsigned plies = clocked_key(from, &size);
	int rc = g->rules->unkey(g, from, size, state);
	clock_set(game, state, plies);
	return rc;
}

static game_move clocked_canon(const struct game *game, const void *state, game_move move, bool back)
{
	return inner_game(game)->rules->canon(inner_game(game), state, move, back);
}

static bool clocked_immediate_win(const struct game *game, const void *state, int *value)
{
	return inner_game(game)->rules->immediate_win(inner_game(game), state, value);
}

static void clocked_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	inner_game(game)->rules->initial_numbers(inner_game(game), state, threshold, num);
}

/* A known win of the other side holds with any clock; the goal side's own win has to be in time. */
static bool clocked_static_solve(const struct game *game, const void *state, struct game_static *out)
{
	const struct game *g = inner_game(game);
	unsigned plies = clock_get(game, state);
	if (!g->rules->static_solve(g, state, out))
		return false;
	bool best = out->value == (clocked_of(game)->proof ? g->value_max : g->value_min);
	if (best && out->plies > plies)
		return false;
	if (out->plies > plies)
		out->plies = plies;
	return true;
}

static bool clocked_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			    uint8_t *witness)
{
	const struct game *g = inner_game(game);
	unsigned plies = clock_get(game, state);
	if (!g->rules->theorem(g, state, threshold, out, witness))
		return false;
	bool unranked = out->plies == GAME_NO_RANK;
	if (out->proved == clocked_of(game)->proof && (unranked || out->plies > plies))
		return false;
	if (unranked || out->plies > plies)
		out->plies = (uint16_t)plies;
	return true;
}

/* --- making ------------------------------------------------------------------------------- */

bool clocked_init(struct clocked *c, const struct game *game, const struct pn_goal *goal)
{
	const struct game_rules *r = game->rules;
	*c = (struct clocked){.game = *game, .of = game, .proof = goal->proof};
	c->rules = (struct game_rules){
		.abi = r->abi,
		.size = sizeof c->rules,
		.name = r->name,
		.first_to_move = clocked_first_to_move,
		.terminal = clocked_terminal,
		.moves = clocked_moves,
		.play = clocked_play,
		.key = clocked_make_key,
		.unkey = clocked_read_key,
		.canon = r->canon ? clocked_canon : NULL,
		.unique_moves = r->unique_moves ? clocked_unique_moves : NULL,
		.immediate_win = r->immediate_win ? clocked_immediate_win : NULL,
		.initial_numbers = r->initial_numbers ? clocked_initial_numbers : NULL,
		.count = r->count ? clocked_count : NULL,
		.replies = r->replies ? clocked_replies : NULL,
		.static_solve = r->static_solve ? clocked_static_solve : NULL,
		.theorem = r->theorem ? clocked_theorem : NULL,
	};
	c->game.rules = &c->rules;
	c->game.state_size += CLOCK_BYTES;
	c->game.key_size_max += CLOCK_BYTES;
	c->game.plies_max = goal->plies;
	c->game.acyclic = true;
	return c->game.state_size <= GAME_STATE_MAX && c->game.key_size_max <= GAME_KEY_MAX;
}

void clocked_start(const struct clocked *c, const void *state, unsigned plies, void *out)
{
	memcpy(out, state, c->of->state_size);
	clock_set(&c->game, out, plies);
}

unsigned clocked_key(const uint8_t *from, size_t *size)
{
	*size -= CLOCK_BYTES;
	return (unsigned)(from[*size] << 8 | from[*size + 1]);
}

struct window { /* for in_time: the clock that limits ranks */
	const struct clocked *clocked;
	unsigned plies;
};

static bool in_time(void *ctx, const struct pd_reason *r)
{
	const struct window *w = ctx;
	return !clocked_holds(w->clocked, r) || r->rank <= w->plies;
}

bool clocked_fact(const struct clocked *c, struct pd_fact *fact, unsigned plies)
{
	struct window window = {c, plies};
	struct pd_reason *r = fact->many ? fact->many : fact->few;
	pd_fact_keep(fact, in_time, &window);
	for (uint32_t i = 0; i < fact->count; i++)
		if (!clocked_holds(c, &r[i]))
			r[i].rank = (uint16_t)plies;
	return fact->count > 0;
}
