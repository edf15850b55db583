#include "tests/support/port_double.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "tests/support/walk.h"

static struct port_end *find_end(struct port_double *net, uint64_t number)
{
	for (unsigned i = 0; i < PORT_ENDS_MAX; i++)
		if (net->end[i].open && net->end[i].number == number)
			return &net->end[i];
	return NULL;
}

/* Under the lock. */
static void put_message(struct port_double *net, uint64_t to, const uint8_t *data, size_t size)
{
	struct port_message *m = malloc(sizeof *m + size), **at = &net->first;
	ck_assert_ptr_nonnull(m);
	m->due_ns = pd_now_ns() + (net->delay_ns ? walk_random(&net->seed) % net->delay_ns : 0);
	m->to = to;
	m->size = size;
	memcpy(m->data, data, size);
	while (*at && (*at)->due_ns <= m->due_ns)
		at = &(*at)->next;
	m->next = *at;
	*at = m;
}

static void drop_messages(struct port_double *net)
{
	struct port_message *m;
	while ((m = net->first)) {
		net->first = m->next;
		free(m);
	}
}

static void pass_message(struct port_double *net, uint64_t to, const uint8_t *data, size_t size)
{
	unsigned copies = 1;
	net->sent++;
	if (walk_below(&net->seed, 100) < net->drop) {
		net->dropped++;
		copies = 0;
	} else if (walk_below(&net->seed, 100) < net->repeat) {
		copies = 2;
	}
	while (copies--)
		put_message(net, to, data, size);
}

_Thread_local uint64_t port_double_sent;

static int port_send(struct cp_port *port, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail)
{
	struct port_end *end = (struct port_end *)port;
	struct port_double *net = end->net;
	port_double_sent++;
	pthread_mutex_lock(&net->lock);
	bool cut = net->cut;
	if (!cut && !end->apart) {
		for (unsigned i = 0; i < PORT_ENDS_MAX && to == CP_ALL; i++)
			if (net->end[i].open && net->end[i].number != CP_COORDINATOR)
				pass_message(net, net->end[i].number, data, size);
		if (to != CP_ALL)
			pass_message(net, to, data, size);
	}
	pthread_cond_signal(&net->moved);
	pthread_mutex_unlock(&net->lock);
	return cut ? pd_fail_set(fail, PD_E_IO, "", "the port is cut") : PD_OK;
}

static void port_wait(struct cp_port *port, uint64_t until_ns)
{
	port_nap_wait(&((struct port_end *)port)->nap, until_ns);
}

static void port_wake(struct cp_port *port)
{
	port_nap_wake(&((struct port_end *)port)->nap);
}

static void port_close(struct cp_port *port)
{
	struct port_end *end = (struct port_end *)port;
	pthread_mutex_lock(&end->net->lock);
	end->open = false;
	while (end->net->calling == end)
		pthread_cond_wait(&end->net->moved, &end->net->lock);
	port_nap_fini(&end->nap);
	pthread_mutex_unlock(&end->net->lock);
}

static const struct cp_port_type type = {port_send, port_wait, port_wake, port_close};

static int port_open(void *ctx, uint64_t number, const struct cp_events *events, struct cp_port **out,
		     struct pd_fail *fail)
{
	struct port_double *net = ctx;
	struct port_end *end = net->end;
	pthread_mutex_lock(&net->lock);
	while (net->calling)
		pthread_cond_wait(&net->moved, &net->lock);
	ck_assert(number == CP_COORDINATOR || !find_end(net, number));
	while (end->open)
		ck_assert_ptr_ne(++end, net->end + PORT_ENDS_MAX);
	*end = (struct port_end){.port = {&type}, .net = net, .events = *events, .number = number, .open = true};
	port_nap_init(&end->nap);
	bool cut = net->cut;
	net->calling = end;
	pthread_mutex_unlock(&net->lock);
	/* Its other events wait until it has been told. */
	events->connected(events->ctx, !cut, cut ? "there is no way" : "connected");
	pthread_mutex_lock(&net->lock);
	net->calling = NULL;
	pthread_cond_broadcast(&net->moved);
	pthread_mutex_unlock(&net->lock);
	*out = &end->port;
	return PD_OK;
}

