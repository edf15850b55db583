/* Roster: the workers, their abilities, tasks and counters. The cluster thread owns it.
 *
 * A worker that was not heard for 3 s is silent and gets no tasks; after 10 s it is gone, and its tasks go to others.
 * Any message brings it back. A refused worker returns with a better hello, a banned one never. When the roster is
 * full, the gone or refused worker that was not heard for longest is forgotten. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/cluster/wire.h"
#include "server/cluster/cluster_types.h"
#include "server/cluster/games.h"
#include "server/cluster/task_book.h"

enum {
	SC_WORKERS_MAX = 8192,
	SC_SILENT_S = 3,
	SC_GONE_S = 10,
	SC_ROSTER_BUCKETS = 1 << 11,
	SC_CANCELS_MAX = CW_BATCH_MAX, /* cancels that wait to be sent to a worker */
	SC_REFUSED_GAMES = 32
};

/* A game's rules that a worker has. */
struct sc_family {
	char name[32];
	uint64_t digest;
};

/* What a worker can do. */
struct sc_ability {
	struct sc_family *family; /* owned */
	unsigned family_count;
	uint32_t refused_game[SC_REFUSED_GAMES]; /* numbers of the games that it has refused since its hello */
	unsigned refused_count;
	uint32_t asked_game; /* the last question to sc_worker_can, and its answer */
	bool asked;
};

/* The messages between a worker and the coordinator. */
struct sc_talk {
	bool left;             /* it said bye; only a hello brings it back */
	uint64_t hello_number; /* message number of its last hello or bye */
	uint64_t number;       /* of its latest message in this coordinator's epoch; 0: none */
	unsigned calls;        /* calls sent since then, because it spoke in another epoch */
	uint64_t answered_ns;  /* when it was last called or refused */
	bool shares;           /* it was told that it may share solved positions */
};

/* What decides how far a worker is believed (trust.h). */
struct sc_credit {
	unsigned wrong;     /* results that no search can have found */
	uint64_t came_ns;   /* when the worker joined the roster */
	uint64_t confirmed; /* its solved leaves that were searched again and found true */
	uint64_t delivered; /* its solved leaves that a job got unchecked, or may have got in an earlier epoch */
	bool spread;        /* so for solved positions that other workers got */
};

struct sc_worker {
	uint64_t number;
	struct sv_worker_view view; /* state, names and counters */
	LIST_ENTRY(sc_worker) by_number;
	TAILQ_ENTRY(sc_worker) link; /* in `all` */
	struct sc_tasks tasks;       /* in hand; view.in_hand is their number */
	struct sc_ability can;
	struct sc_talk talk;
	/* Performance. */
	uint64_t seen_ns, result_ns; /* when it was last heard; when its last result came */
	uint64_t rest_ns;            /* it gets no task before then, because one has failed */
	unsigned strikes;            /* failures since its last result; if any, it gets one task at a time */
	unsigned full;               /* tasks refused for lack of room since its last result */
	struct sc_credit credit;
	uint64_t rate_nodes, rate_ns; /* view.nodes when the rate was computed, and when that was */
	/* Dispatch. */
	TAILQ_ENTRY(sc_worker) free; /* in `free_in`, a list of workers that can take a task */
	struct sc_worker_list *free_in;
	uint32_t last_game;
	unsigned fresh;                  /* tasks at the end of its list that were not sent yet */
	uint64_t cancel[SC_CANCELS_MAX]; /* numbers of tasks to be cancelled */
	unsigned cancel_count;
	bool listed;
	TAILQ_ENTRY(sc_worker) to_tell; /* in the list `to_tell` */
};
TAILQ_HEAD(sc_worker_list, sc_worker);

struct sc_roster {
	unsigned count, banned;
	LIST_HEAD(, sc_worker) bucket[SC_ROSTER_BUCKETS];
	struct sc_worker_list all;
	struct sc_worker_list idle;    /* workers with fewer tasks than threads */
	struct sc_worker_list spare;   /* busy workers that may get a task in advance */
	struct sc_worker_list to_tell; /* workers that messages wait for */
	bool changed;     /* workers, their abilities or desks have changed: shares must be computed again */
	uint64_t entries; /* changes of a worker's state */
};

void sc_roster_init(struct sc_roster *roster);
/* No worker may have a task. */
void sc_roster_fini(struct sc_roster *roster);
struct sc_worker *sc_roster_find(struct sc_roster *roster, uint64_t number);
/* Adds a worker in the state gone; NULL without room or memory. */
struct sc_worker *sc_roster_add(struct sc_roster *roster, uint64_t number, uint64_t now_ns);
/* Changes the state of a worker. */
void sc_roster_enter(struct sc_roster *roster, struct sc_worker *worker, enum sv_worker_state state);
/* Lists the worker as idle, spare or neither; to be called after its tasks have changed. */
void sc_roster_place(struct sc_roster *roster, struct sc_worker *worker);
/* Notes that messages wait for the worker. */
void sc_roster_tell(struct sc_roster *roster, struct sc_worker *worker);

/* Takes over the contents of a hello; false without memory. */
bool sc_worker_hello(struct sc_worker *worker, const struct cw_hello *hello);
/* Notes that the worker has refused a task of the game. */
void sc_worker_refused(struct sc_roster *roster, struct sc_worker *worker, const struct sc_game *game);
/* Whether the worker has the game's rules and has not refused the game. */
bool sc_worker_can(struct sc_worker *worker, const struct sc_game *game);
