/* kayles:N: a row of N pins, 1 to 60. A move knocks down one pin, or two adjacent ones; the player who cannot move
 * loses. A position is written pin by pin, `|` or `.`, then x (First is to move) or o: `||.|x`. Move: `3`, `3-4`. The
 * state and the key are that text. Move code: 2 * pin, counted from 0, + 1 for two pins. Values: -1, 1. */
#include <proofd/game.h>
#include <stdlib.h>
#include <string.h>

static unsigned count_pins(const struct game *g)
{
	return g->state_size - 1;
}
static void set_start(const struct game *g, void *state)
{
	memset(state, '|', count_pins(g));
	((char *)state)[count_pins(g)] = 'x';
}
static int decode_key(const struct game *g, const uint8_t *key, size_t size, void *state)
{
	for (size_t i = 0; i < size; i++)
		if (!key[i] || !strchr(i < count_pins(g) ? "|." : "xo", key[i]))
			return PD_E_CORRUPT;
	if (size != g->state_size)
		return PD_E_CORRUPT;
	memcpy(state, key, size);
	return PD_OK;
}
static int parse_position(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	if (!*text)
		set_start(g, state);
	else if (decode_key(g, (const uint8_t *)text, strlen(text), state))
		return game_fail(fail, PD_E_POSITION, "position",
				 "a position is | or . for each of %u pins, then x or o", count_pins(g));
	return PD_OK;
}
static size_t print_position(const struct game *g, const void *state, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%.*s", (int)g->state_size, (const char *)state);
}
static size_t encode_key(const struct game *g, const void *state, uint8_t *out)
{
	memcpy(out, state, g->state_size);
	return g->state_size;
}
static bool first_to_move(const struct game *g, const void *state)
{
	return ((const char *)state)[count_pins(g)] == 'x';
}
static bool is_over(const struct game *g, const void *state, int *value)
{
	*value = first_to_move(g, state) ? -1 : 1;
	return !memchr(state, '|', count_pins(g));
}
static unsigned list_moves(const struct game *g, const void *state, game_move *out)
{
	const char *s = state;
	unsigned n = 0;
	for (unsigned i = 0; i < count_pins(g); i++)
		for (unsigned two = 0; two < 2 && s[i] == '|' && s[i + two] == '|'; two++)
			out[n++] = (game_move)(2 * i + two);
	return n;
}
static void play_move(const struct game *g, void *state, game_move move)
{
	char *s = state;
	memset(s + move / 2, '.', 1 + move % 2);
	s[count_pins(g)] = s[count_pins(g)] == 'x' ? 'o' : 'x';
}
static size_t print_move(const struct game *g, const void *state, game_move m, char *out, size_t size)
{
	(void)g, (void)state;
	return (size_t)snprintf(out, size, m % 2 ? "%u-%u" : "%u", m / 2 + 1u, m / 2 + 2u);
}
static int parse_move(const struct game *g, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	game_move list[120];
	char name[16];
	for (unsigned i = 0, n = list_moves(g, state, list); i < n; i++)
		if (print_move(g, state, list[i], name, sizeof name) && !strcmp(name, text))
			return *out = list[i], PD_OK;
	return game_fail(fail, PD_E_MOVE, "move", "'%.20s' does not name standing pins", text);
}
static size_t print_picture(const struct game *g, const void *state, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%.*s\n", (int)count_pins(g), (const char *)state);
}
static int open_game(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	long n = strtol(params, NULL, 10);
	struct game *g = calloc(1, sizeof *g);
	(void)host;
	if (g)
		snprintf(g->name, sizeof g->name, "kayles:%ld", n);
	if (!g || n < 1 || n > 60 || strcmp(g->name + 7, params)) {
		free(g);
		return game_fail(fail, PD_E_GAME, "game", "kayles takes a number of pins from 1 to 60, as in kayles:9");
	}
	g->rules = rules;
	g->rules_version = 1;
	g->state_size = g->key_size_max = (uint32_t)n + 1;
	g->moves_max = 2 * (uint32_t)n;
	g->plies_max = (uint32_t)n;
	g->value_min = -1, g->value_max = 1, g->value_step = 2;
	g->acyclic = true;
	*out = g;
	return PD_OK;
}
static void close_game(struct game *g)
{
	free(g);
}
static const struct game_rules kayles = {
	.abi = GAME_ABI,
	.size = sizeof kayles,
	.name = "kayles",
	.title = "Kayles",
	.params = "N: pins, 1 to 60",
	.notation = "| or . for each pin, then x or o to move; moves 3 or 3-4",
	.example = "kayles:9",
	.open = open_game,
	.close = close_game,
	.start = set_start,
	.parse = parse_position,
	.print = print_position,
	.picture = print_picture,
	.move_parse = parse_move,
	.move_print = print_move,
	.first_to_move = first_to_move,
	.terminal = is_over,
	.moves = list_moves,
	.play = play_move,
	.key = encode_key,
	.unkey = decode_key,
};
static const struct game_rules *const games[] = {&kayles, NULL};
GAME_PLUGIN(games, "the proofd project");
