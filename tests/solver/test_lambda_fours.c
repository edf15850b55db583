/* Continuous fours in Gomoku (VCF): positions with known shortest wins, which an independent search finds again, are
 * won by lambda search with order 1.
 *
 * `test_solver gomoku_make COUNT SEED` makes such positions, for tests/data/gomoku_fours.tsv. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/lambda.h"
#include "tests/support/effort.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* --- continuous fours in Gomoku ------------------------------------------------------------- */

enum {
	SIDE = 15,
	POINTS = SIDE * SIDE,
	FOURS_MADE = 12,
	FOURS_MAX = 14,
	FAILED = 1 << 18,
	MAKE_NODES = 600,
	FOUR_NODES = 2000000,
	LAMBDA_NODES = 100000000
};

/* A Gomoku board and an independent search of continuous fours: at[] is 0, 1 for the attacker, 2 for the defender. */
struct fours {
	uint8_t at[POINTS];
	bool exact;                  /* five are exactly five */
	uint64_t hash, nodes, limit; /* limit: of the nodes of one question */
	struct {
		uint64_t hash;
		unsigned fours;
	} failed[FAILED]; /* positions that were not won with so many fours */
};

static const int ways[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};

static unsigned run_of(const struct fours *f, int x, int y, int dx, int dy, unsigned side)
{
	unsigned n = 0;
	for (;; n++) {
		x += dx, y += dy;
		if (x < 0 || y < 0 || x >= SIDE || y >= SIDE || f->at[y * SIDE + x] != side)
			return n;
	}
}

/* Whether a stone on the empty point makes five. */
static bool makes_five(const struct fours *f, unsigned point, unsigned side)
{
	int x = (int)point % SIDE, y = (int)point / SIDE;
	for (unsigned i = 0; i < 4; i++) {
		unsigned n = 1 + run_of(f, x, y, ways[i][0], ways[i][1], side) +
			     run_of(f, x, y, -ways[i][0], -ways[i][1], side);
		if (f->exact ? n == 5 : n >= 5)
			return true;
	}
	return false;
}

static void put_point(struct fours *f, unsigned point, unsigned side)
{
	uint64_t seed = 4 * (uint64_t)point + f->at[point] + side;
	f->hash ^= walk_random(&seed);
	f->at[point] = f->at[point] ? 0 : (uint8_t)side;
}

/* The points on the lines through `point` where the side makes five; returns how many, and one of them. */
static unsigned fives_near(const struct fours *f, unsigned point, unsigned side, unsigned *five)
{
	int x = (int)point % SIDE, y = (int)point / SIDE;
	unsigned n = 0;
	for (unsigned i = 0; i < 4; i++)
		for (int d = -4; d <= 4; d++) {
			int u = x + d * ways[i][0], v = y + d * ways[i][1];
			if (d == 0 || u < 0 || v < 0 || u >= SIDE || v >= SIDE || f->at[v * SIDE + u])
				continue;
			if (!makes_five(f, (unsigned)(v * SIDE + u), side))
				continue;
			n++;
			*five = (unsigned)(v * SIDE + u);
		}
	return n;
}

/* Whether a stone of the attacker on the empty point could make a four: five points in a row with three of its stones
 * and none of the defender's. */
static bool may_make_four(const struct fours *f, unsigned point)
{
	int x = (int)point % SIDE, y = (int)point / SIDE;
	for (unsigned i = 0; i < 4; i++)
		for (int from = -4; from <= 0; from++) {
			unsigned stones = 0;
			for (int d = from; d < from + 5; d++) {
				int u = x + d * ways[i][0], v = y + d * ways[i][1];
				bool out = u < 0 || v < 0 || u >= SIDE || v >= SIDE;
				unsigned at = out ? 2 : f->at[v * SIDE + u];
				stones += at == 2 ? POINTS : at; /* 1: the attacker's */
			}
			if (stones >= 3 && stones < POINTS)
				return true;
		}
	return false;
}

/* Whether the attacker, who has no five, wins with at most that many fours. The defender has `threats` points for a
 * five, one of them `must`. */
static bool fours_win(struct fours *f, unsigned fours, unsigned threats, unsigned must)
{
	if (!fours || threats > 1)
		return false;
	unsigned slot = (unsigned)(f->hash % FAILED);
	if (f->failed[slot].hash == f->hash && f->failed[slot].fours >= fours)
		return false;
	bool wins = false;
	for (unsigned p = threats ? must : 0; p < POINTS && !wins; p = threats ? POINTS : p + 1) {
		unsigned five = 0, next = 0;
		if (f->at[p] || !may_make_four(f, p))
			continue;
		put_point(f, p, 1);
		f->nodes++;
		unsigned n = fives_near(f, p, 1, &five);
		wins = n > 1;
		if (n == 1) {
			put_point(f, five, 2);
			unsigned theirs = fives_near(f, five, 2, &next);
			wins = fours_win(f, fours - 1, theirs, next);
			put_point(f, five, 2);
		}
		put_point(f, p, 1);
		if (f->nodes > f->limit)
			return false;
	}
	if (!wins) {
		f->failed[slot].hash = f->hash;
		f->failed[slot].fours = fours;
	}
	return wins;
}

