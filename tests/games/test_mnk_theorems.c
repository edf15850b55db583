/* The theorems of m,n,k (T5, T11 and T12 of solver/games/THEOREMS.md) once more, from their text: the witnesses that
 * the game gives are what the text asks for, and readings of the text that are wrong by one square are found out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/effort.h"
#include "tests/support/positions.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { SIDE_MOST = 20, SQUARES = SIDE_MOST * SIDE_MOST, LINES = 4 * SQUARES, LENGTH = 8 };

/* One mistake in reading the text, or none. */
enum slip {
	NO_SLIP,
	SLIP_FIRST,    /* T11: S has a square more than D has stones */
	SLIP_BESIDE,   /* T11: a first square closes the lines of the square after it */
	SLIP_TO_MOVE,  /* T11: T < 1 is enough */
	SLIP_WEIGHT,   /* T11: a line has one square more in the rest */
	SLIP_GROUPS,   /* T11: squares of groups are of the rest */
	SLIP_ONE,      /* T12: one square in L wins */
	SLIP_ANSWER,   /* T12: D puts its stone on the square after that of L */
	SLIP_DEFENDER, /* T12: D may have a square that completes a line of D */
	SLIP_LAST
};

struct line {
	int square[LENGTH], before, after; /* -1: not on the board */
};

/* A board, and a position on it. Owned by a test. */
struct text {
	int width, height, k, turn, opening;
	bool exact;
	unsigned lines;
	struct line line[LINES];
	int at[SQUARES]; /* 0: empty, 1: First, 2: Second */
	int mover, left; /* the side to move, and its stones of this turn */
	enum slip slip;
};

static int square_of(const struct text *t, int x, int y)
{
	return x >= 0 && y >= 0 && x < t->width && y < t->height ? y * t->width + x : -1;
}

static void read_board(const char *name, struct text *t)
{
	static const int step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
	*t = (struct text){.turn = 1, .opening = 1, .exact = strstr(name, "exact") != NULL};
	ck_assert_int_ge(sscanf(name, "mnk:%d,%d,%d,%d,%d", &t->width, &t->height, &t->k, &t->turn, &t->opening), 3);
	ck_assert(t->width <= SIDE_MOST && t->height <= SIDE_MOST && t->k <= LENGTH);
	for (int square = 0; square < t->width * t->height; square++)
		for (int d = 0; d < 4; d++) {
			int x = square % t->width, y = square / t->width, dx = step[d][0], dy = step[d][1];
			struct line line = {.before = square_of(t, x - dx, y - dy),
					    .after = square_of(t, x + t->k * dx, y + t->k * dy)};
			if (square_of(t, x + (t->k - 1) * dx, y + (t->k - 1) * dy) < 0)
				continue;
			for (int i = 0; i < t->k; i++)
				line.square[i] = square_of(t, x + i * dx, y + i * dy);
			t->line[t->lines++] = line;
		}
}

static void read_position(const struct game *game, const void *state, struct text *t)
{
	struct game_diagram diagram = {0};
	int stones = 0;
	game->rules->diagram(game, state, &diagram);
	for (int i = 0; i < t->width * t->height; i++) {
		t->at[i] = diagram.on[i];
		stones += t->at[i] != 0;
	}
	t->mover = game->rules->first_to_move(game, state) ? 1 : 2;
	t->left = stones < t->opening ? t->opening - stones : t->turn - (stones - t->opening) % t->turn;
}

static bool is_open(const struct text *t, const struct line *line, int side)
{
	for (int i = 0; i < t->k; i++)
		if (t->at[line->square[i]] == 3 - side)
			return false;
	return !t->exact ||
	       ((line->before < 0 || t->at[line->before] != side) && (line->after < 0 || t->at[line->after] != side));
}

/* --- T5 and T11 ----------------------------------------------------------------------------- */

/* S and the groups: for each square 0 in the rest, 1 in S, otherwise the number of its group, from 2. */
struct cover {
	int groups; /* the greatest number */
	int of[SQUARES];
};

