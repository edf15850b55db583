/* Liars: workers without the key that lie in every way, at a coordinator that believes proofs (--verify certificates).
 *
 *	lab liars [N] [--seed S] [--share]
 *
 * For each game and each way to lie, a coordinator has N leaves (3,000) of random positions searched by a sound worker
 * and by a liar, which returns under another number when it was banned. Every solved leaf that is delivered is compared
 * with the truth: the winner, the rank and the move. Printed are, for each way, lies and delivered lies; and, for
 * larger games and leaves of 100,000 nodes where nobody lies, what proofs cost: bytes, processor time to write and to
 * check them against that of the searches, and how many solved leaves were not believed. Then a worker whose leaves are
 * sound shares false positions with two others; for each way to verify it prints how many of their leaves were false.
 * Exit status 1: a lie was delivered where leaves are verified, or a sound worker was banned. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "tests/support/cluster_rig.h"
#include "tests/support/cyclic.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { SMALL = 4000, LARGE_BUDGET = 100000, SLOTS = 32, STEP = 100, LARGE = 300, OLD = 64, CAP = 1000, DAY_S = 86400 };

struct setting {
	const char *game; /* andor:test is a random graph with cycles */
	unsigned plies;   /* random moves before a leaf, at most */
	uint64_t budget;
};

static const struct setting games[] = {{"connect4:4x4", 8, SMALL},
				       {"mnk:4,4,4", 10, SMALL},
				       {"hex:4", 8, SMALL},
				       {"breakthrough:4x4", 10, SMALL},
				       {"andor:test", 12, SMALL}};
/* Too large for the truth. */
static const struct setting large[] = {{"connect4:7x6", 24, LARGE_BUDGET},
				       {"othello:6", 24, LARGE_BUDGET},
				       {"hex:6", 12, LARGE_BUDGET},
				       {"breakthrough:5x6", 20, LARGE_BUDGET},
				       {"mnk:6,5,4", 8, LARGE_BUDGET}};

enum { GAMES = sizeof games / sizeof *games };

static struct {
	struct game *game;
	struct oracle *oracle; /* NULL: retro */
	struct retro *retro;
	unsigned claim[2];
	uint64_t graph; /* seed of the random graph */
	uint64_t delivered, wrong;
} truth;

static struct cluster_rig rig;

/* The command line. */
static unsigned leaves = 3000;
static bool share;
static uint64_t first_seed = 1;

/* --- the truth ---------------------------------------------------------------------------- */

static struct game *open_game_of(const char *name)
{
	struct game *game;
	struct pd_fail fail;
	if (!strcmp(name, "andor:test"))
		return cyclic_game(truth.graph);
	PD_ASSERT(!game_open(name, NULL, &game, &fail));
	return game;
}

/* Prepares the truth about a game; false: the random graph is too small. */
static bool open_truth(const char *name, uint64_t graph)
{
	struct walk_state start;
	truth.graph = graph;
	truth.game = open_game_of(name);
	truth.delivered = truth.wrong = 0;
	truth.oracle = truth.game->acyclic ? oracle_new(truth.game) : NULL;
	truth.retro = truth.oracle ? NULL : retro_new(truth.game, CAP);
	if (!truth.retro)
		return strcmp(name, "andor:test") != 0;
	truth.game->rules->start(truth.game, &start);
	PD_ASSERT(retro_add(truth.retro, &start));
	for (unsigned i = 0; i < 2; i++)
		truth.claim[i] = retro_solve(truth.retro, (int)i);
	return retro_positions(truth.retro) >= 20;
}

static void close_truth(void)
{
	if (truth.oracle)
		oracle_free(truth.oracle);
	if (truth.retro)
		retro_free(truth.retro);
	game_close(truth.game);
}

/* Whether First gets the threshold or not, as `proved` says, within the rank. */
static bool is_true(const void *state, int threshold, bool proved, unsigned rank)
{
	unsigned plies;
	bool holds = truth.oracle ? oracle_claim(truth.oracle, state, threshold, &plies)
				  : retro_holds(truth.retro, truth.claim[threshold], state, &plies);
	return holds == proved && (rank == PD_RANK_NONE || plies <= rank);
}

