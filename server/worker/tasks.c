#include "server/worker/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"

_Static_assert((int)GAME_KEY_MAX == (int)CW_KEY_MAX, "a key of the wire is a key of a game");

void wk_tasks_init(struct wk_tasks *tasks, unsigned threads)
{
	unsigned room = 4 * threads + 64;
	memset(tasks, 0, sizeof *tasks);
	pd_mutex_init(&tasks->lock, PD_LOCK_TASKS);
	pd_cond_init(&tasks->work);
	pd_cond_init(&tasks->rest);
	TAILQ_INIT(&tasks->queued);
	TAILQ_INIT(&tasks->working);
	TAILQ_INIT(&tasks->done);
	TAILQ_INIT(&tasks->kept);
	tasks->room = room < CW_IN_HAND_MAX ? room : CW_IN_HAND_MAX; /* a heartbeat lists them all */
}

static void task_free(struct wk_task *task)
{
	free(task->proof);
	free(task->solved);
	free(task);
}

void wk_tasks_fini(struct wk_tasks *tasks)
{
	PD_ASSERT(!tasks->threads && TAILQ_EMPTY(&tasks->working));
	wk_tasks_drop(tasks);
	PD_ASSERT(!tasks->in_hand && !tasks->kept_count);
	pthread_cond_destroy(&tasks->work);
	pthread_cond_destroy(&tasks->rest);
	pd_mutex_fini(&tasks->lock);
}

/* --- under the lock ----------------------------------------------------------------------- */

static struct wk_task *find_task(struct wk_tasks *tasks, uint64_t id)
{
	struct wk_task *task;
	PD_ASSERT(pd_mutex_held(&tasks->lock));
	LIST_FOREACH(task, &tasks->bucket[id % WK_BUCKETS], in_bucket)
		if (task->id == id)
			return task;
	return NULL;
}

void wk_tasks_wake(struct wk_tasks *tasks)
{
	PD_ASSERT(pd_mutex_held(&tasks->lock));
	if (tasks->port)
		tasks->port->type->wake(tasks->port);
}

bool wk_tasks_due(const struct wk_tasks *tasks)
{
	return tasks->done_count && tasks->done_count + 1 >= tasks->queued_count;
}

static void add_done(struct wk_tasks *tasks, struct wk_task *task)
{
	if (!tasks->done_count++)
		tasks->done_ns = pd_now_ns();
	task->state = WK_DONE;
	TAILQ_INSERT_TAIL(&tasks->done, task, in_list);
}

/* Removes a task and frees it. A task in work is freed by its search thread. */
static void forget_task(struct wk_tasks *tasks, struct wk_task *task)
{
	LIST_REMOVE(task, in_bucket);
	if (task->state == WK_KEPT) {
		tasks->kept_count--;
	} else {
		PD_ASSERT(tasks->in_hand > 0);
		tasks->in_hand--;
	}
	switch (task->state) {
	case WK_IN_WORK:
		TAILQ_REMOVE(&tasks->working, task, in_list);
		atomic_store(&task->dropped, true);
		return;
	case WK_QUEUED:
		TAILQ_REMOVE(&tasks->queued, task, in_list);
		tasks->queued_count--;
		break;
	case WK_DONE:
		TAILQ_REMOVE(&tasks->done, task, in_list);
		tasks->done_count--;
		break;
	case WK_KEPT:
		TAILQ_REMOVE(&tasks->kept, task, in_list);
		break;
	}
	task_free(task);
}

static void drop_all_tasks(struct wk_tasks *tasks)
{
	struct wk_task_list *lists[] = {&tasks->queued, &tasks->working, &tasks->done, &tasks->kept};
	for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
		while (!TAILQ_EMPTY(lists[i]))
			forget_task(tasks, TAILQ_FIRST(lists[i]));
}

/* --- for the life --------------------------------------------------------------------------- */

static struct wk_task *task_new(const struct cw_task *from)
{
	struct wk_task *task = calloc(1, sizeof *task);
	if (!task)
		return NULL;
	PD_ASSERT(from->id && from->game.size < sizeof task->game && from->key_size <= sizeof task->leaf.key);
	task->id = from->id;
	task->rules = from->rules;
	task->seed = from->seed;
	task->options = from->options;
	task->proof_wanted = from->proof;
	task->leaf.serial = from->id;
	task->leaf.budget = from->budget;
	task->leaf.threshold = from->threshold;
	task->leaf.rival = (struct pn_leaf_rival){from->rival.k, from->rival.second, from->rival.limit,
						  from->rival.from, from->rival.most};
	task->leaf.key_size = from->key_size;
	memcpy(task->leaf.key, from->key, from->key_size);
	memcpy(task->game, from->game.data, from->game.size);
	return task;
}

