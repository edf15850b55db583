/* libproofd with addresses that are none and servers that are none: every call ends, with an error that says why. What
 * it does with real ones the stories of tests/clients/conformance show. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clients/libproofd/client.h"
#include "tests/support/check_main.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"

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

enum { LINES_MAX = 8 };

/* A server that answers the n-th line with `line[n]`, whatever was asked, and then hangs up. */
struct liar {
	char dir[256], path[280];
	const char *line[LINES_MAX]; /* NULL ends the list */
	int listener;
	int done[2]; /* a pipe: a byte for each connection that has ended */
	pthread_t thread;
};

static void serve(const struct liar *l, int fd)
{
	char byte;
	for (unsigned i = 0; i < LINES_MAX && l->line[i]; i++) {
		ssize_t n;
		while ((n = recv(fd, &byte, 1, 0)) == 1 && byte != '\n')
			;
		if (n <= 0 || send(fd, l->line[i], strlen(l->line[i]), MSG_NOSIGNAL) < 0)
			break;
	}
	shutdown(fd, SHUT_WR);
	while (recv(fd, &byte, 1, 0) == 1)
		;
	close(fd);
}

static void *serve_all(void *arg)
{
	const struct liar *l = arg;
	int fd;
	while ((fd = accept(l->listener, NULL, NULL)) >= 0) {
		serve(l, fd);
		if (write(l->done[1], "", 1) != 1)
			abort();
	}
	return NULL;
}

static void liar_start(struct liar *l)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	storedir_new(l->dir, sizeof l->dir);
	snprintf(l->path, sizeof l->path, "%s/socket", l->dir);
	ck_assert(!pipe(l->done));
	ck_assert_uint_lt(strlen(l->path), sizeof at.sun_path);
	memcpy(at.sun_path, l->path, strlen(l->path));
	l->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert(!bind(l->listener, (struct sockaddr *)&at, sizeof at) && !listen(l->listener, 5));
	ck_assert(!pthread_create(&l->thread, NULL, serve_all, l));
}

/* Waits until a connection has ended: the lines may be changed then. */
static void liar_wait(const struct liar *l)
{
	char byte;
	ck_assert(read(l->done[0], &byte, 1) == 1);
}

static void liar_end(struct liar *l)
{
	shutdown(l->listener, SHUT_RDWR);
	pthread_join(l->thread, NULL);
	close(l->listener);
	close(l->done[0]);
	close(l->done[1]);
	storedir_remove(l->dir);
}

static int open_at(const struct liar *l, struct proofd **out, struct proofd_error *error)
{
	const struct proofd_options options = {
		.address = l->path, .reconnect_s = -1, .timeout_s = 20, .connect_timeout_s = 20};
	return proofd_open(&options, out, error);
}

static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"limits\":{}}}\n";

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
	struct liar l = {.line = {hello}};
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
		hello, "{\"id\":2,\"result\":{\"facts\":[{\"lo\":-1,\"hi\":1,\"text\":\"unknown\",\"rank\":null}]}}\n",
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

int main(void)
{
	Suite *s = suite_create("libproofd");
	TCase *c = tcase_create("libproofd");
	tcase_set_timeout(c, 110);
	tcase_add_test(c, test_addresses_that_are_none);
	tcase_add_test(c, test_values_that_are_missing);
	tcase_add_test(c, test_greetings_that_are_none);
	tcase_add_test(c, test_replies_that_are_none);
	tcase_add_test(c, test_noise);
	suite_add_tcase(s, c);
	return check_main(s);
}
