/* The state of a cluster, all of it the cluster thread's, except what locks itself (inbox, games, judge, board). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/cluster/wire.h"
#include "server/cluster/board.h"
#include "server/cluster/cluster_types.h"
#include "server/cluster/desk_slots.h"
#include "server/cluster/games.h"
#include "server/cluster/inbox.h"
#include "server/cluster/judge.h"
#include "server/cluster/roster.h"
#include "server/cluster/task_book.h"

/* What a message is decoded into. */
union sc_body {
	struct cw_hello hello;
	struct cw_result result;
	struct cw_heartbeat heartbeat;
	struct cw_refuse refuse;
};

/* Another coordinator that uses the same prefix (rival.h). */
struct sc_rival {
	uint64_t epoch;             /* 0: none was ever heard */
	uint64_t seen_ns, since_ns; /* the last and the first sign of it */
	uint64_t logged_ns;         /* when the log reported it */
};

struct sc_tick_state {
	uint64_t next_ns;
	uint64_t look_ns, look_cpu_ns; /* the last look at the grain; processor time then */
	uint64_t workers_ns;           /* when the workers were written down */
	uint64_t workers_entries;      /* roster.entries at that time */
	double idle_sum;               /* shares of idle threads, one a tick since the last look */
	unsigned idle_count;
	unsigned answers_left; /* to unknown workers, in this tick */
	unsigned lines_left;   /* log lines about workers that join */
};

struct sv_cluster {
	struct sv_cluster_config config; /* its texts and its seal are those below */
	struct sv_cluster_host host;
	struct cw_seal seal;
	struct sv_cluster_past past; /* where the configuration has none */
	struct cp_port *port;
	pthread_t thread;
	atomic_uint desk_count;

	struct sc_inbox inbox;
	struct sc_games games;
	struct sc_board board;
	struct sc_judge *judge;

	uint64_t epoch, number; /* of this life; of the last message sent */
	uint64_t seed;          /* of what is drawn */
	uint64_t tickets;       /* judgements asked for */
	uint64_t now_ns;        /* when the thread last looked */
	struct sc_book book;
	struct sc_roster roster;
	struct sc_desks desks; /* those of the highest priority first */
	bool shares_changed;   /* of desks: what they want is to be computed again */
	struct sv_cluster_view view;
	struct sc_rival rival;

	struct sc_tick_state tick;

	struct pd_buf out; /* a message that is being made */
	union sc_body body;
};
