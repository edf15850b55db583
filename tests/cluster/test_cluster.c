/* Cluster: whatever the port and the workers do, each leaf is answered exactly once, and by its own result. */
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "tests/support/cluster_rig.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct cluster_rig rig;
static struct game *game;
static const struct sv_cluster_config trusting = {.verify_sealed = 0, .verify_others = 0};

static void open_game(void)
{
	struct pd_fail fail;
	ck_assert_int_eq(game_open("mnk:4,4,4", NULL, &game, &fail), 0);
}

static void close_game(void)
{
	game_close(game);
}

/* One life of a cluster whose port does what the seed says. */
static void one_life(uint64_t seed, bool cuts)
{
	struct driver d;
	cluster_rig_open(&rig, &trusting, seed);
	for (unsigned i = 0; i < 3; i++)
		cluster_rig_worker(&rig, &(struct worker_double_setup){
						 .threads = 2 + i, .twice = i == 1 ? 3 : 0, .backwards = i == 2});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 64, 0);
	pthread_mutex_lock(&rig.net.lock);
	rig.net.delay_ns = walk_random(&seed) % 4000000;
	rig.net.repeat = walk_below(&seed, 30);
	rig.net.drop = walk_below(&seed, 2);
	pthread_mutex_unlock(&rig.net.lock);
	driver_init(&d, desk, NULL, 64, seed);
	driver_run(&d, 200, walk_below(&seed, 5));
	if (cuts) {
		for (unsigned i = 0; i < 40; i++)
			driver_post(&d, i);
		sv_desk_flush(desk);
		port_double_cut(&rig.net, true);
		driver_take(&d, 100);
		port_double_cut(&rig.net, false);
		driver_run(&d, driver_out(&d) + 50, 0);
	}
	struct sv_cluster_view view = cluster_rig_view(&rig);
	ck_assert_uint_eq(view.banned, 0);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}

START_TEST(each_task_is_answered_exactly_once)
{
	uint64_t seed = walk_seed("cluster", 1);
	for (unsigned i = 0, rounds = effort_of(4, 1); i < rounds; i++)
		one_life(walk_random(&seed), i == 0);
}
END_TEST

START_TEST(bad_workers_stop_no_one)
{
	static const struct worker_double_setup faults[] = {{.die_after = 5}, {.hang_after = 5},   {.slow_ms = 30},
							    {.twice = 3},     {.backwards = true}, {.refuse = true}};
	for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct driver d;
		cluster_rig_open(&rig, &trusting, 5);
		cluster_rig_worker(&rig, &faults[i]);
		struct sv_desk *desk = cluster_rig_desk(&rig, game, 8, 0);
		if (!faults[i].refuse)
			cluster_rig_wants(desk, 1);
		cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 2});
		driver_init(&d, desk, NULL, 8, 3);
		driver_run(&d, 80, 0);
		ck_assert_uint_gt(cluster_rig_seen(&rig, 1).threads, 0);
		sv_desk_close(desk);
		cluster_rig_close(&rig);
	}
}
END_TEST

START_TEST(a_game_that_no_worker_has_is_left_to_the_job)
{
	struct driver d;
	cluster_rig_open(&rig, &trusting, 5);
	struct worker_double *refusing = cluster_rig_worker(&rig, &(struct worker_double_setup){.refuse = true});
	struct worker_double *other = cluster_rig_worker(&rig, &(struct worker_double_setup){.games = "hex"});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 8, 0);
	cluster_rig_wants(desk, 1);
	driver_init(&d, desk, NULL, 8, 3);
	driver_post(&d, 0);
	driver_post(&d, 1);
	sv_desk_flush(desk);
	cluster_rig_wants(desk, 0);
	while (cluster_rig_seen(&rig, 0).refused < 1)
		cluster_rig_sleep(2);
	ck_assert_uint_le(atomic_load(&refusing->tasks_got), 2);
	ck_assert_uint_eq(atomic_load(&other->tasks_got), 0);
	/* One that has it takes up what waits. */
	cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 4});
	cluster_rig_wants(desk, 5);
	driver_run(&d, 2, 0);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}
END_TEST

