#include "server/worker/receive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/cluster/wire_read.h"
#include "server/worker/send.h"

/* Until it asks again after it was sent away. */
static const uint64_t unwelcome_ns = 10 * (uint64_t)WK_BEAT_NS;

/* Words from outside, for a line of the log. */
static void copy_words(char *out, size_t room, const struct cw_text *text)
{
	size_t size = text->size < room - 1 ? text->size : room - 1;
	PD_ASSERT(room);
	for (size_t i = 0; i < size; i++)
		out[i] = text->data[i] >= ' ' && text->data[i] <= '~' ? text->data[i] : '?';
	out[size] = 0;
}

static void hello_soon(struct wk_worker *w)
{
	if (w->times.hello_ns > w->times.hello_last_ns + WK_HELLO_GAP_NS)
		w->times.hello_ns = w->times.hello_last_ns + WK_HELLO_GAP_NS;
}

/* The worker belongs to this life of the coordinator from now on: tasks of an earlier one are of no use to anyone. */
static void follow_epoch(struct wk_worker *w, uint64_t epoch)
{
	PD_ASSERT(epoch);
	if (w->epoch == epoch)
		return;
	if (w->epoch)
		pd_log(PD_LOG_DEBUG, "another coordinator calls; what was in hand for the one before is dropped");
	wk_tasks_drop(&w->tasks);
	w->epoch = epoch;
	w->welcome = false;
	hello_soon(w);
}

static void handle_welcome(struct wk_worker *w, uint64_t epoch)
{
	follow_epoch(w, epoch);
	if (w->welcome)
		return;
	w->welcome = true;
	w->times.hello_ns = UINT64_MAX;
	w->said &= ~(unsigned)(WK_SAID_UNWELCOME | WK_SAID_ALONE);
	w->times.beat_ns = 0;
	uint64_t now = pd_now_ns();
	bool lately = w->times.joined_ns &&
		      now - w->times.joined_ns < WK_BEAT_NS; /* who calls again and again is to fill no disk */
	w->times.joined_ns = now;
	pd_log(lately ? PD_LOG_DEBUG : PD_LOG_INFO, "%s has joined: %u threads, worker %016" PRIx64, w->name,
	       w->hello.threads, w->number);
}

/* --- tasks -------------------------------------------------------------------------------- */

/* What can be said of a task without its game. NULL: nothing is wrong. */
static const char *fault_of(const struct cw_task *task)
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
	const char *fault = fault_of(task);
	if (!task->id)
		return; /* it could not even be refused */
	if (fault) {
		wk_send_refuse(w, task->id, CW_BAD_TASK, fault);
		return;
	}
	switch (wk_tasks_put(&w->tasks, task)) {
	case WK_PUT:
	case WK_PUT_KNOWN:
		break;
	case WK_PUT_FULL:
		snprintf(words, sizeof words, "this worker has %u tasks in hand, and takes no more", w->tasks.room);
		wk_send_refuse(w, task->id, CW_TOO_LARGE, words);
		break;
	case WK_PUT_NO_MEMORY:
		wk_send_refuse(w, task->id, CW_TOO_LARGE, "this worker has no memory left");
		break;
	}
}

static void take_tasks(struct wk_worker *w, struct cw_reader *reader)
{
	struct cw_reader again = *reader;
	struct cw_text game;
	struct cw_solved solved;
	struct cw_task task;
	struct pd_fail fail;
	uint64_t rules;
	if (!w->welcome || reader->envelope.epoch != w->epoch) {
		hello_soon(w); /* who sends tasks knows it from another time */
		return;
	}
	/* First what is known, so that the tasks of the message find it. */
	while (cw_next_known(&again, &game, &rules, &solved, &fail) == 1)
		wk_known_add(&w->known, &game, rules, &solved);
	while (cw_next_task(reader, &task, &fail) == 1)
		take_task(w, &task);
}

static void handle_cancel(struct wk_worker *w, struct cw_reader *reader)
{
	struct pd_fail fail;
	uint64_t id;
	if (reader->envelope.epoch != w->epoch)
		return;
	while (cw_next_cancel(reader, &id, &fail) == 1)
		wk_tasks_cancel(&w->tasks, id);
}

/* --- the worker itself -------------------------------------------------------------------- */

/* Ends its life: there is nothing that it could do for this coordinator. */
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
	copy_words(words, sizeof words, &refuse.text);
	if (refuse.why == CW_BANNED || refuse.why == CW_OTHER_VERSION) {
		give_up(w, words);
		return;
	}
	if (wk_first(w, WK_SAID_UNWELCOME))
		pd_log(PD_LOG_WARN, "the coordinator does not take this worker: %s; it asks again from time to time",
		       words);
	w->welcome = false;
	w->times.hello_ns = pd_now_ns() + unwelcome_ns;
}

static void told_to_stop(struct wk_worker *w, const struct cw_envelope *envelope)
{
	if (envelope->worker != w->number && envelope->epoch != w->epoch)
		return; /* an old message for all */
	pd_log(PD_LOG_INFO, "the coordinator has told this worker to end");
	w->ending = true;
}

/* Whether the message is from the coordinator and for this worker. */
static bool is_for(struct wk_worker *w, const struct cw_envelope *envelope)
{
	if ((envelope->worker && envelope->worker != w->number) || !envelope->epoch)
		return false;
	if (w->has_seal && !envelope->sealed) {
		if (wk_first(w, WK_SAID_UNSEALED))
			pd_log(PD_LOG_WARN,
			       "messages without the seal of --worker-key have come and are passed over: the "
			       "coordinator has no key, or they are not from it");
		return false;
	}
	return true;
}

void wk_receive(struct wk_worker *w, const uint8_t *data, size_t size)
{
	struct cw_reader reader;
	struct pd_fail fail;
	int rc = cw_open(&reader, data, size, w->has_seal ? &w->seal : NULL, &fail);
	if (rc == PD_E_UNSUPPORTED && reader.envelope.worker == w->number && !w->has_seal)
		give_up(w, fail.text);
	else if (rc && wk_first(w, rc == PD_E_UNSUPPORTED ? WK_SAID_VERSION : WK_SAID_BAD))
		pd_log(PD_LOG_WARN, "a message is passed over, as others like it will be: %s", fail.text);
	if (rc || !is_for(w, &reader.envelope))
		return;
	w->times.heard_ns = pd_now_ns();
	switch (reader.envelope.kind) {
	case CW_CALL:
		follow_epoch(w, reader.envelope.epoch);
		hello_soon(w);
		break;
	case CW_WELCOME:
		if (reader.envelope.worker)
			handle_welcome(w, reader.envelope.epoch);
		break;
	case CW_TASKS:
		if (reader.envelope.worker)
			take_tasks(w, &reader);
		break;
	case CW_CANCEL:
		handle_cancel(w, &reader);
		break;
	case CW_REFUSE:
		handle_refusal(w, &reader);
		break;
	case CW_STOP:
		told_to_stop(w, &reader.envelope);
		break;
	default: /* of a later version, or a worker's */
		break;
	}
}
