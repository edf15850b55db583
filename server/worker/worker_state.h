/* Worker state: what the files of a worker's life share. The life's own, except what `tasks.lock` guards. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "proto/cluster/seal.h"
#include "proto/cluster/wire.h"
#include "server/cluster/port.h"
#include "server/common/open_games.h"
#include "server/worker/known.h"
#include "server/worker/tasks.h"

enum {
	WK_INBOX_BYTES = 1 << 24, /* messages that wait for the life; more are lost, as on the way */
	WK_WHY_MAX = 256
};

/* A message that has come. */
struct wk_letter {
	STAILQ_ENTRY(wk_letter) next;
	size_t size;
	uint8_t data[];
};

STAILQ_HEAD(wk_letters, wk_letter);

/* What is logged once, so that no one can fill a disk with it. */
enum wk_said {
	WK_SAID_UNSEALED = 1,
	WK_SAID_VERSION = 2,
	WK_SAID_BAD = 4,
	WK_SAID_UNWELCOME = 8,
	WK_SAID_ALONE = 16,
	WK_SAID_LOST = 32
};

/* What other threads than the life's see. */
struct wk_shared {
	struct wk_letters inbox;
	size_t inbox_bytes;
	bool lost;        /* there was no room or no memory for a message */
	bool stop;        /* asked for */
	bool reconnected; /* the port has come back since the life looked */
	bool over;        /* its life; what follows does not change any more */
	bool refused;
	char why[WK_WHY_MAX]; /* the coordinator's words, when refused */
};

struct wk_times {
	uint64_t start_ns;
	uint64_t hello_ns, beat_ns; /* when it is to say hello, and to give a sign of life */
	uint64_t hello_last_ns;     /* when it last said hello */
	uint64_t joined_ns;         /* when it last was made welcome */
	uint64_t heard_ns;          /* when the coordinator last said something to it */
};

struct wk_worker {
	struct wk_tasks tasks;
	struct wk_known known;
	struct sv_open_games games;
	struct wk_leaf_cache **caches; /* owned, as they are; one for each search thread */
	pthread_t *search;             /* owned */
	unsigned thread_count;         /* that were started */
	pthread_t life;
	bool alive; /* that thread was started */
	void (*ended)(void *ctx);
	void *ended_ctx;
	const char *where;

	struct wk_shared shared; /* guarded by tasks.lock */

	/* Who it is. */
	struct cp_port *port;
	uint64_t number;
	bool has_seal;
	struct cw_seal seal;
	char name[64];
	struct cw_hello hello;

	/* Where it stands. */
	uint64_t epoch; /* 0: no coordinator has called yet */
	bool welcome;   /* it is on the roster of that epoch */
	bool ending;    /* the coordinator has said so, or it was asked to */
	unsigned said;  /* enum wk_said */
	struct wk_times times;
	uint64_t sent; /* messages */
	struct pd_buf out;
	struct cw_heartbeat beat;
	struct cw_result result;
};

/* Whether something is said for the first time. */
static inline bool wk_first(struct wk_worker *w, enum wk_said what)
{
	bool first = !(w->said & (unsigned)what);
	w->said |= (unsigned)what;
	return first;
}
