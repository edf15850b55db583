/* A coordinator while memory runs out: whichever allocation fails, once, several times on end or all for a while, its
 * jobs get right results, it bans no honest worker, and it lives on. What it could not hear or say is said again. One
 * that cannot be opened says so and leaves nothing behind.
 *
 * The test is the only worker, and the job. All results are searched again, so the judge is short of memory as well. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "server/cluster/cluster.h"
#include "server/cluster/desk.h"
#include "solver/leaf_task.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/port_nap.h"
#include "tests/support/shortage.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"
#include "tests/support/worker_double.h"

enum { LEAVES = 3, WORKER = 7, NODES = 100000, PATIENCE_S = 60 };

static const uint64_t ms = 1000000;

static struct pd_fail fail;
static struct game *game;

/* --- the port: what the coordinator says waits until the worker reads it ---------------------- */

struct said {
	STAILQ_ENTRY(said) next;
	size_t size;
	uint8_t data[];
};

static struct {
	struct cp_port port; /* first */
	struct port_nap nap;
	struct cp_events events;
	pthread_mutex_t lock; /* of `said` */
	STAILQ_HEAD(, said) said;
	bool open;
} net;

/* In the coordinator's threads, where malloc may fail. */
static int net_send(struct cp_port *port, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *out)
{
	struct said *message;
	PD_ASSERT(to == WORKER || to == CP_ALL);
	int rc = posix_memalign((void **)&message, sizeof(void *), sizeof *message + size);
	PD_ASSERT(!rc);
	message->size = size;
	memcpy(message->data, data, size);
	pthread_mutex_lock(&net.lock);
	STAILQ_INSERT_TAIL(&net.said, message, next);
	pthread_mutex_unlock(&net.lock);
	return PD_OK;
}

static void net_wait(struct cp_port *port, uint64_t until_ns)
{
	port_nap_wait(&net.nap, until_ns);
}

static void net_wake(struct cp_port *port)
{
	port_nap_wake(&net.nap);
}

static void net_close(struct cp_port *port)
{
	PD_ASSERT(net.open);
	net.open = false;
}

static const struct cp_port_type net_type = {net_send, net_wait, net_wake, net_close};

static int net_open(void *ctx, uint64_t number, const struct cp_events *events, struct cp_port **out,
		    struct pd_fail *why)
{
	PD_ASSERT(number == CP_COORDINATOR && !net.open);
	net.open = true;
	net.port.type = &net_type;
	net.events = *events;
	*out = &net.port;
	events->connected(events->ctx, true, "connected");
	return PD_OK;
}

static void begin_net(void)
{
	port_nap_init(&net.nap);
	pthread_mutex_init(&net.lock, NULL);
	STAILQ_INIT(&net.said);
}

static struct said *next_said(void)
{
	pthread_mutex_lock(&net.lock);
	struct said *message = STAILQ_FIRST(&net.said);
	if (message)
		STAILQ_REMOVE_HEAD(&net.said, next);
	pthread_mutex_unlock(&net.lock);
	return message;
}

static void end_net(void)
{
	struct said *message;
	ck_assert(!net.open);
	while ((message = next_said()))
		free(message);
	port_nap_fini(&net.nap);
	pthread_mutex_destroy(&net.lock);
}

/* --- the coordinator --------------------------------------------------------------------------- */

static unsigned open_games;

static void on_lied(void *ctx, uint32_t giver, const char *name, bool spread)
{
	ck_abort_msg("an honest worker is said to have lied");
}

static bool is_banned(void *ctx, uint32_t giver)
{
	return false;
}

static int game_get(void *ctx, const char *name, struct game **out, struct pd_fail *why)
{
	int rc = game_open(name, NULL, out, why);
	open_games += !rc;
	return rc;
}

static void game_put(void *ctx, const struct game *put)
{
	open_games--;
	game_close((struct game *)(uintptr_t)put);
}

static int open_cluster(struct sv_cluster **out)
{
	static const struct sv_cluster_host host = {NULL, on_lied, is_banned, game_get, game_put};
	const struct sv_cluster_config config = {
		.port = {NULL, net_open}, .verify_others = SV_VERIFY_ALL, .where = "here", .seed = 7};
	return sv_cluster_open(&config, &host, out, &fail);
}

/* --- the worker -------------------------------------------------------------------------------- */

static struct {
	struct pd_buf out;
	struct pn_leaf_runner *runner;
	struct cw_result result;
	uint64_t epoch, number, said_ns;
	bool welcome;
} worker;

