/* The engine `pds` (pds.h): its loop. */

#include "solver/algorithms.h"
#include "solver/ghi_cycles.h"
#include "solver/pds_alike.h"
#include "solver/pds_child.h"
#include "solver/pds_hands.h"
#include "solver/pds_leaf.h"
#include "solver/pds_policy.h"
#include "solver/pds_result.h"
#include "solver/pds_similar.h"
#include "solver/pds_snda.h"
#include "solver/tree_search.h"
#include "solver/pds_walkers.h"

enum {
	DEPTH_UNBOUNDED = 4096, /* frames where the game gives no bound */
	/* Of the memory, in all searches together: at most 1/16 each for path-dependent results, for links in members
	 * that keep them, and for open positions by their board. */
	BESIDE_SHARE = 16,
	BESIDE_LEAST = 4096 /* bytes of each, in each search: with less some graphs are not answered */
};

/* --- the engine --------------------------------------------------------------------------- */

static void pds_destroy(struct pn_engine *engine)
{
	struct pds *pds = (void *)engine;
	if (pds->leaf.tree && !pds->leaf.borrowed) {
		tree_fini(pds->leaf.tree);
		free(pds->leaf.tree);
	}
	ghi_fini(&pds->ghi);
	pds_links_free(pds->links);
	pds_hands_free(pds->hands);
	free(pds->frames);
	free(pds->states);
	free(pds->children);
	free(pds->moves);
	free(pds);
}

/* Makes level 2, and room for the frames. False when memory runs out. */
static bool pds_make_parts(struct pds *pds, const struct pn_engine_setup *setup)
{
	const struct game *game = setup->game;
	const struct pn_options *o = setup->options;
	struct tree_options tree = {
		.keep_proofs = o->detail != PN_FRONTIER,
		.mobility = o->mobility,
		.heuristics = !setup->policy->published && o->heuristics,
		.immediate_win = !setup->policy->published,
		.knowledge = setup->knowledge,
		.cache = setup->cache,
		.dominating = setup->facts,
		.seed = o->seed,
	};
	if (!setup->policy->published)
		tree.frontier = o->frontier;
	pds->leaf.tree = setup->level2;
	pds->leaf.borrowed = setup->level2 != NULL;
	if (!pds->leaf.tree && setup->level2_bytes) {
		pds->leaf.tree = calloc(1, sizeof *pds->leaf.tree);
		if (!pds->leaf.tree || !tree_init(pds->leaf.tree, game, setup->level2_bytes, &tree))
			return false;
	}
	pds->leaf.remote = setup->remote;
	pds->stride = (game->state_size + 15) & ~(size_t)15;
	pds->depth_max = game->plies_max ? game->plies_max : DEPTH_UNBOUNDED;
	PD_ASSERT(pds->depth_max <= PD_RANK_MAX); /* F3: a rank for every depth */
	pds->children_capacity = 4 * game->moves_max + 64;
	pds->random = pds->options->seed;
	uint64_t beside = o->memory / BESIDE_SHARE / (setup->remote ? o->remote : o->threads * pn_walkers(o));
	beside = beside > BESIDE_LEAST ? beside : BESIDE_LEAST;
	ghi_init(&pds->ghi, beside);
	pds->frames = malloc(((size_t)pds->depth_max + 2) * sizeof *pds->frames);
	pds->states = aligned_alloc(16, ((size_t)pds->depth_max + 2) * pds->stride);
	pds->children = malloc(pds->children_capacity * sizeof *pds->children);
	pds->moves = malloc((PDS_COSTS + 2) * (size_t)game->moves_max * sizeof *pds->moves);
	bool linked = pds->policy->links && !o->sums.widen;
	pds->links = linked ? pds_links_new(beside) : NULL;
	bool hands = pds->policy->hands && pn_has_dominance(game) && o->knowledge;
	pds->hands = hands ? pds_hands_new(beside) : NULL;
	return (pds->links || !linked) && (pds->hands || !hands) && pds->frames && pds->states && pds->children &&
	       pds->moves;
}

