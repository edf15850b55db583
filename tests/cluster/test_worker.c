/* The life of a worker: hello, welcome, tasks in hand, cancels, refusals, epochs, the end; keys; any bytes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/cluster/layout.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "solver/leaf_task.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"
#include "tests/support/worker_talk.h"

static struct game *game;
static struct walk_state start;
static struct pd_fail fail;

/* --- a gate in front of each task --------------------------------------------------------- */

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_changed = PTHREAD_COND_INITIALIZER;
static bool gate_shut;
static unsigned gate_waiting; /* threads that wait in front of it */

/* The linker puts it before pn_leaf_begin (tests/CMakeLists.txt). */
int __real_pn_leaf_begin(struct pn_leaf_runner *runner, const struct pn_leaf_task *task, struct pd_fail *why);
int __wrap_pn_leaf_begin(struct pn_leaf_runner *runner, const struct pn_leaf_task *task, struct pd_fail *why);
int __wrap_pn_leaf_begin(struct pn_leaf_runner *runner, const struct pn_leaf_task *task, struct pd_fail *why)
{
	pthread_mutex_lock(&gate_lock);
	gate_waiting++;
	pthread_cond_broadcast(&gate_changed);
	while (gate_shut)
		pthread_cond_wait(&gate_changed, &gate_lock);
	gate_waiting--;
	pthread_mutex_unlock(&gate_lock);
	return __real_pn_leaf_begin(runner, task, why);
}

static void gate(bool shut)
{
	pthread_mutex_lock(&gate_lock);
	gate_shut = shut;
	pthread_cond_broadcast(&gate_changed);
	pthread_mutex_unlock(&gate_lock);
}

/* Until that many tasks wait in front of the shut gate. */
static void gate_wait(unsigned count)
{
	pthread_mutex_lock(&gate_lock);
	while (gate_waiting != count)
		pthread_cond_wait(&gate_changed, &gate_lock);
	pthread_mutex_unlock(&gate_lock);
}

/* --- what all need ------------------------------------------------------------------------ */

static struct wk_config config(unsigned threads)
{
	return (struct wk_config){.name = "ant", .threads = threads, .memory = threads * (UINT64_C(4) << 20)};
}

static struct talk *open_talk(unsigned threads)
{
	struct wk_config c = config(threads);
	struct talk *talk = talk_open(&c);
	talk_welcome(talk);
	return talk;
}

static void set_up(void)
{
	ck_assert_msg(!game_open("mnk:3,3,3", NULL, &game, &fail), "%s", fail.text);
	game->rules->start(game, start.bytes);
}

static void tear_down(void)
{
	game_close(game);
}

static void give_task(struct talk *talk, uint64_t id)
{
	const struct talk_task task = {id, game, start.bytes, 0, 100000};
	talk_give(talk, &task);
}

static void cancel_job(struct talk *talk, uint64_t id)
{
	cw_put_cancel(talk_begin(talk, CW_CANCEL), id);
	talk_send(talk);
}

/* The next result is that of the task, and right: First gets a draw. */
static void expect_result(struct talk *talk, uint64_t id)
{
	const struct cw_result *result = talk_result(talk);
	ck_assert_uint_eq(result->id, id);
	ck_assert(result->solved && result->proved);
	ck_assert_uint_ge(result->effort, 1);
	ck_assert_uint_ge(result->rank, 1);
}

/* --- the roster --------------------------------------------------------------------------- */

START_TEST(it_says_who_it_is)
{
	struct wk_config c = config(2);
	struct talk *talk = talk_open(&c);
	struct cw_reader reader;
	static struct cw_hello hello;
	const struct game_rules *rules;
	talk_hear(talk, CW_HELLO, &reader);
	ck_assert_uint_eq(reader.envelope.epoch, 0);
	ck_assert_int_eq(cw_next_hello(&reader, &hello, &fail), 1);
	ck_assert(hello.name.size == 3 && !memcmp(hello.name.data, "ant", 3));
	ck_assert(hello.version.size == strlen(PD_VERSION) && !memcmp(hello.version.data, PD_VERSION, 3));
	ck_assert_uint_eq(hello.abi, GAME_ABI);
	ck_assert_uint_eq(hello.threads, 2);
	ck_assert_uint_eq(hello.memory, 8 << 20);
	for (unsigned i = 0; (rules = game_at(i)); i++) {
		ck_assert_uint_lt(i, hello.game_count);
		ck_assert(hello.games[i].name.size == strlen(rules->name) &&
			  !memcmp(hello.games[i].name.data, rules->name, hello.games[i].name.size));
		ck_assert_uint_eq(hello.games[i].digest, 0);
	}
	ck_assert(!talk_has(talk, CW_HEARTBEAT)); /* it is not welcome yet */
	talk_hear(talk, CW_HELLO, &reader);       /* it asks again by itself */
	talk_say(talk, CW_WELCOME);
	talk_hear(talk, CW_HEARTBEAT, &reader);
	ck_assert_uint_eq(reader.envelope.epoch, 1);
	talk_close(talk);
}
END_TEST

