/* Bench: what the store costs. Prints a table.
 *
 * Bytes written are the pages that a commit writes, counted from the block device of the directory
 * (/sys/dev/block/MAJ:MIN/stat, all processes: run it on a quiet machine) and, next to it, the sizes of the files. The
 * counters of a process over-count several times here. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "store/store.h"
#include "tests/support/program.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"

static void is_ok(int rc, const struct pd_fail *fail)
{
	if (rc) {
		fprintf(stderr, "failed: %d %s\n", rc, fail->text);
		exit(1);
	}
}

/* Bytes written to the device since it was started; 0 when it cannot be told. */
static uint64_t device_bytes(const char *dir)
{
	struct stat st;
	char path[100];
	unsigned long long f[7] = {0};
	sync();
	if (stat(dir, &st))
		return 0;
	snprintf(path, sizeof path, "/sys/dev/block/%u:%u/stat", major(st.st_dev), minor(st.st_dev));
	FILE *in = fopen(path, "r");
	if (!in)
		return 0;
	int n = fscanf(in, "%llu %llu %llu %llu %llu %llu %llu", &f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6]);
	fclose(in);
	return n == 7 ? f[6] * 512 : 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static uint64_t find_percentile(uint64_t *ns, size_t count, unsigned percent)
{
	qsort(ns, count, sizeof *ns, by_value);
	return ns[(count - 1) * percent / 100];
}

static void sizes(struct st_store *store, const char *when)
{
	struct st_stats s;
	st_stats(store, &s);
	printf("  %-44s work %6.1f MB, facts %6.1f MB, %" PRIu64 " runs, %" PRIu64 " in the memtable\n", when,
	       (double)s.work_bytes / 1e6, (double)s.facts_bytes / 1e6, s.runs, s.memtable);
}

/* An entry as level 1 makes them: numbers of a few bytes. */
static struct st_tt_entry entry(uint64_t n, uint64_t *random)
{
	struct st_tt_entry e = {{0}};
	struct pd_id id = pd_id_of(&n, sizeof n, 0);
	pd_put_le64(e.bytes, id.lo);
	pd_put_le64(e.bytes + 8, id.hi);
	pd_put_le32(e.bytes + 16, 1 + (uint32_t)model_random(random, 2000));
	pd_put_le32(e.bytes + 20, 1 + (uint32_t)model_random(random, 200));
	pd_put_le32(e.bytes + 24, 1 + (uint32_t)model_random(random, 100000));
	pd_put_le16(e.bytes + 28, (uint16_t)model_random(random, 40));
	pd_put_le16(e.bytes + 30, (uint16_t)model_random(random, 40));
	return e;
}

static void maintain_store(struct st_store *store, bool idle, bool all, uint64_t *longest)
{
	struct pd_fail fail;
	int rc = 1;
	while (rc == 1) {
		uint64_t start = pd_now_ns();
		rc = st_facts_maintain(store, idle, &fail);
		uint64_t took = pd_now_ns() - start;
		if (took > *longest)
			*longest = took;
		is_ok(rc < 0, &fail);
		if (!all)
			return;
	}
}

enum { ENTRIES = 10000, BATCHES = 200 };

/* Checkpoints of 10,000 table entries; a rolling snapshot as well when `snapshot`. */
static void journal(const char *dir, bool snapshot)
{
	static struct st_tt_entry e[ENTRIES];
	static uint64_t ns[BATCHES];
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	uint32_t job;
	uint64_t random = 1, longest = 0;
	is_ok(st_open(dir, 0, &store, &fail), &fail);
	is_ok(st_batch_begin(store, &batch, &fail), &fail);
	is_ok(st_batch_job_new(batch, &job, &fail), &fail);
	is_ok(st_batch_job_put(batch, job, "", 0, &fail), &fail);
	is_ok(st_batch_commit(batch, &fail), &fail);
	uint64_t before = device_bytes(dir), start = pd_now_ns();
	for (unsigned i = 0; i < BATCHES; i++) {
		for (unsigned k = 0; k < ENTRIES; k++)
			e[k] = entry((uint64_t)i * ENTRIES + k, &random);
		uint64_t t = pd_now_ns();
		is_ok(st_batch_begin(store, &batch, &fail), &fail);
		is_ok(st_batch_tt(batch, job, e, ENTRIES, &fail), &fail);
		if (snapshot && i % 20 == 0)
			is_ok(st_batch_snapshot_start(batch, job, &fail), &fail);
		if (snapshot)
			is_ok(st_batch_snapshot_put(batch, job, e, ENTRIES, &fail), &fail);
		if (snapshot && i % 20 == 19)
			is_ok(st_batch_snapshot_end(batch, job, &fail), &fail);
		is_ok(st_batch_job_put(batch, job, e, 1000, &fail), &fail);
		is_ok(st_batch_event(batch, job, e, 100, &fail), &fail);
		is_ok(st_batch_commit(batch, &fail), &fail);
		ns[i] = pd_now_ns() - t;
		maintain_store(store, false, false, &longest);
	}
	double seconds = (double)(pd_now_ns() - start) / 1e9, written = (double)(device_bytes(dir) - before);
	printf("%s\n",
	       snapshot ? "journal and snapshot, 10,000 entries each a commit" : "journal, 10,000 entries a commit");
	printf("  %-44s %.1f bytes written to the device an entry\n", "",
	       written / BATCHES / ENTRIES / (snapshot ? 2 : 1));
	printf("  %-44s %.0f commits/s, p50 %.2f ms, p99 %.2f ms\n", "", BATCHES / seconds,
	       (double)find_percentile(ns, BATCHES, 50) / 1e6, (double)find_percentile(ns, BATCHES, 99) / 1e6);
	sizes(store, "");
	st_close(store);
}

