#include "solver/pds.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/pds_child.h"
#include "solver/shuffle.h"

enum {
	DEPTH_UNBOUNDED = 4096,   /* frames where the game says no bound */
	PATHDEP_SHARE = 16,       /* of the memory one part in so many is for what is pending */
	CUT_OFF = 1 << 20,        /* number for the side that would need a deeper tree */
	SOLVED_POLL_NODES = 2048, /* of a level-2 search between two looks at what other walkers have solved */
};

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
	pds->epsilon = pds->options->epsilon >= 0 ? pds->options->epsilon : pds->dfpn ? 0.25 : 0;
	ghi_init(&pds->ghi, pds->options->memory / PATHDEP_SHARE);
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
	ghi_fini(&pds->ghi);
	pds->frames = NULL;
	pds->states = NULL;
	pds->children = NULL;
	pds->moves = NULL;
}

/* Of all walkers: where another has made some, numbers may have grown under a frame that made none itself. */
static uint64_t progress_so_far(const struct pds *pds)
{
	return pds->group->several ? __atomic_load_n(&pds->group->progress, __ATOMIC_RELAXED) : pds->progress;
}

static uint64_t nodes_so_far(const struct pds *pds)
{
	return pds->expansions + (pds->tree ? pds->tree->generated : 0);
}

/* The table has lost so many times what it holds that the published form would not come to an end: it takes for granted
 * a table with room for what matters. */
static bool starving(const struct tt *table)
{
	return tt_replaced(table) / 64 > table->capacity;
}

/* --- the budget of level 2 ---------------------------------------------------------------- */

double pds_fraction(double x, double a, double b)
{
	return x / (1 + exp((a - x) / b));
}

uint64_t pds_budget(const struct pn_options *o, const struct tt *table, uint64_t children)
{
	double used = (double)tt_used(table), fill = used / (double)table->capacity, y;
	double x = used +
		   (double)tt_replaced(table); /* a table that is too small holds few, but the search has made many */
	if (o->algorithm == PN_PAPER) {
		double n = o->paper_nodes;
		y = pds_fraction(starving(table) ? x : used, 0.45 * n, 0.30 * n);
		if (y > n - used)
			y = n - used;
		return y < 1 ? 1 : (uint64_t)y;
	}
	double cap = fill < 1 ? o->cap_first / (1 - fill) : o->cap_last;
	if (cap > o->cap_last)
		cap = o->cap_last;
	y = pds_fraction(x, o->fraction_a, o->fraction_b);
	if (y > cap)
		y = cap;
	return y < (double)(children + 1) ? children + 1 : (uint64_t)y;
}

/* --- what becomes known ------------------------------------------------------------------- */

/* True when the table has the position's claim solved, on every path. */
static bool solved_entry(const struct pds *pds, struct pd_id id, struct pn_entry *e)
{
	return tt_get(pds->tt, id, e) && num_solved(e->num) && !ghi_path_dependent(&pds->question, e->num);
}

void pds_store(struct pds *pds, struct pd_id id, const uint32_t num[2], uint64_t work, unsigned move, uint32_t depth)
{
	struct pn_entry there;
	if (pds->group->several && !num_solved(num) && solved_entry(pds, id, &there))
		return; /* another walker was quicker */
	struct pn_entry e = {
		.id = id,
		.num = {num[0], num[1]},
		.work = work < UINT32_MAX ? (uint32_t)work : UINT32_MAX,
		.move = (uint16_t)move,
		.depth = (uint16_t)(depth < 0x7fff ? depth : 0x7fff),
	};
	tt_put(pds->tt, &e);
}

