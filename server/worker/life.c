#include "server/worker/life.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/worker/messages.h"

enum {
	GATHER_NS = 1000000, /* how long a result waits for others to be sent with */
	SEVERAL = 8          /* this many results, or one for each thread, are sent at once */
};

static const uint64_t alone_ns = 5 * (uint64_t)WK_BEAT_NS;    /* without a welcome: a warning is logged */
static const uint64_t silence_ns = 10 * (uint64_t)WK_BEAT_NS; /* of the coordinator: hello is sent again */

/* --- events of the port ------------------------------------------------------------------------ */

void wk_life_message(void *ctx, const uint8_t *data, size_t size)
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

void wk_life_connected(void *ctx, bool connected, const char *what)
{
	struct wk_worker *w = ctx;
	pd_log(connected ? PD_LOG_INFO : PD_LOG_WARN, "%s", what);
	pd_mutex_lock(&w->tasks.lock);
	w->shared.reconnected = w->shared.reconnected || connected;
	wk_tasks_wake(&w->tasks);
	pd_mutex_unlock(&w->tasks.lock);
}

void wk_life_port(struct wk_worker *w, struct cp_port *port)
{
	pd_mutex_lock(&w->tasks.lock);
	w->tasks.port = port;
	pd_mutex_unlock(&w->tasks.lock);
}

/* --- time --------------------------------------------------------------------------------- */

/* When results are due. Under the lock. */
static uint64_t results_due_ns(const struct wk_worker *w)
{
	unsigned several = w->hello.threads < SEVERAL ? w->hello.threads : SEVERAL;
	if (!w->tasks.done_count)
		return UINT64_MAX;
	return w->tasks.done_count >= several ? 0 : w->tasks.done_ns + GATHER_NS;
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

/* Sends what is due. */
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

/* --- the end ------------------------------------------------------------------------------ */

static void finish_life(struct wk_worker *w)
{
	if (!w->shared.refused) {
		wk_send_results(w);
		wk_send_bye(w);
	}
	wk_tasks_end(&w->tasks);
	wk_life_port(w, NULL);
	w->port->type->close(w->port);
	pd_mutex_lock(&w->tasks.lock);
	free_letters(&w->shared.inbox);
	w->port = NULL;
	w->shared.over = true;
	pthread_cond_broadcast(&w->tasks.rest);
	pd_mutex_unlock(&w->tasks.lock);
	if (w->ended)
		w->ended(w->ended_ctx);
}

void *wk_life_main(void *worker)
{
	struct wk_worker *w = worker;
	struct wk_letters letters = STAILQ_HEAD_INITIALIZER(letters);
	while (!w->ending) {
		wait_for_messages(w, &letters);
		read_letters(w, &letters);
		PD_ASSERT(STAILQ_EMPTY(&letters));
		if (!w->ending)
			send_due(w);
	}
	finish_life(w);
	return NULL;
}
