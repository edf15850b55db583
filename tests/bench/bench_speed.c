/* How fast each algorithm searches each game, by one thread.
 *
 * Usage: bench speed [--games a,b] [--algorithms a,b] [--nodes N] [--rounds N] [--memory MIB]
 *        [--set NAME=VALUE]... [--json FILE]
 *
 * A row for each game, a column for each algorithm: millions of nodes a second of processor time, the median of the
 * rounds. Nodes are those that level 2 generates and level 1 expands; without level 2 (pds, df-pn) one node stands for
 * all its children, so that there are fewer. A run ends with its nodes (20 million; of level 1 alone a 20th part), or
 * earlier with the answer. The bytes are what a node takes: of level 2 in the arena, of level 1 in the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/tree.h"
#include "tests/support/asking.h"
#include "tests/support/program.h"

static const struct {
	const char *game, *position, *claim;
} games[] = {
	{"connect4:7x6", "", "first-wins"},
	{"mnk:5,5,4", "", "first-wins"},
	{"hex:6", "a1", "first-wins"},
	{"uttt", "", "first-wins"},
	{"loa:8", "", "first-wins"},
	{"antichess", "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b - -", "first-wins"},
	{"chess-mate", "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq -", "first-wins"},
};

enum { LEVEL1_SHARE = 20, GAMES = sizeof games / sizeof *games, ROUNDS_MAX = 15, ALGORITHMS = PN_ALGORITHM_LAST + 1 };

static bool listed(const char *list, const char *name)
{
	size_t size = strlen(name);
	for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, name, size) && (!p[size] || p[size] == ','))
			return true;
	return !list;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* "NAME=VALUE" of a search option; false: there is none like that. */
static bool set_option(struct pn_options *options, const char *text)
{
	char name[32] = "";
	struct pd_fail why;
	const char *equal = strchr(text, '=');
	if (!equal || (size_t)(equal - text) >= sizeof name)
		return false;
	memcpy(name, text, (size_t)(equal - text));
	return !pn_option_set(options, name, equal + 1, &why);
}

static double speed(unsigned game, enum pn_algorithm algorithm, struct asking *asking, unsigned rounds, FILE *json)
{
	uint64_t nodes = asking->nodes;
	double rates[ROUNDS_MAX];
	struct asked asked;
	asking->game = games[game].game;
	asking->position = games[game].position;
	asking->claim = games[game].claim;
	asking->options.algorithm = algorithm;
	if (pn_algorithm_has_tt(algorithm) && !pn_algorithm(algorithm)->level2)
		asking->nodes = nodes / LEVEL1_SHARE;
	for (unsigned i = 0; i < rounds; i++) {
		asking_run(asking, &asked);
		rates[i] = (double)asked.nodes / asked.cpu / 1e6;
	}
	qsort(rates, rounds, sizeof *rates, by_value);
	if (json)
		fprintf(json,
			"{\"game\":\"%s\",\"position\":\"%s\",\"algorithm\":\"%s\",\"level1\":%llu,\"level2\":%llu,"
			"\"nodes_per_cpu_second\":%.0f}\n",
			asking->game, asking->position, pn_algorithm_text(algorithm),
			(unsigned long long)asked.progress.level1, (unsigned long long)asked.progress.level2,
			rates[rounds / 2] * 1e6);
	asking->nodes = nodes;
	return rates[rounds / 2];
}

PROGRAM(speed)
{
	const char *wanted_games = NULL, *wanted_algorithms = NULL;
	struct asking asking = {.nodes = 20000000};
	unsigned rounds = 3;
	FILE *json = NULL;
	pn_options_init(&asking.options);
	for (int i = 1; i < argc; i += 2) {
		const char *option = argv[i], *value = argv[i + 1];
		unsigned long long number = value ? strtoull(value, NULL, 10) : 0;
		if (value && !strcmp(option, "--games"))
			wanted_games = value;
		else if (value && !strcmp(option, "--algorithms"))
			wanted_algorithms = value;
		else if (number && !strcmp(option, "--nodes"))
			asking.nodes = number;
		else if (number && number <= ROUNDS_MAX && !strcmp(option, "--rounds"))
			rounds = (unsigned)number;
		else if (number && !strcmp(option, "--memory"))
			asking.options.memory = number << 20;
		else if (value && !strcmp(option, "--set") && set_option(&asking.options, value))
			continue;
		else if (value && !strcmp(option, "--json") && (json = fopen(value, "w")) != NULL)
			continue;
		else
			return fprintf(stderr, "bench speed: %s %s is no option\n", option,
				       value ? value : "without a value"),
			       2;
	}
	printf("millions of nodes a second of processor time; %zu bytes a node of level 2, %zu an entry of level "
	       "1\n%-14s",
	       sizeof(struct tree_node), sizeof(struct pn_entry), "");
	for (int a = 0; a < ALGORITHMS; a++)
		if (listed(wanted_algorithms, pn_algorithm_text((enum pn_algorithm)a)))
			printf(" %8s", pn_algorithm_text((enum pn_algorithm)a));
	printf("\n");
	for (unsigned g = 0; g < GAMES; g++) {
		if (wanted_games && !strstr(wanted_games, games[g].game))
			continue;
		printf("%-14s", games[g].game);
		for (int a = 0; a < ALGORITHMS; a++)
			if (listed(wanted_algorithms, pn_algorithm_text((enum pn_algorithm)a))) {
				printf(" %8.2f", speed(g, (enum pn_algorithm)a, &asking, rounds, json));
				fflush(stdout);
			}
		printf("\n");
	}
	if (json)
		fclose(json);
	return 0;
}
