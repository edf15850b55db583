/* What a solver tells its host: progress, entries, facts, snapshot. */
#include "proto/base/assert.h"
#include "solver/solver_internal.h"

static void store(uint64_t *at, uint64_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

void pn_publish_counts(struct search_thread *w)
{
	struct search_counts *c = &w->counts;
	struct pn_engine_progress p;
	uint32_t num[2] = {1, 1};
	game_move leading = PD_NO_MOVE;
	if (!w->engine)
		return;
	w->engine->type->progress(w->engine, &p);
	if (!w->remote) /* only those of the first thread are asked for, and they cost a look at all frames */
		w->engine->type->numbers(w->engine, num, &leading);
	store(&c->level1, p.level1);
	store(&c->level2, p.level2);
	store(&c->facts, w->facts.count);
	store(&c->cache_asks, p.cache_asks);
	store(&c->cache_hits, p.cache_hits);
	store(&c->numbers, num[0] + ((uint64_t)num[1] << 32));
	store(&c->leading, leading);
	store(&c->entries, p.entries);
	store(&c->capacity, p.capacity);
	store(&c->level2_budget, p.level2_budget);
	store(&c->in_tree, p.in_tree);
}

static uint32_t shown(uint32_t num)
{
	return num < PN_INF ? num : UINT32_MAX;
}

void pn_solver_progress(const struct pn_solver *s, struct pn_progress *out)
{
	const struct search_counts *first = &s->threads[0].counts;
	uint64_t num = load(&first->numbers);
	bool tt = s->algorithm->engine->tt;
	*out = (struct pn_progress){
		.point = s->point,
		.level1 = s->resumed.level1,
		.level2 = s->resumed.level2,
		.pn = shown((uint32_t)num),
		.dn = shown((uint32_t)(num >> 32)),
		.leading = s->searching && s->threads[0].started ? (game_move)load(&first->leading) : PD_NO_MOVE,
		.threshold = (int16_t)(s->question.game ? s->question.threshold : pn_root_next(s)),
		.entries = tt ? tt_used(&s->tt) : load(&first->entries),
		.capacity = tt ? s->tt.capacity : load(&first->capacity),
		.facts = s->resumed.facts,
		.memory = s->options.memory,
		.lo = s->lo,
		.hi = s->hi,
		.level2_budget = (uint32_t)load(&first->level2_budget),
	};
	for (unsigned i = 0; i < pn_threads_most(s); i++) {
		const struct search_counts *c = &s->threads[i].counts;
		out->level1 += load(&c->level1);
		out->level2 += load(&c->level2);
		out->facts += load(&c->facts);
		out->cache_asks += load(&c->cache_asks);
		out->cache_hits += load(&c->cache_hits);
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
	return load(&c->level1) + load(&c->level2);
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
	for (unsigned i = 0; i < pn_threads_most(s); i++)
		fact_buffer_take(&s->threads[i].facts, each, ctx);
}

size_t pn_solver_snapshot(const struct pn_solver *s, uint64_t *cursor, struct pn_entry *out, size_t max)
{
	if (s->algorithm->engine->tt)
		return tt_snapshot(&s->tt, cursor, out, max);
	*cursor = UINT64_MAX;
	return 0;
}
