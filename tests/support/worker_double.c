#include "tests/support/worker_double.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "proto/cluster/layout.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"

static const uint64_t ms = 1000000, hello_every = 1000 * ms;

/* Also for programs that are not Check tests. */
static void require_success(int rc, const struct pd_fail *fail)
{
	if (rc)
		fprintf(stderr, "worker double: %s\n", fail->text);
	PD_ASSERT(!rc);
}

/* Under the lock. */
static void wake_thread(struct worker_double *w)
{
	if (w->port)
		w->port->type->wake(w->port);
}

/* --- sending -------------------------------------------------------------------------------------- */

/* Under the lock. */
static void begin_message(struct worker_double *w, enum cw_kind kind)
{
	struct cw_envelope e = {
		.kind = (uint8_t)kind, .epoch = w->epoch, .worker = w->is.number, .number = ++w->number};
	cw_begin(&w->out, &e);
	if (w->is.major)
		w->out.data[CW_AT_MAJOR] = (char)w->is.major;
}

static void send_message(struct worker_double *w)
{
	struct pd_fail fail;
	PD_ASSERT(cw_end(&w->out, w->is.seal));
	(void)w->port->type->send(w->port, CP_COORDINATOR, (const uint8_t *)w->out.data, w->out.size, &fail);
}

static void say_hello(struct worker_double *w)
{
	const char *name = w->is.name ? w->is.name : "double", *games = w->is.games ? w->is.games : "mnk";
	struct cw_hello hello = {.name = {name, strlen(name)},
				 .version = {"1.2.3", 5},
				 .abi = GAME_ABI,
				 .threads = w->is.threads ? w->is.threads : 1,
				 .memory = 1 << 20};
	for (; *games; games += strspn(games, " ")) {
		size_t size = strcspn(games, " ");
		hello.games[hello.game_count++].name = (struct cw_text){games, size};
		games += size;
	}
	begin_message(w, CW_HELLO);
	cw_put_hello(&w->out, &hello);
	send_message(w);
}

static void say_beat(struct worker_double *w)
{
	struct cw_heartbeat beat = {.in_hand_count = w->count};
	memcpy(beat.in_hand, w->in_hand, w->count * sizeof *w->in_hand);
	begin_message(w, CW_HEARTBEAT);
	cw_put_heartbeat(&w->out, &beat);
	send_message(w);
}

/* --- receiving ------------------------------------------------------------------------------------ */

/* Copies a task to that place, with its key and name. */
static void put_task(struct worker_double *w, unsigned i, const struct cw_task *task)
{
	memcpy(w->key[i], task->key, task->key_size);
	memcpy(w->game[i], task->game.data, task->game.size);
	w->task[i] = *task;
	w->task[i].key = w->key[i];
	w->task[i].game.data = w->game[i];
	w->in_hand[i] = task->id;
}

static void drop_task(struct worker_double *w, unsigned i)
{
	for (w->count--; i < w->count; i++)
		put_task(w, i, &w->task[i + 1]);
}

static void drop_task_id(struct worker_double *w, uint64_t id)
{
	for (unsigned i = 0; i < w->count; i++)
		if (w->in_hand[i] == id) {
			drop_task(w, i);
			return;
		}
}

static void take_shared(struct worker_double *w, struct cw_reader *reader)
{
	struct pd_fail fail;
	while (cw_next_known(reader, &w->known_body, &fail) == 1) {
		for (unsigned i = 0; i < w->known_body.count; i++) {
			const struct cw_solved *s = &w->known_body.positions[i];
			atomic_fetch_add(&w->known, 1);
			if (!w->runner || w->told_count == WORKER_TOLD_MAX)
				continue;
			struct pn_leaf_solved *known = &w->told[w->told_count++]; /* the runner is another thread's */
			known->key_size = s->key_size;
			memcpy(known->key, s->key, s->key_size);
			known->reason = s->reason;
		}
	}
}

