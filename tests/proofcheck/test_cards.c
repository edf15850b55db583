/* Cards of small boards: every honest one is accepted, none that is false; find_card finds what the solver finds. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/proofcheck/card_attack.h"
#include "tests/proofcheck/card_text.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static const struct {
	const char *game;
	bool large; /* left out of a share */
} boards[] = {
	{"connect4:4x4", false},    {"connect4:3x6", false},        {"mnk:3,3,3", false},
	{"mnk:4,3,3", false},       {"mnk:4,3,3,2,1", false},       {"mnk:4,3,3,2,2", false},
	{"mnk:4,3,3,3,1", false},   {"mnk:4,3,3,1,2", false},       {"mnk:4,3,3,exact", false},
	{"mnk:5,2,3,exact", false}, {"mnk:4,3,3,2,1,exact", false}, {"mnk:5,3,3", true},
	{"mnk:4,4,4", true},
};

enum { BOARDS = sizeof boards / sizeof *boards, POSITIONS_MAX = 12000000 };

START_TEST(cards_are_accepted_when_they_are_true)
{
	struct card_attack a;
	if (boards[_i].large && !effort_whole())
		return;
	card_attack_open(&a, boards[_i].game, POSITIONS_MAX, walk_seed("proofcheck.cards", 7 + (uint64_t)_i));
	uint32_t all = retro_positions(a.truth), stride = effort_stride();
	for (uint32_t i = 0; i < all; i += stride)
		card_attack_position(&a, i, 2, NULL);
	printf("%s: %" PRIu64 " positions; solver %" PRIu64 " cards, find_card %" PRIu64 " more; forged %" PRIu64
	       ", accepted %" PRIu64 ", false %" PRIu64 "; %.1f us a card, %.1f us a search for one\n",
	       boards[_i].game, a.positions, a.honest, a.more, a.forged, a.accepted, a.wrong,
	       (double)a.card_ns / 1e3 / (double)a.cards, (double)a.find_ns / 1e3 / (double)a.finds);
	ck_assert_msg(!a.wrong && !a.refused && !a.missed, "%s", a.fault);
	ck_assert(a.honest > 0 || !effort_whole());
	card_attack_close(&a);
}
END_TEST

/* --- one square wrong --------------------------------------------------------------------- */

static bool differs; /* the checker accepted a card that the text refuses */

static bool verify_twice(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			 unsigned *plies)
{
	unsigned again;
	bool good = g->rules->card(g, p, card, plies);
	if (good)
		differs |= !card_text_verify(g, p, card, &again) || again != *plies;
	return good;
}

static const struct {
	const char *game;
	unsigned forge;
	enum card_mistake from, to; /* mistakes that false cards of the game have to find */
	unsigned without;           /* a mistake among them that rarely makes anything false here */
} texts[] = {
	{"connect4:4x4", 3, CARD_OWN, CARD_LAST_CONNECT4, 0},
	{"mnk:3,3,3", 500, CARD_SIZE, CARD_BEYOND, 0},
	{"mnk:4,3,3", 8, CARD_SIZE, CARD_EXACT, CARD_SHARED},
	{"mnk:5,2,3,exact", 80, CARD_SIZE, CARD_TURN, CARD_SHARED},
	{"mnk:4,3,3,2,1", 120, CARD_SIZE, CARD_SHARED, 0},
	{"mnk:4,3,3", 40, CARD_MOVES, CARD_LAST, 0},
};

/* Forged cards find each mistake of one square, and the text without a mistake accepts what the checker accepts, and
 * nothing that is false. */
START_TEST(a_theorem_that_is_wrong_by_one_square_is_found_out)
{
	struct card_attack a;
	card_attack_open(&a, texts[_i].game, POSITIONS_MAX, walk_seed("proofcheck.mistakes", 3));
	uint32_t all = retro_positions(a.truth), stride = all > 1000 ? effort_stride() : 1;
	unsigned forge = texts[_i].forge;
	card_text_mistake = CARD_NO_MISTAKE;
	for (uint32_t i = 0; i < all; i += stride)
		card_attack_position(&a, i, forge, verify_twice);
	for (uint32_t i = 0; i < all; i += stride)
		card_attack_position(&a, i, forge, card_text_verify);
	ck_assert_msg(!a.wrong && !a.refused && !differs, "%s", a.fault);
	printf("%s: %" PRIu64 " forged, %" PRIu64 " accepted; false with a mistake:", texts[_i].game, a.forged,
	       a.accepted);
	for (int m = (int)texts[_i].from; m < (int)texts[_i].to; m++) {
		uint64_t before = a.wrong;
		card_text_mistake = (enum card_mistake)m;
		for (uint32_t i = 0; i < all; i += stride)
			card_attack_position(&a, i, forge, card_text_verify);
		printf(" %" PRIu64, a.wrong - before);
		if (effort_whole() && m != (int)texts[_i].without)
			ck_assert_msg(a.wrong > before, "%s: mistake %d", texts[_i].game, m);
	}
	printf("\n");
	ck_assert_uint_gt(a.wrong, 0);
	card_attack_close(&a);
}
END_TEST

/* Pairs that hold First off when it puts one stone prove nothing when it puts two on its first turn. */
START_TEST(groups_are_for_the_stones_of_one_turn)
{
	struct ck_game one, two;
	struct ck_position p;
	struct ck_card card;
	uint8_t room[CK_WITNESS_MAX];
	unsigned plies;
	ck_assert(!ck_open(&one, "mnk:5,2,3", NULL, 0, NULL) && !ck_open(&two, "mnk:5,2,3,1,2", NULL, 0, NULL));
	ck_assert(!one.rules->read(&one, "", &p));
	ck_assert(one.rules->find_card(&one, &p, true, 0, &card, room));
	ck_assert(one.rules->card(&one, &p, &card, &plies) && plies == 10);
	ck_assert(!two.rules->card(&two, &p, &card, &plies));
	ck_assert(!two.rules->find_card(&two, &p, true, 0, &card, room));
	card_text_mistake = CARD_TURN;
	ck_assert(one.rules->find_card(&one, &p, true, 0, &card, room));
	ck_assert(card_text_verify(&two, &p, &card, &plies));
	struct oracle *oracle;
	struct walk_state s = {{0}};
	struct game *game;
	ck_assert(!game_open("mnk:5,2,3,1,2", NULL, &game, NULL));
	oracle = oracle_new(game);
	game->rules->start(game, &s);
	ck_assert_int_eq(oracle_value(oracle, &s), 1); /* First wins */
	oracle_free(oracle);
	game_close(game);
	ck_close(&one);
	ck_close(&two);
}
END_TEST

SUITE(cards)
{
	tcase_set_timeout(c, 500);
	tcase_add_loop_test(c, cards_are_accepted_when_they_are_true, 0, BOARDS);
	tcase_add_test(c, groups_are_for_the_stones_of_one_turn);
	tcase_add_loop_test(c, a_theorem_that_is_wrong_by_one_square_is_found_out, 0, sizeof texts / sizeof *texts);
}
