#include "tests/lab/model_truth.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "tests/support/storemodel.h"

void truth_game_name(uint32_t name, char *out, size_t size)
{
	snprintf(out, size, "game:%u", (unsigned)name);
}

struct st_tt_entry truth_entry(uint32_t job, uint32_t id, uint32_t version)
{
	struct st_tt_entry e = {{0}};
	struct pd_id identity = pd_id_of(&id, sizeof id, job);
	uint64_t random = version * UINT64_C(1000) + id;
	pd_put_le64(e.bytes, identity.lo);
	pd_put_le64(e.bytes + 8, identity.hi);
	pd_put_le32(e.bytes + 16, (uint32_t)model_random(&random, 1000));
	pd_put_le32(e.bytes + 20, (uint32_t)model_random(&random, 10));
	pd_put_le32(e.bytes + 24, (uint32_t)model_random(&random, UINT32_MAX));
	pd_put_le16(e.bytes + 28, (uint16_t)model_random(&random, 64));
	pd_put_le16(e.bytes + 30, (uint16_t)id); /* how the comparison finds it again */
	return e;
}

void truth_bytes(uint32_t salt, void *out, size_t size)
{
	uint8_t *p = out;
	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)((salt >> i % 4 * 8) + i * 31);
}

size_t truth_event_size(uint32_t number)
{
	return number % 7 == 6 ? ST_EVENT_MAX : number % 5 * 3;
}

void truth_table(struct truth_job *job, uint32_t id, uint32_t version)
{
	job->journal.version[id] = version;
	if (job->snapshotting)
		job->since.version[id] = version;
}

void truth_snapshot_start(struct truth_job *job)
{
	job->snapshotting = true;
	memset(&job->next_snapshot, 0, sizeof job->next_snapshot);
	memset(&job->since, 0, sizeof job->since);
}

void truth_snapshot_end(struct truth_job *job)
{
	job->snapshot = job->next_snapshot;
	job->journal = job->since;
	job->snapshotting = false;
}

void truth_drop(struct truth_job *job)
{
	memset(&job->snapshot, 0, sizeof job->snapshot);
	memset(&job->journal, 0, sizeof job->journal);
	job->snapshotting = false;
	job->question = (struct pd_id){0};
}

static void to_fact(const struct truth_fact *from, struct pd_fact *to)
{
	pd_fact_init(to);
	for (uint32_t i = 0; i < from->count; i++)
		if (!pd_fact_append(to, &from->reason[i]))
			abort();
}

static void from_fact(struct truth_fact *to, struct pd_fact *from)
{
	if (from->count > TRUTH_REASONS)
		abort();
	to->count = from->count;
	memcpy(to->reason, pd_fact_reasons(from), from->count * sizeof *to->reason);
	pd_fact_fini(from);
}

void truth_add(struct truth_fact *fact, const struct pd_reason *reason)
{
	struct pd_fact whole;
	to_fact(fact, &whole);
	if (pd_fact_add(&whole, reason) < 0)
		abort();
	from_fact(fact, &whole);
}

static bool reason_stays(void *ctx, const struct pd_reason *r)
{
	uint64_t random = *(uint64_t *)ctx + r->rank * 31u + r->side + (unsigned)(r->bound + 99) * 1000u;
	return model_random(&random, 3) != 0;
}

void truth_sift(uint32_t salt, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	uint64_t of_key = pd_hash64(key, size) + salt;
	if (of_key % 4 == 0)
		pd_fact_keep(fact, reason_stays, &of_key);
	else if (of_key % 4 == 1)
		fact->count = 0;
}

void truth_rewrite(struct truth *truth, uint32_t salt)
{
	uint8_t key[64];
	for (uint32_t name = 0; name < TRUTH_GAMES; name++)
		for (uint32_t k = 0; k < TRUTH_KEYS; k++) {
			struct pd_fact fact;
			if (!truth->fact[name][k].count)
				continue;
			to_fact(&truth->fact[name][k], &fact);
			truth_sift(salt, key, model_key(k, key), &fact);
			from_fact(&truth->fact[name][k], &fact);
		}
}

void truth_reopened(struct truth *truth)
{
	for (uint32_t j = 1; j <= TRUTH_JOBS; j++)
		truth->job[j].snapshotting = false;
}

