/* Rules that are wrong on purpose, one game for each law of `proofctl game-test` (tests/clients/test_plugins.py), and
 * one that is right.
 *
 * The game: two heaps of at most 4; a move takes any number from one heap; the player who takes the last one wins.
 * Text: `3,2 x`, moves: a2 (two from the first heap). Key: the heaps, the larger one first, and the side to move.
 * right-long:N has keys of N bytes: the larger heap, bytes of 7, the smaller heap, the side to move (checkers.c). */
#include <proofd/game.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 4, PASS = 99 };

struct state {
	uint8_t heap[2], turn, spare;
};

static void set_start(const struct game *g, void *state)
{
	memcpy(state, &(struct state){{MOST, MOST - 1}, 0, 0}, sizeof(struct state));
}

static int parse_position(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	unsigned a, b;
	char side, more;
	if (!*text) {
		set_start(g, state);
		return PD_OK;
	}
	if (strlen(text) != 5 || sscanf(text, "%1u,%1u %c%c", &a, &b, &side, &more) != 3 || a > MOST || b > MOST ||
	    (side != 'x' && side != 'o') || text[3] != ' ' || text[2] == ' ' || text[0] == ' ')
		return game_fail(fail, PD_E_POSITION, "position", "heaps and side to move look like this: 3,2 x");
	memcpy(state, &(struct state){{(uint8_t)a, (uint8_t)b}, side == 'o', 0}, sizeof(struct state));
	return PD_OK;
}

static size_t print_position(const struct game *g, const void *state, char *out, size_t size)
{
	const struct state *s = state;
	return (size_t)snprintf(out, size, "%u,%u %c", s->heap[0], s->heap[1], s->turn ? 'o' : 'x');
}

static size_t picture(const struct game *g, const void *state, char *out, size_t size)
{
	const struct state *s = state;
	return (size_t)snprintf(out, size, "heaps of %u and %u\n", s->heap[0], s->heap[1]);
}

static bool first_to_move(const struct game *g, const void *state)
{
	return !((const struct state *)state)->turn;
}

static bool is_terminal(const struct game *g, const void *state, int *value)
{
	const struct state *s = state;
	*value = s->turn ? 1 : -1;
	return !s->heap[0] && !s->heap[1];
}

static unsigned list_moves(const struct game *g, const void *state, game_move *out)
{
	const struct state *s = state;
	unsigned n = 0;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned take = 1; take <= s->heap[i]; take++)
			out[n++] = (game_move)(10 * i + take);
	if (!g->acyclic && n)
		out[n++] = PASS;
	return n;
}

static void play_move(const struct game *g, void *state, game_move move)
{
	struct state *s = state;
	if (move != PASS)
		s->heap[move / 10] = (uint8_t)(s->heap[move / 10] - move % 10);
	s->turn ^= 1;
}

static size_t move_print(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	return move == PASS ? (size_t)snprintf(out, size, "pass")
			    : (size_t)snprintf(out, size, "%c%u", 'a' + move / 10, move % 10u);
}

static int move_parse(const struct game *g, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	game_move list[2 * MOST + 1];
	char name[8];
	for (unsigned i = 0, n = list_moves(g, state, list); i < n; i++)
		if (move_print(g, state, list[i], name, sizeof name) && !strcmp(name, text)) {
			*out = list[i];
			return PD_OK;
		}
	return game_fail(fail, PD_E_MOVE, "move", "that is no move");
}

static size_t write_key(const struct game *g, const void *state, uint8_t *out)
{
	const struct state *s = state;
	bool swap = s->heap[1] > s->heap[0];
	out[0] = s->heap[swap];
	out[1] = s->heap[!swap];
	out[2] = s->turn;
	return 3;
}

static int remove_key(const struct game *g, const uint8_t *bytes, size_t size, void *state)
{
	if (size != 3 || bytes[0] > MOST || bytes[1] > bytes[0] || bytes[2] > 1)
		return PD_E_CORRUPT;
	memcpy(state, &(struct state){{bytes[0], bytes[1]}, bytes[2], 0}, sizeof(struct state));
	return PD_OK;
}

static game_move canon(const struct game *g, const void *state, game_move move, bool back)
{
	const struct state *s = state;
	if (move == PASS || s->heap[1] <= s->heap[0])
		return move;
	return (game_move)(move >= 10 ? move - 10 : move + 10);
}

