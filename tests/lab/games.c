/* Games: the two implementations of each built-in game's rules, held against each other on as many positions as one
 * likes (tests/proofcheck/compare.h says what is compared).
 *
 *	lab games [N [GAME...]] [--seed S] [--children K]
 *
 * compares N different positions a game (a million), and prints a row a game; without a GAME all of them; `--share`: a
 * few seconds' worth. All variants that tests/data/games names take part in turns: who has the fewest positions walks
 * next. A third of the walks goes on at random, a third ends games as soon as it can, a third puts the end off; each to
 * the end of the game, or for at most PLIES in games with cycles. They start from the initial position, from those that
 * the rows of the data name, and, in the games of `setups`, from random boards. A variant whose walks bring nothing new
 * any more rests. AND/OR graphs are random ones, with and without cycles, one after another. Of a position with more
 * than K (4) moves K children are compared, chosen at random; the moves are compared all. Exit status 1: a difference.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "tests/proofcheck/compare.h"
#include "tests/support/gamedata.h"
#include "tests/support/graph.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum {
	PLIES = 300,
	VARIANTS_MAX = 96,
	STARTS_MAX = 16,
	REST = 300, /* walks in a row without a new position */
	SHOWN_MAX = 5,
	GRAPH_NODES = 400
};

struct variant {
	const char *name;
	const char *start[STARTS_MAX];
	unsigned starts, idle;
	uint64_t walks;
	char *graph;
	struct compare c;
};

struct plan {
	uint64_t positions, seed;
	unsigned children;
};

/* What a row of the table says. */
struct sum {
	unsigned variants;
	uint64_t positions, games, ends, children, differences;
};

static void add_sum(struct sum *sum, const struct compare *c)
{
	sum->variants++;
	sum->positions += c->positions;
	sum->games += c->games;
	sum->ends += c->ends;
	sum->children += c->children;
	sum->differences += c->differences;
}

static void show(const struct compare *c)
{
	if (c->differences <= SHOWN_MAX)
		printf("DIFFERENCE: %s\n", c->wrong);
}

/* --- random starts ------------------------------------------------------------------------ */

/* Boards that need not come up in any game: what one side refuses, the other must refuse as well. */
struct setup {
	const char *game, *letters; /* each as likely as it is often named */
	const char *once;           /* on one square each */
	const char *sides, *tail;   /* who is to move, and what stands behind it */
	unsigned most;              /* percent of the squares that are taken at most */
};

static const struct setup setups[] = {
	{"loa", "bw", "bw", "bw", "", 25},
	{"antichess", "PPPNBRQKpppnbrqk", "", "wb", " - -", 15},
	{"chess-mate", "PPPNBRQpppnbrq", "Kk", "wb", " - -", 15},
	{"chess-variant", "PPPNBRQpppnbrq", "Kk", "wb", " - -", 15},
	{"breakthrough", "Pp", "", "wb", "", 60},
	{"othello", "XO", "", "XO", "", 100},
	{"domineering", "#", "", "vh", "", 80},
	{"nogo", "xoxo#", "", "xo", "", 70},
	{"atari-go", "xoxo#", "", "xo", "", 70},
};

static const struct setup *setup_of(const char *game)
{
	for (unsigned i = 0; i < sizeof setups / sizeof *setups; i++)
		if (!strcmp(setups[i].game, game))
			return &setups[i];
	return NULL;
}

/* Columns and rows in a game's name: game:WxH, game:N, or 8 by 8. */
static void size_of_board(const char *name, unsigned size[2])
{
	const char *colon = strchr(name, ':');
	int read = colon ? sscanf(colon, ":%ux%u", &size[0], &size[1]) : 0;
	if (read < 1)
		size[0] = 8;
	if (read < 2)
		size[1] = size[0];
}

static void put_letters(const struct setup *setup, const unsigned size[2], uint64_t *random, char *at)
{
	unsigned squares = size[0] * size[1], once = (unsigned)strlen(setup->once);
	unsigned men = once + walk_below(random, squares * setup->most / 100 + 1);
	for (unsigned i = 0; i < men && i < squares;) {
		unsigned square = walk_below(random, squares);
		if (!at[square]) {
			at[square] = i < once ? setup->once[i]
					      : setup->letters[walk_below(random, (unsigned)strlen(setup->letters))];
			i++;
		}
	}
}

