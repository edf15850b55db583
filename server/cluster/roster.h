/* Roster: the workers, what each can do and has in hand, and what became of it.
 *
 * A worker that was not heard for 3 s is silent and gets no tasks; after 10 s it is gone, and its tasks are sent to
 * others. It is there again when it is heard. One that is refused comes back with a better hello, one that is banned
 * never. Those that are gone or refused are forgotten, the one not heard for longest first, when there are too many.
 * The cluster thread's alone. */
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
	SC_CANCELS_MAX = CW_BATCH_MAX, /* that wait to be sent to one worker */
	SC_REFUSED_GAMES = 32,
	SC_CURSORS = 4
};

/* Rules that a worker has. */
struct sc_family {
	char name[32];
	uint64_t digest;
};

/* What the worker was told of a game's known positions. */
struct sc_cursor {
	uint32_t game;
	uint64_t serial;
};

/* What a worker can do. */
struct sc_ability {
	struct sc_family *family; /* owned */
	unsigned family_count;
	uint32_t refused_game[SC_REFUSED_GAMES]; /* numbers of games that it refused since its hello */
	unsigned refused_count;
	uint32_t asked_game; /* the last answer of sc_worker_can */
	bool asked;
};

/* What was said between it and the coordinator. */
struct sc_talk {
	bool left;             /* it said that it stops; only a hello brings it back */
	uint64_t hello_number; /* of its last hello or bye */
	uint64_t number;       /* of its latest message in this coordinator's epoch; 0: none */
	unsigned calls;        /* that it was sent since, because it spoke in another epoch */
	uint64_t answered_ns;  /* when it was last called or refused, so that this is rare */
};

/* What decides how far a worker is believed (trust.h). */
struct sc_credit {
	unsigned wrong;     /* results that no search can have found */
	uint64_t came_ns;   /* when the worker joined the roster */
	uint64_t confirmed; /* its solved leaves that were searched again and found true */
	uint64_t delivered; /* its solved leaves that a job got unchecked, or may have got in an earlier epoch */
};

struct sc_worker {
	uint64_t number;
	struct sv_worker_view view; /* what people see; state, names and counters live there */
	LIST_ENTRY(sc_worker) by_number;
	TAILQ_ENTRY(sc_worker) link; /* of all */
	struct sc_tasks tasks;       /* that it has in hand; view.in_hand is set from it */
	struct sc_ability can;
	struct sc_talk talk;
	/* How it does. */
	uint64_t seen_ns, result_ns; /* when it was heard; when a result of it came */
	uint64_t rest_ns;            /* it gets nothing until then, because a task of it came to nothing */
	unsigned strikes;            /* since its last result; while there are any it gets one task at a time */
	unsigned full;               /* tasks that it refused for want of room, since its last result */
	struct sc_credit credit;
	uint64_t rate_nodes, rate_ns; /* view.nodes at that time */
	/* For the dispatch. */
	TAILQ_ENTRY(sc_worker) free; /* of those that can take a task */
	struct sc_worker_list *free_in;
	uint32_t last_game;
	struct sc_cursor cursor[SC_CURSORS];
	unsigned fresh;                  /* tasks at the end of its list that are not sent yet */
	uint64_t cancel[SC_CANCELS_MAX]; /* task numbers that it is to be told */
	unsigned cancel_count;
	bool listed;
	TAILQ_ENTRY(sc_worker) to_tell; /* of those that there is something for */
};
TAILQ_HEAD(sc_worker_list, sc_worker);

struct sc_roster {
	unsigned count, banned;
	LIST_HEAD(, sc_worker) bucket[SC_ROSTER_BUCKETS];
	struct sc_worker_list all;
	struct sc_worker_list idle;    /* fewer tasks than threads */
	struct sc_worker_list spare;   /* a task more would wait there, and that is wanted */
	struct sc_worker_list to_tell; /* something is to be sent to them */
	bool changed;                  /* who is there, or what they can do */
	uint64_t entries;              /* calls of sc_roster_enter that changed a state */
};

void sc_roster_init(struct sc_roster *roster);
/* None has a task. */
void sc_roster_fini(struct sc_roster *roster);
struct sc_worker *sc_roster_find(struct sc_roster *roster, uint64_t number);
/* A new worker, gone until it enters a state; NULL when there is no room or no memory. */
struct sc_worker *sc_roster_add(struct sc_roster *roster, uint64_t number, uint64_t now_ns);
/* It is in that state from now on. */
void sc_roster_enter(struct sc_roster *roster, struct sc_worker *worker, enum sv_worker_state state);
/* After its tasks changed: whether it is free for more. */
void sc_roster_place(struct sc_roster *roster, struct sc_worker *worker);
/* There is something to be sent to it. */
void sc_roster_tell(struct sc_roster *roster, struct sc_worker *worker);

/* Takes over what a hello says; false without memory. */
bool sc_worker_hello(struct sc_worker *worker, const struct cw_hello *hello);
/* It refused a task of that game. */
void sc_worker_refused(struct sc_roster *roster, struct sc_worker *worker, const struct sc_game *game);
/* Whether it has a game's rules and did not refuse it. */
bool sc_worker_can(struct sc_worker *worker, const struct sc_game *game);
/* Tasks that it should have in hand: as many as its threads, and a quarter more. */
unsigned sc_worker_room(const struct sc_worker *worker);
/* Up to which serial number it was told of the game's known positions; to be set. */
uint64_t *sc_worker_cursor(struct sc_worker *worker, const struct sc_game *game);
/* A text from another machine, for logs, clients and terminals: what is no sign of ASCII becomes '?'. */
void sc_text_copy(const struct cw_text *from, char *to, unsigned room);
