/* Lambda search (solver/lambda.h): the exact numbers of positions that each order wins on small boards, against the
 * definition written out and against backward induction; facts that justify each other; the engine, its limits and its
 * fallback. */
#include "solver/lambda.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/search.h"
#include "solver/solver.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { TABLE_BYTES = 1 << 24, NODES = 1000000 };

/* --- memory of what was computed -------------------------------------------------------------- */

struct memo_item {
	struct pd_id id; /* of the bytes of a state and a mark */
	int value;
	bool used;
	void *state; /* owned; NULL: not kept */
};

struct memo {
	struct memo_item *items; /* owned */
	size_t count, capacity;
};

static void memo_fini(struct memo *m)
{
	for (size_t i = 0; i < m->capacity; i++)
		free(m->items[i].state);
	free(m->items);
	*m = (struct memo){0};
}

static struct memo_item *memo_slot(struct memo_item *items, size_t capacity, struct pd_id id)
{
	size_t i = id.lo % capacity;
	while (items[i].used && !pd_id_equal(items[i].id, id))
		i = (i + 1) % capacity;
	return &items[i];
}

static struct pd_id memo_id(const struct game *g, const void *state, unsigned mark)
{
	uint8_t bytes[GAME_STATE_MAX + 1];
	memcpy(bytes, state, g->state_size);
	bytes[g->state_size] = (uint8_t)mark;
	return pd_identity_of(NULL, bytes, g->state_size + 1);
}

static const struct memo_item *memo_find(const struct memo *m, struct pd_id id)
{
	const struct memo_item *item = m->capacity ? memo_slot(m->items, m->capacity, id) : NULL;
	return item && item->used ? item : NULL;
}

/* With `size` the state is kept, of that many bytes. */
static void memo_put(struct memo *m, struct pd_id id, int value, const void *state, size_t size)
{
	if (2 * m->count >= m->capacity) {
		size_t capacity = m->capacity ? 2 * m->capacity : 1 << 12;
		struct memo_item *items = calloc(capacity, sizeof *items);
		assert(items);
		for (size_t i = 0; i < m->capacity; i++)
			if (m->items[i].used)
				*memo_slot(items, capacity, m->items[i].id) = m->items[i];
		free(m->items);
		m->items = items;
		m->capacity = capacity;
	}
	struct memo_item *item = memo_slot(m->items, m->capacity, id);
	assert(!item->used);
	*item = (struct memo_item){id, value, true, NULL};
	if (size) {
		item->state = malloc(size);
		assert(item->state);
		memcpy(item->state, state, size);
	}
	m->count++;
}

/* --- references ----------------------------------------------------------------------------- */

/* The value of every position that moves reach, by backward induction; positions that are not over are kept, of full
 * boards without a line only the value. */
static int value_of(const struct game *g, const struct walk_state *s, struct memo *values)
{
	struct pd_id id = memo_id(g, s, 0);
	const struct memo_item *item = memo_find(values, id);
	game_move moves[GAME_MOVES_MAX];
	int value, best = 0;
	if (item)
		return item->value;
	if (g->rules->terminal(g, s, &value)) {
		if (!value)
			memo_put(values, id, 0, NULL, 0);
		return value;
	}
	bool first = g->rules->first_to_move(g, s);
	unsigned count = g->rules->moves(g, s, moves);
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child = *s;
		g->rules->play(g, &child, moves[i]);
		value = value_of(g, &child, values);
		best = !i || (first ? value > best : value < best) ? value : best;
	}
	memo_put(values, id, best, s, g->state_size);
	return best;
}

static bool definition_defends(const struct game *g, const struct walk_state *s, bool first, unsigned order,
			       struct memo *memo);

