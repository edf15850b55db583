#include "server/worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/random.h"
#include "server/common/memory_bound.h"
#include "server/common/plugins.h"
#include "server/worker/leaf_search.h"
#include "server/worker/messages.h"
#include "server/worker/worker_state.h"

/* An arena takes this many eighths of a thread's share of a cache's memory; the cache has the rest. */
enum { ARENA_EIGHTHS = 3 };

_Static_assert((WK_MEMORY_MIN) / WK_CACHES * ARENA_EIGHTHS / 8 >= PN_MEMORY_MIN, "each runner gets PN_MEMORY_MIN");

uint64_t wk_memory_usual(unsigned threads)
{
	uint64_t share = sv_memory_bound().bytes / 4, most = ((uint64_t)256 << 20) * threads;
	uint64_t usual = share < most ? share : most;
	return usual > WK_MEMORY_MIN * threads ? usual : WK_MEMORY_MIN * threads;
}

/* --- life --------------------------------------------------------------------------------- */

/* The life is the thread that communicates with the coordinator and waits in the port.
 *
 *	hello every second -> welcome -> heartbeat every second -> bye
 *
 * The worker says hello again when the port reconnects, when the coordinator calls, and after 10 s of silence. */
enum { GATHER_NS = 1000000 /* how long a result waits for others to be sent with, while enough tasks are queued */ };

static const uint64_t alone_ns = 5 * (uint64_t)WK_BEAT_NS;    /* without a welcome: a warning is logged */
static const uint64_t silence_ns = 10 * (uint64_t)WK_BEAT_NS; /* of the coordinator: hello is sent again */

/* --- events of the port ------------------------------------------------------------------------ */

static void on_message(void *ctx, const uint8_t *data, size_t size)
{
	struct wk_worker *w = ctx;
	struct wk_letter *letter = size <= CW_MESSAGE_MAX ? malloc(sizeof *letter + size) : NULL;
	if (letter) {
		letter->size = size;
		memcpy(letter->data, data, size);
	}
	pd_mutex_lock(&w->tasks.lock);
	if (letter && w->shared.inbox_bytes + size <= WK_INBOX_BYTES) {
		w->shared.inbox_bytes += size;
		STAILQ_INSERT_TAIL(&w->shared.inbox, letter, next);
		letter = NULL;
	} else {
		w->shared.lost = true;
	}
	wk_tasks_wake(&w->tasks);
	pd_mutex_unlock(&w->tasks.lock);
	free(letter);
}

static void on_connected(void *ctx, bool connected, const char *what)
{
	struct wk_worker *w = ctx;
	pd_log(connected ? PD_LOG_INFO : PD_LOG_WARN, "%s", what);
	pd_mutex_lock(&w->tasks.lock);
	w->shared.reconnected = w->shared.reconnected || connected;
	wk_tasks_wake(&w->tasks);
	pd_mutex_unlock(&w->tasks.lock);
}

static void set_port(struct wk_worker *w, struct cp_port *port)
{
	pd_mutex_lock(&w->tasks.lock);
	w->tasks.port = port;
	pd_mutex_unlock(&w->tasks.lock);
}

/* --- time --------------------------------------------------------------------------------- */

/* When results are due. Under the lock. */
static uint64_t results_due_ns(const struct wk_worker *w)
{
	if (!w->tasks.done_count)
		return UINT64_MAX;
	return wk_tasks_due(&w->tasks) ? 0 : w->tasks.done_ns + GATHER_NS;
}

static uint64_t earlier_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t hello_due_ns(const struct wk_worker *w)
{
	uint64_t last = w->session.heard_ns > w->session.hello_last_ns ? w->session.heard_ns : w->session.hello_last_ns;
	return w->session.welcome ? earlier_ns(w->session.hello_ns, last + silence_ns) : w->session.hello_ns;
}

static uint64_t next_due_ns(const struct wk_worker *w)
{
	uint64_t due = earlier_ns(results_due_ns(w), hello_due_ns(w));
	return w->session.welcome ? earlier_ns(due, w->session.beat_ns) : due;
}

/* Under the lock. */
static bool is_quiet(const struct wk_worker *w)
{
	return STAILQ_EMPTY(&w->shared.inbox) && !w->shared.stop && !w->shared.reconnected &&
	       next_due_ns(w) > pd_now_ns();
}

/* Waits in the port until there is something to do, and takes the messages. */
static void wait_for_messages(struct wk_worker *w, struct wk_letters *letters)
{
	pd_mutex_lock(&w->tasks.lock);
	do {
		/* Wait even when there is something to do: the port receives and sends here. */
		uint64_t until = is_quiet(w) ? next_due_ns(w) : 0;
		pd_mutex_unlock(&w->tasks.lock);
		w->port->type->wait(w->port, until);
		pd_mutex_lock(&w->tasks.lock);
	} while (is_quiet(w));
	STAILQ_CONCAT(letters, &w->shared.inbox);
	w->shared.inbox_bytes = 0;
	w->ending = w->ending || w->shared.stop;
	if (w->shared.reconnected)
		w->session.hello_ns = 0;
	w->shared.reconnected = false;
	if (w->shared.lost && wk_first_time(w, WK_SAID_LOST))
		pd_log(PD_LOG_WARN, "messages of the coordinator are lost: they come faster than they are handled");
	pd_mutex_unlock(&w->tasks.lock);
}

static void free_letters(struct wk_letters *letters)
{
	while (!STAILQ_EMPTY(letters)) {
		struct wk_letter *letter = STAILQ_FIRST(letters);
		STAILQ_REMOVE_HEAD(letters, next);
		free(letter);
	}
}

