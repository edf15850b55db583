#include "tests/support/letters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"

static _Noreturn void die_saying(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(2);
}

void letters_init(struct letters *q)
{
	pthread_condattr_t attr;
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->came, &attr);
	pthread_condattr_destroy(&attr);
	q->first = NULL;
	q->last = &q->first;
	q->connected = 0;
	q->only = NULL;
}

static void on_letter(void *ctx, const uint8_t *data, size_t size)
{
	const struct letters_entry *e = ctx;
	struct letters *q = e->letters;
	struct letter *l = malloc(sizeof *l + size);
	if (!l)
		die_saying("a message", "no memory");
	*l = (struct letter){.port = e->index, .size = size};
	memcpy(l->data, data, size);
	pthread_mutex_lock(&q->lock);
	*q->last = l;
	q->last = &l->next;
	pthread_cond_signal(&q->came);
	pthread_mutex_unlock(&q->lock);
}

static void on_connection(void *ctx, bool connected, const char *what)
{
	const struct letters_entry *e = ctx;
	struct letters *q = e->letters;
	if (!connected)
		die_saying("the port", what);
	pthread_mutex_lock(&q->lock);
	q->connected++;
	pthread_cond_signal(&q->came);
	pthread_mutex_unlock(&q->lock);
}

/* Waits for a message, under the lock. False: the time is over. */
static bool await_more(struct letters *q, uint64_t until_ns)
{
	const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
				       .tv_nsec = (long)(until_ns % 1000000000)};
	if (!q->only)
		return !pthread_cond_timedwait(&q->came, &q->lock, &until);
	pthread_mutex_unlock(&q->lock);
	q->only->type->wait(q->only, until_ns);
	pthread_mutex_lock(&q->lock);
	return pd_now_ns() < until_ns;
}

struct letter *letters_next(struct letters *q, uint64_t until_ns)
{
	pthread_mutex_lock(&q->lock);
	while (!q->first && await_more(q, until_ns))
		;
	struct letter *l = q->first;
	if (l && !(q->first = l->next))
		q->last = &q->first;
	pthread_mutex_unlock(&q->lock);
	return l;
}

static void *entry_main(void *entry)
{
	struct letters_entry *e = entry;
	while (!atomic_load(&e->stop))
		e->port->type->wait(e->port, UINT64_MAX);
	return NULL;
}

void letters_open(struct letters *q, const struct cp_opener *opener, uint64_t first, struct letters_entry *entries,
		  unsigned count)
{
	struct pd_fail fail;
	for (unsigned i = 0; i < count; i++) {
		struct letters_entry *e = &entries[i];
		const struct cp_events events = {e, on_letter, on_connection};
		e->letters = q;
		e->index = i;
		atomic_store(&e->stop, false);
		if (opener->open(opener->ctx, first + i, &events, &e->port, &fail))
			die_saying("the port", fail.text);
		if (count > 1 && pthread_create(&e->thread, NULL, entry_main, e))
			die_saying("the port", "no thread");
	}
	q->only = count > 1 ? NULL : entries->port;
}

void letters_close(struct letters *q, struct letters_entry *entries, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct letters_entry *e = &entries[i];
		atomic_store(&e->stop, true);
		e->port->type->wake(e->port);
		if (!q->only)
			pthread_join(e->thread, NULL);
		e->port->type->close(e->port);
	}
	q->only = NULL;
}

void letters_await(struct letters *q, unsigned count)
{
	const uint64_t patience = UINT64_C(60000000000), until_ns = pd_now_ns() + patience;
	pthread_mutex_lock(&q->lock);
	while (q->connected < count)
		if (!await_more(q, until_ns))
			die_saying("the port", "no connection");
	pthread_mutex_unlock(&q->lock);
}