static struct pn_engine *pds_create_one(const struct pn_engine_setup *setup)
{
	struct pds *pds = calloc(1, sizeof *pds);
	if (!pds)
		return NULL;
	*pds = (struct pds){
		.engine = {&pn_engine_pds},
		.question = question_of(setup->game, 0),
		.options = setup->options,
		.policy = setup->policy,
		.host = setup->host,
		.tt = setup->tt,
		.cache = setup->cache,
		.facts = setup->facts,
		.group = setup->group,
		.hints = setup->hints,
		.knowledge = setup->knowledge,
	};
	if (setup->options->dovetail && !setup->policy->published) {
		pds_personality(setup->options, setup->personality, &pds->turn.options);
		pds->options = &pds->turn.options;
		pds->turn.name_space = setup->personality * UINT64_C(0xd1b54a32d192ed03);
		pds->turn.shares = setup->options->cache;
	}
	if (pds_make_parts(pds, setup))
		return &pds->engine;
	pds_destroy(&pds->engine);
	return NULL;
}

static struct pn_engine *pds_create(const struct pn_engine_setup *setup)
{
	unsigned walkers = setup->remote ? 1 : pn_walkers(setup->options);
	return walkers > 1 ? pds_walkers_create(setup, walkers, pds_create_one) : pds_create_one(setup);
}

static game_move pds_root_move(const struct pn_engine *engine)
{
	return ((const struct pds *)(const void *)engine)->root.move;
}

static void pds_report(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct pds *pds = (const void *)engine;
	const struct tree *tree = pds->leaf.tree;
	*out = (struct pn_engine_progress){
		.level1 = pds->counts.expansions,
		.level2 = pds->leaf.nodes + pds_leaf_nodes(pds),
		.positions = pds->counts.made + pds->leaf.nodes + pds_leaf_nodes(pds),
		.cache_asks = tree && !pds->leaf.borrowed ? tree->asked.asks : 0,
		.cache_hits = tree && !pds->leaf.borrowed ? tree->asked.hits : 0,
		.level2_budget = pds->leaf.budget,
		.in_tree = pds->leaf.in_tree,
	};
}

static struct tree *pds_idle_tree(struct pn_engine *engine)
{
	struct pds *pds = (void *)engine;
	return pds->leaf.tree;
}

/* --- frames ------------------------------------------------------------------------------- */

static bool pds_reserve_children(struct pds *pds, unsigned count)
{
	if (pds->children_count + count <= pds->children_capacity)
		return true;
	uint32_t capacity = 2 * pds->children_capacity + count;
	struct pds_child *children = realloc(pds->children, capacity * sizeof *children);
	if (!children)
		return false;
	pds->children = children;
	pds->children_capacity = capacity;
	return true;
}

/* Makes the children of the frame at `depth` from pds->moves. */
static void pds_make_children(struct pds *pds, uint32_t depth, unsigned count)
{
	const struct question *q = &pds->question;
	const void *state = pds_state(pds, depth);
	uint8_t *child = pds_state(pds, depth + 1);
	for (unsigned i = 0; i < count; i++) {
		struct pds_child *c = &pds->children[pds->children_count++];
		memcpy(child, state, q->game->state_size);
		c->move = pds->moves[i];
		q->game->rules->play(q->game, child, c->move);
		pds_child_init(pds, c, child);
	}
}

/* Whether the frame just entered gets thresholds above its numbers (pds_tca.c). `entry` is the node's in the table;
 * NULL: it is met for the first time. */
static void pds_control_thresholds(struct pds *pds, struct pds_frame *f, const struct pn_entry *entry)
{
	uint32_t least = entry && entry->depth < pds->depth ? entry->depth : pds->depth;
	f->raised = entry && pds->depth && f[-1].raised;
	for (uint32_t i = 0; i < f->count && !f->raised; i++) {
		const struct pds_child *c = &pds->children[f->first + i];
		struct pn_entry e;
		f->raised = !num_solved(c->num) && tt_get(pds->tt, c->id, &e) && e.depth < least;
	}
	f->entered = true;
}

