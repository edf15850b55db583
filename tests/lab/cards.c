/* Cards: cards of small boards, honest and forged, held against the truth (tests/proofcheck/card_attack.h).
 *
 *	lab cards [N] [BOARD...] [--seed S] [--share]
 *
 * Of each board all positions are analysed; then random ones are asked for their cards, and as many are forged, until
 * all boards together have N (a million); with BOARDs, of those alone. Prints a row a board. What the checker accepts
 * of T1, T2 and T5 a second reading of the theorems (card_text.h) must accept. `--share`: some thousands, of the
 * smallest boards. Exit status 1: a card accepted that is false, an honest one refused, a card of the solver that the
 * checker does not find, or one that only the checker accepts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/proofcheck/card_attack.h"
#include "tests/proofcheck/card_text.h"
#include "tests/support/program.h"
#include "tests/support/retro.h"
#include "tests/support/walk.h"

static const struct {
	const char *game;
	bool small;
} boards[] = {
	{"connect4:4x4", true},
	{"connect4:5x4", false},
	{"connect4:4x5", false},
	{"mnk:3,3,3", true},
	{"mnk:4,3,3", true},
	{"mnk:4,3,3,exact", true},
	{"mnk:4,3,3,2,1", true},
	{"mnk:4,3,3,2,2", true},
	{"mnk:4,3,3,3,1", true},
	{"mnk:4,3,3,1,2,exact", true},
	{"mnk:5,2,3,exact", true},
	{"mnk:5,3,3", false},
	{"mnk:5,3,3,2,1", false},
	{"mnk:5,3,3,3,1", false},
	{"mnk:5,3,3,1,2", false},
	{"mnk:5,3,3,exact", false},
	{"mnk:5,3,3,2,1,exact", false},
	{"mnk:4,4,3", false},
};

enum { BOARDS = sizeof boards / sizeof *boards, POSITIONS_MAX = 12000000, FORGED_A_POSITION = 4, SHARE = 20000 };

static uint64_t differences;

static bool verify_twice(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			 unsigned *plies)
{
	unsigned again;
	bool good = g->rules->card(g, p, card, plies);
	if (good && card->theorem <= 5)
		differences += !card_text_verify(g, p, card, &again) || again != *plies;
	return good;
}

/* Attacks one board; returns the faults. */
static uint64_t attack_board(const char *game, uint64_t forged, uint64_t seed, uint64_t *sum)
{
	struct card_attack a;
	card_attack_open(&a, game, POSITIONS_MAX, seed);
	uint32_t all = retro_positions(a.truth);
	while (a.forged < forged)
		card_attack_position(&a, (uint32_t)(walk_random(&a.seed) % all), FORGED_A_POSITION, verify_twice);
	uint64_t faults = a.wrong + a.refused + a.missed + differences;
	printf("| %-20s | %9u | %8" PRIu64 " | %8" PRIu64 " | %8" PRIu64 " | %8" PRIu64 " | %" PRIu64
	       " | %.2f | %.2f |\n",
	       game, all, a.positions, a.honest + a.found, a.forged, a.accepted, faults,
	       (double)a.card_ns / 1e3 / (double)a.cards, (double)a.find_ns / 1e3 / (double)a.finds);
	if (faults)
		printf("FAULT: %s; %" PRIu64 " differences\n", a.fault, differences);
	fflush(stdout);
	*sum += a.forged;
	differences = 0;
	card_attack_close(&a);
	return faults;
}

PROGRAM(cards)
{
	uint64_t forged = 1000000, seed = walk_seed("lab.cards", 1), faults = 0, sum = 0;
	bool share = false;
	const char *chosen[BOARDS];
	unsigned count = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--share")) {
			share = true;
			forged = SHARE;
		} else if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
			seed = strtoull(argv[++i], NULL, 10);
		} else if (argv[i][0] >= '1' && argv[i][0] <= '9') {
			forged = strtoull(argv[i], NULL, 10);
		} else if (strchr(argv[i], ':') && count < BOARDS) {
			chosen[count++] = argv[i];
		} else {
			fprintf(stderr, "usage: ./dev lab cards [N] [BOARD...] [--seed S] | --share\n");
			return 2;
		}
	}
	printf("| board | positions | asked | honest cards | forged | accepted | faults | us a card | us a search |\n");
	printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < count; i++)
		faults += attack_board(chosen[i], forged / count + 1, seed + i, &sum);
	for (unsigned i = 0; i < BOARDS && !count; i++)
		if (boards[i].small || !share)
			faults += attack_board(boards[i].game, forged / BOARDS + 1, seed + i, &sum);
	printf("%" PRIu64 " forged cards, %" PRIu64 " faults\n", sum, faults);
	return faults ? 1 : 0;
}
