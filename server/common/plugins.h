/* Plug-ins: games from shared objects (solver/game_rules.h, clients/plugins/README.md).
 *
 * Every *.so of a directory is loaded at the start, never a file that a client names. A file that does not fit is
 * refused with a message, and the program continues. Plug-ins are never unloaded: their rules are registered with the
 * games and live as long as the process. A file is read once, into memory: the digest is that of the code that runs,
 * whatever happens to the file meanwhile.
 *
 * Calls into a plug-in go through plugin_call.c, which notes per thread which plug-in runs, and looks at what comes
 * back. A plug-in that crashes ends the process, because its memory cannot be trusted any more; the plug-in is first
 * noted in the file `plugin-crashes` of the data directory. A plug-in whose call does not return (sv_plugins_watch), or
 * whose results break a law that the search relies on, also ends the process. Nothing that was acknowledged is lost
 * (D1). After SV_PLUGIN_CRASHES crashes a plug-in is refused, until its file changes or sv_plugins_retry says
 * otherwise. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/common/game_dirs.h"

struct game_rules;

enum { SV_PLUGIN_CRASHES = 3 /* after so many crashes a plug-in is refused */ };

/* Loads the programs, and the plug-ins of these directories, except those that are loaded already. `data` is the data
 * directory that records their crashes; NULL: none. refused(ctx, sentence) is called for each that does not fit.
 * PD_E_NOT_FOUND or PD_E_IO with field "game-dir" when a directory cannot be read. To be called before there are
 * threads that open games. */
int sv_plugins_load(const struct sv_game_dirs *dirs, const char *data, void (*refused)(void *ctx, const char *sentence),
		    void *ctx, struct pd_fail *fail);

/* A plug-in, as clients see it. */
struct sv_plugin_info {
	const char *file, *author; /* live as long as the process */
	uint64_t digest;
};
/* Whether any was loaded. */
bool sv_plugins_any(void);
/* False when the rules are built in. */
bool sv_plugin_of(const struct game_rules *rules, struct sv_plugin_info *out);
