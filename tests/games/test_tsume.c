/* Tsume-shogi: the moves of shogi against published counts and nshogi's lists, and what the game makes of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/shogi.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"

static struct game *game;

static uint64_t count_lines(const struct shogi_lines *l, const struct shogi_state *s, unsigned depth)
{
	game_move moves[SHOGI_MOVES_MAX];
	unsigned count = shogi_moves(l, s, false, moves);
	uint64_t lines = depth == 1 ? count : 0;
	for (unsigned i = 0; depth > 1 && i < count; i++) {
		struct shogi_state after = *s;
		shogi_play(&after, moves[i]);
		lines += count_lines(l, &after, depth - 1);
	}
	return lines;
}

START_TEST(shogi_has_as_many_lines_as_published)
{
	static const uint64_t published[] = {30, 900, 25470, 719731};
	struct shogi_lines lines;
	struct shogi_state s;
	shogi_lines_init(&lines);
	shogi_start(&s);
	ck_assert_ptr_null(shogi_complete(&lines, &s));
	for (unsigned depth = 1; depth <= 4; depth++)
		ck_assert_uint_eq(count_lines(&lines, &s, depth), published[depth - 1]);
}
END_TEST

/* True for moves that nshogi does not list: a piece that gains by promotion in all but rare cases does not promote. */
static bool is_left_out(const struct shogi_state *s, game_move move)
{
	unsigned from = move & 127, to = move >> 7 & 127;
	if (from >= SHOGI_SQUARES || move >> 14 || (shogi_depth(from, s->side) >= 3 && shogi_depth(to, s->side) >= 3))
		return false;
	unsigned kind = shogi_kind(s->at[from]);
	return kind == SHOGI_PAWN || kind == SHOGI_BISHOP || kind == SHOGI_ROOK ||
	       (kind == SHOGI_LANCE && shogi_depth(to, s->side) == 1);
}

/* Compares all positions of a file; `checks`: the side to move is the attacker. The lists are right except for one
 * move. */
static void compare_lists(const char *name, bool checks, const char *wrong)
{
	char path[512], text[512], list[8192];
	unsigned positions = 0, extra = 0;
	snprintf(path, sizeof path, "%s/shogi/%s", TEST_DATA, name);
	FILE *file = fopen(path, "r");
	ck_assert_msg(file, "no file %s", path);
	while (fgets(text, sizeof text - 10, file) && fgets(list, sizeof list, file)) {
		text[strcspn(text, "\n")] = 0;
		list[strcspn(list, "\n")] = ' ';
		if (!checks)
			strcat(text, strchr(text, ' ')[1] == 'b' ? " first=w" : " first=b");
		struct walk_state s = parse_position(game, text);
		unsigned listed = 0, expected = (unsigned)strtoul(list, NULL, 10);
		game_move moves[SHOGI_MOVES_MAX];
		unsigned count = game->rules->moves(game, s.bytes, moves);
		for (unsigned i = 0; i < count; i++) {
			char move[16];
			move[0] = ' ';
			game->rules->move_print(game, s.bytes, moves[i], move + 1, sizeof move - 2);
			strcat(move, " ");
			if (is_left_out((const struct shogi_state *)s.bytes, moves[i]))
				continue;
			ck_assert_msg(strstr(list, move), "%s: %s is not listed", text, move);
			listed++;
		}
		if (listed + 1 == expected && strstr(list, wrong)) {
			extra++;
			expected--;
		}
		ck_assert_msg(listed == expected, "%s: %u moves, not %u", text, listed, expected);
		positions++;
	}
	fclose(file);
	ck_assert_uint_eq(positions, 250);
	ck_assert_uint_eq(extra, 1);
}

START_TEST(moves_are_those_of_another_program)
{
	compare_lists("legal-move.txt", false, " P*5f ");
	compare_lists("legal-check.txt", true, " P*8g ");
}
END_TEST

