/* Monitor: an address at which the HTTP server (web.h) serves the pages of pages.h and nothing else, for the programs
 * that watch a server.
 *
 * On a loopback address or a Unix socket only: everybody who can reach it may read the pages, without a token or TLS.
 * Its connections are a set of their own, without sessions, so that they never take the place of a client. At most
 * NT_MONITOR_CLIENTS are open (the oldest makes room for another), and at most NT_MONITOR_NEW are accepted in a tick;
 * each gets one answer and ends after NT_WEB_PAGES_MS whatever it does. */
#pragma once

#include <uv.h>

#include "proto/base/error.h"
#include "server/net/pages.h"

enum { NT_MONITOR_CLIENTS = 32, NT_MONITOR_NEW = 16 };

struct nt_monitor;

/* Listens on HOST:PORT, or on the Unix socket PATH when there is a slash in it. PD_E_USAGE, PD_E_UNSUPPORTED for an
 * address that is not loopback, PD_E_IO, PD_E_LOCKED, PD_E_NO_MEMORY; field "--monitor". Loop and pages are borrowed.
 * *out is also set on failure, unless memory ran out: what the loop still holds is freed with it. */
int nt_monitor_open(uv_loop_t *loop, const char *where, struct nt_pages *pages, struct nt_monitor **out,
		    struct pd_fail *fail);
/* Once in a turn of the loop, as nt_conns_turn. */
void nt_monitor_turn(struct nt_monitor *monitor);
/* Every NT_TICK_MS. */
void nt_monitor_tick(struct nt_monitor *monitor);
/* "127.0.0.1:9590", or the path. Borrowed. */
const char *nt_monitor_address(const struct nt_monitor *monitor);
/* Closes all connections; others may come later. */
void nt_monitor_rest(struct nt_monitor *monitor);
/* Closes; and, once the loop has run out of handles, frees. NULL is fine. */
void nt_monitor_close(struct nt_monitor *monitor);
void nt_monitor_free(struct nt_monitor *monitor);
