/* Chess: each rule in positions made for it, counts that another generator confirms, keys and texts to the letter. */
#include "solver/games/board_picture.h"
#include "solver/games/chessboard.h"
#include "solver/question.h"
#include "tests/games/chesstest.h"

static uint64_t base_seed;

/* The first six are known from many programs; the others were made for this test, each for a rule, and counted with
 * Stockfish 15.1. */
static const struct counted counted[] = {
	{"", 5, {20, 400, 8902, 197281, 4865609}},
	{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 4, {48, 2039, 97862, 4085603}},
	{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 5, {14, 191, 2812, 43238, 674624}},
	{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", 4, {6, 264, 9467, 422333}},
	{"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, {44, 1486, 62379, 2103487}},
	{"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, {46, 2079, 89890, 3894594}},
	{"8/8/8/8/k1pP3R/8/8/4K3 b - d3", 4, {6, 95, 604, 10522}},
	{"8/8/8/2k5/3pP3/8/8/4K3 b - e3", 4, {8, 44, 362, 2305}},
	{"4k3/8/8/3pP3/8/8/4r3/K7 w - d6", 4, {3, 50, 141, 2150}},
	{"r3k2r/8/8/8/4q3/8/8/R3K2R w KQkq -", 4, {4, 204, 3696, 163887}},
	{"r3k2r/8/8/8/8/8/6p1/R3K2R w KQkq -", 4, {24, 664, 14109, 389522}},
	{"3rkr2/P1P5/8/8/8/8/1p1p4/R3K2R w KQ -", 4, {2, 60, 1694, 46765}},
	{"8/8/1k6/8/2pP4/8/5BK1/8 b - d3", 4, {8, 104, 736, 9287}},
	{"8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3", 4, {6, 121, 711, 16325}},
	{"q3k2r/8/8/3B4/8/8/8/R3K2R w KQk -", 4, {38, 868, 27255, 727972}},
};

START_TEST(counts_are_the_published_and_the_confirmed_ones)
{
	struct game *game = open_game("chess-mate");
	check_counts(game, &counted[_i]);
	game_close(game);
}
END_TEST

/* T13: the theorem speaks exactly where First has a bare king, and no game from there ends with First's mate. */
START_TEST(a_bare_king_never_mates)
{
	static const struct {
		const char *text;
		bool bare;
	} rows[] = {
		{"8/8/4k3/8/8/8/8/4K3 w - -", true},
		{"r3k2r/8/8/8/8/8/1p6/4K3 w kq -", true},
		{"r3k2r/8/8/8/8/8/1p6/4K3 b kq - first=w", true},
		{"r3k2r/8/8/8/8/8/1p6/4K3 b kq -", false},
		{"4k3/8/8/8/8/8/P7/R3K2R b KQ -", true},
		{"4k3/8/8/8/8/8/P7/4K3 w - -", false},
		{"4k3/8/8/8/8/8/8/N3K3 w - -", false},
	};
	struct game *game = open_game("chess-mate");
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned walk = 0; walk < 50; walk++) {
			uint64_t random = base_seed + walk;
			struct game_theorem t;
			struct pd_fail fail;
			struct chess_state s;
			int value = 0;
			ck_assert(!game->rules->parse(game, rows[i].text, &s, &fail));
			ck_assert(game->rules->theorem(game, &s, 1, &t, NULL) == rows[i].bare);
			for (unsigned ply = 0; rows[i].bare && ply < 200 && !game->rules->terminal(game, &s, &value);
			     ply++) {
				game_move moves[CHESS_MOVES_MAX];
				unsigned count = game->rules->moves(game, &s, moves);
				ck_assert(game->rules->theorem(game, &s, 1, &t, NULL) && !t.proved);
				ck_assert(t.number == 13 && t.plies == GAME_NO_RANK && !t.witness);
				question_shuffle_moves(&random, moves, count);
				game->rules->play(game, &s, moves[0]);
			}
			ck_assert_int_eq(value, 0);
		}
	game_close(game);
}
END_TEST

START_TEST(castling_needs_a_free_way_that_is_not_attacked)
{
	static const struct {
		const char *text;
		bool short_one, long_one;
	} rows[] = {
		{"4k3/8/8/8/8/8/8/R3K2R w KQ -", true, true},
		{"r3k2r/8/8/8/8/8/8/4K3 b kq -", true, true},
		{"4k3/8/8/8/8/8/8/R3K2R w K -", true, false},
		{"4k3/8/8/8/8/8/8/R3K2R w Q -", false, true},
		{"4k3/8/8/8/8/8/8/R3K2R w - -", false, false},
		{"r3k2r/8/8/8/8/8/8/4K3 b q -", false, true},
		{"4k3/8/8/8/8/8/8/RN2K1NR w KQ -", false, false},
		{"4k3/8/8/8/8/8/8/R1B1KB1R w KQ -", false, false},
		{"4k3/8/8/8/8/8/8/R2qK2R w KQ -", false, false}, /* in check; the queen may be taken */
		{"4k3/4r3/8/8/8/8/8/R3K2R w KQ -", false, false},
		{"4k3/5r2/8/8/8/8/8/R3K2R w KQ -", false, true},  /* over f1 */
		{"4k3/6r1/8/8/8/8/8/R3K2R w KQ -", false, true},  /* to g1 */
		{"4k3/7r/8/8/8/8/8/R3K2R w KQ -", true, true},    /* the rook may stand attacked */
		{"4k3/3r4/8/8/8/8/8/R3K2R w KQ -", true, false},  /* over d1 */
		{"4k3/2r5/8/8/8/8/8/R3K2R w KQ -", true, false},  /* to c1 */
		{"4k3/1r6/8/8/8/8/8/R3K2R w KQ -", true, true},   /* the king does not go over b1 */
		{"4k3/8/8/8/8/8/7p/R3K2R w KQ -", false, true},   /* a pawn attacks g1 */
		{"4k3/8/8/8/8/8/3p4/R3K2R w KQ -", false, false}, /* check from a pawn */
		{"4k3/8/8/8/8/5n2/8/R3K2R w KQ -", false, false}, /* check from a knight */
		{"8/8/8/8/8/8/1k6/R3K2R w KQ -", true, false},    /* a king attacks c1 */
	};
	struct game *game = open_game("chess-mate");
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct walk_state s = parse_position(game, rows[i].text);
		bool black = strstr(rows[i].text, " b ") != NULL;
		ck_assert_msg(is_legal(game, &s, black ? "e8g8" : "e1g1") == rows[i].short_one, "%s", rows[i].text);
		ck_assert_msg(is_legal(game, &s, black ? "e8c8" : "e1c1") == rows[i].long_one, "%s", rows[i].text);
		ck_assert(is_legal(game, &s, "O-O") == rows[i].short_one);
		ck_assert(is_legal(game, &s, "0-0-0+") == rows[i].long_one);
		ck_assert(!is_legal(game, &s, black ? "Kg8" : "Kg1"));
	}
	game_close(game);
}
END_TEST

START_TEST(castling_moves_both_men_and_rights_go_for_good)
{
	static const struct {
		const char *before, *move, *after;
	} rows[] = {
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - first=w"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - first=w"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "e8g8", "r4rk1/8/8/8/8/8/8/R3K2R w KQ - first=b"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "e8c8", "2kr3r/8/8/8/8/8/8/R3K2R w KQ - first=b"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - first=w"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "h1g1", "r3k2r/8/8/8/8/8/8/R3K1R1 b Qkq - first=w"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "a1a2", "r3k2r/8/8/8/8/8/R7/4K2R b Kkq - first=w"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - first=w"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "a8a1", "4k2r/8/8/8/8/8/8/r3K2R w Kk - first=b"},
		{"4k3/8/8/8/8/8/6p1/R3K2R b KQ -", "g2h1q", "4k3/8/8/8/8/8/8/R3K2q w Q - first=b"},
		/* A king that steps from e1 without rights is no castling king, however far the rook is. */
		{"4k3/8/8/8/8/8/8/4K2R w - -", "e1f1", "4k3/8/8/8/8/8/8/5K1R b - - first=w"},
	};
	struct game *game = open_game("chess-mate");
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct walk_state s = parse_position(game, rows[i].before);
		play_text(game, &s, rows[i].move);
		check_text(game, &s, rows[i].after);
	}
	game_close(game);
}
END_TEST