/* Whether a line is served; *rest: its squares in the rest. */
static bool is_served(const struct text *t, const struct cover *c, const struct line *line, int *rest)
{
	int in[SQUARES] = {0};
	bool served = false;
	*rest = 0;
	for (int i = 0; i < t->k; i++) {
		int square = line->square[i], group = c->of[square];
		bool beside = t->slip == SLIP_BESIDE;
		int first = beside ? (square + t->width * t->height - 1) % (t->width * t->height) : square;
		served |= c->of[first] == 1;
		served |= group > 1 && ++in[group] == t->turn + 1;
		*rest += !t->at[square] && (!group || t->slip == SLIP_GROUPS);
	}
	return served;
}

/* Whether the cover stops a side. */
static bool stops(const struct text *t, const struct cover *c, int attacker, bool weighed)
{
	double sum = 0, most = 0, weight[SQUARES] = {0};
	for (unsigned i = 0; i < t->lines; i++) {
		const struct line *line = &t->line[i];
		int rest;
		if (!is_open(t, line, attacker) || is_served(t, c, line, &rest))
			continue;
		if (!weighed || t->turn > 1)
			return false;
		double more = ldexp(1, -rest - (t->slip == SLIP_WEIGHT));
		sum += more;
		for (int j = 0; j < t->k; j++) {
			int square = line->square[j];
			if (t->at[square] || (c->of[square] && t->slip != SLIP_GROUPS))
				continue;
			weight[square] += more;
			most = fmax(most, weight[square]);
		}
	}
	return sum < 1 && (t->slip == SLIP_TO_MOVE || sum + most < 1);
}

/* Reads a list of groups; false if it is not one of different empty squares. */
static bool read_groups(const struct text *t, const uint8_t *witness, unsigned size, int first, struct cover *c)
{
	*c = (struct cover){.groups = first ? 0 : 1};
	for (unsigned at = 0; at < size;) {
		int squares = witness[at++], wanted = t->turn + 1;
		c->groups++;
		if (c->groups == 1 ? squares < 1 || squares > first : squares != wanted)
			return false;
		for (int i = 0; i < squares; i++, at += 2) {
			int square = witness[at] + 256 * witness[at + 1];
			if (at + 2 > size || square >= t->width * t->height || t->at[square] || c->of[square])
				return false;
			c->of[square] = c->groups;
		}
	}
	return true;
}

static bool is_stopped(const struct text *t, int attacker, unsigned number, const uint8_t *witness, unsigned size)
{
	struct cover c;
	bool attacks = attacker == t->mover;
	if ((attacks && t->left > t->turn) || (number == 5 && !attacks))
		return false;
	return read_groups(t, witness, size, attacks ? 0 : t->left, &c) && stops(t, &c, attacker, number == 11);
}

/* --- T12 ---------------------------------------------------------------------------------- */

/* The empty squares that complete a line of a side; *one is one of them. */
static int count_completions(const struct text *t, int side, int *one)
{
	int count = 0;
	bool seen[SQUARES] = {false};
	for (unsigned i = 0; i < t->lines; i++) {
		int empty = 0, last = 0;
		for (int j = 0; j < t->k; j++)
			if (!t->at[t->line[i].square[j]]) {
				empty++;
				last = t->line[i].square[j];
			}
		if (empty != 1 || !is_open(t, &t->line[i], side) || seen[last])
			continue;
		seen[last] = true;
		*one = last;
		count++;
	}
	return count;
}

/* D is to move. Returns 1: A wins; 0: nothing is proved; -1: D has put its stone. */
static int put_answer(struct text *t, int attacker)
{
	int square, any;
	if (count_completions(t, 3 - attacker, &any) && t->slip != SLIP_DEFENDER)
		return 0;
	int last = count_completions(t, attacker, &square);
	if (last >= 2 || (last && t->slip == SLIP_ONE))
		return 1;
	if (last && t->slip == SLIP_ANSWER)
		square = (square + 1) % (t->width * t->height);
	if (!last || t->at[square])
		return 0;
	t->at[square] = 3 - attacker;
	return -1;
}