uint64_t truth_facts(const struct truth *truth)
{
	uint64_t facts = 0;
	for (uint32_t name = 0; name < TRUTH_GAMES; name++)
		for (uint32_t k = 0; k < TRUTH_KEYS; k++)
			facts += truth->fact[name][k].count > 0;
	return facts;
}

/* --- comparison --------------------------------------------------------------------------- */

struct seen {
	const struct truth *truth;
	uint32_t job, jobs, events;
	uint64_t facts;
	struct st_tt_entry entry[TRUTH_IDS];
	bool present[TRUTH_IDS];
	char problem[256];
};

__attribute__((format(printf, 2, 3))) static int differs(struct seen *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (!s->problem[0])
		vsnprintf(s->problem, sizeof s->problem, format, args);
	va_end(args);
	return 1;
}

static int see_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	static uint8_t expected[ST_JOB_MAX];
	struct seen *s = ctx;
	const struct truth_job *own = job && job <= TRUTH_JOBS ? &s->truth->job[job] : NULL;
	if (!own || !own->put || job <= s->job)
		return differs(s, "jobs: number %u is there, or out of order", (unsigned)job);
	truth_bytes(own->record, expected, own->size);
	if (!record || size != own->size || memcmp(record, expected, size))
		return differs(s, "jobs: the record of job %u differs: %zu bytes for %u", (unsigned)job, size,
			       (unsigned)own->size);
	s->job = job;
	s->jobs++;
	return 0;
}

static int see_event(void *ctx, const void *record, size_t size)
{
	struct seen *s = ctx;
	uint8_t expected[ST_EVENT_MAX];
	truth_bytes(s->events, expected, truth_event_size(s->events));
	if (!record || size != truth_event_size(s->events) || memcmp(record, expected, size))
		return differs(s, "events: number %u of job %u differs", (unsigned)s->events, (unsigned)s->job);
	s->events++;
	return 0;
}

static int see_table(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct seen *s = ctx;
	for (size_t i = 0; i < count; i++) {
		uint32_t id = pd_get_le16(entries[i].bytes + 30);
		if (id >= TRUTH_IDS)
			return differs(s, "table: an entry of job %u that was not written", (unsigned)s->job);
		s->entry[id] = entries[i];
		s->present[id] = true;
	}
	return 0;
}

static void compare_table(struct seen *s, struct st_store *store, uint32_t j)
{
	const struct truth_job *own = &s->truth->job[j];
	struct pd_fail fail = {.text = ""};
	struct pd_id question;
	memset(s->present, 0, sizeof s->present);
	if (st_tt_question(store, j, &question, &fail))
		differs(s, "question: of job %u: %.150s", (unsigned)j, fail.text);
	else if (!pd_id_equal(question, own->question))
		differs(s, "question: of job %u is %llu instead of %llu", (unsigned)j, (unsigned long long)question.lo,
			(unsigned long long)own->question.lo);
	if (st_tt_each(store, j, see_table, s, &fail))
		differs(s, "table: of job %u: %.150s", (unsigned)j, fail.text);
	for (uint32_t id = 0; id < TRUTH_IDS; id++) {
		uint32_t version = own->journal.version[id] ? own->journal.version[id] : own->snapshot.version[id];
		struct st_tt_entry e = truth_entry(j, id, version);
		if (s->present[id] != (version > 0) || (version && memcmp(&e, &s->entry[id], sizeof e)))
			differs(s, "table: entry %u of job %u differs (there: %d, expected: %d)", (unsigned)id,
				(unsigned)j, s->present[id], version > 0);
	}
}

static void compare_jobs(struct seen *s, struct st_store *store)
{
	struct pd_fail fail = {.text = ""};
	uint32_t jobs = 0;
	for (uint32_t j = 1; j <= TRUTH_JOBS; j++)
		jobs += s->truth->job[j].put;
	if (st_job_each(store, see_job, s, &fail))
		differs(s, "jobs: %.200s", fail.text);
	if (s->jobs != jobs)
		differs(s, "jobs: %u instead of %u", (unsigned)s->jobs, (unsigned)jobs);
	for (uint32_t j = 1; j <= s->truth->jobs; j++) {
		s->job = j;
		s->events = 0;
		if (st_event_each(store, j, SIZE_MAX, see_event, s, &fail))
			differs(s, "events: of job %u: %.150s", (unsigned)j, fail.text);
		if (s->events != s->truth->job[j].events)
			differs(s, "events: %u of job %u instead of %u", (unsigned)s->events, (unsigned)j,
				(unsigned)s->truth->job[j].events);
		compare_table(s, store, j);
	}
}

