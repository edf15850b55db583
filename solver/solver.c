#include "solver/solver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "solver/bounded.h"
#include "solver/pds.h"
#include "solver/pn2.h"

/* A solver answers one question by a short series of claims: one for a claim, for `value` as many as halve the open
 * part of the scale. Each claim is searched by `pds` over the table (with `tree` as level 2), by `tree` alone (`pn`),
 * or by `pn2` (with `tree` as level 2). The claims share table, cache and facts.
 *
 * Invariant: `root_fact` holds all that is known of the root, in the root's own frame; lo and hi follow from it. */

/* One thread's search: everything that is not shared. */
struct search_thread {
	struct pn_host host;
	struct tree tree;
	struct pds pds;
	struct pn2 pn2;
	struct fact_buffer facts;
	bool made;                                       /* it has a tree and frames */
	bool here;                                       /* it walks */
	bool started;                                    /* the claim in work */
	bool solved;                                     /* it has come back with the claim's answer */
	const char *why;                                 /* it is stuck */
	uint64_t level1, level2, fact_count, asks, hits; /* as last told, for whoever looks while it walks */
};

struct pn_solver {
	const struct game *game;
	struct pn_options options;
	struct pd_claim claim;
	void *root;               /* owned */
	struct pd_fact root_fact; /* moves in the root's own frame */
	int16_t lo, hi;
	struct question question;    /* the claim in work */
	struct pd_identity identity; /* names positions in table and cache */
	bool searching;              /* it was started */
	bool shortening;             /* what is searched is a shorter win, in the tree alone */
	uint64_t shorten;            /* nodes left for that; 0: there is no shorter one, or none is wanted */
	enum pn_point point;         /* where the last step returned */
	const char *why;
	struct tt tt;
	struct cache cache;
	struct search_group group;
	struct search_thread *threads;   /* owned; options.walkers of them; the first is always here */
	unsigned here;                   /* how many are */
	uint64_t arena;                  /* bytes of one walker's */
	uint64_t trunk;                  /* bytes of the first tree of pn2 */
	struct pn_progress resumed;      /* counters at the start */
	bool has_tree, has_pds, has_pn2; /* walkers do */
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
	q.identity = &s->identity;
	return q;
}

/* --- making ------------------------------------------------------------------------------- */

int pn_question_check(const struct game *game, const struct pd_claim *claim, struct pd_fail *fail)
{
	if (game->plies_max > PD_RANK_MAX)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game", "%s may last %u plies; at most %d can be counted",
				   game->name, game->plies_max, PD_RANK_MAX);
	if (!claim->value && (claim->threshold <= game->value_min || claim->threshold > game->value_max))
		return pd_fail_set(fail, PD_E_CLAIM, "claim",
				   "the values of %s go from %d to %d, so 'first gets at least %d' is settled; use "
				   "first-at-least-N with N from %d to %d",
				   game->name, game->value_min, game->value_max, claim->threshold, game->value_min + 1,
				   game->value_max);
	return PD_OK;
}

/* Whether a search believes what a game knows beyond its rules. What is solved so has no proof yet, so it is a leaf. */
static bool knows(const struct pn_options *o)
{
	return o->knowledge && o->detail != PN_FULL && o->algorithm != PN_PAPER &&
	       pn_algorithm_walk(o->algorithm) != PN_WALK_TREE;
}

static struct tree_options tree_options_for(struct pn_solver *s)
{
	const struct pn_options *o = &s->options;
	bool own = o->algorithm != PN_PN && o->algorithm != PN_PAPER;
	return (struct tree_options){
		.keep_proofs = o->detail != PN_FRONTIER,
		.mobility = o->mobility,
		.heuristics = own && o->heuristics,
		.immediate_win = own,
		.knowledge = knows(o),
		.cache = s->cache.buckets ? &s->cache : NULL,
		.seed = o->seed,
	};
}

