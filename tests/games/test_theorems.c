/* Theorems (solver/games/THEOREMS.md): what they say of every position of small boards of Connect
 * Four, and of late positions of larger ones, is what retrograde analysis and minimax find; small boards of m,n,k: in
 * test_mnk_theorems.c. */
#include <stdio.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "solver/games/game.h"
#include "solver/games/groups.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* --- every position ----------------------------------------------------------------------- */

static const struct {
	const char *game;
	bool large;     /* left out of a share */
	uint32_t least; /* claims that a theorem has to decide */
} boards[] = {
	{"connect4:4x4", false, 1000}, {"connect4:5x4", true, 1000}, {"connect4:4x5", true, 1000},
	{"connect4:3x6", false, 1000}, {"connect4:2x5", false, 10},
};

enum { BOARDS = sizeof boards / sizeof *boards, POSITIONS_MAX = 12000000 };

/* Whether the squares of a witness are empty and different, and its groups have the least size: two squares, but for
 * the first group of T2 and T11, and for the stones of T12. */
static void check_witness(const struct game *game, const void *state, const struct game_theorem *t,
			  const uint8_t *witness)
{
	struct game_diagram diagram = {0};
	bool seen[GAME_PLACES_MAX] = {false};
	game->rules->diagram(game, state, &diagram);
	ck_assert_uint_le(t->witness, GAME_WITNESS_MAX);
	for (unsigned at = 0; at < t->witness;) {
		unsigned size = witness[at++];
		bool single = t->number == 12 || (at == 1 && (t->number == 2 || t->number == 11));
		ck_assert_uint_ge(size, single ? 1 : 2);
		for (unsigned i = 0; i < size; i++, at += 2) {
			unsigned place = witness[at] + 256u * witness[at + 1];
			ck_assert_uint_lt(place, GAME_PLACES_MAX);
			ck_assert(!seen[place] && !diagram.on[place]);
			seen[place] = true;
		}
	}
}

START_TEST(theorems_say_what_is_so_of_every_position)
{
	if (boards[_i].large && !effort_whole())
		return;
	struct game *game = open_game(boards[_i].game);
	struct retro *truth = retro_new(game, POSITIONS_MAX);
	struct walk_state s = {{0}};
	uint32_t asked = 0, said[3] = {0}, all = 0;
	game->rules->start(game, &s);
	ck_assert(retro_add(truth, &s));
	for (int threshold = 0; threshold <= 1; threshold++) {
		unsigned claim = retro_solve(truth, threshold), distance;
		for (uint32_t i = 0; i < retro_positions(truth); i++) {
			struct game_theorem t, again;
			uint8_t witness[GAME_WITNESS_MAX];
			int value;
			retro_state(truth, i, &s);
			if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value))
				continue;
			asked++;
			bool speaks = game->rules->theorem(game, &s, threshold, &t, witness);
			ck_assert(speaks == game->rules->theorem(game, &s, threshold, &again, NULL));
			if (!speaks)
				continue;
			ck_assert(t.number >= 1 && t.number <= 2 && t.effort >= 1 && t.plies >= 2);
			said[t.number]++;
			all++;
			bool holds = retro_holds_at(truth, claim, i, &distance);
			if (holds != t.proved || distance > t.plies) {
				char text[GAME_TEXT_MAX];
				game->rules->print(game, &s, text, sizeof text);
				ck_abort_msg("%s %s: theorem %u on >= %d", game->name, text, t.number, threshold);
			}
			check_witness(game, &s, &t, witness);
		}
	}
	printf("%s: %u positions, %u claims asked, T1 %u, T2 %u decided, 0 wrong\n", game->name, retro_positions(truth),
	       asked, said[1], said[2]);
	ck_assert_uint_ge(all, boards[_i].least);
	retro_free(truth);
	game_close(game);
}
END_TEST

/* --- larger boards ---------------------------------------------------------------------------- */

