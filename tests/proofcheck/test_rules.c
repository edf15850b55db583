/* The checker's own rules, by published counts and by small positions whose answer anybody can see. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/rules.h"
#include "tests/support/gamedata.h"
#include "tests/support/suite.h"

static struct ck_game open_game(const char *name)
{
	struct ck_game game;
	struct pd_fail fail;
	int rc = ck_open(&game, name, "", 0, &fail);
	ck_assert_msg(!rc, "%s: %s", name, rc ? fail.text : "");
	return game;
}

static struct ck_position read_text(const struct ck_game *game, const char *text)
{
	struct ck_position p;
	const char *wrong = game->rules->read(game, text, &p);
	ck_assert_msg(!wrong, "%s: %s", text, wrong ? wrong : "");
	return p;
}

enum { COUNT_MAX = 1000000 }; /* greater counts take these rules too long */

static const struct gamedata *anchors; /* tests/data/games */

START_TEST(counts_are_the_published_ones)
{
	const struct gamedata_row *row = &anchors->row[_i];
	struct ck_game game;
	struct pd_fail fail;
	size_t size;
	char *graph = gamedata_graph(row->column[0], &size);
	ck_assert_msg(!ck_open(&game, row->column[0], graph, size, &fail), "%s", fail.text);
	struct ck_position p = read_text(&game, row->column[1]);
	for (unsigned depth = 1; depth + 1 < row->columns; depth++) {
		uint64_t wanted = strtoull(row->column[depth + 1], NULL, 10);
		if (wanted > COUNT_MAX)
			break;
		uint64_t count = ck_perft(&game, &p, depth);
		ck_assert_msg(count == wanted, "%s %s, depth %u: %" PRIu64, game.name, row->column[1], depth, count);
	}
	ck_close(&game);
	free(graph);
}
END_TEST

enum { OPEN = 99 };

