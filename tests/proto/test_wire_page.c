/* proto/CLUSTER.md: the messages that it shows byte by byte are the ones that are written, and its limits are those of
 * wire.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/fact.h"
#include "proto/cluster/seal.h"
#include "proto/cluster/wire_write.h"
#include "tests/support/suite.h"

enum { PAGE_MAX = 1 << 17, WORKER = 0x4711 };

static char page[PAGE_MAX];
static struct pd_buf buf;
static const uint8_t key[] = {0x02, 0x10, 0x0a};

static void set_up(void)
{
	FILE *file = fopen(TEST_DATA "/../../proto/CLUSTER.md", "r");
	ck_assert_ptr_nonnull(file);
	size_t size = fread(page, 1, sizeof page - 1, file);
	fclose(file);
	ck_assert_uint_lt(size, sizeof page - 1);
	page[size] = 0;
	pd_buf_init(&buf, CW_MESSAGE_MAX);
}

static void tear_down(void)
{
	pd_buf_fini(&buf);
}

/* The message in `buf` is the block ```hex NAME: bytes in hexadecimal, in each line up to two blanks. */
static void is_shown(const char *name)
{
	char head[64], made[4096] = "", shown[4096] = "";
	size_t size = 0;
	snprintf(head, sizeof head, "```hex %s\n", name);
	const char *at = strstr(page, head);
	ck_assert_msg(at, "the page has no %s", name);
	at += strlen(head);
	while (strncmp(at, "```", 3) != 0) {
		size_t line = strcspn(at, "\n");
		const char *blanks = strstr(at, "  ");
		size_t bytes = blanks && blanks < at + line ? (size_t)(blanks - at) : line;
		ck_assert_uint_lt(size + bytes + 2, sizeof shown);
		memcpy(shown + size, at, bytes);
		size += bytes;
		shown[size++] = ' ';
		at += line + 1;
	}
	shown[size] = 0;
	ck_assert_uint_lt(3 * buf.size, sizeof made);
	for (size_t i = 0; i < buf.size; i++)
		snprintf(made + 3 * i, 4, "%02x ", (unsigned char)buf.data[i]);
	ck_assert_str_eq(shown, made);
}

static void head(enum cw_kind kind, uint64_t epoch, uint64_t number)
{
	cw_begin(&buf,
		 &(struct cw_envelope){.kind = (uint8_t)kind, .epoch = epoch, .worker = WORKER, .number = number});
}

static const struct cw_solved solved = {.key = key,
					.key_size = 2,
					.reason.bound = 0,
					.reason.side = PD_HI,
					.reason.rank = 12,
					.reason.move = PD_NO_MOVE,
					.reason.effort = 900};

START_TEST(the_hello_is_as_shown)
{
	static struct cw_hello hello;
	hello = (struct cw_hello){.name = cw_text_of("ant:4711"),
				  .version = cw_text_of("0.1.0"),
				  .abi = 1,
				  .threads = 8,
				  .memory = 1 << 30,
				  .game_count = 2,
				  .games = {{cw_text_of("hex"), 0}, {cw_text_of("dodgem"), 0x8877665544332211}}};
	head(CW_HELLO, 0, 1);
	cw_put_hello(&buf, &hello);
	ck_assert(cw_end(&buf, NULL));
	is_shown("hello");
}
END_TEST

START_TEST(the_tasks_are_as_shown)
{
	struct cw_seal seal;
	struct cw_text game = cw_text_of("hex:6");
	struct cw_task task = {.id = 300,
			       .game = game,
			       .rules = 1,
			       .options = CW_KNOWLEDGE,
			       .threshold = 1,
			       .budget = 100000,
			       .rival = {1, 12, 104, 10000, 400000},
			       .key = key,
			       .key_size = sizeof key};
	ck_assert(cw_seal_of("0123456789abcdef", 16, &seal));
	head(CW_TASKS, 0x0123456789abcdef, 9);
	cw_put_task(&buf, &task);
	ck_assert(cw_end(&buf, &seal));
	is_shown("tasks");
}
END_TEST

START_TEST(the_results_are_as_shown)
{
	static struct cw_result result;
	result = (struct cw_result){
		.id = 300, .solved = true, .rank = 11, .move = 3, .effort = 5000, .nodes = 81234, .cpu_ns = 9000000};
	const struct cw_known known = {.game = cw_text_of("hex:6"), .rules = 1, .count = 1, .positions = {solved}};
	head(CW_RESULTS, 0x0123456789abcdef, 2);
	cw_put_result(&buf, &result);
	cw_put_known(&buf, &known);
	ck_assert(cw_end(&buf, NULL));
	is_shown("results");
}
END_TEST

START_TEST(the_limits_are_those_of_the_header)
{
	static const struct {
		const char *name;
		int value;
	} limits[] = {
		{"CW_MESSAGE_MAX", CW_MESSAGE_MAX}, {"CW_KEY_MAX", CW_KEY_MAX},         {"CW_NAME_MAX", CW_NAME_MAX},
		{"CW_BATCH_MAX", CW_BATCH_MAX},     {"CW_SOLVED_MAX", CW_SOLVED_MAX},   {"CW_GAMES_MAX", CW_GAMES_MAX},
		{"CW_IN_HAND_MAX", CW_IN_HAND_MAX}, {"CW_THREADS_MAX", CW_THREADS_MAX},
	};
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		char row[64];
		snprintf(row, sizeof row, "| `%s` | %d |", limits[i].name, limits[i].value);
		ck_assert_msg(strstr(page, row), "the page does not say: %s", row);
	}
}
END_TEST

SUITE(wire_page)
{
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, the_hello_is_as_shown);
	tcase_add_test(c, the_tasks_are_as_shown);
	tcase_add_test(c, the_results_are_as_shown);
	tcase_add_test(c, the_limits_are_those_of_the_header);
}
