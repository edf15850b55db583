/* NATS connect: one connection, by a configuration; and libnats's failures in words. */
#pragma once

#include <nats/nats.h>

#include "server/cluster/nats/nats_loop.h"
#include "server/cluster/port.h"
#include "server/cluster/nats/nats_url.h"

enum {
	CN_CONNECT_MS = 2000, /* for one server to answer */
	CN_WRITE_MS = 2000,   /* a server that takes no TLS record for that long is lost */
	CN_PING_MS = 2000,    /* between two pings */
	CN_ANSWER_MS = 4000,  /* for an answer to one: else it is lost */
	CN_PENDING_MAX = 1 << 16,
	CN_PENDING_BYTES = 1 << 26 /* received messages that wait; more are dropped */
};

/* What ports are opened by; a copy of a cp_config. Shared by those who have it. */
struct cn_setup {
	struct cn_url url;
	char *tls_ca, *tls_cert, *tls_key, *creds, *program; /* owned; NULL: none */
	void (*log)(enum pd_log_level level, const char *sentence);
	_Atomic unsigned users;
};

/* Who is called back, with `ctx`. They come from a thread of libnats. */
struct cn_calls {
	void *ctx;
	struct cn_loop *loop;         /* that reads and writes for the connection */
	natsConnectionHandler closed; /* last, once for each connection that was made */
	natsErrHandler error;
};

/* Connects, and waits for it. *out is ended by natsConnection_Destroy. False: `why` is a sentence without passwords. */
bool cn_connect(const struct cn_setup *setup, const struct cn_calls *calls, natsConnection **out, char why[400]);

/* libnats's last words in this thread, or of a connection, as part of a sentence: without its file and line. */
void cn_words(const char *text, natsStatus status, char out[240]);
