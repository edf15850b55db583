/* Keys of whole games: over every position that can come up on a small board, two have one key exactly if one is an
 * image of the other. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "solver/games/game.h"
#include "tests/games/naive.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { TEXT = 56, SLOTS = 1 << 19 };

/* A set of short strings with a string each. Open addressing; big enough for the boards below. */
struct dictionary {
	struct pair {
		char key[TEXT], value[TEXT];
	} * slots;
	unsigned used;
};

static struct dictionary dictionary_new(void)
{
	struct dictionary d = {.slots = calloc(SLOTS, sizeof *d.slots)};
	ck_assert_ptr_nonnull(d.slots);
	return d;
}

/* The value of a key, which is `value` when the key is new. */
static const char *look_up(struct dictionary *d, const char *key, const char *value)
{
	uint64_t i = pd_hash64(key, strlen(key));
	for (;; i++) {
		struct pair *p = &d->slots[i % SLOTS];
		if (!p->key[0]) {
			if (++d->used > SLOTS / 2)
				ck_abort_msg("the dictionary is too small");
			strcpy(p->key, key);
			strcpy(p->value, value);
		}
		if (!strcmp(p->key, key))
			return p->value;
	}
}

static void hex_of_key(const struct game *game, const void *state, char out[TEXT])
{
	uint8_t key[GAME_KEY_MAX];
	size_t size = game->rules->key(game, state, key);
	for (size_t i = 0; i < size; i++)
		sprintf(out + 2 * i, "%02x", key[i]);
}

/* The smallest board text of all images. */
static void class_of(const struct naive *n, char out[TEXT])
{
	char text[TEXT];
	naive_print(n, out);
	for (int i = 1; i < naive_symmetries(n); i++) {
		struct naive image = naive_image(n, i);
		naive_print(&image, text);
		if (strcmp(text, out) < 0)
			strcpy(out, text);
	}
}

/* Everything that the search for all positions carries along. */
struct write_snapshot {
	const struct game *game;
	struct dictionary seen; /* board texts */
	struct dictionary class_of_key, key_of_class;
};

static void write_snapshot(struct write_snapshot *w, const struct naive *n)
{
	char text[TEXT], class[TEXT], key[TEXT];
	struct walk_state s;
	struct pd_fail fail;
	int value;
	unsigned seen = w->seen.used;
	naive_print(n, text);
	look_up(&w->seen, text, "");
	if (w->seen.used == seen)
		return;
	if (w->game->rules->parse(w->game, text, &s, &fail))
		ck_abort_msg("%s: %s", text, fail.text);
	hex_of_key(w->game, &s, key);
	class_of(n, class);
	if (strcmp(look_up(&w->class_of_key, key, class), class) || strcmp(look_up(&w->key_of_class, class, key), key))
		ck_abort_msg("%s has the key %s, and so has another class, or another member of its class has not",
			     text, key);
	if (naive_over(n, &value))
		return;
	for (int row = 0; row < (n->gravity ? 1 : n->height); row++)
		for (int column = 0; column < n->width; column++) {
			struct naive next = *n;
			if (naive_play(&next, row, column))
				write_snapshot(w, &next);
		}
}

static const struct {
	const char *name;
	int width, height, k;
	bool gravity;
	unsigned positions, keys; /* 0: not known from elsewhere */
	int turn, opening;        /* as in naive.h */
	bool exact;
} boards[] = {
	{"connect4:4x4", 4, 4, 4, true, 161029, 0},
	{"connect4:5x3", 5, 3, 4, true, 0, 0},
	{"connect4:2x5", 2, 5, 4, true, 0, 0},
	{"connect4:6x2", 6, 2, 4, true, 0, 0},
	{"mnk:3,3,3", 3, 3, 3, false, 5478, 765},
	{"mnk:4,2,3", 4, 2, 3, false, 0, 0},
	{"mnk:2,2,2", 2, 2, 2, false, 0, 0},
	{"mnk:9,1,3", 9, 1, 3, false, 0, 0},
	{"mnk:3,3,4", 3, 3, 4, false, 0, 0},
	/* counted by the Python program that tests/data/games/mnk.tsv names */
	{"mnk:3,3,3,2,1", 3, 3, 3, false, 5478, 765, 2, 1, false},
	{"mnk:3,3,2,exact", 3, 3, 2, false, 1468, 222, 1, 1, true},
	{"mnk:4,2,3,1,2", 4, 2, 3, false, 1685, 434, 1, 2, false},
	{"mnk:3,3,3,2,2,exact", 3, 3, 3, false, 4822, 688, 2, 2, true},
};

