/* Leaves: whether the checker keeps what frontier certificates promise, and accepts no rank that is too small.
 *
 *	lab leaves [N] [--changes M] [--first ROUND] [--seed S] [--share]
 *
 * Round after round a random position of a built-in game is solved in the smallest memory there is, by an algorithm in
 * turn, and exported with detail `frontier`; then the checker searches each leaf (leaves_make.c, leaves_judge). It goes
 * on until N leaves (100,000) were searched. In small certificates ranks and efforts of records are changed, and the
 * verdict on the record is held against retrograde analysis (leaves_change.c), until M records (100,000) were changed.
 * A round depends on seed and number alone: --first goes on where a run has ended, and the line that a run prints last
 * says where. Exit status 1: a leaf was refused, a false rank accepted, or a true certificate rejected. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solver/games/game.h"
#include "tests/lab/leaves_round.h"
#include "tests/support/insession.h"
#include "tests/support/program.h"

enum { CHANGES_A_ROUND = 60, ROUNDS_MAX = 100000000, TELL = 1000 };

struct plan {
	uint64_t leaves, changes, first, seed;
};

void leaves_fault(struct leaves_round *round, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	printf("FAULT in round %" PRIu64 ", %s: ", round->number, round->name);
	vprintf(format, args);
	printf("\n");
	fflush(stdout);
	va_end(args);
	round->sum->faults++;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print_row(const char *game, struct leaves_sum *s)
{
	if (s->leaves)
		qsort(s->ratio, s->leaves, sizeof *s->ratio, by_size);
	double median = s->leaves ? s->ratio[s->leaves / 2] : 0, most = s->leaves ? s->ratio[s->leaves - 1] : 0;
	printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.2f | %.2f | %" PRIu64 " | %" PRIu64
	       " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n",
	       game, s->certificates, s->leaves, s->refused, s->leaves ? s->told / s->leaves : 0, median, most,
	       s->other, s->changes, s->lies, s->accepted, s->missed, s->faults);
}

/* A row a game, whatever its size. */
static uint64_t print_table(struct leaves_sum *sums)
{
	uint64_t bad = 0;
	printf("\n| game | certificates | leaves | refused | nodes told | made/told, median | most | other | changed "
	       "| "
	       "false | accepted | true, not found | faults |\n"
	       "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
	for (unsigned g = 0; game_builtin(g); g++) {
		print_row(game_builtin(g)->name, &sums[g]);
		bad += sums[g].refused + sums[g].accepted + sums[g].faults;
		free(sums[g].ratio);
	}
	return bad;
}

static unsigned builtin_of(const char *name)
{
	unsigned g = 0;
	size_t length = strcspn(name, ":");
	while (strlen(game_builtin(g)->name) != length || strncmp(game_builtin(g)->name, name, length) != 0)
		g++;
	return g;
}

static uint64_t run_rounds(const struct plan *plan, const char *dir)
{
	static struct leaves_sum sums[64];
	uint64_t number = plan->first, leaves = 0, changes = 0;
	for (; number < ROUNDS_MAX && (leaves < plan->leaves || changes < plan->changes); number++) {
		unsigned variant = (unsigned)(number % leaves_variants());
		struct leaves_sum *sum = &sums[builtin_of(leaves_variant(variant))];
		struct leaves_round round = {.number = number, .random = plan->seed, .dir = dir, .sum = sum};
		round.random += number * UINT64_C(0x9e3779b97f4a7c15);
		leaves -= sum->leaves;
		changes -= sum->changes;
		if (leaves_make(&round, variant)) {
			leaves_judge(&round);
			if (changes + sum->changes < plan->changes)
				leaves_change(&round, CHANGES_A_ROUND);
		}
		leaves += sum->leaves;
		changes += sum->changes;
		leaves_fini(&round);
		if (number % TELL == TELL - 1)
			fprintf(stderr, "round %" PRIu64 ": %" PRIu64 " leaves, %" PRIu64 " changes\n", number, leaves,
				changes);
	}
	uint64_t bad = print_table(sums);
	printf("\n%" PRIu64 " leaves, %" PRIu64 " changed records, %" PRIu64 " findings; seed %" PRIu64
	       ", go on with --first %" PRIu64 "\n",
	       leaves, changes, bad, plan->seed, number);
	return bad;
}

static int print_usage(int status)
{
	fprintf(status ? stderr : stdout,
		"usage: ./dev lab leaves [N] [--changes M] [--first ROUND] [--seed S] | --share\n"
		"  N leaves (100000) and M changed records (100000); --first goes on where a run has ended\n");
	return status;
}

PROGRAM(leaves)
{
	struct plan plan = {.leaves = 100000, .changes = 100000, .seed = 1};
	char dir[64];
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		uint64_t *number = !strcmp(argv[i], "--changes") ? &plan.changes
				   : !strcmp(argv[i], "--first") ? &plan.first
				   : !strcmp(argv[i], "--seed")  ? &plan.seed
								 : NULL;
		char *end = NULL;
		if (!strcmp(argv[i], "--help"))
			return print_usage(0);
		if (!strcmp(argv[i], "--share")) {
			plan = (struct plan){.leaves = 1000, .changes = 1000, .seed = walk_seed("lab.leaves", 1)};
			continue;
		}
		if (number)
			i++;
		else if (*argv[i] >= '0' && *argv[i] <= '9')
			number = &plan.leaves, value = argv[i];
		else
			return print_usage(2);
		*number = strtoull(value, &end, 10);
		if (!*value || *end)
			return print_usage(2);
	}
	scratch_dir(dir);
	bool bad = run_rounds(&plan, dir) > 0;
	scratch_remove(dir);
	return bad;
}