/* Positions and moves, of which one is legal where `legal`. */
static const struct {
	const char *position, *move;
	bool legal;
} rules[] = {
	/* the pawn mates, since the gold guards it; without the gold the king takes it */
	{"6nkl/6s2/7G1/9/9/9/9/9/9 b P", "P*2b", false},
	{"6nkl/6s2/9/9/9/9/9/9/9 b P", "P*2b", true},
	/* a second pawn in the file */
	{"4k4/9/9/9/9/9/9/4P4/9 b P", "P*5b", false},
	{"4k4/9/9/9/9/9/9/4+P4/9 b P", "P*5b", true},
	/* no check; a check by a piece that steps out of a line, and not if it stays on it */
	{"4k4/9/9/9/4S4/9/9/4R4/9 b -", "5h5f", false},
	{"4k4/9/9/9/4S4/9/9/4R4/9 b -", "5e4d", true},
	{"4k4/9/9/9/4S4/9/9/4R4/9 b -", "5e5d", false},
	/* pieces that would never move again */
	{"9/9/4k4/9/9/9/9/9/9 b N", "N*5b", false},
	{"3k5/4P4/9/9/9/9/9/9/9 b -", "5b5a", false},
	{"3k5/4P4/9/9/9/9/9/9/9 b -", "5b5a+", true},
	{"9/3k5/9/4P4/9/9/9/9/9 b L", "L*6i", true},
	/* the attacker's own king is pinned to, or in check and the check answers it */
	{"3k5/9/K2G1r3/9/9/9/9/9/9 b -", "6c6b", false},
	{"3k5/9/K2G5/9/9/9/9/9/9 b -", "6c6b", true},
	{"3k5/9/3P5/9/9/4r4/4K4/9/9 b G", "G*6b", false},
	/* the defender may drop what the attacker does not hold */
	{"R3k4/9/9/9/9/9/9/9/9 w - first=b", "L*6a", true},
	{"R3k4/9/9/9/9/9/9/9/9 w - first=b", "P*6b", false},
	/* CSA and KIF */
	{"4k4/9/4P4/9/9/9/9/9/9 b G", "+0052KI", true},
	{"4k4/9/4P4/9/9/9/9/9/9 b G", "５二金打", true},
	{"3k5/4P4/9/9/9/9/9/9/9 b -", "5251TO", true},
	{"3k5/4P4/9/9/9/9/9/9/9 b -", "５一歩成(52)", true},
	{"3k5/4P4/9/9/9/9/9/9/9 b -", "５一歩(52)", false},
	{"3k5/9/K2G5/9/9/9/9/9/9 b -", "６二金(63)", true},
	{"3k5/9/K2G5/9/9/9/9/9/9 b -", "同　金(63)", false},
	{"4k4/9/9/9/9/9/9/5+R3/9 b -", "５八龍(48)", true},
	{"4k4/9/9/9/9/9/9/5+R3/9 b -", "５八竜(48)", true},
	{"R3k4/9/9/9/9/9/9/9/9 w - first=b", "５二王(51)", true},
	{"R3k4/9/9/9/9/9/9/9/9 w - first=b", "-5152OU", true},
	/* the sign of the other side */
	{"R3k4/9/9/9/9/9/9/9/9 w - first=b", "+5152OU", false},
	{"4k4/9/4P4/9/9/9/9/9/9 b G", "-0052KI", false},
	{"9/9/9/9/9/9/4p4/9/4K4 w g", "-0058KI", true},
	{"9/9/9/9/9/9/4p4/9/4K4 w g", "+0058KI", false},
	/* White as the attacker: squares keep their names */
	{"9/9/9/9/9/9/9/9/4K4 w g", "G*5h", true},
};

START_TEST(rules_of_single_moves)
{
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
		game_move move;
		struct pd_fail fail;
		struct walk_state s = parse_position(game, rules[i].position);
		int rc = game->rules->move_parse(game, s.bytes, rules[i].move, &move, &fail);
		ck_assert_msg((rc == PD_OK) == rules[i].legal, "%s: %s", rules[i].position, rules[i].move);
	}
}
END_TEST

/* Positions that are over: their values. */
START_TEST(ends_have_their_values)
{
	static const struct {
		const char *position;
		int value;
	} ends[] = {
		{"4k4/4G4/4P4/9/9/9/9/9/9 w - first=b", 1},             /* mate */
		{"4k4/9/3RGR3/9/9/9/9/9/9 w 18P4L4N4S3G2B first=b", 1}, /* no move */
		{"4k4/9/9/9/9/9/9/9/9 b -", 0},                         /* no check */
	};
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
		int value = -9;
		struct walk_state s = parse_position(game, ends[i].position);
		ck_assert(game->rules->terminal(game, s.bytes, &value));
		ck_assert_int_eq(value, ends[i].value);
	}
}
END_TEST