START_TEST(a_worker_without_room_is_asked_again)
{
	struct driver d;
	cluster_rig_open(&rig, &trusting, 5);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.full = 3, .threads = 2});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 8, 0);
	driver_init(&d, desk, NULL, 8, 3);
	driver_run(&d, 20, 0);
	ck_assert_uint_eq(sv_desk_wanted(desk), 2);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}
END_TEST

START_TEST(deadlines_follow_what_tasks_take)
{
	struct driver d;
	cluster_rig_open(&rig, &trusting, 5);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.slow_ms = 1100});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 1, 0);
	driver_init(&d, desk, NULL, 1, 3);
	driver_run(&d, 1, 0);   /* a second was too little */
	cluster_rig_sleep(300); /* until it is written down */
	uint64_t again = cluster_rig_seen(&rig, 0).sent_again;
	ck_assert_uint_ge(again, 1);
	driver_run(&d, 1, 0);
	cluster_rig_sleep(300);
	ck_assert_uint_eq(cluster_rig_seen(&rig, 0).sent_again, again);
	ck_assert_uint_eq(cluster_rig_seen(&rig, 0).tasks, 2);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}
END_TEST

/* Posts a leaf every 100 us; returns how many messages were sent for each, in both directions. */
static double messages_a_task(struct driver *d, unsigned tasks)
{
	uint64_t begin = pd_now_ns(), sent;
	pthread_mutex_lock(&rig.net.lock);
	sent = rig.net.sent;
	pthread_mutex_unlock(&rig.net.lock);
	for (unsigned i = 0; i < tasks; i++) {
		unsigned slot = 0;
		while (driver_out(d) == d->slots)
			driver_take(d, 1);
		while (d->out[slot].serial)
			slot++;
		driver_post(d, slot);
		sv_desk_flush(d->desk);
		while (pd_now_ns() < begin + i * UINT64_C(100000))
			driver_take(d, 0);
	}
	driver_run(d, driver_out(d), 0);
	pthread_mutex_lock(&rig.net.lock);
	sent = rig.net.sent - sent;
	pthread_mutex_unlock(&rig.net.lock);
	return (double)sent / tasks;
}

START_TEST(many_tasks_a_second_share_messages)
{
	struct driver d;
	cluster_rig_open(&rig, &trusting, 5);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 64});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, RIG_SLOTS_MAX, 0);
	driver_init(&d, desk, NULL, RIG_SLOTS_MAX, 3);
	cluster_rig_wants(desk, 80);
	messages_a_task(&d, 1000); /* until the cluster knows how many there are */
	double shared = messages_a_task(&d, 2000);
	ck_assert_msg(shared < 1.6, "%.2f messages a task", shared);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}
END_TEST

START_TEST(another_major_version_is_refused_with_words)
{
	cluster_rig_open(&rig, &trusting, 5);
	struct worker_double *w = cluster_rig_worker(&rig, &(struct worker_double_setup){.major = 9});
	struct sv_worker_view seen = cluster_rig_seen(&rig, 0);
	ck_assert_ptr_nonnull(strstr(seen.why, "9"));
	ck_assert_str_eq(sv_worker_state_text(seen.state), "refused");
	while (!atomic_load(&w->refusals))
		cluster_rig_sleep(2);
	ck_assert_uint_eq(atomic_load(&w->why), CW_OTHER_VERSION);
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 8, 0);
	cluster_rig_sleep(100);
	ck_assert_uint_eq(sv_desk_wanted(desk), 0);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}
END_TEST

START_TEST(desks_of_the_highest_priority_share)
{
	cluster_rig_open(&rig, &trusting, 5);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 16});
	struct sv_desk *a = cluster_rig_desk(&rig, game, 64, 0);
	cluster_rig_wants(a, 20);
	struct sv_desk *b = cluster_rig_desk(&rig, game, 64, 0);
	cluster_rig_wants(a, 10);
	cluster_rig_wants(b, 10);
	struct sv_desk *c = cluster_rig_desk(&rig, game, 4, 0); /* it takes no more, and the others share the rest */
	cluster_rig_wants(c, 4);
	cluster_rig_wants(a, 8);
	cluster_rig_wants(b, 8);
	sv_desk_priority(b, 1);
	cluster_rig_wants(b, 20);
	cluster_rig_wants(a, 0);
	cluster_rig_wants(c, 0);
	sv_desk_close(b);
	cluster_rig_wants(a, 16);
	/* What a desk of lower priority has out is served where there is room. */
	struct driver d;
	sv_desk_priority(c, 5);
	cluster_rig_wants(a, 0);
	driver_init(&d, a, NULL, 64, 3);
	driver_run(&d, 100, 0);
	ck_assert_uint_ge(sv_desk_grain(a), 10000);
	sv_desk_close(a);
	sv_desk_close(c);
	cluster_rig_close(&rig);
}
END_TEST

