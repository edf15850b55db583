/* Directory: an open data directory, shared by threads (private to clients/probe).
 *
 * Readers of the store belong to one thread at a time. There is a pool of them: a thread takes one for a look-up,
 * usually the same each time, and gives it back. Nothing waits unless more threads look up at once than there are
 * readers. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "clients/probe/probe.h"
#include "proto/base/mutex.h"
#include "solver/game.h"
#include "solver/known.h"
#include "store/store.h"

enum { PB_READERS = 128 };

/* A reader of the pool, on cache lines of its own. */
struct pb_reader {
	_Alignas(64) atomic_bool taken;
	struct st_reader *reader; /* NULL: not opened yet */
	struct pn_known known;    /* room for what it finds */
};

struct proofd_probe_game {
	struct proofd_probe *probe;
	struct game *game;  /* owned */
	atomic_uint number; /* in the store; 0: it has no facts of the game yet */
	SLIST_ENTRY(proofd_probe_game) link;
};

struct proofd_probe {
	struct st_store *store;
	struct pb_reader reader[PB_READERS];
	char *graphs;        /* NULL: none */
	uint64_t refresh_ns; /* UINT64_MAX: not by itself */

	atomic_ullong refreshed_ns; /* when it was begun last */
	atomic_bool failed;         /* it failed */
	struct pd_mutex refreshing; /* guards the next one, and is held for as long as it takes */
	struct pd_fail fail;        /* what it failed with */

	struct pd_mutex lock; /* guards the list */
	SLIST_HEAD(, proofd_probe_game) games;

	/* Of the list of open directories, and guarded by its lock (directory.c). */
	unsigned opens;
	dev_t device;
	ino_t number; /* of work.mdb */
	LIST_ENTRY(proofd_probe) link;
};

/* Refreshes when it is time. What the last refresh failed with, or 0. */
int pb_keep_up(struct proofd_probe *probe, struct pd_fail *fail);
/* A reader for one look-up; NULL with *fail. */
struct pb_reader *pb_reader_take(struct proofd_probe *probe, struct pd_fail *fail);
void pb_reader_give(struct pb_reader *reader);

/* Fills *error (which may be NULL) and returns -1. */
int pb_failed(struct proofd_error *error, const struct pd_fail *fail);
