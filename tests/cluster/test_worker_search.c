/* What a worker answers: held against plain minimax, and against the same search in the test; what it refuses, and
 * which solved positions it believes. */
#include <stdlib.h>
#include <string.h>

#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "server/common/open_games.h"
#include "server/common/plugins.h"
#include "server/worker/shared_caches.h"
#include "solver/leaf_task.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"
#include "tests/support/worker_talk.h"

static struct pd_fail fail;

static struct talk *open_talk(unsigned threads)
{
	const struct wk_config config = {
		.name = "ant", .threads = threads, .memory = threads * (UINT64_C(4) << 20), .graphs = TEST_GRAPHS};
	struct talk *talk = talk_open(&config);
	talk_welcome(talk);
	return talk;
}

static struct game *open_game(const char *name)
{
	const struct game_host host = {NULL, NULL};
	struct game *game;
	ck_assert_msg(!game_open(name, &host, &game, &fail), "%s", fail.text);
	return game;
}

/* --- answers ------------------------------------------------------------------------------ */

/* A bound of a position, by minimax. */
static void check_solved(struct oracle *oracle, const struct game *game, const struct cw_solved *solved)
{
	struct walk_state state;
	unsigned rank;
	ck_assert_int_eq(game->rules->unkey(game, solved->key, solved->key_size, state.bytes), PD_OK);
	bool at_least =
		oracle_claim(oracle, state.bytes,
			     solved->reason.side == PD_HI ? solved->reason.bound + 1 : solved->reason.bound, &rank);
	ck_assert(at_least == (solved->reason.side == PD_LO));
	ck_assert_uint_ge(solved->reason.rank, rank);
	ck_assert_uint_ge(solved->reason.effort, 1);
}

enum { GAMES = WK_CACHES + 2, TASKS = 84 /* no more than its threads may have in hand */ };

/* Tasks of more games than the worker has caches, in turn and many at once, on more threads than caches. */
START_TEST(answers_are_those_of_minimax)
{
	static const char *const names[GAMES] = {"mnk:3,3,3", "connect4:4x4", "mnk:4,3,3",
						 "mnk:3,4,3", "connect4:5x3", "mnk:3,3,3,exact"};
	static const unsigned plies[GAMES] = {6, 12, 8, 8, 10, 6};
	static struct walk_state states[TASKS];
	static struct cw_known known;
	int thresholds[TASKS];
	unsigned count = effort_of(TASKS, 18), solved = 0;
	uint64_t seed = walk_seed("answers_are_those_of_minimax", 7);
	struct game *games[GAMES];
	struct oracle *oracles[GAMES];
	struct talk *talk = open_talk(WK_CACHES + 1);
	talk_share(talk, 100 << 20);
	for (unsigned i = 0; i < GAMES; i++) {
		games[i] = open_game(names[i]);
		oracles[i] = oracle_new(games[i]);
	}
	for (unsigned i = 0; i < count; i++) {
		const struct game *game = games[i % GAMES];
		int value;
		do
			walk_from_start(game, states[i].bytes, plies[i % GAMES], &seed);
		while (game->rules->terminal(game, states[i].bytes, &value));
		thresholds[i] = (int)walk_below(&seed, 2);
		const struct talk_task task = {i + 1, game, states[i].bytes, thresholds[i], 200000};
		talk_give(talk, &task);
	}
	for (unsigned i = 0; i < count; i++) {
		const struct cw_result *result = talk_result(talk);
		unsigned n = (unsigned)result->id - 1, rank;
		ck_assert_uint_lt(n, count);
		ck_assert(result->solved);
		ck_assert(result->proved == oracle_claim(oracles[n % GAMES], states[n].bytes, thresholds[n], &rank));
		ck_assert_uint_ge(result->rank, rank);
		thresholds[n] = 99; /* it is answered once */
		while (talk_shared(talk, &known)) {
			n = 0;
			while (strlen(names[n]) != known.game.size ||
			       memcmp(names[n], known.game.data, known.game.size) != 0)
				n++;
			ck_assert_uint_eq(known.rules, game_version(games[n]));
			for (unsigned k = 0; k < known.count; k++, solved++)
				check_solved(oracles[n], games[n], &known.positions[k]);
		}
	}
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(thresholds[i], 99);
	ck_assert_uint_gt(solved, 0);
	for (unsigned i = 0; i < GAMES; i++) {
		oracle_free(oracles[i]);
		game_close(games[i]);
	}
	talk_close(talk);
}
END_TEST

