#include "solver/pds.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/shuffle.h"

enum { DEPTH_UNBOUNDED = 4096 }; /* frames where the game says no bound */

static void *state_at(const struct pds *pds, uint32_t depth)
{
	return pds->states + depth * pds->stride;
}

bool pds_init(struct pds *pds)
{
	const struct game *game = pds->question.game;
	pds->stride = (game->state_size + 15) & ~(size_t)15;
	pds->depth_max = game->plies_max ? game->plies_max : DEPTH_UNBOUNDED;
	pds->children_capacity = 4 * game->moves_max + 64;
	pds->random = pds->options->seed;
	pds->frames = malloc(((size_t)pds->depth_max + 2) * sizeof *pds->frames);
	pds->states = aligned_alloc(16, ((size_t)pds->depth_max + 2) * pds->stride);
	pds->children = malloc(pds->children_capacity * sizeof *pds->children);
	pds->moves = malloc(2 * game->moves_max * sizeof *pds->moves);
	if (pds->frames && pds->states && pds->children && pds->moves)
		return true;
	pds_fini(pds);
	return false;
}

void pds_fini(struct pds *pds)
{
	free(pds->frames);
	free(pds->states);
	free(pds->children);
	free(pds->moves);
	pds->frames = NULL;
	pds->states = NULL;
	pds->children = NULL;
	pds->moves = NULL;
}

static uint64_t nodes_so_far(const struct pds *pds)
{
	return pds->expansions + (pds->tree ? pds->tree->generated : 0);
}

/* --- the budget of level 2 ------------------------------------------------------------------------------------------------------ */

double pds_fraction(double x, double a, double b)
{
	return x / (1 + exp((a - x) / b));
}

uint64_t pds_budget(const struct pn_options *o, const struct table *table, uint64_t children)
{
	double x = (double)table->used, y;
	if (o->algorithm == PN_PAPER) {
		double n = o->paper_nodes;
		y = pds_fraction(x, 0.45 * n, 0.30 * n);
		if (y > n - x)
			y = n - x;
		return y < 1 ? 1 : (uint64_t)y;
	}
	double fill = x / (double)table->capacity;
	double cap = fill < 1 ? o->cap_first / (1 - fill) : o->cap_last;
	if (cap > o->cap_last)
		cap = o->cap_last;
	y = pds_fraction(x, o->fraction_a, o->fraction_b);
	if (y > cap)
		y = cap;
	return y < (double)(children + 1) ? children + 1 : (uint64_t)y;
}

/* --- what is known of a child ----------------------------------------------------------------------------------------------------- */

static void store(struct pds *pds, struct pd_id id, const uint32_t num[2], uint64_t work, unsigned move, uint32_t depth)
{
	struct pn_entry e = {
		.id = id,
		.num = {num[0], num[1]},
		.work = work < UINT32_MAX ? (uint32_t)work : UINT32_MAX,
		.move = (uint16_t)move,
		.depth = (uint16_t)(depth < 0x7fff ? depth : 0x7fff),
	};
	table_put(pds->table, &e);
}

/* A fact that was just found goes into the cache, too; `move` in the key's frame. */
static void remember(struct pds *pds, struct pd_id position, const struct pd_reason *reason, unsigned move, uint64_t effort)
{
	struct cache_news news = {
		.lower = reason->side == PD_LO,
		.fact = true,
		.bound = reason->bound,
		.rank = reason->rank,
		.move = move,
		.effort = effort,
	};
	if (pds->cache)
		cache_put(pds->cache, position, &news);
}

/* The cache knows the claim's answer for a child that level 1 never met: it becomes a fact and an entry. */
static bool child_in_cache(struct pds *pds, struct pds_child *c, const void *state, struct pd_id position)
{
	const struct question *q = &pds->question;
	const struct cache_entry *e = pds->cache ? cache_get(pds->cache, position) : NULL;
	if (!e)
		return false;
	bool proved = e->lo >= q->threshold && e->lo != INT16_MIN;
	if (!proved && e->hi >= q->threshold)
		return false;
	num_set_solved(c->num, proved, proved ? e->lo_rank : e->hi_rank);
	if (proved ? e->lo_fact : e->hi_fact)
		return true;
	unsigned move = proved ? e->lo_move : e->hi_move;
	struct pd_reason reason = question_reason(q, c->num);
	reason.effort = e->effort ? e->effort : 1;
	reason.move = (uint16_t)(move == PD_NO_MOVE ? move : game_canon(q->game, state, (game_move)move, true));
	found_put(pds->found, q, state, reason);
	remember(pds, position, &reason, move, reason.effort);
	return true;
}

