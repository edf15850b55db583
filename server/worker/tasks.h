/* Tasks: what a worker has in hand, from the message that brings a task to the message that takes its result.
 *
 *	queued -> in work -> done -> kept
 *
 * Done: the result or the refusal is to be sent. Kept: it was sent; the last WK_KEPT_MAX are sent again if the task
 * comes again. A cancelled task is freed; if it is in work, at the next slice of its search.
 *
 * The life puts and cancels tasks; search threads take them and bring them back; either sends what is done. */
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
	atomic_bool dropped; /* cancelled: the search thread stops at the next slice */

	/* The question. */
	uint64_t id, rules, seed;
	uint32_t options;      /* CW_WEAK ... */
	uint32_t proof_wanted; /* positions of a wanted proof at most; 0: none is wanted */
	struct pn_leaf_task leaf;
	char game[GAME_NAME_MAX];

	/* The answer; it belongs to the search thread while the task is in work. */
	uint32_t refused; /* enum cw_refusal; 0: there is a result */
	char words[WK_WORDS_MAX];
	struct pn_leaf_result result;
	uint64_t cpu_ns;
	uint8_t *proof; /* owned; NULL: none */
	uint16_t proof_size;
	unsigned solved_count;
	struct pn_leaf_solved *solved; /* owned; NULL: none, or they were sent */
};

TAILQ_HEAD(wk_task_list, wk_task);

struct wk_tasks {
	struct pd_mutex lock;
	pthread_cond_t work;  /* signals a queued task, or `end` */
	pthread_cond_t rest;  /* signals the end of a search thread or of the life */
	struct cp_port *port; /* the life waits in it; NULL before and after */
	bool end;             /* search threads must end */
	unsigned threads;     /* search threads that have not ended */
	unsigned room;        /* the most tasks in hand */
	unsigned in_hand;     /* queued, in work or done */
	unsigned queued_count, done_count, kept_count;
	uint64_t done_ns;         /* since when the first task of `done` has waited */
	uint64_t searched, nodes; /* tasks and nodes since the start */
	struct wk_task_list queued, working, done, kept;
	LIST_HEAD(wk_task_bucket, wk_task) bucket[WK_BUCKETS]; /* all but dropped tasks, by number */
};

void wk_tasks_init(struct wk_tasks *tasks, unsigned threads);
/* Wakes the life. Under the lock. */
void wk_tasks_wake(struct wk_tasks *tasks);
/* Whether results should be sent at once: there are at least as many as tasks that stay queued when the next one is
 * taken. The coordinator sends a task for each result, and threads wait when the queue is empty. Under the lock. */
bool wk_tasks_due(const struct wk_tasks *tasks);
/* No search thread may be running. */
void wk_tasks_fini(struct wk_tasks *tasks);

enum wk_put { WK_PUT, WK_PUT_FULL, WK_PUT_NO_MEMORY };
/* Queues a task, unless it is in hand; the result of a kept one is sent again. The caller has checked that the name of
 * the game and the key fit. */
enum wk_put wk_tasks_put(struct wk_tasks *tasks, const struct cw_task *task);
void wk_tasks_cancel(struct wk_tasks *tasks, uint64_t id);
/* Drops all tasks, in hand or kept. */
void wk_tasks_drop(struct wk_tasks *tasks);
/* Drops all tasks and ends the search threads. */
void wk_tasks_end(struct wk_tasks *tasks);
/* Lists the numbers of the tasks in hand; returns their count, at most `max`. */
unsigned wk_tasks_list(struct wk_tasks *tasks, uint64_t *out, unsigned max);

/* Refuses a task that the caller has taken; `words` is cut to what fits. */
void wk_task_refuse(struct wk_task *task, enum cw_refusal why, const char *words);
/* Waits for a task; NULL: the thread must end. */
struct wk_task *wk_tasks_take(struct wk_tasks *tasks);
/* Returns a task that was searched, refused or dropped. True: the caller should send the results at once, before it
 * takes another task; otherwise the life sends them in time. */
bool wk_tasks_bring(struct wk_tasks *tasks, struct wk_task *task);

/* Moves all done tasks to `out`, an empty list, for sending. */
void wk_tasks_collect(struct wk_tasks *tasks, struct wk_task_list *out);
/* Keeps tasks that were sent, and frees the oldest kept ones. Empties `list`. */
void wk_tasks_sent(struct wk_tasks *tasks, struct wk_task_list *list);