static size_t fact_key(uint64_t n, uint8_t *key)
{
	uint64_t mixed = n * UINT64_C(0x9e3779b97f4a7c15);
	pd_put_le64(key, mixed);
	pd_put_le32(key + 8, (uint32_t)n);
	return 12;
}

/* Readers ask without pause while the writer works; how long does an answer take? */
struct asking {
	struct st_store *store;
	atomic_bool stop;
	atomic_ullong known;
	uint64_t asked, over_100us, over_1ms, longest;
};

static void *ask_facts(void *arg)
{
	struct asking *a = arg;
	struct st_reader *reader;
	struct pd_fail fail;
	uint64_t random = 9;
	is_ok(st_reader_open(a->store, &reader, &fail), &fail);
	while (!atomic_load(&a->stop)) {
		uint8_t key[16];
		struct pd_fact fact = {0};
		uint64_t known = atomic_load(&a->known), t = pd_now_ns();
		size_t size = fact_key(known ? model_random(&random, known) : 0, key);
		if (st_fact_get(reader, 1, key, size, &fact, &fail) != (known > 0) && known)
			abort();
		t = pd_now_ns() - t;
		a->asked++;
		a->over_100us += t > 100000;
		a->over_1ms += t > 1000000;
		if (t > a->longest)
			a->longest = t;
	}
	st_reader_close(reader);
	return NULL;
}

static void probe(struct st_store *store, uint64_t facts, const char *where)
{
	enum { PROBES = 500000 };
	struct st_reader *reader;
	struct pd_fail fail;
	uint64_t random = 3, found[2] = {0}, ns[2];
	is_ok(st_reader_open(store, &reader, &fail), &fail);
	for (unsigned miss = 0; miss < 2; miss++) {
		uint64_t start = pd_now_ns();
		for (unsigned i = 0; i < PROBES; i++) {
			uint8_t key[16];
			struct pd_fact fact = {0};
			size_t size = fact_key(model_random(&random, facts) + miss * 2 * facts, key);
			found[miss] += st_fact_get(reader, 1, key, size, &fact, &fail) == 1;
		}
		ns[miss] = (pd_now_ns() - start) / PROBES;
	}
	if (found[0] != PROBES || found[1])
		abort();
	printf("  %-44s hit %" PRIu64 " ns, miss %" PRIu64 " ns\n", where, ns[0], ns[1]);
	st_reader_close(reader);
}

static void facts(const char *dir, uint64_t total, bool reading)
{
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	struct asking asking = {.stop = false};
	pthread_t thread;
	uint32_t game;
	uint64_t longest = 0, spent = 0, *ns = calloc(total / ENTRIES + 1, sizeof *ns);
	is_ok(st_open(dir, 0, &store, &fail), &fail);
	asking.store = store;
	if (reading)
		pthread_create(&thread, NULL, ask_facts, &asking);
	uint64_t before = device_bytes(dir);
	for (uint64_t n = 0; n < total; n += ENTRIES) {
		uint64_t t = pd_now_ns();
		is_ok(st_batch_begin(store, &batch, &fail), &fail);
		is_ok(st_batch_game(batch, "g", 1, &game, &fail), &fail);
		for (uint64_t k = n; k < n + ENTRIES; k++) {
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
		ns[n / ENTRIES] = pd_now_ns() - t;
		spent += ns[n / ENTRIES];
		atomic_store(&asking.known, n + ENTRIES);
		maintain_store(store, false, false, &longest);
	}
	atomic_store(&asking.stop, true);
	if (reading)
		pthread_join(thread, NULL);
	printf("facts, %.1f million, 10,000 a commit%s\n", (double)total / 1e6, reading ? ", with one reader" : "");
	printf("  %-44s %.0f facts/s, batch p50 %.2f ms, p99 %.2f ms\n", "", (double)total * 1e9 / (double)spent,
	       (double)find_percentile(ns, total / ENTRIES, 50) / 1e6,
	       (double)find_percentile(ns, total / ENTRIES, 99) / 1e6);
	if (reading)
		printf("  %-44s %" PRIu64 " answers, over 0.1 ms %.4f%%, over 1 ms %.5f%%, longest %.2f ms\n", "",
		       asking.asked, 100.0 * (double)asking.over_100us / (double)asking.asked,
		       100.0 * (double)asking.over_1ms / (double)asking.asked, (double)asking.longest / 1e6);
	printf("  %-44s %.1f bytes written to the device a fact\n", "so far",
	       (double)(device_bytes(dir) - before) / (double)total);
	sizes(store, "so far");
	if (total <= 1000000)
		probe(store, total, "st_fact_get, facts as they lie");
	maintain_store(store, true, true, &longest);
	printf("  %-44s %.1f bytes written to the device a fact\n", "all merged",
	       (double)(device_bytes(dir) - before) / (double)total);
	sizes(store, "all merged");
	printf("  %-44s %.1f ms\n", "longest call of st_facts_maintain", (double)longest / 1e6);
	probe(store, total, "st_fact_get, one run");
	uint64_t start = pd_now_ns();
	st_close(store);
	is_ok(st_open(dir, 0, &store, &fail), &fail);
	printf("  %-44s %.1f ms\n", "close and open", (double)(pd_now_ns() - start) / 1e6);
	st_close(store);
	free(ns);
}

PROGRAM(store)
{
	double millions = argc > 1 ? atof(argv[1]) : 4;
	char dir[256];
	for (unsigned i = 0; i < 5; i++) {
		storedir_new(dir, sizeof dir);
		if (i < 2)
			journal(dir, i);
		else
			facts(dir, i == 2 ? 1000000 : (uint64_t)(millions * 100) * ENTRIES, i == 4);
		storedir_remove(dir);
	}
	return 0;
}
