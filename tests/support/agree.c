#include "tests/support/agree.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/factbase.h"
#include "tests/support/walk.h"

enum {
	THREADS_MAX = 2,
	STEP = 20000, /* nodes between two takes */
	MEMORY_AGAIN = 32 << 20,
	SHOWN_MAX = 5,  /* wrong ones that are printed in full */
	VALUE_SHARE = 8 /* one position in so many is asked for its value first */
};

/* The facts of one position. Where infinite play is worth the middle of three values, a fact has one reason a side at
 * most, because what holds a draw for ever is no stronger than any win. */
struct kept {
	struct pd_reason reason[2]; /* by side */
	bool has[2];
};

struct work {
	const struct agree_set *set;
	const struct agree_plan *plan;
	uint32_t *order; /* owned; positions that are not over */
	uint32_t count;
	struct kept *kept;    /* owned; by index of the position */
	pthread_mutex_t lock; /* over what is kept */
	uint64_t shown;       /* under the lock, too */
};

struct worker {
	struct work *work;
	unsigned number;
	struct agree_sum sum;
	uint64_t random;
	const char *asked; /* the claim in work */
	uint32_t at;       /* its position */
};

uint64_t agree_memory(enum pn_algorithm algorithm)
{
	switch (algorithm) {
	case PN_PDS_PN:
	case PN_DFPN_PN: /* nine parts of sixteen are the table */
		return AGREE_PLACES * sizeof(struct pn_entry) * 16 / 9 + 64;
	case PN_PDS:
	case PN_DFPN:
		return AGREE_PLACES * sizeof(struct pn_entry);
	case PN_PAPER:
		return 1 << 16;
	case PN_PN:
		break;
	}
	return 8 << 20;
}

void agree_add(struct agree_sum *sum, const struct agree_sum *more)
{
	sum->positions += more->positions;
	sum->searches += more->searches;
	sum->scratch += more->scratch;
	sum->nodes += more->nodes;
	sum->answers += more->answers;
	sum->known += more->known;
	sum->facts += more->facts;
	sum->held += more->held;
	sum->kept += more->kept;
	sum->justified += more->justified;
	sum->again += more->again;
	sum->unanswered += more->unanswered;
	sum->wrong += more->wrong;
}

