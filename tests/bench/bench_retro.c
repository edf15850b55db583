/* Whole sets of positions, by every algorithm, against retrograde analysis: bench_retro SET [SEEDS] [SHARE]
 * [ALGORITHM].
 *
 * SET is loa4, loa5, antichess2, antichess3 or all; SHARE s asks one position in s (1: all). Tables have 2^8 places,
 * level-2 budgets go from 1 to 100 nodes with the seed, and a search that such a table does not answer in 20,000 nodes
 * is made again with 32 MiB and 200,000. Ends with 1 when anything was wrong; what is not answered is counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/agree.h"
#include "tests/support/endings.h"

struct bench {
	unsigned seeds, share;
	const char *only;  /* of the algorithms this one; NULL: all */
	unsigned left_out; /* materials that are too large */
	struct agree_sum sum;
};

static struct agree_plan plan_of(const struct bench *b, enum pn_algorithm algorithm, unsigned detail, unsigned threads,
				 unsigned seed)
{
	static const uint32_t caps[] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 100};
	struct agree_plan plan = {
		.threads = threads, .share = b->share, .scratch = 50, .nodes = 20000, .again = 200000};
	pn_options_init(&plan.options);
	plan.options.algorithm = algorithm;
	plan.options.detail = (enum pn_detail)detail;
	plan.options.memory = agree_memory(algorithm);
	plan.options.seed = seed;
	plan.options.cap_first = plan.options.cap_last = caps[seed % 10];
	plan.options.paper_nodes = AGREE_PLACES;
	plan.justify = seed == 0 && threads == 1;
	return plan;
}

static bool is_wanted(const struct bench *b, int algorithm)
{
	return !b->only || !strcmp(b->only, pn_algorithm_text((enum pn_algorithm)algorithm));
}

static void head(void)
{
	printf("%-7s %-8s %2s %5s %10s %10s %9s %12s %11s %11s %11s %11s %10s %9s %10s %6s %8s\n", "by", "detail", "th",
	       "seeds", "positions", "searches", "scratch", "nodes", "answers", "by facts", "facts", "held",
	       "justified", "again", "unanswered", "wrong", "s");
}

