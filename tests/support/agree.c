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
	SHOWN_MAX = 5,   /* faults that are printed in full */
	VALUE_SHARE = 8, /* one position in this many begins with its value */
	CLAIMS = 5,
	VALUE = 4 /* index of the claim `value` */
};

/* The facts of one position. Where infinite play is worth the middle of three values, a fact has at most one reason a
 * side, because a bound that an endless draw gives is no stronger than a win. */
struct kept {
	uint32_t index;
	bool used;
	bool has[2];
	struct pd_reason reason[2]; /* by side */
};

struct kept_facts {
	struct kept *slots; /* owned; open addressing by index, more than half are free */
	uint64_t room;      /* a power of two */
	uint64_t count;
};

/* A position and a claim: its index in claim_texts. */
struct asked {
	uint32_t index;
	uint8_t claim;
};

struct asked_list {
	struct asked *items; /* owned */
	size_t count, room;
};

struct work {
	const struct agree_set *set;
	const struct agree_plan *plan;
	struct pd_claim claims[CLAIMS];
	uint32_t *order; /* owned; positions that are not over */
	uint32_t count;
	struct asked_list open; /* of all earlier rounds */
	unsigned round;         /* 0: the first */
	pthread_mutex_t lock;   /* guards the members below */
	struct kept_facts kept;
	unsigned in_vain[AGREE_GROUPS]; /* repeated searches that stayed open, less those that did not */
	uint64_t shown;
};

struct worker {
	struct work *work;
	unsigned number;
	struct agree_sum sum;
	uint64_t random;
	struct asked_list open;
	const char *asked; /* the claim in work */
	uint32_t at;       /* its position */
};

static const char *const claim_texts[CLAIMS] = {"first-wins", "second-wins", "first-draws", "second-draws", "value"};

static void *require_memory(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

uint64_t agree_memory(enum pn_algorithm algorithm)
{
	if (!pn_algorithm_has_tt(algorithm))
		return 8 << 20;
	if (!pn_algorithm_has_threads(algorithm)) /* paper: its table has a size of its own */
		return 1 << 16;
	uint64_t bytes = AGREE_PLACES * sizeof(struct pn_entry);
	return pn_algorithm(algorithm)->level2 ? bytes * 16 / 9 + 64 : bytes; /* 9/16 are the table */
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
	sum->unranked += more->unranked;
	sum->kept += more->kept;
	sum->justified += more->justified;
	sum->again += more->again;
	sum->later += more->later;
	sum->unanswered += more->unanswered;
	sum->bare += more->bare;
	for (unsigned i = 0; i < AGREE_GROUPS; i++)
		sum->open[i] += more->open[i];
	sum->wrong += more->wrong;
}

/* --- the truth ---------------------------------------------------------------------------- */

static uint32_t find_key(const struct agree_set *set, const uint8_t *key, size_t size)
{
	return set->retro ? retro_find_key(set->retro, key, size) : men_find_key(set->men, key, size);
}

static uint32_t find_state(const struct agree_set *set, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	return find_key(set, key, set->game->rules->key(set->game, state, key));
}

static size_t key_of(const struct agree_set *set, uint32_t index, uint8_t *out)
{
	size_t size;
	if (!set->retro)
		return men_key(set->men, index, out);
	const uint8_t *key = retro_key(set->retro, index, &size);
	memcpy(out, key, size);
	return size;
}

static void state_of(const struct agree_set *set, uint32_t index, void *state)
{
	uint8_t key[GAME_KEY_MAX];
	if (set->game->rules->unkey(set->game, key, key_of(set, index, key), state))
		abort();
}

static bool holds_at(const struct agree_set *set, unsigned claim, uint32_t index, unsigned *distance)
{
	return set->retro ? retro_holds_at(set->retro, set->solved[claim], index, distance)
			  : men_holds_at(set->men, set->solved[claim], index, distance);
}

static unsigned group_of(const struct agree_set *set, uint32_t index)
{
	uint8_t key[GAME_KEY_MAX];
	return set->group ? set->group(key, key_of(set, index, key)) % AGREE_GROUPS : 0;
}

static int value_of(const struct agree_set *set, uint32_t index)
{
	for (int t = 1; t >= 0; t--)
		if (holds_at(set, (unsigned)t, index, NULL))
			return t;
	return -1;
}

/* The fewest plies within which a bound of that side can be forced. */
static unsigned distance_of(const struct agree_set *set, uint32_t index, unsigned side, int bound)
{
	unsigned distance;
	holds_at(set, (unsigned)(side == PD_LO ? bound : bound + 1), index, &distance);
	return distance;
}

/* Counts a fault and prints where it occurred. */
static void count_wrong(struct worker *w, uint32_t where, const char *what)
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
	state_of(set, where, state);
	set->game->rules->print(set->game, state, at, sizeof at);
	state_of(set, w->at, state);
	set->game->rules->print(set->game, state, asked, sizeof asked);
	printf("WRONG: %s, '%s': %s; while '%s' was asked %s by %s, detail %d, memory %llu, seed %llu, cap %u\n",
	       set->game->name, at, what, asked, w->asked, pn_algorithm_text(o->algorithm), o->detail,
	       (unsigned long long)o->memory, (unsigned long long)o->seed, o->cap_last);
}