/* A fact that was just found goes into the cache, too; `move` in the key's frame. */
void pds_cache_fact(struct pds *pds, struct pd_id position, const struct pd_reason *reason, unsigned move,
		    uint64_t effort)
{
	struct cache_bound news = {
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

/* --- frames ------------------------------------------------------------------------------- */

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
	struct pn_entry e;
	bool known = tt_get(pds->tt, id, &e);
	uint64_t work = known ? e.work : 0, now = nodes_so_far(pds);
	*f = (struct pds_frame){
		.id = id,
		.progress = progress_so_far(pds),
		.work = now - work,
		.first = pds->children_count,
		.count = count,
		.t = {t[0], t[1]},
		.k = (uint8_t)question_kind(q, state),
	};
	f->floor = pds->dfpn ? 0 : num[f->k];
	if (pds_cyclic(pds)) {
		f->path = depth ? ghi_twin_id(pds->frames[depth - 1].path, id) : id;
		ghi_path_enter(&pds->ghi, id);
	}
	group_enter(pds->group, id);
	pds->depth = depth;
	pds->expansions++;
	if (!known)
		pds_progress(pds);
	if (pds->to_the_letter) /* the cycle guard: whoever transposes to here sees the thresholds as numbers and stops
				 */
		pds_store(pds, id, t, work, PD_NO_MOVE, depth);
	uint8_t *child = state_at(pds, depth + 1);
	for (unsigned i = 0; i < count; i++) {
		struct pds_child *c = &pds->children[pds->children_count++];
		memcpy(child, state, q->game->state_size);
		c->move = pds->moves[i];
		q->game->rules->play(q->game, child, c->move);
		pds_child_init(pds, c, child);
	}
	return true;
}

/* Takes in what the table has learnt about the children meanwhile. The published form reads unmet children as (1, 1)
 * where the table has lost them; with a small table it may then go back and forth between two children for ever, so
 * here what the frame knows stays (P3). */
static void refresh(struct pds *pds, const struct pds_frame *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!c->path_dependent && (!num_solved(c->num) || pds->to_the_letter))
			pds_child_known(pds, c);
	}
}

/* What the numbers of a child look like while other walkers are there (team.h): larger by one for each. A leaf that one
 * evaluates is expanded by the next, when nothing else is as good: to send him far away, to where the numbers are much
 * larger, was measured to lead both astray. */
static void add_virtual(const struct pds *pds, const struct pds_child *c, uint32_t *delta, uint32_t *phi)
{
	unsigned busy = group_virtual(pds->group, c->id);
	*delta = num_clamp((uint64_t)*delta + busy);
	*phi = num_clamp((uint64_t)*phi + busy);
}

/* The child to search next: least max(delta, floor), then least phi (paper, SelectChild). *second: the least delta of
 * the others. */
static uint32_t select_child(const struct pds *pds, const struct pds_frame *f, uint32_t *second)
{
	const struct pds_child *children = pds->children + f->first;
	unsigned k = f->k;
	uint32_t best = 0, best_delta = UINT32_MAX, best_phi = UINT32_MAX;
	*second = UINT32_MAX;
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t delta = children[i].num[k], phi = children[i].num[1 - k];
		if (delta && delta < f->floor)
			delta = f->floor;
		if (pds->group->several && delta && delta < PN_INF)
			add_virtual(pds, &children[i], &delta, &phi);
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

/* The epsilon in force. A node whose sub-tree the table has lost is searched anew each time the search comes back to
 * it: the more has been lost, the larger the steps, so that it comes back less often. Before anything is lost it is the
 * algorithm's own. */
static double epsilon_now(const struct pds *pds)
{
	uint64_t lost = tt_replaced(pds->tt);
	if (!lost || (pds->to_the_letter && !starving(pds->tt)))
		return pds->epsilon;
	return pds->epsilon + fmin(0.5, 0.01 * (double)lost / (double)pds->tt->capacity);
}

/* A number raised: by one, or by a share of it. */
static uint32_t raised(const struct pds *pds, uint32_t num)
{
	double more = ceil(num * (1 + epsilon_now(pds)));
	return more <= num + 1.0 ? num + 1 : more < PN_INF ? (uint32_t)more : PN_INF;
}

/* The thresholds for the picked child: its own numbers, one of them raised. num: the node's own numbers now. The
 * paper's proof-like and disproof-like rule. */
static void thresholds_pds(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2],
			   const struct pds_child *c, uint32_t t[2])
{
	unsigned k = f->k;
	uint32_t phi = c->num[1 - k], delta = c->num[k];
	t[k] = delta;
	t[1 - k] = phi;
	if (f->t[1 - k] > num[1 - k] && (phi <= delta || f->t[k] <= num[k]))
		t[1 - k] = raised(pds, phi);
	else
		t[k] = raised(pds, delta);
}

