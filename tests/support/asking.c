#include "tests/support/asking.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/support/interleave.h"

enum { TURN = 100000, THREADS_MAX = 64 };

struct one {
	struct pn_solver *solver;
	unsigned thread;
	uint64_t nodes; /* of the whole run */
	double end;     /* of processor time */
	pthread_t id;
};

static void end_program(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(2);
}

static double clock_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void drop_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
}

static uint64_t left_of(const struct pn_solver *solver, uint64_t nodes)
{
	struct pn_progress p;
	pn_solver_progress(solver, &p);
	uint64_t used = p.level1 + p.level2;
	return used < nodes ? nodes - used : 0;
}

/* One thread; returns as soon as any thread has a result. */
static void *run_thread(void *arg)
{
	struct one *one = arg;
	uint64_t left;
	while ((left = left_of(one->solver, one->nodes)) > 0 && clock_of(CLOCK_PROCESS_CPUTIME_ID) < one->end &&
	       pn_solver_run_thread(one->solver, one->thread, left < TURN ? left : TURN) == PN_RUNNING &&
	       !pn_solver_halted(one->solver))
		;
	pn_solver_halt(one->solver, true);
	return NULL;
}

/* All threads, until one has a result. */
static enum pn_state round_of(struct pn_solver *solver, unsigned threads, uint64_t nodes, double end)
{
	struct one all[THREADS_MAX];
	pn_solver_halt(solver, false);
	for (unsigned i = 0; i < threads; i++) {
		all[i] = (struct one){solver, i, nodes, end, 0};
		if (i && pthread_create(&all[i].id, NULL, run_thread, &all[i]))
			end_program("threads", "cannot be started");
	}
	run_thread(&all[0]);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(all[i].id, NULL);
	return pn_solver_gather(solver);
}

static void search_all(struct pn_solver *solver, unsigned threads, const struct asking *asking)
{
	double end = asking->seconds > 0 ? clock_of(CLOCK_PROCESS_CPUTIME_ID) + asking->seconds : INFINITY;
	struct pn_entry entries[256];
	enum pn_state state = threads > 1 ? pn_solver_gather(solver) : PN_RUNNING;
	uint64_t left, random = 1;
	while ((state == PN_RUNNING || state == PN_COLLECT) && (left = left_of(solver, asking->nodes)) > 0 &&
	       clock_of(CLOCK_PROCESS_CPUTIME_ID) < end) {
		if (asking->seconds > 0 && left > TURN)
			left = TURN;
		if (threads > 1 && asking->turn)
			state = interleave_round(solver, threads, asking->turn, left < TURN ? left : TURN, &random);
		else if (threads > 1)
			state = round_of(solver, threads, asking->nodes, end);
		else
			state = pn_solver_step(solver, left);
		while (pn_solver_take_entries(solver, entries, 256) > 0)
			;
		pn_solver_take_facts(solver, drop_fact, NULL);
	}
}

void asking_run(const struct asking *asking, struct asked *out)
{
	struct game *game;
	struct pd_fail f;
	struct pd_claim claim;
	struct pn_solver *solver;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned number, most = asking->options.threads < THREADS_MAX ? asking->options.threads : THREADS_MAX;
	if (game_open(asking->game, NULL, &game, &f) || game->rules->parse(game, asking->position, state, &f) ||
	    pd_claim_parse(asking->claim, &claim, &f) ||
	    pn_solver_new(&(struct pn_solver_setup){game, state, &claim, &asking->options, NULL, NULL}, &solver, &f))
		end_program(asking->game, f.text);
	*out = (struct asked){.threads = 1};
	while (out->threads < most && pn_solver_room(solver) && !pn_solver_join(solver, NULL, false, &number, &f))
		out->threads++;
	double cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
	search_all(solver, out->threads, asking);
	out->cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	out->wall = clock_of(CLOCK_MONOTONIC) - wall;
	pn_solver_answer(solver, &out->answer);
	pn_solver_progress(solver, &out->progress);
	out->nodes = out->progress.level1 + out->progress.level2;
	pn_solver_free(solver);
	game_close(game);
}
