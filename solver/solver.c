#include "solver/solver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "solver/pds.h"

/* A solver answers one question by a short series of claims: one for a claim, for `value` as many as halve the open
 * part of the scale. Each claim is searched by `pds` over the table (with `tree` as level 2), or by `tree` alone
 * (`pn`). The claims share table, cache and facts.
 *
 * Invariant: `root_fact` holds all that is known of the root, in the root's own frame; lo and hi follow from it. */
struct pn_solver {
	const struct game *game;
	struct pn_options options;
	struct pn_host host;
	struct pd_claim claim;
	void *root;               /* owned */
	struct pd_fact root_fact; /* moves in the root's own frame */
	int16_t lo, hi;
	struct question question; /* the claim in work */
	bool searching;           /* it was started */
	bool shortening;          /* what is searched is a shorter win, in the tree alone */
	uint64_t shorten;         /* nodes left for that; 0: there is no shorter one, or none is wanted */
	enum pn_point point;      /* where the last step returned */
	const char *why;
	struct table table;
	struct cache cache;
	struct tree tree;
	struct pds pds;
	struct found found;
	struct pn_progress resumed; /* counters at the start */
	uint64_t memory;
	bool has_table, has_tree, has_pds;
};

static bool has_table(const struct pn_options *o)
{
	return pn_algorithm_walk(o->algorithm) != PN_WALK_TREE;
}

/* The claim at `threshold`, asked as the options say. */
static struct question question_for(const struct pn_solver *s, int threshold)
{
	struct question q = question_of(s->game, threshold);
	q.weak |= s->options.weak;
	return q;
}

/* --- making
 * -------------------------------------------------------------------------------------------------------------------------
 */

int pn_question_check(const struct game *game, const struct pd_claim *claim, struct pd_fail *fail)
{
	if (game->plies_max > PD_RANK_MAX)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game", "%s may last %u plies; at most %d can be counted",
				   game->name, game->plies_max, PD_RANK_MAX);
	if (!claim->value && (claim->threshold <= game->value_min || claim->threshold > game->value_max))
		return pd_fail_set(fail, PD_E_CLAIM, "claim",
				   "the values of %s go from %d to %d, so 'first gets at least %d' is settled; use "
				   "first>=N with N from %d to %d",
				   game->name, game->value_min, game->value_max, claim->threshold, game->value_min + 1,
				   game->value_max);
	return PD_OK;
}

/* Shares the memory out: the arena first, a quarter of the rest for the cache. */
static bool make_parts(struct pn_solver *s)
{
	const struct pn_options *o = &s->options;
	bool paper = o->algorithm == PN_PAPER;
	struct tree_options tree = {
		.keep_proofs = o->detail == PN_FULL,
		.mobility = o->mobility,
		.heuristics = has_table(o) && !paper,
		.wins_at_once = has_table(o) && !paper,
		.seed = o->seed,
	};
	uint64_t rest = o->memory;
	if (!has_table(o) || pn_algorithm_leaves(o->algorithm)) {
		uint64_t nodes = paper ? o->paper_nodes : o->cap_last;
		uint64_t bytes = sizeof(struct tree_node) * (nodes + nodes / 4 + 4 * (uint64_t)s->game->moves_max);
		if (!has_table(o) || bytes > rest / 4)
			bytes = has_table(o) ? rest / 4 : rest;
		if (has_table(o) && !paper && o->cache) {
			uint64_t cache = (rest - bytes) / 4;
			if (!cache_init(&s->cache, cache))
				return false;
			if (s->cache.buckets)
				tree.cache = &s->cache;
			rest -= cache;
		}
		s->has_tree = tree_init(&s->tree, s->game, bytes, &tree);
		if (!s->has_tree)
			return false;
		rest -= bytes;
	}
	if (!has_table(o))
		return true;
	if (paper && rest > o->paper_nodes * sizeof(struct pn_entry))
		rest = o->paper_nodes * sizeof(struct pn_entry);
	s->has_table = table_init(&s->table, rest, paper);
	if (!s->has_table)
		return false;
	s->pds = (struct pds){
		.question = question_of(s->game, 0),
		.options = &s->options,
		.host = &s->host,
		.table = &s->table,
		.tree = s->has_tree ? &s->tree : NULL,
		.cache = tree.cache,
		.found = &s->found,
		.to_the_letter = paper,
		.dfpn = pn_algorithm_walk(o->algorithm) == PN_WALK_DFPN,
	};
	s->has_pds = pds_init(&s->pds);
	return s->has_pds;
}