static unsigned count(const struct game *g, const void *state)
{
	game_move list[2 * MOST + 1];
	return list_moves(g, state, list);
}

static unsigned unique_moves(const struct game *g, const void *state, game_move *out)
{
	const struct state *s = state;
	unsigned n = list_moves(g, state, out), kept = 0;
	for (unsigned i = 0; i < n; i++) /* of equal heaps the first suffices */
		if (s->heap[0] != s->heap[1] || out[i] < 10 || out[i] == PASS)
			out[kept++] = out[i];
	return kept;
}

static bool immediate_win(const struct game *g, const void *state, int *value)
{
	const struct state *s = state;
	*value = s->turn ? -1 : 1;
	return !s->heap[0] != !s->heap[1];
}

static void initial_numbers(const struct game *g, const void *state, int threshold, uint32_t num[2])
{
	num[0] = num[1] = 2;
}

static void edge_costs(const struct game *g, const void *state, int threshold, const game_move *moves, unsigned count,
		       uint16_t (*out)[2])
{
	for (unsigned i = 0; i < count; i++)
		out[i][0] = out[i][1] = moves[i] == PASS;
}

static bool irreversible(const struct game *g, const void *state, game_move move)
{
	return move != PASS;
}

static bool static_solve(const struct game *g, const void *state, struct game_static *out)
{
	const struct state *s = state;
	*out = (struct game_static){s->turn ? 1 : -1, 2 * MOST, 1000};
	return s->heap[0] == s->heap[1];
}

static bool ask_theorem(const struct game *g, const void *state, int threshold, struct game_theorem *out,
			uint8_t *witness)
{
	struct game_static known;
	if (!static_solve(g, state, &known))
		return false;
	*out = (struct game_theorem){known.value >= threshold, 1, (uint16_t)known.plies, witness != NULL, known.effort};
	if (witness)
		*witness = 1;
	return true;
}

static void board(const struct game *g, struct game_board *out)
{
	out->side[0] = "First";
	out->side[1] = "Second";
	out->piece[out->pieces++] = (struct game_piece){'*', GAME_NO_SIDE, GAME_DISC, "counter", NULL};
	game_board_grid(out, MOST, 2, GAME_SQUARE);
}

static void draw_diagram(const struct game *g, const void *state, struct game_diagram *out)
{
	const struct state *s = state;
	for (unsigned i = 0; i < 2 * MOST; i++)
		out->on[i] = i % MOST < s->heap[i / MOST];
	out->to_move = s->turn ? GAME_SECOND : GAME_FIRST;
}

static unsigned move_places(const struct game *g, const void *state, game_move move, uint16_t *out)
{
	if (move != PASS)
		out[0] = (uint16_t)(move / 10 * MOST);
	return move != PASS;
}

static struct game *make_game(const struct game_rules *rules)
{
	struct game *g = calloc(1, sizeof *g);
	if (!g)
		abort();
	*g = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = 3,
		.moves_max = 2 * MOST + 1,
		.plies_max = 2 * MOST,
		.value_min = -1,
		.value_max = 1,
		.value_step = 2,
		.acyclic = true,
		.infinite_value = -1,
	};
	snprintf(g->name, sizeof g->name, "%s", rules->name);
	return g;
}

static int open_game(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	if (*params)
		return game_fail(fail, PD_E_GAME, "game", "%s takes no parameters", rules->name);
	*out = make_game(rules);
	return PD_OK;
}

static void close_game(struct game *g)
{
	free(g);
}

/* --- wrong members ------------------------------------------------------------------------ */

static unsigned calls; /* kept between calls, which is forbidden */

static int long_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	unsigned size = (unsigned)strtoul(params, NULL, 10);
	if (size < 3 || size > 999)
		return game_fail(fail, PD_E_GAME, "game", "%s takes the bytes of a key, 3 to 999", rules->name);
	*out = make_game(rules);
	(*out)->key_size_max = size;
	snprintf((*out)->name, sizeof(*out)->name, "%s:%u", rules->name, size);
	return PD_OK;
}

static size_t long_key(const struct game *g, const void *state, uint8_t *out)
{
	uint8_t at[3];
	write_key(g, state, at);
	memset(out, 7, g->key_size_max);
	out[0] = at[0];
	memcpy(out + g->key_size_max - 2, at + 1, 2);
	return g->key_size_max;
}

