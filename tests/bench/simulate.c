/* Simulation of a cluster (simulate.h): a row for each number of workers. `--help` says how it is used. */
#include "tests/bench/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cluster/grain.h"
#include "tests/support/program.h"

static const char usage[] =
	"usage: simulate [options]\n"
	"A coordinator and machines of W threads in all, on virtual clocks; each leaf is really searched.\n"
	"  --job NAME          one of those of --list (default uttt)\n"
	"  --game G --position P --claim C --value N   a job of one's own, whose value is known to be N\n"
	"  --workers A,B,...   threads of all machines (default 1,4,16,64,256)\n"
	"  --cache-threads N   threads of a machine, which share a cache of solved positions and a queue (default 16)\n"
	"  --scale X           the job stands for one X times as long (default 1): a leaf and all times below but that "
	"of\n"
	"                      a node are an X-th of what is given; so are the seconds in the rows\n"
	"  --leaves X          leaves that are out, for each thread (default 1.25)\n"
	"  --grain N           nodes that a task gets at least (default 0: by the server's rule)\n"
	"  --grain-start N     where the rule begins (default 30000)\n"
	"  --node-ns X         virtual time of a node (default: what one thread takes here, measured; 0: each leaf "
	"costs\n"
	"                      the processor time that it takes here)\n"
	"  --task-us X         the coordinator's time for a task (default 60)\n"
	"  --algorithm NAME    of level 1 with workers (default pds-pn; the one thread has the defaults)\n"
	"  --option NAME=VALUE likewise a tunable of it\n"
	"  --worker-us X       of a thread for a task besides its search (default 20)\n"
	"  --share BYTES       of solved positions that machines get from one another a second (default 4194304; 0: "
	"none)\n"
	"  --share-ms X        how long the coordinator gathers them (default 5)\n"
	"  --known-ns X        the coordinator's time for one, received or sent (default 150)\n"
	"  --delay-ms X        of a message, one way (default 0.5); --jitter-ms X: at most besides (default 0.1)\n"
	"  --loss X            share of the messages that are lost (default 0)\n"
	"  --deaths X          of machines, a second (default 0); --away-ms X: until one is back (default 3000)\n"
	"  --memory MIB        of level 1 and of the one thread (default 512)\n"
	"  --worker-memory MIB of all machines together (default 4096), at most 256 for each thread\n"
	"  --one SECONDS       of one thread, where that is known; needs --node-ns\n"
	"  --limit SECONDS     virtual time after which a run is given up (default 100000)\n"
	"  --seed N            of delays, losses and deaths (default 1)\n"
	"  --json FILE         a line for each row\n"
	"Exit status 1: an answer was wrong or missing; 2: the options are.\n";