/* --- what is known of the root
 * ------------------------------------------------------------------------------------------------------- */

static void learn(struct pn_solver *s, const struct pd_reason *reason)
{
	pd_fact_add(&s->root_fact, reason);
	if (reason->side == PD_LO && reason->bound > s->lo)
		s->lo = reason->bound;
	if (reason->side == PD_HI && reason->bound < s->hi)
		s->hi = reason->bound;
}

/* Takes in what the rules and the host know of the root. */
static void learn_known(struct pn_solver *s)
{
	const struct game *g = s->game;
	int value;
	if (g->rules->terminal(g, s->root, &value)) {
		s->lo = s->hi = (int16_t)value;
		return;
	}
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
	size_t size = g->rules->key(g, s->root, key);
	if (!s->host.fact || !s->host.fact(s->host.ctx, key, size, &fact))
		return;
	for (unsigned i = 0; i < fact.count; i++) {
		struct pd_reason r = fact.reason[i];
		if (r.move != PD_NO_MOVE)
			r.move = game_canon(g, s->root, r.move, true);
		learn(s, &r);
	}
}

static bool answered(const struct pn_solver *s)
{
	return s->claim.value ? s->lo == s->hi : s->lo >= s->claim.threshold || s->hi < s->claim.threshold;
}

/* The next claim to search: the upper middle of what is open. */
static int next_threshold(const struct pn_solver *s)
{
	if (!s->claim.value)
		return s->claim.threshold;
	int step = s->game->value_step, open = (s->hi - s->lo) / step;
	return s->lo + step * (open / 2 + 1);
}

int pn_solver_new(const struct game *game, const void *root, const struct pd_claim *claim,
		  const struct pn_options *options, const struct pn_host *host, const struct pn_progress *resumed,
		  struct pn_solver **out, struct pd_fail *fail)
{
	int error = pn_question_check(game, claim, fail);
	if (error)
		return error;
	if (options->memory < PN_MEMORY_MIN)
		return pd_fail_set(fail, PD_E_PARAMS, "memory",
				   "%llu bytes are too few for a search; at least %llu are needed",
				   (unsigned long long)options->memory, (unsigned long long)PN_MEMORY_MIN);
	struct pn_solver *s = calloc(1, sizeof *s);
	if (s)
		s->root = malloc(game->state_size);
	if (!s || !s->root) {
		free(s);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a solver");
	}
	s->game = game;
	s->options = *options;
	if (host)
		s->host = *host;
	s->claim = *claim;
	s->shorten = options->shorten;
	s->lo = game->value_min;
	s->hi = game->value_max;
	s->point = PN_POINT_START;
	if (resumed)
		s->resumed = *resumed;
	memcpy(s->root, root, game->state_size);
	found_init(&s->found);
	if (!make_parts(s)) {
		pn_solver_free(s);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "%llu bytes for the search cannot be had",
				   (unsigned long long)options->memory);
	}
	learn_known(s);
	*out = s;
	return PD_OK;
}

void pn_solver_free(struct pn_solver *s)
{
	if (!s)
		return;
	pds_fini(&s->pds);
	table_fini(&s->table);
	if (s->has_tree)
		tree_fini(&s->tree);
	cache_fini(&s->cache);
	found_fini(&s->found);
	free(s->root);
	free(s);
}

void pn_solver_load(struct pn_solver *s, const struct pn_entry *entries, size_t count)
{
	if (s->has_table)
		for (size_t i = 0; i < count; i++)
			table_load(&s->table, &entries[i]);
}

/* --- stepping
 * ------------------------------------------------------------------------------------------------------------------------
 */

/* The claim in work is solved at the root with these numbers. */
static void claim_solved(struct pn_solver *s, const uint32_t num[2], game_move move)
{
	struct pd_reason reason = question_reason(&s->question, num);
	reason.move = move;
	learn(s, &reason);
	s->searching = false;
}