static void take_tasks(struct worker_double *w, struct cw_reader *reader)
{
	struct cw_task task;
	struct pd_fail fail;
	while (cw_next_task(reader, &task, &fail) == 1) {
		bool has = w->count == WORKER_TASKS_MAX;
		atomic_fetch_add(&w->tasks_got, 1);
		for (unsigned i = 0; i < w->count; i++)
			has = has || w->in_hand[i] == task.id;
		if (has)
			continue;
		put_task(w, w->count++, &task);
	}
}

static void on_message(void *ctx, const uint8_t *data, size_t size)
{
	struct worker_double *w = ctx;
	struct cw_reader reader;
	struct cw_refuse refuse;
	struct pd_fail fail;
	uint64_t id, rate;
	pthread_mutex_lock(&w->lock);
	int rc = cw_open(&reader, data, size, w->is.seal, &fail);
	const struct cw_envelope *e = &reader.envelope;
	require_success(rc, &fail);
	PD_ASSERT(e->worker == CP_ALL || e->worker == w->is.number);
	if (w->is.seal && !e->sealed) { /* from another coordinator, without a key */
		pthread_mutex_unlock(&w->lock);
		return;
	}
	if (e->epoch != w->epoch) { /* of an older epoch, or of none */
		w->count = 0;
		w->epoch = e->epoch;
		w->say_hello = true;
		w->welcome = false;
	}
	switch (e->kind) {
	case CW_CALL:
		atomic_fetch_add(&w->calls, 1);
		w->say_hello = true;
		break;
	case CW_WELCOME:
		w->welcome = true;
		atomic_store(&w->shares, cw_next_sharing(&reader, &rate, &fail) == 1);
		break;
	case CW_SHARED:
		if (atomic_load(&w->shares))
			take_shared(w, &reader);
		break;
	case CW_TASKS:
		take_tasks(w, &reader);
		break;
	case CW_CANCEL:
		while (cw_next_cancel(&reader, &id, &fail) == 1) {
			atomic_fetch_add(&w->cancels, 1);
			drop_task_id(w, id);
		}
		break;
	case CW_REFUSE:
		PD_ASSERT(cw_next_refuse(&reader, &refuse, &fail) == 1);
		atomic_store(&w->why, refuse.why);
		atomic_fetch_add(&w->refusals, 1);
		break;
	default:
		break;
	}
	wake_thread(w);
	pthread_mutex_unlock(&w->lock);
}

static void on_connected(void *ctx, bool connected, const char *what)
{
	struct worker_double *w = ctx;
	pthread_mutex_lock(&w->lock);
	w->say_hello = w->say_hello || connected;
	wake_thread(w);
	pthread_mutex_unlock(&w->lock);
}

/* --- searching ------------------------------------------------------------------------------------ */

void worker_double_numbers(const uint8_t *key, size_t size, uint64_t budget, uint32_t num[2])
{
	uint64_t hash = pd_id_of(key, size, budget).lo;
	num[0] = 1 + (uint32_t)(hash % 1000);
	num[1] = 1 + (uint32_t)(hash >> 32) % 1000;
}

void worker_double_result(const struct pn_leaf_result *found, struct cw_result *out)
{
	out->solved = found->solved;
	out->proved = found->proved;
	memcpy(out->num, found->num, sizeof out->num);
	out->rank = found->rank;
	out->move = found->move;
	out->effort = found->effort;
	out->nodes = found->nodes;
}

/* First is said to get what the task asks for, in a position where Second prevents it. False: it is not such a one. */
static bool turn_reason(const struct cw_task *task, struct pd_reason *reason)
{
	if (reason->side == PD_LO)
		return false;
	reason->side = PD_LO;
	reason->bound = task->threshold;
	reason->move = PD_NO_MOVE;
	return true;
}