static int long_unkey(const struct game *g, const uint8_t *bytes, size_t size, void *state)
{
	for (size_t i = 1; i + 2 < size; i++)
		if (bytes[i] != 7)
			return PD_E_CORRUPT;
	if (size != g->key_size_max)
		return PD_E_CORRUPT;
	return remove_key(g, (uint8_t[]){bytes[0], bytes[size - 2], bytes[size - 1]}, 3, state);
}

static int limits_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		       struct game **out, struct pd_fail *fail)
{
	*out = make_game(rules);
	snprintf((*out)->name, sizeof(*out)->name, "%s:%u", rules->name, calls++);
	return PD_OK;
}

static int scale_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		      struct game **out, struct pd_fail *fail)
{
	int rc = open_game(rules, params, host, out, fail);
	if (!rc)
		(*out)->value_step = 3;
	return rc;
}

static int short_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		      struct game **out, struct pd_fail *fail)
{
	int rc = open_game(rules, params, host, out, fail);
	if (!rc)
		(*out)->plies_max = 3;
	return rc;
}

static int cyclic_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		       struct game **out, struct pd_fail *fail)
{
	int rc = open_game(rules, params, host, out, fail);
	if (!rc) {
		(*out)->acyclic = false;
		(*out)->plies_max = 0;
	}
	return rc;
}

static void start_start(const struct game *g, void *state)
{
	set_start(g, state);
	((struct state *)state)->spare = (uint8_t)calls++;
}

static unsigned moves_moves(const struct game *g, const void *state, game_move *out)
{
	unsigned n = list_moves(g, state, out);
	if (n == 5)
		out[1] = out[0];
	return n;
}

static bool terminal_terminal(const struct game *g, const void *state, int *value)
{
	const struct state *s = state;
	return is_terminal(g, state, value) || (s->heap[0] == 2 && s->heap[1] == 2);
}

static bool value_terminal(const struct game *g, const void *state, int *value)
{
	bool over = is_terminal(g, state, value);
	*value *= 2;
	return over;
}

static unsigned many_moves(const struct game *g, const void *state, game_move *out)
{
	unsigned n = list_moves(g, state, out);
	return n == 7 ? 2 * MOST + 2 : n;
}

static void play_play(const struct game *g, void *state, game_move move)
{
	play_move(g, state, move);
	((struct state *)state)->spare = (uint8_t)calls++;
}

static void pure_play(const struct game *g, void *state, game_move move)
{
	play_move(g, state, move);
	calls = ((struct state *)state)->heap[0];
}

static size_t pure_print(const struct game *g, const void *state, char *out, size_t size)
{
	struct state s = *(const struct state *)state;
	s.heap[1] = calls == 2 && s.heap[1] ? s.heap[1] - 1 : s.heap[1];
	return print_position(g, &s, out, size);
}

static int keys_unkey(const struct game *g, const uint8_t *bytes, size_t size, void *state)
{
	int rc = remove_key(g, bytes, size, state);
	if (!rc && bytes[0] == 3)
		((struct state *)state)->turn ^= 1;
	return rc;
}

static size_t one_key_key(const struct game *g, const void *state, uint8_t *out)
{
	size_t size = write_key(g, state, out);
	out[2] = 0;
	return size;
}

static game_move canon_canon(const struct game *g, const void *state, game_move move, bool back)
{
	return move;
}

static int bytes_unkey(const struct game *g, const uint8_t *bytes, size_t size, void *state)
{
	uint8_t good[3] = {0};
	for (size_t i = 0; i < 3 && i < size; i++)
		good[i] = bytes[i] % (i < 2 ? MOST + 1 : 2);
	return remove_key(g, good, 3, state) ? remove_key(g, (const uint8_t[3]){0}, 3, state) : PD_OK;
}

static size_t text_print(const struct game *g, const void *state, char *out, size_t size)
{
	struct state s = *(const struct state *)state;
	s.turn = 0;
	return print_position(g, &s, out, size);
}

static size_t long_print(const struct game *g, const void *state, char *out, size_t size)
{
	return print_position(g, state, out, size) + 1;
}

static size_t move_text_print(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	return move_print(g, state, (game_move)(move % 10), out, size);
}

