/* Guard: damaged or missing pages of a mapped file do not end the process (private to store/).
 *
 * LMDB reads its files through memory maps and believes every page: a damaged one leads it to addresses beyond the end
 * of the file (SIGBUS), out of any page (SIGSEGV), to a division by a page size of 0 (SIGFPE), or into an assertion. So
 * every call of LMDB, and every read of mapped memory, runs inside st_guard_call: if it faults, control comes back here
 * and the call has failed with ST_DAMAGED.
 *
 * The handlers are installed once for the process. They handle a fault only inside a guarded call of the same thread,
 * and only at an address in one of the maps of that call's environment (or in the first pages, where LMDB follows a
 * pointer that it never set). Every other fault goes to the handler that was installed before: a bug still crashes the
 * program, and sanitizers still see it.
 *
 * After a fault a read transaction can be reset, aborted and used again, because LMDB changes only its own heap for it.
 * A write transaction can no longer be ended; see `broken` of st_live (env.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result of st_guard_call when the call faulted; neither a code of LMDB nor an errno. */
enum { ST_DAMAGED = -31000 };

struct st_map {
	const char *base; /* NULL: not known */
	size_t size;
};

/* The maps of an environment: its data file, its lock file. With none known, any address counts. */
struct st_maps {
	struct st_map data, lock;
};

/* Installs the handlers; further calls do nothing. Any thread. */
void st_guard_install(void);
/* Where this process has mapped the file, in a map of at least `least` bytes; base NULL: not found. It does not open
 * the file: closing LMDB's lock file would release the locks that this process has on it. */
struct st_map st_map_find(const char *path, size_t least);
/* Returns call(arg), or ST_DAMAGED when it faulted. `arg` keeps what the call has written until then. */
int st_guard_call(const struct st_maps *maps, int (*call)(void *arg), void *arg);
/* Ends the current guarded call with ST_DAMAGED, for failed assertions of LMDB. Returns when no call is guarded. */
void st_guard_leave(void);
