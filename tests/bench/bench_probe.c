/* Bench: random probes of a data directory by libproofd-probe while another process writes to it.
 *
 * Usage: bench probe [--facts N] [--seconds S] [--json FILE] [--data DIR]. bench fill makes N (10 million) facts of
 * Connect Four in one run, or has made them in DIR, with their positions in DIR/positions. Threads of this process
 * probe positions in random order, known ones only, by text and by key, one by one and 256 in a call; first alone, then
 * next to a process that adds 20,000 facts a second in one commit, somewhat more than two search threads find, and
 * flushes and compacts them as a server does. The writer tells how long its commits took, the median and the longest of
 * some ten, without probes and with them: it never waits for a reader.
 *
 * A thread of its own refreshes once a second, and its processor time is told apart: what it takes in depends on the
 * seconds that pass, not on how many probes a busy machine lets through meanwhile. */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/probe/probe.h"
#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "solver/games/game.h"
#include "store/store.h"
#include "tests/support/program.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"

enum {
	COMMIT = 20000,       /* facts of a commit */
	WRITER_MS = 1000,     /* from one commit to the next */
	SAMPLE_MAX = 2000000, /* positions that are probed */
	THREADS_MAX = 2,
	AT_ONCE = 256, /* probes of a call that takes many */
	COMMITS_MAX = 100000
};

static const char game_name[] = "connect4:7x6";

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "bench probe: %s\n", what);
	exit(1);
}

static void is_ok(int rc, const struct pd_fail *fail)
{
	need(rc >= 0 && (!rc || rc == 1), fail->text);
}

/* --- the writer, a process of its own ------------------------------------------------------- */

