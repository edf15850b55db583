/* Packed certificates: a file of format 6 is the same proof as the certificate that it was made from; with changed
 * bytes it proves nothing false. */
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/opening.h"
#include "clients/proofcheck/packed.h"
#include "clients/proofcheck/range.h"
#include "clients/proofcheck/strategy_play.h"
#include "tests/proofcheck/forge.h"
#include "tests/support/effort.h"
#include "tests/support/gamedata.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* --- making and unpacking ----------------------------------------------------------------- */

/* A true certificate, and the truth about its game. */
struct proof {
	struct game *game;   /* owned */
	struct truth *truth; /* owned */
	struct forge forge;
	struct pd_buf plain; /* the file */
};

static void make_proof(struct proof *p, const char *game, const char *position, const char *claim, bool cards,
		       uint64_t *seed)
{
	struct walk_state root;
	size_t size;
	char *graph = gamedata_graph(game, &size);
	memset(p, 0, sizeof *p);
	p->game = gamedata_open(game);
	ck_assert(!p->game->rules->parse(p->game, position, &root, NULL));
	p->truth = truth_new(p->game, &root);
	if (cards)
		forge_make_cards(&p->forge, p->game, position, claim, p->truth, 0, seed);
	else
		forge_make(&p->forge, p->game, position, claim, p->truth, 0, graph, seed);
	free(graph);
	pd_buf_init(&p->plain, SIZE_MAX);
	forge_fit(&p->forge);
	forge_write(&p->forge, true, &p->plain);
}

static void free_proof(struct proof *p)
{
	pd_buf_fini(&p->plain);
	forge_fini(&p->forge);
	truth_free(p->truth);
	game_close(p->game);
}

static struct ck_result result_of(const struct pd_buf *file)
{
	struct ck_options options = {.threads = 1, .digest = true};
	struct ck_result result;
	/* A copy of exactly the file's size, so that a sanitizer detects every read beyond it. */
	uint8_t *exact = malloc(file->size ? file->size : 1);
	memcpy(exact, file->data, file->size);
	ck_check(exact, file->size, &options, &result);
	memset(&result.header, 0, sizeof result.header); /* it borrows from the copy */
	free(exact);
	return result;
}

/* Opens a file of any format and surveys it. */
static enum ck_verdict read_file(struct ck_cert *cert, const struct pd_buf *file, struct ck_fault *fault)
{
	struct ck_sums sums = {0};
	enum ck_verdict verdict = ck_open_file(cert, (const uint8_t *)file->data, file->size, fault);
	if (verdict == CK_VERIFIED)
		verdict = ck_cert_prepare(cert, fault);
	for (uint64_t i = 0; verdict == CK_VERIFIED && i < cert->header.blocks; i++)
		ck_assert(ck_block_survey(cert, i, &sums, fault));
	return verdict;
}

static enum ck_verdict pack_file(const struct pd_buf *file, struct pd_buf *out, struct ck_fault *fault)
{
	struct ck_cert cert;
	pd_buf_init(out, SIZE_MAX / 2);
	enum ck_verdict verdict = read_file(&cert, file, fault);
	if (verdict == CK_VERIFIED)
		verdict = ck_packed_write(&cert, false, out, fault);
	ck_cert_close(&cert);
	return verdict;
}

static enum ck_verdict unpack_file(const struct pd_buf *file, struct pd_buf *out)
{
	struct ck_cert cert;
	struct ck_fault fault;
	pd_buf_init(out, SIZE_MAX / 2);
	enum ck_verdict verdict = read_file(&cert, file, &fault);
	if (verdict == CK_VERIFIED)
		pd_buf_put(out, cert.bytes, (size_t)cert.size);
	ck_cert_close(&cert);
	return verdict;
}

