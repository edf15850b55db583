/* Trust: lies are found and lead to a ban, what is not decided is no reason for one, and what only steers the search is
 * never delivered. */
#include <string.h>

#include "proto/cluster/wire_write.h"
#include "server/cluster/trust.h"
#include "solver/bounded.h"
#include "tests/support/cluster_rig.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct cluster_rig rig;
static struct game *game;
static struct pn_prover *oracle;
static const struct sv_cluster_config all = {.verify_sealed = 100, .verify_others = 100};
static const struct sv_cluster_config certificates = {.verify_sealed = 0, .verify_others = SV_VERIFY_PROOFS};

static void open_game(void)
{
	struct pn_prover_options options = {.memory = 16 << 20, .identity = 99};
	struct pd_fail fail;
	ck_assert_int_eq(game_open("mnk:4,4,4", NULL, &game, &fail), 0);
	ck_assert_int_eq(pn_prover_new(game, &options, &oracle, &fail), 0);
}

static void close_game(void)
{
	pn_prover_free(oracle);
	game_close(game);
}

/* What a leaf is worth: whether First gets the threshold. */
static bool truth(const struct pn_leaf_task *leaf)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_goal goal = {.threshold = leaf->threshold, .proof = true};
	enum pn_verdict verdict;
	struct pd_fail fail;
	uint64_t nodes = UINT64_C(1) << 30;
	ck_assert_int_eq(game->rules->unkey(game, leaf->key, leaf->key_size, state), 0);
	ck_assert_int_eq(pn_prover_run(oracle, state, &goal, &nodes, &verdict, &fail), 0);
	ck_assert_int_ne(verdict, PN_OPEN);
	return verdict == PN_PROVED;
}

static unsigned wrong_results;

static void compare_with_truth(struct driver *d, const struct pn_leaf_task *leaf, const struct pn_leaf_result *r)
{
	wrong_results += r->solved && r->proved != truth(leaf);
}

static struct sv_desk *open_desk(struct driver *d, const struct sv_cluster_config *config, unsigned slots)
{
	cluster_rig_open(&rig, config, 5);
	struct sv_desk *desk = cluster_rig_desk(&rig, game, slots, 0);
	driver_init(d, desk, game, slots, walk_seed("trust", 3));
	d->plies = 12;
	d->budget = 20000;
	d->result = compare_with_truth;
	wrong_results = 0;
	return desk;
}

static void close_desk(struct sv_desk *desk)
{
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}

static struct worker_double *add_worker(struct worker_double_setup setup)
{
	setup.game = game;
	if (!setup.threads)
		setup.threads = 4;
	return cluster_rig_worker(&rig, &setup);
}

START_TEST(a_lie_never_comes_through_when_all_is_verified)
{
	struct driver d;
	struct sv_desk *desk = open_desk(&d, &all, 8);
	struct worker_double *liar = add_worker((struct worker_double_setup){.lie = 10});
	add_worker((struct worker_double_setup){.threads = 1, .slow_ms = 1});
	for (unsigned i = 0; i < 100 && !cluster_rig_view(&rig).banned; i++)
		driver_run(&d, 20, 0);
	cluster_rig_await(&rig, 0, SV_WORKER_BANNED);
	while (!atomic_load(&liar->refusals))
		cluster_rig_sleep(1);
	ck_assert_uint_eq(atomic_load(&liar->why), CW_BANNED);
	unsigned got = atomic_load(&liar->tasks_got);
	driver_run(&d, 20, 0); /* by the other one */
	ck_assert_uint_eq(atomic_load(&liar->tasks_got), got);
	ck_assert_uint_eq(wrong_results, 0);
	ck_assert_uint_gt(d.solved, 10);
	/* All that was delivered had been searched again. */
	ck_assert_uint_eq(atomic_load(&rig.lied), 0);
	struct sv_cluster_view view = cluster_rig_view(&rig);
	ck_assert_uint_ge(view.refuted, 1);
	ck_assert_uint_eq(view.banned, 1);
	ck_assert_uint_gt(view.verified, 10);
	close_desk(desk);
}
END_TEST

/* A winner's move that is any legal one. */
static bool name_any_move(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	struct walk_state state;
	game_move moves[GAME_MOVES_MAX];
	if (!r->solved || game->rules->unkey(game, task->key, task->key_size, &state) ||
	    game->rules->first_to_move(game, &state) != r->proved)
		return false;
	unsigned count = game->rules->moves(game, &state, moves);
	r->move = game_canon(game, &state, moves[walk_below(&w->is.seed, count)], false);
	return true;
}

