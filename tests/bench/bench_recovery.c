/* Data directories as large as those of weeks of work, made by the store's own calls, and what it costs to read them.
 * tests/bench/recovery.py and backup.py use it.
 *
 *   bench recovery table DIR MEMORY ENTRIES RECORDS   a new directory with a job that runs (connect4:7x6, its memory in
 *                                                     megabytes): a snapshot of its table with that many entries (0: as
 *                                                     many as there is room for) and a journal of that many records,
 *                                                     half of them for positions of the snapshot
 *   bench recovery facts DIR FACTS                    adds facts, and merges them
 *   bench recovery probe DIR FACTS                    opens it and looks some of these facts up
 *
 * Table entries have numbers of the usual sizes and identities that no position has, so the job searches on with a full
 * table, and is none the wiser. Facts have random keys of 12 bytes. Prints a JSON object. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/doc.h"
#include "server/common/config.h"
#include "server/jobs/model/tt_entry.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/program.h"
#include "tests/support/storemodel.h"

enum { SHARE = 4096, BATCH = 256 /* shares of a transaction */, FACTS_BATCH = 20000, JOB = 1 };

static void is_ok(int rc, const struct pd_fail *fail)
{
	if (rc) {
		fprintf(stderr, "bench recovery: %s\n", fail->text);
		exit(2);
	}
}

static uint64_t parse_number(const char *text)
{
	return strtoull(text, NULL, 10);
}

/* --- a job and its table ------------------------------------------------------------------ */

/* A job that was running when its server ended. Returns for how many entries its table has room. */
static uint64_t make_job(const char *dir, unsigned megabytes)
{
	struct insession s;
	struct sv_config config;
	char params[128], state[16];
	bool good;
	pr_ref result;
	uint64_t capacity = 0;
	sv_config_init(&config);
	config.data = dir;
	config.threads = 1;
	config.checkpoint_s = 0.1;
	insession_open_as(&s, &config);
	snprintf(params, sizeof params, "\"game\":\"connect4:7x6\",\"memory\":\"%uM\"", megabytes);
	pr_doc_free(insession_call(&s, "job.submit", params, &good, &result));
	if (!good)
		exit(2);
	do
		insession_state(&s, JOB, state);
	while (strcmp(state, "running"));
	while (!capacity) { /* until it has begun */
		struct pr_doc *doc = insession_call(&s, "job.get", "\"job\":1", &good, &result);
		if (pr_get_int(result, "entries", 0))
			capacity = (uint64_t)pr_get_int(result, "capacity", 0);
		pr_doc_free(doc);
	}
	insession_close(&s); /* writes a checkpoint */
	return capacity;
}

/* Entries of one kind, number after number: of the snapshot, whose identities go up as in a table that is written slot
 * by slot; or of the journal, in which every other is for an identity of the snapshot. */
struct source {
	uint64_t next, count, snapshot; /* entries of the snapshot */
	bool journal;
	uint64_t random;
};

static struct pd_id identity(const struct source *s, uint64_t n)
{
	uint64_t step = UINT64_MAX / s->snapshot;
	struct pd_id id = pd_id_of(&n, sizeof n, 0);
	return n < s->snapshot ? (struct pd_id){n * step + id.lo % step, id.hi | 1} : id;
}

static unsigned fill_entries(struct source *s, struct st_tt_entry *out)
{
	unsigned made = 0;
	for (; made < SHARE && s->next < s->count; made++, s->next++) {
		uint64_t n = !s->journal   ? s->next
			     : s->next % 2 ? model_random(&s->random, s->snapshot)
					   : s->snapshot + s->next;
		struct pn_entry e = {.id = identity(s, n),
				     .num = {1 + (uint32_t)model_random(&s->random, 2000),
					     1 + (uint32_t)model_random(&s->random, 200)},
				     .work = 1 + (uint32_t)model_random(&s->random, 100000),
				     .move = (uint16_t)model_random(&s->random, 7),
				     .depth = (uint16_t)model_random(&s->random, 40)};
		sv_entry_pack(&e, &out[made]);
	}
	return made;
}

static void put_all(struct st_store *store, struct source *s)
{
	static struct st_tt_entry entries[SHARE];
	struct st_batch *batch = NULL;
	struct pd_fail fail;
	struct pd_id question;
	unsigned made, shares = 0;
	is_ok(st_tt_question(store, JOB, &question, &fail), &fail);
	while ((made = fill_entries(s, entries)) > 0) {
		if (!batch) {
			is_ok(st_batch_begin(store, &batch, &fail), &fail);
			is_ok(st_batch_tt_question(batch, JOB, question, &fail), &fail);
			if (!s->journal && s->next <= SHARE)
				is_ok(st_batch_snapshot_start(batch, JOB, &fail), &fail);
		}
		is_ok(s->journal ? st_batch_tt(batch, JOB, entries, made, &fail)
				 : st_batch_snapshot_put(batch, JOB, entries, made, &fail),
		      &fail);
		if (!s->journal && s->next == s->count)
			is_ok(st_batch_snapshot_end(batch, JOB, &fail), &fail);
		if (++shares % BATCH == 0 || s->next == s->count) {
			is_ok(st_batch_commit(batch, &fail), &fail);
			batch = NULL;
		}
	}
}

static void settle_store(struct st_store *store)
{
	struct pd_fail fail;
	int more;
	while ((more = st_facts_maintain(store, true, &fail)) > 0)
		continue;
	is_ok(more < 0, &fail);
}

