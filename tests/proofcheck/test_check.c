/* The verdict, fault by fault: each corruption of a certificate is rejected for its own reason; cycles of reasons hold
 * exactly where they may. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/check.h"
#include "proto/graph_file.h"
#include "tests/proofcheck/forge.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct ck_result result_of(const struct pd_buf *file, unsigned threads, bool digest)
{
	struct ck_options options = {.threads = threads, .digest = digest};
	struct ck_result result;
	/* A copy of exactly the file's size, so that a sanitizer detects every read beyond it. */
	uint8_t *exact = malloc(file->size ? file->size : 1);
	memcpy(exact, file->data, file->size);
	ck_check(exact, file->size, &options, &result);
	memset(&result.header, 0, sizeof result.header); /* it borrows from the copy */
	free(exact);
	return result;
}

static void expect_verdict(const struct pd_buf *file, enum ck_verdict verdict, const char *words)
{
	struct ck_result result = result_of(file, 1, true);
	ck_assert_msg(result.verdict == verdict && (verdict == CK_VERIFIED || strstr(result.fault.text, words)),
		      "verdict %d, '%s'; should be %d, '%s'", result.verdict, result.fault.text, verdict, words);
}

/* m,n,k on three times three, a position that First wins, all in one block. */
static void make_certificate(struct forge *f, const char *position, const char *claim, unsigned leaves)
{
	uint64_t seed = 5;
	struct game *game;
	struct walk_state root;
	ck_assert(!game_open("mnk:3,3,3", NULL, &game, NULL));
	ck_assert(!game->rules->parse(game, position, &root, NULL));
	struct truth *truth = truth_new(game, &root);
	forge_make(f, game, position, claim, truth, leaves, NULL, &seed);
	truth_free(truth);
	game_close(game);
}

static void write_fit(struct forge *f, struct pd_buf *file)
{
	forge_fit(f);
	pd_buf_init(file, SIZE_MAX);
	forge_write(f, true, file);
}

/* Corrects the digest after bytes of the body were changed. */
static void fit_digest(struct pd_buf *file)
{
	char *at = strstr(file->data, "digest: ") + 8, digest[33];
	struct ck_cert cert = {
		.bytes = (uint8_t *)file->data, .size = file->size, .body = (uint64_t)(at + 34 - file->data)};
	cert.header.digest_line = (uint64_t)(at - 8 - file->data);
	ck_cert_digest(&cert, digest);
	memcpy(at, digest, 32);
}

/* The first byte of the first block. */
static uint8_t *body_of(struct pd_buf *file)
{
	return (uint8_t *)strstr(file->data, "\n\n") + 2;
}

START_TEST(true_certificates_are_verified)
{
	static const char *const claims[] = {"value",        "first-wins", "second-wins", "first-draws",
					     "second-draws", "first>=1",   "first>=-1",   "first>=2"};
	for (unsigned i = 0; i < 2 * sizeof claims / sizeof claims[0]; i++) {
		struct forge f;
		struct pd_buf file;
		make_certificate(&f, i % 2 ? "" : "a1 b1", claims[i / 2], i % 3 ? 0 : 8);
		write_fit(&f, &file);
		for (unsigned threads = 1; threads < 5; threads++)
			ck_assert_int_eq(result_of(&file, threads, true).verdict, CK_VERIFIED);
		pd_buf_fini(&file);
		forge_fini(&f);
	}
}
END_TEST

/* --- the header --------------------------------------------------------------------------- */

