/* cluster_worker --join URL [fault...]: a worker that searches soundly but for what it is told to do wrong, for the
 * laboratory `cluster` (cluster.py). It is the worker double of the tests, over NATS, with one thread.
 *
 *	--hang N     after N results it only gives signs of life
 *	--die N      after N results the process is killed
 *	--slow MS    each task takes that many milliseconds more
 *	--twice N    every N-th result is sent twice
 *	--backwards  the tasks that it has in hand are done and answered in the reverse order
 *	--major N    it speaks that version of the protocol
 *	--lie N      of every N-th solved leaf the other player wins
 *	--lie-shared N  of every N-th solved position that it shares, unasked, First wins
 *	--number N   its number, not 0 (it is drawn by who starts it)
 *
 * It prints a line of JSON when it runs, and on SIGTERM ends with another: how many results it sent, lies among them
 * and among the positions that it shared, tasks it got and refusals it was told. Exit 1: there is no port over NATS;
 * 2: the command line is wrong. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/cluster/transport.h"
#include "tests/support/program.h"
#include "tests/support/worker_double.h"

enum { GAMES_MAX = 8, LOOK_NS = 20000000 };

/* A game that a task named, with its options. */
struct searched {
	char name[CW_NAME_MAX];
	uint32_t options;
	struct game *game;
	struct pn_leaf_runner *runner;
};

static struct {
	struct searched list[GAMES_MAX];
	unsigned count;
} games;

static struct worker_double worker;

static void must(int rc, const struct pd_fail *fail)
{
	if (rc) {
		fprintf(stderr, "cluster_worker: %s\n", fail->text);
		exit(1);
	}
}

static struct pn_leaf_runner *runner_of(void *ctx, const struct cw_task *task)
{
	struct pd_fail fail;
	for (unsigned i = 0; i < games.count; i++) {
		const struct searched *s = &games.list[i];
		if (s->options == task->options && strlen(s->name) == task->game.size &&
		    !memcmp(s->name, task->game.data, task->game.size))
			return s->runner;
	}
	PD_ASSERT(games.count < GAMES_MAX);
	struct searched *s = &games.list[games.count++];
	memcpy(s->name, task->game.data, task->game.size);
	s->options = task->options;
	must(game_open(s->name, NULL, &s->game, &fail), &fail);
	const struct pn_leaf_runner_setup setup = {.game = s->game,
						   .memory = 32 << 20,
						   .nodes_max = 1000000,
						   .identity = worker.is.number,
						   .weak = task->options & CW_WEAK,
						   .mobility = task->options & CW_MOBILITY,
						   .heuristics = task->options & CW_HEURISTICS,
						   .knowledge = task->options & CW_KNOWLEDGE};
	must(pn_leaf_runner_new(&setup, &s->runner, &fail), &fail);
	return s->runner;
}

static void log_line(enum pd_log_level level, const char *sentence)
{
	fprintf(stderr, "%s\n", sentence);
}

static const struct option list[] = {
	{"join", 1, NULL, 'j'},
	{"hang", 1, NULL, 'h'},
	{"die", 1, NULL, 'd'},
	{"slow", 1, NULL, 's'},
	{"twice", 1, NULL, 't'},
	{"backwards", 0, NULL, 'b'},
	{"major", 1, NULL, 'm'},
	{"lie", 1, NULL, 'l'},
	{"number", 1, NULL, 'n'},
	{"lie-shared", 1, NULL, 'p'},
	{0},
};

/* False: the command line is wrong. */
static bool read_line(int argc, char **argv, struct worker_double_setup *setup, const char **url)
{
	for (int id; (id = getopt_long(argc, argv, "", list, NULL)) != -1;) {
		unsigned number = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;
		switch (id) {
		case 'j':
			*url = optarg;
			break;
		case 'h':
			setup->hang_after = number;
			break;
		case 'd':
			setup->die_after = number;
			break;
		case 's':
			setup->slow_ms = number;
			break;
		case 't':
			setup->twice = number;
			break;
		case 'b':
			setup->backwards = true;
			break;
		case 'm':
			setup->major = number;
			break;
		case 'l':
			setup->lie = number;
			break;
		case 'p':
			setup->lie_shared = number;
			break;
		case 'n':
			setup->number = strtoull(optarg, NULL, 10);
			break;
		default:
			return false;
		}
	}
	return optind == argc && *url && setup->number && setup->number != CP_COORDINATOR;
}

/* Until SIGTERM; one that is to die does not come back. */
static void await_end(const sigset_t *term)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	while (sigtimedwait(term, NULL, &look) != SIGTERM)
		if (worker.is.die_after && atomic_load(&worker.results_sent) >= worker.is.die_after)
			raise(SIGKILL);
}

PROGRAM(cluster_worker)
{
	struct sv_transport nats = {0};
	struct pd_fail fail;
	sigset_t term;
	struct cp_config config = {.program = "cluster_worker", .log = log_line};
	struct worker_double_setup setup = {.name = "faulty",
					    .games = "connect4 mnk antichess loa hex",
					    .opener = &nats.opener,
					    .runner = runner_of};
	if (!read_line(argc, argv, &setup, &config.url)) {
		fprintf(stderr, "cluster_worker: the comment at the top of its source says what it takes\n");
		return 2;
	}
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL); /* the threads that are started inherit it */
	must(sv_transport_open(&config, &nats, &fail), &fail);
	worker_double_start(&worker, &setup);
	printf("{\"worker\":\"%s\"}\n", setup.name);
	fflush(stdout);
	await_end(&term);
	worker_double_stop(&worker, true);
	sv_transport_close(&nats);
	for (unsigned i = 0; i < games.count; i++) {
		pn_leaf_runner_free(games.list[i].runner);
		game_close(games.list[i].game);
	}
	printf("{\"results\":%u,\"lies\":%u,\"lies_shared\":%u,\"tasks\":%u,\"refusals\":%u,\"why\":%u}\n",
	       atomic_load(&worker.results_sent), atomic_load(&worker.lies), atomic_load(&worker.lies_shared),
	       atomic_load(&worker.tasks_got), atomic_load(&worker.refusals), atomic_load(&worker.why));
	return 0;
}
