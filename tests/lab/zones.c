/* Zones: theorem 103 late in random games of small boards, held against a search by the rules alone.
 *
 *	lab zones [CLAIMS] [--seed S] [--share]
 *
 * At random positions a zone is found for each side and bound; then its list is changed. Whatever an answer of a found
 * or a changed list says after a reply, that the bound holds within so many plies, is a claim, and is searched to the
 * end by the solver's rules: a million. Exit status 1: a claim was wrong. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/view.h"
#include "clients/proofcheck/zone.h"
#include "proto/base/identity.h"
#include "solver/games/game.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum { TABLE = 1 << 20, CHANGES = 4, SHARE = 4000 };

static const struct {
	const char *game;
	unsigned empty; /* most empty squares */
} boards[] = {{"mnk:4,4,4", 9}, {"mnk:5,4,4", 9},     {"hex:4", 11},          {"mnk:4,3,3", 10},
	      {"hex:4x3", 12},  {"mnk:5,3,3,2,1", 9}, {"mnk:4,4,3,exact", 9}, {"breakthrough:3x4", 0}};

enum { BOARDS = sizeof boards / sizeof *boards };

/* Whether a bound is forced within some number of plies, in the table of all boards. */
static struct known {
	struct pd_id id;
	bool used, holds;
} table[TABLE];

struct board {
	struct game *game;
	struct ck_game mine;
	unsigned number; /* of its row */
	uint64_t seed;
	uint64_t zones, answers, covered; /* found; their answers; the replies that these cover */
	uint64_t changed, claims, wrong;
};

/* A claim: the side of the bound forces it. */
struct aim {
	bool upper;
	int64_t bound;
};