/* Rows from the top with a slash between them, numbers for runs of empty squares; in Othello all squares in one row. */
static void random_board(const struct setup *setup, const char *name, uint64_t *random, struct pd_buf *out)
{
	char at[GAME_PLACES_MAX] = {0};
	unsigned size[2];
	bool plain = !strcmp(setup->game, "othello");
	size_of_board(name, size);
	put_letters(setup, size, random, at);
	for (unsigned row = size[1]; row-- > 0;) {
		unsigned empty = 0;
		for (unsigned column = 0; column < size[0]; column++) {
			char letter = at[row * size[0] + column];
			if (plain)
				letter = letter ? letter : '-';
			if (letter && empty)
				pd_buf_printf(out, "%u", empty);
			empty = letter ? 0 : empty + 1;
			if (letter)
				pd_buf_put(out, &letter, 1);
		}
		if (empty)
			pd_buf_printf(out, "%u", empty);
		if (!plain && (row || size[1] == 1))
			pd_buf_puts(out, "/");
	}
	pd_buf_printf(out, " %c%s", setup->sides[walk_below(random, 2)], setup->tail);
	PD_ASSERT(!out->failed);
}

/* Where the variant's next walk starts. */
static const char *next_start(struct variant *v, struct pd_buf *room)
{
	const struct setup *setup = setup_of(v->c.game->rules->name);
	uint64_t number = v->walks / COMPARE_WAYS;
	if (number % 2 == 0)
		return "";
	if (v->starts && (number % 4 == 1 || !setup))
		return v->start[walk_below(&v->c.random, v->starts)];
	if (!setup)
		return "";
	random_board(setup, v->name, &v->c.random, room);
	return room->data;
}

/* --- variants ----------------------------------------------------------------------------- */

static struct variant *variant_named(struct variant *list, unsigned *count, const char *name)
{
	for (unsigned i = 0; i < *count; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	if (*count == VARIANTS_MAX) {
		fprintf(stderr, "more than %d variants of a game\n", VARIANTS_MAX);
		exit(2);
	}
	list[*count] = (struct variant){.name = name};
	return &list[(*count)++];
}

/* The variants of a game that the data names, and positions of theirs. */
static unsigned variants_of(unsigned game, struct variant *list)
{
	static const char *const kinds[] = {"open", "walk", "perft", "proof"};
	unsigned count = 0;
	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const struct gamedata *data = gamedata_read(kinds[k]);
		for (unsigned i = 0; i < data->count; i++) {
			const struct gamedata_row *row = &data->row[i];
			if (row->game != game || !strncmp(row->column[0], "andor:random", 12))
				continue;
			struct variant *v = variant_named(list, &count, row->column[0]);
			if (k >= 2 && *row->column[1] && v->starts < STARTS_MAX)
				v->start[v->starts++] = row->column[1];
		}
	}
	return count;
}

static bool variant_open(struct variant *v, const struct plan *plan)
{
	size_t size;
	uint64_t seed = plan->seed;
	for (const char *p = v->name; *p; p++)
		seed = 31 * seed + (unsigned char)*p;
	v->graph = gamedata_graph(v->name, &size);
	bool good = compare_open(&v->c, v->name, v->graph, size, seed);
	v->c.children_max = plan->children;
	return good;
}

/* Of the variants that still bring something new the one with the fewest positions; NULL when there is none. */
static struct variant *variant_next(struct variant *list, unsigned count)
{
	struct variant *best = NULL;
	for (unsigned i = 0; i < count; i++)
		if (list[i].idle < REST && (!best || list[i].c.positions < best->c.positions))
			best = &list[i];
	return best;
}

static void walk_variant(struct variant *v)
{
	struct pd_buf room;
	uint64_t before = v->c.positions;
	unsigned plies = v->c.game->acyclic ? UINT32_MAX : PLIES;
	pd_buf_init(&room, 1 << 16);
	const char *from = next_start(v, &room);
	if (!compare_walk(&v->c, from, plies, (enum compare_way)(v->walks % COMPARE_WAYS)))
		show(&v->c);
	pd_buf_fini(&room);
	v->walks++;
	v->idle = v->c.positions == before ? v->idle + 1 : 0;
}

/* --- random graphs ------------------------------------------------------------------------ */

