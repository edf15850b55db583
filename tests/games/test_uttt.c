/* Ultimate tic-tac-toe: a third implementation square by square, keys against classes of images, texts and refusals,
 * positions chosen by hand, and late positions with known values. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "solver/games/game.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct game *game;
static const struct game_rules *rules;
static uint64_t base_seed;

static void set_up(void)
{
	struct pd_fail fail;
	ck_assert_msg(game_open("uttt", NULL, &game, &fail) == PD_OK, "%s", fail.text);
	rules = game->rules;
}

static void tear_down(void)
{
	game_close(game);
}

static struct walk_state position(const char *text)
{
	struct walk_state s = {0};
	struct pd_fail fail;
	ck_assert_msg(rules->parse(game, text, &s, &fail) == PD_OK, "%s: %s", text, fail.text);
	return s;
}

/* --- the naive implementation ------------------------------------------------------------- */

/* A grid of 9x9 as it lies on paper. */
struct naive {
	char cell[9][9]; /* [row from the top][column] */
	char big[3][3];  /* '.', 'X', 'O', '#' */
	int row, column; /* of the local board to play in; -1: any open one */
	char mover;
};

static struct naive naive_start(void)
{
	struct naive n = {.row = -1, .column = -1, .mover = 'X'};
	memset(n.cell, '.', sizeof n.cell);
	memset(n.big, '.', sizeof n.big);
	return n;
}

static bool three(char a, char b, char c, char who)
{
	return a == who && b == who && c == who;
}

/* Whether `who` has a line in the 3x3 part of a grid whose rows are `width` apart. */
static bool naive_line(const char *corner, int width, char who)
{
	bool line = false;
	for (int i = 0; i < 3; i++) {
		line |= three(corner[i * width], corner[i * width + 1], corner[i * width + 2], who);
		line |= three(corner[i], corner[width + i], corner[2 * width + i], who);
	}
	return line || three(corner[0], corner[width + 1], corner[2 * width + 2], who) ||
	       three(corner[2], corner[width + 1], corner[2 * width], who);
}

static bool naive_over(const struct naive *n, int *value)
{
	*value = naive_line(n->big[0], 3, 'X') ? 1 : naive_line(n->big[0], 3, 'O') ? -1 : 0;
	return *value || !memchr(n->big, '.', sizeof n->big);
}

/* Marks a square; false when that is against the rules. */
static bool naive_play(struct naive *n, int row, int column)
{
	int r = row / 3, c = column / 3, value;
	if (naive_over(n, &value) || n->big[r][c] != '.' || n->cell[row][column] != '.' ||
	    (n->row >= 0 && (n->row != r || n->column != c)))
		return false;
	n->cell[row][column] = n->mover;
	bool full = true;
	for (int i = 0; i < 9; i++)
		full &= n->cell[3 * r + i / 3][3 * c + i % 3] != '.';
	if (naive_line(&n->cell[3 * r][3 * c], 9, n->mover))
		n->big[r][c] = n->mover;
	else if (full)
		n->big[r][c] = '#';
	n->row = row % 3;
	n->column = column % 3;
	if (n->big[n->row][n->column] != '.')
		n->row = n->column = -1;
	n->mover = n->mover == 'X' ? 'O' : 'X';
	return true;
}

static uint64_t naive_perft(const struct naive *n, int depth)
{
	uint64_t total = 0;
	for (int i = 0; i < 81 && depth; i++) {
		struct naive next = *n;
		if (naive_play(&next, i / 9, i % 9))
			total += naive_perft(&next, depth - 1);
	}
	return depth ? total : 1;
}

/* The text of a position. `class`: as the rules see it, without what they cannot tell apart. */
static void naive_print(const struct naive *n, bool class, char *out)
{
	int open = 0, value;
	bool over = naive_over(n, &value);
	for (int i = 0; i < 9; i++)
		open += n->big[i / 3][i % 3] == '.';
	*out++ = n->mover;
	*out++ = ';';
	for (int i = 0; i < 9; i++) {
		bool here = n->row == i / 3 && n->column == i % 3 && !over && (!class || open > 1);
		*out++ = here ? '@' : n->big[i / 3][i % 3];
	}
	for (int i = 0; i < 81; i++) {
		int r = i / 27, c = i / 9 % 3;
		char cell = n->cell[3 * r + i % 9 / 3][3 * c + i % 3];
		if (i % 9 == 0)
			*out++ = i ? '/' : ';';
		*out++ = class && n->big[r][c] != '.' ? '-' : cell;
	}
	*out = 0;
}

