/* The log never waits: not for a pipe that no one empties, and not at the cost of others who share it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "tests/support/suite.h"

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
static size_t drain_socket(int fd, char *out, size_t room)
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
	for (int i = 0; i < 5000; i++)
		pd_log(PD_LOG_INFO, "a line of some length that is written again and again");
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
	size_t size = drain_socket(ends[0], text, sizeof text);
	pd_log(PD_LOG_ERROR, "the last");
	size_t more = drain_socket(ends[0], text + size, sizeof text - size);
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
	ck_assert_uint_eq(drain_socket(ends[0], text, sizeof text), took * sizeof line);
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

/* What one line looks like in a file. */
static void logged(enum pd_log_form form, const struct pd_log_event *event, const char *text, char out[5000])
{
	char path[] = "/tmp/test_log.XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	pd_log_form(form);
	pd_log_tell(true); /* the same text may have come before */
	int before = pd_log_to(fd);
	ck_assert_int_eq(before, STDERR_FILENO);
	if (event)
		pd_log_event(PD_LOG_WARN, event, "%s", text);
	else
		pd_log(PD_LOG_WARN, "%s", text);
	ck_assert_int_eq(pd_log_to(before), fd);
	pd_log_form(PD_LOG_TEXT);
	ssize_t size = pread(fd, out, 4999, 0);
	ck_assert_int_gt(size, 0);
	out[size] = 0;
	close(fd);
	unlink(path);
}

START_TEST(the_journal_gets_priorities)
{
	char line[5000];
	logged(PD_LOG_JOURNAL, NULL, "a text", line);
	ck_assert_str_eq(line, "<4>a text\n");
}
END_TEST

START_TEST(no_text_forges_a_line)
{
	static const char forged[] = "a\n2026-01-31T12:00:00.123Z info all is well\r\033[2J\xc2\x9b\xff";
	static const char shown[] = " a\\u000a2026-01-31T12:00:00.123Z info all is well\\u000d\\u001b[2J\\u009b\\xff\n";
	static char many[1000];
	char line[5000];
	logged(PD_LOG_TEXT, NULL, forged, line);
	ck_assert_str_eq(strstr(line, " a"), shown);
	logged(PD_LOG_JOURNAL, NULL, forged, line);
	ck_assert_str_eq(line + 3, shown + 1);
	memset(many, '\n', sizeof many - 1);
	logged(PD_LOG_TEXT, NULL, many, line);
	ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
}
END_TEST

START_TEST(json_is_valid_whatever_the_text_is)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{"plain", "\"plain\""},
		{"a \"b\" \\ c", "\"a \\\"b\\\" \\\\ c\""},
		{"tab\tnewline\n\177", "\"tab\\u0009newline\\u000a\\u007f\""},
		{"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
		/* too long, cut off, half a pair, out of range, alone */
		{"\xc0\xaf", "\"\\\\xc0\\\\xaf\""},
		{"\xe2\x82", "\"\\\\xe2\\\\x82\""},
		{"\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\""},
		{"\xf4\x90\x80\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\""},
		{"\x80\xff", "\"\\\\x80\\\\xff\""},
		/* C1, and characters that turn the direction of text */
		{"\xc2\x85\xe2\x80\xae", "\"\\u0085\\u202e\""},
	};
	char line[5000], wanted[200];
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		logged(PD_LOG_JSON, NULL, cases[i].text, line);
		ck_assert_int_eq(strncmp(line, "{\"time\":\"20", 11), 0);
		snprintf(wanted, sizeof wanted, "Z\",\"level\":\"warn\",\"text\":%s}\n", cases[i].json);
		ck_assert_msg(strstr(line, wanted) != NULL, "%s", line);
	}
}
END_TEST

START_TEST(a_long_event_stays_one_object)
{
	static char text[2000], name[2000];
	char line[5000];
	memset(text, '\n', sizeof text - 1);
	memset(name, '"', sizeof name - 1);
	logged(PD_LOG_JSON, &(struct pd_log_event){name, UINT32_MAX, name, name, name}, text, line);
	size_t size = strlen(line);
	ck_assert_uint_lt(size, 4000);
	ck_assert_str_eq(line + size - 3, "\"}\n");
	ck_assert_ptr_nonnull(strstr(line, ",\"job\":4294967295,\"game\":\"\\\""));
	logged(PD_LOG_TEXT, &(struct pd_log_event){"solved", 1, "g", "c", NULL}, "job 1", line);
	ck_assert_str_eq(line + 24, " warn job 1\n");
}
END_TEST

SUITE(log)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_full_pipe_loses_lines_and_says_how_many);
	tcase_add_test(c, a_full_socket_loses_lines_and_says_how_many);
	tcase_add_test(c, a_pipe_takes_a_line_whole_or_not_at_all);
	tcase_add_test(c, a_file_takes_all);
	tcase_add_test(c, the_journal_gets_priorities);
	tcase_add_test(c, no_text_forges_a_line);
	tcase_add_test(c, json_is_valid_whatever_the_text_is);
	tcase_add_test(c, a_long_event_stays_one_object);
}
