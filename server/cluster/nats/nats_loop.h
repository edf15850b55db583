/* NATS loop: reads from and writes to one connection after the other, in place of libnats's own threads.
 *
 * libnats leaves its socket to an event loop of ours (natsOptions_SetEventLoop). The thread that waits here, the owner,
 * polls the socket and has libnats take in what came; so no other thread wakes for a message. What the owner sends
 * stays in libnats's buffer until it waits, or the buffer is large; what others send, they write themselves.
 *
 * OpenSSL allows no reading and writing at the same time, and libnats reads without its own lock: `using` is held by
 * who reads or writes. Another thread, the keeper, connects, subscribes, asks whether the server is alive, and destroys
 * connections when no one can use them any more. libnats calls the hooks under its lock; they wait for nothing but
 * `door`, under which nothing of libnats is called. */
#pragma once

#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/mutex.h"

enum {
	CN_LOOP_BATCH = 64,            /* messages that a wait returns at most */
	CN_LOOP_SUBSCRIPTIONS = 2,     /* at most */
	CN_LOOP_WRITE_BYTES = 1 << 14, /* of unsent messages of the owner that do not wait for its next wait */
	CN_LOOP_UNSENT_MAX = 1 << 26   /* bytes that the server has not taken; more is not sent */
};

struct cn_loop {
	int kick; /* an eventfd that ends a poll */

	struct pd_mutex using;      /* guards the next */
	natsConnection *connection; /* NULL: there is none */
	natsSubscription *subscriptions[CN_LOOP_SUBSCRIPTIONS];
	bool open;     /* for sending */
	bool stuck;    /* the server did not take all there was */
	size_t unsent; /* bytes that the owner has sent since something was written */

	struct pd_mutex door; /* guards the next */
	int fd;               /* of the connection, while libnats has it open; -1 */

	atomic_bool pending; /* libnats has something to write */
	atomic_bool writing; /* who sends will write what is pending */
	atomic_bool changed; /* the owner is to look at all this again */
	atomic_bool asleep;  /* the owner may be in poll */
	atomic_bool woken;
	atomic_uint waits;      /* begun or ended: odd while the owner waits */
	atomic_uintptr_t owner; /* pthread_self() of its thread; 0: no one has waited yet */
};

/* False: there is no file descriptor left. */
bool cn_loop_init(struct cn_loop *loop);
/* There is no connection. */
void cn_loop_fini(struct cn_loop *loop);

/* --- the keeper ------------------------------------------------------------------------------- */

/* Connections that are made by these options are for this loop. */
natsStatus cn_loop_hook(struct cn_loop *loop, natsOptions *options);
/* From now on the owner reads and writes for it. The subscription's messages are returned by its waits. */
void cn_loop_begin(struct cn_loop *loop, natsConnection *connection);
void cn_loop_subscription(struct cn_loop *loop, natsSubscription *subscription);
/* Whether messages may be sent. */
void cn_loop_open(struct cn_loop *loop, bool open);
/* Whether the server answers within that time. An owner that did not wait meanwhile is not held against it. */
bool cn_loop_ask(struct cn_loop *loop, natsConnection *connection, int64_t ms);
/* Ends the connection, which no one uses any more then; the keeper destroys it. */
void cn_loop_end(struct cn_loop *loop);

/* --- the owner, or any thread ----------------------------------------------------------------- */

/* Any thread; `connected`: whether there was a connection. */
natsStatus cn_loop_send(struct cn_loop *loop, const char *subject, const void *data, size_t size, bool *connected);
/* Waits until a message has come, someone wakes, or pd_now_ns has reached `until_ns`; returns how many messages. They
 * are the caller's. Ended by cn_loop_waited once these are worked off. */
unsigned cn_loop_wait(struct cn_loop *loop, uint64_t until_ns, natsMsg *out[CN_LOOP_BATCH]);
void cn_loop_waited(struct cn_loop *loop);
void cn_loop_wake(struct cn_loop *loop);
/* What the owner has sent leaves now. */
void cn_loop_flush(struct cn_loop *loop);
/* The connection, if there is one, closes at once. No one waits. */
void cn_loop_hang_up(struct cn_loop *loop);
