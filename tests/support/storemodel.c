#include "tests/support/storemodel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "proto/base/random.h"

struct model *model_new(uint64_t seed)
{
	struct model *m = calloc(1, sizeof *m);
	if (!m)
		abort();
	m->seed = seed;
	return m;
}

void model_free(struct model *model)
{
	for (uint32_t game = 0; model && game <= MODEL_GAMES; game++)
		for (uint32_t k = 0; k < MODEL_KEYS; k++)
			pd_fact_fini(&model->fact[game][k]);
	free(model);
}

void model_copy(struct model *to, const struct model *from)
{
	struct model *own = malloc(sizeof *own); /* keeps the memory of the facts */
	if (!own)
		abort();
	*own = *to;
	*to = *from;
	memcpy(to->fact, own->fact, sizeof to->fact);
	free(own);
	for (uint32_t game = 0; game <= MODEL_GAMES; game++)
		for (uint32_t k = 0; k < MODEL_KEYS; k++)
			if (!pd_fact_copy(&to->fact[game][k], &from->fact[game][k]))
				abort();
}

uint64_t model_random(uint64_t *state, uint64_t n)
{
	return pd_random_next(state) % n;
}

/* Sizes differ, and some keys are prefixes of others. */
size_t model_key(uint32_t k, uint8_t *out)
{
	uint64_t state = k / 2 + 1000;
	size_t size = 4 + model_random(&state, 30) + k % 2;
	pd_put_le32(out, k / 2);
	for (size_t i = 4; i < size; i++)
		out[i] = (uint8_t)(i * 37);
	return size;
}

struct pd_reason model_reason(uint32_t game, uint32_t k, uint64_t *random)
{
	uint64_t state = game * UINT64_C(100000) + k;
	int value = (int)model_random(&state, 7) - 3; /* the true value of the position */
	struct pd_reason r = {.side = (uint8_t)model_random(random, 2)};
	bool wide = k % 32 == 5;
	int slack = (int)model_random(random, wide ? 60 : 4);
	r.bound = (int16_t)(r.side == PD_LO ? value - slack : value + slack);
	r.rank = (uint16_t)(1 +
			    (wide ? 2 * (60 - slack) + (int)model_random(random, 4) : (int)model_random(random, 300)));
	r.move = model_random(random, 3) ? (uint16_t)model_random(random, 500) : PD_NO_MOVE;
	r.effort = model_random(random, 2) ? (uint32_t)model_random(random, 1 << 20) : 0;
	r.job = 1 + (uint32_t)model_random(random, MODEL_JOBS);
	return r;
}

static struct st_tt_entry table_entry(uint32_t job, uint32_t id, uint64_t *random)
{
	struct st_tt_entry e = {{0}};
	struct pd_id identity = pd_id_of(&id, sizeof id, job);
	pd_put_le64(e.bytes, identity.lo);
	pd_put_le64(e.bytes + 8, identity.hi);
	pd_put_le32(e.bytes + 16, (uint32_t)model_random(random, 1000));
	pd_put_le32(e.bytes + 20, (uint32_t)model_random(random, 10));
	pd_put_le32(e.bytes + 24, (uint32_t)model_random(random, UINT32_MAX));
	pd_put_le16(e.bytes + 28, (uint16_t)model_random(random, 64));
	pd_put_le16(e.bytes + 30, (uint16_t)id); /* identifies it in the comparison */
	return e;
}

static void set_entry(struct model_job *job, uint32_t id, const struct st_tt_entry *e)
{
	job->present[id] = true;
	job->entry[id] = *e;
	job->captured[id] = true;
}

static int add_entries(struct model *m, uint32_t j, uint64_t *random, struct st_batch *batch, struct pd_fail *fail)
{
	struct st_tt_entry e[400];
	uint32_t n = 1 + (uint32_t)model_random(random, model_random(random, 4) ? 20 : 400);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = (uint32_t)model_random(random, MODEL_IDS);
		e[i] = table_entry(j, id, random);
		set_entry(&m->job[j], id, &e[i]);
	}
	return batch ? st_batch_tt(batch, j, e, n, fail) : 0;
}

