#include "solver/solver.h"

#include "solver/goal.h"
#include "solver/remote.h"
#include "solver/solver_state.h"
#include "solver/tree_proof.h"
#include "solver/tree_search.h"

/* A solver answers one question by a short series of claims: a single one for a claim; for `value`, claims that each
 * halve the open part of the scale. Each claim is searched by the engine of each search thread (engine.h). The claims
 * share transposition table, cache and facts. */

static bool pn_uses_tt(const struct pn_solver *s)
{
	return s->algorithm->engine->tt;
}

/* --- counters ------------------------------------------------------------------------------- */

static void publish_count(_Atomic uint64_t *at, uint64_t value)
{
	atomic_store_explicit(at, value, memory_order_relaxed);
}

static uint64_t read_count(const _Atomic uint64_t *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

/* Publishes a thread's counters for pn_solver_progress; called by that thread, or while no thread searches. */
static void pn_publish_counts(struct search_thread *w)
{
	struct search_counts *c = &w->counts;
	struct pn_engine_progress p;
	uint32_t num[2] = {1, 1};
	game_move leading = PD_NO_MOVE;
	if (!w->engine)
		return;
	w->engine->type->progress(w->engine, &p);
	if (!w->remote) /* only the numbers of thread 0 are reported, and they cost a pass over all frames */
		w->engine->type->numbers(w->engine, num, &leading);
	publish_count(&c->level1, p.level1 + (w->closure ? w->closure->looks : 0));
	publish_count(&c->level2, p.level2);
	publish_count(&c->positions, p.positions + (w->closure ? w->closure->made : 0));
	publish_count(&c->facts, w->facts.count);
	publish_count(&c->cache_asks, p.cache_asks);
	publish_count(&c->cache_hits, p.cache_hits);
	publish_count(&c->numbers, num[0] + ((uint64_t)num[1] << 32));
	publish_count(&c->leading, leading);
	publish_count(&c->entries, p.entries);
	publish_count(&c->capacity, p.capacity);
	publish_count(&c->level2_budget, p.level2_budget);
	publish_count(&c->in_tree, p.in_tree);
}

/* --- making ------------------------------------------------------------------------------- */

/* Whether a search uses what a game knows beyond its rules. A position solved that way has no proof yet, so it becomes
 * a leaf. */
static bool pn_uses_knowledge(const struct pn_solver *s)
{
	return s->options.knowledge && s->options.detail != PN_FULL && pn_uses_tt(s) &&
	       !s->algorithm->policy->published;
}

/* Of the arena for a level-2 search of so many nodes. */
static uint64_t pn_level2_bytes(const struct pn_solver *s, uint64_t nodes)
{
	return sizeof(struct tree_node) * (nodes + nodes / 4 + 4 * (uint64_t)s->game->moves_max);
}

/* Creates a search thread's own parts, unless it has them from an earlier pn_solver_join. */
static bool pn_make_thread(struct pn_solver *s, struct search_thread *w)
{
	if (w->engine)
		return true;
	const struct search_thread *first = &s->threads[s->options.threads]; /* of those with remote leaves */
	struct pn_engine_setup setup = {
		.game = s->game,
		.options = &s->options,
		.host = &w->host,
		.policy = s->algorithm->policy,
		.tt = &s->tt,
		.cache = s->cache.buckets ? &s->cache : NULL,
		.facts = &w->facts,
		.group = &s->group,
		.level1_bytes = s->level1_bytes,
		.level2_bytes = w->remote ? pn_level2_bytes(s, PN_LOOK_NODES) : s->level2_bytes,
		.level2 = w->remote && first->engine ? first->engine->type->tree(first->engine) : NULL,
		.personality = (unsigned)(w - s->threads) * pn_walkers(&s->options),
		.remote = w->remote,
		.lo = s->claim.value ? &s->lo : NULL,
		.hi = s->claim.value ? &s->hi : NULL,
		.knowledge = pn_uses_knowledge(s),
		.hints = s->hints.count ? &s->hints : NULL,
	};
	fact_buffer_init(&w->facts);
	w->facts.host = &w->host;
	w->engine = s->algorithm->engine->create(&setup);
	pn_publish_counts(w);
	return w->engine != NULL;
}

/* Divides the memory: first the closure's share; then the level-2 arenas, at most a quarter; then the cache, a quarter
 * of the rest (a quarter of that is for dominance, where the game has it); then the transposition table or the tree of
 * level 1, which gets what remains. */
static bool pn_share_memory(struct pn_solver *s)
{
	const struct pn_options *o = &s->options;
	bool published = s->algorithm->policy->published;
	uint64_t rest = o->memory - s->closure.memory;
	if (s->algorithm->level2) {
		uint64_t bytes = pn_level2_bytes(s, published ? o->paper_nodes : o->cap_last);
		uint64_t most = rest / 4 / o->threads;
		s->level2_bytes = bytes < most ? bytes : most;
		rest -= s->level2_bytes * o->threads;
	}
	if (pn_uses_tt(s) && !published && o->cache) {
		if (!pn_make_cache(s, rest / 4))
			return false;
		rest -= s->cache.slots ? rest / 4 : 0;
	}
	PD_ASSERT(rest <= o->memory);
	s->level1_bytes = s->algorithm->engine->beside ? rest / 4 : rest;
	if (s->algorithm->engine->beside)
		rest -= s->level1_bytes;
	if (published && rest > o->paper_nodes * sizeof(struct pn_entry))
		rest = o->paper_nodes * sizeof(struct pn_entry);
	if (o->tt_entries && rest > o->tt_entries * sizeof(struct pn_entry))
		rest = o->tt_entries * sizeof(struct pn_entry);
	return !pn_uses_tt(s) || tt_init(&s->tt, rest, published);
}

/* Whether there are several searches that share their numbers. */
static bool pn_shares_numbers(const struct pn_solver *s)
{
	return !s->options.dovetail && (s->present > 1 || pn_walkers(&s->options) > 1);
}

static bool pn_make_parts(struct pn_solver *s)
{
	pn_init_closure(s);
	if (!pn_share_memory(s))
		return false;
	s->threads[0].present = true;
	s->present = 1;
	s->group.several = pn_shares_numbers(s);
	return pn_make_thread(s, &s->threads[0]);
}

/* Copies what the solver is made from. False when memory runs out. */
static bool pn_take_setup(struct pn_solver *s, const struct pn_solver_setup *setup)
{
	const struct game *game = setup->game;
	s->game = game;
	s->options = *setup->options;
	s->algorithm = pn_algorithm(s->options.algorithm);
	pd_identity_init(&s->identity, s->options.identity);
	injected_init(&s->injected);
	if (!s->options.threads || !pn_algorithm_has_threads(s->options.algorithm))
		s->options.threads = 1;
	if (!pn_remote_possible(&s->options))
		s->options.remote = 0;
	s->root = malloc(game->state_size);
	s->threads = calloc(pn_threads_most(s), sizeof *s->threads);
	if (!s->root || !s->threads)
		return false;
	s->met = 1;
	if (setup->host)
		s->threads[0].host = *setup->host;
	s->claim = *setup->claim;
	s->shorten.nodes = s->options.shorten;
	s->lo = game->value_min;
	s->hi = game->value_max;
	s->point = PN_POINT_START;
	if (setup->resumed)
		s->resumed = *setup->resumed;
	memcpy(s->root, setup->root, game->state_size);
	return hints_init(&s->hints, game, &s->identity, s->root, setup->first, setup->first_count);
}

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

int pn_solver_new(const struct pn_solver_setup *setup, struct pn_solver **out, struct pd_fail *fail)
{
	const struct pn_options *options = setup->options;
	int error = pn_question_check(setup->game, setup->claim, fail);
	if (error)
		return error;
	if (options->memory < PN_MEMORY_MIN)
		return pd_fail_set(fail, PD_E_PARAMS, "memory",
				   "%llu bytes are too few for a search; at least %llu are needed",
				   (unsigned long long)options->memory, (unsigned long long)PN_MEMORY_MIN);
	struct pn_solver *s = calloc(1, sizeof *s);
	if (!s || !pn_take_setup(s, setup))
		error = pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a solver");
	else if (!pn_make_parts(s))
		error = pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "cannot reserve %llu bytes for the search",
				    (unsigned long long)options->memory);
	else
		error = pn_root_init(s, fail);
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
	for (unsigned i = 0; s->threads && i < pn_threads_most(s); i++) {
		struct search_thread *w = &s->threads[i];
		if (w->engine)
			w->engine->type->destroy(w->engine);
		fact_buffer_fini(&w->facts);
	}
	tt_fini(&s->tt);
	cache_fini(&s->cache);
	injected_fini(&s->injected);
	hints_fini(&s->hints);
	closure_fini(&s->closure);
	pd_fact_fini(&s->root_fact);
	free(s->threads);
	free(s->root);
	free(s);
}

