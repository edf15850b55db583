/* LOA against a second implementation, which plays on a board of characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/games/loa_positions.h"
#include "tests/support/effort.h"

enum { PASS = 0xfffe, LINE = 4096 };

static uint64_t base_seed;

/* On a plain array, square by square, from the words of the rules. */
struct plain {
	int n;
	bool mover_wins, stuck_loses;
	char cell[8][8]; /* [row from the bottom][column]: 'b', 'w' or '.' */
	char side;
};

static char enemy_of(char side)
{
	return side == 'b' ? 'w' : 'b';
}

static bool on_board(const struct plain *p, int row, int column)
{
	return row >= 0 && row < p->n && column >= 0 && column < p->n;
}

static bool plain_legal(const struct plain *p, int row, int column, int to_row, int to_column)
{
	int up = to_row - row, right = to_column - column, men = 0;
	int distance = abs(up) > abs(right) ? abs(up) : abs(right);
	if (distance == 0 || (up && right && abs(up) != abs(right)))
		return false;
	up /= distance;
	right /= distance;
	for (int i = -7; i <= 7; i++)
		men += on_board(p, row + i * up, column + i * right) &&
		       p->cell[row + i * up][column + i * right] != '.';
	for (int i = 1; i < distance; i++)
		if (p->cell[row + i * up][column + i * right] == enemy_of(p->side))
			return false;
	return men == distance && p->cell[row][column] == p->side && p->cell[to_row][to_column] != p->side;
}

/* Numbers of moves in the sense of the game's codes; a pass when there is no other. */
static unsigned plain_moves(const struct plain *p, game_move *out)
{
	unsigned n = 0;
	for (int from = 0; from < p->n * p->n; from++)
		for (int to = 0; to < p->n * p->n; to++)
			if (plain_legal(p, from / p->n, from % p->n, to / p->n, to % p->n))
				out[n++] = (game_move)(from * 64 + to);
	if (n == 0)
		out[n++] = PASS;
	return n;
}

static void plain_play(struct plain *p, game_move move)
{
	int from = move / 64, to = move % 64;
	if (move != PASS) {
		p->cell[from / p->n][from % p->n] = '.';
		p->cell[to / p->n][to % p->n] = p->side;
	}
	p->side = enemy_of(p->side);
}

/* Takes off the men connected with a square, and returns how many they were. */
static int take_off(struct plain *p, int row, int column, char side)
{
	if (!on_board(p, row, column) || p->cell[row][column] != side)
		return 0;
	int men = 1;
	p->cell[row][column] = '.';
	for (int up = -1; up <= 1; up++)
		for (int right = -1; right <= 1; right++)
			men += take_off(p, row + up, column + right, side);
	return men;
}

static bool plain_connected(const struct plain *p, char side)
{
	int men = 0, row = 0, column = 0;
	struct plain copy = *p;
	for (int i = 0; i < p->n * p->n; i++)
		if (p->cell[i / p->n][i % p->n] == side) {
			men++;
			row = i / p->n;
			column = i % p->n;
		}
	return take_off(&copy, row, column, side) == men;
}

static bool plain_over(const struct plain *p, int *value)
{
	bool last = plain_connected(p, enemy_of(p->side)), other = plain_connected(p, p->side);
	int last_wins = p->side == 'w' ? 1 : -1;
	game_move moves[GAME_MOVES_MAX];
	*value = 99;
	if (last && other)
		*value = p->mover_wins ? last_wins : 0;
	else if (last || other)
		*value = last ? last_wins : -last_wins;
	else if (p->stuck_loses && plain_moves(p, moves) == 1 && moves[0] == PASS)
		*value = last_wins;
	return *value != 99;
}

static void plain_text(const struct plain *p, char *out)
{
	for (int row = p->n - 1; row >= 0; row--) {
		int empty = 0;
		for (int column = 0; column <= p->n; column++) {
			char c = column < p->n ? p->cell[row][column] : 0;
			if (c == '.') {
				empty++;
				continue;
			}
			if (empty)
				*out++ = (char)('0' + empty);
			if (c)
				*out++ = c;
			empty = 0;
		}
		*out++ = row ? '/' : ' ';
	}
	*out++ = p->side;
	*out = 0;
}

/* The bytes of one image: a quarter turn `turns` times, then perhaps a mirror. */
static size_t image_bytes(const struct plain *p, int turns, bool mirror, uint8_t *out)
{
	size_t size = 1 + (size_t)(p->n * p->n + 3) / 4;
	memset(out, 0, size);
	out[0] = p->side == 'w';
	for (int i = 0; i < p->n * p->n; i++) {
		int row = p->n - 1 - i / p->n, column = i % p->n;
		for (int t = 0; t < turns; t++) {
			int swap = row;
			row = column;
			column = p->n - 1 - swap;
		}
		char c = p->cell[row][mirror ? p->n - 1 - column : column];
		out[1 + i / 4] |= (uint8_t)((c == 'b' ? 1 : c == 'w' ? 2 : 0) << 2 * (i % 4));
	}
	return size;
}

static size_t plain_key(const struct plain *p, uint8_t *out)
{
	uint8_t image[32];
	size_t size = image_bytes(p, 0, false, out);
	for (int i = 1; i < 8; i++) {
		image_bytes(p, i % 4, i >= 4, image);
		if (memcmp(image, out, size) < 0)
			memcpy(out, image, size);
	}
	return size;
}