/* The image under one of the symmetries 0..7: bit 0 mirrors the columns, bit 1 the rows, bit 2 swaps the axes. */
static struct naive naive_image(const struct naive *n, int symmetry)
{
	struct naive image = *n;
	for (int i = 0; i < 81; i++) {
		int row = i / 9, column = i % 9;
		int r = symmetry & 2 ? 8 - row : row, c = symmetry & 1 ? 8 - column : column;
		image.cell[symmetry & 4 ? c : r][symmetry & 4 ? r : c] = n->cell[row][column];
	}
	for (int i = 0; i < 9; i++) {
		int row = i / 3, column = i % 3;
		int r = symmetry & 2 ? 2 - row : row, c = symmetry & 1 ? 2 - column : column;
		image.big[symmetry & 4 ? c : r][symmetry & 4 ? r : c] = n->big[row][column];
	}
	if (n->row >= 0) {
		int r = symmetry & 2 ? 2 - n->row : n->row, c = symmetry & 1 ? 2 - n->column : n->column;
		image.row = symmetry & 4 ? c : r;
		image.column = symmetry & 4 ? r : c;
	}
	return image;
}

/* The naive position of a text that the rules have taken. */
static struct naive naive_of(const char *text)
{
	struct naive n = naive_start();
	n.mover = text[0];
	for (int i = 0; i < 9; i++) {
		n.big[i / 3][i % 3] = text[2 + i] == '@' ? '.' : text[2 + i];
		if (text[2 + i] == '@') {
			n.row = i / 3;
			n.column = i % 3;
		}
	}
	for (int i = 0; i < 81; i++)
		n.cell[i / 27 * 3 + i % 9 / 3][i / 9 % 3 * 3 + i % 3] = text[12 + i + i / 9];
	return n;
}

static bool play_both(struct naive *n, struct walk_state *s, game_move move)
{
	char text[8];
	rules->move_print(game, s, move, text, sizeof text);
	int board = text[0] - 'a', square = text[1] - 'a';
	rules->play(game, s, move);
	return naive_play(n, board / 3 * 3 + square / 3, board % 3 * 3 + square % 3);
}

/* --- against it --------------------------------------------------------------------------- */

START_TEST(counts_are_known_and_those_of_the_naive_implementation)
{
	static const uint64_t counts[] = {81, 720, 6336, 55080, 473256, 4020960};
	struct naive n = naive_start();
	struct walk_state s;
	rules->start(game, &s);
	for (unsigned depth = 1; depth <= 6; depth++) {
		ck_assert_uint_eq(game_perft(game, &s, depth), counts[depth - 1]);
		if (depth <= 5)
			ck_assert_uint_eq(naive_perft(&n, (int)depth), counts[depth - 1]);
	}
}
END_TEST

START_TEST(late_counts_are_those_of_the_naive_implementation)
{
	uint64_t seed = base_seed;
	for (int round = 0; round < 60; round++) {
		struct walk_state s;
		char text[GAME_TEXT_MAX];
		rules->start(game, &s);
		walk_on(game, &s, 35 + walk_below(&seed, 30), &seed);
		rules->print(game, &s, text, sizeof text);
		struct naive n = naive_of(text);
		for (unsigned depth = 0; depth <= 3; depth++)
			ck_assert_msg(game_perft(game, &s, depth) == naive_perft(&n, (int)depth), "%s, depth %u", text,
				      depth);
	}
}
END_TEST

START_TEST(random_games_go_as_in_the_naive_implementation)
{
	uint64_t seed = base_seed;
	unsigned ends[3] = {0};
	for (int round = 0; round < 400; round++) {
		struct naive n = naive_start();
		struct walk_state s;
		rules->start(game, &s);
		for (;;) {
			char text[GAME_TEXT_MAX], naive_text[GAME_TEXT_MAX];
			int value, naive_value, won;
			bool over = rules->terminal(game, &s, &value);
			rules->print(game, &s, text, sizeof text);
			naive_print(&n, false, naive_text);
			ck_assert_str_eq(text, naive_text);
			ck_assert_int_eq(over, naive_over(&n, &naive_value));
			if (over) {
				ck_assert_int_eq(value, naive_value);
				ends[value + 1]++;
				break;
			}
			bool wins = false;
			unsigned legal = 0;
			for (int i = 0; i < 81; i++) {
				struct naive next = n;
				bool good = naive_play(&next, i / 9, i % 9);
				legal += good;
				wins |= good && naive_over(&next, &naive_value) && naive_value;
			}
			ck_assert_int_eq(rules->first_to_move(game, &s), n.mover == 'X');
			ck_assert_int_eq(rules->immediate_win(game, &s, &won), wins);
			game_move moves[81];
			unsigned count = rules->moves(game, &s, moves);
			ck_assert_uint_eq(count, legal);
			uint32_t num[2];
			rules->initial_numbers(game, &s, 1, num);
			ck_assert_uint_eq(num[n.mover == 'O'], 1);
			ck_assert_uint_eq(num[n.mover == 'X'], legal);
			ck_assert(play_both(&n, &s, moves[walk_below(&seed, count)]));
		}
	}
	ck_assert(ends[0] > 50 && ends[1] > 20 && ends[2] > 50);
}
END_TEST

