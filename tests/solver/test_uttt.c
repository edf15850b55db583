/* Ultimate tic-tac-toe: late positions with known values by every algorithm, with facts that are justified. */
#include "solver/solver.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/factbase.h"
#include "tests/support/suite.h"

enum { EMPTY_MAX = 25 }; /* squares in open boards, for plain PN search to end soon */

static void solve_question(const struct game *g, const char *position, int expected, enum pn_algorithm algorithm,
			   enum pn_detail detail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_options o;
	struct pn_solver *solver;
	struct pn_answer answer;
	struct pd_claim claim = {.value = true};
	struct pd_fail fail;
	struct factbase base;
	unsigned leaves;
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.detail = detail;
	o.memory = 32 << 20;
	factbase_init(&base);
	ck_assert_msg(!g->rules->parse(g, position, state, &fail), "%s: %s", position, fail.text);
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, NULL));
	ck_assert_int_eq(solve_all(solver, 1 << 20, &base), PN_ANSWERED);
	pn_solver_answer(solver, &answer);
	ck_assert_int_eq(answer.lo, answer.hi);
	ck_assert_msg(answer.lo == expected, "%s by %s: %d", position, pn_algorithm_text(algorithm), answer.lo);
	ck_assert_uint_eq(base.conflicts, 0);
	ck_assert_uint_gt(base.count, 0);
	ck_assert_msg(factbase_check(&base, g, &leaves) == 0, "%s by %s", position, pn_algorithm_text(algorithm));
	pn_solver_free(solver);
	factbase_fini(&base);
}

START_TEST(late_positions_have_their_published_values_by_every_algorithm)
{
	char line[512], text[128], value[8];
	unsigned empty, solved = 0;
	struct game *g;
	ck_assert(!game_open("uttt", NULL, &g, NULL));
	FILE *f = fopen(TEST_DATA "/uttt/endgames.tsv", "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '#' || sscanf(line, "%*s %127s %u %7s", text, &empty, value) != 3 || empty > EMPTY_MAX)
			continue;
		int mover = value[0] == 'w' ? 1 : value[0] == 'l' ? -1 : 0;
		for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
			solve_question(g, text, text[0] == 'X' ? mover : -mover, (enum pn_algorithm)a,
				       solved % 2 ? PN_FULL : PN_FRONTIER);
		solved++;
	}
	fclose(f);
	game_close(g);
	ck_assert_uint_ge(solved, 30);
}
END_TEST

SUITE(uttt)
{
	tcase_set_timeout(c, 100);
	tcase_add_test(c, late_positions_have_their_published_values_by_every_algorithm);
}
