/* Port: carries messages (proto/cluster/wire.h) between a coordinator and its workers.
 *
 * A port may lose, repeat, delay and reorder messages, and stores none. transports.def lists the implementations: nats/
 * over NATS, unix_port.c over a Unix socket. tests/support/port_double.h does all of this by a random seed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/log.h"

/* The addressee of a message: the number of a worker, or one of these. */
enum { CP_ALL = 0 }; /* all workers */
#define CP_COORDINATOR UINT64_MAX

/* Events of a port for its owner, from any thread, one call at a time. They return at once, and call no function of the
 * port but `wake`. */
struct cp_events {
	void *ctx;
	void (*message)(void *ctx, const uint8_t *data, size_t size);   /* borrowed during the call */
	void (*connected)(void *ctx, bool connected, const char *what); /* `what`: a line for the log */
};

struct cp_port;

/* One thread of the owner waits in the port whenever it is idle: a port may receive only then, and may delay what that
 * thread sends until it waits again. */
struct cp_port_type {
	/* Sends a copy of a message. PD_E_IO if it cannot leave now; the owner continues without it. Any thread; a
	 * message of a thread other than the waiting one leaves at once. */
	int (*send)(struct cp_port *port, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail);
	/* Waits until an event was delivered, `wake` was called, or pd_now_ns reaches `until_ns`, which may be past.
	 * May return early. */
	void (*wait)(struct cp_port *port, uint64_t until_ns);
	/* Ends the current wait or the next one. Any thread; cheap when no thread waits. */
	void (*wake)(struct cp_port *port);
	/* Sends the queued messages. No thread may be in `wait`. Delivers no events after it has returned. */
	void (*close)(struct cp_port *port);
};

struct cp_port {
	const struct cp_port_type *type;
};

/* Opens the port of a coordinator or worker. `worker`: its own number, or CP_COORDINATOR. */
struct cp_opener {
	void *ctx;
	int (*open)(void *ctx, uint64_t worker, const struct cp_events *events, struct cp_port **out,
		    struct pd_fail *fail);
};

/* The address of the message server, and the credentials. */
struct cp_config {
	const char *url;                /* its scheme selects the transport */
	const char *tls_ca;             /* PEM file of the trusted authorities; NULL: the system's */
	const char *tls_cert, *tls_key; /* PEM files of the client certificate; both or none */
	const char *creds;   /* file of an NKey seed (SU...), or a .creds file of user JWT and seed; NULL: none */
	const char *program; /* the name of this connection at the server; NULL: "proofd" */
	/* Logs a sentence without passwords; any thread. Not NULL. */
	void (*log)(enum pd_log_level level, const char *sentence);
};

/* A transport, which a module exports as CP_TRANSPORT_SYMBOL. The sizes show whether it was built with the program that
 * loads it. */
#define CP_TRANSPORT_SYMBOL "proofd_transport"
#define CP_TRANSPORT_ABI    3

struct cp_transport {
	uint32_t abi, size, config_size, events_size, fail_size;
	const char *version; /* of proofd */
	/* Checks the configuration, which is copied, and creates an opener of ports. `end` frees *out when no port is
	 * open. PD_E_USAGE with the option as field ("workers", "workers-tls-ca", ...). */
	int (*opener)(const struct cp_config *config, struct cp_opener *out, struct pd_fail *fail);
	void (*end)(struct cp_opener *opener);
	/* For people: the servers and the prefix, without user and password. Borrowed. */
	const char *(*where)(const struct cp_opener *opener);
};
/* The first members of every struct cp_transport. */
#define CP_TRANSPORT_HEAD                                                                                              \
	.abi = CP_TRANSPORT_ABI, .size = sizeof(struct cp_transport), .config_size = sizeof(struct cp_config),         \
	.events_size = sizeof(struct cp_events), .fail_size = sizeof(struct pd_fail), .version = PD_VERSION
