#include "tests/lab/diff_remote.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/walk.h"

enum { MEMORY = 512 << 10, NODES_MOST = 10000, PROOF_POSITIONS = 5000 };

void diff_remote_init(struct diff_remote *d, const struct game *game, uint64_t random)
{
	*d = (struct diff_remote){.game = game, .random = random};
}

void diff_remote_fini(struct diff_remote *d)
{
	for (unsigned i = 0; i < 2; i++) {
		pn_leaf_runner_free(d->runner[i][0]);
		pn_leaf_runner_free(d->runner[i][1]);
		pn_proof_walk_free(d->walk[i]);
	}
}

void diff_remote_join(struct diff_remote *d, struct pn_solver *solver, const struct pn_options *o,
		      const struct pn_host *host)
{
	struct pd_fail fail;
	d->solver = solver;
	d->knowledge = o->knowledge;
	for (d->count = 0; pn_remote_possible(o) && d->count < o->remote; d->count++)
		if (pn_solver_join(solver, host, true, &d->thread[d->count], &fail)) {
			printf("%s\n", fail.text);
			abort();
		}
	pn_solver_grain(solver, walk_below(&d->random, 300),
			walk_below(&d->random, 2) ? 0 : walk_below(&d->random, PN_LOOK_NODES));
}

static struct pn_leaf_runner *get_runner(struct diff_remote *d, unsigned machine)
{
	struct pn_leaf_runner **runner = &d->runner[d->knowledge][machine];
	const struct pn_leaf_runner_setup setup = {.game = d->game,
						   .memory = MEMORY,
						   .nodes_max = NODES_MOST,
						   .identity = 1 + machine,
						   .weak = machine,
						   .mobility = true,
						   .heuristics = !machine,
						   .knowledge = d->knowledge,
						   .seed = machine};
	struct pd_fail fail;
	if (!*runner && pn_leaf_runner_new(&setup, runner, &fail)) {
		printf("%s\n", fail.text);
		abort();
	}
	return *runner;
}

/* A solved leaf is proved by moves, unless that takes too many, and its proof holds. */
static void prove_leaf(struct diff_remote *d, struct pn_leaf_runner *runner, const struct pn_leaf_task *task,
		       const struct pn_leaf_result *result)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	static uint8_t bytes[PN_PROOF_BYTES];
	const struct game *game = d->game;
	struct pn_proof_walk **walk = &d->walk[d->knowledge];
	struct pn_proof_found found;
	const struct pd_reason reason = {
		.bound = (int16_t)(result->proved ? task->threshold : task->threshold - game->value_step),
		.side = result->proved ? PD_LO : PD_HI,
		.rank = result->rank,
		.move = result->move};
	size_t size = pn_leaf_prove(runner, PROOF_POSITIONS, bytes);
	if (!size)
		return;
	d->proofs++;
	if (!*walk && !(*walk = pn_proof_walk_new(game, d->knowledge, 3)))
		abort();
	if (game->rules->unkey(game, task->key, task->key_size, state) ||
	    pn_proof_check(*walk, state, &reason, bytes, size, &found) != PN_PROOF_HOLDS)
		d->wrong = "the proof of a leaf does not hold";
}

static void search_leaf(struct diff_remote *d, unsigned thread, const struct pn_leaf_task *task)
{
	unsigned machine = walk_below(&d->random, 2);
	struct pn_leaf_runner *runner = get_runner(d, machine);
	struct pn_leaf_solved solved[4];
	struct pn_leaf_result result;
	struct pd_fail fail;
	if (pn_leaf_begin(runner, task, &fail)) {
		d->wrong = "a runner refuses a leaf";
		return;
	}
	while (!pn_leaf_run(runner, 500))
		;
	pn_leaf_result(runner, &result);
	unsigned count = pn_leaf_solved(runner, solved, 4);
	for (unsigned i = 0; i < count; i++)
		if (!pn_leaf_learn(get_runner(d, !machine), &solved[i]))
			d->wrong = "a position that a runner solved is refused";
	d->leaves += result.solved;
	if (result.solved && !walk_below(&d->random, 4))
		prove_leaf(d, runner, task, &result);
	if (!pn_solver_deliver(d->solver, thread, &result))
		d->wrong = "the result of a leaf is refused";
}

void diff_remote_turn(void *remote, unsigned which, unsigned nodes)
{
	struct diff_remote *d = remote;
	struct pn_leaf_task task;
	if (pn_solver_leaf(d->solver, d->thread[which], &task) && walk_below(&d->random, 3))
		search_leaf(d, d->thread[which], &task);
	pn_solver_run_thread(d->solver, d->thread[which], nodes);
}