void pn_solver_load(struct pn_solver *s, const struct pn_entry *entries, size_t count)
{
	PD_ASSERT(!s->searching);
	if (!pn_uses_tt(s))
		return;
	for (size_t i = 0; i < count; i++)
		if (pn_entry_kind(s->game, entries[i].num) != PN_ENTRY_BROKEN)
			tt_load(&s->tt, &entries[i]);
}

/* --- searching ---------------------------------------------------------------------------- */

/* The current claim is solved at the root with these numbers. */
static void pn_end_claim(struct pn_solver *s, const uint32_t num[2], game_move move)
{
	PD_ASSERT(num_sound(num) && num_solved(num) && !ghi_path_dependent(&s->question, num)); /* P1, F1 */
	struct pd_reason reason = question_reason(&s->question, num);
	reason.move = move;
	pn_root_learn(s, &reason);
	s->searching = false;
}

static enum pn_state pn_stop_stuck(struct search_thread *w, const char *why)
{
	w->why = why;
	return PN_STUCK;
}

/* Nodes of both levels that an engine has searched. */
static uint64_t pn_engine_nodes(const struct pn_engine *engine)
{
	struct pn_engine_progress p;
	engine->type->progress(engine, &p);
	return p.level1 + p.level2;
}

/* Starts the current claim in a thread, unless it has. An expanded root counts against the quota like any node: a
 * budget must end at the same node however the run is divided into steps (P4). False when memory runs out. */
