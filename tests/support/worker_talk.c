#include "tests/support/worker_talk.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "proto/base/assert.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "tests/support/port_nap.h"

enum { PATIENCE_S = 60 };

struct spoken {
	STAILQ_ENTRY(spoken) next;
	size_t size;
	uint8_t data[];
};

struct talk {
	struct cp_port port; /* first */
	struct port_nap nap;
	struct wk_worker *worker;
	struct cp_events events;
	uint64_t number, epoch, sent;
	struct cw_seal seal;
	bool has_seal;
	struct pd_buf out;

	pthread_mutex_t lock; /* guards the next three */
	pthread_cond_t heard;
	STAILQ_HEAD(, spoken) spoken;
	bool closed, lose;

	struct spoken *last; /* readers point to it */
	struct cw_reader results, shared;
	struct cw_result result;
	struct cw_refuse refuse;
	struct cw_heartbeat beat;
};

/* --- the port -----------------------------------------------------------------------------
 * Called by the worker's threads, where tests may make malloc fail, here and in Check. */

static int port_send(struct cp_port *port, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail)
{
	struct talk *talk = (struct talk *)port;
	struct spoken *message;
	PD_ASSERT(to == CP_COORDINATOR);
	int rc = posix_memalign((void **)&message, sizeof(void *), sizeof *message + size);
	PD_ASSERT(!rc);
	message->size = size;
	memcpy(message->data, data, size);
	pthread_mutex_lock(&talk->lock);
	PD_ASSERT(!talk->closed);
	bool lost = talk->lose;
	if (!lost)
		STAILQ_INSERT_TAIL(&talk->spoken, message, next);
	pthread_cond_signal(&talk->heard);
	pthread_mutex_unlock(&talk->lock);
	if (!lost)
		return PD_OK;
	free(message);
	return pd_fail_set(fail, PD_E_IO, "", "there is no connection");
}

static void port_wait(struct cp_port *port, uint64_t until_ns)
{
	port_nap_wait(&((struct talk *)port)->nap, until_ns);
}

static void port_wake(struct cp_port *port)
{
	port_nap_wake(&((struct talk *)port)->nap);
}

static void port_close(struct cp_port *port)
{
	struct talk *talk = (struct talk *)port;
	pthread_mutex_lock(&talk->lock);
	PD_ASSERT(!talk->closed);
	talk->closed = true;
	pthread_mutex_unlock(&talk->lock);
}

static const struct cp_port_type port_type = {port_send, port_wait, port_wake, port_close};

static int port_open(void *ctx, uint64_t worker, const struct cp_events *events, struct cp_port **out,
		     struct pd_fail *fail)
{
	struct talk *talk = ctx;
	talk->port.type = &port_type;
	talk->number = worker;
	talk->events = *events;
	*out = &talk->port;
	return PD_OK;
}

/* --- opening and closing ------------------------------------------------------------------ */

struct talk *talk_open(const struct wk_config *config)
{
	struct wk_config with_port = *config;
	struct pd_fail fail;
	struct talk *talk = calloc(1, sizeof *talk);
	ck_assert_ptr_nonnull(talk);
	pthread_mutex_init(&talk->lock, NULL);
	pthread_cond_init(&talk->heard, NULL);
	port_nap_init(&talk->nap);
	STAILQ_INIT(&talk->spoken);
	pd_buf_init(&talk->out, CW_MESSAGE_MAX);
	talk->epoch = 1;
	with_port.port = (struct cp_opener){talk, port_open};
	ck_assert_msg(!wk_open(&with_port, &talk->worker, &fail), "%s", fail.text);
	ck_assert_uint_ne(talk->number, 0);
	return talk;
}

void talk_close(struct talk *talk)
{
	wk_close(talk->worker);
	ck_assert(talk->closed);
	while (!STAILQ_EMPTY(&talk->spoken)) {
		struct spoken *message = STAILQ_FIRST(&talk->spoken);
		STAILQ_REMOVE_HEAD(&talk->spoken, next);
		free(message);
	}
	free(talk->last);
	pd_buf_fini(&talk->out);
	port_nap_fini(&talk->nap);
	pthread_cond_destroy(&talk->heard);
	pthread_mutex_destroy(&talk->lock);
	free(talk);
}