static const struct {
	const char *game, *position;
	int value; /* OPEN: the game goes on */
} ends[] = {
	{"connect4:7x6", "1212121", 1},
	{"connect4:7x6", "12121213", OPEN + 1}, /* no such position */
	{"connect4:7x6", "121212", OPEN},
	{"connect4:7x6", "7/7/7/7/ooo4/xxxx3", 1},
	{"connect4:7x6", "7/7/7/7/ooo4/xxxxo2", OPEN + 1},
	{"connect4:7x6", "7/7/7/7/7/7", OPEN},
	{"connect4:7x6", "7/7/7/7/3x3/7", OPEN + 1},
	{"connect4:2x2", "1122", 0},
	{"mnk:3,3,3", "a1 b1 a2 b2 a3", 1},
	{"mnk:3,3,3", "a1 b1 a2 b2 c3 b3", -1},
	{"mnk:3,3,3", "xox/xox/oxo", 0},
	{"mnk:3,3,3", "xxx/3/3", 1},
	{"mnk:3,3,3", "xxx/3/3 x", 1},
	{"mnk:3,3,3", "xxx/3/ooo x", OPEN + 1},
	{"mnk:3,3,3", "xx1/3/3", OPEN + 1},
	{"mnk:3,3,3", "xx1/3/3 x", OPEN},
	{"mnk:3,3,3", "3/3/3 o", OPEN},
	{"mnk:3,3,3", "oxo/xox/xox", 0},
	{"mnk:5,5,3,2,1", "5/5/5/5/x4 x", OPEN + 1},
	{"mnk:1,1,1", "1/", OPEN},
	{"connect4:10x6", "a9a9a9a", 1},
	{"connect4:8x8", "12222111", OPEN},
	{"connect4:1x64", "1111", OPEN},
	{"mnk:19,19,5", "s19 a1 r18 a2 q17 a3 p16 a4 o15", 1},
	{"mnk:7,2,3", "a1 a2 b1 b2 d1 d2 c1", 1},
	{"mnk:7,2,3,exact", "a1 a2 b1 b2 d1 d2 c1", OPEN},
	{"mnk:7,3,3,exact", "a1 a2 b1 b2 d1 d2 c3 f2 c2 f3 c1", 1},
	{"mnk:7,2,3,exact", "3ooo1/xxxx3", -1},
	{"mnk:7,2,3,exact", "5oo/xxxx1o1", OPEN},
	{"mnk:7,2,3,exact", "5oo/xxx1xo1", 1},
	{"mnk:5,5,3,2,1", "a1 a2 b2", OPEN},
	{"mnk:5,5,3,2,1", "a1 a2 b2 b1 c1", 1},
	{"mnk:5,5,3,2,1", "a1 a2 b2 b1 c3", OPEN},
	{"mnk:5,5,3,2,1", "a1 a2 b2 b1 d1 c2", -1},
	{"mnk:5,5,3,2,1", "a1 a2 b2 b1 d1 c2 c1", OPEN + 1},
	{"mnk:5,5,3,2,1", "5/5/5/o4/x4", OPEN},
	{"mnk:5,5,3,2,1", "5/5/5/o4/xx3", OPEN + 1},
	{"mnk:5,5,3,3,3", "5/5/5/5/xxx2", 1},
	{"mnk:5,5,3,3,3", "5/5/5/5/ooo2", OPEN + 1},
	{"mnk:2,2,3,1,3", "xo/xx", 0},
	{"hex:3", "a1 c3 a2 c2 a3", 1},
	{"hex:3", "c1 a1 b2 a2 a3", 1},
	{"hex:3", "a1 a2 b2 a3 c3", OPEN},
	{"hex:3", "a1 a2 c1 b2 c3 c2", -1},
	{"hex:3", "a1 c3 a2 c2 a3 c1", OPEN + 1},
	{"hex:3", "a1 a1", OPEN + 1},
	{"hex:3", "a1 d1", OPEN + 1},
	{"hex:3", "a1 b4", OPEN + 1},
	{"hex:3", "a1b2", OPEN + 1},
	{"hex:4x1", "c1", 1},
	{"hex:1x4", "a3 a2", -1},
	{"hex:11", "k11 j11", OPEN},
	{"hex:19", "s19 s18", OPEN},
	{"hex:3", "xx1/3/3 x", OPEN},
	{"hex:3", "xx1/3/3", OPEN + 1},
	{"hex:3", "xx1/3/3 y", OPEN + 1},
	{"hex:3", "xx1/3 x", OPEN + 1},
	{"hex:3", "x2/x2/x2 x", 1},
	{"hex:3", "ooo/3/3 o", -1},
	{"hex:1", "1/ o", OPEN},
	{"uttt",
	 "O;XXX......;XXX....../XXX....../XXX....../OO......./OO......./OO......./OO......./........./.........", 1},
	{"uttt",
	 "X;OOO......;OOO....../OOO....../OOO....../XX......./XX......./XX......./XX......./X......../.........", -1},
	{"uttt", "X;OOO......;OOO....../OOO....../OOO....../XX......./XX......./XX......./XX......./........./X.......",
	 OPEN + 1},
	{"uttt",
	 "O;XXX......;XXX....../XXX....../XXX....../OO......./OO......./OO......./O......../........./.........",
	 OPEN + 1},
	{"uttt",
	 "X;XXX......;XXX....../XXX....../XXX....../OO......./OO......./OO......./OO......./O......../.........",
	 OPEN + 1},
	{"uttt",
	 "X;.@.......;XO......./........./........./........./........./........./........./........./.........", OPEN},
	{"uttt",
	 "X;@........;XO......./........./........./........./........./........./........./........./.........",
	 OPEN + 1},
	{"uttt",
	 "X;.........;XO......./........./........./........./........./........./........./........./.........",
	 OPEN + 1},
	{"uttt",
	 "X;.@@......;XO......./........./........./........./........./........./........./........./.........",
	 OPEN + 1},
	{"uttt",
	 "O;XOXXOOOXX;XXXOO..../OOOXX..../XXXOO..../XXX....../OOO....../OOO....../OOO....../XXX....../XXX......", 0},
	{"loa:4", "b2w/4/4/1bw1 b", OPEN},
	{"loa:4", "b3/b3/4/w2w w", 1},
	{"loa:4", "b3/b3/4/1ww1 w", 0},
	{"loa:4,simultaneous=mover", "b3/b3/4/1ww1 w", 1},
	{"loa:4,simultaneous=mover", "b3/b3/4/1ww1 b", -1},
	{"antichess", "8/8/8/8/8/8/8/k7 w - -", 1},
	{"antichess", "8/8/8/p7/P7/8/8/8 w - -", 1},
	{"antichess:stalemate=fewer", "8/8/8/p7/P7/8/8/8 w - -", 0},
	{"antichess:stalemate=fewer", "8/8/p7/P7/8/8/8/7k w - -", 1},
	{"antichess", "8/8/8/8/8/8/8/Kk6 w - -", OPEN},
	{"chess-mate", "7k/6Q1/6K1/8/8/8/8/8 b - - first=w", 1},
	{"chess-mate", "7k/6Q1/6K1/8/8/8/8/8 b - - first=b", 0},
	{"chess-mate", "7k/5Q2/6K1/8/8/8/8/8 b - - first=w", 0},
	{"chess-mate", "7k/5Q2/6K1/8/8/8/8/8 w - -", OPEN},
	{"chess-mate", "7k/6Q1/6K1/8/8/8/8/8 w - -", OPEN + 1},
};

