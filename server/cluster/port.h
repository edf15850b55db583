/* Port: carries messages (proto/cluster/wire.h) between a coordinator and its workers.
 *
 * It may lose, repeat, delay and reorder them; nothing of it has to last. transports.def lists what may carry them:
 * nats/ is the port over NATS. The tests have one that does all of this by seed (tests/support/port_double.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/log.h"

/* Whom a message is for: the number of a worker, or one of these. */
enum { CP_ALL = 0 }; /* all workers */
#define CP_COORDINATOR UINT64_MAX

/* What a port tells its owner; from the thread that waits in it or any other, one call at a time. They return at once
 * and do not call the port, except `wake`. */
struct cp_events {
	void *ctx;
	void (*message)(void *ctx, const uint8_t *data, size_t size);   /* borrowed during the call */
	void (*connected)(void *ctx, bool connected, const char *what); /* `what`: a sentence for the log */
};

struct cp_port;

/* The owner waits in its port, in one thread, whenever it has nothing else to do: a port may have no other thread to
 * receive with, and sends what that thread gave it when it waits next, or soon. */
struct cp_port_type {
	/* Sends a message; copies it. PD_E_IO when it is known not to leave now: the owner goes on without it. Any
	 * thread; from another than the one that waits, it leaves at once. */
	int (*send)(struct cp_port *port, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail);
	/* Returns when it has told the owner something itself, when someone wakes it, or at `until_ns` of pd_now_ns,
	 * which may be over; at times for no reason. */
	void (*wait)(struct cp_port *port, uint64_t until_ns);
	/* Ends the wait that is under way, or the next one. Any thread; costs next to nothing when no one waits. */
	void (*wake)(struct cp_port *port);
	/* No one waits in it. What was sent before it leaves; no event comes after it has returned. */
	void (*close)(struct cp_port *port);
};

struct cp_port {
	const struct cp_port_type *type;
};

/* How a coordinator or worker gets its port. `worker`: its own number, or CP_COORDINATOR. */
struct cp_opener {
	void *ctx;
	int (*open)(void *ctx, uint64_t worker, const struct cp_events *events, struct cp_port **out,
		    struct pd_fail *fail);
};

/* Where the messages go, and with which credentials. */
struct cp_config {
	const char *url;    /* its scheme says which transport */
	const char *tls_ca; /* PEM file of the authorities that servers are checked against; NULL: the system's */
	const char *tls_cert, *tls_key; /* PEM files of our own certificate; both or none */
	const char *creds;   /* file of an NKey seed (SU...), or a .creds file of user JWT and seed; NULL: none */
	const char *program; /* what the server shows for this connection; NULL: "proofd" */
	/* Says what happens, from any thread; passwords never occur. Not NULL. */
	void (*log)(enum pd_log_level level, const char *sentence);
};

/* A transport, as a module exports it under the name CP_TRANSPORT_SYMBOL. The sizes tell whether it was compiled with
 * the program that loads it. */
#define CP_TRANSPORT_SYMBOL "proofd_transport"
#define CP_TRANSPORT_ABI    3

struct cp_transport {
	uint32_t abi, size, config_size, events_size, fail_size;
	const char *version; /* of proofd */
	/* Checks the configuration, and makes what opens ports by it; `config` is copied. *out is ended by `end`, when
	 * no port is open any more. Errors: PD_E_USAGE, with the option as field ("workers", "workers-tls-ca", ...). */
	int (*opener)(const struct cp_config *config, struct cp_opener *out, struct pd_fail *fail);
	void (*end)(struct cp_opener *opener);
	/* For people: the servers and the prefix, without user and password. Borrowed. */
	const char *(*where)(const struct cp_opener *opener);
};
/* The first members of every struct cp_transport. */
#define CP_TRANSPORT_HEAD                                                                                              \
	.abi = CP_TRANSPORT_ABI, .size = sizeof(struct cp_transport), .config_size = sizeof(struct cp_config),         \
	.events_size = sizeof(struct cp_events), .fail_size = sizeof(struct pd_fail), .version = PD_VERSION