/* Writes a snapshot of the model's table between two journal entries, sometimes only its beginning. */
static int write_snapshot(struct model *m, uint32_t j, uint64_t *random, struct st_batch *batch, struct pd_fail *fail)
{
	struct model_job *job = &m->job[j];
	int rc = 0;
	if (!job->snapshotting) {
		job->snapshotting = true;
		memset(job->captured, 0, sizeof job->captured);
		return batch ? st_batch_snapshot_start(batch, j, fail) : 0;
	}
	if (model_random(random, 5) == 0) { /* give up and begin again */
		memset(job->captured, 0, sizeof job->captured);
		return batch ? st_batch_snapshot_start(batch, j, fail) : 0;
	}
	/* Leaves out some entries, as if the solver's table had lost them. */
	for (uint32_t id = 0; id < MODEL_IDS && !rc; id++) {
		if (!job->present[id] || model_random(random, 10) == 0)
			continue;
		rc = batch ? st_batch_snapshot_put(batch, j, &job->entry[id], 1, fail) : 0;
		job->captured[id] = true;
	}
	if (!rc && batch)
		rc = st_batch_snapshot_end(batch, j, fail);
	for (uint32_t id = 0; id < MODEL_IDS; id++)
		job->present[id] = job->present[id] && job->captured[id];
	job->snapshotting = false;
	return rc;
}

static int add_facts(struct model *m, uint64_t *random, struct st_batch *batch, struct pd_fail *fail)
{
	uint32_t n = (uint32_t)model_random(random, 200);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t key[64];
		uint32_t game = 1 + (uint32_t)model_random(random, MODEL_GAMES),
			 k = (uint32_t)model_random(random, MODEL_KEYS);
		struct pd_reason r = model_reason(game, k, random);
		struct pd_fact *fact = &m->fact[game][k];
		m->facts += !fact->count;
		pd_fact_add(fact, &r);
		size_t size = model_key(k, key);
		int rc = batch ? st_batch_fact(batch, game, key, size, &r, fail) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

static int change_job(struct model *m, uint32_t j, uint64_t *random, struct st_batch *batch, struct pd_fail *fail)
{
	struct model_job *job = &m->job[j];
	int rc = add_entries(m, j, random, batch, fail);
	if (!rc && model_random(random, 3) == 0)
		rc = write_snapshot(m, j, random, batch, fail);
	if (!rc && model_random(random, 3) == 0)
		rc = add_entries(m, j, random, batch, fail);
	if (!rc && j > 1 && model_random(random, 25) == 0) {
		rc = batch ? st_batch_tt_drop(batch, j, fail) : 0;
		memset(job->present, 0, sizeof job->present);
		job->snapshotting = false;
	}
	if (!rc && model_random(random, 2) == 0) {
		rc = batch ? st_batch_event(batch, j, &job->events, sizeof job->events, fail) : 0;
		job->events++;
	}
	return rc;
}

/* Creates all jobs and games, in the first batch. */
static int make_numbers(struct st_batch *batch, struct pd_fail *fail)
{
	for (uint32_t i = 1; i <= MODEL_JOBS; i++) {
		uint32_t job;
		int rc = st_batch_job_new(batch, &job, fail);
		if (rc)
			return rc;
		if (job != i)
			abort();
	}
	for (uint32_t i = 1; i <= MODEL_GAMES; i++) {
		uint32_t game;
		char name[16];
		snprintf(name, sizeof name, "game:%u", (unsigned)i);
		int rc = st_batch_game(batch, name, 7, &game, fail);
		if (rc)
			return rc;
		if (game != i)
			abort();
	}
	return 0;
}

int model_batch(struct model *model, struct st_batch *batch, struct pd_fail *fail)
{
	uint64_t number = model->batches + 1, random = model->seed * 1000003 + number;
	int rc = number == 1 && batch ? make_numbers(batch, fail) : 0;
	uint32_t jobs = 1 + (uint32_t)model_random(&random, MODEL_JOBS);
	for (uint32_t i = 0; i < jobs && !rc; i++) {
		uint32_t j = 1 + (uint32_t)model_random(&random, MODEL_JOBS);
		rc = change_job(model, j, &random, batch, fail);
		if (!rc && batch)
			rc = st_batch_job_put(batch, j, &number, sizeof number, fail);
		model->job[j].record = number;
	}
	if (!rc)
		rc = add_facts(model, &random, batch, fail);
	if (!rc && batch)
		rc = st_batch_job_put(batch, 1, &number, sizeof number, fail);
	model->job[1].record = number;
	model->batches = number;
	return rc;
}

void model_reopened(struct model *model)
{
	for (uint32_t j = 1; j <= MODEL_JOBS; j++)
		model->job[j].snapshotting = false;
}

bool model_same(const struct pd_fact *a, const struct pd_fact *b)
{
	bool same = a->count == b->count;
	for (unsigned i = 0; same && i < a->count; i++) {
		const struct pd_reason *x = &pd_fact_reasons(a)[i], *y = &pd_fact_reasons(b)[i];
		same = x->bound == y->bound && x->side == y->side && x->rank == y->rank && x->move == y->move &&
		       x->effort == y->effort && x->job == y->job && x->dominated == y->dominated;
	}
	return same;
}

/* --- comparison --------------------------------------------------------------------------- */

struct seen {
	const struct model *model;
	uint32_t job;
	uint64_t record[MODEL_JOBS + 1];
	struct model_job *table;
	uint32_t events;
	uint64_t facts;
	uint8_t last[64];
	size_t last_size;
	uint32_t last_game;
	char problem[256];
};

static int see_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct seen *s = ctx;
	if (job < 1 || job > MODEL_JOBS || size != 8)
		snprintf(s->problem, sizeof s->problem, "job %u with %zu bytes", (unsigned)job, size);
	else
		memcpy(&s->record[job], record, 8);
	return s->problem[0] != 0;
}