/* A leaf that is not solved: the numbers of the same search, made here. */
START_TEST(numbers_are_those_of_the_same_search)
{
	static const struct {
		uint64_t budget;
		struct pn_leaf_rival rival;
	} tasks[] = {{.budget = 30},
		     {.budget = 500},
		     {.budget = 4000},
		     {4000, {.k = 1, .second = 1, .limit = 20, .from = 200}}, /* ends early */
		     {500, {.k = 1, .second = 100000, .most = 2000}}};        /* goes on */
	uint64_t nodes[sizeof tasks / sizeof *tasks];
	struct game *game = open_game("mnk:8,4,4");
	struct pn_leaf_runner_setup setup = {.game = game,
					     .memory = 1 << 20,
					     .nodes_max = 5000,
					     .identity = 1,
					     .mobility = true,
					     .heuristics = true,
					     .knowledge = true};
	struct walk_state start;
	game->rules->start(game, start.bytes);
	for (unsigned i = 0; i < sizeof tasks / sizeof *tasks; i++) {
		const struct pn_leaf_rival *r = &tasks[i].rival;
		const struct talk_task task = {
			1, game, start.bytes, 1, tasks[i].budget, {r->k, r->second, r->limit, r->from, r->most}};
		struct talk *talk = open_talk(1); /* one that knows nothing yet */
		struct pn_leaf_task leaf = {.serial = 1, .budget = tasks[i].budget, .threshold = 1, .rival = *r};
		struct pn_leaf_runner *runner;
		struct pn_leaf_result same;
		leaf.key_size = (uint16_t)game->rules->key(game, start.bytes, leaf.key);
		ck_assert_int_eq(pn_leaf_runner_new(&setup, &runner, &fail), PD_OK);
		ck_assert_int_eq(pn_leaf_begin(runner, &leaf, &fail), PD_OK);
		while (!pn_leaf_run(runner, 100))
			;
		pn_leaf_result(runner, &same);
		pn_leaf_runner_free(runner);
		talk_give(talk, &task);
		const struct cw_result *result = talk_result(talk);
		ck_assert(!result->solved && !same.solved);
		ck_assert_uint_eq(result->num[0], same.num[0]);
		ck_assert_uint_eq(result->num[1], same.num[1]);
		ck_assert_uint_eq(result->nodes, same.nodes);
		nodes[i] = same.nodes;
		talk_close(talk);
	}
	ck_assert_uint_ge(nodes[3], tasks[3].rival.from);
	ck_assert_uint_lt(nodes[3], nodes[2]);
	ck_assert_uint_gt(nodes[4], 2 * nodes[1]);
	game_close(game);
}
END_TEST

/* --- refusals ----------------------------------------------------------------------------- */

static void expect_refusal(struct talk *talk, const struct cw_task *task, enum cw_refusal why, const char *part)
{
	char words[CW_NAME_MAX + 1] = "";
	cw_put_task(talk_begin(talk, CW_TASKS), task);
	talk_send(talk);
	const struct cw_refuse *refuse = talk_refusal(talk);
	ck_assert_uint_eq(refuse->id, task->id);
	memcpy(words, refuse->text.data, refuse->text.size);
	ck_assert_msg(refuse->why == (uint32_t)why && strstr(words, part), "%u: %s", refuse->why, words);
}

