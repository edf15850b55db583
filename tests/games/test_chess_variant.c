/* Chess variants: each rule in positions made for it, keys and texts to the letter, counts of another generator. */
#include "tests/games/chesstest.h"
#include "tests/support/effort.h"

static const char *const names[] = {"chess-variant:crazyhouse",  "chess-variant:3check", "chess-variant:kingofthehill",
				    "chess-variant:racingkings", "chess-variant:horde",  "chess-variant:atomic"};
enum { ZH, CHECKS, HILL, RACE, HORDE, ATOMIC, VARIANTS };

/* A game that goes from a position by moves to another one, and the value there. */
static const struct course {
	unsigned variant;
	const char *from, *moves, *to;
	int value;
} courses[] = {
	/* Men taken change sides and come back; promoted ones as pawns. */
	{ZH, "4k3/8/8/3p4/4P3/8/8/4K3[] w - -", "e4d5", "4k3/8/8/3P4/8/8/8/4K3[P] b - - first=w", OPEN},
	{ZH, "4k3/8/8/8/8/8/5n2/4K2R[Pq] w - -", "e1f2 Q@d4", "4k3/8/8/8/3q4/8/5K2/7R[NP] w - -", OPEN},
	{ZH, "1r2k3/P7/8/8/8/8/8/4K3[] w - -", "a7b8q e8d7", "1Q~6/3k4/8/8/8/8/8/4K3[R] w - -", OPEN},
	{ZH, "1Q~6/r7/4k3/8/8/8/8/4K3[] b - -", "a7a8 b8a8", "Q~7/8/4k3/8/8/8/8/4K3[R] b - -", OPEN},
	{ZH, "1Q~r1k3/8/8/8/8/8/8/4K3[] b - -", "c8b8", "1r2k3/8/8/8/8/8/8/4K3[p] w - - first=b", OPEN},
	{ZH, "4k3/8/8/3pP3/8/8/8/4K3[] w - d6", "e5d6", "4k3/8/3P4/8/8/8/8/4K3[P] b - - first=w", OPEN},
	/* A drop gives mate, and ends a check. */
	{ZH, "k7/8/1K6/8/8/8/8/8[R] w - -", "R@h8", "k6R/8/1K6/8/8/8/8/8[] b - - first=w", 1},
	{ZH, "k7/8/1K6/8/8/8/8/8[Rp] w - -", "R@h8", "k6R/8/1K6/8/8/8/8/8[p] b - - first=w", 1},
	{ZH, "k7/8/1K6/8/8/8/8/8[Rn] w - -", "R@h8 N@b8", "kn5R/8/1K6/8/8/8/8/8[] w - -", OPEN},
	/* The third check wins, also when it could be answered; a double check counts once. */
	{CHECKS, "4k3/8/8/8/8/8/8/R3K3 w - - 1+3", "a1a8", "R3k3/8/8/8/8/8/8/4K3 b - - 0+3 first=w", 1},
	{CHECKS, "4k3/8/8/8/8/8/8/R3K3 w - - 3+3", "a1a8", "R3k3/8/8/8/8/8/8/4K3 b - - 2+3 first=w", OPEN},
	{CHECKS, "4k3/8/8/8/4N3/8/4R3/4K3 w - - 2+3", "e4d6", "4k3/8/3N4/8/8/8/4R3/4K3 b - - 1+3 first=w", OPEN},
	{CHECKS, "4k3/8/8/8/8/8/8/r3K3 w - - 3+3 first=b", "e1e2", "4k3/8/8/8/8/8/4K3/r7 b - - 3+3", OPEN},
	{CHECKS, "r3k3/8/8/8/8/8/8/4K3 b - - 3+1 first=w", "a8a1", "4k3/8/8/8/8/8/8/r3K3 w - - 3+0", 0},
	{HILL, "4k3/8/8/8/8/4K3/8/8 w - -", "e3e4", "4k3/8/8/8/4K3/8/8/8 b - - first=w", 1},
	{HILL, "8/8/4k3/8/8/8/8/K7 b - - first=w", "e6e5", "8/8/8/4k3/8/8/8/K7 w - -", 0},
	/* White arrives: over unless Black can follow at once, and then no win. */
	{RACE, "8/K7/8/7k/8/8/8/8 w - -", "a7a8", "K7/8/8/7k/8/8/8/8 b - - first=w", 1},
	{RACE, "8/K6k/8/8/8/8/8/8 w - -", "a7a8 h7h8", "K6k/8/8/8/8/8/8/8 w - -", 0},
	{RACE, "8/K6k/8/8/8/8/8/8 w - -", "a7a8 h7h6", "K7/8/7k/8/8/8/8/8 w - -", 1},
	{RACE, "8/K6k/8/8/8/8/8/8 b - -", "h7h8", "7k/K7/8/8/8/8/8/8 w - - first=b", 1},
	/* The horde: two squares from its first row, never taken en passant; Black takes all, White mates. */
	{HORDE, "4k3/8/8/8/8/1p6/8/P7 w - -", "a1a3", "4k3/8/8/8/8/Pp6/8/8 b - - first=w", OPEN},
	{HORDE, "4k3/8/8/8/r7/8/8/P7 b - -", "a4a1", "4k3/8/8/8/8/8/8/r7 w - - first=b", 1},
	{HORDE, "7k/5Q2/7P/8/8/8/8/8 w - -", "f7g7", "7k/6Q1/7P/8/8/8/8/8 b - - first=w", 1},
	/* Explosions: all around but pawns, castling rights too; a king wins though its own is in check. */
	{ATOMIC, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "a1a8", "4k2r/8/8/8/8/8/8/4K2R b Kk - first=w", OPEN},
	{ATOMIC, "4k3/8/2nbp3/3p4/4P3/8/8/4K3 w - -", "e4d5", "4k3/8/4p3/8/8/8/8/4K3 b - - first=w", OPEN},
	{ATOMIC, "4k3/8/2b5/2NpP3/8/8/8/4K3 w - d6", "e5d6", "4k3/8/8/8/8/8/8/4K3 b - - first=w", OPEN},
	{ATOMIC, "4k3/3p4/8/8/8/8/4r3/3RK3 w - -", "d1d7", "8/8/8/8/8/8/4r3/4K3 b - - first=w", 1},
	{ATOMIC, "8/8/8/8/4r3/4k3/4K3/8 b - -", "e4a4", "8/8/8/8/r7/4k3/4K3/8 w - - first=b", OPEN},
};
enum { COURSES = sizeof courses / sizeof *courses };

