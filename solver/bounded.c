#include "solver/solver.h"

#include <stdlib.h>

#include "solver/tree.h"

/* A small search that stands alone. Small ones are one tree; where that would not fit, or facts are to be asked, it is the whole solver with a
 * little memory. */

enum { BOUNDED_MEMORY_MIN = 1 << 20, BOUNDED_MEMORY_MAX = 256 << 20, TREE_BYTES_MAX = 64 << 20 };

/* The proof by one tree alone; PN_OPEN when the budget or the arena ends first. */
static int by_tree(const struct question *q, const void *state, uint64_t nodes,
		   void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason), void *ctx,
		   enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct tree_options options = {.keep_proofs = each != NULL, .mobility = true, .wins_at_once = true};
	uint64_t bytes = (nodes + 2 * (uint64_t)q->game->moves_max) * sizeof(struct tree_node);
	struct tree tree;
	if (!tree_init(&tree, q->game, bytes < TREE_BYTES_MAX ? bytes : TREE_BYTES_MAX, &options))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a bounded search");
	struct found found;
	found_init(&found);
	tree_start(&tree, q, state, UINT64_MAX);
	int error = PD_OK;
	*verdict = PN_OPEN;
	if (tree_run(&tree, &nodes) == TREE_SOLVED) {
		*verdict = tree_numbers(&tree)[0] == 0 ? PN_PROVED : PN_DISPROVED;
		if (each) {
			tree_emit(&tree, &found);
			found_take(&found, each, ctx);
		}
		if (found.failed)
			error = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the facts of a bounded search");
	}
	found_fini(&found);
	tree_fini(&tree);
	return error;
}

static void drop(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	(void)ctx, (void)key, (void)size, (void)reason;
}

/* Steps a solver to its end or the end of the nodes, handing its facts on. */
static void run_solver(struct pn_solver *solver, uint64_t nodes,
		       void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason), void *ctx)
{
	struct pn_entry entries[64];
	enum pn_state state = PN_RUNNING;
	struct pn_progress p = {0};
	while ((state == PN_RUNNING || state == PN_COLLECT) && p.level1 + p.level2 < nodes) {
		uint64_t left = nodes - p.level1 - p.level2;
		state = pn_solver_step(solver, left < 1000000 ? left : 1000000);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, each ? each : drop, ctx);
		pn_solver_progress(solver, &p);
	}
}

int pn_bounded(const struct game *game, const void *state, int threshold, uint64_t nodes, const struct pn_host *host,
	       void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason), void *ctx,
	       enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct question q = {game, threshold};
	uint64_t first = nodes < 20000 ? nodes : 20000;
	int error = by_tree(&q, state, first, each, ctx, verdict, fail);
	if (error || *verdict != PN_OPEN || first == nodes)
		return error;
	struct pn_options options;
	pn_options_init(&options);
	options.detail = each ? PN_FULL : PN_FRONTIER;
	options.memory = nodes < BOUNDED_MEMORY_MAX / 16 ? nodes * 16 : BOUNDED_MEMORY_MAX;
	if (options.memory < BOUNDED_MEMORY_MIN)
		options.memory = BOUNDED_MEMORY_MIN;
	struct pd_claim claim = {.threshold = (int16_t)threshold};
	struct pn_solver *solver;
	error = pn_solver_new(game, state, &claim, &options, host, NULL, &solver, fail);
	if (error)
		return error;
	run_solver(solver, nodes, each, ctx);
	struct pn_answer answer;
	pn_solver_answer(solver, &answer);
	*verdict = answer.lo >= threshold ? PN_PROVED : answer.hi < threshold ? PN_DISPROVED : PN_OPEN;
	pn_solver_free(solver);
	return PD_OK;
}
