/* Receive: takes the messages of workers apart. Any bytes are survived. */
#pragma once

#include "server/cluster/state.h"

void sc_receive(struct sv_cluster *c, const uint8_t *data, size_t size);