START_TEST(a_worker_that_stops_hands_its_tasks_back)
{
	struct driver d;
	char name[64];
	cluster_rig_open(&rig, &trusting, 5);
	struct worker_double *w = cluster_rig_worker(
		&rig, &(struct worker_double_setup){.name = "ant \"1\"\n", .threads = 8, .hang_after = 1});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 8, 0);
	driver_init(&d, desk, NULL, 8, 3);
	for (unsigned i = 0; i < 8; i++)
		driver_post(&d, i);
	sv_desk_flush(desk);
	while (driver_out(&d) == 8)
		driver_take(&d, 20);
	while (!atomic_load(&w->tasks_got))
		cluster_rig_sleep(1);
	sv_desk_worker(desk, d.out[0].serial ? 0 : 1, name);
	ck_assert_str_eq(name, "ant \"1\"?");
	worker_double_stop(&rig.worker[0], true);
	cluster_rig_await(&rig, 0, SV_WORKER_GONE);
	rig.workers = 0;
	rig.worker[0].is.number = 0;
	/* Another takes them at once: their deadlines are far. */
	rig.workers = 1;
	cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 8});
	driver_run(&d, driver_out(&d), 0);
	struct sv_cluster_view view = cluster_rig_view(&rig);
	ck_assert_uint_eq(view.workers, 1);
	sv_desk_close(desk);
	sv_cluster_close(rig.cluster);
	worker_double_stop(&rig.worker[1], false);
	port_double_stop(&rig.net);
}
END_TEST

START_TEST(a_cluster_is_closed_with_tasks_out)
{
	struct driver d;
	cluster_rig_open(&rig, &trusting, 5);
	struct worker_double *w =
		cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 8, .hang_after = 1});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 10, 0);
	driver_init(&d, desk, NULL, 10, 3);
	for (unsigned i = 0; i < 10; i++)
		driver_post(&d, i);
	sv_desk_flush(desk);
	while (atomic_load(&w->tasks_got) < 10)
		cluster_rig_sleep(1);
	driver_take(&d, 1);
	sv_desk_close(desk);
	cluster_rig_again(&rig, &trusting);
	/* The worker was told that its tasks are of no use, and is on the roster of the next life. */
	while (atomic_load(&w->cancels) < 9)
		cluster_rig_sleep(1);
	cluster_rig_await(&rig, 0, SV_WORKER_THERE);
	cluster_rig_close(&rig);
}
END_TEST

static uint64_t other_of(struct sv_cluster *cluster)
{
	struct sv_cluster_view view;
	sv_cluster_view(cluster, &view);
	return view.other;
}

/* Two with one prefix hear it from the workers, and again when one has gone. A restart is not taken for another one. */
START_TEST(two_coordinators_notice_each_other)
{
	cluster_rig_open(&rig, &trusting, 3);
	for (unsigned i = 0; i < 2; i++)
		cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 1});
	cluster_rig_again(&rig, &trusting);
	for (unsigned i = 0; i < 40; i++) {
		ck_assert_uint_eq(other_of(rig.cluster), 0);
		cluster_rig_sleep(100);
	}
	struct sv_cluster *another = cluster_rig_another(&rig, &trusting);
	struct sv_cluster_view mine = cluster_rig_view(&rig), its;
	sv_cluster_view(another, &its);
	ck_assert_uint_ne(mine.coordinator, its.coordinator);
	while (other_of(rig.cluster) != its.coordinator || other_of(another) != mine.coordinator)
		cluster_rig_sleep(20);
	sv_cluster_close(another);
	while (other_of(rig.cluster))
		cluster_rig_sleep(20);
	cluster_rig_await(&rig, 0, SV_WORKER_THERE);
	cluster_rig_close(&rig);
}
END_TEST