static void read_letters(struct wk_worker *w, struct wk_letters *letters)
{
	const struct wk_letter *letter;
	STAILQ_FOREACH(letter, letters, next)
		if (!w->ending)
			wk_receive(w, letter->data, letter->size);
	free_letters(letters);
}

static void send_due(struct wk_worker *w)
{
	uint64_t now = pd_now_ns();
	pd_mutex_lock(&w->tasks.lock);
	bool results =
		results_due_ns(w) <= now || (w->session.welcome && w->session.beat_ns <= now && w->tasks.done_count);
	pd_mutex_unlock(&w->tasks.lock);
	if (results)
		wk_send_results(w);
	if (hello_due_ns(w) <= now) {
		wk_send_hello(w);
		w->session.hello_last_ns = now;
		w->session.hello_ns = w->session.welcome ? UINT64_MAX : now + WK_BEAT_NS;
	}
	if (w->session.welcome && w->session.beat_ns <= now) {
		wk_send_beat(w);
		w->session.beat_ns = now + WK_BEAT_NS;
	}
	if (!w->session.welcome && now - w->session.start_ns > alone_ns && wk_first_time(w, WK_SAID_ALONE))
		pd_log(PD_LOG_WARN, "no coordinator has answered at %s yet; this worker keeps asking", w->where);
}

/* For search threads: waking the life to send a result would cost as much as sending it. */
static void send_results(void *ctx)
{
	struct wk_worker *w = ctx;
	pd_mutex_lock(&w->sending);
	if (w->port)
		wk_send_results(w);
	pd_mutex_unlock(&w->sending);
}

/* --- the end ------------------------------------------------------------------------------ */

static void finish_life(struct wk_worker *w)
{
	pd_mutex_lock(&w->sending);
	struct cp_port *port = w->port;
	if (!w->shared.refused) {
		wk_send_results(w);
		wk_send_bye(w);
	}
	w->port = NULL;
	pd_mutex_unlock(&w->sending);
	wk_tasks_end(&w->tasks);
	set_port(w, NULL);
	port->type->close(port);
	pd_mutex_lock(&w->tasks.lock);
	free_letters(&w->shared.inbox);
	w->shared.over = true;
	pthread_cond_broadcast(&w->tasks.rest);
	pd_mutex_unlock(&w->tasks.lock);
	if (w->ended)
		w->ended(w->ended_ctx);
}

static void *run_life(void *worker)
{
	struct wk_worker *w = worker;
	struct wk_letters letters = STAILQ_HEAD_INITIALIZER(letters);
	while (!w->ending) {
		wait_for_messages(w, &letters);
		pd_mutex_lock(&w->sending);
		read_letters(w, &letters);
		PD_ASSERT(STAILQ_EMPTY(&letters));
		if (!w->ending)
			send_due(w);
		pd_mutex_unlock(&w->sending);
	}
	finish_life(w);
	return NULL;
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

static int make_searches(struct wk_worker *w, const struct wk_config *config, struct pd_fail *fail)
{
	uint64_t arena = w->hello.memory / WK_CACHES / config->threads / 8 * ARENA_EIGHTHS;
	struct wk_leaf_search_setup setup = {.tasks = &w->tasks,
					     .caches = &w->caches,
					     .memory = arena,
					     .nice = config->nice,
					     .send = send_results,
					     .ctx = w};
	w->caches.games = &w->games;
	w->caches.memory = w->hello.memory / WK_CACHES - arena * config->threads;
	w->caches.identity = pd_random64();
	w->searches = calloc(config->threads, sizeof *w->searches);
	w->search = calloc(config->threads, sizeof *w->search);
	bool good = w->searches && w->search;
	for (unsigned i = 0; good && i < config->threads; i++) {
		w->searches[i] = wk_leaf_search_new(&setup);
		good = w->searches[i] != NULL;
	}
	return good ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "not enough memory for a worker");
}

static int start_threads(struct wk_worker *w, const struct wk_config *config, struct pd_fail *fail)
{
	for (unsigned i = 0; i < config->threads; i++) {
		pd_mutex_lock(&w->tasks.lock);
		w->tasks.threads++;
		pd_mutex_unlock(&w->tasks.lock);
		if (pthread_create(&w->search[i], NULL, wk_leaf_search_main, w->searches[i])) {
			pd_mutex_lock(&w->tasks.lock);
			w->tasks.threads--;
			pd_mutex_unlock(&w->tasks.lock);
			return pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "thread %u of %u cannot be started", i + 1,
					   config->threads);
		}
		w->thread_count++;
	}
	w->alive = !pthread_create(&w->life, NULL, run_life, w);
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
	pd_mutex_init(&w->sending, PD_LOCK_SENDING);
	sv_games_init(&w->games);
	wk_caches_init(&w->caches);
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
	rc = make_searches(w, config, fail);
	struct cp_events events = {w, on_message, on_connected};
	if (!rc)
		rc = config->port.open(config->port.ctx, w->number, &events, &w->port, fail);
	if (!rc)
		set_port(w, w->port);
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
		set_port(w, NULL);
		w->port->type->close(w->port);
	}
	wk_tasks_end(&w->tasks);
	for (unsigned i = 0; i < w->thread_count; i++)
		pthread_join(w->search[i], NULL);
	for (unsigned i = 0; w->searches && i < w->hello.threads; i++)
		wk_leaf_search_free(w->searches[i]);
	free(w->searches);
	free(w->search);
	free_letters(&w->shared.inbox);
	wk_caches_fini(&w->caches);
	sv_games_fini(&w->games);
	wk_tasks_fini(&w->tasks);
	pd_mutex_fini(&w->sending);
	pd_buf_fini(&w->out);
	free(w);
}