static bool pn_start_claim(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	if (w->started)
		return true;
	uint64_t before = pn_engine_nodes(w->engine);
	if (!w->engine->type->start(w->engine, &s->question, s->root))
		return false;
	uint64_t used = pn_engine_nodes(w->engine) - before;
	*nodes -= used < *nodes ? used : *nodes;
	w->started = true;
	return true;
}

/* Searches the current claim until its engine's `run` returns. */
static enum pn_state pn_search_claim(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	struct pn_engine *engine = w->engine;
	game_move leading;
	PD_ASSERT(engine && s->searching);
	if (!pn_start_claim(s, w, nodes))
		return pn_stop_stuck(w, "memory: no memory for the search's frames");
	uint64_t used = pn_engine_nodes(engine), due = w->closure ? closure_due(w->closure) : UINT64_MAX;
	if (used >= due)
		return pn_search_closure(s, w, nodes);
	uint64_t quota = *nodes < due - used ? *nodes : due - used, left = quota;
	enum pn_engine_end end = engine->type->run(engine, &left);
	*nodes -= quota - left;
	switch (end) {
	case PN_ENGINE_SOLVED:
		w->solved = true;
		engine->type->numbers(engine, w->solved_num, &leading);
		w->solved_move = engine->type->move(engine);
		return PN_GATHER;
	case PN_ENGINE_COLLECT:
		return PN_COLLECT;
	case PN_ENGINE_WAITING:
		return PN_WAITING;
	case PN_ENGINE_NO_MEMORY:
		return pn_stop_stuck(w, "memory: no memory for the search's frames or the facts it found");
	case PN_ENGINE_FULL:
		return pn_stop_stuck(
			w,
			"memory: the search tree fills it; give more, or use an algorithm with a transposition table");
	case PN_ENGINE_DEPTH:
		return pn_stop_stuck(w, "depth: the open lines go on for more plies than a path can have");
	case PN_ENGINE_MORE:
		break;
	}
	return PN_RUNNING;
}

/* --- shorter wins, once the answer is known ------------------------------------------------- */

/* The one bound of the root that has a length; NULL when there is none, or when there are two (the length of a drawn
 * game does not matter). */
static const struct pd_reason *pn_find_win(const struct pn_solver *s)
{
	const struct pd_reason *lo = pd_fact_find(&s->root_fact, PD_LO, s->lo);
	const struct pd_reason *hi = pd_fact_find(&s->root_fact, PD_HI, s->hi);
	const struct pd_reason *win = lo && hi ? NULL : lo ? lo : hi;
	return win && win->rank > 1 && win->rank <= PD_RANK_MAX ? win : NULL;
}

