/* Places: who is let in when many come, and who makes room.
 *
 * A client is a stranger until it has a role: where there are tokens, until it has shown one; under TLS, until its
 * handshake is done. Users, which have a role, have `count_max` places, and NT_RESERVED more for the Unix socket alone,
 * so that the owner can always reach the server. Strangers have NT_ANONYMOUS_MAX places of their own and may use those of
 * users that are free, except for a quarter of them. So no stranger takes the place of a user:
 *
 *   a stranger too many   pushes a stranger out: of the address that most of them come from, the one that has been
 *                         there longest;
 *   a user too many       takes the place of the user that has been idle longest, for `idle_s` at least; or, if its
 *                         address has at least two users fewer than another one, of the user of that one that has been
 *                         silent longest and waits for nothing; or is told that there is no place.
 *
 * An address is that of IPv4, or the first 64 bits of that of IPv6, which one host has for itself. */
#ifndef NT_PLACES_H
#define NT_PLACES_H

#include "server/net/conn_state.h"

/* A new connection, of which handle and session (NULL: no memory for one) are there: finds its place, for which others
 * may be closed. */
void nt_place_enter(struct nt_conn *conn);
/* Its role may have changed. A user for which there is no place is told so, and its connection ends. */
void nt_place_look(struct nt_conn *conn);
/* It has ended, or is going to. */
void nt_place_leave(struct nt_conn *conn);

#endif