/* --- facts -------------------------------------------------------------------------------- */

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

static struct kept *slot_of(const struct kept_facts *facts, uint32_t index)
{
	uint64_t i = index * UINT64_C(0x9e3779b97f4a7c15) >> 20;
	while (facts->slots[i & (facts->room - 1)].used && facts->slots[i & (facts->room - 1)].index != index)
		i++;
	return &facts->slots[i & (facts->room - 1)];
}

/* The facts of a position; an empty entry is made if there are none. */
static struct kept *kept_at(struct kept_facts *facts, uint32_t index)
{
	if (2 * facts->count >= facts->room) {
		struct kept_facts old = *facts;
		facts->room *= 2;
		facts->slots = require_memory(calloc(facts->room, sizeof *facts->slots));
		for (uint64_t i = 0; i < old.room; i++)
			if (old.slots[i].used)
				*slot_of(facts, old.slots[i].index) = old.slots[i];
		free(old.slots);
	}
	struct kept *k = slot_of(facts, index);
	facts->count += !k->used;
	k->used = true;
	k->index = index;
	return k;
}

/* Under the lock. */
static void keep_reason(struct worker *w, uint32_t index, const struct pd_reason *r)
{
	struct kept *k = kept_at(&w->work->kept, index);
	struct pd_fact fact = {0};
	for (unsigned side = 0; side < 2; side++)
		if (k->has[side] && pd_fact_add(&fact, &k->reason[side]) < 0)
			abort();
	w->sum.wrong += pd_fact_add(&fact, r) < 0;
	k->has[0] = k->has[1] = false;
	for (unsigned i = 0; i < fact.count; i++) {
		const struct pd_reason *own = &pd_fact_reasons(&fact)[i];
		if (k->has[own->side])
			abort();
		k->has[own->side] = true;
		k->reason[own->side] = *own;
	}
	pd_fact_fini(&fact);
}

static void take_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	struct worker *w = ctx;
	uint32_t index = find_key(w->work->set, key, size);
	w->sum.facts++;
	w->sum.unranked += r->rank == PD_RANK_NONE;
	if (index == RETRO_NONE) {
		count_wrong(w, w->at, "a fact about a position that it does not lead to");
		return;
	}
	if (r->side > PD_HI || !reason_is_true(w->work->set, index, r)) {
		char what[160];
		snprintf(what, sizeof what, "fact with side %d, bound %d, rank %d, effort %u, but the value is %d",
			 r->side, r->bound, r->rank, r->effort, value_of(w->work->set, index));
		count_wrong(w, index, what);
		return;
	}
	pthread_mutex_lock(&w->work->lock);
	keep_reason(w, index, r);
	pthread_mutex_unlock(&w->work->lock);
}

static void copy_fact(struct work *work, uint32_t index, struct pd_fact *out)
{
	out->count = 0;
	pthread_mutex_lock(&work->lock);
	const struct kept *k = slot_of(&work->kept, index);
	for (unsigned side = 0; side < 2; side++)
		if (k->has[side] && !pd_fact_append(out, &k->reason[side]))
			abort();
	pthread_mutex_unlock(&work->lock);
}

/* Matches pn_host.fact. */
static bool ask_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct work *work = ctx;
	uint32_t index = find_key(work->set, key, size);
	if (index == RETRO_NONE)
		abort();
	copy_fact(work, index, out);
	return out->count > 0;
}

/* --- answers ------------------------------------------------------------------------------ */

/* Whether the bound holds after the move. */
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
	int value = value_of(set, find_state(set, child));
	return g->rules->first_to_move(g, state) ? value >= bound : value <= bound;
}