/* A move that is named leads to what the leaf is worth. */
static void compare_move(struct driver *d, const struct pn_leaf_task *leaf, const struct pn_leaf_result *r)
{
	struct pn_leaf_task after = *leaf;
	struct walk_state state;
	game_move move;
	int value;
	compare_with_truth(d, leaf, r);
	if (!r->solved || r->move == PD_NO_MOVE)
		return;
	ck_assert_int_eq(game->rules->unkey(game, leaf->key, leaf->key_size, &state), 0);
	ck_assert(game_legal_from_key(game, &state, r->move, &move));
	game->rules->play(game, &state, move);
	after.key_size = (uint16_t)game->rules->key(game, &state, after.key);
	bool over = game->rules->terminal(game, &state, &value);
	wrong_results += r->proved != (over ? value >= leaf->threshold : truth(&after));
}

START_TEST(a_move_that_does_not_win_is_a_lie)
{
	struct driver d;
	struct sv_desk *desk = open_desk(&d, &all, 8);
	add_worker((struct worker_double_setup){.spoil = name_any_move});
	add_worker((struct worker_double_setup){.threads = 1});
	d.result = compare_move;
	for (unsigned i = 0; i < 100 && !cluster_rig_view(&rig).banned; i++)
		driver_run(&d, 20, 0);
	cluster_rig_await(&rig, 0, SV_WORKER_BANNED);
	driver_run(&d, 50, 0); /* by the other one, whose moves win */
	ck_assert_uint_gt(d.solved, 10);
	ck_assert_uint_eq(wrong_results, 0);
	ck_assert_uint_eq(cluster_rig_view(&rig).banned, 1);
	ck_assert_uint_eq(atomic_load(&rig.lied), 0);
	close_desk(desk);
}
END_TEST

START_TEST(who_lied_before_may_not_join)
{
	struct worker_double liar;
	struct driver d;
	struct sv_desk *desk = open_desk(&d, &all, 4);
	atomic_store(&rig.banned, pd_giver_of(77));
	worker_double_start(&liar, &(struct worker_double_setup){.net = &rig.net, .number = 77});
	while (!atomic_load(&liar.refusals))
		cluster_rig_sleep(1);
	ck_assert_uint_eq(atomic_load(&liar.why), CW_BANNED);
	add_worker((struct worker_double_setup){.threads = 1});
	driver_run(&d, 20, 0);
	ck_assert_uint_eq(atomic_load(&liar.tasks_got), 0);
	struct sv_cluster_view view = cluster_rig_view(&rig);
	ck_assert_uint_eq(view.banned, 1);
	ck_assert_uint_eq(view.workers, 1);
	ck_assert_uint_eq(atomic_load(&rig.lied), 0);
	worker_double_stop(&liar, true);
	close_desk(desk);
}
END_TEST

START_TEST(a_name_cannot_speak_to_a_terminal)
{
	struct driver d;
	struct sv_desk *desk = open_desk(&d, &all, 4);
	add_worker((struct worker_double_setup){.name = "a\033[2Jb\n\303"});
	ck_assert_str_eq(cluster_rig_seen(&rig, 0).name, "a?[2Jb??");
	close_desk(desk);
}
END_TEST

START_TEST(a_first_lie_has_nothing_to_take_back)
{
	struct driver d;
	struct sv_desk *desk = open_desk(&d, &all, 4);
	add_worker((struct worker_double_setup){.lie = 1});
	for (unsigned i = 0; i < 4; i++)
		driver_post(&d, i);
	sv_desk_flush(desk);
	while (!cluster_rig_view(&rig).banned) {
		for (unsigned i = 0; i < 4; i++)
			if (!d.out[i].serial)
				driver_post(&d, i);
		sv_desk_flush(desk);
		driver_take(&d, 20);
	}
	ck_assert_uint_eq(atomic_load(&rig.lied), 0);
	ck_assert_uint_eq(wrong_results, 0);
	cluster_rig_wants(desk, 0);
	close_desk(desk);
}
END_TEST