static bool is_forced(const struct text *from, int attacker, const uint8_t *witness, unsigned size, unsigned *plies)
{
	struct text t = *from;
	bool waits = attacker != t.mover;
	int end = waits ? put_answer(&t, attacker) : -1;
	if (t.turn > 1 || t.exact)
		return false;
	*plies = 1 + waits;
	for (unsigned at = 0; at < size; at += 3, *plies += 2) {
		int square = witness[at + 1] + 256 * witness[at + 2];
		if (end >= 0 || witness[at] != 1 || square >= t.width * t.height || t.at[square])
			return false;
		t.at[square] = attacker;
		end = put_answer(&t, attacker);
	}
	return end == 1;
}

/* --- witnesses ------------------------------------------------------------------------------ */

/* The witness of a theorem that the game gives, read as the text says. */
static void check_card(const struct text *t, int threshold, const struct game_theorem *known, const uint8_t *witness)
{
	int attacker = threshold == 1 ? 1 : 2, winner = known->proved ? 1 : 2;
	unsigned plies = 0, empty = 0;
	for (int i = 0; i < t->width * t->height; i++)
		empty += !t->at[i];
	if (known->number == 12) {
		ck_assert(is_forced(t, winner, witness, known->witness, &plies));
		ck_assert_uint_eq(known->plies, plies);
	} else {
		ck_assert(known->number == 5 || known->number == 11);
		ck_assert(winner != attacker && is_stopped(t, attacker, known->number, witness, known->witness));
		ck_assert_uint_eq(known->plies, empty);
	}
}

static const struct {
	const char *game;
	bool large; /* left out of a share */
} boards[] = {
	{"mnk:3,3,3", false},
	{"mnk:4,3,3", false},
	{"mnk:4,4,3", true},
	{"mnk:4,4,4", true},
	{"mnk:4,3,3,2,1", false},
	{"mnk:4,3,3,2,2", false},
	{"mnk:4,3,3,3,1", false},
	{"mnk:4,3,3,1,2", false},
	{"mnk:4,3,3,exact", false},
	{"mnk:13,1,3", false},
	{"mnk:5,2,3,1,1,exact", false},
	{"mnk:4,3,3,2,1,exact", false},
	{"mnk:13,1,3,1,2", false},
	{"mnk:13,1,3,2,1", false},
	{"mnk:13,1,4,3,2", false},
	{"mnk:13,1,3,exact", false},
	{"mnk:13,1,3,2,1,exact", false},
	{"mnk:7,2,3", true},
	{"mnk:4,4,3,2,1", true},
	{"mnk:4,4,3,exact", true},
};

enum { BOARDS = sizeof boards / sizeof *boards, POSITIONS_MAX = 12000000 };

START_TEST(every_witness_is_what_the_text_asks_for)
{
	if (boards[_i].large && !effort_whole())
		return;
	struct game *game = open_game(boards[_i].game);
	struct retro *truth = retro_new(game, POSITIONS_MAX);
	struct text *t = malloc(sizeof *t);
	struct walk_state s = {{0}};
	unsigned said[13] = {0};
	read_board(boards[_i].game, t);
	game->rules->start(game, &s);
	ck_assert(retro_add(truth, &s));
	for (int threshold = 0; threshold <= 1; threshold++) {
		unsigned claim = retro_solve(truth, threshold), distance;
		for (uint32_t i = 0; i < retro_positions(truth); i++) {
			struct game_theorem known = {0};
			uint8_t witness[GAME_WITNESS_MAX];
			int value;
			retro_state(truth, i, &s);
			if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value) ||
			    !game->rules->theorem(game, &s, threshold, &known, witness))
				continue;
			said[known.number]++;
			ck_assert(retro_holds_at(truth, claim, i, &distance) == known.proved &&
				  distance <= known.plies);
			read_position(game, &s, t);
			check_card(t, threshold, &known, witness);
		}
	}
	printf("%s: %u positions, T5 %u, T11 %u, T12 %u, all as the text says\n", game->name, retro_positions(truth),
	       said[5], said[11], said[12]);
	bool example = t->width * t->height <= 12;
	ck_assert(said[5] > 0 && (said[11] > 0) == !example);
	ck_assert((said[12] > 0) == (!example && t->turn == 1 && !t->exact));
	free(t);
	retro_free(truth);
	game_close(game);
}
END_TEST