START_TEST(en_passant_is_there_when_it_is_legal)
{
	static const struct {
		const char *before, *move, *passing; /* the field that follows */
	} rows[] = {
		{"4k3/8/8/8/3p4/8/4P3/4K3 w - -", "e2e4", "e3"},
		{"4k3/8/8/8/3p1p2/8/4P3/4K3 w - -", "e2e4", "e3"},
		{"4k3/8/8/8/2p5/8/4P3/4K3 w - -", "e2e4", "-"},
		{"4k3/8/8/8/3p4/8/4P3/4K3 w - -", "e2e3", "-"},
		{"4k3/8/8/8/7p/8/P7/4K3 w - -", "a2a4", "-"},
		/* Pinned on its file; pinned on a diagonal; on the diagonal of the capture it may go. */
		{"3k4/8/8/8/3p4/8/4P3/3RK3 w - -", "e2e4", "-"},
		{"8/8/1k6/8/3p4/8/4PB2/4K3 w - -", "e2e4", "e3"},
		{"8/6k1/8/8/3p4/8/1B2P3/4K3 w - -", "e2e4", "-"},
		{"8/8/8/8/5p2/7k/4P3/2B1K3 w - -", "e2e4", "e3"},
		{"8/8/7k/8/5p2/8/4P3/2B1K3 w - -", "e2e4", "e3"},
		/* Two pawns leave the row between king and rook. With a third man there nothing is wrong. */
		{"4K3/8/8/8/R2p3k/8/4P3/8 w - -", "e2e4", "-"},
		{"4K3/8/8/8/R1Np3k/8/4P3/8 w - -", "e2e4", "e3"},
		{"4K3/8/8/8/R2p1p1k/8/4P3/8 w - -", "e2e4", "e3"},
		/* The pawn gives check, and may be captured for it; another check stays. */
		{"4K3/8/8/5k2/3p4/8/4P3/8 w - -", "e2e4", "e3"},
		{"8/8/8/8/3p2k1/8/4P3/3BK3 w - -", "e2e4", "-"},
	};
	struct game *game = open_game("chess-mate");
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct walk_state s = parse_position(game, rows[i].before);
		char text[GAME_TEXT_MAX], field[8] = "";
		play_text(game, &s, rows[i].move);
		game->rules->print(game, &s, text, sizeof text);
		ck_assert_int_eq(sscanf(text, "%*s %*s %*s %7s", field), 1);
		ck_assert_msg(!strcmp(field, rows[i].passing), "%s: %s", rows[i].before, text);
		uint8_t key[GAME_KEY_MAX];
		game->rules->key(game, &s, key);
		ck_assert_uint_eq(key[1], field[0] == '-' ? 0 : field[0] - 'a' + 1);
	}
	/* Only as positions that are given: the captured pawn itself stands before a bishop. */
	struct walk_state s = parse_position(game, "4K3/7B/8/8/3pP3/8/2k5/8 b - e3");
	check_text(game, &s, "4K3/7B/8/8/3pP3/8/2k5/8 b - -");
	s = parse_position(game, "4k3/8/8/8/3pP3/8/8/4K3 b - e3");
	play_text(game, &s, "dxe3");
	check_text(game, &s, "4k3/8/8/8/8/4p3/8/4K3 w - - first=b");
	game_close(game);
}
END_TEST