/* After the ban was told, nothing of that giver is delivered any more. */
static void no_more_of_it(struct driver *d, const struct pn_leaf_task *leaf, const struct pn_leaf_result *r)
{
	compare_with_truth(d, leaf, r);
	ck_assert(!d->cancelled || r->giver != pd_giver_of(1000));
}

START_TEST(a_share_finds_a_liar_soon)
{
	struct driver d;
	struct sv_cluster_config tenth = {.verify_sealed = 0, .verify_others = 10};
	struct sv_desk *desk = open_desk(&d, &tenth, 8);
	d.result = no_more_of_it;
	add_worker((struct worker_double_setup){.lie = 10, .honest = 24});
	struct worker_double *sound = add_worker((struct worker_double_setup){.threads = 1});
	while (!atomic_load(&rig.lied)) {
		driver_run(&d, 10, 0);
		ck_assert_uint_lt(d.solved, 3000); /* by chance in one of 10^13 */
	}
	d.cancelled = 1;
	driver_run(&d, 50, 0);
	ck_assert_uint_gt(atomic_load(&sound->tasks_got), 0);
	ck_assert_uint_eq(atomic_load(&rig.lied), 1);
	ck_assert_uint_eq(atomic_load(&rig.giver), pd_giver_of(1000));
	cluster_rig_await(&rig, 0, SV_WORKER_BANNED);
	ck_assert_int_eq(cluster_rig_seen(&rig, 1).state, SV_WORKER_THERE);
	close_desk(desk);
}
END_TEST

/* What still lay at the desk when the liar was found was given to no job. */
START_TEST(what_is_taken_back_in_time_was_not_given)
{
	struct driver d;
	struct sv_cluster_config half = {.verify_sealed = 0, .verify_others = 50};
	struct sv_desk *desk = open_desk(&d, &half, 32);
	add_worker((struct worker_double_setup){.lie = 1});
	for (unsigned i = 0; i < 32; i++)
		driver_post(&d, i);
	sv_desk_flush(desk);
	cluster_rig_await(&rig, 0, SV_WORKER_BANNED);
	ck_assert_uint_gt(cluster_rig_view(&rig).results, 0);
	ck_assert_uint_eq(atomic_load(&rig.lied), 0);
	close_desk(desk);
}
END_TEST

/* A coordinator that was started again does not know what a worker gave before, so all of it may be false. */
START_TEST(what_was_given_to_an_earlier_life_is_retracted)
{
	struct driver d;
	cluster_rig_open(&rig, &all, 5);
	struct worker_double *liar = add_worker((struct worker_double_setup){.lie = 1});
	cluster_rig_again(&rig, &all);
	cluster_rig_await(&rig, 0, SV_WORKER_THERE);
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 8, 0);
	driver_init(&d, desk, game, 8, walk_seed("trust", 3));
	d.plies = 12;
	d.budget = 20000;
	for (unsigned i = 0; i < 8; i++)
		driver_post(&d, i);
	sv_desk_flush(desk);
	cluster_rig_await(&rig, 0, SV_WORKER_BANNED);
	while (!atomic_load(&rig.lied))
		cluster_rig_sleep(5);
	ck_assert_uint_eq(atomic_load(&rig.giver), pd_giver_of(liar->is.number));
	close_desk(desk);
}
END_TEST

/* A liar that comes again and again under other numbers costs one retraction, not one each time. */
START_TEST(a_liar_under_another_number_is_given_no_credit)
{
	struct driver d;
	struct sv_cluster_past past = {0};
	struct sv_cluster_config tenth = {.verify_sealed = 0, .verify_others = 10, .past = &past};
	struct sv_desk *desk = open_desk(&d, &tenth, 8);
	/* It begins to lie when the job has leaves of it that were not checked: all but surely, as at least 16 of the
	 * 24 were taken. */
	add_worker((struct worker_double_setup){.lie = 3, .honest = 24});
	while (!atomic_load(&rig.lied)) {
		ck_assert_uint_lt(d.solved, 3000); /* a tenth of a third is found out: by chance in one of 10^43 */
		for (unsigned slot = 0; slot < 8; slot++)
			if (!d.out[slot].serial)
				driver_post(&d, slot);
		sv_desk_flush(desk);
		driver_take(&d, 20);
	}
	ck_assert_uint_eq(atomic_load(&rig.lied), 1);
	ck_assert_uint_eq(past.retractions, 1);
	sv_desk_close(desk);
	cluster_rig_again(&rig, &tenth); /* as the core does to retract */
	desk = cluster_rig_desk(&rig, game, 8, 0);
	driver_init(&d, desk, game, 8, walk_seed("trust", 4));
	d.plies = 12;
	d.budget = 20000;
	d.result = compare_with_truth;
	wrong_results = 0;
	add_worker((struct worker_double_setup){.threads = 1});
	for (unsigned i = 0; i < 4; i++) {
		uint64_t banned = cluster_rig_view(&rig).banned;
		add_worker((struct worker_double_setup){.lie = 3});
		while (cluster_rig_view(&rig).banned == banned)
			driver_run(&d, 10, 0);
	}
	ck_assert_uint_eq(wrong_results, 0);
	ck_assert_uint_le(atomic_load(&rig.lied),
			  2); /* the first one came again, too, and says that it was there before */
	close_desk(desk);
}
END_TEST