static void begin_message(enum cw_kind kind)
{
	struct cw_envelope e = {
		.kind = (uint8_t)kind, .epoch = worker.epoch, .worker = WORKER, .number = ++worker.number};
	cw_begin(&worker.out, &e);
}

/* What the coordinator does to take a message may fail. */
static void send_line(void)
{
	ck_assert(cw_end(&worker.out, NULL));
	shortage_spare(false);
	net.events.message(net.events.ctx, (const uint8_t *)worker.out.data, worker.out.size);
	shortage_spare(true);
}

/* Hello until it is welcome, then a heartbeat, now and then. */
static void say_something(void)
{
	static const struct cw_hello hello = {
		.name = {"ant", 3}, .abi = GAME_ABI, .threads = 2, .game_count = 1, .games = {{.name = {"mnk", 3}}}};
	static const struct cw_heartbeat beat;
	uint64_t now = pd_now_ns();
	if (now < worker.said_ns + 50 * ms)
		return;
	worker.said_ns = now;
	begin_message(worker.welcome ? CW_HEARTBEAT : CW_HELLO);
	if (worker.welcome)
		cw_put_heartbeat(&worker.out, &beat);
	else
		cw_put_hello(&worker.out, &hello);
	send_line();
}

static void search_task(const struct cw_task *task)
{
	struct pn_leaf_task leaf = {
		.serial = task->id, .budget = task->budget, .threshold = task->threshold, .key_size = task->key_size};
	struct pn_leaf_result found;
	struct cw_result *r = &worker.result;
	memcpy(leaf.key, task->key, task->key_size);
	ck_assert_msg(!pn_leaf_begin(worker.runner, &leaf, &fail), "%s", fail.text);
	while (!pn_leaf_run(worker.runner, 10000))
		;
	pn_leaf_result(worker.runner, &found);
	memset(r, 0, sizeof *r);
	r->id = task->id;
	worker_double_result(&found, r);
}

/* Reads what came, and answers it. */
static void answer_messages(void)
{
	struct said *message;
	struct cw_reader reader;
	struct cw_task task;
	while ((message = next_said())) {
		ck_assert_msg(!cw_open(&reader, message->data, message->size, NULL, &fail), "%s", fail.text);
		worker.epoch = reader.envelope.epoch;
		ck_assert_int_ne(reader.envelope.kind, CW_REFUSE);
		if (reader.envelope.kind == CW_CALL || reader.envelope.kind == CW_WELCOME)
			worker.welcome = reader.envelope.kind == CW_WELCOME;
		while (reader.envelope.kind == CW_TASKS && cw_next_task(&reader, &task, &fail) == 1) {
			search_task(&task);
			begin_message(CW_RESULTS);
			cw_put_result(&worker.out, &worker.result);
			send_line();
		}
		free(message);
	}
	say_something();
}

static void begin_worker(void)
{
	const struct pn_leaf_runner_setup setup = {
		.game = game, .memory = 4 << 20, .nodes_max = 2 * NODES, .heuristics = true, .knowledge = true};
	ck_assert_msg(!pn_leaf_runner_new(&setup, &worker.runner, &fail), "%s", fail.text);
	pd_buf_init(&worker.out, CW_MESSAGE_MAX);
}

static void end_worker(void)
{
	pn_leaf_runner_free(worker.runner);
	pd_buf_fini(&worker.out);
}

/* --- the job ----------------------------------------------------------------------------------- */

static struct asked {
	struct walk_state state;
	bool first_gets; /* the threshold, by minimax */
	uint64_t serial; /* 0: answered */
} asked[LEAVES];

static void choose_leaves(void)
{
	uint64_t seed = 3;
	struct oracle *oracle = oracle_new(game);
	for (unsigned i = 0; i < LEAVES; i++) {
		int value;
		do
			walk_from_start(game, &asked[i].state, i, &seed);
		while (game->rules->terminal(game, &asked[i].state, &value));
		asked[i].first_gets = oracle_claim(oracle, &asked[i].state, i == 1 ? 0 : 1, NULL);
	}
	oracle_free(oracle);
}

static void post(struct sv_desk *desk, unsigned i)
{
	static uint64_t serial;
	struct pn_leaf_task leaf = {.serial = ++serial, .budget = NODES, .threshold = i == 1 ? 0 : 1};
	leaf.key_size = (uint16_t)game->rules->key(game, &asked[i].state, leaf.key);
	asked[i].serial = serial;
	sv_desk_post(desk, i, &leaf);
}

