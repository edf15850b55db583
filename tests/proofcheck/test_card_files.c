/* Certificates with cards, fault by fault: each is rejected for its own reason. Wins at once count as rank 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/check.h"
#include "tests/proofcheck/forge.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct ck_result result_of(const struct pd_buf *file)
{
	struct ck_options options = {.threads = 1};
	struct ck_result result;
	/* A copy of exactly the file's size, so that a sanitizer detects every read beyond it. */
	uint8_t *exact = malloc(file->size);
	memcpy(exact, file->data, file->size);
	ck_check(exact, file->size, &options, &result);
	free(exact);
	return result;
}

static void expect_verdict(const struct pd_buf *file, const char *words)
{
	struct ck_result result = result_of(file);
	enum ck_verdict verdict = *words ? CK_REJECTED : CK_VERIFIED;
	ck_assert_msg(result.verdict == verdict && (!*words || strstr(result.fault.text, words)),
		      "verdict %d, '%s'; should be %d, '%s'", result.verdict, result.fault.text, verdict, words);
}

/* A claim about a position of a game, with one record or none. */
static void make_file(struct forge *f, const char *name, const char *position, const char *claim)
{
	struct game *game;
	struct walk_state state;
	uint8_t key[GAME_KEY_MAX];
	char hex[2 * GAME_KEY_MAX + 1];
	ck_assert(!game_open(name, NULL, &game, NULL));
	ck_assert(!game->rules->parse(game, position, &state, NULL));
	size_t size = game->rules->key(game, &state, key);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	memset(f, 0, sizeof *f);
	f->format = 4;
	f->record = calloc(2, sizeof *f->record);
	f->count = f->capacity = 1;
	memcpy(f->record[0].key, key, size);
	f->record[0].key_size = size;
	f->record[0].count = 1;
	forge_set(f, FORGE_game, "%s", name);
	forge_set(f, FORGE_rules, "%llu", (unsigned long long)game->rules_version);
	forge_set(f, FORGE_engine, "hand");
	forge_set(f, FORGE_position, "%s", position);
	forge_set(f, FORGE_root, "%s", hex);
	forge_set(f, FORGE_claim, "%s", claim);
	forge_set(f, FORGE_status, "proved");
	forge_set(f, FORGE_lo, "%d", atoi(claim + strlen("first>=")));
	forge_set(f, FORGE_hi, "-");
	forge_set(f, FORGE_detail, "frontier");
	game_close(game);
}

static void write_fit(struct forge *f, struct pd_buf *file)
{
	forge_fit(f);
	pd_buf_init(file, SIZE_MAX);
	forge_write(f, true, file);
}

/* --- one card ----------------------------------------------------------------------------- */

/* m,n,k on three times three after b2: four pairs hold Second off (T5). */
static const uint8_t witness[] = {2, 0, 0, 1, 0, 2, 3, 0, 6, 0, 2, 7, 0, 8, 0, 2, 2, 0, 5, 0};

static void make_card(struct forge *f)
{
	make_file(f, "mnk:3,3,3", "b2", "first>=0");
	struct forge_reason *r = &f->record[0].reason[0];
	*r = (struct forge_reason){.flags = 2 | 16, .rank = 8, .theorem = 5, .size = sizeof witness};
	memcpy(r->witness, witness, sizeof witness);
}

