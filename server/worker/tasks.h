/* Tasks: what a worker has in hand, from the message that brings a task to the one that takes its result away.
 *
 *	queued -> in work -> done -> kept
 *
 * Done: its result, or the words of a refusal, is to be sent. Kept: it was sent; the last WK_KEPT_MAX are sent again
 * when their task comes again. A task that is cancelled is freed, at the next slice of its search if it is in work.
 *
 * The life puts, cancels and sends; search threads take tasks and bring them back. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/cluster/wire.h"
#include "server/cluster/port.h"
#include "proto/base/mutex.h"
#include "solver/games/game.h"
#include "solver/leaf_task.h"

enum { WK_KEPT_MAX = 400, WK_BUCKETS = 1024, WK_WORDS_MAX = 200 };

enum wk_task_state { WK_QUEUED, WK_IN_WORK, WK_DONE, WK_KEPT };

struct wk_task {
	TAILQ_ENTRY(wk_task) in_list;
	LIST_ENTRY(wk_task) in_bucket;
	enum wk_task_state state;
	atomic_bool dropped; /* no one wants it any more: its thread leaves it at the next slice */

	/* What is asked. */
	uint64_t id, rules, seed;
	uint32_t options; /* CW_WEAK ... */
	struct pn_leaf_task leaf;
	char game[GAME_NAME_MAX];

	/* What came of it; its thread's own while it is in work. */
	uint32_t refused; /* enum cw_refusal; 0: there is a result */
	char words[WK_WORDS_MAX];
	struct pn_leaf_result result;
	uint64_t cpu_ns;
	unsigned solved_count;
	struct cw_solved *solved; /* owned, with the keys in the same piece of memory; NULL: none */
};

TAILQ_HEAD(wk_task_list, wk_task);

struct wk_tasks {
	struct pd_mutex lock;
	pthread_cond_t work;  /* a task is queued, or the threads are to end */
	pthread_cond_t rest;  /* a search thread has ended, or the life has; CLOCK_MONOTONIC */
	struct cp_port *port; /* that the life waits in; NULL: not yet, or no more */
	bool end;             /* search threads end */
	unsigned threads;     /* that have not ended */
	unsigned room;        /* tasks that may be in hand */
	unsigned in_hand;     /* queued, in work or done */
	unsigned done_count, kept_count;
	uint64_t done_ns;           /* since when the first of `done` waits */
	uint64_t searched, nodes;   /* tasks and nodes, since the start */
	struct wk_task_list queued; /* those in work are in `working` */
	struct wk_task_list working, done, kept;
	LIST_HEAD(wk_task_bucket, wk_task) bucket[WK_BUCKETS]; /* all but those that are dropped, by number */
};

void wk_tasks_init(struct wk_tasks *tasks, unsigned threads);
/* Under the lock: wakes the life, because something is done, a message has come, or it is to stop. */
void wk_tasks_wake(struct wk_tasks *tasks);
/* No thread is left. */
void wk_tasks_fini(struct wk_tasks *tasks);

enum wk_put { WK_PUT, WK_PUT_KNOWN, WK_PUT_FULL, WK_PUT_NO_MEMORY };
/* Takes a task in, unless it is in hand; one that is kept is done again. Its game's name and key fit (the caller has
 * looked). */
enum wk_put wk_tasks_put(struct wk_tasks *tasks, const struct cw_task *task);
void wk_tasks_cancel(struct wk_tasks *tasks, uint64_t id);
/* All that is in hand or kept. */
void wk_tasks_drop(struct wk_tasks *tasks);
/* Drops all, and has the search threads end. */
void wk_tasks_end(struct wk_tasks *tasks);
/* The numbers of what is in hand; returns how many, `max` at most. */
unsigned wk_tasks_list(struct wk_tasks *tasks, uint64_t *out, unsigned max);

/* Waits for a task; NULL: the thread is to end. */
struct wk_task *wk_tasks_take(struct wk_tasks *tasks);
/* It has been searched or refused, or its thread has seen that it was dropped. */
void wk_tasks_bring(struct wk_tasks *tasks, struct wk_task *task);

/* Moves all that are done to `out`, an empty list, for sending. */
void wk_tasks_collect(struct wk_tasks *tasks, struct wk_task_list *out);
/* They were sent: they are kept, and the oldest kept ones go. `list` is empty afterwards. */
void wk_tasks_sent(struct wk_tasks *tasks, struct wk_task_list *list);