/* Until all leaves are solved. Those that came back open, since there was no memory to search them again, are posted
 * once more, for some time; then there is memory. */
static void get_answers(struct sv_desk *desk)
{
	struct sv_desk_result r;
	uint64_t start = pd_now_ns();
	unsigned left = LEAVES, open = 0;
	for (unsigned i = 0; i < LEAVES; i++)
		post(desk, i);
	sv_desk_flush(desk);
	while (left) {
		answer_messages();
		sv_desk_wait(desk, ms);
		while (sv_desk_take(desk, &r)) {
			struct asked *a = &asked[r.slot];
			ck_assert(r.slot < LEAVES && a->serial == r.leaf.serial);
			if (r.leaf.solved) {
				ck_assert(r.leaf.proved == a->first_gets);
				a->serial = 0;
				left--;
			} else {
				open++;
				post(desk, r.slot);
			}
		}
		sv_desk_flush(desk);
		if (open >= 20 || pd_now_ns() > start + 300 * ms)
			shortage_end();
		ck_assert(pd_now_ns() < start + PATIENCE_S * 1000 * ms);
	}
}

static struct sv_desk *open_desk(struct sv_cluster *cluster)
{
	const struct sv_desk_setup setup = {
		.game = game, .rules = game_version(game), .heuristics = true, .knowledge = true, .slots_max = LEAVES};
	struct sv_desk *desk;
	int rc = PD_E_NO_MEMORY;
	for (unsigned tries = 0; rc; tries++) {
		if (tries == 10)
			shortage_end();
		shortage_spare(false);
		rc = sv_desk_open(cluster, &setup, &desk, &fail);
		shortage_spare(true);
		ck_assert_msg(!rc || rc == PD_E_NO_MEMORY, "%s", fail.text);
	}
	return desk;
}

/* One life. Whether an allocation failed in it. */
static bool is_live(long k, long count)
{
	struct sv_cluster *cluster;
	struct sv_cluster_view view;
	worker.epoch = worker.number = worker.said_ns = 0;
	worker.welcome = false;
	begin_net();
	ck_assert_msg(!open_cluster(&cluster), "%s", fail.text);
	shortage_arm(k, count);
	struct sv_desk *desk = open_desk(cluster);
	get_answers(desk);
	bool failed = shortage_end() > 0;
	get_answers(desk); /* as before */
	sv_desk_close(desk);
	sv_cluster_view(cluster, &view);
	ck_assert_uint_eq(view.banned, 0);
	ck_assert_uint_eq(view.refuted, 0);
	sv_cluster_close(cluster);
	end_net();
	ck_assert_uint_eq(open_games, 0);
	return failed;
}

static void for_every_allocation(long count, long step)
{
	long k = 1;
	shortage_spare(true);
	ck_assert_msg(!game_open("mnk:3,3,3", NULL, &game, &fail), "%s", fail.text);
	choose_leaves();
	begin_worker();
	while (is_live(k, count))
		k += step;
	ck_assert_int_gt(k, 10); /* it has as many */
	end_worker();
	game_close(game);
}

/* A life in which tasks are lost takes a second: then they are sent again. */
static long stride(void)
{
	return effort_whole() ? 1 : 4;
}

START_TEST(one_allocation_fails)
{
	for_every_allocation(1, stride());
}
END_TEST

START_TEST(several_allocations_fail_on_end)
{
	for_every_allocation(8, stride());
}
END_TEST

START_TEST(all_allocations_fail_for_a_while)
{
	for_every_allocation(1000000, stride());
}
END_TEST

START_TEST(a_cluster_that_cannot_be_opened_says_so)
{
	struct sv_cluster *cluster = NULL;
	unsigned refused = 0;
	int rc = PD_E_NO_MEMORY;
	shortage_spare(false);
	for (long k = 1; rc; k++) {
		begin_net();
		shortage_arm(k, 1);
		rc = open_cluster(&cluster);
		long failed = shortage_end();
		ck_assert(!rc || (rc == PD_E_NO_MEMORY && failed && fail.text[0]));
		refused += rc != PD_OK;
		sv_cluster_close(rc ? NULL : cluster);
		end_net();
	}
	ck_assert_uint_gt(refused, 0);
}
END_TEST

SUITE(memory)
{
	tcase_set_timeout(c, 600);
	tcase_add_test(c, one_allocation_fails);
	tcase_add_test(c, several_allocations_fail_on_end);
	tcase_add_test(c, all_allocations_fail_for_a_while);
	tcase_add_test(c, a_cluster_that_cannot_be_opened_says_so);
}
