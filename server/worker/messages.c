#include "server/worker/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"

/* How long a worker that was refused waits before it asks again. */
static const uint64_t unwelcome_ns = 10 * (uint64_t)WK_BEAT_NS;

/* Solved positions are sent at most this far ahead of their rate. */
enum { SHARE_AHEAD_NS = 10000000 };

static void begin_message(struct wk_worker *w, enum cw_kind kind)
{
	struct cw_envelope envelope = {.major = CW_MAJOR,
				       .minor = CW_MINOR,
				       .kind = (uint8_t)kind,
				       .epoch = w->session.epoch,
				       .worker = w->number,
				       .number = ++w->sent};
	cw_begin(&w->out, &envelope);
}

bool wk_first_time(struct wk_worker *w, enum wk_said what)
{
	bool first = !(w->session.said & (unsigned)what);
	w->session.said |= (unsigned)what;
	return first;
}

static void send_message(struct wk_worker *w)
{
	struct pd_fail fail;
	if (!cw_end(&w->out, w->seal))
		pd_log(PD_LOG_WARN, "a message to the coordinator is not sent: it is too large, or there is no memory");
	else if (w->port->type->send(w->port, CP_COORDINATOR, (const uint8_t *)w->out.data, w->out.size, &fail))
		pd_log(PD_LOG_DEBUG, "a message to the coordinator is not sent: %s", fail.text);
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

static void send_refusal(struct wk_worker *w, uint64_t id, enum cw_refusal why, const char *words)
{
	struct cw_refuse refuse = {.id = id, .why = why, .text = cw_text_of(words)};
	PD_ASSERT(id && refuse.text.size < CW_NAME_MAX);
	begin_message(w, CW_REFUSE);
	cw_put_refuse(&w->out, &refuse);
	send_message(w);
}

static void put_result(struct wk_worker *w, const struct wk_task *task)
{
	const struct pn_leaf_result *from = &task->result;
	const struct cw_result to = {.id = task->id,
				     .solved = from->solved,
				     .proved = from->proved,
				     .num = {from->num[0], from->num[1]},
				     .rank = from->rank,
				     .move = from->move,
				     .effort = from->effort,
				     .nodes = from->nodes,
				     .cpu_ns = task->cpu_ns,
				     .proof = task->proof,
				     .proof_size = task->proof_size};
	cw_put_result(&w->out, &to);
}

/* Adds what the search solved on the way, as far as the rate permits. The keys are the task's. */
static void share_solved(struct wk_worker *w, const struct wk_task *task)
{
	struct wk_session *s = &w->session;
	struct cw_known *known = &w->known;
	uint64_t now = pd_now_ns();
	size_t before = w->out.size;
	if (!task->solved_count || !s->share_rate || s->shared_ns > now + SHARE_AHEAD_NS)
		return;
	known->game = cw_text_of(task->game);
	known->rules = task->rules;
	known->count = task->solved_count;
	for (unsigned i = 0; i < known->count; i++)
		known->positions[i] =
			(struct cw_solved){task->solved[i].key, task->solved[i].key_size, task->solved[i].reason};
	cw_put_known(&w->out, known);
	s->shared_ns = (s->shared_ns > now ? s->shared_ns : now) +
		       (uint64_t)((double)(w->out.size - before) * 1e9 / (double)s->share_rate);
}

/* A result that is sent again comes without them. */
static void forget_solved(struct wk_task *task)
{
	free(task->solved);
	task->solved = NULL;
	task->solved_count = 0;
}

void wk_send_results(struct wk_worker *w)
{
	struct wk_task_list list = TAILQ_HEAD_INITIALIZER(list);
	struct wk_task *task;
	unsigned count = 0;
	wk_tasks_collect(&w->tasks, &list);
	TAILQ_FOREACH(task, &list, in_list) {
		if (task->refused)
			continue;
		if (count == CW_BATCH_MAX || (count && cw_room(&w->out) < CW_RESULT_ROOM + CW_KNOWN_ROOM)) {
			send_message(w);
			count = 0;
		}
		if (!count++)
			begin_message(w, CW_RESULTS);
		put_result(w, task);
		share_solved(w, task);
		forget_solved(task);
	}
	if (count)
		send_message(w);
	TAILQ_FOREACH(task, &list, in_list)
		if (task->refused)
			send_refusal(w, task->id, task->refused, task->words);
	wk_tasks_sent(&w->tasks, &list);
}

void wk_send_bye(struct wk_worker *w)
{
	begin_message(w, CW_BYE);
	send_message(w);
}

static void schedule_hello(struct wk_worker *w)
{
	if (w->session.hello_ns > w->session.hello_last_ns + WK_HELLO_GAP_NS)
		w->session.hello_ns = w->session.hello_last_ns + WK_HELLO_GAP_NS;
}

/* The coordinator does not share this worker's positions any more, or one of those that it got may be false: what rests
 * on them goes. */
static void stop_sharing(struct wk_worker *w)
{
	if (w->session.share_rate)
		wk_caches_forget(&w->caches);
	w->session.share_rate = w->session.shared_ns = 0;
}

/* The worker follows this coordinator from now on. Tasks of another epoch are useless. */
static void follow_epoch(struct wk_worker *w, uint64_t epoch)
{
	PD_ASSERT(epoch);
	if (w->session.epoch == epoch)
		return;
	if (w->session.epoch)
		pd_log(PD_LOG_DEBUG, "another coordinator calls; the tasks of the previous one are dropped");
	wk_tasks_drop(&w->tasks);
	stop_sharing(w);
	w->session.epoch = epoch;
	w->session.welcome = false;
	schedule_hello(w);
}

static void handle_welcome(struct wk_worker *w, struct cw_reader *reader)
{
	uint64_t rate;
	struct pd_fail fail;
	follow_epoch(w, reader->envelope.epoch);
	if (cw_next_sharing(reader, &rate, &fail) == 1 && rate)
		w->session.share_rate = rate;
	else
		stop_sharing(w);
	if (w->session.welcome)
		return;
	w->session.welcome = true;
	w->session.hello_ns = UINT64_MAX;
	w->session.said &= ~(unsigned)(WK_SAID_UNWELCOME | WK_SAID_ALONE);
	w->session.beat_ns = 0;
	uint64_t now = pd_now_ns();
	/* A coordinator that calls again and again must not fill the disk. */
	bool lately = w->session.joined_ns && now - w->session.joined_ns < WK_BEAT_NS;
	w->session.joined_ns = now;
	pd_log(lately ? PD_LOG_DEBUG : PD_LOG_INFO, "%s has joined: %u threads, worker %016" PRIx64, w->name,
	       w->hello.threads, w->number);
}

/* The fault of a task that shows without opening its game, or NULL. */
static const char *find_fault(const struct cw_task *task)
{
	if (!task->game.size || task->game.size >= GAME_NAME_MAX || memchr(task->game.data, 0, task->game.size))
		return "its game has no name, or one that is too long";
	if (!task->key_size || task->key_size > GAME_KEY_MAX)
		return "its key is empty or too long";
	return task->budget ? NULL : "its budget is 0 nodes";
}

static void take_task(struct wk_worker *w, const struct cw_task *task)
{
	char words[WK_WORDS_MAX];
	const char *fault = find_fault(task);
	if (!task->id)
		return; /* a refusal needs the number */
	if (fault) {
		send_refusal(w, task->id, CW_BAD_TASK, fault);
		return;
	}
	switch (wk_tasks_put(&w->tasks, task)) {
	case WK_PUT:
		break;
	case WK_PUT_FULL:
		snprintf(words, sizeof words, "this worker has %u tasks in hand and takes no more", w->tasks.room);
		send_refusal(w, task->id, CW_TOO_LARGE, words);
		break;
	case WK_PUT_NO_MEMORY:
		send_refusal(w, task->id, CW_TOO_LARGE, "this worker has no memory left");
		break;
	}
}

static void take_tasks(struct wk_worker *w, struct cw_reader *reader)
{
	struct cw_task task;
	struct pd_fail fail;
	if (!w->session.welcome || reader->envelope.epoch != w->session.epoch) {
		schedule_hello(w); /* the sender remembers this worker from an earlier session */
		return;
	}
	while (cw_next_task(reader, &task, &fail) == 1)
		take_task(w, &task);
}

/* Positions that workers have solved. */
static void take_shared(struct wk_worker *w, struct cw_reader *reader)
{
	struct cw_reader again = *reader;
	struct pd_fail fail;
	uint64_t rate;
	int rc;
	if (!w->session.share_rate || reader->envelope.epoch != w->session.epoch)
		return;
	if (cw_next_sharing(&again, &rate, &fail) == 1 && rate)
		w->session.share_rate = rate;
	/* The coordinator passes on bodies as they are: one that is invalid does not spoil the others. */
	while ((rc = cw_next_known(reader, &w->known, &fail)) != 0)
		if (rc > 0)
			wk_caches_learn(&w->caches, &w->known);
}

static void handle_cancel(struct wk_worker *w, struct cw_reader *reader)
{
	struct pd_fail fail;
	uint64_t id;
	if (reader->envelope.epoch != w->session.epoch)
		return;
	while (cw_next_cancel(reader, &id, &fail) == 1)
		wk_tasks_cancel(&w->tasks, id);
}

/* Ends the worker: this coordinator will never accept it. */
static void give_up(struct wk_worker *w, const char *words)
{
	pd_mutex_lock(&w->tasks.lock);
	w->shared.refused = true;
	snprintf(w->shared.why, sizeof w->shared.why, "%.*s", WK_WHY_MAX - 1, words);
	pd_mutex_unlock(&w->tasks.lock);
	w->ending = true;
}

static void handle_refusal(struct wk_worker *w, struct cw_reader *reader)
{
	struct cw_refuse refuse;
	struct pd_fail fail;
	char words[WK_WHY_MAX];
	if (reader->envelope.worker != w->number || cw_next_refuse(reader, &refuse, &fail) != 1 || refuse.id)
		return;
	cw_text_print(&refuse.text, words, sizeof words);
	if (refuse.why == CW_BANNED || refuse.why == CW_OTHER_VERSION) {
		give_up(w, words);
		return;
	}
	if (wk_first_time(w, WK_SAID_UNWELCOME))
		pd_log(PD_LOG_WARN, "the coordinator refuses this worker: %s; the worker will ask again", words);
	w->session.welcome = false;
	w->session.hello_ns = pd_now_ns() + unwelcome_ns;
}

static void handle_stop(struct wk_worker *w, const struct cw_envelope *envelope)
{
	if (envelope->worker != w->number && envelope->epoch != w->session.epoch)
		return; /* an old broadcast */
	pd_log(PD_LOG_INFO, "the coordinator has told this worker to stop");
	w->ending = true;
}

/* Whether the message is from the coordinator and for this worker. */
static bool is_for(struct wk_worker *w, const struct cw_envelope *envelope)
{
	if ((envelope->worker && envelope->worker != w->number) || !envelope->epoch)
		return false;
	if (w->seal && !envelope->sealed) {
		if (wk_first_time(w, WK_SAID_UNSEALED))
			pd_log(PD_LOG_WARN,
			       "messages without the seal of --worker-key are ignored: the coordinator has no key, or "
			       "someone else sends them");
		return false;
	}
	return true;
}

void wk_receive(struct wk_worker *w, const uint8_t *data, size_t size)
{
	struct cw_reader reader;
	struct pd_fail fail;
	int rc = cw_open(&reader, data, size, w->seal, &fail);
	if (rc == PD_E_UNSUPPORTED && reader.envelope.worker == w->number && !w->seal)
		give_up(w, fail.text);
	else if (rc && wk_first_time(w, rc == PD_E_UNSUPPORTED ? WK_SAID_VERSION : WK_SAID_BAD))
		pd_log(PD_LOG_WARN, "a message is ignored, as others like it will be: %s", fail.text);
	if (rc || !is_for(w, &reader.envelope))
		return;
	w->session.heard_ns = pd_now_ns();
	switch (reader.envelope.kind) {
	case CW_CALL:
		follow_epoch(w, reader.envelope.epoch);
		schedule_hello(w);
		break;
	case CW_WELCOME:
		if (reader.envelope.worker)
			handle_welcome(w, &reader);
		break;
	case CW_TASKS:
		if (reader.envelope.worker)
			take_tasks(w, &reader);
		break;
	case CW_SHARED:
		take_shared(w, &reader);
		break;
	case CW_CANCEL:
		handle_cancel(w, &reader);
		break;
	case CW_REFUSE:
		handle_refusal(w, &reader);
		break;
	case CW_STOP:
		handle_stop(w, &reader.envelope);
		break;
	default: /* of a later version, or sent by a worker */
		break;
	}
}
