/* Messages of the cluster: what is written is read, whatever the numbers are; what other versions write is skipped or
 * refused; bytes that are cut off or changed are survived. The seed is printed and taken back from TEST_SEED. */
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

static struct pd_buf buf;
static struct pd_fail fail;
static uint64_t seed;
static const struct cw_envelope plain = {.kind = CW_TASKS, .epoch = 5, .worker = 6, .number = 7};

static void set_up(void)
{
	pd_buf_init(&buf, CW_MESSAGE_MAX);
	seed = walk_seed("wire", 20261123);
}

static void tear_down(void)
{
	pd_buf_fini(&buf);
}

/* A number up to `most`, with a liking for those where the length of a varint changes, and for the ends. */
static uint64_t draw_number(uint64_t most)
{
	uint64_t any = walk_random(&seed);
	switch (walk_below(&seed, 5)) {
	case 0:
		return 0;
	case 1:
		return most;
	case 2:
		any >>= walk_below(&seed, 64);
		break;
	case 3:
		any = ((uint64_t)1 << (7 * walk_below(&seed, 10))) - walk_below(&seed, 2);
		break;
	default:
		break;
	}
	return most == UINT64_MAX ? any : any % (most + 1);
}

static uint64_t number_not_0(uint64_t most)
{
	uint64_t any = draw_number(most);
	return any ? any : 1;
}

static struct cw_text text(char *room)
{
	size_t size = draw_number(CW_NAME_MAX);
	for (size_t i = 0; i < size; i++)
		room[i] = (char)(' ' + walk_below(&seed, 95));
	if (size > 3)
		memcpy(room, "\xe2\x82\xac", 3);
	return (struct cw_text){size ? room : NULL, size};
}

static uint16_t draw_key(uint8_t *room)
{
	uint16_t size = (uint16_t)draw_number(CW_KEY_MAX);
	for (uint16_t i = 0; i < size; i++)
		room[i] = (uint8_t)walk_random(&seed);
	return size;
}

static void same_text(struct cw_text a, struct cw_text b)
{
	ck_assert_uint_eq(a.size, b.size);
	ck_assert(!a.size || memcmp(a.data, b.data, a.size) == 0);
}

static void same_solved(const struct cw_solved *a, const struct cw_solved *b)
{
	ck_assert_uint_eq(a->key_size, b->key_size);
	ck_assert(!a->key_size || memcmp(a->key, b->key, a->key_size) == 0);
	ck_assert_int_eq(a->reason.bound, b->reason.bound);
	ck_assert_int_eq(a->reason.side, b->reason.side);
	ck_assert_uint_eq(a->reason.rank, b->reason.rank);
	ck_assert_uint_eq(a->reason.move, b->reason.move);
	ck_assert_uint_eq(a->reason.effort, b->reason.effort);
}

/* Ends the message, and opens a copy of exactly its size. */
static uint8_t *sent(struct cw_reader *reader)
{
	ck_assert(cw_end(&buf, NULL));
	uint8_t *copy = malloc(buf.size);
	memcpy(copy, buf.data, buf.size);
	ck_assert_msg(cw_open(reader, copy, buf.size, NULL, &fail) == PD_OK, "%s", fail.text);
	return copy;
}

START_TEST(the_envelope_is_read_as_written)
{
	struct cw_reader reader;
	for (unsigned i = 0; i < 1000; i++) {
		struct cw_envelope envelope = {.kind = (uint8_t)draw_number(255),
					       .epoch = draw_number(UINT64_MAX),
					       .worker = draw_number(UINT64_MAX),
					       .number = draw_number(UINT64_MAX)};
		cw_begin(&buf, &envelope);
		uint8_t *copy = sent(&reader);
		ck_assert_uint_eq(reader.envelope.major, CW_MAJOR);
		ck_assert_uint_eq(reader.envelope.minor, CW_MINOR);
		ck_assert_uint_eq(reader.envelope.kind, envelope.kind);
		ck_assert_uint_eq(reader.envelope.epoch, envelope.epoch);
		ck_assert_uint_eq(reader.envelope.worker, envelope.worker);
		ck_assert_uint_eq(reader.envelope.number, envelope.number);
		ck_assert(!reader.envelope.sealed);
		free(copy);
	}
}
END_TEST

