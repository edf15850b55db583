/* Mutated requests: whatever the bytes are, an exchange comes of them, can be answered, and its reply is valid JSON-RPC
 * (V1). The seed is printed and taken back from TEST_SEED. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/rpc.h"
#include "tests/support/suite.h"

enum { ROUNDS = 100000, BYTES_MAX = 2048 };

static const char *const seeds[] = {
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"job.submit\",\"params\":{\"game\":\"connect4:7x6\","
	"\"position\":\"444\",\"claim\":"
	"\"value\",\"budget\":{\"nodes\":1e6,\"seconds\":2.5},\"memory\":\"512M\",\"priority\":-3,\"key\":\"k\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"fact.query\",\"params\":{\"game\":\"mnk:3,3,3\",\"positions\":["
	"\"\",\"a1 b2\"],\"moves\":"
	"true}}",
	"[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"job.get\",\"params\":{\"job\":1}},{\"jsonrpc\":\"2.0\",\"method\":"
	"\"job.pause\",\"params\":{"
	"\"job\":2}},5,{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"job.list\",\"params\":{\"state\":\"solved\","
	"\"limit\":10}}]",
	"{\"jsonrpc\":\"2.0\",\"id\":-9,\"method\":\"job.watch\",\"params\":{\"job\":3,\"interval\":0.5}}",
};
static const char *const scraps[] = {"{",
				     "}",
				     "[",
				     "]",
				     "\"",
				     ":",
				     ",",
				     "\\",
				     "\\u0000",
				     "null",
				     "1e999",
				     "-0",
				     "99999999999999999999",
				     "\xff",
				     "\xc3\xa4",
				     "\"jsonrpc\":\"2.0\"",
				     "\"id\":{}",
				     "\"params\":[]",
				     "[[[[[[[[[[[[[[[[[[[[",
				     "\n",
				     "0.5",
				     "true"};

static uint64_t state;

static uint64_t pick_number(uint64_t below)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (state >> 11) % below;
}

static size_t replace(char *text, size_t size, size_t at, size_t gone, const char *put, size_t more)
{
	if (size - gone + more > BYTES_MAX)
		return size;
	memmove(text + at + more, text + at + gone, size - at - gone);
	memcpy(text + at, put, more);
	return size - gone + more;
}

static size_t mutate_bytes(char *text, size_t size)
{
	for (uint64_t n = 1 + pick_number(4); n-- && size;) {
		size_t at = pick_number(size),
		       gone = pick_number(8) < size - at ? pick_number(size - at < 8 ? size - at : 8) : 0;
		const char *scrap = scraps[pick_number(sizeof scraps / sizeof *scraps)];
		const char byte = (char)pick_number(256);
		switch (pick_number(6)) {
		case 0:
			text[at] = byte;
			break;
		case 1:
			size = replace(text, size, at, 0, scrap, strlen(scrap));
			break;
		case 2:
			size = replace(text, size, at, gone, "", 0);
			break;
		case 3:
			size = replace(text, size, at, gone, scrap, strlen(scrap));
			break;
		case 4: { /* a piece of the text again, elsewhere */
			char piece[64];
			size_t length = size - at < sizeof piece ? size - at : sizeof piece;
			memcpy(piece, text + at, length);
			size = replace(text, size, pick_number(size), 0, piece, length);
			break;
		}
		case 5:
			size = at; /* cut off */
			break;
		}
	}
	return size;
}

static void check_reply(pr_ref reply)
{
	ck_assert_str_eq(pr_get_str(reply, "jsonrpc", ""), "2.0");
	ck_assert(pr_has(reply, "id"));
	ck_assert(pr_has(reply, "result") != pr_has(reply, "error"));
	if (pr_has(reply, "error")) {
		pr_ref error = pr_get(reply, "error");
		ck_assert_int_ne(pr_get_int(error, "code", 0), 0);
		ck_assert_ptr_nonnull(pr_get_str(error, "message", NULL));
		ck_assert_str_eq(pr_get_str(pr_get(error, "data"), "slug", ""),
				 pd_error_slug((int)pr_get_int(error, "code", 0)));
	}
}

static void check_line(const char *text, size_t size)
{
	struct pd_fail fail;
	struct pd_buf out;
	/* In memory of its own size, so that reading too far is seen. */
	char *line = malloc(size ? size : 1);
	memcpy(line, text, size);
	struct pr_exchange *exchange = pr_exchange_new(line, size);
	free(line);
	ck_assert_ptr_nonnull(exchange);
	for (unsigned i = 0; i < pr_exchange_count(exchange); i++) {
		struct pr_call *call = pr_exchange_call(exchange, i);
		if (!call)
			continue;
		ck_assert_uint_lt(call->method, PR_METHOD_COUNT);
		if (pick_number(2)) {
			pr_call_result(call, "{\"ok\":[1]}", 10);
		} else {
			pd_fail_set(&fail, PD_E_POSITION, "position", "'%.40s' is not one",
				    pr_get_str(call->params, "position", "\xff"));
			pr_call_error(call, &fail);
		}
	}
	ck_assert(pr_exchange_done(exchange));
	pd_buf_init(&out, PR_REPLY_MAX);
	pr_exchange_reply(exchange, &out);
	ck_assert(!out.failed);
	if (out.size) {
		struct pr_doc *doc;
		ck_assert_int_eq(out.data[out.size - 1], '\n');
		ck_assert_ptr_eq(memchr(out.data, '\n', out.size), out.data + out.size - 1);
		ck_assert_msg(!pr_doc_parse(out.data, out.size, &doc, &fail), "%s: %s", out.data, fail.text);
		pr_ref root = pr_doc_root(doc);
		if (pr_kind_of(root) == PR_ARRAY)
			for (size_t i = 0; i < pr_count(root); i++)
				check_reply(pr_at(root, i));
		else
			check_reply(root);
		pr_doc_free(doc);
	}
	pd_buf_fini(&out);
	pr_exchange_free(exchange);
}

START_TEST(every_line_gets_a_valid_reply)
{
	char text[BYTES_MAX];
	const char *seed = getenv("TEST_SEED");
	state = seed ? strtoull(seed, NULL, 0) : pd_now_ns() | 1;
	printf("TEST_SEED=%" PRIu64 "\n", state);
	fflush(stdout);
	for (int i = 0; i < ROUNDS; i++) {
		const char *start = seeds[pick_number(sizeof seeds / sizeof *seeds)];
		size_t size = strlen(start);
		memcpy(text, start, size);
		check_line(text, mutate_bytes(text, size));
	}
}
END_TEST

SUITE(hostile)
{
	tcase_set_timeout(c, 100);
	tcase_add_test(c, every_line_gets_a_valid_reply);
}