static bool start_claim(struct pn_solver *s)
{
	s->question = question_for(s, next_threshold(s));
	s->searching = true;
	if (s->has_pds)
		return pds_start(&s->pds, &s->question, s->root);
	tree_start(&s->tree, &s->question, s->root, UINT64_MAX);
	return true;
}

/* Level 1: one stretch of the search of the claim in work. */
static enum pn_state step_pds(struct pn_solver *s, uint64_t *nodes)
{
	switch (pds_run(&s->pds, nodes)) {
	case PDS_SOLVED:
		claim_solved(s, s->pds.root_num, s->pds.root_move);
		return PN_RUNNING;
	case PDS_COLLECT:
		return PN_COLLECT;
	case PDS_NO_MEMORY:
		s->why = "memory: no memory for the search's frames or the facts it found";
		return PN_STUCK;
	case PDS_DEPTH:
		s->why = "depth: what is left open goes on for more plies than a path can have";
		return PN_STUCK;
	case PDS_MORE:
		break;
	}
	return PN_RUNNING;
}

/* The tree has solved the claim in work. */
static void tree_solved(struct pn_solver *s)
{
	const uint32_t *num = tree_numbers(&s->tree);
	if (s->options.detail == PN_FULL) {
		tree_emit(&s->tree, &s->found);
	} else {
		struct pd_reason reason = question_reason(&s->question, num);
		reason.move = s->tree.root_move;
		reason.effort = tree_effort(&s->tree);
		found_put(&s->found, &s->question, s->root, reason);
	}
	claim_solved(s, num, s->tree.root_move);
}

static enum pn_state step_tree(struct pn_solver *s, uint64_t *nodes)
{
	switch (tree_run(&s->tree, nodes)) {
	case TREE_SOLVED:
		tree_solved(s);
		break;
	case TREE_FULL:
		s->why = "memory: the search tree fills it; give more, or take an algorithm with a table";
		return PN_STUCK;
	case TREE_DEPTH:
		s->why = "depth: what is left open goes on for more plies than a path can have";
		return PN_STUCK;
	case TREE_MORE:
	case TREE_BUDGET:
		break;
	}
	if (s->found.failed) {
		s->why = "memory: no memory for the facts that were found";
		return PN_STUCK;
	}
	return PN_RUNNING;
}

/* The one bound of the root that says how long it takes, NULL when there is none or when there are two (a drawn game's
 * length is nobody's aim). */
static const struct pd_reason *win_of(const struct pn_solver *s)
{
	const struct pd_reason *lo = pd_fact_find(&s->root_fact, PD_LO, s->lo);
	const struct pd_reason *hi = pd_fact_find(&s->root_fact, PD_HI, s->hi);
	const struct pd_reason *win = lo && hi ? NULL : lo ? lo : hi;
	return win && win->rank > 1 && win->rank <= PD_RANK_MAX ? win : NULL;
}

/* Searches in the tree for the same bound in fewer plies than are known, until there is none or the nodes for it end.
 */
static enum pn_state step_shorter(struct pn_solver *s, uint64_t *nodes)
{
	const struct pd_reason *win = win_of(s);
	if (!s->has_tree || !win) {
		s->shorten = 0;
		return PN_RUNNING;
	}
	if (!s->shortening) {
		struct pn_goal goal = pn_goal_of(s->game, win);
		s->question = question_for(s, goal.threshold);
		tree_start(&s->tree, &s->question, s->root, UINT64_MAX);
		tree_limit(&s->tree, win->rank - 1u, goal.proof);
		s->shortening = true;
	}
	uint64_t quota = *nodes < s->shorten ? *nodes : s->shorten, left = quota;
	enum tree_end end = tree_run(&s->tree, &left);
	*nodes -= quota - left;
	s->shorten -= quota - left;
	if (end == TREE_MORE)
		return PN_RUNNING;
	s->shortening = false;
	if (end == TREE_SOLVED && (tree_numbers(&s->tree)[0] == 0) == (win->side == PD_LO))
		tree_solved(s);
	else
		s->shorten = 0;
	return s->found.failed ? PN_STUCK : PN_RUNNING;
}