/* The same, without the truth, for positions of any age on boards of one word and of several. */
START_TEST(witnesses_of_larger_boards_are_what_the_text_asks_for)
{
	static const char *const larger[] = {
		"mnk:6,6,4",           "mnk:7,6,5",     "mnk:9,8,4",   "mnk:10,10,5",     "mnk:9,8,4,2,1",
		"mnk:9,8,4,2,1,exact", "mnk:6,6,5,3,1", "mnk:15,15,5", "mnk:6,5,4,exact", "mnk:8,4,4"};
	uint64_t seed = walk_seed("games.mnk_theorems.larger", 5);
	unsigned said[13] = {0};
	struct text *t = malloc(sizeof *t);
	for (unsigned j = 0; j < sizeof larger / sizeof *larger; j++) {
		struct game *game = open_game(larger[j]);
		read_board(larger[j], t);
		for (unsigned i = 0; i < effort_of(20000, 500); i++) {
			struct walk_state s = {{0}};
			struct game_theorem known = {0};
			uint8_t witness[GAME_WITNESS_MAX];
			int value, threshold = (int)(i & 1);
			walk_from_start(game, &s, game->plies_max, &seed);
			if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value) ||
			    !game->rules->theorem(game, &s, threshold, &known, witness))
				continue;
			said[known.number]++;
			read_position(game, &s, t);
			check_card(t, threshold, &known, witness);
		}
		game_close(game);
	}
	printf("larger boards: T5 %u, T11 %u, T12 %u, all as the text says\n", said[5], said[11], said[12]);
	ck_assert(said[5] && said[11] && said[12]);
	free(t);
}
END_TEST

/* --- one square wrong ----------------------------------------------------------------------- */

/* Gives the open lines from `line` on a group each, or leaves them to their weights, in all ways. */
static bool cover_exists(const struct text *t, struct cover *c, unsigned line, int attacker)
{
	int rest;
	while (line < t->lines && (!is_open(t, &t->line[line], attacker) || is_served(t, c, &t->line[line], &rest)))
		line++;
	if (line == t->lines)
		return stops(t, c, attacker, true);
	if (cover_exists(t, c, line + 1, attacker))
		return true;
	for (int i = 0; i < t->k; i++)
		for (int j = 0; j < i; j++) {
			int a = t->line[line].square[i], b = t->line[line].square[j];
			if (t->at[a] || t->at[b] || c->of[a] || c->of[b])
				continue;
			c->of[a] = c->of[b] = c->groups + 1;
			c->groups++;
			bool found = cover_exists(t, c, line + 1, attacker);
			c->groups--;
			c->of[a] = c->of[b] = 0;
			if (found)
				return true;
		}
	return false;
}

/* The same after all ways of putting `more` first squares, from `from` on. */
static bool hold_exists(const struct text *t, struct cover *c, int attacker, int more, int from)
{
	if (!more)
		return cover_exists(t, c, 0, attacker);
	for (int square = from; square < t->width * t->height; square++) {
		if (t->at[square])
			continue;
		c->of[square] = 1;
		bool found = hold_exists(t, c, attacker, more - 1, square + 1);
		c->of[square] = 0;
		if (found)
			return true;
	}
	return false;
}

/* Whether the text gives the attacker at most a draw. */
static bool text_holds(const struct text *t, int attacker)
{
	struct cover c = {.groups = 1};
	return hold_exists(t, &c, attacker, attacker == t->mover ? 0 : 1 + (t->slip == SLIP_FIRST), 0);
}