/* --- keys --------------------------------------------------------------------------------- */

enum { TEXT = 104, SLOTS = 1 << 17 };

/* A set of short strings with a string each. Open addressing. */
struct dictionary {
	struct pair {
		char key[TEXT], value[TEXT];
	} * slots;
	unsigned used;
};

static const char *look_up(struct dictionary *d, const char *key, const char *value)
{
	for (uint64_t i = pd_hash64(key, strlen(key));; i++) {
		struct pair *p = &d->slots[i % SLOTS];
		if (!p->key[0]) {
			ck_assert_uint_lt(++d->used, SLOTS / 2);
			strcpy(p->key, key);
			strcpy(p->value, value);
		}
		if (!strcmp(p->key, key))
			return p->value;
	}
}

/* Everything that the incremental updates carry along. */
struct write_snapshot {
	struct dictionary class_of_key, key_of_class;
	unsigned left, visited;
};

/* Remembers key and class of a position, and compares them with those remembered; true when they are new. */
static bool enter(struct write_snapshot *w, const struct naive *n, const struct walk_state *s)
{
	uint8_t key[GAME_KEY_MAX];
	char hex[TEXT] = "", class[TEXT], text[TEXT];
	unsigned before = w->class_of_key.used;
	size_t size = rules->key(game, s, key);
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", key[i]);
	naive_print(n, true, class);
	for (int i = 1; i < 8; i++) {
		struct naive image = naive_image(n, i);
		naive_print(&image, true, text);
		if (strcmp(text, class) < 0)
			strcpy(class, text);
	}
	w->visited++;
	if (strcmp(look_up(&w->class_of_key, hex, class), class) || strcmp(look_up(&w->key_of_class, class, hex), hex))
		ck_abort_msg("%s has the key %s, and so has another class, or another member has not", class, hex);
	return w->class_of_key.used > before;
}

static void write_snapshot(struct write_snapshot *w, const struct naive *n, const struct walk_state *s)
{
	game_move moves[81];
	if (!enter(w, n, s) || !w->left)
		return;
	w->left--;
	unsigned count = rules->moves(game, s, moves);
	for (unsigned i = 0; i < count; i++) {
		struct naive next = *n;
		struct walk_state child = *s;
		ck_assert(play_both(&next, &child, moves[i]));
		write_snapshot(w, &next, &child);
	}
}

/* From the beginning, where symmetries abound, and from late positions, where boards close in many orders. */
START_TEST(keys_stand_for_what_the_rules_can_tell_apart)
{
	uint64_t seed = base_seed;
	struct write_snapshot w = {{calloc(SLOTS, sizeof *w.class_of_key.slots), 0},
				   {calloc(SLOTS, sizeof *w.key_of_class.slots), 0},
				   0,
				   0};
	ck_assert(w.class_of_key.slots && w.key_of_class.slots);
	for (int round = 0; round < 41; round++) {
		struct walk_state s;
		char text[GAME_TEXT_MAX];
		rules->start(game, &s);
		if (round)
			walk_on(game, &s, 40 + walk_below(&seed, 20), &seed);
		rules->print(game, &s, text, sizeof text);
		struct naive n = naive_of(text);
		w.left = 300;
		write_snapshot(&w, &n, &s);
	}
	ck_assert_uint_eq(w.class_of_key.used, w.key_of_class.used);
	ck_assert_uint_gt(w.class_of_key.used, 10000);
	ck_assert_uint_gt(w.visited, w.class_of_key.used + 1000); /* many were met again */
	free(w.class_of_key.slots);
	free(w.key_of_class.slots);
}
END_TEST

