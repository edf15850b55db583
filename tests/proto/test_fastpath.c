/* Quick queries: what the quick reader takes, the general reader takes as well, and reads the same; what it must take,
 * it takes. Lines are written from a grammar around the quick shape and then mutated; the seed is printed and taken
 * back from TEST_SEED. That whole replies are the same is for tests/server/test_fast_query.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/plain.h"
#include "proto/fastpath.h"
#include "proto/rpc.h"
#include "tests/support/fast_lines.h"
#include "tests/support/suite.h"

enum { ROUNDS = 200000 };

/* The members that the usual shape does not have. */
static void agree_on_moves(struct pr_fastpath *quick, pr_ref params)
{
	char text[PR_FAST_TEXT];
	pr_ref moves = pr_get(params, "moves");
	enum pr_kind kind = pr_kind_of(moves);
	ck_assert(!pr_has(params, "notation"));
	if (quick->usual) {
		ck_assert_uint_eq(pr_count(params), 2);
		return;
	}
	ck_assert_int_eq(quick->each, pr_get_bool(params, "moves", false) || pr_get_bool(params, "each_move", false));
	ck_assert_int_eq(quick->moves == PR_FAST_RECORD, kind == PR_STRING);
	ck_assert_int_eq(quick->moves == PR_FAST_LIST, kind == PR_ARRAY);
	if (kind == PR_STRING) {
		pr_fastpath_record(quick, text);
		ck_assert_str_eq(text, pr_text(moves, "?"));
	}
	for (size_t i = 0; kind == PR_ARRAY && i < pr_count(moves); i++) {
		ck_assert(pr_fastpath_move(quick, text));
		ck_assert_str_eq(text, pr_text(pr_at(moves, i), "?"));
	}
	ck_assert(kind != PR_ARRAY || !pr_fastpath_move(quick, text));
}

/* Holds the general reader to what the quick one says. Returns whether the line is a quick query. */
static bool readers_agree(const char *text, size_t size)
{
	struct pr_fastpath quick;
	struct pd_buf mine, theirs;
	struct pr_out out;
	char position[PR_FAST_TEXT];
	char *line = malloc(size ? size : 1); /* of its own size, so that reading too far is seen */
	memcpy(line, text, size);
	if (!pr_fastpath_read(line, size, &quick)) {
		free(line);
		return false;
	}
	struct pr_exchange *exchange = pr_exchange_new(line, size);
	ck_assert_uint_eq(pr_exchange_count(exchange), 1);
	struct pr_call *call = pr_exchange_call(exchange, 0);
	ck_assert_msg(call, "the general reader refuses %.*s", (int)size, text);
	ck_assert_int_eq(call->method, PR_FACT_QUERY);
	ck_assert_str_eq(pr_get_str(call->params, "game", "?"), quick.game);
	ck_assert_uint_eq(quick.left, quick.count);
	pr_ref list = pr_get(call->params, "positions");
	ck_assert_int_eq(quick.many, list != NULL);
	if (list)
		ck_assert_uint_eq(pr_count(list), quick.count);
	else
		ck_assert_uint_eq(quick.count, 1);
	for (size_t i = 0; i < quick.count; i++) {
		ck_assert(pr_fastpath_next(&quick, position));
		ck_assert_str_eq(position,
				 list ? pr_text(pr_at(list, i), "?") : pr_get_str(call->params, "position", ""));
	}
	ck_assert(!pr_fastpath_next(&quick, position));
	agree_on_moves(&quick, call->params);
	pr_call_result(call, "[1]", 3);
	pd_buf_init(&mine, 4096);
	pd_buf_init(&theirs, 4096);
	pr_exchange_reply(exchange, &theirs);
	pr_out_init(&out, &mine);
	pr_fastpath_open(&quick, &out);
	pr_raw(&out, "result", "[1]", 3);
	pr_close(&out);
	pd_buf_put(&mine, "\n", 1);
	ck_assert_str_eq(mine.data, theirs.data);
	pd_buf_fini(&mine);
	pd_buf_fini(&theirs);
	pr_exchange_free(exchange);
	free(line);
	return true;
}

