/* What messages, tasks and workers cost; run by cluster.py.
 *
 * Usage: bench cluster echo URL
 *        bench cluster port URL SECONDS RATE OUT     to an echo; RATE 0: OUT on their way at any time
 *        bench cluster workers URL COUNT MUTE BEATS RATE
 *        bench cluster coordinator URL|here SECONDS RATE WORKERS
 *
 * `workers` are COUNT workers of four threads, each with a connection of its own, which answer each task at once with
 * made-up numbers, RATE a second in all at most (0: no limit); and MUTE more, without a game, of which BEATS a second
 * say that they are there. At the end they say how many tasks and greetings that were. What has no end by itself stops
 * when its standard input ends.
 *
 * `coordinator` opens a cluster over NATS, or a port that calls its workers in the same process, and
 * posts RATE leaves a second. Prints a JSON object; times are microseconds, those of processors a message or task:
 * cpu_us of the process, but for the waiting of the thread that posts; of that, desk_us its calls of the desk,
 * cluster_us the cluster thread, and threads_us the other threads, which are those of the port or, in the same process,
 * the workers. Of the cluster thread's, send_us is its calls of the port to send, and wait_us those to wait, told_us of
 * which is what the port told it (in the same process: what the workers' thread told it). What these clocks cost, half
 * a microsecond a message, is in all of them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "proto/base/log.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "server/cluster/cluster.h"
#include "server/cluster/desk.h"
#include "server/cluster/transport.h"
#include "solver/games/game.h"
#include "tests/support/letters.h"
#include "tests/support/port_nap.h"
#include "tests/support/program.h"

enum {
	MESSAGE_BYTES = 200,
	SAMPLES_MAX = 1 << 20,
	SLOTS = 1024,
	WORKERS_MAX = 60,
	WORKER_THREADS = 4,
	FIRST_WORKER = 1000,
	FIRST_MUTE = 1000000,
	WARM_UP_S = 1
};

static const uint64_t second_ns = 1000000000;
static uint32_t samples[SAMPLES_MAX]; /* nanoseconds */
static size_t sample_count;
static atomic_bool ended; /* what has no end by itself is to end */

static _Noreturn void die_saying(const char *what, const char *why)
{
	fprintf(stderr, "bench cluster: %s: %s\n", what, why);
	exit(2);
}

static void sample(uint64_t ns)
{
	if (sample_count < SAMPLES_MAX)
		samples[sample_count++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static double find_percentile(unsigned percent)
{
	if (!sample_count)
		die_saying("measuring", "nothing came back");
	qsort(samples, sample_count, sizeof *samples, by_size);
	return samples[sample_count * percent / 100] / 1e3;
}

/* Processor time and waits of the process. */
struct use {
	uint64_t cpu_ns, waits;
};

static struct use use_now(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return (struct use){(uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * second_ns +
				    (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000,
			    (uint64_t)r.ru_nvcsw};
}

static struct timespec at(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / second_ns), .tv_nsec = (long)(ns % second_ns)};
}

/* --- ports ------------------------------------------------------------------------------------------ */

static void log_line(enum pd_log_level level, const char *sentence)
{
	if (level <= PD_LOG_WARN)
		fprintf(stderr, "bench cluster: %s\n", sentence);
}

static struct cp_opener open_nats(struct sv_transport *nats, const char *url)
{
	const struct cp_config config = {.url = url, .log = log_line};
	struct pd_fail fail;
	if (sv_transport_open(&config, nats, &fail))
		die_saying(url, fail.text);
	return nats->opener;
}

/* The cheapest port there can be: who sends calls the one who receives, in the same process. */
struct here_end {
	struct cp_port port;
	struct port_nap nap;
	struct here *net;
	uint64_t number;
	struct cp_events events;
};

struct here {
	pthread_mutex_t lock;
	unsigned count;
	struct here_end end[WORKERS_MAX + 1];
};

static int here_send(struct cp_port *base, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail)
{
	struct here *net = ((struct here_end *)base)->net;
	pthread_mutex_lock(&net->lock);
	for (unsigned i = 0; i < net->count; i++) {
		const struct here_end *e = &net->end[i];
		if (e->net && (to == e->number || (to == CP_ALL && e->number != CP_COORDINATOR)))
			e->events.message(e->events.ctx, data, size);
	}
	pthread_mutex_unlock(&net->lock);
	return PD_OK;
}

static void here_wait(struct cp_port *base, uint64_t until_ns)
{
	port_nap_wait(&((struct here_end *)base)->nap, until_ns);
}

static void here_wake(struct cp_port *base)
{
	port_nap_wake(&((struct here_end *)base)->nap);
}

static void here_close(struct cp_port *base)
{
	struct here_end *end = (struct here_end *)base;
	struct here *net = end->net;
	pthread_mutex_lock(&net->lock);
	end->net = NULL;
	pthread_mutex_unlock(&net->lock);
}

static int here_open(void *ctx, uint64_t number, const struct cp_events *events, struct cp_port **out,
		     struct pd_fail *fail)
{
	static const struct cp_port_type type = {here_send, here_wait, here_wake, here_close};
	struct here *net = ctx;
	pthread_mutex_lock(&net->lock);
	struct here_end *end = &net->end[net->count++];
	*end = (struct here_end){.port = {&type}, .net = net, .number = number, .events = *events};
	port_nap_init(&end->nap);
	*out = &end->port;
	pthread_mutex_unlock(&net->lock);
	events->connected(events->ctx, true, "in the same process");
	return PD_OK;
}

static void send_to(struct cp_port *port, uint64_t to, const void *data, size_t size)
{
	struct pd_fail fail;
	if (port->type->send(port, to, data, size, &fail))
		die_saying("sending", fail.text);
}

/* --- messages and their echoes ---------------------------------------------------------------------- */

/* At the end of the input, the one who started this program is gone. */
static void *watch_input(void *arg)
{
	char byte;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	atomic_store(&ended, true);
	return arg;
}

static void end_with_input(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, watch_input, NULL))
		die_saying("a thread", "none is to be had");
}

