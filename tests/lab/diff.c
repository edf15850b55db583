/* Diff: random graphs, solved in every way there is, against a retrograde oracle that shares no code with the solver.
 *
 *	lab diff [GRAPHS [SOLVES [SEED]]]     100,000 graphs and 200,000 solves unless told otherwise;
 *	                                      `--share`: for a few seconds
 *
 * Each graph is asked several claims at several of its nodes, by a random algorithm with random options, a table of 16
 * to 256 places, 1 to 3 search threads in turns, and a budget that ends again and again: then the solver is thrown
 * away, and another one is made from what it gave out (entries and facts), as after a crash. The facts of one graph are
 * shared by all its searches, or by none. Compared are each answer (bounds, yes or no, plies, where the move leads) and
 * each fact (bound, rank); at the end every fact is justified by the others. One graph in CORE_SHARE is asked of the
 * server's core as well, several jobs in a directory (diff_core.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"
#include "tests/lab/diff_core.h"
#include "tests/lab/diff_graph.h"
#include "tests/support/factbase.h"
#include "tests/support/graph.h"
#include "tests/support/interleave.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum {
	NODES_MOST = 200000, /* of one search */
	SOLVES_A_GRAPH = 6,  /* at most */
	CORE_SHARE = 100,
	SHOWN_MAX = 10
};

struct sum {
	uint64_t graphs, cyclic, solves, resumed, nodes, facts, answers, unanswered, justified, leaves, cores;
	uint64_t wrong;
};

/* One graph with everything that is asked of it. */
struct round {
	struct sum *sum;
	uint64_t seed;
	uint64_t random;
	struct diff_graph graph;
	struct diff_truth truth;
	struct game *game;
	struct factbase base;
	const char *asked; /* what is being searched, for messages */
};

/* What a solver gave out, to make another one of. */
struct journal {
	struct pn_entry *entry; /* owned */
	size_t count, room;
};

static void wrong(struct round *r, const char *what, unsigned node, const char *detail)
{
	if (r->sum->wrong++ < SHOWN_MAX)
		printf("WRONG: graph seed %" PRIu64 ", node n%u, %s: %s (%s)\n", r->seed, node, what, detail, r->asked);
}

/* --- comparing ---------------------------------------------------------------------------- */

static unsigned node_of_key(const struct round *r, const uint8_t *key, size_t size)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	if (r->game->rules->unkey(r->game, key, size, state))
		return UINT32_MAX;
	r->game->rules->print(r->game, state, text, sizeof text);
	return diff_graph_node(&r->graph, text);
}

/* NULL when the reason is true of the node, else what is wrong with it. */
static const char *compare_reason(const struct round *r, unsigned node, const struct pd_reason *reason)
{
	const struct diff_graph *g = &r->graph;
	bool proof = reason->side == PD_LO;
	int bound = proof ? reason->bound : reason->bound + 1; /* proof or refutation of "First gets at least bound" */
	if (node == UINT32_MAX || g->node[node].terminal)
		return "the fact is about no node, or about one where the game is over";
	if (bound <= g->min || bound > g->max)
		return "the bound is off the scale";
	if ((r->truth.value[node] >= bound) != proof)
		return "the bound is not true";
	unsigned t = (unsigned)(bound - g->min), least = proof ? r->truth.proof[t][node] : r->truth.refutation[t][node];
	bool counted = r->truth.acyclic || (g->infinite >= bound) != proof;
	if (!counted)
		return reason->rank == PD_RANK_NONE ? NULL : "it is path-dependent, and has a rank";
	return reason->rank <= PD_RANK_MAX && reason->rank >= least ? NULL : "the rank is too small";
}

static void compare_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct round *r = ctx;
	unsigned node = node_of_key(r, key, size);
	char text[96];
	const char *bad = compare_reason(r, node, reason);
	r->sum->facts++;
	snprintf(text, sizeof text, "side %u bound %d rank %u effort %" PRIu32, reason->side, reason->bound,
		 reason->rank, reason->effort);
	if (bad)
		wrong(r, bad, node, text);
	factbase_add(&r->base, key, size, reason);
}

/* The child that a move of a node leads to. */
static unsigned child_after(const struct round *r, const void *state, game_move move)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	memcpy(child, state, r->game->state_size);
	r->game->rules->play(r->game, child, move);
	r->game->rules->print(r->game, child, text, sizeof text);
	return diff_graph_node(&r->graph, text);
}

