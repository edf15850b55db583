/* Tables so small that they lose nearly everything: the search still ends. */
#include "solver/solver.h"

#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/suite.h"

/* Where a node was left as soon as one of its numbers had grown (`patience`), some searches turned in a circle, one in
 * thirty by the identity key. */
START_TEST(a_search_without_memory_ends)
{
	enum { FIRST_KEY = 40 /* one of those */, SLICES_MAX = 400, SLICE = 100000 };
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game *g;
	struct pd_claim claim;
	ck_assert(!game_open("breakthrough:4x5", NULL, &g, NULL));
	ck_assert(!pd_claim_parse("first-wins", &claim, NULL));
	g->rules->start(g, state);
	for (unsigned key = FIRST_KEY; key < FIRST_KEY + effort_of(60, 5); key++) {
		struct pn_solver *solver;
		struct pn_options o;
		struct factbase base;
		struct pn_entry entries[64];
		enum pn_state end = PN_RUNNING;
		pn_options_init(&o);
		o.memory = 1 << 20;
		o.tt_entries = 64;
		o.cap_last = 500;
		o.identity = key;
		ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, NULL));
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

SUITE(starving)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_search_without_memory_ends);
}