START_TEST(games_end_when_they_should)
{
	struct ck_game game = open_game(ends[_i].game);
	struct ck_position p;
	int value = OPEN;
	const char *wrong = game.rules->read(&game, ends[_i].position, &p);
	if (ends[_i].value == OPEN + 1) {
		ck_assert_msg(wrong != NULL, "%s is no position", ends[_i].position);
		return;
	}
	ck_assert_msg(!wrong, "%s: %s", ends[_i].position, wrong ? wrong : "");
	bool over = game.rules->over(&game, &p, &value);
	ck_assert_msg(over == (ends[_i].value != OPEN) && (!over || value == ends[_i].value),
		      "%s %s: over %d, value %d", ends[_i].game, ends[_i].position, over, value);
	ck_close(&game);
}
END_TEST

/* Keys by hand, from the words of the essays in solver/games. */
static const struct {
	const char *game, *position, *key;
} keys[] = {
	{"connect4:7x6", "", "00000000000000"},
	{"connect4:7x6", "4", "00002000000000"},
	{"connect4:7x6", "7", "01000000000000"},
	{"mnk:3,3,3", "", "000000"},
	{"mnk:3,3,3", "c3 b2", "012000"},
	{"connect4:8x8", "", "000000000000000000"},
	{"connect4:8x8", "8", "010000000000000000"},
	{"connect4:8x8", "88", "040000000000000000"},
	{"connect4:8x8", "81", "020000000000008000"},
	{"mnk:9,9,5", "e5", "000000000001000000000000000000000000000000"},
	{"mnk:9,9,5", "a9 e5", "010000000000000000000000000000020000000000"},
	{"mnk:3,3,3,2,1", "c3 b2 b3", "012400"},
	{"hex:3", "", "000000"},
	{"hex:3", "c1 b2", "042000"},
	{"hex:3", "c3 b2", "012000"},
	{"hex:4x2", "d2 a1", "0180"},
	{"hex:3", "3/3/3 o", "00000001"},
	{"hex:3", "x2/3/3 o", "010000"},
	{"hex:3", "x2/3/3 x", "01000000"},
	{"hex:3", "3/3/1oo x", "00060000"},
	{"uttt", "", "000000000000000000000000000000000000000000"},
	{"uttt",
	 "O;@........;........./........./........./........./X......../........./........./........./.........",
	 "000003000000000000000019a10000000000000000"},
	{"uttt",
	 "O;........@;........./........./........./........./........X/........./........./........./.........",
	 "000003000000000000000019a10000000000000000"},
	{"uttt",
	 "O;......@.X;O......../O......../........./........./........./........./........./........./XXX......",
	 "00002733420000000033420000000000000000"},
	{"uttt",
	 "O;XXX......;XXX....../XXX....../XXX....../OO......./OO......./OO......./OO......./........./.........",
	 "0002a1000000000008000800080008"},
	{"loa:4", "", "0014828214"},
	{"antichess", "8/8/8/8/8/8/8/Kk6 b - -", "01000300000000000000e6"},
	{"antichess", "8/8/8/8/Pp6/8/8/8 b - a3", "0101000000030000000091"},
	{"antichess", "8/8/8/8/P1p5/8/8/8 b - a3", "0100000000050000000091"},
	{"chess-mate", "4k3/8/8/8/8/8/8/4K2R w K - first=b", "22009000000000000010460e"},
};

