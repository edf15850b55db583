/* Bench: how long a backup takes, the first one, one after a small change, and the way back. Prints a table.
 *
 *   bench backup [MB [MILLIONS OF FACTS]]    default: 1000 MB in all, 10 million facts of them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "store/backup.h"
#include "store/store.h"
#include "tests/support/program.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"

enum { BATCH = 20000 };

static void is_ok(int rc, const struct pd_fail *fail)
{
	if (rc) {
		fprintf(stderr, "failed: %d %s\n", rc, fail->text);
		exit(1);
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

static void put_facts(struct st_store *store, uint64_t first, uint64_t count)
{
	struct pd_fail fail;
	struct st_batch *batch;
	for (uint64_t i = first; i < first + count; i += BATCH) {
		is_ok(st_batch_begin(store, &batch, &fail), &fail);
		for (uint64_t k = i; k < i + BATCH && k < first + count; k++) {
			struct pd_reason r = {.side = k & 1, .bound = 0, .rank = 1 + k % 40, .move = k % 60, .job = 1};
			uint8_t key[12];
			pd_put_le64(key, k * UINT64_C(0x9e3779b97f4a7c15));
			pd_put_le32(key + 8, 0);
			is_ok(st_batch_fact(batch, 1, key, sizeof key, &r, &fail), &fail);
		}
		is_ok(st_batch_commit(batch, &fail), &fail);
		is_ok(st_facts_maintain(store, false, &fail) < 0, &fail);
	}
}

static uint64_t bytes_of(struct st_store *store)
{
	struct st_stats s;
	st_stats(store, &s);
	return s.work_bytes + s.facts_bytes;
}

/* Table entries until the directory has the size that is asked for. */
static void put_table(struct st_store *store, uint64_t bytes)
{
	struct pd_fail fail;
	struct st_batch *batch;
	uint64_t random = 1;
	for (uint64_t n = 1; bytes_of(store) < bytes;) {
		is_ok(st_batch_begin(store, &batch, &fail), &fail);
		is_ok(st_batch_tt_question(batch, 1, (struct pd_id){1, 1}, &fail), &fail);
		for (unsigned i = 0; i < 20 * BATCH; i++, n++) {
			struct st_tt_entry e = {{0}};
			struct pd_id id = pd_id_of(&n, sizeof n, 0);
			pd_put_le64(e.bytes, id.lo);
			pd_put_le64(e.bytes + 8, id.hi);
			pd_put_le32(e.bytes + 16, 1 + (uint32_t)model_random(&random, 2000));
			pd_put_le32(e.bytes + 20, 1 + (uint32_t)model_random(&random, 200));
			pd_put_le32(e.bytes + 24, 1 + (uint32_t)model_random(&random, 100000));
			is_ok(st_batch_tt(batch, 1, &e, 1, &fail), &fail);
		}
		is_ok(st_batch_commit(batch, &fail), &fail);
	}
}

static double processor_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void back_up(struct st_store *store, const char *place, const char *name, const char *what)
{
	struct pd_fail fail;
	struct st_backup_sum sum;
	uint64_t begin = pd_now_ns();
	double used = processor_s();
	is_ok(st_backup(store, &(struct st_backup_order){.place = place, .name = name}, &sum, &fail), &fail);
	printf("  %-40s %6.2f s (%.2f s of processor), %7.1f MB copied, %7.1f MB kept\n", what,
	       (double)(pd_now_ns() - begin) / 1e9, processor_s() - used, (double)sum.bytes_copied / 1e6,
	       (double)sum.bytes_kept / 1e6);
	fflush(stdout);
}

PROGRAM(backup)
{
	uint64_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	uint64_t facts = (argc > 2 ? strtoull(argv[2], NULL, 10) : 10) * 1000000;
	char dir[256], place[256], path[300], copy[300];
	struct pd_fail fail;
	struct st_store *store;
	struct st_restored sum;
	struct st_batch *batch;
	uint32_t id;
	storedir_new(dir, sizeof dir);
	storedir_new(place, sizeof place);
	is_ok(st_open(dir, 0, &store, &fail), &fail);
	is_ok(st_batch_begin(store, &batch, &fail), &fail);
	is_ok(st_batch_game(batch, "g", 1, &id, &fail), &fail);
	is_ok(st_batch_job_new(batch, &id, &fail), &fail);
	is_ok(st_batch_commit(batch, &fail), &fail);
	put_facts(store, 0, facts);
	settle_store(store);
	put_table(store, bytes);
	printf("  %.0f MB, %.0f million facts\n", (double)bytes_of(store) / 1e6, (double)facts / 1e6);
	back_up(store, place, "a", "first backup");
	put_facts(store, facts, 100000);
	back_up(store, place, "b", "after 100,000 facts more");
	st_close(store);
	snprintf(path, sizeof path, "%s/b", place);
	snprintf(copy, sizeof copy, "%s/restored", place);
	uint64_t begin = pd_now_ns();
	is_ok(st_restore(path, copy, &sum, &fail), &fail);
	printf("  %-40s %6.2f s\n", "restore", (double)(pd_now_ns() - begin) / 1e9);
	storedir_remove(copy);
	storedir_remove(path);
	snprintf(path, sizeof path, "%s/a", place);
	storedir_remove(path);
	storedir_remove(place);
	storedir_remove(dir);
	return 0;
}
