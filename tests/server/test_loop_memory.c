/* libuv's table of descriptors grows from what was reserved, when there is no memory: without that the process would
 * end by SIGABRT. */
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "server/daemon/loop_memory.h"
#include "tests/support/suite.h"

enum { DESCRIPTORS = 400, POLLED = 200 };

static bool short_of_memory;
static unsigned refused, heard;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
	refused += short_of_memory;
	return short_of_memory ? NULL : __real_realloc(old, size);
}

static void on_event(uv_poll_t *poll, int status, int events)
{
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(events, UV_READABLE);
	heard++;
	uv_close((uv_handle_t *)poll, NULL);
}

START_TEST(the_table_of_descriptors_grows_without_memory)
{
	static uv_poll_t polls[POLLED];
	static int ends[POLLED][2];
	uv_loop_t loop;
	struct pd_fail fail;
	ck_assert(!dm_loop_memory_init(DESCRIPTORS, &fail));
	ck_assert(!dm_loop_memory_init(DESCRIPTORS, &fail));
	short_of_memory = true;
	ck_assert(!uv_loop_init(&loop));
	for (unsigned i = 0; i < POLLED; i++) {
		ck_assert(!pipe(ends[i]));
		if (i == 0 || i == POLLED - 1)
			ck_assert_int_eq(write(ends[i][1], "x", 1), 1);
		ck_assert(!uv_poll_init(&loop, &polls[i], ends[i][0]));
		ck_assert(!uv_poll_start(&polls[i], UV_READABLE, on_event));
		if (i == POLLED / 2) /* it leaves the reserve, and needs it again */
			short_of_memory = _i == 0;
	}
	short_of_memory = true;
	while (heard < 2)
		uv_run(&loop, UV_RUN_ONCE);
	short_of_memory = false;
	ck_assert_uint_gt(refused, 0);
	for (unsigned i = 0; i < POLLED; i++)
		if (!uv_is_closing((uv_handle_t *)&polls[i]))
			uv_close((uv_handle_t *)&polls[i], NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert(!uv_loop_close(&loop));
	for (unsigned i = 0; i < POLLED; i++) {
		close(ends[i][0]);
		close(ends[i][1]);
	}
}
END_TEST

SUITE(loop_memory)
{
	tcase_add_loop_test(c, the_table_of_descriptors_grows_without_memory, 0, 2);
}
