/* Position watch: notifications of what searches and facts say of a position, one position a connection. Each is the
 * result of a position.analyze that the server itself calls, so a search is asked as by a client. A result equal to the
 * last one is not sent, and nothing is sent while the client has not read what was sent before. */
#pragma once

#include "proto/ref.h"

struct sv_core;
struct sv_session;

/* Ends the session's watch, if there is one. */
void sv_position_watch_end(struct sv_session *session);
/* A tick: asks again for each session where it is time. A session without a role has no watch any more. */
void sv_position_watch_tick(struct sv_core *core);