/* The first turn of a frame that has old children: its thresholds are above its numbers. */
static void pds_raise_once(struct pds_frame *f, const uint32_t num[2])
{
	for (unsigned i = 0; i < 2 && f->entered && f->raised && !num_solved(num); i++)
		if (f->t[i] <= num[i])
			f->t[i] = num[i] + 1;
	f->entered = false;
}

/* Expands the node whose position is at `depth` into a frame with the thresholds t. False when memory runs out. */
static bool pds_enter_frame(struct pds *pds, uint32_t depth, struct pd_id id, const uint32_t num[2],
			    const uint32_t t[2])
{
	const struct question *q = &pds->question;
	const void *state = pds_state(pds, depth);
	PD_ASSERT(depth <= pds->depth_max && t[0] && t[1]);
	unsigned count = question_moves(q, state, pds->moves);
	PD_ASSERT(count && count <= q->game->moves_max);
	if (!pds_reserve_children(pds, count))
		return false;
	if (pds->options->seed)
		question_shuffle_moves(&pds->random, pds->moves, count);
	struct pds_frame *f = &pds->frames[depth];
	struct pn_entry e;
	bool known = tt_get(pds->tt, id, &e);
	*f = (struct pds_frame){
		.id = id,
		.progress = pds_progress_of_group(pds),
		.work = pds_nodes(pds) - (known ? e.work : 0),
		.known = known ? e.work : 0,
		.first = pds->children_count,
		.count = count,
		.t = {t[0], t[1]},
		.k = (uint8_t)question_kind(q, state),
	};
	f->floor = pds->policy->running_floor ? num[f->k] : 0;
	f->place = pds_place(pds, state, id);
	if (pds_cyclic(pds)) {
		f->path = depth ? ghi_twin_id(pds->frames[depth - 1].path, id) : id;
		uint16_t *slot = ghi_path_slot(&pds->ghi, f->place.board);
		f->behind = *slot;
		*slot = (uint16_t)(depth + 1);
	}
	group_enter(pds->group, id);
	if (pds->policy->guard)
		pds->policy->guard(pds, f, depth);
	pds->depth = depth;
	pds->counts.expansions++;
	pds->counts.made += count;
	if (!known)
		pds_progress(pds);
	pds_make_children(pds, depth, count);
	if (pds->policy->costs)
		pds->policy->costs(pds, f);
	if (pds->options->siblings.alike && !pds->links && !pds->policy->published)
		pds_class_moves(pds, f);
	if (pds->policy->controls_thresholds && pds_cyclic(pds))
		pds_control_thresholds(pds, f, known ? &e : NULL);
	if (pds->hints)
		pds_follow_hints(pds, f);
	if (pds->links)
		pds_links_enter(pds);
	return true;
}

/* Whether numbers a would be selected before b; both are of open children. */
static bool pds_selected_before(const struct pds_frame *f, const uint32_t a[2], const uint32_t b[2])
{
	unsigned k = f->k;
	uint32_t x = a[k] > f->floor ? a[k] : f->floor, y = b[k] > f->floor ? b[k] : f->floor;
	return x != y ? x < y : a[1 - k] < b[1 - k];
}

/* Dynamic widening (Yoshizoe 2008): the sum over the first `widen` open children in the order in which they would be
 * selected, the first of equal ones first. There are more open ones. The picked child's own numbers are `now`, unless
 * that is NULL. */