START_TEST(a_canonical_position_has_a_text_that_is_parsed)
{
	uint64_t seed = base_seed;
	for (int round = 0; round < 3000; round++) {
		struct walk_state s, t, u;
		struct pd_fail fail;
		uint8_t key[GAME_KEY_MAX], again[GAME_KEY_MAX];
		char text[GAME_TEXT_MAX];
		walk_from_start(game, &s, 81, &seed);
		size_t size = rules->key(game, &s, key);
		ck_assert_int_eq(rules->unkey(game, key, size, &t), PD_OK);
		rules->print(game, &t, text, sizeof text);
		ck_assert_msg(rules->parse(game, text, &u, &fail) == PD_OK, "%s: %s", text, fail.text);
		ck_assert(rules->key(game, &u, again) == size && !memcmp(key, again, size));
	}
}
END_TEST

static bool same_key(const char *a, const char *b)
{
	uint8_t k[GAME_KEY_MAX], l[GAME_KEY_MAX];
	struct walk_state s = position(a), t = position(b);
	size_t size = rules->key(game, &s, k);
	return size == rules->key(game, &t, l) && !memcmp(k, l, size);
}

#define EMPTY "........."
#define SIX   EMPTY "/" EMPTY "/" EMPTY "/" EMPTY "/" EMPTY "/" EMPTY
#define SEVEN EMPTY "/" SIX

START_TEST(one_position_has_many_texts_and_one_key)
{
	ck_assert(same_key("", "X;.........;" SEVEN "/" EMPTY "/" EMPTY));
	ck_assert(same_key("O;@........;X......../" SEVEN "/" EMPTY, "O;........@;" SEVEN "/" EMPTY "/........X"));
	ck_assert(!same_key("O;@........;X......../" SEVEN "/" EMPTY, "O;.@.......;.X......./" SEVEN "/" EMPTY));
	/* Marks in a decided board do not count, the board to play in does. */
	ck_assert(same_key("O;X@.......;XXX....../O......../O......../" SIX,
			   "O;X@.......;...XXX.../O......../O......../" SIX));
	ck_assert(!same_key("O;X@.......;XXX....../O......../O......../" SIX,
			    "O;X.@......;XXX....../O......../O......../" SIX));
	ck_assert(!same_key("O;X@.......;XXX....../O......../O......../" SIX,
			    "O;X........;XXX....../O......../O......../" SIX));
	/* With one open board it makes no difference whether it has to be played in. */
	ck_assert(same_key(
		"X;XOXOXOOX@;XXX....../OOO....../XXX....../OOO....../XXX....../OOO....../OOO....../XXX....../.........",
		"X;XOXOXOOX.;XXX....../OOO....../XXX....../OOO....../XXX....../OOO....../OOO....../XXX....../"
		"........."));
}
END_TEST

/* --- texts -------------------------------------------------------------------------------- */

