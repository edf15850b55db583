#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

#include "solver/clocked.h"
#include "solver/tree.h"

/* Small searches that stand alone. Most are one tree; what does not fit one is handed to a whole solver with a little
 * memory. A solver knows no limit of plies and may find a longer win than is asked for. Then, and in any case where
 * positions can come back, the question is put to it once more in the clocked game, in which there is no longer win. */

enum {
	SOLVER_MEMORY_MIN = 1 << 20,
	SOLVER_MEMORY_MAX = 256 << 20,
	TREE_NODES = 20000,
	LIMITED_NODES = SOLVER_MEMORY_MAX / 16,
	FREE_SHARE = 4, /* of a solver's nodes one in so many is for a search without a clock, which may be quicker */
	WEAK_SHARE = 8  /* and of those with a clock one in so many for weak sums */
};

typedef void pn_each(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason);

/* Steps a solver to its end or the end of the nodes, handing its facts on. */
static void run_solver(struct pn_solver *solver, uint64_t *nodes, pn_each *each, void *ctx)
{
	struct pn_entry entries[64];
	enum pn_state state = PN_RUNNING;
	uint64_t used = 0;
	while ((state == PN_RUNNING || state == PN_COLLECT) && used < *nodes) {
		struct pn_progress p;
		uint64_t left = *nodes - used;
		state = pn_solver_step(solver, left < 1000000 ? left : 1000000);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, each, ctx);
		pn_solver_progress(solver, &p);
		used = p.level1 + p.level2;
	}
	*nodes = used < *nodes ? *nodes - used : 0;
}

/* A host that says nothing of one position: what is to be proved may not vouch for itself. Where positions can come
 * back, it also says nothing of the goal's own bound with a rank that is not smaller (F3). With a clock, positions and
 * facts are those of the clocked game. */
struct hiding {
	const struct pn_host *host;
	const struct game *game;
	const struct pn_goal *goal;
	const struct clocked *clocked; /* NULL: no clock */
	uint8_t key[GAME_KEY_MAX];
	size_t size;
};

/* Of the other side, or sooner than the goal. */
static bool may_vouch(void *ctx, const struct pd_reason *r)
{
	const struct pn_goal *goal = ctx;
	return (r->side == PD_LO) != goal->proof || r->rank < goal->plies;
}

static bool hiding_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct hiding *hiding = ctx;
	unsigned plies = hiding->clocked ? clocked_key(key, &size) : 0;
	if (size == hiding->size && !memcmp(key, hiding->key, size))
		return false;
	if (!hiding->host->fact(hiding->host->ctx, key, size, out))
		return false;
	if (hiding->clocked)
		return clocked_fact(hiding->clocked, out, plies);
	if (hiding->game->acyclic || !hiding->goal->plies)
		return true;
	pd_fact_keep(out, may_vouch, (void *)(uintptr_t)hiding->goal);
	return out->count > 0;
}

/* Who takes the facts of a search in the clocked game, and passes on what holds without the clock. */
struct unclocking {
	const struct clocked *clocked;
	pn_each *each;
	void *ctx;
};

static void unclock(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	const struct unclocking *u = ctx;
	clocked_key(key, &size);
	if (clocked_holds(u->clocked, reason))
		u->each(u->ctx, key, size, reason);
}

static enum pn_verdict verdict_of(const uint32_t num[2])
{
	return num[0] == 0 ? PN_PROVED : num[1] == 0 ? PN_DISPROVED : PN_OPEN;
}

/* What a search by a whole solver is about. */
struct order {
	const struct game *game;
	const struct pn_goal *goal;
	enum pn_detail detail;
	bool knowledge;
	uint64_t identity; /* the key of positions' names */
	const struct pn_host *host;
	pn_each *each;
	void *ctx;
};

static int search(const struct game *game, const void *state, const struct order *o, const struct hiding *hiding,
		  bool weak, pn_each *each, void *ctx, uint64_t *nodes, enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct pn_options options;
	struct pn_solver *solver;
	struct pn_answer answer;
	const struct pn_goal *goal = o->goal;
	struct pd_claim claim = {.threshold = goal->threshold};
	struct pn_host asked = {(void *)(uintptr_t)hiding, hiding_fact};
	pn_options_init(&options);
	options.detail = o->detail;
	options.knowledge = o->knowledge;
	options.identity = o->identity;
	options.weak = weak;
	options.memory = *nodes < SOLVER_MEMORY_MAX / 16 ? *nodes * 16 : SOLVER_MEMORY_MAX;
	if (options.memory < SOLVER_MEMORY_MIN)
		options.memory = SOLVER_MEMORY_MIN;
	int error = pn_solver_new(game, state, &claim, &options, o->host ? &asked : NULL, NULL, &solver, fail);
	if (error)
		return error;
	run_solver(solver, nodes, each, ctx);
	pn_solver_answer(solver, &answer);
	*verdict = answer.lo >= goal->threshold ? PN_PROVED : answer.hi < goal->threshold ? PN_DISPROVED : PN_OPEN;
	if (*verdict == (goal->proof ? PN_PROVED : PN_DISPROVED) && goal->plies && answer.plies > goal->plies)
		*verdict = PN_OPEN;
	pn_solver_free(solver);
	return PD_OK;
}

