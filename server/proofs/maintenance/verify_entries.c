#include "server/proofs/maintenance/verify_entries.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/tt_entry.h"
#include "server/proofs/maintenance/entry_walk.h"
#include "solver/table_theorem.h"

enum { ROOM_FIRST = 1 << 10, CLAIMS_MAX = 256 };

struct slot {
	struct pd_id id; /* {0, 0}: free */
	uint32_t num[2];
	atomic_bool met; /* a fact of its position was found, or a table that has it */
	bool reached;    /* its position was found, and no table has it */
};

struct sv_entry_table {
	uint32_t job, game_id;
	const struct game *game;
	struct pd_identity names; /* makes the identities of its entries */
	bool ends;                /* it may hold terminal positions */
	const char *position;     /* the job's; borrowed */
	bool tables;              /* the game has tables by retrograde analysis, which found entries as facts do */
	bool own_names;           /* its searches keep entries under names of their own (solver/pds_walkers.h) */
	bool all;           /* each fact is tried with all thresholds, so an entry that no fact leads to is unfounded */
	int threshold;      /* of the job's claim; INT32_MIN: several */
	struct slot *slots; /* owned; open addressing; `room` is a power of two */
	uint64_t room, count;
	bool no_memory;
};

static bool is_free(const struct slot *s)
{
	return !s->id.lo && !s->id.hi;
}

/* Whether the entry is solved on every path, and no fact has led to it. */
static bool is_unmet(const struct sv_entry_table *t, const struct slot *s)
{
	return !is_free(s) && pn_entry_kind(t->game, s->num) == PN_ENTRY_FACT &&
	       !atomic_load_explicit(&s->met, memory_order_relaxed);
}

static struct slot *find_slot(const struct sv_entry_table *t, struct pd_id id)
{
	PD_ASSERT(t->room && t->count < t->room);
	uint64_t i = id.lo & (t->room - 1);
	while (!is_free(&t->slots[i]) && !pd_id_equal(t->slots[i].id, id))
		i = (i + 1) & (t->room - 1);
	return &t->slots[i];
}

static bool grow_slots(struct sv_entry_table *t)
{
	struct sv_entry_table larger = *t;
	larger.room = t->room ? 2 * t->room : ROOM_FIRST;
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (uint64_t i = 0; i < t->room; i++)
		if (!is_free(&t->slots[i]))
			*find_slot(&larger, t->slots[i].id) = t->slots[i];
	free(t->slots);
	*t = larger;
	return true;
}

/* Keeps solved entries, and unsolved ones that replace a solved one. */
static int load_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct sv_entry_table *t = ctx;
	for (size_t i = 0; i < count; i++) {
		struct pn_entry e;
		sv_entry_unpack(&entries[i], &e);
		struct slot fresh = {.id = e.id, .num = {e.num[0], e.num[1]}};
		if (2 * (t->count + 1) > t->room && !grow_slots(t)) {
			t->no_memory = true;
			return PD_E_NO_MEMORY;
		}
		struct slot *slot = find_slot(t, e.id);
		bool there = !is_free(slot);
		if (!there && pn_entry_kind(t->game, fresh.num) == PN_ENTRY_OPEN)
			continue;
		t->count += !there;
		*slot = fresh;
	}
	return PD_OK;
}

int sv_entries_load(struct sv_entries *entries, struct st_store *store, const struct sv_record *job,
		    const struct game *game, struct pd_fail *fail)
{
	const struct pd_claim *claim = &job->spec.claim;
	struct sv_entry_table t = {.job = job->id, .game = game, .ends = job->spec.algorithm == PN_PAPER};
	t.position = job->spec.position;
	t.tables = pn_tables_there(game);
	t.own_names = job->spec.options.dovetail > 0;
	int step = game->value_step, claims = (game->value_max - game->value_min) / step;
	t.all = !claim->value || claims <= CLAIMS_MAX;
	t.threshold = claim->value ? INT32_MIN
				   : game->value_min + (claim->threshold - game->value_min + step - 1) / step * step;
	pd_identity_init(&t.names, st_identity(store));
	int rc = st_tt_each(store, job->id, load_entries, &t, fail);
	if (t.no_memory)
		rc = PD_E_NO_MEMORY;
	struct sv_entry_table *tables =
		rc || !t.count ? NULL : realloc(entries->tables, (entries->count + 1) * sizeof *tables);
	if (tables) {
		entries->tables = tables;
		entries->tables[entries->count++] = t;
		return PD_OK;
	}
	free(t.slots);
	if (!rc && !t.count)
		return PD_OK;
	return rc && rc != PD_E_NO_MEMORY
		       ? rc
		       : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the table of job %u", job->id);
}

void sv_entries_number(struct sv_entries *entries, const struct game *game, uint32_t game_id)
{
	for (unsigned i = 0; i < entries->count; i++)
		if (entries->tables[i].game == game)
			entries->tables[i].game_id = game_id;
}

void sv_entries_fini(struct sv_entries *entries)
{
	for (unsigned i = 0; i < entries->count; i++)
		free(entries->tables[i].slots);
	free(entries->tables);
	*entries = (struct sv_entries){0};
}

struct meeting {
	const struct sv_entry_table *table;
	const struct sv_entry_fact *fact;
	sv_entry_fault *fault;
	void *ctx;
};