struct wk_worker *talk_worker(struct talk *talk)
{
	return talk->worker;
}

int talk_stop(struct talk *talk, struct pd_fail *fail)
{
	wk_stop(talk->worker);
	return wk_wait(talk->worker, fail);
}

uint64_t talk_number(const struct talk *talk)
{
	return talk->number;
}

bool talk_closed(struct talk *talk)
{
	pthread_mutex_lock(&talk->lock);
	bool closed = talk->closed;
	pthread_mutex_unlock(&talk->lock);
	return closed;
}

/* --- the coordinator ---------------------------------------------------------------------- */

void talk_epoch(struct talk *talk, uint64_t epoch)
{
	talk->epoch = epoch;
}

void talk_seal(struct talk *talk, const struct cw_seal *seal)
{
	talk->has_seal = seal != NULL;
	if (seal)
		talk->seal = *seal;
}

static struct pd_buf *begin_for(struct talk *talk, uint64_t worker, enum cw_kind kind)
{
	struct cw_envelope envelope = {
		.kind = (uint8_t)kind, .epoch = talk->epoch, .worker = worker, .number = ++talk->sent};
	cw_begin(&talk->out, &envelope);
	return &talk->out;
}

struct pd_buf *talk_begin(struct talk *talk, enum cw_kind kind)
{
	return begin_for(talk, talk->number, kind);
}

struct pd_buf *talk_begin_all(struct talk *talk, enum cw_kind kind)
{
	return begin_for(talk, CP_ALL, kind);
}

void talk_bytes(struct talk *talk, const uint8_t *data, size_t size)
{
	talk->events.message(talk->events.ctx, data, size);
}

void talk_send(struct talk *talk)
{
	ck_assert(cw_end(&talk->out, talk->has_seal ? &talk->seal : NULL));
	talk_bytes(talk, (const uint8_t *)talk->out.data, talk->out.size);
}

void talk_say(struct talk *talk, enum cw_kind kind)
{
	talk_begin(talk, kind);
	talk_send(talk);
}

void talk_connected(struct talk *talk, bool connected)
{
	talk->events.connected(talk->events.ctx, connected, connected ? "connected" : "the connection is lost");
}

void talk_lose(struct talk *talk, bool lose)
{
	pthread_mutex_lock(&talk->lock);
	talk->lose = lose;
	pthread_mutex_unlock(&talk->lock);
}

void talk_task(const struct talk_task *task, uint8_t key[GAME_KEY_MAX], struct cw_task *out)
{
	const struct game *game = task->game;
	*out = (struct cw_task){.id = task->id,
				.game = {game->name, strlen(game->name)},
				.rules = game_version(game),
				.options = CW_MOBILITY | CW_HEURISTICS | CW_KNOWLEDGE,
				.threshold = (int16_t)task->threshold,
				.budget = task->budget,
				.rival = task->rival,
				.key = key,
				.key_size = (uint16_t)game->rules->key(game, task->state, key)};
}

void talk_give(struct talk *talk, const struct talk_task *task)
{
	uint8_t key[GAME_KEY_MAX];
	struct cw_task wire;
	talk_task(task, key, &wire);
	cw_put_task(talk_begin(talk, CW_TASKS), &wire);
	talk_send(talk);
}

/* --- the worker --------------------------------------------------------------------------- */

static struct spoken *next_spoken(struct talk *talk)
{
	struct timespec until;
	bool late = false;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&talk->lock);
	while (STAILQ_EMPTY(&talk->spoken) && !late)
		late = pthread_cond_timedwait(&talk->heard, &talk->lock, &until) != 0;
	struct spoken *message = STAILQ_FIRST(&talk->spoken);
	if (message)
		STAILQ_REMOVE_HEAD(&talk->spoken, next);
	pthread_mutex_unlock(&talk->lock);
	return message;
}