static uint64_t pds_sum_widened(const struct pds *pds, const struct pds_frame *f, const uint32_t *now)
{
	uint64_t sum = 0;
	uint32_t last[2], last_index = UINT32_MAX;
	for (uint32_t n = 0; n < pds->options->sums.widen; n++) {
		uint32_t next[2], next_index = UINT32_MAX, costly[2];
		struct pds_chains chains = {0};
		for (uint32_t i = 0; i < f->count; i++) {
			const struct pds_child *c = &pds->children[f->first + i];
			const uint32_t *num = pds_read_child(c, now && i == f->picked ? now : c->num, costly);
			if (f->alike && !num_solved(num) && pds_waits(&chains, c))
				continue;
			bool after = !n || pds_selected_before(f, last, num) ||
				     (i > last_index && !pds_selected_before(f, num, last));
			if (!num_solved(num) && after &&
			    (next_index == UINT32_MAX || pds_selected_before(f, num, next))) {
				num_copy(next, num);
				next_index = i;
			}
		}
		PD_ASSERT(next_index != UINT32_MAX);
		sum += next[1 - f->k];
		num_copy(last, next);
		last_index = next_index;
	}
	return sum;
}

/* Gathers the numbers of a frame's children; `now` as in pds_sum_widened. */
static void pds_sum_children(const struct pds *pds, const struct pds_frame *f, const uint32_t *now, struct num_sum *out)
{
	const struct pds_child *children = pds->children + f->first;
	uint32_t picked = now ? f->picked : UINT32_MAX, waiting = 0, costly[2];
	struct num_sum sum;
	num_sum_init(&sum);
	if (now || pds->policy->costs || f->alike) {
		struct pds_chains chains = {0};
		for (uint32_t i = 0; i < f->count; i++) {
			const uint32_t *num = pds_read_child(&children[i], i == picked ? now : children[i].num, costly);
			if (f->alike && !num_solved(num) && pds_waits(&chains, &children[i]))
				waiting++;
			else
				num_sum_add(&sum, f->k, num, i);
		}
	} else { /* the usual case, without the tests */
		for (uint32_t i = 0; i < f->count; i++)
			num_sum_add(&sum, f->k, children[i].num, i);
	}
	*out = sum;
	if (pds->options->sums.widen && out->open > pds->options->sums.widen)
		out->sum = pds_sum_widened(pds, f, now);
	else if (f->merged)
		pds_links_sum(pds, f, now, out);
	out->sum += pds_waiting_sum(waiting);
}

/* Updates the children from the table. Numbers that the table has lost stay in the frame (P3). */
static void pds_refresh_children(struct pds *pds, const struct pds_frame *f)
{
	bool all = pds->policy->delayed_evaluation;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!c->path_dependent && (!num_solved(c->num) || all))
			pds_child_known(pds, c);
	}
}

/* Virtual proof numbers (Kaneko 2010): both numbers are larger by one for each other thread that searches below the
 * child or evaluates it. A leaf that one thread evaluates is expanded by the next when no other child is as good;
 * sending that one to children with much larger numbers was measured to lead both astray. */
static void pds_add_virtual(const struct pds *pds, const struct pds_child *c, uint32_t *delta, uint32_t *phi)
{
	unsigned threads = group_virtual(pds->group, c->id);
	*delta = num_clamp((uint64_t)*delta + threads);
	*phi = num_clamp((uint64_t)*phi + threads);
}

/* The child to search next: least max(delta, floor), then least phi (SelectChild of the paper). *second: the least
 * delta of the others. */
static uint32_t pds_select_child(const struct pds *pds, const struct pds_frame *f, uint32_t *second)
{
	const struct pds_child *children = pds->children + f->first;
	unsigned k = f->k;
	uint32_t best = 0, best_delta = UINT32_MAX, best_phi = UINT32_MAX;
	struct pds_chains chains = {0};
	bool costs = pds->policy->costs, alike = f->alike;
	*second = UINT32_MAX;
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t costly[2];
		if (alike && !num_solved(children[i].num) && pds_waits(&chains, &children[i]))
			continue;
		const uint32_t *num = costs ? pds_read_child(&children[i], children[i].num, costly) : children[i].num;
		uint32_t delta = num[k], phi = num[1 - k];
		if (delta && delta < f->floor)
			delta = f->floor;
		if (pds->group->several && delta && delta < PN_INF)
			pds_add_virtual(pds, &children[i], &delta, &phi);
		if (delta < best_delta || (delta == best_delta && phi < best_phi)) {
			*second = best_delta;
			best = i;
			best_delta = delta;
			best_phi = phi;
		} else if (delta < *second) {
			*second = delta;
		}
	}
	return best;
}