/* Turned round and mirrored, a position is the same one. */
START_TEST(images_have_one_key)
{
	static const char *const same[] = {
		"6nkl/6s2/7G1/9/9/9/9/9/9 b P",
		"lkn6/2s6/1G7/9/9/9/9/9/9 b P",
		"9/9/9/9/9/9/1g7/2S6/LKN6 w p",
		"9/9/9/9/9/9/7g1/6S2/6NKL w p",
	};
	uint8_t key[GAME_KEY_MAX], other[GAME_KEY_MAX];
	struct walk_state s = parse_position(game, same[0]);
	size_t size = game->rules->key(game, s.bytes, key);
	for (unsigned i = 1; i < 4; i++) {
		struct walk_state t = parse_position(game, same[i]);
		ck_assert_uint_eq(game->rules->key(game, t.bytes, other), size);
		ck_assert_mem_eq(key, other, size);
	}
}
END_TEST

/* A check to a square that the defender attacks as often costs, and no other move. */
START_TEST(sacrifices_cost)
{
	static const struct {
		const char *position, *move;
		unsigned cost;
	} checks[] = {
		{"4k4/9/4P4/9/9/9/9/9/9 b G", "G*5b", 0},        {"4k4/9/4P4/9/9/9/9/9/9 b G", "G*4b", 2},
		{"4k4/4p4/9/9/9/9/9/4R4/9 b -", "5h5b+", 2},     {"4k4/4s4/9/9/9/9/9/4R4/9 b -", "5h5b+", 0},
		{"4k4/4p4/9/9/9/9/4L4/4R4/9 b -", "5g5b+", 2},   {"4k4/4p4/9/3N5/9/9/9/4R4/9 b -", "5h5b+", 0},
		{"4k4/4p4/9/4N4/9/9/9/4R4/9 b N", "N*4c", 0},    {"4k4/4p4/4P4/9/9/9/9/9/9 b -", "5c5b+", 2},
		{"R3k4/9/9/9/9/9/9/9/9 w - first=b", "L*6a", 0},
	};
	for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
		game_move move;
		uint16_t costs[1][2];
		struct pd_fail fail = {0};
		struct walk_state s = parse_position(game, checks[i].position);
		ck_assert_msg(!game->rules->move_parse(game, s.bytes, checks[i].move, &move, &fail), "%s", fail.text);
		game->rules->edge_costs(game, s.bytes, 1, &move, 1, costs);
		ck_assert_msg(costs[0][0] == checks[i].cost && !costs[0][1], "%s: %s", checks[i].position,
			      checks[i].move);
	}
}
END_TEST

START_TEST(positions_that_are_refused)
{
	static const char *const refused[] = {
		"4k4/9/9/9/9/9/9/9/9 b P2p",                                /* some of the rest */
		"4k4/9/9/9/9/9/9/9/9 b 3R",    "9/9/9/9/9/9/9/9/9 b R",     /* a third rook; no king */
		"4k4/4P4/4P4/9/9/9/9/9/9 w -",                              /* two pawns in a file */
		"P3k4/9/9/9/9/9/9/9/9 b -",    "4k4/9/9/9/4R4/9/9/9/9 b -", /* a dead pawn; in check, not to move */
		"4k4/9/9/9/9/9/9/9 b -",       "4k4/9/9/9/9/9/9/9/9",       "4k4/9/9/9/9/9/9/9/91 b -",
		"4k4/9/9/9/9/9/9/9/+K8 b -",   "4k4/9/9/9/9/9/9/9/9 b PP",  "4k4/9/9/9/9/9/9/9/9 b 0P",
		"4k4/9/9/9/9/9/9/9/9 b - 1 2",
	};
	for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct pd_fail fail = {0};
		struct walk_state s;
		ck_assert_msg(game->rules->parse(game, refused[i], s.bytes, &fail) == PD_E_POSITION, "%s", refused[i]);
		ck_assert_str_eq(fail.field, "position");
	}
}
END_TEST

static void open_tsume(void)
{
	game = open_game("tsume");
}

static void close_tsume(void)
{
	game_close(game);
}

SUITE(tsume)
{
	tcase_add_checked_fixture(c, open_tsume, close_tsume);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, shogi_has_as_many_lines_as_published);
	tcase_add_test(c, moves_are_those_of_another_program);
	tcase_add_test(c, rules_of_single_moves);
	tcase_add_test(c, ends_have_their_values);
	tcase_add_test(c, images_have_one_key);
	tcase_add_test(c, sacrifices_cost);
	tcase_add_test(c, positions_that_are_refused);
}
