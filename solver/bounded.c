#include "solver/bounded.h"

#include "solver/clocked.h"
#include "solver/solver.h"
#include "solver/tree_proof.h"
#include "solver/tree_search.h"

enum {
	SOLVER_BYTES_A_NODE = 16, /* memory of a whole solver for each node of its budget */
	SOLVER_MEMORY_MIN = 1 << 20,
	SOLVER_MEMORY_MAX = 256 << 20,
	STEP_NODES = 1000000,
	ROOM_NODES = 1 << 18,
	ENTRIES_AT_ONCE = 64
};

_Static_assert((int)PN_LEAF_LIMITED_NODES == SOLVER_MEMORY_MAX / SOLVER_BYTES_A_NODE, "tree and solver of one size");

/* One bounded search. Its steps lower `nodes`, the nodes that are left, and set `verdict`. */
struct search {
	const struct game *game;
	const void *state;
	const struct pn_goal *goal;
	enum pn_detail detail;
	bool knowledge;
	bool weak;
	const struct pd_identity *identity;
	const struct pn_host *host;
	struct pn_bounded_room *room; /* NULL: none */
	pn_fact_sink *fact;
	void *fact_ctx;
	uint64_t nodes;
	enum pn_verdict verdict;
	struct pd_fail *fail;
};

static const char no_room[] = "no memory for the facts of a bounded search";

/* Steps a solver until it ends or `*nodes` are used up, and passes its facts on. */
static void run_solver(struct pn_solver *solver, uint64_t *nodes, pn_fact_sink *fact, void *ctx)
{
	struct pn_entry entries[ENTRIES_AT_ONCE];
	enum pn_state state = PN_RUNNING;
	uint64_t used = 0;
	while ((state == PN_RUNNING || state == PN_COLLECT) && used < *nodes) {
		struct pn_progress p;
		uint64_t left = *nodes - used;
		state = pn_solver_step(solver, left < STEP_NODES ? left : STEP_NODES);
		while (pn_solver_take_entries(solver, entries, ENTRIES_AT_ONCE) > 0)
			;
		pn_solver_take_facts(solver, fact, ctx);
		pn_solver_progress(solver, &p);
		used = p.level1 + p.level2;
	}
	*nodes = used < *nodes ? *nodes - used : 0;
}

/* The host's facts without those that would make the proof circular: the fact of the position itself, and in cyclic
 * games bounds of the goal's side with a rank that is not smaller (F3). With a clock, positions and facts are those of
 * the clocked game. */
struct hiding {
	const struct pn_host *host;
	const struct game *game;
	const struct pn_goal *goal;
	const struct clocked *clocked; /* NULL: no clock */
	uint8_t key[GAME_KEY_MAX];
	size_t size;
};

/* Whether a proof may rest on a reason: it is the other side's, or its rank is smaller than the goal's plies. */
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

/* Receives the facts of a search in the clocked game and passes on those that hold without the clock. */
struct unclocking {
	const struct clocked *clocked;
	pn_fact_sink *fact;
	void *ctx;
};

static void pass_unclocked(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	const struct unclocking *u = ctx;
	clocked_key(key, &size);
	if (clocked_holds(u->clocked, reason))
		u->fact(u->ctx, key, size, reason);
}

