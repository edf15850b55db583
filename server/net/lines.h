/* Lines: the framing of TCP and of the Unix socket, one message a line.
 *
 * A line that grows beyond PR_LINE_MAX is refused once and skipped to its end; blank ones are passed over. A client
 * whose first byte begins no request is turned away (rejected_clients.h). */
#ifndef NT_LINES_H
#define NT_LINES_H

#include <stdbool.h>
#include <uv.h>

/* Accepts a connection. A nt_accept; `conns`: a struct nt_conns. */
bool nt_lines_accept(void *conns, int fd, bool local);

#endif