static void row(const char *by, const char *detail, unsigned threads, unsigned seeds, const struct agree_sum *s,
		double seconds)
{
	printf("%-7s %-8s %2u %5u %10llu %10llu %9llu %12llu %11llu %11llu %11llu %11llu %10llu %9llu %10llu %6llu "
	       "%8.1f\n",
	       by, detail, threads, seeds, (unsigned long long)s->positions, (unsigned long long)s->searches,
	       (unsigned long long)s->scratch, (unsigned long long)s->nodes, (unsigned long long)s->answers,
	       (unsigned long long)s->known, (unsigned long long)s->facts, (unsigned long long)s->held,
	       (unsigned long long)s->justified, (unsigned long long)s->again, (unsigned long long)s->unanswered,
	       (unsigned long long)s->wrong, seconds);
	fflush(stdout);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void all_ways(struct bench *b, const struct agree_set *set)
{
	struct agree_sum total = {0};
	double begin = now();
	head();
	for (int a = 0; a <= PN_PN; a++)
		for (unsigned detail = PN_FRONTIER; detail <= PN_FULL && is_wanted(b, a); detail++)
			for (unsigned threads = 1; threads <= 2; threads++) {
				struct agree_sum sum = {0};
				double start = now();
				for (unsigned seed = 0; seed < b->seeds; seed++) {
					struct agree_plan plan =
						plan_of(b, (enum pn_algorithm)a, detail, threads, seed);
					agree_run(set, &plan, &sum);
				}
				row(pn_algorithm_text((enum pn_algorithm)a), detail == PN_FULL ? "full" : "frontier",
				    threads, b->seeds, &sum, now() - start);
				agree_add(&total, &sum);
			}
	row("all", "", 0, b->seeds, &total, now() - begin);
	agree_add(&b->sum, &total);
}

/* --- Lines of Action -------------------------------------------------------------------------- */

static void add_to_retro(void *ctx, const void *state)
{
	if (!retro_add(ctx, state))
		abort();
}

static void loa(struct bench *b, unsigned n, unsigned side_max, unsigned men_max)
{
	char name[16];
	struct game *game;
	snprintf(name, sizeof name, "loa:%u", n);
	if (game_open(name, NULL, &game, NULL))
		abort();
	double begin = now();
	struct retro *retro = retro_new(game, UINT32_MAX);
	uint64_t placed = endings_loa(game, n, side_max, men_max, &(struct endings_to){retro, add_to_retro});
	struct agree_set set = {game, retro, {retro_solve(retro, 0), retro_solve(retro, 1)}};
	printf("%s, 1 to %u men a side, at most %u: %llu placements, %u positions, %llu moves; retrograde analysis "
	       "%.1f s\n",
	       name, side_max, men_max, (unsigned long long)placed, retro_positions(retro),
	       (unsigned long long)retro_moves(retro), now() - begin);
	all_ways(b, &set);
	retro_free(retro);
	game_close(game);
}

/* --- antichess -------------------------------------------------------------------------------- */

enum { CLOSURE_MAX = 25000000 /* positions that fit into about 4 GiB with their moves */ };

static bool has_material(const void *ctx, const uint8_t *key, size_t size)
{
	return endings_has(ctx, key, size);
}

static bool has_size(const void *ctx, const uint8_t *key, size_t size)
{
	(void)key;
	return size == *(const size_t *)ctx;
}

/* All endings of two men at once. */
static void antichess2(struct bench *b, const char *name)
{
	struct game *game;
	char material[ENDINGS_MEN_MAX + 1];
	const size_t two_men = 11; /* bytes of a key */
	if (game_open(name, NULL, &game, NULL))
		abort();
	double begin = now();
	struct retro *retro = retro_new(game, UINT32_MAX);
	uint64_t placed = 0;
	for (unsigned i = 0; endings_material(2, i, material); i++)
		placed += endings_chessmen(game, material, &(struct endings_to){retro, add_to_retro});
	struct agree_set set = {game, retro, {retro_solve(retro, 0), retro_solve(retro, 1)}, has_size, &two_men};
	printf("%s, two men: %llu placements, %u positions, %llu moves; retrograde analysis %.1f s\n", name,
	       (unsigned long long)placed, retro_positions(retro), (unsigned long long)retro_moves(retro),
	       now() - begin);
	all_ways(b, &set);
	retro_free(retro);
	game_close(game);
}

struct adding {
	struct retro *retro;
	bool fits;
};

static void try_to_add(void *ctx, const void *state)
{
	struct adding *a = ctx;
	a->fits = a->fits && retro_add(a->retro, state);
}

/* The algorithms one after another; detail and threads take turns from material to material. */
static void ask_material(struct bench *b, const struct agree_set *set, unsigned number, struct agree_sum *sum)
{
	for (unsigned seed = 0; seed < b->seeds; seed++)
		for (int a = 0; a <= PN_PN; a++) {
			if (!is_wanted(b, a))
				continue;
			unsigned turn = number + seed;
			struct agree_plan plan = plan_of(b, (enum pn_algorithm)a, turn % 2, 1 + turn / 2 % 2, turn);
			plan.justify = false;
			agree_run(set, &plan, sum);
		}
}

/* The positions of one material of three men; the retrograde analysis has all that they lead to. */
static void three_men(struct bench *b, const struct game *game, const char *material, unsigned number,
		      struct agree_sum *sum)
{
	struct adding adding = {retro_new(game, CLOSURE_MAX), true};
	double begin = now();
	uint64_t placed = endings_chessmen(game, material, &(struct endings_to){&adding, try_to_add});
	if (adding.fits) {
		struct retro *retro = adding.retro;
		struct agree_set set = {
			game, retro, {retro_solve(retro, 0), retro_solve(retro, 1)}, has_material, material};
		struct agree_sum here = {0};
		double start = now();
		printf("%s: %llu placements, %u positions, %llu moves; retrograde analysis %.1f s\n", material,
		       (unsigned long long)placed, retro_positions(retro), (unsigned long long)retro_moves(retro),
		       start - begin);
		ask_material(b, &set, number, &here);
		row(material, "", 0, b->seeds, &here, now() - start);
		agree_add(sum, &here);
	} else {
		printf("%s leads to more than %u positions: left out\n", material, CLOSURE_MAX);
		b->left_out++;
	}
	retro_free(adding.retro);
}

static void antichess3(struct bench *b, const char *name)
{
	struct game *game;
	char material[ENDINGS_MEN_MAX + 1];
	struct agree_sum sum = {0};
	double begin = now();
	if (game_open(name, NULL, &game, NULL))
		abort();
	printf("%s, three men\n", name);
	head();
	for (unsigned i = 0; endings_material(3, i, material); i++)
		three_men(b, game, material, i, &sum);
	row("all", "", 0, b->seeds, &sum, now() - begin);
	agree_add(&b->sum, &sum);
	game_close(game);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";
	struct bench b = {.seeds = argc > 2 ? (unsigned)atoi(argv[2]) : 10,
			  .share = argc > 3 ? (unsigned)atoi(argv[3]) : 1};
	enum pn_algorithm only;
	if (argc > 4)
		b.only = argv[4];
	bool all = !strcmp(what, "all"), any = false;
	if (!b.seeds || !b.share || (b.only && pn_algorithm_parse(b.only, &only, NULL)))
		return 2;
	if (all || !strcmp(what, "loa4")) {
		loa(&b, 4, 4, 8);
		any = true;
	}
	if (all || !strcmp(what, "loa5")) {
		loa(&b, 5, 3, 4);
		any = true;
	}
	if (all || !strcmp(what, "antichess2")) {
		antichess2(&b, "antichess");
		antichess2(&b, "antichess:stalemate=fewer");
		any = true;
	}
	if (all || !strcmp(what, "antichess3")) {
		antichess3(&b, "antichess");
		any = true;
	}
	if (!any) {
		fprintf(stderr, "bench_retro takes loa4, loa5, antichess2, antichess3 or all, not '%s'\n", what);
		return 2;
	}
	if (b.left_out)
		printf("%u materials left out\n", b.left_out);
	printf("%llu facts and %llu answers of searches compared, %llu answers by facts, %llu facts justified, %llu "
	       "unanswered, %llu wrong\n",
	       (unsigned long long)b.sum.facts, (unsigned long long)b.sum.answers, (unsigned long long)b.sum.known,
	       (unsigned long long)b.sum.justified, (unsigned long long)b.sum.unanswered,
	       (unsigned long long)b.sum.wrong);
	return b.sum.wrong != 0;
}