/* Makes a walker's own parts, unless it has them from an earlier stay. */
static bool make_thread(struct pn_solver *s, struct search_thread *w)
{
	if (w->made)
		return true;
	struct tree_options tree = tree_options_for(s);
	fact_buffer_init(&w->facts);
	if (s->has_tree && !tree_init(&w->tree, s->game, s->arena, &tree))
		return false;
	w->pds = (struct pds){
		.question = question_for(s, 0),
		.options = &s->options,
		.host = &w->host,
		.tt = &s->tt,
		.tree = s->has_tree ? &w->tree : NULL,
		.cache = tree.cache,
		.facts = &w->facts,
		.group = &s->group,
		.knowledge = knows(&s->options),
		.to_the_letter = s->options.algorithm == PN_PAPER,
		.dfpn = pn_algorithm_walk(s->options.algorithm) == PN_WALK_DFPN,
	};
	w->pn2 = (struct pn2){.options = &s->options, .below = &w->tree, .facts = &w->facts};
	if ((s->has_pds && !pds_init(&w->pds)) || (s->has_pn2 && !pn2_init(&w->pn2, s->game, s->trunk, &tree))) {
		if (s->has_tree)
			tree_fini(&w->tree);
		return false;
	}
	return w->made = true;
}

/* Shares the memory out: the arenas first, a quarter of the rest for the cache. */
static bool make_parts(struct pn_solver *s)
{
	const struct pn_options *o = &s->options;
	bool paper = o->algorithm == PN_PAPER;
	uint64_t rest = o->memory;
	s->has_pds = has_table(o);
	s->has_pn2 = o->algorithm == PN_PN2;
	s->has_tree = !has_table(o) || pn_algorithm_leaves(o->algorithm);
	if (s->has_tree) {
		uint64_t nodes = paper ? o->paper_nodes : o->cap_last, most = rest / 4 / o->threads;
		s->arena = sizeof(struct tree_node) * (nodes + nodes / 4 + 4 * (uint64_t)s->game->moves_max);
		if (o->algorithm == PN_PN)
			s->arena = rest;
		else if (s->arena > most)
			s->arena = most;
		if (has_table(o) && !paper && o->cache) {
			uint64_t cache = (rest - s->arena * o->threads) / 4;
			if (!cache_init(&s->cache, cache))
				return false;
			rest -= cache;
		}
		rest -= s->arena * o->threads;
	}
	s->trunk = rest;
	if (paper && rest > o->paper_nodes * sizeof(struct pn_entry))
		rest = o->paper_nodes * sizeof(struct pn_entry);
	if (o->tt_entries && rest > o->tt_entries * sizeof(struct pn_entry))
		rest = o->tt_entries * sizeof(struct pn_entry);
	if (s->has_pds && !tt_init(&s->tt, rest, paper))
		return false;
	s->threads[0].here = true;
	s->here = 1;
	return make_thread(s, &s->threads[0]);
}

/* --- what is known of the root ------------------------------------------------------------ */

/* There is room: learn_known has made it. */
static void learn(struct pn_solver *s, const struct pd_reason *reason)
{
	pd_fact_add(&s->root_fact, reason);
	if (reason->side == PD_LO && reason->bound > s->lo)
		s->lo = reason->bound;
	if (reason->side == PD_HI && reason->bound < s->hi)
		s->hi = reason->bound;
}

/* Takes in a fact of the root's; a move that nobody can play is damage. */
static int learn_fact(struct pn_solver *s, const struct pd_fact *fact, struct pd_fail *fail)
{
	const struct game *g = s->game;
	bool first = g->rules->first_to_move(g, s->root);
	for (uint32_t i = 0; i < fact->count; i++) {
		struct pd_reason r = pd_fact_reasons(fact)[i];
		bool own = r.side == (first ? PD_LO : PD_HI);
		char text[GAME_TEXT_MAX];
		if (!own)
			r.move = PD_NO_MOVE;
		if (r.move != PD_NO_MOVE && !game_legal_from_key(g, s->root, r.move, &r.move)) {
			g->rules->print(g, s->root, text, sizeof text);
			return pd_fail_set(fail, PD_E_CORRUPT, "facts",
					   "a stored fact of %s is damaged: the move that it records is not legal; "
					   "position '%.120s'. "
					   "proofctl check lists all",
					   g->name, text);
		}
		learn(s, &r);
	}
	return PD_OK;
}