START_TEST(check_pins_and_promotion_leave_these_moves)
{
	struct game *game = open_game("chess-mate");
	/* Pinned: a rook on its line, a bishop on its own, a knight not at all. */
	check_moves(game, "4k3/8/8/4r3/8/4R3/PP1P4/4K3 w - -",
		    "a2a3 a2a4 b2b3 b2b4 d2d3 d2d4 e1d1 e1e2 e1f1 e1f2 e3e2 e3e4 e3e5");
	check_moves(game, "7k/8/8/8/1b6/8/3N4/4K3 w - -", "e1d1 e1e2 e1f1 e1f2");
	check_moves(game, "7k/8/8/8/1b6/8/3B4/4K3 w - -", "d2b4 d2c3 e1d1 e1e2 e1f1 e1f2");
	check_moves(game, "7k/8/8/8/8/2b5/3P4/4K3 w - -", "d2c3 e1d1 e1e2 e1f1 e1f2");
	/* Check: take, step between, go; in double check only go. */
	check_moves(game, "4r2k/8/8/8/8/1B6/3P1P2/3RKB2 w - -", "b3e6 f1e2");
	check_moves(game, "4r2k/8/8/8/8/1B3n2/3P1P2/3RKB2 w - -", "");
	check_moves(game, "4r2k/8/8/8/8/5n2/6P1/3QK3 w - -", "e1f1 e1f2");
	/* The king may not flee along the line of the check. */
	check_moves(game, "k7/8/8/8/8/8/8/r2K4 w - -", "d1c2 d1d2 d1e2");
	check_moves(game, "8/P7/8/8/8/8/8/k1K5 w - -", "a7a8b a7a8n a7a8q a7a8r c1c2 c1d1 c1d2");
	check_moves(game, "1n5k/P7/8/8/8/8/6r1/K7 w - -", "a1b1 a7a8b a7a8n a7a8q a7a8r a7b8b a7b8n a7b8q a7b8r");
	game_close(game);
}
END_TEST

