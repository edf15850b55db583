/* Antichess: each rule in positions made for it, counts that another generator confirms, keys and texts to the letter.
 */
#include "solver/games/board_picture.h"
#include "tests/games/chesstest.h"

static uint64_t base_seed;

/* The first is known from many programs; the others were made for this test and counted with fairy-stockfish 11.1. */
static const struct counted counted[] = {
	{"", 5, {20, 400, 8067, 153299, 2732672}},
	{"8/1P6/8/8/8/8/6p1/8 w - -", 5, {5, 25, 250, 2112, 25573}},
	{"8/8/8/8/1pPp4/8/8/K6k b - c3", 5, {2, 6, 22, 88, 502}},
	{"rnb1kbnr/pp1ppppp/8/2pP4/8/8/PPP1PPPP/RNBQKBNR w - c6", 5, {1, 3, 34, 591, 10409}},
	{"4k3/P6P/8/2KKK3/8/3kk3/p6p/4K3 w - -", 5, {35, 714, 12836, 180367, 3204789}},
	{"r1b1k1nr/p1pp1p1p/8/1p2p3/8/4P3/PP3PPP/RNBK2NR w - -", 5, {22, 420, 7857, 133977, 2390197}},
	{"8/8/3q4/8/2B2N2/8/5R2/8 b - -", 4, {1, 1, 0, 0}},
};

START_TEST(counts_are_the_published_and_the_confirmed_ones)
{
	struct game *game = open_game("antichess"), *fewer = open_game("antichess:stalemate=fewer");
	check_counts(game, &counted[_i]);
	check_counts(fewer, &counted[_i]);
	game_close(game);
	game_close(fewer);
}
END_TEST

START_TEST(who_can_capture_must)
{
	struct game *game = open_game("antichess");
	check_moves(game, "rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - -", "f1b5");
	check_moves(game, "8/8/8/3p4/4P3/8/8/R6r w - -", "a1h1 e4d5");
	check_moves(game, "8/8/8/8/3N4/8/2p1p3/8 w - -", "d4c2 d4e2");
	check_moves(game, "8/8/8/8/8/1k6/PK6/8 b - -", "b3a2 b3b2");
	check_moves(game, "8/8/8/8/8/p7/8/2B5 w - -", "c1a3");
	check_moves(game, "8/8/8/8/8/p7/1P6/2B5 w - -", "b2a3"); /* the bishop's way is barred */
	check_moves(game, "8/8/8/8/8/p7/8/1B6 w - -", "b1a2 b1c2 b1d3 b1e4 b1f5 b1g6 b1h7");
	game_close(game);
}
END_TEST

START_TEST(a_capture_en_passant_must_be_made)
{
	struct game *game = open_game("antichess");
	check_moves(game, "8/8/8/8/1pPp4/8/8/K6k b - c3", "b4c3 d4c3");
	check_moves(game, "8/8/8/8/1pPp4/8/8/K6k b - -", "b4b3 d4d3 h1g1 h1g2 h1h2");
	check_moves(game, "8/8/8/pP6/8/8/8/7R w - a6", "b5a6");
	check_moves(game, "8/8/8/Pp5p/8/8/8/7R w - b6", "a5b6 h1h5");
	/* The pawn on the other edge has no neighbour. */
	check_moves(game, "8/8/8/p6P/8/8/8/8 w - a6", "h5h6");
	struct walk_state s = parse_position(game, "8/2p5/8/3P4/8/8/8/8 b - -");
	play_text(game, &s, "c7c5");
	check_text(game, &s, "8/8/8/2pP4/8/8/8/8 w - c6");
	play_text(game, &s, "d5c6");
	check_text(game, &s, "8/8/2P5/8/8/8/8/8 b - -");
	s = parse_position(game, "8/2p5/8/4P3/8/8/8/8 b - -");
	play_text(game, &s, "c7c5");
	check_text(game, &s, "8/8/8/2p1P3/8/8/8/8 w - -");
	/* It can be done at once or not at all. */
	s = parse_position(game, "8/8/8/2pP3p/7R/8/8/8 w - c6");
	play_text(game, &s, "h4h5");
	check_text(game, &s, "8/8/8/2pP3R/8/8/8/8 b - -");
	play_text(game, &s, "c5c4");
	ck_assert(!is_legal(game, &s, "d5c6"));
	game_close(game);
}
END_TEST