START_TEST(games_take_their_course)
{
	const struct course *c = &courses[_i];
	struct game *game = open_game(names[c->variant]);
	struct walk_state s = parse_position(game, c->from);
	char moves[64], *rest = moves;
	int value = OPEN;
	snprintf(moves, sizeof moves, "%s", c->moves);
	for (char *move = strtok_r(rest, " ", &rest); move; move = strtok_r(NULL, " ", &rest))
		play_text(game, &s, move);
	check_text(game, &s, c->to);
	game->rules->terminal(game, &s, &value);
	ck_assert_msg(value == c->value, "%s: %d", c->to, value);
	game_close(game);
}
END_TEST

START_TEST(moves_are_legal_or_not)
{
	static const struct {
		unsigned variant;
		const char *text, *move;
		bool legal;
	} rows[] = {
		{ZH, "4k3/8/8/8/8/8/8/4K3[P] w - -", "P@a2", true},
		{ZH, "4k3/8/8/8/8/8/8/4K3[P] w - -", "@a2", true},
		{ZH, "4k3/8/8/8/8/8/8/4K3[P] w - -", "P@a1", false},
		{ZH, "4k3/8/8/8/8/8/8/4K3[P] w - -", "P@a8", false},
		{ZH, "4k3/8/8/8/8/8/8/4K3[P] w - -", "P@e1", false},
		{ZH, "4k3/8/8/8/8/8/8/4K3[n] w - -", "N@a2", false},
		{ZH, "4k3/8/8/8/8/8/8/r3K3[N] w - -", "N@h8", false},
		{ZH, "4k3/8/8/8/8/8/8/r3K3[N] w - -", "N@c1", true},
		{ZH, "4k3/8/8/8/8/3n4/8/r3K3[N] w - -", "N@c1", false},
		{ZH, "4k3/8/8/8/8/8/8/4K2R[] w K -", "O-O", true},
		{RACE, "8/8/8/8/8/k7/8/1R4K1 w - -", "b1a1", false},
		{RACE, "8/8/8/8/8/k7/8/1R4K1 w - -", "b1b8", true},
		{HORDE, "4k3/8/8/8/8/8/P7/P7 w - -", "a1a3", false},
		{HORDE, "4k3/8/8/8/8/1p6/8/P7 w - -", "a1a3", true},
		{ATOMIC, "4k3/8/8/8/8/8/4p3/4K3 w - -", "e1e2", false},
		{ATOMIC, "4k3/8/8/8/8/8/3p4/3RK3 w - -", "d1d2", false},
		{ATOMIC, "8/8/8/8/8/4k3/4K3/r7 w - -", "e2d2", true},
		{ATOMIC, "8/8/8/8/8/4k3/4K3/r7 w - -", "e2e1", false},
		{ATOMIC, "8/8/8/8/8/3k4/8/rR4KR w KQ -", "O-O", true},
		{ATOMIC, "8/8/8/8/8/3k4/8/rR4KR w KQ -", "g1h1", true},
		{ATOMIC, "8/8/8/8/8/3k4/8/rR4KR w KQ -", "g1b1", false}, /* the rook has covered c1 */
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct game *game = open_game(names[rows[i].variant]);
		struct walk_state s = parse_position(game, rows[i].text);
		ck_assert_msg(is_legal(game, &s, rows[i].move) == rows[i].legal, "%s %s", rows[i].text, rows[i].move);
		game_close(game);
	}
}
END_TEST