static const struct {
	const char *game;
	unsigned empty; /* most empty squares that everything is tried with */
} late[] = {
	{"connect4:7x6", 14}, {"connect4:6x7", 14},       {"connect4:7x7", 13},       {"connect4:9x7", 13},
	{"connect4:8x8", 13}, {"mnk:6,6,4", 9},           {"mnk:9,8,4", 9},           {"mnk:10,10,5", 9},
	{"mnk:9,8,4,2,1", 9}, {"mnk:9,8,4,2,1,exact", 9}, {"mnk:6,5,4,1,1,exact", 9}, {"mnk:6,6,5,3,1", 9},
};

enum { LATE = sizeof late / sizeof *late };

/* Late positions of random games on boards of one word and of several. */
START_TEST(theorems_say_what_is_so_late_on_larger_boards)
{
	struct game *game = open_game(late[_i].game);
	struct oracle *oracle = oracle_new(game);
	uint64_t seed = walk_seed("games.theorems.late", 77 + (uint64_t)_i);
	unsigned said = 0, whole = effort_of(10000, 1000);
	for (unsigned i = 0; i < whole; i++) {
		struct walk_state s = {{0}};
		struct game_theorem t;
		uint8_t witness[GAME_WITNESS_MAX];
		int value;
		unsigned rank;
		game->rules->start(game, &s);
		walk_far(game, &s, game->plies_max - late[_i].empty + i % late[_i].empty, &seed);
		if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value))
			continue;
		for (int threshold = 0; threshold <= 1; threshold++) {
			if (!game->rules->theorem(game, &s, threshold, &t, witness))
				continue;
			said++;
			check_witness(game, &s, &t, witness);
			ck_assert_uint_le(t.plies, late[_i].empty);
			ck_assert(oracle_claim(oracle, &s, threshold, &rank) == t.proved && rank <= t.plies);
		}
	}
	printf("%s: %u late positions, %u claims decided, 0 wrong\n", game->name, whole, said);
	ck_assert_uint_gt(said, 0);
	oracle_free(oracle);
	game_close(game);
}
END_TEST

/* --- the abstract game ------------------------------------------------------------------------ */

/* Squares are taken in turn, the attacker first. The attacker wins with all squares of a line. */
struct abstract {
	unsigned lines;
	uint64_t line[12];
};

static bool attacker_wins(const struct abstract *a, uint64_t free, uint64_t taken)
{
	for (unsigned i = 0; i < a->lines; i++)
		if (!(a->line[i] & ~taken))
			return true;
	for (uint64_t x = free; x; x &= x - 1) {
		uint64_t mine = x & -x, left = free ^ mine;
		bool wins = true;
		for (uint64_t y = left; y && wins; y &= y - 1)
			wins = attacker_wins(a, left ^ (y & -y), taken | mine);
		if (wins && left)
			return true;
	}
	return false;
}

static bool has_fixed_matching(const struct abstract *a)
{
	struct groups g = {.size = 2, .lines = a->lines};
	memcpy(g.line, a->line, sizeof a->line);
	return groups_find(&g);
}

/* The wrong form of T1: the rest may be divided in another way after each choice. */
static bool has_changing_matching(const struct abstract *a, uint64_t free, uint64_t taken)
{
	if (!free) {
		for (unsigned i = 0; i < a->lines; i++)
			if (!(a->line[i] & ~taken))
				return false;
		return true;
	}
	uint64_t x = free & -free, rest = free ^ x;
	for (uint64_t left = rest; left; left &= left - 1) {
		uint64_t y = left & -left;
		if (has_changing_matching(a, rest ^ y, taken | x) && has_changing_matching(a, rest ^ y, taken | y))
			return true;
	}
	return false;
}

