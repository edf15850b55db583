/* Notify: reports to a service manager (sd_notify(3)): ready, stopping, a line of status, and signs of life. Without
 * NOTIFY_SOCKET in the environment, or without libsystemd, nothing is sent. */
#pragma once

#include "server/core.h"

struct dm_notify {
	bool on;                      /* there is a service manager */
	uint64_t patience_ns;         /* time of the last request for patience; 0: none */
	uint64_t watchdog_ns;         /* between two signs of life; 0: none are wanted */
	uint64_t alive_ns, status_ns; /* when the next one is due */
	bool stuck;                   /* logged */
};

/* Reads the environment. */
void dm_notify_init(struct dm_notify *notify);
/* The server is ready. */
void dm_notify_ready(struct dm_notify *notify, struct sv_core *core);
/* Every NT_TICK_MS: sends what is due; no sign of life while sv_core_stuck names a thread. */
void dm_notify_tick(struct dm_notify *notify, struct sv_core *core);
void dm_notify_stopping(struct dm_notify *notify);
/* Opening takes long: asks for patience repeatedly. Any thread, one at a time; not while the loop runs. */
void dm_notify_patience(struct dm_notify *notify);
/* Opening is done. */
void dm_notify_again(struct dm_notify *notify);
