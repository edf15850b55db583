#define _GNU_SOURCE /* SCHED_BATCH */
#include "server/worker/leaf_cache.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"

bool wk_known_init(struct wk_known *known)
{
	pd_mutex_init(&known->lock, PD_LOCK_KNOWN);
	known->count = 0;
	known->ring = calloc(WK_KNOWN_MAX, sizeof *known->ring);
	return known->ring != NULL;
}

void wk_known_fini(struct wk_known *known)
{
	pd_mutex_fini(&known->lock);
	free(known->ring);
}

static bool fits_ring(const struct cw_text *game, const struct cw_solved *solved)
{
	uint16_t rank = solved->reason.rank;
	return game->size && game->size < GAME_NAME_MAX && !memchr(game->data, 0, game->size) && solved->key_size &&
	       solved->key_size <= GAME_KEY_MAX && ((rank >= 1 && rank <= PD_RANK_MAX) || rank == PD_RANK_NONE) &&
	       solved->reason.effort;
}

void wk_known_add(struct wk_known *known, const struct cw_text *game, uint64_t rules, const struct cw_solved *solved)
{
	if (!fits_ring(game, solved))
		return;
	pd_mutex_lock(&known->lock);
	struct wk_known_position *position = &known->ring[known->count++ % WK_KNOWN_MAX];
	memset(position, 0, sizeof *position);
	memcpy(position->game, game->data, game->size);
	position->rules = rules;
	position->solved.reason = solved->reason;
	position->solved.key_size = solved->key_size;
	memcpy(position->solved.key, solved->key, solved->key_size);
	pd_mutex_unlock(&known->lock);
}

bool wk_known_next(struct wk_known *known, const char *game, uint64_t rules, uint64_t *at, struct pn_leaf_solved *out)
{
	bool found = false;
	pd_mutex_lock(&known->lock);
	PD_ASSERT(*at <= known->count);
	if (known->count - *at > WK_KNOWN_MAX)
		*at = known->count - WK_KNOWN_MAX;
	while (!found && *at < known->count) {
		const struct wk_known_position *position = &known->ring[(*at)++ % WK_KNOWN_MAX];
		found = position->rules == rules && !strcmp(position->game, game);
		if (found)
			*out = position->solved;
	}
	pd_mutex_unlock(&known->lock);
	return found;
}

enum {
	SLICE_NS = 1000000,
	SLICE_NODES_MIN = 64,
	SLICE_NODES_MAX = 1 << 16,
	BYTES_A_NODE = 64 /* an arena takes at most a quarter of a runner's memory, at 16 bytes a node */
};

static const uint32_t options_all = CW_WEAK | CW_MOBILITY | CW_HEURISTICS | CW_KNOWLEDGE;

/* A runner and the tasks that it is for. */
struct runner {
	struct pn_leaf_runner *leaf; /* owned; NULL: this entry is free */
	const struct game *game;     /* held as long as `leaf` exists */
	char name[GAME_NAME_MAX];    /* as tasks name it */
	uint64_t rules, seed;
	uint32_t options;
	uint64_t used;  /* value of `served` when the runner was last used */
	uint64_t known; /* known positions before this number were passed to it */
};

struct wk_leaf_cache {
	struct wk_leaf_cache_setup setup;
	struct runner runners[WK_RUNNERS];
	uint64_t served;
	uint64_t slice; /* nodes that take about SLICE_NS */
	struct pn_leaf_solved solved[PN_LEAF_SOLVED_MAX];
};

struct wk_leaf_cache *wk_leaf_cache_new(const struct wk_leaf_cache_setup *setup)
{
	PD_ASSERT(setup->memory >= WK_RUNNERS * PN_MEMORY_MIN);
	struct wk_leaf_cache *cache = calloc(1, sizeof *cache);
	if (!cache)
		return NULL;
	cache->setup = *setup;
	cache->slice = SLICE_NODES_MIN;
	return cache;
}