START_TEST(positions_that_do_not_exist_are_refused)
{
	static const struct {
		unsigned variant;
		const char *text, *because;
	} rows[] = {
		{ZH, "4k3/8/8/8/8/8/8/4K3[K] w - -", "] follows"},
		{ZH, "4k3/8/8/8/8/8/8/4K3[Q w - -", "] follows"},
		{ZH, "4k3/8/8/8/8/8/8/3Q~~K3[] w - -", "a row has letters"},
		{ZH, "4k3/8/8/8/8/8/P~7/4K3[] w - -", "~ may follow only"},
		{ZH, "4k3/8/8/8/8/8/8/P3K3[] w - -", "first or the last row"},
		{ZH, "4k3/8/8/8/8/8/8/4K2R~[] w K -", "castling"},
		{ZH, "4k3/8/8/8/8/8/8/4K3[PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP] w - -",
		 "64"},
		{CHECKS, "4k3/8/8/8/8/8/8/4K3 w - - 0+3", "1 to 3"},
		{CHECKS, "4k3/8/8/8/8/8/8/4K3[] w - -", "blank"},
		{RACE, "8/8/8/8/8/P7/8/k6K w - -", "no pawns"},
		{RACE, "8/8/8/8/8/8/8/k1R4K b - -", "in check"},
		{HORDE, "4k3/8/8/8/8/8/8/4K3 w - -", "White has no king"},
		{HORDE, "4k3/8/8/8/8/8/8/p7 w - -", "first or the last row"},
		{ATOMIC, "4k3/8/8/8/8/8/8/8 b - -", "one king"},
		{ATOMIC, "4k3/8/8/8/8/8/8/4K2R w Q -", "castling"},
		{HILL, "4k3/8/8/8/8/8/8/4K3 w - - 3+3", "fields"},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct game *game = open_game(names[rows[i].variant]);
		check_refused(game, rows[i].text, rows[i].because);
		game_close(game);
	}
}
END_TEST