/* What is changed in the reason; `byte` of the witness, if `at` is one of its bytes. */
static const struct {
	unsigned flags; /* changed ones */
	uint64_t rank, theorem;
	unsigned size, at;
	uint8_t byte;
	const char *words; /* "": it is verified */
} cards[] = {
	{0, 8, 5, 20, 99, 0, ""},
	{0, 9, 5, 20, 99, 0, ""},
	{0, 7, 5, 20, 99, 0, "gives the bound within 8 plies"},
	{0, 1, 5, 20, 99, 0, "gives the bound within 8 plies"},
	{0, 0, 5, 20, 99, 0, "the rank of a reason"},
	{1, 8, 5, 20, 99, 0, "the root should have at least 0"},
	{2, 8, 5, 20, 99, 0, "should have a rank"},
	{4, 8, 5, 20, 99, 0, "no move and no effort"},
	{8, 8, 5, 20, 99, 0, "no move and no effort"},
	{32, 8, 5, 20, 99, 0, "unknown flags"},
	{0, 8, 0, 20, 99, 0, "the theorem of a card"},
	{0, 8, 65536, 20, 99, 0, "the theorem of a card"},
	{0, 8, 1, 20, 99, 0, "theorem 1 with this witness"},
	{0, 8, 6, 20, 99, 0, "theorem 6 with this witness"},
	{0, 8, 65535, 20, 99, 0, "theorem 65535 with this witness"},
	{0, 8, 5, 19, 99, 0, "witness of 19 bytes"}, /* a group cut off */
	{0, 8, 5, 15, 99, 0, "does not give"},       /* a group less */
	{0, 8, 5, 0, 99, 0, "does not give"},
	{0, 8, 5, 25, 20, 2, "does not give"}, /* one more, which begins with a1 again */
	{0, 8, 5, 20, 0, 1, "does not give"},
	{0, 8, 5, 20, 0, 0, "does not give"},
	{0, 8, 5, 20, 0, 9, "does not give"}, /* one group, of nine squares, and a tenth of a byte */
	{0, 8, 5, 20, 0, 255, "does not give"},
	{0, 8, 5, 20, 1, 4, "does not give"}, /* the stone */
	{0, 8, 5, 20, 1, 1, "does not give"}, /* b1 twice */
	{0, 8, 5, 20, 1, 9, "does not give"}, /* off the board */
	{0, 8, 5, 20, 2, 1, "does not give"}, /* far off the board */
	{0, 8, 5, 20, 1, 2, "does not give"}, /* in two groups */
};