START_TEST(it_answers_a_call_and_a_port_that_came_back)
{
	struct talk *talk = open_talk(1);
	struct cw_reader reader;
	talk_begin_all(talk, CW_CALL);
	talk_send(talk);
	talk_hear(talk, CW_HELLO, &reader);
	ck_assert_uint_eq(reader.envelope.epoch, 1);
	talk_connected(talk, false);
	talk_connected(talk, true);
	talk_hear(talk, CW_HELLO, &reader);
	give_task(talk, 1); /* it was welcome all the time */
	expect_result(talk, 1);
	talk_close(talk);
}
END_TEST

START_TEST(another_epoch_drops_everything)
{
	struct talk *talk = open_talk(2);
	struct cw_reader reader;
	gate(true);
	for (uint64_t id = 1; id <= 5; id++)
		give_task(talk, id);
	gate_wait(2);
	talk_epoch(talk, 2);
	talk_begin_all(talk, CW_CALL);
	talk_send(talk);
	talk_hear(talk, CW_HELLO, &reader);
	ck_assert_uint_eq(reader.envelope.epoch, 2);
	give_task(talk, 6); /* before it is welcome: not taken */
	talk_say(talk, CW_WELCOME);
	talk_in_hand(talk, NULL, 0);
	gate(false);
	talk_epoch(talk, 1);
	give_task(talk, 7); /* of the old one */
	talk_epoch(talk, 2);
	give_task(talk, 1); /* numbers begin again */
	expect_result(talk, 1);
	talk_in_hand(talk, NULL, 0);
	ck_assert(!talk_has(talk, CW_RESULTS));
	talk_close(talk);
}
END_TEST

START_TEST(a_welcome_of_another_epoch_counts_as_a_call)
{
	struct talk *talk = open_talk(1);
	gate(true);
	give_task(talk, 1);
	gate_wait(1);
	talk_epoch(talk, 9);
	talk_say(talk, CW_WELCOME);
	give_task(talk, 2);
	talk_in_hand(talk, (const uint64_t[]){2}, 1);
	gate(false);
	expect_result(talk, 2);
	talk_close(talk);
}
END_TEST

/* --- tasks -------------------------------------------------------------------------------- */

START_TEST(a_task_is_searched_once_and_its_result_kept)
{
	struct talk *talk = open_talk(1);
	gate(true);
	give_task(talk, 1);
	gate_wait(1);
	give_task(talk, 1);
	give_task(talk, 2);
	give_task(talk, 2);
	talk_in_hand(talk, (const uint64_t[]){1, 2}, 2);
	gate(false);
	expect_result(talk, 1);
	expect_result(talk, 2);
	gate(true); /* what follows is not searched again */
	give_task(talk, 1);
	expect_result(talk, 1);
	give_task(talk, 2);
	expect_result(talk, 2);
	talk_in_hand(talk, NULL, 0);
	gate(false);
	talk_close(talk);
}
END_TEST

START_TEST(a_result_that_was_lost_is_sent_when_its_task_comes_again)
{
	struct talk *talk = open_talk(1);
	talk_lose(talk, true);
	give_task(talk, 1);
	talk_connected(talk, false);
	struct timespec moment = {0, 50000000}; /* most likely it is searched and lost by then */
	nanosleep(&moment, NULL);
	talk_lose(talk, false);
	talk_connected(talk, true);
	give_task(talk, 1);
	expect_result(talk, 1);
	talk_close(talk);
}
END_TEST