START_TEST(a_matching_that_changes_with_the_choices_is_wrong)
{
	static const struct abstract known = {4,
					      {1 << 1 | 1 << 3 | 1 << 5, 1 << 0 | 1 << 3 | 1 << 5,
					       1 << 1 | 1 << 2 | 1 << 5, 1 << 0 | 1 << 2 | 1 << 5}};
	ck_assert(has_changing_matching(&known, 63, 0) && attacker_wins(&known, 63, 0));
	ck_assert(!has_fixed_matching(&known));
	uint64_t seed = walk_seed("games.theorems", 31);
	unsigned found = 0, changing = 0, wrong = 0;
	for (unsigned i = 0; i < effort_of(6000, 600); i++) {
		unsigned squares = i % 4 ? 6 : 8;
		uint64_t all = (UINT64_C(1) << squares) - 1;
		struct abstract a = {.lines = 1 + walk_below(&seed, squares)};
		for (unsigned j = 0; j < a.lines; j++)
			while (__builtin_popcountll(a.line[j]) < (i % 2 ? 3 : 2 + (int)(j & 1)))
				a.line[j] |= UINT64_C(1) << walk_below(&seed, squares);
		bool fixed = has_fixed_matching(&a), any = has_changing_matching(&a, all, 0);
		bool lost = attacker_wins(&a, all, 0);
		ck_assert(!fixed || (any && !lost));
		found += fixed;
		changing += any && !fixed;
		wrong += any && lost;
	}
	printf("abstract game: fixed %u, 0 wrong; only changing %u, %u of them wrong\n", found, changing, wrong);
	ck_assert_uint_gt(found, 100);
}
END_TEST

/* --- one square wrong --------------------------------------------------------------------- */

enum { SIDE_MAX = 8 };

/* The theorems of Connect Four once more, from their text, square by square, with a mistake of one square or none. */
enum mistake {
	NO_MISTAKE,
	MISTAKE_OWN,      /* T1 forgets one empty square of M's rows */
	MISTAKE_BASE,     /* T1 takes the square above the first base for that base */
	MISTAKE_LINE,     /* T1 (b) gives W one empty square of M's rows */
	MISTAKE_THREAT,   /* T2 takes the square above r for r */
	MISTAKE_BELOW,    /* T2 forgets the base of c, which M gets */
	MISTAKE_OTHER,    /* T2 forgets one empty square of M's rows */
	MISTAKE_ABOVE,    /* too late: W's square above that of M's line counts as one below it */
	MISTAKE_PAIRED,   /* too late: W gets all bases */
	MISTAKE_RANGE,    /* too late: W gets all squares below those of M's line in the columns other than c */
	MISTAKE_ZUGZWANG, /* too late: W gets all squares of c up to r */
	MISTAKE_LAST
};

struct grid {
	int width, height;
	int side;                      /* the side to move, 1 or 2 */
	int at[SIDE_MAX][SIDE_MAX];    /* [column][row]: 0 empty, 1 First, 2 Second */
	int empties[SIDE_MAX];         /* of a column */
	bool set[SIDE_MAX][SIDE_MAX];  /* the squares that are looked at for a line */
	bool gets[SIDE_MAX][SIDE_MAX]; /* the empty squares that W gets */
	int reach;                     /* which of them are filled: those below this many rows above a square */
};

static bool set_has_line(const struct grid *g);

/* Whether W has a line in its stones and what it gets below the line of M that starts in a square. */
static bool line_is_late(const struct grid *g, int column, int row, const int step[2])
{
	struct grid then = {.width = g->width, .height = g->height};
	for (int c = 0; c < g->width; c++)
		for (int r = 0; r < g->height; r++)
			then.set[c][r] = g->at[c][r] && g->at[c][r] != g->side;
	for (int n = 0; n < 4; n++)
		for (int c = column + n * step[0], r = 0; r < row + n * step[1] + g->reach && r < g->height; r++)
			then.set[c][r] |= g->gets[c][r];
	return set_has_line(&then);
}

/* Whether there is a line in `set` that comes in time, if `timely`; if not, any. */
static bool set_has(const struct grid *g, bool timely)
{
	static const int step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
	for (int c = 0; c < g->width; c++)
		for (int r = 0; r < g->height; r++)
			for (int d = 0; d < 4; d++) {
				int n = 0;
				while (n < 4) {
					int x = c + n * step[d][0], y = r + n * step[d][1];
					if (x >= g->width || y < 0 || y >= g->height || !g->set[x][y])
						break;
					n++;
				}
				if (n == 4 && !(timely && line_is_late(g, c, r, step[d])))
					return true;
			}
	return false;
}

static bool set_has_line(const struct grid *g)
{
	return set_has(g, false);
}

/* Whether, for some matching of the squares left, all choices keep `set` from a line: all matchings are tried, and of
 * each all choices. */
