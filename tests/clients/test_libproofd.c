/* libproofd with addresses that are none and servers that are none: every call ends, with an error that says why. What
 * it does with real ones the stories of tests/clients/conformance show. */

#include <math.h>
#include <string.h>

#include "clients/libproofd/client.h"
#include "tests/support/effort.h"
#include "tests/support/liar.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

START_TEST(test_addresses_that_are_none)
{
	static const struct {
		const char *address, *field;
	} bad[] = {{"http://localhost:4590", "address"},
		   {"localhost", "address"},
		   {":4590", "address"},
		   {"localhost:", "address"},
		   {"localhost:99999", "address"},
		   {"[]:1", "address"},
		   {"localhost:12x", "address"}};
	char path[300];
	struct proofd *server = NULL;
	struct proofd_error error;
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_int_eq(proofd_open(&(struct proofd_options){.address = bad[i].address}, &server, &error), -1);
		ck_assert_str_eq(error.slug, "usage");
		ck_assert_str_eq(error.field, bad[i].field);
		ck_assert_ptr_nonnull(strchr(error.message, ' '));
	}
	memset(path, '/', sizeof path);
	path[sizeof path - 1] = 0;
	ck_assert_int_eq(proofd_open(&(struct proofd_options){.address = path}, &server, &error), -1);
	ck_assert_str_eq(error.field, "address");
	ck_assert_int_eq(proofd_open(&(struct proofd_options){.address = "/a/b", .tls = true}, &server, &error), -1);
	ck_assert_str_eq(error.field, "tls");
	ck_assert_int_eq(proofd_open(&(struct proofd_options){.address = "/nonexistent/socket"}, &server, NULL), -1);
	ck_assert_ptr_null(server);
	proofd_close(NULL);
	proofd_reply_free(NULL);
	proofd_watch_end(NULL);
}
END_TEST

START_TEST(test_values_that_are_missing)
{
	ck_assert_int_eq(proofd_kind(NULL), PROOFD_MISSING);
	ck_assert_ptr_null(proofd_get(NULL, "x"));
	ck_assert_ptr_null(proofd_at(NULL, 3));
	ck_assert_uint_eq(proofd_count(NULL), 0);
	ck_assert_str_eq(proofd_text(NULL, "none"), "none");
	ck_assert_int_eq(proofd_int(NULL, 7), 7);
	ck_assert(proofd_real(NULL, 0.5) == 0.5 && proofd_bool(NULL, true));
	struct proofd_fact fact;
	struct proofd_job job;
	proofd_fact_of(NULL, &fact);
	proofd_job_of(NULL, &job);
	ck_assert(!fact.known && !fact.text[0] && !job.job && !job.over);
}
END_TEST

/* --- servers that are none ------------------------------------------------------------------ */

static int open_at(const struct liar *l, struct proofd **out, struct proofd_error *error)
{
	const struct proofd_options options = {
		.address = l->path, .reconnect_s = -1, .timeout_s = 20, .connect_timeout_s = 20};
	return proofd_open(&options, out, error);
}

START_TEST(test_greetings_that_are_none)
{
	static const struct {
		const char *line, *slug;
	} bad[] = {{"HTTP/1.1 400 Bad Request\r\n", "protocol"},
		   {"{}\n", "protocol"},
		   {"[]\n", "protocol"},
		   {"7\n", "protocol"},
		   {"{\"id\":1}\n", "protocol"},
		   {"{\"id\":\"x\",\"result\":7}\n", "unreachable"},
		   {"{\"id\":null,\"error\":{\"code\":8,\"message\":\"too many\",\"data\":{\"slug\":\"limit\"}}}\n",
		    "limit"},
		   {"{\"id\":1,\"error\":{}}\n", "internal"},
		   {"", "unreachable"},
		   {"{\"id\":1,", "unreachable"}};
	struct liar l = {.line = {NULL}};
	struct proofd *server;
	struct proofd_error error;
	liar_start(&l);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		l.line[0] = bad[i].line;
		ck_assert_int_eq(open_at(&l, &server, &error), -1);
		liar_wait(&l);
		ck_assert_msg(!strcmp(error.slug, bad[i].slug), "%u: %s, %s", i, error.slug, error.message);
	}
	liar_end(&l);
}
END_TEST

