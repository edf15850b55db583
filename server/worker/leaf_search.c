#define _GNU_SOURCE /* SCHED_BATCH */
#include "server/worker/leaf_search.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum { SLICE_NS = 1000000, SLICE_NODES_MIN = 64, SLICE_NODES_MAX = 1 << 16 };

/* A runner and the tasks that it is for. */
struct runner {
	struct pn_leaf_runner *leaf; /* owned; NULL: there is none */
	const struct game *game;     /* held as long as `leaf` exists */
	uint64_t cache;              /* number of the shared cache that it uses */
	uint64_t seed;
};

struct wk_leaf_search {
	struct wk_leaf_search_setup setup;
	struct runner runners[WK_CACHES]; /* for the cache in the same place */
	uint64_t slice;                   /* nodes that take about SLICE_NS */
	struct pn_leaf_solved solved[PN_LEAF_SOLVED_MAX];
	uint8_t proof[PN_PROOF_BYTES];
};

struct wk_leaf_search *wk_leaf_search_new(const struct wk_leaf_search_setup *setup)
{
	PD_ASSERT(setup->memory >= PN_MEMORY_MIN);
	struct wk_leaf_search *search = calloc(1, sizeof *search);
	if (!search)
		return NULL;
	search->setup = *setup;
	search->slice = SLICE_NODES_MIN;
	return search;
}

static void end_runner(struct wk_leaf_search *search, struct runner *runner)
{
	if (!runner->leaf)
		return;
	pn_leaf_runner_free(runner->leaf);
	sv_games_put(search->setup.caches->games, runner->game);
	runner->leaf = NULL;
}

void wk_leaf_search_free(struct wk_leaf_search *search)
{
	if (!search)
		return;
	for (unsigned i = 0; i < WK_CACHES; i++)
		end_runner(search, &search->runners[i]);
	free(search);
}

static void make_runner(struct wk_leaf_search *search, const struct wk_shared_cache *cache, struct runner *r,
			struct wk_task *task)
{
	const uint64_t memory = search->setup.memory;
	struct pn_leaf_runner_setup setup = {.game = cache->game,
					     .cache = cache->solved,
					     .memory = memory,
					     .nodes_max = memory / WK_BYTES_A_NODE,
					     .weak = task->options & CW_WEAK,
					     .mobility = task->options & CW_MOBILITY,
					     .heuristics = task->options & CW_HEURISTICS,
					     .knowledge = task->options & CW_KNOWLEDGE,
					     .seed = task->seed};
	struct pd_fail fail;
	struct game *game;
	int rc = sv_games_get(search->setup.caches->games, task->game, &game, &fail);
	if (!rc && game != cache->game) {
		sv_games_put(search->setup.caches->games, game);
		rc = pd_fail_set(&fail, PD_E_UNSUPPORTED, "game", "the rules have changed");
	} else if (!rc && (rc = pn_leaf_runner_new(&setup, &r->leaf, &fail))) {
		r->leaf = NULL;
		sv_games_put(search->setup.caches->games, game);
	}
	if (rc) {
		wk_task_refuse(task, rc == PD_E_NO_MEMORY ? CW_TOO_LARGE : CW_BAD_TASK, fail.text);
		return;
	}
	r->game = game;
	r->cache = cache->number;
	r->seed = task->seed;
}

/* The runner for a task; NULL: the task is refused. */
static struct pn_leaf_runner *get_runner(struct wk_leaf_search *search, const struct wk_shared_cache *cache,
					 struct wk_task *task)
{
	struct runner *r = &search->runners[cache - search->setup.caches->place];
	if (r->leaf && (r->cache != cache->number || r->seed != task->seed))
		end_runner(search, r);
	if (!r->leaf)
		make_runner(search, cache, r, task);
	return r->leaf;
}

