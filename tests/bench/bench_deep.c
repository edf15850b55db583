/* The published figures of DeepPN (Ishitobi, Plaat, Iida and van den Herik, "Reducing the seesaw effect with deep
 * proof-number search", ACG 2015), asked again:
 *
 *	bench deep othello [POSITIONS [EMPTY [NODES]]]  Othello after random play until EMPTY (16) squares are empty;
 *	                                                does Black win?
 *	bench deep hex [ORDERS [ROWS [NODES]]]          Hex on ROWS (4) rows, the cells tried in ORDERS (10) random
 *                                                orders, each the same at all nodes; does the first to move win?
 *
 * The rules of the game alone say what is solved, and each leaf begins with 1 and 1. Each question is asked by PN
 * search and by DeepPN with several R, R = 1 first, each with up to NODES (10^8) nodes made. A row of the table is one
 * R: how many questions it solved; and of those that R = 1 solved too, expansions and nodes made, and what these are
 * in percent of R = 1: the ratio of the sums, the median of the ratios, and for nodes the least and the greatest ratio.
 * Ends with 1 when two answers differ, or when R = 1 expands or makes another number of nodes than PN search. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/algorithms.h"
#include "solver/pds_policy.h"
#include "solver/tree_search.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum { MEMORY = 1 << 30, PARAMETERS_MAX = 7, CELLS_MAX = 64 };

/* What is asked of a game. */
struct experiment {
	const char *name;
	unsigned questions, size, size_max;
	double r[PARAMETERS_MAX]; /* up to the first 0 */
};

static const struct experiment experiments[] = {
	{"othello", 1000, 16, 60, {1, .95, .8, .65, .5, .4, .2}},
	{"hex", 10, 4, 8, {1, .99, .95, .85, .65, .5}},
};

/* One search. */
struct outcome {
	bool solved, proved;
	uint64_t expansions, nodes;
};

/* Does First win at `root`? Searches until that is known, or until about `nodes` nodes were made. */
static struct outcome search_position(const struct game *game, const void *root, const struct tree_options *options,
				      uint64_t nodes)
{
	struct tree tree;
	struct outcome out = {.expansions = 0};
	struct question q = question_of(game, 1);
	if (!tree_init(&tree, game, MEMORY, options))
		abort();
	tree_start(&tree, &q, root, UINT64_MAX);
	while (!num_solved(tree_numbers(&tree)) && tree.generated < nodes) {
		tree_descend(&tree);
		if (!tree_expand(&tree))
			break;
		tree_ascend(&tree);
		out.expansions++;
	}
	out.solved = num_solved(tree_numbers(&tree));
	out.proved = tree_numbers(&tree)[0] == 0;
	out.nodes = tree.generated;
	tree_fini(&tree);
	return out;
}

/* One question, by PN search and with each R. False, with a message, when two searches contradict each other. */
static bool ask_question(const struct game *game, const void *root, const struct experiment *e, uint64_t nodes,
			 struct outcome out[PARAMETERS_MAX])
{
	struct tree_options o = {.rule = NULL};
	struct outcome pn = search_position(game, root, &o, nodes);
	const struct outcome *first = &pn;
	o.rule = pn_algorithm(PN_DEEP_PN)->policy->rule;
	for (unsigned i = 0; i < PARAMETERS_MAX && e->r[i] > 0; i++) {
		o.deep_r = e->r[i];
		out[i] = search_position(game, root, &o, nodes);
		if (o.deep_r == 1 && (out[i].expansions != pn.expansions || out[i].nodes != pn.nodes)) {
			printf("R = 1 is not PN search\n");
			return false;
		}
		if (!first->solved)
			first = &out[i];
		if (out[i].solved && first->solved && out[i].proved != first->proved) {
			printf("two answers differ\n");
			return false;
		}
	}
	return true;
}