#define HEAD "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"fact.query\",\"params\":{\"game\":"

START_TEST(the_shape_is_taken)
{
	static const char *const lines[] = {
		HEAD "\"connect4:7x6\",\"position\":\"444\"}}",
		HEAD "\"g\",\"position\":\"\"}}",
		HEAD "\"g\",\"positions\":[\"\"]}}",
		HEAD "\"g\",\"positions\":[\"a\",\"\",\"a b {}[]:,/'\"]}}",
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"fact.query\",\"params\":{\"game\":\"g\",\"position\":\"1\"}"
		"}",
		"{\"jsonrpc\":\"2.0\",\"id\":-999999999999999999,\"method\":\"fact.query\",\"params\":{\"game\":\"g\","
		"\"position\":\"1\"}}",
		/* as Python's json.dumps writes it */
		"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"fact.query\", \"params\": {\"game\": \"g\", "
		"\"positions\": [\"1\", \"2\"]}}",
		" { \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"fact.query\" , \"params\" : { \"game\" : \"g\" "
		", \"position\" : \"1\" } } ",
		/* other orders, ids and members */
		"{\"id\":7,\"jsonrpc\":\"2.0\",\"method\":\"fact.query\",\"params\":{\"game\":\"g\",\"position\":\"1\"}"
		"}",
		"{\"params\":{\"positions\":[\"1\",\"2\"],\"game\":\"g\"},\"method\":\"fact.query\",\"id\":\"7\","
		"\"jsonrpc\":"
		"\"2.0\"}",
		"\t{\"jsonrpc\":\t\"2.0\",\r\"id\":null,\"method\":\"fact.query\",\"params\":{\"game\":\"g\"}}\r",
		"{\"method\":\"fact.query\",\"params\":{\"game\":\"g\"},\"jsonrpc\":\"2.0\",\"id\":\"\"}",
		HEAD "\"g\"}}",
		HEAD "\"g\",\"position\":\"1\",\"moves\":true}}",
		HEAD "\"g\",\"moves\":false,\"position\":\"1\",\"each_move\":true}}",
		HEAD "\"g\",\"position\":\"1\",\"moves\":[\"a\",\"b c\"]}}",
		HEAD "\"g\",\"moves\":[]}}",
		HEAD "\"g\",\"position\":\"1\",\"moves\":\"1. e4 e5\"}}",
		HEAD "\"g\",\"positions\":[\"1\",\"2\"],\"moves\":true}}",
	};
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		ck_assert_msg(readers_agree(lines[i], strlen(lines[i])), "%s", lines[i]);
}
END_TEST

START_TEST(what_differs_is_left_to_the_general_reader)
{
	static const char *const lines[] = {
		"",
		"{}",
		"[" HEAD "\"g\",\"position\":\"\"}}]",
		HEAD "\"\",\"position\":\"\"}}",
		HEAD "\"g\",\"positions\":[]}}",
		HEAD "\"g\",\"positions\":[\"1\",]}}",
		HEAD "\"g\",\"positions\":[\"1\" \"2\"]}}",
		HEAD "\"g\",\"position\":\"1\",\"positions\":[\"1\"]}}",
		HEAD "\"g\",\"position\":\"1\",\"position\":\"1\"}}",
		HEAD "\"g\",\"positions\":[\"1\"],\"moves\":[\"1\"]}}",
		HEAD "\"g\",\"position\":\"1\",\"moves\":null}}",
		HEAD "\"g\",\"position\":\"1\",\"moves\":[\"\\u0031\"]}}",
		HEAD "\"g\",\"position\":\"1\",\"notation\":\"san\"}}",
		HEAD "\"g\",\"position\":\"1\",\"each_move\":1}}",
		HEAD "\"g\",\"position\":\"1\"},\"more\":1}",
		HEAD "\"g\",\"position\":\"1\"},\"id\":7}",
		"{}",
		HEAD "\"g\",\"position\":\"\\u0034\"}}",
		HEAD "\"g\",\"position\":\"\xc3\xa4\"}}",
		HEAD "\"g\",\"position\":\"\xff\"}}",
		HEAD "\"g\",\"position\":\"a\tb\"}}",
		HEAD "\"g\",\"position\":\"1\"}}}",
		HEAD "\"g\",\"position\":\"1\"}",
		HEAD "\"g\",\"position\":\"1",
		HEAD "\"g\",\"position\":null}}",
		HEAD "\"g\",\"position\":1}}",
		HEAD "5,\"position\":\"1\"}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"fact.query\",\"params\":{\"game\":\"g\",\"position\":\"1\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":07,\"method\":\"fact.query\",\"params\":{\"game\":\"g\",\"position\":"
		"\"1\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":7.0,\"method\":\"fact.query\",\"params\":{\"game\":\"g\",\"position\":"
		"\"1\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":-,\"method\":\"fact.query\",\"params\":{\"game\":\"g\",\"position\":\"1\"}"
		"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1234567890123456789,\"method\":\"fact.query\",\"params\":{\"game\":\"g\","
		"\"position\":\"1\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"fact.line\",\"params\":{\"game\":\"g\",\"position\":\"1\"}"
		"}",
	};
	struct pr_fastpath quick;
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		ck_assert_msg(!pr_fastpath_read(lines[i], strlen(lines[i]), &quick), "%s", lines[i]);
}
END_TEST