static bool are_equal(const struct pd_buf *a, const struct pd_buf *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

/* --- the same certificate ------------------------------------------------------------------ */

/* Packs a true certificate, unpacks it, judges what comes out by the other implementation, and packs it again. */
static void go_there_and_back(struct proof *p)
{
	struct pd_buf packed, plain, again;
	struct ck_fault fault;
	struct forge back;
	char why[200] = "";
	ck_assert_int_eq(result_of(&p->plain).verdict, CK_VERIFIED);
	ck_assert_msg(pack_file(&p->plain, &packed, &fault) == CK_VERIFIED, "%s: %s", p->game->name, fault.text);
	ck_assert_msg(result_of(&packed).verdict == CK_VERIFIED, "%s: %s", p->game->name,
		      result_of(&packed).fault.text);
	ck_assert_int_eq(unpack_file(&packed, &plain), CK_VERIFIED);
	ck_assert_int_eq(result_of(&plain).verdict, CK_VERIFIED);
	ck_assert(!strncmp(plain.data, "proofd certificate 4\n", 21));
	ck_assert(!strncmp(packed.data, "proofd certificate 6\n", 21));
	ck_assert(!memcmp(plain.data + 21, packed.data + 21, (size_t)(strstr(plain.data, "\n\n") - plain.data) - 21));
	ck_assert_msg(forge_read(&back, plain.data, plain.size), "%s: not in the form of format 4", p->game->name);
	ck_assert_msg(forge_judge(&back, p->game, p->truth, why) != FORGE_FALSE, "%s: %s", p->game->name, why);
	ck_assert_uint_le(back.count, p->forge.count);
	forge_fini(&back);
	ck_assert_int_eq(pack_file(&plain, &again, &fault), CK_VERIFIED);
	ck_assert(are_equal(&packed, &again));
	pd_buf_fini(&again);
	ck_assert_int_eq(pack_file(&packed, &again, &fault), CK_VERIFIED); /* a packed one can be packed */
	ck_assert(are_equal(&packed, &again));
	pd_buf_fini(&again);
	pd_buf_fini(&plain);
	pd_buf_fini(&packed);
}

/* Games in which positions repeat are refused with that reason. */
START_TEST(every_game_without_repetition_goes_there_and_back)
{
	const struct gamedata *rows = gamedata_read("proof");
	static const char *const claims[] = {"value", "first-wins", "first-draws"};
	uint64_t seed = walk_seed("packed", 3);
	unsigned packed = 0, refused = 0;
	for (unsigned i = 0; i < rows->count; i++) {
		const struct gamedata_row *row = &rows->row[i];
		struct proof p;
		struct ck_fault fault;
		struct pd_buf out;
		if (row->columns > 4)
			continue;
		make_proof(&p, row->column[0], row->column[1], i % 4 ? claims[i % 3] : row->column[2], false, &seed);
		if (p.game->acyclic) {
			go_there_and_back(&p);
			packed++;
		} else {
			ck_assert_int_eq(pack_file(&p.plain, &out, &fault), CK_REJECTED);
			ck_assert_msg(strstr(fault.text, "can be repeated"), "%s", fault.text);
			pd_buf_fini(&out);
			refused++;
		}
		free_proof(&p);
	}
	ck_assert_uint_gt(packed, 20);
	ck_assert_uint_gt(refused, 3);
}
END_TEST

START_TEST(cards_go_there_and_back)
{
	static const struct {
		const char *game, *position, *claim;
	} rows[] = {
		{"connect4:4x4", "1213", "value"},
		{"connect4:4x4", "", "value"},
		{"connect4:4x4", "22233", "second-draws"},
		{"connect4:3x6", "22", "value"},
		{"mnk:3,3,3", "", "value"},
		{"mnk:4,3,3", "b2 a1 d3", "value"},
		{"mnk:4,3,3,2,1", "b2", "value"},
		{"connect4:5x3", "333", "value"},
	};
	uint64_t seed = walk_seed("packed", 4);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct proof p;
		make_proof(&p, rows[i].game, rows[i].position, rows[i].claim, true, &seed);
		go_there_and_back(&p);
		free_proof(&p);
	}
}
END_TEST

/* --- strategies --------------------------------------------------------------------------- */

/* Gives cards of theorem 100 to the records of a certificate: random weights that hold within the record's rank, mostly
 * like the last ones. Returns how many. */