/* True: the search is over; false: the task was dropped. */
static bool search_task(struct wk_leaf_search *search, struct pn_leaf_runner *leaf, struct wk_task *task)
{
	bool over = false;
	while (!over && !atomic_load_explicit(&task->dropped, memory_order_relaxed)) {
		uint64_t begin = pd_now_ns();
		over = pn_leaf_run(leaf, search->slice);
		uint64_t took = pd_now_ns() - begin;
		if (!over && took < SLICE_NS / 2 && search->slice < SLICE_NODES_MAX)
			search->slice *= 2;
		else if (took > 2 * SLICE_NS && search->slice > SLICE_NODES_MIN)
			search->slice /= 2;
	}
	return over;
}

/* Adds to the result what the search solved on the way, if there is memory for it. */
static void keep_solved(struct wk_leaf_search *search, const struct pn_leaf_runner *leaf, struct wk_task *task)
{
	unsigned count = pn_leaf_solved(leaf, search->solved, PN_LEAF_SOLVED_MAX);
	PD_ASSERT(!task->solved);
	_Static_assert((int)PN_LEAF_SOLVED_MAX <= (int)CW_SOLVED_MAX, "a body holds them");
	if (!count || !(task->solved = malloc(count * sizeof *task->solved)))
		return;
	memcpy(task->solved, search->solved, count * sizeof *task->solved);
	task->solved_count = count;
}

/* Adds a proof to the result, if one is wanted and there is one within the bounds. */
static void keep_proof(struct wk_leaf_search *search, struct pn_leaf_runner *leaf, struct wk_task *task)
{
	_Static_assert((int)PN_PROOF_BYTES == (int)CW_PROOF_MAX, "a result holds a proof");
	size_t size =
		task->proof_wanted && task->result.solved ? pn_leaf_prove(leaf, task->proof_wanted, search->proof) : 0;
	task->proof = size ? malloc(size) : NULL;
	if (!task->proof)
		return;
	memcpy(task->proof, search->proof, size);
	task->proof_size = (uint16_t)size;
}

/* Searches a task with a cache that the caller holds, or refuses it; stops when the task is dropped. */
static void search_with(struct wk_leaf_search *search, const struct wk_shared_cache *cache, struct wk_task *task)
{
	struct pd_fail fail;
	uint64_t cpu_ns = pd_cpu_ns();
	struct pn_leaf_runner *leaf = get_runner(search, cache, task);
	if (!leaf)
		return;
	if (pn_leaf_begin(leaf, &task->leaf, &fail)) {
		wk_task_refuse(task, CW_BAD_TASK, fail.text);
		return;
	}
	if (!search_task(search, leaf, task))
		return;
	pn_leaf_result(leaf, &task->result);
	keep_solved(search, leaf, task);
	keep_proof(search, leaf, task);
	task->cpu_ns = pd_cpu_ns() - cpu_ns;
}

static void serve_task(struct wk_leaf_search *search, struct wk_task *task)
{
	struct wk_shared_cache *cache = wk_caches_hold(search->setup.caches, task);
	if (!cache)
		return;
	search_with(search, cache, task);
	wk_caches_release(search->setup.caches, cache);
}

void *wk_leaf_search_main(void *arg)
{
	struct wk_leaf_search *search = arg;
	struct wk_tasks *tasks = search->setup.tasks;
	struct wk_task *task;
	struct sched_param batch = {0};
	pthread_setschedparam(pthread_self(), SCHED_BATCH, &batch); /* as in jobs/run/search_thread.c */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), search->setup.nice);
	while ((task = wk_tasks_take(tasks))) {
		serve_task(search, task);
		if (wk_tasks_bring(tasks, task))
			search->setup.send(search->setup.ctx);
	}
	pd_mutex_lock(&tasks->lock);
	PD_ASSERT(tasks->threads > 0);
	tasks->threads--;
	pthread_cond_broadcast(&tasks->rest);
	pd_mutex_unlock(&tasks->lock);
	return NULL;
}