static const struct {
	const char *text, *says;
} bad_positions[] = {
	{"x;.........;" SEVEN "/" EMPTY "/" EMPTY, "index 0 (counted from 0), 'x': a position begins with the side"},
	{"X", "ends at index 1"},
	{"X,.........;" SEVEN "/" EMPTY "/" EMPTY, "index 1 (counted from 0), ',': a ; follows"},
	{"X;........;" SEVEN "/" EMPTY "/" EMPTY, "index 10 (counted from 0), ';': the state of a local board"},
	{"X;..........;" SEVEN "/" EMPTY "/" EMPTY, "index 11 (counted from 0), '.': a ; follows"},
	{"X;...x.....;" SEVEN "/" EMPTY "/" EMPTY, "index 5 (counted from 0), 'x'"},
	{"X;.@..@....;" SEVEN "/" EMPTY "/" EMPTY, "index 6 (counted from 0), '@': a second board"},
	{"X;.........", "ends at index 11"},
	{"X;.........;" SEVEN "/" EMPTY, "ends at index 91"},
	{"X;.........;" SEVEN "/" EMPTY "/........", "ends at index 100 (counted from 0): a local board has nine"},
	{"X;.........;" SEVEN "/" EMPTY "/" EMPTY "/", "index 101 (counted from 0), '/': a position ends"},
	{"X;.........;" SEVEN "/" EMPTY "/....o....", "index 96 (counted from 0), 'o'"},
	{"X;.........;" SEVEN "." EMPTY "/" EMPTY, "index 81 (counted from 0), '.': a / separates"},
	{"X;.........;" SEVEN "/" EMPTY "/......../", "index 100 (counted from 0), '/'"},
	{"X;.........;" SEVEN "/" EMPTY "/" EMPTY " ", "index 101"},
	{"X;.........;" SEVEN "/" EMPTY "/....\xc3\xa9...", "index 96 (counted from 0), '\xc3\xa9'"},
	/* local boards */
	{"X;@........;XXXOOO.../" SEVEN "/" EMPTY, "local board a (from index 12, counted from 0): both sides"},
	{"X;.X.......;" EMPTY "/" SEVEN "/" EMPTY, "local board b (from index 22, counted from 0): it is marked X"},
	{"X;..O......;" EMPTY "/" SEVEN "/" EMPTY, "local board c (from index 32, counted from 0): it is marked O"},
	{"X;........#;" SEVEN "/" EMPTY "/" EMPTY, "local board i (from index 92, counted from 0): it is marked #"},
	{"X;........@;" SEVEN "/" EMPTY "/XXXOO.O..", "local board i (from index 92, counted from 0): it is won"},
	{"X;O.......@;XXXOO.O../" SEVEN "/" EMPTY, "it is marked O in the global state, but O has no"},
	{"X;#........;XXXOO.O../" SEVEN "/" EMPTY, "local board a (from index 12, counted from 0): it is won"},
	{"O;.........;XOXXOOOXX/" SEVEN "/" EMPTY, "local board a (from index 12, counted from 0): it is full"},
	{"O;X........;XXX...XXX/" SEVEN "/" EMPTY, "local board a (from index 12, counted from 0): play in it went on"},
	/* numbers of marks */
	{"O;.........;" SEVEN "/" EMPTY "/" EMPTY, "with O to move X has one mark more than O, not 0 marks against 0"},
	{"X;@........;X......../" SEVEN "/" EMPTY, "with X to move X has as many marks as O, not 1 marks against 0"},
	{"X;@........;OO......./" SEVEN "/" EMPTY, "not 0 marks against 2"},
	/* where to play */
	{"X;@........;" SEVEN "/" EMPTY "/" EMPTY, "no move of the opponent"},
	{"O;.@.......;X......../" SEVEN "/" EMPTY, "no move of the opponent"},
	{"X;.@.......;XO......./" SEVEN "/" EMPTY, NULL},
	{"X;@........;XO......./" SEVEN "/" EMPTY, "no move of the opponent"},
	{"O;.........;X......../" SEVEN "/" EMPTY, "must be marked @"},
	/* the game is over, and went on */
	{"O;XXX......;XXX....../XXX....../XXX....../OO......./OO......./OO......./OO......./" EMPTY "/" EMPTY, NULL},
	{"X;XXX......;XXX....../XXX....../XXX....../OO......./OO......./OO......./OO......./O......../" EMPTY,
	 "X, who is to move, has three local boards"},
	{"X;OOO......;OOO....../OOO....../OOO....../XX......./XX......./XX......./XX......./X......../" EMPTY, NULL},
	{"O;XXX...OOO;XXX....../XXX....../XXX....../X......../" EMPTY "/" EMPTY "/OOO....../OOO....../OOO......",
	 "O, who is to move, has three local boards"},
	{"O;XXX...XXX;XXXX...../XXX....../XXX....../.OOO.OOO./.OOO.OOO./.OOO.OOO./XXX....../XXX....../XXX......",
	 "the game went on after three local boards in line"},
};

START_TEST(a_position_that_cannot_be_is_refused_with_its_place)
{
	struct walk_state s;
	struct pd_fail fail = {0};
	int rc = rules->parse(game, bad_positions[_i].text, &s, &fail);
	if (!bad_positions[_i].says) {
		ck_assert_msg(!rc, "%s: %s", bad_positions[_i].text, fail.text);
		return;
	}
	ck_assert_msg(rc == PD_E_POSITION, "%s", bad_positions[_i].text);
	ck_assert_str_eq(fail.field, "position");
	ck_assert_msg(strstr(fail.text, bad_positions[_i].says) != NULL, "%s: %s", bad_positions[_i].text, fail.text);
}
END_TEST