START_TEST(what_cannot_be_searched_is_refused)
{
	struct game *game = open_game("mnk:3,3,3");
	struct talk *talk = open_talk(1);
	struct walk_state start;
	uint8_t key[GAME_KEY_MAX], nonsense[GAME_KEY_MAX];
	char long_name[GAME_NAME_MAX];
	struct cw_task good, task;
	game->rules->start(game, start.bytes);
	const struct talk_task first = {1, game, start.bytes, 0, 100000};
	talk_task(&first, key, &good);
	memset(nonsense, 0xff, sizeof nonsense);
	memset(long_name, 'a', sizeof long_name);

#define REFUSED(change, why, part)                                                                                     \
	task = good;                                                                                                   \
	task.id = (uint64_t)__LINE__;                                                                                  \
	task.change;                                                                                                   \
	expect_refusal(talk, &task, why, part)

	REFUSED(game = ((struct cw_text){"go:19", 5}), CW_NO_GAME, "go");
	REFUSED(game = ((struct cw_text){"mnk:99,3,3", 10}), CW_NO_GAME, "columns");
	REFUSED(game = ((struct cw_text){"andor:../secret", 15}), CW_NO_GAME, "");
	REFUSED(game = ((struct cw_text){long_name, sizeof long_name}), CW_BAD_TASK, "name");
	REFUSED(game = ((struct cw_text){NULL, 0}), CW_BAD_TASK, "name");
	REFUSED(rules++, CW_OTHER_RULES, "rules are version");
	REFUSED(options |= 1u << 20, CW_BAD_TASK, "options");
	REFUSED(key = nonsense, CW_BAD_TASK, "key");
	REFUSED(key_size = 0, CW_BAD_TASK, "key");
	REFUSED(key_size--, CW_BAD_TASK, "key");
	REFUSED(threshold = 2, CW_BAD_TASK, "scale");
	REFUSED(budget = 0, CW_BAD_TASK, "budget");
#undef REFUSED
	talk_in_hand(talk, NULL, 0);
	talk_give(talk, &first);
	ck_assert(talk_result(talk)->proved);
	game_close(game);
	talk_close(talk);
}
END_TEST

/* A plug-in's digest is in the hello, and part of what has to be the same. */
START_TEST(plugins_go_by_their_digest)
{
	const struct sv_game_dirs dirs = {.dir = {TEST_PLUGINS "/good"}, .count = 1};
	static struct cw_hello hello;
	struct sv_plugin_info plugin;
	struct cw_reader reader;
	struct walk_state start;
	uint8_t key[GAME_KEY_MAX];
	struct cw_task wire;
	uint64_t said = 0;
	ck_assert_msg(!sv_plugins_load(&dirs, NULL, NULL, NULL, &fail), "%s", fail.text);
	struct game *game = open_game("countdown:5");
	ck_assert(sv_plugin_of(game->rules, &plugin));
	const struct wk_config config = {.threads = 1};
	struct talk *talk = talk_open(&config);
	talk_hear(talk, CW_HELLO, &reader);
	ck_assert_int_eq(cw_next_hello(&reader, &hello, &fail), 1);
	for (unsigned i = 0; i < hello.game_count; i++)
		if (hello.games[i].name.size == 9 && !memcmp(hello.games[i].name.data, "countdown", 9))
			said = hello.games[i].digest;
	ck_assert_uint_ne(said, 0);
	ck_assert_uint_eq(said, plugin.digest);
	talk_say(talk, CW_WELCOME);
	game->rules->start(game, start.bytes);
	const struct talk_task task = {1, game, start.bytes, 1, 1000};
	talk_give(talk, &task);
	ck_assert(talk_result(talk)->solved);
	talk_task(&task, key, &wire);
	wire.id = 2;
	wire.rules ^= said; /* of another file */
	expect_refusal(talk, &wire, CW_OTHER_RULES, "countdown:5");
	game_close(game);
	talk_close(talk);
}
END_TEST

/* --- positions of other workers ------------------------------------------------------------ */

/* Tells the worker, which has a cache of the game, that First wins after each of its moves, which is false. */
static void tell_lies(struct talk *talk, const struct game *game, uint64_t rules)
{
	static uint8_t keys[CW_SOLVED_MAX][GAME_KEY_MAX];
	static struct cw_known known;
	struct walk_state start, child;
	game_move moves[GAME_MOVES_MAX];
	game->rules->start(game, start.bytes);
	known = (struct cw_known){
		.game = cw_text_of(game->name), .rules = rules, .count = game->rules->moves(game, start.bytes, moves)};
	for (unsigned i = 0; i < known.count; i++) {
		child = start;
		game->rules->play(game, child.bytes, moves[i]);
		known.positions[i] = (struct cw_solved){.reason.bound = 1,
							.reason.rank = 8,
							.reason.move = PD_NO_MOVE,
							.reason.effort = 500,
							.key = keys[i]};
		known.positions[i].key_size = (uint16_t)game->rules->key(game, child.bytes, keys[i]);
	}
	struct pd_buf *out = talk_begin_all(talk, CW_SHARED);
	cw_put_shared(out, (const uint8_t *)"\3\1\5", 3); /* what one worker spoils is not lost for the others */
	cw_put_known(out, &known);
	talk_send(talk);
}

