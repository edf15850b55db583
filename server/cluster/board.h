/* Board: a snapshot of the cluster for people. The cluster thread writes it several times a second; any thread reads.
 * */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "proto/base/mutex.h"
#include "server/cluster/cluster_types.h"
#include "server/cluster/roster.h"

struct sc_board {
	struct pd_mutex lock;
	struct sv_cluster_view view;
	struct sv_worker_view *worker; /* owned */
	unsigned count, room;
	bool sorted; /* present workers first, then by name */
};

void sc_board_init(struct sc_board *board);
void sc_board_fini(struct sc_board *board);
void sc_board_figures(struct sc_board *board, const struct sv_cluster_view *view);
/* Without memory the list stays as it was. */
void sc_board_workers(struct sc_board *board, const struct sc_roster *roster);
unsigned sc_board_list(struct sc_board *board, struct sv_worker_view *out, unsigned max);
/* The name of a worker; "" if it is unknown or 0. */
void sc_board_name(struct sc_board *board, uint64_t worker, char out[64]);