static bool choices_are_safe(struct grid *g, int (*pair)[4], int pairs)
{
	bool safe = true;
	for (int choice = 0; choice < 1 << pairs && safe; choice++) {
		for (int i = 0; i < pairs; i++) {
			const int *p = pair[i] + (choice >> i & 1 ? 2 : 0);
			g->set[p[0]][p[1]] = true;
		}
		safe = !set_has(g, true);
		for (int i = 0; i < pairs; i++)
			g->set[pair[i][0]][pair[i][1]] = g->set[pair[i][2]][pair[i][3]] = false;
	}
	return safe;
}

static bool matching_is_safe(struct grid *g, int (*base)[2], int bases, int (*pair)[4], int pairs)
{
	if (!bases)
		return choices_are_safe(g, pair, pairs);
	for (int i = 1; i < bases; i++) {
		int rest[SIDE_MAX][2], n = 0;
		memcpy(pair[pairs], base[0], sizeof base[0]);
		memcpy(pair[pairs] + 2, base[i], sizeof base[i]);
		for (int j = 1; j < bases; j++)
			if (j != i)
				memcpy(rest[n++], base[j], sizeof base[j]);
		if (matching_is_safe(g, rest, n, pair, pairs + 1))
			return true;
	}
	return false;
}

static bool row_is_of_mover(const struct grid *g, int row)
{
	return (row - g->height) % 2 == 0;
}

/* Puts into `gets` what W gets: with T2 in the column `without` as well, up to the row of the threat. */
static void set_gets(struct grid *g, int without, int threat, enum mistake mistake)
{
	g->reach = mistake == MISTAKE_ABOVE ? 2 : 0;
	for (int c = 0; c < g->width; c++)
		for (int r = 0; r < g->height; r++) {
			bool base = g->empties[c] % 2 && r == g->height - g->empties[c], mine = row_is_of_mover(g, r);
			bool gets = !mine && (!base || mistake == MISTAKE_PAIRED);
			if (c == without)
				gets = r <= threat && (mine || mistake == MISTAKE_ZUGZWANG);
			else if (mistake == MISTAKE_RANGE)
				gets = true;
			g->gets[c][r] = !g->at[c][r] && gets;
		}
}

static bool own_is_safe(struct grid *g, int without, int threat, enum mistake mistake)
{
	int base[SIDE_MAX][2], pair[SIDE_MAX][4], bases = 0;
	for (int c = 0; c < g->width; c++)
		if (g->empties[c] % 2 && c != without) {
			base[bases][0] = c;
			base[bases++][1] = g->height - g->empties[c];
		}
	if (mistake == MISTAKE_BASE && without < 0 && bases && base[0][1] + 1 < g->height)
		base[0][1]++;
	for (int i = 0; i < bases; i++)
		g->set[base[i][0]][base[i][1]] = false;
	set_gets(g, without, threat, mistake);
	return !set_has(g, true) && matching_is_safe(g, base, bases, pair, 0);
}

/* Puts into `set` what the mover has or gets for certain, outside the column `without`. */
static void set_own(struct grid *g, int without, bool forget)
{
	memset(g->set, 0, sizeof g->set);
	for (int c = 0; c < g->width; c++)
		for (int r = 0; r < g->height; r++) {
			bool gets = !g->at[c][r] && c != without && row_is_of_mover(g, r);
			if (gets && forget)
				gets = forget = false;
			g->set[c][r] = g->at[c][r] == g->side || gets;
		}
}

static bool waiting_side_gets_a_line(struct grid *g, bool one_more)
{
	memset(g->set, 0, sizeof g->set);
	for (int c = 0; c < g->width; c++)
		for (int r = 0; r < g->height; r++) {
			bool base = g->empties[c] % 2 && r == g->height - g->empties[c], his = !row_is_of_mover(g, r);
			if (!g->at[c][r] && !his && one_more)
				his = true, one_more = false;
			g->set[c][r] = g->at[c][r] ? g->at[c][r] != g->side : his && !base;
		}
	return set_has_line(g);
}