/* The definition, word for word: the side to move, the attacker, wins by threats of at most that order. */
static bool definition_wins(const struct game *g, const struct walk_state *s, bool first, unsigned order,
			    struct memo *memo)
{
	struct pd_id id = memo_id(g, s, 1 + 2 * order + first);
	const struct memo_item *item = memo_find(memo, id);
	game_move moves[GAME_MOVES_MAX];
	int value;
	if (item)
		return item->value;
	bool wins = order && definition_wins(g, s, first, order - 1, memo);
	unsigned count = g->rules->moves(g, s, moves);
	for (unsigned i = 0; i < count && !wins; i++) {
		struct walk_state child = *s, passed;
		g->rules->play(g, &child, moves[i]);
		if (g->rules->terminal(g, &child, &value)) {
			wins = value == (first ? g->value_max : g->value_min);
		} else if (g->rules->first_to_move(g, &child) == first) {
			wins = definition_wins(g, &child, first, order, memo);
		} else if (order) {
			passed = child;
			g->rules->flip_side(g, &passed);
			wins = definition_wins(g, &passed, first, order - 1, memo) &&
			       definition_defends(g, &child, first, order, memo);
		}
	}
	memo_put(memo, id, wins, NULL, 0);
	return wins;
}

/* Every move of the defender loses. */
static bool definition_defends(const struct game *g, const struct walk_state *s, bool first, unsigned order,
			       struct memo *memo)
{
	game_move moves[GAME_MOVES_MAX];
	int value;
	unsigned count = g->rules->moves(g, s, moves);
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child = *s;
		g->rules->play(g, &child, moves[i]);
		bool lost = g->rules->terminal(g, &child, &value) ? value == (first ? g->value_max : g->value_min)
			    : g->rules->first_to_move(g, &child) == first
				    ? definition_wins(g, &child, first, order, memo)
				    : definition_defends(g, &child, first, order, memo);
		if (!lost)
			return false;
	}
	return true;
}

/* Whether the search finds a win within NODES, its only limit. */
static bool search_wins(struct lambda *l, const struct game *g, const void *state, bool first, unsigned order)
{
	struct question q = question_of(g, first ? g->value_max : g->value_min + g->value_step);
	uint64_t nodes = NODES;
	ck_assert(lambda_start(l, &q, state, first, order));
	enum lambda_end end = lambda_run(l, &nodes);
	ck_assert(end == LAMBDA_WON || end == LAMBDA_NOTHING);
	return end == LAMBDA_WON;
}

/* --- boards with gravity -------------------------------------------------------------------- */

/* K in a row where stones fall to the bottom of a column, written plainly: a game that proofd has for K = 4 alone. */
struct columns {
	struct game game;
	unsigned width, height, k;
};

struct columns_state {
	uint8_t at[16], side; /* 0 empty, 1 First, 2 Second; the side to move, 1 or 2 */
};

static bool columns_line(const struct columns *c, const struct columns_state *s, unsigned side)
{
	for (int x = 0; x < (int)c->width; x++)
		for (int y = 0; y < (int)c->height; y++)
			for (int way = 0; way < 4; way++) {
				int dx = way != 1, dy = way == 1 ? 1 : way == 2 ? 1 : way == 3 ? -1 : 0, run = 0;
				for (int i = 0; i < (int)c->k; i++) {
					int u = x + i * dx, v = y + i * dy;
					run += u < (int)c->width && v >= 0 && v < (int)c->height &&
					       s->at[v * (int)c->width + u] == side;
				}
				if (run == (int)c->k)
					return true;
			}
	return false;
}

static bool columns_terminal(const struct game *g, const void *state, int *value)
{
	const struct columns *c = (const void *)g;
	const struct columns_state *s = state;
	if (columns_line(c, s, 3u - s->side)) {
		*value = s->side == 1 ? -1 : 1;
		return true;
	}
	*value = 0;
	return !memchr(s->at + (size_t)c->width * (c->height - 1), 0, c->width);
}

static bool columns_first(const struct game *g, const void *state)
{
	(void)g;
	return ((const struct columns_state *)state)->side == 1;
}

static unsigned columns_moves(const struct game *g, const void *state, game_move *out)
{
	const struct columns *c = (const void *)g;
	const struct columns_state *s = state;
	unsigned n = 0;
	int value;
	for (unsigned x = 0; x < c->width && !columns_terminal(g, state, &value); x++)
		if (!s->at[c->width * (c->height - 1) + x])
			out[n++] = (game_move)x;
	return n;
}

static void columns_play(const struct game *g, void *state, game_move move)
{
	const struct columns *c = (const void *)g;
	struct columns_state *s = state;
	unsigned at = move;
	while (s->at[at])
		at += c->width;
	s->at[at] = s->side;
	s->side = 3 - s->side;
}

static void columns_flip(const struct game *g, void *state)
{
	struct columns_state *s = state;
	(void)g;
	s->side = 3 - s->side;
}

