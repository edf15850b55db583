/* Leaf proofs: what a search solved can be proved to another process, and nothing false can. */
#include <stdio.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/table_format.h"
#include "solver/leaf_task.h"
#include "solver/table_theorem.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { GRAPH_CAP = 1000, GRAPHS = 400, FORGERIES = 40, BUDGET = 20000 };

/* A game with all that one process of the two needs, and the truth about it. */
struct both {
	struct game *game;
	struct pn_leaf_runner *runner;
	struct pn_proof_walk *judge;
	struct retro *retro; /* of a random graph; NULL: a game without cycles */
	struct oracle *oracle;
	unsigned claim[3]; /* in retro: at least value_min + (1 + i) * value_step */
	uint64_t seed;
	/* Counted. */
	unsigned solved, proved, unranked, forged, held;
	uint64_t bytes, looked, nodes;
};

static void open_both(struct both *b, const char *name, bool knowledge, uint64_t seed)
{
	struct pd_fail fail;
	*b = (struct both){.seed = seed};
	if (name)
		ck_assert_msg(!game_open(name, NULL, &b->game, &fail), "%s", fail.text);
	else
		b->game = cyclic_game(seed);
	struct pn_leaf_runner_setup setup = {.game = b->game,
					     .memory = 8 << 20,
					     .nodes_max = 2 * BUDGET,
					     .identity = 11,
					     .mobility = true,
					     .heuristics = true,
					     .knowledge = knowledge};
	ck_assert_msg(!pn_leaf_runner_new(&setup, &b->runner, &fail), "%s", fail.text);
	b->judge = pn_proof_walk_new(b->game, knowledge, 5);
	ck_assert_ptr_nonnull(b->judge);
	if (name && b->game->acyclic)
		b->oracle = oracle_new(b->game);
	else if (!name)
		b->retro = retro_new(b->game, GRAPH_CAP);
}

static void close_both(struct both *b)
{
	if (b->oracle)
		oracle_free(b->oracle);
	if (b->retro)
		retro_free(b->retro);
	pn_proof_walk_free(b->judge);
	pn_leaf_runner_free(b->runner);
	game_close(b->game);
}

static int threshold_of(const struct game *g, const struct pd_reason *r)
{
	return r->side == PD_LO ? r->bound : r->bound + g->value_step;
}

/* Whether a bound is true within its rank. */
static bool is_true(struct both *b, const void *state, const struct pd_reason *r)
{
	unsigned plies;
	int threshold = threshold_of(b->game, r);
	bool holds =
		b->oracle ? oracle_claim(b->oracle, state, threshold, &plies)
			  : retro_holds(b->retro, b->claim[(threshold - b->game->value_min) / b->game->value_step - 1],
					state, &plies);
	return holds == (r->side == PD_LO) && (r->rank == PD_RANK_NONE || plies <= r->rank);
}

static bool holds(struct both *b, const void *state, const struct pd_reason *r, const uint8_t *bytes, size_t size)
{
	struct pn_proof_found found;
	return pn_proof_check(b->judge, state, r, bytes, size, &found) == PN_PROOF_HOLDS;
}

/* Edits a proof and what it is said to prove; whatever still holds is true. */
static void forge(struct both *b, const void *state, struct pd_reason r, const uint8_t *bytes, size_t size)
{
	uint8_t edited[PN_PROOF_BYTES];
	memcpy(edited, bytes, size);
	for (unsigned n = 1 + walk_below(&b->seed, 3); n; n--) {
		unsigned at = walk_below(&b->seed, (unsigned)size);
		switch (walk_below(&b->seed, 7)) {
		case 0:
			edited[at] = (uint8_t)walk_below(&b->seed, 4);
			break;
		case 1:
			size = at + 1;
			break;
		case 2:
			memmove(edited + at, edited + at + 1, size - at - 1);
			size -= size > 1;
			break;
		case 3:
			r.rank = (uint16_t)(r.rank == PD_RANK_NONE    ? 20
					    : walk_below(&b->seed, 2) ? r.rank - 1
								      : r.rank / 2);
			break;
		case 4:
			r.rank = PD_RANK_NONE;
			break;
		case 5:
			r.side = !r.side;
			r.bound = (int16_t)(r.bound + (r.side == PD_LO ? 1 : -1) * b->game->value_step);
			break;
		default:
			r.bound = (int16_t)(r.bound + (r.side == PD_LO ? 1 : -1) * b->game->value_step);
		}
	}
	b->forged++;
	if (!holds(b, state, &r, edited, size))
		return;
	b->held++;
	ck_assert_msg(is_true(b, state, &r), "side %d, bound %d, rank %d", r.side, r.bound, r.rank);
}

