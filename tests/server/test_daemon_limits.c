/* Limits of the daemon, V1 to V3: clients that do not read, connections, and memory for all clients. */
#include "tests/server/daemon_rig.h"

static void check_answered(int fd)
{
	send_text(fd, "echo x\n");
	expect_text(fd, "x");
}

static int dial_answered(const struct rig *rig)
{
	int fd = dial_daemon(rig);
	check_answered(fd);
	return fd;
}

static struct rig *rig_places(unsigned connections_max, double idle_s)
{
	struct nt_config config;
	nt_config_init(&config);
	config.connections_max = connections_max;
	config.idle_s = idle_s;
	return rig_with(config);
}

static struct rig *rig_buffers(size_t buffers_max)
{
	struct nt_config config;
	nt_config_init(&config);
	config.buffers_max = buffers_max;
	return rig_with(config);
}

static bool is_dropped(int fd, int other)
{
	for (uint64_t start = pd_now_ns(); pd_now_ns() - start < PATIENCE_S * UINT64_C(1000000000);) {
		check_answered(other);
		if (send(fd, "\n", 1, MSG_NOSIGNAL) < 0)
			return true;
	}
	return false;
}

static size_t drain_socket(int fd)
{
	char *sink = malloc(1 << 20);
	size_t bytes = 0;
	for (ssize_t n; (n = recv(fd, sink, 1 << 20, 0)) > 0;)
		bytes += (size_t)n;
	free(sink);
	close(fd);
	return bytes;
}

START_TEST(a_client_that_does_not_read_is_held_back_and_then_dropped)
{
	struct rig *rig = rig_new(10, 0.2);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	char lines[2000] = "";
	for (int i = 0; i < 100; i++)
		strcat(lines, "big 1000000\n");
	send_text(fd, lines); /* at once: it may be dropped a fifth of a second after the first line */
	ck_assert(is_dropped(fd, other));
	/* The buffers of the socket and the soft limit, not the hundred replies. */
	ck_assert_uint_lt(drain_socket(fd), 50000000);
	close(other);
	stop_daemon(rig);
}
END_TEST

START_TEST(a_client_whose_queue_passes_the_hard_limit_is_dropped)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	char *line = malloc(1000000);
	memset(line, 'z', 1000000);
	memcpy(line, "hold ", 5);
	line[999999] = '\n';
	for (int i = 0; i < 20; i++)
		say_bytes(fd, line, 1000000);
	free(line);
	send_text(other, "hold mark\n");
	for (unsigned asked = 1; seen(other) - asked < 21;)
		asked++;
	send_text(other, "release\n");
	expect_text(other, "mark");
	ck_assert(is_dropped(fd, other));
	ck_assert_uint_eq(drain_socket(fd), 0);
	close(other);
	stop_daemon(rig);
}
END_TEST

/* Connects; false without a free place. The server may then hang up before the client sends anything. */
static bool is_let_in(const struct rig *rig, int *fd)
{
	static const char words[] = GREETING "\necho here\n";
	char line[512];
	*fd = dial_silently(rig);
	bool in = send(*fd, words, sizeof words - 1, MSG_NOSIGNAL) > 0 && read_text(*fd, line, sizeof line) &&
		  !strcmp(line, "here");
	if (!in)
		close(*fd);
	return in;
}

START_TEST(a_connection_too_many_is_told_so)
{
	struct rig *rig = rig_new(2, 60);
	int one = dial_answered(rig), two = dial_answered(rig);
	int three = dial_daemon(rig);
	send_text(three, "echo 3\n");
	expect_holding(three, "has no place for another connection (at most 2)");
	expect_end(three);
	close(two);
	int four;
	while (!is_let_in(rig, &four)) /* until the server has noticed that two is gone */
		;
	close(four);
	close(one);
	int five;
	while (!is_let_in(rig, &five))
		;
	send_text(five, "stop\n");
	close(five);
	rig_join(rig);
}
END_TEST

