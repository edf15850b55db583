/* Diff: random graphs and small games, solved in every way there is, against oracles that share no code with the
 * solver.
 *
 *	lab diff [GRAPHS [SOLVES [SEED]]]     100,000 graphs and 200,000 solves unless told otherwise;
 *	                                      `--share`: for a few seconds
 *	lab diff --facts FACTS [--state FILE] [--seed SEED]
 *	                                      until so many facts are compared. With --state what was done is kept in
 *	                                      FILE, and the same command goes on from there
 *
 * Each graph is asked several claims at several of its nodes, by a random algorithm with random options, a table of
 * 16 to 256 places, 1 to 3 search threads in turns, in half of the searches that permit it leaves that others
 * search, and a budget that ends again and again: then the solver is thrown away, and another one is made from what
 * it gave out (entries and facts), as after a crash. The facts of one graph are shared by all its searches, or by
 * none. Compared are each answer (bounds, yes or no, plies, where the move leads) and each fact (bound, rank); at
 * the end every fact is justified by the others. One graph in CORE_SHARE is asked of the server's core as well,
 * several jobs in a directory (diff_core.c). After GRAPHS_A_GAME graphs a small game is asked in the same way
 * (diff_games.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/log.h"
#include "tests/lab/diff_core.h"
#include "tests/lab/diff_games.h"
#include "tests/lab/diff_graph.h"
#include "tests/lab/diff_remote.h"
#include "tests/support/factbase.h"
#include "tests/support/graph.h"
#include "tests/support/interleave.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum {
	NODES_MOST = 200000, /* of one search */
	SOLVES_A_GRAPH = 6,  /* at most */
	SOLVES_A_GAME = 12,
	GRAPHS_A_GAME = 20,
	CORE_SHARE = 100,
	SAVE_ROUNDS = 2000, /* graphs between two saves of the state */
	ALGORITHMS = PN_ALGORITHM_LAST + 1,
	SHOWN_MAX = 10
};

/* What is counted: X(member). */
#define COUNTS(X)                                                                                                      \
	X(graphs)                                                                                                      \
	X(cyclic)                                                                                                      \
	X(games)                                                                                                       \
	X(solves)                                                                                                      \
	X(resumed)                                                                                                     \
	X(nodes)                                                                                                       \
	X(facts)                                                                                                       \
	X(answers)                                                                                                     \
	X(unanswered)                                                                                                  \
	X(justified)                                                                                                   \
	X(leaves)                                                                                                      \
	X(remote)                                                                                                      \
	X(proofs)                                                                                                      \
	X(cores)                                                                                                       \
	X(wrong)                                                                                                       \
	X(milliseconds)

struct sum {
#define X(member) uint64_t member;
	COUNTS(X)
#undef X
	uint64_t by[ALGORITHMS]; /* facts */
};

/* One graph or game with everything that is asked of it. */
struct round {
	struct sum *sum;
	uint64_t seed;
	uint64_t random;
	struct diff_oracle oracle;
	struct factbase base;
	struct diff_remote remote;
	enum pn_algorithm algorithm; /* that is asked */
	const char *asked;           /* what is being searched, for messages */
};

/* What a solver gave out, to make another one of. */
struct journal {
	struct pn_entry *entry; /* owned */
	size_t count, room;
};

/* `state` is the position; NULL: there is none. */
static void print_wrong(struct round *r, const char *what, const void *state, const char *detail)
{
	const struct game *game = r->oracle.game;
	char text[GAME_TEXT_MAX] = "no position";
	if (state)
		game->rules->print(game, state, text, sizeof text);
	if (r->sum->wrong++ < SHOWN_MAX)
		printf("WRONG: %s, seed %" PRIu64 ", %s, %s: %s (%s)\n", game->name, r->seed, text, what, detail,
		       r->asked);
}

/* --- comparing ---------------------------------------------------------------------------- */