/* Those of df-pn: as long as it stays the best, and within what the other children leave of the node's own. */
static void thresholds_dfpn(const struct pds *pds, const struct pds_frame *f, const struct num_sum *sum,
			    const struct pds_child *c, uint32_t second, uint32_t t[2])
{
	unsigned k = f->k;
	uint32_t own = c->num[1 - k];
	uint64_t others = pds->question.weak ? sum->open - 1 : sum->sum - own;
	uint32_t runner_up = second < PN_INF ? raised(pds, second) : PN_INF;
	t[k] = runner_up < f->t[k] ? runner_up : f->t[k];
	if (t[k] <= c->num[k]) /* a better one is busy */
		t[k] = raised(pds, c->num[k]);
	t[1 - k] = f->t[1 - k] > others + own ? f->t[1 - k] - (uint32_t)others : own + 1;
}

/* The innermost frame's node is solved, and leans on no ancestor: a fact. */
static void solved(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], game_move move)
{
	const struct question *q = &pds->question;
	const void *state = state_at(pds, pds->depth);
	uint64_t work = nodes_so_far(pds) - f->work;
	struct pd_reason reason = question_reason(q, num);
	reason.move = move;
	if (pds_cyclic(pds) && !q->ranked[num[0] != 0] && !ghi_close_cycle(pds, f->id, num, move)) {
		reason.move = PD_NO_MOVE;
		reason.effort = work < UINT32_MAX ? (uint32_t)work + 1 : UINT32_MAX;
	}
	fact_buffer_put(pds->facts, q, state, reason);
	pds_cache_fact(pds, question_position_id(q, state), &reason,
		       move == PD_NO_MOVE ? move : game_canon(q->game, state, move, false), work);
}

/* A position was solved: other walkers may stand below it. */
static void tell(struct pds *pds)
{
	if (!pds->group->several)
		return;
	bool seen = pds->solved_seen == group_solved(pds->group);
	group_note_solved(pds->group);
	pds->solved_seen += seen;
}

/* The numbers of a node that was held on its path: on others it is open, and was searched up to its thresholds. Those
 * of df-pn may be out of reach; then it is a little harder than it was. */
static void numbers_elsewhere(const struct pds *pds, const struct pds_frame *f, uint32_t num[2])
{
	struct pn_entry e;
	bool there = pds->dfpn && tt_get(pds->tt, f->id, &e) && !num_solved(e.num);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t harder = raised(pds, there ? e.num[i] : 1);
		num[i] = pds->dfpn && harder < f->t[i] ? harder : f->t[i];
		if (num[i] >= PN_INF)
			num[i] = PN_INF - 1;
	}
}

/* The innermost frame's node is left with these numbers: they go to the table and, when solved, become a fact. */
static void leave(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], uint32_t best)
{
	const struct question *q = &pds->question;
	const void *state = state_at(pds, pds->depth);
	game_move move = pds->children[f->first + best].move, canonical = game_canon(q->game, state, move, false);
	uint64_t work = nodes_so_far(pds) - f->work;
	uint32_t known[2] = {num[0], num[1]};
	if (num_solved(num))
		pds_progress(pds);
	if (num_solved(num) && num[f->k])
		move = canonical = PD_NO_MOVE;
	if (num_solved(num) && ghi_path_dependent(q, num)) {
		ghi_keep(pds, num, work, canonical);
		numbers_elsewhere(pds, f, known);
	} else if (num_solved(num)) {
		solved(pds, f, num, move);
	}
	pds_store(pds, f->id, known, work, canonical, pds->depth);
	if (num_solved(known))
		tell(pds);
	if (pds->depth == 0)
		pds->root_move = move;
}

/* --- evaluation of a leaf ----------------------------------------------------------------- */

