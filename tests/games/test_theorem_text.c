/* Theorems in words (solver/games/theorem_text.h): the bounds are those of the game's own theorems, every theorem that
 * occurs has a sentence, and the groups are read as they were written. */
#include <stdio.h>
#include <string.h>

#include "solver/games/board_picture.h"
#include "solver/games/theorem_text.h"
#include "tests/support/effort.h"
#include "tests/support/gamedata.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static void read_told(const char *name, const char *position, struct game_told out[2], char *text, size_t size)
{
	struct pd_fail fail;
	struct game *game;
	struct walk_state s = {{0}};
	static struct game_board board;
	memset(&board, 0, sizeof board);
	ck_assert(!game_open(name, NULL, &game, &fail));
	ck_assert_msg(!game->rules->parse(game, position, &s, &fail), "%s", fail.text);
	game->rules->board(game, &board);
	unsigned count = game_theorems(game, &s, out);
	ck_assert_uint_ge(count, 1);
	out[0] = out[count - 1]; /* k in a row has two at the start: the upper bound is asked about */
	ck_assert_uint_lt(game_theorem_text(game, &board, &out[0], text, size), size);
	game_close(game);
}

START_TEST(sentences_name_the_sides_and_what_follows)
{
	static const struct {
		const char *game, *position;
		int lo, hi;
		unsigned number, plies;
		const char *text;
	} cases[] = {
		{"connect4:5x4", "2215511224", -1, 0, 1, 10,
		 "Second answers each square of a pair by the other, and any other square by the square above it: "
		 "First "
		 "never completes a line."},
		{"connect4:5x4", "221551122453343135", -1, 0, 1, 2,
		 "Second answers each square by the square above it: First never completes a line."},
		{"connect4:5x5", "3442454", 1, 1, 1, 18,
		 "First answers each square of a pair by the other, and any other square by the square above it: "
		 "Second "
		 "never completes a line, and First has one when the board is full, if not before."},
		{"connect4:5x4", "552451533", 1, 1, 2, 11,
		 "First answers each square of a pair by the other and any other square by the square above it, until "
		 "Second has to play below the square marked 1, and then takes that square: this completes a line of "
		 "First, and Second has none before."},
		{"mnk:5,5,5", "", -1, 0, 11, 25,
		 "Second blocks in time each line that First could still complete: First never completes a line."},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct game_told told[2];
		char text[512];
		read_told(cases[i].game, cases[i].position, told, text, sizeof text);
		ck_assert_str_eq(text, cases[i].text);
		ck_assert_int_eq(told[0].bounds.lo, cases[i].lo);
		ck_assert_int_eq(told[0].bounds.hi, cases[i].hi);
		ck_assert_uint_eq(told[0].theorem.number, cases[i].number);
		ck_assert_uint_eq(told[0].theorem.plies, cases[i].plies);
	}
}
END_TEST

/* The bounds of one position against all claims, and its groups against its witness. */
static unsigned check_position(const struct game *game, const struct game_board *board, const void *state)
{
	struct game_told told[2];
	struct game_interval best = game_scale(game);
	int value;
	unsigned count = game_theorems(game, state, told);
	bool quiet = !game->rules->terminal(game, state, &value) &&
		     !(game->rules->immediate_win && game->rules->immediate_win(game, state, &value));
	for (int t = game->value_min + game->value_step; quiet && t <= game->value_max; t += game->value_step) {
		struct game_theorem theorem;
		if (!game->rules->theorem(game, state, t, &theorem, NULL))
			continue;
		if (theorem.proved)
			best.lo = t;
		else if (t - game->value_step < best.hi)
			best.hi = t - game->value_step;
	}
	ck_assert_uint_eq(count, (unsigned)(best.lo > game->value_min) + (best.hi < game->value_max));
	for (unsigned i = 0; i < count; i++) {
		struct game_group groups[GAME_GROUPS_MAX];
		unsigned bytes = 0, found = game_theorem_groups(board, &told[i], groups);
		char text[512], name[GAME_SQUARE_NAME];
		ck_assert_int_eq(told[i].theorem.proved ? told[i].bounds.lo : told[i].bounds.hi,
				 told[i].theorem.proved ? best.lo : best.hi);
		ck_assert_uint_lt(game_theorem_text(game, board, &told[i], text, sizeof text), sizeof text);
		ck_assert_msg(*game_theorem_title(game, &told[i]), "%s: theorem %u has no row in theorems.def",
			      game->name, told[i].theorem.number);
		ck_assert_ptr_null(strchr(text, '{'));
		for (unsigned j = 0; j < found; j++) {
			bytes += 1 + 2 * groups[j].count;
			for (unsigned k = 0; k < board->pieces; k++)
				ck_assert_int_ne(groups[j].mark, board->piece[k].letter);
			game_square_name(board, game_group_place(&groups[j], 0), name);
			ck_assert(*name);
		}
		ck_assert_uint_eq(bytes, told[i].theorem.witness);
	}
	return count;
}

