#include "tests/support/cyclic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/graph.h"
#include "tests/support/interleave.h"
#include "tests/support/walk.h"

enum { POSITIONS_MAX = 64, WALKERS_MAX = 3 };

struct game *cyclic_game(uint64_t seed)
{
	uint64_t r = seed * 2 + 1;
	struct graph_maker m;
	unsigned count = 5 + walk_below(&r, 56), ends = 2 + walk_below(&r, 5), degree = 1 + walk_below(&r, 4);
	static char names[POSITIONS_MAX][4];
	graph_begin(&m, -1, 1);
	for (unsigned i = 0; i < count; i++)
		snprintf(names[i], sizeof names[i], "n%u", i % 100);
	for (unsigned i = 0; i < count; i++) {
		char children[128] = "";
		if (i && walk_below(&r, ends) == 0) {
			graph_leaf(&m, names[i], (int)walk_below(&r, 3) - 1);
			continue;
		}
		unsigned list = 1 + walk_below(&r, degree + 1);
		for (unsigned j = 0; j < list; j++) {
			strcat(children, j ? " " : "");
			strcat(children, names[walk_below(&r, count)]);
		}
		graph_node(&m, names[i], walk_below(&r, 2), children);
	}
	struct pd_graph *graph = graph_end(&m);
	graph->infinite_value = (int16_t)((int)walk_below(&r, 3) - 1);
	return graph_game(graph);
}

struct compare {
	const struct game *game;
	const struct retro *retro;
	const unsigned *solved;
	struct factbase *base;
	struct cyclic_sum *sum;
};

static void compare_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	struct compare *c = ctx;
	const struct game *g = c->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned distance = 0;
	c->sum->facts++;
	c->sum->leaves += r->effort > 0;
	bool counted = g->acyclic || (r->side == PD_LO ? r->bound > g->infinite_value : r->bound < g->infinite_value);
	bool ok = !g->rules->unkey(g, key, size, state) && (r->side == PD_LO ? r->bound >= 0 : r->bound <= 0);
	if (ok) {
		int threshold = r->side == PD_LO ? r->bound : r->bound + 1;
		ok = retro_holds(c->retro, c->solved[threshold], state, &distance) == (r->side == PD_LO);
		ok = ok && (counted ? distance <= r->rank && r->rank <= PD_RANK_MAX : r->rank == PD_RANK_NONE);
	}
	if (!ok && c->sum->wrong++ < 5)
		printf("%s: wrong fact: side %d bound %d rank %u, distance %u\n", g->name, r->side, r->bound, r->rank,
		       distance);
	factbase_add(c->base, key, size, r);
}

static bool answer_is_right(const struct compare *c, const void *state, const struct pd_claim *claim,
			    const struct pn_answer *a)
{
	int value = -1;
	for (int t = 0; t <= 1; t++)
		if (retro_holds(c->retro, c->solved[t], state, NULL))
			value = t;
	return a->lo <= value && value <= a->hi && (!claim->value || a->lo == a->hi);
}

bool cyclic_solve(const struct game *game, const void *state, const struct pd_claim *claim,
		  const struct pn_options *options, const struct pn_host *host, const struct retro *retro,
		  const unsigned solved[2], uint64_t nodes, struct factbase *base, struct cyclic_sum *sum)
{
	return cyclic_solve_more(game, state, claim, options, host, retro, solved, nodes, base, sum, NULL);
}

bool cyclic_solve_more(const struct game *game, const void *state, const struct pd_claim *claim,
		       const struct pn_options *options, const struct pn_host *host, const struct retro *retro,
		       const unsigned solved[2], uint64_t nodes, struct factbase *base, struct cyclic_sum *sum,
		       const struct cyclic_more *more)
{
	static const struct cyclic_more none = {.slice = 10000};
	struct compare c = {game, retro, solved, base, sum};
	struct pn_solver *solver;
	struct pn_entry entries[64];
	struct pn_progress p;
	struct pn_answer answer;
	struct pd_fail fail;
	enum pn_state end;
	more = more ? more : &none;
	if (pn_solver_new(
		    &(struct pn_solver_setup){game, state, claim, options, host, NULL, more->first, more->first_count},
		    &solver, &fail)) {
		printf("%s\n", fail.text);
		abort();
	}
	unsigned threads = interleave_join(solver, options->threads, host);
	uint64_t random = options->seed + threads;
	do {
		end = threads > 1 ? interleave_round(solver, threads, more->slice < 200 ? (unsigned)more->slice : 200,
						     more->slice, &random)
				  : pn_solver_step(solver, more->slice);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, compare_fact, &c);
		if (more->between)
			more->between(more->ctx, solver);
		pn_solver_progress(solver, &p);
	} while ((end == PN_RUNNING || end == PN_COLLECT) && p.level1 + p.level2 < nodes);
	pn_solver_answer(solver, &answer);
	sum->runs++;
	sum->nodes += p.level1 + p.level2;
	sum->unanswered += !answer.answered;
	if (answer.answered && !answer_is_right(&c, state, claim, &answer) && sum->wrong++ < 5)
		printf("%s by %s: wrong value %d..%d\n", game->name, pn_algorithm_text(options->algorithm), answer.lo,
		       answer.hi);
	pn_solver_free(solver);
	return answer.answered;
}

void cyclic_run(uint64_t seed, struct cyclic_sum *sum)
{
	struct game *game = cyclic_game(seed);
	struct retro *retro = retro_new(game, POSITIONS_MAX);
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_claim claim = {.value = true};
	game->rules->start(game, state);
	if (!retro_add(retro, state))
		abort();
	unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	sum->graphs++;
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
		for (unsigned way = 0; way < 2 * WALKERS_MAX; way++) {
			int detail = way % 2 ? PN_FULL : PN_FRONTIER;
			struct pn_options o;
			struct factbase base;
			unsigned leaves;
			pn_options_init(&o);
			o.algorithm = (enum pn_algorithm)a;
			o.detail = (enum pn_detail)detail;
			o.memory = !pn_algorithm_has_tt(o.algorithm) ? 16 << 20
				   : a == PN_PAPER                   ? 1 << 20
								     : (UINT64_C(1) << 16) << (seed % 5);
			o.seed = seed % 7;
			o.cap_first = o.cap_last = 1 + (uint32_t)(seed % 23);
			o.paper_nodes = 20000;
			o.frontier.look_ahead = seed % 11 % 4;
			o.frontier.playouts = seed % 13 % 3;
			o.threads = 1 + way / 2;
			if (o.threads > 1 && !pn_algorithm_has_threads(o.algorithm))
				continue; /* these know one only */
			factbase_init(&base);
			bool done = cyclic_solve(game, state, &claim, &o, NULL, retro, solved, 300000, &base, sum);
			if (!done)
				printf("graph %llu by %s, %u threads: not answered\n", (unsigned long long)seed,
				       pn_algorithm_text(o.algorithm), o.threads);
			unsigned bad = factbase_check(&base, game, &leaves);
			if (bad)
				printf("graph %llu by %s, detail %d, %u threads: %u facts are not justified\n",
				       (unsigned long long)seed, pn_algorithm_text(o.algorithm), detail, o.threads,
				       bad);
			sum->wrong += bad + base.conflicts;
			factbase_fini(&base);
		}
	retro_free(retro);
	game_close(game);
}