/* The host has a fact that answers the claim. */
static bool child_in_facts(struct pds *pds, struct pds_child *c, const void *state)
{
	const struct question *q = &pds->question;
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
	if (!pds->host || !pds->host->fact)
		return false;
	size_t size = q->game->rules->key(q->game, state, key);
	return pds->host->fact(pds->host->ctx, key, size, &fact) && question_settled(q, &fact, c->num);
}

/* Fills in a child from the rules, the table, the cache and the facts, in that order. */
static void child_init(struct pds *pds, struct pds_child *c, const void *state)
{
	const struct question *q = &pds->question;
	struct pd_id position = question_position_id(q, state);
	c->id = question_claim_id(q, position);
	c->num[0] = c->num[1] = 1;
	c->in_table = false;
	if (!pds->to_the_letter) {
		if (question_over(q, state, c->num))
			return;
		if (question_wins_at_once(q, state, c->num)) {
			tree_emit_win_at_once(q, state, c->num, pds->moves + q->game->moves_max, pds->found);
			return;
		}
	}
	const struct pn_entry *e = table_get(pds->table, c->id);
	if (e) {
		c->in_table = true;
		c->num[0] = e->num[0];
		c->num[1] = e->num[1];
	} else if (!pds->to_the_letter && (child_in_cache(pds, c, state, position) || child_in_facts(pds, c, state))) {
		store(pds, c->id, c->num, 1, PD_NO_MOVE, pds->depth + 1);
		c->in_table = true;
	}
}

/* --- frames ------------------------------------------------------------------------------------------------------------------------ */

static bool reserve_children(struct pds *pds, unsigned count)
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

/* Expands the node whose position stands at `depth` into a frame with the thresholds t. */
static bool enter(struct pds *pds, uint32_t depth, struct pd_id id, const uint32_t num[2], const uint32_t t[2])
{
	const struct question *q = &pds->question;
	const void *state = state_at(pds, depth);
	unsigned count = question_moves(q, state, pds->moves);
	if (!reserve_children(pds, count))
		return false;
	if (pds->options->seed)
		shuffle_moves(&pds->random, pds->moves, count);
	struct pds_frame *f = &pds->frames[depth];
	const struct pn_entry *known = table_get(pds->table, id);
	uint64_t work = known ? known->work : 0, now = nodes_so_far(pds);
	*f = (struct pds_frame){
		.id = id,
		.work = now - work,
		.first = pds->children_count,
		.count = count,
		.t = {t[0], t[1]},
		.k = (uint8_t)question_kind(q, state),
	};
	f->floor = num[f->k];
	pds->depth = depth;
	pds->expansions++;
	if (pds->to_the_letter) /* the cycle guard: whoever transposes to here sees the thresholds as numbers and stops */
		store(pds, id, t, work, PD_NO_MOVE, depth);
	uint8_t *child = state_at(pds, depth + 1);
	for (unsigned i = 0; i < count; i++) {
		struct pds_child *c = &pds->children[pds->children_count++];
		memcpy(child, state, q->game->state_size);
		c->move = pds->moves[i];
		q->game->rules->play(q->game, child, c->move);
		child_init(pds, c, child);
	}
	return true;
}

/* Takes in what the table has learnt about the children meanwhile; in the published form also what it has lost. */
static void refresh(struct pds *pds, const struct pds_frame *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (num_solved(c->num) && !pds->to_the_letter)
			continue;
		const struct pn_entry *e = table_get(pds->table, c->id);
		if (e) {
			c->in_table = true;
			c->num[0] = e->num[0];
			c->num[1] = e->num[1];
		} else if (pds->to_the_letter) {
			c->in_table = false;
			c->num[0] = c->num[1] = 1;
		}
	}
}