START_TEST(a_wrong_card_is_refused)
{
	struct forge f;
	struct pd_buf file;
	make_card(&f);
	struct forge_reason *r = &f.record[0].reason[0];
	r->flags ^= cards[_i].flags;
	r->rank = cards[_i].rank;
	r->theorem = cards[_i].theorem;
	r->size = cards[_i].size;
	if (cards[_i].at < FORGE_WITNESS_MAX)
		r->witness[cards[_i].at] = cards[_i].byte;
	if (r->flags & 4)
		r->move = 1;
	if (r->flags & 8)
		r->effort = 1;
	write_fit(&f, &file);
	expect_verdict(&file, cards[_i].words);
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

/* Bytes of the block: 0 u32 size, 4 u16 count, 6 shared, 7 rest, 8 key (3), 11 reasons, 12 flags, 13 bound, 14 rank, 15
 * theorem, 16 size of the witness. */
START_TEST(a_card_that_is_cut_off_is_refused)
{
	struct forge f;
	struct pd_buf file;
	make_card(&f);
	write_fit(&f, &file);
	uint8_t *body = (uint8_t *)strstr(file.data, "\n\n") + 2;
	ck_assert_uint_eq(body[16], sizeof witness);
	body[16] = sizeof witness + 1;
	expect_verdict(&file, "a witness is cut off");
	body[16] = 0x81; /* 513, as two bytes */
	body[17] = 4;
	expect_verdict(&file, "the size of a witness");
	body[17] = 0;
	expect_verdict(&file, "the size of a witness");
	body[16] = sizeof witness - 1;
	expect_verdict(&file, "bytes follow");
	body[15] = 0x80;
	body[16] = 0;
	expect_verdict(&file, "the theorem of a card");
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

START_TEST(a_card_belongs_to_its_formats)
{
	struct forge f;
	struct pd_buf file, again;
	make_card(&f);
	write_fit(&f, &file);
	pd_buf_init(&again, SIZE_MAX);
	pd_buf_put(&again, file.data, file.size);
	forge_pack(&again, 512);
	ck_assert_int_eq(again.data[strlen("proofd certificate ")], '5');
	expect_verdict(&again, "");
	pd_buf_fini(&again);
	forge_set(&f, FORGE_cards, "0");
	forge_write(&f, true, &file);
	expect_verdict(&file, "the header says 0 cards, but there are 1");
	forge_set(&f, FORGE_cards, "x");
	forge_write(&f, true, &file);
	expect_verdict(&file, "'cards' in the header must be a decimal number");
	forge_fit(&f);
	f.format = 2;
	forge_write(&f, true, &file);
	expect_verdict(&file, "unknown flags");
	file.data[strlen("proofd certificate ")] = '4'; /* without the line `cards` */
	expect_verdict(&file, "next line should be 'cards: ...'");
	f.format = 4;
	forge_write(&f, true, &file);
	file.data[strlen("proofd certificate ")] = '2'; /* with it */
	expect_verdict(&file, "next line should be 'blocks: ...'");
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

START_TEST(a_card_of_another_position_or_game_is_refused)
{
	struct forge f;
	struct pd_buf file;
	make_card(&f);
	struct forge_reason card = f.record[0].reason[0];
	forge_fini(&f);
	make_file(&f, "mnk:3,3,3", "a1", "first>=0");
	f.record[0].reason[0] = card;
	write_fit(&f, &file);
	expect_verdict(&file, "does not give at least 0");
	pd_buf_fini(&file);
	forge_fini(&f);
	make_file(&f, "nim:1,2", "", "first>=1");
	f.record[0].reason[0] = card;
	f.record[0].reason[0].bound = 1;
	write_fit(&f, &file);
	expect_verdict(&file, "knows no theorems of nim");
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

/* --- wins at once --------------------------------------------------------------------------- */

/* Second is to move and cannot stop two threats: every move lets First win at once. */
START_TEST(a_win_at_once_needs_no_record)
{
	static const struct {
		unsigned format;
		uint64_t rank;
		const char *words;
	} rows[] = {{4, 2, ""}, {4, 3, ""}, {4, 1, "with a rank below 1"}, {2, 2, "it has no record"}};
	struct forge f;
	struct pd_buf file;
	make_file(&f, "mnk:3,3,3", "a1 b2 b1 c3 a2", "first>=1");
	f.record[0].reason[0] = (struct forge_reason){.flags = 2, .bound = 1, .rank = rows[_i].rank};
	f.format = rows[_i].format;
	write_fit(&f, &file);
	expect_verdict(&file, rows[_i].words);
	pd_buf_fini(&file);
	forge_fini(&f);
}
END_TEST

START_TEST(a_root_that_wins_at_once_needs_its_record)
{
	struct forge f;
	struct pd_buf file;
	make_file(&f, "mnk:3,3,3", "a1 b2 b1 c3 a2 c1", "first>=1");
	f.record[0].reason[0] = (struct forge_reason){.flags = 2 | 4, .bound = 1, .rank = 1};
	struct ck_game game;
	struct ck_position p;
	ck_assert(!ck_open(&game, "mnk:3,3,3", "", 0, NULL));
	ck_assert(ck_decode(&game, f.record[0].key, f.record[0].key_size, &p));
	for (uint16_t move = 0; move < 9; move++) { /* the winning move in the frame of the key */
		struct ck_position next = p;
		int value;
		if (p.at[move])
			continue;
		game.rules->play(&game, &next, move);
		if (game.rules->over(&game, &next, &value) && value == 1)
			f.record[0].reason[0].move = move;
	}
	write_fit(&f, &file);
	expect_verdict(&file, "");
	pd_buf_fini(&file);
	f.count = 0;
	write_fit(&f, &file);
	expect_verdict(&file, "the root");
	pd_buf_fini(&file);
	forge_fini(&f);
	ck_close(&game);
}
END_TEST

SUITE(card_files)
{
	tcase_add_loop_test(c, a_wrong_card_is_refused, 0, sizeof cards / sizeof *cards);
	tcase_add_test(c, a_card_that_is_cut_off_is_refused);
	tcase_add_test(c, a_card_belongs_to_its_formats);
	tcase_add_test(c, a_card_of_another_position_or_game_is_refused);
	tcase_add_loop_test(c, a_win_at_once_needs_no_record, 0, 4);
	tcase_add_test(c, a_root_that_wins_at_once_needs_its_record);
}
