/* Crazyhouse: mates of random games are found soon, with facts that are justified, and no shorter ones than exist. */
#include <stdio.h>
#include <string.h>

#include "solver/solver.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/suite.h"

enum { NODES_MAX = 200000 /* the hardest mate takes 96,894 */ };

/* A row of mates.tsv: shortest mates in moves by checks and by any moves, 0 for none in so many. */
struct row {
	char text[128];
	unsigned checks, checks_to, any, any_to;
};

static struct game *game;

static bool read_row(FILE *f, struct row *row)
{
	char line[512];
	while (fgets(line, sizeof line, f))
		if (line[0] != '#') {
			ck_assert_int_eq(sscanf(line, "%127[^\t]\t%u\t%u\t%u\t%u", row->text, &row->checks,
						&row->checks_to, &row->any, &row->any_to),
					 5);
			return true;
		}
	return false;
}

/* Fewest moves in which there may be a mate. */
static unsigned fewest_moves(const struct row *row)
{
	return row->any ? row->any : row->any_to + 1;
}

/* Searches for at most that many nodes; false when the question is still open then. */
static bool solve_within(struct pn_solver *solver, uint64_t nodes, struct factbase *base)
{
	struct pn_entry entries[64];
	enum pn_state state;
	do {
		state = pn_solver_step(solver, 1 << 14);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, factbase_add, base);
	} while ((state == PN_RUNNING || state == PN_COLLECT) && pn_solver_nodes(solver, 0) < nodes);
	return state == PN_ANSWERED;
}

static void solve_row(const struct row *row)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_options o;
	struct pn_solver *solver;
	struct pn_answer answer;
	struct pd_claim claim = {.threshold = 1};
	struct factbase base;
	bool mate = row->checks || row->any;
	unsigned leaves;
	pn_options_init(&o);
	o.memory = 64 << 20;
	factbase_init(&base);
	ck_assert(!game->rules->parse(game, row->text, state, NULL));
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, state, &claim, &o, NULL, NULL}, &solver, NULL));
	bool answered = solve_within(solver, mate ? NODES_MAX : NODES_MAX / 20, &base);
	pn_solver_answer(solver, &answer);
	ck_assert_msg(!mate || (answered && answer.lo == 1), "%s: no mate", row->text);
	if (answer.lo == 1)
		ck_assert_msg(answer.plies + 1u >= 2 * fewest_moves(row), "%s: mate in %u plies", row->text,
			      answer.plies);
	ck_assert_uint_eq(base.conflicts, 0);
	ck_assert_msg(!factbase_check(&base, game, &leaves), "%s", row->text);
	pn_solver_free(solver);
	factbase_fini(&base);
}

START_TEST(mates_are_found_and_are_no_shorter_than_they_can_be)
{
	struct row row;
	unsigned rows = 0, mates = 0;
	ck_assert(!game_open("chess-variant:crazyhouse", NULL, &game, NULL));
	FILE *f = fopen(TEST_DATA "/crazyhouse/mates.tsv", "r");
	ck_assert_ptr_nonnull(f);
	for (; read_row(f, &row); rows++) {
		mates += row.checks || row.any;
		if (rows % effort_stride() == 0)
			solve_row(&row);
	}
	fclose(f);
	ck_assert_uint_eq(rows, 172);
	ck_assert_uint_eq(mates, 86);
	game_close(game);
}
END_TEST

SUITE(crazyhouse)
{
	tcase_add_test(c, mates_are_found_and_are_no_shorter_than_they_can_be);
}
