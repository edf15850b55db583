/* Laws of whole games: two ways of counting, and all searches against a plain retrograde analysis. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/gametest/law.h"
#include "clients/gametest/oracle.h"
#include "solver/solver.h"
#include "solver/strategies.h"

/* Counts the sequences a second way: through canonical positions, and the last ply with `count`. */
static uint64_t count_sequences(struct gt *t, const struct gt_state *s, unsigned depth)
{
	uint64_t sum = 0;
	struct gt_moves *moves = malloc(sizeof *moves);
	struct gt_state child, canonical;
	if (!moves || !depth) {
		free(moves);
		return 1;
	}
	cl_gt_moves(t, s, moves);
	if (depth == 1)
		sum = t->rules->count ? t->rules->count(t->game, s) : moves->count;
	for (unsigned i = 0; i < moves->count && depth > 1; i++) {
		cl_gt_child(t, s, moves->at[i], &child);
		cl_gt_canonical(t, &child, &canonical);
		sum += count_sequences(t, &canonical, depth - 1);
	}
	free(moves);
	return sum;
}

static void compare_perft(struct gt *t)
{
	enum { MOST = 200000, DEEPEST = 12 };
	struct gt_report *r = t->report;
	struct gt_state s;
	uint64_t count = 1, before = 1;
	size_t used = 0;
	cl_gt_start(t, &s);
	for (unsigned depth = 1; depth <= DEEPEST && count && count / before * count <= MOST; depth++) {
		before = count;
		cl_gt_watch(10 * GT_LOOP_S);
		count = game_perft(t->game, &s, depth);
		uint64_t other = count_sequences(t, &s, depth);
		if (count != other)
			cl_gt_broken(t,
				     "%" PRIu64 " move sequences of %u plies by moves and play, %" PRIu64
				     " by canonical positions and count",
				     count, depth, other);
		used += (size_t)snprintf(r->note + used, sizeof r->note - used, "%s%" PRIu64,
					 depth > 1 ? ", " : "perft ", count);
		r->positions += count;
	}
}

enum { POSITIONS_MAX = 20000, ROOTS = 6, NODES_MAX = 1000000, STEP_NODES = 5000, MEMORY = 16 << 20, TRIES = 60 };

/* The analysis that facts are compared with. */
struct against {
	struct gt *t;
	struct gt_oracle *oracle;
	const char *algorithm;
};

static void check_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct against *a = ctx;
	int value;
	if (!cl_gt_oracle_value(a->oracle, key, size, &value))
		return; /* the analysis has not reached it */
	if (reason->side == PD_LO ? value < reason->bound : value > reason->bound)
		cl_gt_broken(
			a->t,
			"the search %s finds a position below this one with a value of %s %d; the analysis finds %d",
			a->algorithm, reason->side == PD_LO ? "at least" : "at most", reason->bound, value);
}

static void solve_position(struct gt *t, const struct gt_state *root, struct gt_oracle *oracle,
			   enum pn_algorithm algorithm, unsigned *unanswered)
{
	struct pd_claim claim;
	struct pd_fail fail;
	struct pn_options options;
	struct pn_solver *solver;
	struct pn_answer answer;
	struct pn_entry entries[256];
	struct against against = {t, oracle, pn_algorithm_text(algorithm)};
	enum pn_state state;
	uint64_t nodes = 0;
	int truth = cl_gt_oracle_root(oracle);
	pn_options_init(&options);
	options.algorithm = algorithm;
	options.memory = MEMORY;
	options.detail = cl_gt_below(t, 2) ? PN_FULL : PN_FRONTIER;
	if (pd_claim_parse("value", &claim, &fail) ||
	    pn_solver_new(&(struct pn_solver_setup){t->game, root, &claim, &options, NULL, NULL}, &solver, &fail)) {
		++*unanswered;
		return;
	}
	do {
		cl_gt_watch(2 * GT_LOOP_S);
		state = pn_solver_step(solver, STEP_NODES);
		nodes += STEP_NODES;
		while (pn_solver_take_entries(solver, entries, 256))
			;
		pn_solver_take_facts(solver, check_fact, &against);
	} while ((state == PN_RUNNING || state == PN_COLLECT) && nodes < NODES_MAX);
	pn_solver_answer(solver, &answer);
	if (answer.lo > truth || answer.hi < truth)
		cl_gt_broken(t, "the search %s finds a value from %d to %d; the analysis finds %d", against.algorithm,
			     answer.lo, answer.hi, truth);
	*unanswered += !answer.answered;
	pn_solver_free(solver);
}