/* Begins a search for a win that is at least one ply shorter. */
static void pn_begin_shorter(struct pn_solver *s, struct tree *tree, const struct pd_reason *win)
{
	struct pn_goal goal = pn_goal_of(s->game, win);
	PD_ASSERT(win->rank > 1);
	s->question = pn_root_question(s, goal.threshold);
	tree_start(tree, &s->question, s->root, UINT64_MAX);
	tree_limit(tree, win->rank - 1u, goal.proof);
	s->shorten.running = true;
}

/* Searches in a tree for the same bound in fewer plies than known, until no shorter win is found or no nodes are
 * left. */
static enum pn_state pn_search_shorter(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	const struct pd_reason *win = pn_find_win(s);
	struct tree *tree = w->engine->type->tree(w->engine);
	PD_ASSERT(s->shorten.nodes > 0 && pn_root_answered(s));
	if (!tree || !win || tree_seeks_smallest(tree)) {
		s->shorten.nodes = 0;
		return PN_GATHER;
	}
	if (!s->shorten.running)
		pn_begin_shorter(s, tree, win);
	uint64_t quota = *nodes < s->shorten.nodes ? *nodes : s->shorten.nodes, left = quota, before = tree->generated;
	enum tree_end end = tree_run(tree, &left);
	uint64_t used = tree->generated - before; /* the last expansion may go beyond the quota */
	*nodes -= quota - left;
	s->shorten.nodes -= used < s->shorten.nodes ? used : s->shorten.nodes;
	if (end == TREE_MORE && s->shorten.nodes)
		return PN_RUNNING;
	const uint32_t *num = tree_numbers(tree);
	s->shorten.running = false;
	w->solved = end == TREE_SOLVED && (num[0] == 0) == (win->side == PD_LO);
	if (!w->solved) {
		s->shorten.nodes = 0;
		return PN_GATHER;
	}
	tree_record(tree, s->options.detail, &w->facts);
	num_copy(w->solved_num, num);
	w->solved_move = tree->root_move;
	return PN_GATHER;
}

/* --- stretches ------------------------------------------------------------------------------ */

/* Runs one search thread for at most *nodes nodes. */
static enum pn_state pn_search_stretch(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	enum pn_state state = PN_RUNNING;
	bool first = w == s->threads;
	while (state == PN_RUNNING && *nodes && !group_halted(&s->group)) {
		if (!pn_root_answered(s))
			state = pn_search_claim(s, w, nodes);
		else if (first && s->shorten.nodes)
			state = pn_search_shorter(s, w, nodes);
		else
			state = PN_GATHER;
		if (w->facts.failed)
			state = pn_stop_stuck(w, "memory: no memory for the facts that were found");
	}
	pn_publish_counts(w);
	return state;
}