START_TEST(every_theorem_has_words)
{
	const struct gamedata *variants = gamedata_read("open");
	uint64_t seed = walk_seed("games.theorem_text", 5);
	unsigned said = 0;
	static struct game_board board;
	for (unsigned i = 0; i < variants->count; i++) {
		struct game *game = NULL;
		if (!game_builtin(variants->row[i].game)->theorem)
			continue;
		game = gamedata_open(variants->row[i].column[0]);
		memset(&board, 0, sizeof board);
		game->rules->board(game, &board);
		for (unsigned round = 0; round < effort_of(300, 60); round++) {
			struct walk_state s = {{0}};
			game->rules->start(game, &s);
			walk_on(game, &s, round % 20, &seed);
			said += check_position(game, &board, &s);
		}
		game_close(game);
	}
	ck_assert_uint_gt(said, 50);
}
END_TEST

START_TEST(a_witness_that_is_no_list_of_groups_has_none)
{
	static const struct {
		uint8_t bytes[8];
		uint16_t size;
		unsigned groups;
	} cases[] = {
		{{2, 0, 0, 1, 0}, 5, 1},
		{{1, 8, 0, 1, 7, 0}, 6, 2},
		{{2, 0, 0, 1, 0}, 4, 0},
		{{2, 0, 0, 1, 0, 0}, 6, 0},
		{{1, 9, 0}, 3, 0},
		{{1, 0, 1}, 3, 0},
		{{0}, 1, 0},
		{{0}, 0, 0},
	};
	static struct game_board board;
	memset(&board, 0, sizeof board);
	game_board_grid(&board, 3, 3, GAME_SQUARE);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct game_told told = {.theorem.witness = cases[i].size};
		struct game_group groups[GAME_GROUPS_MAX];
		memcpy(told.witness, cases[i].bytes, sizeof cases[i].bytes);
		ck_assert_uint_eq(game_theorem_groups(&board, &told, groups), cases[i].groups);
	}
}
END_TEST

START_TEST(marks_are_drawn_on_empty_squares)
{
	static struct game_board board;
	struct game_diagram diagram = {.on = {1}, .to_move = GAME_NO_SIDE};
	char text[GAME_TEXT_MAX], marks[GAME_PLACES_MAX] = {'1', '1', 0, 'A'};
	memset(&board, 0, sizeof board);
	game_board_grid(&board, 2, 2, GAME_SQUARE);
	board.piece[board.pieces++] = (struct game_piece){'x', GAME_FIRST, GAME_CROSS, "x", NULL};
	game_board_picture(&board, &diagram, marks, text, sizeof text);
	ck_assert_str_eq(text, "2 . A\n1 x 1\n  a b\n");
}
END_TEST

/* A plug-in numbers its own theorems. */
START_TEST(a_theorem_of_a_plugin_has_no_words_of_another_game)
{
	struct pd_fail fail;
	struct game *game;
	struct game_told told = {.theorem = {.number = 1, .proved = true}};
	char text[128];
	ck_assert(!game_open("connect4:4x4", NULL, &game, &fail));
	ck_assert_str_eq(game_theorem_title(game, &told), "follow-up");
	game->plugin_digest = 1;
	ck_assert_str_eq(game_theorem_title(game, &told), "");
	game_theorem_text(game, NULL, &told, text, sizeof text);
	ck_assert_str_eq(text, "Theorem 1 of the game gives this bound.");
	game_close(game);
}
END_TEST

/* A strategy is the same theorem in every game, and its weights are no groups. */
START_TEST(a_strategy_has_words_in_every_game)
{
	static struct game_board board;
	struct pd_fail fail;
	struct game *game;
	struct game_told told = {.theorem = {.proved = true, .number = GAME_STRATEGY, .witness = 5},
				 .bounds = {1, 1},
				 .witness = {1, 0, 0}};
	struct game_group groups[GAME_GROUPS_MAX];
	char text[256];
	memset(&board, 0, sizeof board);
	game_board_grid(&board, 2, 2, GAME_SQUARE);
	ck_assert(!game_open("connect4:4x4", NULL, &game, &fail));
	for (unsigned i = 0; i < 2; i++, game->plugin_digest = 1) {
		ck_assert_str_eq(game_theorem_title(game, &told), "strategy");
		ck_assert_uint_eq(game_theorem_groups(&board, &told, groups), 0);
		ck_assert_uint_lt(game_theorem_text(game, &board, &told, text, sizeof text), sizeof text);
		ck_assert_ptr_nonnull(strstr(text, "First wins at once where it can, leaves Second no win at once"));
		ck_assert_ptr_nonnull(strstr(text, ": First wins against every reply."));
	}
	game_close(game);
}
END_TEST

SUITE(theorem_text)
{
	tcase_add_test(c, sentences_name_the_sides_and_what_follows);
	tcase_add_test(c, every_theorem_has_words);
	tcase_add_test(c, a_witness_that_is_no_list_of_groups_has_none);
	tcase_add_test(c, marks_are_drawn_on_empty_squares);
	tcase_add_test(c, a_theorem_of_a_plugin_has_no_words_of_another_game);
	tcase_add_test(c, a_strategy_has_words_in_every_game);
}