/* Takes in what the rules and the host know of the root, and makes room for what the search will find. */
static int learn_known(struct pn_solver *s, struct pd_fail *fail)
{
	enum { CLAIMS_MAX = 17 }; /* that halve the scale of values one after the other; each adds a reason at most */
	const struct game *g = s->game;
	const struct pn_host *host = &s->threads[0].host;
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
	int value;
	if (g->rules->terminal(g, s->root, &value)) {
		s->lo = s->hi = (int16_t)value;
		return PD_OK;
	}
	pd_fact_init(&fact);
	if (!host->fact || !host->fact(host->ctx, key, g->rules->key(g, s->root, key), &fact))
		fact.count = 0;
	int rc = pd_fact_reserve(&s->root_fact, fact.count + CLAIMS_MAX)
			 ? learn_fact(s, &fact, fail)
			 : pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a solver");
	pd_fact_fini(&fact);
	return rc;
}

static bool answered(const struct pn_solver *s)
{
	return s->claim.value ? s->lo == s->hi : s->lo >= s->claim.threshold || s->hi < s->claim.threshold;
}

/* The next claim to search: the one that was asked, which between two values of the scale means the upper one; else the
 * upper middle of what is open. */
static int next_threshold(const struct pn_solver *s)
{
	int step = s->game->value_step, least = s->game->value_min, open = (s->hi - s->lo) / step;
	if (!s->claim.value)
		return least + (s->claim.threshold - least + step - 1) / step * step;
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
	if (!s)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a solver");
	s->game = game;
	s->options = *options;
	pd_identity_init(&s->identity, options->identity);
	if (options->algorithm == PN_PAPER || !has_table(options) || !options->threads)
		s->options.threads = 1; /* these know no other */
	s->root = malloc(game->state_size);
	s->threads = calloc(s->options.threads, sizeof *s->threads);
	if (!s->root || !s->threads) {
		pn_solver_free(s);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a solver");
	}
	if (host)
		s->threads[0].host = *host;
	s->claim = *claim;
	s->shorten = options->shorten;
	s->lo = game->value_min;
	s->hi = game->value_max;
	s->point = PN_POINT_START;
	if (resumed)
		s->resumed = *resumed;
	memcpy(s->root, root, game->state_size);
	if (!make_parts(s)) {
		pn_solver_free(s);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "%llu bytes for the search cannot be had",
				   (unsigned long long)options->memory);
	}
	error = learn_known(s, fail);
	if (error) {
		pn_solver_free(s);
		return error;
	}
	*out = s;
	return PD_OK;
}

void pn_solver_free(struct pn_solver *s)
{
	if (!s)
		return;
	for (unsigned i = 0; s->threads && i < s->options.threads; i++) {
		struct search_thread *w = &s->threads[i];
		if (!w->made)
			continue;
		if (s->has_pds)
			pds_fini(&w->pds);
		if (s->has_pn2)
			pn2_fini(&w->pn2);
		if (s->has_tree)
			tree_fini(&w->tree);
		fact_buffer_fini(&w->facts);
	}
	tt_fini(&s->tt);
	cache_fini(&s->cache);
	pd_fact_fini(&s->root_fact);
	free(s->threads);
	free(s->root);
	free(s);
}

void pn_solver_load(struct pn_solver *s, const struct pn_entry *entries, size_t count)
{
	if (s->has_pds)
		for (size_t i = 0; i < count; i++)
			tt_load(&s->tt, &entries[i]);
}

/* --- walking ------------------------------------------------------------------------------ */

/* The claim in work is solved at the root with these numbers. */
static void claim_solved(struct pn_solver *s, const uint32_t num[2], game_move move)
{
	struct pd_reason reason = question_reason(&s->question, num);
	reason.move = move;
	learn(s, &reason);
	s->searching = false;
}