static bool is_forced(struct board *b, const void *state, struct aim aim, unsigned plies)
{
	const struct game_rules *rules = b->game->rules;
	uint8_t key[GAME_KEY_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct walk_state child;
	int value;
	if (rules->terminal(b->game, state, &value))
		return aim.upper ? value <= aim.bound : value >= aim.bound;
	if (!plies)
		return false;
	struct pd_id id = pd_identity_of(0, key, rules->key(b->game, state, key));
	id.hi ^= (uint64_t)b->number << 20 | (uint64_t)plies << 4 | (uint64_t)(aim.bound + 1) << 1 | aim.upper;
	struct known *known = &table[(id.lo ^ id.hi) % TABLE];
	if (known->used && !memcmp(&known->id, &id, sizeof id))
		return known->holds;
	bool own = rules->first_to_move(b->game, state) != aim.upper, holds = !own;
	unsigned count = rules->moves(b->game, state, moves);
	for (unsigned i = 0; i < count && holds != own; i++) {
		memcpy(&child, state, b->game->state_size);
		rules->play(b->game, &child, moves[i]);
		holds = is_forced(b, &child, aim, plies - 1);
	}
	*known = (struct known){id, true, holds};
	return holds;
}

/* Searches all that a list says after the replies at a position; returns how many replies it covers. */
static unsigned judge_list(struct board *b, const struct ck_position *p, const struct ck_card *card)
{
	const struct ck_rules *rules = b->mine.rules;
	struct ck_zone zone;
	uint16_t moves[CK_MOVES_MAX];
	unsigned covered = 0, count = ck_zone_read(card, &zone) ? rules->moves(&b->mine, p, moves) : 0;
	for (unsigned i = 0; i < count; i++) {
		struct ck_position child = *p;
		uint8_t key[CK_KEY_MAX];
		struct walk_state s;
		rules->play(&b->mine, &child, moves[i]);
		unsigned plies = ck_zone_plies(&b->mine, &zone, &child, UINT64_MAX);
		if (!plies)
			continue;
		covered++;
		b->claims++;
		if (!b->game->rules->unkey(b->game, key, rules->encode(&b->mine, &child, key), &s) &&
		    is_forced(b, &s, (struct aim){card->upper, card->bound}, plies))
			continue;
		char text[CK_TEXT_MAX];
		rules->print(&b->mine, &child, text);
		b->wrong++;
		printf("WRONG: %s %s, at %s %" PRId64 " within %u plies, by", b->mine.name, text,
		       card->upper ? "most" : "least", card->bound, plies);
		for (unsigned k = 0; k < card->size; k++)
			printf(" %02x", card->witness[k]);
		printf("\n");
	}
	return covered;
}

/* Changes a list: a byte, a square to another one, a theorem, or the order. */
static void change_list(struct board *b, struct ck_card *card, uint8_t *room)
{
	unsigned squares = b->mine.width * b->mine.height;
	for (unsigned n = 1 + walk_below(&b->seed, 3); n; n--) {
		unsigned at = walk_below(&b->seed, card->size);
		switch (walk_below(&b->seed, 4)) {
		case 0:
			room[at] = (uint8_t)walk_random(&b->seed);
			break;
		case 1:
			room[0] = "\5\10\12\13\14"[walk_below(&b->seed, 5)];
			break;
		default:
			room[at] = (uint8_t)walk_below(&b->seed, squares);
			break;
		}
	}
	card->witness = room;
}

/* A random position; false when it is over. */
static bool make_position(struct board *b, unsigned empty, struct ck_position *out)
{
	const struct game_rules *rules = b->game->rules;
	struct walk_state s = {{0}};
	uint8_t key[GAME_KEY_MAX];
	int value;
	rules->start(b->game, &s);
	if (empty && walk_below(&b->seed, 2))
		walk_far(b->game, &s, b->game->plies_max - 2 - walk_below(&b->seed, empty - 1), &b->seed);
	else if (empty) /* where either side may win at once */
		walk_on(b->game, &s, b->game->plies_max - 2 - walk_below(&b->seed, empty - 1), &b->seed);
	else
		walk_from_start(b->game, &s, 20, &b->seed);
	return !rules->terminal(b->game, &s, &value) && ck_decode(&b->mine, key, rules->key(b->game, &s, key), out);
}

static void judge_position(struct board *b, const struct ck_position *p)
{
	const struct ck_game *g = &b->mine;
	bool upper = g->rules->first_moves(g, p);
	for (int bound = g->worst; bound <= g->best; bound += g->step) {
		uint8_t room[CK_WITNESS_MAX], kept[CK_WITNESS_MAX];
		struct ck_card card, other;
		struct ck_zone zone;
		if (ck_is_trivial(g, upper, bound) || !ck_zone_find(g, p, upper, bound, &card, kept))
			continue;
		b->zones++;
		b->covered += judge_list(b, p, &card);
		b->answers += ck_zone_read(&card, &zone) ? zone.count : 0;
		for (unsigned i = 0; i < CHANGES; i++) {
			other = card;
			memcpy(room, kept, card.size);
			change_list(b, &other, room);
			judge_list(b, p, &other);
			b->changed++;
		}
	}
}

static void open_board(struct board *b, unsigned number, uint64_t seed)
{
	struct pd_fail fail;
	b->number = number;
	b->seed = seed + number;
	if (game_open(boards[number].game, NULL, &b->game, &fail) ||
	    ck_open(&b->mine, boards[number].game, "", 0, &fail)) {
		fprintf(stderr, "%s: %s\n", boards[number].game, fail.text);
		exit(2);
	}
}

PROGRAM(zones)
{
	uint64_t claims = 1000000, seed = walk_seed("lab.zones", 1), sum = 0, wrong = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--share")) {
			claims = SHARE;
		} else if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
			seed = strtoull(argv[++i], NULL, 10);
		} else if (argv[i][0] >= '1' && argv[i][0] <= '9') {
			claims = strtoull(argv[i], NULL, 10);
		} else {
			fprintf(stderr, "usage: ./dev lab zones [CLAIMS] [--seed S] | --share\n");
			return 2;
		}
	}
	printf("| board | zones | answers | replies covered | lists changed | claims | wrong |\n"
	       "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
	for (unsigned i = 0; i < BOARDS; i++) {
		struct board b = {0};
		struct ck_position p;
		open_board(&b, i, seed);
		while (b.claims < claims / BOARDS + 1)
			if (make_position(&b, boards[i].empty, &p))
				judge_position(&b, &p);
		printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n",
		       boards[i].game, b.zones, b.answers, b.covered, b.changed, b.claims, b.wrong);
		fflush(stdout);
		sum += b.claims;
		wrong += b.wrong;
		game_close(b.game);
		ck_close(&b.mine);
	}
	printf("%" PRIu64 " claims, %" PRIu64 " wrong\n", sum, wrong);
	return wrong > 0;
}
