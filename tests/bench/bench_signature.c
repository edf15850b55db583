/* The deterministic signature: node counts of a fixed suite, one thread, empty tables (P4).
 *
 * Without arguments it prints a line a case and one hash over all of them; a change of the search states the new hash
 * in its commit. With a file it compares with what stands there and exits 1 on a difference. The large cases are left
 * out unless all is done (effort_whole). */
#include <stdio.h>
#include <string.h>

#include "proto/base/hash.h"
#include "tests/support/asking.h"
#include "tests/support/effort.h"
#include "tests/support/program.h"

enum {
	NODES = 3000000,         /* at which a case ends unanswered */
	NODES_OF_OTHERS = 100000 /* by the algorithms that are here for comparison, after PN_PN */
};

static const struct {
	const char *game, *position, *claim;
	bool large; /* left out of a share */
} suite[] = {
	{"connect4:4x4", "", "value", false},
	{"connect4:5x4", "", "value", true},
	{"connect4:4x6", "", "value", true},
	{"connect4:6x4", "", "value", true},
	{"connect4:7x6", "44444452", "first-wins", true},
	{"mnk:3,3,3", "", "value", false},
	{"mnk:4,3,3", "", "first-wins", false},
	{"mnk:4,4,4", "", "value", true},
};

/* Whether each line of `lines` stands in `wanted`. */
static bool all_stand_in(char *lines, const char *wanted)
{
	for (char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		bool stands = strstr(wanted, line) != NULL;
		*end = '\n';
		if (!stands)
			return false;
	}
	return true;
}

static size_t run_case(char *out, size_t room, unsigned index, enum pn_algorithm algorithm, enum pn_detail detail,
		       uint64_t seed)
{
	struct asking asking = {.game = suite[index].game,
				.position = suite[index].position,
				.claim = suite[index].claim,
				.nodes = algorithm <= PN_PN ? NODES : NODES_OF_OTHERS};
	struct asked asked;
	pn_options_init(&asking.options);
	asking.options.algorithm = algorithm;
	asking.options.detail = detail;
	asking.options.seed = seed;
	asking_run(&asking, &asked);
	const struct pn_progress *p = &asked.progress;
	return (size_t)snprintf(out, room, "%-12s %-9s %-10s %-7s %-8s seed %llu  %10llu %10llu %8llu  %d..%d\n",
				suite[index].game, suite[index].position, suite[index].claim,
				pn_algorithm_text(algorithm), detail == PN_FULL ? "full" : "frontier",
				(unsigned long long)seed, (unsigned long long)p->level1, (unsigned long long)p->level2,
				(unsigned long long)p->facts, p->lo, p->hi);
}

/* Prints the lines of `text` that are not in `wanted`. */
static void print_new_lines(char *text, const char *wanted)
{
	while (text && *text) {
		const char *line = strsep(&text, "\n");
		if (!strstr(wanted, line))
			printf("%s\n", line);
	}
}

PROGRAM(signature)
{
	static char text[1 << 16], wanted[1 << 16];
	size_t size = 0;
	const bool whole = effort_whole();
	for (unsigned i = 0; i < sizeof suite / sizeof *suite; i++) {
		if (!whole && suite[i].large)
			continue;
		for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
			for (unsigned v = 0; v < 2; v++)
				size += run_case(text + size, sizeof text - size, i, (enum pn_algorithm)a,
						 v ? PN_FULL : PN_FRONTIER, v);
	}
	if (whole)
		size += (size_t)snprintf(text + size, sizeof text - size, "signature %016llx\n",
					 (unsigned long long)pd_hash64(text, size));
	if (argc < 2) {
		fputs(text, stdout);
		return 0;
	}
	FILE *file = fopen(argv[1], "r");
	size_t n = file ? fread(wanted, 1, sizeof wanted - 1, file) : 0;
	if (file)
		fclose(file);
	if (whole && n == size && !memcmp(wanted, text, size)) {
		printf("%s", strstr(text, "signature "));
		return 0;
	}
	if (!whole && all_stand_in(text, wanted)) {
		printf("a share of the cases, without the hash over all: as they stand in %s\n", argv[1]);
		return 0;
	}
	printf("the search is not the one of %s. Rows that are not in it:\n", argv[1]);
	print_new_lines(text, wanted);
	puts("If that is meant (a new algorithm only adds rows): build/release/tests/bench signature > "
	     "tests/data/signature.txt");
	return 1;
}
