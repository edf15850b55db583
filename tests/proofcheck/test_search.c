/* The bounded search finds and refutes bounds exactly as retrograde analysis does, to the ply, and gives up at its
 * limit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/search.h"
#include "proto/graph_file.h"
#include "solver/plain_search.h"
#include "tests/proofcheck/forge.h"
#include "tests/support/gamedata.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { NODES = 4000000 };

/* A certificate without records: the search uses only the rules. */
static const struct ck_cert nothing;
/* The same with cards: the search uses the theorems of the game as well. */
static const struct ck_cert theorems = {.header.format = 4};

static enum ck_answer ask_search(const struct ck_game *game, const struct ck_position *p, bool upper, int bound,
				 uint64_t rank, uint64_t nodes)
{
	struct ck_question q = {game, &nothing, p, upper, bound, rank, nodes, NULL, NULL};
	uint64_t used;
	enum ck_answer answer = ck_search(&q, &used), with = answer;
	q.cert = &theorems;
	if (game->rules->card)
		with = ck_search(&q, &used);
	ck_assert_int_eq(answer, with);
	return answer;
}

struct pair {
	struct game *game;
	struct ck_game mine;
	char *graph;
};

static int give_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	const char *text = ctx;
	return pr_graph_parse(text, strlen(text), out, fail);
}

static struct pair open_pair(const char *name, char *graph)
{
	struct pair pair = {.graph = graph};
	struct game_host host = {graph, give_graph};
	struct pd_fail fail;
	ck_assert(!game_open(name, &host, &pair.game, &fail));
	ck_assert(!ck_open(&pair.mine, name, graph ? graph : "", graph ? strlen(graph) : 0, &fail));
	return pair;
}

static void close_pair(struct pair *pair)
{
	game_close(pair->game);
	ck_close(&pair->mine);
	free(pair->graph);
}

/* All bounds of one position, with ranks around the distance. */
static void compare_bounds(const struct pair *pair, struct truth *truth, const void *state)
{
	const struct game *g = pair->game;
	uint8_t key[GAME_KEY_MAX];
	struct ck_position p;
	char text[GAME_TEXT_MAX];
	int value;
	if (g->rules->terminal(g, state, &value))
		return;
	g->rules->print(g, state, text, sizeof text);
	ck_assert(ck_decode(&pair->mine, key, g->rules->key(g, state, key), &p));
	for (int bound = g->value_min; bound < g->value_max; bound++)
		for (unsigned upper = 0; upper < 2; upper++) {
			/* "at most bound" is the negation of "at least bound + 1" */
			int said = upper ? bound : bound + 1;
			unsigned distance;
			bool holds = truth_holds(truth, state, bound + 1, &distance) != upper;
			bool forced = holds && distance != RETRO_NEVER;
			for (unsigned rank = forced && distance > 1 ? distance - 1 : 1;
			     rank <= (forced ? distance + 1 : 6); rank++) {
				enum ck_answer answer = ask_search(&pair->mine, &p, upper, said, rank, NODES);
				enum ck_answer right = forced && rank >= distance ? CK_FOUND : CK_REFUTED;
				ck_assert_msg(answer == right, "%s %s: at %s %d within %u plies: %d, should be %d",
					      g->name, text, upper ? "most" : "least", said, rank, answer, right);
			}
		}
}

START_TEST(graphs_are_searched_to_the_ply)
{
	uint64_t seed = walk_seed("graphs", 11);
	for (unsigned i = 0; i < 150; i++) {
		struct pair pair = open_pair("andor:any", forge_graph(&seed));
		struct walk_state root;
		pair.game->rules->start(pair.game, &root);
		struct truth *truth = truth_new(pair.game, &root);
		for (unsigned k = 0; k < 8; k++) {
			struct walk_state state = root;
			walk_on(pair.game, &state, k, &seed);
			compare_bounds(&pair, truth, &state);
		}
		truth_free(truth);
		close_pair(&pair);
	}
}
END_TEST

