/* The known values of Connect Four positions, asked of every algorithm: a table of right, wrong and unanswered.
 *
 * Usage: bench_vectors [--nodes N] [--limit POSITIONS] [--algorithms a,b,c] [SET...]. A set is a file of tests/data/connect4 (default: easy-end,
 * medium-end, easy-middle); each line has the columns played and the score for the side to move, of which the sign says who wins. Exit 1 when
 * any answer was wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solver/solver.h"

struct tally {
	unsigned positions, right, wrong, open;
	uint64_t nodes;
	double seconds;
};

static void drop(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	(void)ctx, (void)key, (void)size, (void)reason;
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* Searches for the value with at most `nodes` nodes. */
static void solve(const struct game *game, const void *state, const struct pn_options *options, uint64_t nodes,
		  struct pn_answer *answer, struct pn_progress *progress)
{
	struct pd_claim claim = {.value = true};
	struct pd_fail fail;
	struct pn_solver *solver;
	struct pn_entry entries[256];
	if (pn_solver_new(game, state, &claim, options, NULL, NULL, &solver, &fail)) {
		fprintf(stderr, "%s: %s\n", fail.field, fail.text);
		exit(2);
	}
	enum pn_state state_now = PN_RUNNING;
	uint64_t used = 0;
	while ((state_now == PN_RUNNING || state_now == PN_COLLECT) && used < nodes) {
		state_now = pn_solver_step(solver, nodes - used);
		while (pn_solver_take_entries(solver, entries, 256) > 0)
			;
		pn_solver_take_facts(solver, drop, NULL);
		pn_solver_progress(solver, progress);
		used = progress->level1 + progress->level2;
	}
	pn_solver_answer(solver, answer);
	pn_solver_free(solver);
}

static void one(const struct game *game, const char *columns, int score, const struct pn_options *options, uint64_t nodes,
		struct tally *tally)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	struct pn_answer answer;
	struct pn_progress progress = {0};
	if (game->rules->parse(game, columns, state, &fail)) {
		fprintf(stderr, "%s: %s\n", columns, fail.text);
		exit(2);
	}
	double start = cpu_seconds();
	solve(game, state, options, nodes, &answer, &progress);
	tally->seconds += cpu_seconds() - start;
	tally->nodes += progress.level1 + progress.level2;
	tally->positions++;
	int sign = (score > 0) - (score < 0);
	int value = game->rules->first_to_move(game, state) ? sign : -sign;
	if (value < answer.lo || value > answer.hi) {
		tally->wrong++;
		printf("WRONG: %s has the value %d, and was answered %d to %d\n", columns, value, answer.lo, answer.hi);
	} else if (answer.answered) {
		tally->right++;
	} else {
		tally->open++;
	}
}

static void run_set(const struct game *game, const char *set, const struct pn_options *options, uint64_t nodes, unsigned limit,
		    struct tally *tally)
{
	char path[512], columns[128];
	int score;
	snprintf(path, sizeof path, "%s/connect4/%s.txt", TEST_DATA, set);
	FILE *file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(2);
	}
	*tally = (struct tally){0};
	while (tally->positions < limit && fscanf(file, "%127s %d", columns, &score) == 2)
		one(game, columns, score, options, nodes, tally);
	fclose(file);
}

int main(int argc, char **argv)
{
	static const char *const all_sets[] = {"easy-end", "medium-end", "easy-middle"};
	const char *sets[16], *algorithms = "pds-pn,paper,pn";
	unsigned set_count = 0, limit = 1000000, wrong = 0;
	uint64_t nodes = 20000000;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--nodes") && i + 1 < argc)
			nodes = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--limit") && i + 1 < argc)
			limit = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--algorithms") && i + 1 < argc)
			algorithms = argv[++i];
		else if (set_count < 16)
			sets[set_count++] = argv[i];
	}
	for (unsigned i = 0; !set_count || (set_count < 3 && sets[0] == all_sets[0]); i++)
		sets[set_count++] = all_sets[i];
	struct game *game;
	struct pd_fail fail;
	if (game_open("connect4:7x6", NULL, &game, &fail)) {
		fprintf(stderr, "%s\n", fail.text);
		return 2;
	}
	printf("connect4:7x6, value, at most %llu nodes a position\n", (unsigned long long)nodes);
	printf("%-12s %-8s %9s %6s %6s %11s %13s %8s\n", "set", "search", "positions", "right", "wrong", "unanswered", "nodes", "CPU s");
	char list[128], *rest = list, *name;
	snprintf(list, sizeof list, "%s", algorithms);
	while ((name = strsep(&rest, ",")) != NULL) {
		struct pn_options options;
		pn_options_init(&options);
		if (pn_algorithm_parse(name, &options.algorithm, &fail)) {
			fprintf(stderr, "%s\n", fail.text);
			return 2;
		}
		for (unsigned i = 0; i < set_count; i++) {
			struct tally t;
			run_set(game, sets[i], &options, nodes, limit, &t);
			printf("%-12s %-8s %9u %6u %6u %11u %13llu %8.2f\n", sets[i], name, t.positions, t.right, t.wrong, t.open,
			       (unsigned long long)t.nodes, t.seconds);
			fflush(stdout);
			wrong += t.wrong;
		}
	}
	game_close(game);
	return wrong ? 1 : 0;
}
