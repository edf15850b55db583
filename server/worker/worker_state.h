/* Worker state, shared by the files of this folder. The life's thread owns it, except what `tasks.lock` guards, and
 * what a search thread that sends results needs: that is under `sending` (messages.h). */
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
#include "server/worker/leaf_search.h"
#include "server/worker/tasks.h"

enum {
	WK_INBOX_BYTES = 1 << 24, /* of messages that wait for the life; more are dropped */
	WK_WHY_MAX = 256
};

/* A received message. */
struct wk_letter {
	STAILQ_ENTRY(wk_letter) next;
	size_t size;
	uint8_t data[];
};

STAILQ_HEAD(wk_letters, wk_letter);

/* Warnings that are logged once, so that a peer cannot fill a disk with them. */
enum wk_said {
	WK_SAID_UNSEALED = 1,
	WK_SAID_VERSION = 2,
	WK_SAID_BAD = 4,
	WK_SAID_UNWELCOME = 8,
	WK_SAID_ALONE = 16,
	WK_SAID_LOST = 32
};

/* What threads other than the life's read and write. */
struct wk_shared {
	struct wk_letters inbox;
	size_t inbox_bytes;
	bool lost;        /* a message was dropped for lack of room or memory */
	bool stop;        /* wk_stop was called */
	bool reconnected; /* the port has reconnected since the life last looked */
	bool over;        /* the life has ended; the members below are final */
	bool refused;
	char why[WK_WHY_MAX]; /* the coordinator's reason, if refused */
};

/* The worker and its coordinator. */
struct wk_session {
	uint64_t epoch; /* of the coordinator; 0: none has called yet */
	bool welcome;   /* the worker is on the roster of that epoch */
	unsigned said;  /* enum wk_said */
	uint64_t start_ns;
	uint64_t hello_ns, beat_ns; /* when the next hello and the next heartbeat are due */
	uint64_t hello_last_ns;     /* when the last hello was sent */
	uint64_t joined_ns;         /* when the worker was last welcomed */
	uint64_t heard_ns;          /* when the last message of the coordinator came */
	/* Solved positions of other workers: bytes a second that this worker may send; 0: it neither sends nor
	 * takes any. */
	uint64_t share_rate;
	uint64_t shared_ns; /* the bytes that it has sent fill the time until then, at that rate */
};

struct wk_worker {
	struct wk_tasks tasks;
	struct sv_open_games games;
	struct wk_shared_caches caches;
	struct wk_leaf_search **searches; /* owned, with what they point to; one for each search thread */
	pthread_t *search;                /* owned */
	unsigned thread_count;            /* search threads that were started */
	pthread_t life;
	bool alive; /* the life's thread was started */
	void (*ended)(void *ctx);
	void *ended_ctx;
	const char *where;

	struct wk_shared shared; /* guarded by tasks.lock */

	struct pd_mutex sending;
	struct cp_port *port; /* NULL: the life has ended, or not begun */
	uint64_t number;
	struct cw_seal key;
	const struct cw_seal *seal; /* &key; NULL: the worker has no key */
	char name[64];
	struct cw_hello hello;

	struct wk_session session;
	bool ending;   /* the coordinator or wk_stop has asked for it */
	uint64_t sent; /* messages */
	struct pd_buf out;
	struct cw_heartbeat beat;
	struct cw_known known;
};
