/* Retrograde comparison, a quick share of it (F1, F3): positions of small games, asked of every algorithm with tiny
 * tables and budgets, and all that is said compared with retrograde analysis. `bench_retro` asks them all. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/agree.h"
#include "tests/support/effort.h"
#include "tests/support/endings.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"

enum { ALGORITHMS = PN_ALGORITHM_LAST + 1 };

static void add_to_retro(void *ctx, const void *state)
{
	ck_assert(retro_add(ctx, state));
}

/* Every algorithm, both details, one thread and two, another seed and budget each time. */
static void every_way(const struct agree_set *set, unsigned share, struct agree_sum *sum)
{
	for (unsigned i = 0; i < ALGORITHMS * 2 * 2; i++) {
		enum pn_algorithm algorithm = (enum pn_algorithm)(i % ALGORITHMS);
		struct agree_plan plan = {.threads = 1 + i / (2 * ALGORITHMS),
					  .share = share,
					  .scratch = 10,
					  .nodes = 20000,
					  .again = 2000000,
					  .rounds = 1};
		if (algorithm == PN_MINIMAL && set->men) /* its trees of endings with pieces exceed the memory */
			continue;
		pn_options_init(&plan.options);
		plan.options.algorithm = algorithm;
		plan.options.detail = i / ALGORITHMS % 2 ? PN_FULL : PN_FRONTIER;
		plan.options.memory = agree_memory(algorithm);
		plan.options.paper_nodes = AGREE_PLACES;
		plan.options.seed = i;
		plan.options.cap_first = plan.options.cap_last = 1 + 4 * i;
		plan.justify = plan.threads == 1;
		uint64_t before = sum->unanswered;
		agree_run(set, &plan, sum);
		if (sum->unanswered > before)
			fprintf(stderr, "%s: %llu unanswered\n", pn_algorithm_text(algorithm),
				(unsigned long long)(sum->unanswered - before));
	}
}

/* The facts that are wanted at least: a share of the positions gives fewer, and not the same share of them. */
static uint64_t share_of(uint64_t facts)
{
	return effort() == 100 ? facts : facts / effort_stride() / 2;
}

static void check_sum(const struct agree_sum *sum, uint64_t facts)
{
	ck_assert_uint_eq(sum->wrong, 0);
	ck_assert_uint_eq(sum->unanswered, 0);
	ck_assert_uint_gt(sum->facts, facts);
	ck_assert_uint_gt(sum->unranked, 0);
	ck_assert_uint_gt(sum->justified, facts / 4);
	ck_assert_uint_ge(sum->answers + sum->known, 4 * sum->positions);
}

static void loa(const char *name, unsigned n, unsigned side_max, unsigned men_max, unsigned share, uint64_t facts)
{
	struct game *game = open_game(name);
	struct retro *retro = retro_new(game, 1000000);
	struct agree_sum sum = {0};
	endings_loa(game, n, side_max, men_max, &(struct endings_to){retro, add_to_retro});
	struct agree_set set = {game, retro, {retro_solve(retro, 0), retro_solve(retro, 1)}};
	every_way(&set, share * effort_stride(), &sum);
	check_sum(&sum, share_of(facts));
	retro_free(retro);
	game_close(game);
}

START_TEST(lines_of_action_with_three_men_a_side_on_four_rows)
{
	loa("loa:4", 4, 3, 6, 50, 50000);
}
END_TEST

START_TEST(lines_of_action_with_four_men_on_five_rows)
{
	loa("loa:5", 5, 3, 4, 10, 50000);
}
END_TEST

/* Moving wins immediately, too, and who cannot move has lost. */
START_TEST(lines_of_action_by_other_rules)
{
	loa("loa:4,simultaneous=mover,nomove=loss", 4, 3, 6, 100, 20000);
}
END_TEST

/* Endings of antichess: with draws, with promotions and captures in passing, and with stalemates. */
START_TEST(antichess_with_two_men_and_three)
{
	static const struct {
		const char *material;
		unsigned share;
	} asked[] = {{"Qp", 200}, {"Nk", 500}, {"Rr", 200}, {"QNn", 20000}};
	struct game *game = open_game("antichess");
	struct men *men = men_new(game, true);
	struct agree_sum sum = {0};
	for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct agree_set set = {.game = game, .solved = {0, 1}, .men = men, .material = asked[i].material};
		men_solve(men, asked[i].material);
		every_way(&set, asked[i].share * effort_stride(), &sum);
	}
	check_sum(&sum, share_of(10000));
	men_free(men);
	game_close(game);
}
END_TEST

/* What is wrong is seen: the same positions against the truth of another claim. */
START_TEST(a_wrong_truth_is_noticed)
{
	struct game *game = open_game("loa:4");
	struct retro *retro = retro_new(game, 1000000);
	struct agree_sum sum = {0};
	struct agree_plan plan = {.threads = 1, .share = 1, .nodes = 200000, .quiet = true};
	endings_loa(game, 4, 2, 4, &(struct endings_to){retro, add_to_retro});
	unsigned draw = retro_solve(retro, 0);
	struct agree_set set = {game, retro, {draw, draw}};
	pn_options_init(&plan.options);
	plan.options.memory = 1 << 20;
	agree_run(&set, &plan, &sum);
	ck_assert_uint_gt(sum.wrong, 0);
	retro_free(retro);
	game_close(game);
}
END_TEST

SUITE(retro_share)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, lines_of_action_with_three_men_a_side_on_four_rows);
	tcase_add_test(c, lines_of_action_with_four_men_on_five_rows);
	tcase_add_test(c, lines_of_action_by_other_rules);
	tcase_add_test(c, antichess_with_two_men_and_three);
	tcase_add_test(c, a_wrong_truth_is_noticed);
}