/* Counts something wrong, and says where it came from. */
static void wrong(struct worker *w, uint32_t where, const char *what)
{
	const struct agree_set *set = w->work->set;
	const struct pn_options *o = &w->work->plan->options;
	char at[GAME_TEXT_MAX], asked[GAME_TEXT_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	w->sum.wrong++;
	pthread_mutex_lock(&w->work->lock);
	bool show = w->work->shown++ < SHOWN_MAX;
	pthread_mutex_unlock(&w->work->lock);
	if (!show || w->work->plan->quiet)
		return;
	retro_state(set->retro, where, state);
	set->game->rules->print(set->game, state, at, sizeof at);
	retro_state(set->retro, w->at, state);
	set->game->rules->print(set->game, state, asked, sizeof asked);
	printf("WRONG: %s, '%s': %s; while '%s' was asked %s by %s, detail %d, memory %llu, seed %llu, cap %u\n",
	       set->game->name, at, what, asked, w->asked, pn_algorithm_text(o->algorithm), o->detail,
	       (unsigned long long)o->memory, (unsigned long long)o->seed, o->cap_last);
}

static int value_of(const struct agree_set *set, uint32_t index)
{
	for (int t = 1; t >= 0; t--)
		if (retro_holds_at(set->retro, set->solved[t], index, NULL))
			return t;
	return -1;
}

/* The fewest plies within which a bound of that side can be forced. */
static unsigned distance_of(const struct agree_set *set, uint32_t index, unsigned side, int bound)
{
	unsigned distance;
	retro_holds_at(set->retro, set->solved[side == PD_LO ? bound : bound + 1], index, &distance);
	return distance;
}

/* --- facts ------------------------------------------------------------------------------------ */

static bool reason_is_true(const struct agree_set *set, uint32_t index, const struct pd_reason *r)
{
	int value = value_of(set, index);
	if (r->side == PD_LO ? r->bound < 0 || r->bound > 1 || value < r->bound
			     : r->bound > 0 || r->bound < -1 || value > r->bound)
		return false;
	if (r->bound == set->game->infinite_value)
		return r->rank == PD_RANK_NONE;
	return r->rank > 0 && r->rank <= PD_RANK_MAX && distance_of(set, index, r->side, r->bound) <= r->rank;
}

/* Under the lock. */
static void keep(struct worker *w, uint32_t index, const struct pd_reason *r)
{
	struct kept *k = &w->work->kept[index];
	struct pd_fact fact = {0};
	for (unsigned side = 0; side < 2; side++)
		if (k->has[side] && pd_fact_add(&fact, &k->reason[side]) < 0)
			abort();
	w->sum.wrong += pd_fact_add(&fact, r) < 0;
	*k = (struct kept){0};
	for (unsigned i = 0; i < fact.count; i++) {
		unsigned side = fact.reason[i].side;
		if (k->has[side])
			abort();
		k->has[side] = true;
		k->reason[side] = fact.reason[i];
	}
}

static void take_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	struct worker *w = ctx;
	uint32_t index = retro_find_key(w->work->set->retro, key, size);
	w->sum.facts++;
	w->sum.held += r->rank == PD_RANK_NONE;
	if (index == RETRO_NONE) {
		wrong(w, w->at, "a fact about a position that it does not lead to");
		return;
	}
	if (r->side > PD_HI || !reason_is_true(w->work->set, index, r)) {
		char what[160];
		snprintf(what, sizeof what, "fact with side %d, bound %d, rank %d, effort %u, but the value is %d",
			 r->side, r->bound, r->rank, r->effort, value_of(w->work->set, index));
		wrong(w, index, what);
		return;
	}
	pthread_mutex_lock(&w->work->lock);
	keep(w, index, r);
	pthread_mutex_unlock(&w->work->lock);
}

static void copy_fact(struct work *work, uint32_t index, struct pd_fact *out)
{
	out->count = 0;
	pthread_mutex_lock(&work->lock);
	const struct kept *k = &work->kept[index];
	for (unsigned side = 0; side < 2; side++)
		if (k->has[side])
			out->reason[out->count++] = k->reason[side];
	pthread_mutex_unlock(&work->lock);
}

/* Matches pn_host.fact. */
static bool ask_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct work *work = ctx;
	uint32_t index = retro_find_key(work->set->retro, key, size);
	if (index == RETRO_NONE)
		abort();
	copy_fact(work, index, out);
	return out->count > 0;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Where the move leads, the bound still holds. */
static bool move_is_right(const struct agree_set *set, const void *state, game_move move, int bound)
{
	const struct game *g = set->game;
	game_move moves[GAME_MOVES_MAX];
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	unsigned count = g->rules->moves(g, state, moves), i = 0;
	while (i < count && moves[i] != move)
		i++;
	if (i == count)
		return false;
	memcpy(child, state, g->state_size);
	g->rules->play(g, child, move);
	int value = value_of(set, retro_find(set->retro, child));
	return g->rules->first_to_move(g, state) ? value >= bound : value <= bound;
}

/* The plies that an answer tells are those of its bounds. */
static bool plies_are_right(const struct agree_set *set, uint32_t index, const struct pn_answer *a)
{
	const struct game *g = set->game;
	bool held = a->lo == g->infinite_value || a->hi == g->infinite_value;
	if (held || (a->lo == g->value_min && a->hi == g->value_max))
		return held ? a->plies == PD_RANK_NONE : a->plies == 0;
	return a->plies <= PD_RANK_MAX &&
	       distance_of(set, index, a->lo == 1 ? PD_LO : PD_HI, a->lo == 1 ? 1 : -1) <= a->plies;
}