START_TEST(keys_stand_for_classes_of_images)
{
	struct pd_fail fail;
	struct game *game;
	struct write_snapshot w = {
		.seen = dictionary_new(), .class_of_key = dictionary_new(), .key_of_class = dictionary_new()};
	ck_assert_int_eq(game_open(boards[_i].name, NULL, &game, &fail), PD_OK);
	struct naive n = naive_start(boards[_i].width, boards[_i].height, boards[_i].k, boards[_i].gravity);
	n.turn = boards[_i].turn;
	n.opening = boards[_i].opening;
	n.exact = boards[_i].exact;
	w.game = game;
	write_snapshot(&w, &n);
	ck_assert_uint_eq(w.class_of_key.used, w.key_of_class.used);
	if (boards[_i].positions)
		ck_assert_uint_eq(w.seen.used, boards[_i].positions);
	if (boards[_i].keys)
		ck_assert_uint_eq(w.class_of_key.used, boards[_i].keys);
	free(w.seen.slots);
	free(w.class_of_key.slots);
	free(w.key_of_class.slots);
	game_close(game);
}
END_TEST

/* The side has a line. */
static bool has_line(const struct naive *n, char side)
{
	struct naive own = *n;
	for (int i = 0; i < n->width * n->height; i++) {
		char *at = &own.cell[i / n->width][i % n->width];
		*at = *at == side ? side : '.';
	}
	return naive_winner(&own) != '.';
}

static const struct {
	const char *name;
	int width, height, k;
	bool exact;
	unsigned usual; /* keys of positions that come up in a game */
} set_ups[] = {{"mnk:3,3,3", 3, 3, 3, false, 765},
	       {"mnk:3,3,2,exact", 3, 3, 2, true, 222},
	       {"mnk:4,2,3", 4, 2, 3, false, 0},
	       {"mnk:2,2,2", 2, 2, 2, false, 0},
	       {"mnk:1,1,2", 1, 1, 2, false, 0}};

/* Every board, with either side to move: it is refused if both sides have a line; else its key stands for it and its
 * images alone. */
START_TEST(boards_of_mnk_can_be_set_up)
{
	struct pd_fail fail;
	struct game *game;
	struct dictionary class_of_key = dictionary_new(), key_of_class = dictionary_new();
	struct naive n = naive_start(set_ups[_i].width, set_ups[_i].height, set_ups[_i].k, false);
	int squares = n.width * n.height, boards_all = 2;
	unsigned usual = 0;
	ck_assert_int_eq(game_open(set_ups[_i].name, NULL, &game, &fail), PD_OK);
	for (int i = 0; i < squares; i++)
		boards_all *= 3;
	n.exact = set_ups[_i].exact;
	for (int number = 0; number < boards_all; number++) {
		char text[TEXT], class[TEXT], key[TEXT], again[TEXT];
		uint8_t bytes[GAME_KEY_MAX];
		struct walk_state s, back;
		int value = 0, stones = 0;
		for (int i = 0, rest = number / 2; i < squares; i++, rest /= 3) {
			n.cell[i / n.width][i % n.width] = ".xo"[rest % 3];
			stones += rest % 3 != 0;
		}
		bool lines[2] = {has_line(&n, 'x'), has_line(&n, 'o')}, second = number % 2;
		naive_print(&n, text);
		strcat(text, second ? " o" : " x");
		int rc = game->rules->parse(game, text, &s, &fail);
		ck_assert_msg((rc != PD_OK) == (lines[0] && lines[1]), "%s", text);
		if (rc)
			continue;
		bool over = game->rules->terminal(game, &s, &value);
		ck_assert_msg(over == (lines[0] || lines[1] || stones == squares), "%s", text);
		ck_assert_int_eq(value, lines[0] - lines[1]);
		if (lines[0] || lines[1])
			second = lines[0];
		ck_assert_int_eq(game->rules->first_to_move(game, &s), !second);
		hex_of_key(game, &s, key);
		class_of(&n, class);
		strcat(class, second ? " o" : " x");
		unsigned known = class_of_key.used;
		ck_assert_str_eq(look_up(&class_of_key, key, class), class);
		ck_assert_str_eq(look_up(&key_of_class, class, key), key);
		usual += class_of_key.used > known && strlen(key) / 2 < game->key_size_max;
		size_t size = game->rules->key(game, &s, bytes);
		ck_assert_msg(game->rules->unkey(game, bytes, size, &back) == PD_OK, "%s", text);
		hex_of_key(game, &back, again);
		ck_assert_str_eq(key, again);
		game->rules->print(game, &s, text, sizeof text);
		ck_assert_int_eq(strchr(text, ' ') != NULL, size == game->key_size_max);
		ck_assert_int_eq(game->rules->parse(game, text, &back, &fail), PD_OK);
		hex_of_key(game, &back, again);
		ck_assert_str_eq(key, again);
	}
	if (set_ups[_i].usual)
		ck_assert_uint_eq(usual, set_ups[_i].usual);
	free(class_of_key.slots);
	free(key_of_class.slots);
	game_close(game);
}
END_TEST

