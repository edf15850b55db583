/* Notify: tells a service manager how the server does (sd_notify(3)): ready, stopping, a line of status, and that it is
 * alive. Without NOTIFY_SOCKET in the environment, or built without libsystemd, nothing is told. */
#ifndef DM_NOTIFY_H
#define DM_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core.h"

struct dm_notify {
	bool on;                      /* someone listens */
	uint64_t patience_ns;         /* when patience was last asked for; 0: it was not */
	uint64_t watchdog_ns;         /* between two signs of life; 0: none is asked for */
	uint64_t alive_ns, status_ns; /* when the next is due */
	bool stuck;                   /* the log has said so */
};

/* Reads the environment. */
void dm_notify_init(struct dm_notify *notify);
/* Clients are served from now on. */
void dm_notify_ready(struct dm_notify *notify, struct sv_core *core);
/* Each tick of the loop: what is due. The sign of life is withheld while sv_core_stuck names a thread. */
void dm_notify_tick(struct dm_notify *notify, struct sv_core *core);
void dm_notify_stopping(struct dm_notify *notify);
/* Opening takes long: asks for patience, again and again. Any thread, one at a time; not while the loop runs. */
void dm_notify_patience(struct dm_notify *notify);
/* That is over. */
void dm_notify_again(struct dm_notify *notify);

#endif