/* Where the search stands after a step that ended in `state`. */
static enum pn_point point_of(const struct pn_solver *s, enum pn_state state)
{
	if (state == PN_STUCK)
		return PN_POINT_STUCK;
	if (state == PN_COLLECT)
		return PN_POINT_COLLECT;
	if (s->shortening)
		return PN_POINT_LEVEL2;
	if (!s->searching)
		return PN_POINT_START;
	return s->has_pds && !s->pds.evaluating ? PN_POINT_TURN : PN_POINT_LEVEL2;
}

enum pn_state pn_solver_step(struct pn_solver *s, uint64_t nodes)
{
	enum pn_state state = PN_RUNNING;
	while (state == PN_RUNNING && (!answered(s) || s->shorten)) {
		if (!nodes) {
			s->point = point_of(s, PN_RUNNING);
			return PN_RUNNING;
		}
		if (answered(s)) {
			state = step_shorter(s, &nodes);
			continue;
		}
		if (!s->searching && !start_claim(s)) {
			s->why = "memory: no memory for the search's frames";
			s->point = PN_POINT_STUCK;
			return PN_STUCK;
		}
		state = s->has_pds ? step_pds(s, &nodes) : step_tree(s, &nodes);
	}
	s->point = point_of(s, state);
	return state == PN_RUNNING ? PN_ANSWERED : state;
}

const char *pn_solver_why(const struct pn_solver *s)
{
	return s->why ? s->why : "";
}

/* --- telling
 * -------------------------------------------------------------------------------------------------------------------------
 */

void pn_solver_progress(const struct pn_solver *s, struct pn_progress *out)
{
	const uint32_t one[2] = {1, 1};
	const uint32_t *num = s->has_pds ? s->pds.root_num : tree_numbers(&s->tree);
	if (!s->question.game)
		num = one;
	*out = (struct pn_progress){
		.point = s->point,
		.level1 = s->resumed.level1 + s->pds.expansions,
		.level2 = s->resumed.level2 + (s->has_tree ? s->tree.generated : 0),
		.pn = num[0] < PN_INF ? num[0] : UINT32_MAX,
		.dn = num[1] < PN_INF ? num[1] : UINT32_MAX,
		.threshold = (int16_t)(s->question.game ? s->question.threshold : next_threshold(s)),
		.entries = s->table.used,
		.capacity = s->table.capacity,
		.facts = s->resumed.facts + s->found.count,
		.cache_hits = s->cache.hits,
		.cache_asks = s->cache.asks,
		.memory = s->options.memory,
		.lo = s->lo,
		.hi = s->hi,
		.level2_budget = s->pds.level2_budget,
	};
}

/* Of the reasons that bound the root, the move of the one that serves the mover, and the plies within which all is
 * decided. */
void pn_solver_answer(const struct pn_solver *s, struct pn_answer *out)
{
	const struct game *g = s->game;
	*out = (struct pn_answer){.lo = s->lo, .hi = s->hi, .answered = answered(s), .move = PD_NO_MOVE};
	bool proved = !s->claim.value && s->lo >= s->claim.threshold;
	out->yes = out->answered && (s->claim.value || proved != s->claim.refusal);
	int value;
	if (g->rules->terminal(g, s->root, &value))
		return;
	const struct pd_reason *lo = pd_fact_find(&s->root_fact, PD_LO, s->lo),
			       *hi = pd_fact_find(&s->root_fact, PD_HI, s->hi);
	const struct pd_reason *own = g->rules->first_to_move(g, s->root) ? lo : hi;
	if (own)
		out->move = own->move;
	if (lo)
		out->plies = lo->rank;
	if (hi && hi->rank > out->plies)
		out->plies = hi->rank; /* of PD_RANK_NONE and another the former: it may go on for ever */
}

size_t pn_solver_take_entries(struct pn_solver *s, struct pn_entry *out, size_t max)
{
	return s->has_table ? table_take(&s->table, out, max) : 0;
}

void pn_solver_take_facts(struct pn_solver *s,
			  void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
			  void *ctx)
{
	found_take(&s->found, each, ctx);
}

size_t pn_solver_sweep(const struct pn_solver *s, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	if (s->has_table)
		return table_sweep(&s->table, cursor, out, max);
	*cursor = UINT64_MAX;
	return 0;
}