enum pn_state pn_solver_run_thread(struct pn_solver *s, unsigned thread, uint64_t nodes)
{
	PD_ASSERT(thread < pn_threads_most(s) && s->threads[thread].present);
	enum pn_state state = pn_search_stretch(s, &s->threads[thread], &nodes);
	if (state != PN_RUNNING && state != PN_WAITING)
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

/* The point at which the search returned. */
static enum pn_point pn_find_point(const struct pn_solver *s, enum pn_state state)
{
	if (state == PN_STUCK)
		return PN_POINT_STUCK;
	if (state == PN_COLLECT)
		return PN_POINT_COLLECT;
	if (s->shorten.running)
		return PN_POINT_LEVEL2;
	if (!s->searching)
		return PN_POINT_START;
	return read_count(&s->threads[0].counts.in_tree) ? PN_POINT_LEVEL2 : PN_POINT_TURN;
}

bool pn_solver_lost_facts(const struct pn_solver *s)
{
	for (unsigned i = 0; i < s->met; i++)
		if (s->threads[i].facts.failed)
			return true;
	return false;
}

enum pn_state pn_solver_gather(struct pn_solver *s)
{
	bool solved = false;
	tt_settle(&s->tt);
	cache_settle(&s->cache);
	for (unsigned i = 0; i < s->met; i++) {
		struct search_thread *w = &s->threads[i];
		if (w->solved && !solved)
			pn_end_claim(s, w->solved_num, w->solved_move);
		solved |= w->solved;
		w->solved = false;
		pn_publish_counts(w);
		if (w->facts.failed)
			w->why = "memory: no memory for the facts that were found";
		if (w->why && !s->why)
			s->why = w->why;
	}
	/* When one thread runs out of memory, another may have the answer; but it does not count if facts were lost. */
	bool done = pn_root_answered(s) && !s->shorten.nodes && !pn_solver_lost_facts(s);
	enum pn_state state = done ? PN_ANSWERED : s->why ? PN_STUCK : PN_RUNNING;
	pn_next_claim(s);
	s->point = pn_find_point(s, state);
	return state;
}

enum pn_state pn_solver_step(struct pn_solver *s, uint64_t nodes)
{
	PD_ASSERT(s->present == 1);
	enum pn_state state = pn_solver_gather(s);
	while (state == PN_RUNNING && nodes) {
		state = pn_search_stretch(s, &s->threads[0], &nodes);
		if (state == PN_GATHER || state == PN_STUCK)
			state = pn_solver_gather(s);
	}
	s->point = pn_find_point(s, state);
	return state;
}

unsigned pn_solver_room(const struct pn_solver *s)
{
	PD_ASSERT(s->present - s->present_remote <= s->options.threads);
	return s->options.threads - (s->present - s->present_remote);
}

bool pn_solver_wants_company(const struct pn_solver *s)
{
	return s->options.threads > 1 && !pn_root_answered(s);
}

int pn_solver_join(struct pn_solver *s, const struct pn_host *host, bool remote, unsigned *thread, struct pd_fail *fail)
{
	if (remote && !pn_remote_possible(&s->options))
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "algorithm",
				   "remote leaves need algorithm pds-pn or dfpn-pn, detail frontier and dovetail 0");
	unsigned i = remote ? s->options.threads : 0, end = remote ? pn_threads_most(s) : s->options.threads;
	while (i < end && s->threads[i].present)
		i++;
	if (i == end)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "threads", "there is room for only %u search threads",
				   remote ? s->options.remote : s->options.threads);
	struct search_thread *w = &s->threads[i];
	w->host = host ? *host : (struct pn_host){0};
	w->remote = remote;
	if (!pn_make_thread(s, w))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for one more search thread");
	w->present = true;
	w->started = false;
	if (i >= s->met)
		s->met = i + 1;
	s->present++;
	s->present_remote += remote;
	if (s->present == 2) {
		if (!s->group.several)
			group_clear_virtual(&s->group);
		s->group.several = pn_shares_numbers(s);
		s->tt.shared = s->cache.shared = true;
		if (s->group.several)
			s->threads[0].engine->type->publish(s->threads[0].engine);
	}
	*thread = i;
	return PD_OK;
}

void pn_solver_leave(struct pn_solver *s, unsigned thread)
{
	PD_ASSERT(thread > 0 && thread < pn_threads_most(s) && s->threads[thread].present);
	struct search_thread *w = &s->threads[thread];
	w->engine->type->drop(w->engine);
	w->present = w->started = false;
	s->present--;
	s->present_remote -= w->remote;
	if (s->present > 1)
		return;
	tt_settle(&s->tt);
	cache_settle(&s->cache);
	s->tt.shared = s->cache.shared = false;
	s->group.several = pn_shares_numbers(s);
}

/* --- what the host asks ---------------------------------------------------------------------- */

static uint32_t shown_number(uint32_t num)
{
	return num < PN_INF ? num : UINT32_MAX;
}

void pn_solver_progress(const struct pn_solver *s, struct pn_progress *out)
{
	const struct search_counts *first = &s->threads[0].counts;
	uint64_t num = read_count(&first->numbers);
	bool tt = s->algorithm->engine->tt;
	*out = (struct pn_progress){
		.point = s->point,
		.level1 = s->resumed.level1,
		.level2 = s->resumed.level2,
		.positions = s->resumed.positions,
		.pn = shown_number((uint32_t)num),
		.dn = shown_number((uint32_t)(num >> 32)),
		.leading = s->searching && s->threads[0].started ? (game_move)read_count(&first->leading) : PD_NO_MOVE,
		.threshold = (int16_t)(s->question.game ? s->question.threshold : pn_root_next(s)),
		.entries = tt ? tt_used(&s->tt) : read_count(&first->entries),
		.capacity = tt ? s->tt.capacity : read_count(&first->capacity),
		.facts = s->resumed.facts,
		.memory = s->options.memory,
		.lo = s->lo,
		.hi = s->hi,
		.level2_budget = (uint32_t)read_count(&first->level2_budget),
	};
	for (unsigned i = 0; i < s->met; i++) {
		const struct search_counts *c = &s->threads[i].counts;
		out->level1 += read_count(&c->level1);
		out->level2 += read_count(&c->level2);
		out->positions += read_count(&c->positions);
		out->facts += read_count(&c->facts);
		out->cache_asks += read_count(&c->cache_asks);
		out->cache_hits += read_count(&c->cache_hits);
	}
}

