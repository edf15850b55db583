#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/remote.h"
#include "solver/solver_internal.h"

/* A solver answers one question by a short series of claims: one for a claim, for `value` as many as halve the open
 * part of the scale. Each claim is searched by the engine of each search thread (engine.h). The claims share
 * transposition table, cache and facts. */

static bool uses_tt(const struct pn_solver *s)
{
	return s->algorithm->engine->tt;
}

/* --- making ------------------------------------------------------------------------------- */

/* Whether a search uses what a game knows beyond its rules. What is solved so has no proof yet, so it is a leaf. */
static bool uses_knowledge(const struct pn_solver *s)
{
	return s->options.knowledge && s->options.detail != PN_FULL && uses_tt(s) && !s->algorithm->policy->published;
}

/* Makes a search thread's own parts, unless it has them from an earlier stay. */
static bool make_thread(struct pn_solver *s, struct search_thread *w)
{
	if (w->engine)
		return true;
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
		.level2_bytes = w->remote ? 0 : s->level2_bytes,
		.remote = w->remote,
		.knowledge = uses_knowledge(s),
		.hints = s->hints.count ? &s->hints : NULL,
	};
	fact_buffer_init(&w->facts);
	w->facts.host = &w->host;
	w->engine = s->algorithm->engine->create(&setup);
	pn_publish_counts(w);
	return w->engine != NULL;
}

/* Shares the memory out: the level-2 arenas first, at most a quarter; then a quarter of the rest for the cache; what is
 * left for the transposition table, or for the tree of level 1. */
static bool share_memory(struct pn_solver *s)
{
	const struct pn_options *o = &s->options;
	bool published = s->algorithm->policy->published;
	uint64_t rest = o->memory;
	if (s->algorithm->level2) {
		uint64_t nodes = published ? o->paper_nodes : o->cap_last, most = rest / 4 / o->threads;
		uint64_t bytes = sizeof(struct tree_node) * (nodes + nodes / 4 + 4 * (uint64_t)s->game->moves_max);
		s->level2_bytes = bytes < most ? bytes : most;
		if (uses_tt(s) && !published && o->cache) {
			uint64_t cache = (rest - s->level2_bytes * o->threads) / 4;
			if (!cache_init(&s->cache, cache))
				return false;
			rest -= cache;
		}
		rest -= s->level2_bytes * o->threads;
	}
	PD_ASSERT(rest <= o->memory);
	s->level1_bytes = rest;
	if (published && rest > o->paper_nodes * sizeof(struct pn_entry))
		rest = o->paper_nodes * sizeof(struct pn_entry);
	if (o->tt_entries && rest > o->tt_entries * sizeof(struct pn_entry))
		rest = o->tt_entries * sizeof(struct pn_entry);
	return !uses_tt(s) || tt_init(&s->tt, rest, published);
}

static bool make_parts(struct pn_solver *s)
{
	if (!share_memory(s))
		return false;
	s->threads[0].present = true;
	s->present = 1;
	return make_thread(s, &s->threads[0]);
}

/* Copies what the solver is made from. False when memory cannot be had. */
static bool take_setup(struct pn_solver *s, const struct pn_solver_setup *setup)
{
	const struct game *game = setup->game;
	s->game = game;
	s->options = *setup->options;
	s->algorithm = pn_algorithm(s->options.algorithm);
	pd_identity_init(&s->identity, s->options.identity);
	told_init(&s->told);
	if (!s->options.threads || !pn_algorithm_has_threads(s->options.algorithm))
		s->options.threads = 1;
	if (!pn_remote_possible(&s->options))
		s->options.remote = 0;
	s->root = malloc(game->state_size);
	s->threads = calloc(pn_threads_most(s), sizeof *s->threads);
	if (!s->root || !s->threads)
		return false;
	if (setup->host)
		s->threads[0].host = *setup->host;
	s->claim = *setup->claim;
	s->shorten = s->options.shorten;
	s->lo = game->value_min;
	s->hi = game->value_max;
	s->point = PN_POINT_START;
	if (setup->resumed)
		s->resumed = *setup->resumed;
	memcpy(s->root, setup->root, game->state_size);
	return hints_init(&s->hints, game, &s->identity, s->root, setup->first, setup->first_count);
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
	if (!s || !take_setup(s, setup))
		error = pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a solver");
	else if (!make_parts(s))
		error = pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "%llu bytes for the search cannot be had",
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
	told_fini(&s->told);
	hints_fini(&s->hints);
	pd_fact_fini(&s->root_fact);
	free(s->threads);
	free(s->root);
	free(s);
}

void pn_solver_load(struct pn_solver *s, const struct pn_entry *entries, size_t count)
{
	PD_ASSERT(!s->searching);
	if (!uses_tt(s))
		return;
	for (size_t i = 0; i < count; i++)
		if (pn_entry_kind(s->game, entries[i].num) != PN_ENTRY_BROKEN)
			tt_load(&s->tt, &entries[i]);
}

/* --- searching ---------------------------------------------------------------------------- */

/* The claim in work is solved at the root with these numbers. */
static void claim_solved(struct pn_solver *s, const uint32_t num[2], game_move move)
{
	PD_ASSERT(num_sound(num) && num_solved(num) && !ghi_path_dependent(&s->question, num)); /* P1, F1 */
	struct pd_reason reason = question_reason(&s->question, num);
	reason.move = move;
	pn_root_learn(s, &reason);
	s->searching = false;
}

static enum pn_state stuck(struct search_thread *w, const char *why)
{
	w->why = why;
	return PN_STUCK;
}