START_TEST(what_is_kept_for_all_clients_has_a_limit)
{
	enum { CLIENTS = 6, SIZE = 10000000 };
	int fds[CLIENTS];
	unsigned whole = 0, asked = 0;
	struct rig *rig = rig_buffers(3 * SIZE);
	int other = dial_daemon(rig);
	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = dial_daemon(rig);
		send_text(fds[i], "big 10000000\n"); /* one alone may leave so much unread */
	}
	while (seen(other) - ++asked < CLIENTS)
		ck_assert_uint_lt(asked, 1000000);
	for (int i = 0; i < 100; i++) {
		check_answered(other);
	}
	stop_daemon(rig);
	for (int i = 0; i < CLIENTS; i++)
		whole += drain_socket(fds[i]) == SIZE;
	ck_assert_uint_lt(whole, CLIENTS);
	close(other);
}
END_TEST

START_TEST(many_unfinished_lines_count_as_kept)
{
	enum { CLIENTS = 8, SIZE = 1000000 };
	int fds[CLIENTS];
	struct rig *rig = rig_buffers(4 * SIZE);
	char *text = malloc(SIZE);
	memset(text, 'u', SIZE);
	int other = dial_daemon(rig);
	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = dial_daemon(rig);
		ssize_t sent = 1; /* it may be dropped before everything is sent */
		for (size_t at = 0; at < SIZE && sent > 0; at += (size_t)sent)
			sent = send(fds[i], text + at, SIZE - at, MSG_NOSIGNAL);
	}
	unsigned dropped = 0;
	for (uint64_t start = pd_now_ns(); dropped < 4 && pd_now_ns() - start < PATIENCE_S * UINT64_C(1000000000);) {
		check_answered(other);
		dropped = 0;
		for (int i = 0; i < CLIENTS; i++) {
			char c;
			dropped += recv(fds[i], &c, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
			errno = 0;
		}
	}
	ck_assert_uint_ge(dropped, 4);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
	free(text);
	close(other);
	stop_daemon(rig);
}
END_TEST

START_TEST(who_is_idle_longest_makes_room)
{
	struct rig *rig = rig_places(3, 0);
	int one = dial_daemon(rig), two = dial_daemon(rig);
	send_text(two, "hold late\necho 2\n");
	expect_text(two, "2");
	check_answered(one);
	int three = dial_answered(rig);
	int four = dial_daemon(rig); /* two has been silent longer, but waits for an answer */
	check_answered(four);
	expect_end(one);
	int five = dial_daemon(rig);
	send_text(five, "release\n");
	expect_text(two, "late");
	expect_end(three);
	close(two);
	close(four);
	close(five);
	stop_daemon(rig);
}
END_TEST

START_TEST(who_is_silent_in_the_middle_of_a_line_makes_room)
{
	struct rig *rig = rig_places(2, 0);
	int one = dial_daemon(rig), two = dial_daemon(rig);
	send_text(one, "echo 1\necho and no mo");
	expect_text(one, "1");
	check_answered(two);
	int three = dial_answered(rig);
	expect_end(one);
	close(two);
	stop_daemon(rig);
	close(three);
}
END_TEST

START_TEST(some_places_are_for_the_unix_socket)
{
	int fds[NT_RESERVED];
	struct rig *rig = rig_places(2, 1000);
	int one = dial_answered(rig), two = dial_answered(rig);
	int three = dial_daemon(rig);
	expect_holding(three, "has no place for another connection (at most 2)");
	expect_end(three);
	for (unsigned i = 0; i < NT_RESERVED; i++) {
		fds[i] = dial_locally(rig);
		send_text(fds[i], "echo local\n");
		expect_text(fds[i], "local");
	}
	int more = dial_locally(rig);
	expect_holding(more, "has no place for another connection");
	expect_end(more);
	send_text(fds[0], "stop\n");
	expect_end(fds[0]);
	rig_join(rig);
	for (unsigned i = 1; i < NT_RESERVED; i++)
		close(fds[i]);
	close(one);
	close(two);
}
END_TEST

SUITE(daemon_limits)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_client_that_does_not_read_is_held_back_and_then_dropped);
	tcase_add_test(c, a_client_whose_queue_passes_the_hard_limit_is_dropped);
	tcase_add_test(c, a_connection_too_many_is_told_so);
	tcase_add_test(c, what_is_kept_for_all_clients_has_a_limit);
	tcase_add_test(c, many_unfinished_lines_count_as_kept);
	tcase_add_test(c, who_is_idle_longest_makes_room);
	tcase_add_test(c, who_is_silent_in_the_middle_of_a_line_makes_room);
	tcase_add_test(c, some_places_are_for_the_unix_socket);
}
