/* Forced wins of Lines of Action from self-play: the set for comparing the algorithms, since those of the papers are
 * not to be had.
 *
 * Usage: bench selfplay [COUNT [SEED]]          (100 and 1; the set in tests/data/loa/selfplay.tsv is what that prints)
 *
 * Two players that look one ply ahead: they win when they can, and else bring their men together and the other's apart,
 * with some luck; the first plies are luck alone. From the end of each game backwards the winner's positions are asked
 * (dfpn-pn) until one is not answered; the earliest answered one is taken, once a game, when it cost nodes enough not
 * to be trivial. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/random.h"
#include "tests/support/asking.h"
#include "tests/support/program.h"

enum {
	PLIES_MAX = 120,
	LUCKY_PLIES = 6,
	LUCK = 12,            /* as much as this is added to what a move is worth, in squares of distances */
	NODES_LEAST = 50000,  /* of a position worth keeping */
	NODES_MOST = 5000000, /* of one question */
	TEXT = 128
};

struct play_game {
	struct game *game;
	uint64_t random;
	unsigned plies;
	char text[PLIES_MAX + 1][TEXT];
	bool first[PLIES_MAX + 1]; /* who was to move */
	int value;                 /* 1: First won; 0: a draw */
};

static uint64_t draw_number(uint64_t *random, uint64_t below)
{
	return pd_random_next(random) % below;
}

/* Mean of the squared distances of a side's men from where their centre is, times the number of men. */
static double spread(const char *text, char man)
{
	double n = 0, x = 0, y = 0, squares = 0;
	for (int row = 0, column = 0; *text != ' '; text++) {
		if (*text == man) {
			n++;
			x += column;
			y += row;
			squares += row * row + column * column;
		}
		row += *text == '/';
		column = *text == '/' ? 0 : column + (*text >= '1' && *text <= '9' ? *text - '0' : 1);
	}
	return n > 0 ? squares - (x * x + y * y) / n : 0;
}

static game_move choose(struct play_game *p, const void *state)
{
	const struct game_rules *rules = p->game->rules;
	game_move moves[512];
	_Alignas(16) uint8_t next[GAME_STATE_MAX];
	unsigned count = rules->moves(p->game, state, moves), best = 0;
	bool first = rules->first_to_move(p->game, state);
	double least = 1e9;
	if (p->plies < LUCKY_PLIES)
		return moves[draw_number(&p->random, count)];
	for (unsigned i = 0; i < count; i++) {
		int value;
		char text[TEXT];
		memcpy(next, state, p->game->state_size);
		rules->play(p->game, next, moves[i]);
		if (rules->terminal(p->game, next, &value)) {
			if (value == (first ? 1 : -1))
				return moves[i];
			continue;
		}
		rules->print(p->game, next, text, sizeof text);
		double worth = spread(text, first ? 'b' : 'w') - spread(text, first ? 'w' : 'b') +
			       (double)draw_number(&p->random, LUCK * 1000) / 1000;
		if (worth < least) {
			least = worth;
			best = i;
		}
	}
	return moves[best];
}

/* One game, to the end or to the greatest number of plies. */
static void play_game(struct play_game *p)
{
	const struct game_rules *rules = p->game->rules;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	rules->start(p->game, state);
	p->value = 0;
	for (p->plies = 0; p->plies < PLIES_MAX && !rules->terminal(p->game, state, &p->value); p->plies++) {
		rules->print(p->game, state, p->text[p->plies], TEXT);
		p->first[p->plies] = rules->first_to_move(p->game, state);
		rules->play(p->game, state, choose(p, state));
	}
}

/* The earliest position of the game's end that is a proved win for the side to move; prints it. False when none is
 * worth it. */
static bool keep(const struct play_game *p)
{
	uint64_t nodes = 0;
	unsigned at = PLIES_MAX;
	const char *claim = p->value > 0 ? "first-wins" : "second-wins";
	for (unsigned i = p->plies; p->value && i-- > 0;) {
		if (p->first[i] != (p->value > 0))
			continue;
		struct asking asking = {.game = "loa:8", .position = p->text[i], .claim = claim, .nodes = NODES_MOST};
		struct asked asked;
		pn_options_init(&asking.options);
		asking.options.algorithm = PN_DFPN_PN;
		asking.options.memory = 64 << 20;
		asking_run(&asking, &asked);
		if (!asked.answer.answered || !asked.answer.yes)
			break;
		at = i;
		nodes = asked.nodes;
	}
	if (nodes < NODES_LEAST)
		return false;
	printf("loa:8\t%s\t%s\t%d\t%d\t%llu\n", p->text[at], claim, p->value, p->value, (unsigned long long)nodes);
	fflush(stdout);
	return true;
}

PROGRAM(selfplay)
{
	struct pd_fail fail;
	struct play_game p = {.random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
	unsigned wanted = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100, games = 0;
	if (game_open("loa:8", NULL, &p.game, &fail)) {
		fprintf(stderr, "%s\n", fail.text);
		return 2;
	}
	printf("# game\tposition\tclaim\tlo\thi\tnodes of dfpn-pn when it was found\n");
	for (unsigned kept = 0; kept < wanted; games++) {
		play_game(&p);
		kept += keep(&p);
	}
	fprintf(stderr, "%u positions of %u games\n", wanted, games);
	game_close(p.game);
	return 0;
}
