/* Task book: numbers, deadlines and lists, held against a plain model in random sequences of calls. */
#include <string.h>

#include "server/cluster/task_book.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { TASKS = 200 };

/* What the book should say of one task. */
struct model {
	uint64_t id, due_ns; /* id 0: idle */
};

static struct sc_book book;
static struct sc_task task[TASKS];
static struct model model[TASKS];
static struct sc_tasks lists[3];
static uint64_t seed, now;

static void fresh(void)
{
	memset(task, 0, sizeof task);
	memset(model, 0, sizeof model);
	for (unsigned i = 0; i < 3; i++)
		sc_tasks_init(&lists[i]);
	now = UINT64_C(123456789012345);
	sc_book_init(&book, now);
}

static unsigned index_of(const struct sc_task *t)
{
	return (unsigned)(t - task);
}

static uint64_t some_time(void)
{
	static const uint64_t spans[] = {1000000, 60000000, 1000000000, UINT64_C(20000000000), UINT64_C(200000000000)};
	uint64_t span = spans[walk_below(&seed, 5)];
	return walk_random(&seed) % span;
}

/* All that are over come, each once; none that is not. */
static void look_at_deadlines(void)
{
	struct sc_task *t;
	while ((t = sc_book_expired(&book, now))) {
		struct model *m = &model[index_of(t)];
		ck_assert(m->id && m->due_ns && m->due_ns <= now);
		m->due_ns = 0;
	}
	for (unsigned i = 0; i < TASKS; i++)
		ck_assert(!model[i].due_ns || model[i].due_ns > now);
}

static void one_call(uint64_t *last)
{
	unsigned i = walk_below(&seed, TASKS), call = walk_below(&seed, 8);
	struct sc_task *t = &task[i];
	if (call < 2 && !model[i].id) {
		sc_book_begin(&book, t);
		ck_assert_uint_gt(t->id, *last);
		model[i].id = *last = t->id;
	} else if (call == 2 && model[i].id) {
		sc_book_end(&book, t);
		ck_assert(!sc_book_find(&book, model[i].id) && !t->in);
		model[i] = (struct model){0};
	} else if (call < 5 && model[i].id) {
		model[i].due_ns = walk_below(&seed, 8) ? now + some_time() : 0;
		sc_book_due(&book, t, model[i].due_ns);
	} else if (call == 5 && model[i].id) {
		sc_task_place(t, &lists[walk_below(&seed, 3)], walk_below(&seed, 2));
	} else if (call > 5 && !walk_below(&seed, 10)) {
		now += some_time();
		look_at_deadlines();
	}
}

static void compare_books(void)
{
	unsigned open = 0, listed = 0, in[3] = {0};
	for (unsigned i = 0; i < TASKS; i++) {
		open += model[i].id != 0;
		listed += task[i].in != NULL;
		if (model[i].id)
			ck_assert_ptr_eq(sc_book_find(&book, model[i].id), &task[i]);
	}
	ck_assert_uint_eq(book.count, open);
	for (unsigned i = 0; i < 3; i++) {
		struct sc_task *t;
		TAILQ_FOREACH(t, &lists[i].list, link) {
			ck_assert_ptr_eq(t->in, &lists[i]);
			in[i]++;
		}
		ck_assert_uint_eq(in[i], lists[i].count);
	}
	ck_assert_uint_eq(in[0] + in[1] + in[2], listed);
}

START_TEST(the_book_keeps_numbers_deadlines_and_lists)
{
	unsigned rounds = effort_of(60, 6);
	seed = walk_seed("task_book", 1);
	for (unsigned round = 0; round < rounds; round++) {
		uint64_t last = 0;
		fresh();
		for (unsigned i = 0; i < 1500; i++)
			one_call(&last);
		compare_books();
		now += UINT64_C(1000000000000);
		look_at_deadlines();
	}
}
END_TEST

START_TEST(a_deadline_is_seen_within_a_tick)
{
	fresh();
	sc_book_begin(&book, &task[0]);
	sc_book_due(&book, &task[0], now + 300 * SC_TICK_NS + 7);
	ck_assert_ptr_null(sc_book_expired(&book, now + 300 * SC_TICK_NS));
	ck_assert_ptr_null(sc_book_expired(&book, now + 300 * SC_TICK_NS + 6));
	ck_assert_ptr_eq(sc_book_expired(&book, now + 300 * SC_TICK_NS + 7), &task[0]);
	ck_assert_ptr_null(sc_book_expired(&book, now + 1000 * SC_TICK_NS));
	/* One that is over already. */
	now += 1000 * SC_TICK_NS;
	sc_book_due(&book, &task[0], now - 5 * SC_TICK_NS);
	ck_assert_ptr_eq(sc_book_expired(&book, now), &task[0]);
}
END_TEST

START_TEST(a_task_knows_who_was_given_it)
{
	fresh();
	sc_book_begin(&book, &task[0]);
	ck_assert(!sc_task_was_given(&task[0], 0) && !sc_task_was_given(&task[0], 1));
	for (uint64_t worker = 1; worker <= SC_HOLDERS + 1; worker++) {
		for (unsigned twice = 0; twice < 2; twice++) {
			task[0].state = SC_WAITING;
			sc_task_give(&task[0], worker, now);
		}
		ck_assert(sc_task_was_given(&task[0], worker));
	}
	ck_assert_uint_eq(task[0].tries, 2 * (SC_HOLDERS + 1));
	ck_assert(!sc_task_was_given(&task[0], 1) && sc_task_was_given(&task[0], 2));
	sc_book_end(&book, &task[0]);
	sc_book_begin(&book, &task[0]);
	ck_assert(!sc_task_was_given(&task[0], 2) && !task[0].tries);
}
END_TEST

SUITE(task_book)
{
	tcase_add_test(c, the_book_keeps_numbers_deadlines_and_lists);
	tcase_add_test(c, a_deadline_is_seen_within_a_tick);
	tcase_add_test(c, a_task_knows_who_was_given_it);
}