/* What goes out with the result: positions that were solved on the way. */
static void found_shared(struct worker_double *w, const struct pn_leaf_runner *runner, const struct cw_task *task)
{
	struct cw_known *sharing = &w->sharing;
	sharing->game = task->game;
	sharing->rules = task->rules;
	sharing->count = pn_leaf_solved(runner, w->solved, PN_LEAF_SOLVED_MAX);
	for (unsigned i = 0; i < sharing->count; i++) {
		struct pn_leaf_solved *s = &w->solved[i];
		if (w->is.lie_shared && ++w->shared_count % w->is.lie_shared == 0 && turn_reason(task, &s->reason))
			atomic_fetch_add(&w->lies_shared, 1);
		sharing->positions[i] = (struct cw_solved){s->key, s->key_size, s->reason};
	}
}

/* Without the lock. */
static void search_task(struct worker_double *w, const struct cw_task *task)
{
	struct cw_result *r = &w->result;
	struct pn_leaf_task leaf = {
		.serial = task->id, .budget = task->budget, .threshold = task->threshold, .key_size = task->key_size};
	struct pn_leaf_result found;
	struct pn_leaf_runner *runner = w->is.runner ? w->is.runner(w->is.runner_ctx, task) : w->runner;
	struct pd_fail fail;
	uint64_t before = pd_cpu_ns();
	memset(r, 0, sizeof *r);
	r->id = task->id;
	w->sharing.count = 0;
	memcpy(leaf.key, task->key, task->key_size);
	if (!runner) {
		r->nodes = task->budget;
		r->solved = r->proved = w->is.claim_solved;
		r->rank = 9;
		r->move = PD_NO_MOVE;
		r->effort = w->is.claim_solved ? 400 : 0;
		if (!r->solved)
			worker_double_numbers(task->key, task->key_size, task->budget, r->num);
		return;
	}
	require_success(pn_leaf_begin(runner, &leaf, &fail), &fail);
	while (!pn_leaf_run(runner, 10000))
		;
	pn_leaf_result(runner, &found);
	worker_double_result(&found, r);
	r->cpu_ns = pd_cpu_ns() - before;
	before = pd_cpu_ns();
	r->proof_size = task->proof && r->solved ? (uint16_t)pn_leaf_prove(runner, task->proof, w->proof) : 0;
	r->proof = r->proof_size ? w->proof : NULL;
	atomic_fetch_add(&w->prove_ns, pd_cpu_ns() - before);
	found_shared(w, runner, task);
}

/* Adds the configured faults to the result. */
static void spoil_result(struct worker_double *w, const struct cw_task *task)
{
	struct cw_result *r = &w->result;
	if (w->is.spoil && w->is.spoil(w, task, r))
		atomic_fetch_add(&w->lies, 1);
	if (r->solved && w->is.lie && ++w->solved_count > w->is.honest && w->solved_count % w->is.lie == 0) {
		r->proved = !r->proved;
		r->move = PD_NO_MOVE;
		atomic_fetch_add(&w->lies, 1);
	}
	if (w->is.nonsense && (atomic_load(&w->results_sent) + 1) % w->is.nonsense == 0) {
		r->solved = true;
		r->rank = 0xfffe;
		r->effort = 1;
		r->move = PD_NO_MOVE;
	}
}

static void sleep_ms(unsigned time)
{
	struct timespec t = {.tv_sec = time / 1000, .tv_nsec = (long)(time % 1000) * 1000000};
	nanosleep(&t, NULL);
}