/* A query of one kind, with texts of given sizes. */
static char *sized(size_t game, size_t position, size_t count, bool many)
{
	char *line = malloc(200 + game + (position + 3) * count), *p = line + sprintf(line, "%s\"", HEAD);
	memset(p, 'g', game);
	p += game;
	p += sprintf(p, many ? "\",\"positions\":[" : "\",\"position\":");
	for (size_t i = 0; i < count; i++) {
		p += sprintf(p, i ? ",\"" : "\"");
		memset(p, '1', position);
		p += position;
		*p++ = '"';
	}
	sprintf(p, many ? "]}}" : "}}");
	return line;
}

START_TEST(limits_are_those_of_the_general_reader)
{
	static const struct {
		size_t game, position, count;
		bool many, taken;
	} cases[] = {
		{95, 2047, 1, false, true}, {96, 1, 1, false, false},  {1, 2048, 1, false, false},
		{95, 2047, 9, true, true},  {1, 2048, 1, true, false}, {1, 2, 10000, true, true},
		{1, 2, 10001, true, false},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *line = sized(cases[i].game, cases[i].position, cases[i].count, cases[i].many);
		ck_assert_msg(readers_agree(line, strlen(line)) == cases[i].taken, "case %u", i);
		free(line);
	}
}
END_TEST

START_TEST(every_line_means_the_same_to_both)
{
	const char *given = getenv("TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : pd_now_ns();
	unsigned taken = 0, usual = 0;
	char line[QUICKLINE_MAX];
	printf("TEST_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t size = quickline(&seed, line);
		struct pr_fastpath quick;
		taken += readers_agree(line, size);
		usual += pr_fastpath_read(line, size, &quick) && quick.usual;
	}
	ck_assert_uint_gt(usual, ROUNDS / 40);
	ck_assert_uint_gt(taken - usual, ROUNDS / 40);
	ck_assert_uint_lt(taken, ROUNDS / 10 * 9);
}
END_TEST

START_TEST(plain_text_is_told_byte_for_byte)
{
	char text[40];
	for (size_t size = 1; size < 24; size++)
		for (size_t at = 0; at < size; at++)
			for (unsigned c = 0; c < 256; c++) {
				memset(text, c % 2 ? ' ' : '!', sizeof text);
				text[at] = (char)c;
				text[size] = '"';
				bool plain = c >= 32 && c < 128 && c != '"' && c != '\\';
				ck_assert_int_eq(pr_plain(text, size), plain);
			}
}
END_TEST

SUITE(fastpath)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, the_shape_is_taken);
	tcase_add_test(c, what_differs_is_left_to_the_general_reader);
	tcase_add_test(c, limits_are_those_of_the_general_reader);
	tcase_add_test(c, every_line_means_the_same_to_both);
	tcase_add_test(c, plain_text_is_told_byte_for_byte);
}