START_TEST(a_result_does_not_wait_for_others_when_no_task_is_queued)
{
	enum { GATHERED_NS = 1000000, TRIES = 1000 };
	struct talk *talk = open_talk(4);
	uint64_t least_ns = UINT64_MAX, id = 0;
	while (least_ns >= GATHERED_NS && id < TRIES) {
		uint64_t begin_ns = pd_now_ns();
		give_task(talk, ++id);
		expect_result(talk, id);
		uint64_t took_ns = pd_now_ns() - begin_ns;
		least_ns = took_ns < least_ns ? took_ns : least_ns;
	}
	ck_assert_uint_lt(least_ns, GATHERED_NS);
	talk_close(talk);
}
END_TEST

START_TEST(what_is_cancelled_is_not_answered)
{
	struct talk *talk = open_talk(1);
	gate(true);
	give_task(talk, 1);
	gate_wait(1);
	give_task(talk, 2);
	give_task(talk, 3);
	give_task(talk, 4);
	cancel_job(talk, 1);
	cancel_job(talk, 3);
	cancel_job(talk, 77); /* there is none */
	talk_in_hand(talk, (const uint64_t[]){2, 4}, 2);
	gate(false);
	expect_result(talk, 2);
	expect_result(talk, 4);
	give_task(talk, 3); /* it may come again */
	expect_result(talk, 3);
	talk_close(talk);
}
END_TEST

START_TEST(more_than_it_can_hold_is_refused)
{
	enum { ROOM = 4 + 64 };
	struct talk *talk = open_talk(1);
	gate(true);
	for (uint64_t id = 1; id <= ROOM + 10; id++)
		give_task(talk, id);
	for (uint64_t id = ROOM + 1; id <= ROOM + 10; id++) {
		const struct cw_refuse *refuse = talk_refusal(talk);
		ck_assert_uint_eq(refuse->id, id);
		ck_assert_uint_eq(refuse->why, CW_TOO_LARGE);
	}
	gate(false);
	for (uint64_t id = 1; id <= ROOM; id++)
		expect_result(talk, id);
	talk_close(talk);
}
END_TEST

/* --- the end ------------------------------------------------------------------------------ */

static void count_ends(void *ctx)
{
	atomic_fetch_add((atomic_uint *)ctx, 1);
}

START_TEST(it_hands_back_what_it_has_when_it_is_stopped)
{
	atomic_uint ends = 0;
	struct wk_config c = config(2);
	c.ended = count_ends;
	c.ctx = &ends;
	struct talk *talk = talk_open(&c);
	struct cw_reader reader;
	talk_welcome(talk);
	gate(true);
	give_task(talk, 1);
	give_task(talk, 2);
	give_task(talk, 3);
	gate_wait(2);
	ck_assert_int_eq(talk_stop(talk, &fail), PD_OK);
	talk_hear(talk, CW_BYE, &reader);
	ck_assert(talk_closed(talk) && !talk_has(talk, CW_RESULTS));
	ck_assert(!wk_rests(talk_worker(talk), 1000000)); /* its threads stand in front of the gate */
	gate(false);
	ck_assert(wk_rests(talk_worker(talk), UINT64_C(60000000000)));
	talk_close(talk);
	ck_assert_uint_eq(ends, 1);
}
END_TEST

START_TEST(the_coordinator_can_end_it)
{
	struct talk *talk = open_talk(1);
	struct cw_reader reader;
	talk_epoch(talk, 5); /* not its coordinator */
	talk_begin_all(talk, CW_STOP);
	talk_send(talk);
	talk_epoch(talk, 1);
	give_task(talk, 1);
	expect_result(talk, 1);
	talk_begin_all(talk, CW_STOP);
	talk_send(talk);
	ck_assert_int_eq(wk_wait(talk_worker(talk), &fail), PD_OK);
	talk_hear(talk, CW_BYE, &reader);
	talk_close(talk);
}
END_TEST

static void send_away(struct talk *talk, uint64_t id, enum cw_refusal why, const char *words)
{
	struct cw_refuse refuse = {.id = id, .why = why, .text = {words, strlen(words)}};
	cw_put_refuse(talk_begin(talk, CW_REFUSE), &refuse);
	talk_send(talk);
}

