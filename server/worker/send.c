#include "server/worker/send.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "proto/cluster/wire_write.h"

static void begin_message(struct wk_worker *w, enum cw_kind kind)
{
	struct cw_envelope envelope = {.major = CW_MAJOR,
				       .minor = CW_MINOR,
				       .kind = (uint8_t)kind,
				       .epoch = w->epoch,
				       .worker = w->number,
				       .number = ++w->sent};
	cw_begin(&w->out, &envelope);
}

static void send_message(struct wk_worker *w)
{
	struct pd_fail fail;
	if (!cw_end(&w->out, w->has_seal ? &w->seal : NULL))
		pd_log(PD_LOG_WARN, "a message to the coordinator is not sent: there is no memory or no room for it");
	else if (w->port->type->send(w->port, CP_COORDINATOR, (const uint8_t *)w->out.data, w->out.size, &fail))
		pd_log(PD_LOG_DEBUG, "a message to the coordinator is not sent: %s", fail.text);
}

static struct cw_text text_of(const char *text)
{
	return (struct cw_text){text, strlen(text)};
}

void wk_send_hello(struct wk_worker *w)
{
	begin_message(w, CW_HELLO);
	cw_put_hello(&w->out, &w->hello);
	send_message(w);
}

void wk_send_beat(struct wk_worker *w)
{
	pd_mutex_lock(&w->tasks.lock);
	w->beat.tasks_done = w->tasks.searched;
	w->beat.nodes = w->tasks.nodes;
	pd_mutex_unlock(&w->tasks.lock);
	w->beat.in_hand_count = wk_tasks_list(&w->tasks, w->beat.in_hand, CW_IN_HAND_MAX);
	begin_message(w, CW_HEARTBEAT);
	cw_put_heartbeat(&w->out, &w->beat);
	send_message(w);
}

void wk_send_refuse(struct wk_worker *w, uint64_t id, enum cw_refusal why, const char *words)
{
	struct cw_refuse refuse = {.id = id, .why = why, .text = text_of(words)};
	PD_ASSERT(id && refuse.text.size < CW_NAME_MAX);
	begin_message(w, CW_REFUSE);
	cw_put_refuse(&w->out, &refuse);
	send_message(w);
}

static void put_result(struct wk_worker *w, const struct wk_task *task)
{
	const struct pn_leaf_result *from = &task->result;
	struct cw_result *to = &w->result;
	to->id = task->id;
	to->solved = from->solved;
	to->proved = from->proved;
	to->num[0] = from->num[0];
	to->num[1] = from->num[1];
	to->rank = from->rank;
	to->move = from->move;
	to->effort = from->effort;
	to->nodes = from->nodes;
	to->cpu_ns = task->cpu_ns;
	to->solved_count = task->solved_count;
	PD_ASSERT(task->solved_count <= CW_SOLVED_MAX);
	if (task->solved_count)
		memcpy(to->positions, task->solved, task->solved_count * sizeof *task->solved);
	cw_put_result(&w->out, to);
}

void wk_send_results(struct wk_worker *w)
{
	struct wk_task_list list = TAILQ_HEAD_INITIALIZER(list);
	const struct wk_task *task;
	unsigned count = 0;
	wk_tasks_collect(&w->tasks, &list);
	TAILQ_FOREACH(task, &list, in_list) {
		if (task->refused)
			continue;
		if (count == CW_BATCH_MAX || (count && cw_room(&w->out) < CW_RESULT_ROOM)) {
			send_message(w);
			count = 0;
		}
		if (!count++)
			begin_message(w, CW_RESULTS);
		put_result(w, task);
	}
	if (count)
		send_message(w);
	TAILQ_FOREACH(task, &list, in_list)
		if (task->refused)
			wk_send_refuse(w, task->id, task->refused, task->words);
	wk_tasks_sent(&w->tasks, &list);
}

void wk_send_bye(struct wk_worker *w)
{
	begin_message(w, CW_BYE);
	send_message(w);
}
