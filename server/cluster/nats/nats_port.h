/* Port over NATS: messages of coordinator and workers (server/cluster/port.h) go through nats-server, by libnats.
 *
 * proto/CLUSTER.md has the subjects. Nothing is stored: a message without a connection or a subscriber is lost.
 *
 * This folder is a module, libproofd-nats.so, which the server loads when workers are asked for
 * (server/cluster/transport.h), so that nothing else depends on libnats. It has its own copy of what it uses of
 * proto/base, and logs through cp_config.log.
 *
 * Threads. The thread that waits in the port reads and writes (nats_loop.h), so that a message wakes one thread and not
 * three: libnats by itself reads in one thread and calls back in one for each subscription, and its adapter for libuv
 * would put this traffic and its TLS on the event loop, which queries wait for (V3). Another thread of each port keeps
 * the connection (nats_port.c): it connects, pings the server every 2 s, and reconnects for ever, 0.1 to 2 s apart. So
 * opening never waits for a server; an owner that does not wait in its port has no connection, but does no harm.
 * libnats's own reconnecting is off: it gives up after two refusals of a password, and keeps unsent messages. Key files
 * are read again for each connection.
 *
 * Cost: tests/bench/RESULTS.md. Messages that the owner sends in one round leave in one write when it waits next. When
 * part of a TLS record has come, the owner blocks in libnats until the rest is there or the connection is given up. */
#pragma once

#include "server/cluster/port.h"

extern const struct cp_transport proofd_transport;