START_TEST(test_replies_that_are_none)
{
	static const struct {
		const char *line, *slug;
	} bad[] = {{"{\"id\":2,\"result\":{\"facts\":[]}}\n", "protocol"},
		   {"{\"id\":2,\"result\":null}\n", "protocol"},
		   {"{\"id\":2,\"result\":{\"facts\":[{},{}]}}\n", "protocol"},
		   {"{\"id\":2,\"error\":7}\n", "internal"},
		   {"{\"id\":99,\"result\":1}\n", "unreachable"},
		   {"{\"method\":\"job.progress\"}\n", "unreachable"},
		   {"{\"method\":7,\"params\":[]}\n", "unreachable"},
		   {"nonsense\n", "protocol"}};
	struct liar l = {.line = {liar_hello}};
	struct proofd *server;
	struct proofd_error error;
	struct proofd_fact fact;
	liar_start(&l);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		l.line[1] = bad[i].line;
		ck_assert_msg(!open_at(&l, &server, &error), "%s", error.message);
		ck_assert_int_eq(proofd_query(server, "mnk:3,3,3", "", &fact, &error), -1);
		ck_assert_msg(!strcmp(error.slug, bad[i].slug), "%u: %s, %s", i, error.slug, error.message);
		proofd_close(server);
		liar_wait(&l);
	}
	/* Parameters that are none never reach the server. */
	ck_assert(!open_at(&l, &server, &error));
	ck_assert_int_eq(proofd_call(server, "job.get", "{\"job\":", NULL, &error), -1);
	ck_assert_str_eq(error.slug, "parse-error");
	ck_assert_int_eq(proofd_call(server, "job.get", "[1]", NULL, &error), -1);
	ck_assert_str_eq(error.field, "params");
	const struct proofd_question question = {.game = "mnk:3,3,3", .more = "{\"claim\": \"value\"}"};
	uint32_t job;
	ck_assert_int_eq(proofd_submit(server, &question, &job, &error), -1);
	ck_assert_str_eq(error.field, "claim");
	proofd_close(server);
	liar_end(&l);
}
END_TEST

/* Good lines with some bytes changed: whatever comes of it, it comes to an end. */
START_TEST(test_noise)
{
	static const char *const good[] = {
		liar_hello,
		"{\"id\":2,\"result\":{\"facts\":[{\"lo\":-1,\"hi\":1,\"text\":\"unknown\",\"rank\":null}]}}\n",
		"{\"method\":\"job.progress\",\"params\":{\"job\":1,\"state\":\"running\"}}\n"
		"{\"id\":3,\"result\":{\"job\":1,\"state\":\"solved\",\"value\":{\"lo\":1,\"hi\":1},\"pn\":\"inf\"}}"
		"\n"};
	char line[3][256];
	uint64_t random = 5;
	struct liar l = {.line = {line[0], line[1], line[2]}};
	unsigned rounds = effort_of(400, 40), answers = 0;
	liar_start(&l);
	for (unsigned round = 0; round < rounds; round++) {
		struct proofd *server;
		struct proofd_error error = {.message = ""};
		struct proofd_fact fact;
		struct proofd_reply *reply = NULL;
		/* What comes behind noise is the end, so that nothing is waited for. */
		unsigned noisy = round % 3;
		for (unsigned i = 0; i < 3; i++) {
			l.line[i] = i <= noisy ? line[i] : NULL;
			size_t size = strlen(good[i]);
			memcpy(line[i], good[i], size + 1);
			for (uint64_t n = model_random(&random, 3); n && i == noisy; n--)
				line[i][model_random(&random, size - 1)] = (char)(1 + model_random(&random, 255));
		}
		if (open_at(&l, &server, &error)) {
			ck_assert(error.slug[0] && error.message[0]);
			liar_wait(&l);
			continue;
		}
		if (proofd_query(server, "mnk:3,3,3", "", &fact, &error))
			ck_assert(error.slug[0] && error.message[0]);
		else if (!proofd_wait(server, 1, NULL, &reply, &error)) /* on the same connection */
			answers++;
		proofd_reply_free(reply);
		proofd_close(server);
		liar_wait(&l);
	}
	ck_assert_uint_gt(answers, 0);
	liar_end(&l);
}
END_TEST

