/* Quick queries give the replies of the general way, byte for byte: each line is sent both ways to one core with facts
 * in it. The seed is printed and taken back from TEST_SEED. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/fastpath.h"
#include "server/api/request_lines.h"
#include "server/api/session_state.h"
#include "server/api/session.h"
#include "server/core.h"
#include "tests/support/insession.h"
#include "tests/support/fast_lines.h"
#include "tests/support/suite.h"

enum { ROUNDS = 10000 };

static void solve_game(struct insession *s, const char *game)
{
	char params[100], state[16];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"game\":\"%s\",\"detail\":\"full\"", game);
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	insession_wait(s, (unsigned)pr_get_int(result, "job", 0), state);
	ck_assert_str_eq(state, "solved");
	pr_doc_free(doc);
}

static void send_line(struct sv_session *session, const char *line, size_t size)
{
	sv_session_line(session, line, size);
}

static void send_general(struct sv_session *session, const char *line, size_t size)
{
	sv_request_line(session, line, size, false);
}

/* The reply to a line; NULL for none: a notification may keep a reader busy and get no reply. */
static char *reply_of(struct insession *s, void (*send)(struct sv_session *, const char *, size_t), const char *line,
		      size_t size)
{
	send(s->session, line, size);
	while (sv_session_inflight(s->session)) {
		sched_yield();
		sv_core_pump(s->core);
	}
	return s->count ? insession_line(s) : NULL;
}

START_TEST(every_line_has_the_reply_of_the_general_way)
{
	const char *given = getenv("TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : pd_now_ns();
	struct insession s;
	char line[QUICKLINE_MAX];
	unsigned quick = 0, usual = 0, facts = 0, lines = 0;
	printf("TEST_SEED=%" PRIu64 "\n", seed);
	insession_open(&s, NULL, 1, 0.05);
	solve_game(&s, "connect4:4x4");
	solve_game(&s, "mnk:3,3,3");
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct pr_fastpath query;
		size_t size = quickline(&seed, line);
		bool taken = pr_fastpath_read(line, size, &query);
		quick += taken;
		usual += taken && query.usual;
		char *one = reply_of(&s, send_line, line, size), *two = reply_of(&s, send_general, line, size);
		ck_assert_int_eq(one == NULL, two == NULL);
		if (one) {
			ck_assert_msg(!strcmp(one, two), "%.*s\n%s%s", (int)size, line, one, two);
			facts += strstr(one, "\"source\":\"fact\"") != NULL;
			lines++;
		}
		ck_assert_uint_eq(sv_session_inflight(s.session), 0);
		free(one);
		free(two);
	}
	ck_assert_uint_gt(usual, ROUNDS / 40);
	ck_assert_uint_gt(quick - usual, ROUNDS / 40);
	ck_assert_uint_gt(facts, ROUNDS / 30);
	ck_assert_uint_gt(lines, quick);
	insession_close(&s);
}
END_TEST

/* A large one, for a reader thread. */
static char *large(unsigned count, const char *text)
{
	char *line = malloc(200 + count * (strlen(text) + 3)), *p = line;
	p += sprintf(p, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"fact.query\",\"params\":{\"game\":\"connect4:4x4\","
			"\"positions\":[");
	for (unsigned i = 0; i < count; i++)
		p += sprintf(p, "%s\"%s\"", i ? "," : "", text);
	sprintf(p, "]}}");
	return line;
}

START_TEST(large_ones_count_as_pending_until_they_are_answered)
{
	struct insession s;
	char *line = large(1000, "12"), *first = NULL;
	insession_open(&s, NULL, 0, 2);
	for (unsigned i = 0; i < SV_INFLIGHT_MAX; i++)
		insession_send(&s, line);
	ck_assert_uint_eq(sv_session_inflight(s.session), SV_INFLIGHT_MAX);
	for (unsigned i = 0; i < SV_INFLIGHT_MAX; i++) {
		char *reply = insession_line(&s);
		ck_assert_ptr_nonnull(strstr(reply, "\"id\":3,\"result\":{\"facts\":[{"));
		ck_assert(!first || !strcmp(reply, first));
		if (first)
			free(reply);
		else
			first = reply;
	}
	ck_assert_uint_eq(sv_session_inflight(s.session), 0);
	free(first);
	free(line);
	insession_close(&s);
}
END_TEST

START_TEST(a_session_may_close_before_its_large_ones_are_answered)
{
	struct insession s;
	char *line = large(3000, "1234");
	insession_open(&s, NULL, 0, 2);
	for (unsigned i = 0; i < 20; i++)
		insession_send(&s, line);
	insession_close(&s);
	free(line);
}
END_TEST

/* What fails in a reader is told by the general way: one bad game, many positions. */
START_TEST(a_large_one_that_fails_is_refused_once)
{
	struct insession s;
	char *line = large(200, "1"), *game = strstr(line, "4x4");
	memcpy(game, "9z9", 3);
	insession_open(&s, NULL, 0, 2);
	insession_send(&s, line);
	char *reply = insession_line(&s);
	ck_assert_ptr_nonnull(strstr(reply, "\"id\":3,\"error\":{"));
	ck_assert_uint_eq(sv_session_inflight(s.session), 0);
	ck_assert_uint_eq(s.count, 0);
	free(reply);
	free(line);
	insession_close(&s);
}
END_TEST

SUITE(fast_query)
{
	tcase_set_timeout(c, 500);
	tcase_add_test(c, every_line_has_the_reply_of_the_general_way);
	tcase_add_test(c, large_ones_count_as_pending_until_they_are_answered);
	tcase_add_test(c, a_session_may_close_before_its_large_ones_are_answered);
	tcase_add_test(c, a_large_one_that_fails_is_refused_once);
}