static const struct {
	const char *game, *position;
	unsigned walks;
} boards[] = {{"mnk:3,3,3", "", 60}, {"mnk:4,3,3", "b2", 12}, {"connect4:4x4", "1213", 40}, {"connect4:5x3", "33", 40}};

START_TEST(boards_are_searched_to_the_ply)
{
	uint64_t seed = walk_seed(boards[_i].game, 12);
	struct pair pair = open_pair(boards[_i].game, NULL);
	struct walk_state root;
	ck_assert(!pair.game->rules->parse(pair.game, boards[_i].position, &root, NULL));
	struct truth *truth = truth_new(pair.game, &root);
	for (unsigned i = 0; i < boards[_i].walks; i++) {
		struct walk_state state = root;
		walk_on(pair.game, &state, 5 + walk_below(&seed, 8), &seed);
		compare_bounds(&pair, truth, &state);
	}
	truth_free(truth);
	close_pair(&pair);
}
END_TEST

/* A theorem settles positions below the root that are left enough plies, and not the root itself. */
START_TEST(theorems_shorten_a_search)
{
	struct ck_game game;
	struct ck_position p;
	uint64_t plain, with, same;
	ck_assert(!ck_open(&game, "mnk:3,3,3", "", 0, NULL));
	ck_assert(!game.rules->read(&game, "", &p));
	struct ck_question q = {&game, &nothing, &p, false, 0, 9, NODES, NULL, NULL};
	ck_assert_int_eq(ck_search(&q, &plain), CK_FOUND);
	q.cert = &theorems;
	ck_assert_int_eq(ck_search(&q, &with), CK_FOUND);
	ck_assert_uint_eq(with, 9); /* First takes the centre: T5 */
	ck_assert_uint_gt(plain, 100);
	ck_assert(!game.rules->read(&game, "b2", &p));
	q.rank = 8;
	ck_assert_int_eq(ck_search(&q, &with), CK_FOUND);
	ck_assert_uint_ge(with, 8);
	q.rank = 5; /* too few plies for any theorem */
	ck_assert_int_eq(ck_search(&q, &with), CK_REFUTED);
	q.cert = &nothing;
	ck_assert_int_eq(ck_search(&q, &same), CK_REFUTED);
	ck_assert_uint_eq(with, same);
	ck_close(&game);
}
END_TEST

static const struct {
	const char *position;
	unsigned rank; /* plies to mate */
} mates[] = {
	{"7k/8/6K1/8/8/8/8/1Q6 w - -", 1},
	{"8/8/8/8/8/5k2/7r/5K2 b - -", 1},
	{"kbK5/pp6/1P6/8/8/8/8/R7 w - -", 3}, /* Morphy */
	{"7k/8/6K1/8/8/8/8/1Q6 b - - first=w", 2},
};

START_TEST(mates_are_found_in_time)
{
	struct ck_game game;
	struct ck_position p;
	ck_assert(!ck_open(&game, "chess-mate", "", 0, NULL));
	ck_assert(!game.rules->read(&game, mates[_i].position, &p));
	ck_assert_int_eq(ask_search(&game, &p, false, 1, mates[_i].rank, NODES), CK_FOUND);
	if (mates[_i].rank > 1)
		ck_assert_int_eq(ask_search(&game, &p, false, 1, mates[_i].rank - 1, NODES), CK_REFUTED);
	ck_close(&game);
}
END_TEST

