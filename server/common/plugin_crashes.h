/* Plugin crashes: the file `plugin-crashes` of a data directory, one line per event, to which a dying process only
 * appends:
 *
 * 	crash<TAB>DIGEST<TAB>FILE<TAB>GAMES<TAB>WHAT
 * 	retry<TAB>DIGEST
 *
 * A line that is not of this form (a write that was cut short) counts for nothing. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct sv_plugin_crash {
	uint64_t digest;
	unsigned count; /* since it was last retried */
	char file[128]; /* name of the file, without its directory */
	char games[96]; /* names of its games, with commas */
	char last[64];  /* what it did last: "SIGSEGV", "a call took more than 60 s" */
};
/* Calls each(ctx, crash) for every plug-in that has crashed. Without a file there are none. */
int sv_plugins_crashed(const char *data, void (*each)(void *ctx, const struct sv_plugin_crash *crash), void *ctx,
		       struct pd_fail *fail);
/* Forgets the crashes of plug-ins whose file has that name. PD_E_NOT_FOUND when there are none. */
int sv_plugins_retry(const char *data, const char *file, struct pd_fail *fail);
