/* Plug-ins that end the server, for tests/server/test_plugins.py: the game counts down from N; the player who takes
 * the last one wins. With -DHOW_abort the call of `moves` at 3 aborts, with HOW_loop it never returns, with
 * HOW_overflow the stack overflows, with HOW_value terminal returns a value off the scale there; with HOW_load the file
 * crashes while it is loaded; HOW_abi and HOW_size have another ABI and other sizes. With HOW_trap `moves` at 3 waits
 * while the file named by STUCK_TRAP exists. HOW_good has no fault. */
#define _DEFAULT_SOURCE /* usleep */
#include <proofd/game.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum how { GOOD, ABORT, LOOP, VALUE, OVERFLOW, LOAD, TRAP };
#if defined HOW_abort
static const enum how how = ABORT;
#elif defined HOW_loop
static const enum how how = LOOP;
#elif defined HOW_value
static const enum how how = VALUE;
#elif defined HOW_overflow
static const enum how how = OVERFLOW;
#elif defined HOW_trap
static const enum how how = TRAP;
#elif defined HOW_load
static const enum how how = LOAD;
#else
static const enum how how = GOOD;
#endif

static volatile int deeper;

static int overflow(int n)
{
	char room[4096];
	memset(room, n, sizeof room);
	deeper += room[n % 4096];
	return deeper ? overflow(n + 1) + room[1] : n;
}

static void misbehave(void)
{
	if (how == ABORT)
		abort();
	while (how == LOOP && !deeper)
		;
	while (how == TRAP && getenv("STUCK_TRAP") && !access(getenv("STUCK_TRAP"), F_OK))
		usleep(1000);
	if (how == OVERFLOW) {
		deeper = 1;
		deeper = overflow(1);
	}
}

__attribute__((constructor)) static void load(void)
{
	if (how == LOAD)
		abort();
}

static void set_start(const struct game *g, void *state)
{
	memset(state, 0, 2);
	*(uint8_t *)state = (uint8_t)g->plies_max;
}

static int remove_key(const struct game *g, const uint8_t *key, size_t size, void *state)
{
	if (size != 2 || key[0] > g->plies_max || key[1] > 1)
		return PD_E_CORRUPT;
	memcpy(state, key, 2);
	return PD_OK;
}

static int parse_position(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	unsigned n;
	char side, more;
	if (!*text) {
		set_start(g, state);
		return PD_OK;
	}
	if (sscanf(text, "%3u %c%c", &n, &side, &more) != 2 || n > g->plies_max || !strchr("xo", side))
		return game_fail(fail, PD_E_POSITION, "position", "a number and the side to move: 3 x");
	return remove_key(g, (const uint8_t[2]){(uint8_t)n, side == 'o'}, 2, state);
}

static size_t print_position(const struct game *g, const void *state, char *out, size_t size)
{
	const uint8_t *s = state;
	return (size_t)snprintf(out, size, "%u %c", s[0], s[1] ? 'o' : 'x');
}

static size_t picture(const struct game *g, const void *state, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%u\n", *(const uint8_t *)state);
}

static bool first_to_move(const struct game *g, const void *state)
{
	return !((const uint8_t *)state)[1];
}

static bool is_terminal(const struct game *g, const void *state, int *value)
{
	const uint8_t *s = state;
	*value = first_to_move(g, state) ? -1 : 1;
	if (how == VALUE && s[0] == 3)
		*value = 7;
	return !s[0] || (how == VALUE && s[0] == 3);
}

static unsigned list_moves(const struct game *g, const void *state, game_move *out)
{
	const uint8_t *s = state;
	if (s[0] == 3)
		misbehave();
	for (unsigned i = 1; i <= 3 && i <= s[0]; i++)
		out[i - 1] = (game_move)i;
	return s[0] < 3 ? s[0] : 3;
}

static void play_move(const struct game *g, void *state, game_move move)
{
	uint8_t *s = state;
	s[0] = (uint8_t)(s[0] - move);
	s[1] ^= 1;
}

static size_t move_print(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%u", move);
}

static int move_parse(const struct game *g, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	if (strlen(text) != 1 || *text < '1' || *text > '3' || *text - '0' > *(const uint8_t *)state)
		return game_fail(fail, PD_E_MOVE, "move", "1, 2 or 3");
	*out = (game_move)(*text - '0');
	return PD_OK;
}

static size_t key(const struct game *g, const void *state, uint8_t *out)
{
	memcpy(out, state, 2);
	return 2;
}

static int open_game(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	unsigned n;
	char more;
	struct game *g = calloc(1, sizeof *g);
	if (!g || sscanf(params, "%3u%c", &n, &more) != 1 || n < 1 || n > 200) {
		free(g);
		return game_fail(fail, PD_E_GAME, "game", "a number from 1 to 200");
	}
	*g = (struct game){.rules = rules,
			   .rules_version = 1,
			   .state_size = 2,
			   .key_size_max = 2,
			   .moves_max = 3,
			   .plies_max = n,
			   .value_min = -1,
			   .value_max = 1,
			   .value_step = 2,
			   .acyclic = true};
	snprintf(g->name, sizeof g->name, "%s:%u", rules->name, n);
	*out = g;
	return PD_OK;
}

static void close_game(struct game *g)
{
	free(g);
}

static const struct game_rules rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "countdown",
	.title = "Countdown",
	.params = "N",
	.notation = "3 x",
	.example = "countdown:9",
	.open = open_game,
	.close = close_game,
	.start = set_start,
	.parse = parse_position,
	.print = print_position,
	.picture = picture,
	.move_parse = move_parse,
	.move_print = move_print,
	.first_to_move = first_to_move,
	.terminal = is_terminal,
	.moves = list_moves,
	.play = play_move,
	.key = key,
	.unkey = remove_key,
};

static const struct game_rules *const list[] = {&rules, NULL};
#if defined HOW_abi
const struct game_plugin proofd_game_plugin = {
	GAME_ABI + 1, sizeof(struct game_plugin), sizeof(struct game), sizeof(struct pd_fail), "tests/plugins", list};
#elif defined HOW_size
const struct game_plugin proofd_game_plugin = {
	GAME_ABI, sizeof(struct game_plugin), sizeof(struct game) + 8, sizeof(struct pd_fail), "tests/plugins", list};
#else
GAME_PLUGIN(list, "tests/plugins");
#endif