static int run_echo(char **argv)
{
	static struct letters letters;
	static struct letters_entry entry;
	struct sv_transport nats = {0};
	struct cp_opener opener = open_nats(&nats, argv[2]);
	letters_init(&letters);
	letters_open(&letters, &opener, FIRST_WORKER, &entry, 1);
	letters_await(&letters, 1);
	end_with_input();
	printf("ready\n");
	fflush(stdout);
	while (!atomic_load(&ended)) {
		struct letter *l = letters_next(&letters, pd_now_ns() + second_ns / 10);
		if (l)
			send_to(entry.port, CP_COORDINATOR, l->data, l->size);
		free(l);
	}
	return 0;
}

static int run_port(char **argv)
{
	static struct letters letters;
	static struct letters_entry entry;
	struct sv_transport nats = {0};
	struct cp_opener opener = open_nats(&nats, argv[2]);
	uint64_t length = (uint64_t)(atof(argv[3]) * 1e9), rate = (uint64_t)atol(argv[4]);
	uint64_t most = (uint64_t)atol(argv[5]), sent = 0, got = 0, message[MESSAGE_BYTES / 8] = {0};
	letters_init(&letters);
	letters_open(&letters, &opener, CP_COORDINATOR, &entry, 1);
	letters_await(&letters, 1);
	struct use before = use_now();
	uint64_t begin = pd_now_ns(), end = begin + length, now = begin;
	while (now < end || got < sent) {
		uint64_t due = rate ? begin + sent * second_ns / rate : begin;
		while (now < end && now >= due && sent - got < most) {
			message[0] = pd_now_ns();
			send_to(entry.port, FIRST_WORKER, message, sizeof message);
			sent++;
			due = rate ? begin + sent * second_ns / rate : begin;
		}
		struct letter *l = letters_next(&letters, due > now && due < end ? due : now + second_ns / 10);
		now = pd_now_ns();
		if (l) {
			memcpy(message, l->data, sizeof *message);
			sample(now - *message);
			got++;
		}
		free(l);
		if (now > end + 5 * second_ns)
			die_saying("the echo", "messages are lost");
	}
	struct use after = use_now();
	printf("{\"messages\": %llu, \"rate\": %.0f, \"cpu_us\": %.2f, \"waits\": %.2f, \"p50_us\": %.1f, \"p99_us\": "
	       "%.1f}\n",
	       (unsigned long long)got, (double)got * 1e9 / (double)(now - begin),
	       (double)(after.cpu_ns - before.cpu_ns) / 1e3 / (double)got,
	       (double)(after.waits - before.waits) / (double)got, find_percentile(50), find_percentile(99));
	letters_close(&letters, &entry, 1);
	sv_transport_close(&nats);
	return 0;
}

