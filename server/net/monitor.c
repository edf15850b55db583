/* Monitor: see monitor.h. */
#include "server/net/monitor.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/net/http.h"
#include "server/net/listener.h"

struct nt_monitor {
	struct nt_http *http;
	struct nt_listener *listener;
	struct nt_pages *pages; /* borrowed */
};

/* The page says so when there is none of that path. */
static void answer(void *ctx, const char *path, struct nt_http_page *page)
{
	struct nt_monitor *monitor = ctx;
	nt_pages_answer(monitor->pages, path, page);
}

/* Refuses what is no loopback address, whatever else the server may listen on. */
static int check_address(const char *where, struct pd_fail *fail)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	char host[64];
	const char *colon = strrchr(where, ':');
	size_t size = colon ? (size_t)(colon - where) : 0;
	if (!size || size >= sizeof host || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return pd_fail_set(fail, PD_E_USAGE, "--monitor",
				   "--monitor takes HOST:PORT, like 127.0.0.1:9590, or the path of a Unix socket with "
				   "a slash in it, not '%.80s'",
				   where);
	bool bracket = size > 2 && where[0] == '[' && where[size - 1] == ']';
	memcpy(host, where + bracket, size - 2 * bracket);
	host[size - 2 * bracket] = 0;
	bool loopback = !strcmp(host, "localhost");
	if (bracket)
		loopback = !uv_ip6_addr(host, 0, &v6) && IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
	else if (!uv_ip4_addr(host, 0, &v4))
		loopback = ntohl(v4.sin_addr.s_addr) >> 24 == 127;
	if (!loopback)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "--monitor",
				   "--monitor takes a loopback address or the path of a Unix socket, not '%.60s': its "
				   "pages are for programs of this machine",
				   host);
	return PD_OK;
}

static int listen_at(struct nt_monitor *monitor, uv_loop_t *loop, const char *where, struct pd_fail *fail)
{
	struct pd_fail why;
	bool local = strchr(where, '/') != NULL;
	const struct nt_welcome welcome = {nt_http_accept, monitor->http};
	int rc = local ? PD_OK : check_address(where, fail);
	if (rc || !local)
		return rc ? rc
			  : nt_listen_tcp(loop, (struct nt_place){"--monitor", where}, &welcome, &monitor->listener,
					  fail);
	rc = nt_listen_unix(loop, where, &welcome, &monitor->listener, &why);
	return rc ? pd_fail_set(fail, rc, "--monitor", "--monitor: %.290s", why.text) : PD_OK;
}

int nt_monitor_open(uv_loop_t *loop, const char *where, struct nt_pages *pages, struct nt_monitor **out,
		    struct pd_fail *fail)
{
	struct nt_monitor *monitor = calloc(1, sizeof *monitor);
	if (!monitor)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "--monitor", "no memory for the monitor");
	monitor->pages = pages;
	int rc = nt_http_open(loop, answer, monitor, &monitor->http, fail);
	if (!rc)
		rc = listen_at(monitor, loop, where, fail);
	*out = monitor; /* also on failure: what the loop still holds is freed with it */
	return rc;
}

void nt_monitor_tick(struct nt_monitor *monitor)
{
	PD_ASSERT(monitor->http && monitor->listener);
	nt_http_tick(monitor->http);
	nt_listener_retry(monitor->listener);
}

const char *nt_monitor_address(const struct nt_monitor *monitor)
{
	return nt_listener_address(monitor->listener);
}

void nt_monitor_close(struct nt_monitor *monitor)
{
	if (!monitor)
		return;
	nt_listener_close(monitor->listener);
	monitor->listener = NULL;
	nt_http_close(monitor->http);
}

void nt_monitor_free(struct nt_monitor *monitor)
{
	if (!monitor)
		return;
	PD_ASSERT(!monitor->listener);
	nt_http_free(monitor->http);
	free(monitor);
}
