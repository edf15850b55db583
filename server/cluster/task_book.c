#include "server/cluster/task_book.h"

#include <string.h>

#include "proto/base/assert.h"

void sc_tasks_init(struct sc_tasks *tasks)
{
	TAILQ_INIT(&tasks->list);
	tasks->count = 0;
}

void sc_task_place(struct sc_task *task, struct sc_tasks *list, bool first)
{
	if (task->in) {
		PD_ASSERT(task->in->count);
		TAILQ_REMOVE(&task->in->list, task, link);
		task->in->count--;
	}
	task->in = list;
	if (!list)
		return;
	if (first)
		TAILQ_INSERT_HEAD(&list->list, task, link);
	else
		TAILQ_INSERT_TAIL(&list->list, task, link);
	list->count++;
}

bool sc_task_was_given(const struct sc_task *task, uint64_t worker)
{
	for (unsigned i = 0; i < SC_HOLDERS; i++)
		if (worker && task->holder[i] == worker)
			return true;
	return false;
}

void sc_task_give(struct sc_task *task, uint64_t worker, uint64_t now_ns)
{
	PD_ASSERT(worker && task->state == SC_WAITING);
	if (!sc_task_was_given(task, worker)) {
		memmove(task->holder + 1, task->holder, sizeof *task->holder * (SC_HOLDERS - 1));
		task->holder[0] = worker;
	}
	task->state = SC_OUT;
	task->tries++;
	task->sent_ns = now_ns;
	if (!task->first_ns)
		task->first_ns = now_ns;
	task->grace_ns = 0;
}

void sc_book_init(struct sc_book *book, uint64_t now_ns)
{
	*book = (struct sc_book){.turned_ns = now_ns};
	for (unsigned i = 0; i < SC_WHEEL; i++)
		TAILQ_INIT(&book->spoke[i]);
}

void sc_book_begin(struct sc_book *book, struct sc_task *task)
{
	PD_ASSERT(task->state == SC_IDLE && !task->in && !task->spoke);
	task->state = SC_WAITING;
	task->id = ++book->last_id;
	task->tries = task->refusals = 0;
	task->sent_ns = task->first_ns = task->due_ns = task->grace_ns = 0;
	task->worker = NULL;
	task->ticket = task->judged_of = 0;
	memset(task->holder, 0, sizeof task->holder);
	LIST_INSERT_HEAD(&book->bucket[task->id % SC_BUCKETS], task, by_id);
	book->count++;
}

struct sc_task *sc_book_find(struct sc_book *book, uint64_t id)
{
	struct sc_task *task;
	LIST_FOREACH(task, &book->bucket[id % SC_BUCKETS], by_id)
		if (task->id == id)
			return task;
	return NULL;
}

void sc_book_end(struct sc_book *book, struct sc_task *task)
{
	PD_ASSERT(task->state != SC_IDLE && book->count);
	sc_book_due(book, task, 0);
	sc_task_place(task, NULL, false);
	LIST_REMOVE(task, by_id);
	book->count--;
	task->state = SC_IDLE;
}

/* A deadline beyond one turn of the wheel goes to the farthest spoke, and is moved on when that comes. */
static void add_to_wheel(struct sc_book *book, struct sc_task *task)
{
	uint64_t first = book->turned_ns / SC_TICK_NS, at = task->due_ns / SC_TICK_NS;
	at = at < first ? first : at > first + SC_WHEEL - 1 ? first + SC_WHEEL - 1 : at;
	task->spoke = (unsigned)(at % SC_WHEEL) + 1;
	TAILQ_INSERT_TAIL(&book->spoke[task->spoke - 1], task, by_time);
}

static void remove_from_wheel(struct sc_book *book, struct sc_task *task)
{
	if (task->spoke)
		TAILQ_REMOVE(&book->spoke[task->spoke - 1], task, by_time);
	task->spoke = 0;
}

void sc_book_due(struct sc_book *book, struct sc_task *task, uint64_t due_ns)
{
	PD_ASSERT(task->state != SC_IDLE);
	remove_from_wheel(book, task);
	task->due_ns = due_ns;
	if (due_ns)
		add_to_wheel(book, task);
}

struct sc_task *sc_book_expired(struct sc_book *book, uint64_t now_ns)
{
	/* The spoke of the current tick is examined in every call, the earlier ones for the last time. */
	for (;;) {
		uint64_t at = book->turned_ns / SC_TICK_NS;
		struct sc_task *task = TAILQ_FIRST(&book->spoke[at % SC_WHEEL]), *next;
		for (; task; task = next) {
			next = TAILQ_NEXT(task, by_time);
			if (task->due_ns <= now_ns) {
				remove_from_wheel(book, task);
				task->due_ns = 0;
				return task;
			}
			if (task->due_ns / SC_TICK_NS != at) { /* it was beyond a turn */
				remove_from_wheel(book, task);
				add_to_wheel(book, task);
			}
		}
		if (at >= now_ns / SC_TICK_NS)
			return NULL;
		book->turned_ns = (at + 1) * SC_TICK_NS;
	}
}