/* Board part first, then promoted men, then the hands; a rook that may castle is 7. */
START_TEST(keys_are_board_and_then_hands)
{
	struct game *game = open_game(names[ZH]);
	check_key(game, "4k3/8/8/8/8/8/8/Q~3K2R[PPNq] b K - first=b",
		  "2100"
		  "9100000000000010"
		  "65e7"
		  "0100000000000000"
		  "02010000000000000001");
	check_key(game, "4k3/8/8/8/8/8/8/Q~3K2R[] w - -",
		  "0000"
		  "9100000000000010"
		  "65e4"
		  "0100000000000000"
		  "00000000000000000000");
	ck_assert(!takes_key(game, "0000"
				   "9100000000000010"
				   "65e4"
				   "1000000000000000" /* a promoted king */
				   "00000000000000000000"));
	game_close(game);
	game = open_game(names[CHECKS]);
	check_key(game, "4k3/8/8/8/8/8/8/4K3 w - - 2+1",
		  "0000"
		  "1000000000000010"
		  "e6"
		  "06");
	game_close(game);
}
END_TEST

/* Other programs' ways to write the same position. */
START_TEST(texts_of_other_programs_are_read)
{
	static const struct {
		unsigned variant;
		const char *text, *same;
	} rows[] = {
		{ZH, "4k3/8/8/8/8/8/8/4K3/Qn w - - 0 1", "4k3/8/8/8/8/8/8/4K3[Qn] w - -"},
		{ZH, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3[] w - -"},
		{CHECKS, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 +2+0", "4k3/8/8/8/8/8/8/4K3 w - - 1+3"},
		{CHECKS, "4k3/8/8/8/8/8/8/4K3 w - - 1+3 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 1+3"},
		{CHECKS, "4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 3+3"},
		{ATOMIC, "4k3/8/8/8/8/8/8/1R2K1R1 w GB -", "4k3/8/8/8/8/8/8/1R2K1R1 w KQ -"},
		{ATOMIC, "4k3/8/8/8/8/8/8/RR2K3 w B -", "4k3/8/8/8/8/8/8/RR2K3 w B -"},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct game *game = open_game(names[rows[i].variant]);
		struct walk_state s = parse_position(game, rows[i].text);
		check_text(game, &s, rows[i].same);
		game_close(game);
	}
}
END_TEST

START_TEST(captures_can_be_undone_in_crazyhouse_alone)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct game *game = open_game(names[i]);
		struct walk_state s = parse_position(game, i == HORDE  ? "4k3/8/8/8/8/8/p7/1P6 w - -"
							   : i == RACE ? "8/8/8/8/8/2k5/8/nR4K1 w - -"
								       : "4k3/8/8/8/8/8/P7/1R2K3 w - -");
		game_move moves[GAME_MOVES_MAX];
		unsigned count = game->rules->moves(game, &s, moves), found = 0;
		for (unsigned m = 0; m < count; m++)
			found += game->rules->irreversible(game, &s, moves[m]);
		ck_assert_msg((found == 0) == (i == ZH), "%s: %u of %u", names[i], found, count);
		game_close(game);
	}
}
END_TEST

START_TEST(counts_of_crazyhouse_are_those_of_another_generator)
{
	struct game *game = open_game(names[ZH]);
	char line[256], text[128];
	unsigned rows = 0;
	FILE *f = fopen(TEST_DATA "/crazyhouse/perft.tsv", "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		struct counted c = {.text = text, .depth = effort_whole() ? 3 : 2};
		if (line[0] == '#' || sscanf(line, "%127[^\t]\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64, text, &c.counts[0],
					     &c.counts[1], &c.counts[2]) != 4)
			continue;
		check_counts(game, &c);
		rows++;
	}
	fclose(f);
	ck_assert_uint_ge(rows, 50);
	game_close(game);
}
END_TEST

SUITE(chess_variant)
{
	tcase_add_loop_test(c, games_take_their_course, 0, COURSES);
	tcase_add_test(c, moves_are_legal_or_not);
	tcase_add_test(c, positions_that_do_not_exist_are_refused);
	tcase_add_test(c, keys_are_board_and_then_hands);
	tcase_add_test(c, texts_of_other_programs_are_read);
	tcase_add_test(c, captures_can_be_undone_in_crazyhouse_alone);
	tcase_add_test(c, counts_of_crazyhouse_are_those_of_another_generator);
}