static bool columns_immediate_win(const struct game *g, const void *state, int *value)
{
	game_move moves[16];
	unsigned count = columns_moves(g, state, moves);
	for (unsigned i = 0; i < count; i++) {
		struct columns_state s = *(const struct columns_state *)state;
		columns_play(g, &s, moves[i]);
		if (columns_terminal(g, &s, value) && *value)
			return true;
	}
	return false;
}

static void columns_start(const struct game *g, void *state)
{
	(void)g;
	*(struct columns_state *)state = (struct columns_state){.side = 1};
}

static size_t columns_key(const struct game *g, const void *state, uint8_t *out)
{
	memcpy(out, state, g->state_size);
	return g->state_size;
}

static const struct game_rules columns_rules = {
	.start = columns_start,
	.terminal = columns_terminal,
	.first_to_move = columns_first,
	.moves = columns_moves,
	.play = columns_play,
	.key = columns_key,
	.immediate_win = columns_immediate_win,
	.flip_side = columns_flip,
};

static struct game *columns_open(unsigned width, unsigned height, unsigned k)
{
	struct columns *c = calloc(1, sizeof *c);
	assert(c);
	*c = (struct columns){.width = width, .height = height, .k = k};
	c->game = (struct game){.rules = &columns_rules,
				.state_size = sizeof(struct columns_state),
				.key_size_max = sizeof(struct columns_state),
				.moves_max = width,
				.plies_max = width * height,
				.value_min = -1,
				.value_max = 1,
				.value_step = 1,
				.acyclic = true};
	return &c->game;
}

/* --- exact numbers -------------------------------------------------------------------------- */

/* Of the positions that moves reach and that have no line, those with First to move: how many, how many First wins, and
 * how many of these by orders of at most 0, 1, 2, ...: computed by a program that shares nothing with this one. */
static const struct {
	const char *game; /* NULL: with gravity */
	unsigned width, height, k;
	unsigned positions, won, found[5];
	bool large;
} counted[] = {
	{"mnk:3,3,3", 0, 0, 0, 2423, 1830, {1498, 1822, 1830, 1830, 1830}, false},
	{"mnk:4,3,3", 0, 0, 0, 42169, 37704, {34664, 37697, 37704, 37704, 37704}, true},
	{NULL, 3, 3, 3, 276, 181, {131, 145, 149, 149, 149}, false},
	{NULL, 4, 3, 3, 2451, 1917, {1550, 1796, 1841, 1841, 1841}, false},
	{"connect4:4x4", 0, 0, 0, 71633, 19111, {14525, 15478, 15700, 15740, 15740}, true},
};

START_TEST(each_order_finds_its_exact_number_of_wins_and_no_other)
{
	if (counted[_i].large && effort() < 100)
		return;
	struct game *g = counted[_i].game ? open_game(counted[_i].game)
					  : columns_open(counted[_i].width, counted[_i].height, counted[_i].k);
	struct memo values = {0};
	struct walk_state start = {{0}};
	struct lambda l;
	unsigned positions = 0, won = 0, found[5] = {0}, wrong = 0;
	g->rules->start(g, &start);
	value_of(g, &start, &values);
	ck_assert(lambda_init(&l, g, TABLE_BYTES, NULL));
	for (size_t i = 0; i < values.capacity; i++) {
		const struct memo_item *item = &values.items[i];
		positions += item->used && !item->state && g->plies_max % 2 == 0;
		if (!item->used || !item->state || !g->rules->first_to_move(g, item->state))
			continue;
		positions++;
		won += item->value > 0;
		bool before = false;
		for (unsigned order = 0; order < 5; order++) {
			bool wins = before || search_wins(&l, g, item->state, true, order);
			found[order] += wins;
			wrong += wins && item->value <= 0;
			before = wins;
		}
	}
	printf("%s %ux%u,%u: %u positions, %u won; by order: %u %u %u %u %u; wrong %u\n",
	       counted[_i].game ? counted[_i].game : "columns", counted[_i].width, counted[_i].height, counted[_i].k,
	       positions, won, found[0], found[1], found[2], found[3], found[4], wrong);
	ck_assert_uint_eq(positions, counted[_i].positions);
	ck_assert_uint_eq(won, counted[_i].won);
	ck_assert_uint_eq(wrong, 0);
	for (unsigned order = 0; order < 5; order++)
		ck_assert_uint_eq(found[order], counted[_i].found[order]);
	lambda_fini(&l);
	memo_fini(&values);
	if (counted[_i].game)
		game_close(g);
	else
		free(g);
}
END_TEST