static const struct sim_job jobs[] = {
	{"uttt-short", "uttt",
	 "O;@........;X.OO...O./X..X.O.O./X.X...O.O/.X.OXO.../O.O.X..../.XX....O./......X.O/XO.X.X.../.O.....XX",
	 "second-wins", 0, 1},
	{"uttt", "uttt",
	 "O;....@....;X.OO...../X..X.O.O./..X...O.O/.X.OXO.../O...X..../.XX....O./......X.O/.O.X.X.../.O.....XX",
	 "second-wins", 0, 1},
	{"uttt-long", "uttt",
	 "O;....@....;X.OO...../X..X.O.O./..X...O.O/.X...O.../O...X..../.XX....O./......X.O/.O.X.X.../.O.....XX",
	 "second-wins", 0, 1},
	{"hex", "hex:6", "b2", "first-wins", 1, 1},
	{"hex-long", "hex:6", "a4", "first-wins", 1, 1},
	{"connect4-6x5", "connect4:6x5", "", "value", 0, 0},
	{"connect4-8x5", "connect4:8x5", "", "value", 1, 1},
	{"breakthrough", "breakthrough:6x5", "", "value", -1, -1},
	{"domineering", "domineering:7x7", "", "value", 1, 1},
	{"antichess-e5", "antichess", "rnbqkbnr/pppp1ppp/8/4p3/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"antichess", "antichess", "rnbqkbnr/ppppp1pp/8/5p2/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
};

enum { JOBS = sizeof jobs / sizeof *jobs, RUNS_MAX = 32 };

struct settings {
	struct sim_setup setup;
	struct sim_job own;
	unsigned workers[RUNS_MAX], runs;
	double worker_memory, one;
	FILE *json;
};

/* --- options ---------------------------------------------------------------------------------------- */

static const struct sim_job *job_named(const char *name)
{
	for (unsigned i = 0; i < JOBS; i++)
		if (!strcmp(jobs[i].name, name))
			return &jobs[i];
	sim_fail(name, "there is no such job; --list names them");
	return NULL;
}

static void read_workers(struct settings *s, const char *text)
{
	char *end;
	for (s->runs = 0; *text && s->runs < RUNS_MAX; text = *end ? end + 1 : end) {
		unsigned long n = strtoul(text, &end, 10);
		if (!n || n > 4096 || (*end && *end != ','))
			sim_fail("--workers", "numbers from 1 to 4096 with commas between them");
		s->workers[s->runs++] = (unsigned)n;
	}
}

static bool set_text(struct settings *s, const char *name, const char *value)
{
	if (!strcmp(name, "--job"))
		s->setup.job = job_named(value);
	else if (!strcmp(name, "--game"))
		s->own.game = s->own.name = value;
	else if (!strcmp(name, "--position"))
		s->own.position = value;
	else if (!strcmp(name, "--claim"))
		s->own.claim = value;
	else if (!strcmp(name, "--algorithm"))
		s->setup.algorithm = value;
	else if (!strcmp(name, "--option"))
		s->setup.option = value;
	else if (!strcmp(name, "--workers"))
		read_workers(s, value);
	else if (strcmp(name, "--json") != 0)
		return false;
	else if (!(s->json = fopen(value, "a")))
		sim_fail(value, "it cannot be written");
	return true;
}

static bool set_number(struct settings *s, const char *name, double value)
{
	struct sim_setup *t = &s->setup;
	struct {
		const char *name;
		double *to, unit;
	} const real[] = {
		{"--leaves", &t->leaves, 1},       {"--scale", &t->scale, 1},
		{"--node-ns", &t->node_ns, 1},     {"--task-us", &t->task_ns, 1e3},
		{"--known-ns", &t->known_ns, 1},   {"--share", &t->share, 1},
		{"--share-ms", &t->share_ns, 1e6}, {"--worker-us", &t->worker_ns, 1e3},
		{"--delay-ms", &t->delay_ns, 1e6}, {"--jitter-ms", &t->jitter_ns, 1e6},
		{"--loss", &t->loss, 1},           {"--deaths", &t->deaths, 1},
		{"--away-ms", &t->away_ns, 1e6},   {"--worker-memory", &s->worker_memory, 1048576},
		{"--one", &s->one, 1e9},           {"--limit", &t->limit_ns, 1e9},
	};
	for (unsigned i = 0; i < sizeof real / sizeof *real; i++)
		if (!strcmp(name, real[i].name)) {
			*real[i].to = value * real[i].unit;
			return true;
		}
	if (!strcmp(name, "--cache-threads") && value >= 1)
		t->cache_threads = (unsigned)value;
	else if (!strcmp(name, "--grain"))
		t->grain = (uint64_t)value;
	else if (!strcmp(name, "--grain-start") && value <= SC_GRAIN_MAX)
		t->grain_start = (uint64_t)value;
	else if (!strcmp(name, "--memory"))
		t->memory = (uint64_t)value << 20;
	else if (!strcmp(name, "--seed"))
		t->seed = (uint64_t)value;
	else if (!strcmp(name, "--value"))
		s->own.lo = s->own.hi = (int)value;
	else
		return false;
	return true;
}

static void read_options(struct settings *s, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		char *end = NULL;
		if (!strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			exit(0);
		}
		if (!strcmp(argv[i], "--list")) {
			for (unsigned k = 0; k < JOBS; k++)
				printf("%-14s %-14s %-12s %s\n", jobs[k].name, jobs[k].game, jobs[k].claim,
				       jobs[k].position);
			exit(0);
		}
		if (i + 1 == argc)
			sim_fail(argv[i], "a value is missing; --help lists the options");
		if (set_text(s, argv[i], argv[i + 1]))
			continue;
		double value = strtod(argv[i + 1], &end);
		if (*end || end == argv[i + 1] || (value < 0 && strcmp(argv[i], "--value") != 0) ||
		    !set_number(s, argv[i], value))
			sim_fail(argv[i], "it is no option, or this is no value for it; --help lists the options");
	}
	if (s->own.game)
		s->setup.job = &s->own;
	if (s->one > 0 && s->setup.node_ns <= 0)
		sim_fail("--one", "it needs --node-ns");
	if (s->setup.scale < 1)
		sim_fail("--scale", "a number from 1 on");
	double *const times[] = {&s->setup.task_ns,  &s->setup.worker_ns, &s->setup.known_ns, &s->setup.share_ns,
				 &s->setup.delay_ns, &s->setup.jitter_ns, &s->setup.away_ns};
	for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
		*times[i] /= s->setup.scale;
	s->setup.deaths *= s->setup.scale;
	s->setup.share *= s->setup.scale;
}

/* --- rows ------------------------------------------------------------------------------------------- */

