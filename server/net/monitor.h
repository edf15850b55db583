/* Monitor: pages (pages.h) by HTTP on a socket of its own, for the programs that watch a server.
 *
 * On a loopback address or a Unix socket only: the pages tell what is searched to all who can reach them. */
#ifndef NT_MONITOR_H
#define NT_MONITOR_H

#include <uv.h>

#include "proto/base/error.h"
#include "server/net/pages.h"

struct nt_monitor;

/* Listens on HOST:PORT, or on the Unix socket PATH when there is a slash in it. PD_E_USAGE, PD_E_UNSUPPORTED for an
 * address that is not loopback, PD_E_IO, PD_E_LOCKED, PD_E_NO_MEMORY; field "--monitor". Loop and pages are borrowed.
 * *out is set on failure, too, unless memory ran out: what the loop still holds is freed with it. */
int nt_monitor_open(uv_loop_t *loop, const char *where, struct nt_pages *pages, struct nt_monitor **out,
		    struct pd_fail *fail);
void nt_monitor_tick(struct nt_monitor *monitor);
/* "127.0.0.1:9590", or the path. Borrowed. */
const char *nt_monitor_address(const struct nt_monitor *monitor);
/* Closes; and, once the loop has run out of handles, frees. NULL is fine. */
void nt_monitor_close(struct nt_monitor *monitor);
void nt_monitor_free(struct nt_monitor *monitor);

#endif
