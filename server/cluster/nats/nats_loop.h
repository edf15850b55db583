/* NATS loop: reads from and writes to a connection, in place of libnats's own threads.
 *
 * libnats leaves its socket to this event loop (natsOptions_SetEventLoop). The thread that waits here, the owner, polls
 * the socket and has libnats read; so no other thread wakes for a message. Messages that the owner sends stay in
 * libnats's buffer until the owner waits or the buffer is large; other threads write theirs at once.
 *
 * OpenSSL must not read and write at the same time, and libnats reads without its own lock: a thread that reads or
 * writes holds `using`. Another thread, the keeper, connects, subscribes, pings the server, and destroys connections
 * that no thread uses. libnats calls the hooks under its lock; they wait for `door` only, under which libnats is never
 * called. */
#pragma once

#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/mutex.h"

enum {
	CN_LOOP_BATCH = 64,            /* the most messages that a wait returns */
	CN_LOOP_SUBSCRIPTIONS = 2,     /* the most subscriptions */
	CN_LOOP_WRITE_BYTES = 1 << 14, /* the owner's unsent bytes that are written before it waits */
	CN_LOOP_UNSENT_MAX = 1 << 26   /* the most bytes that wait for the server; sending more fails */
};

struct cn_loop {
	int kick; /* an eventfd that ends a poll */

	struct pd_mutex using;      /* guards the next members */
	natsConnection *connection; /* NULL: there is none */
	natsSubscription *subscriptions[CN_LOOP_SUBSCRIPTIONS];
	bool open;     /* for sending */
	bool stuck;    /* the server did not accept everything */
	size_t unsent; /* bytes that the owner has sent since the last write */

	struct pd_mutex door; /* guards `fd` */
	int fd;               /* of the open connection, or -1 */

	atomic_bool pending; /* libnats has something to write */
	atomic_bool writing; /* the sending thread will write what is pending */
	atomic_bool changed; /* the owner must examine the connection again */
	atomic_bool asleep;  /* the owner may be in poll */
	atomic_bool woken;
	atomic_uint waits;      /* beginnings and ends of waits: odd while the owner waits */
	atomic_uintptr_t owner; /* pthread_self() of the waiting thread; 0: none has waited yet */
};

/* False: no file descriptor is left. */
bool cn_loop_init(struct cn_loop *loop);
/* There must be no connection. */
void cn_loop_fini(struct cn_loop *loop);

/* --- for the keeper --------------------------------------------------------------------------- */

/* Connections made with these options belong to this loop. */
natsStatus cn_loop_hook(struct cn_loop *loop, natsOptions *options);
/* The owner reads and writes for the connection from now on, and its waits return messages of the subscriptions. */
void cn_loop_begin(struct cn_loop *loop, natsConnection *connection);
void cn_loop_subscription(struct cn_loop *loop, natsSubscription *subscription);
/* Allows or forbids sending. */
void cn_loop_open(struct cn_loop *loop, bool open);
/* Whether the server answers a ping in time. Time in which the owner did not wait does not count. */
bool cn_loop_ask(struct cn_loop *loop, natsConnection *connection, int64_t ms);
/* Ends the use of the connection; then the keeper destroys it. */
void cn_loop_end(struct cn_loop *loop);

/* --- for the owner or any thread -------------------------------------------------------------- */

/* Sends a message; any thread. `connected`: whether there was a connection. */
natsStatus cn_loop_send(struct cn_loop *loop, const char *subject, const void *data, size_t size, bool *connected);
/* Waits for messages, cn_loop_wake or `until_ns` of pd_now_ns; returns the number of messages, which the caller owns.
 * cn_loop_waited ends the wait when they are handled. */
unsigned cn_loop_wait(struct cn_loop *loop, uint64_t until_ns, natsMsg *out[CN_LOOP_BATCH]);
void cn_loop_waited(struct cn_loop *loop);
void cn_loop_wake(struct cn_loop *loop);
/* Writes what the owner has sent. */
void cn_loop_flush(struct cn_loop *loop);
/* Closes the connection, if any, at once. No thread may wait. */
void cn_loop_hang_up(struct cn_loop *loop);