static unsigned add_strategies(struct proof *p, unsigned tries, uint64_t *seed)
{
	struct ck_game game;
	struct ck_position position;
	char why[CK_STRATEGY_WHY];
	unsigned made = 0;
	uint8_t weights[CK_WITNESS_MAX] = {1};
	ck_assert(!ck_open(&game, p->game->name, NULL, 0, NULL));
	struct ck_strategies *strategies = ck_strategies_new(&game, NULL, NULL);
	unsigned size = 1 + game.width * game.height;
	ck_assert_uint_le(size, FORGE_WITNESS_MAX);
	for (size_t i = 0; i < p->forge.count; i++) {
		struct forge_record *record = &p->forge.record[i];
		struct forge_reason *r = &record->reason[0];
		ck_assert(ck_decode(&game, record->key, record->key_size, &position));
		for (unsigned t = 0; t < tries; t++) {
			struct ck_card card = {r->flags & CK_FLAG_UPPER, r->bound, CK_STRATEGY, weights, size};
			unsigned plies;
			for (unsigned n = walk_below(seed, 4); n--;)
				weights[1 + walk_below(seed, size - 1)] = (uint8_t)(walk_below(seed, 20) - 6);
			if (ck_strategy_play(strategies, &position, &card, &plies, why) != CK_PLAY_HOLDS ||
			    plies > r->rank)
				continue;
			r->flags = (r->flags & CK_FLAG_UPPER) | CK_FLAG_RANK | CK_FLAG_CARD;
			r->theorem = CK_STRATEGY;
			r->size = size;
			memcpy(r->witness, weights, size);
			made++;
			break;
		}
	}
	ck_strategies_free(strategies);
	ck_close(&game);
	p->forge.format = 4;
	forge_fit(&p->forge);
	pd_buf_reset(&p->plain);
	forge_write(&p->forge, true, &p->plain);
	return made;
}

START_TEST(strategies_go_there_and_back)
{
	static const char *const games[] = {"connect4:4x4", "connect4:5x3", "mnk:3,3,3", "hex:3", "domineering:4x3"};
	uint64_t seed = walk_seed("packed", 5);
	for (unsigned i = 0; i < sizeof games / sizeof games[0]; i++) {
		struct proof p;
		make_proof(&p, games[i], "", "value", false, &seed);
		ck_assert_uint_gt(add_strategies(&p, 3, &seed), 5);
		go_there_and_back(&p);
		free_proof(&p);
	}
}
END_TEST

/* --- damage ------------------------------------------------------------------------------- */

/* A small packed certificate with cards and strategies. */
static void make_packed(struct proof *p, struct pd_buf *packed, const char *game, const char *position)
{
	uint64_t seed = 6;
	struct ck_fault fault;
	make_proof(p, game, position, "value", true, &seed);
	add_strategies(p, 1, &seed);
	ck_assert_int_eq(pack_file(&p->plain, packed, &fault), CK_VERIFIED);
	ck_assert_int_eq(result_of(packed).verdict, CK_VERIFIED);
}

/* Whether the file is refused, or stands for a certificate that is verified as well and is true. */
static bool is_refused_or_true(struct proof *p, const struct pd_buf *file, bool *verified)
{
	struct pd_buf plain;
	struct forge f;
	char why[200];
	struct ck_result result = result_of(file);
	*verified = result.verdict == CK_VERIFIED;
	bool good = *verified || result.fault.text[0];
	if (unpack_file(file, &plain) == CK_VERIFIED) {
		good = good && result_of(&plain).verdict == result.verdict;
		if (*verified && forge_read(&f, plain.data, plain.size)) {
			good = good && forge_judge(&f, p->game, p->truth, why) != FORGE_FALSE;
			forge_fini(&f);
		}
	} else {
		good = good && !*verified;
	}
	pd_buf_fini(&plain);
	return good;
}

/* The first byte after the header. */
static size_t body_of(const struct pd_buf *file)
{
	return (size_t)(strstr(file->data, "\n\n") + 2 - file->data);
}

START_TEST(a_changed_byte_is_refused_or_harmless)
{
	struct proof p;
	struct pd_buf packed;
	unsigned harmless = 0, stride = effort_stride();
	bool verified;
	make_packed(&p, &packed, "connect4:4x4", "1213");
	for (size_t at = 0; at < packed.size; at += at < body_of(&packed) ? stride : 1)
		for (unsigned bit = 0; bit < 9; bit++) {
			char old = packed.data[at];
			packed.data[at] ^= (char)(bit < 8 ? 1u << bit : 0xff);
			ck_assert_msg(is_refused_or_true(&p, &packed, &verified), "byte %zu, bit %u", at, bit);
			harmless += verified;
			packed.data[at] = old;
		}
	ck_assert_uint_lt(harmless, 9 * 4); /* in the last bytes, which decide little */
	pd_buf_fini(&packed);
	free_proof(&p);
}
END_TEST

