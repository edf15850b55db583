/* Theorems: what they say late in random games of larger boards, held against a search by the rules alone.
 *
 *	lab theorems [N] [--first ROUND] [--seed S] [--share]
 *
 * Round after round (a million) a random position is made on a board in turn, with at most as many empty squares as its
 * row says, and each claim that a theorem decides there is searched to the end. The search tries all moves, and knows
 * ends and nothing else; its table has one place for a position, so that the memory is bounded. A round depends on
 * seed and number alone: --first goes on where a run has ended, and the line that a run prints last says where. Exit
 * status 1: a theorem was wrong. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/identity.h"
#include "solver/games/game.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum { TABLE = 1 << 20, NUMBERS = 8, TELL = 100000 };

static const struct {
	const char *game;
	unsigned empty; /* most empty squares */
} boards[] = {
	{"connect4:7x6", 16}, {"mnk:6,6,4", 10},       {"connect4:6x7", 16}, {"mnk:7,6,4", 10},
	{"connect4:7x7", 16}, {"mnk:10,10,5", 10},     {"connect4:9x7", 16}, {"mnk:7,6,4,2,1", 10},
	{"connect4:8x8", 16}, {"mnk:6,5,4,exact", 10}, {"connect4:5x6", 16}, {"mnk:9,8,4,2,2,exact", 10},
};

enum { BOARDS = sizeof boards / sizeof *boards };

/* A claim of a position that was searched, in the table of all boards. */
struct known {
	struct pd_id id;
	bool used, holds;
};

static struct known table[TABLE];

struct board {
	struct game *game;
	unsigned number; /* of its row */
	uint64_t positions, claims, said[NUMBERS], nodes, wrong;
	double seconds;
};

/* Whether First gets at least the threshold, by trying all moves. */
static bool search_by_rules(struct board *b, const void *state, int threshold)
{
	const struct game_rules *rules = b->game->rules;
	uint8_t key[GAME_KEY_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct walk_state child;
	int value;
	b->nodes++;
	if (rules->terminal(b->game, state, &value))
		return value >= threshold;
	struct pd_id id = pd_identity_of(0, key, rules->key(b->game, state, key));
	id.hi ^= (uint64_t)b->number << 1 | (threshold == 1);
	struct known *known = &table[id.lo % TABLE];
	if (known->used && !memcmp(&known->id, &id, sizeof id))
		return known->holds;
	bool first = rules->first_to_move(b->game, state), holds = !first;
	unsigned count = rules->moves(b->game, state, moves);
	for (unsigned i = 0; i < count && holds != first; i++) {
		memcpy(&child, state, b->game->state_size);
		rules->play(b->game, &child, moves[i]);
		holds = search_by_rules(b, &child, threshold);
	}
	*known = (struct known){id, true, holds};
	return holds;
}

static void judge_position(struct board *b, const struct walk_state *s, uint64_t round)
{
	const struct game_rules *rules = b->game->rules;
	char text[GAME_TEXT_MAX];
	for (int threshold = 0; threshold <= 1; threshold++) {
		struct game_theorem t;
		b->claims++;
		if (!rules->theorem(b->game, s, threshold, &t, NULL))
			continue;
		b->said[t.number < NUMBERS ? t.number : 0]++;
		if (search_by_rules(b, s, threshold) == t.proved)
			continue;
		rules->print(b->game, s, text, sizeof text);
		b->wrong++;
		printf("WRONG in round %" PRIu64 ": %s %s, theorem %u on >= %d\n", round, b->game->name, text, t.number,
		       threshold);
		fflush(stdout);
	}
}

static void make_round(struct board *b, unsigned empty, uint64_t round, uint64_t seed)
{
	uint64_t random = seed + round * UINT64_C(0x9e3779b97f4a7c15);
	struct walk_state s = {{0}};
	int value;
	clock_t begin = clock();
	b->game->rules->start(b->game, &s);
	walk_far(b->game, &s, b->game->plies_max - 2 - walk_below(&random, empty - 1), &random);
	b->positions++;
	if (!b->game->rules->terminal(b->game, &s, &value) && !b->game->rules->immediate_win(b->game, &s, &value))
		judge_position(b, &s, round);
	b->seconds += (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static uint64_t print_table(const struct board *all)
{
	uint64_t wrong = 0;
	printf("\n| board | positions | claims asked | T1 | T2 | T5 | nodes of the search | wrong | seconds |\n"
	       "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
	for (const struct board *b = all; b < all + BOARDS; b++) {
		printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64
		       " | %" PRIu64 " | %.0f |\n",
		       b->game->name, b->positions, b->claims, b->said[1], b->said[2], b->said[5], b->nodes, b->wrong,
		       b->seconds);
		wrong += b->wrong;
	}
	return wrong;
}

static uint64_t run_rounds(uint64_t rounds, uint64_t first, uint64_t seed)
{
	static struct board all[BOARDS];
	for (unsigned i = 0; i < BOARDS; i++) {
		struct pd_fail fail;
		all[i].number = i;
		if (game_open(boards[i].game, NULL, &all[i].game, &fail)) {
			fprintf(stderr, "%s: %s\n", boards[i].game, fail.text);
			exit(2);
		}
	}
	for (uint64_t round = first; round < first + rounds; round++) {
		unsigned i = (unsigned)(round % BOARDS);
		make_round(&all[i], boards[i].empty, round, seed);
		if (round % TELL == TELL - 1)
			fprintf(stderr, "%" PRIu64 " rounds\n", round + 1);
	}
	uint64_t wrong = print_table(all);
	printf("\n%" PRIu64 " rounds, %" PRIu64 " wrong; seed %" PRIu64 ", go on with --first %" PRIu64 "\n", rounds,
	       wrong, seed, first + rounds);
	for (unsigned i = 0; i < BOARDS; i++)
		game_close(all[i].game);
	return wrong;
}

static int print_usage(int status)
{
	fprintf(status ? stderr : stdout, "usage: ./dev lab theorems [N] [--first ROUND] [--seed S] | --share\n");
	return status;
}

PROGRAM(theorems)
{
	uint64_t rounds = 1000000, first = 0, seed = 1;
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		uint64_t *number = !strcmp(argv[i], "--first") ? &first : !strcmp(argv[i], "--seed") ? &seed : NULL;
		char *end = NULL;
		if (!strcmp(argv[i], "--help"))
			return print_usage(0);
		if (!strcmp(argv[i], "--share")) {
			rounds = 12000;
			seed = walk_seed("lab.theorems", 1);
			continue;
		}
		if (number)
			i++;
		else if (*argv[i] >= '0' && *argv[i] <= '9')
			number = &rounds, value = argv[i];
		else
			return print_usage(2);
		*number = strtoull(value, &end, 10);
		if (!*value || *end)
			return print_usage(2);
	}
	return run_rounds(rounds, first, seed) > 0;
}