/* --- workers that answer at once -------------------------------------------------------------------- */

struct crowd {
	struct letters letters;
	unsigned count, mute, beats;
	uint64_t rate;
	struct letters_entry entry[WORKERS_MAX];
	uint64_t epoch, number, begin_ns, answered, told;
	struct cw_task task;
	struct cw_result result;
	struct cw_hello hello;
	struct cw_heartbeat beat;
	struct pd_buf out;
};

static void begin_message(struct crowd *c, enum cw_kind kind, uint64_t worker)
{
	struct cw_envelope e = {.kind = (uint8_t)kind, .epoch = c->epoch, .worker = worker, .number = ++c->number};
	cw_begin(&c->out, &e);
}

static void send_message(struct crowd *c, unsigned port)
{
	if (!cw_end(&c->out, NULL))
		die_saying("a message", "it cannot be made");
	send_to(c->entry[port].port, CP_COORDINATOR, c->out.data, c->out.size);
}

static void say_hello(struct crowd *c, unsigned port, uint64_t worker, const char *game)
{
	c->hello = (struct cw_hello){.name = {"bench", 5},
				     .version = {"1", 1},
				     .abi = GAME_ABI,
				     .threads = WORKER_THREADS,
				     .memory = 1 << 28,
				     .game_count = 1,
				     .games = {{.name = {game, strlen(game)}}}};
	begin_message(c, CW_HELLO, worker);
	cw_put_hello(&c->out, &c->hello);
	send_message(c, port);
}