/* The digest hides most damage from the check of the proof; here it is not compared. */
START_TEST(damaged_symbols_prove_nothing_false_without_the_digest)
{
	struct proof p;
	struct pd_buf packed;
	uint64_t seed = walk_seed("packed", 7);
	unsigned rounds = effort_of(3000, 100), read = 0;
	make_packed(&p, &packed, "connect4:4x4", "1213");
	size_t body = body_of(&packed);
	for (unsigned i = 0; i < rounds; i++) {
		size_t at = body + walk_below(&seed, (unsigned)(packed.size - body));
		char old = packed.data[at];
		struct ck_cert cert;
		struct ck_options options = {.threads = 1};
		struct ck_fault fault;
		struct ck_result result;
		packed.data[at] ^= (char)(1 + walk_below(&seed, 255));
		/* What is verified without the digest is a proof of the claim, and so is what it unpacks to. */
		ck_check((const uint8_t *)packed.data, packed.size, &options, &result);
		if (read_file(&cert, &packed, &fault) == CK_VERIFIED) {
			struct forge f;
			char why[200];
			struct pd_buf fit;
			read++;
			ck_assert(forge_read(&f, cert.bytes, cert.size));
			pd_buf_init(&fit, SIZE_MAX);
			forge_write(&f, true, &fit); /* corrects the digest */
			pd_buf_fini(&fit);
			bool is_false = forge_judge(&f, p.game, p.truth, why) == FORGE_FALSE;
			ck_assert_msg(!is_false || result.verdict == CK_REJECTED, "round %u: %s", i, why);
			forge_fini(&f);
		} else {
			ck_assert_int_eq(result.verdict, CK_REJECTED);
		}
		ck_cert_close(&cert);
		packed.data[at] = old;
	}
	ck_assert_uint_gt(read, 0);
	pd_buf_fini(&packed);
	free_proof(&p);
}
END_TEST

START_TEST(what_is_cut_off_or_left_over_is_refused)
{
	struct proof p;
	struct pd_buf packed;
	make_packed(&p, &packed, "mnk:3,3,3", "");
	size_t size = packed.size, body = body_of(&packed), cut_off = 0;
	while (--packed.size >= body) {
		struct ck_result result = result_of(&packed);
		ck_assert_int_eq(result.verdict, CK_REJECTED);
		cut_off += strstr(result.fault.text, "symbols end before") != NULL;
	}
	ck_assert_uint_gt(cut_off,
			  (size - body) / 2); /* zeros stand for the bytes missing, which may say what cannot be */
	packed.size = size;
	for (unsigned i = 0; i < 3; i++) {
		pd_buf_put(&packed, i == 1 ? "\x7f" : "", 1);
		ck_assert_int_eq(result_of(&packed).verdict, CK_REJECTED);
		ck_assert_msg(strstr(result_of(&packed).fault.text, "bytes follow"), "%s",
			      result_of(&packed).fault.text);
	}
	pd_buf_fini(&packed);
	free_proof(&p);
}
END_TEST

/* Random symbols after a true header: the walk ends, and nothing false is verified. */
START_TEST(random_symbols_prove_nothing_false)
{
	static const char *const games[] = {"connect4:4x4", "mnk:3,3,3", "hex:3", "nim:3,4,5"};
	uint64_t seed = walk_seed("packed", 8);
	unsigned rounds = effort_of(400, 20);
	for (unsigned g = 0; g < sizeof games / sizeof games[0]; g++) {
		struct proof p;
		struct pd_buf packed;
		struct ck_fault fault;
		make_proof(&p, games[g], "", "value", false, &seed);
		ck_assert_int_eq(pack_file(&p.plain, &packed, &fault), CK_VERIFIED);
		size_t body = body_of(&packed);
		for (unsigned i = 0; i < rounds; i++) {
			bool verified;
			packed.size = body;
			for (unsigned n = walk_below(&seed, 200), few = walk_below(&seed, 3); n--;) {
				char byte = (char)walk_below(&seed, few == 1 ? 2 : 256);
				pd_buf_put(&packed, &byte, 1);
			}
			ck_assert(is_refused_or_true(&p, &packed, &verified));
		}
		pd_buf_fini(&packed);
		free_proof(&p);
	}
}
END_TEST

