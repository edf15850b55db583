/* Compress (server/proofs/certificates/compress.h): small proofs of small games. Every record that is written is true
 * by minimax, with a rank that suffices; a false claim is refused; what was stopped is resumed; one thread repeats
 * itself. That proofcheck accepts the files is tested in tests/clients/test_compress.py. */
#include "server/proofs/certificates/compress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/proofs/certificates/certificate_read.h"
#include "server/proofs/certificates/certificate_store.h"
#include "solver/games/game.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"

enum { NONE = 99 };

static const struct question {
	const char *game, *position, *claim;
	int lo, hi;            /* NONE: the claim does not need it */
	unsigned positions;    /* of a strategy */
	unsigned records_most; /* of the small proof */
} questions[] = {
	{"connect4:4x4", "", "second-draws", NONE, 0, 8000, 3},
	{"connect4:4x4", "", "value", 0, 0, 200, 400},
	{"connect4:5x4", "", "second-draws", NONE, 0, 300, 300},
	{"connect4:5x4", "33", "first-draws", 0, NONE, 500, 300},
	{"mnk:3,3,3", "", "value", 0, 0, 50, 60},
	{"mnk:4,4,4", "a1 b2", "second-draws", NONE, 0, 8000, 20},
	{"hex:3", "b2", "first-wins", 1, NONE, 10, 20},
	{"domineering:4x4", "", "first-wins", 1, NONE, 20, 100},
	{"atari-go:3x3", "", "first-wins", 1, NONE, 50, 60},
	{"breakthrough:3x5", "", "second-wins", NONE, -1, 100, 400},
	{"nogo:3x3", "", "first-wins", 1, NONE, 50, 60},
	{"othello:4", "", "second-wins", NONE, -2, 200, 2000},
};

static void print_bound(FILE *file, const char *name, int bound)
{
	if (bound == NONE)
		fprintf(file, "%s: -\n", name);
	else
		fprintf(file, "%s: %d\n", name, bound);
}

/* A certificate without records: only its claim matters here. */
static void write_claim(const char *path, const struct question *q, int lo, int hi)
{
	struct game *g;
	ck_assert(!game_open(q->game, NULL, &g, NULL));
	FILE *file = fopen(path, "w");
	ck_assert(file != NULL);
	fprintf(file, "proofd certificate 4\ngame: %s\nrules: %llu\nposition: %s\nclaim: %s\nstatus: proved\n", g->name,
		(unsigned long long)g->rules_version, q->position, q->claim);
	print_bound(file, "lo", lo);
	print_bound(file, "hi", hi);
	fprintf(file, "blocks: 0\ngraph: 0\n\n");
	ck_assert(!fclose(file));
	game_close(g);
}

struct run {
	char directory[64], from[96], file[96];
	struct sv_compress_order order;
	unsigned looks, stop_after; /* calls of progress; 0: it goes on to the end */
};

static bool look(void *ctx, const struct sv_compress_progress *p)
{
	struct run *r = ctx;
	ck_assert(p->share >= 0 && p->share <= 1);
	return !r->stop_after || ++r->looks < r->stop_after;
}

static void set_up(struct run *r, const struct question *q, unsigned threads)
{
	*r = (struct run){.directory = "/tmp/compress-XXXXXX"};
	ck_assert(mkdtemp(r->directory) != NULL);
	snprintf(r->from, sizeof r->from, "%s/claim", r->directory);
	snprintf(r->file, sizeof r->file, "%s/small", r->directory);
	r->order = (struct sv_compress_order){r->from, r->file, threads, 1 << 20, q->positions, look, r};
	write_claim(r->from, q, q->lo, q->hi);
}

static void clean_up(struct run *r)
{
	static const char *const more[] = {".lo.state", ".hi.state"};
	char path[128];
	unlink(r->from);
	unlink(r->file);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s%s", r->file, more[i]);
		unlink(path);
	}
	ck_assert(!rmdir(r->directory)); /* nothing else was left there */
}

struct truth {
	struct game *game;
	struct oracle *oracle;
	uint64_t records;
};

static void assert_record_true(void *ctx, const struct sv_certificate_said *said)
{
	struct truth *t = ctx;
	const struct pd_reason *r = &said->reason;
	const struct game *g = t->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned rank;
	ck_assert(!g->rules->unkey(g, said->key, said->size, state));
	int threshold = r->side == PD_LO ? r->bound : r->bound + g->value_step;
	ck_assert_int_eq(oracle_claim(t->oracle, state, threshold, &rank), r->side == PD_LO);
	ck_assert_uint_ge(r->rank, rank);
	t->records++;
}

static void assert_file_true(const struct run *r, const struct question *q, const struct sv_compressed *done)
{
	struct truth t = {0};
	struct sv_certificate_text *text = malloc(sizeof *text);
	ck_assert(text && sv_certificate_text_read(r->file, text));
	ck_assert_uint_eq(sv_certificate_format(text), 4);
	ck_assert(!game_open(q->game, NULL, &t.game, NULL));
	t.oracle = oracle_new(t.game);
	ck_assert_uint_eq(sv_certificate_read(r->file, text, assert_record_true, &t), done->reasons);
	ck_assert_uint_eq(t.records, done->reasons);
	ck_assert_uint_ge(done->positions, 1);
	ck_assert_uint_le(done->positions, q->records_most);
	oracle_free(t.oracle);
	game_close(t.game);
	free(text);
}

START_TEST(every_record_is_true)
{
	const struct question *q = &questions[_i];
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		struct run r;
		struct sv_compressed done;
		struct pd_fail fail = {0};
		set_up(&r, q, threads);
		ck_assert_msg(!sv_compress(&r.order, &done, &fail), "%s: %s", q->game, fail.text);
		assert_file_true(&r, q, &done);
		clean_up(&r);
	}
}
END_TEST