/* --- the definition ------------------------------------------------------------------------- */

static const char *const defined[] = {
	"mnk:3,3,3",       "mnk:4,4,4",           "mnk:4,4,4,2,1",       "mnk:4,3,3,2,1", "mnk:4,4,3,exact",
	"mnk:5,4,4,exact", "mnk:5,4,4,2,1,exact", "mnk:5,3,3,3,2",       "connect4:5x4",  "hex:3",
	"hex:4x3",         "mnk:11,6,6",          "mnk:11,6,6,2,1,exact"};
enum { DEFINED = sizeof defined / sizeof *defined };

/* Both sides attack, random positions, each order: as the definition says, and a win is one in the game. */
START_TEST(searches_agree_with_the_definition)
{
	struct game *g = open_game(defined[_i]);
	uint64_t seed = walk_seed("lambda", 0x6c616d + (uint64_t)_i);
	unsigned rounds = effort_of(300, 20), wins[2][4] = {{0}}, asked = 0;
	bool wide = g->plies_max > 30;
	for (unsigned round = 0; round < rounds; round++) {
		struct walk_state s = {{0}};
		struct memo memo = {0}, values = {0};
		struct lambda l;
		int value;
		g->rules->start(g, &s);
		walk_on(g, &s, g->plies_max - 3 - walk_below(&seed, wide ? 3 : 6), &seed);
		if (g->rules->terminal(g, &s, &value))
			continue;
		ck_assert(lambda_init(&l, g, 1 << (12 + 2 * (round % 6)), NULL));
		value = value_of(g, &s, &values);
		bool first = g->rules->first_to_move(g, &s);
		for (unsigned order = 0; order < 4; order++, asked++) {
			bool expected = definition_wins(g, &s, first, order, &memo);
			ck_assert_int_eq(search_wins(&l, g, &s, first, order), expected);
			ck_assert(!expected || value == (first ? g->value_max : g->value_min));
			wins[first][order] += expected;
			expected = definition_defends(g, &s, !first, order, &memo);
			ck_assert_int_eq(search_wins(&l, g, &s, !first, order), expected);
			ck_assert(!expected || value == (first ? g->value_min : g->value_max));
		}
		lambda_fini(&l);
		memo_fini(&memo);
		memo_fini(&values);
	}
	printf("%s: %u questions; wins by order: First %u %u %u %u, Second %u %u %u %u\n", g->name, asked, wins[1][0],
	       wins[1][1], wins[1][2], wins[1][3], wins[0][0], wins[0][1], wins[0][2], wins[0][3]);
	ck_assert_uint_gt(asked, rounds / 2);
	game_close(g);
}
END_TEST

/* Passing hands the same board to the other side, also when that passes in turn; what wins within its turn is seen. */
START_TEST(a_side_that_passes_hands_over_the_board)
{
	struct game *g = open_game(defined[_i]);
	uint64_t seed = walk_seed("lambda flip", (uint64_t)_i);
	unsigned rounds = effort_of(2000, 200), passed = 0;
	for (unsigned round = 0; round < rounds; round++) {
		struct walk_state s = {{0}}, t;
		struct memo memo = {0};
		game_move moves[2][GAME_MOVES_MAX];
		unsigned plies;
		int value;
		g->rules->start(g, &s);
		walk_on(g, &s, walk_below(&seed, g->plies_max), &seed);
		if (g->rules->terminal(g, &s, &value))
			continue;
		bool first = g->rules->first_to_move(g, &s);
		unsigned count = g->rules->moves(g, &s, moves[0]);
		g->rules->play(g, &s, moves[0][walk_below(&seed, count)]);
		if (g->rules->terminal(g, &s, &value) || g->rules->first_to_move(g, &s) == first)
			continue;
		t = s;
		g->rules->flip_side(g, &t);
		ck_assert_int_eq(g->rules->first_to_move(g, &t), first);
		ck_assert(!g->rules->terminal(g, &t, &value));
		count = g->rules->moves(g, &s, moves[0]);
		ck_assert_uint_eq(g->rules->moves(g, &t, moves[1]), count);
		ck_assert(!memcmp(moves[0], moves[1], count * sizeof moves[0][0]));
		bool wins =
			g->rules->turn_win ? g->rules->turn_win(g, &t, &plies) : g->rules->immediate_win(g, &t, &value);
		ck_assert_int_eq(wins, definition_wins(g, &t, first, 0, &memo));
		memo_fini(&memo);
		g->rules->flip_side(g, &t);
		ck_assert_int_ne(g->rules->first_to_move(g, &t), first);
		passed++;
	}
	ck_assert_uint_gt(passed, 0);
	game_close(g);
}
END_TEST