static void walk_graphs(const struct plan *plan, struct sum *sum)
{
	for (uint64_t number = 0; sum->positions < plan->positions && !sum->differences; number++) {
		struct pd_buf text;
		struct compare c;
		char node[16];
		uint64_t random = plan->seed + number;
		unsigned nodes = 2 + walk_below(&random, GRAPH_NODES);
		pd_buf_init(&text, 1 << 20);
		graph_random(&random, nodes, &text);
		if (!compare_open(&c, "andor:random", text.data, text.size, random)) {
			printf("graph %" PRIu64 ": ", number);
			show(&c);
			sum->differences++;
			pd_buf_fini(&text);
			continue;
		}
		for (unsigned i = 0; i < nodes && !c.differences; i++) {
			snprintf(node, sizeof node, "n%u", i);
			if (!compare_walk(&c, node, PLIES, (enum compare_way)(i % COMPARE_WAYS)))
				show(&c);
		}
		add_sum(sum, &c);
		compare_close(&c);
		pd_buf_fini(&text);
	}
}

/* --- the table ---------------------------------------------------------------------------- */

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the number of differences. */
static uint64_t run_walks(unsigned game, const struct plan *plan)
{
	static struct variant list[VARIANTS_MAX];
	struct sum sum = {0};
	struct variant *v;
	uint64_t total = 0;
	unsigned count = variants_of(game, list);
	double begin = seconds();
	for (unsigned i = 0; i < count; i++)
		if (!variant_open(&list[i], plan)) {
			printf("DIFFERENCE: %s\n", list[i].c.wrong);
			sum.differences++;
			free(list[i].graph);
			list[i--] = list[--count];
		}
	while (total < plan->positions && (v = variant_next(list, count)) != NULL) {
		total -= v->c.positions;
		walk_variant(v);
		total += v->c.positions;
	}
	for (unsigned i = 0; i < count; i++) {
		add_sum(&sum, &list[i].c);
		compare_close(&list[i].c);
		free(list[i].graph);
	}
	if (!strcmp(game_builtin(game)->name, "andor"))
		walk_graphs(plan, &sum);
	printf("| %s | %u | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.0f |\n",
	       game_builtin(game)->name, sum.variants, sum.positions, sum.games, sum.ends, sum.children,
	       sum.differences, seconds() - begin);
	fflush(stdout);
	return sum.differences;
}

static int print_usage(int status)
{
	fprintf(status ? stderr : stdout, "usage: ./dev lab games [N [GAME...]] [--seed S] [--children K] | --share\n"
					  "  N positions a game (1000000), of all games or of those named\n");
	return status;
}

PROGRAM(games)
{
	struct plan plan = {.positions = 1000000, .seed = 1, .children = 4};
	const char *wanted[64] = {NULL};
	unsigned count = 0;
	bool number = false, share = false;
	for (int i = 1; i < argc; i++) {
		char *end = NULL;
		if (!strcmp(argv[i], "--help"))
			return print_usage(0);
		if (!strcmp(argv[i], "--share"))
			share = true;
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			plan.seed = strtoull(argv[++i], &end, 0);
		else if (!strcmp(argv[i], "--children") && i + 1 < argc)
			plan.children = (unsigned)strtoul(argv[++i], &end, 10);
		else if (!number && *argv[i] >= '0' && *argv[i] <= '9')
			plan.positions = strtoull(argv[i], &end, 10), number = true;
		else if (*argv[i] != '-' && count + 1 < sizeof wanted / sizeof *wanted)
			wanted[count++] = argv[i];
		else
			return print_usage(2);
		if (end && *end)
			return print_usage(2);
	}
	if (share) {
		plan.positions = 1500;
		plan.seed = walk_seed("lab.games", plan.seed);
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned g = 0;
		while (g < gamedata_games() && strcmp(game_builtin(g)->name, wanted[i]) != 0)
			g++;
		if (g == gamedata_games()) {
			fprintf(stderr, "there is no built-in game '%s'\n", wanted[i]);
			return 2;
		}
	}
	uint64_t differences = 0;
	printf("seed %" PRIu64
	       "\n\n| game | variants | positions | games walked | ends among them | children | differences "
	       "| seconds |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
	       plan.seed);
	for (unsigned g = 0; g < gamedata_games(); g++) {
		bool asked = !count;
		for (unsigned i = 0; i < count; i++)
			asked |= !strcmp(game_builtin(g)->name, wanted[i]);
		if (asked)
			differences += run_walks(g, &plan);
	}
	return differences != 0;
}
