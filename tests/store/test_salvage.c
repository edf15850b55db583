/* What is sound of a damaged directory: all of it when nothing is damaged, never anything that was not there, and
 * nothing that was taken back. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/salvage.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

enum { SEED = 4711, BATCHES = 12, CASES = 60, PAGE = 4096 };

static const struct st_tuning tuning = {.flush_facts = 400, .step_facts = 200, .compaction_width = 2};

static struct st_store *open_store(const char *dir)
{
	struct st_store *store;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!st_open(dir, 0, &store, &fail), "%s", fail.text);
	st_tune(store, &tuning);
	return store;
}

static struct model *fill_directory(const char *dir)
{
	struct st_store *store = open_store(dir);
	struct model *model = model_new(SEED);
	struct st_batch *batch;
	struct pd_fail fail;
	for (unsigned i = 0; i < BATCHES; i++) {
		ck_assert_int_eq(st_batch_begin(store, &batch, &fail), 0);
		ck_assert_int_eq(model_batch(model, batch, &fail), 0);
		ck_assert_int_eq(st_batch_commit(batch, &fail), 0);
		while (i < BATCHES - 3 && st_facts_maintain(store, false, &fail) == 1)
			;
	}
	st_close(store);
	return model;
}

/* What a salvage gives, in a store in memory. */
struct kept {
	struct st_store *store;
	struct st_batch *batch;
	const struct st_salvage *from;
};

static int keep(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct kept *kept = ctx;
	uint64_t rules;
	uint32_t number;
	struct pd_fail fail;
	const char *name = st_salvage_game(kept->from, game, &rules);
	ck_assert_int_eq(st_batch_game(kept->batch, name, rules, &number, &fail), 0);
	ck_assert_int_eq(st_batch_fact(kept->batch, number, key, size, reason, &fail), 0);
	return 0;
}

/* All facts that are sound of a directory, in memory; *sum: what was lost. */
static struct st_store *salvage(const char *dir, struct st_salvaged *sum)
{
	struct st_salvage *from;
	struct pd_fail fail = {.text = ""};
	struct kept kept;
	ck_assert_msg(!st_salvage_open(dir, "{", &from, &fail), "%s", fail.text);
	kept = (struct kept){.store = open_store(NULL), .from = from};
	ck_assert_int_eq(st_batch_begin(kept.store, &kept.batch, &fail), 0);
	ck_assert_int_eq(st_salvage_facts(from, keep, &kept, &fail), 0);
	ck_assert_int_eq(st_batch_commit(kept.batch, &fail), 0);
	*sum = *st_salvage_sum(from);
	st_salvage_close(from);
	return kept.store;
}

struct against {
	struct st_store *other;
	struct st_reader *reader;
	bool equal;
	uint64_t count;
};

struct named {
	uint32_t id;
	char name[ST_NAME_MAX + 1];
	uint64_t rules;
};

static void name_of(void *ctx, uint32_t id, const char *name, uint64_t rules)
{
	struct named *named = ctx;
	if (id != named->id)
		return;
	snprintf(named->name, sizeof named->name, "%s", name);
	named->rules = rules;
}

struct side {
	struct st_store *store;
	struct against *against;
};

/* That the other store says at least as much. */
static int covered(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct side *side = ctx;
	struct named named = {.id = game};
	struct pd_fact other;
	struct pd_fail fail;
	st_game_each(side->store, name_of, &named);
	uint32_t number = st_game_find(side->against->other, named.name, named.rules);
	pd_fact_init(&other);
	ck_assert_int_eq(st_fact_get(side->against->reader, number, key, size, &other, &fail), 1);
	for (enum pd_side s = PD_LO; s <= PD_HI; s++) {
		const struct pd_reason *mine = pd_fact_best(fact, s), *theirs = pd_fact_best(&other, s);
		ck_assert(!mine ||
			  (theirs && (s == PD_LO ? theirs->bound >= mine->bound : theirs->bound <= mine->bound)));
	}
	ck_assert(!side->against->equal || model_same(fact, &other));
	side->against->count++;
	pd_fact_fini(&other);
	return 0;
}

/* That all facts of one store are in another; returns how many they are. */
static uint64_t assert_covered(struct st_store *store, struct st_store *other, bool equal)
{
	struct against against = {.other = other, .equal = equal};
	struct side side = {store, &against};
	struct st_reader *reader;
	struct pd_fail fail;
	ck_assert_int_eq(st_reader_open(other, &against.reader, &fail), 0);
	ck_assert_int_eq(st_reader_open(store, &reader, &fail), 0);
	ck_assert_int_eq(st_fact_each(reader, covered, &side, &fail), 0);
	st_reader_close(reader);
	st_reader_close(against.reader);
	return against.count;
}