/* --- order and time ----------------------------------------------------------------------- */

static int leave_at_once(void *ctx, proofd_value job)
{
	return 1;
}

/* A server that is told to watch a job and then no longer to watch it says nothing more of it. */
START_TEST(test_a_wait_that_ended_early_and_another_one)
{
	struct liar l = {.line = {liar_hello, "{\"id\":2,\"result\":{\"job\":1,\"state\":\"running\"}}\n",
				  "{\"id\":3,\"result\":{}}\n",
				  "{\"id\":4,\"result\":{\"job\":1,\"state\":\"solved\"}}\n"}};
	struct proofd *server;
	struct proofd_error error;
	struct proofd_reply *reply = NULL;
	const struct proofd_follow leave = {.progress = leave_at_once};
	liar_start(&l);
	ck_assert_msg(!open_at(&l, &server, &error), "%s", error.message);
	ck_assert_msg(!proofd_wait(server, 1, &leave, NULL, &error), "%s", error.message);
	ck_assert_msg(!proofd_wait(server, 1, NULL, &reply, &error), "%s", error.message);
	ck_assert_str_eq(proofd_text(proofd_get(proofd_result(reply), "state"), ""), "solved");
	proofd_reply_free(reply);
	proofd_close(server);
	liar_wait(&l);
	static const char *const methods[] = {"server.hello", "job.watch", "job.unwatch", "job.watch"};
	ck_assert_uint_eq(l.got_count, 4);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_msg(strstr(l.got[i], methods[i]) != NULL, "%u: %s", i, l.got[i]);
	liar_end(&l);
}
END_TEST

/* The next connection gets no greeting. Its time is that of the call, whatever a try to connect may take. */
START_TEST(test_a_call_ends_in_time_while_the_connection_is_made_again)
{
	static const double patience[] = {100000, INFINITY};
	struct liar l = {.line = {liar_hello}};
	struct proofd *server;
	struct proofd_error error;
	struct proofd_fact fact;
	const struct proofd_options options = {
		.address = l.path, .timeout_s = 20, .connect_timeout_s = patience[_i], .reconnect_s = INFINITY};
	liar_start(&l);
	ck_assert_msg(!proofd_open(&options, &server, &error), "%s", error.message);
	l.line[0] = liar_silence;
	proofd_timeout(server, 0.3);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(proofd_query(server, "mnk:3,3,3", "", &fact, &error), -1);
		ck_assert_msg(!strcmp(error.slug, "timeout"), "%s, %s", error.slug, error.message);
	}
	proofd_close(server);
	liar_end(&l);
}
END_TEST

START_TEST(test_a_start_ends_in_time)
{
	struct liar l = {.line = {"{\"id\":1,\"result\":{\"limits\":{\"inflight\":1}}}\n", liar_silence}};
	struct proofd *server;
	struct proofd_pending *call[2], *more = NULL;
	struct proofd_error error;
	liar_start(&l);
	ck_assert_msg(!open_at(&l, &server, &error), "%s", error.message);
	proofd_timeout(server, 0.3);
	for (unsigned i = 0; i < 2; i++) /* one is under way, and one waits */
		ck_assert_msg(!proofd_start(server, "server.stats", NULL, &call[i], &error), "%s", error.message);
	for (unsigned i = 0; i < 3; i++) { /* what has failed is not in the way of the next one */
		ck_assert_int_eq(proofd_start(server, "server.stats", NULL, &more, &error), -1);
		ck_assert_str_eq(error.slug, "timeout");
		ck_assert_ptr_null(more);
	}
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(proofd_finish(call[i], NULL, &error), -1);
		ck_assert_str_eq(error.slug, "timeout");
	}
	proofd_close(server);
	liar_end(&l);
}
END_TEST

