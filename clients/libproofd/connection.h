/* Connection: a core with a socket, and waiting (private to clients/libproofd). */
#pragma once

#include "clients/libproofd/core.h"
#include "clients/libproofd/transport.h"

struct proofd {
	struct pc_core core;
	struct pc_address address;
	struct pc_security security;
	char *ca;                       /* owned; security.ca points to it */
	struct pc_transport *transport; /* NULL: there is no connection now */
	double timeout_s;               /* time limit of a call; 0: none */
	double patience_s;              /* time limit of one attempt to connect */
	double reconnect_s;             /* how long to try to reconnect; 0: not at all; INFINITY: no limit */
};

enum { PC_SILENCE_S = 30 /* a watch that has received no state for so long is renewed */ };

/* One attempt to connect, greeting included, until the deadline at most. -1: "unreachable", or the server's refusal. */
int pc_connect(struct proofd *server, uint64_t deadline, struct proofd_error *error);
void pc_disconnect(struct proofd *server);
/* Sends and reads until done(ctx) or the deadline. Reconnects if the connection is lost. */
void pc_serve(struct proofd *server, bool (*done)(const void *ctx), const void *ctx, uint64_t deadline);
/* Sends what can be sent without waiting. */
void pc_push(struct proofd *server);

/* Begins a call with parameters that are compact JSON. */
int pc_begin(struct proofd *server, const struct pc_request *request, struct proofd_pending **out,
	     struct proofd_error *error);
/* Waits until the call is done, or for the time limit: -1, "timeout", and the call continues. The
 * caller keeps the call in any case. */
int pc_settle(struct proofd *server, struct proofd_pending *call, struct proofd_error *error);
/* The outcome of a call that is done; frees the call. out may be NULL. */
int pc_outcome(struct proofd_pending *call, struct proofd_reply **out, struct proofd_error *error);
/* pc_settle and pc_outcome; frees the call in any case. */
int pc_finish(struct proofd_pending *call, struct proofd_reply **out, struct proofd_error *error);
/* pc_begin and pc_finish. */
int pc_call(struct proofd *server, const struct pc_request *request, struct proofd_reply **out,
	    struct proofd_error *error);
