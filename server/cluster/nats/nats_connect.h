/* NATS connect: opens a connection by a configuration, and describes failures of libnats. */
#pragma once

#include <nats/nats.h>

#include "server/cluster/nats/nats_loop.h"
#include "server/cluster/port.h"
#include "server/cluster/nats/nats_url.h"

enum {
	CN_CONNECT_MS = 2000, /* time limit for a server to answer */
	CN_WRITE_MS = 2000,   /* time limit for a server to accept a TLS record */
	CN_PING_MS = 2000,    /* between two pings */
	CN_ANSWER_MS = 4000,  /* time limit for the answer to a ping */
	CN_PENDING_MAX = 1 << 16,
	CN_PENDING_BYTES = 1 << 26 /* limits of received messages that wait; more are dropped */
};

/* The configuration of an opener and its ports: a copy of a cp_config. Freed by its last user. */
struct cn_setup {
	struct cn_url url;
	char *tls_ca, *tls_cert, *tls_key, *creds, *program; /* owned; NULL: none */
	void (*log)(enum pd_log_level level, const char *sentence);
	_Atomic unsigned users;
};

/* Callbacks with `ctx`, from a thread of libnats. */
struct cn_calls {
	void *ctx;
	struct cn_loop *loop;         /* reads and writes for the connection */
	natsConnectionHandler closed; /* the last call, once for each connection */
	natsErrHandler error;
};

/* Connects and waits until connected. The caller destroys *out. False: `why` has the reason, without passwords. */
bool cn_connect(const struct cn_setup *setup, const struct cn_calls *calls, natsConnection **out, char why[400]);

/* Copies an error text of libnats without its file and line; without a text, that of `status`. */
void cn_words(const char *text, natsStatus status, char out[240]);