enum wk_put wk_tasks_put(struct wk_tasks *tasks, const struct cw_task *from)
{
	enum wk_put put = WK_PUT;
	pd_mutex_lock(&tasks->lock);
	struct wk_task *task = find_task(tasks, from->id);
	if (task && task->state == WK_KEPT) { /* its result was lost */
		TAILQ_REMOVE(&tasks->kept, task, in_list);
		tasks->kept_count--;
		tasks->in_hand++;
		add_done(tasks, task);
	} else if (task) {
		put = WK_PUT; /* it is in hand */
	} else if (tasks->in_hand >= tasks->room) {
		put = WK_PUT_FULL;
	} else if (!(task = task_new(from))) {
		put = WK_PUT_NO_MEMORY;
	} else {
		task->state = WK_QUEUED;
		tasks->in_hand++;
		tasks->queued_count++;
		TAILQ_INSERT_TAIL(&tasks->queued, task, in_list);
		LIST_INSERT_HEAD(&tasks->bucket[task->id % WK_BUCKETS], task, in_bucket);
		pthread_cond_signal(&tasks->work);
	}
	pd_mutex_unlock(&tasks->lock);
	return put;
}

void wk_tasks_cancel(struct wk_tasks *tasks, uint64_t id)
{
	pd_mutex_lock(&tasks->lock);
	struct wk_task *task = find_task(tasks, id);
	if (task && task->state != WK_KEPT)
		forget_task(tasks, task);
	pd_mutex_unlock(&tasks->lock);
}

void wk_tasks_drop(struct wk_tasks *tasks)
{
	pd_mutex_lock(&tasks->lock);
	drop_all_tasks(tasks);
	pd_mutex_unlock(&tasks->lock);
}

void wk_tasks_end(struct wk_tasks *tasks)
{
	pd_mutex_lock(&tasks->lock);
	drop_all_tasks(tasks);
	tasks->end = true;
	pthread_cond_broadcast(&tasks->work);
	pd_mutex_unlock(&tasks->lock);
}

unsigned wk_tasks_list(struct wk_tasks *tasks, uint64_t *out, unsigned max)
{
	const struct wk_task *task;
	unsigned count = 0;
	pd_mutex_lock(&tasks->lock);
	const struct wk_task_list *lists[] = {&tasks->working, &tasks->queued, &tasks->done};
	for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
		TAILQ_FOREACH(task, lists[i], in_list)
			if (count < max)
				out[count++] = task->id;
	pd_mutex_unlock(&tasks->lock);
	return count;
}

void wk_tasks_collect(struct wk_tasks *tasks, struct wk_task_list *out)
{
	PD_ASSERT(TAILQ_EMPTY(out));
	pd_mutex_lock(&tasks->lock);
	TAILQ_CONCAT(out, &tasks->done, in_list);
	tasks->done_count = 0;
	pd_mutex_unlock(&tasks->lock);
}

void wk_tasks_sent(struct wk_tasks *tasks, struct wk_task_list *list)
{
	struct wk_task *task;
	pd_mutex_lock(&tasks->lock);
	while ((task = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, task, in_list);
		PD_ASSERT(task->state == WK_DONE && tasks->in_hand > 0);
		task->state = WK_KEPT;
		tasks->in_hand--;
		tasks->kept_count++;
		TAILQ_INSERT_TAIL(&tasks->kept, task, in_list);
		if (task->refused == CW_TOO_LARGE)
			forget_task(tasks, task); /* there may be memory for it when it comes again */
	}
	while (tasks->kept_count > WK_KEPT_MAX)
		forget_task(tasks, TAILQ_FIRST(&tasks->kept));
	pd_mutex_unlock(&tasks->lock);
}

/* --- for search threads ------------------------------------------------------------------ */

void wk_task_refuse(struct wk_task *task, enum cw_refusal why, const char *words)
{
	task->refused = why;
	snprintf(task->words, sizeof task->words, "%.*s", WK_WORDS_MAX - 1, words);
}

struct wk_task *wk_tasks_take(struct wk_tasks *tasks)
{
	struct wk_task *task = NULL;
	pd_mutex_lock(&tasks->lock);
	while (!tasks->end && !(task = TAILQ_FIRST(&tasks->queued)))
		pd_mutex_wait(&tasks->lock, &tasks->work);
	if (task) {
		TAILQ_REMOVE(&tasks->queued, task, in_list);
		tasks->queued_count--;
		task->state = WK_IN_WORK;
		TAILQ_INSERT_TAIL(&tasks->working, task, in_list);
	}
	pd_mutex_unlock(&tasks->lock);
	return task;
}

bool wk_tasks_bring(struct wk_tasks *tasks, struct wk_task *task)
{
	pd_mutex_lock(&tasks->lock);
	PD_ASSERT(task->state == WK_IN_WORK);
	tasks->nodes += task->result.nodes;
	if (atomic_load(&task->dropped)) {
		task_free(task);
	} else {
		tasks->searched += !task->refused;
		TAILQ_REMOVE(&tasks->working, task, in_list);
		add_done(tasks, task);
	}
	bool due = wk_tasks_due(tasks);
	if (!due && tasks->done_count == 1)
		wk_tasks_wake(tasks); /* it sends the result after a while */
	pd_mutex_unlock(&tasks->lock);
	return due;
}
