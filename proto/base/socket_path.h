/* Socket path: the file of a Unix socket, before a program listens there. */
#pragma once

#include "proto/base/error.h"

/* Removes a socket on which no process listens any more; one that answers stays (PD_E_LOCKED). The directory must
 * belong to the user or to root, and must be sticky or not writable by others (PD_E_USAGE). `option` is the field of
 * errors. */
int pd_socket_path_clear(const char *path, const char *option, struct pd_fail *fail);
