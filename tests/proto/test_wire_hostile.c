/* Messages of the cluster as others may send them: of other versions, with fields of a later minor version, cut off,
 * changed, too large, and bodies that are none. The seed is printed and taken back from TEST_SEED. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/fact.h"
#include "proto/cluster/layout.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"
#include "tests/support/wire_again.h"

static struct pd_buf buf, made, one, two;
static struct pd_fail fail;
static uint64_t seed;
static const struct cw_envelope plain = {.kind = CW_TASKS, .epoch = 5, .worker = 0x1122334455667788, .number = 7};
static const uint8_t key[] = {0, 1, 2, 0xff, 0x80};

static void set_up(void)
{
	pd_buf_init(&buf, CW_MESSAGE_MAX);
	pd_buf_init(&made, 2 * CW_MESSAGE_MAX);
	pd_buf_init(&one, CW_MESSAGE_MAX);
	pd_buf_init(&two, CW_MESSAGE_MAX);
	seed = walk_seed("wire_hostile", 20261123);
}

static void tear_down(void)
{
	pd_buf_fini(&buf);
	pd_buf_fini(&made);
	pd_buf_fini(&one);
	pd_buf_fini(&two);
}

static void put_hello(void)
{
	static struct cw_hello hello;
	hello = (struct cw_hello){.name = cw_text_of("ant:4711"),
				  .version = cw_text_of("0.1.0"),
				  .abi = 3,
				  .threads = 4,
				  .memory = (uint64_t)1 << 33,
				  .game_count = 2,
				  .games = {{cw_text_of("connect4"), 0}, {cw_text_of("quoridor"), 0xfeedfeedfeedfeed}}};
	cw_put_hello(&buf, &hello);
}

static void put_task(uint64_t id)
{
	struct cw_task task = {.id = id,
			       .game = cw_text_of("connect4:7x6"),
			       .rules = 0x0102030405060708,
			       .options = CW_WEAK | CW_KNOWLEDGE,
			       .seed = 99,
			       .threshold = -1,
			       .budget = 100000,
			       .key = key,
			       .key_size = sizeof key};
	cw_put_task(&buf, &task);
}

static const struct cw_solved solved = {.key = key,
					.key_size = sizeof key,
					.reason.bound = -3,
					.reason.side = PD_HI,
					.reason.rank = PD_RANK_NONE,
					.reason.move = 12,
					.reason.effort = 4000};

static void put_known(unsigned count)
{
	static struct cw_known known;
	known = (struct cw_known){.game = cw_text_of("connect4:7x6"), .rules = 0x0102030405060708, .count = count};
	for (unsigned i = 0; i < count && i < CW_SOLVED_MAX; i++)
		known.positions[i] = solved;
	cw_put_known(&buf, &known);
}

static void put_result(uint64_t id)
{
	static struct cw_result result;
	result = (struct cw_result){.id = id, .move = PD_NO_MOVE, .num = {17, 4}, .nodes = 100000, .cpu_ns = 12345678};
	if (id % 2) {
		result.solved = result.proved = true;
		result.rank = 9;
		result.move = 3;
		result.effort = 777;
	}
	cw_put_result(&buf, &result);
}

static void put_heartbeat(void)
{
	static struct cw_heartbeat heartbeat = {
		.tasks_done = 300, .nodes = 30000000, .in_hand_count = 3, .in_hand = {300, 301, UINT64_MAX}};
	cw_put_heartbeat(&buf, &heartbeat);
}

static void put_refuse(void)
{
	struct cw_refuse refuse = {301, CW_OTHER_RULES, cw_text_of("rules 4, not 5")};
	cw_put_refuse(&buf, &refuse);
}

/* A message with bodies of every kind, in `buf`. */
static void everything(void)
{
	cw_begin(&buf, &plain);
	put_hello();
	put_task(300);
	put_known(2);
	put_task(301);
	put_result(300);
	put_result(301);
	cw_put_sharing(&buf, 4000000);
	put_heartbeat();
	cw_put_cancel(&buf, 301);
	put_refuse();
	ck_assert(cw_end(&buf, NULL));
}

enum { TASK_ID = 1, TASK_KEY = 8, REFUSE_TEXT = 3, HELLO_THREADS = 4 }; /* tags (CLUSTER.md) */

