#include "server/daemon/notify.h"

#include <inttypes.h>
#include <stdio.h>
#ifdef PD_SYSTEMD
#include <systemd/sd-daemon.h>
#endif

#include "proto/base/assert.h"
#include "proto/base/clock.h"

#ifndef PD_SYSTEMD
/* Without libsystemd `on` stays false, and nothing is sent. */
static int sd_notify(int unset, const char *text)
{
	PD_ASSERT(!unset && !text);
	return 0;
}
#endif

#define STATUS_NS   (10 * UINT64_C(1000000000))
#define PATIENCE_NS UINT64_C(1000000000)
#define PATIENCE_US "3600000000" /* the repeated search of a proof leaf may take that long */

void dm_notify_init(struct dm_notify *notify)
{
	*notify = (struct dm_notify){0};
#ifdef PD_SYSTEMD
	uint64_t us = 0;
	notify->on = getenv("NOTIFY_SOCKET") != NULL;
	if (notify->on && sd_watchdog_enabled(0, &us) > 0)
		notify->watchdog_ns = us * 1000 / 3; /* two signs may be late */
#endif
}

static void tell_status(struct dm_notify *notify, struct sv_core *core, const char *before)
{
	char status[SV_STATUS_TEXT], text[SV_STATUS_TEXT + 40];
	sv_status_line(core, status);
	int n = snprintf(text, sizeof text, "%sSTATUS=%s", before, status);
	PD_ASSERT(n > 0 && (size_t)n < sizeof text);
	sd_notify(0, text);
	notify->status_ns = pd_now_ns() + STATUS_NS;
}

void dm_notify_ready(struct dm_notify *notify, struct sv_core *core)
{
	if (notify->on)
		tell_status(notify, core, "READY=1\n");
}

static void tell_alive(struct dm_notify *notify, struct sv_core *core, uint64_t now)
{
	const char *who = sv_core_stuck(core);
	notify->alive_ns = now + notify->watchdog_ns;
	if (who && !notify->stuck)
		pd_log(PD_LOG_ERROR,
		       "a %s is stuck: it has used %d s of processor time without a step; the watchdog gets no sign of "
		       "life",
		       who, SV_PULSE_CPU_S);
	notify->stuck = who != NULL;
	if (!who)
		sd_notify(0, "WATCHDOG=1");
}

void dm_notify_tick(struct dm_notify *notify, struct sv_core *core)
{
	if (!notify->on)
		return;
	uint64_t now = pd_now_ns();
	if (notify->watchdog_ns && now >= notify->alive_ns)
		tell_alive(notify, core, now);
	if (now >= notify->status_ns)
		tell_status(notify, core, "");
}

void dm_notify_stopping(struct dm_notify *notify)
{
	if (notify->on)
		sd_notify(0, "STOPPING=1");
}

void dm_notify_patience(struct dm_notify *notify)
{
	uint64_t now = pd_now_ns();
	if (!notify->on || (notify->patience_ns && now - notify->patience_ns < PATIENCE_NS))
		return;
	notify->patience_ns = now;
	if (notify->watchdog_ns)
		sd_notify(0, "WATCHDOG_USEC=" PATIENCE_US "\nWATCHDOG=1");
	sd_notify(0, "EXTEND_TIMEOUT_USEC=" PATIENCE_US "\nSTATUS=retracting the facts of workers that lied");
}

void dm_notify_again(struct dm_notify *notify)
{
	char text[80];
	if (notify->patience_ns && notify->watchdog_ns) {
		snprintf(text, sizeof text, "WATCHDOG_USEC=%" PRIu64 "\nWATCHDOG=1", notify->watchdog_ns * 3 / 1000);
		sd_notify(0, text);
	}
	notify->patience_ns = 0;
}