/* NULL when the mover's move, if the reason names it, leads to the bound within one ply less. */
static const char *compare_move(const struct diff_oracle *o, const uint8_t *key, size_t size,
				const struct pd_reason *reason, int bound, bool counted)
{
	const struct game_rules *rules = o->game->rules;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t after[GAME_KEY_MAX];
	bool proof = reason->side == PD_LO;
	unsigned least = 0;
	game_move move;
	int value;
	if (rules->unkey(o->game, key, size, state))
		return "its key is none";
	if (reason->move == PD_NO_MOVE || rules->first_to_move(o->game, state) != proof)
		return NULL;
	if (!game_legal_from_key(o->game, state, reason->move, &move))
		return "its move is not legal";
	rules->play(o->game, state, move);
	if (rules->terminal(o->game, state, &value))
		return (value >= bound) == proof ? NULL : "its move ends the game otherwise";
	if (o->holds(o->ctx, after, rules->key(o->game, state, after), bound, &least) != proof)
		return "its move gives the bound away";
	return !counted || least < reason->rank ? NULL : "its move takes more plies than its rank";
}

/* NULL when the reason is true of the position, else what is wrong with it. */
static const char *compare_reason(const struct round *r, const uint8_t *key, size_t size,
				  const struct pd_reason *reason)
{
	const struct diff_oracle *o = &r->oracle;
	bool proof = reason->side == PD_LO;
	int bound = proof ? reason->bound : reason->bound + 1; /* proof or refutation of "First gets at least bound" */
	unsigned least;
	if (bound <= o->game->value_min || bound > o->game->value_max)
		return "the bound is off the scale";
	int holds = o->holds(o->ctx, key, size, bound, &least);
	if (holds < 0)
		return "the fact is about no position, or about one where the game is over";
	if (holds != proof)
		return "the bound is not true";
	bool counted = o->game->acyclic || (o->game->infinite_value >= bound) != proof;
	if (!counted && reason->rank != PD_RANK_NONE)
		return "it is path-dependent, and has a rank";
	if (counted && (reason->rank > PD_RANK_MAX || reason->rank < least))
		return "the rank is too small";
	return compare_move(o, key, size, reason, bound, counted);
}

static void compare_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct round *r = ctx;
	const struct game *game = r->oracle.game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[96];
	const char *bad = compare_reason(r, key, size, reason);
	r->sum->facts++;
	r->sum->by[r->algorithm]++;
	snprintf(text, sizeof text, "side %u bound %d rank %u effort %" PRIu32, reason->side, reason->bound,
		 reason->rank, reason->effort);
	if (bad)
		print_wrong(r, bad, game->rules->unkey(game, key, size, state) ? NULL : state, text);
	factbase_add(&r->base, key, size, reason);
}

/* The value of a position; INT16_MIN where the oracle does not know it. */
static int value_of(const struct round *r, const void *state)
{
	const struct diff_oracle *o = &r->oracle;
	uint8_t key[GAME_KEY_MAX];
	int value;
	unsigned plies;
	if (o->game->rules->terminal(o->game, state, &value))
		return value;
	size_t size = o->game->rules->key(o->game, state, key);
	for (value = o->game->value_max; value > o->game->value_min; value--) {
		int holds = o->holds(o->ctx, key, size, value, &plies);
		if (holds)
			return holds < 0 ? INT16_MIN : value;
	}
	return value;
}

