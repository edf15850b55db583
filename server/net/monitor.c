#include "server/net/monitor.h"

#include "proto/base/assert.h"
#include "server/net/listener.h"
#include "server/net/web_client.h"
#include "server/net/web.h"

struct nt_monitor {
	struct nt_conns conns;
	struct nt_web *web;
	struct nt_listener *listener;
	unsigned fresh; /* clients accepted since the last tick */
};

static bool accept_client(void *ctx, int fd, bool local)
{
	struct nt_monitor *monitor = ctx;
	if (monitor->fresh == NT_MONITOR_NEW)
		return false;
	if (monitor->conns.count == NT_MONITOR_CLIENTS)
		nt_conns_close_oldest(&monitor->conns);
	if (!nt_web_accept(monitor->web, fd, local))
		return false;
	monitor->fresh++;
	return true;
}

static int listen_at(struct nt_monitor *monitor, uv_loop_t *loop, const char *where, struct pd_fail *fail)
{
	const struct nt_acceptor acceptor = {accept_client, monitor};
	const struct nt_place place = {"--monitor", where};
	struct pd_fail why;
	if (!strchr(where, '/')) {
		int rc = nt_listen_check_loopback(place, fail);
		return rc ? rc : nt_listen_tcp(loop, place, &acceptor, &monitor->listener, fail);
	}
	int rc = nt_listen_unix(loop, where, &acceptor, &monitor->listener, &why);
	return rc ? pd_fail_set(fail, rc, "--monitor", "--monitor: %.290s", why.text) : PD_OK;
}

int nt_monitor_open(uv_loop_t *loop, const char *where, struct nt_pages *pages, struct nt_monitor **out,
		    struct pd_fail *fail)
{
	const struct nt_config config = {
		.stall_s = NT_WEB_PAGES_MS / 1000,
		.buffers_max = NT_MONITOR_CLIENTS * (UINT64_C(2) * NT_PAGE_MAX),
	};
	struct nt_monitor *monitor = calloc(1, sizeof *monitor);
	if (monitor)
		monitor->web = nt_web_new(&monitor->conns, pages, NULL);
	if (!monitor || !monitor->web) {
		free(monitor);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "--monitor", "no memory for the monitor");
	}
	nt_conns_init(&monitor->conns, loop, &config);
	*out = monitor; /* also on failure: what the loop still holds is freed with it */
	return listen_at(monitor, loop, where, fail);
}

void nt_monitor_turn(struct nt_monitor *monitor)
{
	nt_conns_turn(&monitor->conns);
}

void nt_monitor_tick(struct nt_monitor *monitor)
{
	PD_ASSERT(monitor->listener);
	monitor->fresh = 0;
	nt_conns_tick(&monitor->conns);
	nt_listener_retry(monitor->listener);
}

const char *nt_monitor_address(const struct nt_monitor *monitor)
{
	return nt_listener_address(monitor->listener);
}

void nt_monitor_rest(struct nt_monitor *monitor)
{
	monitor->conns.paused = true;
	nt_conns_close(&monitor->conns);
	monitor->conns.paused = false;
}

void nt_monitor_close(struct nt_monitor *monitor)
{
	if (!monitor)
		return;
	nt_listener_close(monitor->listener);
	nt_conns_close(&monitor->conns);
}

void nt_monitor_free(struct nt_monitor *monitor)
{
	if (!monitor)
		return;
	PD_ASSERT(!monitor->conns.count);
	nt_web_free(monitor->web);
	free(monitor);
}