static enum pn_state stuck(struct search_thread *w, const char *why)
{
	w->why = why;
	return PN_STUCK;
}

/* Level 1: one stretch of the search of the claim in work. */
static enum pn_state walk_pds(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	if (!w->started && !pds_start(&w->pds, &s->question, s->root))
		return stuck(w, "memory: no memory for the search's frames");
	w->started = true;
	switch (pds_run(&w->pds, nodes)) {
	case PDS_SOLVED:
		w->solved = true;
		return PN_GATHER;
	case PDS_COLLECT:
		return PN_COLLECT;
	case PDS_NO_MEMORY:
		return stuck(w, "memory: no memory for the search's frames or the facts it found");
	case PDS_DEPTH:
		return stuck(w, "depth: what is left open goes on for more plies than a path can have");
	case PDS_MORE:
		break;
	}
	return PN_RUNNING;
}

static enum pn_state walk_pn2(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	if (!w->started)
		pn2_start(&w->pn2, &s->question, s->root);
	w->started = true;
	switch (pn2_run(&w->pn2, nodes)) {
	case PN2_SOLVED:
		w->solved = true;
		return PN_GATHER;
	case PN2_COLLECT:
		return PN_COLLECT;
	case PN2_FULL:
		return stuck(w, "memory: the search tree fills it; give more, or take an algorithm with a table");
	case PN2_DEPTH:
		return stuck(w, "depth: what is left open goes on for more plies than a path can have");
	case PN2_NO_MEMORY:
		return stuck(w, "memory: no memory for the facts that were found");
	case PN2_MORE:
		break;
	}
	return PN_RUNNING;
}