static const struct {
	enum forge_line line;
	const char *text;
	enum ck_verdict verdict;
	const char *words;
} lines[] = {
	{FORGE_game, "mnk:3,3,4", CK_REJECTED, "should have"},
	{FORGE_game, "no-such-game:19", CK_UNKNOWN, "no game"},
	{FORGE_game, "mnk:3,3", CK_UNKNOWN, "mnk takes"},
	{FORGE_game, "andor:x", CK_REJECTED, "needs its graph"},
	{FORGE_rules, "2", CK_UNKNOWN, "version"},
	{FORGE_rules, "1.0", CK_REJECTED, "decimal"},
	{FORGE_position, "a1 b2", CK_REJECTED, "not the key"},
	{FORGE_position, "a1 z9", CK_REJECTED, "no such move"},
	{FORGE_root, "0101", CK_REJECTED, "not the key"},
	{FORGE_root, "01010g", CK_REJECTED, "hexadecimal"},
	{FORGE_root, "0", CK_REJECTED, "hexadecimal"},
	{FORGE_claim, "second-wins", CK_REJECTED, "needs a bound 'hi'"},
	{FORGE_claim, "first>=2", CK_REJECTED, "lo >= 2"},
	{FORGE_claim, "first>=01", CK_REJECTED, "'claim'"},
	{FORGE_claim, "value", CK_REJECTED, "solved"},
	{FORGE_status, "disproved", CK_REJECTED, "needs a bound 'hi'"},
	{FORGE_status, "solved", CK_REJECTED, "proved or disproved"},
	{FORGE_lo, "0", CK_REJECTED, "lo >= 1"},
	{FORGE_lo, "-", CK_REJECTED, "needs a bound 'lo'"},
	{FORGE_lo, "+1", CK_REJECTED, "'lo'"},
	{FORGE_lo, "2", CK_REJECTED, "not one of the game's values"},
	{FORGE_hi, "1", CK_REJECTED, "none for 'hi'"},
	{FORGE_detail, "most", CK_REJECTED, "full or frontier"},
	{FORGE_positions, "1", CK_REJECTED, "positions, but"},
	{FORGE_reasons, "0", CK_REJECTED, "reasons, but"},
	{FORGE_leaves, "1", CK_REJECTED, "leaves, but"},
	{FORGE_blocks, "0", CK_REJECTED, "no blocks"},
	{FORGE_blocks, "2", CK_REJECTED, "index"},
	{FORGE_blocks, "18446744073709551615", CK_REJECTED, "too short"},
	{FORGE_blocks, "18446744073709551616", CK_REJECTED, "decimal"},
	{FORGE_graph, "3", CK_REJECTED, "index says"},
	{FORGE_graph, "99999999", CK_REJECTED, "graph"},
	{FORGE_engine, "a\tb", CK_REJECTED, "control"},
	{FORGE_digest, "00000000000000000000000000000000", CK_REJECTED, "damaged"},
	{FORGE_digest, "0", CK_REJECTED, "digest"},
};

