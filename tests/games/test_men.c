/* The truth about endings with few chessmen (tests/support/men.h): what is solved one material after another is what is
 * solved all at once, position by position and ply by ply; and swapping colours negates values. */
#include "tests/support/effort.h"
#include "tests/support/men.h"

#include <stdlib.h>
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/endings.h"
#include "tests/support/positions.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"

static void add_to_retro(void *ctx, const void *state)
{
	if (!retro_add(ctx, state))
		abort();
}

/* All that some endings lead to, one analysis against the other. */
static void compare_with_one_analysis(const char *name, unsigned size, unsigned first, unsigned count)
{
	struct game *game = open_game(name);
	struct men *men = men_new(game, false);
	struct retro *r = retro_new(game, UINT32_MAX);
	char material[ENDINGS_MEN_MAX + 1];
	for (unsigned i = first; i < first + count && endings_material(size, i, material); i++) {
		men_solve(men, material);
		endings_chessmen(game, material, &(struct endings_to){r, add_to_retro});
	}
	for (int threshold = 0; threshold <= 1; threshold++) {
		unsigned claim = retro_solve(r, threshold);
		for (uint32_t i = 0; i < retro_positions(r); i++) {
			size_t bytes;
			uint8_t back[GAME_KEY_MAX];
			const uint8_t *key = retro_key(r, i, &bytes);
			uint32_t index = men_find_key(men, key, bytes);
			unsigned far, distance;
			if (index == RETRO_NONE || men_key(men, index, back) != bytes || memcmp(back, key, bytes) != 0)
				ck_abort_msg("%s: position %u has another key", name, i);
			bool holds = men_holds_at(men, (unsigned)threshold, index, &distance);
			if (holds != retro_holds_at(r, claim, i, &far) || distance != far)
				ck_abort_msg("%s, at least %d: position %u", name, threshold, i);
		}
	}
	ck_assert_uint_ge(men_positions(men), retro_positions(r));
	retro_free(r);
	men_free(men);
	game_close(game);
}

START_TEST(two_men_are_what_one_analysis_says)
{
	static const char *const names[] = {"antichess", "antichess:stalemate=fewer"};
	compare_with_one_analysis(names[_i], 2, 0, UINT32_MAX);
}
END_TEST

START_TEST(three_men_are_what_one_analysis_says)
{
	char material[ENDINGS_MEN_MAX + 1];
	unsigned number = 0;
	while (endings_material(3, number, material) && strcmp(material, "NNk") != 0)
		number++;
	compare_with_one_analysis("antichess", 3, number, 1);
}
END_TEST

/* The second of two materials is the first with colours swapped: once solved, once filled. */
static void compare_swapped(const struct game *game, const char *first, const char *second)
{
	struct men *solved = men_new(game, false), *filled = men_new(game, true);
	uint32_t begin, end, from, below;
	uint64_t compared = 0;
	men_solve(solved, first);
	men_solve(solved, second);
	men_solve(filled, first);
	men_solve(filled, second);
	ck_assert_uint_eq(men_positions(solved), men_positions(filled));
	ck_assert_uint_gt(men_moves(solved), men_moves(filled));
	men_range(solved, second, &begin, &end);
	men_range(filled, second, &from, &below);
	ck_assert_uint_eq(end - begin, below - from);
	for (uint32_t i = 0; i < end - begin; i++) {
		if (men_is_position(solved, begin + i) != men_is_position(filled, from + i))
			ck_abort_msg("%s and %s: place %u", first, second, i);
		for (unsigned claim = 0; claim < 2 && men_is_position(solved, begin + i); claim++) {
			unsigned one, other;
			bool holds = men_holds_at(solved, claim, begin + i, &one);
			if (holds != men_holds_at(filled, claim, from + i, &other) || one != other)
				ck_abort_msg("%s and %s: place %u", first, second, i);
			compared++;
		}
	}
	ck_assert_uint_gt(compared, 0);
	men_free(solved);
	men_free(filled);
}

START_TEST(swapping_colours_negates_values)
{
	static const char *const pairs[][2] = {{"Pk", "Kp"}, {"Bn", "Nb"}, {"Qr", "Rq"}, {"NNk", "Knn"}};
	static const char *const names[] = {"antichess", "antichess:stalemate=fewer"};
	for (unsigned i = 0; i < 2; i++) {
		struct game *game = open_game(names[i]);
		compare_swapped(game, pairs[_i][0], pairs[_i][1]);
		game_close(game);
	}
}
END_TEST

SUITE(men)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, two_men_are_what_one_analysis_says, 0, 2);
	tcase_add_test(c, three_men_are_what_one_analysis_says);
	tcase_add_loop_test(c, swapping_colours_negates_values, 0, effort() < 100 ? 3 : 4);
}
