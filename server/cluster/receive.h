/* Receive: handles the messages of workers, and notices other coordinators. */
#pragma once

#include "server/cluster/state.h"

/* Accepts any bytes. */
void sc_receive(struct sv_cluster *c, const uint8_t *data, size_t size);
/* Each tick: renews what strangers may cost, and logs a rival (receive.c), at most once a minute. */
void sc_receive_tick(struct sv_cluster *c);
