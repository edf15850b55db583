#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

#include "solver/tree.h"

/* Small searches that stand alone. Most are one tree; what does not fit one is handed to a whole solver with a little memory. */

enum { SOLVER_MEMORY_MIN = 1 << 20, SOLVER_MEMORY_MAX = 256 << 20, TREE_NODES = 20000 };

/* Steps a solver to its end or the end of the nodes, handing its facts on. */
static void run_solver(struct pn_solver *solver, uint64_t *nodes,
		       void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason), void *ctx)
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

/* A host that says nothing of one position: what is to be proved may not vouch for itself. */
struct hiding {
	const struct pn_host *host;
	uint8_t key[GAME_KEY_MAX];
	size_t size;
};

static bool hiding_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct hiding *hiding = ctx;
	if (size == hiding->size && !memcmp(key, hiding->key, size))
		return false;
	return hiding->host->fact(hiding->host->ctx, key, size, out);
}

static int by_solver(const struct question *q, const void *state, uint64_t *nodes, enum pn_detail detail, const struct pn_host *host,
		     void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason), void *ctx,
		     enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct pn_options options;
	struct pn_solver *solver;
	struct pn_answer answer;
	struct pd_claim claim = {.threshold = (int16_t)q->threshold};
	struct hiding hiding = {.host = host};
	struct pn_host asked = {&hiding, hiding_fact};
	hiding.size = q->game->rules->key(q->game, state, hiding.key);
	pn_options_init(&options);
	options.detail = detail;
	options.memory = *nodes < SOLVER_MEMORY_MAX / 16 ? *nodes * 16 : SOLVER_MEMORY_MAX;
	if (options.memory < SOLVER_MEMORY_MIN)
		options.memory = SOLVER_MEMORY_MIN;
	int error = pn_solver_new(q->game, state, &claim, &options, host ? &asked : NULL, NULL, &solver, fail);
	if (error)
		return error;
	run_solver(solver, nodes, each, ctx);
	pn_solver_answer(solver, &answer);
	*verdict = answer.lo >= q->threshold ? PN_PROVED : answer.hi < q->threshold ? PN_DISPROVED : PN_OPEN;
	pn_solver_free(solver);
	return PD_OK;
}

static enum pn_verdict verdict_of(const uint32_t num[2])
{
	return num[0] == 0 ? PN_PROVED : num[1] == 0 ? PN_DISPROVED : PN_OPEN;
}

static void drop(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	(void)ctx, (void)key, (void)size, (void)reason;
}

/* --- the prover -------------------------------------------------------------------------------------------------------------------- */

enum { RULES_SHARE = 16 }; /* of the nodes one in so many is for a search without facts, which is quicker */

struct pn_prover {
	struct cache cache;
	struct tree tree;
	const struct pn_host *host;
};

int pn_prover_new(const struct game *game, uint64_t memory, const struct pn_host *host, struct pn_prover **out, struct pd_fail *fail)
{
	struct pn_prover *prover = calloc(1, sizeof *prover);
	if (prover && cache_init(&prover->cache, memory / 2)) {
		struct tree_options options = {
			.mobility = true,
			.heuristics = true,
			.wins_at_once = true,
			.cache = prover->cache.buckets ? &prover->cache : NULL,
		};
		prover->host = host;
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

/* One search in the prover's tree, with or without facts. */
static enum tree_end prove(struct pn_prover *prover, const struct question *q, const void *state, const struct pn_host *host,
			   uint64_t *nodes)
{
	prover->tree.options.host = host;
	tree_start(&prover->tree, q, state, UINT64_MAX);
	return tree_run(&prover->tree, nodes);
}

int pn_prover_run(struct pn_prover *prover, const void *state, int threshold, uint64_t *nodes, enum pn_verdict *verdict,
		  struct pd_fail *fail)
{
	struct question q = {prover->tree.question.game, threshold};
	uint64_t share = prover->host ? *nodes / RULES_SHARE : *nodes, left = share;
	enum tree_end end = prove(prover, &q, state, NULL, &left);
	*nodes -= share - left;
	if (end != TREE_SOLVED && prover->host)
		end = prove(prover, &q, state, prover->host, nodes);
	*verdict = verdict_of(tree_numbers(&prover->tree));
	if (end != TREE_FULL || !*nodes)
		return PD_OK;
	return by_solver(&q, state, nodes, PN_FRONTIER, prover->host, drop, NULL, verdict, fail);
}

/* --- one search with its proof ------------------------------------------------------------------------------------------------------ */

/* By one tree alone; PN_OPEN when the nodes end first. */
static int by_tree(const struct question *q, const void *state, uint64_t *nodes,
		   void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason), void *ctx,
		   enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct tree_options options = {.keep_proofs = true, .mobility = true, .heuristics = true, .wins_at_once = true};
	struct tree tree;
	struct found found;
	int error = PD_OK;
	if (!tree_init(&tree, q->game, (*nodes + 2 * (uint64_t)q->game->moves_max) * sizeof(struct tree_node), &options))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a bounded search");
	found_init(&found);
	tree_start(&tree, q, state, UINT64_MAX);
	tree_run(&tree, nodes);
	*verdict = verdict_of(tree_numbers(&tree));
	if (*verdict != PN_OPEN) {
		tree_emit(&tree, &found);
		found_take(&found, each, ctx);
	}
	if (found.failed)
		error = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the facts of a bounded search");
	found_fini(&found);
	tree_fini(&tree);
	return error;
}

int pn_bounded(const struct game *game, const void *state, int threshold, uint64_t nodes, const struct pn_host *host,
	       void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason), void *ctx,
	       enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct question q = {game, threshold};
	uint64_t first = nodes < TREE_NODES ? nodes : TREE_NODES, rest = nodes - first;
	int error = by_tree(&q, state, &first, each ? each : drop, ctx, verdict, fail);
	if (error || *verdict != PN_OPEN || !rest)
		return error;
	return by_solver(&q, state, &rest, PN_FULL, host, each ? each : drop, ctx, verdict, fail);
}