/* Puts a field as a writer of another version might: with the shortest length. */
static void field(struct pd_buf *out, uint64_t tag, const void *data, size_t size)
{
	uint8_t head[2 * PD_VARINT_MAX];
	pd_buf_put(out, head, (size_t)(pd_put_varint(pd_put_varint(head, tag), size) - head));
	pd_buf_put(out, data, size);
}

/* The tag of a field that has fields itself, in the body `body` (0: in a message). */
static bool nested(unsigned body, uint64_t tag)
{
	return body == 0 || (body == CW_BODY_HELLO && tag == CW_HELLO_GAME) ||
	       (body == CW_BODY_KNOWN && tag == CW_KNOWN_SOLVED);
}

/* Writes the fields from `at` to `end` with fields of a later version before, between and behind them. */
static void enrich(struct pd_buf *out, const uint8_t *at, const uint8_t *stop, unsigned body, bool leaf)
{
	static const uint64_t later[] = {20, 127, 128, 5000, UINT64_MAX};
	while (at < stop) {
		uint64_t tag, size;
		struct pd_buf inner;
		at = pd_get_varint(pd_get_varint(at, stop, &tag), stop, &size);
		ck_assert(at && size <= (size_t)(stop - at));
		pd_buf_init(&inner, CW_MESSAGE_MAX);
		if (!leaf && nested(body, tag))
			enrich(&inner, at, at + size, body ? 0 : (unsigned)tag, body != 0);
		else
			pd_buf_put(&inner, at, size);
		field(out, later[walk_below(&seed, 5)], "later", walk_below(&seed, 6));
		field(out, tag, inner.data, inner.size);
		pd_buf_fini(&inner);
		at += size;
	}
	field(out, later[walk_below(&seed, 5)], "later", 5);
}

START_TEST(fields_of_a_later_minor_version_are_skipped)
{
	everything();
	ck_assert(wire_again((const uint8_t *)buf.data, buf.size, &one));
	ck_assert_uint_eq(one.size, buf.size);
	for (unsigned i = 0; i < 100; i++) {
		pd_buf_reset(&made);
		pd_buf_put(&made, buf.data, CW_ENVELOPE_SIZE);
		made.data[CW_AT_MINOR] = (char)walk_below(&seed, 256);
		made.data[CW_AT_FLAGS] = (char)(walk_below(&seed, 256) & ~CW_FLAG_SEALED);
		enrich(&made, (const uint8_t *)buf.data + CW_ENVELOPE_SIZE, (const uint8_t *)buf.data + buf.size, 0,
		       false);
		ck_assert_uint_gt(made.size, buf.size);
		ck_assert(wire_again((const uint8_t *)made.data, made.size, &two));
		ck_assert_uint_eq(one.size, two.size);
		ck_assert_mem_eq(one.data, two.data, one.size);
	}
}
END_TEST

START_TEST(another_major_version_is_refused_with_words)
{
	struct cw_reader reader;
	everything();
	for (unsigned major = 0; major < 256; major++) {
		size_t size = major % 2 ? buf.size : CW_COMMON_SIZE;
		buf.data[CW_AT_MAJOR] = (char)major;
		buf.data[CW_AT_MINOR] = 9;
		memset(buf.data + CW_COMMON_SIZE, (int)(major * 7), buf.size - CW_COMMON_SIZE);
		if (major == CW_MAJOR)
			continue;
		ck_assert_int_eq(cw_open(&reader, (const uint8_t *)buf.data, size, NULL, &fail), PD_E_UNSUPPORTED);
		ck_assert_uint_eq(reader.envelope.major, major);
		ck_assert_uint_eq(reader.envelope.minor, 9);
		ck_assert_uint_eq(reader.envelope.worker, plain.worker);
		char version[16];
		snprintf(version, sizeof version, "version %u.9 ", major);
		ck_assert_ptr_nonnull(strstr(fail.text, version));
	}
}
END_TEST

/* What decodes says the same when it is written and decoded once more. Returns whether it decodes. */
static bool survived(const uint8_t *data, size_t size)
{
	if (!wire_again(data, size, &one))
		return false;
	ck_assert(wire_again((const uint8_t *)one.data, one.size, &two));
	ck_assert_uint_eq(one.size, two.size);
	ck_assert_mem_eq(one.data, two.data, one.size);
	return true;
}

