/* Searches whose table loses nearly everything: they end. */
#include "solver/solver.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"

/* Where a node was left as soon as one number had grown (`patience`), some searches turned in a circle: one of thirty,
 * by the identity key. */
START_TEST(a_search_without_memory_ends)
{
	enum { SLICES_MAX = 400, SLICE = 100000 };
	struct game *g = open_game("breakthrough:4x5");
	struct walk_state state;
	struct pd_claim claim;
	g->rules->start(g, &state);
	ck_assert(!pd_claim_parse("first-wins", &claim, NULL));
	for (unsigned key = 1; key <= effort_of(60, 5); key++) {
		struct pn_options o;
		struct factbase base;
		struct pn_entry entries[64];
		enum pn_state end = PN_RUNNING;
		pn_options_init(&o);
		o.memory = 1 << 20;
		o.tt_entries = 64;
		o.cap_last = 500;
		o.identity = key;
		struct pn_solver *solver;
		ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, &state, &claim, &o, NULL, NULL}, &solver, NULL));
		factbase_init(&base);
		for (unsigned i = 0; i < SLICES_MAX && (end == PN_RUNNING || end == PN_COLLECT); i++) {
			end = pn_solver_step(solver, SLICE);
			while (pn_solver_take_entries(solver, entries, 64) > 0)
				;
			pn_solver_take_facts(solver, factbase_add, &base);
		}
		ck_assert_msg(end == PN_ANSWERED, "key %u: no answer after %d slices of %d nodes", key, SLICES_MAX,
			      SLICE);
		factbase_fini(&base);
		pn_solver_free(solver);
	}
	game_close(g);
}
END_TEST

SUITE(starved)
{
	tcase_set_timeout(c, 600);
	tcase_add_test(c, a_search_without_memory_ends);
}