static bool is_whole(const struct st_salvaged *sum)
{
	return !sum->facts_lost && !sum->log_blocks_lost && !sum->games_lost && sum->counted &&
	       sum->runs == ST_LIST_NEWEST;
}

START_TEST(all_facts_of_a_sound_directory)
{
	char dir[64];
	struct st_salvaged sum;
	storedir_new(dir, sizeof dir);
	struct model *model = fill_directory(dir);
	struct st_store *kept = salvage(dir, &sum), *store = open_store(dir);
	ck_assert(is_whole(&sum));
	ck_assert_uint_eq(sum.identity, st_identity(store));
	ck_assert_uint_eq(assert_covered(store, kept, true), model->facts);
	ck_assert_uint_eq(assert_covered(kept, store, true), model->facts);
	st_close(kept);
	st_close(store);
	model_free(model);
	storedir_remove(dir);
}
END_TEST

static int every_third(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	unsigned *n = ctx;
	if (++*n % 3)
		return 0;
	pd_fact_fini(fact);
	return 0;
}

START_TEST(what_was_taken_back_stays_away)
{
	char dir[64];
	struct st_salvaged sum;
	struct pd_fail fail;
	unsigned n = 0;
	storedir_new(dir, sizeof dir);
	struct model *model = fill_directory(dir);
	struct st_store *store = open_store(dir);
	ck_assert_int_eq(st_facts_rewrite(store, every_third, &n, &fail), 0);
	st_close(store);
	struct st_store *kept = salvage(dir, &sum);
	store = open_store(dir);
	ck_assert(is_whole(&sum));
	uint64_t left = assert_covered(store, kept, true);
	ck_assert(left && left < model->facts);
	ck_assert_uint_eq(assert_covered(kept, store, true), left);
	st_close(kept);
	st_close(store);
	model_free(model);
	storedir_remove(dir);
}
END_TEST

static void damage_file(const char *dir, uint64_t *random)
{
	static const char *const names[] = {"work.mdb", "facts.mdb"};
	char path[128];
	uint8_t page[PAGE];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", dir, names[model_random(random, 2)]);
	int fd = open(path, O_RDWR);
	ck_assert(fd >= 0 && !fstat(fd, &st));
	uint64_t pages = (uint64_t)st.st_size / PAGE;
	for (unsigned i = 0; i < 6; i++) {
		off_t at = (off_t)(model_random(random, pages) * PAGE);
		ck_assert(pread(fd, page, PAGE, at) == PAGE);
		for (unsigned j = 0; j < 3; j++)
			page[model_random(random, PAGE)] ^= (uint8_t)(1 << model_random(random, 8));
		page[model_random(random, 16)] ^= (uint8_t)(1 << model_random(random, 8));
		ck_assert(pwrite(fd, page, PAGE, at) == PAGE);
	}
	if (!model_random(random, 4))
		ck_assert(!ftruncate(fd, (off_t)model_random(random, (uint64_t)st.st_size)));
	close(fd);
}

START_TEST(nothing_that_was_not_there)
{
	char dir[64], copy[64];
	uint64_t random = SEED, some = 0;
	struct st_salvaged sum;
	storedir_new(dir, sizeof dir);
	struct model *model = fill_directory(dir);
	struct st_store *store = open_store(dir);
	for (unsigned i = 0; i < CASES; i++) {
		storedir_copy(dir, copy, sizeof copy);
		damage_file(copy, &random);
		struct st_store *kept = salvage(copy, &sum);
		uint64_t found = assert_covered(kept, store, false);
		ck_assert(!is_whole(&sum) || found == model->facts);
		some += found;
		st_close(kept);
		storedir_remove(copy);
	}
	ck_assert_uint_gt(some, CASES * model->facts / 2);
	st_close(store);
	model_free(model);
	storedir_remove(dir);
}
END_TEST

START_TEST(a_directory_in_use)
{
	char dir[64];
	struct pd_fail fail;
	struct st_salvage *from;
	storedir_new(dir, sizeof dir);
	ck_assert_int_eq(st_salvage_open(dir, "{", &from, &fail), PD_E_NOT_FOUND);
	struct st_store *store = open_store(dir);
	ck_assert_int_eq(st_salvage_open(dir, "{", &from, &fail), PD_E_LOCKED);
	st_close(store);
	ck_assert_int_eq(st_salvage_open(dir, "{", &from, &fail), PD_OK);
	ck_assert_uint_eq(st_salvage_sum(from)->next_job, 1);
	st_salvage_close(from);
	storedir_remove(dir);
}
END_TEST

SUITE(salvage)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, all_facts_of_a_sound_directory);
	tcase_add_test(c, what_was_taken_back_stays_away);
	tcase_add_test(c, nothing_that_was_not_there);
	tcase_add_test(c, a_directory_in_use);
}