static void compare_with_truth(struct driver *d, const struct pn_leaf_task *leaf, const struct pn_leaf_result *r)
{
	const struct game *g = truth.game;
	struct walk_state state;
	game_move move;
	bool good;
	(void)d;
	if (!r->solved)
		return;
	PD_ASSERT(!g->rules->unkey(g, leaf->key, leaf->key_size, &state));
	good = is_true(&state, leaf->threshold, r->proved, r->rank);
	if (good && r->move != PD_NO_MOVE) {
		good = game_legal_from_key(g, &state, r->move, &move);
		if (good)
			g->rules->play(g, &state, move);
		good = good && is_true(&state, leaf->threshold, r->proved,
				       r->rank == PD_RANK_NONE ? PD_RANK_NONE : r->rank - 1u);
	}
	truth.delivered++;
	truth.wrong += !good;
}

/* --- lies --------------------------------------------------------------------------------- */

static uint8_t old_proof[OLD][CW_PROOF_MAX];
static unsigned old_size[OLD], old_count; /* the liar's thread's, of one liar after the other */

static void turn(struct cw_result *r)
{
	r->proved = !r->proved;
	r->move = PD_NO_MOVE;
}

/* An open leaf is called solved. */
static void call_solved(struct cw_result *r, uint64_t *seed)
{
	if (r->solved)
		return;
	r->solved = true;
	r->proved = walk_below(seed, 2);
	r->move = PD_NO_MOVE;
	r->rank = (uint16_t)(1 + walk_below(seed, 20));
	r->effort = (uint32_t)(1 + walk_below(seed, 1000));
}

static void attach(struct worker_double *w, struct cw_result *r, unsigned size)
{
	r->proof = size ? w->proof : NULL;
	r->proof_size = (uint16_t)size;
}

static bool lie_always(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	call_solved(r, &w->is.seed);
	turn(r);
	attach(w, r, 0);
	return true;
}

static bool lie_rarely(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	return ++w->solved_count % 1000 == 500 && lie_always(w, task, r);
}

static bool lie_on_large(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	return r->nodes >= LARGE && lie_always(w, task, r);
}

/* The value that a job for "First wins" ends with, and no other. */
static bool lie_to_end(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	if (task->threshold != truth.game->value_max || (r->solved && r->proved))
		return false;
	call_solved(r, &w->is.seed);
	r->proved = true;
	r->move = PD_NO_MOVE;
	return true;
}

static bool keep_proof(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)w, (void)task;
	if (r->solved)
		turn(r);
	return r->solved;
}

/* Some bytes are changed, and the winner or not. */
static bool edit_proof(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	if (!r->solved || !r->proof)
		return false;
	for (unsigned n = 1 + walk_below(&w->is.seed, 3); n; n--)
		w->proof[walk_below(&w->is.seed, r->proof_size)] = (uint8_t)walk_below(&w->is.seed, 8);
	if (walk_below(&w->is.seed, 2))
		turn(r);
	return true;
}

static bool cut_proof(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	if (!r->solved || r->proof_size < 2)
		return false;
	turn(r);
	attach(w, r, 1 + walk_below(&w->is.seed, r->proof_size));
	return true;
}

/* The proof of an earlier leaf, with its winner. */
static bool replay_proof(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	unsigned at = walk_below(&w->is.seed, OLD);
	if (r->proof && r->proof_size > 1) {
		memcpy(old_proof[old_count % OLD], r->proof, r->proof_size);
		old_size[old_count++ % OLD] = r->proof_size;
	}
	if (old_count < OLD)
		return false;
	call_solved(r, &w->is.seed);
	turn(r);
	memcpy(w->proof, old_proof[at], old_size[at]);
	attach(w, r, old_size[at]);
	return true;
}

/* As from another game: moves that need not be there. */
static bool invent_proof(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	unsigned size = 1 + walk_below(&w->is.seed, 200), most = 1 + walk_below(&w->is.seed, 256);
	call_solved(r, &w->is.seed);
	turn(r);
	for (unsigned i = 0; i < size; i++)
		w->proof[i] = (uint8_t)walk_below(&w->is.seed, most);
	w->proof[0] = PN_PROOF_FORM;
	attach(w, r, size);
	return true;
}

static bool huge_proof(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	call_solved(r, &w->is.seed);
	turn(r);
	r->rank = r->rank == PD_RANK_NONE ? PD_RANK_NONE : PD_RANK_MAX;
	memset(w->proof, 0, sizeof w->proof);
	w->proof[0] = PN_PROOF_FORM;
	attach(w, r, CW_PROOF_MAX);
	return true;
}

static bool lower_rank(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	if (!r->solved || r->rank == PD_RANK_NONE || r->rank < 2)
		return false;
	r->rank = (uint16_t)(walk_below(&w->is.seed, 2) ? r->rank - 1u : 1 + walk_below(&w->is.seed, r->rank));
	return true;
}