/* Calls an end without the lock. `m`: NULL to tell it whether the port is cut. */
static void call_end(struct port_double *net, struct port_end *end, const struct port_message *m)
{
	while (net->calling)
		pthread_cond_wait(&net->moved, &net->lock);
	if (!end->open)
		return;
	bool cut = net->cut;
	net->calling = end;
	pthread_mutex_unlock(&net->lock);
	if (m)
		end->events.message(end->events.ctx, m->data, m->size);
	else
		end->events.connected(end->events.ctx, !cut, cut ? "the way is cut" : "connected again");
	pthread_mutex_lock(&net->lock);
	net->calling = NULL;
	pthread_cond_broadcast(&net->moved);
}

static void wait_for_next(struct port_double *net)
{
	struct timespec until;
	if (!net->first) {
		pthread_cond_wait(&net->moved, &net->lock);
		return;
	}
	until.tv_sec = (time_t)(net->first->due_ns / 1000000000);
	until.tv_nsec = (long)(net->first->due_ns % 1000000000);
	pthread_cond_timedwait(&net->moved, &net->lock, &until);
}

static void *net_main(void *arg)
{
	struct port_double *net = arg;
	unsigned told = 0;
	pthread_mutex_lock(&net->lock);
	while (!net->stop) {
		struct port_message *m = net->first;
		if (told != net->told) {
			told = net->told;
			for (unsigned i = 0; i < PORT_ENDS_MAX; i++)
				if (net->end[i].open)
					call_end(net, &net->end[i], NULL);
		} else if (m && m->due_ns <= pd_now_ns()) {
			net->first = m->next;
			for (unsigned i = 0; i < PORT_ENDS_MAX; i++) /* there may be two coordinators */
				if (net->end[i].open && net->end[i].number == m->to && !net->end[i].apart)
					call_end(net, &net->end[i], m);
			free(m);
		} else {
			wait_for_next(net);
		}
	}
	pthread_mutex_unlock(&net->lock);
	return NULL;
}

void port_double_start(struct port_double *net, uint64_t seed)
{
	pthread_condattr_t attr;
	memset(net, 0, sizeof *net);
	net->seed = seed;
	pthread_mutex_init(&net->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&net->moved, &attr);
	pthread_condattr_destroy(&attr);
	ck_assert_int_eq(pthread_create(&net->thread, NULL, net_main, net), 0);
}

void port_double_stop(struct port_double *net)
{
	pthread_mutex_lock(&net->lock);
	for (unsigned i = 0; i < PORT_ENDS_MAX; i++)
		ck_assert(!net->end[i].open);
	net->stop = true;
	pthread_cond_broadcast(&net->moved);
	pthread_mutex_unlock(&net->lock);
	pthread_join(net->thread, NULL);
	drop_messages(net);
	pthread_cond_destroy(&net->moved);
	pthread_mutex_destroy(&net->lock);
}

struct cp_opener port_double_opener(struct port_double *net)
{
	return (struct cp_opener){net, port_open};
}

void port_double_cut(struct port_double *net, bool cut)
{
	pthread_mutex_lock(&net->lock);
	net->cut = cut;
	net->told++;
	if (cut)
		drop_messages(net);
	pthread_cond_broadcast(&net->moved);
	pthread_mutex_unlock(&net->lock);
}

void port_double_part(struct port_double *net, uint64_t worker, bool apart)
{
	pthread_mutex_lock(&net->lock);
	struct port_end *end = find_end(net, worker);
	ck_assert_ptr_nonnull(end);
	end->apart = apart;
	pthread_mutex_unlock(&net->lock);
}