/* Whether the plies of an answer are those of its bounds. */
static bool plies_are_right(const struct agree_set *set, uint32_t index, const struct pn_answer *a)
{
	const struct game *g = set->game;
	bool unranked = a->lo == g->infinite_value || a->hi == g->infinite_value;
	if (unranked || (a->lo == g->value_min && a->hi == g->value_max))
		return unranked ? a->plies == PD_RANK_NONE : a->plies == 0;
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

/* --- searches ----------------------------------------------------------------------------- */

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
	if (pn_solver_new(&(struct pn_solver_setup){set->game, state, claim, options, host, NULL}, &solver, &fail)) {
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
		count_wrong(w, index, fault);
	pn_solver_free(solver);
	return answer.answered;
}

static void note_claim(struct asked_list *list, struct asked asked)
{
	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 256;
		list->items = require_memory(realloc(list->items, list->room * sizeof *list->items));
	}
	list->items[list->count++] = asked;
}

/* Whether searches of a group are still repeated. */
static bool has_patience(struct work *work, unsigned group)
{
	pthread_mutex_lock(&work->lock);
	bool has = !work->plan->patience || work->in_vain[group] < work->plan->patience;
	pthread_mutex_unlock(&work->lock);
	return has;
}

/* With ordinary memory and level-2 budgets. */
static bool search_again(struct worker *w, struct asked asked, const void *state, const struct pn_host *host)
{
	struct work *work = w->work;
	struct pn_options larger = work->plan->options, usual;
	unsigned group = group_of(work->set, asked.index);
	if (!work->plan->again || !has_patience(work, group))
		return false;
	pn_options_init(&usual);
	larger.cap_first = usual.cap_first;
	larger.cap_last = usual.cap_last;
	larger.memory = MEMORY_AGAIN;
	larger.paper_nodes = MEMORY_AGAIN / sizeof(struct pn_entry) / 2;
	w->sum.again++;
	bool answered = search_with(w, asked.index, state, &work->claims[asked.claim], &larger, host,
				    work->plan->again << 2 * work->round);
	pthread_mutex_lock(&work->lock);
	if (!answered)
		work->in_vain[group]++;
	else if (work->in_vain[group])
		work->in_vain[group]--;
	pthread_mutex_unlock(&work->lock);
	return answered;
}

static void search_asked(struct worker *w, struct asked asked, const void *state, bool facts)
{
	const struct agree_plan *plan = w->work->plan;
	const struct pn_host host = {w->work, ask_fact};
	const struct pd_claim *claim = &w->work->claims[asked.claim];
	w->asked = claim->text;
	w->at = asked.index;
	w->sum.searches += facts && w->work->round == 0;
	w->sum.scratch += !facts;
	if ((w->work->round == 0 &&
	     search_with(w, asked.index, state, claim, &plan->options, facts ? &host : NULL, plan->nodes)) ||
	    search_again(w, asked, state, facts ? &host : NULL)) {
		w->sum.later += w->work->round > 0;
		return;
	}
	if (facts)
		note_claim(&w->open, asked);
	else
		w->sum.bare++;
}

/* Whether the facts answer the claim; then compares the answer. */
static bool is_known(struct worker *w, uint32_t index, const struct pd_claim *claim)
{
	const struct agree_set *set = w->work->set;
	int lo = set->game->value_min, hi = set->game->value_max, value = value_of(set, index);
	struct pd_fact fact = {0};
	copy_fact(w->work, index, &fact);
	for (unsigned i = 0; i < fact.count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(&fact)[i];
		*(r->side == PD_LO ? &lo : &hi) = r->bound;
	}
	pd_fact_fini(&fact);
	if (claim->value ? lo != hi : lo < claim->threshold && hi >= claim->threshold)
		return false;
	w->sum.known++;
	if (value < lo || value > hi)
		count_wrong(w, index, "wrong known bounds");
	return true;
}

static void ask_question(struct worker *w, uint32_t index)
{
	const struct agree_set *set = w->work->set;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	state_of(set, index, state);
	w->sum.positions++;
	unsigned scratch = w->work->plan->scratch, begin = walk_below(&w->random, 4);
	if (scratch && walk_below(&w->random, scratch) == 0)
		search_asked(w, (struct asked){index, (uint8_t)walk_below(&w->random, CLAIMS)}, state, false);
	if (walk_below(&w->random, VALUE_SHARE) == 0 && !is_known(w, index, &w->work->claims[VALUE]))
		search_asked(w, (struct asked){index, VALUE}, state, true);
	for (unsigned i = 0; i < 4; i++) {
		unsigned claim = (begin + i) % 4;
		if (!is_known(w, index, &w->work->claims[claim]))
			search_asked(w, (struct asked){index, (uint8_t)claim}, state, true);
	}
}