static void print_head(const struct settings *s, const struct sim_outcome *one, double node_ns)
{
	const struct sim_setup *t = &s->setup;
	printf("%s (%s, %s): one thread %.1f s, %.4g million nodes%s; %.4g ns a node, task %.3g us, delay %.3g ms\n"
	       "%7s %9s %8s %7s %6s %6s %8s %8s %8s %7s %8s %9s %6s\n",
	       t->job->name, t->job->game, t->job->claim, one->time / 1e9, (double)one->nodes / 1e6,
	       one->wrong      ? " (WRONG)"
	       : one->answered ? ""
			       : " (no answer)",
	       node_ns, t->task_ns / 1e3, t->delay_ns / 1e6, "workers", "seconds", "speed-up", "nodes", "busy", "coord",
	       "tasks", "dropped", "again", "task ms", "grain", "known", "l1 us");
	fflush(stdout);
}

static void print_row(const struct settings *s, unsigned workers, const struct sim_outcome *one,
		      const struct sim_outcome *o)
{
	double speedup = one->time / o->time, nodes = (double)o->nodes / (double)one->nodes;
	const char *what = o->wrong ? "WRONG" : o->answered ? "" : "no answer";
	printf("%7u %9.3f %8.2f %6.2fx %5.0f%% %5.0f%% %8llu %8llu %8llu %7.2f %8llu %9llu %6.1f %s\n", workers,
	       o->time / 1e9, speedup, nodes, 100 * o->used, 100 * o->coordinator, (unsigned long long)o->tasks,
	       (unsigned long long)o->dropped, (unsigned long long)o->again, o->task_time / 1e6,
	       (unsigned long long)o->grain, (unsigned long long)o->known, o->level1_us, what);
	fflush(stdout);
	if (!s->json)
		return;
	fprintf(s->json,
		"{\"job\":\"%s\",\"workers\":%u,\"cache_threads\":%u,\"scale\":%g,\"one_seconds\":%.3f,\"one_nodes\":%"
		"llu,\"seconds\":%.6f,"
		"\"speedup\":%.3f,\"nodes\":%.4f,\"busy\":%.4f,\"coordinator\":%.4f,\"tasks\":%llu,\"dropped\":%llu,"
		"\"again\":%llu,\"task_ms\":%.4f,\"trip_ms\":%.4f,\"grain\":%llu,\"known\":%llu,\"level1_us\":%.2f,"
		"\"seed\":%llu,\"answered\":%s,\"wrong\":%s}\n",
		s->setup.job->name, workers, s->setup.cache_threads, s->setup.scale, one->time / 1e9,
		(unsigned long long)one->nodes, o->time / 1e9, speedup, nodes, o->used, o->coordinator,
		(unsigned long long)o->tasks, (unsigned long long)o->dropped, (unsigned long long)o->again,
		o->task_time / 1e6, o->trip_time / 1e6, (unsigned long long)o->grain, (unsigned long long)o->known,
		o->level1_us, (unsigned long long)s->setup.seed, o->answered ? "true" : "false",
		o->wrong ? "true" : "false");
	fflush(s->json);
}

static bool run_all(struct settings *s, bool measured)
{
	struct sim_outcome one = {.time = s->one, .answered = true};
	bool good = true;
	if (s->one > 0) {
		one.nodes = (uint64_t)(s->one / s->setup.node_ns);
	} else {
		sim_one(&s->setup, &one);
		good = one.answered && !one.wrong;
	}
	double node_ns = one.nodes ? one.time / (double)one.nodes : 0;
	if (measured)
		s->setup.node_ns = node_ns;
	print_head(s, &one, node_ns);
	for (unsigned i = 0; i < s->runs; i++) {
		struct sim_outcome o = {0};
		double most = 256.0 * 1048576 * s->workers[i];
		s->setup.workers = s->workers[i];
		s->setup.worker_memory = (uint64_t)(s->worker_memory < most ? s->worker_memory : most);
		sim_cluster(&s->setup, &o);
		print_row(s, s->workers[i], &one, &o);
		good = good && o.answered && !o.wrong;
	}
	return good;
}

PROGRAM(simulate)
{
	static const unsigned usual[] = {1, 4, 16, 64, 256};
	struct settings s = {
		.setup = {.job = &jobs[1],
			  .cache_threads = 16,
			  .scale = 1,
			  .leaves = 1.25,
			  .grain_start = 3 * SC_GRAIN_MIN,
			  .node_ns = -1,
			  .task_ns = 60e3,
			  .worker_ns = 20e3,
			  .share = 4194304,
			  .share_ns = 5e6,
			  .known_ns = 150,
			  .delay_ns = 0.5e6,
			  .jitter_ns = 0.1e6,
			  .away_ns = 3e9,
			  .memory = 512u << 20,
			  .seed = 1,
			  .limit_ns = 1e14},
		.own = {.position = "", .claim = "value"},
		.worker_memory = 4096.0 * 1048576,
		.runs = sizeof usual / sizeof *usual,
	};
	memcpy(s.workers, usual, sizeof usual);
	read_options(&s, argc, argv);
	bool good = run_all(&s, s.setup.node_ns < 0);
	if (s.json)
		fclose(s.json);
	return !good;
}