/* The move that a proof names leads to what it proves. */
static void check_move(struct both *b, const struct walk_state *state, struct pd_reason r, uint16_t named)
{
	struct walk_state after = *state;
	game_move move;
	int value;
	if (named == PD_NO_MOVE)
		return;
	ck_assert(game_legal_from_key(b->game, state, named, &move));
	b->game->rules->play(b->game, &after, move);
	r.rank = (uint16_t)(r.rank == PD_RANK_NONE ? r.rank : r.rank - 1);
	if (b->game->rules->terminal(b->game, &after, &value))
		ck_assert(r.side == PD_LO ? value >= r.bound : value <= r.bound);
	else
		ck_assert(is_true(b, &after, &r));
}

/* Searches a leaf and lets the other process check it. */
static void pass_leaf(struct both *b, const void *state, int threshold, uint64_t budget)
{
	static uint8_t bytes[PN_PROOF_BYTES];
	struct pn_leaf_task task = {.serial = 1, .budget = budget, .threshold = (int16_t)threshold};
	struct pn_leaf_result r;
	struct pd_fail fail;
	task.key_size = (uint16_t)b->game->rules->key(b->game, state, task.key);
	ck_assert_msg(!pn_leaf_begin(b->runner, &task, &fail), "%s", fail.text);
	while (!pn_leaf_run(b->runner, budget))
		;
	pn_leaf_result(b->runner, &r);
	b->nodes += r.nodes;
	if (!r.solved)
		return;
	b->solved++;
	size_t size = pn_leaf_prove(b->runner, PN_PROOF_POSITIONS, bytes);
	if (!size)
		return;
	struct pd_reason reason = {.bound = (int16_t)(r.proved ? threshold : threshold - b->game->value_step),
				   .side = r.proved ? PD_LO : PD_HI,
				   .rank = r.rank,
				   .move = PD_NO_MOVE};
	struct walk_state key_state;
	struct pn_proof_found found;
	ck_assert_int_eq(b->game->rules->unkey(b->game, task.key, task.key_size, &key_state), 0);
	ck_assert_int_eq(pn_proof_check(b->judge, &key_state, &reason, bytes, size, &found), PN_PROOF_HOLDS);
	ck_assert_int_eq(found.move == PD_NO_MOVE, r.move == PD_NO_MOVE);
	check_move(b, &key_state, reason, found.move);
	ck_assert(is_true(b, state, &reason));
	b->proved++;
	b->unranked += r.rank == PD_RANK_NONE;
	b->bytes += size;
	b->looked += found.looked;
	for (unsigned i = 0; i < FORGERIES; i++)
		forge(b, &key_state, reason, bytes, size);
}

static void print_counts(const struct both *b)
{
	printf("%-14s %5u solved of %8llu nodes, %5u proved (%u unranked): %6.1f bytes, %7.1f positions each; %7u "
	       "forged, "
	       "%u hold and are true\n",
	       b->game->name, b->solved, (unsigned long long)b->nodes, b->proved, b->unranked,
	       (double)b->bytes / (b->proved ? b->proved : 1), (double)b->looked / (b->proved ? b->proved : 1),
	       b->forged, b->held);
}

START_TEST(what_games_without_cycles_solve)
{
	static const struct {
		const char *name;
		unsigned plies,
			proved; /* random moves before a leaf; at least so many percent of the solved are proved */
	} rows[] = {{"connect4:4x4", 6, 95},    {"mnk:4,4,4", 8, 95}, {"hex:4", 6, 95},    {"breakthrough:4x4", 8, 95},
		    {"domineering:4x4", 4, 95}, {"othello:4", 8, 95}, {"nim:3,4,5", 3, 95}};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (unsigned knowledge = 0; knowledge < 2; knowledge++) {
			struct both b;
			struct walk_state state;
			int value;
			open_both(&b, rows[i].name, knowledge, walk_seed(rows[i].name, 7));
			for (unsigned n = effort_of(200, 20); n; n--) {
				do
					walk_from_start(b.game, &state, rows[i].plies, &b.seed);
				while (b.game->rules->terminal(b.game, &state, &value));
				unsigned steps = (unsigned)(b.game->value_max - b.game->value_min) /
						 (unsigned)b.game->value_step;
				int threshold =
					b.game->value_min + (int)(1 + walk_below(&b.seed, steps)) * b.game->value_step;
				pass_leaf(&b, &state, threshold, BUDGET);
			}
			print_counts(&b);
			ck_assert_uint_ge(100 * b.proved, rows[i].proved * b.solved);
			ck_assert_uint_gt(b.solved, 0);
			close_both(&b);
		}
	}
}
END_TEST