/* First is the side to move unless the text says otherwise. */
static const struct {
	const char *text;
	int value;
} ends[] = {
	{"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -", 0},
	{"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - first=w", 0},
	{"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3 first=b", 1},
	{"R6k/6pp/8/8/8/8/8/K7 b - - first=w", 1},
	{"R6k/6pp/8/8/8/8/8/K7 b - -", 0},
	{"7k/5Q2/6K1/8/8/8/8/8 b - - first=w", 0}, /* stalemate */
	{"7k/5Q2/6K1/8/8/8/8/8 b - - first=b", 0},
	{"8/8/8/8/8/5k2/5p2/5K2 w - -", 0},
	{"8/8/8/8/8/5k2/5p2/5K2 w - - first=b", 0},
	{"6rk/5Npp/8/8/8/8/8/K7 b - - first=w", 1}, /* smothered */
	{"7k/7Q/6K1/8/8/8/8/8 b - - first=w", 1},
	{"7k/7Q/5K2/8/8/8/8/8 b - - first=w", OPEN},
	{"8/8/8/8/8/8/8/K1k5 w - -", OPEN}, /* kings alone go on */
	{"8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 first=w", OPEN},
	/* The one move is a capture en passant. */
	{"8/8/8/6p1/5pPk/5P2/7K/8 b - g3 first=w", OPEN},
	{"8/8/8/6p1/5pPk/5P2/7K/8 b - - first=w", 0},
	{"", OPEN},
};

START_TEST(the_game_is_worth_one_when_first_has_mated)
{
	struct game *game = open_game("chess-mate");
	check_end(game, ends[_i].text, ends[_i].value);
	game_close(game);
}
END_TEST

