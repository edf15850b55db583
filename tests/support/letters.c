#include "tests/support/letters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Noreturn void die(const char *what, const char *why)
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
}

static void on_letter(void *ctx, const uint8_t *data, size_t size)
{
	const struct letters_entry *e = ctx;
	struct letters *q = e->letters;
	struct letter *l = malloc(sizeof *l + size);
	if (!l)
		die("a message", "no memory");
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
		die("the port", what);
	pthread_mutex_lock(&q->lock);
	q->connected++;
	pthread_cond_signal(&q->came);
	pthread_mutex_unlock(&q->lock);
}

struct letter *letters_next(struct letters *q, uint64_t until_ns)
{
	const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
				       .tv_nsec = (long)(until_ns % 1000000000)};
	pthread_mutex_lock(&q->lock);
	while (!q->first && !pthread_cond_timedwait(&q->came, &q->lock, &until))
		;
	struct letter *l = q->first;
	if (l && !(q->first = l->next))
		q->last = &q->first;
	pthread_mutex_unlock(&q->lock);
	return l;
}

struct cp_port *letters_port(const struct cp_opener *opener, uint64_t number, struct letters_entry *entry)
{
	const struct cp_events events = {entry, on_letter, on_connection};
	struct cp_port *port;
	struct pd_fail fail;
	if (opener->open(opener->ctx, number, &events, &port, &fail))
		die("the port", fail.text);
	return port;
}

void letters_await(struct letters *q, unsigned count)
{
	pthread_mutex_lock(&q->lock);
	while (q->connected < count)
		pthread_cond_wait(&q->came, &q->lock);
	pthread_mutex_unlock(&q->lock);
}