START_TEST(messages_that_are_cut_off_are_survived)
{
	unsigned whole = 0;
	everything();
	for (size_t size = 0; size < buf.size; size++)
		whole += survived((const uint8_t *)buf.data, size);
	ck_assert_uint_eq(whole, 10); /* between two bodies */
}
END_TEST

START_TEST(every_changed_byte_is_survived)
{
	unsigned good = 0, bad = 0, stride = effort_stride();
	everything();
	for (size_t at = 0; at < buf.size; at++)
		for (unsigned change = 1 + (unsigned)at % stride; change < 256; change += stride) {
			buf.data[at] ^= (char)change;
			if (survived((const uint8_t *)buf.data, buf.size))
				good++;
			else
				bad++;
			buf.data[at] ^= (char)change;
		}
	ck_assert_uint_gt(good, 0);
	ck_assert_uint_gt(bad, 0);
	ck_assert(survived((const uint8_t *)buf.data, buf.size));
}
END_TEST

START_TEST(many_changes_are_survived)
{
	for (unsigned i = 0, rounds = effort_of(20000, 500); i < rounds; i++) {
		if (i % 16 == 0)
			everything();
		for (unsigned changes = 1 + walk_below(&seed, 4); changes; changes--)
			buf.data[CW_ENVELOPE_SIZE + walk_below(&seed, (unsigned)buf.size - CW_ENVELOPE_SIZE)] =
				(char)walk_random(&seed);
		survived((const uint8_t *)buf.data, buf.size);
	}
}
END_TEST

/* A message with one body: of these bytes. */
static void message_of(unsigned tag, const char *bytes, size_t size)
{
	cw_begin(&buf, &plain);
	pd_buf_reset(&made);
	pd_buf_put(&made, buf.data, buf.size);
	field(&made, tag, bytes, size);
}

#define BODY(tag, bytes, at)                                                                                           \
	{                                                                                                              \
		tag, bytes, sizeof(bytes) - 1, at                                                                      \
	}