/* Plays the picked child into the place behind the frame's position. */
static void pds_play_picked(struct pds *pds)
{
	const struct game *game = pds->question.game;
	void *state = pds_state(pds, pds->depth + 1);
	memcpy(state, pds_state(pds, pds->depth), game->state_size);
	game->rules->play(game, state, pds_picked(pds, &pds->frames[pds->depth])->move);
}

/* --- the root ----------------------------------------------------------------------------- */

static bool pds_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct pds *pds = (void *)engine;
	pds_drop(engine);
	pds->question = *question;
	pds->question.name_space = pds->turn.name_space;
	pds->root.move = PD_NO_MOVE;
	pds->solved_seen = group_solved(pds->group);
	ghi_start(pds);
	memcpy(pds->states, state, question->game->state_size);
	struct pd_id id = question_claim_id(&pds->question, question_position_id(question, state));
	struct pn_entry e = {.num = {1, 1}};
	uint32_t t[2];
	bool known = tt_get(pds->tt, id, &e);
	pds->policy->root(question_kind(question, state), known ? e.num : NULL, t);
	num_copy(pds->root.num, e.num);
	pds->started = true;
	return pds_enter_frame(pds, 0, id, pds->root.num, t);
}

/* Starts again at the root: path-dependent results that can be proved become facts, the others are open again. */
static bool pds_restart_root(struct pds *pds)
{
	const struct pds_frame *f = &pds->frames[0];
	ghi_forget(pds);
	uint32_t t[2] = {f->t[0], f->t[1]};
	pds_release(pds, 0);
	return pds_enter_frame(pds, 0, f->id, pds->root.num, t);
}

/* Whether the solved root is justified by facts and by path-dependent results that justify each other. */
static bool pds_verify_root(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], uint32_t best)
{
	if (!ghi_must_verify_root(pds, num))
		return true;
	game_move move = num[f->k] ? PD_NO_MOVE : pds->children[f->first + best].move;
	return ghi_close_cycle(pds, f->id, num, move);
}

/* --- the loop ----------------------------------------------------------------------------- */

/* Whether the innermost frame is left with these numbers. Where positions can come back, a frame that made no progress
 * is not: its thresholds are raised. */
static bool pds_must_leave(struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	if (num_solved(num))
		return true;
	if (!pds->policy->reached(pds, f, num))
		return false;
	if (!pds_cyclic(pds) || !pds->depth || f->progress != pds_progress_of_group(pds))
		return true;
	pds->policy->raise(pds, f, num);
	return false;
}

/* The root was left with these numbers: the claim is solved, or the next iteration begins. */
static enum pn_engine_end pds_end_iteration(struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	num_copy(pds->root.num, num);
	if (num_solved(num))
		return ghi_path_dependent(&pds->question, num) ? PN_ENGINE_DEPTH : PN_ENGINE_SOLVED;
	pds->policy->raise(pds, f, num);
	f->floor = num[f->k];
	if (pds->policy->guard)
		pds->policy->guard(pds, f, 0);
	return PN_ENGINE_MORE;
}

/* Selects a child and searches it: by level 2 when it is not in the table and no other thread evaluates it, else in a
 * frame of its own. False when memory runs out. */