START_TEST(keys_are_what_the_essays_say)
{
	struct ck_game game = open_game(keys[_i].game);
	struct ck_position p = read_text(&game, keys[_i].position);
	uint8_t key[CK_KEY_MAX];
	char hex[2 * CK_KEY_MAX + 1] = "";
	size_t size = game.rules->encode(&game, &p, key);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	ck_assert_str_eq(hex, keys[_i].key);
	ck_assert(ck_decode(&game, key, size, &p));
	ck_close(&game);
}
END_TEST

static const char *const bad_names[] = {"",
					"no-such-game",
					"connect4",
					"connect4:7x",
					"connect4:0x6",
					"connect4:07x6",
					"connect4:13x9",
					"connect4:36x1",
					"connect4:1x65",
					"mnk:3,3",
					"mnk:21,20,3",
					"mnk:65,1,3",
					"mnk:3,3,3,1,1",
					"mnk:3,3,3,1,1,exact",
					"mnk:3,3,3,2",
					"mnk:3,3,3,0,1",
					"mnk:3,3,3,401,1",
					"mnk:3,3,3,exact,2,1",
					"mnk:3,3,3,exact,",
					"loa:3",
					"loa:9",
					"hex:",
					"hex:0",
					"hex:20",
					"hex:5x5",
					"hex:05",
					"hex:5x",
					"hex:5x20",
					"loa:8,nomove=loss,simultaneous=mover",
					"loa:8,simultaneous=draw",
					"antichess:",
					"antichess:x",
					"chess-mate:",
					"uttt:",
					"uttt:x",
					"andor:x",
					"andor:",
					"connect4:7x6 "};

START_TEST(other_names_are_refused)
{
	struct ck_game game;
	struct pd_fail fail;
	ck_assert_msg(ck_open(&game, bad_names[_i], "", 0, &fail) != 0, "%s", bad_names[_i]);
}
END_TEST

/* A king has exploded, so the game is over, and no pawn may capture en passant. */
START_TEST(an_exploded_king_leaves_no_capture_en_passant)
{
	static const uint8_t key[] = {0, 6, 1, 0, 2, 0xc0, 0x71, 0, 0, 1, 0x44, 0x1d, 0x19, 0x19, 0x0e};
	uint8_t other[sizeof key];
	struct ck_position p;
	memcpy(other, key, sizeof key);
	struct ck_game game = open_game("chess-variant:atomic");
	ck_assert(!ck_decode(&game, key, sizeof key, &p));
	other[1] = 0;
	ck_assert(ck_decode(&game, other, sizeof other, &p));
	ck_close(&game);
}
END_TEST

SUITE(rules)
{
	anchors = gamedata_read("perft");
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, counts_are_the_published_ones, 0, (int)anchors->count);
	tcase_add_loop_test(c, games_end_when_they_should, 0, sizeof ends / sizeof ends[0]);
	tcase_add_loop_test(c, keys_are_what_the_essays_say, 0, sizeof keys / sizeof keys[0]);
	tcase_add_loop_test(c, other_names_are_refused, 0, sizeof bad_names / sizeof bad_names[0]);
	tcase_add_test(c, an_exploded_king_leaves_no_capture_en_passant);
}