/* The rule itself: who is searched again after a ban, and for how long. */
START_TEST(more_is_verified_after_a_ban)
{
	const uint64_t second = 1000000000, hour = 3600 * second;
	struct sv_cluster_past past = {0};
	struct sv_cluster_config config = {.verify_sealed = 0, .verify_others = 10, .past = &past};
	struct sc_worker old = {.credit.came_ns = second}, fresh = {.credit.came_ns = 20 * second}, sealed = fresh;
	sealed.view.sealed = true;
	ck_assert_uint_eq(sc_trust_share(&config, &fresh, 21 * second), 10);
	sc_trust_ban(&config, false, true, false, 10 * second);
	ck_assert_uint_eq(sc_trust_share(&config, &old, 21 * second), 10);
	ck_assert_uint_eq(sc_trust_share(&config, &fresh, 21 * second), 100);
	ck_assert_uint_eq(sc_trust_share(&config, &sealed, 21 * second), 0);
	ck_assert_uint_eq(sc_trust_share(&config, &fresh, 11 * second + hour), 10);
	fresh.credit.confirmed = SC_CONFIRMED_MIN;
	ck_assert_uint_eq(sc_trust_share(&config, &fresh, 21 * second), 10);
	fresh.credit.confirmed = 0;
	sc_trust_ban(&config, true, false, false, 30 * second); /* one with the key */
	ck_assert_uint_eq(sc_trust_share(&config, &sealed, 31 * second), 100);
	const struct cw_envelope elder = {.epoch = 5, .number = 2}, called = {.epoch = 5, .number = 1},
				 stranger = {.number = 2};
	ck_assert(sc_trust_elder(&config, &elder));
	ck_assert(!sc_trust_elder(&config, &called) && !sc_trust_elder(&config, &stranger));
	for (unsigned i = 1; i < SC_RETRACTIONS_MAX; i++)
		sv_cluster_note_lie(&config, 40 * second);                  /* a contradiction counts as well */
	ck_assert_uint_eq(sc_trust_share(&config, &old, 41 * second), 100); /* so no further retraction can follow */
	ck_assert(!sc_trust_elder(&config, &elder));
	sc_trust_ban(&config, false, true, false, 50 * second + hour);
	ck_assert_uint_eq(past.retractions, 1);
	ck_assert(!past.sealed);
}
END_TEST

START_TEST(impossible_results_ban_after_three)
{
	struct driver d;
	struct sv_cluster_config none = {.verify_sealed = 0, .verify_others = 0};
	struct sv_desk *desk = open_desk(&d, &none, 4);
	add_worker((struct worker_double_setup){.nonsense = 5});
	add_worker((struct worker_double_setup){.threads = 1, .slow_ms = 1});
	for (unsigned i = 0; i < 100 && !cluster_rig_view(&rig).banned; i++)
		driver_run(&d, 10, 0);
	cluster_rig_await(&rig, 0, SV_WORKER_BANNED);
	ck_assert_uint_eq(cluster_rig_seen(&rig, 0).refused, 3);
	ck_assert_ptr_nonnull(strstr(cluster_rig_seen(&rig, 0).why, "rank"));
	ck_assert_uint_eq(wrong_results, 0);
	close_desk(desk);
}
END_TEST

