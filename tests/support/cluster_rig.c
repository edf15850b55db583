#include "tests/support/cluster_rig.h"

#include <check.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "tests/support/walk.h"

enum { WAIT_S = 120, FIRST_WORKER = 1000 };

void cluster_rig_sleep(unsigned ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
	nanosleep(&t, NULL);
}

/* --- the cluster ---------------------------------------------------------------------------------- */

static void on_lied(void *ctx, uint32_t giver, const char *name, bool spread)
{
	struct cluster_rig *rig = ctx;
	ck_assert_ptr_nonnull(name);
	atomic_store(&rig->giver, giver);
	atomic_store(&rig->spread, spread);
	atomic_fetch_add(&rig->lied, 1);
}

static bool is_banned(void *ctx, uint32_t giver)
{
	struct cluster_rig *rig = ctx;
	return atomic_load(&rig->banned) == giver;
}

static int get_game(void *ctx, const char *name, struct game **out, struct pd_fail *fail)
{
	struct cluster_rig *rig = ctx;
	int rc = rig->open_game ? PD_OK : game_open(name, NULL, out, fail);
	if (rig->open_game)
		*out = rig->open_game(name);
	atomic_fetch_add(&rig->open_games, !rc);
	return rc;
}

static void put_game(void *ctx, const struct game *game)
{
	struct cluster_rig *rig = ctx;
	atomic_fetch_sub(&rig->open_games, 1);
	game_close((struct game *)(uintptr_t)game);
}

struct sv_cluster *cluster_rig_another(struct cluster_rig *rig, const struct sv_cluster_config *from)
{
	struct sv_cluster *cluster = NULL;
	struct sv_cluster_config config = *from;
	struct sv_cluster_host host = {rig, on_lied, is_banned, get_game, put_game};
	struct pd_fail fail;
	config.port = port_double_opener(&rig->net);
	config.where = "double://here";
	config.seed = from->seed ? from->seed : 7;
	ck_assert_msg(!sv_cluster_open(&config, &host, &cluster, &fail), "%s", fail.text);
	return cluster;
}

void cluster_rig_open(struct cluster_rig *rig, const struct sv_cluster_config *config, uint64_t seed)
{
	memset(rig, 0, sizeof *rig);
	port_double_start(&rig->net, seed);
	rig->cluster = cluster_rig_another(rig, config);
}

void cluster_rig_again(struct cluster_rig *rig, const struct sv_cluster_config *config)
{
	sv_cluster_close(rig->cluster);
	ck_assert_int_eq(atomic_load(&rig->open_games), 0);
	rig->cluster = cluster_rig_another(rig, config);
}

void cluster_rig_close(struct cluster_rig *rig)
{
	sv_cluster_close(rig->cluster);
	for (unsigned i = 0; i < rig->workers; i++)
		worker_double_stop(&rig->worker[i], true);
	port_double_stop(&rig->net);
	ck_assert_int_eq(atomic_load(&rig->open_games), 0);
}

struct sv_worker_view cluster_rig_seen(struct cluster_rig *rig, unsigned index)
{
	struct sv_worker_view views[RIG_WORKERS_MAX];
	unsigned count = sv_cluster_workers(rig->cluster, views, RIG_WORKERS_MAX);
	ck_assert_uint_le(count, RIG_WORKERS_MAX);
	for (unsigned i = 0; i < count; i++)
		if (views[i].worker == FIRST_WORKER + index)
			return views[i];
	return (struct sv_worker_view){.state = (enum sv_worker_state) - 1};
}

void cluster_rig_await(struct cluster_rig *rig, unsigned index, enum sv_worker_state state)
{
	uint64_t end = pd_now_ns() + WAIT_S * UINT64_C(1000000000);
	while (cluster_rig_seen(rig, index).state != state) {
		ck_assert_msg(pd_now_ns() < end, "worker %u is %d, not %d", index,
			      (int)cluster_rig_seen(rig, index).state, (int)state);
		cluster_rig_sleep(5);
	}
}

void cluster_rig_wants(const struct sv_desk *desk, unsigned wanted)
{
	uint64_t end = pd_now_ns() + WAIT_S * UINT64_C(1000000000);
	while (sv_desk_wanted(desk) != wanted) {
		ck_assert_msg(pd_now_ns() < end, "it wants %u, not %u", sv_desk_wanted(desk), wanted);
		cluster_rig_sleep(2);
	}
}

struct worker_double *cluster_rig_worker(struct cluster_rig *rig, const struct worker_double_setup *setup)
{
	struct worker_double_setup is = *setup;
	unsigned index = rig->workers;
	ck_assert_uint_lt(index, RIG_WORKERS_MAX);
	is.net = &rig->net;
	is.number = FIRST_WORKER + index;
	worker_double_start(&rig->worker[rig->workers++], &is);
	cluster_rig_await(rig, index, is.major ? SV_WORKER_REFUSED : SV_WORKER_THERE);
	return &rig->worker[index];
}