/* Infinite play is said to serve what it does not serve, or a repetition to make a rank. */
static bool other_rank(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	(void)task;
	if (!r->solved)
		return false;
	if (walk_below(&w->is.seed, 2))
		turn(r);
	r->rank = r->rank == PD_RANK_NONE ? (uint16_t)(1 + walk_below(&w->is.seed, 30)) : PD_RANK_NONE;
	return true;
}

static bool other_move(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	const struct game *g = w->is.game;
	struct walk_state state;
	game_move moves[GAME_MOVES_MAX];
	if (!r->solved || g->rules->unkey(g, task->key, task->key_size, &state) ||
	    g->rules->first_to_move(g, &state) != r->proved)
		return false;
	unsigned count = g->rules->moves(g, &state, moves);
	r->move = game_canon(g, &state, moves[walk_below(&w->is.seed, count)], false);
	return true;
}

static const struct {
	const char *name;
	bool (*spoil)(struct worker_double *w, const struct cw_task *task, struct cw_result *result);
} ways[] = {
	{"nobody", NULL},
	{"always", lie_always},
	{"1 in 1000", lie_rarely},
	{"large leaves", lie_on_large},
	{"the end", lie_to_end},
	{"true proof", keep_proof},
	{"edited proof", edit_proof},
	{"cut proof", cut_proof},
	{"replayed", replay_proof},
	{"other game", invent_proof},
	{"huge proof", huge_proof},
	{"lower rank", lower_rank},
	{"other rank", other_rank},
	{"other move", other_move},
};

enum { WAYS = sizeof ways / sizeof *ways };

struct sum {
	uint64_t delivered, wrong, lies, tasks;
	unsigned solved;
	uint64_t search_ns, prove_ns;
	struct sv_cluster_view view;
};

/* --- one game and one way ----------------------------------------------------------------- */

static void add_worker(unsigned way, uint64_t seed)
{
	struct worker_double_setup setup = {.game = truth.game,
					    .games = "connect4 mnk hex breakthrough othello andor",
					    .threads = 4,
					    .spoil = ways[way].spoil,
					    .seed = seed + rig.workers};
	(void)cluster_rig_worker(&rig, &setup);
}

static void run_way(const struct setting *at, unsigned way, uint64_t seed, struct sum *sum)
{
	struct sv_cluster_config config = {.verify_sealed = 0, .verify_others = SV_VERIFY_PROOFS, .seed = seed + 1};
	struct driver d;
	uint64_t banned = 0;
	truth.delivered = truth.wrong = 0;
	old_count = 0;
	cluster_rig_open(&rig, &config, seed);
	rig.open_game = open_game_of;
	struct sv_desk *desk = cluster_rig_desk(&rig, truth.game, SLOTS, 0);
	driver_init(&d, desk, truth.game, SLOTS, seed);
	d.plies = at->plies;
	d.budget = at->budget;
	d.result = at->budget == SMALL ? compare_with_truth : NULL;
	add_worker(0, seed);
	if (way)
		add_worker(way, seed);
	for (unsigned done = 0; done < leaves; done += STEP) {
		driver_run(&d, STEP, 0);
		sv_cluster_view(rig.cluster, &sum->view);
		if (sum->view.banned > banned && rig.workers < RIG_WORKERS_MAX) {
			banned = sum->view.banned;
			add_worker(way, seed);
		}
	}
	sum->delivered = truth.delivered;
	sum->wrong = truth.wrong;
	sum->tasks = d.answered;
	sum->solved = d.solved;
	sum->lies = sum->prove_ns = 0;
	for (unsigned i = 0; i < rig.workers; i++) {
		sum->lies += atomic_load(&rig.worker[i].lies);
		sum->prove_ns += atomic_load(&rig.worker[i].prove_ns);
	}
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}

/* One worker of three shares lies, one of `lie` of its positions. `verify`: as in the configuration. False: one reached
 * a leaf that is verified. */
