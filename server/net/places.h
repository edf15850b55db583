/* Places: who is let in when many clients come, and who is disconnected for them.
 *
 * A client is anonymous until it has a role: until it has shown a token where there are tokens, until its handshake is
 * done under TLS, and by HTTP until its first request is complete; then it is a user. Users have `count_max` places,
 * and NT_RESERVED more for the Unix socket alone, so that the owner can always reach the server. Anonymous clients have
 * NT_ANONYMOUS_MAX places, and may use free places of users except a quarter of all. So none of them takes the place of
 * a user:
 *
 *   one anonymous client too many   the oldest one of the address with the most of them is disconnected;
 *   one user too many               takes the place of the user that has been idle longest, for `idle_s` at least; or,
 *                                   if its address has at least two users fewer than another one, of that address's
 *                                   user that has been silent longest and waits for nothing; or is refused.
 *
 * An address is an IPv4 address, or the first 64 bits of an IPv6 address: a single host may own all addresses with the
 * same first 64 bits. On a public server it is the visitor's (visitor.h): requests that come through a trusted proxy
 * count for those whom it names, and while a first request is not complete, each such connection for itself. */
#pragma once

#include <netinet/in.h>

#include "server/net/conn_state.h"

/* Finds the place of a new connection with its handle and session (NULL: no memory), for which others may be closed. */
void nt_place_enter(struct nt_conn *conn);
/* A request of it is a visitor's with that address. */
void nt_place_visitor(struct nt_conn *conn, const struct in6_addr *visitor);
/* Its role may have changed. A user without a place is refused. */
void nt_place_look(struct nt_conn *conn);
/* It ends. */
void nt_place_leave(struct nt_conn *conn);