static bool pds_search_child(struct pds *pds, struct pds_frame *f, struct pds_choice *choice)
{
	uint32_t t[2], costly[2];
	f->picked = pds_select_child(pds, f, &choice->second);
	if (pds->policy->select)
		f->picked = pds->policy->select(pds, f);
	struct pds_child *c = pds_picked(pds, f);
	PD_ASSERT(f->picked < f->count && !num_solved(c->num));
	choice->child = c;
	pds_play_picked(pds);
	if (pds_has_level2(pds) && !c->in_tt && !group_virtual(pds->group, c->id)) {
		pds->leaf.second = choice->second > f->floor ? choice->second : f->floor;
		pds_leaf_begin(pds);
		return true;
	}
	choice->others = pds->question.weak ? choice->sum.open - 1
			 : f->merged        ? pds_links_others(pds, f, &choice->sum)
					    : choice->sum.sum - pds_read_child(c, c->num, costly)[1 - f->k];
	pds->policy->child(pds, f, choice, t);
	if (pds->policy->expand_terminal && pds->policy->expand_terminal(pds, c, pds->depth + 1))
		return true;
	if (pds->links)
		pds_links_descend(pds);
	const uint32_t num[2] = {c->num[0], c->num[1]}; /* entering moves the children */
	return pds_enter_frame(pds, pds->depth + 1, c->id, num, t);
}

/* One turn of the innermost frame's loop. */
static enum pn_engine_end pds_run_frame(struct pds *pds)
{
	struct pds_frame *f = &pds->frames[pds->depth];
	struct pds_choice choice;
	struct num_sum *sum = &choice.sum;
	uint32_t *num = choice.num;
	enum pn_engine_end end;
	if (ghi_provisional_ended(pds))
		return pds_restart_root(pds) ? PN_ENGINE_MORE : PN_ENGINE_NO_MEMORY;
	ghi_settle_when_due(pds);
	if (pds_cut_off(pds, &end))
		return end;
	pds_refresh_children(pds, f);
	if (f->answered && pds->options->siblings.similar && !pds->policy->published)
		pds_try_siblings(pds, f);
	f->answered = false;
	if (f->hinted)
		pds_check_hints(pds, f);
	if (!pds->policy->controls_thresholds)
		question_limit_sums(&pds->question, pds_nodes(pds));
	pds_sum_children(pds, f, NULL, sum);
	ghi_backup(&pds->question, sum, f->k, pds->depth, num);
	PD_ASSERT(num_sound(num));
	pds_raise_once(f, num);
	bool left = pds_must_leave(pds, f, num);
	if (!pds_verify_root(pds, f, num, sum->best)) {
		ghi_root_refuted(pds);
		return pds_restart_root(pds) ? PN_ENGINE_MORE : PN_ENGINE_NO_MEMORY;
	}
	if (left) {
		pds_leave(pds, f, num, sum->best);
		if (pds->depth == 0)
			return pds_end_iteration(pds, f, num);
		pds_pop(pds, num);
		return PN_ENGINE_MORE;
	}
	if (num[f->k] > f->floor && pds->policy->running_floor)
		f->floor = num[f->k];
	return pds_search_child(pds, f, &choice) ? PN_ENGINE_MORE : PN_ENGINE_NO_MEMORY;
}

static enum pn_engine_end pds_run(struct pn_engine *engine, uint64_t *nodes)
{
	struct pds *pds = (void *)engine;
	PD_ASSERT(pds->started);
	while (*nodes && !group_halted(pds->group)) {
		if (pds->facts->failed)
			return PN_ENGINE_NO_MEMORY;
		if (pds->leaf.evaluating && pds->leaf.remote) {
			enum pn_engine_end end = pds_leaf_await(pds, nodes);
			if (end != PN_ENGINE_MORE)
				return end;
			continue;
		}
		if (pds->leaf.evaluating) {
			bool more = pds_leaf_search(pds, nodes);
			pds->turn.over = pds->turn.taken && !pds->leaf.evaluating;
			if (!more || pds->turn.over)
				return PN_ENGINE_MORE;
			continue;
		}
		if (fact_buffer_full(pds->facts) || tt_wants_host(pds->tt) ||
		    (pds->cache && pds->cache->shared && cache_wants_host(pds->cache)))
			return PN_ENGINE_COLLECT;
		uint64_t before = pds->counts.expansions;
		enum pn_engine_end end = pds_run_frame(pds);
		if (end != PN_ENGINE_MORE)
			return end;
		uint64_t used = pds->counts.expansions - before;
		*nodes = used < *nodes ? *nodes - used : 0;
	}
	return PN_ENGINE_MORE;
}