/* Whether the text gives the attacker a win with at most `stones` stones before the last. */
static bool text_forces(const struct text *from, int attacker, bool waits, int stones)
{
	struct text t = *from;
	int end = waits ? put_answer(&t, attacker) : -1;
	for (int i = 0; i < t.width * t.height && stones && end < 0; i++) {
		if (t.at[i])
			continue;
		t.at[i] = attacker;
		if (text_forces(&t, attacker, true, stones - 1))
			return true;
		t.at[i] = 0;
	}
	return end == 1;
}

static const struct {
	const char *game;
	unsigned least[SLIP_LAST]; /* wrong claims that each mistake has to make */
} rows[] = {
	{"mnk:3,3,3", {0, 1, 1, 1, 1, 1, 1, 1, 1}},
	{"mnk:4,3,3", {0, 1, 1, 1, 1, 1, 1, 1, 1}},
	{"mnk:5,2,3,1,1,exact", {0, 1, 1, 1, 1, 0, 0, 0, 0}},
};

enum { ROWS = sizeof rows / sizeof *rows, EMPTY_MAX = 7, STONES = 2 };

/* Without a mistake the text is right; each mistake is found out by some position. */
START_TEST(readings_that_are_wrong_by_one_square_are_found_out)
{
	struct game *game = open_game(rows[_i].game);
	struct retro *truth = retro_new(game, POSITIONS_MAX);
	struct text *t = malloc(sizeof *t);
	struct walk_state s = {{0}};
	unsigned wrong[SLIP_LAST] = {0}, said[2] = {0};
	read_board(rows[_i].game, t);
	game->rules->start(game, &s);
	ck_assert(retro_add(truth, &s));
	for (int threshold = 0; threshold <= 1; threshold++) {
		unsigned claim = retro_solve(truth, threshold);
		int attacker = threshold == 1 ? 1 : 2;
		for (uint32_t i = 0; i < retro_positions(truth); i++) {
			int value, empty = 0;
			retro_state(truth, i, &s);
			read_position(game, &s, t);
			for (int j = 0; j < t->width * t->height; j++)
				empty += !t->at[j];
			if (empty > EMPTY_MAX || game->rules->terminal(game, &s, &value) ||
			    game->rules->immediate_win(game, &s, &value))
				continue;
			bool wins = retro_holds_at(truth, claim, i, NULL) == (threshold == 1);
			for (int slip = NO_SLIP; slip < SLIP_LAST; slip++) {
				t->slip = (enum slip)slip;
				bool holds = slip < SLIP_ONE && text_holds(t, attacker);
				bool forces = (slip == NO_SLIP || slip >= SLIP_ONE) && !t->exact &&
					      text_forces(t, attacker, attacker != t->mover, STONES);
				wrong[slip] += (holds && wins) + (forces && !wins);
				said[0] += holds && slip == NO_SLIP;
				said[1] += forces && slip == NO_SLIP;
			}
		}
	}
	printf("%s: %u held and %u forced by the text; wrong by mistake:", game->name, said[0], said[1]);
	for (int slip = 1; slip < SLIP_LAST; slip++)
		printf(" %u", wrong[slip]);
	printf("\n");
	for (int slip = 1; slip < SLIP_LAST; slip++)
		ck_assert_uint_ge(wrong[slip], rows[_i].least[slip]);
	ck_assert_uint_eq(wrong[NO_SLIP], 0);
	ck_assert(said[0] > 100 && (said[1] > 100 || t->exact));
	free(t);
	retro_free(truth);
	game_close(game);
}
END_TEST

SUITE(mnk_theorems)
{
	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, every_witness_is_what_the_text_asks_for, 0, BOARDS);
	tcase_add_test(c, witnesses_of_larger_boards_are_what_the_text_asks_for);
	tcase_add_loop_test(c, readings_that_are_wrong_by_one_square_are_found_out, 0, ROWS);
}