static int compare_ratios(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double find_median(double *ratios, unsigned count)
{
	qsort(ratios, count, sizeof *ratios, compare_ratios);
	return (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
}

/* The row of one R. ratios: room for two numbers a question. */
static void print_row(const struct outcome (*all)[PARAMETERS_MAX], unsigned questions, unsigned i, double r,
		      double *ratios)
{
	struct outcome sum = {.expansions = 0}, base = {.expansions = 0};
	unsigned solved = 0, both = 0;
	for (unsigned j = 0; j < questions; j++) {
		const struct outcome *o = &all[j][i], *b = &all[j][0];
		solved += o->solved;
		if (!o->solved || !b->solved || !b->nodes)
			continue;
		sum.expansions += o->expansions;
		sum.nodes += o->nodes;
		base.expansions += b->expansions;
		base.nodes += b->nodes;
		ratios[both] = 100 * (double)o->expansions / (double)b->expansions;
		ratios[questions + both++] = 100 * (double)o->nodes / (double)b->nodes;
	}
	printf("%4.2f %7u %12llu %12llu", r, solved, (unsigned long long)sum.expansions, (unsigned long long)sum.nodes);
	if (both) {
		double *by_nodes = ratios + questions;
		printf(" %8.1f %6.1f %8.1f", 100 * (double)sum.expansions / (double)base.expansions,
		       100 * (double)sum.nodes / (double)base.nodes, find_median(ratios, both));
		printf(" %6.1f", find_median(by_nodes, both)); /* sorts them */
		printf(" %8.1f %7.1f", by_nodes[0], by_nodes[both - 1]);
	}
	putchar('\n');
}

static void print_table(const struct experiment *e, const struct outcome (*all)[PARAMETERS_MAX], unsigned questions)
{
	double *ratios = malloc(2 * questions * sizeof *ratios);
	if (!ratios)
		abort();
	printf("%s, %u questions\n", e->name, questions);
	puts("   R  solved   expansions        nodes   % of the sums  % (medians)  least  greatest");
	for (unsigned i = 0; i < PARAMETERS_MAX && e->r[i] > 0; i++)
		print_row(all, questions, i, e->r[i], ratios);
	free(ratios);
}

static unsigned count_empty(const struct game *game, const void *state)
{
	char text[GAME_TEXT_MAX];
	unsigned empty = 0;
	game->rules->print(game, state, text, sizeof text);
	for (const char *p = text; *p && *p != ' '; p++)
		empty += *p == '-';
	return empty;
}

/* A position after random play with that many empty squares, in which the game is not over. */
static struct walk_state random_ending(const struct game *game, unsigned empty, uint64_t *seed)
{
	struct walk_state s;
	int value;
	do {
		game->rules->start(game, s.bytes);
		while (count_empty(game, s.bytes) > empty && walk_on(game, s.bytes, 1, seed))
			;
	} while (count_empty(game, s.bytes) != empty || game->rules->terminal(game, s.bytes, &value));
	return s;
}

/* The rules of Hex with the cells in an order of its own. One at a time. */
static struct {
	const struct game_rules *plain;
	struct game_rules rules;
	unsigned rank[CELLS_MAX];
} ordered;

static int compare_ranks(const void *a, const void *b)
{
	const game_move *x = a, *y = b;
	return (int)ordered.rank[*x] - (int)ordered.rank[*y];
}

static unsigned list_ordered(const struct game *game, const void *state, game_move *out)
{
	unsigned count = ordered.plain->moves(game, state, out);
	qsort(out, count, sizeof *out, compare_ranks);
	return count;
}

/* The empty board, whose cells are tried in a random order from now on. */
static struct walk_state draw_order(struct game *game, unsigned cells, uint64_t *seed)
{
	struct walk_state s;
	if (game->rules != &ordered.rules) {
		ordered.plain = game->rules;
		ordered.rules = *game->rules;
		ordered.rules.moves = list_ordered;
		ordered.rules.unique_moves = NULL;
		game->rules = &ordered.rules;
	}
	for (unsigned i = 0; i < cells; i++) {
		unsigned j = walk_below(seed, i + 1);
		ordered.rank[i] = ordered.rank[j];
		ordered.rank[j] = i;
	}
	game->rules->start(game, s.bytes);
	return s;
}

static int run_experiment(const struct experiment *e, unsigned questions, unsigned size, uint64_t nodes)
{
	bool othello = !strcmp(e->name, "othello");
	struct outcome(*all)[PARAMETERS_MAX] = calloc(questions, sizeof *all);
	uint64_t seed = 1;
	char name[32];
	struct game *game;
	struct pd_fail fail;
	bool agree = true;
	snprintf(name, sizeof name, "%s:%u", e->name, othello ? 8 : size);
	if (!all || game_open(name, NULL, &game, &fail)) {
		free(all);
		fprintf(stderr, "%s: cannot be opened\n", name);
		return 2;
	}
	for (unsigned i = 0; i < questions && agree; i++) {
		struct walk_state root =
			othello ? random_ending(game, size, &seed) : draw_order(game, size * size, &seed);
		agree = ask_question(game, root.bytes, e, nodes, all[i]);
	}
	if (agree)
		print_table(e, all, questions);
	game_close(game);
	free(all);
	return !agree;
}

PROGRAM(deep)
{
	for (size_t i = 0; argc > 1 && argc < 6 && i < sizeof experiments / sizeof *experiments; i++) {
		const struct experiment *e = &experiments[i];
		unsigned long args[3] = {e->questions, e->size, 100000000};
		for (int j = 2; j < argc; j++)
			args[j - 2] = strtoul(argv[j], NULL, 10);
		if (!strcmp(argv[1], e->name) && args[0] && args[1] && args[1] <= e->size_max)
			return run_experiment(e, (unsigned)args[0], (unsigned)args[1], args[2]);
	}
	fprintf(stderr, "usage: bench deep othello [POSITIONS [EMPTY [NODES]]] | hex [ORDERS [ROWS [NODES]]]\n");
	return 2;
}