/* The child to search next: least max(delta, floor), then least phi (paper, SelectChild). */
static uint32_t select_child(const struct pds *pds, const struct pds_frame *f)
{
	const struct pds_child *children = pds->children + f->first;
	unsigned k = f->k;
	uint32_t best = 0, best_delta = UINT32_MAX, best_phi = UINT32_MAX;
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t delta = children[i].num[k], phi = children[i].num[1 - k];
		if (delta && delta < f->floor)
			delta = f->floor;
		if (delta < best_delta || (delta == best_delta && phi < best_phi)) {
			best = i;
			best_delta = delta;
			best_phi = phi;
		}
	}
	return best;
}

/* The thresholds for the picked child: its own numbers, one of them raised. num: the node's own numbers now. The paper's proof-like and
 * disproof-like rule. */
static void child_thresholds(const struct pds_frame *f, const uint32_t num[2], const struct pds_child *c, uint32_t t[2])
{
	unsigned k = f->k;
	uint32_t phi = c->num[1 - k], delta = c->num[k];
	t[k] = delta;
	t[1 - k] = phi;
	if (f->t[1 - k] > num[1 - k] && (phi <= delta || f->t[k] <= num[k]))
		t[1 - k] = phi + 1;
	else
		t[k] = delta + 1;
}

/* The frame's node is left with these numbers: they go to the table and, when solved, become a fact. */
static void leave(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], uint32_t best)
{
	const struct question *q = &pds->question;
	const void *state = state_at(pds, pds->depth);
	game_move move = pds->children[f->first + best].move, canonical = game_canon(q->game, state, move, false);
	bool solved = num_solved(num), wins = num[f->k] == 0;
	if (solved) {
		struct pd_reason reason = question_reason(q, num);
		reason.move = wins ? move : PD_NO_MOVE;
		found_put(pds->found, q, state, reason);
		remember(pds, question_position_id(q, state), &reason, wins ? canonical : PD_NO_MOVE,
			 nodes_so_far(pds) - f->work);
	}
	store(pds, f->id, num, nodes_so_far(pds) - f->work, solved && !wins ? PD_NO_MOVE : canonical, pds->depth);
	if (pds->depth == 0)
		pds->root_move = solved && !wins ? PD_NO_MOVE : move;
}

/* --- evaluation of a leaf ------------------------------------------------------------------------------------------------------------ */

/* The level-2 search of the picked child has ended. */
static void evaluated(struct pds *pds)
{
	const struct question *q = &pds->question;
	struct pds_frame *f = &pds->frames[pds->depth];
	struct pds_child *c = &pds->children[f->first + f->picked];
	struct tree *tree = pds->tree;
	const void *state = state_at(pds, pds->depth + 1);
	const uint32_t *num = tree_numbers(tree);
	unsigned move = PD_NO_MOVE;
	if (num_solved(num) && num_rank(num) > 0) {
		struct pd_reason reason = question_reason(q, num);
		reason.move = tree->root_move;
		if (reason.move != PD_NO_MOVE)
			move = game_canon(q->game, state, reason.move, false);
		if (pds->options->detail == PN_FULL) {
			tree_emit(tree, pds->found);
		} else {
			reason.effort = tree_effort(tree);
			found_put(pds->found, q, state, reason);
			remember(pds, question_position_id(q, state), &reason, move, reason.effort);
		}
	}
	c->num[0] = num[0];
	c->num[1] = num[1];
	c->in_table = true;
	store(pds, c->id, num, tree->generated - pds->level2_start + 1, move, pds->depth + 1);
}

/* Plays the picked child into the place behind the frame's position. */
static void play_picked(struct pds *pds)
{
	const struct pds_frame *f = &pds->frames[pds->depth];
	const struct game *game = pds->question.game;
	void *state = state_at(pds, pds->depth + 1);
	memcpy(state, state_at(pds, pds->depth), game->state_size);
	game->rules->play(game, state, pds->children[f->first + f->picked].move);
}

/* --- the loop ------------------------------------------------------------------------------------------------------------------------ */

