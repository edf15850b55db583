/* Export records against a list that is searched linearly: which needs they meet, and what they write. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/random.h"
#include "server/proofs/certificates/export_records.h"
#include "tests/support/suite.h"

enum { ROUNDS = 20000, KEY_BYTES = 9, REASONS = 6 };

struct listed {
	uint8_t key[KEY_BYTES];
	size_t size;
	struct pd_reason reasons[REASONS];
	unsigned count;
};

/* Keys of several lengths, some a prefix of another. */
static void draw_key(uint64_t *seed, struct listed *l)
{
	memset(l->key, 0, sizeof l->key);
	l->size = 1 + pd_random_next(seed) % KEY_BYTES;
	for (size_t i = 0; i < l->size; i++)
		l->key[i] = (uint8_t)(pd_random_next(seed) % 3 * 127);
}

static struct listed *find_listed(struct listed *all, const struct listed *key)
{
	struct listed *l = all;
	while (l->size && (l->size != key->size || memcmp(l->key, key->key, key->size)))
		l++;
	return l;
}

static struct pd_reason draw_reason(uint64_t *seed)
{
	uint64_t r = pd_random_next(seed);
	struct pd_reason out = {.bound = (int16_t)((int)(r % 3) - 1), .side = r >> 8 & 1};
	out.rank = (uint16_t)(1 + (r >> 9) % 300);
	out.move = r >> 20 & 1 ? PD_NO_MOVE : (uint16_t)(r >> 24 & 0xfff);
	out.effort = r >> 21 & 1 && out.move == PD_NO_MOVE ? (uint32_t)(r >> 40) + 1 : 0;
	if (r >> 22 & 1)
		out.rank = out.effort ? out.rank : PD_RANK_NONE;
	return out;
}

static void list_reason(struct listed *l, const struct pd_reason *r)
{
	unsigned i = 0;
	while (i < l->count && (l->reasons[i].side != r->side || l->reasons[i].bound != r->bound))
		i++;
	l->reasons[i] = *r;
	l->count += i == l->count;
}

static bool is_listed(const struct listed *l, const struct sv_need *need)
{
	for (unsigned i = 0; i < l->count; i++) {
		const struct pd_reason *r = &l->reasons[i];
		if (r->side == need->side && (r->side == PD_LO ? r->bound >= need->bound : r->bound <= need->bound) &&
		    (need->below == PD_RANK_NONE || r->rank < need->below))
			return true;
	}
	return false;
}

static bool go_on(void *ctx, uint64_t written)
{
	(void)ctx, (void)written;
	return true;
}

static size_t write_records(struct sv_export_records *records, unsigned threads, char *out, size_t room)
{
	char path[] = "/tmp/export-records-XXXXXX";
	struct pd_fail fail;
	uint64_t bytes;
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	struct sv_certificate_head head = {.game = "nim:1",
					   .position = "",
					   .claim = "value",
					   .status = "solved",
					   .root = (const uint8_t *)"r",
					   .root_size = 1,
					   .positions = records->count,
					   .reasons = records->reasons,
					   .leaves = records->leaves};
	const struct sv_export_writing how = {path, threads, go_on, NULL};
	ck_assert_msg(!sv_export_records_write(records, &how, &head, &bytes, &fail), "%s", fail.text);
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	size_t size = fread(out, 1, room, file);
	ck_assert_uint_eq(size, bytes);
	fclose(file);
	close(fd);
	unlink(path);
	return size;
}

/* The writer asserts that keys ascend, and counts reasons and leaves. */
START_TEST(records_are_a_list)
{
	struct listed *all = calloc(ROUNDS + 1, sizeof *all);
	struct sv_export_records records[2];
	struct pd_fail fail;
	uint64_t seed = 5, reasons = 0, count = 0;
	for (unsigned k = 0; k < 2; k++)
		sv_export_records_init(&records[k]);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct listed key;
		draw_key(&seed, &key);
		struct listed *l = find_listed(all, &key);
		struct sv_need need = {(uint8_t)(pd_random_next(&seed) & 1), (int16_t)(pd_random_next(&seed) % 3) - 1,
				       i % 2 ? PD_RANK_NONE : (uint16_t)(pd_random_next(&seed) % 300),
				       (uint16_t)key.size};
		ck_assert_int_eq(sv_export_records_meet(&records[0], key.key, &need), is_listed(l, &need));
		if (i % 3 == 0)
			continue;
		struct pd_reason r = draw_reason(&seed);
		if (!l->size) {
			memcpy(l->key, key.key, sizeof l->key);
			l->size = key.size;
		}
		list_reason(l, &r);
		for (unsigned k = 0; k < 2; k++)
			ck_assert(!sv_export_records_put(&records[k], key.key, key.size, &r, &fail));
	}
	for (const struct listed *l = all; l->size; l++, count++)
		reasons += l->count;
	ck_assert_uint_eq(records[0].count, count);
	ck_assert_uint_eq(records[0].reasons, reasons);
	char *files[2] = {malloc(1 << 24), malloc(1 << 24)};
	size_t one = write_records(&records[0], 1, files[0], 1 << 24),
	       three = write_records(&records[1], 3, files[1], 1 << 24);
	ck_assert_uint_eq(one, three);
	ck_assert_mem_eq(files[0], files[1], one);
	for (unsigned k = 0; k < 2; k++) {
		sv_export_records_fini(&records[k]);
		free(files[k]);
	}
	free(all);
}
END_TEST

/* Bounds of a position up to the limit of a record; then it says so. */
START_TEST(a_record_has_many_reasons)
{
	struct sv_export_records records;
	struct pd_fail fail;
	int rc = PD_OK;
	sv_export_records_init(&records);
	for (int bound = 0; bound < 2000 && !rc; bound++) {
		struct pd_reason r = {(int16_t)bound, PD_LO, 60000, PD_NO_MOVE, UINT32_MAX, 0};
		rc = sv_export_records_put(&records, (const uint8_t *)"key", 3, &r, &fail);
		struct sv_need need = {PD_LO, (int16_t)bound, PD_RANK_NONE, 3};
		ck_assert(rc || sv_export_records_meet(&records, (const uint8_t *)"key", &need));
	}
	ck_assert_int_eq(rc, PD_E_NO_MEMORY);
	ck_assert_uint_gt(records.reasons, 1000);
	sv_export_records_fini(&records);
}
END_TEST

SUITE(export_records)
{
	tcase_add_test(c, records_are_a_list);
	tcase_add_test(c, a_record_has_many_reasons);
}
