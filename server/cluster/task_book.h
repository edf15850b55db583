/* Task book: the leaves that the jobs wait for, as tasks with a number each, and when to send them again.
 *
 * A task is part of the slot that it belongs to, so the book needs no memory of its own. Numbers are never given twice:
 * what comes for a number that is not in the book is late, and is dropped. So each task is answered exactly once,
 * however often its result comes. The cluster thread's alone.
 *
 *     idle --begin--> waiting --> out --> judged --> idle (answered, or of no use any more)
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
	SC_OUT,     /* with one */
	SC_JUDGED   /* a worker solved it, and its result is searched again */
};

enum { SC_HOLDERS = 4, SC_WHEEL = 512, SC_BUCKETS = 1 << 12 };

/* How fine deadlines are. */
#define SC_TICK_NS UINT64_C(50000000)

struct sc_task;

/* A list of tasks in order: those that wait, those that a worker has. */
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
	unsigned tries;               /* how often it was sent */
	unsigned refusals;            /* by workers that found it wrong */
	uint64_t sent_ns, due_ns;     /* when it was sent last; when it is sent again */
	uint64_t grace_ns;            /* the deadline that holds if a worker says that it has the task; 0: none */
	uint64_t ticket, judged_of;   /* of the judgement that it waits for; whose result is judged */
	struct sc_worker *worker;     /* that has it; NULL: none */
	uint64_t first_ns;            /* when it was sent for the first time */
	uint64_t holder[SC_HOLDERS];  /* numbers of the workers that were given it, the latest first; 0: none */
	struct sc_tasks *in;          /* the list that it stands in */
	TAILQ_ENTRY(sc_task) link;    /* there */
	LIST_ENTRY(sc_task) by_id;    /* in the book */
	TAILQ_ENTRY(sc_task) by_time; /* on the wheel, while it is out */
	unsigned spoke;               /* of the wheel, from 1; 0: it is not there */
};

struct sc_book {
	uint64_t last_id, count;
	uint64_t turned_ns; /* the wheel has been looked at up to there */
	LIST_HEAD(, sc_task) bucket[SC_BUCKETS];
	struct sc_task_list spoke[SC_WHEEL];
};

void sc_tasks_init(struct sc_tasks *tasks);
/* Takes a task from the list that it stands in, if any, and puts it at an end of another; NULL: into none. */
void sc_task_place(struct sc_task *task, struct sc_tasks *list, bool first);
/* Whether that worker was given the task. */
bool sc_task_was_given(const struct sc_task *task, uint64_t worker);
/* It is given to that worker now. */
void sc_task_give(struct sc_task *task, uint64_t worker, uint64_t now_ns);

void sc_book_init(struct sc_book *book, uint64_t now_ns);
/* Enters an idle task, whose leaf is set, under a new number. It waits from now on, and is to be put into a list. */
void sc_book_begin(struct sc_book *book, struct sc_task *task);
/* The task with that number; NULL: there is none any more. */
struct sc_task *sc_book_find(struct sc_book *book, uint64_t id);
/* It is answered, or of no use any more: idle, and in no list. */
void sc_book_end(struct sc_book *book, struct sc_task *task);
/* Sets or moves the deadline of a task; 0: it has none. */
void sc_book_due(struct sc_book *book, struct sc_task *task, uint64_t due_ns);
/* A task whose deadline is over, which then has none; NULL: there is no other. At most a tick late. */
struct sc_task *sc_book_expired(struct sc_book *book, uint64_t now_ns);