static bool are_same(const struct truth_fact *own, const struct pd_fact *fact)
{
	struct pd_fact expected;
	to_fact(own, &expected);
	bool equal = model_same(&expected, fact);
	pd_fact_fini(&expected);
	return equal;
}

static int see_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct seen *s = ctx;
	uint8_t expected[64];
	s->facts++;
	for (uint32_t name = 0; name < TRUTH_GAMES; name++)
		for (uint32_t k = 0; k < TRUTH_KEYS && s->truth->number[name] == game; k++)
			if (model_key(k, expected) == size && !memcmp(key, expected, size) &&
			    s->truth->fact[name][k].count)
				return are_same(&s->truth->fact[name][k], fact)
					       ? 0
					       : differs(s, "the walk: game %u key %u has %u reasons, %u expected",
							 (unsigned)name, (unsigned)k, (unsigned)fact->count,
							 (unsigned)s->truth->fact[name][k].count);
	return differs(s, "the walk: a fact of game number %u that was not written", (unsigned)game);
}

static void compare_game(struct seen *s, struct st_reader *reader, uint32_t name)
{
	uint8_t key[TRUTH_KEYS][64];
	struct pd_fact fact[TRUTH_KEYS] = {0}, one = {0};
	struct st_wanted wanted[TRUTH_KEYS];
	struct pd_fail fail = {.text = ""};
	uint32_t game = s->truth->number[name];
	for (uint32_t k = 0; k < TRUTH_KEYS; k++)
		wanted[k] = (struct st_wanted){key[k], model_key(k, key[k]), &fact[k], false};
	if (st_fact_get_many(reader, game, wanted, TRUTH_KEYS, &fail))
		differs(s, "many facts: of game %u: %.150s", (unsigned)name, fail.text);
	for (uint32_t k = 0; k < TRUTH_KEYS; k++) {
		const struct truth_fact *own = &s->truth->fact[name][k];
		int rc = st_fact_get(reader, game, key[k], wanted[k].size, &one, &fail);
		if (rc != (own->count > 0) || (rc > 0 && !are_same(own, &one)))
			differs(s, "a fact: game %u key %u: found %d with %u reasons instead of %u", (unsigned)name,
				(unsigned)k, rc, (unsigned)one.count, (unsigned)own->count);
		if (wanted[k].found != (own->count > 0) || (own->count && !are_same(own, &fact[k])))
			differs(s, "many facts: game %u key %u: found %d", (unsigned)name, (unsigned)k,
				wanted[k].found);
		pd_fact_fini(&fact[k]);
		pd_fact_fini(&one);
	}
}

static void compare_facts(struct seen *s, struct st_store *store)
{
	struct st_reader *reader;
	struct pd_fail fail = {.text = ""};
	char name[16];
	if (st_reader_open(store, &reader, &fail)) {
		differs(s, "reader: %.200s", fail.text);
		return;
	}
	for (uint32_t i = 0; i < TRUTH_GAMES; i++) {
		truth_game_name(i, name, sizeof name);
		if (st_game_find(store, name, 7) != s->truth->number[i] || st_game_find(store, name, 8))
			differs(s, "games: %s has number %u instead of %u", name,
				(unsigned)st_game_find(store, name, 7), (unsigned)s->truth->number[i]);
		if (s->truth->number[i])
			compare_game(s, reader, i);
	}
	if (st_fact_each(reader, see_fact, s, &fail))
		differs(s, "the walk: %.200s", fail.text);
	if (s->facts != truth_facts(s->truth))
		differs(s, "the walk: %llu facts instead of %llu", (unsigned long long)s->facts,
			(unsigned long long)truth_facts(s->truth));
	st_reader_close(reader);
}

const char *truth_compare(const struct truth *truth, struct st_store *store)
{
	static char text[256];
	struct seen *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->truth = truth;
	compare_jobs(s, store);
	compare_facts(s, store);
	memcpy(text, s->problem, sizeof text);
	free(s);
	return text[0] ? text : NULL;
}