/* Under the lock, which it releases meanwhile. */
static void serve_messages(struct worker_double *w)
{
	struct cw_task task = w->task[w->is.backwards ? w->count - 1 : 0];
	struct cw_refuse refuse = {.id = task.id, .why = CW_NO_GAME};
	uint8_t key[CW_KEY_MAX];
	char game[CW_NAME_MAX];
	memcpy(key, task.key, task.key_size);
	memcpy(game, task.game.data, task.game.size);
	task.key = key;
	task.game.data = game;
	if (w->is.refuse || w->is.full) {
		if (w->is.full) {
			refuse.why = CW_TOO_LARGE;
			w->is.full--;
		}
		drop_task_id(w, task.id);
		begin_message(w, CW_REFUSE);
		cw_put_refuse(&w->out, &refuse);
		send_message(w);
		return;
	}
	for (unsigned i = 0; i < w->told_count; i++)
		(void)pn_leaf_learn(w->runner, &w->told[i]);
	w->told_count = 0;
	pthread_mutex_unlock(&w->lock);
	if (w->is.slow_ms)
		sleep_ms(w->is.slow_ms);
	search_task(w, &task);
	spoil_result(w, &task);
	pthread_mutex_lock(&w->lock);
	drop_task_id(w, task.id);
	unsigned number = atomic_fetch_add(&w->results_sent, 1) + 1;
	for (unsigned copy = 0; copy < (w->is.twice && number % w->is.twice == 0 ? 2u : 1u); copy++) {
		begin_message(w, CW_RESULTS);
		cw_put_result(&w->out, &w->result);
		if (!copy && w->sharing.count && (w->is.lie_shared || atomic_load(&w->shares)))
			cw_put_known(&w->out, &w->sharing);
		send_message(w);
	}
}

static bool is_past(unsigned limit, unsigned results)
{
	return limit && results >= limit;
}

static void *worker_main(void *arg)
{
	struct worker_double *w = arg;
	uint64_t hello_ns = 0;
	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		uint64_t now = pd_now_ns();
		unsigned results = atomic_load(&w->results_sent);
		bool dead = is_past(w->is.die_after, results), hangs = is_past(w->is.hang_after, results);
		if (!dead && (w->say_hello || (!w->welcome && now >= hello_ns + hello_every))) {
			w->say_hello = false;
			hello_ns = now;
			say_hello(w);
		}
		if (!dead && w->welcome && now >= w->beat_ns) {
			say_beat(w);
			w->beat_ns = now + (w->is.beat_ms ? w->is.beat_ms : 200) * ms;
		}
		bool serves = w->count && !dead && !hangs;
		if (serves)
			serve_messages(w);
		pthread_mutex_unlock(&w->lock);
		w->port->type->wait(w->port, serves ? 0 : now + 20 * ms);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void worker_double_start(struct worker_double *w, const struct worker_double_setup *setup)
{
	struct cp_events events = {w, on_message, on_connected};
	struct cp_opener opener = setup->net ? port_double_opener(setup->net) : *setup->opener;
	struct pd_fail fail;
	struct cp_port *port;
	memset(w, 0, sizeof *w);
	w->is = *setup;
	pd_buf_init(&w->out, CW_MESSAGE_MAX);
	pthread_mutex_init(&w->lock, NULL);
	if (setup->game) {
		struct pn_leaf_runner_setup runner = {.game = setup->game,
						      .memory = 4 << 20,
						      .nodes_max = 200000,
						      .identity = setup->number,
						      .mobility = true,
						      .heuristics = true,
						      .knowledge = true};
		require_success(pn_leaf_runner_new(&runner, &w->runner, &fail), &fail);
	}
	w->say_hello = true;
	PD_ASSERT(opener.open(opener.ctx, setup->number, &events, &port, &fail) == 0);
	pthread_mutex_lock(&w->lock);
	w->port = port;
	pthread_mutex_unlock(&w->lock);
	PD_ASSERT(pthread_create(&w->thread, NULL, worker_main, w) == 0);
}

void worker_double_stop(struct worker_double *w, bool bye)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	wake_thread(w);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	if (bye) {
		begin_message(w, CW_BYE);
		send_message(w);
	}
	w->port->type->close(w->port);
	pn_leaf_runner_free(w->runner);
	pd_buf_fini(&w->out);
	pthread_mutex_destroy(&w->lock);
}