/* How many byte strings of that size unkey takes, having made sure that each is the key of what it gives. */
static unsigned keys_taken(const char *name, size_t size)
{
	struct pd_fail fail;
	struct game *game;
	unsigned taken = 0;
	ck_assert_int_eq(game_open(name, NULL, &game, &fail), PD_OK);
	ck_assert_uint_le(size, 3);
	for (uint32_t n = 0; n < 1u << 8 * size; n++) {
		uint8_t key[3] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16)}, back[GAME_KEY_MAX];
		struct walk_state s;
		if (game->rules->unkey(game, key, size, &s))
			continue;
		taken++;
		if (game->rules->key(game, &s, back) != size || memcmp(key, back, size))
			ck_abort_msg("%s: the key of number %u comes back as another", name, n);
	}
	game_close(game);
	return taken;
}

/* How many boards with stones on stones and the right number of each there are, a board and its mirror image counted
 * once: fills the squares from `square` on in all ways. For boards on which neither side can win. */
static unsigned boards_from(struct naive *n, int square)
{
	unsigned count = 0;
	int row = square % n->height, column = square / n->height;
	if (column == n->width) {
		char text[TEXT], class[TEXT];
		int x = 0, o = 0;
		naive_print(n, text);
		for (const char *p = text; *p; p++) {
			x += *p == 'x';
			o += *p == 'o';
		}
		class_of(n, class);
		return (x == o || x == o + 1) && !strcmp(text, class);
	}
	for (const char *c = ".xo"; *c; c++) {
		n->cell[row][column] = *c;
		if (*c == '.' || row == 0 || n->cell[row - 1][column] != '.')
			count += boards_from(n, square + 1);
	}
	n->cell[row][column] = '.';
	return count;
}

START_TEST(unkey_takes_nothing_that_is_not_a_key)
{
	ck_assert_uint_eq(keys_taken("mnk:3,3,3", 3), 765);
	ck_assert_uint_eq(keys_taken("mnk:1,1,1", 1), 2);
	ck_assert_uint_eq(keys_taken("mnk:1,1,1", 2), 2); /* o to move on the empty board; o's stone */
	ck_assert_uint_eq(keys_taken("mnk:1,1,2", 2), 4); /* and x's stone with x to move, o's with either */
	ck_assert_uint_eq(keys_taken("mnk:3,3,3,2,1", 3), 765);
	ck_assert_uint_eq(keys_taken("mnk:4,2,3,1,2", 2), 434);
	/* connect4 does not ask for an order of moves, only for stones on stones, and for as many as there must be. */
	static const struct {
		const char *name;
		int width, height;
	} drawn[] = {{"connect4:1x1", 1, 1}, {"connect4:1x3", 1, 3}, {"connect4:2x1", 2, 1}, {"connect4:2x2", 2, 2},
		     {"connect4:3x1", 3, 1}, {"connect4:3x2", 3, 2}, {"connect4:2x3", 2, 3}, {"connect4:3x3", 3, 3}};
	for (unsigned i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
		struct naive n = naive_start(drawn[i].width, drawn[i].height, 4, true);
		size_t size = (size_t)(n.width * (n.height + 1) + 7) / 8;
		ck_assert_uint_eq(keys_taken(drawn[i].name, size), boards_from(&n, 0));
	}
}
END_TEST

SUITE(keys)
{
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, keys_stand_for_classes_of_images, 0, (int)(sizeof boards / sizeof boards[0]));
	tcase_add_loop_test(c, boards_of_mnk_can_be_set_up, 0, (int)(sizeof set_ups / sizeof set_ups[0]));
	tcase_add_test(c, unkey_takes_nothing_that_is_not_a_key);
}