static int compare_moves(const void *a, const void *b)
{
	return *(const game_move *)a - *(const game_move *)b;
}

/* Compares all that the two say of a position; returns a legal move of it, or PASS + 1 when it is over. */
static game_move compare_rules(const struct game *game, const struct walk_state *s, const struct plain *p,
			       uint64_t *seed)
{
	const struct game_rules *rules = game->rules;
	char text[128], plain[128];
	uint8_t key[GAME_KEY_MAX], other_key[GAME_KEY_MAX];
	game_move moves[GAME_MOVES_MAX], others[GAME_MOVES_MAX];
	int value = 99, other_value;
	rules->print(game, s, text, sizeof text);
	plain_text(p, plain);
	ck_assert_str_eq(text, plain);
	struct walk_state again =
		parse_position(game, plain); /* what the state carries is what it would carry if set up */
	ck_assert_msg(!memcmp(&again, s, game->state_size), "%s", text);
	size_t size = rules->key(game, s, key);
	ck_assert_msg(size == plain_key(p, other_key) && !memcmp(key, other_key, size), "%s", text);
	bool over = rules->terminal(game, s, &value);
	ck_assert_msg(over == plain_over(p, &other_value) && value == other_value, "%s", text);
	unsigned n = rules->moves(game, s, moves), m = over ? 0 : plain_moves(p, others);
	ck_assert_msg(n == m, "%s: %u moves, or %u", text, n, m);
	qsort(moves, n, sizeof *moves, compare_moves);
	ck_assert_msg(!memcmp(moves, others, n * sizeof *moves), "%s", text);
	if (over)
		return PASS + 1;
	ck_assert_int_eq(rules->first_to_move(game, s), p->side == 'b');
	return moves[walk_below(seed, n)];
}

static const char *const names[] = {
	"loa:4",
	"loa:5",
	"loa:6",
	"loa:7",
	"loa:8",
	"loa:4,simultaneous=mover",
	"loa:4,nomove=loss",
	"loa:5,simultaneous=mover,nomove=loss",
	"loa:7,simultaneous=mover,nomove=loss",
};

static struct plain plain_start(const char *name)
{
	struct plain p = {.n = name[4] - '0', .side = 'b'};
	if (p.n < 4 || p.n > 8)
		abort();
	p.mover_wins = strstr(name, "=mover") != NULL;
	p.stuck_loses = strstr(name, "=loss") != NULL;
	memset(p.cell, '.', sizeof p.cell);
	for (int i = 1; i + 1 < p.n; i++) {
		p.cell[0][i] = p.cell[p.n - 1][i] = 'b';
		p.cell[i][0] = p.cell[i][p.n - 1] = 'w';
	}
	return p;
}

START_TEST(random_games_go_as_in_the_second_implementation)
{
	struct game *game = open_game(names[_i]);
	uint64_t seed = base_seed + (uint64_t)_i;
	for (int round = 0; round < (int)effort_of(40, 6); round++) {
		struct plain p = plain_start(names[_i]);
		struct walk_state s = parse_position(game, "");
		for (int ply = 0; ply < 150; ply++) {
			game_move move = compare_rules(game, &s, &p, &seed);
			if (move == PASS + 1)
				break;
			game->rules->play(game, &s, move);
			plain_play(&p, move);
		}
	}
	game_close(game);
}
END_TEST

/* Boards on which men were thrown, few or many: blocked sides, double connections and captures that connect the enemy
 * are common there. */
START_TEST(random_boards_are_what_the_second_implementation_says)
{
	struct game *game = open_game(names[_i]);
	uint64_t seed = base_seed + 100 + (uint64_t)_i;
	unsigned passes = 0;
	const bool smallest = !strcmp(names[_i], "loa:4"); /* the one where passes are met */
	for (unsigned rounds = smallest ? 4000 : effort_of(4000, 400), round = 0; round < rounds; round++) {
		struct plain p = plain_start(names[_i]);
		unsigned empty = 1 + walk_below(&seed, 6);
		char text[128];
		int men[2] = {0, 0};
		for (int i = 0; i < p.n * p.n; i++) {
			unsigned what = walk_below(&seed, 2 + empty);
			p.cell[i / p.n][i % p.n] = what < 2 ? "bw"[what] : '.';
			if (what < 2)
				men[what]++;
		}
		p.side = "bw"[walk_below(&seed, 2)];
		if (!men[0] || !men[1])
			continue;
		plain_text(&p, text);
		struct walk_state s = parse_position(game, text);
		game_move move = compare_rules(game, &s, &p, &seed);
		if (move == PASS + 1)
			continue;
		passes += move == PASS;
		game->rules->play(game, &s, move);
		plain_play(&p, move);
		compare_rules(game, &s, &p, &seed);
	}
	if (smallest)
		ck_assert_uint_gt(passes, 0);
	game_close(game);
}
END_TEST

SUITE(loa_twice)
{
	base_seed = walk_seed("games.loa", 31);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, random_games_go_as_in_the_second_implementation, 0,
			    (int)(sizeof names / sizeof names[0]));
	tcase_add_loop_test(c, random_boards_are_what_the_second_implementation_says, 0,
			    (int)(sizeof names / sizeof names[0]));
}