/* With --verify certificates no lie is delivered, however rare, and nothing has to be retracted. */
START_TEST(a_leaf_is_believed_with_its_proof_only)
{
	struct driver d;
	struct sv_desk *desk = open_desk(&d, &certificates, 8);
	struct worker_double *liar = add_worker((struct worker_double_setup){.lie = 5});
	add_worker((struct worker_double_setup){.threads = 1});
	for (unsigned i = 0; i < 100 && !cluster_rig_view(&rig).banned; i++)
		driver_run(&d, 20, 0);
	cluster_rig_await(&rig, 0, SV_WORKER_BANNED);
	ck_assert_uint_ge(atomic_load(&liar->lies), SC_WRONG_MAX);
	ck_assert_uint_eq(wrong_results, 0);
	ck_assert_uint_eq(atomic_load(&rig.lied), 0);
	struct sv_cluster_view view = cluster_rig_view(&rig);
	ck_assert_uint_gt(view.judged.proofs, 10);
	ck_assert_uint_ge(view.judged.proof_bytes, view.judged.proofs);
	ck_assert_uint_gt(view.judged.check_ns, 0);
	close_desk(desk);
}
END_TEST

static bool drop_proof(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	r->proof = NULL;
	r->proof_size = 0;
	return false;
}

/* As from a worker of version 1.0. */
START_TEST(few_leaves_without_a_proof_are_searched_again)
{
	struct driver d;
	struct sv_desk *desk = open_desk(&d, &certificates, 8);
	add_worker((struct worker_double_setup){.spoil = drop_proof, .lie = 5});
	add_worker((struct worker_double_setup){.spoil = drop_proof});
	driver_run(&d, 200, 0);
	ck_assert_uint_eq(wrong_results, 0);
	ck_assert_uint_eq(atomic_load(&rig.lied), 0);
	/* Figures are published a little later. */
	while (!cluster_rig_view(&rig).verified || !cluster_rig_view(&rig).undecided)
		cluster_rig_sleep(5);
	ck_assert_uint_eq(cluster_rig_view(&rig).judged.proofs, 0);
	close_desk(desk);
}
END_TEST

/* The rule itself: who shares, and that nobody does after a lie that may have spread. */
START_TEST(who_is_believed_shares)
{
	struct sv_cluster_past past = {0};
	struct cw_seal seal;
	struct sv_cluster_config config = {
		.verify_sealed = 0, .verify_others = SV_VERIFY_PROOFS, .past = &past, .share = 1000, .seal = &seal};
	struct sc_worker other = {0}, sealed = {.view.sealed = true};
	ck_assert(sc_trust_shares(&config, &sealed, 1) && !sc_trust_shares(&config, &other, 1));
	ck_assert(sv_cluster_shares(&config));
	config.seal = NULL;
	ck_assert(!sv_cluster_shares(&config));
	config.verify_others = 0;
	ck_assert(sc_trust_shares(&config, &other, 1) && sv_cluster_shares(&config));
	config.verify_others = config.verify_sealed = 1;
	ck_assert(!sc_trust_shares(&config, &sealed, 1) && !sc_trust_shares(&config, &other, 1));
	config.verify_others = 0;
	config.share = 0;
	ck_assert(!sc_trust_shares(&config, &other, 1) && !sv_cluster_shares(&config));
	past.shared = true; /* an elder may have shared then */
	ck_assert(!sc_trust_shares(&config, &other, 1) && sv_cluster_shares(&config));
	sc_trust_ban(&config, false, true, false, 2);
	ck_assert(past.shared);
	config.share = 1;
	ck_assert(sv_cluster_shares(&config));
	sv_cluster_note_lie(&config, 3);
	ck_assert(!sv_cluster_shares(&config));
	sc_trust_ban(&config, false, true, false, 3 + 2 * (uint64_t)SC_WARY_S * 1000000000); /* another series */
	ck_assert(!sc_trust_shares(&config, &other, 4) && !sv_cluster_shares(&config));
}
END_TEST

