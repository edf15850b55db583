#include "server/worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/random.h"
#include "server/common/memory_bound.h"
#include "server/common/plugins.h"
#include "server/worker/life.h"
#include "server/worker/leaf_cache.h"
#include "server/worker/worker_state.h"

_Static_assert((WK_MEMORY_MIN) >= WK_RUNNERS * PN_MEMORY_MIN, "each runner gets PN_MEMORY_MIN");

uint64_t wk_memory_usual(unsigned threads)
{
	uint64_t share = sv_memory_bound().bytes / 4, most = ((uint64_t)256 << 20) * threads;
	uint64_t usual = share < most ? share : most;
	return usual > WK_MEMORY_MIN * threads ? usual : WK_MEMORY_MIN * threads;
}

/* --- opening ------------------------------------------------------------------------------ */

/* The given name, or else HOST:PROCESS. */
static void make_name(struct wk_worker *w, const char *name)
{
	char host[40];
	if (name) {
		snprintf(w->name, sizeof w->name, "%s", name);
		return;
	}
	if (gethostname(host, sizeof host))
		strcpy(host, "host");
	host[sizeof host - 1] = 0;
	snprintf(w->name, sizeof w->name, "%s:%ld", host, (long)getpid());
}

static void make_hello(struct wk_worker *w, const struct wk_config *config)
{
	const struct game_rules *rules;
	struct sv_plugin_info plugin;
	struct cw_hello *hello = &w->hello;
	hello->name = cw_text_of(w->name);
	hello->version = cw_text_of(PD_VERSION);
	hello->abi = GAME_ABI;
	hello->threads = config->threads;
	hello->memory = config->memory ? config->memory : wk_memory_usual(config->threads);
	for (unsigned i = 0; (rules = game_at(i)) && i < CW_GAMES_MAX; i++)
		hello->games[hello->game_count++] =
			(struct cw_game){cw_text_of(rules->name), sv_plugin_of(rules, &plugin) ? plugin.digest : 0};
}

static int make_caches(struct wk_worker *w, const struct wk_config *config, struct pd_fail *fail)
{
	struct wk_leaf_cache_setup setup = {.tasks = &w->tasks,
					    .known = &w->known,
					    .games = &w->games,
					    .memory = w->hello.memory / config->threads,
					    .identity = pd_random64(),
					    .nice = config->nice};
	w->caches = calloc(config->threads, sizeof *w->caches);
	w->search = calloc(config->threads, sizeof *w->search);
	bool good = w->caches && w->search;
	for (unsigned i = 0; good && i < config->threads; i++) {
		w->caches[i] = wk_leaf_cache_new(&setup);
		good = w->caches[i] != NULL;
	}
	return good ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "not enough memory for a worker");
}

static int start_threads(struct wk_worker *w, const struct wk_config *config, struct pd_fail *fail)
{
	for (unsigned i = 0; i < config->threads; i++) {
		pd_mutex_lock(&w->tasks.lock);
		w->tasks.threads++;
		pd_mutex_unlock(&w->tasks.lock);
		if (pthread_create(&w->search[i], NULL, wk_leaf_cache_main, w->caches[i])) {
			pd_mutex_lock(&w->tasks.lock);
			w->tasks.threads--;
			pd_mutex_unlock(&w->tasks.lock);
			return pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "thread %u of %u cannot be started", i + 1,
					   config->threads);
		}
		w->thread_count++;
	}
	w->alive = !pthread_create(&w->life, NULL, wk_life_main, w);
	return w->alive ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "a thread cannot be started");
}

static int check_config(const struct wk_config *config, struct pd_fail *fail)
{
	PD_ASSERT(config->port.open && config->nice >= 0 && config->nice <= 19);
	if (config->threads < 1 || config->threads > WK_THREADS_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "threads", "--threads takes an integer from 1 to %d, not %u",
				   (int)WK_THREADS_MAX, config->threads);
	if (config->memory && config->memory / config->threads < WK_MEMORY_MIN)
		return pd_fail_set(fail, PD_E_USAGE, "memory", "--memory must be at least 1M for each of %u threads",
				   config->threads);
	return PD_OK;
}