uint64_t model_batches_of(struct st_store *store)
{
	struct seen s = {0};
	struct pd_fail fail;
	if (st_job_each(store, see_job, &s, &fail))
		abort();
	return s.record[1];
}

static int see_event(void *ctx, const void *record, size_t size)
{
	struct seen *s = ctx;
	uint32_t n;
	memcpy(&n, record, size < sizeof n ? size : sizeof n);
	if (size != sizeof n || n != s->events)
		snprintf(s->problem, sizeof s->problem, "job %u: event %u where %u belongs", (unsigned)s->job,
			 (unsigned)n, (unsigned)s->events);
	s->events++;
	return s->problem[0] != 0;
}

static int see_table(void *ctx, const struct st_tt_entry *e, size_t count)
{
	struct seen *s = ctx;
	for (size_t i = 0; i < count; i++) {
		uint32_t id = pd_get_le16(e[i].bytes + 30);
		if (id < MODEL_IDS)
			set_entry(s->table, id, &e[i]);
	}
	return 0;
}

static int see_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct seen *s = ctx;
	uint8_t expected[64];
	uint32_t k = size >= 4 ? 2 * pd_get_le32(key) : 0;
	if (k < MODEL_KEYS && model_key(k, expected) != size)
		k++;
	if (game > MODEL_GAMES || k >= MODEL_KEYS || model_key(k, expected) != size || memcmp(expected, key, size) ||
	    !model_same(fact, &s->model->fact[game][k])) {
		snprintf(s->problem, sizeof s->problem, "the walk: game %u key %u with %u reasons", (unsigned)game,
			 (unsigned)k, fact->count);
		return 1;
	}
	int order = s->last_size ? memcmp(s->last, key, size < s->last_size ? size : s->last_size) : -1;
	if (game < s->last_game || (game == s->last_game && (order > 0 || (!order && size <= s->last_size)))) {
		snprintf(s->problem, sizeof s->problem, "the walk is out of order at game %u key %u", (unsigned)game,
			 (unsigned)k);
		return 1;
	}
	memcpy(s->last, key, size);
	s->last_size = size;
	s->last_game = game;
	s->facts++;
	return 0;
}

static void compare_job(struct seen *s, struct st_store *store, uint32_t j)
{
	const struct model_job *job = &s->model->job[j];
	struct pd_fail fail = {.text = ""};
	s->job = j;
	s->events = 0;
	memset(s->table, 0, sizeof *s->table);
	if (s->record[j] != job->record)
		snprintf(s->problem, sizeof s->problem, "job %u: record of batch %llu instead of %llu", (unsigned)j,
			 (unsigned long long)s->record[j], (unsigned long long)job->record);
	else if (st_event_each(store, j, SIZE_MAX, see_event, s, &fail) || s->events != job->events)
		snprintf(s->problem, sizeof s->problem, "job %u: %u events instead of %u %.60s", (unsigned)j,
			 (unsigned)s->events, (unsigned)job->events, fail.text);
	else if (st_tt_each(store, j, see_table, s, &fail))
		snprintf(s->problem, sizeof s->problem, "job %u: %.200s", (unsigned)j, fail.text);
	for (uint32_t id = 0; id < MODEL_IDS && !s->problem[0]; id++)
		if (s->table->present[id] != job->present[id] ||
		    (job->present[id] && memcmp(&s->table->entry[id], &job->entry[id], sizeof job->entry[id])))
			snprintf(s->problem, sizeof s->problem, "job %u: entry %u differs (there: %d, expected: %d)",
				 (unsigned)j, (unsigned)id, s->table->present[id], job->present[id]);
}