static int refusals_parse(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	int rc = parse_position(g, text, state, fail);
	if (rc)
		memset(state, 0, sizeof(struct state));
	return rc;
}

static unsigned count_count(const struct game *g, const void *state)
{
	unsigned n = count(g, state);
	return n == 3 ? 4 : n;
}

static unsigned many_count(const struct game *g, const void *state)
{
	return count(g, state) == 3 ? 99 : count(g, state);
}

static unsigned unique_unique(const struct game *g, const void *state, game_move *out)
{
	return list_moves(g, state, out);
}

static bool immediate_win_win(const struct game *g, const void *state, int *value)
{
	*value = ((const struct state *)state)->turn ? -1 : 1;
	return true;
}

static void initial_numbers_numbers(const struct game *g, const void *state, int threshold, uint32_t num[2])
{
	initial_numbers(g, state, threshold, num);
	num[1] = ((const struct state *)state)->heap[0] == 1 ? 0 : 1;
}

static void edge_costs_costs(const struct game *g, const void *state, int threshold, const game_move *moves,
			     unsigned count, uint16_t (*out)[2])
{
	edge_costs(g, state, threshold, moves, count - 1, out); /* it forgets the last move */
}

static unsigned order_size(const struct game *g)
{
	return 2;
}

/* It says that more in the smaller heap is better for either player. */
static bool order_dominates(const struct game *g, const uint8_t *a, const uint8_t *b, int bound, bool first)
{
	return a[0] >= b[0] && a[1] == b[1];
}

static bool irreversible_irreversible(const struct game *g, const void *state, game_move move)
{
	return true;
}

static bool loop_irreversible(const struct game *g, const void *state, game_move move)
{
	volatile bool on = true;
	while (on)
		;
	return irreversible(g, state, move);
}

static void board_diagram(const struct game *g, const void *state, struct game_diagram *out)
{
	draw_diagram(g, state, out);
	if (((const struct state *)state)->heap[1] == 1)
		out->on[2] = 3;
}

static bool solves_solve(const struct game *g, const void *state, struct game_static *out)
{
	bool known = static_solve(g, state, out);
	out->value = -out->value;
	return known;
}

static bool theorem_theorem(const struct game *g, const void *state, int threshold, struct game_theorem *out,
			    uint8_t *witness)
{
	bool known = ask_theorem(g, state, threshold, out, witness);
	out->proved = !out->proved;
	return known;
}

static bool number_theorem(const struct game *g, const void *state, int threshold, struct game_theorem *out,
			   uint8_t *witness)
{
	bool known = ask_theorem(g, state, threshold, out, witness);
	out->number = 103; /* zones */
	return known;
}

static volatile int *volatile nowhere;

static unsigned crash_moves(const struct game *g, const void *state, game_move *out)
{
	const struct state *s = state;
	if (s->heap[0] == 2 && s->heap[1] == 1)
		*nowhere = 1;
	return list_moves(g, state, out);
}

static unsigned abort_moves(const struct game *g, const void *state, game_move *out)
{
	if (((const struct state *)state)->heap[0] == 1)
		abort();
	return list_moves(g, state, out);
}

/* --- the games ---------------------------------------------------------------------------- */

#define RIGHT                                                                                                          \
	.abi = GAME_ABI, .size = sizeof(struct game_rules), .title = "Two heaps", .params = "none",                    \
	.notation = "3,2 x; moves a2", .example = "right", .close = close_game, .start = set_start,                    \
	.parse = parse_position, .print = print_position, .picture = picture, .move_parse = move_parse,                \
	.move_print = move_print, .first_to_move = first_to_move, .terminal = is_terminal, .moves = list_moves,        \
	.play = play_move, .key = write_key, .unkey = remove_key, .canon = canon, .count = count,                      \
	.unique_moves = unique_moves, .immediate_win = immediate_win, .initial_numbers = initial_numbers,              \
	.irreversible = irreversible, .board = board, .diagram = draw_diagram, .move_places = move_places,             \
	.edge_costs = edge_costs
#define KNOWING .open = open_game, .static_solve = static_solve, .theorem = ask_theorem

static const struct game_rules variant;