static int table(char **argv)
{
	uint64_t capacity = make_job(argv[2], (unsigned)parse_number(argv[3])), entries = parse_number(argv[4]);
	uint64_t records = parse_number(argv[5]);
	struct st_store *store;
	struct pd_fail fail;
	struct st_stats stats;
	if (!entries && capacity > records)
		entries = capacity - records / 2 - capacity / 100;
	if (!entries) {
		fprintf(stderr, "bench recovery: there is room for %" PRIu64 " entries only\n", capacity);
		return 2;
	}
	struct source snapshot = {.count = entries, .snapshot = entries, .random = 1};
	struct source journal = {.count = records, .snapshot = entries, .journal = true, .random = 2};
	is_ok(st_open(argv[2], 0, &store, &fail), &fail);
	put_all(store, &snapshot);
	put_all(store, &journal);
	settle_store(store);
	st_stats(store, &stats);
	printf("{\"capacity\": %" PRIu64 ", \"entries\": %" PRIu64 ", \"records\": %" PRIu64
	       ", \"work_bytes\": %" PRIu64 ", \"table_bytes\": %" PRIu64 "}\n",
	       capacity, entries, records, stats.work_bytes, st_tt_bytes(store, JOB));
	st_close(store);
	return 0;
}

/* --- facts -------------------------------------------------------------------------------- */

static size_t fact_key(uint64_t n, uint8_t *key)
{
	pd_put_le64(key, n * UINT64_C(0x9e3779b97f4a7c15));
	pd_put_le32(key + 8, (uint32_t)n);
	return 12;
}

static int add_facts(char **argv)
{
	uint64_t total = parse_number(argv[3]);
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	struct st_stats stats;
	uint32_t game;
	is_ok(st_open(argv[2], 0, &store, &fail), &fail);
	for (uint64_t n = 0; n < total; n += FACTS_BATCH) {
		is_ok(st_batch_begin(store, &batch, &fail), &fail);
		is_ok(st_batch_game(batch, "g", 1, &game, &fail), &fail);
		for (uint64_t k = n; k < n + FACTS_BATCH && k < total; k++) {
			uint8_t key[16];
			struct pd_reason r = {.side = k % 2,
					      .bound = 1,
					      .rank = (uint16_t)(1 + k % 60),
					      .move = k % 40,
					      .job = 1,
					      .effort = k % 9000};
			is_ok(st_batch_fact(batch, game, key, fact_key(k, key), &r, &fail), &fail);
		}
		is_ok(st_batch_commit(batch, &fail), &fail);
		is_ok(st_facts_maintain(store, false, &fail) < 0, &fail);
	}
	settle_store(store);
	st_stats(store, &stats);
	printf("{\"facts\": %" PRIu64 ", \"facts_bytes\": %" PRIu64 ", \"runs\": %" PRIu64 "}\n", stats.facts,
	       stats.facts_bytes, stats.runs);
	st_close(store);
	return 0;
}

/* Microseconds a look-up: of facts that are there, or of others. */
static double probes(struct st_store *store, uint32_t game, uint64_t total, uint64_t count, bool there)
{
	struct st_reader *reader;
	struct pd_fail fail;
	struct pd_fact fact = {0};
	uint64_t random = 3 + there, found = 0;
	is_ok(st_reader_open(store, &reader, &fail), &fail);
	uint64_t begin = pd_now_ns();
	for (uint64_t i = 0; i < count; i++) {
		uint8_t key[16];
		size_t size = fact_key(model_random(&random, total) + (there ? 0 : 2 * total), key);
		found += st_fact_get(reader, game, key, size, &fact, &fail) == 1;
	}
	double us = (double)(pd_now_ns() - begin) / 1e3 / (double)count;
	if (found != (there ? count : 0)) {
		fprintf(stderr, "bench recovery: %" PRIu64 " of %" PRIu64 " facts were found\n", found, count);
		exit(1);
	}
	pd_fact_fini(&fact);
	st_reader_close(reader);
	return us;
}

static int probe(char **argv)
{
	enum { PROBES = 1000000 };
	uint64_t total = parse_number(argv[3]), begin = pd_now_ns();
	struct st_store *store;
	struct pd_fail fail;
	struct st_stats stats;
	is_ok(st_open(argv[2], 0, &store, &fail), &fail);
	double open_ms = (double)(pd_now_ns() - begin) / 1e6;
	uint32_t game = st_game_find(store, "g", 1);
	double first = probes(store, game, total, 10000, true);
	probes(store, game, total, 2 * PROBES, true); /* brings the pages into this process */
	double hit = probes(store, game, total, PROBES, true), miss = probes(store, game, total, PROBES, false);
	st_stats(store, &stats);
	printf("{\"open_ms\": %.2f, \"first_us\": %.2f, \"hit_us\": %.2f, \"miss_us\": %.2f, \"facts\": %" PRIu64
	       ", \"runs\": %" PRIu64 ", \"facts_bytes\": %" PRIu64 ", \"bytes_a_fact\": %.1f}\n",
	       open_ms, first, hit, miss, stats.facts, stats.runs, stats.facts_bytes,
	       (double)stats.facts_bytes / (double)stats.facts);
	st_close(store);
	return 0;
}

PROGRAM(recovery)
{
	if (argc == 6 && !strcmp(argv[1], "table"))
		return table(argv);
	if (argc == 4 && !strcmp(argv[1], "facts"))
		return add_facts(argv);
	if (argc == 4 && !strcmp(argv[1], "probe"))
		return probe(argv);
	fprintf(stderr, "usage: bench recovery table DIR MEMORY ENTRIES RECORDS | facts DIR FACTS | probe DIR FACTS\n");
	return 2;
}