static const char *fault_of(const struct agree_set *set, uint32_t index, const void *state,
			    const struct pd_claim *claim, const struct pn_answer *a)
{
	const struct game *g = set->game;
	int value = value_of(set, index);
	bool first = g->rules->first_to_move(g, state);
	if (a->lo > value || a->hi < value)
		return "wrong bounds";
	if (a->move != PD_NO_MOVE && !move_is_right(set, state, a->move, first ? a->lo : a->hi))
		return "wrong move";
	if (!a->answered)
		return NULL;
	if (claim->value ? a->lo != a->hi : a->yes != ((value >= claim->threshold) != claim->refusal))
		return "wrong answer";
	return plies_are_right(set, index, a) ? NULL : "wrong plies";
}

/* --- searches --------------------------------------------------------------------------------- */

static bool search_with(struct worker *w, uint32_t index, const void *state, const struct pd_claim *claim,
			const struct pn_options *options, const struct pn_host *host, uint64_t nodes)
{
	const struct agree_set *set = w->work->set;
	struct pn_solver *solver;
	struct pn_entry entries[64];
	struct pn_progress p;
	struct pn_answer answer;
	struct pd_fail fail;
	enum pn_state end;
	if (pn_solver_new(set->game, state, claim, options, host, NULL, &solver, &fail)) {
		printf("%s\n", fail.text);
		abort();
	}
	do {
		end = pn_solver_step(solver, STEP);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, take_fact, w);
		pn_solver_progress(solver, &p);
	} while ((end == PN_RUNNING || end == PN_COLLECT) && p.level1 + p.level2 < nodes);
	pn_solver_answer(solver, &answer);
	w->sum.nodes += p.level1 + p.level2;
	w->sum.answers += answer.answered;
	const char *fault = fault_of(set, index, state, claim, &answer);
	if (fault)
		wrong(w, index, fault);
	pn_solver_free(solver);
	return answer.answered;
}

static void search(struct worker *w, uint32_t index, const void *state, const struct pd_claim *claim, bool facts)
{
	const struct agree_plan *plan = w->work->plan;
	const struct pn_host host = {w->work, ask_fact};
	struct pn_options larger = plan->options;
	w->asked = claim->text;
	w->at = index;
	w->sum.searches += facts;
	w->sum.scratch += !facts;
	if (search_with(w, index, state, claim, &plan->options, facts ? &host : NULL, plan->nodes))
		return;
	if (plan->again) {
		w->sum.again++;
		larger.memory = MEMORY_AGAIN;
		larger.paper_nodes = MEMORY_AGAIN / sizeof(struct pn_entry) / 2;
		if (search_with(w, index, state, claim, &larger, facts ? &host : NULL, plan->again))
			return;
	}
	w->sum.unanswered++;
}

/* True when the facts answer the claim; then the answer is compared. */
static bool is_known(struct worker *w, uint32_t index, const struct pd_claim *claim)
{
	const struct agree_set *set = w->work->set;
	int lo = set->game->value_min, hi = set->game->value_max, value = value_of(set, index);
	struct pd_fact fact;
	copy_fact(w->work, index, &fact);
	for (unsigned i = 0; i < fact.count; i++)
		*(fact.reason[i].side == PD_LO ? &lo : &hi) = fact.reason[i].bound;
	if (claim->value ? lo != hi : lo < claim->threshold && hi >= claim->threshold)
		return false;
	w->sum.known++;
	if (value < lo || value > hi)
		wrong(w, index, "wrong known bounds");
	return true;
}

static void ask(struct worker *w, uint32_t index)
{
	static const char *const texts[] = {"first-wins", "second-wins", "first-draws", "second-draws", "value"};
	const struct agree_set *set = w->work->set;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_claim claims[5];
	for (unsigned i = 0; i < 5; i++)
		if (pd_claim_parse(texts[i], &claims[i], NULL))
			abort();
	retro_state(set->retro, index, state);
	w->sum.positions++;
	unsigned scratch = w->work->plan->scratch, begin = walk_below(&w->random, 4);
	if (scratch && walk_below(&w->random, scratch) == 0)
		search(w, index, state, &claims[walk_below(&w->random, 5)], false);
	if (walk_below(&w->random, VALUE_SHARE) == 0 && !is_known(w, index, &claims[4]))
		search(w, index, state, &claims[4], true);
	for (unsigned i = 0; i < 4; i++) {
		const struct pd_claim *claim = &claims[(begin + i) % 4];
		if (!is_known(w, index, claim))
			search(w, index, state, claim, true);
	}
}