START_TEST(hellos_are_read_as_written)
{
	static char room[CW_GAMES_MAX + 2][CW_NAME_MAX];
	static struct cw_hello in, out;
	for (unsigned i = 0, rounds = effort_of(300, 20); i < rounds; i++) {
		struct cw_reader reader;
		in = (struct cw_hello){.name = text(room[CW_GAMES_MAX]),
				       .version = text(room[CW_GAMES_MAX + 1]),
				       .abi = (uint32_t)draw_number(UINT32_MAX),
				       .threads = (uint32_t)number_not_0(CW_THREADS_MAX),
				       .memory = draw_number(UINT64_MAX),
				       .game_count = (uint32_t)draw_number(CW_GAMES_MAX)};
		for (unsigned j = 0; j < in.game_count; j++)
			in.games[j] = (struct cw_game){text(room[j]), draw_number(UINT64_MAX)};
		cw_begin(&buf, &plain);
		cw_put_hello(&buf, &in);
		uint8_t *copy = sent(&reader);
		ck_assert_msg(cw_next_hello(&reader, &out, &fail) == 1, "%s", fail.text);
		same_text(in.name, out.name);
		same_text(in.version, out.version);
		ck_assert_uint_eq(in.abi, out.abi);
		ck_assert_uint_eq(in.threads, out.threads);
		ck_assert_uint_eq(in.memory, out.memory);
		ck_assert_uint_eq(in.game_count, out.game_count);
		for (unsigned j = 0; j < in.game_count; j++) {
			same_text(in.games[j].name, out.games[j].name);
			ck_assert_uint_eq(in.games[j].digest, out.games[j].digest);
		}
		ck_assert_int_eq(cw_next_hello(&reader, &out, &fail), 0);
		free(copy);
	}
}
END_TEST

static void random_solved(struct cw_solved *out, uint8_t key[CW_KEY_MAX])
{
	*out = (struct cw_solved){.key = key,
				  .key_size = draw_key(key),
				  .reason.bound = (int16_t)(draw_number(UINT16_MAX) - 32768),
				  .reason.side = walk_below(&seed, 2) ? PD_HI : PD_LO,
				  .reason.rank = (uint16_t)draw_number(UINT16_MAX),
				  .reason.move = (uint16_t)draw_number(UINT16_MAX),
				  .reason.effort = (uint32_t)draw_number(UINT32_MAX)};
}

static void same_known(const struct cw_known *a, const struct cw_known *b)
{
	same_text(a->game, b->game);
	ck_assert_uint_eq(a->rules, b->rules);
	ck_assert_uint_eq(a->count, b->count);
	for (unsigned i = 0; i < a->count; i++)
		same_solved(&a->positions[i], &b->positions[i]);
}

/* Known positions between other bodies, and once more in a message that passes them on as they are. */
START_TEST(known_positions_are_read_as_written_and_as_passed_on)
{
	enum { MOST = 10 };
	static uint8_t keys[MOST][CW_SOLVED_MAX][CW_KEY_MAX];
	static char games[MOST][CW_NAME_MAX];
	static struct cw_known in[MOST], out;
	struct pd_buf passed;
	pd_buf_init(&passed, CW_MESSAGE_MAX);
	for (unsigned i = 0, rounds = effort_of(200, 10); i < rounds; i++) {
		struct cw_reader reader, second;
		unsigned count = walk_below(&seed, MOST + 1), n = 0;
		uint64_t id, rate = draw_number(UINT64_MAX), read;
		const uint8_t *body;
		size_t size;
		cw_begin(&buf, &plain);
		cw_put_sharing(&buf, rate);
		for (unsigned j = 0; j < count; j++) {
			in[j] = (struct cw_known){.game = text(games[j]),
						  .rules = draw_number(UINT64_MAX),
						  .count = (unsigned)draw_number(CW_SOLVED_MAX)};
			for (unsigned k = 0; k < in[j].count; k++)
				random_solved(&in[j].positions[k], keys[j][k]);
			ck_assert_uint_ge(cw_room(&buf), CW_KNOWN_ROOM);
			cw_put_known(&buf, &in[j]);
			cw_put_cancel(&buf, j + 1);
		}
		uint8_t *copy = sent(&reader);
		second = reader;
		ck_assert_int_eq(cw_next_sharing(&second, &read, &fail), 1);
		ck_assert_uint_eq(read, rate);
		second = reader;
		cw_begin(&passed, &plain);
		while (cw_next_shared(&second, &body, &size))
			cw_put_shared(&passed, body, size);
		second = reader;
		for (unsigned j = 0; j < count; j++) {
			ck_assert_msg(cw_next_known(&reader, &out, &fail) == 1, "%s", fail.text);
			same_known(&in[j], &out);
		}
		ck_assert_int_eq(cw_next_known(&reader, &out, &fail), 0);
		while (cw_next_cancel(&second, &id, &fail) == 1)
			ck_assert_uint_eq(id, ++n);
		ck_assert_uint_eq(n, count);
		ck_assert(cw_end(&passed, NULL));
		ck_assert(!cw_open(&reader, (const uint8_t *)passed.data, passed.size, NULL, &fail));
		for (unsigned j = 0; j < count; j++) {
			ck_assert_int_eq(cw_next_known(&reader, &out, &fail), 1);
			same_known(&in[j], &out);
		}
		ck_assert_int_eq(cw_next_known(&reader, &out, &fail), 0);
		free(copy);
	}
	pd_buf_fini(&passed);
}
END_TEST