START_TEST(a_pawn_becomes_any_man_but_a_pawn)
{
	struct game *game = open_game("antichess");
	check_moves(game, "8/1P6/8/8/8/8/7p/8 w - -", "b7b8b b7b8k b7b8n b7b8q b7b8r");
	check_moves(game, "2n5/1P6/8/8/8/8/8/8 w - -", "b7c8b b7c8k b7c8n b7c8q b7c8r");
	check_moves(game, "8/8/8/8/8/8/p6P/1N6 b - -", "a2b1b a2b1k a2b1n a2b1q a2b1r");
	struct walk_state s = parse_position(game, "8/8/8/8/8/8/p6P/8 b - -");
	play_text(game, &s, "a2a1k");
	check_text(game, &s, "8/8/8/8/8/8/7P/k7 w - -");
	ck_assert(!is_legal(game, &s, "h2h3q"));
	game_close(game);
}
END_TEST

START_TEST(a_king_is_a_man_like_others)
{
	struct game *game = open_game("antichess");
	/* It may step into attack, be left there, be taken, be many; it does not castle. */
	check_moves(game, "8/8/8/8/8/2r5/8/K7 w - -", "a1a2 a1b1 a1b2");
	check_moves(game, "8/8/8/8/8/8/1K6/r1K4r w - -", "b2a1");
	check_moves(game, "8/8/8/k7/8/8/8/R7 b - -", "a5a4 a5a6 a5b4 a5b5 a5b6");
	struct walk_state s = parse_position(game, "r3k2r/8/8/8/8/8/8/4K2R w KQkq -");
	check_text(game, &s, "r3k2r/8/8/8/8/8/8/4K2R w - -");
	ck_assert(!is_legal(game, &s, "e1g1"));
	ck_assert(!is_legal(game, &s, "O-O"));
	play_text(game, &s, "h1h8");
	play_text(game, &s, "a8a1");
	play_text(game, &s, "h8e8");
	check_text(game, &s, "4R3/8/8/8/8/8/8/r3K3 b - -");
	game_close(game);
}
END_TEST

static const struct {
	const char *text;
	int wins, fewer; /* the values with stalemate=wins and stalemate=fewer */
} ends[] = {
	{"8/8/8/8/8/8/8/K7 b - -", -1, -1},
	{"8/8/8/8/8/8/8/k7 w - -", 1, 1},
	{"8/8/8/8/8/8/8/K7 w - -", -1, -1},
	{"8/8/8/8/8/8/8/k7 b - -", 1, 1},
	{"8/8/8/8/8/8/8/8 w - -", 1, 1},
	{"8/8/8/8/8/8/8/8 b - -", -1, -1},
	/* Pawns that stand before each other. */
	{"8/8/8/p7/P7/8/8/8 w - -", 1, 0},
	{"8/8/8/p7/P7/8/8/8 b - -", -1, 0},
	{"8/8/8/p6p/P7/8/8/8 w - -", 1, 1},
	{"8/8/8/p7/P7/P7/8/8 w - -", 1, -1},
	{"8/8/8/p7/P7/P7/8/8 b - -", -1, -1},
	{"8/8/p7/p7/P7/8/8/8 b - -", -1, 1},
	/* One pawn of several can step, or capture. */
	{"8/8/8/8/p1p5/P1P5/2p5/8 b - -", OPEN, OPEN},
	{"8/8/8/8/8/pp6/PP6/KB6 w - -", OPEN, OPEN},
	/* Men shut in by their own and by pawns that cannot be captured. */
	{"8/8/8/8/1p6/1P6/P1P5/B7 b - -", -1, -1},
	{"8/8/8/8/8/p1p1p3/P1P1P3/KBN5 w - -", OPEN, OPEN},
	/* A man of each kind, and pawns that are stuck. */
	{"8/8/8/p7/P7/8/8/B7 w - -", OPEN, OPEN},
	{"8/8/8/p7/P7/8/8/R7 w - -", OPEN, OPEN},
	{"8/8/8/p7/P7/8/8/Q7 w - -", OPEN, OPEN},
	{"8/8/8/p7/P7/8/8/K7 w - -", OPEN, OPEN},
	{"8/8/8/p7/P7/8/8/N7 w - -", OPEN, OPEN},
	{"8/8/8/pP6/P7/8/8/8 b - -", -1, -1},
	{"8/8/8/p1p5/P1P5/8/8/8 b - -", -1, 0},
	{"", OPEN, OPEN},
};

