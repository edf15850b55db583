/* The log never waits: not for a pipe that no one empties, and not at the cost of others who share it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "tests/support/check_main.h"

/* Puts stderr on a descriptor; returns what it was on. */
static int stderr_on(int fd)
{
	int before = dup(STDERR_FILENO);
	ck_assert_int_ge(before, 0);
	ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	return before;
}

static void stderr_back(int before)
{
	ck_assert_int_eq(dup2(before, STDERR_FILENO), STDERR_FILENO);
	close(before);
}

/* Takes what is there, ended by a zero. */
static size_t drain(int fd, char *out, size_t room)
{
	size_t n = 0;
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	for (ssize_t got; n + 1 < room && (got = read(fd, out + n, room - 1 - n)) > 0;)
		n += (size_t)got;
	out[n] = 0;
	return n;
}

static void *shout(void *ctx)
{
	(void)ctx;
	for (int i = 0; i < 5000; i++)
		pd_log(PD_LOG_WARN, "a line of some length that is written again and again");
	return NULL;
}

/* More lines than there is room for, from two threads; then room again. */
static void overflow(const int ends[2])
{
	static char text[1 << 20];
	pthread_t other;
	int flags = fcntl(ends[1], F_GETFL), before = stderr_on(ends[1]);
	ck_assert_int_eq(pthread_create(&other, NULL, shout, NULL), 0);
	shout(NULL);
	pthread_join(other, NULL);
	size_t size = drain(ends[0], text, sizeof text);
	pd_log(PD_LOG_ERROR, "the last");
	size_t more = drain(ends[0], text + size, sizeof text - size);
	stderr_back(before);
	ck_assert_int_eq(fcntl(ends[1], F_GETFL), flags);
	ck_assert_uint_gt(size, 1000);
	ck_assert_int_eq(text[size - 1], '\n');
	ck_assert_uint_gt(more, 0);
	unsigned long whole = 0, lost = 0;
	for (const char *p = text; (p = strstr(p, "again and again\n")) != NULL; p++)
		whole++;
	for (const char *p = text; (p = strstr(p, " lines of this log are lost")) != NULL; p++) {
		const char *number = p;
		while (number[-1] >= '0' && number[-1] <= '9')
			number--;
		lost += strtoul(number, NULL, 10);
	}
	ck_assert_uint_eq(whole + lost, 10000);
	ck_assert_ptr_nonnull(strstr(text, "error the last\n"));
}

START_TEST(a_full_pipe_loses_lines_and_says_how_many)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	overflow(ends);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(a_full_socket_loses_lines_and_says_how_many)
{
	int ends[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	overflow(ends);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(a_pipe_takes_a_line_whole_or_not_at_all)
{
	int ends[2];
	static char line[4000], text[1 << 20];
	memset(line, 'x', sizeof line);
	ck_assert_int_eq(pipe(ends), 0);
	unsigned took = 0;
	while (pd_write_now(ends[1], line, sizeof line))
		ck_assert_uint_lt(++took, 1000);
	ck_assert_uint_gt(took, 0);
	ck_assert_uint_eq(drain(ends[0], text, sizeof text), took * sizeof line);
	ck_assert(pd_write_now(ends[1], line, 10));
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(a_file_takes_all)
{
	char path[] = "/tmp/test_log.XXXXXX", text[100];
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert(pd_write_now(fd, "one\n", 4));
	ck_assert(pd_write_now(fd, "two\n", 4));
	ck_assert_int_eq(pread(fd, text, sizeof text, 0), 8);
	close(fd);
	unlink(path);
	ck_assert(!pd_write_now(fd, "x", 1));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("log");
	TCase *c = tcase_create("log");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_full_pipe_loses_lines_and_says_how_many);
	tcase_add_test(c, a_full_socket_loses_lines_and_says_how_many);
	tcase_add_test(c, a_pipe_takes_a_line_whole_or_not_at_all);
	tcase_add_test(c, a_file_takes_all);
	suite_add_tcase(s, c);
	return check_main(s);
}
