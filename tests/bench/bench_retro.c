/* Whole sets of positions, by every algorithm, against retrograde analysis: bench retro SET [SEEDS] [SHARE]
 * [ALGORITHM] [MATERIAL], or bench retro random [COUNT] [FIRST].
 *
 * SET is loa4, loa5, antichess2, antichess3 or all. SHARE s asks one position in s (1: all; 0: none, only the
 * retrograde analysis is made). With ALGORITHM only that one is asked, or all for `all`; with MATERIAL, like RQk,
 * antichess3 does that ending alone. Each seed takes other positions, another order of moves and another level-2
 * budget.
 *
 * Tables have 2^8 places, level-2 budgets go from 1 to 100 nodes with the seed. A search that such a table does not
 * answer in 20,000 nodes is made again with 32 MiB and more nodes, and what stays open then is asked again at the end
 * of a run, with four times as many and the facts found meanwhile. Of an ending in which several such searches were in
 * vain no more are made in that round; what is open in the end is listed.
 *
 * random asks COUNT (10,000) random antichess endings of two and three men, from number FIRST (0) on, one by one for
 * their value, by the default options in at most RANDOM_NODES nodes, and lists what stays open.
 *
 * Ends with 1 when anything was wrong; otherwise with 3 when a claim stayed unanswered, 2 for a wrong command line, 0
 * when all was answered and nothing wrong. Searches that are made without facts (`scratch`) and stay open are counted
 * (`bare`), and do not matter for that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/agree.h"
#include "tests/support/asking.h"
#include "tests/support/endings.h"
#include "tests/support/men.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

struct bench {
	unsigned seeds, share;
	const char *only;     /* of the algorithms this one; NULL: all */
	const char *material; /* of the endings of three men this one; NULL: all */
	struct agree_sum sum;
};

/* A node of a search that has level 1 alone takes this many times as long as one of level 2. */
enum { ONE_LEVEL = 16 };

static struct agree_plan plan_of(const struct bench *b, enum pn_algorithm algorithm, unsigned detail, unsigned threads,
				 unsigned seed)
{
	static const uint32_t caps[] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 100};
	struct agree_plan plan = {.threads = threads,
				  .share = b->share,
				  .scratch = 50,
				  .nodes = 20000,
				  .again = 2000000,
				  .rounds = 1,
				  .patience = 5};
	pn_options_init(&plan.options);
	plan.options.algorithm = algorithm;
	plan.options.detail = (enum pn_detail)detail;
	plan.options.memory = agree_memory(algorithm);
	plan.options.seed = seed;
	plan.options.cap_first = plan.options.cap_last = caps[seed % 10];
	plan.options.paper_nodes = AGREE_PLACES;
	plan.justify = seed == 0 && threads == 1;
	if (!pn_algorithm(algorithm)->level2 && pn_algorithm_has_tt(algorithm))
		plan.again /= ONE_LEVEL;
	return plan;
}

static bool is_wanted(const struct bench *b, int algorithm)
{
	return !b->only || !strcmp(b->only, pn_algorithm_text((enum pn_algorithm)algorithm));
}

static void head(void)
{
	printf("%-7s %-8s %2s %5s %9s %9s %8s %13s %9s %9s %10s %10s %9s %7s %7s %6s %10s %5s %7s\n", "by", "detail",
	       "th", "seeds", "positions", "searches", "scratch", "nodes", "answers", "by facts", "facts", "unranked",
	       "justified", "again", "later", "bare", "unanswered", "wrong", "s");
}

static void row(const char *by, const char *detail, unsigned threads, unsigned seeds, const struct agree_sum *s,
		double seconds)
{
	typedef unsigned long long ull;
	printf("%-7s %-8s %2u %5u %9llu %9llu %8llu %13llu %9llu %9llu %10llu %10llu %9llu %7llu %7llu %6llu %10llu "
	       "%5llu %7.1f\n",
	       by, detail, threads, seeds, (ull)s->positions, (ull)s->searches, (ull)s->scratch, (ull)s->nodes,
	       (ull)s->answers, (ull)s->known, (ull)s->facts, (ull)s->unranked, (ull)s->justified, (ull)s->again,
	       (ull)s->later, (ull)s->bare, (ull)s->unanswered, (ull)s->wrong, seconds);
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
	if (!b->share)
		return;
	head();
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
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
	for (unsigned i = 0; i < AGREE_GROUPS && set->group; i++)
		if (total.open[i])
			printf("unanswered: %.1s against %.1s %llu\n", &"PNBRQK"[i / 6], &"pnbrqk"[i % 6],
			       (unsigned long long)total.open[i]);
	agree_add(&b->sum, &total);
}