static const struct {
	unsigned tag;
	const char *bytes;
	size_t size;
	const char *at; /* the field at fault; NULL: none is */
} cases[] = {
	BODY(CW_BODY_CANCEL, "\1\1\5", NULL),
	BODY(CW_BODY_CANCEL, "\1\1\5\1\1\6", NULL), /* the last one counts */
	BODY(CW_BODY_CANCEL, "\1\2\x85\0", NULL),   /* a varint longer than it need be */
	BODY(CW_BODY_CANCEL, "", "cancel.id"),
	BODY(CW_BODY_CANCEL, "\1\1\0", "cancel.id"),
	BODY(CW_BODY_CANCEL, "\1\0", "cancel.id"),
	BODY(CW_BODY_CANCEL, "\1\1\x80", "cancel.id"),
	BODY(CW_BODY_CANCEL, "\1\2\5\5", "cancel.id"),
	BODY(CW_BODY_CANCEL, "\1\xb\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", "cancel.id"),
	BODY(CW_BODY_CANCEL, "\1\xa\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", NULL),
	BODY(CW_BODY_CANCEL, "\1\xa\xff\xff\xff\xff\xff\xff\xff\xff\xff\2", "cancel.id"),
	BODY(CW_BODY_CANCEL, "\1\2\5", "cancel.id"),
	BODY(CW_BODY_HELLO, "", "hello.threads"),
	BODY(CW_BODY_HELLO, "\4\1\1", NULL),
	BODY(CW_BODY_HELLO, "\4\2\x80\x8", NULL),
	BODY(CW_BODY_HELLO, "\4\2\x81\x8", "hello.threads"),
	BODY(CW_BODY_HELLO, "\4\1\1\1\3a\x1b[", "hello.name"),
	BODY(CW_BODY_HELLO, "\4\1\1\2\2\xc3\x28", "hello.version"),
	BODY(CW_BODY_HELLO, "\4\1\1\2\2\xc3\xbc", NULL),
	BODY(CW_BODY_HELLO, "\4\1\1\2\1\xc3", "hello.version"),
	BODY(CW_BODY_HELLO, "\4\1\1\1\1\x7f", "hello.name"),
	BODY(CW_BODY_HELLO, "\4\1\1\3\5\xff\xff\xff\xff\xf", NULL),
	BODY(CW_BODY_HELLO, "\4\1\1\3\5\x80\x80\x80\x80\x10", "hello.abi"),
	BODY(CW_BODY_HELLO, "\4\1\1\5\0", "hello.memory"),
	BODY(CW_BODY_HELLO, "\4\1\1\6\3\1\1a", NULL),
	BODY(CW_BODY_HELLO, "\4\1\1\6\3\1\2a", "hello.games"),
	BODY(CW_BODY_HELLO, "\4\1\1\6\3\2\1a", "hello.games"),
	BODY(CW_BODY_TASK, "\1\1\1", NULL),
	BODY(CW_BODY_TASK, "", "task.id"),
	BODY(CW_BODY_TASK, "\1\1\1\2\1\n", "task.game"),
	BODY(CW_BODY_TASK, "\1\1\1\3\7\1\2\3\4\5\6\7", "task.rules"),
	BODY(CW_BODY_TASK, "\1\1\1\4\1\x80", "task.options"),
	BODY(CW_BODY_TASK, "\1\1\1\5\1\1", "task.seed"),
	BODY(CW_BODY_TASK, "\1\1\1\6\3\xff\xff\3", NULL),
	BODY(CW_BODY_TASK, "\1\1\1\6\3\x80\x80\4", "task.threshold"),
	BODY(CW_BODY_TASK, "\1\1\1\7\0", "task.budget"),
	BODY(CW_BODY_TASK, "\1\1\1\n\1\1", NULL),
	BODY(CW_BODY_TASK, "\1\1\1\n\1\2", "task.siblings"),
	BODY(CW_BODY_TASK, "\1\1\1\x0b\5\xff\xff\xff\xff\x1f", "task.siblings"),
	BODY(CW_BODY_TASK, "\1\1\1\x0c\0", "task.siblings"),
	BODY(CW_BODY_TASK, "\1\1\1\r\0", "task.siblings"),
	BODY(CW_BODY_TASK, "\1\1\1\x0e\0", "task.siblings"),
	BODY(CW_BODY_TASK, "\1\1\1\x8\0", NULL),
	BODY(CW_BODY_TASK, "\1\1\1\x8\1", "task"),
	BODY(CW_BODY_KNOWN, "", NULL),
	BODY(CW_BODY_KNOWN, "\3\3\3\1\1", NULL),
	BODY(CW_BODY_KNOWN, "\3\3\3\1\2", "known.solved"),
	BODY(CW_BODY_KNOWN, "\3\5\4\3\x80\x80\4", "known.solved"),
	BODY(CW_BODY_KNOWN, "\3\5\5\3\x80\x80\4", "known.solved"),
	BODY(CW_BODY_KNOWN, "\3\2\1\1", "known.solved"),
	BODY(CW_BODY_KNOWN, "\2\1\1", "known.rules"),
	BODY(CW_BODY_KNOWN, "\1\1\1", "known.game"),
	BODY(CW_BODY_KNOWN, "\1", "known"),
	BODY(CW_BODY_RESULT, "\1\1\1", NULL),
	BODY(CW_BODY_RESULT, "\1\1\0", "result.id"),
	BODY(CW_BODY_RESULT, "\1\1\1\2\1\2", NULL),
	BODY(CW_BODY_RESULT, "\1\1\1\2\1\3", "result.state"),
	BODY(CW_BODY_RESULT, "\1\1\1\3\5\xff\xff\xff\xff\x1f", "result.pn"),
	BODY(CW_BODY_RESULT, "\1\1\1\4\5\xff\xff\xff\xff\x1f", "result.dn"),
	BODY(CW_BODY_RESULT, "\1\1\1\5\3\x80\x80\4", "result.rank"),
	BODY(CW_BODY_RESULT, "\1\1\1\6\3\x80\x80\4", "result.move"),
	BODY(CW_BODY_RESULT, "\1\1\1\7\5\xff\xff\xff\xff\x1f", "result.effort"),
	BODY(CW_BODY_RESULT, "\1\1\1\x8\0", "result.nodes"),
	BODY(CW_BODY_RESULT, "\1\1\1\x9\0", "result.cpu"),
	BODY(CW_BODY_RESULT, "\1\1\1\xa\1\1", NULL), /* positions, in an earlier version */
	BODY(CW_BODY_SHARING, "", NULL),
	BODY(CW_BODY_SHARING, "\1\0", "sharing.rate"),
	BODY(CW_BODY_SHARING, "\1", "sharing"),
	BODY(CW_BODY_HEARTBEAT, "", NULL),
	BODY(CW_BODY_HEARTBEAT, "\1\0", "heartbeat.done"),
	BODY(CW_BODY_HEARTBEAT, "\2\0", "heartbeat.nodes"),
	BODY(CW_BODY_HEARTBEAT, "\3\2\1\0", "heartbeat.in_hand"),
	BODY(CW_BODY_HEARTBEAT, "\3\2\1\x80", "heartbeat.in_hand"),
	BODY(CW_BODY_HEARTBEAT, "\3\0", NULL),
	BODY(CW_BODY_REFUSE, "", NULL),
	BODY(CW_BODY_REFUSE, "\1\0", "refuse.id"),
	BODY(CW_BODY_REFUSE, "\2\5\xff\xff\xff\xff\x1f", "refuse.why"),
	BODY(CW_BODY_REFUSE, "\3\1\n", "refuse.text"),
};