int wk_open(const struct wk_config *config, struct wk_worker **out, struct pd_fail *fail)
{
	int rc = check_config(config, fail);
	if (rc)
		return rc;
	struct wk_worker *w = calloc(1, sizeof *w);
	if (!w)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "not enough memory for a worker");
	wk_tasks_init(&w->tasks, config->threads);
	sv_games_init(&w->games);
	STAILQ_INIT(&w->shared.inbox);
	pd_buf_init(&w->out, CW_MESSAGE_MAX);
	w->games.graphs = config->graphs;
	w->number = pd_random64();
	if (w->number == CP_COORDINATOR)
		w->number--;
	w->session.start_ns = w->session.hello_ns = pd_now_ns();
	w->where = config->where ? config->where : "the port";
	w->ended = config->ended;
	w->ended_ctx = config->ctx;
	if (config->seal) {
		w->key = *config->seal;
		w->seal = &w->key;
	}
	make_name(w, config->name);
	make_hello(w, config);
	if (!wk_known_init(&w->known))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "not enough memory for a worker");
	if (!rc)
		rc = make_caches(w, config, fail);
	struct cp_events events = {w, wk_life_message, wk_life_connected};
	if (!rc)
		rc = config->port.open(config->port.ctx, w->number, &events, &w->port, fail);
	if (!rc)
		wk_life_port(w, w->port);
	if (!rc)
		rc = start_threads(w, config, fail);
	if (rc) {
		w->ended = NULL;
		wk_close(w);
		return rc;
	}
	*out = w;
	return PD_OK;
}

/* --- the end ------------------------------------------------------------------------------ */

const char *wk_name(const struct wk_worker *w)
{
	return w->name;
}

void wk_stop(struct wk_worker *w)
{
	pd_mutex_lock(&w->tasks.lock);
	w->shared.stop = true;
	wk_tasks_wake(&w->tasks);
	pd_mutex_unlock(&w->tasks.lock);
}

int wk_wait(struct wk_worker *w, struct pd_fail *fail)
{
	int rc = PD_OK;
	pd_mutex_lock(&w->tasks.lock);
	PD_ASSERT(w->alive);
	while (!w->shared.over)
		pd_mutex_wait(&w->tasks.lock, &w->tasks.rest);
	if (w->shared.refused)
		rc = pd_fail_set(fail, PD_E_FORBIDDEN, "", "the coordinator refuses this worker: %s", w->shared.why);
	pd_mutex_unlock(&w->tasks.lock);
	return rc;
}

bool wk_rests(struct wk_worker *w, uint64_t ns)
{
	uint64_t end_ns = pd_now_ns() + ns;
	pd_mutex_lock(&w->tasks.lock);
	while (w->tasks.threads && pd_mutex_wait_until(&w->tasks.lock, &w->tasks.rest, end_ns))
		;
	bool rests = !w->tasks.threads;
	pd_mutex_unlock(&w->tasks.lock);
	return rests;
}

void wk_close(struct wk_worker *w)
{
	if (!w)
		return;
	if (w->alive) {
		wk_stop(w);
		pthread_join(w->life, NULL);
	} else if (w->port) {
		wk_life_port(w, NULL);
		w->port->type->close(w->port);
	}
	wk_tasks_end(&w->tasks);
	for (unsigned i = 0; i < w->thread_count; i++)
		pthread_join(w->search[i], NULL);
	for (unsigned i = 0; w->caches && i < w->hello.threads; i++)
		wk_leaf_cache_free(w->caches[i]);
	free(w->caches);
	free(w->search);
	while (!STAILQ_EMPTY(&w->shared.inbox)) { /* of a life that never began */
		struct wk_letter *letter = STAILQ_FIRST(&w->shared.inbox);
		STAILQ_REMOVE_HEAD(&w->shared.inbox, next);
		free(letter);
	}
	sv_games_fini(&w->games);
	wk_known_fini(&w->known);
	wk_tasks_fini(&w->tasks);
	pd_buf_fini(&w->out);
	free(w);
}