/* Whether a stone is part of five: taking one out of six may leave that. */
static bool has_five(const struct fours *f)
{
	for (unsigned p = 0; p < POINTS; p++)
		if (f->at[p] && makes_five(f, p, f->at[p]))
			return true;
	return false;
}

/* The least number of fours, 0 for a five at once; FOURS_MAX + 1: no win; UINT32_MAX: not known. */
static unsigned least_fours(struct fours *f)
{
	unsigned threats = 0, must = 0;
	for (unsigned p = 0; p < POINTS; p++) {
		if (f->at[p])
			continue;
		if (makes_five(f, p, 1))
			return 0;
		if (makes_five(f, p, 2)) {
			threats++;
			must = p;
		}
	}
	f->hash += UINT64_C(0x9e3779b97f4a7c15); /* what failed before was another board */
	f->nodes = 0;
	for (unsigned fours = 1; fours <= FOURS_MAX; fours++)
		if (fours_win(f, fours, threats, must))
			return fours;
	return f->nodes > f->limit ? UINT32_MAX : FOURS_MAX + 1;
}

/* --- making positions ------------------------------------------------------------------------- */

/* A board of random stones without a five. */
static void random_board(struct fours *f, uint64_t *seed)
{
	unsigned stones = 20 + walk_below(seed, 40), size = 9 + walk_below(seed, 7);
	memset(f->at, 0, sizeof f->at);
	for (unsigned i = 0; i < stones; i++) {
		unsigned p = walk_below(seed, size) * SIDE + walk_below(seed, size);
		if (!f->at[p] && !makes_five(f, p, 1 + i % 2))
			put_point(f, p, 1 + i % 2);
	}
}

static void print_board(const struct fours *f, char *out)
{
	for (unsigned row = SIDE; row-- > 0; *out++ = row ? '/' : ' ')
		for (unsigned column = 0, empty = 0; column < SIDE; column++) {
			unsigned side = f->at[row * SIDE + column];
			empty = side ? 0 : empty + 1;
			if (side)
				*out++ = ".xo"[side];
			else if (column + 1 == SIDE || f->at[row * SIDE + column + 1])
				out += sprintf(out, "%u", empty);
		}
	strcpy(out, "x");
}

/* Changes one point of a board at a time, as long as the shortest win does not become shorter, and prints the board
 * whenever it has become longer, at most until `most[fours]` have been printed. Returns how many were. */
static unsigned climb_board(struct fours *f, unsigned *most, uint64_t *seed)
{
	unsigned now = 0, printed = 0;
	for (unsigned step = 0; step < 2000 && now < FOURS_MADE; step++) {
		unsigned p = walk_below(seed, POINTS), side = f->at[p] ? f->at[p] : 1 + walk_below(seed, 2);
		if (!f->at[p] && makes_five(f, p, side))
			continue;
		put_point(f, p, side);
		unsigned fours = has_five(f) ? UINT32_MAX : least_fours(f);
		if (fours < now || fours > FOURS_MADE) {
			put_point(f, p, side);
			continue;
		}
		if (fours > now && most[fours]) {
			char text[POINTS + 2 * SIDE];
			print_board(f, text);
			printf("%s\t%u\t%s\n", f->exact ? "exact" : "free", fours, text);
			fflush(stdout);
			most[fours]--;
			printed++;
		}
		now = fours;
	}
	return printed;
}

PROGRAM(gomoku_make)
{
	static struct fours f = {.limit = MAKE_NODES};
	unsigned most[FOURS_MADE + 1];
	if (argc != 3) {
		fprintf(stderr, "usage: gomoku_make COUNT SEED\n");
		return 2;
	}
	unsigned count = (unsigned)strtoul(argv[1], NULL, 10), printed = 0;
	uint64_t seed = strtoull(argv[2], NULL, 10);
	for (unsigned i = 0; i <= FOURS_MADE; i++)
		most[i] = count / FOURS_MADE + 1;
	for (unsigned i = 0; printed < count; i++) {
		f.exact = i % 2;
		random_board(&f, &seed);
		printed += climb_board(&f, most, &seed);
	}
	return 0;
}

/* --- the test ------------------------------------------------------------------------------- */