static enum pn_state walk_tree(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	if (!w->started)
		tree_start(&w->tree, &s->question, s->root, UINT64_MAX);
	w->started = true;
	switch (tree_run(&w->tree, nodes)) {
	case TREE_SOLVED:
		w->solved = true;
		return PN_GATHER;
	case TREE_FULL:
		return stuck(w, "memory: the search tree fills it; give more, or take an algorithm with a table");
	case TREE_DEPTH:
		return stuck(w, "depth: what is left open goes on for more plies than a path can have");
	case TREE_MORE:
	case TREE_BUDGET:
		break;
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
static enum pn_state walk_shorter(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	const struct pd_reason *win = win_of(s);
	if (!s->has_tree || !win) {
		s->shorten = 0;
		return PN_GATHER;
	}
	if (!s->shortening) {
		struct pn_goal goal = pn_goal_of(s->game, win);
		s->question = question_for(s, goal.threshold);
		tree_start(&w->tree, &s->question, s->root, UINT64_MAX);
		tree_limit(&w->tree, win->rank - 1u, goal.proof);
		s->shortening = true;
	}
	uint64_t quota = *nodes < s->shorten ? *nodes : s->shorten, left = quota;
	enum tree_end end = tree_run(&w->tree, &left);
	*nodes -= quota - left;
	s->shorten -= quota - left;
	if (end == TREE_MORE && s->shorten)
		return PN_RUNNING;
	s->shortening = false;
	w->solved = end == TREE_SOLVED && (tree_numbers(&w->tree)[0] == 0) == (win->side == PD_LO);
	if (!w->solved)
		s->shorten = 0;
	return PN_GATHER;
}

static bool shortens(const struct pn_solver *s)
{
	return answered(s) && s->shorten;
}

static void tell_counts(struct search_thread *w)
{
	__atomic_store_n(&w->level1, w->pds.expansions + w->pn2.expansions, __ATOMIC_RELAXED);
	__atomic_store_n(&w->level2, w->tree.generated, __ATOMIC_RELAXED);
	__atomic_store_n(&w->fact_count, w->facts.count, __ATOMIC_RELAXED);
	__atomic_store_n(&w->asks, w->tree.cache_asks, __ATOMIC_RELAXED);
	__atomic_store_n(&w->hits, w->tree.cache_hits, __ATOMIC_RELAXED);
}

/* One stretch of one walker, of *nodes at most. */
static enum pn_state walk(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	enum pn_state state = PN_RUNNING;
	bool first = w == s->threads;
	while (state == PN_RUNNING && *nodes && !group_halted(&s->group)) {
		if (shortens(s) && first)
			state = walk_shorter(s, w, nodes);
		else if (answered(s) || (!s->has_pds && !first))
			state = PN_GATHER;
		else
			state = s->has_pds   ? walk_pds(s, w, nodes)
				: s->has_pn2 ? walk_pn2(s, w, nodes)
					     : walk_tree(s, w, nodes);
		if (w->facts.failed)
			state = stuck(w, "memory: no memory for the facts that were found");
	}
	tell_counts(w);
	return state;
}

enum pn_state pn_solver_run_thread(struct pn_solver *s, unsigned thread, uint64_t nodes)
{
	enum pn_state state = walk(s, &s->threads[thread], &nodes);
	if (state != PN_RUNNING)
		pn_solver_halt(s, true);
	return state;
}

void pn_solver_halt(struct pn_solver *s, bool halt)
{
	group_halt(&s->group, halt);
}

bool pn_solver_halted(const struct pn_solver *s)
{
	return group_halted(&s->group);
}

/* --- coming together ---------------------------------------------------------------------- */

/* Where the search stands. */
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
	const struct search_thread *first = &s->threads[0];
	bool level2 = s->has_pds ? first->pds.evaluating : s->has_pn2 ? first->pn2.evaluating : true;
	return level2 ? PN_POINT_LEVEL2 : PN_POINT_TURN;
}

/* The tree has solved the claim in work. */
static void tree_solved(struct pn_solver *s, struct search_thread *w)
{
	const uint32_t *num = tree_numbers(&w->tree);
	if (s->options.detail != PN_FRONTIER) {
		tree_emit(&w->tree, &w->facts);
	} else {
		struct pd_reason reason = question_reason(&s->question, num);
		reason.move = w->tree.root_move;
		reason.effort = tree_effort(&w->tree);
		fact_buffer_put(&w->facts, &s->question, s->root, reason);
	}
	claim_solved(s, num, w->tree.root_move);
}

/* The next claim, unless one is in work or there is none. */
static void next_claim(struct pn_solver *s)
{
	if (s->searching || answered(s))
		return;
	s->question = question_for(s, next_threshold(s));
	s->searching = true;
	for (unsigned i = 0; i < s->options.threads; i++)
		s->threads[i].started = false;
}

enum pn_state pn_solver_gather(struct pn_solver *s)
{
	bool solved = false;
	tt_settle(&s->tt);
	cache_settle(&s->cache);
	for (unsigned i = 0; i < s->options.threads; i++) {
		struct search_thread *w = &s->threads[i];
		if (w->solved && !solved && (answered(s) || (!s->has_pds && !s->has_pn2)))
			tree_solved(s, w);
		else if (w->solved && !solved && s->has_pn2)
			claim_solved(s, tree_numbers(&w->pn2.tree), w->pn2.tree.root_move);
		else if (w->solved && !solved)
			claim_solved(s, w->pds.root_num, w->pds.root_move);
		solved |= w->solved;
		w->solved = false;
		tell_counts(w);
		if (w->why && !s->why)
			s->why = w->why;
	}
	/* What one walker could not have memory for another may have answered. */
	bool done = answered(s) && !s->shorten;
	enum pn_state state = done ? PN_ANSWERED : s->why ? PN_STUCK : PN_RUNNING;
	next_claim(s);
	s->point = point_of(s, state);
	return state;
}

enum pn_state pn_solver_step(struct pn_solver *s, uint64_t nodes)
{
	enum pn_state state = pn_solver_gather(s);
	while (state == PN_RUNNING && nodes) {
		state = walk(s, &s->threads[0], &nodes);
		if (state == PN_GATHER || state == PN_STUCK)
			state = pn_solver_gather(s);
	}
	s->point = point_of(s, state);
	return state;
}

unsigned pn_solver_room(const struct pn_solver *s)
{
	return s->options.threads - s->here;
}

bool pn_solver_wants_company(const struct pn_solver *s)
{
	return s->options.threads > 1 && !answered(s);
}

int pn_solver_join(struct pn_solver *s, const struct pn_host *host, unsigned *thread, struct pd_fail *fail)
{
	unsigned i = 0;
	while (i < s->options.threads && s->threads[i].here)
		i++;
	if (i == s->options.threads)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "walkers", "there is room for %u only", s->options.threads);
	struct search_thread *w = &s->threads[i];
	w->host = host ? *host : (struct pn_host){0};
	if (!make_thread(s, w))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for one more walker");
	w->here = true;
	w->started = false;
	s->here++;
	if (!s->group.several) {
		memset(s->group.virtual_count, 0, sizeof s->group.virtual_count);
		s->group.several = s->tt.shared = s->cache.shared = true;
		pds_publish_path(&s->threads[0].pds);
	}
	*thread = i;
	return PD_OK;
}