/* In the clocked game. That the goal is missed there says nothing: it may only take longer. Many ways lead to one
 * position with one clock, and where sums count them all no node looks near; weak sums do not, but take longer
 * elsewhere. */
static int search_clocked(const void *state, const struct order *o, struct hiding *hiding, uint64_t *nodes,
			  enum pn_verdict *verdict, struct pd_fail *fail)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	struct clocked clocked;
	struct unclocking u = {&clocked, o->each, o->ctx};
	const enum pn_verdict late = o->goal->proof ? PN_DISPROVED : PN_PROVED;
	uint64_t first = *nodes / WEAK_SHARE, rest = *nodes - first;
	if (!clocked_init(&clocked, o->game, o->goal))
		return PD_OK;
	hiding->clocked = &clocked;
	clocked_start(&clocked, state, o->goal->plies, start);
	int error = search(&clocked.game, start, o, hiding, true, unclock, &u, &first, verdict, fail);
	*nodes = rest + first;
	if (!error && *verdict == PN_OPEN)
		error = search(&clocked.game, start, o, hiding, false, unclock, &u, nodes, verdict, fail);
	if (*verdict == late)
		*verdict = PN_OPEN;
	return error;
}

static int by_solver(const void *state, const struct order *o, uint64_t *nodes, enum pn_verdict *verdict,
		     struct pd_fail *fail)
{
	struct hiding hiding = {.host = o->host, .game = o->game, .goal = o->goal};
	bool clocked = o->goal->plies && !o->game->acyclic;
	uint64_t first = clocked ? *nodes / FREE_SHARE : *nodes, rest = *nodes - first;
	hiding.size = o->game->rules->key(o->game, state, hiding.key);
	int error = search(o->game, state, o, &hiding, false, o->each, o->ctx, &first, verdict, fail);
	*nodes = rest + first;
	if (error || *verdict != PN_OPEN || !o->goal->plies || !*nodes)
		return error;
	return search_clocked(state, o, &hiding, nodes, verdict, fail);
}

struct pn_goal pn_goal_of(const struct game *game, const struct pd_reason *r)
{
	bool proof = r->side == PD_LO;
	return (struct pn_goal){
		.threshold = (int16_t)(proof ? r->bound : r->bound + game->value_step),
		.proof = proof,
		.plies = r->rank == PD_RANK_NONE ? 0 : r->rank,
	};
}

static void drop(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	(void)ctx, (void)key, (void)size, (void)reason;
}

/* --- the prover --------------------------------------------------------------------------- */

enum { RULES_SHARE = 16 }; /* of the nodes one in so many is for a search without facts, which is quicker */

struct pn_prover {
	struct cache cache;
	struct tree tree;
	const struct pn_host *host;
	bool knowledge;
	struct pd_identity identity;
};

int pn_prover_new(const struct game *game, uint64_t memory, bool knowledge, const struct pn_host *host,
		  uint64_t identity, struct pn_prover **out, struct pd_fail *fail)
{
	struct pn_prover *prover = calloc(1, sizeof *prover);
	if (prover && cache_init(&prover->cache, memory / 2)) {
		struct tree_options options = {
			.mobility = true,
			.heuristics = true,
			.immediate_win = true,
			.knowledge = knowledge,
			.cache = prover->cache.buckets ? &prover->cache : NULL,
		};
		prover->host = host;
		prover->knowledge = knowledge;
		pd_identity_init(&prover->identity, identity);
		if (tree_init(&prover->tree, game, memory / 2, &options)) {
			*out = prover;
			return PD_OK;
		}
		cache_fini(&prover->cache);
	}
	free(prover);
	return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for bounded searches");
}

void pn_prover_free(struct pn_prover *prover)
{
	if (!prover)
		return;
	tree_fini(&prover->tree);
	cache_fini(&prover->cache);
	free(prover);
}

/* One search in the prover's tree, with or without facts, with or without a limit of plies. What is proved too late
 * counts as open. */
static enum tree_end prove(struct pn_prover *prover, const void *state, const struct pn_goal *goal,
			   const struct pn_host *host, bool limit, uint64_t *nodes, enum pn_verdict *verdict)
{
	struct tree *tree = &prover->tree;
	struct question q = question_of(tree->question.game, goal->threshold);
	q.identity = &prover->identity;
	tree->options.host = host;
	tree_start(tree, &q, state, UINT64_MAX);
	if (limit)
		tree_limit(tree, goal->plies, goal->proof);
	enum tree_end end = tree_run(tree, nodes);
	*verdict = end == TREE_SOLVED ? verdict_of(tree_numbers(tree)) : PN_OPEN;
	if (*verdict == (goal->proof ? PN_PROVED : PN_DISPROVED) && goal->plies &&
	    num_rank(tree_numbers(tree)) > goal->plies)
		*verdict = PN_OPEN;
	return end;
}