START_TEST(tasks_are_read_as_written)
{
	static uint8_t keys[CW_BATCH_MAX][CW_KEY_MAX];
	static char games[CW_BATCH_MAX][CW_NAME_MAX];
	static struct cw_task in[CW_BATCH_MAX];
	for (unsigned i = 0, rounds = effort_of(200, 10); i < rounds; i++) {
		struct cw_reader reader;
		struct cw_task out;
		unsigned count = 0;
		cw_begin(&buf, &plain);
		while (count < CW_BATCH_MAX && cw_room(&buf) >= CW_TASK_ROOM && walk_below(&seed, 100)) {
			struct cw_task *task = &in[count];
			*task = (struct cw_task){.id = number_not_0(UINT64_MAX),
						 .game = text(games[count]),
						 .rules = draw_number(UINT64_MAX),
						 .options = (uint32_t)draw_number(UINT32_MAX),
						 .seed = draw_number(UINT64_MAX),
						 .threshold = (int16_t)(draw_number(UINT16_MAX) - 32768),
						 .budget = draw_number(UINT64_MAX),
						 .key = keys[count],
						 .key_size = draw_key(keys[count]),
						 .proof = (uint32_t)draw_number(UINT32_MAX),
						 .rival = {(uint32_t)draw_number(1), (uint32_t)draw_number(UINT32_MAX),
							   (uint32_t)draw_number(UINT32_MAX), draw_number(UINT64_MAX),
							   draw_number(UINT64_MAX)}};
			cw_put_task(&buf, task);
			count++;
		}
		uint8_t *copy = sent(&reader);
		for (unsigned j = 0; j < count; j++) {
			ck_assert_msg(cw_next_task(&reader, &out, &fail) == 1, "%s", fail.text);
			ck_assert_uint_eq(in[j].id, out.id);
			same_text(in[j].game, out.game);
			ck_assert_uint_eq(in[j].rules, out.rules);
			ck_assert_uint_eq(in[j].options, out.options);
			ck_assert_uint_eq(in[j].seed, out.seed);
			ck_assert_int_eq(in[j].threshold, out.threshold);
			ck_assert_uint_eq(in[j].budget, out.budget);
			ck_assert_uint_eq(in[j].proof, out.proof);
			ck_assert_uint_eq(in[j].rival.k, out.rival.k);
			ck_assert_uint_eq(in[j].rival.second, out.rival.second);
			ck_assert_uint_eq(in[j].rival.limit, out.rival.limit);
			ck_assert_uint_eq(in[j].rival.from, out.rival.from);
			ck_assert_uint_eq(in[j].rival.most, out.rival.most);
			ck_assert_uint_eq(in[j].key_size, out.key_size);
			ck_assert(!out.key_size || memcmp(in[j].key, out.key, out.key_size) == 0);
		}
		ck_assert_int_eq(cw_next_task(&reader, &out, &fail), 0);
		free(copy);
	}
}
END_TEST

static uint8_t proof_bytes[CW_PROOF_MAX + 256];

static void random_result(struct cw_result *out)
{
	*out = (struct cw_result){.id = number_not_0(UINT64_MAX),
				  .solved = walk_below(&seed, 2),
				  .move = PD_NO_MOVE,
				  .nodes = draw_number(UINT64_MAX),
				  .cpu_ns = draw_number(UINT64_MAX)};
	if (out->solved) {
		out->proved = walk_below(&seed, 2);
		out->rank = (uint16_t)draw_number(UINT16_MAX);
		out->move = (uint16_t)draw_number(UINT16_MAX);
		out->effort = (uint32_t)draw_number(UINT32_MAX);
		out->proof_size = (uint16_t)draw_number(CW_PROOF_MAX);
		out->proof = out->proof_size ? proof_bytes + walk_below(&seed, 256) : NULL;
	} else {
		out->num[0] = (uint32_t)draw_number(UINT32_MAX);
		out->num[1] = (uint32_t)draw_number(UINT32_MAX);
	}
}

