/* Plugin call: the way into a plug-in and back (plugins.h). */
#pragma once

#include "server/common/plugin_watch.h"
#include "solver/game_rules.h"

/* Rules of a plug-in, as the program sees them: members of `shown` call those of `inner`. */
struct sv_plugin_rules {
	struct game_rules shown;      /* first, so that game->rules leads here */
	struct game_rules inner;      /* as in the file; members that its header did not have are NULL */
	const struct game_rules *own; /* those of the file, for its `open` */
	struct sv_plugin *plugin;
	struct sv_plugin_rules *next; /* among the variants of the plug-in */
};

/* Fills in the whole struct. False when the rules are of another ABI, or larger than this program knows. */
bool sv_plugin_wrap(struct sv_plugin_rules *rules, struct sv_plugin *plugin, const struct game_rules *inner);