START_TEST(values_that_are_none_are_refused)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		message_of(cases[i].tag, cases[i].bytes, cases[i].size);
		bool good = survived((const uint8_t *)made.data, made.size);
		ck_assert_msg(good == !cases[i].at, "case %zu", i);
	}
	/* and with the right name, of those that a worker reads */
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct cw_reader reader;
		struct cw_task task;
		message_of(cases[i].tag, cases[i].bytes, cases[i].size);
		ck_assert_int_eq(cw_open(&reader, (const uint8_t *)made.data, made.size, NULL, &fail), PD_OK);
		int rc = cw_next_task(&reader, &task, &fail);
		ck_assert_int_eq(rc, cases[i].tag != CW_BODY_TASK ? 0 : cases[i].at ? -1 : 1);
		ck_assert(rc >= 0 || (fail.code == PD_E_PARSE && strcmp(fail.field, cases[i].at) == 0));
	}
}
END_TEST

START_TEST(a_body_may_not_have_more_than_it_may)
{
	static char many[CW_NAME_MAX + 1];
	static struct cw_hello hello;
	static struct cw_heartbeat heartbeat;
	struct cw_task task = {.id = 1, .key = (const uint8_t *)many, .key_size = CW_KEY_MAX + 1};
	static struct cw_known known;
	struct cw_solved large = {.key = (const uint8_t *)many, .key_size = CW_KEY_MAX + 1};
	struct cw_text name = {many, CW_NAME_MAX + 1};
	memset(many, 'x', sizeof many);
#define FAILS(call)                                                                                                    \
	do {                                                                                                           \
		cw_begin(&buf, &plain);                                                                                \
		call;                                                                                                  \
		ck_assert_uint_eq(cw_room(&buf), 0);                                                                   \
		ck_assert(!cw_end(&buf, NULL));                                                                        \
	} while (0)
	FAILS(cw_put_task(&buf, &task));
	task.key_size = 0;
	task.game = name;
	FAILS(cw_put_task(&buf, &task));
	known = (struct cw_known){.game = name};
	FAILS(cw_put_known(&buf, &known));
	name.size = 1;
	known = (struct cw_known){.game = name, .count = 1, .positions = {large}};
	FAILS(cw_put_known(&buf, &known));
	FAILS(put_known(CW_SOLVED_MAX + 1));
	hello.threads = 1;
	hello.game_count = CW_GAMES_MAX + 1;
	FAILS(cw_put_hello(&buf, &hello));
	hello.game_count = 1;
	hello.games[0].name = (struct cw_text){many, CW_NAME_MAX + 1};
	FAILS(cw_put_hello(&buf, &hello));
	heartbeat.in_hand_count = CW_IN_HAND_MAX + 1;
	FAILS(cw_put_heartbeat(&buf, &heartbeat));
	/* and by others */
	pd_buf_reset(&one);
	field(&one, TASK_ID, "\1", 1);
	field(&one, TASK_KEY, many, CW_KEY_MAX + 1);
	message_of(CW_BODY_TASK, one.data, one.size);
	ck_assert(!survived((const uint8_t *)made.data, made.size));
	pd_buf_reset(&one);
	field(&one, REFUSE_TEXT, many, CW_NAME_MAX + 1);
	message_of(CW_BODY_REFUSE, one.data, one.size);
	ck_assert(!survived((const uint8_t *)made.data, made.size));
	for (unsigned more = 0; more < 2; more++) {
		pd_buf_reset(&one);
		field(&one, HELLO_THREADS, "\1", 1);
		for (unsigned i = 0; i < CW_GAMES_MAX + more; i++)
			field(&one, CW_HELLO_GAME, "\1\1a", 3);
		message_of(CW_BODY_HELLO, one.data, one.size);
		ck_assert_int_eq(survived((const uint8_t *)made.data, made.size), !more);
		pd_buf_reset(&one);
		for (unsigned i = 0; i < CW_SOLVED_MAX + more; i++)
			field(&one, CW_KNOWN_SOLVED, "", 0);
		message_of(CW_BODY_KNOWN, one.data, one.size);
		ck_assert_int_eq(survived((const uint8_t *)made.data, made.size), !more);
		pd_buf_reset(&one);
		pd_buf_reset(&two);
		for (unsigned i = 0; i < CW_IN_HAND_MAX + more; i++)
			pd_buf_put(&two, "\1", 1);
		field(&one, CW_HEARTBEAT_IN_HAND, two.data, two.size);
		message_of(CW_BODY_HEARTBEAT, one.data, one.size);
		ck_assert_int_eq(survived((const uint8_t *)made.data, made.size), !more);
	}
}
END_TEST

