/* Connection: a core with a socket, and waiting (private to clients/libproofd). */
#ifndef PC_CONNECTION_H
#define PC_CONNECTION_H

#include "clients/libproofd/core.h"
#include "clients/libproofd/transport.h"

struct proofd {
	struct pc_core core;
	struct pc_address address;
	struct pc_security security;
	char *ca;                       /* owned; what security.ca points to */
	struct pc_transport *transport; /* NULL: there is no connection now */
	double timeout_s;               /* of a call; 0: none */
	double patience_s;              /* of one try to connect */
	double reconnect_s;             /* 0: not at all; INFINITY: for ever */
};

enum { PC_SILENCE_S = 30 /* a watch that hears nothing for so long is asked for again */ };

/* Sends and reads until done(ctx), or the deadline. A lost connection is made again. */
void pc_serve(struct proofd *server, bool (*done)(const void *ctx), const void *ctx, uint64_t deadline);
/* Sends what can be sent without waiting. */
void pc_push(struct proofd *server);

/* Calls with parameters that are compact JSON. */
int pc_begin(struct proofd *server, const struct pc_request *request, struct proofd_pending **out,
	     struct proofd_error *error);
/* Waits until the call is done, or the time limit; it is the caller's all the same. -1: "timeout", and it goes on. */
int pc_settle(struct proofd *server, struct proofd_pending *call, struct proofd_error *error);
/* The outcome of a call that is done; frees the call. out may be NULL. */
int pc_outcome(struct proofd_pending *call, struct proofd_reply **out, struct proofd_error *error);
/* All three. */
int pc_call(struct proofd *server, const struct pc_request *request, struct proofd_reply **out,
	    struct proofd_error *error);

#endif
