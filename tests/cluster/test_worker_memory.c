/* A worker while memory runs out: whichever allocation fails, once, several times on end or all for a while, what it
 * answers is right, it refuses a task for want of memory only, and it lives on. What it loses it does not list as in
 * hand, so that a coordinator gives it again. A worker that cannot be opened says so and leaves nothing behind. */
#include <stdlib.h>
#include <string.h>

#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "server/common/open_games.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/port_nap.h"
#include "tests/support/shortage.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"
#include "tests/support/worker_talk.h"

/* --- tasks -------------------------------------------------------------------------------- */

enum { TASKS = 3 };

struct asked {
	struct game *game;
	struct walk_state start;
	bool first_gets; /* the threshold, by minimax */
	bool answered;
};

static struct asked asked[TASKS];
static struct pd_fail fail;

static void open_tasks(void)
{
	static const char *const names[TASKS] = {"mnk:3,3,3", "andor:chain", "connect4:4x4"};
	const struct game_host host = {(void *)(uintptr_t)TEST_GRAPHS, sv_graph_read};
	for (unsigned i = 0; i < TASKS; i++) {
		struct asked *a = &asked[i];
		ck_assert_msg(!game_open(names[i], &host, &a->game, &fail), "%s", fail.text);
		a->game->rules->start(a->game, a->start.bytes);
		struct oracle *oracle = oracle_new(a->game);
		a->first_gets = oracle_claim(oracle, a->start.bytes, 1, NULL);
		oracle_free(oracle);
	}
}

static void close_tasks(void)
{
	for (unsigned i = 0; i < TASKS; i++)
		game_close(asked[i].game);
}

/* As a coordinator's message that comes through a port: what the worker does to take it may fail. */
static void give_message(struct talk *talk, unsigned i)
{
	const struct talk_task task = {i + 1, asked[i].game, asked[i].start.bytes, 1, 1000000};
	uint8_t key[GAME_KEY_MAX];
	struct cw_task wire;
	talk_task(&task, key, &wire);
	struct pd_buf *out = talk_begin(talk, CW_TASKS);
	cw_put_task(out, &wire);
	ck_assert(cw_end(out, NULL));
	shortage_spare(false);
	talk_bytes(talk, (const uint8_t *)out->data, out->size);
	shortage_spare(true);
}

static void take_results(struct cw_reader *reader)
{
	static struct cw_result result;
	while (cw_next_result(reader, &result, &fail) == 1) {
		ck_assert(result.id >= 1 && result.id <= TASKS && result.solved);
		ck_assert(result.proved == asked[result.id - 1].first_gets);
		asked[result.id - 1].answered = true;
	}
}

static bool is_in_hand(const struct cw_heartbeat *beat, uint64_t id)
{
	for (unsigned i = 0; i < beat->in_hand_count; i++)
		if (beat->in_hand[i] == id)
			return true;
	return false;
}

static void begin_asking(void)
{
	for (unsigned i = 0; i < TASKS; i++)
		asked[i].answered = false;
}

static bool all_answered(void)
{
	for (unsigned i = 0; i < TASKS; i++)
		if (!asked[i].answered)
			return false;
	return true;
}

enum { BEATS = 1, REFUSALS = 20 }; /* then there is memory again */

/* Until all is answered. What was refused, or is neither answered nor in hand, is given again. */
static void follow(struct talk *talk)
{
	static struct cw_heartbeat beat;
	struct cw_reader reader;
	struct cw_refuse refuse;
	for (unsigned beats = 0, refusals = 0; !all_answered();) {
		if (beats >= BEATS || refusals >= REFUSALS)
			shortage_end();
		talk_next(talk, &reader);
		if (reader.envelope.kind == CW_RESULTS) {
			take_results(&reader);
		} else if (reader.envelope.kind == CW_REFUSE) {
			refusals++;
			ck_assert_int_eq(cw_next_refuse(&reader, &refuse, &fail), 1);
			ck_assert_msg(refuse.why == CW_TOO_LARGE, "%.*s", (int)refuse.text.size, refuse.text.data);
			give_message(talk, (unsigned)refuse.id - 1);
		} else if (reader.envelope.kind == CW_HEARTBEAT) {
			beats++;
			ck_assert_int_eq(cw_next_heartbeat(&reader, &beat, &fail), 1);
			for (unsigned i = 0; i < TASKS; i++)
				if (!asked[i].answered && !is_in_hand(&beat, i + 1))
					give_message(talk, i);
		}
	}
}

