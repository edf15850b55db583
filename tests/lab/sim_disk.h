/* The disk of the simulation: writing and syncing take virtual time, and fail while the disk is bad. What was written
 * since the last sync of its file, but for what goes through a descriptor that syncs by itself, may be lost with the
 * power. */
#pragma once

#include <stdbool.h>

/* One call in `one_in` fails while the disk is bad; 0: it is good. */
void sim_disk_bad(unsigned one_in);
/* The power is cut: of the writes that were not synced some are on disk and some are not. */
void sim_disk_cut(void);
