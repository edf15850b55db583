/* The state of a cluster. The cluster thread owns it, but what has a lock of its own (inbox, games, judge, board). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/mutex.h"
#include "proto/cluster/wire.h"
#include "server/cluster/board.h"
#include "server/cluster/cluster_types.h"
#include "server/cluster/desk_slots.h"
#include "server/cluster/games.h"
#include "server/cluster/inbox.h"
#include "server/cluster/judge.h"
#include "server/cluster/roster.h"
#include "server/cluster/task_book.h"

/* A decoded message. */
union sc_body {
	struct cw_hello hello;
	struct cw_result result;
	struct cw_heartbeat heartbeat;
	struct cw_refuse refuse;
};

/* Another coordinator with the same prefix (receive.c). */
struct sc_rival {
	uint64_t epoch;             /* 0: none was heard */
	uint64_t seen_ns, since_ns; /* the last and the first sign of it */
	uint64_t logged_ns;         /* when it was last logged */
};

struct sc_tick_state {
	uint64_t next_ns;
	uint64_t gather_ns;            /* how long input is gathered before a round */
	uint64_t sent;                 /* tasks that had been sent at the last tick */
	uint64_t look_ns, look_cpu_ns; /* the last adjustment of the grain; processor time then */
	uint64_t workers_ns;           /* when the workers were last published */
	uint64_t workers_entries;      /* roster.entries at that time */
	double idle_sum;               /* shares of idle threads, one a tick since the last look */
	unsigned idle_count;
	unsigned answers_left; /* to unknown workers, in this tick */
	unsigned lines_left;   /* log lines about workers that join */
};

/* Solved positions on their way from workers to the others. */
struct sc_sharing {
	struct pd_buf bodies; /* of the next message */
	unsigned count;       /* of them */
	uint64_t due_ns;      /* not to be sent before then */
	unsigned workers;     /* present ones that may share */
};

/* The cluster thread holds the lock when it does not wait. When it waits, a run's thread may hold it in its place, and
 * send its leaves (dispatch.h). */
struct sc_rounds {
	pthread_t thread;
	struct pd_mutex lock;
};

/* What is before the judge. */
struct sc_cases {
	uint64_t tickets; /* cases given to it so far */
	uint64_t spot;    /* ticket of the leaf without a proof that it searches; 0: none */
};

struct sv_cluster {
	struct sv_cluster_config config; /* points to `seal` and `past` */
	struct sv_cluster_host host;
	struct cw_seal seal;
	struct sv_cluster_past past; /* used if the configuration has none */
	struct cp_port *port;
	struct sc_rounds round;
	atomic_uint desk_count;

	struct sc_inbox inbox;
	struct sc_games games;
	struct sc_board board;
	struct sc_judge *judge;

	uint64_t epoch, number; /* number: of the last message sent */
	uint64_t seed;          /* of random draws */
	struct sc_cases cases;
	uint64_t now_ns; /* time of the current round of the thread */
	struct sc_book book;
	struct sc_roster roster;
	struct sc_desks desks; /* those of the highest priority first */
	struct sc_sharing sharing;
	struct sv_cluster_view view;
	struct sc_rival rival;

	struct sc_tick_state tick;

	struct pd_buf out; /* the message being written */
	union sc_body body;
};