START_TEST(the_game_ends_as_the_options_say)
{
	struct game *game = open_game("antichess"), *fewer = open_game("antichess:stalemate=fewer");
	check_end(game, ends[_i].text, ends[_i].wins);
	check_end(fewer, ends[_i].text, ends[_i].fewer);
	game_close(game);
	game_close(fewer);
}
END_TEST

static const struct {
	const char *text, *because;
} bad[] = {
	{"x", "at index 0"},
	{"9/8/8/8/8/8/8/8 w - -", "at index 0"},
	{"88/8/8/8/8/8/8/8 w - -", "at index 1"},
	{"7/8/8/8/8/8/8/8 w - -", "the row is shorter"},
	{"8/8/8/8/8/8/8 w - -", "at index 13"},
	{"8/8/8/8/8/8/8/8/8 w - -", "no more rows"},
	{"8/8/8/8/8/8/8/8", "side to move"},
	{"8/8/8/8/8/8/8/7. w - -", "a row is made of"},
	{"8/8/8/8/8/8/8/K7", "side to move"},
	{"8/8/8/8/8/8/8/K7 ", "side to move"},
	{"8/8/8/8/8/8/8/K7 w", "side to move"},
	{"8/8/8/8/8/8/8/K7 W - -", "side to move"},
	{"8/8/8/8/8/8/8/K7 w ", "castling rights"},
	{"8/8/8/8/8/8/8/K7 w  -", "castling rights"},
	{"8/8/8/8/8/8/8/K7 w x -", "castling rights"},
	{"8/8/8/8/8/8/8/K7 w KK -", "twice"},
	{"8/8/8/8/8/8/8/K7 w -", "castling rights"},
	{"8/8/8/8/8/8/8/K7 w - ", "en-passant"},
	{"8/8/8/8/8/8/8/K7 w - e3", "sixth row"},
	{"8/8/8/8/8/8/8/K7 b - e6", "third row"},
	{"8/8/8/8/8/8/8/K7 w - e6", "no pawn can just have passed"},
	{"8/8/4N3/3Pp3/8/8/8/K7 w - e6", "no pawn can just have passed"},
	{"8/4n3/8/3Pp3/8/8/8/K7 w - e6", "no pawn can just have passed"},
	{"8/8/8/3PP3/8/8/8/K7 w - e6", "no pawn can just have passed"},
	{"P7/8/8/8/8/8/8/k7 w - -", "a pawn stands on"},
	{"K7/8/8/8/8/8/8/p7 w - -", "a pawn stands on"},
	{"8/8/8/8/8/8/8/Kk6 w - - x", "no more"},
	{"8/8/8/8/8/8/8/Kk6 w - - 0 1 2", "no more"},
	{"8/8/8/8/8/8/8/Kk6 w - - 0 1 ", "no more"},
	{"8/8/8/8/8/8/8/Kk6 w - - first=w", "no more"},
	{"8/8/8/8/8/8/8/Kk6 w - - 12345678901", "nine digits"},
};

START_TEST(a_bad_position_is_refused_with_the_reason)
{
	struct game *game = open_game("antichess");
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
		check_refused(game, bad[i].text, bad[i].because);
	game_close(game);
}
END_TEST