/* The first tries find a server that hangs up. */
START_TEST(test_a_connection_is_made_again_for_ever)
{
	static const double ever[] = {INFINITY, 1e300, 60};
	struct liar l = {.line = {liar_hello}};
	struct proofd *server;
	struct proofd_error error;
	struct proofd_reply *reply = NULL;
	const struct proofd_options options = {.address = l.path, .timeout_s = 0.1, .reconnect_s = ever[_i]};
	liar_start(&l);
	ck_assert_msg(!proofd_open(&options, &server, &error), "%s", error.message);
	l.line[0] = "";
	ck_assert_int_eq(proofd_call(server, "server.stats", NULL, NULL, &error), -1);
	ck_assert_msg(!strcmp(error.slug, "timeout"), "%s, %s", error.slug, error.message);
	l.line[0] = "{\"id\":null,\"error\":{\"code\":8,\"message\":\"many\",\"data\":{\"slug\":\"limit\"}}}\n";
	ck_assert_int_eq(proofd_call(server, "server.stats", NULL, &reply, &error), -1);
	ck_assert_msg(!strcmp(error.slug, "timeout"), "%s, %s", error.slug, error.message);
	proofd_close(server);
	liar_end(&l);
}
END_TEST

/* Two watches of a job are told by one message, and what they have is freed by two threads. */
static void *free_all(void *replies)
{
	for (struct proofd_reply **reply = replies; *reply; reply++)
		proofd_reply_free(*reply);
	return NULL;
}

START_TEST(test_states_that_two_threads_free)
{
	enum { WATCHES = 6 };
	struct liar l = {.line = {liar_hello, "", "", "", "", "",
				  "{\"method\":\"job.progress\",\"params\":{\"job\":1,\"state\":\"running\"}}\n"}};
	struct proofd *server;
	struct proofd_error error;
	struct proofd_watch *watch[WATCHES];
	struct proofd_reply *state[2][WATCHES / 2 + 1] = {{NULL}};
	pthread_t other;
	liar_start(&l);
	ck_assert_msg(!open_at(&l, &server, &error), "%s", error.message);
	for (unsigned i = 0; i < WATCHES; i++)
		ck_assert(!proofd_watch(server, 1, 1, &watch[i], &error));
	for (unsigned i = 0; i < WATCHES; i++)
		ck_assert_int_eq(proofd_watch_next(watch[i], &state[i % 2][i / 2], &error), 1);
	for (unsigned i = 1; i < WATCHES; i++)
		ck_assert_ptr_eq(proofd_result(state[i % 2][i / 2]), proofd_result(state[0][0]));
	for (unsigned i = 0; i < WATCHES; i++)
		proofd_watch_end(watch[i]);
	proofd_close(server);
	ck_assert(!pthread_create(&other, NULL, free_all, state[1]));
	free_all(state[0]);
	pthread_join(other, NULL);
	liar_end(&l);
}
END_TEST

SUITE(libproofd)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, test_addresses_that_are_none);
	tcase_add_test(c, test_values_that_are_missing);
	tcase_add_test(c, test_greetings_that_are_none);
	tcase_add_test(c, test_replies_that_are_none);
	tcase_add_test(c, test_noise);
	tcase_add_test(c, test_a_wait_that_ended_early_and_another_one);
	tcase_add_loop_test(c, test_a_call_ends_in_time_while_the_connection_is_made_again, 0, 2);
	tcase_add_test(c, test_a_start_ends_in_time);
	tcase_add_loop_test(c, test_a_connection_is_made_again_for_ever, 0, 3);
	tcase_add_test(c, test_states_that_two_threads_free);
}