/* Looks up all keys of a game at once, and keys that cannot be among them. */
static void compare_many(struct seen *s, struct st_reader *reader, uint32_t game)
{
	static uint8_t keys[MODEL_KEYS][64], zeros[ST_KEY_MAX + 1];
	static struct pd_fact facts[MODEL_KEYS + 2];
	struct st_wanted wanted[MODEL_KEYS + 2] = {{zeros, 0, &facts[MODEL_KEYS], true},
						   {zeros, sizeof zeros, &facts[MODEL_KEYS + 1], true}};
	struct pd_fail fail = {.text = ""};
	for (uint32_t k = 0; k < MODEL_KEYS; k++)
		wanted[k + 2] = (struct st_wanted){keys[k], model_key(k, keys[k]), &facts[k], false};
	if (st_fact_get_many(reader, game, wanted, MODEL_KEYS + 2, &fail))
		snprintf(s->problem, sizeof s->problem, "game %u, all keys: %.200s", (unsigned)game, fail.text);
	if (wanted[0].found || wanted[1].found)
		snprintf(s->problem, sizeof s->problem, "game %u: a key that is none was found", (unsigned)game);
	for (uint32_t k = 0; k < MODEL_KEYS + 2; k++) {
		if (k >= MODEL_KEYS || s->problem[0]) {
			pd_fact_fini(&facts[k]);
			continue;
		}
		const struct pd_fact *want = &s->model->fact[game][k];
		bool found = wanted[k + 2].found;
		if (found != (want->count > 0) || (found && !model_same(&facts[k], want)))
			snprintf(s->problem, sizeof s->problem, "game %u, many at once, key %u: found %d",
				 (unsigned)game, (unsigned)k, found);
		pd_fact_fini(&facts[k]);
	}
}

static void compare_facts(struct seen *s, struct st_store *store, uint32_t stride)
{
	struct st_reader *reader;
	struct pd_fail fail = {.text = ""};
	if (st_reader_open(store, &reader, &fail)) {
		snprintf(s->problem, sizeof s->problem, "no reader: %.200s", fail.text);
		return;
	}
	for (uint32_t g = 1; g <= MODEL_GAMES; g++) {
		for (uint32_t k = 0; k < MODEL_KEYS && !s->problem[0]; k += stride) {
			uint8_t key[64];
			struct pd_fact fact = {0};
			int rc = st_fact_get(reader, g, key, model_key(k, key), &fact, &fail);
			if (rc != (s->model->fact[g][k].count > 0) || !model_same(&fact, &s->model->fact[g][k]))
				snprintf(s->problem, sizeof s->problem,
					 "game %u key %u: found %d, %u reasons instead of %u", (unsigned)g, (unsigned)k,
					 rc, fact.count, s->model->fact[g][k].count);
			pd_fact_fini(&fact);
		}
		if (!s->problem[0] && stride == 1)
			compare_many(s, reader, g);
	}
	if (!s->problem[0] && st_fact_each(reader, see_fact, s, &fail) && !s->problem[0])
		snprintf(s->problem, sizeof s->problem, "the walk: %.200s", fail.text);
	if (!s->problem[0] && s->facts != s->model->facts)
		snprintf(s->problem, sizeof s->problem, "the walk: %llu facts instead of %llu",
			 (unsigned long long)s->facts, (unsigned long long)s->model->facts);
	st_reader_close(reader);
}

const char *model_compare_some(const struct model *model, struct st_store *store, uint32_t stride)
{
	static char text[256];
	struct seen s = {.model = model, .table = calloc(1, sizeof *s.table)};
	struct pd_fail fail = {.text = ""};
	if (!s.table)
		abort();
	if (st_job_each(store, see_job, &s, &fail) && !s.problem[0])
		snprintf(s.problem, sizeof s.problem, "jobs: %.200s", fail.text);
	for (uint32_t j = 1; j <= MODEL_JOBS && !s.problem[0]; j++)
		compare_job(&s, store, j);
	if (!s.problem[0])
		compare_facts(&s, store, stride);
	free(s.table);
	memcpy(text, s.problem, sizeof text);
	return text[0] ? text : NULL;
}

const char *model_compare(const struct model *model, struct st_store *store)
{
	return model_compare_some(model, store, 1);
}