START_TEST(counters_and_rights_are_no_part_of_a_position)
{
	static const char *const same[] = {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -",
					   "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
					   "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w Kq - 17",
					   "rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w - - 99 100"};
	struct game *game = open_game("antichess");
	for (unsigned i = 0; i < sizeof same / sizeof same[0]; i++) {
		struct walk_state s = parse_position(game, same[i]), t = parse_position(game, "");
		ck_assert(!memcmp(&s, &t, game->state_size));
		check_text(game, &s, same[0]);
	}
	game_close(game);
}
END_TEST

START_TEST(keys_are_these_bytes)
{
	struct game *game = open_game("antichess");
	check_key(game, "",
		  "0000"
		  "ffff00000000ffff"
		  "24533642"
		  "11111111"
		  "99999999"
		  "acdbbeca");
	check_key(game, "8/8/8/8/8/8/8/KQ6 b - -",
		  "01000300000000000000"
		  "56");
	check_key(game, "7k/8/8/8/8/8/8/R7 w - -",
		  "0000"
		  "0100000000000080"
		  "e4");
	check_key(game, "7k/8/8/8/8/8/8/RB6 w - -",
		  "0000"
		  "0300000000000080"
		  "340e");
	check_key(game, "8/8/8/2pP4/8/8/8/8 w - c6",
		  "0003"
		  "000000000c000000"
		  "19");
	check_key(game, "8/8/8/2pP4/8/8/8/8 w - -",
		  "0000"
		  "000000000c000000"
		  "19");
	check_key(game, "8/8/8/2p1P3/8/8/8/8 w - c6",
		  "0000"
		  "0000000014000000"
		  "19");
	check_key(game, "8/8/8/8/8/8/8/8 b - -",
		  "0100"
		  "0000000000000000");
	game_close(game);
}
END_TEST

START_TEST(bytes_that_are_no_key_are_refused)
{
	struct game *game = open_game("antichess");
	ck_assert(takes_key(game, "0003000000000c00000019"));
	ck_assert(takes_key(game, "00000300000000000000"
				  "56"));
	static const char *const no_keys[] = {
		"",
		"000003000000000000",
		"00000300000000000000",     /* too short */
		"000003000000000000005600", /* too long */
		"0000030000000000000056ff",
		"02000300000000000000"
		"56", /* a castling right */
		"20000300000000000000"
		"56", /* First */
		"80000300000000000000"
		"56",
		"00090300000000000000"
		"56", /* no file */
		"00010300000000000000"
		"56", /* nothing to capture there */
		"00000300000000000000"
		"50", /* no men, and codes of none */
		"00000300000000000000"
		"57",
		"00000300000000000000"
		"58",
		"00000300000000000000"
		"f6",
		"00000300000000000000"
		"51", /* pawns on the first and the last row */
		"00000000000000000001"
		"09",
		"00000100000000000000"
		"16",                     /* the nibble behind the last */
		"0103000000000c00000019", /* the other side is to move */
		"0004000000000c00000019", /* the other pawn */
	};
	for (unsigned i = 0; i < sizeof no_keys / sizeof no_keys[0]; i++)
		ck_assert_msg(!takes_key(game, no_keys[i]), "%s", no_keys[i]);
	game_close(game);
}
END_TEST