START_TEST(one_that_is_banned_ends_with_the_words)
{
	enum cw_refusal why = _i ? CW_OTHER_VERSION : CW_BANNED;
	struct talk *talk = open_talk(1);
	send_away(talk, 3, why, "a task's refusal is none of the worker");
	send_away(talk, 0, CW_NOT_WELCOME, "not now");
	send_away(talk, 0, why, "it said that a draw is a win");
	ck_assert_int_eq(wk_wait(talk_worker(talk), &fail), PD_E_FORBIDDEN);
	ck_assert_msg(strstr(fail.text, ": it said that a draw is a win") != NULL, "%s", fail.text);
	talk_close(talk);
}
END_TEST

START_TEST(one_that_is_not_welcome_takes_no_tasks)
{
	struct talk *talk = open_talk(1);
	send_away(talk, 0, CW_NOT_WELCOME, "there are enough workers");
	give_task(talk, 1);
	talk_say(talk, CW_WELCOME);
	give_task(talk, 2);
	expect_result(talk, 2);
	talk_close(talk);
}
END_TEST

START_TEST(a_message_of_another_major_version_ends_it)
{
	struct talk *talk = open_talk(1);
	talk_begin(talk, CW_WELCOME);
	ck_assert(cw_end(talk_begin(talk, CW_WELCOME), NULL));
	struct pd_buf *message = talk_begin(talk, CW_WELCOME);
	message->data[CW_AT_MAJOR] = CW_MAJOR + 1;
	talk_bytes(talk, (const uint8_t *)message->data, message->size);
	ck_assert_int_eq(wk_wait(talk_worker(talk), &fail), PD_E_FORBIDDEN);
	ck_assert_msg(strstr(fail.text, "version") != NULL, "%s", fail.text);
	talk_close(talk);
}
END_TEST

/* --- keys --------------------------------------------------------------------------------- */

START_TEST(with_a_key_it_follows_only_who_has_it)
{
	struct cw_seal seal, other;
	struct wk_config c = config(1);
	ck_assert(cw_seal_of("0123456789abcdef", 16, &seal));
	ck_assert(cw_seal_of("fedcba9876543210", 16, &other));
	c.seal = &seal;
	struct talk *talk = talk_open(&c);
	talk_say(talk, CW_WELCOME); /* unsealed */
	send_away(talk, 0, CW_BANNED, "unsealed");
	talk_say(talk, CW_STOP);
	talk_seal(talk, &other);
	talk_say(talk, CW_WELCOME);
	talk_say(talk, CW_STOP);
	send_away(talk, 0, CW_BANNED, "of another key");
	talk_seal(talk, &seal);
	talk_welcome(talk); /* which looks at the seals of what it hears */
	talk_seal(talk, NULL);
	give_task(talk, 1);
	talk_seal(talk, &seal);
	give_task(talk, 2);
	expect_result(talk, 2);
	talk_say(talk, CW_STOP);
	ck_assert_int_eq(wk_wait(talk_worker(talk), &fail), PD_OK);
	talk_close(talk);
}
END_TEST

/* --- any bytes ---------------------------------------------------------------------------- */

/* A message of some kind, well made. */
static void some_message(struct talk *talk, uint64_t *seed)
{
	static const enum cw_kind kinds[] = {CW_CALL,      CW_WELCOME, CW_TASKS, CW_CANCEL,
					     CW_HEARTBEAT, CW_HELLO,   CW_SHARED};
	const struct talk_task task = {1 + walk_below(seed, 300), game, start.bytes, (int)walk_below(seed, 2), 50};
	uint8_t key[GAME_KEY_MAX];
	struct cw_task wire;
	struct cw_known known;
	enum cw_kind kind = kinds[walk_below(seed, sizeof kinds / sizeof *kinds)];
	struct pd_buf *out = talk_begin(talk, kind);
	talk_task(&task, key, &wire);
	known = (struct cw_known){.game = wire.game, .rules = wire.rules, .count = 1};
	known.positions[0] = (struct cw_solved){.key = key,
						.key_size = wire.key_size,
						.reason.rank = 9,
						.reason.move = 0,
						.reason.effort = 400,
						.reason.bound = 0};
	for (unsigned n = walk_below(seed, 4); kind == CW_TASKS && n; n--) {
		cw_put_task(out, &wire);
		wire.id++;
	}
	for (unsigned n = walk_below(seed, 4); kind == CW_SHARED && n; n--)
		cw_put_known(out, &known);
	if (kind == CW_WELCOME || kind == CW_SHARED)
		cw_put_sharing(out, walk_below(seed, 2) * 1000);
	for (unsigned n = walk_below(seed, 4); kind == CW_CANCEL && n; n--)
		cw_put_cancel(out, 1 + walk_below(seed, 300));
	ck_assert(cw_end(out, NULL));
}