/* Not before its time, if there is a rate. */
static void answer(struct crowd *c, unsigned port, struct cw_reader *reader)
{
	struct pd_fail fail;
	begin_message(c, CW_RESULTS, FIRST_WORKER + port);
	while (cw_next_task(reader, &c->task, &fail) == 1) {
		uint64_t hash = pd_id_of(c->task.key, c->task.key_size, c->task.budget).lo;
		c->result = (struct cw_result){.id = c->task.id,
					       .num = {1 + (uint32_t)(hash % 1000), 1 + (uint32_t)(hash >> 32) % 1000},
					       .move = PD_NO_MOVE,
					       .nodes = c->task.budget};
		cw_put_result(&c->out, &c->result);
		c->answered++;
	}
	if (c->rate) {
		uint64_t due = c->begin_ns + c->answered * second_ns / c->rate, now = pd_now_ns();
		if (due + second_ns / 20 < now) /* what was not asked for is not made up for */
			c->begin_ns += now - due;
		const struct timespec until = at(due);
		if (due > now)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
	send_message(c, port);
}

static void obey(struct crowd *c, const struct letter *l)
{
	struct cw_reader reader;
	struct pd_fail fail;
	if (cw_open(&reader, l->data, l->size, NULL, &fail))
		die_saying("a message of the coordinator", fail.text);
	if (reader.envelope.epoch != c->epoch) {
		c->epoch = reader.envelope.epoch;
		for (unsigned i = 0; i < c->count; i++)
			say_hello(c, i, FIRST_WORKER + i, "connect4");
	} else if (reader.envelope.kind == CW_TASKS) {
		answer(c, l->port, &reader);
	}
}

/* The next worker without a game says that it is there: hello or heartbeat in turn. */
static void speak(struct crowd *c)
{
	uint64_t turn = c->told / c->mute, worker = FIRST_MUTE + c->told % c->mute;
	c->told++;
	if (turn % 2 == 0) {
		say_hello(c, 0, worker, "none");
		return;
	}
	begin_message(c, CW_HEARTBEAT, worker);
	cw_put_heartbeat(&c->out, &c->beat);
	send_message(c, 0);
}

static void *crowd_main(void *arg)
{
	struct crowd *c = arg;
	uint64_t begin = pd_now_ns(), beat_ns = begin;
	letters_await(&c->letters, c->count);
	for (unsigned i = 0; i < c->count; i++)
		say_hello(c, i, FIRST_WORKER + i, "connect4");
	c->begin_ns = pd_now_ns();
	while (!atomic_load(&ended)) {
		uint64_t now = pd_now_ns(), due = now + second_ns / 10;
		if (c->mute && c->epoch) {
			due = begin + (c->told + 1) * second_ns / c->beats;
			if (due <= now)
				speak(c);
		}
		for (unsigned i = 0; i < c->count && now >= beat_ns && c->epoch; i++) {
			begin_message(c, CW_HEARTBEAT, FIRST_WORKER + i);
			cw_put_heartbeat(&c->out, &c->beat);
			send_message(c, i);
		}
		beat_ns = now >= beat_ns ? now + second_ns : beat_ns;
		struct letter *l = letters_next(&c->letters, due);
		if (l)
			obey(c, l);
		free(l);
	}
	return NULL;
}

static struct crowd *open_crowd(const struct cp_opener *opener, unsigned count)
{
	struct crowd *c = calloc(1, sizeof *c);
	if (!c || !count || count > WORKERS_MAX)
		die_saying("workers", "there is no room for that many");
	letters_init(&c->letters);
	pd_buf_init(&c->out, CW_MESSAGE_MAX);
	c->count = count;
	c->number = pd_now_ns(); /* beyond those of an earlier process with these workers */
	letters_open(&c->letters, opener, FIRST_WORKER, c->entry, count);
	return c;
}

static int run_workers(char **argv)
{
	struct sv_transport nats = {0};
	struct cp_opener opener = open_nats(&nats, argv[2]);
	struct crowd *c = open_crowd(&opener, (unsigned)atoi(argv[3]));
	c->mute = (unsigned)atoi(argv[4]);
	c->beats = (unsigned)atoi(argv[5]);
	c->rate = (uint64_t)atol(argv[6]);
	if (c->mute && !c->beats)
		die_saying("workers", "BEATS is 0");
	letters_await(&c->letters, c->count);
	end_with_input();
	printf("ready\n");
	fflush(stdout);
	crowd_main(c);
	printf("{\"answered\": %llu, \"told\": %llu}\n", (unsigned long long)c->answered, (unsigned long long)c->told);
	return 0;
}

/* --- the coordinator -------------------------------------------------------------------------------- */

/* A port that counts what its calls cost the thread that makes them. */
struct counted {
	struct cp_port port;
	struct cp_port *inner;
	const struct cp_opener *opener;
	_Atomic uint64_t send_ns, sends, wait_ns, told_ns, come;
	struct cp_events events;
};

static int counted_send(struct cp_port *base, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail)
{
	struct counted *p = (struct counted *)base;
	uint64_t before = pd_cpu_ns();
	int rc = p->inner->type->send(p->inner, to, data, size, fail);
	atomic_fetch_add(&p->send_ns, pd_cpu_ns() - before);
	atomic_fetch_add(&p->sends, 1);
	return rc;
}

/* The processor time of a wait is the port's, and the kernel's for letting the thread sleep, but for what the owner
 * does when it is told something. */
static void counted_wait(struct cp_port *base, uint64_t until_ns)
{
	struct counted *p = (struct counted *)base;
	uint64_t before = pd_cpu_ns();
	p->inner->type->wait(p->inner, until_ns);
	atomic_fetch_add(&p->wait_ns, pd_cpu_ns() - before);
}

static void counted_wake(struct cp_port *base)
{
	struct counted *p = (struct counted *)base;
	p->inner->type->wake(p->inner);
}

static void counted_close(struct cp_port *base)
{
	struct counted *p = (struct counted *)base;
	p->inner->type->close(p->inner);
}

static void counted_message(void *ctx, const uint8_t *data, size_t size)
{
	struct counted *p = ctx;
	uint64_t before = pd_cpu_ns();
	p->events.message(p->events.ctx, data, size);
	atomic_fetch_add(&p->told_ns, pd_cpu_ns() - before);
	atomic_fetch_add(&p->come, 1);
}

static void counted_connected(void *ctx, bool connected, const char *what)
{
	struct counted *p = ctx;
	p->events.connected(p->events.ctx, connected, what);
}

static int counted_open(void *ctx, uint64_t worker, const struct cp_events *events, struct cp_port **out,
			struct pd_fail *fail)
{
	static const struct cp_port_type type = {counted_send, counted_wait, counted_wake, counted_close};
	struct counted *p = ctx;
	const struct cp_events own = {p, counted_message, counted_connected};
	p->port.type = &type;
	p->events = *events;
	*out = &p->port;
	return p->opener->open(p->opener->ctx, worker, &own, &p->inner, fail);
}

static void on_lied(void *ctx, uint32_t giver, const char *name, bool spread)
{
	die_saying("a worker lied", name);
}

static bool no_one_is_banned(void *ctx, uint32_t giver)
{
	return false;
}

static int game_get(void *ctx, const char *name, struct game **out, struct pd_fail *fail)
{
	return game_open(name, NULL, out, fail);
}

static void game_put(void *ctx, const struct game *game)
{
	game_close((struct game *)(uintptr_t)game);
}

struct load {
	struct sv_desk *desk;
	uint64_t rate, begin_ns, posted, lost, taken;
	uint64_t desk_ns; /* processor time of calls of the desk that do not wait */
	uint64_t sent_ns[SLOTS];
	unsigned free[SLOTS], free_count;
};

static void post(struct load *l)
{
	struct pn_leaf_task leaf = {.serial = ++l->posted, .budget = 30000, .threshold = 1, .key_size = 16};
	uint64_t key[2] = {l->posted * UINT64_C(0x9e3779b97f4a7c15), l->posted};
	if (!l->free_count) {
		l->lost++;
		return;
	}
	unsigned slot = l->free[--l->free_count];
	memcpy(leaf.key, key, sizeof key);
	l->sent_ns[slot] = pd_now_ns();
	sv_desk_post(l->desk, slot, &leaf);
}

/* Posts what is due, and takes what comes, until the time is over. */
static void post_load(struct load *l, uint64_t until_ns)
{
	struct sv_desk_result r;
	for (uint64_t now = pd_now_ns(); now < until_ns; now = pd_now_ns()) {
		uint64_t due = l->begin_ns + l->posted * second_ns / l->rate, before = pd_cpu_ns();
		for (; due <= now; due = l->begin_ns + l->posted * second_ns / l->rate)
			post(l);
		sv_desk_flush(l->desk);
		l->desk_ns += pd_cpu_ns() - before;
		sv_desk_wait(l->desk, due - now);
		before = pd_cpu_ns();
		while (sv_desk_take(l->desk, &r)) {
			sample(pd_now_ns() - l->sent_ns[r.slot]);
			l->free[l->free_count++] = r.slot;
			l->taken++;
		}
		l->desk_ns += pd_cpu_ns() - before;
	}
}

struct figures {
	struct use use;
	uint64_t main_ns, desk_ns, cluster_ns, send_ns, wait_ns, told_ns, sends, come, taken;
};

static struct figures figures_now(const struct load *l, struct sv_cluster *cluster, const struct counted *port)
{
	struct sv_cluster_view view;
	sv_cluster_view(cluster, &view);
	return (struct figures){.use = use_now(),
				.main_ns = pd_cpu_ns(),
				.desk_ns = l->desk_ns,
				.cluster_ns = view.busy_ns,
				.send_ns = atomic_load(&port->send_ns),
				.wait_ns = atomic_load(&port->wait_ns),
				.told_ns = atomic_load(&port->told_ns),
				.sends = atomic_load(&port->sends),
				.come = atomic_load(&port->come),
				.taken = l->taken};
}

static void print_report(const struct load *l, const struct figures *a, const struct figures *b, double seconds)
{
	double n = (double)(b->taken - a->taken);
	double all = (double)(b->use.cpu_ns - a->use.cpu_ns), main = (double)(b->main_ns - a->main_ns);
	double cluster = (double)(b->cluster_ns - a->cluster_ns), sends = (double)(b->send_ns - a->send_ns);
	double desk = (double)(b->desk_ns - a->desk_ns), waits = (double)(b->wait_ns - a->wait_ns);
	double told = (double)(b->told_ns - a->told_ns);
	printf("{\"tasks\": %.0f, \"rate\": %.0f, \"lost\": %llu, \"cpu_us\": %.2f, \"desk_us\": %.2f, \"cluster_us\": "
	       "%.2f, \"send_us\": %.2f, \"wait_us\": %.2f, \"told_us\": %.2f, \"threads_us\": %.2f, \"messages_out\": "
	       "%.3f, \"messages_in\": %.3f, "
	       "\"waits\": %.2f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
	       n, n / seconds, (unsigned long long)l->lost, (all - main + desk) / 1e3 / n, desk / 1e3 / n,
	       cluster / 1e3 / n, sends / 1e3 / n, waits / 1e3 / n, told / 1e3 / n, (all - main - cluster) / 1e3 / n,
	       (double)(b->sends - a->sends) / n, (double)(b->come - a->come) / n,
	       (double)(b->use.waits - a->use.waits) / n, find_percentile(50), find_percentile(99));
}

static void await_workers(struct sv_cluster *cluster, unsigned count)
{
	const struct timespec wait = {0, 20000000};
	struct sv_cluster_view view = {0};
	for (unsigned i = 0; i < 1000 && view.workers < count; i++) {
		nanosleep(&wait, NULL);
		sv_cluster_view(cluster, &view);
	}
	if (view.workers < count)
		die_saying("workers", "they do not come");
}

static struct load *open_load(struct sv_cluster *cluster, const struct game *game, uint64_t rate)
{
	struct sv_desk_setup setup = {.game = game, .rules = game_version(game), .slots_max = SLOTS};
	struct load *l = calloc(1, sizeof *l);
	struct pd_fail fail;
	if (!l || !rate)
		die_saying("a load", "no memory, or no rate");
	if (sv_desk_open(cluster, &setup, &l->desk, &fail))
		die_saying("a desk", fail.text);
	l->rate = rate;
	while (l->free_count < SLOTS) {
		l->free[l->free_count] = l->free_count;
		l->free_count++;
	}
	return l;
}

static int run_coordinator(char **argv)
{
	bool at_home = !strcmp(argv[2], "here");
	unsigned workers = (unsigned)atoi(argv[5]);
	uint64_t length = (uint64_t)(atof(argv[3]) * 1e9);
	struct sv_transport nats = {0};
	static struct here net = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct sv_cluster_host host = {NULL, on_lied, no_one_is_banned, game_get, game_put};
	struct sv_cluster *cluster;
	struct crowd *crowd = NULL;
	struct game *game;
	struct pd_fail fail;
	pthread_t thread;
	struct cp_opener opener = at_home ? (struct cp_opener){&net, here_open} : open_nats(&nats, argv[2]);
	struct counted port = {.opener = &opener};
	struct sv_cluster_config config = {.port = {&port, counted_open}, .where = argv[2], .seed = 1};
	if (game_open("connect4:7x6", NULL, &game, &fail) || sv_cluster_open(&config, &host, &cluster, &fail))
		die_saying("a cluster", fail.text);
	if (at_home) {
		crowd = open_crowd(&opener, workers);
		if (pthread_create(&thread, NULL, crowd_main, crowd))
			die_saying("a thread", "none is to be had");
	}
	await_workers(cluster, workers);
	struct load *l = open_load(cluster, game, (uint64_t)atol(argv[4]));
	l->begin_ns = pd_now_ns();
	post_load(l, l->begin_ns + WARM_UP_S * second_ns);
	sample_count = 0;
	uint64_t begin = pd_now_ns();
	struct figures before = figures_now(l, cluster, &port);
	post_load(l, begin + length);
	struct figures after = figures_now(l, cluster, &port);
	print_report(l, &before, &after, (double)(pd_now_ns() - begin) / 1e9);
	sv_desk_close(l->desk);
	sv_cluster_close(cluster);
	if (crowd) {
		atomic_store(&ended, true);
		pthread_join(thread, NULL);
	}
	return 0;
}

PROGRAM(cluster)
{
	static const struct {
		const char *name;
		int args;
		int (*run)(char **argv);
	} modes[] = {
		{"echo", 3, run_echo},
		{"port", 6, run_port},
		{"workers", 7, run_workers},
		{"coordinator", 6, run_coordinator},
	};
	pd_log_threshold(PD_LOG_WARN);
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
		if (argc == modes[i].args && !strcmp(argv[1], modes[i].name))
			return modes[i].run(argv);
	fprintf(stderr,
		"usage: bench cluster echo URL | port URL SECONDS RATE OUT | workers URL COUNT MUTE BEATS RATE |\n"
		"                     coordinator URL|here SECONDS RATE WORKERS\n");
	return 2;
}