/* A worker with a key does not obey a coordinator without one: that its calls are in vain is noticed as well. */
START_TEST(a_coordinator_that_no_worker_obeys_notices_the_other)
{
	struct cw_seal seal;
	ck_assert(cw_seal_of("sixteen bytes at least", 22, &seal));
	const struct sv_cluster_config sealed = {.seal = &seal};
	cluster_rig_open(&rig, &sealed, 3);
	struct sv_cluster *another = cluster_rig_another(&rig, &trusting);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 1, .seal = &seal});
	while (other_of(another) != cluster_rig_view(&rig).coordinator)
		cluster_rig_sleep(20);
	ck_assert_uint_eq(other_of(rig.cluster), 0);
	sv_cluster_close(another);
	cluster_rig_close(&rig);
}
END_TEST

START_TEST(without_a_port_no_leaf_is_wanted)
{
	struct driver d;
	cluster_rig_open(&rig, &trusting, 5);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 4});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 8, 0);
	cluster_rig_wants(desk, 5);
	port_double_cut(&rig.net, true);
	cluster_rig_wants(desk, 0);
	ck_assert(!cluster_rig_view(&rig).connected);
	driver_init(&d, desk, NULL, 8, 3);
	driver_post(&d, 0);
	sv_desk_flush(desk);
	ck_assert_uint_eq(driver_take(&d, 50), 0);
	port_double_cut(&rig.net, false);
	cluster_rig_wants(desk, 5);
	driver_run(&d, 1, 0);
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}
END_TEST

START_TEST(a_prompt_desk_sends_its_leaves_itself)
{
	enum { LEAVES = 100 };
	struct driver d;
	cluster_rig_open(&rig, &trusting, 5);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.slow_ms = 2});
	struct sv_desk *desk = cluster_rig_desk(&rig, game, 1, 0);
	cluster_rig_wants(desk, 1);
	driver_init(&d, desk, NULL, 1, 3);
	for (unsigned i = 0; i < LEAVES; i++) {
		driver_post(&d, 0);
		sv_desk_flush(desk);
		while (!driver_take(&d, 100))
			;
	}
	ck_assert_uint_gt(port_double_sent, LEAVES / 2); /* not when the cluster thread was busy */
	sv_desk_close(desk);
	cluster_rig_close(&rig);
}
END_TEST

/* The list of workers is published less often than the figures, except when the state of a worker changes. */
START_TEST(the_list_has_the_workers_that_the_figures_count)
{
	cluster_rig_open(&rig, &trusting, 5);
	cluster_rig_worker(&rig, &(struct worker_double_setup){.threads = 1});
	for (unsigned i = rig.workers; i < RIG_WORKERS_MAX; i++) {
		const struct worker_double_setup setup = {.net = &rig.net, .number = 1000 + i, .threads = 1};
		worker_double_start(&rig.worker[rig.workers++], &setup);
		while (cluster_rig_view(&rig).workers != rig.workers)
			cluster_rig_sleep(1);
		ck_assert_int_eq(cluster_rig_seen(&rig, i).state, SV_WORKER_THERE);
	}
	cluster_rig_close(&rig);
}
END_TEST

SUITE(cluster)
{
	tcase_set_timeout(c, 300);
	tcase_add_checked_fixture(c, open_game, close_game);
	tcase_add_test(c, each_task_is_answered_exactly_once);
	tcase_add_test(c, bad_workers_stop_no_one);
	tcase_add_test(c, a_game_that_no_worker_has_is_left_to_the_job);
	tcase_add_test(c, a_worker_without_room_is_asked_again);
	tcase_add_test(c, deadlines_follow_what_tasks_take);
	tcase_add_test(c, many_tasks_a_second_share_messages);
	tcase_add_test(c, another_major_version_is_refused_with_words);
	tcase_add_test(c, desks_of_the_highest_priority_share);
	tcase_add_test(c, a_worker_that_stops_hands_its_tasks_back);
	tcase_add_test(c, a_cluster_is_closed_with_tasks_out);
	tcase_add_test(c, two_coordinators_notice_each_other);
	tcase_add_test(c, a_coordinator_that_no_worker_obeys_notices_the_other);
	tcase_add_test(c, without_a_port_no_leaf_is_wanted);
	tcase_add_test(c, a_prompt_desk_sends_its_leaves_itself);
	tcase_add_test(c, the_list_has_the_workers_that_the_figures_count);
}