/* --- Lines of Action ---------------------------------------------------------------------- */

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

/* --- antichess ---------------------------------------------------------------------------- */

static bool has_size(const void *ctx, const uint8_t *key, size_t size)
{
	return size == *(const size_t *)ctx;
}

/* White's man and Black's of an ending of two: byte 10 holds both (antichess.c). */
static unsigned two_men(const uint8_t *key, size_t size)
{
	unsigned one = key[10] & 15, other = key[10] >> 4;
	return one < other ? (one - 1) * 6 + other - 9 : (other - 1) * 6 + one - 9;
}

/* All endings of two men at once. */
static void antichess2(struct bench *b, const char *name)
{
	struct game *game;
	char material[ENDINGS_MEN_MAX + 1];
	const size_t bytes = 11; /* of a key */
	if (game_open(name, NULL, &game, NULL))
		abort();
	double begin = now();
	struct retro *retro = retro_new(game, UINT32_MAX);
	uint64_t placed = 0;
	for (unsigned i = 0; endings_material(2, i, material); i++)
		placed += endings_chessmen(game, material, &(struct endings_to){retro, add_to_retro});
	struct agree_set set = {game,     retro,  {retro_solve(retro, 0), retro_solve(retro, 1)},
				has_size, &bytes, .group = two_men};
	printf("%s, two men: %llu placements, %u positions, %llu moves; retrograde analysis %.1f s\n", name,
	       (unsigned long long)placed, retro_positions(retro), (unsigned long long)retro_moves(retro),
	       now() - begin);
	all_ways(b, &set);
	retro_free(retro);
	game_close(game);
}

/* The algorithms one after another; detail and threads take turns from material to material. */
static void ask_material(struct bench *b, const struct agree_set *set, unsigned number, struct agree_sum *sum)
{
	for (unsigned seed = 0; seed < b->seeds; seed++)
		for (int a = 0; a <= PN_ALGORITHM_LAST; a++) {
			if (!is_wanted(b, a))
				continue;
			unsigned turn = number + seed;
			struct agree_plan plan = plan_of(b, (enum pn_algorithm)a, turn % 2, 1 + turn / 2 % 2, turn);
			plan.justify = false;
			plan.again /= 4;
			plan.rounds = 1;
			plan.patience = 2;
			agree_run(set, &plan, sum);
		}
}

/* The truth about all endings of three men, or of the one that is asked for, and what they lead to. */
static struct men *solve_three(const struct bench *b, const struct game *game)
{
	char material[ENDINGS_MEN_MAX + 1];
	double begin = now();
	struct men *men = men_new(game, true);
	for (unsigned i = 0; endings_material(3, i, material); i++)
		if (!b->material || !strcmp(material, b->material))
			men_solve(men, material);
	if (!men_materials(men)) {
		fprintf(stderr, "bench retro: no material '%s'; one is written like RQk\n", b->material);
		exit(2);
	}
	printf("%s, three men: %llu positions of %u materials, %llu moves; retrograde analysis %.1f s\n", game->name,
	       (unsigned long long)men_positions(men), men_materials(men), (unsigned long long)men_moves(men),
	       now() - begin);
	fflush(stdout);
	return men;
}

/* A share of each ending of three men is asked. */
static void antichess3(struct bench *b, const char *name)
{
	struct game *game;
	char material[ENDINGS_MEN_MAX + 1];
	struct agree_sum sum = {0};
	if (game_open(name, NULL, &game, NULL))
		abort();
	struct men *men = solve_three(b, game);
	double begin = now();
	if (b->share)
		head();
	for (unsigned i = 0; b->share && endings_material(3, i, material); i++) {
		struct agree_set set = {.game = game, .solved = {0, 1}, .men = men, .material = material};
		struct agree_sum here = {0};
		double start = now();
		if (b->material && strcmp(material, b->material))
			continue;
		ask_material(b, &set, i, &here);
		row(material, "", 0, b->seeds, &here, now() - start);
		agree_add(&sum, &here);
	}
	if (b->share)
		row("all", "", 0, b->seeds, &sum, now() - begin);
	agree_add(&b->sum, &sum);
	men_free(men);
	game_close(game);
}

enum { RANDOM_NODES = 5000000 };