START_TEST(a_position_knows_who_first_is)
{
	struct game *game = open_game("chess-mate");
	struct walk_state s = parse_position(game, "4k3/8/8/8/8/8/8/R3K3 b - -");
	ck_assert(game->rules->first_to_move(game, &s));
	check_text(game, &s, "4k3/8/8/8/8/8/8/R3K3 b - -");
	play_text(game, &s, "e8d8");
	ck_assert(!game->rules->first_to_move(game, &s));
	check_text(game, &s, "3k4/8/8/8/8/8/8/R3K3 w - - first=b");
	play_text(game, &s, "a1a2");
	ck_assert(game->rules->first_to_move(game, &s));
	check_text(game, &s, "3k4/8/8/8/8/8/R7/4K3 b - -");
	s = parse_position(game, "4k3/8/8/8/8/8/8/R3K3 b - - 3 7 first=w");
	ck_assert(!game->rules->first_to_move(game, &s));
	check_text(game, &s, "4k3/8/8/8/8/8/8/R3K3 b - - first=w");
	s = parse_position(game, "");
	ck_assert(game->rules->first_to_move(game, &s));
	check_text(game, &s, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
	game_close(game);
}
END_TEST

static const struct {
	const char *text, *because;
} bad[] = {
	{"8/8/8/8/8/8/8/8 w - -", "one king"},
	{"8/8/8/8/8/8/8/K7 w - -", "one king"},
	{"kk6/8/8/8/8/8/8/K7 w - -", "one king"},
	{"k7/8/8/8/8/8/8/R6K w - -", "is in check"},
	{"8/8/8/8/8/8/8/Kk6 w - -", "is in check"},
	{"8/8/8/8/8/k7/1P6/7K w - -", "is in check"},
	{"8/8/8/8/8/1p6/K7/7k b - -", "is in check"},
	{"k7/8/1N6/8/8/8/8/7K w - -", "is in check"},
	{"4k3/8/8/8/8/8/8/4K3 w K -", "not at home"},
	{"4k3/8/8/8/8/8/8/4K2R w KQ -", "not at home"},
	{"4k3/8/8/8/8/8/8/3K3R w K -", "not at home"},
	{"4k2R/8/8/8/8/8/8/4K3 w k -", "not at home"},
	{"4k3/8/8/8/8/8/8/4K3 w - e6", "no pawn can just have passed"},
	{"4k3/8/8/8/8/8/8/4K3 w - - first", "first=w or first=b"},
	{"4k3/8/8/8/8/8/8/4K3 w - - first=x", "first=w or first=b"},
	{"4k3/8/8/8/8/8/8/4K3 w - - first=w first=b", "first=w or first=b"},
	{"4k3/8/8/8/8/8/8/4K3 w - - first=w 0 1", "first=w or first=b"},
	{"4k3/8/8/8/8/8/8/4K3 w - -  first=w", "first=w or first=b"},
	{"4k3/8/8/8/8/8/8/4KP2 w - -", "a pawn stands on"},
	{"4k3/8/8/8/8/8/8/4K4 w - -", "at index 18"},
};

START_TEST(a_bad_position_is_refused_with_the_reason)
{
	struct game *game = open_game("chess-mate");
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
		check_refused(game, bad[i].text, bad[i].because);
	game_close(game);
}
END_TEST

START_TEST(keys_are_these_bytes)
{
	struct game *game = open_game("chess-mate");
	check_key(game, "",
		  "1e00"
		  "ffff00000000ffff"
		  "24533642"
		  "11111111"
		  "99999999"
		  "acdbbeca");
	check_key(game, "4k3/8/8/8/8/8/8/R3K2R w Q -",
		  "0400"
		  "9100000000000010"
		  "64e4");
	check_key(game, "4k2r/8/8/8/8/8/8/4K3 b k -",
		  "2900"
		  "1000000000000090"
		  "e60c");
	check_key(game, "4k3/8/8/8/8/8/8/4K3 b - - first=w",
		  "0100"
		  "1000000000000010"
		  "e6");
	check_key(game, "4k3/8/8/8/8/8/8/4K3 w - - first=b",
		  "2000"
		  "1000000000000010"
		  "e6");
	check_key(game, "4k3/8/8/8/3pP3/8/8/4K3 b - e3",
		  "2105"
		  "1000001800000010"
		  "96e1");
	check_key(game, "4k3/8/8/8/2p1P3/8/8/4K3 b - e3",
		  "2100"
		  "1000001400000010"
		  "96e1");
	check_key(game, "3k4/8/8/8/3pP3/8/8/3RK3 b - e3",
		  "2100"
		  "1800001800000008"
		  "64190e");
	game_close(game);
}
END_TEST

START_TEST(bytes_that_are_no_key_are_refused)
{
	struct game *game = open_game("chess-mate");
	ck_assert(takes_key(game, "0000"
				  "1000000000000010"
				  "e6"));
	ck_assert(takes_key(game, "2000"
				  "1000000000000010"
				  "e6"));
	static const char *const no_keys[] = {
		"4000"
		"1000000000000010"
		"e6",
		"8000"
		"1000000000000010"
		"e6",
		"0200"
		"1000000000000010"
		"e6", /* a right without its rook */
		"1000"
		"1000000000000010"
		"e6",
		"0005"
		"1000000000000010"
		"e6", /* nothing to capture */
		"0000"
		"1000000000000010"
		"66", /* two white kings */
		"0000"
		"1000000000000000"
		"06", /* one king */
		"0000"
		"1800000000000000"
		"e6", /* kings side by side */
		"0000"
		"1000000000000011"
		"2105"
		"1800001800000008"
		"2105"
		"1800001800000008"
		"64190e",
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
		{"", "e4", "e2e4"},
		{"", "Nf3", "g1f3"},
		{"", "Ngf3", "g1f3"},
		{"", "N1f3", "g1f3"},
		{"", "Ng1f3", "g1f3"},
		{"", "Nbf3", NULL},
		{"", "nf3", NULL},
		{"", "Nxf3", NULL},
		{"", "N", NULL},
		{"", "Nf3!", NULL},
		{"", "Nf3+#", NULL},
		{"", "O-O", NULL},
		{"", "O-O-O-O", NULL},
		{"", "e2e5", NULL},
		{"", "e7e5", NULL},
		{"", "e2e4 ", NULL},
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - -", "exd5", "e4d5"},
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - -", "exd5+", "e4d5"},
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - -", "d5", NULL},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - e3", "dxe3", "d4e3"},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ -", "O-O", "e1g1"},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ -", "O-O-O", "e1c1"},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1c1", "e1c1"},
		{"R6R/8/8/8/8/1k6/8/7K w - -", "Rd8", NULL},
		{"R6R/8/8/8/8/1k6/8/7K w - -", "Rhd8", "h8d8"},
		{"R6R/8/8/8/8/1k6/8/7K w - -", "Rad8", "a8d8"},
		{"7r/8/8/R6R/8/1k6/8/7K w - -", "Rd5", "a5d5"}, /* the other is pinned */
		{"4k3/P7/8/8/8/8/8/4K3 w - -", "a8=Q+", "a7a8q"},
		{"4k3/P7/8/8/8/8/8/4K3 w - -", "a8N", "a7a8n"},
		{"4k3/P7/8/8/8/8/8/4K3 w - -", "a8=K", NULL},
		{"4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8k", NULL},
		{"4k3/P7/8/8/8/8/8/4K3 w - -", "a8", NULL},
	};
	struct game *game = open_game("chess-mate");
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_move_read(game, rows[i].position, rows[i].text, rows[i].move);
	game_close(game);
}
END_TEST