/* What it tells of a phase. */
struct phase {
	uint64_t commits, p50_ns, max_ns;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Facts of another game, which nothing asks about. */
static void add_other_facts(struct st_store *store, uint64_t *n)
{
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	uint32_t id;
	is_ok(st_batch_begin(store, &batch, &fail), &fail);
	is_ok(st_batch_game(batch, "another", 1, &id, &fail), &fail);
	for (unsigned i = 0; i < COMMIT; i++) {
		const struct pd_reason reason = {.bound = 1, .rank = 3, .move = PD_NO_MOVE, .job = 1};
		uint8_t key[12];
		pd_put_le64(key, ++*n * UINT64_C(0x9e3779b97f4a7c15));
		pd_put_le32(key + 8, (uint32_t)*n);
		is_ok(st_batch_fact(batch, id, key, sizeof key, &reason, &fail), &fail);
	}
	is_ok(st_batch_commit(batch, &fail), &fail);
}

static void put_phase(int out, uint64_t *ns, uint64_t count)
{
	struct phase phase = {.commits = count};
	qsort(ns, count, sizeof *ns, by_value);
	if (count)
		phase = (struct phase){count, ns[count / 2], ns[count - 1]};
	need(write(out, &phase, sizeof phase) == sizeof phase, "the pipe is closed");
}

/* Waits for a byte when it has the directory open, and for another one. Then it writes until the pipe `in` ends; a byte
 * in it ends a phase. */
static void write_on(const char *dir, int in, int out)
{
	static uint64_t ns[COMMITS_MAX];
	struct st_store *store;
	struct pd_fail fail;
	uint64_t n = 0, count = 0;
	char byte;
	is_ok(st_open(dir, 0, &store, &fail), &fail);
	for (unsigned i = 0; i < 2; i++) {
		need(read(in, &byte, 1) == 1, "the pipe is closed");
		put_phase(out, ns, 0);
	}
	fcntl(in, F_SETFL, O_NONBLOCK);
	for (;;) {
		uint64_t begin = pd_now_ns();
		add_other_facts(store, &n);
		ns[count++ % COMMITS_MAX] = pd_now_ns() - begin;
		do {
			is_ok(st_facts_maintain(store, false, &fail), &fail);
			usleep(1000);
		} while (pd_now_ns() - begin < WRITER_MS * UINT64_C(1000000));
		ssize_t got = read(in, &byte, 1);
		if (!got)
			break;
		if (got > 0) {
			put_phase(out, ns, count < COMMITS_MAX ? count : COMMITS_MAX);
			count = 0;
		}
	}
	st_close(store);
}

struct writer {
	pid_t process;
	int to, from;
};

static struct writer writer_start(const char *dir)
{
	int to[2], from[2];
	need(!pipe(to) && !pipe(from), "no pipe");
	pid_t process = fork();
	need(process >= 0, "no process");
	if (!process) {
		close(to[1]);
		close(from[0]);
		write_on(dir, to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	return (struct writer){process, to[1], from[0]};
}

static struct phase writer_phase(const struct writer *w)
{
	struct phase phase = {0};
	need(write(w->to, "", 1) == 1 && read(w->from, &phase, sizeof phase) == sizeof phase, "the writer has ended");
	return phase;
}

static void writer_end(const struct writer *w)
{
	int status;
	close(w->to);
	need(waitpid(w->process, &status, 0) == w->process && !status, "the writer has failed");
}

/* --- probing ------------------------------------------------------------------------------ */

struct sample {
	size_t count;
	char (*text)[32];
	uint8_t (*key)[32];
	uint8_t *size;
};

enum way { BY_TEXT, BY_KEY, BY_TEXTS, BY_KEYS, WAYS };
static const char *const way_name[] = {"text", "key", "texts", "keys"};

struct prober {
	pthread_t thread;
	struct proofd_probe_game *game;
	const struct sample *sample;
	const atomic_bool *stop;
	enum way way;
	size_t next; /* position */
	uint64_t probes, unknown, longest_ns, cpu_ns;
};

/* Probes as many positions from p->next on as are asked for at once. */
static void probe_some(struct prober *p, struct proofd_probed known[AT_ONCE])
{
	const struct sample *s = p->sample;
	const char *text[AT_ONCE];
	struct proofd_packed key[AT_ONCE];
	struct proofd_error error;
	int rc = 0;
	for (unsigned i = 0; i < AT_ONCE; i++) {
		size_t at = p->next++ % s->count;
		text[i] = s->text[at];
		key[i] = (struct proofd_packed){s->key[at], s->size[at]};
		if (p->way == BY_TEXT)
			rc = proofd_probe_position(p->game, text[i], &known[i], &error);
		else if (p->way == BY_KEY)
			rc = proofd_probe_key(p->game, key[i].key, key[i].size, &known[i], &error);
		need(rc >= 0, error.message);
	}
	if (p->way == BY_TEXTS)
		rc = proofd_probe_positions(p->game, text, AT_ONCE, known, &error);
	else if (p->way == BY_KEYS)
		rc = proofd_probe_keys(p->game, key, AT_ONCE, known, &error);
	need(rc >= 0, error.message);
}

static void *probe_on(void *arg)
{
	struct prober *p = arg;
	struct proofd_probed known[AT_ONCE];
	while (!atomic_load_explicit(p->stop, memory_order_relaxed)) {
		uint64_t begin = pd_now_ns();
		probe_some(p, known);
		for (unsigned i = 0; i < AT_ONCE; i++)
			p->unknown += known[i].source != PROOFD_BY_FACT;
		p->probes += AT_ONCE;
		uint64_t took = pd_now_ns() - begin;
		p->longest_ns = took > p->longest_ns ? took : p->longest_ns;
	}
	p->cpu_ns = pd_cpu_ns();
	return NULL;
}

struct refresher {
	pthread_t thread;
	struct proofd_probe *probe;
	const atomic_bool *stop;
	uint64_t cpu_ns;
};

static void *refresh_on(void *arg)
{
	struct refresher *r = arg;
	struct proofd_error error;
	for (unsigned tenth = 0; !atomic_load(r->stop); tenth++) {
		need(tenth % 10 || !proofd_probe_refresh(r->probe, &error), error.message);
		usleep(100000);
	}
	r->cpu_ns = pd_cpu_ns();
	return NULL;
}

/* Into random order, so that a prober that goes through the list has each position in its cache, as an engine has it,
 * and nothing of what is known of it. */
static void sample_shuffle(struct sample *s)
{
	uint64_t random = 1;
	for (size_t i = s->count; i > 1; i--) {
		size_t k = (size_t)model_random(&random, i);
		char text[32];
		uint8_t key[32], size = s->size[i - 1];
		memcpy(text, s->text[i - 1], sizeof text);
		memcpy(key, s->key[i - 1], sizeof key);
		memcpy(s->text[i - 1], s->text[k], sizeof text);
		memcpy(s->key[i - 1], s->key[k], sizeof key);
		s->size[i - 1] = s->size[k];
		memcpy(s->text[k], text, sizeof text);
		memcpy(s->key[k], key, sizeof key);
		s->size[k] = size;
	}
}

/* Reads positions, evenly from the whole list. */
static void sample_read(struct sample *s, const char *path, uint64_t facts, struct proofd_probe_game *game)
{
	FILE *in = fopen(path, "r");
	char line[256];
	struct proofd_error error;
	uint64_t every = facts / SAMPLE_MAX + 1;
	size_t room = facts / every + 1;
	*s = (struct sample){
		.text = malloc(room * sizeof *s->text), .key = malloc(room * sizeof *s->key), .size = malloc(room)};
	need(in && s->text && s->key && s->size, "no positions");
	for (uint64_t n = 0; fgets(line, sizeof line, in); n++) {
		if (n % every || s->count == room)
			continue;
		line[strcspn(line, "\n")] = 0;
		need(strlen(line) < sizeof *s->text, "a position is too long");
		strcpy(s->text[s->count], line);
		uint8_t key[PROOFD_PROBE_KEY_MAX];
		int size = proofd_probe_pack(game, line, key, &error);
		need(size > 0 && (size_t)size <= sizeof *s->key, "a position cannot be packed");
		memcpy(s->key[s->count], key, (size_t)size);
		s->size[s->count++] = (uint8_t)size;
	}
	fclose(in);
	sample_shuffle(s);
}

struct run {
	const char *dir;
	const struct sample *sample;
	struct proofd_probe *probe;
	struct proofd_probe_game *game;
	const struct writer *writer; /* NULL while it does not write */
	double seconds;
	FILE *json;
};

static uint64_t facts_bytes(const char *dir)
{
	char path[300];
	struct stat st;
	snprintf(path, sizeof path, "%s/facts.mdb", dir);
	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static void measure_run(const struct run *run, unsigned threads, enum way way)
{
	struct prober prober[THREADS_MAX];
	atomic_bool stop = false;
	struct refresher refresher = {.probe = run->probe, .stop = &stop};
	struct phase writing = {0};
	uint64_t probes = 0, unknown = 0, longest = 0, bytes = facts_bytes(run->dir), cpu = 0;
	if (run->writer)
		writer_phase(run->writer);
	uint64_t begin = pd_now_ns();
	need(!pthread_create(&refresher.thread, NULL, refresh_on, &refresher), "no thread");
	for (unsigned i = 0; i < threads; i++) {
		prober[i] = (struct prober){.game = run->game,
					    .sample = run->sample,
					    .stop = &stop,
					    .way = way,
					    .next = run->sample->count / THREADS_MAX * i};
		need(!pthread_create(&prober[i].thread, NULL, probe_on, &prober[i]), "no thread");
	}
	usleep((useconds_t)(run->seconds * 1e6));
	atomic_store(&stop, true);
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(prober[i].thread, NULL);
		cpu += prober[i].cpu_ns;
		probes += prober[i].probes;
		unknown += prober[i].unknown;
		longest = prober[i].longest_ns > longest ? prober[i].longest_ns : longest;
	}
	pthread_join(refresher.thread, NULL);
	double seconds = (double)(pd_now_ns() - begin) / 1e9, core = (double)cpu / 1e9;
	if (run->writer)
		writing = writer_phase(run->writer);
	printf("%u thread%s by %-5s: %9.0f probes/s, %9.0f a second of processor time, %" PRIu64 " of %" PRIu64
	       " unknown, %d took at most %.1f ms",
	       threads, threads > 1 ? "s" : " ", way_name[way], (double)probes / seconds,
	       core > 0 ? (double)probes / core : 0, unknown, probes, AT_ONCE, (double)longest / 1e6);
	if (run->writer)
		printf("; refresh %.1f ms a second; writer %.0f facts/s, commits p50 %.1f, longest of %" PRIu64
		       " %.1f ms, facts.mdb %+.0f MB",
		       (double)refresher.cpu_ns / 1e6 / seconds, (double)writing.commits * COMMIT / seconds,
		       (double)writing.p50_ns / 1e6, writing.commits, (double)writing.max_ns / 1e6,
		       ((double)facts_bytes(run->dir) - (double)bytes) / 1e6);
	printf("\n");
	fflush(stdout);
	if (run->json)
		fprintf(run->json,
			"{\"threads\": %u, \"by\": \"%s\", \"writer\": %s, \"probes_per_s\": %.0f, "
			"\"probes_per_cpu_s\": %.0f, "
			"\"unknown\": %" PRIu64 ", \"commits\": %" PRIu64 ", \"commit_longest_ms\": %.2f}\n",
			threads, way_name[way], run->writer ? "true" : "false", (double)probes / seconds,
			core > 0 ? (double)probes / core : 0, unknown, writing.commits, (double)writing.max_ns / 1e6);
}

static void fill_directory(const char *dir, uint64_t facts, const char *positions)
{
	char count[32];
	int status;
	snprintf(count, sizeof count, "%" PRIu64, facts);
	pid_t process = fork();
	if (!process) {
		execl("/proc/self/exe", "bench", "fill", dir, game_name, count, positions, (char *)NULL);
		_exit(127);
	}
	need(process > 0 && waitpid(process, &status, 0) == process && !status, "bench fill has failed");
}

PROGRAM(probe)
{
	static const struct option options[] = {{"facts", required_argument, NULL, 'f'},
						{"seconds", required_argument, NULL, 's'},
						{"json", required_argument, NULL, 'j'},
						{"data", required_argument, NULL, 'd'},
						{NULL, 0, NULL, 0}};
	uint64_t facts = 10000000;
	struct run run = {.seconds = 10};
	const char *data = NULL;
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		need(option != '?', "usage: bench probe [--facts N] [--seconds S] [--json FILE] [--data DIR]");
		if (option == 'f')
			facts = strtoull(optarg, NULL, 10);
		else if (option == 's')
			run.seconds = atof(optarg);
		else if (option == 'd')
			data = optarg;
		else
			need((run.json = fopen(optarg, "w")) != NULL, "the file cannot be written");
	}
	char dir[256], positions[300];
	const struct proofd_probe_options by_hand = {.refresh_ms = UINT32_MAX};
	struct proofd_error error;
	struct sample sample;
	if (data)
		snprintf(dir, sizeof dir, "%s", data);
	else
		storedir_new(dir, sizeof dir);
	snprintf(positions, sizeof positions, "%s/positions", dir);
	if (!data)
		fill_directory(dir, facts, positions);
	struct writer writer = writer_start(dir); /* before this process has the directory open */
	writer_phase(&writer);
	need(!proofd_probe_open(dir, &by_hand, &run.probe, &error) &&
		     !proofd_probe_game(run.probe, game_name, &run.game, &error),
	     error.message);
	sample_read(&sample, positions, facts, run.game);
	run.dir = dir;
	run.sample = &sample;
	printf("%" PRIu64 " facts; without a writer\n", facts);
	for (unsigned way = 0; way < WAYS; way++)
		measure_run(&run, 1, way);
	writer_phase(&writer);
	usleep((useconds_t)(run.seconds * 1e6));
	struct phase alone = writer_phase(&writer);
	printf("the writer alone: commits p50 %.1f, longest of %" PRIu64 " %.1f ms\n", (double)alone.p50_ns / 1e6,
	       alone.commits, (double)alone.max_ns / 1e6);
	run.writer = &writer;
	for (unsigned threads = 1; threads <= THREADS_MAX; threads++)
		for (unsigned way = 0; way < WAYS; way++)
			measure_run(&run, threads, way);
	writer_end(&writer);
	proofd_probe_close(run.probe);
	if (!data)
		storedir_remove(dir);
	free(sample.text);
	free(sample.key);
	free(sample.size);
	return run.json ? fclose(run.json) : 0;
}