/* Puts two or three men on random squares of an empty board and names the side to move. */
static void random_ending(uint64_t *seed, char text[96])
{
	char at[64] = {0};
	unsigned men = 2 + walk_below(seed, 2), n = 0;
	for (unsigned i = 0; i < men; i++) {
		char man = "PNBRQKpnbrqk"[(i < 2 ? i : walk_below(seed, 2)) * 6 + walk_below(seed, 6)];
		bool pawn = man == 'P' || man == 'p';
		unsigned square;
		do
			square = pawn ? 8 + walk_below(seed, 48) : walk_below(seed, 64);
		while (at[square]);
		at[square] = man;
	}
	for (unsigned row = 8; row-- > 0; text[n++] = row ? '/' : ' ')
		for (unsigned file = 0, empty = 0; file < 8; file++) {
			empty += !at[8 * row + file];
			if (empty && (at[8 * row + file] || file == 7)) {
				text[n++] = (char)('0' + empty);
				empty = 0;
			}
			if (at[8 * row + file])
				text[n++] = at[8 * row + file];
		}
	snprintf(text + n, 96 - n, "%c - -", walk_below(seed, 2) ? 'w' : 'b');
}

static void random_endings(struct bench *b, unsigned count, unsigned first)
{
	struct game *game;
	uint8_t key[GAME_KEY_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	if (game_open("antichess", NULL, &game, NULL))
		abort();
	struct men *men = solve_three(b, game);
	for (unsigned i = first; i < first + count; i++) {
		uint64_t seed = i;
		char text[96];
		int over;
		struct asked asked;
		do
			random_ending(&seed, text);
		while (game->rules->parse(game, text, state, NULL) || game->rules->terminal(game, state, &over));
		uint32_t at = men_find_key(men, key, game->rules->key(game, state, key));
		int value = men_holds_at(men, 1, at, NULL) ? 1 : men_holds_at(men, 0, at, NULL) ? 0 : -1;
		struct asking asking = {.game = "antichess", .position = text, .claim = "value", .nodes = RANDOM_NODES};
		pn_options_init(&asking.options);
		asking_run(&asking, &asked);
		bool wrong = asked.answer.lo > value || asked.answer.hi < value;
		b->sum.answers += asked.answer.answered;
		b->sum.unanswered += !asked.answer.answered;
		b->sum.wrong += wrong;
		if (wrong || !asked.answer.answered)
			printf("%u: %s, value %d: %s, %d..%d after %llu nodes, %.1f CPU s\n", i, text, value,
			       wrong ? "wrong" : "unanswered", asked.answer.lo, asked.answer.hi,
			       (unsigned long long)asked.nodes, asked.cpu);
		if ((i + 1) % 100 == 0)
			printf("up to %u: %llu answered, %llu unanswered, %llu wrong\n", i,
			       (unsigned long long)b->sum.answers, (unsigned long long)b->sum.unanswered,
			       (unsigned long long)b->sum.wrong);
		fflush(stdout);
	}
	men_free(men);
	game_close(game);
}

PROGRAM(retro)
{
	const char *what = argc > 1 ? argv[1] : "all";
	struct bench b = {.seeds = argc > 2 ? (unsigned)atoi(argv[2]) : 10,
			  .share = argc > 3 ? (unsigned)atoi(argv[3]) : 1};
	enum pn_algorithm only;
	if (argc > 4 && strcmp(argv[4], "all") != 0)
		b.only = argv[4];
	if (argc > 5)
		b.material = argv[5];
	bool all = !strcmp(what, "all"), any = false;
	if (!b.seeds || (b.only && pn_algorithm_parse(b.only, &only, NULL)))
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
	if (!strcmp(what, "random")) {
		random_endings(&b, argc > 2 ? b.seeds : 10000, argc > 3 ? b.share : 0);
		any = true;
	}
	if (!any) {
		fprintf(stderr, "bench retro takes loa4, loa5, antichess2, antichess3, random or all, not '%s'\n",
			what);
		return 2;
	}
	printf("%llu facts and %llu answers of searches compared, %llu answers by facts, %llu facts justified, %llu "
	       "unanswered, %llu wrong\n",
	       (unsigned long long)b.sum.facts, (unsigned long long)b.sum.answers, (unsigned long long)b.sum.known,
	       (unsigned long long)b.sum.justified, (unsigned long long)b.sum.unanswered,
	       (unsigned long long)b.sum.wrong);
	return b.sum.wrong ? 1 : b.sum.unanswered ? 3 : 0;
}