static void read_board(struct fours *f, const char *text)
{
	unsigned column = 0, row = SIDE - 1;
	memset(f->at, 0, sizeof f->at);
	for (; *text && *text != ' '; text++) {
		if (*text == '/') {
			row--;
			column = 0;
		} else if (*text == 'x' || *text == 'o') {
			put_point(f, row * SIDE + column++, *text == 'x' ? 1 : 2);
		} else {
			unsigned empty = (unsigned)(*text - '0');
			if (text[1] >= '0' && text[1] <= '9')
				empty = 10 * empty + (unsigned)(*++text - '0');
			column += empty;
		}
	}
}

/* Asks for a win with order 1; the nodes that it took. */
static uint64_t search_fours(struct lambda *l, const struct game *g, const struct walk_state *s)
{
	struct question q = question_of(g, 1);
	uint64_t nodes = LAMBDA_NODES;
	ck_assert(lambda_start(l, &q, s, true, 1));
	ck_assert_int_eq(lambda_run(l, &nodes), LAMBDA_WON);
	return LAMBDA_NODES - nodes;
}

START_TEST(continuous_fours_are_won_with_order_1)
{
	static struct fours f = {.limit = FOUR_NODES};
	struct game *games[] = {open_game("mnk:15,15,5"), open_game("mnk:15,15,5,exact")};
	FILE *file = fopen(TEST_DATA "/gomoku_fours.tsv", "r");
	char line[2 * POINTS], text[2 * POINTS], rule[8];
	uint64_t most[FOURS_MAX + 1] = {0}, all = 0;
	unsigned rows = 0, fours, by[FOURS_MAX + 1] = {0}, stride = effort_stride();
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof line, file)) {
		ck_assert_int_eq(sscanf(line, "%7s\t%u\t%449[^\n]", rule, &fours, text), 3);
		ck_assert_uint_le(fours, FOURS_MAX);
		if (rows++ % stride)
			continue;
		f.exact = !strcmp(rule, "exact");
		const struct game *g = games[f.exact];
		struct walk_state s = parse_position(g, text);
		struct lambda l;
		read_board(&f, text);
		ck_assert(!has_five(&f));
		ck_assert_uint_eq(least_fours(&f), fours);
		ck_assert(lambda_init(&l, g, 1 << 24, NULL));
		uint64_t nodes = search_fours(&l, g, &s);
		ck_assert_uint_ge(num_rank(l.num), 2 * fours + 1);
		ck_assert_uint_ne(l.move, PD_NO_MOVE);
		lambda_fini(&l);
		by[fours]++;
		all += nodes;
		most[fours] = nodes > most[fours] ? nodes : most[fours];
	}
	for (unsigned i = 0; i <= FOURS_MAX; i++)
		if (by[i])
			printf("shortest win %2u plies: %2u positions, at most %llu nodes\n", 2 * i + 1, by[i],
			       (unsigned long long)most[i]);
	printf("%u positions, %llu nodes\n", rows, (unsigned long long)all);
	ck_assert_uint_ge(rows, 200);
	fclose(file);
	for (unsigned i = 0; i < 2; i++)
		game_close(games[i]);
}
END_TEST

/* Both searches agree on random boards, most of which are not won. */
START_TEST(random_boards_are_won_exactly_when_continuous_fours_win)
{
	static struct fours f = {.limit = FOUR_NODES};
	struct game *games[] = {open_game("mnk:15,15,5"), open_game("mnk:15,15,5,exact")};
	uint64_t seed = walk_seed("lambda_fours", 15);
	unsigned rounds = effort_of(400, 20), won = 0, lost = 0;
	for (unsigned round = 0; round < rounds; round++) {
		struct game *g = games[round % 2];
		char text[2 * POINTS];
		struct lambda l;
		struct question q = question_of(g, 1);
		uint64_t nodes = LAMBDA_NODES;
		f.exact = round % 2;
		random_board(&f, &seed);
		unsigned fours = least_fours(&f);
		if (fours == UINT32_MAX)
			continue;
		print_board(&f, text);
		struct walk_state s = parse_position(g, text);
		ck_assert(lambda_init(&l, g, 1 << 22, NULL));
		ck_assert(lambda_start(&l, &q, &s, true, 1));
		ck_assert_int_eq(lambda_run(&l, &nodes), fours <= FOURS_MAX ? LAMBDA_WON : LAMBDA_NOTHING);
		*(fours <= FOURS_MAX ? &won : &lost) += 1;
		lambda_fini(&l);
	}
	printf("%u won, %u not\n", won, lost);
	ck_assert(won && lost);
	for (unsigned i = 0; i < 2; i++)
		game_close(games[i]);
}
END_TEST

SUITE(lambda_fours)
{
	tcase_set_timeout(c, 600);
	tcase_add_test(c, continuous_fours_are_won_with_order_1);
	tcase_add_test(c, random_boards_are_won_exactly_when_continuous_fours_win);
}