START_TEST(moves_are_read_in_both_notations)
{
	static const struct {
		const char *position, *text, *move; /* NULL: refused */
	} rows[] = {
		{"", "e3", "e2e3"},
		{"", "Nf3", "g1f3"},
		{"", "g1f3", "g1f3"},
		{"", "G1f3", NULL},
		{"", "e5", NULL},
		{"", "", NULL},
		{"", "e2e3q", NULL},
		{"", "e2-e3", "e2e3"},
		{"", "e2-", NULL},
		{"", "e-e3", NULL},
		{"rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - -", "Bxb5", "f1b5"},
		{"rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - -", "e4", NULL},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b8=K", "b7b8k"},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b8Q", "b7b8q"},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b7b8n", "b7b8n"},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b8", NULL},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b8=", NULL},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b8=P", NULL},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b7b8", NULL},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b7b8p", NULL},
		{"8/1P6/8/8/8/8/7p/8 w - -", "b7b8Q", "b7b8q"},
		{"8/8/8/8/8/8/7p/K2K4 w - -", "Kb2", "a1b2"},
		{"8/8/8/8/8/8/7p/K1K5 w - -", "Kb2", NULL},
		{"8/8/8/8/8/8/7p/K1K5 w - -", "Kab2", "a1b2"},
	};
	struct game *game = open_game("antichess");
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_move_read(game, rows[i].position, rows[i].text, rows[i].move);
	struct walk_state s = parse_position(game, "8/1P6/8/8/8/8/7p/8 w - -");
	game_move move;
	ck_assert_int_eq(game->rules->move_parse(game, &s, "b7b8k", &move, NULL), PD_OK);
	ck_assert_uint_eq(move, 49 | 57 << 6 | 6 << 12);
	game_close(game);
}
END_TEST

/* What is counted is what is listed, here and one ply on. */
static void check_counting(const struct game *game, const void *state)
{
	static game_move moves[1024], there[1024];
	static uint16_t replies[1024];
	unsigned count = game->rules->moves(game, state, moves);
	ck_assert_uint_eq(game->rules->count(game, state), count);
	game->rules->replies(game, state, moves, count, replies);
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child;
		memcpy(&child, state, game->state_size);
		game->rules->play(game, &child, moves[i]);
		ck_assert_uint_eq(replies[i], game->rules->moves(game, &child, there));
	}
}

START_TEST(counting_is_what_listing_gives)
{
	struct game *game = open_game("antichess");
	uint64_t seed = base_seed;
	for (unsigned i = 0; i < 3000; i++) {
		struct walk_state s;
		walk_from_start(game, &s, 100, &seed);
		check_counting(game, &s);
		char text[128];
		random_board(&seed, false, text);
		s = parse_position(game, text);
		check_counting(game, &s);
		int value;
		game_move moves[1024];
		ck_assert(game->rules->terminal(game, &s, &value) == !game->rules->moves(game, &s, moves));
	}
	game_close(game);
}
END_TEST

START_TEST(a_picture_shows_the_board)
{
	struct game *game = open_game("antichess");
	struct walk_state s = parse_position(game, "7k/8/8/2pP4/8/8/8/R7 b - -");
	char text[GAME_TEXT_MAX];
	game_picture(game, &s, text, sizeof text);
	ck_assert_str_eq(text, "8 . . . . . . . k\n7 . . . . . . . .\n6 . . . . . . . .\n5 . . p P . . . .\n"
			       "4 . . . . . . . .\n3 . . . . . . . .\n2 . . . . . . . .\n1 R . . . . . . .\n"
			       "  a b c d e f g h\nBlack to move\n");
	game_close(game);
}
END_TEST

SUITE(antichess)
{
	base_seed = walk_seed("games.antichess", 12);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, counts_are_the_published_and_the_confirmed_ones, 0,
			    (int)(sizeof counted / sizeof counted[0]));
	tcase_add_test(c, who_can_capture_must);
	tcase_add_test(c, a_capture_en_passant_must_be_made);
	tcase_add_test(c, a_pawn_becomes_any_man_but_a_pawn);
	tcase_add_test(c, a_king_is_a_man_like_others);
	tcase_add_loop_test(c, the_game_ends_as_the_options_say, 0, (int)(sizeof ends / sizeof ends[0]));
	tcase_add_test(c, a_bad_position_is_refused_with_the_reason);
	tcase_add_test(c, counters_and_rights_are_no_part_of_a_position);
	tcase_add_test(c, keys_are_these_bytes);
	tcase_add_test(c, bytes_that_are_no_key_are_refused);
	tcase_add_test(c, moves_are_read_in_both_notations);
	tcase_add_test(c, counting_is_what_listing_gives);
	tcase_add_test(c, a_picture_shows_the_board);
}
