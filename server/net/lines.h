/* Lines: the framing of TCP and of the Unix socket, one message a line.
 *
 * A line longer than PR_LINE_MAX is refused once and skipped; blank lines are ignored. A client whose first byte does
 * not begin a request is rejected (rejected_clients.h). */
#pragma once

#include <stdbool.h>
#include <uv.h>

/* Accepts a connection. A nt_accept; `conns`: a struct nt_conns. */
bool nt_lines_accept(void *conns, int fd, bool local);