/* Compares an entry (PN_ENTRY_FACT) with what is known of its position. */
static void compare_entry(const struct sv_entry_table *t, struct slot *slot, int threshold, const struct pd_fact *fact,
			  sv_entry_fault *fault, void *ctx)
{
	atomic_store_explicit(&slot->met, true, memory_order_relaxed);
	struct pd_reason says = pn_entry_reason(t->game, threshold, slot->num);
	const struct pd_reason *known = pd_fact_find(fact, says.side, says.bound);
	if (!known || known->rank > says.rank)
		fault(ctx, t->job, &says);
}

/* Compares the fact with the entry of its position under this threshold, if there is one. */
static void compare_claims(const struct meeting *m, int threshold)
{
	const struct sv_entry_table *t = m->table;
	struct slot *slot = find_slot(t, pn_entry_id(t->game, &t->names, threshold, m->fact->key, m->fact->size));
	if (!is_free(slot) && pn_entry_kind(t->game, slot->num) == PN_ENTRY_FACT)
		compare_entry(t, slot, threshold, m->fact->fact, m->fault, m->ctx);
}

void sv_entries_meet(const struct sv_entries *entries, const struct sv_entry_fact *fact, sv_entry_fault *fault,
		     void *ctx)
{
	const struct pd_reason *reasons = pd_fact_reasons(fact->fact);
	PD_ASSERT(fact->size >= 1 && fact->size <= GAME_KEY_MAX);
	for (unsigned i = 0; i < entries->count; i++) {
		const struct sv_entry_table *t = &entries->tables[i];
		const struct game *g = t->game;
		const struct meeting m = {t, fact, fault, ctx};
		if (t->game_id != fact->game_id)
			continue;
		if (t->threshold != INT32_MIN)
			compare_claims(&m, t->threshold);
		else if (t->all)
			for (int claim = g->value_min + g->value_step; claim <= g->value_max; claim += g->value_step)
				compare_claims(&m, claim);
		else
			for (uint32_t r = 0; r < fact->fact->count; r++)
				compare_claims(&m, reasons[r].bound + (reasons[r].side == PD_LO ? 0 : g->value_step));
	}
}

/* --- entries that rest on tables ---------------------------------------------------------- */

struct founding {
	struct sv_entry_table *table;
	const void *state; /* the position that is judged */
	struct pd_fact fact;
	sv_entry_wrong *wrong;
	void *ctx;
	uint64_t wanted; /* entries that are left over */
	bool no_memory;
};

static void report_wrong(void *ctx, uint32_t job, const struct pd_reason *says)
{
	const struct founding *f = ctx;
	f->wrong(f->ctx, job, f->table->game, f->state, says);
}

/* Compares an entry that no fact has led to with what the tables say of its position. */
static void found_entry(void *ctx, const void *state, int threshold, struct pd_id id)
{
	struct founding *f = ctx;
	struct sv_entry_table *t = f->table;
	struct slot *slot = find_slot(t, id);
	struct pd_fail fail;
	if (!is_unmet(t, slot) || slot->reached)
		return;
	f->state = state;
	f->fact.count = 0;
	int rc = pn_tables_fact(t->game, state, &f->fact, &fail);
	f->wanted -= f->wanted > 0;
	if (rc > 0)
		compare_entry(t, slot, threshold, &f->fact, report_wrong, f);
	slot->reached = !rc;
	f->no_memory |= rc < 0 && rc != PN_TABLES_DAMAGED; /* what a damaged block had stays unchecked */
}

int sv_entries_follow(const struct sv_entries *entries, unsigned table, struct st_store *store, sv_entry_wrong *wrong,
		      void *ctx, struct pd_fail *fail)
{
	struct sv_entry_table *t = &entries->tables[table];
	const struct game *g = t->game;
	bool several = t->threshold == INT32_MIN;
	struct founding f = {.table = t, .wrong = wrong, .ctx = ctx};
	for (uint64_t i = 0; t->tables && i < t->room; i++)
		f.wanted += is_unmet(t, &t->slots[i]);
	if (!f.wanted)
		return PD_OK;
	const struct sv_entry_walk walk = {
		.store = store,
		.job = t->job,
		.game_id = t->game_id,
		.game = g,
		.names = &t->names,
		.first = several ? g->value_min + g->value_step : t->threshold,
		.last = several ? g->value_max : t->threshold,
		.position = t->position,
		.wanted = &f.wanted,
		.ctx = &f,
		.entry = found_entry,
	};
	pd_fact_init(&f.fact);
	int rc = sv_entry_walk(&walk, fail);
	pd_fact_fini(&f.fact);
	return rc || !f.no_memory ? rc : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a check");
}

struct sv_entry_sum sv_entries_sum(const struct sv_entries *entries, unsigned table)
{
	const struct sv_entry_table *t = &entries->tables[table];
	struct sv_entry_sum sum = {.job = t->job};
	for (uint64_t i = 0; i < t->room; i++) {
		const struct slot *s = &t->slots[i];
		enum pn_entry_kind kind = is_free(s) ? PN_ENTRY_OPEN : pn_entry_kind(t->game, s->num);
		bool fact = kind == PN_ENTRY_FACT, far = fact && t->tables && !s->reached;
		bool untold = kind == PN_ENTRY_PATH || (kind == PN_ENTRY_END && t->ends) ||
			      (fact && (!t->all || t->own_names));
		sum.solved += kind != PN_ENTRY_OPEN;
		if (kind == PN_ENTRY_OPEN || s->met)
			continue;
		sum.untold += untold;
		sum.unreached += !untold && far;
		sum.unfounded += !untold && !far;
	}
	return sum;
}
