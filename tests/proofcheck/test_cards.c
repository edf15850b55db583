/* Cards of small boards: every honest one is accepted, none that is false; find_card finds what the solver finds. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/proofcheck/card_attack.h"
#include "tests/support/effort.h"
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
	ck_assert_uint_gt(a.honest, 0);
	card_attack_close(&a);
}
END_TEST

SUITE(cards)
{
	tcase_set_timeout(c, 500);
	tcase_add_loop_test(c, cards_are_accepted_when_they_are_true, 0, BOARDS);
}
