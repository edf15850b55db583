/* Task book: the leaves that the jobs wait for, as numbered tasks, and when to send them again. The cluster thread owns
 * it.
 *
 * A task is part of its slot, so the book needs no memory of its own. Numbers are never reused: a result for a number
 * that is not in the book is late, and is dropped. So each task is answered once, however often its result comes.
 *
 *     idle --begin--> waiting --> out --> judged --> idle (answered or cancelled)
 *                        ^---------+---------+  sent again
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "solver/remote.h"

struct sc_worker;
struct sv_desk;

enum sc_task_state {
	SC_IDLE,    /* in no book */
	SC_WAITING, /* for a worker */
	SC_OUT,     /* at a worker */
	SC_JUDGED   /* solved by a worker; the judge searches it again */
};

enum { SC_HOLDERS = 4, SC_WHEEL = 512, SC_BUCKETS = 1 << 12 };

/* The resolution of deadlines. */
#define SC_TICK_NS UINT64_C(50000000)

struct sc_task;

/* An ordered list of tasks: the waiting ones of a desk, or those of a worker. */
struct sc_tasks {
	TAILQ_HEAD(sc_task_list, sc_task) list;
	unsigned count;
};

struct sc_task {
	enum sc_task_state state;
	uint64_t id;
	struct sv_desk *desk;
	unsigned slot;
	struct pn_leaf_task leaf;
	unsigned tries;               /* times that it was sent */
	unsigned refusals;            /* by workers that found it invalid */
	uint64_t sent_ns, due_ns;     /* when it was last sent; when it is sent again */
	uint64_t grace_ns;            /* the deadline if its worker reports that it has the task; 0: none */
	uint64_t ticket, judged_of;   /* of the judge's case; the worker whose result is judged */
	struct sc_worker *worker;     /* has the task; NULL: none */
	uint64_t first_ns;            /* when it was first sent */
	uint64_t holder[SC_HOLDERS];  /* the last workers that were given it, latest first; 0: none */
	struct sc_tasks *in;          /* the list that contains it */
	TAILQ_ENTRY(sc_task) link;    /* in that list */
	LIST_ENTRY(sc_task) by_id;    /* in the book */
	TAILQ_ENTRY(sc_task) by_time; /* on the wheel, while it is out */
	unsigned spoke;               /* of the wheel, from 1; 0: not on the wheel */
};

struct sc_book {
	uint64_t last_id, count;
	uint64_t turned_ns; /* deadlines before then have been handled */
	LIST_HEAD(, sc_task) bucket[SC_BUCKETS];
	struct sc_task_list spoke[SC_WHEEL];
};

void sc_tasks_init(struct sc_tasks *tasks);
/* Moves a task from its list, if any, to the head or tail of another; NULL: to none. */
void sc_task_place(struct sc_task *task, struct sc_tasks *list, bool first);
/* Whether that worker was given the task. */
bool sc_task_was_given(const struct sc_task *task, uint64_t worker);
/* Gives the task to a worker. */
void sc_task_give(struct sc_task *task, uint64_t worker, uint64_t now_ns);

void sc_book_init(struct sc_book *book, uint64_t now_ns);
/* Enters an idle task, whose leaf is set, under a new number. The caller puts it into a list of waiting tasks. */
void sc_book_begin(struct sc_book *book, struct sc_task *task);
/* The task with that number, or NULL. */
struct sc_task *sc_book_find(struct sc_book *book, uint64_t id);
/* Ends an answered or cancelled task: it is idle and in no list. */
void sc_book_end(struct sc_book *book, struct sc_task *task);
/* Sets or moves the deadline of a task; 0: it has none. */
void sc_book_due(struct sc_book *book, struct sc_task *task, uint64_t due_ns);
/* The next task whose deadline has passed, at most a tick late, or NULL. Clears the deadline. */
struct sc_task *sc_book_expired(struct sc_book *book, uint64_t now_ns);