/* --- facts ---------------------------------------------------------------------------------- */

static const char *const boards[] = {"mnk:7,7,5,2,1",   "mnk:7,6,4,2,1,exact", "mnk:8,8,5,3,1", "mnk:9,9,5",
				     "mnk:7,7,4,exact", "connect4:7x6",        "hex:5",         "hex:9"};
enum { BOARDS = sizeof boards / sizeof *boards };

/* Whatever is found on the way, each fact follows from others and the rules one ply down, without a search. */
START_TEST(wins_leave_facts_that_justify_each_other)
{
	struct game *g = open_game(boards[_i]);
	uint64_t seed = walk_seed("lambda facts", 0x666163 + (uint64_t)_i);
	unsigned rounds = effort_of(24, 4), won = 0, facts = 0, leaves;
	for (unsigned round = 0; round < rounds; round++) {
		struct walk_state s = {{0}};
		struct fact_buffer buffer;
		struct factbase base;
		struct lambda l;
		int value;
		g->rules->start(g, &s);
		walk_on(g, &s, 2 + walk_below(&seed, g->plies_max / 2), &seed);
		if (g->rules->terminal(g, &s, &value))
			continue;
		fact_buffer_init(&buffer);
		factbase_init(&base);
		ck_assert(lambda_init(&l, g, 1 << (14 + round % 8), &buffer));
		for (unsigned step = 0; step < 6; step++) {
			bool first = step % 2;
			struct question q = question_of(g, first ? g->value_max : g->value_min + g->value_step);
			uint64_t nodes = 30000;
			ck_assert(lambda_start(&l, &q, &s, first, step / 2));
			won += lambda_run(&l, &nodes) == LAMBDA_WON;
			fact_buffer_take(&buffer, factbase_add, &base);
		}
		ck_assert_uint_eq(base.conflicts, 0);
		ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
		ck_assert_uint_eq(leaves, 0);
		facts += (unsigned)base.count;
		lambda_fini(&l);
		factbase_fini(&base);
		fact_buffer_fini(&buffer);
	}
	printf("%s: %u wins, %u facts\n", g->name, won, facts);
	ck_assert_uint_gt(facts, rounds);
	game_close(g);
}
END_TEST

/* --- the engine ----------------------------------------------------------------------------- */

struct asked {
	const char *game, *position, *claim;
	bool yes;
	unsigned order; /* that suffices; ORDER_NONE: no order does */
};

enum { ORDER_NONE = 9 };