START_TEST(a_message_may_not_have_more_than_it_may)
{
	struct cw_reader reader;
	struct cw_seal seal;
	for (unsigned more = 0; more < 2; more++) {
		cw_begin(&buf, &plain);
		for (unsigned i = 0; i < CW_BATCH_MAX + more; i++)
			cw_put_cancel(&buf, i + 1);
		for (unsigned i = 0; i < CW_BATCH_MAX; i++)
			put_known(1);
		ck_assert_int_eq(cw_end(&buf, NULL), !more);
		message_of(CW_BODY_CANCEL, "\1\1\1", 3);
		for (unsigned i = 1; i < CW_BATCH_MAX + more; i++)
			field(&made, CW_BODY_CANCEL, "\1\1\1", 3);
		ck_assert_int_eq(cw_open(&reader, (const uint8_t *)made.data, made.size, NULL, &fail),
				 more ? PD_E_PARSE : PD_OK);
		/* a field that no one reads, up to the largest message */
		cw_begin(&buf, &plain);
		pd_buf_reset(&made);
		pd_buf_put(&made, buf.data, buf.size);
		char *large = calloc(1, CW_MESSAGE_MAX);
		ck_assert(large);
		field(&made, 99, large, CW_MESSAGE_MAX - CW_ENVELOPE_SIZE - 4 + more);
		free(large);
		ck_assert_uint_eq(made.size, CW_MESSAGE_MAX + more);
		ck_assert_int_eq(cw_open(&reader, (const uint8_t *)made.data, made.size, NULL, &fail),
				 more ? PD_E_PARSE : PD_OK);
	}
	/* it may have no room for its seal */
	ck_assert(cw_seal_of("0123456789abcdef", 16, &seal));
	for (unsigned less = 0; less < 2; less++) {
		pd_buf_fini(&buf);
		pd_buf_init(&buf, CW_ENVELOPE_SIZE + CW_CANCEL_ROOM + CW_SEAL_FIELD - 9 - less);
		cw_begin(&buf, &plain);
		ck_assert_uint_eq(cw_room(&buf), CW_CANCEL_ROOM - 9 - less);
		cw_put_cancel(&buf, 1);
		ck_assert(!buf.failed);
		ck_assert_int_eq(cw_end(&buf, &seal), !less);
	}
	pd_buf_fini(&buf);
	pd_buf_init(&buf, CW_ENVELOPE_SIZE - 1);
	cw_begin(&buf, &plain);
	ck_assert(!cw_end(&buf, NULL));
}
END_TEST