/* Two workers with the key, and one without it, which shares lies; `share` as in the configuration. */
static void share_positions(uint64_t bytes, bool expected)
{
	struct driver d;
	struct cw_seal seal;
	ck_assert(cw_seal_of("sixteen bytes at least", 22, &seal));
	struct sv_cluster_config config = {.seal = &seal, .verify_sealed = 0, .verify_others = 100, .share = bytes};
	struct sv_desk *desk = open_desk(&d, &config, 8);
	struct worker_double *a = add_worker((struct worker_double_setup){.seal = &seal, .threads = 2});
	struct worker_double *b = add_worker((struct worker_double_setup){.seal = &seal, .threads = 2});
	struct worker_double *other = add_worker((struct worker_double_setup){.threads = 2, .lie_shared = 1});
	while (expected != (atomic_load(&a->known) && atomic_load(&b->known)) || atomic_load(&other->results_sent) < 10)
		driver_run(&d, 20, 0);
	ck_assert(!atomic_load(&other->shares));
	ck_assert(atomic_load(&a->shares) == expected && atomic_load(&b->shares) == expected);
	ck_assert_uint_eq(wrong_results, 0);
	cluster_rig_sleep(300); /* until it is written down */
	ck_assert_uint_eq(cluster_rig_view(&rig).banned, 0);
	ck_assert(cluster_rig_seen(&rig, 0).sealed && cluster_rig_seen(&rig, 1).sealed);
	ck_assert(!cluster_rig_seen(&rig, 2).sealed);
	ck_assert_uint_eq(cluster_rig_seen(&rig, 0).verified, 0);
	ck_assert_uint_gt(cluster_rig_seen(&rig, 2).verified, 0);
	close_desk(desk);
}

START_TEST(solved_positions_go_from_and_to_believed_workers_only)
{
	share_positions(1 << 20, true);
	share_positions(0, false);
}
END_TEST

static bool keep_to_itself(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	w->sharing.count = 0;
	return false;
}

/* Nonsense as soon as the other worker, which shares nothing, has positions: this worker's. */
static bool spoil_when_known(struct worker_double *w, const struct cw_task *task, struct cw_result *r)
{
	struct worker_double *other = w->is.runner_ctx;
	if (!atomic_load(&other->known))
		return false;
	r->solved = true;
	r->rank = 0xfffe;
	return true;
}

/* A believed worker whose results are nonsense is banned after others got its positions: what all gave goes. */
START_TEST(the_ban_of_one_that_shared_is_told)
{
	struct driver d;
	struct sv_cluster_past past = {0};
	struct sv_cluster_config config = {.verify_others = 0, .share = 1 << 20, .past = &past};
	struct sv_desk *desk = open_desk(&d, &config, 8);
	struct worker_double *a = add_worker((struct worker_double_setup){.threads = 2, .spoil = keep_to_itself});
	add_worker((struct worker_double_setup){.threads = 2, .spoil = spoil_when_known, .runner_ctx = a});
	while (!cluster_rig_view(&rig).banned)
		driver_run(&d, 20, 0);
	ck_assert(atomic_load(&a->known));
	ck_assert_uint_eq(atomic_load(&rig.lied), 1);
	ck_assert(atomic_load(&rig.spread) && past.apart);
	driver_run(&d, 20, 0);
	while (atomic_load(&a->shares)) /* and nothing is shared any more */
		cluster_rig_sleep(5);
	ck_assert_uint_eq(wrong_results, 0);
	close_desk(desk);
}
END_TEST

static void deaf(void *ctx, const uint8_t *data, size_t size)
{
}

static void unmoved(void *ctx, bool connected, const char *what)
{
}

/* The end of a port without a worker behind it. */
static struct cp_port *open_bare_port(void)
{
	struct cp_opener opener = port_double_opener(&rig.net);
	struct cp_events events = {NULL, deaf, unmoved};
	struct cp_port *port;
	struct pd_fail fail;
	ck_assert_int_eq(opener.open(opener.ctx, 77, &events, &port, &fail), 0);
	return port;
}

static void send_bytes(struct cp_port *port, const uint8_t *data, size_t size)
{
	struct pd_fail fail;
	(void)port->type->send(port, CP_COORDINATOR, data, size, &fail);
}

START_TEST(who_has_no_key_does_not_speak_for_one_who_has)
{
	struct driver d;
	struct cw_seal seal;
	struct pd_buf out;
	ck_assert(cw_seal_of("sixteen bytes at least", 22, &seal));
	struct sv_cluster_config config = {.seal = &seal, .verify_sealed = 0, .verify_others = 100};
	struct sv_desk *desk = open_desk(&d, &config, 8);
	add_worker((struct worker_double_setup){.seal = &seal});
	struct cp_port *port = open_bare_port();
	pd_buf_init(&out, CW_MESSAGE_MAX);
	struct cw_envelope e = {.kind = CW_BYE, .worker = 1000, .number = 1000000};
	cw_begin(&out, &e);
	ck_assert(cw_end(&out, NULL));
	uint64_t refused = cluster_rig_view(&rig).refused;
	send_bytes(port, (const uint8_t *)out.data, out.size);
	while (cluster_rig_view(&rig).refused == refused)
		cluster_rig_sleep(2);
	ck_assert_int_eq(cluster_rig_seen(&rig, 0).state, SV_WORKER_THERE);
	driver_run(&d, 20, 0);
	ck_assert(cluster_rig_seen(&rig, 0).sealed);
	pd_buf_fini(&out);
	port->type->close(port);
	close_desk(desk);
}
END_TEST