static const struct asked questions[] = {
	{"mnk:15,15,5", "15/15/15/15/15/6xxx6/15/5o2o6/15/7o7/15/15/15/15/15 x", "first-wins", true, 1},
	{"mnk:15,15,5,exact", "15/15/15/15/15/6xxx6/15/5o2o6/15/7o7/15/15/15/15/15 x", "first-wins", true, 1},
	{"mnk:9,9,5", "9/9/3xx4/3xo4/3xo4/4xo3/4o4/9/9 x", "first-wins", true, 1},
	{"mnk:9,9,5", "9/9/9/3xx4/4x4/3ooo3/9/9/9 o", "second-wins", true, 1},
	{"mnk:9,9,6,2,1", "9/9/3xx4/3xo4/3xo4/2oxo4/4o4/9/9", "first-wins", true, 1},
	{"mnk:4,4,3", "", "first-wins", true, 2},
	{"mnk:3,3,3", "", "first-wins", false, ORDER_NONE},
	{"connect4:5x4", "", "first-wins", false, ORDER_NONE},
	{"hex:3", "", "first-wins", true, 2},
	{"hex:3x4", "", "first-wins", false, ORDER_NONE},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* Answers a question; the facts justify each other, and a run repeats node for node whatever its slices. */
static void answer_by_order(const struct asked *q, unsigned order, enum pn_detail detail, struct pn_progress *out)
{
	struct game *g = open_game(q->game);
	struct walk_state s = parse_position(g, q->position);
	struct pn_options o;
	uint64_t nodes[2];
	pn_options_init(&o);
	o.algorithm = PN_LAMBDA;
	o.memory = 64 << 20;
	o.detail = detail;
	o.threat.order = order;
	for (unsigned run = 0; run < 2; run++) {
		struct pd_claim claim;
		struct pd_fail fail;
		struct pn_solver *solver;
		struct pn_answer a;
		struct factbase base;
		unsigned leaves;
		factbase_init(&base);
		ck_assert(!pd_claim_parse(q->claim, &claim, &fail));
		ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, &s, &claim, &o, NULL, NULL}, &solver, &fail));
		ck_assert_int_eq(solve_all(solver, run ? 777 : 1000000, &base), PN_ANSWERED);
		pn_solver_answer(solver, &a);
		pn_solver_progress(solver, out);
		ck_assert_int_eq(a.yes, q->yes);
		ck_assert_uint_eq(base.conflicts, 0);
		ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
		if (q->order <= order || detail == PN_FULL)
			ck_assert_uint_eq(leaves, 0);
		nodes[run] = out->level1 + out->level2;
		pn_solver_free(solver);
		factbase_fini(&base);
	}
	ck_assert_uint_eq(nodes[0], nodes[1]);
	game_close(g);
}

START_TEST(answers_come_with_facts_that_justify_each_other)
{
	const struct asked *q = &questions[_i];
	struct pn_progress p;
	unsigned orders = q->order == ORDER_NONE ? 2 : q->order + 1;
	for (unsigned order = q->order == ORDER_NONE || q->order == 2 ? 0 : q->order; order <= orders; order++)
		for (unsigned detail = PN_FRONTIER; detail <= PN_FULL; detail++) {
			answer_by_order(q, order, (enum pn_detail)detail, &p);
			printf("%s %s, order %u: %llu nodes, %llu facts\n", q->game, q->claim, order,
			       (unsigned long long)(p.level1 + p.level2), (unsigned long long)p.facts);
		}
}
END_TEST

/* A search of threats ends at its limit, and a table that holds next to nothing changes no answer. */
START_TEST(limits_end_the_search_of_threats)
{
	struct game *g = open_game("mnk:4,4,3");
	struct walk_state s = parse_position(g, "");
	struct question q = question_of(g, 1);
	struct lambda l;
	uint64_t large = 0;
	for (unsigned bytes = LAMBDA_BYTES_MIN; bytes <= 1 << 22; bytes *= 32) {
		ck_assert(lambda_init(&l, g, bytes, NULL));
		ck_assert(lambda_start(&l, &q, &s, true, 2));
		uint64_t nodes = 100;
		ck_assert_int_eq(lambda_run(&l, &nodes), LAMBDA_MORE);
		ck_assert_uint_eq(nodes, 0);
		nodes = NODES;
		ck_assert_int_eq(lambda_run(&l, &nodes), LAMBDA_WON);
		large = l.made;
		lambda_fini(&l);
	}
	ck_assert_uint_gt(large, 100);
	ck_assert(lambda_possible(g) && lambda_attacks(&q, true) && !lambda_attacks(&q, false));
	game_close(g);
	g = open_game("nim:3,4,5");
	ck_assert(!lambda_possible(g));
	game_close(g);
}
END_TEST

SUITE(lambda)
{
	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, each_order_finds_its_exact_number_of_wins_and_no_other, 0,
			    sizeof counted / sizeof *counted);
	tcase_add_loop_test(c, searches_agree_with_the_definition, 0, DEFINED);
	tcase_add_loop_test(c, a_side_that_passes_hands_over_the_board, 0, DEFINED);
	tcase_add_loop_test(c, wins_leave_facts_that_justify_each_other, 0, BOARDS);
	tcase_add_loop_test(c, answers_come_with_facts_that_justify_each_other, 0, QUESTIONS);
	tcase_add_test(c, limits_end_the_search_of_threats);
}
