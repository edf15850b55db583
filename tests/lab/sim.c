/* Sim: whole lives of the server's core in simulated time, with threads that a seeded scheduler steps, clients that do
 * as they please and a disk that fails.
 *
 *	lab sim [RUNS [SEED]]           200 runs from seed 1 unless told otherwise; `--share`: a few, each twice, which
 *	                                must be the same
 *	lab sim --seed SEED [--trace]   one run, with every step
 *
 * A run is some epochs of one data directory, or one epoch in memory. An epoch is a process: it ends with a crash at a
 * step that the seed picks (half of them are power cuts, which writes that are not synced may not outlive), by being
 * closed at any moment, or when all that was asked for is done. What must hold is said in sim_world.h; between epochs
 * the directory is looked through as `proofctl check` does. Closing ends, no thread waits for ever, every request gets
 * its one answer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/hash.h"
#include "proto/base/log.h"
#include "server/core.h"
#include "tests/lab/sim_disk.h"
#include "tests/lab/sim_threads.h"
#include "tests/lab/sim_world.h"
#include "tests/support/insession.h"
#include "tests/support/program.h"
#include "tests/support/storedir.h"
#include "tests/support/walk.h"

enum { EPOCHS_MAX = 5 };

static struct sim_model *model; /* shared with the epochs' processes */
static bool trace;

static void keep(void)
{
	model->digest = model->digest * 31 + sim_digest();
	model->steps += sim_steps();
}

static void crashed(void)
{
	model->crashes++;
	keep();
	if (sim_below(2)) {
		model->cuts++;
		sim_disk_cut();
	}
}

static void print_problem(void *ctx, const char *text)
{
	printf("problem: %s\n", text);
}

static _Noreturn void look_through(void)
{
	struct sv_check found;
	struct pd_fail fail;
	if (!access("data/work.mdb", F_OK) &&
	    sv_check_directory("data", &(struct sv_check_order){TEST_GRAPHS, 1, print_problem, NULL, NULL}, &found,
			       &fail)) {
		printf("the directory cannot be looked through: %s\n", fail.text);
		_exit(1);
	}
	fflush(stdout);
	_exit(!access("data/work.mdb", F_OK) && found.problems);
}

static _Noreturn void is_live(uint64_t seed, const struct sim_epoch *epoch, uint64_t crash)
{
	if (!trace)
		pd_log_threshold(PD_LOG_ERROR);
	if (!trace && !freopen("log", "a", stderr))
		_exit(2);
	sim_begin(seed, crash, trace, crashed);
	sim_world_run(epoch);
	keep();
	fflush(stdout);
	_exit(0);
}

/* The exit code of a process that does one thing. */
static int wait_for(pid_t pid)
{
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	if (WIFSIGNALED(status))
		printf("ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool run_epoch(uint64_t seed, unsigned number, uint64_t *random, const struct sim_epoch *epoch)
{
	uint64_t own = walk_random(random), crash = 0;
	if (epoch->end == SIM_CRASH)
		crash = 1 + walk_below(random, 1u << (6 + walk_below(random, 11)));
	fflush(stdout);
	pid_t pid = fork();
	if (!pid)
		is_live(own, epoch, crash);
	int code = wait_for(pid);
	bool good = code == (epoch->end == SIM_CRASH ? SIM_CRASHED : 0);
	if (good && epoch->data) {
		if (!(pid = fork()))
			look_through();
		good = !wait_for(pid);
	}
	if (!good)
		printf("FINDING in the run of seed %" PRIu64 ", epoch %u (%s); see it with --seed %" PRIu64
		       " --trace\n",
		       seed, number, epoch->data ? "directory" : "in memory", seed);
	return good;
}

/* One run; false when there was a finding. */
static bool run_seed(uint64_t seed)
{
	uint64_t random = seed;
	char dir[64], here[4096];
	bool memory = walk_below(&random, 4) == 0, good = true;
	unsigned epochs = memory ? 1 : 1 + walk_below(&random, EPOCHS_MAX);
	memset(model->job, 0, sizeof model->job);
	memset(model->key, 0, sizeof model->key);
	memset(model->fact, 0, sizeof model->fact);
	for (unsigned i = 0; i < SIM_QUESTIONS; i++) {
		model->fact[i].lo = -99;
		model->fact[i].hi = 99;
	}
	model->digest = 0;
	scratch_dir(dir);
	if (!getcwd(here, sizeof here) || chdir(dir))
		abort();
	for (unsigned i = 0; i < epochs && good; i++) {
		bool last = i + 1 == epochs;
		struct sim_epoch epoch = {.data = memory ? NULL : "data", .last = last && !memory, .model = model};
		epoch.end = last ? SIM_QUIET
				 : (enum sim_end)(walk_below(&random, 5) * 2 / 5
							  ? SIM_QUIET - 1 + (int)walk_below(&random, 2)
							  : SIM_CRASH);
		epoch.turns = 20 + walk_below(&random, memory ? 400 : 150);
		good = run_epoch(seed, i, &random, &epoch);
	}
	if (chdir(here))
		abort();
	if (good) {
		char data[80];
		snprintf(data, sizeof data, "%s/data", dir);
		scratch_remove_all(data); /* with its certificates */
		scratch_remove_all(dir);
	} else {
		printf("its directory is %s\n", dir);
	}
	return good;
}

static void print_sum(uint64_t runs, uint64_t bad)
{
	printf("runs %" PRIu64 ", steps %" PRIu64 ", crashes %" PRIu64 " (of the power %" PRIu64 "), closes %" PRIu64
	       " (the longest %.3f s), requests %" PRIu64 ", replies %" PRIu64 " (%" PRIu64 " refusals), jobs %" PRIu64
	       " (%" PRIu64 " seen solved), disk changes %" PRIu64 "\n"
	       "findings %" PRIu64 "\n",
	       runs, model->steps, model->crashes, model->cuts, model->closes, (double)model->closed_ns_max / 1e9,
	       model->requests, model->replies, model->refused, model->jobs, model->solved, model->faults, bad);
}

PROGRAM(sim)
{
	bool share = argc > 1 && !strcmp(argv[1], "--share"), one = argc > 2 && !strcmp(argv[1], "--seed");
	uint64_t runs = share ? 20 : one ? 1 : argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, bad = 0;
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: ./dev lab sim [RUNS [SEED]] | --seed SEED [--trace]\n");
		return 0;
	}
	trace = one && argc > 3 && !strcmp(argv[3], "--trace");
	if (share)
		seed = walk_seed("lab.sim", seed);
	model = mmap(NULL, sizeof *model, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (model == MAP_FAILED)
		abort();
	setenv("TMPDIR", storedir_quick(), 0);
	sim_world_init();
	for (uint64_t i = 0; i < runs; i++) {
		bool good = run_seed(seed + i);
		uint64_t digest = model->digest;
		if (share && good) {
			good = run_seed(seed + i);
			if (good && model->digest != digest) {
				printf("FINDING: seed %" PRIu64 " was another run the second time: %016" PRIx64
				       ", %016" PRIx64 "\n",
				       seed + i, digest, model->digest);
				good = false;
			}
		}
		bad += !good;
		if (share || one)
			printf("seed %" PRIu64 ": digest %016" PRIx64 "\n", seed + i, digest);
		else if ((i + 1) % 100 == 0)
			print_sum(i + 1, bad);
		fflush(stdout);
	}
	print_sum(runs, bad);
	return bad != 0;
}