bool pds_start(struct pds *pds, const struct question *question, const void *state)
{
	pds->question = *question;
	pds->depth = 0;
	pds->children_count = 0;
	pds->evaluating = false;
	pds->root_move = PD_NO_MOVE;
	memcpy(pds->states, state, question->game->state_size);
	struct pd_id id = question_claim_id(question, question_position_id(question, state));
	const struct pn_entry *e = table_get(pds->table, id);
	uint32_t t[2] = {1, 1};
	pds->root_num[0] = e ? e->num[0] : 1;
	pds->root_num[1] = e ? e->num[1] : 1;
	if (e && !num_solved(e->num)) { /* a search that is resumed: the thresholds that the root had reached, one of them raised */
		unsigned k = question_kind(question, state);
		t[k] = e->num[k] + (e->num[k] <= e->num[1 - k]);
		t[1 - k] = e->num[1 - k] + (e->num[k] > e->num[1 - k]);
	}
	return enter(pds, 0, id, pds->root_num, t);
}

/* The root has reached its thresholds without being solved: raise the smaller (paper, section 3: phi where they are equal). */
static void raise_root(struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	unsigned k = f->k;
	f->t[0] = num[0];
	f->t[1] = num[1];
	f->t[num[k] <= num[1 - k] ? k : 1 - k]++;
	f->floor = num[k];
	if (pds->to_the_letter)
		store(pds, f->id, f->t, nodes_so_far(pds) - f->work, PD_NO_MOVE, 0);
}

/* One turn of the innermost frame's loop. */
static enum pds_end turn(struct pds *pds)
{
	struct pds_frame *f = &pds->frames[pds->depth];
	struct num_sum sum;
	uint32_t num[2];
	refresh(pds, f);
	num_sum_init(&sum);
	for (uint32_t i = 0; i < f->count; i++)
		num_sum_add(&sum, f->k, pds->children[f->first + i].num, i);
	num_sum_close(&sum, f->k, num);
	if (num_solved(num) || (num[0] >= f->t[0] && num[1] >= f->t[1])) {
		leave(pds, f, num, sum.best);
		if (pds->depth == 0) {
			pds->root_num[0] = num[0];
			pds->root_num[1] = num[1];
			if (num_solved(num))
				return PDS_SOLVED;
			raise_root(pds, f, num);
			return PDS_MORE;
		}
		pds->children_count = f->first;
		pds->depth--;
		f = &pds->frames[pds->depth];
		struct pds_child *c = &pds->children[f->first + f->picked];
		c->num[0] = num[0];
		c->num[1] = num[1];
		c->in_table = true;
		return PDS_MORE;
	}
	if (num[f->k] > f->floor)
		f->floor = num[f->k];
	f->picked = select_child(pds, f);
	struct pds_child *c = &pds->children[f->first + f->picked];
	play_picked(pds);
	if (pds->tree && !c->in_table) {
		uint64_t budget = pds_budget(pds->options, pds->table, pds->question.game->moves_max);
		pds->level2_budget = (uint32_t)budget;
		tree_start(pds->tree, &pds->question, state_at(pds, pds->depth + 1), budget);
		pds->level2_start = pds->tree->generated;
		pds->evaluating = true;
		return PDS_MORE;
	}
	uint32_t t[2], now[2] = {c->num[0], c->num[1]};
	struct pd_id id = c->id;
	child_thresholds(f, num, c, t);
	if (pds->to_the_letter) {
		uint32_t over[2];
		if (question_over(&pds->question, state_at(pds, pds->depth + 1), over)) {
			pds->expansions++;
			store(pds, id, over, 1, PD_NO_MOVE, pds->depth + 1);
			return PDS_MORE;
		}
	}
	return enter(pds, pds->depth + 1, id, now, t) ? PDS_MORE : PDS_NO_MEMORY;
}

enum pds_end pds_run(struct pds *pds, uint64_t *nodes)
{
	while (*nodes) {
		if (pds->found->failed)
			return PDS_NO_MEMORY;
		if (pds->evaluating) {
			if (tree_run(pds->tree, nodes) == TREE_MORE)
				return PDS_MORE;
			evaluated(pds);
			pds->evaluating = false;
			continue;
		}
		if (found_full(pds->found) || table_dirty_full(pds->table))
			return PDS_COLLECT;
		uint64_t before = pds->expansions;
		enum pds_end end = turn(pds);
		if (end != PDS_MORE)
			return end;
		uint64_t used = pds->expansions - before;
		*nodes = used < *nodes ? *nodes - used : 0;
	}
	return PDS_MORE;
}
