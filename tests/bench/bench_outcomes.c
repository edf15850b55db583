/* Multiple-outcome PN search against PN searches, on all Connect Four positions after some plies: bench outcomes
 * [GAME [PLIES]], by default connect4:4x5 and 4 plies.
 *
 * Saffidine and Cazenave (ECAI 2012) report for 4x5, 256 positions: 16,947,536 nodes by multiple-outcome PN search,
 * 20,175,238 by PN searches; for 5x5, 625 positions: 1,557,490,694 and 1,757,370,222. Every search here begins its
 * leaves with 1 and 1. Nodes are those generated. The PN searches are those of a value question (a win, then a draw
 * unless it is a win), and those of both claims whatever the first answers. Ends with 1 when two values differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/asking.h"
#include "tests/support/program.h"

enum { PLIES_MAX = 8 };

struct totals {
	uint64_t positions, mopn, pn, both, wrong;
	double mopn_cpu, pn_cpu;
};

static void ask(const char *game, const char *position, const char *claim, enum pn_algorithm algorithm,
		struct asked *out)
{
	struct asking asking = {.game = game, .position = position, .claim = claim, .nodes = UINT64_MAX / 2};
	pn_options_init(&asking.options);
	asking.options.algorithm = algorithm;
	asking.options.mobility = false;
	asking.options.memory = UINT64_C(1) << 30;
	asking_run(&asking, out);
}

static void ask_position(const char *game, const char *position, struct totals *t)
{
	struct asked mopn, pn, claim;
	ask(game, position, "value", PN_MOPN, &mopn);
	ask(game, position, "value", PN_PN, &pn);
	t->positions++;
	t->mopn += mopn.nodes;
	t->pn += pn.nodes;
	t->mopn_cpu += mopn.cpu;
	t->pn_cpu += pn.cpu;
	ask(game, position, "first-wins", PN_PN, &claim);
	t->both += claim.nodes;
	ask(game, position, "first-draws", PN_PN, &claim);
	t->both += claim.nodes;
	if (mopn.answer.lo == pn.answer.lo && mopn.answer.hi == pn.answer.hi && mopn.answer.lo == mopn.answer.hi)
		return;
	printf("%s: mopn says %d..%d, pn %d..%d\n", position, mopn.answer.lo, mopn.answer.hi, pn.answer.lo,
	       pn.answer.hi);
	t->wrong++;
}

PROGRAM(outcomes)
{
	const char *game = argc > 1 ? argv[1] : "connect4:4x5", *size = strchr(game, ':');
	unsigned plies = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 4;
	unsigned columns = size ? (unsigned)strtoul(size + 1, NULL, 10) : 0;
	struct totals t = {0};
	if (columns < 1 || columns > 9 || plies > PLIES_MAX) {
		fputs("usage: bench outcomes [connect4:COLUMNSxROWS [PLIES]], at most 9 columns and 8 plies\n", stderr);
		return 2;
	}
	uint64_t count = 1;
	for (unsigned i = 0; i < plies; i++)
		count *= columns;
	for (uint64_t i = 0; i < count; i++) {
		char position[PLIES_MAX + 1] = "";
		uint64_t rest = i;
		for (unsigned j = 0; j < plies; j++, rest /= columns)
			position[j] = (char)('1' + rest % columns);
		ask_position(game, position, &t);
	}
	printf("%s after %u plies, %llu positions: mopn %llu nodes, %.1f s; pn %llu nodes, %.1f s; pn on both claims "
	       "%llu nodes; %llu wrong\n",
	       game, plies, (unsigned long long)t.positions, (unsigned long long)t.mopn, t.mopn_cpu,
	       (unsigned long long)t.pn, t.pn_cpu, (unsigned long long)t.both, (unsigned long long)t.wrong);
	return t.wrong > 0;
}