START_TEST(any_bytes_are_survived)
{
	struct talk *talk = open_talk(2);
	uint64_t seed = walk_seed("any_bytes_are_survived", 1);
	static uint8_t bytes[4096];
	for (unsigned i = 0, n = effort_of(4000, 200); i < n; i++) {
		struct pd_buf *out = talk_begin(talk, CW_CALL);
		some_message(talk, &seed);
		size_t size = out->size < sizeof bytes ? out->size : sizeof bytes;
		memcpy(bytes, out->data, size);
		for (unsigned k = walk_below(&seed, 4); k; k--)
			bytes[walk_below(&seed, (unsigned)size)] = (uint8_t)walk_random(&seed);
		/* The coordinator may end a worker, and another version does. */
		if (bytes[CW_AT_KIND] == CW_STOP || bytes[CW_AT_KIND] == CW_REFUSE)
			bytes[CW_AT_KIND] = CW_TASKS;
		bytes[CW_AT_MAJOR] = CW_MAJOR;
		talk_bytes(talk, bytes, walk_below(&seed, 8) ? size : walk_below(&seed, (unsigned)size + 1));
	}
	talk_epoch(talk, 12345);
	talk_say(talk, CW_WELCOME);
	talk_in_hand(talk, NULL, 0);
	give_task(talk, 1);
	expect_result(talk, 1);
	talk_close(talk);
}
END_TEST

START_TEST(what_it_cannot_be_is_refused)
{
	struct wk_config c = config(1);
	struct talk *talk = open_talk(1);
	struct wk_worker *worker;
	c.port.open = (int (*)(void *, uint64_t, const struct cp_events *, struct cp_port **, struct pd_fail *))abort;
	c.threads = 0;
	ck_assert_int_eq(wk_open(&c, &worker, &fail), PD_E_USAGE);
	ck_assert_str_eq(fail.field, "threads");
	c.threads = WK_THREADS_MAX + 1;
	ck_assert_int_eq(wk_open(&c, &worker, &fail), PD_E_USAGE);
	c.threads = 8;
	c.memory = 8 * WK_MEMORY_MIN - 1;
	ck_assert_int_eq(wk_open(&c, &worker, &fail), PD_E_USAGE);
	ck_assert_str_eq(fail.field, "memory");
	ck_assert_uint_ge(wk_memory_usual(3), 3 * WK_MEMORY_MIN);
	ck_assert_uint_le(wk_memory_usual(3), UINT64_C(3) << 28);
	talk_close(talk);
}
END_TEST

SUITE(worker)
{
	tcase_set_timeout(c, 120);
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, it_says_who_it_is);
	tcase_add_test(c, it_answers_a_call_and_a_port_that_came_back);
	tcase_add_test(c, another_epoch_drops_everything);
	tcase_add_test(c, a_welcome_of_another_epoch_counts_as_a_call);
	tcase_add_test(c, a_task_is_searched_once_and_its_result_kept);
	tcase_add_test(c, a_result_that_was_lost_is_sent_when_its_task_comes_again);
	tcase_add_test(c, a_result_does_not_wait_for_others_when_no_task_is_queued);
	tcase_add_test(c, what_is_cancelled_is_not_answered);
	tcase_add_test(c, more_than_it_can_hold_is_refused);
	tcase_add_test(c, it_hands_back_what_it_has_when_it_is_stopped);
	tcase_add_test(c, the_coordinator_can_end_it);
	tcase_add_loop_test(c, one_that_is_banned_ends_with_the_words, 0, 2);
	tcase_add_test(c, one_that_is_not_welcome_takes_no_tasks);
	tcase_add_test(c, a_message_of_another_major_version_ends_it);
	tcase_add_test(c, with_a_key_it_follows_only_who_has_it);
	tcase_add_test(c, any_bytes_are_survived);
	tcase_add_test(c, what_it_cannot_be_is_refused);
}