/* What the state carries is what listing gives, in games and on boards full of men. */
START_TEST(counting_is_what_listing_gives)
{
	struct game *game = open_game("chess-mate");
	uint64_t seed = base_seed;
	unsigned read = 0;
	for (unsigned i = 0; i < 20000; i++) {
		struct walk_state s;
		char text[128];
		game_move moves[1024];
		int value;
		random_board(&seed, true, text);
		if (game->rules->parse(game, text, &s, NULL))
			continue;
		read++;
		check_initial_numbers(game, &s);
		ck_assert(game->rules->terminal(game, &s, &value) == !game->rules->moves(game, &s, moves));
		walk_on(game, &s, walk_below(&seed, 30), &seed);
		check_initial_numbers(game, &s);
		ck_assert(game->rules->terminal(game, &s, &value) == !game->rules->moves(game, &s, moves));
	}
	ck_assert_uint_gt(read, 1000);
	game_close(game);
}
END_TEST

START_TEST(a_picture_shows_the_board_and_who_first_is)
{
	struct game *game = open_game("chess-mate");
	struct walk_state s = parse_position(game, "7k/8/8/2pP4/8/8/8/R6K b - - first=w");
	char text[512];
	game_picture(game, &s, text, sizeof text);
	ck_assert_str_eq(text, "8 . . . . . . . k\n7 . . . . . . . .\n6 . . . . . . . .\n5 . . p P . . . .\n"
			       "4 . . . . . . . .\n3 . . . . . . . .\n2 . . . . . . . .\n1 R . . . . . . K\n"
			       "  a b c d e f g h\nBlack to move; First is White\n");
	game_close(game);
}
END_TEST

SUITE(chess_mate)
{
	base_seed = walk_seed("games.chess_mate", 21);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, counts_are_the_published_and_the_confirmed_ones, 0,
			    (int)(sizeof counted / sizeof counted[0]));
	tcase_add_test(c, a_bare_king_never_mates);
	tcase_add_test(c, castling_needs_a_free_way_that_is_not_attacked);
	tcase_add_test(c, castling_moves_both_men_and_rights_go_for_good);
	tcase_add_test(c, en_passant_is_there_when_it_is_legal);
	tcase_add_test(c, check_pins_and_promotion_leave_these_moves);
	tcase_add_loop_test(c, the_game_is_worth_one_when_first_has_mated, 0, (int)(sizeof ends / sizeof ends[0]));
	tcase_add_test(c, a_position_knows_who_first_is);
	tcase_add_test(c, a_bad_position_is_refused_with_the_reason);
	tcase_add_test(c, keys_are_these_bytes);
	tcase_add_test(c, bytes_that_are_no_key_are_refused);
	tcase_add_test(c, moves_are_read_in_both_notations);
	tcase_add_test(c, counting_is_what_listing_gives);
	tcase_add_test(c, a_picture_shows_the_board_and_who_first_is);
}