START_TEST(a_wrong_header_is_refused)
{
	struct forge f;
	struct pd_buf file;
	make_certificate(&f, "a1 b1", "first-wins", 0);
	pd_buf_init(&file, SIZE_MAX);
	forge_fit(&f);
	forge_write(&f, true, &file);
	expect_verdict(&file, CK_VERIFIED, "");
	forge_set(&f, lines[_i].line, "%s", lines[_i].text);
	forge_write(&f, lines[_i].line != FORGE_digest, &file);
	expect_verdict(&file, lines[_i].verdict, lines[_i].words);
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

/* A changed header with the digest of the old one. */
START_TEST(the_digest_covers_the_header)
{
	struct forge f;
	struct pd_buf file;
	pd_buf_init(&file, SIZE_MAX);
	make_certificate(&f, "a1 b1", "first-wins", 0);
	forge_fit(&f);
	forge_write(&f, true, &file);
	expect_verdict(&file, CK_VERIFIED, "");
	forge_set(&f, FORGE_engine, "eulog");
	forge_write(&f, false, &file);
	expect_verdict(&file, CK_REJECTED, "damaged");
	ck_assert_int_eq(result_of(&file, 1, false).verdict, CK_VERIFIED);
	forge_fini(&f);
	/* Each bit of the header. */
	make_certificate(&f, "a1 b1", "first-wins", 0);
	forge_fit(&f);
	forge_write(&f, true, &file);
	size_t header = (size_t)(body_of(&file) - (uint8_t *)file.data);
	for (size_t bit = 0; bit < 8 * header; bit++) {
		file.data[bit / 8] ^= (char)(1u << bit % 8);
		ck_assert_int_ne(result_of(&file, 1, true).verdict, CK_VERIFIED);
		file.data[bit / 8] ^= (char)(1u << bit % 8);
	}
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

START_TEST(other_files_are_refused)
{
	static const struct {
		const char *text;
		enum ck_verdict verdict;
		const char *words;
	} files[] = {{"", CK_REJECTED, "does not begin"},
		     {"proofd certificate 2", CK_REJECTED, "ends within"},
		     {"proofd certificate 2\n", CK_REJECTED, "ends within"},
		     {"proofd certificate 3\n", CK_REJECTED, "ends within"},
		     {"proofd certificate 5\n", CK_REJECTED, "ends within"},
		     {"proofd certificate 6\n", CK_REJECTED, "ends within"},
		     {"proofd certificate 7\ngame: x\n", CK_UNKNOWN, "does not begin"},
		     {"proofd certificate 1\ngame: x\n", CK_UNKNOWN, "does not begin"},
		     {"proofd certificate 02\ngame: x\n", CK_UNKNOWN, "does not begin"},
		     {"proofd certificate 2\nrules: 1\n", CK_REJECTED, "'game: ...'"},
		     {"\x7f"
		      "ELF",
		      CK_REJECTED, "does not begin"}};
	for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct pd_buf file;
		pd_buf_init(&file, SIZE_MAX);
		pd_buf_puts(&file, files[i].text);
		expect_verdict(&file, files[i].verdict, files[i].words);
		pd_buf_fini(&file);
	}
}
END_TEST

/* --- bytes -------------------------------------------------------------------------------- */

/* Every prefix of a file, and every file with a byte more or less, is rejected. */
START_TEST(what_is_cut_off_is_refused)
{
	struct forge f;
	struct pd_buf file;
	make_certificate(&f, "a1 b1 b2 c3", "first-wins", 0);
	write_fit(&f, &file);
	size_t size = file.size, header = (size_t)(body_of(&file) - (uint8_t *)file.data);
	for (size_t cut = 0; cut < size; cut++) {
		struct pd_buf part = file;
		part.size = cut;
		part.data = memcpy(malloc(cut + 1), file.data, cut);
		part.data[cut] = 0;
		if (cut >= header)
			fit_digest(&part);
		ck_assert_int_eq(result_of(&part, 1, true).verdict, CK_REJECTED);
		ck_assert_int_eq(result_of(&part, 1, false).verdict, CK_REJECTED);
		free(part.data);
	}
	pd_buf_put(&file, "", 1);
	fit_digest(&file);
	ck_assert_int_eq(result_of(&file, 1, true).verdict, CK_REJECTED);
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

/* Makes a certificate of one record with one reason, and changes it by hand: at 0 u32 size, 4 u16 count, 6 shared, 7
 * rest, 8 key (3), 11 reasons, 12 flags, 13 bound, 14 rank, 15 move. */
static void one_record(struct pd_buf *file)
{
	struct forge f;
	make_certificate(&f, "a1 a2 b1 b2", "first-wins", 0);
	ck_assert_uint_eq(f.count, 1);
	write_fit(&f, file);
	expect_verdict(file, CK_VERIFIED, "");
	forge_fini(&f);
}

static const struct {
	unsigned at;
	uint8_t byte;
	const char *words;
} bytes[] = {
	{0, 9, "says that it has"},
	{0, 0xff, "says that it has"},
	{4, 0, "has 0 records"},
	{5, 4, "1 to 1024"},
	{4, 2, "cut off"},
	{6, 1, "shares more"},
	{6, 0x80, "shares more"},
	{7, 0, "not greater"},
	{7, 100, "cut off"},
	{7, 4, "cut off"},
	{8, 0xff, "no record"},
	{11, 0, "no reasons"},
	{11, 2, "cut off"},
	{12, 5, "bytes follow"},
	{12, 16 + 6, "unknown flags"},
	{12, 2 + 4 + 8, "effort of a reason"},
	{12, 2, "bytes follow"},
	{12, 7, "does not say so"},
	{13, 4, "off the game's scale"},
	{13, 0x82, "move of a reason"},
	{14, 0, "rank of a reason"},
	{14, 0xff, "move of a reason"},
	{15, 0, "not legal"},
	{15, 5, "should have"},
};

START_TEST(a_wrong_byte_is_refused)
{
	struct pd_buf file;
	one_record(&file);
	body_of(&file)[bytes[_i].at] = bytes[_i].byte;
	fit_digest(&file);
	expect_verdict(&file, CK_REJECTED, bytes[_i].words);
	pd_buf_fini(&file);
}
END_TEST

START_TEST(padded_numbers_are_refused)
{
	struct pd_buf file;
	one_record(&file);
	/* The bound 1 (zigzag 2) as 0x82 0x00, and all later bytes moved by one. */
	size_t at = (size_t)(body_of(&file) - (uint8_t *)file.data);
	pd_buf_put(&file, "", 1);
	memmove(file.data + at + 15, file.data + at + 14, file.size - at - 15);
	file.data[at + 13] = (char)0x82;
	file.data[at + 14] = 0;
	file.data[at]++;
	fit_digest(&file);
	expect_verdict(&file, CK_REJECTED, "not as short as it can be");
	pd_buf_fini(&file);
}
END_TEST

/* --- records ------------------------------------------------------------------------------ */

enum fault {
	DOUBLED,
	UNORDERED,
	MISSING,
	REASON_TWICE,
	WRONG_ORDER,
	NO_RANK,
	RANK_TOO_SMALL,
	NO_MOVE,
	MOVE_TOO_MANY,
	EFFORT_IN_FULL,
	OVER,
	FAULTS
};

static const char *const fault_words[FAULTS] = {"not greater",       "not greater",      "has no record",
						"in order",          "in order",         "should have a rank",
						"with a rank below", "should be a move", "should be no move",
						"detail is full",    "the game is over"};

static void spoil_certificate(struct forge *f, enum fault fault)
{
	struct forge_record *r = &f->record[f->count / 2];
	size_t i = 0;
	switch (fault) {
	case DOUBLED:
		r[1] = r[0];
		break;
	case UNORDERED:
		f->record[f->count] = r[0];
		r[0] = r[1];
		r[1] = f->record[f->count];
		break;
	case MISSING:
		while (f->record[i].reason[0].rank > 1)
			i++;
		f->record[i] = f->record[f->count - 1];
		f->count--;
		break;
	case REASON_TWICE:
	case WRONG_ORDER:
		r->reason[1] = r->reason[0];
		r->reason[1].bound -= fault == WRONG_ORDER;
		r->count = 2;
		break;
	case NO_RANK: /* of the root, on which no reason depends */
		for (size_t k = 0; k < f->count; k++)
			i = f->record[k].reason[0].rank > f->record[i].reason[0].rank ? k : i;
		f->record[i].reason[0].flags &= ~2u;
		break;
	case RANK_TOO_SMALL:
		while (f->record[i].reason[0].rank < 3)
			i++;
		f->record[i].reason[0].rank = 1;
		break;
	case NO_MOVE:
		while (!(f->record[i].reason[0].flags & 4))
			i++;
		f->record[i].reason[0].flags &= ~4u;
		break;
	case MOVE_TOO_MANY:
		while (f->record[i].reason[0].flags & 4)
			i++;
		f->record[i].reason[0].flags |= 4;
		break;
	case EFFORT_IN_FULL:
		r->reason[0] = (struct forge_reason){.flags = 10, .bound = 1, .rank = r->reason[0].rank, .effort = 1};
		break;
	default: /* First has a line from a1 to c1 */
		r = &f->record[f->count++];
		*r = r[-1];
		memcpy(r->key, "\x07\x30", 3);
		break;
	}
}

static int compare_records(const void *a, const void *b)
{
	return memcmp(((const struct forge_record *)a)->key, ((const struct forge_record *)b)->key, 3);
}

START_TEST(a_wrong_record_is_refused)
{
	struct forge f;
	struct pd_buf file;
	make_certificate(&f, "a1 b1", "first-wins", 0);
	ck_assert_uint_gt(f.count, 8);
	spoil_certificate(&f, (enum fault)_i);
	if (_i == MISSING || _i == OVER)
		qsort(f.record, f.count, sizeof *f.record, compare_records);
	write_fit(&f, &file);
	expect_verdict(&file, CK_REJECTED, fault_words[_i]);
	struct ck_result one = result_of(&file, 1, true), many = result_of(&file, 4, true);
	ck_assert_str_eq(one.fault.text, many.fault.text);
	ck_assert_uint_eq(one.fault.offset, many.fault.offset);
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

/* --- bounds between two values ------------------------------------------------------------ */

/* Hex on four cells, which First wins; bounds of 0, which is not a value there. */
START_TEST(bounds_between_two_values_are_refused)
{
	uint64_t seed = 7;
	struct forge f;
	struct game *g;
	struct walk_state root;
	struct pd_buf file;
	ck_assert(!game_open("hex:2", NULL, &g, NULL));
	g->rules->start(g, &root);
	struct truth *truth = truth_new(g, &root);
	forge_make(&f, g, "", "second-draws", truth, 0, NULL, &seed);
	write_fit(&f, &file);
	expect_verdict(&file, CK_VERIFIED, "");
	pd_buf_fini(&file);
	if (_i == 0) { /* it would follow from the other, if 0 were a bound */
		f.record[0].reason[1] = f.record[0].reason[0];
		f.record[0].reason[0].bound = 0;
		f.record[0].count = 2;
	} else {
		forge_set(&f, _i == 1 ? FORGE_lo : FORGE_hi, "0");
		forge_set(&f, _i == 1 ? FORGE_hi : FORGE_lo, "-");
		forge_set(&f, FORGE_claim, _i == 1 ? "first>=0" : "second-draws");
		forge_set(&f, FORGE_status, "proved");
	}
	write_fit(&f, &file);
	expect_verdict(&file, CK_REJECTED, _i == 0 ? "between two values" : "not one of the game's values");
	pd_buf_fini(&file);
	forge_fini(&f);
	truth_free(truth);
	game_close(g);
}
END_TEST

/* --- compressed files ---------------------------------------------------------------------- */

static void make_packed(struct pd_buf *plain, struct pd_buf *packed, uint32_t piece)
{
	struct forge f;
	make_certificate(&f, "", "value", 0);
	write_fit(&f, plain);
	forge_fini(&f);
	pd_buf_init(packed, SIZE_MAX);
	pd_buf_put(packed, plain->data, plain->size);
	forge_pack(packed, piece);
}

START_TEST(a_compressed_file_is_the_same_certificate)
{
	struct pd_buf plain, packed, again;
	struct ck_cert one, two;
	struct ck_fault fault;
	char digests[2][33];
	make_packed(&plain, &packed, 512);
	pd_buf_init(&again, SIZE_MAX);
	ck_assert(forge_unpack(&packed, &again) && again.size == plain.size);
	ck_assert(!memcmp(again.data, plain.data, plain.size));
	for (unsigned threads = 1; threads < 4; threads++)
		ck_assert_int_eq(result_of(&packed, threads, true).verdict, CK_VERIFIED);
	ck_assert_int_eq(ck_cert_open(&one, (uint8_t *)plain.data, plain.size, &fault), CK_VERIFIED);
	ck_assert_int_eq(ck_cert_open(&two, (uint8_t *)packed.data, packed.size, &fault), CK_VERIFIED);
	ck_assert_uint_eq(two.header.format, 3);
	ck_assert_uint_gt(two.pack.frames, 2);
	ck_assert_int_eq(ck_cert_prepare(&one, &fault), CK_VERIFIED);
	ck_assert_int_eq(ck_cert_prepare(&two, &fault), CK_VERIFIED);
	ck_assert(one.size == two.size && !memcmp(one.bytes, two.bytes, one.size));
	ck_cert_digest(&one, digests[0]);
	ck_cert_digest(&two, digests[1]);
	ck_assert_str_eq(digests[0], digests[1]);
	ck_cert_close(&one);
	ck_cert_close(&two);
	pd_buf_fini(&again);
	pd_buf_fini(&packed);
	pd_buf_fini(&plain);
}
END_TEST

/* After a change of any byte the file is rejected, or it unpacks to the same content. */
START_TEST(a_changed_byte_of_a_compressed_file_is_refused_or_harmless)
{
	struct pd_buf plain, packed, again;
	unsigned harmless = 0;
	make_packed(&plain, &packed, 1000);
	pd_buf_init(&again, SIZE_MAX);
	for (size_t at = 0; at < packed.size; at++) {
		uint8_t bit = (uint8_t)(1u << at % 8), all = 0xff;
		for (unsigned i = 0; i < 2; i++) {
			packed.data[at] ^= (char)(i ? all : bit);
			if (result_of(&packed, 1, true).verdict == CK_VERIFIED) {
				harmless++;
				ck_assert(forge_unpack(&packed, &again) && again.size == plain.size);
				ck_assert(!memcmp(again.data, plain.data, plain.size));
			}
			packed.data[at] ^= (char)(i ? all : bit);
		}
	}
	ck_assert_uint_lt(harmless, packed.size / 20); /* bits that zstd does not use */
	ck_assert_int_eq(result_of(&packed, 1, true).verdict, CK_VERIFIED);
	pd_buf_fini(&again);
	pd_buf_fini(&packed);
	pd_buf_fini(&plain);
}
END_TEST

/* Content too large for memory is unpacked to a temporary file; the error names a directory without room. */
START_TEST(a_large_one_is_unpacked_to_a_file)
{
	struct pd_buf plain, packed;
	struct ck_pack pack;
	struct ck_fault fault;
	make_packed(&plain, &packed, 512);
	uint64_t header = (uint64_t)(body_of(&packed) - (uint8_t *)packed.data);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(ck_pack_open(&pack, (uint8_t *)packed.data, packed.size, header, &fault));
		ck_assert(ck_pack_reach(&pack, header, 1, &fault) && pack.done[0] && !pack.done[1]);
		if (i)
			setenv("TMPDIR", "/nowhere", 1);
		ck_assert(ck_pack_all(&pack, plain.size - 1, &fault) == !i);
		ck_assert(pack.no_memory == (i == 1));
		ck_assert(i ? strstr(fault.text, "/nowhere") != NULL : !memcmp(pack.content, plain.data, plain.size));
		ck_pack_close(&pack);
	}
	pd_buf_fini(&packed);
	pd_buf_fini(&plain);
}
END_TEST

/* The last 16 bytes: u64 bytes of content, u32 bytes of a piece, u32 frames; before them a u32 for each frame. */
static const struct {
	int at; /* offset from the end of the file */
	unsigned size;
	uint64_t value;
	const char *words;
} hostile[] = {
	{-8, 4, 0, "piece of a frame"},
	{-8, 4, 511, "piece of a frame"},
	{-8, 4, UINT32_MAX, "piece of a frame"},
	{-4, 4, 0, "do not make"},
	{-4, 4, UINT32_MAX, "do not make"},
	{-16, 8, 0, "do not make"},
	{-16, 8, UINT64_MAX, "do not make"},
	{-16, 8, UINT64_C(1) << 40, "do not make"}, /* a declared bomb */
	{-20, 4, 0, "where it can have"},
	{-20, 4, UINT32_MAX, "where it can have"},
	{-24, 4, 1, "too few"}, /* more content than 64 times the frame */
	{-24, 4, 0, "where it can have"},
	{-24, 4, 40, "between the last frame and the index"},
};

START_TEST(a_hostile_index_is_refused)
{
	struct pd_buf plain, packed;
	make_packed(&plain, &packed, 512);
	for (unsigned i = 0; i < hostile[_i].size; i++)
		packed.data[packed.size - (size_t)-hostile[_i].at + i] = (char)(hostile[_i].value >> 8 * i);
	expect_verdict(&packed, CK_REJECTED, hostile[_i].words);
	pd_buf_fini(&packed);
	pd_buf_fini(&plain);
}
END_TEST

START_TEST(a_compressed_file_that_is_cut_off_is_refused)
{
	struct pd_buf plain, packed;
	make_packed(&plain, &packed, 512);
	for (size_t cut = 0; cut < packed.size; cut++) {
		struct pd_buf part = packed;
		part.size = cut;
		ck_assert_int_eq(result_of(&part, 1, true).verdict, CK_REJECTED);
	}
	pd_buf_put(&packed, "", 1);
	ck_assert_int_eq(result_of(&packed, 1, true).verdict, CK_REJECTED);
	pd_buf_fini(&packed);
	pd_buf_fini(&plain);
}
END_TEST

/* --- cycles ------------------------------------------------------------------------------ */

#define CYCLE                                                                                                          \
	"{\"root\": \"a\", \"infinite\": %d, \"nodes\": {\"a\": {\"or\": [\"b\", \"lost\"]}, \"b\": {\"and\": "        \
	"[\"a\", \"won\"]}, "                                                                                          \
	"\"won\": {\"value\": 1}, \"lost\": {\"value\": -1}}}"

/* First stays in the cycle: a has at least `bound` by moving to b, and b because a has. */
static enum ck_verdict check_cycle(int infinite, int bound, bool ranks)
{
	struct forge f = {0};
	struct pd_buf file;
	struct pd_graph *graph;
	f.graph = malloc(512);
	f.graph_size = (size_t)snprintf(f.graph, 512, CYCLE, infinite);
	ck_assert(!pr_graph_parse(f.graph, f.graph_size, &graph, NULL));
	f.record = calloc(2, sizeof *f.record);
	f.count = f.capacity = 2;
	for (unsigned i = 0; i < 2; i++) {
		f.record[i].key[0] = (uint8_t)('a' + i);
		f.record[i].key_size = f.record[i].count = 1;
		f.record[i].reason[0] = (struct forge_reason){
			.flags = (i ? 0u : 4u) | (ranks ? 2u : 0u), .bound = bound, .rank = i ? 5 : 6};
	}
	forge_set(&f, FORGE_game, "andor:cycle");
	forge_set(&f, FORGE_rules, "%llu", (unsigned long long)graph->digest);
	forge_set(&f, FORGE_engine, "hand");
	forge_set(&f, FORGE_position, "%s", "");
	forge_set(&f, FORGE_root, "61");
	forge_set(&f, FORGE_claim, "first>=%d", bound);
	forge_set(&f, FORGE_status, "proved");
	forge_set(&f, FORGE_lo, "%d", bound);
	forge_set(&f, FORGE_hi, "-");
	forge_set(&f, FORGE_detail, "full");
	write_fit(&f, &file);
	enum ck_verdict verdict = result_of(&file, 1, true).verdict;
	pd_graph_free(graph);
	pd_buf_fini(&file);
	forge_fini(&f);
	return verdict;
}

START_TEST(a_cycle_holds_what_going_on_for_ever_is_worth)
{
	ck_assert_int_eq(check_cycle(0, 0, false), CK_VERIFIED);
	ck_assert_int_eq(check_cycle(1, 1, false), CK_VERIFIED);
	ck_assert_int_eq(check_cycle(0, 1, false), CK_REJECTED);
	ck_assert_int_eq(check_cycle(-1, 0, false), CK_REJECTED);
	ck_assert_int_eq(check_cycle(0, 0, true), CK_REJECTED);
	ck_assert_int_eq(check_cycle(1, 1, true), CK_REJECTED);
}
END_TEST

SUITE(check)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, true_certificates_are_verified);
	tcase_add_loop_test(c, a_wrong_header_is_refused, 0, sizeof lines / sizeof lines[0]);
	tcase_add_test(c, the_digest_covers_the_header);
	tcase_add_test(c, other_files_are_refused);
	tcase_add_test(c, what_is_cut_off_is_refused);
	tcase_add_loop_test(c, a_wrong_byte_is_refused, 0, sizeof bytes / sizeof bytes[0]);
	tcase_add_test(c, padded_numbers_are_refused);
	tcase_add_loop_test(c, a_wrong_record_is_refused, 0, FAULTS);
	tcase_add_loop_test(c, bounds_between_two_values_are_refused, 0, 3);
	tcase_add_test(c, a_compressed_file_is_the_same_certificate);
	tcase_add_test(c, a_changed_byte_of_a_compressed_file_is_refused_or_harmless);
	tcase_add_test(c, a_large_one_is_unpacked_to_a_file);
	tcase_add_loop_test(c, a_hostile_index_is_refused, 0, sizeof hostile / sizeof hostile[0]);
	tcase_add_test(c, a_compressed_file_that_is_cut_off_is_refused);
	tcase_add_test(c, a_cycle_holds_what_going_on_for_ever_is_worth);
}
