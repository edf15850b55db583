/* Monitor: see monitor.h. */
#include "server/daemon/monitor.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/daemon/http.h"
#include "server/daemon/listener.h"
#include "server/daemon/metrics.h"

struct dm_monitor {
	struct dm_http *http;
	struct dm_listener *listener;
	struct sv_core *core; /* borrowed; NULL: none */
	const struct dm_conns *conns;
	int64_t start_ms;
	bool stopping;
	struct sv_figures figures;
};

/* --- pages -------------------------------------------------------------------------------- */

/* What a transaction was refused for that the disk has no part in. */
static bool is_fault(int code)
{
	return code && code != PD_E_CONFLICT && code != PD_E_LIMIT && code != PD_E_NO_SPACE && code != PD_E_NO_MEMORY;
}

void dm_monitor_reasons(const struct sv_figures *f, struct pd_buf *ready, struct pd_buf *health)
{
	if (is_fault(f->commit_error))
		pd_buf_printf(health, "the latest transaction could not be committed: %s\n",
			      pd_error_meaning(f->commit_error));
	if (f->stopping)
		pd_buf_puts(ready, "the server is stopping\n");
	if (f->read_only)
		pd_buf_puts(ready, "the data directory is open for reading only\n");
	if (f->commit_error && f->commit_error != PD_E_CONFLICT && f->commit_error != PD_E_LIMIT)
		pd_buf_printf(ready, "the latest transaction could not be committed: %s\n",
			      pd_error_meaning(f->commit_error));
	if (f->jobs_in_trouble)
		pd_buf_printf(ready, "checkpoints cannot be written for now, of jobs: %llu\n",
			      (unsigned long long)f->jobs_in_trouble);
	if (f->quota.text[0]) /* as the scheduler sees it */
		pd_buf_printf(ready, "jobs are paused: %s\n", f->quota.text);
}

/* A page that is "ok", or says why not. */
static void give_state(struct dm_http_page *page, const struct pd_buf *reasons)
{
	page->status = reasons->size ? 503 : 200;
	pd_buf_reset(&page->body);
	if (reasons->size)
		pd_buf_put(&page->body, reasons->data, reasons->size);
	else
		pd_buf_puts(&page->body, "ok\n");
	page->body.failed = page->body.failed || reasons->failed;
}

static void give_metrics(struct dm_monitor *monitor, struct dm_http_page *page, bool ready)
{
	const struct dm_view view = {&monitor->figures, monitor->conns, monitor->start_ms, ready};
	page->status = 200;
	page->type = DM_METRICS_TYPE;
	pd_buf_reset(&page->body);
	dm_metrics_write(&view, &page->body);
}

static void answer(void *ctx, const char *path, struct dm_http_page *page)
{
	struct dm_monitor *monitor = ctx;
	bool metrics = !strcmp(path, "/metrics"), health = !strcmp(path, "/healthz"), ready = !strcmp(path, "/readyz");
	struct pd_buf not_ready, not_well;
	if (!metrics && !health && !ready) /* the page says so */
		return;
	PD_ASSERT(monitor->core); /* the loop runs only then */
	pd_buf_init(&not_ready, 1 << 16);
	pd_buf_init(&not_well, 1 << 16);
	sv_figures(monitor->core, &monitor->figures);
	monitor->figures.stopping = monitor->figures.stopping || monitor->stopping;
	dm_monitor_reasons(&monitor->figures, &not_ready, &not_well);
	if (metrics)
		give_metrics(monitor, page, !not_ready.size);
	else
		give_state(page, health ? &not_well : &not_ready);
	pd_buf_fini(&not_ready);
	pd_buf_fini(&not_well);
}

/* --- life --------------------------------------------------------------------------------- */

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

static int listen_at(struct dm_monitor *monitor, uv_loop_t *loop, const char *where, struct pd_fail *fail)
{
	struct pd_fail why;
	bool local = strchr(where, '/') != NULL;
	int rc = local ? PD_OK : check_address(where, fail);
	if (rc)
		return rc;
	if (local)
		rc = dm_listen_unix(loop, where, dm_http_accept, monitor->http, &monitor->listener, &why);
	else
		rc = dm_listen_tcp(loop, where, dm_http_accept, monitor->http, &monitor->listener, &why);
	return rc ? pd_fail_set(fail, rc, "--monitor", "--monitor: %.290s", why.text) : PD_OK;
}

int dm_monitor_open(uv_loop_t *loop, const char *where, const struct dm_conns *conns, struct dm_monitor **out,
		    struct pd_fail *fail)
{
	struct dm_monitor *monitor = calloc(1, sizeof *monitor);
	if (!monitor)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "--monitor", "no memory for the monitor");
	monitor->conns = conns;
	monitor->start_ms = pd_wall_ms();
	int rc = dm_http_open(loop, answer, monitor, &monitor->http, fail);
	if (!rc)
		rc = listen_at(monitor, loop, where, fail);
	*out = monitor; /* also on failure: what the loop still holds is freed with it */
	return rc;
}

void dm_monitor_core(struct dm_monitor *monitor, struct sv_core *core)
{
	monitor->core = core;
}

void dm_monitor_stopping(struct dm_monitor *monitor)
{
	monitor->stopping = true;
}

void dm_monitor_tick(struct dm_monitor *monitor)
{
	PD_ASSERT(monitor->http && monitor->listener);
	dm_http_tick(monitor->http);
	dm_listener_retry(monitor->listener);
}

const char *dm_monitor_address(const struct dm_monitor *monitor)
{
	return dm_listener_address(monitor->listener);
}

void dm_monitor_close(struct dm_monitor *monitor)
{
	if (!monitor)
		return;
	dm_listener_close(monitor->listener);
	monitor->listener = NULL;
	dm_http_close(monitor->http);
}

void dm_monitor_free(struct dm_monitor *monitor)
{
	if (!monitor)
		return;
	PD_ASSERT(!monitor->listener);
	dm_http_free(monitor->http);
	free(monitor);
}