static void compare_answer(struct round *r, unsigned node, const void *state, const struct pd_claim *claim,
			   const struct pn_answer *a)
{
	int value = r->truth.value[node];
	char text[96];
	r->sum->answers++;
	snprintf(text, sizeof text, "%d to %d, the value is %d", a->lo, a->hi, value);
	if (a->lo > value || a->hi < value)
		wrong(r, "the answer is not true", node, text);
	if (!a->answered) {
		r->sum->unanswered++;
		return;
	}
	if (claim->value ? a->lo != a->hi : a->yes != ((value >= claim->threshold) != claim->refusal))
		wrong(r, "the question is not answered, or with the wrong word", node, text);
	const struct diff_node *own = &r->graph.node[node];
	if (a->move == PD_NO_MOVE || own->terminal)
		return;
	/* Of the bounds that are known, the move secures the mover's. */
	unsigned child = child_after(r, state, a->move);
	int there = child == UINT32_MAX ? INT16_MIN : r->truth.value[child];
	if (child == UINT32_MAX || (own->first ? there < a->lo : there > a->hi))
		wrong(r, "the move does not lead there", node, text);
}

/* --- searching ---------------------------------------------------------------------------- */

static void journal_put(struct journal *j, const struct pn_entry *entries, size_t count)
{
	if (j->count + count > j->room) {
		j->room = 2 * j->room + count;
		if (!(j->entry = realloc(j->entry, j->room * sizeof *j->entry)))
			abort();
	}
	memcpy(j->entry + j->count, entries, count * sizeof *entries);
	j->count += count;
}

/* A random value of an option, within bounds in which small graphs are answered. */
static void set_option(struct pn_options *o, const struct pn_tunable *t, uint64_t *random)
{
	struct pd_fail fail;
	char text[40];
	uint64_t least = t->min > 0 ? (uint64_t)t->min : 0, most = t->max < 20000 ? (uint64_t)t->max : 20000;
	uint64_t whole = least + walk_random(random) % ((most - least) >> walk_below(random, 12) | 1);
	if (t->kind == PN_YES_NO)
		snprintf(text, sizeof text, "%s", walk_below(random, 2) ? "yes" : "no");
	else if (t->kind == PN_REAL)
		snprintf(text, sizeof text, "%u.%u", walk_below(random, 3), walk_below(random, 100));
	else
		snprintf(text, sizeof text, "%" PRIu64, whole < least ? least : whole);
	if (pn_option_set(o, t->name, text, &fail)) {
		printf("%s\n", fail.text);
		abort();
	}
}

static void random_options(struct pn_options *o, uint64_t *random)
{
	const struct pn_tunable *t;
	pn_options_init(o);
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++)
		if (walk_below(random, 6) == 0)
			set_option(o, t, random);
	o->algorithm = (enum pn_algorithm)walk_below(random, PN_ALGORITHM_LAST + 1);
	o->detail = walk_below(random, 3) ? PN_FRONTIER : PN_FULL;
	o->seed = walk_below(random, 4) ? walk_random(random) : 0;
	o->shorten = walk_below(random, 5) ? 0 : 2000;
	o->threads = 1 + walk_below(random, 3);
	o->memory = 4 << 20;
	o->tt_entries = 16u << walk_below(random, 5);
	o->paper_nodes = 5000 + walk_below(random, 5000);
	if (walk_below(random, 2))
		o->cap_first = o->cap_last = 1 + walk_below(random, 60);
}

static struct pd_claim random_claim(const struct diff_graph *g, uint64_t *random)
{
	char text[24];
	struct pd_claim claim;
	struct pd_fail fail;
	snprintf(text, sizeof text, "first>=%d", g->min + 1 + (int)walk_below(random, (unsigned)(g->max - g->min)));
	bool value = walk_below(random, 3) == 0;
	if (pd_claim_parse(value ? "value" : text, &claim, &fail))
		abort();
	claim.refusal = !value && walk_below(random, 3) == 0;
	return claim;
}

static struct pn_solver *solver_of(struct round *r, const void *state, const struct pd_claim *claim,
				   const struct pn_options *o, const struct pn_host *host,
				   const struct pn_progress *resumed)
{
	struct pn_solver *solver;
	struct pd_fail fail;
	if (!pn_solver_new(&(struct pn_solver_setup){r->game, state, claim, o, host, resumed}, &solver, &fail))
		return solver;
	printf("graph seed %" PRIu64 ": %s\n", r->seed, fail.text);
	abort();
}