void pn_solver_leave(struct pn_solver *s, unsigned thread)
{
	struct search_thread *w = &s->threads[thread];
	pds_drop(&w->pds);
	w->here = w->started = false;
	s->here--;
	if (s->here > 1)
		return;
	tt_settle(&s->tt);
	cache_settle(&s->cache);
	s->group.several = s->tt.shared = s->cache.shared = false;
}

const char *pn_solver_why(const struct pn_solver *s)
{
	return s->why ? s->why : "";
}

/* --- telling ------------------------------------------------------------------------------ */

void pn_solver_progress(const struct pn_solver *s, struct pn_progress *out)
{
	const uint32_t one[2] = {1, 1};
	const struct search_thread *first = &s->threads[0];
	const struct tree *tree = s->has_pn2 ? &first->pn2.tree : &first->tree;
	const uint32_t *num = !s->question.game ? one : s->has_pds ? first->pds.root_num : tree_numbers(tree);
	*out = (struct pn_progress){
		.point = s->point,
		.level1 = s->resumed.level1,
		.level2 = s->resumed.level2,
		.pn = num[0] < PN_INF ? num[0] : UINT32_MAX,
		.dn = num[1] < PN_INF ? num[1] : UINT32_MAX,
		.threshold = (int16_t)(s->question.game ? s->question.threshold : next_threshold(s)),
		.entries = s->has_pn2 ? tree->live : tt_used(&s->tt),
		.capacity = s->has_pn2 ? tree->capacity : s->tt.capacity,
		.facts = s->resumed.facts,
		.memory = s->options.memory,
		.lo = s->lo,
		.hi = s->hi,
		.level2_budget = s->has_pn2 ? first->pn2.budget : first->pds.level2_budget,
	};
	for (unsigned i = 0; i < s->options.threads; i++) {
		const struct search_thread *w = &s->threads[i];
		out->level1 += __atomic_load_n(&w->level1, __ATOMIC_RELAXED);
		out->level2 += __atomic_load_n(&w->level2, __ATOMIC_RELAXED);
		out->facts += __atomic_load_n(&w->fact_count, __ATOMIC_RELAXED);
		out->cache_asks += __atomic_load_n(&w->asks, __ATOMIC_RELAXED);
		out->cache_hits += __atomic_load_n(&w->hits, __ATOMIC_RELAXED);
	}
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
	return s->has_pds ? tt_take_dirty(&s->tt, out, max) : 0;
}

void pn_solver_take_facts(struct pn_solver *s,
			  void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
			  void *ctx)
{
	for (unsigned i = 0; i < s->options.threads; i++)
		fact_buffer_take(&s->threads[i].facts, each, ctx);
}

size_t pn_solver_snapshot(const struct pn_solver *s, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	if (s->has_pds)
		return tt_snapshot(&s->tt, cursor, out, max);
	*cursor = UINT64_MAX;
	return 0;
}