int pn_prover_run(struct pn_prover *prover, const void *state, const struct pn_goal *goal, uint64_t *nodes,
		  enum pn_verdict *verdict, struct pd_fail *fail)
{
	const struct game *game = prover->tree.question.game;
	uint64_t share = prover->host ? *nodes / RULES_SHARE : *nodes, left = share;
	enum tree_end end = prove(prover, state, goal, NULL, false, &left, verdict);
	bool limit = goal->plies && (!game->acyclic || end == TREE_SOLVED);
	*nodes -= share - left;
	if (*verdict == PN_OPEN && *nodes && (prover->host || limit))
		end = prove(prover, state, goal, prover->host, limit, nodes, verdict);
	if (*verdict == PN_OPEN && end == TREE_SOLVED && !limit && *nodes)
		end = prove(prover, state, goal, prover->host, true, nodes, verdict);
	if (*verdict != PN_OPEN || end != TREE_FULL || !*nodes)
		return PD_OK;
	struct order order = {game,         goal, PN_FRONTIER, prover->knowledge, prover->identity.key,
			      prover->host, drop, NULL};
	return by_solver(state, &order, nodes, verdict, fail);
}

/* --- one search with its proof ------------------------------------------------------------ */

/* By one tree alone, with facts (host not NULL) and a limit of plies or without; PN_OPEN when the nodes end first. */
static int by_tree(const struct game *game, const void *state, const struct pn_goal *goal, bool limit, bool knowledge,
		   const struct pn_host *host, const struct pd_identity *identity, uint64_t *nodes, pn_each *each,
		   void *ctx, enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct tree_options options = {.keep_proofs = true,
				       .mobility = true,
				       .heuristics = true,
				       .immediate_win = true,
				       .knowledge = knowledge,
				       .host = host};
	struct question q = question_of(game, goal->threshold);
	q.identity = identity;
	struct tree tree;
	struct fact_buffer found;
	int error = PD_OK;
	if (!tree_init(&tree, game, (*nodes + 2 * (uint64_t)game->moves_max) * sizeof(struct tree_node), &options))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a bounded search");
	fact_buffer_init(&found);
	tree_start(&tree, &q, state, UINT64_MAX);
	if (limit)
		tree_limit(&tree, goal->plies, goal->proof);
	*verdict = tree_run(&tree, nodes) == TREE_SOLVED ? verdict_of(tree_numbers(&tree)) : PN_OPEN;
	if (*verdict == (goal->proof ? PN_PROVED : PN_DISPROVED) && goal->plies &&
	    num_rank(tree_numbers(&tree)) > goal->plies)
		*verdict = PN_OPEN;
	if (*verdict != PN_OPEN) {
		tree_emit(&tree, &found);
		fact_buffer_take(&found, each, ctx);
	}
	if (found.failed)
		error = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the facts of a bounded search");
	fact_buffer_fini(&found);
	tree_fini(&tree);
	return error;
}

/* With what the game knows beyond its rules, or without. */
static int bounded(const struct game *game, const void *state, const struct pn_goal *goal, uint64_t nodes,
		   bool knowledge, const struct pn_host *host, const struct pd_identity *identity, pn_each *each,
		   void *ctx, enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct order order = {game, goal, knowledge ? PN_KNOWN : PN_FULL, knowledge, identity->key, host, each, ctx};
	uint64_t first = nodes < TREE_NODES ? nodes : TREE_NODES, rest = nodes - first,
		 limited = rest < LIMITED_NODES ? rest : LIMITED_NODES;
	int error = by_tree(game, state, goal, false, knowledge, NULL, identity, &first, each, ctx, verdict, fail);
	if (!error && *verdict == PN_OPEN && goal->plies && limited) {
		rest -= limited;
		error = by_tree(game, state, goal, true, knowledge, host, identity, &limited, each, ctx, verdict, fail);
		rest += limited;
	}
	if (error || *verdict != PN_OPEN || !rest)
		return error;
	return by_solver(state, &order, &rest, verdict, fail);
}

int pn_bounded(const struct game *game, const void *state, const struct pn_goal *goal, uint64_t nodes,
	       const struct pn_host *host, uint64_t identity, pn_each *each, void *ctx, enum pn_verdict *verdict,
	       struct pd_fail *fail)
{
	struct pd_identity names;
	int error = PD_OK;
	*verdict = PN_OPEN;
	if (!each)
		each = drop;
	pd_identity_init(&names, identity);
	if (game->rules->static_solve)
		error = bounded(game, state, goal, nodes, true, host, &names, each, ctx, verdict, fail);
	return error || *verdict != PN_OPEN
		       ? error
		       : bounded(game, state, goal, nodes, false, host, &names, each, ctx, verdict, fail);
}