/* Messages of all kinds with some bytes changed, and some of no kind. */
START_TEST(any_bytes_are_survived)
{
	struct driver d;
	struct pd_buf out;
	uint64_t seed = walk_seed("bytes", 11);
	struct cw_hello hello = {
		.name = {"x", 1}, .version = {"1", 1}, .threads = 2, .game_count = 1, .games = {{{"mnk", 3}, 0}}};
	static struct cw_heartbeat beat;
	static struct cw_result result;
	struct cw_refuse refuse = {.id = 1, .why = CW_BAD_TASK};
	struct sv_desk *desk = open_desk(&d, &all, 8);
	add_worker((struct worker_double_setup){.threads = 1});
	struct cp_port *port = open_bare_port();
	pd_buf_init(&out, CW_MESSAGE_MAX);
	beat.in_hand_count = 3;
	result.num[0] = result.num[1] = 1;
	for (unsigned i = 0, rounds = effort_of(3000, 300); i < rounds; i++) {
		struct cw_envelope e = {
			.kind = (uint8_t)walk_below(&seed, 12), .worker = 77, .number = i + 1, .epoch = i % 2};
		cw_begin(&out, &e);
		if (e.kind == CW_HELLO)
			cw_put_hello(&out, &hello);
		if (e.kind == CW_HEARTBEAT)
			cw_put_heartbeat(&out, &beat);
		result.id = beat.in_hand[0] = walk_below(&seed, 300) + 1;
		if (e.kind == CW_RESULTS)
			cw_put_result(&out, &result);
		if (e.kind == CW_REFUSE)
			cw_put_refuse(&out, &refuse);
		ck_assert(cw_end(&out, NULL));
		for (unsigned n = walk_below(&seed, 4); n > 0; n--)
			out.data[walk_below(&seed, (unsigned)out.size)] = (char)walk_random(&seed);
		send_bytes(port, (const uint8_t *)out.data, walk_below(&seed, 8) ? out.size : out.size / 2);
		if (i % 100 == 0)
			driver_run(&d, 1, 0);
	}
	/* Some of its results may have been taken for results of its tasks, but no wrong one was delivered. */
	driver_run(&d, 20, 0);
	ck_assert_uint_eq(wrong_results, 0);
	pd_buf_fini(&out);
	port->type->close(port);
	close_desk(desk);
}
END_TEST

SUITE(trust)
{
	tcase_set_timeout(c, 300);
	tcase_add_checked_fixture(c, open_game, close_game);
	tcase_add_test(c, a_lie_never_comes_through_when_all_is_verified);
	tcase_add_test(c, a_move_that_does_not_win_is_a_lie);
	tcase_add_test(c, who_lied_before_may_not_join);
	tcase_add_test(c, a_name_cannot_speak_to_a_terminal);
	tcase_add_test(c, a_first_lie_has_nothing_to_take_back);
	tcase_add_test(c, a_share_finds_a_liar_soon);
	tcase_add_test(c, what_is_taken_back_in_time_was_not_given);
	tcase_add_test(c, what_was_given_to_an_earlier_life_is_retracted);
	tcase_add_test(c, a_liar_under_another_number_is_given_no_credit);
	tcase_add_test(c, more_is_verified_after_a_ban);
	tcase_add_test(c, impossible_results_ban_after_three);
	tcase_add_test(c, a_leaf_is_believed_with_its_proof_only);
	tcase_add_test(c, few_leaves_without_a_proof_are_searched_again);
	tcase_add_test(c, who_is_believed_shares);
	tcase_add_test(c, solved_positions_go_from_and_to_believed_workers_only);
	tcase_add_test(c, the_ban_of_one_that_shared_is_told);
	tcase_add_test(c, who_has_no_key_does_not_speak_for_one_who_has);
	tcase_add_test(c, any_bytes_are_survived);
}