/* The row of the lowest threat of the waiting side in a row of the mover; -1: none. */
static int threat_in(struct grid *g, int column)
{
	for (int r = g->height - g->empties[column]; r < g->height; r++) {
		if (!row_is_of_mover(g, r))
			continue;
		memset(g->set, 0, sizeof g->set);
		for (int c = 0; c < g->width; c++)
			for (int y = 0; y < g->height; y++)
				g->set[c][y] = g->at[c][y] && g->at[c][y] != g->side;
		g->set[column][r] = true;
		if (set_has_line(g))
			return r;
	}
	return -1;
}

static bool zugzwang_wins(struct grid *g, enum mistake mistake)
{
	for (int c = 0; c < g->width; c++) {
		int base = g->height - g->empties[c], threat = g->empties[c] % 2 ? threat_in(g, c) : -1;
		if (threat < 0)
			continue;
		set_own(g, c, mistake == MISTAKE_OTHER);
		for (int r = base + (mistake == MISTAKE_BELOW); r < threat; r++)
			g->set[c][r] |= !row_is_of_mover(g, r);
		if (mistake == MISTAKE_THREAT && !row_is_of_mover(g, threat - 1))
			g->set[c][threat - 1] = false;
		if (own_is_safe(g, c, threat, mistake))
			return true;
	}
	return false;
}

/* What the text says of the claim "at least threshold"; false: nothing. */
static bool text_says(struct grid *g, int threshold, enum mistake mistake, bool *proved)
{
	int empties = 0;
	for (int c = 0; c < g->width; c++)
		empties += g->empties[c];
	bool first_waits = g->side == 2, wins = threshold == first_waits;
	*proved = first_waits;
	if (empties % 2)
		return zugzwang_wins(g, mistake);
	if (wins && !waiting_side_gets_a_line(g, mistake == MISTAKE_LINE))
		return false;
	set_own(g, -1, mistake == MISTAKE_OWN);
	return own_is_safe(g, -1, -1, mistake);
}

static void grid_of(const struct game *game, const void *state, struct grid *g)
{
	struct game_diagram diagram = {0};
	game->rules->diagram(game, state, &diagram);
	g->side = game->rules->first_to_move(game, state) ? 1 : 2;
	for (int c = 0; c < g->width; c++) {
		g->empties[c] = 0;
		for (int r = 0; r < g->height; r++) {
			g->at[c][r] = diagram.on[r * g->width + c];
			g->empties[c] += !g->at[c][r];
		}
	}
}

/* Without a mistake the text says what the game says; each mistake is found out by some position. Four rows are too few
 * for the last mistake. */
START_TEST(a_theorem_that_is_wrong_by_one_square_is_found_out)
{
	static const char *const names[] = {"connect4:4x4", "connect4:4x5"};
	if (_i && !effort_whole())
		return;
	struct game *game = open_game(names[_i]);
	struct retro *truth = retro_new(game, POSITIONS_MAX);
	struct grid grid = {.width = 4, .height = 4 + _i};
	struct walk_state s = {{0}};
	unsigned wrong[MISTAKE_LAST] = {0}, said = 0;
	game->rules->start(game, &s);
	ck_assert(retro_add(truth, &s));
	for (int threshold = 0; threshold <= 1; threshold++) {
		unsigned claim = retro_solve(truth, threshold);
		for (uint32_t i = 0; i < retro_positions(truth); i++) {
			struct game_theorem t = {0};
			int value;
			retro_state(truth, i, &s);
			if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value))
				continue;
			grid_of(game, &s, &grid);
			for (int mistake = NO_MISTAKE; mistake < MISTAKE_LAST; mistake++) {
				bool proved, speaks = text_says(&grid, threshold, (enum mistake)mistake, &proved);
				if (mistake == NO_MISTAKE) {
					ck_assert(speaks == game->rules->theorem(game, &s, threshold, &t, NULL));
					said += speaks;
				}
				wrong[mistake] += speaks && proved != retro_holds_at(truth, claim, i, NULL);
			}
		}
	}
	printf("%s: %u claims said by the text as by the game; wrong by mistake:", game->name, said);
	for (int mistake = 1; mistake < MISTAKE_LAST; mistake++)
		printf(" %u", wrong[mistake]);
	printf("\n");
	for (int mistake = 1; mistake < MISTAKE_LAST; mistake++)
		ck_assert(wrong[mistake] || (_i == 0 && mistake == MISTAKE_ZUGZWANG));
	ck_assert_uint_eq(wrong[NO_MISTAKE], 0);
	ck_assert_uint_gt(said, 1000);
	retro_free(truth);
	game_close(game);
}
END_TEST

