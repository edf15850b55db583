/* Locks are taken in the order of proto/base/lock_order.h: this suite has a mutex.c of its own that asserts it, as
 * debug and sanitizer builds have. */
#ifndef PD_DEBUG
#define PD_DEBUG 1
#endif

#include <signal.h>

#include "proto/base/mutex.c" /* NOLINT */
#include "tests/support/suite.h"

static struct pd_mutex outer, inner, beside;

static void init_locks(void)
{
	pd_mutex_init(&outer, PD_LOCK_CORE);
	pd_mutex_init(&inner, PD_LOCK_STORE);
	pd_mutex_init(&beside, PD_LOCK_STORE);
}

static void fini_locks(void)
{
	pd_mutex_fini(&outer);
	pd_mutex_fini(&inner);
	pd_mutex_fini(&beside);
}

START_TEST(locks_may_be_taken_in_order_and_released_in_any)
{
	for (unsigned i = 0; i < 3; i++) {
		pd_mutex_lock(&outer);
		pd_mutex_lock(&inner);
		pd_lock_taken(PD_LOCK_SHARD);
		pd_mutex_unlock(&outer);
		pd_mutex_unlock(&inner);
		pd_lock_released(PD_LOCK_SHARD);
		pd_mutex_lock(&beside);
		pd_mutex_unlock(&beside);
	}
	fini_locks();
}
END_TEST

START_TEST(an_outer_lock_is_not_taken_under_an_inner_one)
{
	pd_mutex_lock(&inner);
	pd_mutex_lock(&outer);
}
END_TEST

START_TEST(two_locks_of_a_row_are_not_held_together)
{
	pd_mutex_lock(&inner);
	pd_mutex_lock(&beside);
}
END_TEST

START_TEST(a_lock_of_another_kind_has_a_place_too)
{
	pd_lock_taken(PD_LOCK_SHARD);
	pd_mutex_lock(&inner);
}
END_TEST

START_TEST(a_wait_does_not_take_its_lock_under_an_inner_one)
{
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	pd_mutex_lock(&outer);
	pd_mutex_lock(&inner);
	pd_mutex_wait_until(&outer, &never, 0);
}
END_TEST

START_TEST(an_attempt_may_be_out_of_order)
{
	pd_mutex_lock(&inner);
	ck_assert(pd_mutex_try(&outer));
	pd_mutex_unlock(&inner);
	pd_mutex_unlock(&outer);
	fini_locks();
}
END_TEST

SUITE(lock_order)
{
	tcase_add_checked_fixture(c, init_locks, NULL);
	tcase_add_test(c, locks_may_be_taken_in_order_and_released_in_any);
	tcase_add_test_raise_signal(c, an_outer_lock_is_not_taken_under_an_inner_one, SIGABRT);
	tcase_add_test_raise_signal(c, two_locks_of_a_row_are_not_held_together, SIGABRT);
	tcase_add_test_raise_signal(c, a_lock_of_another_kind_has_a_place_too, SIGABRT);
	tcase_add_test_raise_signal(c, a_wait_does_not_take_its_lock_under_an_inner_one, SIGABRT);
	tcase_add_test(c, an_attempt_may_be_out_of_order);
}