/* --- what level 1 shows of itself between two runs ---------------------------------------- */

/* The numbers of the frame's node at `depth` as they follow from the frames: from the innermost one up. And the index
 * of its most promising child; UINT32_MAX when all lose. */
static void pds_frame_numbers(const struct pds *pds, uint32_t depth, uint32_t now[2], uint32_t *best)
{
	PD_ASSERT(pds->started && depth <= pds->depth);
	now[0] = now[1] = 1;
	for (uint32_t d = pds->depth + 1; d-- > depth;) {
		const struct pds_frame *f = &pds->frames[d];
		struct num_sum sum;
		pds_sum_children(pds, f, d < pds->depth ? now : NULL, &sum);
		*best = sum.min != UINT32_MAX ? sum.best : UINT32_MAX;
		ghi_backup(&pds->question, &sum, f->k, d, now);
	}
}

static void pds_view_root(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct pds *pds = (const void *)engine;
	uint32_t now[2], best;
	*leading = pds->started ? pds->root.move : PD_NO_MOVE;
	num[0] = pds->started ? pds->root.num[0] : 1;
	num[1] = pds->started ? pds->root.num[1] : 1;
	if (!pds->started || num_solved(num))
		return;
	pds_frame_numbers(pds, 0, now, &best);
	if (best != UINT32_MAX)
		*leading = pds->children[pds->frames[0].first + best].move;
	if (num_solved(now)) /* not verified yet */
		return;
	num_copy(num, now);
}

/* A node that the search is in. */
static void pds_view_frame(const struct pds *pds, uint32_t depth, struct pn_view *out)
{
	const struct pds_frame *f = &pds->frames[depth];
	game_move leading;
	uint32_t now[2], best;
	pds_frame_numbers(pds, depth, now, &best);
	num_copy(out->num, now);
	if (!depth)
		pds_view_root(&pds->engine, out->num, &leading);
	out->follows = !num_solved(now) && out->num[0] == now[0] && out->num[1] == now[1] && !pds->policy->links &&
		       !f->alike && !(pds->policy->costs && pds->question.game->rules->edge_costs);
	out->path_dependent = num_solved(out->num) && ghi_path_dependent(&pds->question, out->num);
	out->inside = true;
	out->before = f->known;
	out->since = pds_nodes(pds) - f->work - f->known;
}

static bool pds_view_position(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out)
{
	const struct pds *pds = (const void *)engine;
	uint32_t d = 0;
	*out = (struct pn_view){{1, 1}};
	if (!pds->started)
		return false;
	while (d < path->count && d < pds->depth && pds_picked(pds, &pds->frames[d])->move == path->moves[d])
		d++;
	if (d == path->count) {
		pds_view_frame(pds, d, out);
		return true;
	}
	if (d + 1 < path->count)
		return false;
	const struct pds_frame *f = &pds->frames[d];
	for (uint32_t i = 0; i < f->count; i++) {
		const struct pds_child *c = &pds->children[f->first + i];
		if (c->move != path->moves[d])
			continue;
		num_copy(out->num, c->num);
		out->path_dependent = c->path_dependent;
		out->inside = pds->leaf.evaluating && d == pds->depth && i == f->picked;
		out->remote = out->inside && pds->leaf.remote;
		out->since = out->inside ? pds_leaf_nodes(pds) : 0;
		return true;
	}
	return false;
}

const struct pn_engine_type pn_engine_pds = {
	.tt = true,
	.create = pds_create,
	.destroy = pds_destroy,
	.start = pds_start,
	.run = pds_run,
	.numbers = pds_view_root,
	.move = pds_root_move,
	.progress = pds_report,
	.publish = pds_publish,
	.learn = pds_learn,
	.drop = pds_drop,
	.view = pds_view_position,
	.leaf = pds_leaf_task,
	.deliver = pds_leaf_deliver,
	.has_work = pds_leaf_has_work,
	.tree = pds_idle_tree,
};