/* Searches with a whole solver, which asks the host through `hiding`. */
static int search_solver(struct search *s, const struct hiding *hiding)
{
	struct pn_options options;
	struct pn_solver *solver;
	struct pn_answer answer;
	const struct pn_goal *goal = s->goal;
	struct pd_claim claim = {.threshold = goal->threshold};
	struct pn_host asked = {(void *)(uintptr_t)hiding, hiding_fact};
	pn_options_init(&options);
	options.detail = s->detail;
	options.knowledge = s->knowledge;
	options.identity = s->identity->key;
	options.weak = s->weak;
	options.memory =
		s->nodes < SOLVER_MEMORY_MAX / SOLVER_BYTES_A_NODE ? s->nodes * SOLVER_BYTES_A_NODE : SOLVER_MEMORY_MAX;
	if (options.memory < SOLVER_MEMORY_MIN)
		options.memory = SOLVER_MEMORY_MIN;
	int error = pn_solver_new(
		&(struct pn_solver_setup){s->game, s->state, &claim, &options, s->host ? &asked : NULL, NULL}, &solver,
		s->fail);
	if (error)
		return error;
	run_solver(solver, &s->nodes, s->fact, s->fact_ctx);
	if (pn_solver_lost_facts(solver))
		error = pd_fail_set(s->fail, PD_E_NO_MEMORY, "", no_room);
	pn_solver_answer(solver, &answer);
	s->verdict = error                          ? PN_OPEN
		     : answer.lo >= goal->threshold ? PN_PROVED
		     : answer.hi < goal->threshold  ? PN_DISPROVED
						    : PN_OPEN;
	if (s->verdict == pn_goal_reached(goal) && goal->plies && answer.plies > goal->plies)
		s->verdict = PN_OPEN;
	pn_solver_free(solver);
	return error;
}

/* The same with a part of the nodes; those not used are returned to s->nodes. */
static int search_part(struct search *s, const struct hiding *hiding, uint64_t nodes)
{
	PD_ASSERT(nodes <= s->nodes);
	uint64_t rest = s->nodes - nodes;
	s->nodes = nodes;
	int error = search_solver(s, hiding);
	s->nodes += rest;
	return error;
}

/* Searches in the clocked game. Missing the goal there says nothing about the plain game, where it may be reached
 * later. Many paths lead to the same position with the same clock. Plain sums count it once for each path, so that
 * every node looks far from solved. Weak sums do not, but take longer elsewhere, so both are tried. */
static int search_clocked(const struct search *plain, struct hiding *hiding, uint64_t *nodes, enum pn_verdict *verdict)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	struct clocked clocked;
	struct search s = *plain;
	struct unclocking u = {&clocked, s.fact, s.fact_ctx};
	if (!clocked_init(&clocked, s.game, s.goal))
		return PD_OK;
	hiding->clocked = &clocked;
	clocked_start(&clocked, s.state, s.goal->plies, start);
	s.game = &clocked.game;
	s.state = start;
	s.fact = pass_unclocked;
	s.fact_ctx = &u;
	s.weak = true;
	int error = search_part(&s, hiding, s.nodes / PN_LEAF_WEAK_SHARE);
	s.weak = false;
	if (!error && s.verdict == PN_OPEN)
		error = search_solver(&s, hiding);
	*nodes = s.nodes;
	*verdict = s.verdict == pn_goal_reached(s.goal) ? s.verdict : PN_OPEN;
	return error;
}

/* Steps 3 and 4 (bounded.h): a whole solver, then the clocked game. */
static int search_whole_solver(struct search *s)
{
	struct hiding hiding = {.host = s->host, .game = s->game, .goal = s->goal};
	hiding.size = s->game->rules->key(s->game, s->state, hiding.key);
	int error = search_part(s, &hiding, pn_leaf_unclocked_nodes(s->game, s->goal, s->nodes));
	if (error || s->verdict != PN_OPEN || !s->goal->plies || !s->nodes)
		return error;
	return search_clocked(s, &hiding, &s->nodes, &s->verdict);
}

static void drop_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	(void)ctx, (void)key, (void)size, (void)reason;
}

/* --- the prover --------------------------------------------------------------------------- */

struct pn_prover {
	struct cache cache;
	struct tree tree;
	const struct pn_host *host;
	bool knowledge;
	struct pd_identity identity;
};