/* Positions late in recorded games, with the shortest win or loss (tests/data/loa). */
START_TEST(lines_of_action_are_searched_to_the_ply)
{
	FILE *file = fopen(TEST_DATA "/loa/tails.tsv", "r");
	char line[512], board[65], side;
	int ply, result;
	unsigned seen = 0;
	struct ck_game game;
	ck_assert_ptr_nonnull(file);
	ck_assert(!ck_open(&game, "loa:8", "", 0, NULL));
	while (fgets(line, sizeof line, file)) {
		struct ck_position p = {0};
		if (sscanf(line, "%*s %d %64s %c %d", &ply, board, &side, &result) != 4 || !result || abs(result) > 3)
			continue;
		for (unsigned i = 0; i < 64; i++)
			p.at[i] = board[i] == 'x' ? 1 : board[i] == 'o' ? 2 : 0;
		p.turn = side == 'o';
		bool upper = (result > 0) == (side == 'o');
		unsigned rank = (unsigned)abs(result);
		ck_assert_int_eq(ask_search(&game, &p, upper, upper ? -1 : 1, rank, NODES), CK_FOUND);
		if (rank > 1)
			ck_assert_int_eq(ask_search(&game, &p, upper, upper ? -1 : 1, rank - 1, NODES), CK_REFUTED);
		seen++;
	}
	fclose(file);
	ck_close(&game);
	ck_assert_uint_ge(seen, 20);
}
END_TEST

/* A record must not shorten a search: its rank and the plies that lead to it count together. Each reason in turn gets
 * an effort, and a rank that is right or one too small. */
static void verify_forge(struct forge *f, bool right, const char *game)
{
	struct ck_options options = {.threads = 1, .digest = true};
	struct ck_result result;
	struct pd_buf file;
	pd_buf_init(&file, SIZE_MAX);
	forge_fit(f);
	forge_write(f, true, &file);
	enum ck_verdict verdict = ck_check((const uint8_t *)file.data, file.size, &options, &result);
	ck_assert_msg(verdict == (right ? CK_VERIFIED : CK_REJECTED), "%s: verdict %d: %s", game, verdict,
		      result.fault.text);
	pd_buf_fini(&file);
}

static const struct {
	const char *game, *position;
} ranked[] = {{"dots:2x2", "a1a2 b2c2 a2a3"}, {"nogo:3x3", ""},    {"atari-go:3x3", ""},      {"domineering:4x4", ""},
	      {"mnk:3,3,3", "b2 a1"},         {"othello:4", "b1"}, {"connect4:4x4", "223344"}};

START_TEST(ranks_and_plies_count_together)
{
	enum { FLAG_UPPER = 1, LEAF = 2 + 8, MANY = 5000, TRIED = 150 };
	uint64_t seed = walk_seed(ranked[_i].game, 13);
	struct pair pair = open_pair(ranked[_i].game, NULL);
	struct walk_state root, state;
	ck_assert(!pair.game->rules->parse(pair.game, ranked[_i].position, &root, NULL));
	struct truth *truth = truth_new(pair.game, &root);
	struct forge f = {0};
	forge_make(&f, pair.game, ranked[_i].position, "value", truth, 0, NULL, &seed);
	forge_set(&f, FORGE_detail, "frontier");
	for (unsigned i = 0; i < TRIED && f.count; i++) {
		struct forge_record *r = &f.record[walk_below(&seed, (unsigned)f.count)];
		struct forge_reason *a = &r->reason[walk_below(&seed, r->count)], before = *a;
		bool upper = a->flags & FLAG_UPPER;
		unsigned distance;
		ck_assert(!pair.game->rules->unkey(pair.game, r->key, r->key_size, &state));
		ck_assert(truth_holds(truth, &state, (int)a->bound + upper, &distance) != upper);
		if (distance > 8)
			continue;
		a->flags = (upper ? FLAG_UPPER : 0) | LEAF;
		a->effort = MANY;
		a->rank = distance;
		verify_forge(&f, true, pair.game->name);
		if (--a->rank)
			verify_forge(&f, false, pair.game->name);
		*a = before;
	}
	forge_fini(&f);
	truth_free(truth);
	close_pair(&pair);
}
END_TEST

static bool nothing_known(void *ctx, const uint8_t *key, size_t size, unsigned plies)
{
	return false;
}

