/* Discover: the OpenRPC document (spec.open-rpc.org, 1.2.6), printed from the method table and the error list: it
 * states what the server checks. */
#pragma once

#include "proto/base/buf.h"
#include "proto/methods.h"

/* The OpenRPC document, made from the method table and the error list. `options`: what a parameter of type PR_T_OPTIONS
 * may hold, ended by a NULL name; the caller gives them, because it checks them. */
void pr_discover(struct pd_buf *out, const char *version, const struct pr_param *options);