static void end_runner(struct wk_leaf_cache *cache, struct runner *runner)
{
	if (!runner->leaf)
		return;
	pn_leaf_runner_free(runner->leaf);
	sv_games_put(cache->setup.games, runner->game);
	runner->leaf = NULL;
}

void wk_leaf_cache_free(struct wk_leaf_cache *cache)
{
	if (!cache)
		return;
	for (unsigned i = 0; i < WK_RUNNERS; i++)
		end_runner(cache, &cache->runners[i]);
	free(cache);
}

static void refuse_task(struct wk_task *task, enum cw_refusal why, const char *words)
{
	task->refused = why;
	snprintf(task->words, sizeof task->words, "%.*s", WK_WORDS_MAX - 1, words);
}

/* A free entry; if there is none, ends the least recently used runner. */
static struct runner *free_entry(struct wk_leaf_cache *cache)
{
	struct runner *oldest = &cache->runners[0];
	for (struct runner *r = cache->runners; r < cache->runners + WK_RUNNERS; r++) {
		if (!r->leaf)
			return r;
		oldest = r->used < oldest->used ? r : oldest;
	}
	end_runner(cache, oldest);
	return oldest;
}

static struct runner *find_runner(struct wk_leaf_cache *cache, const struct wk_task *task)
{
	for (struct runner *r = cache->runners; r < cache->runners + WK_RUNNERS; r++)
		if (r->leaf && r->rules == task->rules && r->seed == task->seed && r->options == task->options &&
		    !strcmp(r->name, task->game))
			return r;
	return NULL;
}

static int make_runner(struct wk_leaf_cache *cache, const struct wk_task *task, const struct game *game,
		       struct runner **out, struct pd_fail *fail)
{
	struct runner *r = free_entry(cache); /* first, to release its memory */
	uint64_t memory = cache->setup.memory / WK_RUNNERS;
	struct pn_leaf_runner_setup setup = {.game = game,
					     .memory = memory,
					     .nodes_max = memory / BYTES_A_NODE,
					     .identity = cache->setup.identity,
					     .weak = task->options & CW_WEAK,
					     .mobility = task->options & CW_MOBILITY,
					     .heuristics = task->options & CW_HEURISTICS,
					     .knowledge = task->options & CW_KNOWLEDGE,
					     .seed = task->seed};
	int rc = pn_leaf_runner_new(&setup, &r->leaf, fail);
	if (rc) {
		r->leaf = NULL;
		return rc;
	}
	r->game = game;
	memcpy(r->name, task->game, sizeof r->name);
	r->rules = task->rules;
	r->seed = task->seed;
	r->options = task->options;
	r->known = 0;
	*out = r;
	return PD_OK;
}

/* The runner for a task; NULL: the task is refused. */
static struct runner *get_runner(struct wk_leaf_cache *cache, struct wk_task *task)
{
	struct runner *r = find_runner(cache, task);
	struct pd_fail fail;
	struct game *game;
	char words[WK_WORDS_MAX];
	if (r)
		return r;
	if (task->options & ~options_all) {
		refuse_task(task, CW_BAD_TASK, "it has options unknown to this version");
		return NULL;
	}
	int rc = sv_games_get(cache->setup.games, task->game, &game, &fail);
	if (rc) {
		refuse_task(task, rc == PD_E_NO_MEMORY ? CW_TOO_LARGE : CW_NO_GAME, fail.text);
		return NULL;
	}
	if (game_version(game) != task->rules) {
		snprintf(words, sizeof words,
			 "its rules are version %" PRIx64 " of %.90s; this worker has version %" PRIx64, task->rules,
			 task->game, game_version(game));
		refuse_task(task, CW_OTHER_RULES, words);
		rc = PD_E_UNSUPPORTED;
	} else {
		rc = make_runner(cache, task, game, &r, &fail);
		if (rc)
			refuse_task(task, rc == PD_E_NO_MEMORY ? CW_TOO_LARGE : CW_BAD_TASK, fail.text);
	}
	if (rc)
		sv_games_put(cache->setup.games, game);
	return rc ? NULL : r;
}

