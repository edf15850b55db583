#include "server/worker/shared_caches.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

static const uint32_t options_all = CW_WEAK | CW_MOBILITY | CW_HEURISTICS | CW_KNOWLEDGE;

void wk_caches_init(struct wk_shared_caches *caches)
{
	memset(caches, 0, sizeof *caches);
	pd_mutex_init(&caches->lock, PD_LOCK_SHARED_CACHES);
	pd_cond_init(&caches->released);
}

static void empty_place(struct wk_shared_caches *caches, struct wk_shared_cache *cache)
{
	PD_ASSERT(!cache->holders);
	if (!cache->solved)
		return;
	pn_leaf_cache_free(cache->solved);
	sv_games_put(caches->games, cache->game);
	cache->solved = NULL;
}

void wk_caches_fini(struct wk_shared_caches *caches)
{
	for (unsigned i = 0; i < WK_CACHES; i++)
		empty_place(caches, &caches->place[i]);
	pthread_cond_destroy(&caches->released);
	pd_mutex_fini(&caches->lock);
}

/* --- under the lock ----------------------------------------------------------------------- */

static struct wk_shared_cache *find_cache(struct wk_shared_caches *caches, const struct wk_task *task)
{
	for (struct wk_shared_cache *c = caches->place; c < caches->place + WK_CACHES; c++)
		if (c->solved && !c->stale && c->rules == task->rules && c->options == task->options &&
		    !strcmp(c->name, task->game))
			return c;
	return NULL;
}

/* A free place, or that of the least recently used cache that nobody holds; NULL: all are held. */
static struct wk_shared_cache *find_place(struct wk_shared_caches *caches)
{
	struct wk_shared_cache *oldest = NULL;
	for (struct wk_shared_cache *c = caches->place; c < caches->place + WK_CACHES; c++) {
		if (!c->solved)
			return c;
		if (!c->holders && (!oldest || c->used < oldest->used))
			oldest = c;
	}
	return oldest;
}

/* Makes a cache in an empty place; false: the task was refused. */
static bool make_cache(struct wk_shared_caches *caches, struct wk_shared_cache *cache, struct wk_task *task)
{
	struct pd_fail fail;
	struct game *game;
	char words[WK_WORDS_MAX];
	if (task->options & ~options_all) {
		wk_task_refuse(task, CW_BAD_TASK, "it has options unknown to this version");
		return false;
	}
	int rc = sv_games_get(caches->games, task->game, &game, &fail);
	if (rc) {
		wk_task_refuse(task, rc == PD_E_NO_MEMORY ? CW_TOO_LARGE : CW_NO_GAME, fail.text);
		return false;
	}
	struct pn_leaf_cache *solved = NULL;
	if (game_version(game) != task->rules) {
		snprintf(words, sizeof words,
			 "its rules are version %" PRIx64 " of %.90s; this worker has version %" PRIx64, task->rules,
			 task->game, game_version(game));
		wk_task_refuse(task, CW_OTHER_RULES, words);
	} else if (!(solved = pn_leaf_cache_new(game, caches->memory, caches->identity))) {
		wk_task_refuse(task, CW_TOO_LARGE, "there is no memory for a cache of solved positions");
	}
	if (!solved) {
		sv_games_put(caches->games, game);
		return false;
	}
	*cache = (struct wk_shared_cache){
		.solved = solved,
		.game = game,
		.rules = task->rules,
		.options = task->options,
		.number = ++caches->numbers,
	};
	memcpy(cache->name, task->game, sizeof cache->name);
	return true;
}

/* --- holding ------------------------------------------------------------------------------ */

struct wk_shared_cache *wk_caches_hold(struct wk_shared_caches *caches, struct wk_task *task)
{
	struct wk_shared_cache *cache, *place;
	pd_mutex_lock(&caches->lock);
	while (!(cache = find_cache(caches, task))) {
		if (!(place = find_place(caches))) {
			pd_mutex_wait(&caches->lock, &caches->released);
			continue;
		}
		empty_place(caches, place);
		if (!make_cache(caches, place, task))
			break;
	}
	if (cache) {
		cache->holders++;
		cache->used = ++caches->served;
	}
	pd_mutex_unlock(&caches->lock);
	return cache;
}

/* Under the lock. */
static void release_cache(struct wk_shared_caches *caches, struct wk_shared_cache *cache)
{
	PD_ASSERT(cache->holders);
	if (--cache->holders)
		return;
	if (cache->stale)
		empty_place(caches, cache);
	pthread_cond_broadcast(&caches->released);
}

void wk_caches_release(struct wk_shared_caches *caches, struct wk_shared_cache *cache)
{
	pd_mutex_lock(&caches->lock);
	release_cache(caches, cache);
	pd_mutex_unlock(&caches->lock);
}

static void teach_cache(const struct wk_shared_cache *cache, const struct cw_known *known)
{
	struct pn_leaf_solved position;
	for (unsigned i = 0; i < known->count; i++) {
		const struct cw_solved *solved = &known->positions[i];
		if (solved->key_size > GAME_KEY_MAX || solved->reason.effort < PN_LEAF_SOLVED_EFFORT)
			continue;
		position.reason = solved->reason;
		position.key_size = solved->key_size;
		memcpy(position.key, solved->key, solved->key_size);
		pn_leaf_cache_learn(cache->solved, &position);
	}
}

void wk_caches_learn(struct wk_shared_caches *caches, const struct cw_known *known)
{
	pd_mutex_lock(&caches->lock);
	for (struct wk_shared_cache *c = caches->place; c < caches->place + WK_CACHES; c++) {
		if (!c->solved || c->stale || c->rules != known->rules || strlen(c->name) != known->game.size ||
		    memcmp(c->name, known->game.data, known->game.size) != 0)
			continue;
		c->holders++;
		pd_mutex_unlock(&caches->lock);
		teach_cache(c, known);
		pd_mutex_lock(&caches->lock);
		release_cache(caches, c);
	}
	pd_mutex_unlock(&caches->lock);
}

void wk_caches_forget(struct wk_shared_caches *caches)
{
	pd_mutex_lock(&caches->lock);
	for (struct wk_shared_cache *c = caches->place; c < caches->place + WK_CACHES; c++) {
		if (c->solved && !c->holders)
			empty_place(caches, c);
		c->stale = c->solved != NULL;
	}
	pthread_cond_broadcast(&caches->released);
	pd_mutex_unlock(&caches->lock);
}