/* --- T5, one square wrong ----------------------------------------------------------------- */

/* T5 once more, from its text, by trying all groups, with a mistake of one square or none. */
enum slip {
	NO_SLIP,
	SLIP_SIZE,   /* groups of P squares */
	SLIP_SHARED, /* a group may share one square with the others */
	SLIP_STONE,  /* one of a group's squares may hold a stone of A */
	SLIP_LINE,   /* one open line is forgotten */
	SLIP_BEYOND, /* a stone of D on the square after a line closes it */
	SLIP_EXACT,  /* with `exact`, A's stone two squares after a line spoils it; else no mistake */
	SLIP_LAST
};

static const struct {
	const char *game;
	int width, height, k, turn;
	bool exact;
	unsigned least[SLIP_LAST]; /* wrong claims that each mistake has to make */
} rows[] = {
	{"mnk:3,3,3", 3, 3, 3, 1, false, {0, 1, 1, 1, 1, 0, 0}}, /* no square lies behind a line */
	{"mnk:4,3,3", 4, 3, 3, 1, false, {0, 1, 1, 1, 1, 1, 0}},
	{"mnk:4,3,3,2,1", 4, 3, 3, 2, false, {0, 1, 0, 1, 1, 1, 0}}, /* no position needs disjoint triples */
	{"mnk:5,2,3,1,1,exact", 5, 2, 3, 1, true, {0, 1, 1, 1, 1, 1, 1}},
};

enum { ROWS = sizeof rows / sizeof *rows, ROW_SQUARES = 16, ROW_LINES = 64 };

/* The stones, the open lines by the squares that groups may have, and the groups' size, for one position. */
struct cover {
	int at[ROW_SQUARES]; /* 0: empty, 1: First, 2: Second */
	int side;            /* A, 1 or 2 */
	int size;
	unsigned lines;
	uint32_t line[ROW_LINES];
	int shared; /* squares that a group may share with those before it */
};

/* Whether groups exist for the lines from `line` on, when `used` is in groups and group[0..count) are there. */
static bool groups_exist(const struct cover *c, unsigned line, uint32_t used, uint32_t *group, unsigned count)
{
	bool covered = line == c->lines;
	for (unsigned i = 0; i < count && !covered; i++)
		if (!(group[i] & ~c->line[line]))
			return groups_exist(c, line + 1, used, group, count);
	if (covered)
		return true;
	for (uint32_t x = c->line[line]; x; x = (x - 1) & c->line[line]) {
		if (__builtin_popcount(x) != c->size || __builtin_popcount(x & used) > c->shared)
			continue;
		group[count] = x;
		if (groups_exist(c, line + 1, used | x, group, count + 1))
			return true;
	}
	return false;
}

static int stone_at(const struct cover *c, unsigned row, int x, int y)
{
	return x < 0 || y < 0 || x >= rows[row].width || y >= rows[row].height ? 0 : c->at[y * rows[row].width + x];
}

static void add_line(struct cover *c, unsigned row, int x, int y, const int step[2], enum slip slip)
{
	int k = rows[row].k, other = 3 - c->side, after = slip == SLIP_EXACT ? k + 1 : k;
	uint32_t line = 0;
	bool stone = slip != SLIP_STONE;
	if (x + (k - 1) * step[0] >= rows[row].width || y + (k - 1) * step[1] >= rows[row].height ||
	    y + (k - 1) * step[1] < 0)
		return;
	for (int j = 0; j < k; j++) {
		int at = stone_at(c, row, x + j * step[0], y + j * step[1]);
		bool takes = !at || (at == c->side && !stone);
		stone |= at == c->side;
		if (at == other)
			return;
		line |= (uint32_t)takes << ((y + j * step[1]) * rows[row].width + x + j * step[0]);
	}
	if (slip == SLIP_BEYOND && stone_at(c, row, x + k * step[0], y + k * step[1]) == other)
		return;
	if (rows[row].exact && (stone_at(c, row, x - step[0], y - step[1]) == c->side ||
				stone_at(c, row, x + after * step[0], y + after * step[1]) == c->side))
		return;
	c->line[c->lines++] = line;
}

