/* Perft of positions from standard input, one a line (an empty line is the initial position), with its rate.
 *
 *	bench perft GAME DEPTH              positions after 1..DEPTH plies: `position ; count 1 ; ... ; count DEPTH`
 *	bench perft GAME DEPTH --children   what a search does to a child (copy, play, is it over, initial numbers), for
 *	                                    all of these positions; the count, and millions a second
 *	bench perft GAME COUNT --walk SEED  COUNT positions of random games, to be read back
 *
 * Rates go to standard error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solver/games/game.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum { DEPTH_MAX = 32 };

/* The sums of a run with --children. */
struct tally {
	uint64_t children, moves; /* the moves are summed so that counting them is not left out */
};

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void generate(const struct game *game, const void *state, unsigned depth, game_move *room, struct tally *t)
{
	const struct game_rules *rules = game->rules;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	unsigned count = rules->moves(game, state, room);
	for (unsigned i = 0; i < count; i++) {
		int value;
		uint32_t num[2] = {1, 1};
		memcpy(child, state, game->state_size);
		rules->play(game, child, room[i]);
		t->children++;
		if (rules->terminal(game, child, &value))
			continue;
		if (rules->initial_numbers)
			rules->initial_numbers(game, child, 1, num);
		else
			num[0] = game_count(game, child, room + game->moves_max);
		t->moves += num[0] > num[1] ? num[0] : num[1];
		if (depth > 1)
			generate(game, child, depth - 1, room + game->moves_max, t);
	}
}

static void count_children(const struct game *game, const void *state, unsigned depth)
{
	struct tally t = {0};
	game_move *room = malloc((depth + 1) * game->moves_max * sizeof *room);
	if (!room)
		abort();
	double begin = cpu_seconds();
	generate(game, state, depth, room, &t);
	double seconds = cpu_seconds() - begin;
	free(room);
	printf("children %llu moves %llu\n", (unsigned long long)t.children, (unsigned long long)t.moves);
	fprintf(stderr, "%.1f million children/s\n", (double)t.children / 1e6 / seconds);
}

static void count_leaves(const struct game *game, const char *text, const void *state, unsigned depth)
{
	uint64_t leaves = 0;
	double begin = cpu_seconds();
	printf("%s", text);
	for (unsigned i = 1; i <= depth; i++) {
		uint64_t count = game_perft(game, state, i);
		printf(" ; %llu", (unsigned long long)count);
		leaves += count;
	}
	printf("\n");
	fprintf(stderr, "%.1f million leaves/s\n", (double)leaves / 1e6 / (cpu_seconds() - begin));
}

/* Prints positions of random games in which there is something left to play. */
static void walk_games(const struct game *game, unsigned count, uint64_t seed)
{
	while (count > 0) {
		struct walk_state s;
		char text[GAME_TEXT_MAX];
		int value;
		walk_from_start(game, &s, 80, &seed);
		if (game->rules->terminal(game, &s, &value))
			continue;
		game->rules->print(game, &s, text, sizeof text);
		printf("%s\n", text);
		count--;
	}
}

static int read_positions(const struct game *game, unsigned depth, bool children)
{
	char text[GAME_TEXT_MAX];
	while (fgets(text, sizeof text, stdin)) {
		struct walk_state s;
		struct pd_fail fail;
		text[strcspn(text, "\r\n")] = 0;
		if (game->rules->parse(game, text, &s, &fail)) {
			fprintf(stderr, "%s: %s\n", text, fail.text);
			return 2;
		}
		if (children)
			count_children(game, &s, depth);
		else
			count_leaves(game, text, &s, depth);
		fflush(stdout);
	}
	return 0;
}

PROGRAM(perft)
{
	struct game *game;
	struct pd_fail fail;
	unsigned number = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	bool children = argc == 4 && !strcmp(argv[3], "--children"), walks = argc == 5 && !strcmp(argv[3], "--walk");
	if (!number || (argc > 3 && !children && !walks) || (!walks && number > DEPTH_MAX)) {
		fprintf(stderr, "usage: bench perft GAME DEPTH [--children], or bench perft GAME COUNT --walk SEED\n");
		return 2;
	}
	if (game_open(argv[1], NULL, &game, &fail)) {
		fprintf(stderr, "%s\n", fail.text);
		return 2;
	}
	int rc = 0;
	if (walks)
		walk_games(game, number, strtoull(argv[4], NULL, 10));
	else
		rc = read_positions(game, number, children);
	game_close(game);
	return rc;
}