START_TEST(results_are_read_as_written)
{
	enum { MOST = 9 };
	static struct cw_result in[MOST], out;
	for (unsigned i = 0; i < sizeof proof_bytes; i++)
		proof_bytes[i] = (uint8_t)walk_random(&seed);
	for (unsigned i = 0, rounds = effort_of(500, 20); i < rounds; i++) {
		struct cw_reader reader;
		unsigned count = walk_below(&seed, MOST + 1);
		cw_begin(&buf, &plain);
		for (unsigned j = 0; j < count; j++) {
			random_result(&in[j]);
			ck_assert_uint_ge(cw_room(&buf), CW_RESULT_ROOM);
			cw_put_result(&buf, &in[j]);
		}
		uint8_t *copy = sent(&reader);
		for (unsigned j = 0; j < count; j++) {
			ck_assert_msg(cw_next_result(&reader, &out, &fail) == 1, "%s", fail.text);
			ck_assert_uint_eq(in[j].id, out.id);
			ck_assert_int_eq(in[j].solved, out.solved);
			ck_assert_int_eq(in[j].proved, out.proved);
			ck_assert_uint_eq(in[j].num[0], out.num[0]);
			ck_assert_uint_eq(in[j].num[1], out.num[1]);
			ck_assert_uint_eq(in[j].rank, out.rank);
			ck_assert_uint_eq(in[j].move, out.move);
			ck_assert_uint_eq(in[j].effort, out.effort);
			ck_assert_uint_eq(in[j].proof_size, out.proof_size);
			ck_assert(!out.proof_size || !memcmp(in[j].proof, out.proof, out.proof_size));
			ck_assert_uint_eq(in[j].nodes, out.nodes);
			ck_assert_uint_eq(in[j].cpu_ns, out.cpu_ns);
		}
		ck_assert_int_eq(cw_next_result(&reader, &out, &fail), 0);
		free(copy);
	}
}
END_TEST

START_TEST(heartbeats_are_read_as_written)
{
	static struct cw_heartbeat in, out;
	for (unsigned i = 0, rounds = effort_of(200, 10); i < rounds; i++) {
		struct cw_reader reader;
		in = (struct cw_heartbeat){.tasks_done = draw_number(UINT64_MAX),
					   .nodes = draw_number(UINT64_MAX),
					   .in_hand_count = (uint32_t)draw_number(CW_IN_HAND_MAX)};
		for (unsigned j = 0; j < in.in_hand_count; j++)
			in.in_hand[j] = number_not_0(UINT64_MAX);
		cw_begin(&buf, &plain);
		cw_put_heartbeat(&buf, &in);
		uint8_t *copy = sent(&reader);
		ck_assert_msg(cw_next_heartbeat(&reader, &out, &fail) == 1, "%s", fail.text);
		ck_assert_uint_eq(in.tasks_done, out.tasks_done);
		ck_assert_uint_eq(in.nodes, out.nodes);
		ck_assert_uint_eq(in.in_hand_count, out.in_hand_count);
		ck_assert(memcmp(in.in_hand, out.in_hand, in.in_hand_count * sizeof in.in_hand[0]) == 0);
		ck_assert_int_eq(cw_next_heartbeat(&reader, &out, &fail), 0);
		free(copy);
	}
}
END_TEST

START_TEST(cancels_and_refusals_are_read_as_written)
{
	static uint64_t ids[CW_BATCH_MAX];
	char room[CW_NAME_MAX];
	struct cw_reader reader;
	struct cw_refuse out;
	uint64_t id;
	for (unsigned i = 0, rounds = effort_of(500, 20); i < rounds; i++) {
		unsigned count = (unsigned)draw_number(CW_BATCH_MAX);
		struct cw_refuse in = {draw_number(UINT64_MAX), (uint32_t)draw_number(UINT32_MAX), text(room)};
		cw_begin(&buf, &plain);
		for (unsigned j = 0; j < count; j++)
			cw_put_cancel(&buf, ids[j] = number_not_0(UINT64_MAX));
		cw_put_refuse(&buf, &in);
		uint8_t *copy = sent(&reader);
		struct cw_reader second = reader;
		for (unsigned j = 0; j < count; j++) {
			ck_assert_int_eq(cw_next_cancel(&reader, &id, &fail), 1);
			ck_assert_uint_eq(id, ids[j]);
		}
		ck_assert_int_eq(cw_next_cancel(&reader, &id, &fail), 0);
		ck_assert_msg(cw_next_refuse(&second, &out, &fail) == 1, "%s", fail.text);
		ck_assert_uint_eq(out.id, in.id);
		ck_assert_uint_eq(out.why, in.why);
		same_text(out.text, in.text);
		free(copy);
	}
}
END_TEST

SUITE(wire)
{
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, the_envelope_is_read_as_written);
	tcase_add_test(c, hellos_are_read_as_written);
	tcase_add_test(c, tasks_are_read_as_written);
	tcase_add_test(c, known_positions_are_read_as_written_and_as_passed_on);
	tcase_add_test(c, results_are_read_as_written);
	tcase_add_test(c, heartbeats_are_read_as_written);
	tcase_add_test(c, cancels_and_refusals_are_read_as_written);
}