static void compare_answer(struct round *r, const void *state, const struct pd_claim *claim, const struct pn_answer *a)
{
	const struct game *game = r->oracle.game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	int value = value_of(r, state), over;
	char text[96];
	r->sum->answers++;
	snprintf(text, sizeof text, "%d to %d, the value is %d", a->lo, a->hi, value);
	if (a->lo > value || a->hi < value)
		print_wrong(r, "the answer is not true", state, text);
	if (!a->answered) {
		r->sum->unanswered++;
		return;
	}
	if (claim->value ? a->lo != a->hi : a->yes != ((value >= claim->threshold) != claim->refusal))
		print_wrong(r, "the question is not answered, or with the wrong word", state, text);
	if (a->move == PD_NO_MOVE || game->rules->terminal(game, state, &over))
		return;
	/* Of the bounds that are known, the move secures the mover's. */
	memcpy(child, state, game->state_size);
	game->rules->play(game, child, a->move);
	int there = value_of(r, child);
	if (there == INT16_MIN || (game->rules->first_to_move(game, state) ? there < a->lo : there > a->hi))
		print_wrong(r, "the move does not lead there", state, text);
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
		snprintf(text, sizeof text, "%u.%02u", walk_below(random, t->max < 3 ? (unsigned)t->max : 3),
			 walk_below(random, 100));
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
	o->algorithm = walk_below(random, 3) ? (enum pn_algorithm)walk_below(random, ALGORITHMS) : PN_PDS_PN;
	o->detail = walk_below(random, 3) ? PN_FRONTIER : PN_FULL;
	o->seed = walk_below(random, 4) ? walk_random(random) : 0;
	o->shorten = walk_below(random, 5) ? 0 : 2000;
	o->threads = 1 + walk_below(random, 3);
	o->remote = walk_below(random, 2) ? 0 : 1 + walk_below(random, DIFF_REMOTE_MAX);
	o->memory = 4 << 20;
	o->tt_entries = 16u << walk_below(random, 5);
	o->paper_nodes = 5000 + walk_below(random, 5000);
	if (walk_below(random, 2))
		o->cap_first = o->cap_last = 1 + walk_below(random, 60);
}

