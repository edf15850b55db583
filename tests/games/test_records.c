/* Records: moves as people write them, in every form, and what is refused with the move's number and its text. */
#include <string.h>

#include "solver/games/record.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { WALK_BYTES = 4096 };

#define FEN_END "8/P6k/8/8/8/8/8/K7 w - -"

/* What a record leads to, as the game prints it. */
static const struct {
	const char *game, *record, *position;
	unsigned moves;
} good[] = {
	{"mnk:3,3,3", "", "3/3/3", 0},
	{"mnk:3,3,3", " b2, a1\tc3\n", "2x/1x1/o2", 3},
	{"mnk:3,3,3", "B2 A1", "3/1x1/o2", 2},
	{"mnk:3,3,3", "b2a1c3", "2x/1x1/o2", 3},
	{"mnk:3,3,3",
	 "\xef\xbb\xbf"
	 "b2 a1 c3\r\n",
	 "2x/1x1/o2", 3},
	{"mnk:12,5,4", "a1a2l5k5", "10ox/12/12/o11/x11", 4},
	{"connect4:7x6", "4453", "7/7/7/7/3o3/2oxx2", 4},
	{"connect4:7x6", "4 4 5 3", "7/7/7/7/3o3/2oxx2", 4},
	{"connect4:10x5", "19aA", "10/10/10/9o/x7ox", 4},
	{"hex:11", "c3b3k11", "c3 b3 k11", 3},
	{"hex:11", "a11b1", "a11 b1", 2},
	{"loa:8", "b1-b3 a2-c2", "1bbbbbb1/w6w/w6w/w6w/w6w/wb5w/2w4w/2bbbbb1 b", 2},
	{"loa:8", "1. b1b3?", NULL, 0},
	{"uttt", "eeea", NULL, 2},
	/* PGN: tags, comments, variations, NAGs, marks, results */
	{"chess-mate",
	 "[Event \"a [b] \\\" c\"]\n[White \"x\"]\n\n1. e4 {a (comment)} e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3!? $6 "
	 "Nc6 ; to the end of the line 3. d4\n% an escape\n3. Bb5 a6 4.O-O 1/2-1/2 {e9}\n",
	 "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - first=w", 7},
	{"chess-mate", "e2e4 e7e5 g1f3", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - first=w", 3},
	{"checkers:8", "[GameType \"21\"]\n[Result \"1-0\"]\n1. 11-15 23-19 2. 8-11 {good} 22-17 3. 11-16 24-20 1-0",
	 "B:W17,19,20,21,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,9,10,12,15,16", 6},
	{"checkers:8", "[SetUp \"1\"]\n[FEN \"W:W18,24,K27:B12,K16.\"]\n\n1... 27-32 2. 16-19 *", NULL, 2},
	{"checkers:8", "[GameType \"21,B,8,8,N1,0\"]\n[Result \"2-0\"]\n1. 11-15 2-0", NULL, 1},
	{"checkers:8", "1. 11-15 23-18 1-1", NULL, 2},
	{"checkers:8", "[GameType \"20\"]\n1. 11-15 *", NULL, 0},
	{"checkers:8", "[GameType \"2\"]\n1. 11-15 *", NULL, 0},
	{"chess-mate", "[Result \"2-0\"]\n1. e4 2-0", NULL, 0},
	{"chess-variant:3check", "[Variant \"3check\"]\n1. e4 *", NULL, 1},
	{"chess-variant:3check", "[Variant \"Three-check\"]\n1. e4 *", NULL, 1},
	{"chess-variant:3check", "[Variant \"kingofthehill\"]\n1. e4 *", NULL, 0},
	{"chess-mate", "12... e5", NULL, 0},
	{"chess-mate", "\xef\xbb\xbf[FEN \"" FEN_END "\"]\n\n1. a8=Q+? 1-0", "Q7/7k/8/8/8/8/8/K7 b - - first=w", 1},
	{"chess-mate", "[FEN \"" FEN_END " 9 60\"]\n\n60. a8=Q+$1$6 Kg6 61. a2 *", NULL, 0},
	{"chess-mate", "[FEN \"4k3/8/8/8/8/8/8/4K2R b - - 0 60\"]\n\n60... Kd7 61. Rh7+ Ke6 *",
	 "8/7R/4k3/8/8/8/8/4K3 w - - first=b", 3},
	{"chess-mate", "1. e4 e5 2. Nf3\xc2\xb1 Nc6\xe2\x88\x93 3. Bb5 += a6 \xc2\xb1 4. O-O N +- Nf6?! =",
	 "r1bqkb1r/1ppp1ppp/p1n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 w kq -", 8},
	{"chess-mate", "1 . e4 1 ... e5 2 Nf3 2... Nc6", NULL, 4},
	{"chess-mate", "[FEN \"" FEN_END "\"]\n\n1. a8=Q+? 1-0", "Q7/7k/8/8/8/8/8/K7 b - - first=w", 1},
	{"antichess", "1.e3 e5 2.Qh5 Qh4", "rnb1kbnr/pppp1ppp/8/4p2Q/7q/4P3/PPPP1PPP/RNB1KBNR w - -", 4},
	{"antichess:stalemate=fewer", "[Variant \"suicide\"]\n1. e3 *", NULL, 1},
	{"chess-mate", "[Variant \"From Position\"]\n1. e3 *", NULL, 1},
	/* as chess players write moves */
	{"chess-mate",
	 "1. e2-e4 Ng8-f6 2. \xe2\x99\x98"
	 "f3 \xe2\x99\x9e"
	 "xe4 3. \xe2\x99\x97"
	 "b5 a7-a6 4. e1h1 Ne4xf2",
	 "rnbqkb1r/1ppppppp/p7/1B6/8/5N2/PPPP1nPP/RNBQ1RK1 w kq -", 8},
	{"chess-mate",
	 "1. e4 Nf6 2. e5 d5 3. exd6e.p. exd6 4. d4 c5 5. d5 a6 6. \xe2\x99\x99"
	 "a4 b5 7. axb5 axb5",
	 NULL, 14},
	{"chess-mate", "1. e4 a6 2. e5 d5 3. exd6 e.p. exd6", NULL, 6},
	{"chess-mate", "1. e4 a6 2. e5 d5 3. e5xd6ep exd6", NULL, 6},
	{"chess-mate", "e1c1", NULL, 0},
	{"chess-mate", "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R b KQkq -\"] 1... e8h8 2. e1a1 *",
	 "r4rk1/8/8/8/8/8/8/2KR3R b - -", 2},
	{"chess-mate", "8/P6k/8/8/8/8/8/K7 w - - bm a8=Q; id \"a; b\"; c0 \"x\";", FEN_END, 0},
	{"chess-mate", "8/P6k/8/8/8/8/8/K7 w - - 0 1 acd 9;\n", FEN_END, 0},
	{"breakthrough:5x5", "ppppp/ppppp/5/PPPPP/PPPPP w - - 0 1", "ppppp/ppppp/5/PPPPP/PPPPP w", 0},
	{"breakthrough:5x5", "b3 c4xb3 a2xb3", NULL, 3},
	{"breakthrough:5x5", "b3 cxb3 axb3 ab3", NULL, 4},
	{"breakthrough:5x5", "b3 cxb3 axb3 ed3 cxd3", "ppppp/pp1p1/1P1P1/3PP/PPPPP b", 5},
	{"breakthrough:5x5", "1. b3 d3 2. c2xd3 *", NULL, 3},
	{"breakthrough:5x5", "[Variant \"breakthrough\"]\n1. a2a3 b4b3 {good} 1-0", NULL, 2},
	{"loa:8", "1. b1-b3 a2-c2 *", NULL, 2},
	{"chess-mate", FEN_END, FEN_END, 0},
	{"antichess", "[Variant \"Antichess\"]\n[FEN \"" FEN_END "\"]\n1. a8=K", "K7/7k/8/8/8/8/8/K7 b - -", 1},
	/* SGF: HexGui's coordinates, letters, variations, passed-over properties, resignation */
	{"hex:5", "(;FF[4]GM[11]SZ[5]C[a \\] b];B[c3];W[bb](;B[d4])(;B[a2]))", "c3 b2 d4", 3},
	{"hex:5", "(;SZ[5]\n;W[a1];B[b2];W[resign])", "a1 b2", 2},
	{"hex:5", "(;SZ[5]AB[a1][b2]AW[c3]PL[W])", "a1 c3 b2", 0},
	{"hex:5", "(;SZ[5]AB[a1][b2]AW[c3];W[d4])", "a1 c3 b2 d4", 1},
	{"hex:5", "(;SZ[5]AB[a1][b2]AW[c3];B[d4])", "x4/1x3/2o2/3x1/5 o", 1},
	{"hex:5", "(;SZ[5]AB[a1][b2];AE[b2]AW[cc];AB[e5]PL[B];B[E4])", "x4/5/2o2/4x/4x o", 1},
	{"hex:5", "(;SZ[5]PL[W];W[c3])", "5/5/2o2/5/5 x", 1},
	{"hex:5", "(;SZ[5];B[a2];W[swap-pieces];B[c3])", "1o3/5/2x2/5/5 o", 3},
	{"hex:5", "(;SZ[5];B[a2];W[swap])", "1o3/5/5/5/5 x", 2},
	{"hex:5x4", "(;SZ[5:4];B[a2];W[swap-sides];W[c3])", "a2 c3", 3},
	{"hex:19", "(;SZ[19]AW[s19];B[a1])", "x18/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/18o o", 1},
	{"nogo:3x3", "(;SZ[3]AB[aa:bb]PL[W];W[cc])", "xx1/xx1/2o x", 1},
	{"mnk:5,5,4", "(;FF[4]SZ[5];B[aa];W[ee])", "x4/5/5/5/4o", 2},
	{"othello:8",
	 "1 (;GM[Othello]PC[GGS/os]PB[a]PW[b]TY[8]RE[+2]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- "
	 "-------- -------- *]B[F5//0.01]W[d6/-1.5/2]B[C3];)\n",
	 "------------------X--------XX------OXX-----O-------------------- O", 3},
	{"othello:6", "(;GM[2]SZ[6]\n;B[b3] ;\nW[])", NULL, 0},
	{"loa:8", "(;B[b1-b3];W[a2-c2])", "1bbbbbb1/w6w/w6w/w6w/w6w/wb5w/2w4w/2bbbbb1 b", 2},
};

START_TEST(records_of_every_form_are_played)
{
	struct game *game = open_game(good[_i].game);
	struct walk_state s = {0}, wanted = {0};
	struct game_played played = {0};
	struct pd_fail fail = {0};
	char text[GAME_TEXT_MAX];
	game->rules->start(game, &s);
	int rc = game_play_record(game, good[_i].record, true, &s, &played, &fail);
	if (!good[_i].position && !good[_i].moves) { /* refused */
		ck_assert_int_eq(rc, PD_E_MOVE);
		ck_assert_str_eq(fail.field, "moves");
	} else {
		ck_assert_msg(!rc, "%s: %s", good[_i].record, fail.text);
		ck_assert_uint_eq(played.count, good[_i].moves);
	}
	if (good[_i].position && *good[_i].position) {
		game->rules->print(game, &s, text, sizeof text);
		ck_assert_int_eq(game->rules->parse(game, good[_i].position, &wanted, &fail), PD_OK);
		ck_assert_msg(!strcmp(text, good[_i].position), "%s", text);
	}
	game_close(game);
}
END_TEST

static const struct {
	const char *game, *record, *says;
} bad[] = {
	{"mnk:3,3,3", "b2 b2", "move 2: 'b2'"},
	{"mnk:3,3,3", "b2 a1 zz", "move 3: 'zz'"},
	{"mnk:3,3,3", "a1 b1 a2 b2 a3 b3", "move 6, 'b3': the game is over"},
	{"connect4:7x6", "44x", "move 3"},
	{"hex:5", "c3 f1", "move 2"},
	{"chess-mate", "1. e4 e5 2. Ke3", "move 3: 'Ke3' is not legal"},
	{"chess-mate", "[FEN \"nonsense\"] 1. e4", "position"},
	{"hex:5", "(;SZ[5]AB[f1];W[a1])", "AB[f1]: the board of hex:5 has no such square"},
	{"hex:5", "(;SZ[5]AB[a1]AW[a1];W[b1])", "AW[a1]: the point already has a stone"},
	{"hex:5", "(;SZ[5]AB[a1][b1])",
	 "column 11: the position that is set up here: the number of stones does not tell"},
	{"hex:5", "(;SZ[5]AB[a1]PL[X];W[b1])", "PL names the side to move"},
	{"hex:5", "(;SZ[5]AB[a1]PL[W];B[b1])", "it is not Black's turn"},
	{"hex:5", "(;SZ[5];B[b1];AB[a1])", "AB after the first move"},
	{"hex:5", "(;SZ[5]AB[a1:b2];B[c1])", "these are not the upper left and lower right corners"},
	{"nogo:3x3", "(;SZ[3]AB[aa:cc]PL[B])", "the position that is set up here"},
	{"connect4:7x6", "(;AB[a1];W[4])", "begins no move"},
	{"mnk:5,5,4,2,1", "(;SZ[5]AB[aa][bb]AW[cc];W[dd])", "the sides do not have the stones"},
	{"loa:8", "(;AB[a2]AB[a2])", "the point already has a stone"},
	{"hex:5x4", "(;B[a1];W[swap-pieces])", "boards with equal sides"},
	{"hex:5", "(;B[a1];W[b1];B[swap-pieces])", "a swap answers the first move"},
	{"hex:5", "(;B[swap-pieces])", "a swap answers the first move"},
	{"hex:5", "(;AB[a1];W[swap-pieces])", "a swap answers the first move"},
	{"hex:5", "(;B[a1];B[swap-pieces])", "it is not Black's turn"},
	{"hex:5", "(;B[a2];W[swap-sides];B[c3])", "it is not Black's turn"},
	{"hex:5", "(;B[a2];W[swap-pieces];W[c3])", "it is not White's turn"},
	{"hex:5", "(;B[c3];B[a1])", "turn"},
	{"hex:5", "(;SZ[11];B[c3])", "board"},
	{"mnk:3,3,3", "(;B[zz])", "move 1"},
	/* marks of one format in another */
	{"hex:5", "(B[c3];W[b2])", "line 1, column 2: in SGF, a ( is followed"},
	{"hex:5", ";B[c3]", "begins with (;"},
	{"hex:5", "(c3 b2)", "line 1, column 2: in SGF, a ( is followed"},
	{"hex:5", "(;b[c3];w[b2])", "line 1, column 3: a property of SGF has a name of capital letters"},
	{"hex:5", "[\"c3\",\"b2\"]", "line 1, column 1: '[' begins no move"},
	{"connect4:4x4", "[1,1,1]", "'[' begins no move"},
	{"connect4:7x6", "[4,4]", "line 1, column 1: '[' begins no move"},
	{"connect4:7x6", "(44)", "'(' begins no move"},
	{"connect4:7x6", "{4 4}", "'{' begins no move"},
	{"connect4:7x6", "4 4 (3) 5", "column 5: '(' begins no move"},
	{"connect4:7x6", "4;4", "';' begins no move"},
	{"connect4:7x6", "1.4 4", "move 2: '.4'"},
	{"connect4:7x6", "4 4 *", "move 3: '*'"},
	{"connect4:7x6", "4 4 $2", "move 3: '$2'"},
	{"mnk:3,3,3", "1. b2 a1", "move 1"},
	{"mnk:3,3,3", "b2! a1", "move 2: '!'"},
	{"chess-mate", "(1. e4 e5)", "a variation in parentheses comes after the move"},
	{"chess-mate", "[\"e4\",\"e5\"]", "a list of moves has no brackets and quotes"},
	{"chess-mate", "e4 {good} e5", "'{' begins no move"},
	{"chess-mate", "{e4 e5}", "neither moves nor a result"},
	{"chess-mate", "; e4 e5", "neither moves nor a result"},
	/* what is not closed, or not opened */
	{"chess-mate", "1. e4 {a comment\ne5 2. Nf3", "line 1, column 7: the comment that begins here is not closed"},
	{"chess-mate", "1. e4 (1. d4\ne5 2. Nf3", "line 1, column 7: the variation that begins here is not closed"},
	{"chess-mate", "1. e4 (1. d4 {x) e5 {y} 2. Nf3", "column 21: a { in a comment"},
	{"chess-mate", "1. e4 e5) 2. Nf3", "column 9: ')' was not opened"},
	{"chess-mate", "1. e4 e5} 2. Nf3", "column 9: '}' was not opened"},
	{"chess-mate", "[Event \"a]\n1. e4 *", "line 1, column 8: the quotation"},
	{"chess-mate", "[Event \"a\"\n1. e4 *", "line 1, column 11: a tag is written"},
	{"chess-mate", "[Event \"a\"]\n[Resu", "line 2, column 1: a tag is written"},
	{"chess-mate", "[Event \"a\"]\n", "cut off"},
	{"chess-mate", "[Result \"1-0\"]\n1. e4 e5 2. Nf3", "cut off"},
	{"chess-mate", "1. e4 * e9", "only the tags of another game"},
	/* moves that a mark took with it */
	{"chess-mate", "1. e4 {e5 2. Nf3} Nc6 3. Bb5", "column 23: move number 3, where the next move has number 2"},
	{"chess-mate", "1. e4 {e5 2. Nf3 Nc6} e5 3. Bb5 *",
	 "column 26: move number 3, where the next move has number 2"},
	{"chess-mate", "5. e4 e5", "move number 5 at the beginning"},
	{"chess-mate", "[SetUp \"1\"]\n1. e4 *", "no FEN tag"},
	{"chess-mate", "1. e4 e5 $x", "a NAG is $"},
	{"chess-mate", "1. e4 e5!$1z", "a NAG is $"},
	{"chess-mate", "1. e4 e5 zz", "move 3"},
	{"chess-mate", "e4 d5 e4-d5", "move 3"},
	{"chess-mate", "8/P6k/8/8/8/8/8/K7 w - - bm a8=Q", "operations of EPD"},
	{"chess-mate", "8/P6k/8/8/8/8/8/K7 w - - bm a8=Q; id \"x;", "is not closed"},
	{"chess-mate", "8/P6k/8/8/8/8/8/K7 w - - bm a8=Q; id", "ends with a semicolon"},
	{"chess-mate", "8/P6k/8/8/8/8/8/K7 w - -\n8/P6k/8/8/8/8/8/K7 b - -", "has 2 games"},
	{"breakthrough:5x5", "ppppp/ppppp/5/PPPPP/PPPPP w KQkq - 0 1", "only the fields of a FEN"},
	{"breakthrough:5x5", "b2", "no man can be pushed"},
	{"breakthrough:5x5", "ab1", "no man there"},
	{"breakthrough:5x5", "axb3", "nothing to take"},
	{"breakthrough:5x5", "b3 ab5", "no man there"},
	{"antichess:stalemate=fewer", "[Variant \"antichess\"]\n1. e3 *", "which is not antichess:stalemate=fewer"},
	/* other games */
	{"chess-mate", "[Variant \"Atomic\"]\n1. e4 *", "\"Atomic\", which is not chess-mate"},
	{"antichess", "[Variant \"Suicide\"]\n1. e4 *", "which is not antichess"},
	{"chess-mate", "1. e4 e5 *\n\n1. d4 *", "only the tags of another game"},
	{"chess-mate", "[Event \"a\"]\n1. e4 *\n\n[Event \"b\"]\n1. d4 *",
	 "has 2 games; choose one of them by game_number, 1 to 2"},
	{"hex:5", "(;B[a1])(;B[a2])(;B[a3])", "has 3 games; choose one"},
	{"hex:5", "(;GM[1];B[a1])", "the record is of GM[1], but hex is GM[11]"},
	{"hex:5", "(;C[x;B[a1];W[b2])", "a value holds B["},
	{"hex:5", "(;B[a1];W[b2]", "column 1: the record that begins here is not closed"},
	{"hex:5", "(;B[a1];W[b2", "column 10: the value that begins here is not closed"},
	{"hex:5", "(;B[a1];W[b2])x", "begins with (;"},
	{"hex:5", "(;B[a1]);W[b2])", "begins with (;"},
	{"hex:5", "(;B[a1](;W[b2]);B[c3])", "a node after a variation"},
	{"hex:5", "(;B[a1];X[b2])", "'b2' could be a move"},
	{"hex:5", "(;B[a1];W)", "has a value in brackets"},
	{"othello:8", "(;GM[Othello]B[f5]W[d6]", "record that begins here is not closed"},
	{"othello:8", "(;GM[Othello]B[f5]W[d6);)", "value that begins here is not closed"},
	{"othello:8", "(;GM[Othello]B[f5W[d6];)", "a [ within a value"},
	{"othello:8", "(;GM[Othello]W[f5];)", "not White's turn"},
	{"othello:8", "(;GM[Othello]BO[8 ---- *]B[f5];)", "BO holds"},
	{"othello:8", "(;GM[Othello]B[f5])", "expected a property of GGF"},
};

START_TEST(what_is_no_record_names_its_move)
{
	struct game *game = open_game(bad[_i].game);
	struct walk_state s = {0};
	struct game_played played = {0};
	struct pd_fail fail = {0};
	game->rules->start(game, &s);
	ck_assert_int_eq(game_play_record(game, bad[_i].record, true, &s, &played, &fail), PD_E_MOVE);
	ck_assert_str_eq(fail.field, "moves");
	ck_assert_msg(strstr(fail.text, bad[_i].says) != NULL, "%s: %s", bad[_i].record, fail.text);
	game_close(game);
}
END_TEST

START_TEST(a_position_in_a_record_does_not_replace_another)
{
	struct game *game = open_game("chess-mate");
	struct walk_state s = {0};
	struct game_played played = {0};
	struct pd_fail fail = {0};
	game->rules->start(game, &s);
	ck_assert_int_eq(game_play_record(game, "[FEN \"" FEN_END "\"] a8=Q", false, &s, &played, &fail), PD_E_MOVE);
	ck_assert_msg(strstr(fail.text, "has its own position") != NULL, "%s", fail.text);
	game_close(game);
}
END_TEST

START_TEST(endless_records_end)
{
	static char text[GAME_RECORD_BYTES + 2];
	struct game *game = open_game("loa:8");
	struct walk_state s = {0};
	struct game_played played = {0};
	struct pd_fail fail = {0};
	game->rules->start(game, &s);
	memset(text, 'b', GAME_RECORD_BYTES + 1);
	ck_assert_int_eq(game_play_record(game, text, true, &s, &played, &fail), PD_E_MOVE);
	text[GAME_RECORD_BYTES] = 0;
	ck_assert_int_eq(game_play_record(game, text, true, &s, &played, &fail), PD_E_MOVE);
	ck_assert_uint_le(played.attempts, GAME_RECORD_ATTEMPTS + 100);
	game_close(game);
}
END_TEST

START_TEST(one_game_of_several_is_chosen)
{
	static const char pgn[] =
		"[Event \"a\"]\n1. e4 {x} 1-0 {y}\n\n[Event \"b\"]\n1. d4 d5 (1... c5) *\n[Event \"c\"]\n*\n";
	static const unsigned moves[] = {1, 2, 0};
	struct game *game = open_game("chess-mate");
	for (unsigned number = 1; number <= 4; number++) {
		struct walk_state s = {0};
		struct game_played played = {.number = number};
		struct pd_fail fail = {0};
		game->rules->start(game, &s);
		int rc = game_play_record(game, pgn, true, &s, &played, &fail);
		ck_assert_int_eq(rc, number <= 3 ? PD_OK : PD_E_MOVE);
		ck_assert_uint_eq(played.games, 3);
		if (rc)
			ck_assert_str_eq(fail.text, "game 4 does not exist: the text has 3");
		else
			ck_assert_uint_eq(played.count, moves[number - 1]);
	}
	game_close(game);
}
END_TEST

/* What random walks print is read back, with blanks and without. */
START_TEST(walks_come_back)
{
	static const char *const games[] = {"connect4:7x6", "mnk:9,7,5", "hex:7",     "loa:6",
					    "uttt",         "antichess", "chess-mate"};
	struct game *game = open_game(games[_i]);
	uint64_t seed = walk_seed("games.records", 7) + (uint64_t)_i;
	for (int round = 0; round < 60; round++) {
		struct walk_state s = {0}, spaced = {0}, close = {0};
		struct game_played played = {0}, again = {0};
		struct pd_fail fail = {0};
		char blanks[WALK_BYTES] = "", none[WALK_BYTES] = "";
		game->rules->start(game, &s);
		game->rules->start(game, &spaced);
		game->rules->start(game, &close);
		for (unsigned ply = 0; ply < 40; ply++) {
			game_move moves[GAME_MOVES_MAX];
			char text[GAME_TEXT_MAX];
			unsigned count = game->rules->moves(game, &s, moves);
			if (!count)
				break;
			game_move move = moves[walk_below(&seed, count)];
			game->rules->move_print(game, &s, move, text, sizeof text);
			strcat(strcat(blanks, text), " ");
			strcat(none, text);
			game->rules->play(game, &s, move);
		}
		ck_assert_msg(!game_play_record(game, blanks, true, &spaced, &played, &fail), "%s: %s", blanks,
			      fail.text);
		ck_assert_msg(!game_play_record(game, none, true, &close, &again, &fail), "%s: %s", none, fail.text);
		ck_assert_uint_eq(played.count, again.count);
		ck_assert(!memcmp(&s, &spaced, game->state_size) && !memcmp(&s, &close, game->state_size));
	}
	game_close(game);
}
END_TEST

SUITE(records)
{
	tcase_add_loop_test(c, records_of_every_form_are_played, 0, sizeof good / sizeof *good);
	tcase_add_loop_test(c, what_is_no_record_names_its_move, 0, sizeof bad / sizeof *bad);
	tcase_add_test(c, a_position_in_a_record_does_not_replace_another);
	tcase_add_test(c, one_game_of_several_is_chosen);
	tcase_add_test(c, endless_records_end);
	tcase_add_loop_test(c, walks_come_back, 0, 7);
}