/* Passes on the known positions that came since the runner was last used. */
static void teach_known(struct wk_leaf_cache *cache, struct runner *r)
{
	struct pn_leaf_solved known;
	while (wk_known_next(cache->setup.known, r->name, r->rules, &r->known, &known))
		pn_leaf_learn(r->leaf, &known); /* ignores what no search can have found */
}

/* True: the search is over; false: the task was dropped. */
static bool search_task(struct wk_leaf_cache *cache, struct pn_leaf_runner *leaf, struct wk_task *task)
{
	bool over = false;
	while (!over && !atomic_load_explicit(&task->dropped, memory_order_relaxed)) {
		uint64_t begin = pd_now_ns();
		over = pn_leaf_run(leaf, cache->slice);
		uint64_t took = pd_now_ns() - begin;
		if (!over && took < SLICE_NS / 2 && cache->slice < SLICE_NODES_MAX)
			cache->slice *= 2;
		else if (took > 2 * SLICE_NS && cache->slice > SLICE_NODES_MIN)
			cache->slice /= 2;
	}
	return over;
}

/* Adds to the result what the search solved on the way, if there is memory for it. */
static void keep_solved(struct wk_leaf_cache *cache, const struct pn_leaf_runner *leaf, struct wk_task *task)
{
	unsigned count = pn_leaf_solved(leaf, cache->solved, PN_LEAF_SOLVED_MAX);
	size_t bytes = 0;
	PD_ASSERT(count <= PN_LEAF_SOLVED_MAX && !task->solved);
	_Static_assert((int)PN_LEAF_SOLVED_MAX <= (int)CW_SOLVED_MAX, "a result holds them");
	for (unsigned i = 0; i < count; i++)
		bytes += cache->solved[i].key_size;
	struct cw_solved *out = count ? malloc(count * sizeof *out + bytes) : NULL;
	if (!out)
		return;
	uint8_t *keys = (uint8_t *)(out + count);
	for (unsigned i = 0; i < count; i++) {
		const struct pn_leaf_solved *from = &cache->solved[i];
		memcpy(keys, from->key, from->key_size);
		out[i] = (struct cw_solved){keys, from->key_size, from->reason};
		keys += from->key_size;
	}
	task->solved = out;
	task->solved_count = count;
}

/* Searches a task or refuses it; stops when the task is dropped. */
static void serve_task(struct wk_leaf_cache *cache, struct wk_task *task)
{
	struct pd_fail fail;
	uint64_t cpu_ns = pd_cpu_ns();
	struct runner *r = get_runner(cache, task);
	if (!r)
		return;
	r->used = ++cache->served;
	teach_known(cache, r);
	if (pn_leaf_begin(r->leaf, &task->leaf, &fail)) {
		refuse_task(task, CW_BAD_TASK, fail.text);
		return;
	}
	if (!search_task(cache, r->leaf, task))
		return;
	pn_leaf_result(r->leaf, &task->result);
	keep_solved(cache, r->leaf, task);
	task->cpu_ns = pd_cpu_ns() - cpu_ns;
}

void *wk_leaf_cache_main(void *arg)
{
	struct wk_leaf_cache *cache = arg;
	struct wk_tasks *tasks = cache->setup.tasks;
	struct wk_task *task;
	struct sched_param batch = {0};
	pthread_setschedparam(pthread_self(), SCHED_BATCH, &batch); /* as in jobs/run/search_thread.c */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), cache->setup.nice);
	while ((task = wk_tasks_take(tasks))) {
		serve_task(cache, task);
		wk_tasks_bring(tasks, task);
	}
	pd_mutex_lock(&tasks->lock);
	PD_ASSERT(tasks->threads > 0);
	tasks->threads--;
	pthread_cond_broadcast(&tasks->rest);
	pd_mutex_unlock(&tasks->lock);
	return NULL;
}
