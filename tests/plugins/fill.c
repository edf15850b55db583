/* fill:N, a game with a board and records: a row of 1 to 9 squares; each player puts a stone on an
 * empty one, and whoever puts the last stone wins. A position is written square by square, `.`, `x` or `o`, then x or o
 * for the player to move: `..x o`. State and key are that text; move code: the square. */
#include <proofd/game.h>

#include <stdlib.h>
#include <string.h>

static unsigned squares(const struct game *g)
{
	return g->state_size - 2;
}

static void set_start(const struct game *g, void *state)
{
	memset(state, '.', squares(g));
	memcpy((char *)state + squares(g), " x", 2);
}

static int remove_key(const struct game *g, const uint8_t *key, size_t size, void *state)
{
	if (size != g->state_size || key[size - 2] != ' ' || (key[size - 1] != 'x' && key[size - 1] != 'o'))
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < squares(g); i++)
		if (!key[i] || !strchr(".xo", key[i]))
			return PD_E_CORRUPT;
	memcpy(state, key, size);
	return PD_OK;
}

static int parse_position(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	if (!*text)
		set_start(g, state);
	else if (remove_key(g, (const uint8_t *)text, strlen(text), state))
		return game_fail(fail, PD_E_POSITION, "position", "%u squares . x o, a blank, x or o", squares(g));
	return PD_OK;
}

static size_t print_position(const struct game *g, const void *state, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%.*s", (int)g->state_size, (const char *)state);
}

static size_t key(const struct game *g, const void *state, uint8_t *out)
{
	memcpy(out, state, g->state_size);
	return g->state_size;
}

static bool first_to_move(const struct game *g, const void *state)
{
	return ((const char *)state)[squares(g) + 1] == 'x';
}

static bool is_terminal(const struct game *g, const void *state, int *value)
{
	*value = first_to_move(g, state) ? -1 : 1;
	return !memchr(state, '.', squares(g));
}

static unsigned list_moves(const struct game *g, const void *state, game_move *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < squares(g); i++)
		if (((const char *)state)[i] == '.')
			out[n++] = (game_move)i;
	return n;
}

static void play_move(const struct game *g, void *state, game_move move)
{
	char *s = state, *side = s + squares(g) + 1;
	s[move] = *side;
	*side = *side == 'x' ? 'o' : 'x';
}

static size_t move_print(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%c1", 'a' + move);
}

static int move_parse(const struct game *g, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	unsigned square = (unsigned)(text[0] - 'a');
	if (!text[0] || strcmp(text + 1, "1") || square >= squares(g) || ((const char *)state)[square] != '.')
		return game_fail(fail, PD_E_MOVE, "move", "a move is an empty square, as in a1");
	*out = (game_move)square;
	return PD_OK;
}

static void board(const struct game *g, struct game_board *b)
{
	game_board_grid(b, squares(g), 1, GAME_SQUARE);
	b->side[0] = "Cross";
	b->side[1] = "Ring";
	b->piece[b->pieces++] =
		(struct game_piece){.letter = 'x', .side = GAME_FIRST, .look = GAME_CROSS, .name = "cross"};
	b->piece[b->pieces++] =
		(struct game_piece){.letter = 'o', .side = GAME_SECOND, .look = GAME_RING, .name = "ring"};
}

static void draw_diagram(const struct game *g, const void *state, struct game_diagram *d)
{
	int value;
	for (unsigned i = 0; i < squares(g); i++)
		d->on[i] = (uint8_t)(strchr(".xo", ((const char *)state)[i]) - ".xo");
	d->to_move = is_terminal(g, state, &value) ? GAME_NO_SIDE : first_to_move(g, state) ? GAME_FIRST : GAME_SECOND;
}

static unsigned move_places(const struct game *g, const void *state, game_move move, uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move;
	return 1;
}

static int open_game(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	if (strlen(params) != 1 || *params < '1' || *params > '9')
		return game_fail(fail, PD_E_GAME, "game", "fill takes 1 to 9 squares, as in fill:5");
	struct game *g = calloc(1, sizeof *g);
	if (!g)
		return game_fail(fail, PD_E_NO_MEMORY, "", "no memory for a game");
	unsigned count = (unsigned)(*params - '0');
	*g = (struct game){.rules = rules,
			   .rules_version = 1,
			   .state_size = count + 2,
			   .key_size_max = count + 2,
			   .moves_max = count,
			   .plies_max = count,
			   .value_min = -1,
			   .value_max = 1,
			   .value_step = 2,
			   .acyclic = true};
	snprintf(g->name, sizeof g->name, "%s:%u", rules->name, count);
	*out = g;
	return PD_OK;
}

static void close_game(struct game *g)
{
	free(g);
}

#define FILL                                                                                                           \
	.abi = GAME_ABI, .title = "Fill the row", .params = "N: squares, 1 to 9",                                      \
	.notation = "Squares `.`, `x` or `o`, a blank, x or o to move. Moves: a1.", .open = open_game,                 \
	.close = close_game, .start = set_start, .parse = parse_position, .print = print_position,                     \
	.move_parse = move_parse, .move_print = move_print, .first_to_move = first_to_move, .terminal = is_terminal,   \
	.moves = list_moves, .play = play_move, .key = key, .unkey = remove_key, .board = board,                       \
	.diagram = draw_diagram, .move_places = move_places, .records = GAME_RECORD_SGF

static const struct game_rules fill = {FILL, .size = sizeof fill, .name = "fill", .example = "fill:5",
				       .sgf = &(const struct game_sgf){.number = 99, .letters = true}};

/* As an older header had it, without the members that came last: what stands there is not looked at. */
static const struct game_rules old = {FILL, .size = offsetof(struct game_rules, sgf), .name = "fill-old",
				      .example = "fill-old:5", .sgf = (const struct game_sgf *)(uintptr_t)1};

static const struct game_rules *const games[] = {&fill, &old, NULL};
GAME_PLUGIN(games, "tests/plugins");
