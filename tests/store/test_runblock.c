/* Run blocks: every key is found and no other, whatever the keys share and however long they and their values are; what
 * is damaged is refused. */
#include "store/runblock.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { KEYS = 120, LONG = 60, VALUE_LONG = 40, RUN = 7 };

struct item {
	uint8_t key[LONG];
	size_t size;
	uint8_t value[VALUE_LONG];
	size_t value_size;
};

static int order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return st_key_compare(x->key, x->size, y->key, y->size);
}

/* Keys of few letters share much with one another; `longest` and `letters` say how much. */
static void draw_key(uint64_t *seed, unsigned longest, unsigned letters, struct item *item)
{
	item->size = 1 + walk_below(seed, longest);
	for (size_t i = 0; i < item->size; i++)
		item->key[i] = (uint8_t)(walk_below(seed, letters) * (255 / letters));
}

/* A block of keys in order, under `upper`: the first key that was left out, or the end of the run. */
struct drawn {
	struct item item[KEYS];
	unsigned count;
	struct st_run_block block;
	uint8_t upper[ST_DB_KEY_MAX];
	size_t upper_size;
};

static void draw_keys(uint64_t *seed, unsigned longest, unsigned letters, bool plain, struct drawn *d)
{
	unsigned drawn = 1 + walk_below(seed, KEYS), last;
	for (unsigned i = 0; i < drawn; i++) {
		struct item *item = &d->item[i];
		draw_key(seed, longest, letters, item);
		if (plain)
			item->size = longest;
		while (plain && item->size > 1 && !walk_below(seed, 3))
			item->key[walk_below(seed, longest)] = (uint8_t)walk_below(seed, 256);
		item->value_size = plain ? 3 + walk_below(seed, 7) : 1 + walk_below(seed, VALUE_LONG);
		for (size_t k = 0; k < item->value_size; k++)
			item->value[k] = (uint8_t)walk_below(seed, 256);
	}
	qsort(d->item, drawn, sizeof d->item[0], order);
	d->count = 0;
	for (unsigned i = 0; i < drawn; i++)
		if (!d->count || order(&d->item[d->count - 1], &d->item[i]) < 0)
			d->item[d->count++] = d->item[i];
	bool closed = d->count > 1 && walk_below(seed, 2); /* the last one only makes the fence */
	last = d->count - closed;
	d->block = (struct st_run_block){0};
	ck_assert(st_run_block_start(&d->block, d->item[0].key, walk_below(seed, (unsigned)d->item[0].size + 1)));
	for (unsigned i = 0; i < last; i++)
		ck_assert(st_run_block_add(&d->block, d->item[i].key, d->item[i].size, d->item[i].value,
					   d->item[i].value_size));
	d->upper_size = sizeof st_run_end;
	memcpy(d->upper, st_run_end, sizeof st_run_end);
	if (closed)
		d->upper_size = st_run_block_fence(&d->block, d->item[last].key, d->item[last].size, d->upper);
	d->count = last;
	st_run_block_seal(&d->block, RUN, d->upper, d->upper_size);
}

static bool opens(const struct drawn *d, struct st_run_view *view)
{
	return st_run_view_open(view, d->block.data, d->block.size, RUN, d->upper, d->upper_size);
}

/* What a look-up should say; *at: the item that it should find. */
static int expected(const struct drawn *d, const struct st_run_view *view, const struct item *key, unsigned *at)
{
	if (st_key_compare(view->lower, view->lower_size, key->key, key->size) > 0 ||
	    st_key_compare(key->key, key->size, d->upper, d->upper_size) >= 0)
		return -1;
	for (*at = 0; *at < d->count; ++*at)
		if (!order(key, &d->item[*at]))
			return 1;
	return 0;
}

static int look_up(const struct drawn *d, const struct item *key)
{
	struct st_run_view view;
	unsigned at = 0;
	ck_assert(opens(d, &view));
	int wanted = expected(d, &view, key, &at);
	int found = st_run_view_find(&view, d->upper, d->upper_size, key->key, key->size);
	ck_assert_int_eq(found, wanted);
	if (found == 1) {
		ck_assert_uint_eq(view.value_size, d->item[at].value_size);
		ck_assert_mem_eq(view.value, d->item[at].value, view.value_size);
	}
	return found;
}

static const struct {
	unsigned longest, letters;
	bool plain;
} shape[] = {{4, 2, false}, {20, 3, false}, {LONG, 2, false}, {8, 4, true}, {10, 255, true}, {30, 2, true}};