static void ask_again(struct worker *w, struct asked asked)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	if (is_known(w, asked.index, &w->work->claims[asked.claim])) {
		w->sum.later++;
		return;
	}
	state_of(w->work->set, asked.index, state);
	search_asked(w, asked, state, true);
}

/* --- a run -------------------------------------------------------------------------------- */

static void *run_worker(void *ctx)
{
	struct worker *w = ctx;
	struct work *work = w->work;
	if (work->round)
		for (size_t i = w->number; i < work->open.count; i += work->plan->threads)
			ask_again(w, work->open.items[i]);
	else
		for (uint32_t i = w->number; i < work->count; i += work->plan->threads)
			ask_question(w, work->order[i]);
	return NULL;
}

/* One round. Its open claims replace those of the round before. */
static void run_round(struct work *work, struct agree_sum *sum)
{
	const struct agree_plan *plan = work->plan;
	struct worker workers[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	memset(work->in_vain, 0, sizeof work->in_vain);
	for (unsigned i = 0; i < plan->threads; i++) {
		workers[i] = (struct worker){
			.work = work, .number = i, .random = plan->options.seed * 2 + i + 64 * work->round};
		if (i && pthread_create(&threads[i], NULL, run_worker, &workers[i]))
			abort();
	}
	run_worker(&workers[0]);
	for (unsigned i = 1; i < plan->threads; i++)
		pthread_join(threads[i], NULL);
	work->open.count = 0;
	for (unsigned i = 0; i < plan->threads; i++) {
		agree_add(sum, &workers[i].sum);
		for (size_t j = 0; j < workers[i].open.count; j++)
			note_claim(&work->open, workers[i].open.items[j]);
		free(workers[i].open.items);
	}
}

static bool is_asked(const struct agree_set *set, uint32_t index)
{
	uint8_t key[GAME_KEY_MAX];
	unsigned distance;
	if (set->men && !men_is_position(set->men, index))
		return false;
	holds_at(set, 0, index, &distance);
	return distance && (!set->asked || set->asked(set->ctx, key, key_of(set, index, key)));
}

/* The positions to search, shuffled. */
static void make_order(struct work *work)
{
	const struct agree_set *set = work->set;
	uint32_t begin = 0, end;
	uint64_t random = work->plan->options.seed + 1;
	if (set->men)
		men_range(set->men, set->material, &begin, &end);
	else
		end = retro_positions(set->retro);
	work->order = require_memory(malloc((end - begin + (size_t)1) * sizeof *work->order));
	for (uint32_t i = begin; i < end; i++)
		if (is_asked(set, i) && walk_below(&random, work->plan->share) == 0)
			work->order[work->count++] = i;
	for (uint32_t i = work->count; i > 1; i--) {
		uint32_t j = walk_below(&random, i), other = work->order[j];
		work->order[j] = work->order[i - 1];
		work->order[i - 1] = other;
	}
}

/* Justifies all facts. */
static void justify_facts(struct work *work, struct agree_sum *sum)
{
	const struct agree_set *set = work->set;
	struct factbase base;
	unsigned leaves;
	factbase_init(&base);
	for (uint64_t i = 0; i < work->kept.room; i++)
		for (unsigned side = 0; side < 2; side++) {
			const struct kept *k = &work->kept.slots[i];
			uint8_t key[GAME_KEY_MAX];
			if (!k->used || !k->has[side])
				continue;
			factbase_add(&base, key, key_of(set, k->index, key), &k->reason[side]);
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
	struct work work = {.set = set, .plan = plan, .lock = PTHREAD_MUTEX_INITIALIZER, .kept.room = 1024};
	const struct game *g = set->game;
	if (g->value_min != -1 || g->value_max != 1 || g->acyclic || g->infinite_value || plan->threads > THREADS_MAX)
		abort();
	for (unsigned i = 0; i < CLAIMS; i++)
		if (pd_claim_parse(claim_texts[i], &work.claims[i], NULL))
			abort();
	work.kept.slots = require_memory(calloc(work.kept.room, sizeof *work.kept.slots));
	make_order(&work);
	run_round(&work, sum);
	size_t before = SIZE_MAX;
	while (work.round < plan->rounds && work.open.count && work.open.count < before) {
		before = work.open.count;
		work.round++;
		run_round(&work, sum);
	}
	sum->unanswered += work.open.count;
	for (size_t i = 0; i < work.open.count; i++)
		sum->open[group_of(set, work.open.items[i].index)]++;
	sum->kept += work.kept.count;
	if (plan->justify)
		justify_facts(&work, sum);
	free(work.open.items);
	free(work.kept.slots);
	free(work.order);
}
