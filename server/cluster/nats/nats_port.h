/* Port over NATS: messages of coordinator and workers (server/cluster/port.h) go through nats-server, by libnats.
 *
 * Subjects: PREFIX.w.NUMBER to one worker (16 hexadecimal digits), PREFIX.all to all of them, PREFIX.c to the
 * coordinator. Nothing is kept anywhere: what is sent while there is no connection, or no one listens, is lost.
 *
 * This folder is a module of its own, libproofd-nats.so, which the server loads when workers are asked for
 * (server/cluster/transport.h). So nothing else depends on libnats. The module has its own copy of what it uses of
 * proto/base, and logs through cp_config.log.
 *
 * Threads. The thread that waits in the port reads and writes (nats_loop.h), so that a message wakes one thread and not
 * three: libnats's own way is a thread that reads and one for each subscription that calls back, and its adapter for
 * libuv would put reading, writing and TLS of this traffic on the event loop, which single queries wait for (V3). One
 * thread for each port keeps the connection (nats_port.c): it connects, asks every 2 s whether the server answers, and
 * when it does not, or the connection is lost, connects again, for ever, 0.1 to 2 s apart. So opening never waits for
 * a server, and an owner that does not wait in its port has no connection, but does no harm. libnats's own way of
 * reconnecting is off: it gives up after two refusals of a password, and keeps what is sent meanwhile in a buffer. As
 * it is, files of keys are read again for each connection.
 *
 * Cost: tests/bench/RESULTS.md. What the owner sends in one round leaves in one write when it waits next. A TLS record
 * that has come in part is waited for in libnats: the owner stands still until the rest is there, or the connection is
 * given up. */
#pragma once

#include "server/cluster/port.h"

extern const struct cp_transport proofd_transport;