int pn_prover_new(const struct game *game, const struct pn_prover_options *options, struct pn_prover **out,
		  struct pd_fail *fail)
{
	struct pn_prover *prover = calloc(1, sizeof *prover);
	if (prover && cache_init(&prover->cache, options->memory / 2)) {
		struct tree_options tree = {
			.mobility = true,
			.heuristics = true,
			.immediate_win = true,
			.knowledge = options->knowledge,
			.cache = prover->cache.buckets ? &prover->cache : NULL,
		};
		prover->host = options->host;
		prover->knowledge = options->knowledge;
		pd_identity_init(&prover->identity, options->identity);
		if (tree_init(&prover->tree, game, options->memory / 2, &tree)) {
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

const struct game *pn_prover_game(const struct pn_prover *prover)
{
	return prover->tree.question.game;
}

/* The verdict of a tree on the goal; a goal that was reached too late counts as open. */
static enum pn_verdict tree_verdict(const struct tree *tree, const struct pn_goal *goal, enum tree_end end)
{
	const uint32_t *num = tree_numbers(tree);
	if (end != TREE_SOLVED)
		return PN_OPEN;
	enum pn_verdict verdict = num[0] == 0 ? PN_PROVED : num[1] == 0 ? PN_DISPROVED : PN_OPEN;
	return verdict == pn_goal_reached(goal) && goal->plies && num_rank(num) > goal->plies ? PN_OPEN : verdict;
}

/* One search in a tree, with or without a limit of plies; *nodes is lowered by what was used. */
static enum tree_end run_tree(struct tree *tree, struct search *s, bool limit, uint64_t *nodes)
{
	struct question q = question_of(s->game, s->goal->threshold);
	q.identity = s->identity;
	tree_start(tree, &q, s->state, UINT64_MAX);
	if (limit)
		tree_limit(tree, s->goal->plies, s->goal->proof);
	enum tree_end end = tree_run(tree, nodes);
	s->verdict = tree_verdict(tree, s->goal, end);
	return end;
}

/* One search in the prover's tree, with or without facts. */
static enum tree_end search_prover_tree(struct pn_prover *prover, struct search *s, const struct pn_host *host,
					bool limit)
{
	prover->tree.options.host = host;
	return run_tree(&prover->tree, s, limit, &s->nodes);
}

/* Whether a theorem of the game gives the goal at the position itself, in time. */
static bool is_theorem(const struct pn_prover *prover, const void *state, const struct pn_goal *goal)
{
	struct question q = question_of(pn_prover_game(prover), goal->threshold);
	uint32_t num[2], effort;
	return prover->knowledge && !question_terminal(&q, state, num) && !question_immediate_win(&q, state, num) &&
	       question_ask_theorem(&q, state, num, &effort) && (num[0] == 0) == goal->proof &&
	       (!goal->plies || num_rank(num) <= goal->plies);
}

int pn_prover_run(struct pn_prover *prover, const void *state, const struct pn_goal *goal, uint64_t *nodes,
		  enum pn_verdict *verdict, struct pd_fail *fail)
{
	const struct game *game = pn_prover_game(prover);
	uint64_t share = prover->host ? *nodes / PN_LEAF_RULES_SHARE : *nodes, rest = *nodes - share;
	struct search s = {
		.game = game,
		.state = state,
		.goal = goal,
		.detail = PN_FRONTIER,
		.knowledge = prover->knowledge,
		.identity = &prover->identity,
		.host = prover->host,
		.fact = drop_fact,
		.nodes = share,
		.fail = fail,
	};
	int error = PD_OK;
	if (is_theorem(prover, state, goal)) {
		*nodes -= *nodes > 0;
		*verdict = pn_goal_reached(goal);
		return PD_OK;
	}
	enum tree_end end = search_prover_tree(prover, &s, NULL, false);
	bool limit = goal->plies && (!game->acyclic || end == TREE_SOLVED);
	s.nodes += rest;
	if (s.verdict == PN_OPEN && s.nodes && (prover->host || limit))
		end = search_prover_tree(prover, &s, prover->host, limit);
	if (s.verdict == PN_OPEN && end == TREE_SOLVED && !limit && s.nodes)
		end = search_prover_tree(prover, &s, prover->host, true);
	if (s.verdict == PN_OPEN && end == TREE_FULL && s.nodes)
		error = search_whole_solver(&s);
	PD_ASSERT(s.nodes <= *nodes);
	*nodes = s.nodes;
	*verdict = s.verdict;
	return error;
}

/* --- one search with its proof ------------------------------------------------------------ */

struct pn_bounded_room {
	struct tree tree;
	uint32_t capacity; /* of the tree; a search that uses it makes it smaller while it runs */
	struct fact_buffer proof;
};

static uint64_t tree_bytes(const struct game *game, uint64_t nodes)
{
	return (nodes + 2 * (uint64_t)game->moves_max) * sizeof(struct tree_node);
}

struct pn_bounded_room *pn_bounded_room_new(const struct game *game)
{
	const struct tree_options options = {.keep_proofs = true};
	struct pn_bounded_room *room = malloc(sizeof *room);
	if (!room || !tree_init(&room->tree, game, tree_bytes(game, ROOM_NODES), &options)) {
		free(room);
		return NULL;
	}
	room->capacity = room->tree.capacity;
	fact_buffer_init(&room->proof);
	return room;
}

void pn_bounded_room_free(struct pn_bounded_room *room)
{
	if (!room)
		return;
	room->tree.capacity = room->capacity;
	tree_fini(&room->tree);
	fact_buffer_fini(&room->proof);
	free(room);
}

/* Searches for the proof in `tree`, with or without a limit of plies, and gives it out by way of `proof`. */
static int search_in_tree(struct search *s, struct tree *tree, struct fact_buffer *proof, bool limit, uint64_t nodes)
{
	uint64_t left = nodes;
	PD_ASSERT(nodes <= s->nodes);
	run_tree(tree, s, limit, &left);
	s->nodes -= nodes - left;
	if (s->verdict != PN_OPEN) {
		tree_emit(tree, proof);
		fact_buffer_take(proof, s->fact, s->fact_ctx);
	}
	return proof->failed ? pd_fail_set(s->fail, PD_E_NO_MEMORY, "", no_room) : PD_OK;
}

/* Searches for the proof in one tree, with or without the host's facts and a limit of plies. */
static int search_tree(struct search *s, const struct pn_host *host, bool limit, uint64_t nodes)
{
	const struct game *game = s->game;
	struct tree_options options = {.keep_proofs = true,
				       .mobility = true,
				       .heuristics = true,
				       .immediate_win = true,
				       .knowledge = s->knowledge,
				       .host = host};
	struct tree tree;
	struct fact_buffer proof;
	if (s->room && nodes >= TREE_NODES_MIN && nodes <= ROOM_NODES) {
		PD_ASSERT(s->room->tree.question.game == game);
		tree_set_options(&s->room->tree, &options);
		s->room->tree.capacity = (uint32_t)(tree_bytes(game, nodes) / sizeof(struct tree_node));
		PD_ASSERT(s->room->tree.capacity <= s->room->capacity);
		return search_in_tree(s, &s->room->tree, &s->room->proof, limit, nodes);
	}
	if (!tree_init(&tree, game, tree_bytes(game, nodes), &options))
		return pd_fail_set(s->fail, PD_E_NO_MEMORY, "", "no memory for a bounded search");
	fact_buffer_init(&proof);
	int error = search_in_tree(s, &tree, &proof, limit, nodes);
	fact_buffer_fini(&proof);
	tree_fini(&tree);
	return error;
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Searches for the proof, with or without static solves. */
static int search_bounded(struct search *s)
{
	uint64_t first = smaller_of(s->nodes, PN_LEAF_TREE_NODES), rest = s->nodes - first;
	int error = search_tree(s, NULL, false, first);
	s->nodes = rest;
	if (!error && s->verdict == PN_OPEN && s->goal->plies && s->nodes)
		error = search_tree(s, s->host, true, smaller_of(s->nodes, PN_LEAF_LIMITED_NODES));
	if (error || s->verdict != PN_OPEN || !s->nodes)
		return error;
	return search_whole_solver(s);
}

static struct search begin_search(const struct game *game, const void *state, const struct pn_goal *goal,
				  const struct pn_bounded_options *options, struct pd_fail *fail)
{
	return (struct search){
		.game = game,
		.state = state,
		.goal = goal,
		.host = options->host,
		.room = options->room,
		.fact = options->fact ? options->fact : drop_fact,
		.fact_ctx = options->fact_ctx,
		.fail = fail,
	};
}

static void allow_nodes(struct search *s, uint64_t nodes, bool knowledge)
{
	s->nodes = nodes;
	s->knowledge = knowledge;
	s->detail = knowledge ? PN_KNOWN : PN_FULL;
}

int pn_bounded(const struct game *game, const void *state, const struct pn_goal *goal,
	       const struct pn_bounded_options *options, enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct pd_identity identity;
	struct search s = begin_search(game, state, goal, options, fail);
	int error = PD_OK;
	pd_identity_init(&identity, options->identity);
	s.identity = &identity;
	if (question_has_knowledge(game)) {
		allow_nodes(&s, options->nodes, true);
		error = search_bounded(&s);
	}
	if (!error && s.verdict == PN_OPEN) {
		allow_nodes(&s, options->nodes, false);
		error = search_bounded(&s);
	}
	*verdict = s.verdict;
	return error;
}

/* --- leaves of stored proofs --------------------------------------------------------------- */

int pn_leaf_check(struct pn_prover *prover, const void *state, const struct pd_reason *leaf,
		  const struct pn_leaf_policy *policy, struct pn_leaf_verdict *result, struct pd_fail *fail)
{
	struct pn_goal goal = pn_goal_of(pn_prover_game(prover), leaf);
	*result = (struct pn_leaf_verdict){.verdict = PN_OPEN};
	for (unsigned i = 0; result->verdict == PN_OPEN; i++) {
		uint64_t nodes = pn_leaf_nodes(policy, leaf, i), left = nodes;
		if (!nodes)
			break;
		int rc = pn_prover_run(prover, state, &goal, &left, &result->verdict, fail);
		if (rc)
			return rc;
		PD_ASSERT(left <= nodes);
		result->nodes += nodes - left;
	}
	return PD_OK;
}

int pn_leaf_regenerate(const struct pn_leaf_regeneration *what, enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct pn_goal goal = pn_goal_of(what->game, what->leaf);
	struct pn_bounded_options options = *what->options;
	*verdict = PN_OPEN;
	for (unsigned i = 0; *verdict == PN_OPEN; i++) {
		options.nodes = pn_leaf_nodes(what->policy, what->leaf, i);
		if (!options.nodes)
			break;
		int rc = pn_bounded(what->game, what->state, &goal, &options, verdict, fail);
		if (rc)
			return rc;
	}
	return PD_OK;
}

int pn_leaf_first_search(const struct pn_leaf_regeneration *what, enum pn_verdict *verdict, struct pd_fail *fail)
{
	const struct pn_goal goal = pn_goal_of(what->game, what->leaf);
	struct pd_identity identity;
	struct search s = begin_search(what->game, what->state, &goal, what->options, fail);
	pd_identity_init(&identity, what->options->identity);
	s.identity = &identity;
	allow_nodes(&s, pn_leaf_nodes(what->policy, what->leaf, 0), question_has_knowledge(what->game));
	int error = search_tree(&s, NULL, false, smaller_of(s.nodes, PN_LEAF_TREE_NODES));
	*verdict = s.verdict;
	return error;
}
