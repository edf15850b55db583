/* Address: where a server is, and a connected socket to it (private to clients/libproofd). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clients/libproofd/error.h"

struct pc_address {
	char text[256]; /* as it was given */
	bool path;      /* a Unix socket, and `text` is its path */
	char host[200]; /* otherwise; without brackets */
	char port[8];
};

/* HOST:PORT, [HOST]:PORT or a path with a slash; NULL or "": $PROOFD_SERVER, or 127.0.0.1:4590. "usage" with the field
 * "address" if it is none of these. */
int pc_address_parse(const char *text, struct pc_address *out, struct proofd_error *error);
/* A connected socket that does not block, or -1: "unreachable". The addresses that the host has share the time until
 * the deadline (deadline.h). The look-up of its name is the system's and has no limit. */
int pc_address_connect(const struct pc_address *address, uint64_t deadline, struct proofd_error *error);