static bool run_shared(const struct setting *at, unsigned verify, unsigned lie)
{
	struct sv_cluster_config config = {.verify_others = verify, .share = 4 << 20, .seed = first_seed};
	struct sv_cluster_view view;
	struct driver d;
	uint64_t lies = 0, known = 0;
	truth.delivered = truth.wrong = 0;
	cluster_rig_open(&rig, &config, first_seed);
	rig.open_game = open_game_of;
	struct sv_desk *desk = cluster_rig_desk(&rig, truth.game, SLOTS, 0);
	driver_init(&d, desk, truth.game, SLOTS, first_seed);
	d.plies = at->plies;
	d.budget = at->budget;
	d.result = compare_with_truth;
	for (unsigned i = 0; i < 3; i++) {
		struct worker_double_setup setup = {.game = truth.game,
						    .games = "connect4 mnk hex breakthrough othello andor",
						    .threads = 4,
						    .lie_shared = i ? 0 : lie,
						    .seed = first_seed + i};
		(void)cluster_rig_worker(&rig, &setup);
	}
	driver_run(&d, leaves, 0);
	sv_cluster_view(rig.cluster, &view);
	for (unsigned i = 0; i < 3; i++) {
		lies += atomic_load(&rig.worker[i].lies_shared);
		known += atomic_load(&rig.worker[i].known);
	}
	printf("  shared, 1 of %-4u --verify %-12s %8" PRIu64 " lies, %8" PRIu64 " positions shared, %6" PRIu64
	       " leaves delivered, %" PRIu64 " false; %" PRIu64 " bans\n",
	       lie,
	       verify == SV_VERIFY_PROOFS ? "certificates"
	       : verify                   ? "all"
					  : "none",
	       lies, known, truth.delivered, truth.wrong, view.banned);
	fflush(stdout);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
	return !verify || (!truth.wrong && !view.banned && !known);
}

static void print_costs(void)
{
	for (unsigned i = 0; i < (share ? 1 : sizeof large / sizeof *large); i++) {
		struct sum s = {0};
		struct pd_fail fail;
		const struct sv_cluster_view *v = &s.view;
		PD_ASSERT(!game_open(large[i].game, NULL, &truth.game, &fail));
		run_way(&large[i], 0, first_seed, &s);
		game_close(truth.game);
		double search = (double)(v->cpu_ns ? v->cpu_ns : 1);
		printf("%s: %u of %" PRIu64 " leaves solved, %" PRIu64 " not believed; %.1f bytes a proof; of the time "
		       "of all searches, writing takes %.2f %%, checking %.2f %%, searching again %.2f %%\n",
		       large[i].game, s.solved + (unsigned)v->undecided, s.tasks, v->undecided,
		       (double)v->judged.proof_bytes / (double)(v->judged.proofs ? v->judged.proofs : 1),
		       100.0 * (double)s.prove_ns / search, 100.0 * (double)v->judged.check_ns / search,
		       100.0 * (double)v->judged.search_ns / search);
		fflush(stdout);
	}
}

static bool read_line(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--share")) {
			share = true;
			leaves = 100;
		} else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			first_seed = strtoull(argv[++i], NULL, 10);
		else if (!(leaves = (unsigned)strtoul(argv[i], NULL, 10)))
			return false;
	}
	return true;
}

/* One test, because the rig asserts as tests do. */
START_TEST(no_lie_is_delivered)
{
	uint64_t wrong = 0;
	pd_log_threshold(PD_LOG_ERROR);
	/* The share: a game without cycles, and one with. */
	for (unsigned game = 0; game < GAMES; game += share ? GAMES - 1 : 1) {
		uint64_t graph = first_seed;
		while (!open_truth(games[game].game, graph++))
			close_truth();
		for (unsigned way = 0; way < WAYS; way++) {
			struct sum sum = {0};
			run_way(&games[game], way, first_seed + 100 * way, &sum);
			printf("  %-14s %6" PRIu64 " lies, %6" PRIu64 " leaves delivered, %" PRIu64 " false; %" PRIu64
			       " bans, judge %.3f s\n",
			       ways[way].name, sum.lies, sum.delivered, sum.wrong, sum.view.banned,
			       (double)(sum.view.judged.check_ns + sum.view.judged.search_ns) / 1e9);
			fflush(stdout);
			wrong += sum.wrong;
		}
		static const unsigned verify[] = {SV_VERIFY_ALL, SV_VERIFY_PROOFS, 0, 0, 0}, lie[] = {1, 1, 1, 10, 100};
		for (unsigned i = 0; i < sizeof verify / sizeof *verify; i++)
			ck_assert(run_shared(&games[game], verify[i], lie[i]));
		close_truth();
	}
	print_costs();
	printf("%" PRIu64 " false leaves were delivered\n", wrong);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

static void add_test(TCase *c)
{
	tcase_set_timeout(c, DAY_S);
	tcase_add_test(c, no_lie_is_delivered);
}

PROGRAM(liars)
{
	if (!read_line(argc, argv)) {
		fprintf(stderr, "liars: the comment at the top of its source says what it takes\n");
		return 2;
	}
	printf("seed %" PRIu64 "\n", first_seed);
	fflush(stdout);
	return suite_run("liars", add_test);
}