static void end_evaluation(struct pds *pds)
{
	const struct pds_frame *f = &pds->frames[pds->depth];
	group_leave(pds->group, pds->children[f->first + f->picked].id);
	pds->evaluating = false;
}

/* The level-2 search of the picked child has ended. */
static void evaluated(struct pds *pds)
{
	const struct question *q = &pds->question;
	struct pds_frame *f = &pds->frames[pds->depth];
	struct pds_child *c = &pds->children[f->first + f->picked];
	struct tree *tree = pds->tree;
	const void *state = state_at(pds, pds->depth + 1);
	const uint32_t *num = tree_numbers(tree), cut[2] = {q->ranked[0] ? CUT_OFF : 1, q->ranked[0] ? 1 : CUT_OFF};
	unsigned move = PD_NO_MOVE;
	if (num_solved(num) && ghi_path_dependent(q, num)) /* it would need a deeper tree */
		num = cut;
	if (num_solved(num) && num_rank(num) > 0) {
		struct pd_reason reason = question_reason(q, num);
		reason.move = tree->root_move;
		if (reason.move != PD_NO_MOVE)
			move = game_canon(q->game, state, reason.move, false);
		if (pds->options->detail != PN_FRONTIER) {
			tree_emit(tree, pds->facts);
		} else {
			reason.effort = tree_effort(tree);
			fact_buffer_put(pds->facts, q, state, reason);
			pds_cache_fact(pds, question_position_id(q, state), &reason, move, reason.effort);
		}
	}
	pds_progress(pds);
	c->num[0] = num[0];
	c->num[1] = num[1];
	c->in_tt = true;
	pds_store(pds, c->id, num, tree->generated - pds->level2_start + 1, move, pds->depth + 1);
	end_evaluation(pds);
	if (num_solved(num))
		tell(pds);
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

/* --- the loop ----------------------------------------------------------------------------- */

/* The frames from the innermost up to `depth`, that one included, are given up. */
static void release(struct pds *pds, uint32_t depth)
{
	for (uint32_t d = pds->depth + 1; d-- > depth;) {
		if (pds_cyclic(pds))
			ghi_path_leave(&pds->ghi, pds->frames[d].id);
		group_leave(pds->group, pds->frames[d].id);
	}
	pds->children_count = pds->frames[depth].first;
}

void pds_drop(struct pds *pds)
{
	if (!pds->started)
		return;
	if (pds->evaluating)
		end_evaluation(pds);
	release(pds, 0);
	pds->started = false;
}

void pds_publish_path(struct pds *pds)
{
	if (!pds->started)
		return;
	const struct pds_frame *f = &pds->frames[pds->depth];
	for (uint32_t d = 0; d <= pds->depth; d++)
		group_enter(pds->group, pds->frames[d].id);
	if (pds->evaluating)
		group_enter(pds->group, pds->children[f->first + f->picked].id);
}

bool pds_start(struct pds *pds, const struct question *question, const void *state)
{
	pds_drop(pds);
	pds->question = *question;
	pds->root_move = PD_NO_MOVE;
	pds->solved_seen = group_solved(pds->group);
	ghi_start(pds);
	memcpy(pds->states, state, question->game->state_size);
	struct pd_id id = question_claim_id(question, question_position_id(question, state));
	struct pn_entry e = {.num = {1, 1}};
	bool known = tt_get(pds->tt, id, &e);
	uint32_t t[2] = {pds->dfpn ? PN_INF : 1, pds->dfpn ? PN_INF : 1};
	pds->root_num[0] = e.num[0];
	pds->root_num[1] = e.num[1];
	if (known && !num_solved(e.num) && !pds->dfpn) { /* a search that is resumed: the thresholds that the root had
					   reached, one of them raised */
		unsigned k = question_kind(question, state);
		t[k] = e.num[k] + (e.num[k] <= e.num[1 - k]);
		t[1 - k] = e.num[1 - k] + (e.num[k] > e.num[1 - k]);
	}
	pds->started = true;
	return enter(pds, 0, id, pds->root_num, t);
}

/* Starts again at the root: path-dependent results that can be proved become facts, the others are open again. */
static bool begin_again(struct pds *pds)
{
	const struct pds_frame *f = &pds->frames[0];
	ghi_forget(pds);
	uint32_t t[2] = {f->t[0], f->t[1]};
	release(pds, 0);
	return enter(pds, 0, f->id, pds->root_num, t);
}

/* Whether the solved root is justified by facts and by path-dependent results that justify each other. */
static bool root_holds(struct pds *pds, struct pds_frame *f, const uint32_t num[2], uint32_t best)
{
	game_move move = num[f->k] ? PD_NO_MOVE : pds->children[f->first + best].move;
	return ghi_close_cycle(pds, f->id, num, move);
}

/* Whether a node with these numbers is left. */
static bool at_thresholds(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2])
{
	bool pn = num[0] >= f->t[0], dn = num[1] >= f->t[1];
	if (pds->dfpn)
		return pn || dn;
	uint64_t times = pds->options->patience;
	return (pn && dn) || (!pds->to_the_letter && (num[0] >= times * f->t[0] || num[1] >= times * f->t[1]));
}