struct sv_cluster_view cluster_rig_view(struct cluster_rig *rig)
{
	struct sv_cluster_view view;
	sv_cluster_view(rig->cluster, &view);
	return view;
}

struct sv_desk *cluster_rig_desk(struct cluster_rig *rig, const struct game *game, unsigned slots, int priority)
{
	static unsigned opened;
	struct sv_desk_setup setup = {.priority = priority,
				      .game = game,
				      .rules = game_version(game),
				      .mobility = true,
				      .heuristics = true,
				      .knowledge = true,
				      .slots_max = slots,
				      .prompt = ++opened % 2};
	struct sv_desk *desk;
	struct pd_fail fail;
	ck_assert_msg(!sv_desk_open(rig->cluster, &setup, &desk, &fail), "%s", fail.text);
	return desk;
}

/* --- the driver ----------------------------------------------------------------------------------- */

void driver_init(struct driver *d, struct sv_desk *desk, const struct game *game, unsigned slots, uint64_t seed)
{
	*d = (struct driver){.desk = desk, .game = game, .slots = slots, .seed = seed, .budget = 1000, .plies = 8};
	ck_assert_uint_le(slots, RIG_SLOTS_MAX);
}

void driver_post(struct driver *d, unsigned slot)
{
	struct pn_leaf_task *leaf = &d->out[slot];
	struct walk_state state;
	int value;
	memset(leaf, 0, sizeof *leaf);
	leaf->serial = ++d->serial;
	leaf->budget = d->budget;
	if (d->game) {
		do
			walk_from_start(d->game, &state, d->plies, &d->seed);
		while (d->game->rules->terminal(d->game, &state, &value));
		leaf->key_size = (uint16_t)d->game->rules->key(d->game, &state, leaf->key);
		leaf->threshold = (int16_t)(d->game->value_min + d->game->value_step);
		if (leaf->threshold + d->game->value_step <= d->game->value_max && walk_below(&d->seed, 2))
			leaf->threshold = (int16_t)(leaf->threshold + d->game->value_step);
	} else {
		uint64_t random = walk_random(&d->seed);
		leaf->key_size = sizeof random;
		memcpy(leaf->key, &random, sizeof random);
		leaf->threshold = 1;
	}
	sv_desk_post(d->desk, slot, leaf);
}

unsigned driver_take(struct driver *d, unsigned ms)
{
	struct sv_desk_result r;
	unsigned taken = 0;
	sv_desk_wait(d->desk, ms * UINT64_C(1000000));
	while (sv_desk_take(d->desk, &r)) {
		ck_assert_uint_lt(r.slot, d->slots);
		struct pn_leaf_task *leaf = &d->out[r.slot];
		uint32_t num[2];
		ck_assert_uint_ne(leaf->serial, 0); /* once only */
		ck_assert_uint_eq(r.leaf.serial, leaf->serial);
		ck_assert_uint_ge(r.leaf.giver, PD_GIVER_BIT);
		worker_double_numbers(leaf->key, leaf->key_size, leaf->budget, num);
		if (!d->game)
			ck_assert(!r.leaf.solved && r.leaf.num[0] == num[0] && r.leaf.num[1] == num[1]);
		if (d->result)
			d->result(d, leaf, &r.leaf);
		leaf->serial = 0;
		d->answered++;
		d->solved += r.leaf.solved;
		taken++;
	}
	return taken;
}

unsigned driver_out(const struct driver *d)
{
	unsigned out = 0;
	for (unsigned i = 0; i < d->slots; i++)
		out += d->out[i].serial != 0;
	return out;
}

void driver_run(struct driver *d, unsigned tasks, unsigned cancel)
{
	uint64_t end = pd_now_ns() + WAIT_S * UINT64_C(1000000000);
	unsigned until = d->answered + tasks;
	for (;;) {
		unsigned out = driver_out(d);
		for (unsigned i = 0; i < d->slots && d->answered + out < until; i++) {
			if (d->out[i].serial)
				continue;
			driver_post(d, i);
			out++;
		}
		for (unsigned i = 0; i < d->slots && cancel; i++) {
			if (!d->out[i].serial || walk_below(&d->seed, 100) >= cancel)
				continue;
			sv_desk_cancel(d->desk, i);
			d->out[i].serial = 0;
			d->cancelled++;
		}
		sv_desk_flush(d->desk);
		if (d->answered >= until && !driver_out(d))
			return;
		driver_take(d, 20);
		ck_assert_msg(pd_now_ns() < end, "%u of %u answered, %u out", d->answered, until, driver_out(d));
	}
}
