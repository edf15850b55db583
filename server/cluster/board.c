#include "server/cluster/board.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/mutex.h"

void sc_board_init(struct sc_board *board)
{
	*board = (struct sc_board){.sorted = true};
	pd_mutex_init(&board->lock, PD_LOCK_BOARD);
}

void sc_board_fini(struct sc_board *board)
{
	pd_mutex_fini(&board->lock);
	free(board->worker);
}

void sc_board_figures(struct sc_board *board, const struct sv_cluster_view *view)
{
	pd_mutex_lock(&board->lock);
	board->view = *view;
	pd_mutex_unlock(&board->lock);
}

void sc_board_workers(struct sc_board *board, const struct sc_roster *roster)
{
	const struct sc_worker *w;
	pd_mutex_lock(&board->lock);
	if (roster->count > board->room) {
		unsigned room = roster->count + roster->count / 2;
		struct sv_worker_view *more = realloc(board->worker, room * sizeof *more);
		if (!more) {
			pd_mutex_unlock(&board->lock);
			return;
		}
		board->worker = more;
		board->room = room;
	}
	board->count = 0;
	TAILQ_FOREACH(w, &roster->all, link) {
		board->worker[board->count] = w->view;
		board->worker[board->count++].in_hand = w->tasks.count;
	}
	PD_ASSERT(board->count == roster->count);
	board->sorted = false;
	pd_mutex_unlock(&board->lock);
}

static int by_presence(const void *a, const void *b)
{
	const struct sv_worker_view *v = a, *w = b;
	int there = (w->state == SV_WORKER_THERE) - (v->state == SV_WORKER_THERE), name = strcmp(v->name, w->name);
	return there ? there : name ? name : (v->worker > w->worker) - (v->worker < w->worker);
}

unsigned sc_board_list(struct sc_board *board, struct sv_worker_view *out, unsigned max)
{
	pd_mutex_lock(&board->lock);
	unsigned count = board->count;
	if (!board->sorted && count)
		qsort(board->worker, count, sizeof *board->worker, by_presence);
	board->sorted = true;
	if (max && count)
		memcpy(out, board->worker, (count < max ? count : max) * sizeof *out);
	pd_mutex_unlock(&board->lock);
	return count;
}

void sc_board_name(struct sc_board *board, uint64_t worker, char out[64])
{
	out[0] = 0;
	pd_mutex_lock(&board->lock);
	for (unsigned i = 0; worker && i < board->count; i++)
		if (board->worker[i].worker == worker)
			memcpy(out, board->worker[i].name, sizeof board->worker[i].name);
	pd_mutex_unlock(&board->lock);
}