static int variant_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			struct game **out, struct pd_fail *fail)
{
	if (*params && strcmp(params, "2"))
		return game_fail(fail, PD_E_GAME, "game", "right-variant takes 2 or nothing");
	*out = make_game(*params ? &variant : rules);
	if (*params)
		strcat((*out)->name, ":2");
	return PD_OK;
}

static unsigned variant_count(const struct game *g, const void *state)
{
	return g->rules == NULL ? 99 : count(g, state);
}

static const struct game_rules variant = {RIGHT, .open = variant_open, .count = variant_count, .name = "right-variant"};

static const struct game_rules games[] = {
	{RIGHT, .open = variant_open, .name = "right-variant"},
	{RIGHT, KNOWING, .name = "right"},
	{RIGHT, .open = cyclic_open, .name = "right-cyclic"},
	{RIGHT, .open = long_open, .key = long_key, .unkey = long_unkey, .theorem = ask_theorem, .name = "right-long"},
	{RIGHT, .open = limits_open, .name = "wrong-limits"},
	{RIGHT, .open = scale_open, .name = "wrong-scale"},
	{RIGHT, KNOWING, .start = start_start, .name = "wrong-start"},
	{RIGHT, KNOWING, .moves = moves_moves, .name = "wrong-moves"},
	{RIGHT, KNOWING, .terminal = terminal_terminal, .name = "wrong-terminal"},
	{RIGHT, KNOWING, .terminal = value_terminal, .name = "wrong-value"},
	{RIGHT, KNOWING, .moves = many_moves, .name = "wrong-many"},
	{RIGHT, KNOWING, .play = play_play, .name = "wrong-play"},
	{RIGHT, KNOWING, .play = pure_play, .print = pure_print, .name = "wrong-pure"},
	{RIGHT, .open = short_open, .name = "wrong-ends"},
	{RIGHT, KNOWING, .unkey = keys_unkey, .name = "wrong-keys"},
	{RIGHT, KNOWING, .key = one_key_key, .name = "wrong-one-key"},
	{RIGHT, KNOWING, .canon = canon_canon, .name = "wrong-canon"},
	{RIGHT, KNOWING, .unkey = bytes_unkey, .name = "wrong-bytes"},
	{RIGHT, KNOWING, .print = text_print, .name = "wrong-text"},
	{RIGHT, KNOWING, .print = long_print, .name = "wrong-long"},
	{RIGHT, KNOWING, .move_print = move_text_print, .name = "wrong-move-text"},
	{RIGHT, KNOWING, .parse = refusals_parse, .name = "wrong-refusals"},
	{RIGHT, KNOWING, .count = count_count, .name = "wrong-count"},
	{RIGHT, KNOWING, .count = many_count, .name = "wrong-many-count"},
	{RIGHT, KNOWING, .unique_moves = unique_unique, .name = "wrong-unique"},
	{RIGHT, KNOWING, .immediate_win = immediate_win_win, .name = "wrong-immediate-win"},
	{RIGHT, KNOWING, .initial_numbers = initial_numbers_numbers, .name = "wrong-initial-numbers"},
	{RIGHT, KNOWING, .edge_costs = edge_costs_costs, .name = "wrong-edge-costs"},
	{RIGHT, .open = cyclic_open, .irreversible = irreversible_irreversible, .name = "wrong-irreversible"},
	{RIGHT, KNOWING, .diagram = board_diagram, .name = "wrong-board"},
	{RIGHT, KNOWING, .order_part = order_size, .dominates = order_dominates, .name = "wrong-dominance"},
	{RIGHT, .open = open_game, .static_solve = solves_solve, .name = "wrong-solves"},
	{RIGHT, .open = open_game, .theorem = theorem_theorem, .name = "wrong-theorem"},
	{RIGHT, .open = open_game, .theorem = number_theorem, .name = "wrong-number"},
	{RIGHT, KNOWING, .moves = crash_moves, .name = "wrong-crash"},
	{RIGHT, KNOWING, .moves = abort_moves, .name = "wrong-abort"},
	{RIGHT, KNOWING, .irreversible = loop_irreversible, .name = "wrong-loop"},
};

enum { GAMES = sizeof games / sizeof games[0] };
static const struct game_rules *list[GAMES + 1];

__attribute__((constructor)) static void make_list(void)
{
	for (unsigned i = 0; i < GAMES; i++)
		list[i] = &games[i];
}

GAME_PLUGIN(list, "tests/plugins");