START_TEST(every_key_is_found_and_no_other)
{
	uint64_t seed = walk_seed("runblock", 11 + (uint64_t)_i);
	unsigned blocks = effort_of(500, 30), outcome[3] = {0};
	static struct drawn d;
	for (unsigned n = 0; n < blocks; n++) {
		struct item other;
		struct st_run_view view;
		draw_keys(&seed, shape[_i].longest, shape[_i].letters, shape[_i].plain, &d);
		ck_assert(opens(&d, &view));
		for (unsigned i = 0; i < d.count; i++) {
			ck_assert_int_eq(st_run_view_next(&view), 1);
			ck_assert_uint_eq(view.key_size, d.item[i].size);
			ck_assert_mem_eq(view.key, d.item[i].key, view.key_size);
			ck_assert_int_eq(look_up(&d, &d.item[i]), 1);
			other = d.item[i]; /* its neighbours */
			other.key[other.size - 1] ^= (uint8_t)(1u << walk_below(&seed, 8));
			outcome[1 + look_up(&d, &other)]++;
			other.size -= other.size > 1;
			outcome[1 + look_up(&d, &other)]++;
			draw_key(&seed, shape[_i].longest, shape[_i].letters, &other);
			outcome[1 + look_up(&d, &other)]++;
		}
		ck_assert_int_eq(st_run_view_next(&view), 0);
		st_run_block_fini(&d.block);
	}
	for (unsigned i = 0; i < 2; i++) /* outside the block, and not there */
		ck_assert_uint_gt(outcome[i], 0);
}
END_TEST

/* Behind a checksum that fits, as of a faulty program: nothing is read outside the block (sanitizers look), and nothing
 * that is found stands outside it. */
START_TEST(a_block_that_does_not_decode_is_survived)
{
	uint64_t seed = walk_seed("runblock damage", 31 + (uint64_t)_i);
	unsigned blocks = effort_of(500, 30), refused = 0;
	static struct drawn d;
	for (unsigned n = 0; n < blocks; n++) {
		struct st_run_view view;
		draw_keys(&seed, shape[_i].longest, shape[_i].letters, shape[_i].plain, &d);
		uint8_t *exact = malloc(d.block.size);
		memcpy(exact, d.block.data, d.block.size);
		size_t at = ST_RUN_HEAD + walk_below(&seed, (unsigned)d.block.size - ST_RUN_HEAD);
		exact[at] ^= (uint8_t)(1u << walk_below(&seed, 8));
		ck_assert(!st_run_view_open(&view, exact, d.block.size, RUN, d.upper, d.upper_size));
		memcpy(d.block.data, exact, d.block.size);
		st_run_block_seal(&d.block, RUN, d.upper, d.upper_size);
		memcpy(exact, d.block.data, d.block.size);
		for (unsigned i = 0; i < d.count; i++) {
			if (!st_run_view_open(&view, exact, d.block.size, RUN, d.upper, d.upper_size))
				break;
			int found = st_run_view_find(&view, d.upper, d.upper_size, d.item[i].key, d.item[i].size);
			refused += found < 0;
			ck_assert(found != 1 || (view.value >= exact && view.value_size <= d.block.size &&
						 view.value <= exact + d.block.size - view.value_size));
		}
		free(exact);
		st_run_block_fini(&d.block);
	}
	ck_assert(refused || !effort_whole()); /* a small share may meet none */
}
END_TEST

START_TEST(records_that_are_not_counted_are_not_found)
{
	uint64_t seed = walk_seed("runblock count", 51 + (uint64_t)_i);
	unsigned blocks = effort_of(500, 30);
	static struct drawn d;
	for (unsigned n = 0; n < blocks; n++) {
		struct st_run_view view;
		draw_keys(&seed, shape[_i].longest, shape[_i].letters, shape[_i].plain, &d);
		unsigned counted = 1 + walk_below(&seed, d.count);
		d.block.count = counted;
		st_run_block_seal(&d.block, RUN, d.upper, d.upper_size);
		for (unsigned i = 0; i < d.count; i++) {
			const struct item *item = &d.item[i];
			ck_assert(opens(&d, &view));
			int found = st_run_view_find(&view, d.upper, d.upper_size, item->key, item->size);
			ck_assert(i < counted ? found == 1 : found <= 0);
		}
		st_run_block_fini(&d.block);
	}
}
END_TEST

SUITE(runblock)
{
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, every_key_is_found_and_no_other, 0, sizeof shape / sizeof shape[0]);
	tcase_add_loop_test(c, a_block_that_does_not_decode_is_survived, 0, sizeof shape / sizeof shape[0]);
	tcase_add_loop_test(c, records_that_are_not_counted_are_not_found, 0, sizeof shape / sizeof shape[0]);
}