/* The frame has reached its thresholds without being solved, and goes on: raise the smaller (paper, section 3, of the
 * root: phi where they are equal). df-pn leaves by either, so both have to be out of reach. */
static void raise_thresholds(const struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	unsigned smaller = num[f->k] <= num[1 - f->k] ? f->k : 1u - f->k;
	for (unsigned i = 0; i < 2; i++)
		if (!pds->dfpn)
			f->t[i] = i == smaller ? raised(pds, num[i]) : num[i];
		else if (f->t[i] <= num[i])
			f->t[i] = raised(pds, num[i]);
}

static void raise_root(struct pds *pds, struct pds_frame *f, const uint32_t num[2])
{
	raise_thresholds(pds, f, num);
	f->floor = num[f->k];
	if (pds->to_the_letter)
		pds_store(pds, f->id, f->t, nodes_so_far(pds) - f->work, PD_NO_MOVE, 0);
}

/* Back to the parent, with the numbers of the node that was left. */
static void pop(struct pds *pds, const uint32_t num[2])
{
	release(pds, pds->depth);
	pds->depth--;
	const struct pds_frame *f = &pds->frames[pds->depth];
	struct pds_child *c = &pds->children[f->first + f->picked];
	c->num[0] = num[0];
	c->num[1] = num[1];
	c->in_tt = true;
	c->path_dependent = num_solved(num) && ghi_path_dependent(&pds->question, num);
}

/* Something was solved that this walker did not leave itself. True when a position on the path was: then the search
 * goes on above the highest of them, or has ended. */
static bool cut_off(struct pds *pds, enum pds_end *end)
{
	uint64_t news = group_solved(pds->group);
	struct pn_entry e;
	uint32_t depth = 0;
	*end = PDS_MORE;
	if (news == pds->solved_seen)
		return false;
	pds->solved_seen = news;
	while (depth <= pds->depth && !solved_entry(pds, pds->frames[depth].id, &e))
		depth++;
	if (depth > pds->depth)
		return false;
	if (pds->evaluating)
		end_evaluation(pds);
	if (depth < pds->depth)
		release(pds, depth + 1);
	pds->depth = depth;
	if (depth) {
		pop(pds, e.num);
		return true;
	}
	pds->root_num[0] = e.num[0];
	pds->root_num[1] = e.num[1];
	if (e.move == PD_NO_MOVE || !game_legal_from_key(pds->question.game, pds->states, e.move, &pds->root_move))
		pds->root_move = PD_NO_MOVE;
	*end = PDS_SOLVED;
	return true;
}