static struct pd_claim random_claim(const struct game *game, uint64_t *random)
{
	char text[24];
	struct pd_claim claim;
	struct pd_fail fail;
	snprintf(text, sizeof text, "first>=%d",
		 game->value_min + 1 + (int)walk_below(random, (unsigned)(game->value_max - game->value_min)));
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
	struct pn_solver_setup setup = {r->oracle.game, state, claim, o, host, resumed};
	if (!pn_solver_new(&setup, &solver, &fail))
		return solver;
	printf("%s, seed %" PRIu64 ": %s\n", r->oracle.game->name, r->seed, fail.text);
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
	char asked[64];
	enum pn_state end = PN_RUNNING;
	r->oracle.pick(r->oracle.ctx, &r->random, state);
	random_options(&o, &r->random);
	r->algorithm = o.algorithm;
	struct pd_claim claim = random_claim(r->oracle.game, &r->random);
	bool facts = walk_below(&r->random, 4) != 0;
	uint64_t budget = facts && walk_below(&r->random, 3) == 0 ? 1 + walk_below(&r->random, 400) : NODES_MOST,
		 turn = budget;
	snprintf(asked, sizeof asked, "%s, %s %d%s", pn_algorithm_text(o.algorithm), claim.text, claim.threshold,
		 claim.refusal ? " refused" : "");
	r->asked = asked;
	struct pn_solver *solver = solver_of(r, state, &claim, &o, facts ? &host : NULL, NULL);
	while (p.level1 + p.level2 < NODES_MOST) {
		unsigned threads = interleave_join(solver, o.threads, facts ? &host : NULL);
		diff_remote_join(&r->remote, solver, &o, facts ? &host : NULL);
		const struct interleave_others others = {r->remote.count, diff_remote_turn, &r->remote};
		do {
			end = threads + others.count > 1 ? interleave_with(solver, threads, &others,
									   others.count ? 10 : 100, 2000, &r->random)
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
	compare_answer(r, state, &claim, &answer);
	if (r->remote.wrong)
		print_wrong(r, r->remote.wrong, state, "");
	r->remote.wrong = NULL;
	r->sum->solves++;
	r->sum->nodes += p.level1 + p.level2;
	pn_solver_free(solver);
	free(journal.entry);
}

/* Asks a graph or game `solves` times; at the end each fact is justified by the others. */
static void run_round(struct sum *sum, uint64_t seed, const struct diff_oracle *oracle, unsigned solves)
{
	struct round r = {.sum = sum, .seed = seed, .random = seed, .oracle = *oracle};
	unsigned leaves;
	factbase_init(&r.base);
	diff_remote_init(&r.remote, oracle->game, seed);
	for (unsigned i = 0; i < solves; i++)
		solve_round(&r);
	unsigned bad = factbase_check(&r.base, oracle->game, &leaves) + r.base.conflicts;
	r.asked = "all searches";
	if (bad)
		print_wrong(&r, "facts that the others do not justify, or that contradict each other", NULL, "");
	sum->justified += r.base.count;
	sum->leaves += leaves;
	sum->remote += r.remote.leaves;
	sum->proofs += r.remote.proofs;
	diff_remote_fini(&r.remote);
	factbase_fini(&r.base);
}

static void run_graph(struct sum *sum, uint64_t seed, unsigned solves)
{
	struct diff_solved *solved = calloc(1, sizeof *solved);
	if (!solved)
		abort();
	diff_graph_make(&solved->graph, seed);
	diff_graph_solve(&solved->graph, &solved->truth);
	solved->game = graph_game(diff_graph_plain(&solved->graph, seed));
	if (solved->game->acyclic != solved->truth.acyclic) {
		printf("WRONG: graph seed %" PRIu64 ": the game says the contrary of its cycles\n", seed);
		sum->wrong++;
	}
	sum->graphs++;
	sum->cyclic += !solved->truth.acyclic;
	struct diff_oracle oracle = diff_graph_oracle(solved);
	run_round(sum, seed, &oracle, solves);
	if (seed % CORE_SHARE == 0) {
		sum->cores++;
		sum->wrong += diff_core(&solved->graph, &solved->truth, seed);
	}
	game_close(solved->game);
	free(solved);
}

static void run_game(struct sum *sum, uint64_t seed)
{
	struct diff_oracle oracle = diff_games_oracle((unsigned)(seed / GRAPHS_A_GAME));
	sum->games++;
	run_round(sum, seed, &oracle, SOLVES_A_GAME);
}

/* --- the whole ---------------------------------------------------------------------------- */

static void print_sum(const struct sum *sum)
{
	printf("graphs %" PRIu64 " (%" PRIu64 " with cycles), games %" PRIu64 ", solves %" PRIu64 " (resumed %" PRIu64
	       " times), nodes %" PRIu64 "\n"
	       "facts compared %" PRIu64 ", answers compared %" PRIu64 ", unanswered %" PRIu64
	       ", positions justified %" PRIu64 " (leaves %" PRIu64 "), remote leaves solved %" PRIu64
	       " (proofs %" PRIu64 "), graphs by the core %" PRIu64 "\nfacts by",
	       sum->graphs, sum->cyclic, sum->games, sum->solves, sum->resumed, sum->nodes, sum->facts, sum->answers,
	       sum->unanswered, sum->justified, sum->leaves, sum->remote, sum->proofs, sum->cores);
	for (unsigned i = 0; i < ALGORITHMS; i++)
		printf(" %s %" PRIu64, pn_algorithm_text((enum pn_algorithm)i), sum->by[i]);
	printf("\nseconds %.1f, wrong %" PRIu64 "\n", (double)sum->milliseconds / 1e3, sum->wrong);
	fflush(stdout);
}

/* Reads the file that save_state wrote. Returns false if there is none. */
static bool load_state(const char *path, uint64_t *seed, struct sum *sum)
{
	FILE *file = fopen(path, "r");
	unsigned algorithms = 0;
	if (!file)
		return false;
	bool good = fscanf(file, "seed %" SCNu64 " algorithms %u", seed, &algorithms) == 2 && algorithms == ALGORITHMS;
#define X(member) good = good && fscanf(file, " " #member " %" SCNu64, &sum->member) == 1;
	COUNTS(X)
#undef X
	for (unsigned i = 0; i < ALGORITHMS; i++)
		good = good && fscanf(file, "%" SCNu64, &sum->by[i]) == 1;
	fclose(file);
	if (good)
		return true;
	fprintf(stderr, "lab diff: '%s' is not a state file of this program\n", path);
	exit(2);
}

static void save_state(const char *path, uint64_t seed, const struct sum *sum)
{
	char next[4096];
	if ((size_t)snprintf(next, sizeof next, "%s.next", path) >= sizeof next)
		abort();
	FILE *file = fopen(next, "w");
	if (!file) {
		perror(next);
		exit(2);
	}
	fprintf(file, "seed %" PRIu64 " algorithms %u\n", seed, (unsigned)ALGORITHMS);
#define X(member) fprintf(file, #member " %" PRIu64 "\n", sum->member);
	COUNTS(X)
#undef X
	for (unsigned i = 0; i < ALGORITHMS; i++)
		fprintf(file, "%" PRIu64 "\n", sum->by[i]);
	if (fclose(file) || rename(next, path)) {
		perror(path);
		exit(2);
	}
}

static uint64_t milliseconds_of_processor(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Until so many facts are compared, or `graphs` are done. A round depends on its number alone, so a run that is ended
 * and begun again finds the same. */
static void run_all(struct sum *sum, uint64_t seed, uint64_t facts, uint64_t graphs, uint64_t solves, const char *state)
{
	uint64_t before = sum->milliseconds, start = milliseconds_of_processor();
	while (sum->graphs < graphs && sum->facts < facts) {
		uint64_t i = sum->graphs, wanted = SOLVES_A_GRAPH;
		if (solves != UINT64_MAX)
			wanted = (solves - (sum->solves < solves ? sum->solves : solves) + graphs - i - 1) /
				 (graphs - i);
		run_graph(sum, seed + i, wanted < SOLVES_A_GRAPH ? (unsigned)wanted : SOLVES_A_GRAPH);
		if (i % GRAPHS_A_GAME == 0)
			run_game(sum, seed + i);
		sum->milliseconds = before + milliseconds_of_processor() - start;
		if ((i + 1) % SAVE_ROUNDS == 0 && state)
			save_state(state, seed, sum);
		if ((i + 1) % (5 * SAVE_ROUNDS) == 0) {
			printf("%" PRIu64 " graphs, %" PRIu64 " solves, %" PRIu64 " facts, %.1f s, %" PRIu64 " wrong\n",
			       sum->graphs, sum->solves, sum->facts, (double)sum->milliseconds / 1e3, sum->wrong);
			fflush(stdout);
		}
	}
}

static int run_facts(int argc, char **argv)
{
	uint64_t facts = 0, seed = 1, asked = 0;
	const char *state = NULL;
	struct sum sum = {0};
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--facts"))
			facts = (uint64_t)strtod(argv[i + 1], NULL);
		else if (!strcmp(argv[i], "--seed"))
			seed = asked = strtoull(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--state"))
			state = argv[i + 1];
		else
			return 2;
	}
	if (argc % 2 == 0 || !facts)
		return 2;
	if (state && load_state(state, &seed, &sum) && asked && asked != seed) {
		fprintf(stderr, "lab diff: the seed of '%s' is %" PRIu64 "\n", state, seed);
		return 2;
	}
	run_all(&sum, seed, facts, UINT64_MAX, UINT64_MAX, state);
	if (state)
		save_state(state, seed, &sum);
	print_sum(&sum);
	return sum.wrong != 0;
}

PROGRAM(diff)
{
	bool share = argc > 1 && !strcmp(argv[1], "--share");
	uint64_t graphs = argc > 1 && !share ? strtoull(argv[1], NULL, 10) : share ? 1700 : 100000;
	uint64_t solves = argc > 2 ? strtoull(argv[2], NULL, 10) : 2 * graphs,
		 seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	struct sum sum = {0};
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: ./dev lab diff [GRAPHS [SOLVES [SEED]]]\n"
		       "       ./dev lab diff --facts FACTS [--state FILE] [--seed SEED]\n");
		return 0;
	}
	pd_log_threshold(PD_LOG_WARN);
	if (argc > 1 && !share && !strncmp(argv[1], "--", 2))
		return run_facts(argc, argv);
	if (share)
		seed = walk_seed("lab.diff", seed);
	run_all(&sum, seed, UINT64_MAX, graphs, solves, NULL);
	print_sum(&sum);
	return sum.wrong != 0;
}
