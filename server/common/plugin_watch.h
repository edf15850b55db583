/* Plugin watch: which thread is in which plug-in, and the end of the process when a plug-in crashes, does not return or
 * breaks a law of game.h. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct sv_plugin_rules;

enum { SV_PLUGIN_NOTE = 320, SV_PLUGIN_TIMEOUT_S = 60 /* default; a call that takes longer is taken for a loop */ };

/* A file that was loaded. */
struct sv_plugin {
	struct sv_plugin *next;
	uint64_t digest;
	char file[128]; /* its name without the directory */
	char games[96];
	const char *author;
	struct sv_plugin_rules *variants; /* rules that `open` has given in place of those listed; under a lock */
	char note[SV_PLUGIN_NOTE];        /* the beginning of its line in `plugin-crashes` */
	size_t note_size;
};

/* Around each call of a member of the rules; leave takes what enter returned. */
struct sv_plugin *sv_plugin_enter(struct sv_plugin *plugin, const char *member);
void sv_plugin_leave(struct sv_plugin *before);

/* The plug-in has broken a law: a line in the log, a note, and the end of the process. */
_Noreturn void sv_plugin_broken(const struct sv_plugin *plugin, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Calls tell(ctx, sentence) then instead of ending the process; it must not return. NULL: ends the process. */
void sv_plugins_on_broken(void (*tell)(void *ctx, const char *sentence), void *ctx);
/* Installs the handlers of faults; further calls do nothing. */
void sv_plugin_catch(void);
/* From now on crashes are noted in that data directory; NULL: nowhere (the directory is about to be closed). */
void sv_plugins_note_in(const char *data);

/* The watch over calls that do not return: it ends the process with a line in the log when one takes longer than
 * timeout_s. */
struct sv_plugin_watch;
/* NULL in *out when timeout_s is 0. */
int sv_plugins_watch(unsigned timeout_s, struct sv_plugin_watch **out, struct pd_fail *fail);
/* NULL is fine. */
void sv_plugins_unwatch(struct sv_plugin_watch *watch);