/* A file whose likely symbols lead on for ever is refused before it takes the memory. */
START_TEST(a_bomb_is_refused)
{
	struct proof p;
	struct pd_buf packed;
	struct ck_fault fault;
	uint64_t seed = 9;
	make_proof(&p, "connect4:4x3", "", "value", false, &seed);
	forge_set(&p.forge, FORGE_game, "connect4:7x6");
	forge_set(&p.forge, FORGE_root, "00000000000000");
	pd_buf_reset(&p.plain);
	forge_write(&p.forge, true, &p.plain);
	ck_assert_int_eq(pack_file(&p.plain, &packed, &fault), CK_REJECTED); /* its records are of another game */
	ck_assert_msg(strstr(fault.text, "no record"), "%s", fault.text);
	pd_buf_fini(&packed);
	const char *after = strstr(p.plain.data, "blocks: ");
	pd_buf_init(&packed, SIZE_MAX);
	pd_buf_put(&packed, p.plain.data, (size_t)(after - p.plain.data));
	pd_buf_puts(&packed, "cards: 0\n");
	pd_buf_put(&packed, after, body_of(&p.plain) - (size_t)(after - p.plain.data));
	packed.data[CK_FORMAT_DIGIT] = '6';
	for (unsigned i = 0; i < 1000; i++)
		pd_buf_put(&packed, "\xff", 1); /* no card, and the last move */
	struct ck_result result = result_of(&packed);
	ck_assert_int_eq(result.verdict, CK_REJECTED);
	ck_assert_msg(strstr(result.fault.text, "larger than a packed file of this size"), "%s", result.fault.text);
	pd_buf_fini(&packed);
	free_proof(&p);
}
END_TEST

/* --- the coder ---------------------------------------------------------------------------- */

START_TEST(bits_come_back_as_they_were_written)
{
	uint64_t seed = walk_seed("packed", 10);
	for (unsigned round = 0; round < 200; round++) {
		struct ck_chance write[8] = {0}, read[8] = {0}, tree[2][64] = {0};
		struct ck_range range;
		struct pd_buf out;
		uint8_t bit[3000], context[3000];
		unsigned bits = walk_below(&seed, 3000), rare = 1 + walk_below(&seed, 300),
			 number = walk_below(&seed, 64);
		pd_buf_init(&out, SIZE_MAX);
		ck_range_write(&range, &out);
		for (unsigned i = 0; i < bits; i++) {
			context[i] = (uint8_t)walk_below(&seed, 8);
			bit[i] = walk_below(&seed, rare) == 0;
			ck_assert_uint_eq(ck_range_bit(&range, &write[context[i]], bit[i]), bit[i]);
		}
		ck_assert_uint_eq(ck_range_tree(&range, tree[0], 6, number), number);
		ck_range_end(&range);
		ck_assert_uint_eq(range.used + 1, out.size);
		ck_range_read(&range, (const uint8_t *)out.data, out.size);
		for (unsigned i = 0; i < bits; i++)
			ck_assert_uint_eq(ck_range_bit(&range, &read[context[i]], 0), bit[i]);
		ck_assert_uint_eq(ck_range_tree(&range, tree[1], 6, 0), number);
		ck_assert(ck_range_end(&range));
		ck_assert(rare < 100 || bits < 1000 || out.size < bits / 16);
		pd_buf_fini(&out);
	}
}
END_TEST

SUITE(packed)
{
	tcase_set_timeout(c, 100);
	tcase_add_test(c, every_game_without_repetition_goes_there_and_back);
	tcase_add_test(c, cards_go_there_and_back);
	tcase_add_test(c, strategies_go_there_and_back);
	tcase_add_test(c, a_changed_byte_is_refused_or_harmless);
	tcase_add_test(c, damaged_symbols_prove_nothing_false_without_the_digest);
	tcase_add_test(c, what_is_cut_off_or_left_over_is_refused);
	tcase_add_test(c, random_symbols_prove_nothing_false);
	tcase_add_test(c, a_bomb_is_refused);
	tcase_add_test(c, bits_come_back_as_they_were_written);
}
