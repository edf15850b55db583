/* The checker's rules against the solver's, on random walks: the same legal moves, the same keys before and behind each
 * of them, the same ends of games, and text that the other side reads to the same position. The two share no code, so
 * what they agree on is the rules. */
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/rules.h"
#include "tests/support/check_main.h"
#include "tests/support/effort.h"
#include "tests/support/gamedata.h"
#include "tests/support/walk.h"

static const struct gamedata *rows; /* tests/data/games */

static int compare_moves(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static void same_key(const struct game *game, const void *state, const struct ck_game *mine,
		     const struct ck_position *p)
{
	uint8_t a[GAME_KEY_MAX], b[CK_KEY_MAX];
	char text[GAME_TEXT_MAX];
	size_t a_size = game->rules->key(game, state, a), b_size = mine->rules->encode(mine, p, b);
	game->rules->print(game, state, text, sizeof text);
	ck_assert_msg(a_size == b_size && !memcmp(a, b, a_size), "the keys of %s differ", text);
}

/* Position by position: end, side, moves, and the keys of all children. */
static void compare(const struct game *game, const void *state, const struct ck_game *mine, const struct ck_position *p)
{
	char text[GAME_TEXT_MAX], my_text[CK_TEXT_MAX];
	uint16_t a[GAME_MOVES_MAX], b[CK_MOVES_MAX], in_key[GAME_MOVES_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct ck_position of_key, again;
	struct walk_state back;
	int a_value = 0, b_value = 0;
	same_key(game, state, mine, p);
	game->rules->print(game, state, text, sizeof text);
	bool over = game->rules->terminal(game, state, &a_value);
	ck_assert_msg(mine->rules->over(mine, p, &b_value) == over, "%s: over or not", text);
	ck_assert_msg(!over || a_value == b_value, "%s: %d or %d", text, a_value, b_value);
	ck_assert_msg(mine->rules->read(mine, text, &again) == NULL, "%s: %s", text,
		      mine->rules->read(mine, text, &again));
	same_key(game, state, mine, &again);
	mine->rules->print(mine, p, my_text);
	ck_assert_msg(!game->rules->parse(game, my_text, &back, NULL), "%s", my_text);
	same_key(game, &back, mine, p);
	size_t size = game->rules->key(game, state, key);
	ck_assert_msg(ck_decode(mine, key, size, &of_key), "%s: its key is refused", text);
	if (over)
		return;
	ck_assert_msg(mine->rules->first_moves(mine, p) == game->rules->first_to_move(game, state), "%s: who moves",
		      text);
	/* The moves in the frame of the key: those of the position that the key describes. */
	unsigned n = game->rules->moves(game, state, a), m = mine->rules->moves(mine, &of_key, b);
	ck_assert_msg(n == m, "%s: %u moves or %u", text, n, m);
	for (unsigned i = 0; i < n; i++)
		in_key[i] = game_canon(game, state, a[i], false);
	qsort(in_key, n, sizeof *in_key, compare_moves);
	qsort(b, n, sizeof *b, compare_moves);
	ck_assert_msg(!memcmp(in_key, b, n * sizeof *b), "%s: other moves", text);
	for (unsigned i = 0; i < n; i++) {
		struct walk_state child;
		struct ck_position next = of_key;
		memcpy(&child, state, game->state_size);
		game->rules->play(game, &child, a[i]);
		mine->rules->play(mine, &next, game_canon(game, state, a[i], false));
		same_key(game, &child, mine, &next);
	}
}

/* Keys with a byte changed: the two sides refuse the same ones. */
static void compare_spoilt(const struct game *game, const void *state, const struct ck_game *mine, uint64_t *seed)
{
	uint8_t key[GAME_KEY_MAX], again[GAME_KEY_MAX];
	struct walk_state back;
	struct ck_position p;
	char text[GAME_TEXT_MAX] = "";
	size_t size = game->rules->key(game, state, key);
	key[walk_below(seed, (unsigned)size)] ^= (uint8_t)(1u << walk_below(seed, 8));
	if (walk_below(seed, 10) == 0)
		size -= walk_below(seed, 2);
	bool good = !game->rules->unkey(game, key, size, &back) && game->rules->key(game, &back, again) == size &&
		    !memcmp(again, key, size);
	if (good)
		game->rules->print(game, &back, text, sizeof text);
	ck_assert_msg(ck_decode(mine, key, size, &p) == good, "a key is taken by one side only: %s", text);
}

START_TEST(both_sides_play_the_same_game)
{
	const char *name = rows->row[_i].column[0];
	unsigned walks = (unsigned)atoi(rows->row[_i].column[1]), plies = (unsigned)atoi(rows->row[_i].column[2]);
	uint64_t seed = walk_seed(name, 7);
	struct ck_game mine;
	struct pd_fail fail;
	size_t size;
	char *graph = gamedata_graph(name, &size);
	struct game *game = gamedata_open(name);
	ck_assert(walks > 0 && plies > 0);
	ck_assert_msg(!ck_open(&mine, name, graph, size, &fail), "%s", fail.text);
	ck_assert_str_eq(game->name, mine.name);
	ck_assert(game->rules_version == mine.version && game->acyclic != mine.repeats &&
		  game->value_min == mine.worst && game->value_max == mine.best && game->value_step == mine.step);
	ck_assert(game->acyclic || game->infinite_value == mine.infinite);
	ck_assert_uint_le(game->key_size_max, mine.key_max);
	for (unsigned walk = 0; walk < effort_of(walks, 2); walk++) {
		struct walk_state state;
		struct ck_position p;
		game->rules->start(game, &state);
		ck_assert(!mine.rules->read(&mine, "", &p));
		for (unsigned ply = 0; ply <= plies; ply++) {
			uint16_t moves[GAME_MOVES_MAX];
			compare(game, &state, &mine, &p);
			compare_spoilt(game, &state, &mine, &seed);
			unsigned count = game->rules->moves(game, &state, moves);
			if (!count)
				break;
			uint16_t move = moves[walk_below(&seed, count)];
			game->rules->play(game, &state, move);
			mine.rules->play(&mine, &p, move);
		}
	}
	ck_close(&mine);
	game_close(game);
	free(graph);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("proofcheck differential");
	TCase *walks = tcase_create("walks");
	rows = gamedata_read("walk");
	tcase_set_timeout(walks, 300);
	tcase_add_loop_test(walks, both_sides_play_the_same_game, 0, (int)rows->count);
	suite_add_tcase(suite, walks);
	return check_main(suite);
}
