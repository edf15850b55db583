/* Tick: what happens with time, 20 times a second: deadlines, silent workers, grain, and what people see. */
#pragma once

#include "server/cluster/state.h"

void sc_tick(struct sv_cluster *c);
/* The port is there again, or is not. */
void sc_tick_connected(struct sv_cluster *c, bool came, bool connected, const char *what);
/* Writes down what people see. */
void sc_tick_publish(struct sv_cluster *c);
