/* Query: any number of positions, in pieces, several of which are in flight (private to clients/libproofd). */
#pragma once

#include "clients/libproofd/connection.h"

/* Does what proofd_query_each does. */
int pc_query_each(struct proofd *server, const struct proofd_asked *asked,
		  int (*each)(void *ctx, size_t index, proofd_value fact), void *ctx, struct proofd_error *error);