/* --- a run ------------------------------------------------------------------------------------ */

static void *run_worker(void *ctx)
{
	struct worker *w = ctx;
	for (uint32_t i = w->number; i < w->work->count; i += w->work->plan->threads)
		ask(w, w->work->order[i]);
	return NULL;
}

static bool is_asked(const struct agree_set *set, uint32_t index)
{
	size_t size;
	const uint8_t *key = retro_key(set->retro, index, &size);
	return !retro_over(set->retro, index) && (!set->asked || set->asked(set->ctx, key, size));
}

/* The positions to ask, shuffled. */
static void make_order(struct work *work)
{
	const struct agree_set *set = work->set;
	uint32_t all = retro_positions(set->retro);
	uint64_t random = work->plan->options.seed + 1;
	work->order = malloc((all + (size_t)1) * sizeof *work->order);
	if (!work->order)
		abort();
	for (uint32_t i = 0; i < all; i++)
		if (is_asked(set, i) && walk_below(&random, work->plan->share) == 0)
			work->order[work->count++] = i;
	for (uint32_t i = work->count; i > 1; i--) {
		uint32_t j = walk_below(&random, i), other = work->order[j];
		work->order[j] = work->order[i - 1];
		work->order[i - 1] = other;
	}
}

/* Justifies all that is kept. */
static void justify(struct work *work, struct agree_sum *sum)
{
	const struct agree_set *set = work->set;
	struct factbase base;
	unsigned leaves;
	factbase_init(&base);
	for (uint32_t i = 0; i < retro_positions(set->retro); i++)
		for (unsigned side = 0; side < 2; side++)
			if (work->kept[i].has[side]) {
				size_t size;
				const uint8_t *key = retro_key(set->retro, i, &size);
				factbase_add(&base, key, size, &work->kept[i].reason[side]);
				sum->justified++;
			}
	unsigned bad = factbase_check(&base, set->game, &leaves);
	if (bad)
		printf("WRONG: %u facts without justification, by %s, detail %d, seed %llu\n", bad,
		       pn_algorithm_text(work->plan->options.algorithm), work->plan->options.detail,
		       (unsigned long long)work->plan->options.seed);
	sum->wrong += bad + base.conflicts;
	factbase_fini(&base);
}

void agree_run(const struct agree_set *set, const struct agree_plan *plan, struct agree_sum *sum)
{
	struct work work = {.set = set, .plan = plan, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct worker workers[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	const struct game *g = set->game;
	if (g->value_min != -1 || g->value_max != 1 || g->acyclic || g->infinite_value || plan->threads > THREADS_MAX)
		abort();
	uint32_t all = retro_positions(set->retro);
	work.kept = calloc(all + (size_t)1, sizeof *work.kept);
	if (!work.kept)
		abort();
	make_order(&work);
	for (unsigned i = 0; i < plan->threads; i++) {
		workers[i] = (struct worker){.work = &work, .number = i, .random = plan->options.seed * 2 + i};
		if (i && pthread_create(&threads[i], NULL, run_worker, &workers[i]))
			abort();
	}
	run_worker(&workers[0]);
	for (unsigned i = 1; i < plan->threads; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < plan->threads; i++)
		agree_add(sum, &workers[i].sum);
	for (uint32_t i = 0; i < all; i++)
		sum->kept += work.kept[i].has[0] || work.kept[i].has[1];
	if (plan->justify)
		justify(&work, sum);
	free(work.kept);
	free(work.order);
}