/* Whether the worker proves that First wins in the start position. */
static bool proves_win(struct talk *talk, const struct game *game, uint64_t nodes)
{
	static uint64_t id;
	struct walk_state start;
	game->rules->start(game, start.bytes);
	const struct talk_task task = {++id, game, start.bytes, 1, nodes};
	talk_give(talk, &task);
	const struct cw_result *result = talk_result(talk);
	ck_assert_uint_eq(result->id, id);
	ck_assert(result->solved == (nodes > 1));
	return result->proved;
}

START_TEST(shared_positions_are_believed_of_the_right_game_and_rules)
{
	struct game *game = open_game("mnk:3,3,3");
	for (unsigned i = 0; i < 5; i++) {
		struct talk *talk = open_talk(1);
		if (i)
			talk_share(talk, 1000);
		(void)proves_win(talk, game, 1); /* makes the cache */
		tell_lies(talk, game, game_version(game) + (i == 1));
		if (i == 2) /* it may share no more, and what may be false goes */
			talk_share(talk, 0);
		if (i == 3) { /* likewise, when there is another coordinator */
			talk_epoch(talk, 2);
			talk_say(talk, CW_CALL);
			talk_welcome(talk);
		}
		ck_assert_int_eq(proves_win(talk, game, 100000), i == 4);
		talk_close(talk);
	}
	game_close(game);
}
END_TEST

START_TEST(with_a_key_shared_positions_are_believed_if_sealed)
{
	struct game *game = open_game("mnk:3,3,3");
	struct cw_seal seal;
	ck_assert(cw_seal_of("0123456789abcdef", 16, &seal));
	const struct wk_config config = {.threads = 1, .memory = 4 << 20, .seal = &seal};
	for (unsigned i = 0; i < 2; i++) {
		struct talk *talk = talk_open(&config);
		talk_seal(talk, &seal);
		talk_welcome(talk);
		talk_share(talk, 1000);
		(void)proves_win(talk, game, 1);
		talk_seal(talk, i ? &seal : NULL);
		tell_lies(talk, game, game_version(game));
		talk_seal(talk, &seal);
		ck_assert_int_eq(proves_win(talk, game, 100000), i);
		talk_close(talk);
	}
	game_close(game);
}
END_TEST

START_TEST(graphs_are_read_from_their_directory)
{
	struct talk *talk = open_talk(2);
	const struct game_host host = {(void *)(uintptr_t)TEST_GRAPHS, sv_graph_read};
	struct walk_state start;
	struct game *game;
	ck_assert_msg(!game_open("andor:chain", &host, &game, &fail), "%s", fail.text);
	game->rules->start(game, start.bytes);
	struct oracle *oracle = oracle_new(game);
	const struct talk_task task = {1, game, start.bytes, 1, 1000};
	talk_give(talk, &task);
	const struct cw_result *result = talk_result(talk);
	ck_assert(result->solved && result->proved == oracle_claim(oracle, start.bytes, 1, NULL));
	oracle_free(oracle);
	game_close(game);
	talk_close(talk);
}
END_TEST

SUITE(worker_search)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, answers_are_those_of_minimax);
	tcase_add_test(c, numbers_are_those_of_the_same_search);
	tcase_add_test(c, what_cannot_be_searched_is_refused);
	tcase_add_test(c, plugins_go_by_their_digest);
	tcase_add_test(c, shared_positions_are_believed_of_the_right_game_and_rules);
	tcase_add_test(c, with_a_key_shared_positions_are_believed_if_sealed);
	tcase_add_test(c, graphs_are_read_from_their_directory);
}
