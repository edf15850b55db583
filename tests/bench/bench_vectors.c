/* The known values of Connect Four positions, asked of every algorithm: a table of right, wrong and unanswered.
 *
 * Usage: bench vectors [--game NAME] [--nodes N] [--limit POSITIONS] [--algorithms a,b,c] [SET...]. A set is a file of
 * tests/data/connect4 (default: easy-end, medium-end, easy-middle) or, with a slash in its name, a path; each line has
 * the columns played and the score for the side to move, of which the sign says who wins. The game is that of the
 * files, connect4:7x6 unless given. Exit 1 when any answer was wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/asking.h"
#include "tests/support/program.h"

struct tally {
	unsigned positions, right, wrong, open;
	uint64_t nodes;
	double seconds;
};

static void one(const char *columns, int score, const struct asking *how, struct tally *tally)
{
	struct asking asking = *how;
	struct asked asked;
	asking.position = columns;
	asking_run(&asking, &asked);
	tally->seconds += asked.cpu;
	tally->nodes += asked.nodes;
	tally->positions++;
	int sign = (score > 0) - (score < 0), value = strlen(columns) % 2 ? -sign : sign;
	if (value < asked.answer.lo || value > asked.answer.hi) {
		tally->wrong++;
		printf("WRONG: %s has the value %d, and was answered %d to %d\n", columns, value, asked.answer.lo,
		       asked.answer.hi);
	} else if (asked.answer.answered) {
		tally->right++;
	} else {
		tally->open++;
	}
}

static void run_set(const char *set, const struct asking *how, unsigned limit, struct tally *tally)
{
	char path[512], columns[128];
	int score;
	if (strchr(set, '/'))
		snprintf(path, sizeof path, "%s", set);
	else
		snprintf(path, sizeof path, "%s/connect4/%s.txt", TEST_DATA, set);
	FILE *file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(2);
	}
	*tally = (struct tally){0};
	while (tally->positions < limit && fscanf(file, "%127s %d", columns, &score) == 2)
		one(columns, score, how, tally);
	fclose(file);
}

PROGRAM(vectors)
{
	static const char *const all_sets[] = {"easy-end", "medium-end", "easy-middle"};
	const char *sets[16], *algorithms = "pds-pn,paper,pn";
	unsigned set_count = 0, limit = 1000000, wrong = 0;
	struct asking asking = {.game = "connect4:7x6", .claim = "value", .nodes = 20000000};
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--game") && i + 1 < argc)
			asking.game = argv[++i];
		else if (!strcmp(argv[i], "--nodes") && i + 1 < argc)
			asking.nodes = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--limit") && i + 1 < argc)
			limit = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--algorithms") && i + 1 < argc)
			algorithms = argv[++i];
		else if (set_count < 16)
			sets[set_count++] = argv[i];
	}
	for (unsigned i = 0; !set_count || (set_count < 3 && sets[0] == all_sets[0]); i++)
		sets[set_count++] = all_sets[i];
	struct pd_fail fail;
	printf("%s, value, at most %llu nodes a position\n", asking.game, (unsigned long long)asking.nodes);
	printf("%-12s %-8s %9s %6s %6s %11s %13s %8s\n", "set", "search", "positions", "right", "wrong", "unanswered",
	       "nodes", "CPU s");
	char list[128], *rest = list, *name;
	snprintf(list, sizeof list, "%s", algorithms);
	while ((name = strsep(&rest, ",")) != NULL) {
		pn_options_init(&asking.options);
		if (pn_algorithm_parse(name, &asking.options.algorithm, &fail)) {
			fprintf(stderr, "%s\n", fail.text);
			return 2;
		}
		for (unsigned i = 0; i < set_count; i++) {
			struct tally t;
			const char *slash = strrchr(sets[i], '/');
			run_set(sets[i], &asking, limit, &t);
			printf("%-12s %-8s %9u %6u %6u %11u %13llu %8.2f\n", slash ? slash + 1 : sets[i], name,
			       t.positions, t.right, t.wrong, t.open, (unsigned long long)t.nodes, t.seconds);
			fflush(stdout);
			wrong += t.wrong;
		}
	}
	return wrong ? 1 : 0;
}