static const struct wk_config config = {.name = "ant", .threads = 2, .memory = 8 << 20, .graphs = TEST_GRAPHS};

/* One life. Whether an allocation failed in it. */
static bool is_live(long k, long count)
{
	struct talk *talk = talk_open(&config);
	talk_welcome(talk);
	begin_asking();
	shortage_arm(k, count);
	for (unsigned i = 0; i < TASKS; i++)
		give_message(talk, i);
	follow(talk);
	bool failed = shortage_end() > 0;
	begin_asking(); /* it answers as before */
	for (unsigned i = 0; i < TASKS; i++)
		give_message(talk, i);
	follow(talk);
	ck_assert_int_eq(talk_stop(talk, &fail), PD_OK);
	talk_close(talk);
	return failed;
}

static void for_every_allocation(long count, long step)
{
	long k = 1;
	shortage_spare(true);
	open_tasks();
	while (is_live(k, count))
		k += step;
	ck_assert_int_gt(k, 100); /* it has as many */
	close_tasks();
}

START_TEST(one_allocation_fails)
{
	for_every_allocation(1, effort_stride());
}
END_TEST

START_TEST(several_allocations_fail_on_end)
{
	for_every_allocation(8, 4 * effort_stride()); /* many lives take a second: what was lost is given again */
}
END_TEST

START_TEST(all_allocations_fail_for_a_while)
{
	for_every_allocation(1000000, effort_whole() ? 20 : 60);
}
END_TEST

/* --- opening ------------------------------------------------------------------------------ */

struct deaf {
	struct cp_port port; /* first */
	struct port_nap nap;
};

static int deaf_send(struct cp_port *port, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *out)
{
	return PD_OK;
}

static void deaf_wait(struct cp_port *port, uint64_t until_ns)
{
	port_nap_wait(&((struct deaf *)port)->nap, until_ns);
}

static void deaf_wake(struct cp_port *port)
{
	port_nap_wake(&((struct deaf *)port)->nap);
}

static void deaf_close(struct cp_port *port)
{
}

static const struct cp_port_type deaf_type = {deaf_send, deaf_wait, deaf_wake, deaf_close};

static int deaf_open(void *ctx, uint64_t worker, const struct cp_events *events, struct cp_port **out,
		     struct pd_fail *why)
{
	struct deaf *deaf = ctx;
	deaf->port.type = &deaf_type;
	*out = &deaf->port;
	return PD_OK;
}

START_TEST(a_worker_that_cannot_be_opened_says_so)
{
	struct deaf deaf;
	struct wk_config with_port = config;
	struct wk_worker *worker = NULL;
	int rc = PD_E_NO_MEMORY;
	port_nap_init(&deaf.nap);
	with_port.port = (struct cp_opener){&deaf, deaf_open};
	for (long k = 1; rc; k++) {
		shortage_arm(k, 1);
		rc = wk_open(&with_port, &worker, &fail);
		long failed = shortage_end();
		/* One that fails in a thread of the worker may be reported or be that thread's own affair. */
		ck_assert(rc == PD_E_NO_MEMORY || (rc == PD_OK && !shortage_here()));
		ck_assert(!rc || failed);
		ck_assert(!rc || fail.text[0]);
	}
	wk_close(worker);
	port_nap_fini(&deaf.nap);
}
END_TEST

SUITE(worker_memory)
{
	tcase_set_timeout(c, 600);
	tcase_add_test(c, one_allocation_fails);
	tcase_add_test(c, several_allocations_fail_on_end);
	tcase_add_test(c, all_allocations_fail_for_a_while);
	tcase_add_test(c, a_worker_that_cannot_be_opened_says_so);
}