static void solve_round(struct round *r)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_host host = {&r->base, factbase_get};
	struct pn_options o;
	struct pn_progress p = {0};
	struct pn_answer answer;
	struct pn_entry entries[64];
	struct journal journal = {0};
	struct pd_fail fail;
	char name[16], asked[64];
	enum pn_state end = PN_RUNNING;
	unsigned node = walk_below(&r->random, r->graph.count);
	if (walk_below(&r->random, 2) || r->graph.node[node].terminal)
		node = 0;
	random_options(&o, &r->random);
	struct pd_claim claim = random_claim(&r->graph, &r->random);
	bool facts = walk_below(&r->random, 4) != 0;
	uint64_t budget = facts && walk_below(&r->random, 3) == 0 ? 1 + walk_below(&r->random, 400) : NODES_MOST,
		 turn = budget;
	snprintf(name, sizeof name, "n%u", node);
	snprintf(asked, sizeof asked, "%s, %s %d%s", pn_algorithm_text(o.algorithm), claim.text, claim.threshold,
		 claim.refusal ? " refused" : "");
	r->asked = asked;
	if (r->game->rules->parse(r->game, name, state, &fail))
		abort();
	struct pn_solver *solver = solver_of(r, state, &claim, &o, facts ? &host : NULL, NULL);
	while (p.level1 + p.level2 < NODES_MOST) {
		unsigned threads = interleave_join(solver, o.threads, facts ? &host : NULL);
		do {
			end = threads > 1 ? interleave_round(solver, threads, 100, 2000, &r->random)
					  : pn_solver_step(solver, turn < 5000 ? turn : 5000);
			for (size_t n; (n = pn_solver_take_entries(solver, entries, 64)) > 0;)
				journal_put(&journal, entries, n);
			pn_solver_take_facts(solver, compare_fact, r);
			pn_solver_progress(solver, &p);
		} while ((end == PN_RUNNING || end == PN_COLLECT) && p.level1 + p.level2 < budget);
		if (end != PN_RUNNING && end != PN_COLLECT)
			break;
		/* The budget is used up: another solver goes on, with twice of it, so that trees without a table come
		 * to an end, too. */
		pn_solver_free(solver);
		r->sum->resumed++;
		turn *= 2;
		budget = p.level1 + p.level2 + turn;
		solver = solver_of(r, state, &claim, &o, &host, &p);
		pn_solver_load(solver, journal.entry, journal.count);
	}
	pn_solver_answer(solver, &answer);
	compare_answer(r, node, state, &claim, &answer);
	r->sum->solves++;
	r->sum->nodes += p.level1 + p.level2;
	pn_solver_free(solver);
	free(journal.entry);
}

static void run_graph(struct sum *sum, uint64_t seed, unsigned solves)
{
	struct round *r = calloc(1, sizeof *r);
	unsigned leaves;
	if (!r)
		abort();
	r->sum = sum;
	r->seed = r->random = seed;
	diff_graph_make(&r->graph, seed);
	diff_graph_solve(&r->graph, &r->truth);
	r->game = graph_game(diff_graph_plain(&r->graph, seed));
	if (r->game->acyclic != r->truth.acyclic)
		wrong(r, "the game says the contrary of its cycles", 0, r->game->acyclic ? "acyclic" : "cyclic");
	factbase_init(&r->base);
	sum->graphs++;
	sum->cyclic += !r->truth.acyclic;
	for (unsigned i = 0; i < solves; i++)
		solve_round(r);
	unsigned bad = factbase_check(&r->base, r->game, &leaves) + r->base.conflicts;
	if (bad)
		wrong(r, "facts that the others do not justify, or that contradict each other", 0, "all searches");
	sum->justified += r->base.count;
	sum->leaves += leaves;
	if (seed % CORE_SHARE == 0) {
		sum->cores++;
		sum->wrong += diff_core(&r->graph, &r->truth, seed);
	}
	factbase_fini(&r->base);
	game_close(r->game);
	free(r);
}

PROGRAM(diff)
{
	bool share = argc > 1 && !strcmp(argv[1], "--share");
	uint64_t graphs = argc > 1 && !share ? strtoull(argv[1], NULL, 10) : share ? 600 : 100000;
	uint64_t solves = argc > 2 ? strtoull(argv[2], NULL, 10) : 2 * graphs,
		 seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	struct sum sum = {0};
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: ./dev lab diff [GRAPHS [SOLVES [SEED]]]\n");
		return 0;
	}
	pd_log_threshold(PD_LOG_WARN);
	if (share)
		seed = walk_seed("lab.diff", seed);
	for (uint64_t i = 0; i < graphs; i++) {
		uint64_t wanted = (solves - sum.solves + graphs - i - 1) / (graphs - i);
		run_graph(&sum, seed + i, wanted < SOLVES_A_GRAPH ? (unsigned)wanted : SOLVES_A_GRAPH);
		if (!share && (i + 1) % 10000 == 0) {
			printf("%" PRIu64 " graphs, %" PRIu64 " solves, %" PRIu64 " wrong\n", i + 1, sum.solves,
			       sum.wrong);
			fflush(stdout);
		}
	}
	printf("graphs %" PRIu64 " (%" PRIu64 " with cycles), solves %" PRIu64 " (resumed %" PRIu64
	       " times), nodes %" PRIu64 "\n"
	       "facts compared %" PRIu64 ", answers compared %" PRIu64 ", unanswered %" PRIu64
	       ", positions justified %" PRIu64 " (leaves %" PRIu64 "), graphs by the core %" PRIu64 "\nwrong %" PRIu64
	       "\n",
	       sum.graphs, sum.cyclic, sum.solves, sum.resumed, sum.nodes, sum.facts, sum.answers, sum.unanswered,
	       sum.justified, sum.leaves, sum.cores, sum.wrong);
	return sum.wrong != 0;
}