/* The opposite of a true claim, one step further than the truth. */
START_TEST(false_claim_is_refused)
{
	const struct question *q = &questions[_i];
	struct run r;
	struct sv_compressed done;
	struct pd_fail fail = {0};
	bool lo = q->lo == NONE;
	set_up(&r, q, 2);
	int step = strncmp(q->game, "connect4", 8) && strncmp(q->game, "mnk", 3) != 0 ? 2 : 1;
	write_claim(r.from, q, lo ? q->hi + step : NONE, lo ? NONE : q->lo - step);
	ck_assert_int_eq(sv_compress(&r.order, &done, &fail), PD_E_STATE);
	ck_assert_str_eq(fail.field, "position");
	ck_assert(access(r.file, F_OK) != 0);
	clean_up(&r);
}
END_TEST

/* Reads a file. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(1 << 20);
	ck_assert(file && bytes);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

START_TEST(one_thread_repeats_itself)
{
	const struct question *q = &questions[2];
	char *bytes[2];
	size_t size[2];
	for (unsigned i = 0; i < 2; i++) {
		struct run r;
		struct sv_compressed done;
		struct pd_fail fail = {0};
		set_up(&r, q, 1);
		ck_assert_msg(!sv_compress(&r.order, &done, &fail), "%s", fail.text);
		bytes[i] = read_file(r.file, &size[i]);
		clean_up(&r);
	}
	ck_assert_uint_eq(size[0], size[1]);
	ck_assert(!memcmp(bytes[0], bytes[1], size[0]));
	free(bytes[0]);
	free(bytes[1]);
}
END_TEST

/* Even if it is stopped at every call of progress, it comes to its end. */
START_TEST(stopped_compression_goes_on)
{
	static const struct question q = {"connect4:5x4", "", "second-draws", NONE, 0, 100, 2000};
	struct run r;
	struct sv_compressed done;
	struct pd_fail fail;
	unsigned stops = 0;
	set_up(&r, &q, 2);
	r.stop_after = 1;
	while (sv_compress(&r.order, &done, &fail)) {
		ck_assert_int_eq(fail.code, PD_E_STATE);
		ck_assert_str_eq(fail.field, "");
		ck_assert(access(r.file, F_OK) != 0);
		r.looks = 0;
		r.stop_after++;
		ck_assert_uint_lt(++stops, 10000);
	}
	ck_assert_uint_gt(stops, 0);
	assert_file_true(&r, &q, &done);
	clean_up(&r);
}
END_TEST

/* A state file with changed bytes makes no false certificate: it is refused, or what is missing is found again. */
START_TEST(damaged_state_proves_nothing)
{
	static const struct question q = {"connect4:4x4", "", "value", 0, 0, 100, 2000};
	struct run r;
	struct sv_compressed done;
	struct pd_fail fail;
	char path[128];
	set_up(&r, &q, 1);
	snprintf(path, sizeof path, "%s.lo.state", r.file);
	r.stop_after = 1;
	ck_assert_int_eq(sv_compress(&r.order, &done, &fail), PD_E_STATE);
	r.stop_after = 0;
	for (unsigned i = 0; i < 60 && !access(path, F_OK); i++) {
		size_t size;
		char *bytes = read_file(path, &size);
		FILE *file = fopen(path, "wb");
		bytes[size * (i + 1) / 61] ^= (char)(1 << i % 8);
		ck_assert(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
		if (!sv_compress(&r.order, &done, &fail))
			assert_file_true(&r, &q, &done);
		file = fopen(path, "wb");
		ck_assert(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
		free(bytes);
	}
	clean_up(&r);
}
END_TEST

START_TEST(state_that_cannot_be_saved_leaves_nothing)
{
	static const struct question q = {"mnk:3,3,3", "", "value", 0, 0, 50, 60};
	struct run r;
	struct sv_compressed done;
	struct pd_fail fail;
	char path[128];
	set_up(&r, &q, 1);
	snprintf(path, sizeof path, "%s.lo.state", r.file);
	ck_assert(!mkdir(path, 0700)); /* in its place */
	ck_assert_int_eq(sv_compress(&r.order, &done, &fail), PD_E_IO);
	ck_assert_msg(strstr(fail.text, "cannot rename") && strstr(fail.text, ".lo.state.new"), "%s", fail.text);
	ck_assert(!rmdir(path));
	clean_up(&r);
}
END_TEST

START_TEST(what_cannot_be_compressed_is_refused)
{
	static const struct question q = {"loa:5", "", "first-wins", 1, NONE, 100, 100};
	struct run r;
	struct sv_compressed done;
	struct pd_fail fail;
	set_up(&r, &q, 1);
	ck_assert_int_eq(sv_compress(&r.order, &done, &fail), PD_E_UNSUPPORTED);
	ck_assert_str_eq(fail.field, "game");
	FILE *file = fopen(r.from, "w");
	ck_assert(file && fputs("hello\n", file) >= 0 && !fclose(file));
	ck_assert_int_eq(sv_compress(&r.order, &done, &fail), PD_E_CORRUPT);
	ck_assert_str_eq(fail.field, "file");
	clean_up(&r);
}
END_TEST

SUITE(compress)
{
	int count = sizeof questions / sizeof *questions;
	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, every_record_is_true, 0, count);
	tcase_add_loop_test(c, false_claim_is_refused, 0, count);
	tcase_add_test(c, one_thread_repeats_itself);
	tcase_add_test(c, stopped_compression_goes_on);
	tcase_add_test(c, damaged_state_proves_nothing);
	tcase_add_test(c, state_that_cannot_be_saved_leaves_nothing);
	tcase_add_test(c, what_cannot_be_compressed_is_refused);
}