/* Random graphs full of cycles: ranked proofs do not rest on repetitions, and unranked ones may. */
START_TEST(what_graphs_with_cycles_solve)
{
	struct both sum = {0};
	uint64_t first = walk_seed("graphs", 1);
	for (unsigned n = 0; n < effort_of(GRAPHS, 20); n++) {
		struct both b;
		struct walk_state state;
		int value;
		open_both(&b, NULL, false, first + n);
		b.game->rules->start(b.game, &state);
		ck_assert(retro_add(b.retro, &state));
		for (unsigned i = 0; i < 2; i++)
			b.claim[i] = retro_solve(b.retro, b.game->value_min + (int)(i + 1) * b.game->value_step);
		for (uint32_t i = 0; i < retro_positions(b.retro); i++) {
			retro_state(b.retro, i, &state);
			for (int t = 0; t < 2 && !b.game->rules->terminal(b.game, &state, &value); t++)
				pass_leaf(&b, &state, b.game->value_min + (t + 1) * b.game->value_step, 2000);
		}
		sum.game = b.game;
		sum.solved += b.solved;
		sum.proved += b.proved;
		sum.unranked += b.unranked;
		sum.forged += b.forged;
		sum.held += b.held;
		sum.bytes += b.bytes;
		sum.looked += b.looked;
		sum.nodes += b.nodes;
		if (n + 1 == effort_of(GRAPHS, 20))
			print_counts(&sum);
		close_both(&b);
	}
	ck_assert_uint_gt(sum.unranked, 0);
	ck_assert_uint_ge(100 * sum.proved, 90 * sum.solved);
}
END_TEST

/* Says that First mates within two plies, whoever is to move: the first half of the numbers is with First to move. */
static bool get_mate(void *file, uint64_t index, uint16_t *entry)
{
	const struct game_class *class = file;
	*entry = index < class->size / 2 ? pd_table_win(2) : pd_table_loss(2);
	return true;
}

static void close_nothing(void *ctx)
{
	(void)ctx;
}

/* The process that checks a proof may have tables, and the one that wrote it none. */
START_TEST(tables_are_no_part_of_a_proof)
{
	static uint8_t bytes[PN_PROOF_BYTES];
	struct pn_leaf_task task = {.serial = 1, .budget = BUDGET, .threshold = 1};
	const struct pn_table_source source = {get_mate, close_nothing, NULL};
	struct pn_table table = {.digest = {0}};
	struct pn_leaf_result r;
	struct walk_state state;
	struct pd_fail fail;
	struct both b;
	open_both(&b, "chess-mate", true, 1);
	ck_assert(!b.game->rules->parse(b.game, "7k/8/5K2/8/8/8/Q7/8 w - -", &state, &fail));
	task.key_size = (uint16_t)b.game->rules->key(b.game, &state, task.key);
	ck_assert_msg(!pn_leaf_begin(b.runner, &task, &fail), "%s", fail.text);
	while (!pn_leaf_run(b.runner, BUDGET))
		;
	pn_leaf_result(b.runner, &r);
	ck_assert(r.solved && r.proved && r.rank >= 3);
	size_t size = pn_leaf_prove(b.runner, PN_PROOF_POSITIONS, bytes);
	ck_assert_uint_gt(size, 0);
	struct pd_reason reason = {.bound = 1, .side = PD_LO, .rank = r.rank, .move = PD_NO_MOVE};
	ck_assert(holds(&b, &state, &reason, bytes, size));
	ck_assert_msg(!b.game->rules->classes->open(b.game, "KQvK", &table.class, &fail), "%s", fail.text);
	table.file = &table.class;
	ck_assert_msg(!pn_tables_attach(b.game, &table, 1, &source, &fail), "%s", fail.text);
	ck_assert(holds(&b, &state, &reason, bytes, size));
	close_both(&b);
}
END_TEST

SUITE(leaf_proof)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, tables_are_no_part_of_a_proof);
	tcase_add_test(c, what_games_without_cycles_solve);
	tcase_add_test(c, what_graphs_with_cycles_solve);
}