/* False: no message has come. */
static bool read_line(struct talk *talk, struct cw_reader *reader)
{
	struct pd_fail fail;
	memset(&talk->results, 0, sizeof talk->results);
	free(talk->last);
	talk->last = next_spoken(talk);
	if (!talk->last)
		return false;
	ck_assert_msg(!cw_open(reader, talk->last->data, talk->last->size, talk->has_seal ? &talk->seal : NULL, &fail),
		      "%s", fail.text);
	ck_assert_uint_eq(reader->envelope.worker, talk->number);
	ck_assert(reader->envelope.sealed == talk->has_seal);
	return true;
}

void talk_next(struct talk *talk, struct cw_reader *reader)
{
	ck_assert_msg(read_line(talk, reader), "no message has come");
}

void talk_hear(struct talk *talk, enum cw_kind kind, struct cw_reader *reader)
{
	do
		ck_assert_msg(read_line(talk, reader), "no message of kind %d has come", (int)kind);
	while (reader->envelope.kind != kind);
}

const struct cw_result *talk_result(struct talk *talk)
{
	struct cw_reader reader;
	struct pd_fail fail;
	while (!talk->results.at || cw_next_result(&talk->results, &talk->result, &fail) != 1) {
		talk_hear(talk, CW_RESULTS, &reader);
		ck_assert_uint_eq(reader.envelope.epoch, talk->epoch);
		talk->results = talk->shared = reader;
	}
	return &talk->result;
}

bool talk_shared(struct talk *talk, struct cw_known *out)
{
	struct pd_fail fail;
	return cw_next_known(&talk->shared, out, &fail) == 1;
}

void talk_share(struct talk *talk, uint64_t rate)
{
	cw_put_sharing(talk_begin(talk, CW_WELCOME), rate);
	talk_send(talk);
}

const struct cw_refuse *talk_refusal(struct talk *talk)
{
	struct cw_reader reader;
	struct pd_fail fail;
	talk_hear(talk, CW_REFUSE, &reader);
	ck_assert_int_eq(cw_next_refuse(&reader, &talk->refuse, &fail), 1);
	return &talk->refuse;
}

bool talk_has(struct talk *talk, enum cw_kind kind)
{
	struct spoken *message;
	struct cw_reader reader;
	struct pd_fail fail;
	bool has = false;
	pthread_mutex_lock(&talk->lock);
	STAILQ_FOREACH(message, &talk->spoken, next)
		if (!cw_open(&reader, message->data, message->size, NULL, &fail))
			has = has || reader.envelope.kind == kind;
	pthread_mutex_unlock(&talk->lock);
	return has;
}

void talk_welcome(struct talk *talk)
{
	struct cw_reader reader;
	talk_hear(talk, CW_HELLO, &reader);
	talk_say(talk, CW_WELCOME);
	talk_hear(talk, CW_HEARTBEAT, &reader);
}

static bool lists_task(const struct cw_heartbeat *beat, uint64_t id)
{
	for (unsigned i = 0; i < beat->in_hand_count; i++)
		if (beat->in_hand[i] == id)
			return true;
	return false;
}

void talk_in_hand(struct talk *talk, const uint64_t *ids, unsigned count)
{
	struct cw_reader reader;
	struct pd_fail fail;
	bool all = false;
	for (unsigned tries = 0; !all && tries < PATIENCE_S;) {
		talk_hear(talk, CW_HEARTBEAT, &reader);
		ck_assert_int_eq(cw_next_heartbeat(&reader, &talk->beat, &fail), 1);
		bool ours = reader.envelope.epoch == talk->epoch; /* there may be many of earlier epochs */
		tries += ours;
		all = ours && talk->beat.in_hand_count == count;
		for (unsigned i = 0; all && i < count; i++)
			all = lists_task(&talk->beat, ids[i]);
	}
	ck_assert_msg(all, "the heartbeats list %u tasks, %u are in hand", talk->beat.in_hand_count, count);
}