/* What cw_room and the constants say is enough, for the largest bodies there are, with a seal. */
START_TEST(the_largest_bodies_find_their_room)
{
	static char many[CW_NAME_MAX];
	static struct cw_result result;
	static struct cw_known known;
	static uint8_t proof[CW_PROOF_MAX];
	struct cw_seal seal;
	struct cw_text name = {many, CW_NAME_MAX};
	const uint8_t *bytes = (const uint8_t *)many;
	const struct cw_solved large = {
		bytes, CW_KEY_MAX, {INT16_MIN, PD_HI, UINT16_MAX, UINT16_MAX - 1, UINT32_MAX, 0}};
	const struct cw_task task = {.id = UINT64_MAX,
				     .game = name,
				     .rules = UINT64_MAX,
				     .options = UINT32_MAX,
				     .seed = UINT64_MAX,
				     .threshold = INT16_MIN,
				     .budget = UINT64_MAX,
				     .rival = {1, UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT64_MAX},
				     .proof = UINT32_MAX,
				     .key = bytes,
				     .key_size = CW_KEY_MAX};
	static const size_t rooms[] = {CW_TASK_ROOM, CW_KNOWN_ROOM, CW_RESULT_ROOM, CW_CANCEL_ROOM};
	memset(many, 'x', sizeof many);
	result = (struct cw_result){.id = UINT64_MAX,
				    .solved = true,
				    .proved = true,
				    .rank = UINT16_MAX,
				    .move = UINT16_MAX - 1,
				    .effort = UINT32_MAX,
				    .nodes = UINT64_MAX,
				    .cpu_ns = UINT64_MAX,
				    .proof = proof,
				    .proof_size = CW_PROOF_MAX};
	known = (struct cw_known){.game = name, .rules = UINT64_MAX, .count = CW_SOLVED_MAX};
	for (unsigned i = 0; i < CW_SOLVED_MAX; i++)
		known.positions[i] = large;
	ck_assert(cw_seal_of("0123456789abcdef", 16, &seal));
	for (unsigned i = 0; i < 4; i++) {
		pd_buf_fini(&buf);
		pd_buf_init(&buf, CW_ENVELOPE_SIZE + rooms[i] + CW_SEAL_FIELD);
		cw_begin(&buf, &plain);
		ck_assert_uint_eq(cw_room(&buf), rooms[i]);
		if (i == 0)
			cw_put_task(&buf, &task);
		else if (i == 1)
			cw_put_known(&buf, &known);
		else if (i == 2)
			cw_put_result(&buf, &result);
		else
			cw_put_cancel(&buf, UINT64_MAX);
		ck_assert(cw_end(&buf, &seal));
		ck_assert(survived((const uint8_t *)buf.data, buf.size));
	}
}
END_TEST

START_TEST(texts_for_people_are_cut_and_cleaned)
{
	char long_text[CW_NAME_MAX + 70];
	struct cw_refuse refuse = {0, CW_OTHER_VERSION, {long_text, sizeof long_text}}, out;
	struct cw_reader reader;
	for (unsigned shift = 0; shift < 3; shift++) {
		memset(long_text, '.', shift);
		for (size_t i = shift; i + 3 <= sizeof long_text; i += 3)
			memcpy(long_text + i, "\xe2\x82\xac", 3);
		long_text[0] = '\n';
		cw_begin(&buf, &plain);
		cw_put_refuse(&buf, &refuse);
		ck_assert(cw_end(&buf, NULL));
		ck_assert_int_eq(cw_open(&reader, (const uint8_t *)buf.data, buf.size, NULL, &fail), PD_OK);
		ck_assert_msg(cw_next_refuse(&reader, &out, &fail) == 1, "%s", fail.text);
		ck_assert_uint_le(out.text.size, CW_NAME_MAX);
		ck_assert_uint_ge(out.text.size, CW_NAME_MAX - 2);
		ck_assert_int_eq(out.text.data[0], '?');
	}
}
END_TEST

SUITE(wire_hostile)
{
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, fields_of_a_later_minor_version_are_skipped);
	tcase_add_test(c, another_major_version_is_refused_with_words);
	tcase_add_test(c, messages_that_are_cut_off_are_survived);
	tcase_add_test(c, every_changed_byte_is_survived);
	tcase_add_test(c, many_changes_are_survived);
	tcase_add_test(c, values_that_are_none_are_refused);
	tcase_add_test(c, a_body_may_not_have_more_than_it_may);
	tcase_add_test(c, a_message_may_not_have_more_than_it_may);
	tcase_add_test(c, the_largest_bodies_find_their_room);
	tcase_add_test(c, texts_for_people_are_cut_and_cleaned);
}