/* Whether the text gives the side to move at most a draw. */
static bool text_has_groups(struct cover *c, unsigned row, enum slip slip)
{
	static const int step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
	uint32_t group[ROW_LINES];
	c->size = rows[row].turn + (slip != SLIP_SIZE);
	c->shared = slip == SLIP_SHARED;
	c->lines = 0;
	for (int x = 0; x < rows[row].width; x++)
		for (int y = 0; y < rows[row].height; y++)
			for (int d = 0; d < 4; d++)
				add_line(c, row, x, y, step[d], slip);
	c->lines -= slip == SLIP_LINE && c->lines;
	return groups_exist(c, 0, 0, group, 0);
}

static void cover_of(const struct game *game, const void *state, unsigned row, struct cover *c)
{
	struct game_diagram diagram = {0};
	game->rules->diagram(game, state, &diagram);
	c->side = game->rules->first_to_move(game, state) ? 1 : 2;
	for (int i = 0; i < rows[row].width * rows[row].height; i++)
		c->at[i] = diagram.on[i];
}

/* Without a mistake the text is right and knows all that the game knows; each mistake is found out by some position. */
START_TEST(groups_that_are_wrong_by_one_square_are_found_out)
{
	struct game *game = open_game(rows[_i].game);
	struct retro *truth = retro_new(game, POSITIONS_MAX);
	struct cover cover;
	struct walk_state s = {{0}};
	unsigned wrong[SLIP_LAST] = {0}, said = 0, known = 0;
	game->rules->start(game, &s);
	ck_assert(retro_add(truth, &s));
	for (int threshold = 0; threshold <= 1; threshold++) {
		unsigned claim = retro_solve(truth, threshold);
		for (uint32_t i = 0; i < retro_positions(truth); i++) {
			struct game_theorem t = {0};
			int value;
			retro_state(truth, i, &s);
			if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value) ||
			    game->rules->first_to_move(game, &s) != (threshold == 1))
				continue;
			cover_of(game, &s, (unsigned)_i, &cover);
			for (int slip = NO_SLIP; slip < SLIP_LAST; slip++) {
				bool speaks = text_has_groups(&cover, (unsigned)_i, (enum slip)slip);
				if (slip == NO_SLIP && game->rules->theorem(game, &s, threshold, &t, NULL) &&
				    t.number == 5) {
					ck_assert(speaks);
					known++;
				}
				said += slip == NO_SLIP && speaks;
				wrong[slip] += speaks && retro_holds_at(truth, claim, i, NULL) == (threshold == 1);
			}
		}
	}
	printf("%s: %u claims said by the text, %u by the game; wrong by mistake:", game->name, said, known);
	for (int slip = 1; slip < SLIP_LAST; slip++)
		printf(" %u", wrong[slip]);
	printf("\n");
	for (int slip = 1; slip < SLIP_LAST; slip++)
		ck_assert_uint_ge(wrong[slip], rows[_i].least[slip]);
	ck_assert_uint_eq(wrong[NO_SLIP], 0);
	ck_assert_uint_gt(known, 20);
	retro_free(truth);
	game_close(game);
}
END_TEST

SUITE(theorems)
{
	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, theorems_say_what_is_so_of_every_position, 0, BOARDS);
	tcase_add_loop_test(c, theorems_say_what_is_so_late_on_larger_boards, 0, LATE);
	tcase_add_test(c, a_matching_that_changes_with_the_choices_is_wrong);
	tcase_add_loop_test(c, a_theorem_that_is_wrong_by_one_square_is_found_out, 0, 2);
	tcase_add_loop_test(c, groups_that_are_wrong_by_one_square_are_found_out, 0, ROWS);
}