uint64_t pn_solver_growth(const struct pn_solver *s, uint64_t entries)
{
	return (s->algorithm->engine->tt ? tt_growth(&s->tt, entries) : 0) + cache_growth(&s->cache);
}

void pn_solver_hold(struct pn_solver *s, bool hold)
{
	s->tt.fixed = s->cache.fixed = hold;
}

uint64_t pn_solver_nodes(const struct pn_solver *s, unsigned thread)
{
	PD_ASSERT(thread < pn_threads_most(s));
	const struct search_counts *c = &s->threads[thread].counts;
	return read_count(&c->level1) + read_count(&c->level2);
}

const char *pn_solver_why(const struct pn_solver *s)
{
	return s->why ? s->why : "";
}

size_t pn_solver_take_entries(struct pn_solver *s, struct pn_entry *out, size_t max)
{
	return s->algorithm->engine->tt ? tt_take_dirty(&s->tt, out, max) : 0;
}

void pn_solver_take_facts(struct pn_solver *s,
			  void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
			  void *ctx)
{
	for (unsigned i = 0; i < s->met; i++)
		fact_buffer_take(&s->threads[i].facts, each, ctx);
}

size_t pn_solver_snapshot(const struct pn_solver *s, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	if (s->algorithm->engine->tt)
		return tt_snapshot(&s->tt, cursor, out, max);
	*cursor = UINT64_MAX;
	return 0;
}

/* The best move comes from the reason that bounds the root on the mover's side; plies is the larger rank of the two
 * bounds. */
void pn_solver_answer(const struct pn_solver *s, struct pn_answer *out)
{
	const struct game *g = s->game;
	*out = (struct pn_answer){.lo = s->lo, .hi = s->hi, .answered = pn_root_answered(s), .move = PD_NO_MOVE};
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
		out->plies = hi->rank; /* PD_RANK_NONE, for infinite play, is the greatest */
}

/* --- injected facts --------------------------------------------------------------------------- */

/* Takes in facts about the root. If they answer the current claim, its search ends. */
static int pn_inject_root(struct pn_solver *s, const struct pd_fact *fact, struct pd_fail *fail)
{
	int rc = pn_root_take(s, fact, fail);
	if (rc)
		return rc;
	if (!s->searching || (s->lo < s->question.threshold && s->hi >= s->question.threshold))
		return PD_OK;
	for (unsigned i = 0; i < s->met; i++) {
		struct search_thread *w = &s->threads[i];
		if (w->present)
			w->engine->type->drop(w->engine);
		w->started = false;
	}
	s->searching = false;
	pn_next_claim(s);
	return PD_OK;
}

int pn_solver_inject(struct pn_solver *s, const void *state, struct pd_fail *fail)
{
	const struct game *g = s->game;
	const struct pn_host *host = &s->threads[0].host;
	uint8_t key[GAME_KEY_MAX], root[GAME_KEY_MAX];
	size_t size = g->rules->key(g, state, key);
	struct pd_fact fact;
	int value, rc = PD_OK;
	pd_fact_init(&fact);
	if (pn_root_answered(s) || g->rules->terminal(g, state, &value) || !host->fact ||
	    !host->fact(host->ctx, key, size, &fact) || !fact.count) {
		pd_fact_fini(&fact);
		return PD_OK;
	}
	const struct injected_fact *item = injected_put(&s->injected, key, size, &fact);
	if (!item)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for injected facts");
	else if (size == g->rules->key(g, s->root, root) && !memcmp(key, root, size))
		rc = pn_inject_root(s, &fact, fail);
	else if (s->searching)
		pn_apply_fact(s, item);
	pd_fact_fini(&fact);
	return rc;
}
