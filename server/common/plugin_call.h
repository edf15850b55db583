/* Plugin call: the way into a plug-in and back (plugins.h). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "solver/game_rules.h"

enum { SV_PLUGIN_THREADS = 2048, SV_PLUGIN_NOTE = 320 };

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

/* Rules of a plug-in, as the program sees them: members of `shown` call those of `inner`. */
struct sv_plugin_rules {
	struct game_rules shown;      /* first, so that game->rules leads here */
	struct game_rules inner;      /* as in the file; members that its header did not have are NULL */
	const struct game_rules *own; /* those of the file, for its `open` */
	struct sv_plugin *plugin;
	struct sv_plugin_rules *next; /* among the variants of the plug-in */
};

/* Where one thread is. */
struct sv_plugin_thread {
	_Atomic(struct sv_plugin *) inside; /* NULL: in no plug-in */
	_Atomic uint64_t calls;             /* goes up with each call into a plug-in */
	const char *_Atomic member;         /* of the rules, the one that is called */
	atomic_flag taken;
};

/* Fills in the whole struct. False when the rules are of another ABI, or larger than this program knows. */
bool sv_plugin_wrap(struct sv_plugin_rules *rules, struct sv_plugin *plugin, const struct game_rules *inner);

/* Around each call; what enter returns is for leave. */
struct sv_plugin *sv_plugin_enter(struct sv_plugin *plugin, const char *member);
void sv_plugin_leave(struct sv_plugin *before);

/* The plug-in has broken its word: a line in the log, a note, and the end of the process. */
_Noreturn void sv_plugin_broken(const struct sv_plugin *plugin, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The table of threads, SV_PLUGIN_THREADS entries, for the watch. */
struct sv_plugin_thread *sv_plugin_threads(void);
/* Writes a note to `plugin-crashes`, if there is one. Safe in a signal handler. */
void sv_plugin_note(const struct sv_plugin *plugin, const char *what);
/* Installs the handlers of faults; again does nothing. */
void sv_plugin_catch(void);