/* One turn of the innermost frame's loop. */
static enum pds_end turn(struct pds *pds)
{
	struct pds_frame *f = &pds->frames[pds->depth];
	struct num_sum sum;
	uint32_t num[2];
	enum pds_end end;
	if (ghi_provisional_ended(pds))
		return begin_again(pds) ? PDS_MORE : PDS_NO_MEMORY;
	ghi_settle_when_due(pds);
	if (cut_off(pds, &end))
		return end;
	refresh(pds, f);
	question_limit_sums(&pds->question, nodes_so_far(pds));
	num_sum_init(&sum);
	for (uint32_t i = 0; i < f->count; i++)
		num_sum_add(&sum, f->k, pds->children[f->first + i].num, i);
	ghi_backup(&pds->question, &sum, f->k, pds->depth, num);
	bool reached = at_thresholds(pds, f, num);
	if (reached && !num_solved(num) && pds_cyclic(pds) && pds->depth && f->progress == progress_so_far(pds)) {
		raise_thresholds(pds, f, num);
		reached = false;
	}
	if (ghi_must_verify_root(pds, num) && !root_holds(pds, f, num, sum.best)) {
		ghi_root_refuted(pds);
		return begin_again(pds) ? PDS_MORE : PDS_NO_MEMORY;
	}
	if (num_solved(num) || reached) {
		leave(pds, f, num, sum.best);
		if (pds->depth == 0) {
			pds->root_num[0] = num[0];
			pds->root_num[1] = num[1];
			if (num_solved(num))
				return ghi_path_dependent(&pds->question, num) ? PDS_DEPTH : PDS_SOLVED;
			raise_root(pds, f, num);
			return PDS_MORE;
		}
		pop(pds, num);
		return PDS_MORE;
	}
	if (num[f->k] > f->floor && !pds->dfpn)
		f->floor = num[f->k];
	uint32_t second;
	f->picked = select_child(pds, f, &second);
	struct pds_child *c = &pds->children[f->first + f->picked];
	play_picked(pds);
	if (pds->tree && !c->in_tt && !group_virtual(pds->group, c->id)) {
		uint64_t budget = pds_budget(pds->options, pds->tt, pds->question.game->moves_max);
		pds->level2_budget = (uint32_t)budget;
		tree_start(pds->tree, &pds->question, state_at(pds, pds->depth + 1), budget);
		pds->level2_start = pds->tree->generated;
		pds->evaluating = true;
		group_enter(pds->group, c->id);
		return PDS_MORE;
	}
	uint32_t t[2], now[2] = {c->num[0], c->num[1]};
	struct pd_id id = c->id;
	if (pds->dfpn)
		thresholds_dfpn(pds, f, &sum, c, second, t);
	else
		thresholds_pds(pds, f, num, c, t);
	if (pds->to_the_letter) {
		uint32_t over[2];
		if (question_terminal(&pds->question, state_at(pds, pds->depth + 1), over)) {
			pds->expansions++;
			pds_progress(pds);
			c->num[0] = over[0];
			c->num[1] = over[1];
			pds_store(pds, id, over, 1, PD_NO_MOVE, pds->depth + 1);
			return PDS_MORE;
		}
	}
	return enter(pds, pds->depth + 1, id, now, t) ? PDS_MORE : PDS_NO_MEMORY;
}

/* Goes on with the level-2 search under way. False when the quota is used up. */
static bool evaluate(struct pds *pds, uint64_t *nodes)
{
	enum pds_end end;
	uint64_t quota = pds->group->several && *nodes > SOLVED_POLL_NODES ? SOLVED_POLL_NODES : *nodes, left = quota;
	bool more = tree_run(pds->tree, &left) == TREE_MORE;
	*nodes -= quota - left;
	if (!more)
		evaluated(pds);
	else if (pds->group->several && cut_off(pds, &end) && end != PDS_MORE)
		pds->solved_seen--; /* the next turn sees it again */
	return *nodes > 0;
}

enum pds_end pds_run(struct pds *pds, uint64_t *nodes)
{
	while (*nodes && !group_halted(pds->group)) {
		if (pds->facts->failed)
			return PDS_NO_MEMORY;
		if (pds->evaluating) {
			if (!evaluate(pds, nodes))
				return PDS_MORE;
			continue;
		}
		if (fact_buffer_full(pds->facts) || tt_wants_host(pds->tt) ||
		    (pds->cache && pds->group->several && cache_wants_host(pds->cache)))
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
