/* Port over NATS: messages of coordinator and workers (server/cluster/port.h) go through nats-server, by libnats.
 *
 * Subjects: PREFIX.w.NUMBER to one worker (16 hexadecimal digits), PREFIX.all to all of them, PREFIX.c to the
 * coordinator. Nothing is kept anywhere: what is sent while there is no connection, or no one listens, is lost.
 *
 * This folder is a module of its own, libproofd-nats.so, which the server loads when workers are asked for
 * (server/cluster/nats_module.h). So nothing else depends on libnats. The module has its own copy of what it uses of
 * proto/base, and logs through cn_config.log.
 *
 * Threads. The thread that waits in the port reads and writes (nats_loop.h), so that a message wakes one thread and not
 * three: libnats's own way is a thread that reads and one for each subscription that calls back, and its adapter for
 * libuv would put reading, writing and TLS of this traffic on the event loop, which single queries wait for (V3). One
 * thread for each port keeps the connection (nats_keep.c): it connects, asks every 2 s whether the server answers, and
 * when it does not, or the connection is lost, connects again, for ever, 0.1 to 2 s apart. So opening never waits for
 * a server, and an owner that does not wait in its port has no connection, but does no harm. libnats's own way of
 * reconnecting is off: it gives up after two refusals of a password, and keeps what is sent meanwhile in a buffer. As
 * it is, files of keys are read again for each connection.
 *
 * Cost: tests/bench/RESULTS.md. What the owner sends in one round leaves in one write when it waits next. A TLS record
 * that has come in part is waited for in libnats: the owner stands still until the rest is there, or the connection is
 * given up. */
#ifndef CN_NATS_PORT_H
#define CN_NATS_PORT_H

#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/log.h"
#include "server/cluster/port.h"

struct cn_config {
	const char *url;    /* see nats_url.h */
	const char *tls_ca; /* PEM file of the authorities that servers are checked against; NULL: the system's */
	const char *tls_cert, *tls_key; /* PEM files of our own certificate; both or none */
	const char *creds;   /* file of an NKey seed (SU...), or a .creds file of user JWT and seed; NULL: none */
	const char *program; /* what the server shows for this connection; NULL: "proofd" */
	/* Says what happens, from any thread; passwords never occur. Not NULL. */
	void (*log)(enum pd_log_level level, const char *sentence);
};

/* Checks the configuration, and makes what opens ports by it; `config` is copied. *out is ended by cn_opener_end, when
 * no port is open any more. Errors: PD_E_USAGE, with the option as field ("workers", "workers-tls-ca", ...). */
int cn_opener(const struct cn_config *config, struct cp_opener *out, struct pd_fail *fail);
void cn_opener_end(struct cp_opener *opener);
/* For people: the servers and the prefix, without user and password. Borrowed. */
const char *cn_opener_where(const struct cp_opener *opener);

/* What the module exports, under this name. The sizes tell whether it was compiled with the program that loads it. */
#define CN_MODULE_SYMBOL "proofd_nats_module"
#define CN_MODULE_ABI    2

struct cn_module {
	uint32_t abi, size, config_size, events_size, fail_size;
	const char *version; /* of proofd */
	int (*opener)(const struct cn_config *config, struct cp_opener *out, struct pd_fail *fail);
	void (*opener_end)(struct cp_opener *opener);
	const char *(*where)(const struct cp_opener *opener);
};

#endif