START_TEST(a_move_that_is_not_legal_says_why)
{
	static const struct {
		const char *position, *move, *says;
	} bad[] = {
		{"", "e", "two letters"},
		{"", "ej", "two letters"},
		{"", "EE", "two letters"},
		{"", "eee", "something follows"},
		{"O;@........;X......../" SEVEN "/" EMPTY, "aa", "taken"},
		{"O;@........;X......../" SEVEN "/" EMPTY, "ba", "another local board"},
		{"O;X@.......;XXX....../O......../O......../" SIX, "ai", "decided"},
		{"O;XXX......;XXX....../XXX....../XXX....../OO......./OO......./OO......./OO......./" EMPTY "/" EMPTY,
		 "ii", "over"},
	};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct walk_state s = position(bad[i].position);
		struct pd_fail fail = {0};
		game_move move;
		ck_assert_int_eq(rules->move_parse(game, &s, bad[i].move, &move, &fail), PD_E_MOVE);
		ck_assert_str_eq(fail.field, "move");
		ck_assert_msg(strstr(fail.text, bad[i].says) != NULL, "%s: %s", bad[i].move, fail.text);
	}
}
END_TEST

START_TEST(the_picture_shows_all_marks_and_the_global_board)
{
	struct walk_state s = position("O;X@.......;XXX....../O......../O......../" SIX);
	char text[GAME_TEXT_MAX];
	rules->picture(game, &s, text, sizeof text);
	ck_assert_msg(!strncmp(text,
			       " X X X | O . . | O . .\n"
			       " . . . | . . . | . . .     X @ .\n"
			       " . . . | . . . | . . .\n"
			       " ------+-------+------\n",
			       92),
		      "%s", text);
}
END_TEST

/* --- known positions ---------------------------------------------------------------------- */

static FILE *opened_file(const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "%s/uttt/%s", TEST_DATA, name);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	return f;
}

/* What the mover gets: alpha-beta without any knowledge, on the naive board. */
static int naive_value(const struct naive *n, int alpha, int beta)
{
	int value;
	if (naive_over(n, &value))
		return n->mover == 'X' ? value : -value;
	for (int i = 0; i < 81 && alpha < beta; i++) {
		struct naive next = *n;
		if (!naive_play(&next, i / 9, i % 9))
			continue;
		value = -naive_value(&next, -beta, -alpha);
		alpha = value > alpha ? value : alpha;
	}
	return alpha;
}

START_TEST(late_positions_have_their_published_values)
{
	char line[512], text[TEXT], printed[GAME_TEXT_MAX], value[8];
	unsigned empty, lines = 0, solved = 0;
	FILE *f = opened_file("endgames.tsv");
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '#')
			continue;
		ck_assert_int_eq(sscanf(line, "%*s %103s %u %7s", text, &empty, value), 3);
		struct walk_state s = position(text);
		rules->print(game, &s, printed, sizeof printed);
		ck_assert_str_eq(text, printed);
		lines++;
		if (empty > 15)
			continue;
		struct naive n = naive_of(text);
		ck_assert_msg(naive_value(&n, -1, 1) == (value[0] == 'w' ? 1 : value[0] == 'd' ? 0 : -1), "%s", text);
		solved++;
	}
	fclose(f);
	ck_assert_uint_eq(lines, 56);
	ck_assert_uint_ge(solved, 10);
}
END_TEST

START_TEST(known_positions_come_back_as_their_text)
{
	char line[512], text[TEXT], printed[GAME_TEXT_MAX];
	unsigned lines = 0;
	FILE *f = opened_file("positions.tsv");
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '#')
			continue;
		ck_assert_int_eq(sscanf(line, "%*s %*u %103s", text), 1);
		struct walk_state s = position(text);
		rules->print(game, &s, printed, sizeof printed);
		ck_assert_str_eq(text, printed);
		lines++;
	}
	fclose(f);
	ck_assert_uint_eq(lines, 40);
}
END_TEST

SUITE(uttt)
{
	base_seed = walk_seed("games.uttt", 99);
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, counts_are_known_and_those_of_the_naive_implementation);
	tcase_add_test(c, late_counts_are_those_of_the_naive_implementation);
	tcase_add_test(c, random_games_go_as_in_the_naive_implementation);
	tcase_add_test(c, keys_stand_for_what_the_rules_can_tell_apart);
	tcase_add_test(c, a_canonical_position_has_a_text_that_is_parsed);
	tcase_add_test(c, one_position_has_many_texts_and_one_key);
	tcase_add_loop_test(c, a_position_that_cannot_be_is_refused_with_its_place, 0,
			    (int)(sizeof bad_positions / sizeof bad_positions[0]));
	tcase_add_test(c, a_move_that_is_not_legal_says_why);
	tcase_add_test(c, the_picture_shows_all_marks_and_the_global_board);
	tcase_add_test(c, late_positions_have_their_published_values);
	tcase_add_test(c, known_positions_come_back_as_their_text);
}
