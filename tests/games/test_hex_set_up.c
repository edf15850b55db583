/* Hex positions that are set up: any stones, either side to move. */
#include "tests/games/hex_naive.h"

/* A board as text: rows from the top, and who is to move. */
static void naive_text(const struct naive *n, char *out)
{
	for (int row = 0; row < n->height; row++) {
		for (int column = 0, run = 0; column < n->width; column++) {
			char stone = n->cell[row][column];
			run = stone == '.' ? run + 1 : 0;
			out -= run > 1;
			*out++ = run ? (char)('0' + run) : stone;
		}
		*out++ = '/';
	}
	out -= n->height > 1;
	sprintf(out, " %c", n->second ? 'o' : 'x');
}

/* Every board with either side to move: the key is that of moves exactly if they lead there, otherwise it has one byte
 * more; it stands for this position alone; the texts, the end and who is to move are right. */
START_TEST(every_board_can_be_set_up)
{
	int width = small[_i].width, height = small[_i].height, cells = width * height;
	struct game *game = opened_board(width, height);
	struct naive start = naive_start(width, height);
	unsigned boards_all = 1, classes = 0, taken = 0;
	for (int cell = 0; cell < cells; cell++)
		boards_all *= 3;
	bool *seen = calloc(boards_all, sizeof *seen);
	mark_reachable(&start, 0, seen);
	for (unsigned number = 0; number < 2 * boards_all; number++) {
		struct naive n = board_of(width, height, number / 2);
		struct walk_state s, back;
		uint8_t key[GAME_KEY_MAX], again[GAME_KEY_MAX];
		char text[GAME_TEXT_MAX];
		int value = 0, said;
		bool after_moves = n.second, over = naive_over(&n, &value);
		n.second = number % 2;
		naive_text(&n, text);
		s = parse_position(game, text);
		ck_assert_int_eq(game->rules->terminal(game, &s, &said), over);
		ck_assert(!over || said == value);
		if (over) /* the loser is to move, whatever was said */
			n.second = value > 0;
		ck_assert_int_eq(game->rules->first_to_move(game, &s), !n.second);
		bool comes_up = seen[number / 2] && n.second == after_moves;
		size_t size = naive_key(&n, key);
		if (!comes_up) {
			key[size++] = n.second;
			classes += (!over || (int)(number % 2) == n.second) && number / 2 <= turned(number / 2, cells);
		}
		ck_assert_uint_eq(game->rules->key(game, &s, again), size);
		ck_assert_mem_eq(again, key, size);
		ck_assert_int_eq(game->rules->unkey(game, key, size, &back), PD_OK);
		ck_assert_uint_eq(game->rules->key(game, &back, again), size);
		ck_assert_mem_eq(again, key, size);
		game->rules->print(game, &s, text, sizeof text);
		ck_assert_msg(comes_up == !strchr(text, '/'), "%s", text);
		back = parse_position(game, text);
		ck_assert_uint_eq(game->rules->key(game, &back, again), size);
		ck_assert_mem_eq(again, key, size);
	}
	/* No other string of bits is a key of that form. */
	for (uint32_t number = 0; number < 4u << 2 * cells; number++) {
		uint32_t stones = number >> 2;
		uint8_t key[4] = {(uint8_t)stones, (uint8_t)(stones >> 8), (uint8_t)(stones >> 16)};
		struct walk_state s;
		key[game->key_size_max - 1] = (uint8_t)(number % 4);
		taken += game->rules->unkey(game, key, game->key_size_max, &s) == PD_OK;
	}
	ck_assert_uint_eq(taken, classes);
	free(seen);
	game_close(game);
}
END_TEST

START_TEST(set_up_positions_are_worth_what_trying_everything_says)
{
	static const struct {
		int width, height;
	} tried[] = {{2, 2}, {3, 2}, {2, 3}, {1, 4}, {3, 3}};
	for (unsigned i = 0; i < sizeof tried / sizeof tried[0]; i++) {
		int width = tried[i].width, height = tried[i].height;
		struct game *game = opened_board(width, height);
		unsigned boards_all = 1;
		for (int cell = 0; cell < width * height; cell++)
			boards_all *= 3;
		unsigned step = (boards_all / (effort() + 1)) | 1; /* odd: both sides are to move */
		uint8_t *known = calloc(boards_all, 2);
		for (unsigned number = 0; number < 2 * boards_all; number += step) {
			struct naive n = board_of(width, height, number / 2);
			char text[GAME_TEXT_MAX];
			int value;
			n.second = number % 2;
			naive_text(&n, text);
			bool over = naive_over(&n, &value);
			int worth = over ? value : first_wins(&n, number / 2, known) ? 1 : -1;
			enum pn_algorithm algorithm = (enum pn_algorithm)(number % (PN_ALGORITHM_LAST + 1));
			ck_assert_int_eq(solve_position(game, text, "value", algorithm), worth);
		}
		free(known);
		game_close(game);
	}
}
END_TEST

SUITE(hex_set_up)
{
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, every_board_can_be_set_up, 0, SMALL);
	tcase_add_test(c, set_up_positions_are_worth_what_trying_everything_says);
}