/* One stretch of the search of the claim in work. */
static enum pn_state search_claim(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	struct pn_engine *engine = w->engine;
	game_move leading;
	PD_ASSERT(engine && s->searching);
	if (!w->started && !engine->type->start(engine, &s->question, s->root))
		return stuck(w, "memory: no memory for the search's frames");
	w->started = true;
	switch (engine->type->run(engine, nodes)) {
	case PN_ENGINE_SOLVED:
		w->solved = true;
		engine->type->numbers(engine, w->solved_num, &leading);
		w->solved_move = engine->type->move(engine);
		return PN_GATHER;
	case PN_ENGINE_COLLECT:
		return PN_COLLECT;
	case PN_ENGINE_AWAY:
		return PN_AWAY;
	case PN_ENGINE_NO_MEMORY:
		return stuck(w, "memory: no memory for the search's frames or the facts it found");
	case PN_ENGINE_FULL:
		return stuck(
			w,
			"memory: the search tree fills it; give more, or use an algorithm with a transposition table");
	case PN_ENGINE_DEPTH:
		return stuck(w, "depth: what is left open goes on for more plies than a path can have");
	case PN_ENGINE_MORE:
		break;
	}
	return PN_RUNNING;
}

/* One stretch of one search thread, of *nodes at most. */
static enum pn_state search(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	enum pn_state state = PN_RUNNING;
	bool first = w == s->threads;
	while (state == PN_RUNNING && *nodes && !group_halted(&s->group)) {
		if (!pn_root_answered(s))
			state = search_claim(s, w, nodes);
		else if (first && s->shorten)
			state = pn_shorten(s, w, nodes);
		else
			state = PN_GATHER;
		if (w->facts.failed)
			state = stuck(w, "memory: no memory for the facts that were found");
	}
	pn_publish_counts(w);
	return state;
}

enum pn_state pn_solver_run_thread(struct pn_solver *s, unsigned thread, uint64_t nodes)
{
	PD_ASSERT(thread < pn_threads_most(s) && s->threads[thread].present);
	enum pn_state state = search(s, &s->threads[thread], &nodes);
	if (state != PN_RUNNING && state != PN_AWAY)
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
	return s->threads[0].counts.in_tree ? PN_POINT_LEVEL2 : PN_POINT_TURN;
}

void pn_next_claim(struct pn_solver *s)
{
	if (s->searching || pn_root_answered(s))
		return;
	s->question = pn_root_question(s, pn_root_next(s));
	s->searching = true;
	for (unsigned i = 0; i < pn_threads_most(s); i++)
		s->threads[i].started = false;
	pn_told_again(s);
}

bool pn_solver_lost_facts(const struct pn_solver *s)
{
	for (unsigned i = 0; i < pn_threads_most(s); i++)
		if (s->threads[i].facts.failed)
			return true;
	return false;
}

enum pn_state pn_solver_gather(struct pn_solver *s)
{
	bool solved = false;
	tt_settle(&s->tt);
	cache_settle(&s->cache);
	for (unsigned i = 0; i < pn_threads_most(s); i++) {
		struct search_thread *w = &s->threads[i];
		if (w->solved && !solved)
			claim_solved(s, w->solved_num, w->solved_move);
		solved |= w->solved;
		w->solved = false;
		pn_publish_counts(w);
		if (w->facts.failed)
			w->why = "memory: no memory for the facts that were found";
		if (w->why && !s->why)
			s->why = w->why;
	}
	/* Where one thread ran out of memory, another may have answered; but not by facts that are lost. */
	bool done = pn_root_answered(s) && !s->shorten && !pn_solver_lost_facts(s);
	enum pn_state state = done ? PN_ANSWERED : s->why ? PN_STUCK : PN_RUNNING;
	pn_next_claim(s);
	s->point = point_of(s, state);
	return state;
}

enum pn_state pn_solver_step(struct pn_solver *s, uint64_t nodes)
{
	PD_ASSERT(s->present == 1);
	enum pn_state state = pn_solver_gather(s);
	while (state == PN_RUNNING && nodes) {
		state = search(s, &s->threads[0], &nodes);
		if (state == PN_GATHER || state == PN_STUCK)
			state = pn_solver_gather(s);
	}
	s->point = point_of(s, state);
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

int pn_join(struct pn_solver *s, const struct pn_host *host, bool remote, unsigned *thread, struct pd_fail *fail)
{
	unsigned i = remote ? s->options.threads : 0, end = remote ? pn_threads_most(s) : s->options.threads;
	while (i < end && s->threads[i].present)
		i++;
	if (i == end)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "threads", "there is room for %u only",
				   remote ? s->options.remote : s->options.threads);
	struct search_thread *w = &s->threads[i];
	w->host = host ? *host : (struct pn_host){0};
	w->remote = remote;
	if (!make_thread(s, w))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for one more search thread");
	w->present = true;
	w->started = false;
	s->present++;
	s->present_remote += remote;
	if (!s->group.several) {
		memset(s->group.virtual_count, 0, sizeof s->group.virtual_count);
		s->group.several = s->tt.shared = s->cache.shared = true;
		s->algorithm->engine->publish(s->threads[0].engine);
	}
	*thread = i;
	return PD_OK;
}

int pn_solver_join(struct pn_solver *s, const struct pn_host *host, unsigned *thread, struct pd_fail *fail)
{
	return pn_join(s, host, false, thread, fail);
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
	s->group.several = s->tt.shared = s->cache.shared = false;
}