static void check_static(struct gt *t, const struct gt_state *s, const struct gt_oracle *oracle)
{
	struct game_static known;
	struct gt_key key;
	int value;
	cl_gt_key(t, s, &key);
	if (!t->rules->static_solve || t->rules->terminal(t->game, s, &value) ||
	    (t->rules->immediate_win && t->rules->immediate_win(t->game, s, &value)) ||
	    !cl_gt_oracle_value(oracle, key.bytes, key.size, &value) || !t->rules->static_solve(t->game, s, &known))
		return;
	if (known.value != value)
		cl_gt_broken(t, "static_solve says that First gets %d; the analysis finds %d", known.value, value);
	if (known.plies < 2 || known.effort < 1)
		cl_gt_broken(t, "static_solve says %u plies and an effort of %u; they must be at least 2 and 1",
			     known.plies, known.effort);
}

/* Checks theorem, for one claim. */
static void check_theorem(struct gt *t, const struct gt_state *s, int threshold, const struct gt_oracle *oracle)
{
	struct game_theorem known, again;
	uint8_t witness[GAME_WITNESS_MAX];
	struct gt_key key;
	int value;
	cl_gt_key(t, s, &key);
	if (t->rules->terminal(t->game, s, &value) ||
	    (t->rules->immediate_win && t->rules->immediate_win(t->game, s, &value)) ||
	    !cl_gt_oracle_value(oracle, key.bytes, key.size, &value))
		return;
	bool speaks = t->rules->theorem(t->game, s, threshold, &known, witness);
	if (speaks != t->rules->theorem(t->game, s, threshold, &again, NULL))
		cl_gt_broken(t, "theorem says more or less when a witness is wanted");
	if (!speaks)
		return;
	if (known.proved != (value >= threshold))
		cl_gt_broken(t, "theorem says that First gets %s %d; the analysis finds %d",
			     known.proved ? "at least" : "less than", threshold, value);
	bool reserved = known.number >= STRATEGY_THEOREM && known.number <= ZONE_THEOREM;
	if (known.number < 1 || reserved || known.plies == 1 || known.effort < 1 || known.witness > GAME_WITNESS_MAX)
		cl_gt_broken(
			t,
			"theorem gives number %u, %u plies, an effort of %u and %u bytes of witness; a number and "
			"an effort are at least 1, the number is none of %d to %d, plies 2 or 0, a witness has at most "
			"%d bytes",
			known.number, known.plies, known.effort, known.witness, STRATEGY_THEOREM, ZONE_THEOREM,
			(int)GAME_WITNESS_MAX);
}

static void check_knowledge(struct gt *t, const struct gt_state *s, const struct gt_oracle *oracle)
{
	check_static(t, s, oracle);
	for (int threshold = t->game->value_min + t->game->value_step;
	     t->rules->theorem && threshold <= t->game->value_max; threshold += t->game->value_step)
		check_theorem(t, s, threshold, oracle);
}

static void compare_searches(struct gt *t)
{
	struct gt_state root, s;
	static struct gt_moves moves;
	unsigned roots = 0, unanswered = 0, searches = 0, largest = 0;
	uint64_t begun = t->report->positions;
	for (unsigned i = 0; i < TRIES && roots < ROOTS; i++) {
		if (i)
			cl_gt_position(t, &root);
		else
			cl_gt_start(t, &root);
		cl_gt_watch(10 * GT_LOOP_S);
		struct gt_oracle *oracle = cl_gt_oracle_new(t, &root, POSITIONS_MAX);
		if (!oracle)
			continue;
		unsigned size = cl_gt_oracle_positions(oracle);
		if (size < 3 && i) {
			cl_gt_oracle_free(oracle);
			continue;
		}
		roots++;
		largest = size > largest ? size : largest;
		for (enum pn_algorithm a = 0; a <= PN_ALGORITHM_LAST; a++, searches++)
			solve_position(t, &root, oracle, a, &unanswered);
		unsigned plies = t->report->plies;
		for (unsigned walk = 0; walk < 40; walk++) {
			s = root;
			t->report->plies = plies;
			for (unsigned ply = 0; ply < 60; ply++) {
				check_knowledge(t, &s, oracle);
				cl_gt_moves(t, &s, &moves);
				if (!moves.count)
					break;
				cl_gt_step(t, &s, moves.at[cl_gt_below(t, moves.count)]);
			}
		}
		cl_gt_oracle_free(oracle);
	}
	t->report->positions = begun + roots;
	if (!roots)
		snprintf(t->report->note, sizeof t->report->note,
			 "nothing was searched: every position tried leads to at least %d others; try smaller "
			 "parameters",
			 (int)POSITIONS_MAX);
	else
		snprintf(t->report->note, sizeof t->report->note,
			 "%u searches from %u positions, the largest of which leads to %u others; %u not answered",
			 searches, roots, largest, unanswered);
}

const struct gt_law cl_laws_search[] = {
	{"perft", "two ways of counting move sequences agree", compare_perft},
	{"solves", "all searches find what a plain retrograde analysis finds", compare_searches},
	{0},
};