/* An export states the effort of the solver's plain search: the checker's search must take the same. */
START_TEST(both_searches_make_the_same_nodes)
{
	enum { LIMIT = 3000 };
	const struct gamedata *rows = gamedata_read("proof");
	uint64_t seed = walk_seed("nodes", 14);
	unsigned found = 0;
	for (unsigned i = 0; i < 4 * rows->count; i++) {
		const char *name = rows->row[i % rows->count].column[0];
		size_t size;
		struct pair pair = open_pair(name, gamedata_graph(name, &size));
		const struct game *g = pair.game;
		struct walk_state state;
		struct pn_plain plain;
		uint8_t key[GAME_KEY_MAX];
		struct ck_position p;
		int value;
		ck_assert(!g->rules->parse(g, rows->row[i % rows->count].column[1], &state, NULL));
		walk_on(g, &state, walk_below(&seed, 12), &seed);
		unsigned steps = (unsigned)(g->value_max - g->value_min) / (unsigned)g->value_step;
		int16_t bound = (int16_t)(g->value_min + g->value_step * (int)walk_below(&seed, steps));
		bool upper = walk_below(&seed, 2);
		struct pd_reason leaf = {.side = upper ? PD_HI : PD_LO,
					 .bound = (int16_t)(upper ? bound : bound + g->value_step),
					 .rank = (uint16_t)(1 + walk_below(&seed, 40))};
		pn_plain_init(&plain, g);
		if (!g->rules->terminal(g, &state, &value)) {
			struct pn_plain_question q = {&state, &leaf, LIMIT, nothing_known, NULL};
			struct pd_fail fail;
			bool has;
			uint64_t nodes, mine;
			ck_assert(!g->rules->unkey(g, key, g->rules->key(g, &state, key), &state));
			ck_assert(ck_decode(&pair.mine, key, g->rules->key(g, &state, key), &p));
			ck_assert(!pn_plain_search(&plain, &q, &has, &nodes, &fail));
			struct ck_question mine_q = {&pair.mine, &nothing, &p,   upper, leaf.bound,
						     leaf.rank,  LIMIT,    NULL, NULL};
			ck_assert_int_eq(ck_search(&mine_q, &mine) == CK_FOUND, has);
			ck_assert_uint_eq(nodes, mine);
			found += has;
		}
		pn_plain_fini(&plain);
		close_pair(&pair);
	}
	ck_assert_uint_ge(found, rows->count / 2);
}
END_TEST

static bool at_once(void *ctx)
{
	return true;
}

START_TEST(a_search_ends_when_it_is_told_to)
{
	struct ck_game game;
	struct ck_position p;
	uint64_t used;
	ck_assert(!ck_open(&game, "connect4:7x6", "", 0, NULL));
	ck_assert(!game.rules->read(&game, "", &p));
	ck_assert_int_eq(ask_search(&game, &p, false, 1, 41, 20000), CK_GAVE_UP);
	struct ck_question q = {&game, &nothing, &p, false, 1, 41, UINT64_MAX, at_once, NULL};
	ck_assert_int_eq(ck_search(&q, &used), CK_STOPPED);
	ck_close(&game);
	ck_assert(ck_search_limit(1) >= 100000 && ck_search_limit(1000000) >= 64000000 &&
		  ck_search_limit(UINT64_MAX) < UINT64_MAX);
}
END_TEST

SUITE(search)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, graphs_are_searched_to_the_ply);
	tcase_add_loop_test(c, boards_are_searched_to_the_ply, 0, sizeof boards / sizeof boards[0]);
	tcase_add_test(c, theorems_shorten_a_search);
	tcase_add_loop_test(c, mates_are_found_in_time, 0, sizeof mates / sizeof mates[0]);
	tcase_add_test(c, lines_of_action_are_searched_to_the_ply);
	tcase_add_loop_test(c, ranks_and_plies_count_together, 0, sizeof ranked / sizeof ranked[0]);
	tcase_add_test(c, both_searches_make_the_same_nodes);
	tcase_add_test(c, a_search_ends_when_it_is_told_to);
}
